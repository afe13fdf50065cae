"""``rankscope eval PATH SET``: how well the library answers a set of questions, beside other settings and baselines."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.commands.options import (
    Opening,
    data_option,
    folder_argument,
    include_option,
    is_terminal,
    json_option,
    opening,
    scope_names,
    scope_option,
    selection_options,
    settings_options,
)

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.evaluate.report import Report
    from engine.evaluate.run import Run, Variant
    from engine.evaluate.sets import EvaluationSet
    from engine.library import Library
    from tui.commands.output import ProgressLine

PLAIN_COLUMNS = 120
"""Width of a table that goes to no terminal."""

_RUN = re.compile(r"[0-9a-f]{6,16}\Z")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run: a set, and everything that is set beside the settings in force."""

    cases: EvaluationSet
    variants: tuple[Variant, ...]
    compared: str
    metrics: tuple[str, ...]
    scopes: tuple[str, ...]
    langs: tuple[str, ...]
    kinds: tuple[str, ...]
    skip_invalid: bool
    include: tuple[str, ...]


@click.command("eval")
@folder_argument
@click.argument("set_path", metavar="SET", type=click.Path())
@click.argument("settings", metavar="[SETTINGS …]", nargs=-1)
@data_option
@include_option
@settings_options
@scope_option
@selection_options
@click.option("--channels", is_flag=True, help="Also each channel alone.")
@click.option("--baselines", is_flag=True, help="Also the baselines.")
@click.option(
    "--compare",
    "compared",
    metavar="SETTINGS",
    help="Compare case by case: a settings file, field=value, or a run.",
)
@click.option(
    "--metric", "metrics", metavar="NAME", multiple=True, help="Report this instead; may be repeated."
)
@click.option("--trec", metavar="FILE", type=click.Path(), help="Write the run to FILE as TREC has it.")
@click.option("--qrels", metavar="FILE", type=click.Path(), help="Write the judgements of that run to FILE.")
@click.option(
    "--csv", "csv_path", metavar="FILE", type=click.Path(), help="Write a row for each case to FILE."
)
@click.option("--html", metavar="FILE", type=click.Path(), help="Write a report with figures to FILE.")
@json_option
def command(
    path: str,
    set_path: str,
    settings: tuple[str, ...],
    data: str | None,
    include: tuple[str, ...],
    settings_file: str | None,
    assignments: tuple[str, ...],
    scopes: tuple[str, ...],
    langs: tuple[str, ...],
    kinds: tuple[str, ...],
    skip_invalid: bool,
    channels: bool,
    baselines: bool,
    compared: str | None,
    metrics: tuple[str, ...],
    trec: str | None,
    qrels: str | None,
    csv_path: str | None,
    html: str | None,
    as_json: bool,
) -> None:
    """Ask the library of the folder PATH the questions of SET, and judge what comes.

    SETTINGS are set beside the settings in force: each a settings file, or field=value,field=value.
    """
    from engine.evaluate.formats import read_set
    from engine.evaluate.page import report_page
    from engine.evaluate.run import METRICS
    from tui.commands.eval_rows import rows
    from tui.commands.output import document, note, say, written
    from tui.commands.running import run

    opened = opening(path, data, settings_file, assignments)
    request = Request(
        cases=read_set(Path(set_path)),
        variants=_variants(opened, settings, channels, baselines),
        compared=compared or "",
        metrics=_checked_metrics(metrics) or METRICS,
        scopes=scope_names(scopes),
        langs=langs,
        kinds=kinds,
        skip_invalid=skip_invalid,
        include=include,
    )
    refuse_folders(trec, qrels, csv_path, html)
    report = run(lambda cancel: evaluated(opened, request, cancel))
    for problem in report.problems:
        note(f"left out: {problem}")
    _export(report, trec, qrels, csv_path)
    written(html, lambda: report_page(report))
    if as_json:
        document(report.to_json())
    else:
        say(rows(report, _columns()))


# --- what is asked for --------------------------------------------------------------------------------------


def _variants(
    opened: Opening, given: tuple[str, ...], channels: bool, baselines: bool
) -> tuple[Variant, ...]:
    from engine.evaluate import variants

    settings = opened.resolved.settings
    return (
        variants.in_force(settings),
        *(variants.variant(settings, each) for each in given),
        *(variants.channels_alone(settings) if channels else ()),
        *(variants.baselines(settings) if baselines else ()),
    )


def _checked_metrics(names: tuple[str, ...]) -> tuple[str, ...]:
    from engine.evaluate.metrics import metric

    return tuple(dict.fromkeys(metric(name).name for name in names))


