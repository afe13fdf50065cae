"""A corpus in JSON Lines, as BEIR has it: ``_id``, ``title`` and ``text``, one document a line. Pure.

A bad line is reported and stops no other. Lines end at LF: JSON strings may hold every other separator as it
is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator

from engine.ingest.document import Document
from engine.ingest.names import path_of
from engine.model import Skipped

_BOM = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _BadLine(ValueError):
    """What is wrong with a line, in a few words."""


def document_path(file: str, identity: str) -> str:
    """The path of one document of a corpus: ``corpus.jsonl#ID``, with control characters escaped as in file
    names."""
    return f"{file}#{path_of(identity.encode('utf-8'))}"


def read_corpus(path: str, raw: bytes, parser: str) -> Iterator[Document | Skipped]:
    """Every line of the file at ``path``, one at a time: its document, or why it has none.

    The revision is the SHA-256 of the line without its newline, so an edited line changes no other document.
    Blank lines are passed over; of two lines with one id the first counts.
    """
    seen: dict[str, int] = {}
    for number, line in enumerate(_lines(raw.removeprefix(_BOM)), start=1):
        if not line.strip():
            continue
        try:
            identity, title, text = _fields(line)
            if identity in seen:
                raise _BadLine(f"the id {path_of(identity.encode())} is that of line {seen[identity]}")
        except _BadLine as problem:
            yield Skipped(path, f"line {number}: {problem}")
            continue
        seen[identity] = number
        yield Document(
            path=document_path(path, identity),
            revision=hashlib.sha256(line).hexdigest(),
            text=text,
            title=title,
            kind="text",
            language="",
            parser=parser,
            encoding="utf-8",
            doubtful=False,
        )


def _lines(raw: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start)
        end = len(raw) if end < 0 else end
        yield raw[start:end].removesuffix(b"\r")
        start = end + 1


def _fields(line: bytes) -> tuple[str, str, str]:
    """Id, title and text of one line. A lone surrogate, which JSON can escape, becomes U+FFFD."""
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _BadLine("not UTF-8") from None
    except (ValueError, RecursionError):
        raise _BadLine("not JSON") from None
    if not isinstance(row, dict):
        raise _BadLine("not an object")
    identity, title, text = row.get("_id"), row.get("title"), row.get("text")
    if isinstance(identity, int) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or not identity:
        raise _BadLine("no _id")
    if not isinstance(text, str):
        raise _BadLine("no text")
    if not isinstance(title, str | None):
        raise _BadLine("a title that is no text")
    return _whole(identity), _whole(title or ""), _whole(text)


def _whole(text: str) -> str:
    return _LONE_SURROGATE.sub("\ufffd", text)
