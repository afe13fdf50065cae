"""``rankscope experiment FILE --output F``: a pinned comparison, the same bytes on every run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.commands.options import json_option

if TYPE_CHECKING:
    from engine.evaluate.experiment import Result


@click.command("experiment")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--output", metavar="F", type=click.Path(), help="Write the result to F, as canonical JSON.")
@click.option("--html", metavar="F", type=click.Path(), help="Write a report with figures to F.")
@json_option
def command(file: str, output: str | None, html: str | None, as_json: bool) -> None:
    """Run the experiment of FILE on the documents of the commit that it pins.

    They are read from the repository that FILE lies in, not from the files beside it. Every label is checked first;
    the first thing that does not hold stops it.
    """
    from engine.evaluate.experiment import read_experiment, run
    from engine.evaluate.experiment.page import experiment_page
    from tui.commands.eval import refuse_folders
    from tui.commands.output import say
    from tui.commands.output import written as write
    from tui.commands.running import run as running

    refuse_folders(output, html)
    experiment = read_experiment(Path(file))
    result = running(lambda cancel: asyncio.to_thread(run, experiment, cancel=cancel))
    write(output, lambda: result.canonical())
    write(html, lambda: experiment_page(result))
    if as_json:
        from tui.commands.output import document

        document(result.to_json())
    else:
        say(lines(result))


def lines(result: Result) -> Iterator[str]:
    """A row a configuration, then what each later one is worth against the first, then query by query."""
    experiment = result.experiment
    k = experiment.top_k
    yield (
        f"{experiment.name}  {len(experiment.documents):,} documents of {experiment.commit[:12]},"
        f" {len(experiment.queries):,} queries"
    )
    from tui.cells import fit, width

    room = max(13, *(width(each.configuration.name) for each in result.outcomes)) + 2
    yield f"{fit('configuration', room)}{'chunks':>8}{'hit@1':>8}{f'hit@{k}':>8}{'mrr':>10}"
    for each in result.outcomes:
        name = fit(each.configuration.name, room)
        yield f"{name}{each.chunks:>8,}{each.hit(1):>8.3f}{each.hit(k):>8.3f}{each.mrr:>10.6f}"
    first = result.outcomes[0].configuration.name
    for each, test in zip(result.outcomes[1:], result.tests, strict=True):
        yield (
            f"{each.configuration.name} against {first}: MRR {test.difference:+.6f} ({test.low:+.3f} to"
            f" {test.high:+.3f}), p {test.p:.3f}; {test.wins} better, {test.losses} worse, {test.ties} the same:"
            f" {test.verdict()}"
        )
    for at, query in enumerate(experiment.queries):
        ranks = "  ".join(
            f"{each.configuration.name} {each.queries[at].rank or '–'}" for each in result.outcomes
        )
        yield f"  {query.id}  {ranks}  {query.text}"
