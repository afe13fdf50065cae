"""``rankscope verify PATH [--repair]``: what is wrong with an index, and making anew what is derived."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import click

from tui.commands.options import (
    Opening,
    data_option,
    folder_argument,
    is_terminal,
    json_option,
    opening,
    settings_options,
)

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.library import Library
    from engine.verify import Finding, Verified
    from tui.commands.output import ProgressLine

LISTED = 20
"""Findings of one kind that are named one by one; ``--json`` names up to a thousand."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was mended, a sentence each, and what was found, or is left. ``seconds`` is all of it."""

    root: str
    mended: tuple[str, ...]
    verified: Verified
    seconds: float


@click.command("verify")
@folder_argument
@click.option("--repair", is_flag=True, help="Make anew what is derived; say what is left.")
@data_option
@settings_options
@json_option
def command(
    path: str,
    repair: bool,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Compare the index of the folder PATH with itself and with the files. Exits with 1 where anything is wrong."""
    from tui.commands.output import document, say
    from tui.commands.running import run

    opened = opening(path, data, settings_file, assignments)
    outcome = run(lambda cancel: (_repaired if repair else _verified)(opened, cancel))
    if as_json:
        document(to_json(outcome))
    else:
        say(lines(outcome))
    return 0 if outcome.verified.clean else 1


async def _verified(opened: Opening, cancel: CancelToken) -> Outcome:
    """Look without opening the library: what is to be looked at may be what keeps it from opening."""
    from engine.store.lease import Lease
    from engine.store.places import locate
    from engine.verify import Subject, Verified, verify
    from tui.commands.output import ProgressLine

    places = locate(opened.root, opened.data)
    subject = Subject(opened.root, places, opened.resolved.settings, writer=Lease(places.lease).taken())
    line, began = ProgressLine(shown=is_terminal(2)), time.perf_counter()

    def looking() -> Verified:
        for step in verify(subject, cancel=cancel):
            if isinstance(step, Verified):
                return step
            line.show(step)
        raise AssertionError("a verification ends with what it found")

    try:
        found = await asyncio.to_thread(looking)
    finally:
        line.clear()
    return Outcome(str(opened.root), (), found, time.perf_counter() - began)


async def _repaired(opened: Opening, cancel: CancelToken) -> Outcome:
    from engine.errors import LibraryError
    from engine.library import Library
    from tui.commands.output import ProgressLine, note

    line, began = ProgressLine(shown=is_terminal(2)), time.perf_counter()
    try:
        library = await Library.open(
            opened.root, settings=opened.resolved.settings, data=opened.data, create=False
        )
    except LibraryError as error:
        note(f"nothing was mended: {error}")
        return await _verified(opened, cancel)
    try:
        mended, found = await _mending(library, line, cancel)
    finally:
        line.clear()
        await library.close()
    return Outcome(str(opened.root), mended, found, time.perf_counter() - began)


async def _mending(
    library: Library, line: ProgressLine, cancel: CancelToken
) -> tuple[tuple[str, ...], Verified]:
    from contextlib import aclosing

    from engine.verify import Verified
    from engine.verify.repair import Mended

    mended: list[str] = []
    found: Verified | None = None
    async with aclosing(library.verification.repair(cancel=cancel)) as steps:
        async for step in steps:
            if isinstance(step, Mended):
                mended.append(step.sentence)
            elif isinstance(step, Verified):
                found = step
            else:
                line.show(step)
    assert found is not None
    return tuple(mended), found


def to_json(outcome: Outcome) -> dict[str, object]:
    found = outcome.verified
    return {
        "library": outcome.root,
        "duration_ms": outcome.seconds * 1000,
        "clean": found.clean,
        "documents": found.documents,
        "chunks": found.chunks,
        "vectors": found.vectors,
        "files": found.files,
        "mended": list(outcome.mended),
        "findings": [finding.to_json() for finding in found.findings],
    }


def lines(outcome: Outcome) -> list[str]:
    """What was mended, what was looked at, and every kind of finding with its remedy."""
    from tui.commands.output import counted

    found = outcome.verified
    looked = ", ".join(
        counted(number, thing)
        for number, thing in (
            (found.documents, "document"),
            (found.chunks, "chunk"),
            (found.vectors, "vector"),
            (found.files, "file"),
        )
    )
    return [
        *(f"mended: {sentence}" for sentence in outcome.mended),
        f"{looked}: {_verdict(found)}  {outcome.seconds:.1f} s",
        *_listed(found.findings),
    ]


def _verdict(found: Verified) -> str:
    from tui.commands.output import counted

    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for finding in found.findings:
        counts[finding.severity] += 1
    told = ", ".join(counted(number, name) for name, number in counts.items() if number)
    return f"clean ({told})" if found.clean and told else told or "clean"


def _listed(findings: Sequence[Finding]) -> Iterator[str]:
    for (severity, code), group in groupby(findings, key=lambda finding: (finding.severity, finding.code)):
        alike = [*group]
        for finding in alike[:LISTED]:
            yield f"{severity:<8}{finding}"
        if len(alike) > LISTED:
            yield f"{'':<8}and {len(alike) - LISTED:,} more of the kind {code}"
        for remedy in dict.fromkeys(finding.how for finding in alike):
            yield f"{'':<8}→ {remedy}"
