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


def copied_result(result: Result) -> Copied:
    """The whole text of a result."""
    chunk = result.chunk
    where = f"{text.one_line(chunk.path)} {figures.lines(chunk.line_start, chunk.line_end)}"
    return Copied(chunk.text, f"{figures.plural(len(chunk.text), 'character')} of {where}")


def copied_group(context: Context, at: int) -> Copied:
    """The text of one group of the context."""
    group = context.groups[at]
    return Copied(
        group.text, f"{figures.plural(len(group.text), 'character')} of {text.one_line(group.evidence_id)}"
    )


def citation(chunk: Chunk) -> Copied:
    """Path, lines, heading and revision: enough to find the passage again."""
    heading = " › ".join(chunk.heading_path)
    lines = figures.lines(chunk.line_start, chunk.line_end)
    told = f"{chunk.path} {lines}" + (f" ({heading})" if heading else "") + f" @{chunk.revision[:12]}"
    return Copied(told, f"the citation {text.one_line(told)}")
