"""The lines around a page: title and state above; problems, the sentence of the focus, and keys below.

Each is drawn from the present view and the page's focus by a pure function, so that a test reads it as text.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui import cells, tasks
from tui.actions import Action, footer
from tui.state import View
from tui.text import one_line
from tui.widgets.figures import plural
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, ends, fit, measure

Screens = Sequence[tuple[str, str, str]]
"""(key, name, short name) of every screen."""


def title(view: View, screens: Screens, current: str, width: int) -> Line:
    """Library, screens and state, shortened in this order: state id, counts, the screens' names."""
    name = cells.cut(one_line(view.library) or "…", max(8, width // 4))
    state = _state(view)
    running = tasks.short(view.progress)
    for short, kept in ((False, len(state)), (False, 2), (True, 2), (True, 0), (True, -1)):
        always = [*(("A pinned",) if view.pin else ()), *((running,) if running else ())]
        right = _joined([*(state[:kept] if kept > 0 else ()), *(always if kept >= 0 else ())])
        left: Line = ((f" {name}   ", STRONG), *_screens(screens, current, short))
        if measure(left) + measure(right) + 2 <= width:
            break
    return fit(ends(left, (*right, (" ", PLAIN)), width), width)


def _state(view: View) -> tuple[str, ...]:
    if view.status is None:
        return ()
    documents, chunks = view.status.state.documents, view.status.state.chunks
    return (plural(documents, "document"), plural(chunks, "chunk"), one_line(view.status.state.short))


def _joined(parts: Sequence[str]) -> Line:
    return (("  ".join(parts), MUTED),) if parts else EMPTY


def _screens(screens: Screens, current: str, short: bool) -> Line:
    pieces: list[tuple[str, str]] = []
    for key, name, brief in screens:
        shown = f"{key} {brief if short else name}"
        pieces += [
            (shown, f"{STRONG} {FOCUS}" if name == current else PLAIN),
            ("  " if not short else " ", PLAIN),
        ]
    return tuple(pieces)


def problems(view: View, width: int) -> Line:
    """How many problems there are, and the first with its remedy; blank where there is none."""
    troubles = view.troubles
    if not troubles:
        return fit(EMPTY, width)
    first = troubles[0]
    place = f"{one_line(first.place)}: " if first.place else ""
    told = one_line(first.sentence) + (f" · {one_line(first.remedy)}" if first.remedy else "")
    return fit(((f" ! {_counted(view)}", ATTENTION), (f"  {place}{told}", PLAIN)), width)


def _counted(view: View) -> str:
    degraded = len(view.degradations)
    others = len(view.troubles) - degraded
    told = [f"{degraded} degraded"] if degraded else []
    told += [f"{others} problem{'s' if others > 1 else ''}"] if others else []
    return ", ".join(told)


def sentence(text: str, width: int, *, attention: bool = False) -> Line:
    """The one sentence about what has the focus, or about what was just done."""
    return fit(
        ((" ", PLAIN), (cells.cut(one_line(text), width - 2), ATTENTION if attention else PLAIN)), width
    )


def keys(actions: Sequence[Action], width: int) -> Line:
    """The footer: at most ten keys of the focused pane."""
    pieces: list[tuple[str, str]] = [(" ", PLAIN)]
    for number, (shown, hint) in enumerate(footer(actions, width - 2)):
        pieces += [("   " if number else "", PLAIN), (shown, STRONG), (f" {hint}", MUTED)]
    return fit(tuple(pieces), width)
