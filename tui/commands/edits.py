"""``rankscope edits PATH [list|history|conflicts|resolve|export|import|undo]``: what a person made of chunks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tui.commands.options import Opening, data_option, folder_argument, json_option, opening

if TYPE_CHECKING:
    from engine.edits.conflict import Conflict
    from engine.edits.face import Done
    from engine.edits.pin import Pin
    from engine.library import Library
    from engine.store.edits import Step

ACTIONS = ("list", "history", "conflicts", "resolve", "export", "import", "undo")
SIDES = ("mine", "file")
SHOWN = 60
"""Characters of a text that a row shows."""

STEP_DIGITS = 18
"""Of a number of a step, at most."""


@click.command("edits")
@folder_argument
@click.argument("action", type=click.Choice(ACTIONS), default="list", metavar="ACTION")
@click.argument("what", required=False, metavar="[WHAT]")
@click.argument("side", required=False, type=click.Choice(SIDES), metavar="[SIDE]")
@data_option
@json_option
def command(
    path: str, action: str, what: str | None, side: str | None, data: str | None, as_json: bool
) -> None:
    """List the edits of PATH's chunks, their history and conflicts; settle those, export, import or undo edits.

    ACTION is one of list, history, conflicts, resolve, export, import and undo; list if left out. `resolve EDIT mine`
    puts an edit that has lost its place on the lines that stand there now, `resolve EDIT file` drops it. `import FILE`
    takes in what `export` wrote (`-` for standard input); `undo` takes back the last step, `undo STEP` the one of that
    number.
    """
    from tui.commands.output import document, say
    from tui.commands.running import run

    opened = opening(path, data, None, ())
    wanted = _Wanted(action, _step(action, what), _given(action, what), *_settling(action, what, side))
    found = run(lambda cancel: _done(opened, wanted))
    if action == "export":
        click.echo(found, nl=False)
    elif as_json:
        document(_json(action, found))
    else:
        say(_rows(action, found))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be done: ``step`` to be undone, ``text`` to be imported, ``edit`` to be settled by a ``side``."""

    action: str
    step: int | None = None
    text: str = ""
    edit: str = ""
    side: str = ""


def _step(action: str, what: str | None) -> int | None:
    from engine.errors import UsageError

    if action != "undo" or what is None:
        return None
    if not what.isdecimal() or len(what) > STEP_DIGITS:
        raise UsageError(f"{what[:STEP_DIGITS]!r} is no step", "give the number that `edits history` shows")
    return int(what)


def _settling(action: str, what: str | None, side: str | None) -> tuple[str, str]:
    """The edit to be settled, and by which side."""
    from engine.errors import UsageError

    if action != "resolve":
        if side is not None:
            raise UsageError(f"`{action}` takes no side", "leave it out")
        return "", ""
    if what is None or side is None:
        raise UsageError(
            "name an edit and a side", "`edits conflicts` shows the edits; a side is mine or file"
        )
    return what, side


def _given(action: str, what: str | None) -> str:
    """The text to import."""
    from engine.errors import UsageError

    if action != "import":
        if what is not None and action not in ("undo", "resolve"):
            raise UsageError(f"`{action}` takes nothing more", "leave it out")
        return ""
    if what is None:
        raise UsageError("name what to import", "give a file, or - for standard input")
    try:
        raw = sys.stdin.buffer.read() if what == "-" else Path(what).read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{what} cannot be read ({error.strerror})", "give a file that can be") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not UTF-8", "give a file that `edits export` wrote") from error


async def _done(opened: Opening, wanted: _Wanted) -> Any:
    from engine.library import Library

    library = await Library.open(
        opened.root, settings=opened.resolved.settings, data=opened.data, create=False
    )
    try:
        return await _asked(library, wanted)
    finally:
        await library.close()


async def _asked(library: Library, wanted: _Wanted) -> Any:
    edits = library.edits
    match wanted.action:
        case "list":
            return await edits.pins()
        case "history":
            return await edits.history()
        case "conflicts":
            return await edits.conflicts()
        case "export":
            return await edits.export()
        case "import":
            return await edits.import_(wanted.text)
        case "resolve":
            return [await edits.resolve(wanted.edit, wanted.side)]
    return [await edits.undo(wanted.step)]


def _rows(action: str, found: Any) -> Iterator[str]:
    if action == "list":
        yield from _listed(found)
    elif action == "history":
        yield from _told(found)
    elif action == "conflicts":
        yield from _in_conflict(found)
    else:
        yield from (done.sentence for done in found)
        if not found:
            yield "nothing new: every edit was here already"


def _listed(pins: Sequence[Pin]) -> Iterator[str]:
    from tui.text import one_line

    for pin in pins:
        state = "text" if pin.text is not None and pin.state == "enabled" else pin.state
        kind = "boundary" if pin.text is None and pin.state == "enabled" else state
        yield f"{kind:<9} {one_line(pin.path)}  {_short(pin.effective)}"
    yield f"{len(pins):,} {'edit' if len(pins) == 1 else 'edits'}"


def _told(steps: Sequence[Step]) -> Iterator[str]:
    from tui.text import one_line

    for step in steps:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(step.at))
        undoes = f" of step {step.undoes}" if step.undoes is not None else ""
        yield f"{step.seq:>5}  {at}  {step.action + undoes:<17} {one_line(step.path)}"
    if not steps:
        yield "nothing was edited yet"


def _in_conflict(conflicts: Sequence[Conflict]) -> Iterator[str]:
    from tui.text import one_line

    for conflict in conflicts:
        yield f"{conflict.pin.id}  {one_line(conflict.pin.path)}"
        for name, text in (("base", conflict.base), ("mine", conflict.mine), ("file", conflict.file)):
            yield f"  {name}  {_short(text)}"
    yield f"{len(conflicts):,} {'conflict' if len(conflicts) == 1 else 'conflicts'}"


def _short(text: str) -> str:
    from tui.cells import cut
    from tui.text import one_line

    return cut(one_line(text.strip()), SHOWN) or "–"


def _json(action: str, found: Any) -> dict[str, Any]:
    from engine.edits.conflict import conflict_json
    from engine.edits.face import done_json, step_json

    match action:
        case "list":
            return {"edits": [{"id": pin.id, **pin.to_json()} for pin in found]}
        case "history":
            return {"history": [step_json(step) for step in found]}
        case "conflicts":
            return {"conflicts": [conflict_json(conflict) for conflict in found]}
    done: list[Done] = found
    return {"done": [done_json(one) for one in done]}
