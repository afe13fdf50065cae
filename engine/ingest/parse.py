"""From a file's bytes to its documents: decode, then parse by the kind that its name says. Pure."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.ingest.corpus import read_corpus
from engine.ingest.decode import Undecodable, decode
from engine.ingest.document import Document
from engine.ingest.formats import EVALUATION_SET, SECRET, Format, format_of
from engine.ingest.markdown import outline
from engine.model import Skipped

__all__ = ["PARSERS", "Document", "Parsed", "documents", "parse"]

PARSERS: dict[str, str] = {
    "markdown": "markdown 1",
    "text": "text 1",
    "log": "log 1",
    "code": "code 1",
    "jsonl": "jsonl 1",
}
"""Kind → parser's name and version; a change of what it or the decoder says of the same bytes is a new
version."""

_PRIVATE_KEY = re.compile(r"\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_CASES = re.compile(r"^\s*(?:\[\[\s*(?:cases|queries)\s*\]\]|cases\s*=)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The documents of one file, and what of it was left out."""

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...] = ()


def parse(path: str, raw: bytes) -> Parsed:
    """Everything in the file at ``path``. Never fails: what is no document is in ``skipped`` with its
    reason."""
    found: list[Document] = []
    skipped: list[Skipped] = []
    for item in documents(path, raw):
        if isinstance(item, Document):
            found.append(item)
        else:
            skipped.append(item)
    return Parsed(tuple(found), tuple(skipped))


def documents(path: str, raw: bytes) -> Iterator[Document | Skipped]:
    """The same one by one, so that a corpus of any length is never held as documents."""
    form = format_of(PurePosixPath(path).name)
    if form.kind == "jsonl":
        yield from read_corpus(path, raw, PARSERS["jsonl"])
    else:
        yield _single(path, raw, form)


def _single(path: str, raw: bytes, form: Format) -> Document | Skipped:
    try:
        decoded = decode(raw)
    except Undecodable as undecodable:
        return Skipped(path, undecodable.reason)
    if _PRIVATE_KEY.match(decoded.text):
        return Skipped(path, SECRET)
    if form.language == "toml" and _is_evaluation_set(decoded.text):
        return Skipped(path, EVALUATION_SET)
    return Document(
        path=path,
        revision=hashlib.sha256(raw).hexdigest(),
        text=decoded.text,
        title=_title(path, decoded.text, form),
        kind=form.kind,
        language=form.language,
        parser=PARSERS[form.kind],
        encoding=decoded.encoding,
        doubtful=decoded.doubtful,
    )


def _title(path: str, text: str, form: Format) -> str:
    """What a document calls itself, else its file's name: without the suffix for prose, whole for code and
    logs."""
    name = PurePosixPath(path)
    if form.kind == "markdown":
        return outline(text).title or name.stem
    return name.stem if form.kind == "text" else name.name


def _is_evaluation_set(text: str) -> bool:
    """Whether a TOML text holds questions about the documents, of a set or of an experiment, and so must not be one
    of them."""
    if not _CASES.search(text):
        return False
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    keys = table.keys()
    return {"version", "name", "cases"} <= keys or {"version", "commit", "configurations", "queries"} <= keys
