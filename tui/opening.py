"""What the workbench is opened with, and the first question: asked at the start, so that ranks are on screen
before a key is pressed."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.model import QUERY_LIMIT
from engine.settings import Settings
from engine.settings.sources import Resolved
from tui import environment, glyphs
from tui.actions import check_keymap
from tui.drafts import Drafts
from tui.problems import unsaved
from tui.registry import ACTIONS, SCOPES
from tui.state import Problem

SIZE_LIMIT = 1_000_000
"""Bytes of an evaluation set that are read for it; a larger one has no first question."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is known of the terminal before the screen starts."""

    colours: environment.Colours = "full"
    ascii: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """What the workbench is opened with. ``question`` is asked first, where there is one; ``watch`` syncs
    whenever files of the folder change."""

    folder: Path
    resolved: Resolved = field(default_factory=lambda: Resolved(Settings(), {}))
    scopes: tuple[str, ...] = ()
    question: str = ""
    terminal: Terminal = Terminal()
    journal: bool = True
    watch: bool = False


def first_question(folder: Path) -> str:
    """The first case of the folder's own evaluation set (``evaluation.toml``), else nothing.

    Whatever the file holds, it only ever becomes a query: cut at the limit, and never run as anything else.
    """
    path = folder / "evaluation.toml"
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > SIZE_LIMIT:
            return ""
        cases = tomllib.loads(path.read_text(encoding="utf-8")).get("cases")
    except (OSError, ValueError, RecursionError):
        return ""
    first = cases[0] if isinstance(cases, list) and cases else None
    query = first.get("query") if isinstance(first, dict) else None
    return query.strip()[:QUERY_LIMIT] if isinstance(query, str) else ""


def first_problems(opening: Opening) -> tuple[Problem, ...]:
    """What is known to be wrong before the library is open: terminal, settings, keymap; and what was left undone."""
    found = [Problem(*glyphs.SHIFTING, place="terminal")] if opening.terminal.ascii else []
    if opening.resolved.warning:
        found.append(Problem(opening.resolved.warning, place="settings"))
    keymap = opening.resolved.settings.interface.keymap
    found += [
        Problem(wrong, "the keys are the usual ones", place="settings")
        for wrong in check_keymap(ACTIONS, SCOPES, keymap)
    ]
    return (*found, *unsaved(Drafts(opening.folder).all()))


def first_note(problems: Sequence[Problem]) -> str:
    """What is said before the first key: that an edit was left unsaved."""
    left = [problem for problem in problems if problem.action == "draft.open"]
    return f"{left[0].place}: {left[0].sentence}; ! goes on with it" if left else ""
