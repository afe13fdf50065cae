"""What ``y`` copies, and what it is called: a result's text, a group of the context as sent, an id, a
citation. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.model import Chunk, Context, Result
from tui import text
from tui.widgets import figures


@dataclass(frozen=True, slots=True)
class Copied:
    """A text for the clipboard, and what it is."""

    text: str
    name: str


def copied(context: Context, result: Result, entry: int | None) -> Copied:
    """The text of the context's group at ``entry``, as it is sent; else the whole text of a result."""
    if entry is not None and entry < len(context.groups):
        group = context.groups[entry]
        return _text(group.text, text.one_line(group.evidence_id))
    chunk = result.chunk
    return _text(chunk.text, f"{text.one_line(chunk.path)} {figures.lines(chunk.line_start, chunk.line_end)}")


def _text(copied_text: str, where: str) -> Copied:
    return Copied(copied_text, f"{figures.plural(len(copied_text), 'character')} of {where}")


def identity(result: Result | None) -> Copied | None:
    """The chunk's id."""
    return None if result is None else Copied(result.chunk.chunk_id, f"the id {result.chunk.chunk_id}")


def citation(chunk: Chunk) -> Copied:
    """Path, lines, heading and revision: enough to find the passage again."""
    heading = " › ".join(chunk.heading_path)
    lines = figures.lines(chunk.line_start, chunk.line_end)
    told = f"{chunk.path} {lines}" + (f" ({heading})" if heading else "") + f" @{chunk.revision[:12]}"
    return Copied(told, f"the citation {text.one_line(told)}")


def chunk_of(context: Context, result: Result, entry: int | None) -> str:
    """The id of the chunk that the context's ``entry`` is about, its first hit; else of a result."""
    if entry is None:
        return result.chunk.chunk_id
    groups = context.groups
    if entry < len(groups):
        return groups[entry].citations[0].chunk_id
    out = entry - len(groups)
    return context.left_out[out].chunk_id if out < len(context.left_out) else result.chunk.chunk_id
