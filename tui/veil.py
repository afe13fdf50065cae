"""Text veiled for an editor: what may not reach a terminal stands as a private character, and comes back unharmed.

The toolkit's text area ends lines at every separator that Python knows, measures joined emoji as one, and draws
controls as they are. So each such character is put in the last two planes, which no text uses, while it is edited:
the length stays, LF alone ends a line, and ``unveil`` gives back the very text. What is drawn is ``sanitise`` of it.
"""

from __future__ import annotations

import re

from tui.text import SUSPECT

_BASIC = 0xF0000
_BEYOND = 0x100000
_VEILED = re.compile("[\U000f0000-\U0010ffff]")


def veilable(text: str) -> bool:
    """Whether a text can be veiled: it holds no character of the planes that stand for others."""
    return _VEILED.search(text) is None


def veil(text: str) -> str:
    """The text with a private character in place of each that is not drawn as it is; of the same length."""
    return SUSPECT.sub(lambda match: _veiled(ord(match[0])), text)


def unveil(text: str) -> str:
    """What was veiled."""
    return _VEILED.sub(lambda match: _unveiled(ord(match[0])), text)


def _veiled(code: int) -> str:
    return chr(_BASIC + code) if code < 0x10000 else chr(_BEYOND + (code & 0xFFFF))


def _unveiled(code: int) -> str:
    if code < _BEYOND:
        return chr(code - _BASIC)
    low = code - _BEYOND
    # flags and skin tones are of plane 1, tags and selectors of plane 14
    return chr((0x10000 if low >= 0xF000 else 0xE0000) + low)
