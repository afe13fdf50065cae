"""The report of an evaluation as one JSON document, and what is said of refusals. Pure; no times in it.

Two runs of the same thing give the same bytes. The first run is the one reported; others are set beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

from engine.evaluate.compare import Comparison
from engine.evaluate.figures import Figures, figures, grouped, values
from engine.evaluate.outcome import Outcome
from engine.evaluate.refusal import Choice, Curve, Matrix, Verdict, choose, curve, matrix
from engine.evaluate.run import Run

CURVE_POINTS = 101
"""Points of a threshold curve that the document holds, evenly taken; both ends among them."""

ATTEMPTS = ("minimum_relevance", "score_margin")
"""The gates whose threshold is looked for, by what they test: the first relevance, and its lead."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a face shows of an evaluation. ``problems`` say which cases were left out, and why."""

    name: str
    runs: tuple[Run, ...]
    metrics: tuple[str, ...]
    comparisons: tuple[Comparison, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def first(self) -> Run:
        return self.runs[0]

    def to_json(self) -> dict[str, Any]:
        """The document of ``eval --json``; its keys stand in this order."""
        first = self.first
        return {
            "set": self.name,
            "run": first.id,
            "manifest": first.manifest,
            **_measured(first, self.metrics),
            "degraded": degradations(first.outcomes),
            "answerability": answerability(first.outcomes),
            "baselines": {
                run.variant.baseline: _beside(run, self.metrics) for run in self.runs if run.variant.baseline
            },
            "variants": {
                run.variant.name: {"run": run.id, "manifest": run.manifest, **_beside(run, self.metrics)}
                for run in self.runs[1:]
                if not run.variant.baseline
            },
            "comparisons": [each.to_json() for each in self.comparisons],
            "problems": list(self.problems),
            "cases": [_case(each, self.metrics) for each in first.outcomes],
        }


def _measured(run: Run, metrics: Sequence[str]) -> dict[str, Any]:
    """The figures of all cases, and of those of each kind and language."""
    found = figures(run.outcomes, metrics)
    return {
        "metrics": dict(found.means),
        "counts": _counts(found),
        "by_kind": _groups(run, metrics, "kind"),
        "by_lang": _groups(run, metrics, "lang"),
    }


def _beside(run: Run, metrics: Sequence[str]) -> dict[str, Any]:
    """The same of a run that is set beside the first: its means come first, by name."""
    found = _measured(run, metrics)
    return {**found.pop("metrics"), **found}


def _groups(run: Run, metrics: Sequence[str], name: str) -> dict[str, Any]:
    groups = grouped(run.outcomes, metrics, attrgetter(name))
    return {key: {**found.means, "counts": _counts(found)} for key, found in groups.items()}


def _counts(found: Figures) -> dict[str, Any]:
    return {
        "cases": found.cases,
        "scorable": found.scorable,
        "not_scorable": found.cases - found.scorable,
        "in_context": found.in_context,
        "refused": found.refused,
        "lost": dict(found.layers),
        "preferences": list(found.preferences),
    }


def _case(outcome: Outcome, metrics: Sequence[str]) -> dict[str, Any]:
    """``results`` are the first ten items with their true scores; those of the exported run are made up."""
    return {
        "case_id": outcome.case_id,
        "query": outcome.query,
        "lang": outcome.lang,
        "kind": outcome.kind,
        "answerable": outcome.answerable,
        "rank": outcome.rank,
        "in_context": outcome.in_context,
        "layer": outcome.layer,
        "refused": outcome.refused,
        "confidence": outcome.confidence,
        "lead": outcome.lead,
        "metrics": values(outcome, metrics),
        "claims": [{**asdict(claim), "in_context": claim.in_context} for claim in outcome.claims],
        "results": [
            {"id": item, "relevance": score, "grade": outcome.grades.get(item)}
            for item, score in zip(outcome.ranked[:10], outcome.scores[:10], strict=True)
        ],
        "degraded": list(outcome.degraded),
    }


def degradations(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """In how many cases each degradation was met, the most frequent first."""
    counts: dict[str, int] = {}
    for outcome in outcomes:
        for code in outcome.degraded:
            counts[code] = counts.get(code, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


# --- refusals -----------------------------------------------------------------------------------------------


def verdicts(outcomes: Sequence[Outcome], gate: str = "minimum_relevance") -> list[Verdict]:
    """What became of each question, with what ``gate`` tests as its confidence. A lone document leads by as
    much as there is."""

    def confidence(outcome: Outcome) -> float | None:
        if gate == "minimum_relevance" or outcome.confidence is None:
            return outcome.confidence
        return 1.0 if outcome.lead is None else outcome.lead

    return [Verdict(each.case_id, each.answerable, not each.refused, confidence(each)) for each in outcomes]


def choices(outcomes: Sequence[Outcome]) -> dict[str, Choice]:
    """The best threshold of each gate, chosen on one half and reported on the other; none where a half lacks
    answerable or unanswerable questions."""
    found = {gate: choose(verdicts(outcomes, gate)) for gate in ATTEMPTS}
    return {gate: choice for gate, choice in found.items() if choice is not None}


def answerability(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The matrix under the settings as they are, and for each gate what its best threshold does to questions
    that did not choose it."""
    chosen = choices(outcomes)
    return {
        "matrix": _matrix(matrix(verdicts(outcomes))),
        "thresholds": {
            gate: {
                "sentence": choice.sentence,
                "chosen": choice.minimum,
                "on_the_choosing_half": _matrix(choice.chosen_on),
                "on_the_held_out_half": _matrix(choice.reported_on),
                "auc": [choice.held_out.auc, choice.held_out.low, choice.held_out.high],
                "curve": _points(curve(verdicts(outcomes, gate))),
            }
            for gate, choice in chosen.items()
        },
    }


def _matrix(found: Matrix) -> dict[str, Any]:
    return {
        **asdict(found),
        "false_accept": found.false_accept,
        "over_refusal": found.over_refusal,
        "balanced_accuracy": found.balanced_accuracy,
    }


def _points(found: Curve | None) -> list[dict[str, float | None]]:
    points = found.points if found else ()
    step = max(1, (len(points) - 1) / (CURVE_POINTS - 1)) if len(points) > 1 else 1
    places = sorted({round(place * step) for place in range(CURVE_POINTS) if place * step < len(points)})
    return [
        {
            "minimum": points[place].minimum,
            "false_accept": points[place].matrix.false_accept,
            "over_refusal": points[place].matrix.over_refusal,
        }
        for place in places
    ]
