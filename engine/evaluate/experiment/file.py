"""An experiment as its file says it: TOML, read and checked without looking at any document."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from engine.errors import SetError, SettingsError
from engine.evaluate.baselines import BASELINES
from engine.settings import Chunking, Settings, check_settings
from engine.settings.fields import fields_of, quoted

LIMIT = 4 << 20
"""Bytes of an experiment file."""

EXACT: Mapping[str, object] = {"mode": "fixed", "seek_boundary": False, "within_heading": True}
"""Windows of exactly so many characters inside headings, unless a configuration says otherwise."""

_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_CHUNKING = tuple(known.name for known in fields_of("chunking"))


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and what answers it: one of these pieces, below that heading of that document. ``reworded`` is the
    same question in other words, empty where there is none."""

    id: str
    text: str
    file: str
    heading: str
    evidence: tuple[str, ...]
    reworded: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One side of the experiment: a cut, a method, whether headings count, and which wording is asked."""

    name: str
    chunking: Chunking
    method: str
    headings: bool = True
    reworded: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """``documents`` are paths at the ``commit`` with the SHA-256 of their bytes; the first configuration is the one
    that the others are held against."""

    name: str
    about: str
    commit: str
    top_k: int
    documents: Mapping[str, str]
    configurations: tuple[Configuration, ...]
    queries: tuple[Query, ...]
    folder: Path = field(default=Path())


def read_experiment(path: Path) -> Experiment:
    """The experiment of a file. Raises ``SetError`` that names what is wrong with it, and where."""
    try:
        if path.stat().st_size > LIMIT:
            raise SetError(f"{path} is larger than {LIMIT >> 20} MiB", "an experiment is a small file")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SetError(f"{path} cannot be read ({error})", "give a TOML file in UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SetError(f"{path} is no TOML: {error}", "correct it there") from None
    return _Reader(str(path)).experiment(table, path.absolute().parent)


class _Reader:
    """Reads one table after the other, and knows in which it is."""

    def __init__(self, where: str) -> None:
        self._where = where

    def experiment(self, table: Mapping[str, Any], folder: Path) -> Experiment:
        known = {
            "version",
            "name",
            "about",
            "commit",
            "method",
            "top_k",
            "documents",
            "configurations",
            "queries",
        }
        self._only(table, known, "the file")
        if table.get("version") != 1:
            raise self._wrong("version", "is not 1")
        commit = self._text(table, "commit", "the file")
        if not _COMMIT.match(commit):
            raise self._wrong("commit", "is no full commit: forty hexadecimal digits")
        top_k = table.get("top_k", 3)
        if not isinstance(top_k, int) or isinstance(top_k, bool) or not 1 <= top_k <= 100:
            raise self._wrong("top_k", "is no number from 1 to 100")
        method = self._method(table.get("method", "tfidf-cosine"), "method")
        documents = dict(self._documents(table))
        experiment = Experiment(
            self._text(table, "name", "the file"), self._text(table, "about", "the file", ""), commit, top_k,
            documents, tuple(self._configurations(table, method)), tuple(self._queries(table, documents)), folder,
        )  # fmt: skip
        if any(each.reworded for each in experiment.configurations):
            bare = next((query.id for query in experiment.queries if not query.reworded), "")
            if bare:
                raise self._wrong(
                    f"query {quoted(bare)}", "has no `reworded`, and a configuration asks for it"
                )
        return experiment

    def _documents(self, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        seen: set[str] = set()
        for row in self._rows(table, "documents"):
            path, digest = self._text(row, "path", "a document"), self._text(row, "sha256", "a document")
            self._only(row, {"path", "sha256"}, f"document {quoted(path)}")
            pure = PurePosixPath(path)
            if pure.is_absolute() or ".." in pure.parts or str(pure) != path or not path.isprintable():
                raise self._wrong(f"document {quoted(path)}", "is no path below the repository")
            if not _DIGEST.match(digest):
                raise self._wrong(f"document {quoted(path)}", "has no SHA-256: sixty-four hexadecimal digits")
            if path in seen:
                raise self._wrong(f"document {quoted(path)}", "is named twice")
            seen.add(path)
            yield path, digest

    def _configurations(self, table: Mapping[str, Any], method: str) -> Iterator[Configuration]:
        seen: set[str] = set()
        for row in self._rows(table, "configurations"):
            name = self._text(row, "name", "a configuration")
            where = f"configuration {quoted(name)}"
            self._only(row, {"name", "method", "headings", "reworded", *_CHUNKING}, where)
            if name in seen:
                raise self._wrong(where, "is named twice")
            seen.add(name)
            given = {key: value for key, value in row.items() if key in _CHUNKING}
            try:
                chunking = check_settings(Settings(chunking=Chunking(**{**EXACT, **given}))).chunking
            except (SettingsError, TypeError) as error:
                raise self._wrong(where, f"has a cut that is none: {error}") from None
            flags = {key: row.get(key, default) for key, default in (("headings", True), ("reworded", False))}
            if not all(isinstance(value, bool) for value in flags.values()):
                raise self._wrong(where, "says neither true nor false for headings or reworded")
            yield Configuration(name, chunking, self._method(row.get("method", method), where), **flags)

    def _queries(self, table: Mapping[str, Any], documents: Mapping[str, str]) -> Iterator[Query]:
        seen: set[str] = set()
        for row in self._rows(table, "queries"):
            name = self._text(row, "id", "a query")
            where = f"query {quoted(name)}"
            self._only(row, {"id", "text", "file", "heading", "evidence", "reworded"}, where)
            if name in seen:
                raise self._wrong(where, "is named twice")
            seen.add(name)
            evidence = row.get("evidence")
            texts = isinstance(evidence, list) and all(
                isinstance(one, str) and one.strip() for one in evidence
            )
            if not texts or not evidence:
                raise self._wrong(where, "has no evidence: a list of texts that the document holds")
            file = self._text(row, "file", where)
            if file not in documents:
                raise self._wrong(where, f"is about {quoted(file)}, which is none of the documents")
            yield Query(
                name, self._text(row, "text", where), file, self._text(row, "heading", where), tuple(evidence),
                self._text(row, "reworded", where, ""),
            )  # fmt: skip

    def _method(self, name: object, where: str) -> str:
        if name not in BASELINES:
            raise self._wrong(where, f"asks for the method {quoted(name)}: it may be {', '.join(BASELINES)}")
        return str(name)

    def _rows(self, table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
        rows = table.get(name)
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise self._wrong(name, f"are missing: write [[{name}]] tables")
        return rows

    def _text(self, table: Mapping[str, Any], name: str, where: str, default: str | None = None) -> str:
        value = table.get(name, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self._wrong(where, f"has no `{name}`")
        return value

    def _only(self, table: Mapping[str, Any], known: set[str], where: str) -> None:
        strange = next((key for key in table if key not in known), "")
        if strange:
            raise self._wrong(where, f"has an unknown key {quoted(strange)}")

    def _wrong(self, where: str, what: str) -> SetError:
        return SetError(f"{self._where}: {where} {what}", "correct the experiment file")
