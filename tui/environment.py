"""What must be set before the toolkit is imported, because it reads its environment at import.

``prepare`` is called first of all by the command that opens the workbench; nothing here imports a toolkit.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, MutableMapping
from typing import Literal

Colours = Literal["full", "256", "16", "none"]

SWITCH_INTERVAL = 0.0005
"""Seconds after which a thread of the engine gives way to the screen: a key then waits 5 ms, not 25, for a
busy loop."""


def prepare(environment: MutableMapping[str, str], *, kitty_keyboard: bool = False) -> None:
    """Set what the toolkit reads at import; what the user has set stays.

    The Kitty keyboard protocol stays off unless asked for: under it, an input method's text of five
    characters and more arrives as garbage, and some terminals send none at all.

    The collector rests until ``collect``: what is imported stays, and going through it again and again is a
    sixteenth of the start.
    """
    gc.disable()
    if not kitty_keyboard:
        environment.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")
    environment.setdefault("TEXTUAL_ANIMATIONS", "none")
    environment.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")
    sys.setswitchinterval(SWITCH_INTERVAL)


def collect() -> None:
    """Let the collector work from now on, and leave out what was there at the start."""
    gc.freeze()
    gc.enable()


def colours(environment: Mapping[str, str]) -> Colours:
    """How many colours the terminal has, by what it says of itself; none where ``NO_COLOR`` asks for none."""
    if environment.get("NO_COLOR"):
        return "none"
    if environment.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "full"
    term = environment.get("TERM", "").lower()
    if term.endswith("direct"):
        return "full"
    return "256" if "256" in term else "16"


def refusal(environment: Mapping[str, str], *, interactive: bool, encoding: str = "utf-8") -> str:
    """Why the workbench cannot open here, in a sentence; empty where it can.

    ``encoding`` is that of the stream that the screen is written to: in another than UTF-8 a mark would come
    out as several characters, and no column would stand.
    """
    if not interactive:
        return "the workbench needs a terminal: run it in one, or use `rankscope search`"
    if encoding.lower().replace("-", "").replace("_", "") != "utf8":
        return f"text goes to this terminal as {encoding}: set LC_ALL=C.UTF-8, or use `rankscope search`"
    if environment.get("TERM", "dumb").lower() in ("", "dumb", "unknown"):
        return "this terminal cannot move its cursor (TERM=dumb): use another, or `rankscope search`"
    return ""


def interactive() -> bool:
    """Whether keyboard and screen are a terminal; the toolkit draws on standard error."""
    return all(os.isatty(stream) for stream in (0, 1, 2))


def screen_encoding() -> str:
    """The encoding of the stream that the toolkit draws on."""
    return "utf-8" if sys.__stderr__ is None else sys.__stderr__.encoding
