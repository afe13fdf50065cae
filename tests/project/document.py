"""Writes what is generated: the tables of README.md, and settings.toml with every field explained.

Run by ``make docs``; a test fails where the files differ from what this writes.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from engine.settings.document import example, markdown
from engine.settings.toml import read_table, values
from tui.actions import table
from tui.commands import COMMANDS, rankscope
from tui.registry import ACTIONS, SCOPES

ROOT = Path(__file__).resolve().parents[2]


def commands() -> str:
    """Every command with its arguments and options, and its one line of help."""
    rows = ["| command | does |", "| --- | --- |"]
    context = click.Context(rankscope, info_name="rankscope")
    for name, help_line in COMMANDS.items():
        command = rankscope.get_command(context, name)
        assert command is not None
        usage = "rankscope PATH" if name == "open" else f"rankscope {name}"
        parts = [usage, *(_written(each) for each in command.params if _written(each) not in usage.split())]
        rows.append(f"| `{' '.join(parts)}` | {help_line} |".replace("|\\|", "|"))
    return "\n".join(rows) + "\n"


def _written(parameter: click.Parameter) -> str:
    """``PATH``; ``[--mode fixed, structure or parent-child]`` with choices as ``a\\|b``, for a table."""
    if isinstance(parameter, click.Argument):
        return str(parameter.metavar or parameter.human_readable_name)
    assert isinstance(parameter, click.Option)
    name = parameter.opts[-1]
    if parameter.is_flag:
        return f"[{name}]"
    choices = getattr(parameter.type, "choices", None)
    value = "\\|".join(choices) if choices else parameter.metavar
    return f"[{name} {value}{' …' if parameter.multiple else ''}]"


def readme(text: str) -> str:
    """The README with every generated block anew."""
    for name, block in {
        "commands": commands(),
        "keys": table(ACTIONS, SCOPES),
        "settings": markdown(),
    }.items():
        pattern = rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)"
        text, count = re.subn(
            pattern, lambda found, block=block: found[1] + block + found[2], text, flags=re.DOTALL
        )
        assert count == 1, f"README.md has {count} blocks {name}"
    return text


def settings_file(text: str) -> str:
    """The settings file with its values, and every field explained."""
    return example(values(read_table(text, "settings.toml"), text, "settings.toml"))


def main() -> None:
    for name, written in (("README.md", readme), ("settings.toml", settings_file)):
        path = ROOT / name
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
