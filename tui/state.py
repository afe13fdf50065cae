"""What the screens show, as one frozen value, and the pure functions that make the next one from it.

How to use it: the application owns the present ``View`` (``app.view``) and shows every new one to its pages
(``Page.show``). Widgets read it and never keep a copy of a part. Settings are turned through ``app.turn``,
``app.assign`` and their like, which call the functions here and settle the trace anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.errors import SettingsError
from engine.model import PUBLIC, Progress
from engine.settings import Retrieval, Settings
from engine.settings.check import check, check_settings, parse
from engine.settings.fields import BY_KEY, FIELDS, Field, fields_of, shown, turned, value_of, with_values
from tui.evaluation import NO_EVALUATION, Evaluation

if TYPE_CHECKING:
    from engine.library import Status
    from engine.settings.sources import Origin
    from engine.trace import Trace

KEPT_CHANGES = 500
"""Changes of settings that can be undone; older ones are forgotten."""


RETRIEVAL: tuple[Field, ...] = fields_of("retrieval")
"""The settings that can be the dial."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a person should know: what happened, to what, and what to do.

    ``action`` is the id of the action that does the remedy, empty where a person has to. ``place`` is the
    channel, file or stage that it concerns.
    """

    sentence: str
    remedy: str = ""
    action: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a setting, by full key, as undo needs it. ``joined`` is undone with the one before it."""

    key: str
    before: object
    after: object
    joined: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pin:
    """State A: the settings that were pinned, and the trace that stood there then; None once another principal
    asks.
    """

    settings: Settings
    trace: Trace | None


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything that is on screen beside cursors and focus.

    ``settings`` are those in force, ``saved`` those that the files gave (what ``*`` and ``backspace``
    compare with). ``dial`` is the name of the retrieval setting that turns. ``query`` is the last one asked,
    and ``running`` whether it is still being recalled; ``trace`` is that of the last query which finished, so
    it may be *behind*. ``reference`` is what moves are measured against: state A (``pin``) where one is pinned,
    else the same recall under the saved settings. ``error`` is why the last query gave nothing. ``status`` and
    ``progress`` are None until known, and while nothing runs. ``note`` is the one sentence about what was done
    last.
    """

    library: str = ""
    writable: bool = True
    writer: str = ""
    settings: Settings = field(default_factory=Settings)
    saved: Settings = field(default_factory=Settings)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    dial: str = "vector_weight"
    changes: tuple[Change, ...] = ()
    muted: Mapping[str, object] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    query: str = ""
    running: bool = False
    trace: Trace | None = None
    reference: Trace | None = None
    pin: Pin | None = None
    error: Problem | None = None
    status: Status | None = None
    progress: Progress | None = None
    problems: tuple[Problem, ...] = ()
    evaluation: Evaluation = NO_EVALUATION
    note: str = ""

    @property
    def retrieval(self) -> Retrieval:
        return self.settings.retrieval

    @property
    def behind(self) -> bool:
        """Whether the trace is of a query before the last one asked."""
        return self.trace is not None and self.trace.recall.query != self.query

    @property
    def principal(self) -> str:
        """Who is asking, in words: ``public``, or the scopes added to it."""
        return " ".join(self.scopes) or PUBLIC

    @property
    def degradations(self) -> tuple[Problem, ...]:
        """What degraded the trace, each with its remedy; last what only the question's own script brings."""
        faults = () if self.trace is None else self.trace.faults
        found = sorted(faults, key=lambda one: one.code in _OF_THE_QUESTION)
        return tuple(
            Problem(one.message, one.remedy, _REMEDIES.get(one.code, ""), one.channel) for one in found
        )

    @property
    def troubles(self) -> tuple[Problem, ...]:
        """Every problem now: why the last query failed, what degraded its trace, what is wrong with the
        library.
        """
        failed = () if self.error is None or self.error in self.problems else (self.error,)
        return (*failed, *self.degradations, *self.problems)


_OF_THE_QUESTION = frozenset(("fulltext_no_terms", "cjk_no_terms"))
"""Codes that hold for every question in one script alone, and that nothing has to be done about."""

_REMEDIES = {
    "stale_documents": "library.sync",
    "edit_conflicts": "conflicts.show",
    "vector_waiting": "library.sync",
    "cancelled": "query.again",
    "rerank_partial": "query.again",
    "vector_failed": "query.again",
    "query_embedding_failed": "query.again",
    "rerank_failed": "query.again",
    "embedder_loading": "query.again",
}
"""The action that does the remedy of a degradation, by its code; the others are a person's to do."""


