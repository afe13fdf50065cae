"""``rankscope index PATH``: bring the index up to date, with progress on standard error."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from tui.commands.options import (
    Opening,
    data_option,
    folder_argument,
    include_option,
    is_terminal,
    json_option,
    mode_option,
    opening,
    settings_options,
    with_mode,
)

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.errors import SourceError
    from engine.library import Status
    from engine.model import Skipped, SyncReport

LISTED = 20
"""Files left out that are named one by one; ``--json`` names all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What ``index`` did, and what serves now. ``seconds`` is the whole sync, embedding included."""

    root: str
    report: SyncReport
    status: Status
    seconds: float


@click.command("index")
@folder_argument
@data_option
@include_option
@mode_option
@settings_options
@click.option(
    "--rebuild", is_flag=True, help="Build the whole index anew, and switch to it when it is whole."
)
@click.option("--no-wait", is_flag=True, help="Do not wait for embeddings; the text channels serve at once.")
@json_option
def command(
    path: str,
    data: str | None,
    include: tuple[str, ...],
    mode: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    rebuild: bool,
    no_wait: bool,
    as_json: bool,
) -> int:
    """Bring the index of the folder PATH up to date.

    Exits with 1 where a file or a folder could not be read; what was indexed of it still serves.
    """
    from tui.commands.output import document, note, say
    from tui.commands.running import run

    opened = opening(path, data, settings_file, with_mode(assignments, mode))
    outcome = run(lambda cancel: indexed(opened, include, rebuild, not no_wait, cancel))
    if not outcome.status.documents:
        raise _no_document(outcome.root, outcome.report.skipped, include)
    for message in keep_chunking(opened, outcome.status):
        note(message)
    if as_json:
        document(to_json(outcome))
    else:
        say(lines(outcome))
    return 1 if outcome.report.failed else 0


async def indexed(
    opened: Opening, include: tuple[str, ...], rebuild: bool, embed: bool, cancel: CancelToken
) -> Outcome:
    """Sync the library to the end, showing progress where standard error is a terminal.

    Raises ``SourceError`` for a folder that has neither an index nor a file for one.
    """
    from engine.library import Library
    from engine.model import OWNER
    from tui.commands.output import ProgressLine

    line = ProgressLine(shown=is_terminal(2))
    began = time.perf_counter()
    await asyncio.to_thread(_refuse_empty, opened, include, cancel)
    library = await Library.open(
        opened.root, settings=opened.resolved.settings, data=opened.data, include=include or None
    )
    try:
        async for progress in library.sync(rebuild=rebuild, embed=embed, cancel=cancel):
            line.show(progress)
        status = await library.status(scopes=(OWNER,))
        return Outcome(str(opened.root), library.report, status, time.perf_counter() - began)
    finally:
        line.clear()
        await library.close()


def to_json(outcome: Outcome) -> dict[str, object]:
    status = outcome.status
    return {
        "library": outcome.root,
        "duration_ms": outcome.seconds * 1000,
        "corpus_version": status.state.corpus_version,
        "index_state": asdict(status.state),
        "documents": status.documents,
        "chunks": status.chunks,
        "vectors": {
            "embedder": status.embedder,
            "note": status.embedder_note,
            "ready": status.vectors_ready,
            "waiting": status.vectors_waiting,
        },
        "chunking": asdict(status.chunking),
        "chunking_pending": asdict(status.chunking_pending) if status.chunking_pending else None,
        "report": asdict(outcome.report),
    }


def lines(outcome: Outcome) -> list[str]:
    """A few rows: what serves, what changed, what was left out and why."""
    from tui.commands.output import counted

    report, status = outcome.report, outcome.status
    vectors = f"vectors {status.vectors_ready:,} of {status.chunks:,}, {status.embedder}"
    note = f" ({status.embedder_note})" if status.embedder_note else ""
    found = [
        f"{counted(status.documents, 'document')}, {counted(status.chunks, 'chunk')}, {vectors}{note}"
        f"  {outcome.seconds:.1f} s",
        "  ".join(
            f"{getattr(report, name):,} {name}"
            for name in ("added", "changed", "renamed", "deleted", "unchanged")
        ),
    ]
    if status.vectors_waiting:
        found.append(
            f"{counted(status.vectors_waiting, 'vector')} waiting: the text channels already find them"
        )
    if report.embedding_failed:
        found.append(f"not embedded: {report.embedding_failed}")
    found += _listed("not read", report.skipped)
    found += _listed("failed", report.failed)
    if report.doubtful:
        found.append(f"{counted(len(report.doubtful), 'document')} of doubtful encoding")
        found += [f"  {path}  {encoding}" for path, encoding in report.doubtful[:LISTED]]
    return found


def _listed(what: str, files: tuple[Skipped, ...]) -> list[str]:
    if not files:
        return []
    more = [f"  and {len(files) - LISTED:,} more"] if len(files) > LISTED else []
    return [f"{len(files):,} {what}", *(f"  {each.path}  {each.reason}" for each in files[:LISTED]), *more]


def _refuse_empty(opened: Opening, include: tuple[str, ...], cancel: CancelToken) -> None:
    """A folder without any file to index is left as it is: no index is made in it."""
    from engine.ingest.discover import discover
    from engine.store.places import locate

    if locate(opened.root, opened.data).exists():
        return
    listing = discover(opened.root, include=include, cancel=cancel)
    if not listing.files and not listing.unreadable:
        raise _no_document(str(opened.root), listing.skipped, include)


def _no_document(root: str, skipped: tuple[Skipped, ...], include: tuple[str, ...]) -> SourceError:
    from engine.errors import SourceError
    from engine.settings.fields import quoted

    why = f"nothing in it matches {quoted(' '.join(include))}" if include else "it is empty"
    if skipped:
        first = f"{quoted(skipped[0].path)}, {skipped[0].reason}"
        why = first if len(skipped) == 1 else f"{len(skipped):,} files were left out, the first {first}"
    return SourceError(f"{root} holds no document that can be read", why)


def keep_chunking(opened: Opening, status: Status) -> list[str]:
    """Chunking belongs to the library: what the command line asked for and now serves is kept in its
    settings.

    Otherwise the next command, without the option, would find another chunking and call it a pending change.
    """
    from engine.settings import save_changes, value_of
    from engine.settings.fields import fields_of

    if status.chunking_pending:
        return ["the chunking of the settings differs from the index's: `--rebuild` applies it"]
    resolved = opened.resolved
    asked = {
        field.key: value_of(resolved.settings, field)
        for field in fields_of("chunking")
        if resolved.origins[field.key].layer == "command line"
    }
    if not asked:
        return []
    return [f"saved for this library: {change}" for change in save_changes(resolved.of_library(), asked)]
