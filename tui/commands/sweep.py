"""``rankscope sweep PATH SET --vary …``: one set under many settings, and what the best of them is worth."""

from __future__ import annotations

import os
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
    from engine.evaluate.sets import EvaluationSet
    from engine.evaluate.sweep import Axis, Search, Swept

PLAIN_COLUMNS = 120
"""Width of a table that goes to no terminal."""


@click.command("sweep")
@folder_argument
@click.argument("set_path", metavar="SET", type=click.Path())
@click.option(
    "--vary",
    "varied",
    metavar="FIELD=A,B,C",
    multiple=True,
    required=True,
    help="Vary a setting: values with commas between, or low..high:step. May be repeated.",
)
@click.option(
    "--random", "drawn", metavar="N", type=click.IntRange(min=1), help="Try N combinations, drawn at random."
)
@click.option("--seed", metavar="S", type=int, default=0, help="What --random draws by; 0 by default.")
@click.option("--descent", is_flag=True, help="Turn one setting after the other, from those in force.")
@click.option("--by", metavar="METRIC", default="", help="Maximise this figure.")
@click.option("--svg", metavar="FILE", type=click.Path(), help="Draw the curve or the heat map into FILE.")
@data_option
@include_option
@settings_options
@scope_option
@selection_options
@json_option
def command(
    path: str,
    set_path: str,
    varied: tuple[str, ...],
    drawn: int | None,
    seed: int,
    descent: bool,
    by: str,
    svg: str | None,
    data: str | None,
    include: tuple[str, ...],
    settings_file: str | None,
    assignments: tuple[str, ...],
    scopes: tuple[str, ...],
    langs: tuple[str, ...],
    kinds: tuple[str, ...],
    skip_invalid: bool,
    as_json: bool,
) -> None:
    """Ask the library of the folder PATH the questions of SET under many settings.

    One half of the cases chooses the best, the other says what it is worth. Chunkings are built aside and never
    serve. What is finished is kept: cut short, it goes on; repeated, it gives the same bytes.
    """
    from engine.errors import UsageError
    from engine.evaluate.formats import read_set
    from engine.evaluate.sweep import Descent, Grid, Random, axis_of
    from engine.evaluate.sweep.chart import chart
    from tui.commands.eval import refuse_folders, selected
    from tui.commands.output import document, say, written
    from tui.commands.running import run
    from tui.commands.sweep_rows import rows

    if drawn is not None and descent:
        raise UsageError("--random and --descent cannot both be asked for", "choose one")
    search: Search = Descent() if descent else Random(drawn, seed) if drawn is not None else Grid()
    axes = tuple(axis_of(each) for each in varied)
    opened = opening(path, data, settings_file, assignments)
    refuse_folders(svg)
    cases = selected(read_set(Path(set_path)), langs, kinds)
    request = _Request(cases, axes, search, by, scope_names(scopes), langs, kinds, skip_invalid, include)
    found = run(lambda cancel: request.swept(opened, cancel))
    written(svg, lambda: chart(found))
    if as_json:
        document(found.to_json())
    else:
        say(rows(found, _columns()))


class _Request:
    """What is to be swept, and how the library is made ready for it."""

    def __init__(
        self,
        cases: EvaluationSet,
        axes: tuple[Axis, ...],
        search: Search,
        by: str,
        scopes: tuple[str, ...],
        langs: tuple[str, ...],
        kinds: tuple[str, ...],
        skip_invalid: bool,
        include: tuple[str, ...],
    ) -> None:
        self.cases, self.axes, self.search, self.by = cases, axes, search, by
        self.scopes, self.skip_invalid, self.include = scopes, skip_invalid, include
        self.selection = {"lang": langs, "kind": kinds}

    async def swept(self, opened: Opening, cancel: CancelToken) -> Swept:
        """Index what is not indexed yet, fit the set, and sweep."""
        import asyncio

        from engine.evaluate.fit import fitted
        from engine.evaluate.sweep import Request, Swept, sweep
        from engine.library import Library
        from tui.commands.eval import indexed
        from tui.commands.output import ProgressLine, note

        line = ProgressLine(shown=is_terminal(2))
        library = await Library.open(
            opened.root,
            settings=opened.resolved.settings,
            data=opened.data,
            include=self.include or None,
        )
        try:
            await indexed(library, line, cancel, again=bool(self.include))
            fit = await asyncio.to_thread(fitted, library, self.cases, skip_invalid=self.skip_invalid)
            for problem in fit.problems:
                note(f"left out: {problem}")
            request = Request(
                fit.cases,
                self.axes,
                self.search,
                self.by,
                scopes=self.scopes,
                selection=self.selection,
                skipped=fit.invalid,
            )
            async for step in sweep(library, request, cancel=cancel):
                if isinstance(step, Swept):
                    return step
                line.show(step)
            raise AssertionError("a sweep ends with what came out")
        finally:
            line.clear()
            await library.close()


def _columns() -> int:
    if not is_terminal(1):
        return PLAIN_COLUMNS
    return max(40, os.get_terminal_size(1).columns or PLAIN_COLUMNS)
