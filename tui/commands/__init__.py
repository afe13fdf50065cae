"""The command line: a thin skin over the engine, one module a command, each imported only when it is called.

Results go to standard output, progress and messages to standard error. Exit codes: 0 done, 1 the work failed,
2 wrong use, 130 interrupted. Nothing here imports the toolkit or the engine's heavy parts at module level, so
that ``rankscope --version`` stays near the cost of starting Python.
"""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

import click

from engine import __version__

COMMANDS: dict[str, str] = {
    "open": "Open the workbench on a folder; the same as `rankscope PATH`.",
    "index": "Bring the index up to date with the folder.",
    "sync": "Bring an index that is there up to date, once or as long as files change.",
    "rebuild": "Build the index anew aside, show the difference, and let it serve when it is whole.",
    "rollback": "Let the index serve again that served before the last rebuild.",
    "tasks": "List syncs, rebuilds and other tasks, running and past, with their failures.",
    "search": "Ask one question: ranks by channel, what degraded, the context a model would get.",
    "why": "Say why a chunk or a text is not in the context, and the smallest change that brings it in.",
    "eval": "Judge the library by a set of questions, beside other settings and baselines.",
    "sweep": "Judge the library under many settings, and say what the best of them is worth.",
    "experiment": "Run a pinned comparison of cuts and methods, the same bytes on every run.",
    "edits": "List, export, import and undo what was edited of the chunks.",
    "chunks": "Show where a file is cut under any settings, without an index.",
    "health": "List the chunks that are likely to serve badly, by cause.",
    "verify": "Compare the index with itself and with the files; mend what is derived.",
    "settings": "Show every setting in force and where it comes from.",
}
"""Every command with its one line of help; the module of the same name holds it as ``command``."""


class Commands(click.Group):
    """Finds commands by name and imports them late; any other first word is the folder to open."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"tui.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*COMMANDS, "--version", "--help", "-h"}:
            self._refuse_misspelt(args[0])
            args = ["open", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table: the help of all would otherwise import all.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    @staticmethod
    def _refuse_misspelt(word: str) -> None:
        """A word that is no folder but nearly a command was meant as the command."""
        near = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.7)
        if near and not Path(word).exists():
            raise click.UsageError(f"there is no command or folder {word}: did you mean {near[0]}?")


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="A terminal workbench for retrieval. `rankscope PATH` opens it on a folder of documents.",
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="rankscope")
def rankscope() -> None:
    """The group itself does nothing; its commands do."""
