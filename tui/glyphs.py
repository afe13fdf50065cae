"""Glyphs: whether this terminal draws lines and markers one cell wide, and what stands for them where it
does not.

Terminals set up for Chinese draw characters of ambiguous width (``│ · – … ▌``) two cells wide, and every
row would shift. ``probe`` prints one before the screen starts and asks where the cursor is; where it moved
by two, every glyph is replaced at the last moment, in whatever is drawn, by an ASCII one of the same width.
"""

from __future__ import annotations

import os
import re
import select
import termios
import time
import tty
from typing import Literal

GlyphSetting = Literal["auto", "unicode", "ascii"]

ASCII = str.maketrans(
    "│·–—…▌┆█░╌▁▂▃▄▅▆▇›▸▹▴▾−✓✗◦×→←↑↓≥≤’‘“”•①②③④⑤⑥⑦⑧⑨\u2400\ufffd",
    "|.--~|:#.-..--==#>>:^v-+x.x><^v><''\"\"*123456789??",
)
"""What stands for each glyph that the screens draw, and for a few that documents often hold: one cell
each."""

SHIFTING = (
    "this terminal draws some signs two cells wide: ASCII stands for lines and markers, and text of "
    "documents may shift",
    "set the terminal's 'ambiguous width' to narrow (single)",
)
"""The problem and its remedy, for the list of problems."""

_PROBE = "│"
_REPORT = re.compile(rb"\x1b\[(\d+);(\d+)R")


def needs_ascii(setting: GlyphSetting, measured: int | None) -> bool:
    """Whether to draw ASCII: as the settings say, and under ``auto`` where the probe measured two cells."""
    return setting == "ascii" or (setting == "auto" and measured == 2)


def probe(reader: int = 0, writer: int = 1, timeout: float = 0.1) -> int | None:
    """Cells that the terminal draws ``│`` in; None where it does not answer within ``timeout`` seconds.

    What is typed meanwhile is lost, at most a tenth of a second of it. The line is erased again.
    """
    try:
        before = termios.tcgetattr(reader)
    except termios.error:
        return None
    try:
        tty.setcbreak(reader, termios.TCSANOW)
        os.write(writer, f"\r{_PROBE}\x1b[6n".encode())
        column = _column(reader, time.monotonic() + timeout)
        os.write(writer, b"\r\x1b[K")
    except OSError:
        return None
    finally:
        termios.tcsetattr(reader, termios.TCSANOW, before)
    return None if column is None else column - 1


def _column(reader: int, deadline: float) -> int | None:
    answer = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([reader], [], [], left)[0]:
            return None
        answer += os.read(reader, 64)
        if found := _REPORT.search(answer):
            return int(found[2])
        if len(answer) > 4_096:
            return None
    return None
