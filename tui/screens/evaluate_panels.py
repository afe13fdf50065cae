"""The panels of the Evaluate screen: which set, and which run is A; what differs from A, case by case; what to write."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult

from tui import evaluate_bridge as work
from tui import text
from tui.evaluate_export import KINDS
from tui.field import Field
from tui.messages import Examined
from tui.screens.asking import Asking
from tui.screens.panel import Choices, Panel, text_row
from tui.widgets import evaluate_cases, figures
from tui.widgets.line import ATTENTION, MUTED, PLAIN, STRONG, Line

if TYPE_CHECKING:
    from engine.evaluate.compare import Flip
    from engine.store.runs import RunRecord
    from tui.app import RankscopeApp
    from tui.evaluation import Evaluation

SET = "evaluation.toml"
RUNS = 50
"""Runs that are listed at most."""


# --- which set, which A -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What was chosen: the folder's own set, another file, a run as A, or none as A."""

    kind: str
    record: RunRecord | None = None


class SetsPanel(Panel[Choice]):
    """The set that is followed, and the run that it stands against."""

    def __init__(self, value: Evaluation) -> None:
        self.value = value
        self.records: Sequence[RunRecord] | None = None
        self.choices: list[Choice] = []
        self.asking = Asking()
        super().__init__("SET AND A  enter chooses", self._rows)

    def on_mount(self) -> None:
        loaded = self.value.loaded
        name = loaded.cases.name if loaded is not None and loaded.cases is not None else ""
        bridge = cast("RankscopeApp", self.app).bridge
        if name and bridge.library is not None:
            self.asking.begin("runs", lambda: work.runs(bridge, self, name))

    def on_examined(self, message: Examined) -> None:
        if self.asking.ended(message.token) == "runs":
            self.records = cast("Sequence[RunRecord]", message.answer)
            self.list.replace(self._rows(self.app.size.width), self.list.cursor)
            self.fit_height()

    def _rows(self, width: int) -> list[Line]:
        loaded = self.value.loaded
        here = "" if loaded is None or loaded.path is None else text.one_line(str(loaded.path))
        own: Line = (("set  ", MUTED), (f"{SET} in the folder", PLAIN))
        other: Line = (("set  ", MUTED), ("another file …", PLAIN), (f"  now {here}" if here else "", MUTED))
        self.choices = [Choice("own"), Choice("file"), Choice("settings")]
        made: list[Line] = [own, other, (("A    ", MUTED), ("the pinned settings, else the file's", PLAIN))]
        for record in (self.records or ())[:RUNS]:
            self.choices.append(Choice("run", record))
            made.append((("A    ", MUTED), (label(record), PLAIN), (f"  {described(record)}", MUTED)))
        return made

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss(self.choices[message.index])


def label(record: RunRecord) -> str:
    """``run 7 of 14:02``; of another day, with the date."""
    at = time.localtime(record.started)
    same = time.strftime("%Y-%m-%d", at) == time.strftime("%Y-%m-%d")
    return f"run {record.number} of {time.strftime('%H:%M' if same else '%Y-%m-%d %H:%M', at)}"


def described(record: RunRecord) -> str:
    """How many cases a run has, and in which settings it differs from the defaults."""
    from engine.settings import Retrieval

    plain = Retrieval()
    baseline = record.manifest.get("baseline")
    turned = [
        f"{name} {value}"
        for name, value in record.manifest["settings"].items()
        if getattr(plain, name, value) != value
    ]
    told = [figures.plural(record.cases, "case"), *([str(baseline)] if baseline else turned)]
    return text.one_line(", ".join(told))


class PathField(Field):
    """Where a set lies."""

    SCOPE: ClassVar[str] = "palette"


class PathPanel(Panel[Path]):
    """Asks for the path of a set."""

    AUTO_FOCUS = "#typed"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told = ""
        self.field = PathField(placeholder="path of a set: TOML, JSON Lines, JSON, or a folder", id="typed")
        super().__init__("SET FROM A FILE  enter reads it", lambda _: [text_row(*self._told())])

    def around(self) -> ComposeResult:
        yield self.field

    def _told(self) -> tuple[str, str]:
        return (self.told, ATTENTION) if self.told else ("below the folder, or from the root on, or ~", MUTED)

    def on_input_submitted(self, message: Field.Submitted) -> None:
        typed = message.value.strip()
        path = (self.folder / Path(typed).expanduser()).resolve() if typed else self.folder
        if path.exists() and typed:
            self.dismiss(path)
        else:
            self.told = f"there is no {text.one_line(str(path))}" if typed else "type a path"
            self.list.replace([text_row(*self._told())])


# --- what differs from A ------------------------------------------------------------------------------------


class FlipsPanel(Panel[str]):
    """The verdicts, then every case that flipped or moved; chosen, the cursor goes to it."""

    def __init__(self, value: Evaluation) -> None:
        self.value = value
        self.ids: list[str] = []
        super().__init__(f"AGAINST {text.one_line(value.against)}  enter goes to the case", self._rows)

    def _rows(self, width: int) -> list[Line]:
        from engine.evaluate.compare import sentence

        value = self.value
        self.ids = []
        made: list[Line] = []
        for found in value.differences.values():
            self.ids.append("")
            made.append(((sentence(found, "A", "now"), PLAIN if found.verdict == "noise" else STRONG),))
        for flip in sorted(value.flips.values(), key=lambda flip: not flip.gained):
            self.ids.append(flip.case_id)
            made.append(self._flip(flip))
        for row in (evaluate_cases.row_of(value, case) for case in evaluate_cases.ordered(value)):
            if not row.flipped and row.known and row.a != row.now:
                self.ids.append(row.case_id)
                moved = f"{_rank(row.a)} > {_rank(row.now)}"
                made.append(((f"{text.one_line(row.case_id)}  ", PLAIN), (f"rank {moved}", MUTED)))
        return made or [text_row("nothing differs from A", MUTED)]

    def _flip(self, flip: Flip) -> Line:
        word = "gained" if flip.gained else "lost"
        before, after = (evaluate_cases.LAYERS.get(each, each) for each in (flip.before, flip.after))
        return (
            (f"{text.one_line(flip.case_id)}  ", STRONG),
            (f"{word}: {before} > {after}", PLAIN if flip.gained else ATTENTION),
            (f"  {text.one_line(flip.query)}", MUTED),
        )

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss(self.ids[message.index] if message.index < len(self.ids) else "")


def _rank(rank: int | None) -> str:
    return figures.MISSING if rank is None else str(rank)


# --- what to write ------------------------------------------------------------------------------------------


class ExportPanel(Panel[str]):
    """Dismissed with the suffix of what shall be written."""

    def __init__(self, folder: Path) -> None:
        rows: list[Line] = [((f"{name:<16}", STRONG), (told, MUTED)) for name, told in KINDS.values()]
        super().__init__(f"EXPORT to {text.one_line(str(folder))}", lambda _: rows)

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss(list(KINDS)[message.index])
