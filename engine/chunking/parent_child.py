"""Parent-child mode: parents as structure mode makes them, each with the children that tile it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.cancel import CancelToken
from engine.chunking.sections import Section
from engine.chunking.structure import Piece, packed, with_lone_headings


def families(
    text: str,
    found: Sequence[Section],
    parent_target: int,
    child_target: int,
    cancel: CancelToken | None = None,
) -> Iterator[tuple[Piece, tuple[Piece, ...]]]:
    """Every parent with its children, in source order; targets in code points.

    Nothing overlaps: a child stands in one parent, and a parent is its children, one after the other. Raises
    ``Cancelled``.
    """
    for section in with_lone_headings(found, parent_target):
        for parent in packed(text, section, parent_target, 0, cancel):
            runs = section.clipped(parent.start, parent.end).apart()
            children = (child for run in runs for child in packed(text, run, child_target, 0, cancel))
            yield parent, tuple(children)
