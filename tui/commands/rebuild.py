"""``rankscope rebuild PATH``: build an index anew beside the one that serves; look at the difference; let it serve."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from tui.commands.options import (
    Opening,
    data_option,
    folder_argument,
    is_terminal,
    json_option,
    mode_option,
    opening,
    settings_options,
    with_mode,
)

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.evaluate.difference import Difference
    from engine.library import Library
    from engine.model import Progress
    from tui.commands.index import Outcome

LISTED = 20
"""Cases and pieces of evidence that are named one by one; ``--json`` names all."""


@dataclass(frozen=True, slots=True)
class Held:
    """A rebuild that lies aside, whole or not, and what would change if it served."""

    outcome: Outcome | None
    difference: Difference


@click.command("rebuild")
@folder_argument
@mode_option
@click.option("--hold", is_flag=True, help="Leave it aside when it is whole, and show what would change.")
@click.option("--resume", is_flag=True, help="Finish what lies aside, as it was begun, and let it serve.")
@click.option("--difference", is_flag=True, help="Show what would change if what lies aside served.")
@click.option(
    "--take-over", is_flag=True, help="Let serve what is finished aside, file by file; drop the rest."
)
@click.option("--drop", is_flag=True, help="Give up what lies aside.")
@click.option("--no-wait", is_flag=True, help="Do not wait for embeddings; the text channels serve at once.")
@data_option
@settings_options
@json_option
def command(
    path: str,
    mode: str | None,
    hold: bool,
    resume: bool,
    difference: bool,
    take_over: bool,
    drop: bool,
    no_wait: bool,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> None:
    """Build the index of the folder PATH anew, with the chunking and embedder of the settings.

    Until it is whole, and where it fails, the old one serves; it is kept for a rollback.
    """
    from engine.errors import UsageError
    from tui.commands.index import keep_chunking, lines, to_json
    from tui.commands.output import document, note, say
    from tui.commands.running import run
    from tui.commands.working import worked

    chosen = [
        name
        for name, given in (
            ("--hold", hold), ("--resume", resume), ("--difference", difference),
            ("--take-over", take_over), ("--drop", drop),
        )
        if given
    ]  # fmt: skip
    if len(chosen) > 1:
        raise UsageError(f"{chosen[0]} and {chosen[1]} cannot both be asked for", "choose one")
    opened, embed = opening(path, data, settings_file, with_mode(assignments, mode)), not no_wait
    if drop:
        name = run(lambda _: _dropped(opened))
        if as_json:
            document({"dropped": name})
        else:
            say([f"dropped {name}; what serves stays as it is"])
        return
    if hold or difference:
        held = run(lambda cancel: _held(opened, hold, embed, cancel))
        if as_json:
            document(difference_json(held.difference))
        else:
            say(difference_lines(held.difference))
        return

    def task(library: Library, cancel: CancelToken) -> AsyncGenerator[Progress, None]:
        if resume:
            return library.upkeep.resume(embed=embed, cancel=cancel)
        if take_over:
            return library.upkeep.take_over(embed=embed, cancel=cancel)
        return library.upkeep.rebuild(embed=embed, cancel=cancel)

    outcome = run(lambda cancel: worked(opened, lambda library: task(library, cancel)))
    if not chosen:
        for message in keep_chunking(opened, outcome.status):
            note(message)
    if as_json:
        document(to_json(outcome))
    else:
        say(lines(outcome))


async def _dropped(opened: Opening) -> str:
    from tui.commands.working import opened as library_of

    library = await library_of(opened)
    try:
        return await library.upkeep.drop()
    finally:
        await library.close()


async def _held(opened: Opening, build: bool, embed: bool, cancel: CancelToken) -> Held:
    from engine.evaluate.beside import plan_beside
    from engine.evaluate.difference import Difference, difference
    from engine.model import OWNER
    from tui.commands.output import ProgressLine
    from tui.commands.working import done
    from tui.commands.working import opened as library_of

    library = await library_of(opened)
    line = ProgressLine(shown=is_terminal(2))
    try:
        outcome = None
        if build:
            outcome = await done(
                library, opened, lambda held: held.upkeep.rebuild(embed=embed, hold=True, cancel=cancel)
            )
        plan = await library.threaded(lambda: plan_beside(library, library.settings, scopes=(OWNER,)), cancel)
        async for step in difference(library, plan, scopes=(OWNER,), cancel=cancel):
            if isinstance(step, Difference):
                return Held(outcome, step)
            line.show(step)
        raise AssertionError("a comparison ends with the difference")
    finally:
        line.clear()
        await library.close()


def difference_json(found: Difference) -> dict[str, object]:
    def side(which: str) -> dict[str, object]:
        each = getattr(found, which)
        return {
            "chunks": each.chunks, "median": each.median, "smallest": each.smallest, "largest": each.largest,
            "cut_sentences": each.sentences, "cut_tables": each.tables, "cut_fences": each.fences,
            "evidence": {"whole": each.whole, "split": each.split, "lost": each.lost},
        }  # fmt: skip

    return {
        "generation": found.generation,
        "documents": {"now": found.documents[0], "then": found.documents[1]},
        "chunking": {"now": asdict(found.chunking[0]), "then": asdict(found.chunking[1])},
        "now": side("now"),
        "then": side("then"),
        "kept": found.kept,
        "moved": [
            {
                "case_id": each.piece.case_id, "file": each.path, "line_start": each.line_start,
                "line_end": each.line_end, "now": each.before, "then": each.after,
            }
            for each in found.moved
        ],
        "cases": found.cases,
        "metrics": {name: {"now": now, "then": then} for name, (now, then) in found.metrics.items()},
        "flips": [asdict(flip) for flip in found.flips],
    }  # fmt: skip


def difference_lines(found: Difference) -> Iterator[str]:
    """Two columns, now and then; then what moves, one by one."""
    from tui.widgets import figures

    now, then = found.now, found.then
    cuts = f"{figures.cut(found.chunking[0])} serves, {figures.cut(found.chunking[1])} lies aside"
    yield f"aside: {found.generation}; {cuts}"
    yield f"{'':<20}{'now':>9}{'then':>9}"
    rows = [("documents", *found.documents), ("chunks", now.chunks, then.chunks)]
    rows += [(name, getattr(now, name), getattr(then, name)) for name in ("median", "smallest", "largest")]
    rows += [("cut sentences", now.sentences, then.sentences), ("cut tables", now.tables, then.tables)]
    rows += [("cut fences", now.fences, then.fences)]
    if now.whole + now.split + now.lost + then.whole + then.split + then.lost:
        rows += [
            (f"evidence {name}", getattr(now, name), getattr(then, name))
            for name in ("whole", "split", "lost")
        ]
    for name, before, after in rows:
        yield f"{name:<20}{before:>9,}{after:>9,}"
    for metric, (was, will) in found.metrics.items():
        yield f"{metric:<20}{was:>9.3f}{will:>9.3f}{_change(will - was):>9}"
    yield f"{found.kept:,} chunks are the same in both"
    for each in found.moved[:LISTED]:
        where = f"{each.path} L{each.line_start}–{each.line_end}"
        yield f"  {each.piece.case_id}  {where}  {each.before} > {each.after}"
    if len(found.moved) > LISTED:
        yield f"  and {len(found.moved) - LISTED:,} more pieces of evidence that stand otherwise"
    if found.cases:
        gained = sum(flip.gained for flip in found.flips)
        yield f"of {found.cases:,} cases {gained:,} gained, {len(found.flips) - gained:,} lost"
    for flip in found.flips[:LISTED]:
        yield f"  {flip.case_id}  {flip.before} > {flip.after}  {flip.query}"
    if len(found.flips) > LISTED:
        yield f"  and {len(found.flips) - LISTED:,} more cases that flip"
    yield "`rankscope rebuild --resume` lets it serve, `--drop` gives it up"


def _change(by: float) -> str:
    return "=" if round(by, 3) == 0 else f"{'+' if by > 0 else '−'}{abs(by):.3f}"
