"""The one boundary where an exception becomes a sentence and an exit code; what nobody foresaw is logged."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import click

from engine.errors import Cancelled, RankscopeError
from tui.commands.output import drop_output, note

INTERRUPTED = 130
"""Exit code of a command that a signal ended, as shells write it for SIGINT."""

LOG_LIMIT = 1 << 20
"""Bytes at which the log begins anew."""


def guarded(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; every failure is one sentence on standard error."""
    try:
        result = command()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        note(_usage(error))
        return 2
    except click.exceptions.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, Cancelled, click.Abort):
        note("interrupted; what was finished is kept")
        return INTERRUPTED
    except RankscopeError as error:
        note(str(error))
        for line in error.details:
            note(line)
        return error.exit_code
    except BrokenPipeError:
        drop_output()  # the reader of a pipe has seen enough
        return 1
    except Exception as error:
        note(_unforeseen(error))
        return 1
    return result if isinstance(result, int) else 0


def log(error: BaseException) -> Path | None:
    """Append the traceback to the log under the user's state folder; None where that cannot be written.

    The file is the user's alone, and bounded: past its limit it begins anew, with the one before beside it.
    """
    import traceback
    from datetime import datetime

    from engine.settings.places import state_folder

    path = state_folder() / "errors.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LOG_LIMIT:
            path.replace(path.with_suffix(".log.1"))
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"--- {datetime.now(UTC).isoformat(timespec='seconds')}\n")
            file.write("".join(traceback.format_exception(error)))
    except OSError:
        return None
    return path


def _unforeseen(error: Exception) -> str:
    message = f" ({str(error)[:200]})" if str(error) else ""
    path = log(error)
    where = f"; the details are in {path}" if path else ""
    return f"something unforeseen went wrong: {type(error).__name__}{message}{where}"


def _usage(error: click.ClickException) -> str:
    """Click's message as one sentence, with where to look."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "rankscope"
    return f"{message[:1].lower()}{message[1:]}; `{path} --help` shows how"