def selected(every: EvaluationSet, langs: tuple[str, ...], kinds: tuple[str, ...]) -> EvaluationSet:
    """The cases of the languages and kinds asked for. Raises ``UsageError`` where there are none."""
    from engine.errors import UsageError
    from engine.settings.fields import quoted

    cases = every.only(lang=langs, kind=kinds)
    if not cases.cases:
        known = {
            "languages": sorted({case.lang for case in every.cases if case.lang}),
            "kinds": sorted({case.kind for case in every.cases if case.kind}),
        }
        told = "; ".join(
            f"its {what} are {', '.join(map(quoted, names))}" for what, names in known.items() if names
        )
        raise UsageError("no case of the set is of that language and kind", told or "it names none")
    return cases


# --- the work -----------------------------------------------------------------------------------------------


async def evaluated(opened: Opening, request: Request, cancel: CancelToken) -> Report:
    """Index what is not indexed yet, run every variant, and compare."""
    from engine.library import Library
    from tui.commands.output import ProgressLine

    line = ProgressLine(shown=is_terminal(2))
    cases = selected(request.cases, request.langs, request.kinds)
    settings = opened.resolved.settings
    library = await Library.open(
        opened.root, settings=settings, data=opened.data, include=request.include or None
    )
    try:
        await indexed(library, line, cancel, again=bool(request.include))
        rest = await _without(library, cases)
        if rest is None:
            return await _reported(library, request, cases, line, cancel)
        async with await Library.open(rest, settings=settings) as copy:
            await indexed(copy, line, cancel)
            return await _reported(copy, request, cases, line, cancel)
    finally:
        line.clear()
        await library.close()


async def _without(library: Library, cases: EvaluationSet) -> Path | None:
    """Where the library's corpus lies without what the set wants absent; None where nothing is to be taken away."""
    import asyncio

    from engine.evaluate.fit import without_absent

    return await asyncio.to_thread(without_absent, library, cases) if cases.absent else None


async def indexed(library: Library, line: ProgressLine, cancel: CancelToken, *, again: bool = False) -> None:
    """Index a library that was never indexed, and embed what still waits; others are asked as they are."""
    from engine.errors import SourceError
    from engine.model import OWNER

    status = await library.status(scopes=(OWNER,))
    if again or not status.documents:
        async for progress in library.sync(cancel=cancel):
            line.show(progress)
        status = await library.status(scopes=(OWNER,))
    elif status.vectors_waiting and library.writable:
        async for progress in library.embed(cancel=cancel):
            line.show(progress)
    if not status.documents:
        raise SourceError(f"{library.root} holds no document that can be read", "check the path")


async def _reported(
    library: Library, request: Request, cases: EvaluationSet, line: ProgressLine, cancel: CancelToken
) -> Report:
    """Fit the set to the library, run it, compare."""
    import asyncio

    from engine.evaluate.compare import compare
    from engine.evaluate.fit import fitted
    from engine.evaluate.report import Report
    from engine.evaluate.run import Evaluation, Plan
    from engine.evaluate.variants import variant

    fit = await asyncio.to_thread(fitted, library, cases, skip_invalid=request.skip_invalid)
    stored = _stored(library, request)
    added = () if stored or not request.compared else (variant(library.settings, request.compared),)
    plan = Plan(
        fit.cases,
        (*request.variants, *added),
        request.metrics,
        request.scopes,
        {"lang": request.langs, "kind": request.kinds},
        fit.invalid,
    )
    evaluation = Evaluation(library, plan)
    async for progress in evaluation.run(cancel=cancel):
        line.show(progress)
    runs = evaluation.runs
    pairs = [(stored, runs[0])] if stored else [(runs[0], runs[-1])] if added else []
    comparisons = [await asyncio.to_thread(compare, one, other, request.metrics) for one, other in pairs]
    return Report(
        fit.cases.name, runs, request.metrics, tuple(comparisons), tuple(str(each) for each in fit.problems)
    )


def _stored(library: Library, request: Request) -> Run | None:
    """The kept run that ``--compare`` names by its id; None where it names settings."""
    from engine.evaluate.run import kept_run

    if not _RUN.match(request.compared) or Path(request.compared).exists():
        return None
    return kept_run(library, request.compared)


# --- files and rows -----------------------------------------------------------------------------------------


def refuse_folders(*paths: str | None) -> None:
    """Before an hour of work, not after it."""
    from engine.errors import UsageError

    for path in filter(None, paths):
        if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
            raise UsageError(f"{path} cannot be written", "give a file in a folder that exists")


def _export(report: Report, trec: str | None, qrels: str | None, csv_path: str | None) -> None:
    from engine.evaluate.export import csv_table, trec_qrels, trec_run
    from tui.commands.output import written

    outcomes = report.first.outcomes
    written(trec, lambda: trec_run(outcomes, f"rankscope-{report.first.id}"))
    written(qrels, lambda: trec_qrels(outcomes))
    written(csv_path, lambda: csv_table(outcomes, report.metrics))


def _columns() -> int:
    if not is_terminal(1):
        return PLAIN_COLUMNS
    return max(40, os.get_terminal_size(1).columns or PLAIN_COLUMNS)