def field_of(view: View) -> Field:
    """The setting that is the dial."""
    return BY_KEY[f"retrieval.{view.dial}"]


def differs(view: View, known: Field) -> bool:
    """Whether the setting in force is not the saved one."""
    return value_of(view.settings, known) != value_of(view.saved, known)


def unsaved(view: View) -> tuple[Field, ...]:
    """The settings that differ from the saved ones, in the order of the schema."""
    return tuple(known for known in FIELDS if differs(view, known))


def with_value(view: View, known: Field, value: object) -> View:
    """The setting changed to ``value``, and remembered for undo; the same view where nothing changes.

    Raises ``SettingsError`` where the value is out of its range or does not go with the others.
    """
    before = value_of(view.settings, known)
    value = check(known, value)
    if value == before:
        return view
    settings = check_settings(with_values(view.settings, ((known, value),)))
    changes = (*view.changes, Change(known.key, before, value))[-KEPT_CHANGES:]
    return replace(view, settings=settings, changes=changes)


def with_text(view: View, known: Field, text: str) -> View:
    """The setting changed to what a person typed. Raises ``SettingsError`` like ``with_value``."""
    return with_value(view, known, parse(known, text))


def with_change(view: View, values: Mapping[str, object]) -> View:
    """Retrieval settings changed together, by name, and undone together. Raises ``SettingsError`` like
    ``with_value``, of all of them at once.
    """
    pairs = [
        (known, values[known.name])
        for known in RETRIEVAL
        if known.name in values and value_of(view.settings, known) != values[known.name]
    ]
    if not pairs:
        return view
    settings = check_settings(with_values(view.settings, pairs))
    made = [
        Change(known.key, value_of(view.settings, known), value, joined=number > 0)
        for number, (known, value) in enumerate(pairs)
    ]
    told = " and ".join(f"{known.label} {shown(known, value)}" for known, value in pairs)
    changes = (*view.changes, *made)[-KEPT_CHANGES:]
    return replace(view, settings=settings, changes=changes, note=f"set: {told}; u undoes it")


def with_turn(view: View, known: Field, turns: int, *, big: bool = False) -> View:
    """The setting turned by so many steps; it stays at an end of its range, and where the others forbid
    more."""
    value = turned(known, value_of(view.settings, known), turns, big=big)
    try:
        changed = with_value(view, known, value)
    except SettingsError as error:
        return replace(view, note=str(error))
    if changed is view:
        return replace(view, note=end_of_range(view, known))
    return replace(changed, note="")


def end_of_range(view: View, known: Field) -> str:
    """Why a turn changed nothing."""
    value = value_of(view.settings, known)
    if not known.step and not known.choices and known.kind != "boolean":
        return f"{known.label} is typed: enter"
    return f"{known.label} stays at {shown(known, value)}: it may be {known.range}"


def with_reset(view: View, known: Field) -> View:
    """The saved value again."""
    return replace(with_value(view, known, value_of(view.saved, known)), note="")


def with_mute(view: View, known: Field) -> View:
    """A weight set to 0, or back to what it was before. Other settings are left alone, with a note."""
    if not known.name.endswith("_weight"):
        return replace(view, note=f"{known.label} is no weight: 0 mutes weights only")
    value = value_of(view.settings, known)
    if value:
        try:
            muted = with_value(view, known, 0.0)
        except SettingsError as error:
            return replace(view, note=str(error))
        return replace(
            muted, muted={**view.muted, known.key: value}, note=f"{known.label} muted, 0 brings it back"
        )
    back = view.muted.get(known.key) or value_of(view.saved, known) or known.default
    return replace(with_value(view, known, back), note=f"{known.label} back at {shown(known, back)}")


def with_undo(view: View) -> View:
    """The last change taken back with those that were made together with it, and said."""
    if not view.changes:
        return replace(view, note="nothing to undo")
    first = len(view.changes) - 1
    while first and view.changes[first].joined:
        first -= 1
    undone = [(BY_KEY[change.key], change) for change in view.changes[first:]]
    settings = with_values(view.settings, [(known, change.before) for known, change in undone])
    told = (
        f"{known.label} {shown(known, change.after)} → {shown(known, change.before)}"
        for known, change in undone
    )
    return replace(
        view, settings=settings, changes=view.changes[:first], note=f"undone: {' and '.join(told)}"
    )


def with_dial(view: View, steps: int) -> View:
    """The next or the previous retrieval setting as the dial, in the order of the screen; it wraps around."""
    from tui.widgets.tune import DIALS

    return replace(view, dial=DIALS[(DIALS.index(view.dial) + steps) % len(DIALS)], note="")
