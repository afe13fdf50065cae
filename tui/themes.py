"""Themes: four weights of text and two accents, for dark and light, for sixteen colours and for none.

How to use it: ``app.look.style("strong focus")`` gives the drawn style of a few words, for segments; in
stylesheets the same are ``$strong``, ``$muted``, ``$focus`` and ``$attention``. The words are ``strong``,
``muted``, ``reverse``, ``underline``, ``focus`` (cursor, title, dial), ``attention`` (degraded, failed,
lost) and ``term`` (a word of the query in a passage). Colour is never the only sign: a glyph or a word says
the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

from tui.environment import Colours

Name = Literal["dark", "light", "ansi", "plain"]


@dataclass(frozen=True, slots=True)
class Look:
    """What the words of a style look like in one theme. Colours are names or ``#rrggbb``, empty for the
    terminal's."""

    name: Name
    dark: bool
    background: str
    plain: str
    strong: str
    muted: str
    focus: str
    attention: str

    def style(self, words: str = "") -> Style:
        """The drawn style of words parted by blanks; unknown words are refused. Cached: made for every
        segment."""
        return _style(self, words)


DARK = Look("dark", True, "#15171b", "#c6cad1", "#f4f5f7", "#858c98", "#62c8d6", "#e2b04e")
LIGHT = Look("light", False, "#fbfaf8", "#30343a", "#000000", "#69707a", "#00697a", "#8a5300")
ANSI = Look("ansi", True, "", "", "", "bright_black", "cyan", "yellow")
PLAIN = Look("plain", True, "", "", "", "", "", "")

LOOKS: dict[str, Look] = {look.name: look for look in (DARK, LIGHT, ANSI, PLAIN)}


def choose(setting: str, colours: Colours) -> Look:
    """The look for the theme that the settings name, as far as the terminal's colours allow it."""
    if colours == "none":
        return PLAIN
    return ANSI if colours == "16" else LOOKS.get(setting, DARK)


def theme(look: Look) -> Theme:
    """The toolkit's theme of a look. Without colours of its own a look leaves the terminal's as they are."""
    ansi = not look.background
    default = "ansi_default"
    names = {part: _css(getattr(look, part)) or default for part in ("strong", "muted", "focus", "attention")}
    base = BUILTIN_THEMES["ansi-dark"].variables if ansi else {}
    field = {
        "input-cursor-background": names["strong"],
        "input-cursor-foreground": "ansi_black" if ansi else look.background,
        "input-cursor-text-style": "reverse" if ansi else "none",
        "input-selection-background": default if ansi else f"{look.focus} 35%",
        "input-selection-foreground": default if ansi else look.strong,
    }
    return Theme(
        name=f"rankscope-{look.name}",
        primary=names["focus"],
        secondary=names["focus"],
        accent=names["focus"],
        warning=names["attention"],
        error=names["attention"],
        success=names["focus"],
        foreground=look.plain or default,
        background=look.background or default,
        surface=look.background or default,
        panel=look.background or default,
        boost=look.background or default,
        dark=look.dark,
        ansi=ansi,
        text_alpha=1.0,
        variables={**base, **names, **field},
    )


def _css(colour: str) -> str:
    return colour if colour.startswith("#") or not colour else f"ansi_{colour}"


@lru_cache(maxsize=256)
def _style(look: Look, words: str) -> Style:
    colour, flags = look.plain, {}
    for word in words.split():
        match word:
            case "strong":
                flags["bold"] = True
                colour = look.strong if colour == look.plain else colour
            case "muted":
                colour = look.muted
            case "focus" | "attention":
                colour = getattr(look, word)
                flags["bold"] = True
            case "reverse" | "underline":
                flags[word] = True
            case "term":
                flags.update(bold=True, underline=True)
                colour = look.strong if colour == look.plain else colour
            case _:
                raise ValueError(f"no style is called {word!r}")
    return Style(color=colour or None, bgcolor=look.background or None, **flags)  # type: ignore[arg-type]
