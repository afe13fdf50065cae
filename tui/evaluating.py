"""Follows the loaded set through every change of the view: what is asked for it, what came back, and the next
``Evaluation``.

The application owns one and shows it every view before its pages see it (``followed``); so ranks of all cases are there
in the frame of the key, and contexts and tests follow when they are true.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.message_pump import MessagePump

from engine.cancel import CancelToken
from engine.model import Progress
from tui import evaluate_bridge as work
from tui import tasks
from tui.evaluation import NO_EVALUATION, Evaluation, names
from tui.screens.asking import Asking
from tui.state import Problem, View

if TYPE_CHECKING:
    from engine.evaluate.case_file import Written
    from engine.evaluate.live import Live
    from engine.evaluate.live_score import Score
    from engine.evaluate.live_set import Loaded
    from engine.evaluate.run import Run, Variant
    from engine.settings import Features, Retrieval, Settings
    from tui.app import RankscopeApp

    Key = tuple[Retrieval, Features]

SET = "evaluation.toml"
"""The set that is loaded unasked, where it lies in the library's folder."""

EAGER = 400
"""Cases up to which lists are laid out in the frame of the key; it takes 0.1 ms a case."""

PAUSE, TEST_PAUSE = 0.05, 0.4
"""Seconds without a turn before contexts are settled, and before differences are tested."""

KEPT_SCORES = 6
"""Whole scores that are kept: turning back costs nothing."""


