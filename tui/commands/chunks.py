"""``rankscope chunks FILE``: where a file is cut under any settings. Needs no index and writes nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.commands.options import json_option, mode_option, settings_options, with_mode

if TYPE_CHECKING:
    from engine.ingest.parse import Document
    from engine.model import ChunkSpan
    from engine.settings import Chunking


@dataclass(frozen=True, slots=True)
class Cut:
    """One document of the file, and its chunks in source order."""

    document: Document
    chunks: list[ChunkSpan]


@click.command("chunks")
@click.argument("file", metavar="FILE", type=click.Path())
@mode_option
@settings_options
@json_option
def command(
    file: str, mode: str | None, settings_file: str | None, assignments: tuple[str, ...], as_json: bool
) -> None:
    """Show where FILE is cut under any settings, without an index."""
    from engine.settings import resolve
    from tui.commands.chunk_rows import rows, title
    from tui.commands.output import document, say

    resolved = resolve(
        file=Path(settings_file) if settings_file else None, assignments=with_mode(assignments, mode)
    )
    chunking = resolved.settings.chunking
    cuts = cut(Path(file), chunking)
    if as_json:
        document(to_json(file, chunking, cuts))
        return
    for each in cuts:
        say([title(each.document.path, chunking, each.chunks), ""])
        say(rows(each.document.text, each.chunks))


def cut(file: Path, chunking: Chunking) -> list[Cut]:
    """Read, decode and parse the file as indexing would, then cut it by the very function that a rebuild
    uses.

    Raises ``UsageError`` where there is no such file, ``SourceError`` where it cannot be read as text.
    """
    from engine.chunking import chunk
    from engine.errors import SourceError, UsageError
    from engine.ingest.formats import refusal
    from engine.ingest.names import path_of
    from engine.ingest.parse import parse
    from engine.ingest.read import read
    from engine.settings.fields import quoted

    name = quoted(str(file), 200)
    try:
        real = file.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise UsageError(f"there is no file {name}", "give the path of a file") from None
    if not real.is_file():
        raise UsageError(f"{name} is not a file", "give the path of one file")
    path = path_of(os.fsencode(real.name))
    if reason := refusal(real.name):
        raise SourceError(f"{name} was not read: {reason}")
    parsed = parse(path, read(real.parent, path).raw)
    if not parsed.documents:
        reason = next((skipped.reason for skipped in parsed.skipped), "it holds no document")
        raise SourceError(f"{name} was not read: {reason}")
    return [
        Cut(each, chunk(each.text, each.kind, chunking, language=each.language)) for each in parsed.documents
    ]


def to_json(file: str, chunking: Chunking, cuts: list[Cut]) -> dict[str, object]:
    """The document of ``chunks --json``. A file of many documents names the one of each chunk."""
    from engine.chunking import chunker_fingerprint

    many = len(cuts) > 1
    return {
        "file": file,
        "chunker_fingerprint": chunker_fingerprint(chunking),
        "chunks": [
            ({"document": each.document.path} if many else {}) | _chunk(each.document.text, span)
            for each in cuts
            for span in each.chunks
        ],
    }


def _chunk(text: str, span: ChunkSpan) -> dict[str, object]:
    return {
        "ordinal": span.ordinal,
        "role": span.role,
        "parent": span.parent,
        "start": span.start,
        "end": span.end,
        "line_start": span.line_start,
        "line_end": span.line_end,
        "heading_path": list(span.heading_path),
        "text": text[span.start : span.end],
    }
