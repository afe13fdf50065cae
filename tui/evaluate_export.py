"""The report of what the Evaluate screen shows, as a file: the same bytes that ``rankscope eval`` writes for these
settings. Blocking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import RankscopeError, UsageError
from tui.commands.output import encoded

if TYPE_CHECKING:
    from engine.evaluate.compare import Comparison
    from engine.evaluate.report import Report
    from tui.evaluation import Evaluation

KINDS: Mapping[str, tuple[str, str]] = {
    "json": ("JSON", "the whole report, case by case, with the comparison against A"),
    "csv": ("CSV", "a row for each case, for a spreadsheet"),
    "trec": ("TREC", "the ranking of each case, as trec_eval reads it"),
    "qrels": ("TREC judgements", "what is relevant to each case, by chunk"),
    "html": ("HTML", "a report with figures, to be read or printed"),
}
"""What can be written, by suffix: its name, and what it is."""


def written(value: Evaluation, kind: str, folder: Path) -> Path:
    """Write the report to ``rankscope-RUN.KIND`` in a folder; a run has one name, and the same bytes again.

    Raises ``UsageError`` where there is nothing to write yet, ``RankscopeError`` where it cannot be written.
    """
    report = report_of(value)
    path = folder / f"rankscope-{report.first.id}.{kind}"
    try:
        path.write_text(_TEXTS[kind](report), encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise RankscopeError(
            f"{path} cannot be written ({error.strerror})", "start in another folder"
        ) from error
    return path


def report_of(value: Evaluation) -> Report:
    """The report of the settings in force, beside A where it is known."""
    from engine.evaluate.compare import compare
    from engine.evaluate.report import Report
    from engine.evaluate.run import as_run

    loaded, whole = value.loaded, value.whole
    if loaded is None or loaded.live is None or loaded.cases is None or whole is None or not value.true:
        raise UsageError("there is no score to write yet", "wait until the figures are no longer muted")
    asking = loaded.live.asking
    runs = [as_run(asking, whole.variant, list(whole.outcomes.values()))]
    metrics = asking.plan.metrics
    comparisons: tuple[Comparison, ...] = ()
    if value.a is not None and value.a is not whole:
        named = replace(value.a.variant, name="A")
        a = value.a_run or as_run(asking, named, list(value.a.outcomes.values()))
        runs.append(a)
        comparisons = (compare(a, runs[0], metrics),)
    return Report(loaded.cases.name, tuple(runs), metrics, comparisons, loaded.problems)


def _json(report: Report) -> str:
    return encoded(report.to_json()).decode("utf-8")


def _csv(report: Report) -> str:
    from engine.evaluate.export import csv_table

    return csv_table(report.first.outcomes, report.metrics)


def _trec(report: Report) -> str:
    from engine.evaluate.export import trec_run

    return trec_run(report.first.outcomes, f"rankscope-{report.first.id}")


def _qrels(report: Report) -> str:
    from engine.evaluate.export import trec_qrels

    return trec_qrels(report.first.outcomes)


def _html(report: Report) -> str:
    from engine.evaluate.page import report_page

    return report_page(report)


_TEXTS: Mapping[str, Callable[[Report], str]] = {
    "json": _json, "csv": _csv, "trec": _trec, "qrels": _qrels, "html": _html,
}  # fmt: skip
