"""Shortens what is sent to the terminal: colours and weights are sent only where they change, and as the
difference.

The toolkit closes every piece of a row with a reset and opens the next with its whole style, some 40 bytes a
piece. Here the style in force is remembered and the one asked for is put off until something is drawn, so
that a cursor move over SSH is half as long. Text is never touched, and blanks do not change what cannot be
seen on them. Pure, but for the pen's state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

_SEQUENCE = re.compile(
    r"\x1b\[([0-9;:]*)m|\x1b\[[0-9;]*[ABCDEFGHf]|\x1b[^\[]|\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x1a\x1c-\x1f]+"
)
_MOVE = frozenset("ABCDEFGHf")

_ON = {"1": "bold", "2": "dim", "3": "italic", "4": "underline", "5": "blink", "7": "reverse", "9": "strike"}
_OFF = {
    "22": ("bold", "dim"), "23": ("italic",), "24": ("underline",), "25": ("blink",), "27": ("reverse",),
    "29": ("strike",),
}  # fmt: skip
_CODE = {flag: code for code, flag in _ON.items()}
_CLEAR = {flag: code for code, flags in _OFF.items() for flag in flags}
_SEEN_ON_BLANKS = frozenset({"underline", "reverse", "strike", "blink"})


@dataclass(frozen=True, slots=True)
class Pen:
    """A style as the terminal knows it: colours as their parameters, empty for its own. ``odd`` keeps what
    else was asked for, which is then sent as it came."""

    foreground: str = ""
    background: str = ""
    flags: frozenset[str] = frozenset()
    odd: str = ""


PLAIN = Pen()


class Shortener:
    """Stands before the terminal; ``shorten`` every text that is written, in order."""

    def __init__(self) -> None:
        self._present = PLAIN
        self._wanted = PLAIN

    def shorten(self, text: str) -> str:
        """The same drawing in fewer bytes."""
        parts: list[str] = []
        at = 0
        for found in _SEQUENCE.finditer(text):
            if found.start() > at:
                self._draw(text[at : found.start()], parts)
            at = found.end()
            sequence = found[0]
            if found[1] is not None:
                self._wanted = styled(self._wanted, found[1])
            elif sequence[0] == "\x1b" and sequence[-1] not in _MOVE:
                # erasing takes the background along, and what is unknown may take anything
                self._change(self._wanted, parts)
                parts.append(sequence)
            else:
                parts.append(sequence)
        if at < len(text):
            self._draw(text[at:], parts)
        return "".join(parts)

    def _draw(self, text: str, parts: list[str]) -> None:
        wanted = self._wanted
        if not text.strip(" ") and not (wanted.flags | self._present.flags) & _SEEN_ON_BLANKS:
            wanted = replace(self._present, background=wanted.background)
        self._change(wanted, parts)
        parts.append(text)

    def _change(self, wanted: Pen, parts: list[str]) -> None:
        if wanted != self._present:
            parts.append(change(self._present, wanted))
            self._present = wanted


@lru_cache(maxsize=4_096)
def styled(pen: Pen, parameters: str) -> Pen:
    """The pen after one style sequence."""
    if parameters in ("", "0"):
        return PLAIN
    if ":" in parameters:
        return replace(pen, odd=f"{pen.odd};{parameters}".lstrip(";"))
    codes = parameters.split(";")
    while codes:
        code = codes.pop(0).lstrip("0") or "0"
        if code == "0":
            pen = PLAIN
        elif code in ("38", "48"):
            length = {"5": 2, "2": 4}.get(codes[0] if codes else "", 0)
            colour, codes = ";".join([code, *codes[:length]]), codes[length:]
            pen = replace(pen, foreground=colour) if code == "38" else replace(pen, background=colour)
        elif code in _ON:
            pen = replace(pen, flags=pen.flags | {_ON[code]})
        elif code in _OFF:
            pen = replace(pen, flags=pen.flags - set(_OFF[code]))
        else:
            pen = _coloured(pen, code)
    return pen


def _coloured(pen: Pen, code: str) -> Pen:
    number = int(code) if code.isdigit() else 0
    if number == 39:
        return replace(pen, foreground="")
    if number == 49:
        return replace(pen, background="")
    if 30 <= number <= 37 or 90 <= number <= 97:
        return replace(pen, foreground=code)
    if 40 <= number <= 47 or 100 <= number <= 107:
        return replace(pen, background=code)
    return replace(pen, odd=f"{pen.odd};{code}".lstrip(";"))


@lru_cache(maxsize=4_096)
def change(present: Pen, wanted: Pen) -> str:
    """The shortest sequence that leads from one pen to another."""
    anew = ";".join(["0", *_additions(PLAIN, wanted)]) if wanted != PLAIN else ""
    if present.odd and present.odd != wanted.odd:
        return f"\x1b[{anew}m"
    cleared = dict.fromkeys(_CLEAR[flag] for flag in sorted(present.flags - wanted.flags))
    # clearing bold clears dim as well, so what stays of the two is set again
    kept = present.flags - {flag for code in cleared for flag in _OFF[code]}
    difference = ";".join([*cleared, *_additions(replace(present, flags=kept), wanted)])
    return f"\x1b[{min(difference, anew, key=len)}m"


def _additions(present: Pen, wanted: Pen) -> list[str]:
    codes = [_CODE[flag] for flag in sorted(wanted.flags - present.flags)]
    if wanted.foreground != present.foreground:
        codes.append(wanted.foreground or "39")
    if wanted.background != present.background:
        codes.append(wanted.background or "49")
    if wanted.odd != present.odd:
        codes.append(wanted.odd)
    return codes