class Evaluating:
    """What is loaded and what runs for it. ``value`` is what the view holds."""

    def __init__(self, app: RankscopeApp) -> None:
        self.value = NO_EVALUATION
        self.path: Path | None = None
        self.skip_invalid = False
        self.run: tuple[str, Score, Run] | None = None
        self._app = app
        self._asking = Asking()
        self._loaded_for: object = None
        self._state: object = None
        self._stamp: object = None
        self._scores: OrderedDict[Key, Score] = OrderedDict()
        self._now: Key | None = None
        self._a: object = None
        self._turn = 0
        self._baselines_wanted = False
        self._written: list[tuple[Written, int]] = []

    @property
    def _asker(self) -> MessagePump:
        return cast(MessagePump, self._app)

    # --- the view ---

    def followed(self, view: View) -> View:
        """The view with the evaluation of its settings, as far as it is known in this frame."""
        self._load(view)
        live = self._live
        if live is not None and not self._behind(view):
            key = (view.settings.retrieval, view.settings.features)
            if key != self._now:
                self._now = key
                self._turned(live, view.settings)
            self._set_a(view)
        return view if view.evaluation is self.value else replace(view, evaluation=self.value)

    def _behind(self, view: View) -> bool:
        """Whether the index is no longer the one that was asked: figures are then muted until it is asked again."""
        behind = view.status is not None and view.status.state != self._state
        if behind and self.value.ranked:
            self._now = None
            self.value = replace(self.value, ranked=False, tested=False)
        return behind

    @property
    def _live(self) -> Live | None:
        return None if self.value.loaded is None else self.value.loaded.live

    # --- loading ---

    def choose(self, path: Path | None) -> None:
        """Follow another set, or again that of the folder."""
        self.path, self.skip_invalid, self.run = path, False, None
        self.load_again()

    def without_invalid(self) -> None:
        """Follow the cases that fit, and count the others."""
        self.skip_invalid = True
        self.load_again()

    def load_again(self) -> None:
        """Read the set again: it was changed, or another is wanted."""
        self._loaded_for = None
        self._app.show(self._app.view)

    def _load(self, view: View) -> None:
        """Ask for the set once the index is at rest, and again whenever it has changed."""
        bridge = self._app.bridge
        if view.status is None or bridge.library is None or bridge.syncing or not view.status.state.documents:
            return
        wanted = (view.status.state, view.status.generation, self.path, self.skip_invalid)
        if wanted == self._loaded_for:
            return
        self._loaded_for, self._state, self._stamp = wanted, view.status.state, _stamp(self.file)
        if self.path is None and not (self._app.opening.folder / SET).is_file():
            self._asking.cancel_all()
            self._forget(NO_EVALUATION)
            return
        self.value = replace(
            self.value, progress=Progress("evaluate", 0, 0), wrong="", ranked=False, tested=False
        )
        self._asking.begin(
            "load",
            lambda: work.load(bridge, self._asker, self.path, skip_invalid=self.skip_invalid),
        )

    def _forget(self, value: Evaluation) -> None:
        """Begin anew: every score was of another set, or of another state of the index, and so is what is still being
        worked out."""
        for purpose in ("settle", "ranks", "compare", "baselines"):
            self._asking.cancel(purpose)
        self.value, self._now, self._a = value, None, None
        self._scores.clear()

    # --- what came back ---

    def owns(self, token: CancelToken) -> bool:
        """Whether a message is about work that this asked for."""
        return self._asking.purpose_of(token) is not None

    def went_on(self, token: CancelToken, progress: Progress) -> None:
        if self._asking.purpose_of(token) == "run":
            self._show(replace(self.value, doing=f"running the set: {tasks.sentence(progress)}"))
        else:
            self._show(replace(self.value, progress=progress))

    def failed(self, token: CancelToken, problem: Problem) -> None:
        purpose = self._asking.ended(token)
        told = ": ".join(filter(None, (problem.sentence, problem.remedy)))
        if purpose == "load":
            self._forget(Evaluation(wrong=told))
            self._show(self.value)
        elif purpose in ("case", "undo"):
            self._app.show(replace(self._app.view, note=told))
        else:
            self._show(replace(self.value, wrong=told, doing=""))

    def ended(self, token: CancelToken, answer: object) -> None:
        purpose = self._asking.ended(token)
        if purpose == "load":
            self._forget(Evaluation(loaded=cast("Loaded", answer)))
            self._show(self.value)
            self._ask_baselines()
        elif purpose == "baselines":
            self._show(replace(self.value, baselines=cast("Sequence[tuple[str, Score]]", answer)))
        elif purpose == "run":
            self._run_ended(cast(work.Kept, answer))
        elif purpose == "case":
            written = cast("Written", answer)
            self.wrote(written, f"{written.case_id} is written at the end of {written.path.name}")
        elif purpose == "undo":
            written = cast("Written", answer)
            told = f"undone: {written.case_id} in {written.path.name} is as it was before"
            self._app.show(replace(self._app.view, note=told))
            self.load_again()
        elif purpose == "ranks":
            self._ranked(cast("Score | None", answer))
        elif purpose == "settle":
            self._settled(cast(work.Settled, answer))
        elif purpose == "compare":
            against = cast(work.Against, answer)
            self._show(replace(self.value, differences=against.differences, flips=against.flips, tested=True))

    def _show(self, value: Evaluation) -> None:
        self.value = value
        self._app.show(self._app.view)

    # --- scores ---

    def _turned(self, live: Live, settings: Settings) -> None:
        """Other settings are in force: their ranks in this frame, their contexts once the keys pause."""
        from engine.evaluate.live import follows
        from engine.evaluate.live_score import by_ranks

        self._asking.cancel("settle")
        self._asking.cancel("ranks")
        self._asking.cancel("compare")
        variant = _variant(settings)
        known = self._scores.get((variant.retrieval, variant.features))
        self.value = replace(self.value, tested=False, wrong="")
        if known is not None:
            self.value = replace(self.value, now=known, whole=known, ranked=True)
            self._compare_soon()
            return
        began = time.perf_counter()
        found = by_ranks(live, variant, warm=len(live.cases) > EAGER)
        if found is not None:
            took = (time.perf_counter() - began) * 1000
            self.value = replace(self.value, now=found, ranked=True, milliseconds=took)
        else:
            self.value = replace(self.value, ranked=False)
        if not follows(variant.retrieval):
            self.value = replace(self.value, wrong="a model reranks: r runs the set with it")
            return
        self._settle_soon(live, variant, ranked=found is not None)

    def _settle_soon(self, live: Live, variant: Variant, *, ranked: bool) -> None:
        self._turn += 1
        turn, bridge, asker = self._turn, self._app.bridge, self._asker

        def start() -> None:
            if turn != self._turn or live is not self._live:
                return
            texts = variant.retrieval.rerank != "off" or variant.retrieval.required_terms
            if not ranked and not texts:
                self._asking.begin("ranks", lambda: work.ranks(bridge, asker, live, variant))
            self._asking.begin("settle", lambda: work.settle(bridge, asker, live, self._wanted(variant)))

        self._app.set_timer(PAUSE, start)

    def _wanted(self, variant: Variant) -> list[Variant]:
        """What has to be settled: the settings in force, then those of A, which may be the same."""
        from engine.evaluate.live import follows

        a = _variant(self._settings_of_a(self._app.view))
        known = self.run is not None or (a.retrieval, a.features) in self._scores
        return [variant] if known or a == variant or not follows(a.retrieval) else [variant, a]

    def _ranked(self, found: Score | None) -> None:
        if found is not None and not self.value.ranked:
            self._show(replace(self.value, now=found, ranked=True))

    def _settled(self, found: work.Settled) -> None:
        for score in found.scores:
            self._scores[score.variant.retrieval, score.variant.features] = score
        a = self.value.a
        if a is not None and (key := (a.variant.retrieval, a.variant.features)) in self._scores:
            self._scores.move_to_end(key)
        while len(self._scores) > KEPT_SCORES:
            self._scores.popitem(last=False)
        now = found.scores[0]
        if (now.variant.retrieval, now.variant.features) == self._now:
            took = self.value.milliseconds if self.value.ranked else found.milliseconds
            self.value = replace(self.value, now=now, whole=now, ranked=True, milliseconds=took)
        self._a = None
        self._set_a(self._app.view)
        self._show(self.value)

    # --- runs and baselines ---

    def want_baselines(self) -> None:
        """The baselines beside the settings, asked once for a state of the index."""
        self._baselines_wanted = True
        self._ask_baselines()

    def _ask_baselines(self) -> None:
        live = self._live
        if self._baselines_wanted and live is not None and not self.value.baselines:
            settings = self._app.view.saved
            self._asking.begin(
                "baselines", lambda: work.baselines(self._app.bridge, self._asker, live, settings)
            )

    def run_now(self) -> str:
        """Run the set under the settings in force, and keep the run; what is said of it now."""
        live = self._live
        if live is None:
            self.load_again()
            return "reading the set again"
        if _stamp(self.file) != self._stamp:
            self.load_again()
            return "the set was changed: reading it again, then r runs it"
        if self._asking.running("run"):
            return "the set is being run already"
        variant = _variant(self._app.view.settings)
        self._asking.begin("run", lambda: work.run(self._app.bridge, self._asker, live, variant))
        return "running the set"

    def _run_ended(self, found: work.Kept) -> None:
        score = found.score
        key = (score.variant.retrieval, score.variant.features)
        self._scores[key] = score
        if key == self._now:
            self.value = replace(self.value, now=score, whole=score, ranked=True, wrong="")
            self._a = None
            self._set_a(self._app.view)
            self._compare_soon()
        self.value = replace(self.value, doing="")
        told = f"run {found.number} is kept: {found.told}; enter on METRICS makes it A"
        self._app.show(replace(self._app.view, note=told))

    def against_run(self, run: tuple[str, Score, Run] | None) -> None:
        """Stand against a kept run from now on; None for the pinned settings, else the file's."""
        self.run, self._a = run, None
        self._app.show(self._app.view)

    # --- cases that are made and edited ---

    @property
    def file(self) -> Path:
        """The file of the set, which a case is written to; it need not be there yet."""
        return self.path if self.path is not None else self._app.opening.folder / SET

    def make_case(self, wanted: work.Wanted) -> None:
        """Write a case, and follow it."""
        bridge, name = self._app.bridge, self._app.view.library
        self._asking.begin("case", lambda: work.make_case(bridge, self._asker, wanted, self.file, name))

    def wrote(self, written: Written, told: str) -> None:
        """A case stands otherwise in its file: say so, and follow the set as it is now."""
        self._written.append((written, len(self._app.view.changes)))
        self._app.show(replace(self._app.view, note=f"{told}; u takes it back"))
        self.load_again()

    def undo(self) -> bool:
        """Take back the case that was made or edited last, if no setting was changed since; whether there is one."""
        if not self._written or self._written[-1][1] != len(self._app.view.changes):
            return False
        written, _ = self._written.pop()
        self._asking.begin("undo", lambda: work.take_back(self._app.bridge, self._asker, written))
        return True

    # --- A ---

    def _settings_of_a(self, view: View) -> Settings:
        return view.pin.settings if view.pin is not None else view.saved

    def _set_a(self, view: View) -> None:
        """What the score stands against: a kept run, the pinned settings, else the file's."""
        if self.run is not None:
            key: object = self.run
            against, score, _ = self.run
        else:
            variant = _variant(self._settings_of_a(view))
            key = (variant.retrieval, variant.features, view.pin is not None)
            score_known = self._scores.get((variant.retrieval, variant.features))
            against = "A, the pinned settings" if view.pin is not None else "the file's settings"
            if score_known is None:
                if key != self._a and self._live is not None and not self._asking.running("settle"):
                    self._settle_a(self._live, variant)
                self._a = key
                self.value = replace(self.value, against=against)
                return
            score = score_known
        if key == self._a and self.value.a is score:
            return
        self._a = key
        kept = self.run[2] if self.run is not None else None
        self.value = replace(self.value, a=score, against=against, a_run=kept, tested=False)
        self._compare_soon()

    def _settle_a(self, live: Live, variant: Variant) -> None:
        from engine.evaluate.live import follows

        bridge, asker = self._app.bridge, self._asker
        if self._now is None or self._now not in self._scores:
            return  # the score of the settings in force is waited for, and brings this along
        if not follows(variant.retrieval):
            self.value = replace(self.value, a=None, flips={}, differences={}, tested=False)
            return  # only a kept run can be A then
        self._asking.begin("settle", lambda: work.settle(bridge, asker, live, [variant]))

    def _compare_soon(self) -> None:
        """Flips at once; tests once the keys pause."""
        value = self.value
        if value.a is None or value.whole is None or not value.true:
            return
        from engine.evaluate.live_score import flipped

        self.value = replace(value, flips=flipped(value.a, value.whole), tested=False)
        a, b = value.a, value.whole
        wanted = names(b.variant.retrieval.top_k)
        bridge, asker = self._app.bridge, self._asker

        def start() -> None:
            if self.value.a is a and self.value.whole is b:
                self._asking.begin("compare", lambda: work.compare(bridge, asker, a, b, wanted))

        self._app.set_timer(TEST_PAUSE, start)


def _variant(settings: Settings) -> Variant:
    from engine.evaluate.variants import in_force

    return in_force(settings)


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells a file that was changed; nothing of a folder, or of what is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if path.is_file() else None


def with_values_of(settings: Settings, retrieval: Mapping[str, object]) -> Settings:
    """The settings with other values of the retrieval, by name."""
    return replace(settings, retrieval=replace(settings.retrieval, **retrieval))  # type: ignore[arg-type]
