"""Draws in ASCII where the terminal would draw the screens' glyphs two cells wide: at the last moment, in
every row."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.glyphs import ASCII


class AsciiFilter(LineFilter):
    """Replaces glyphs cell by cell, in what the screens draw and in the text of documents alike."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text.translate(ASCII), style, control) for text, style, control in segments]
