"""The settings as documentation: a table for the README, and a settings file with every field explained.
Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from engine.settings.fields import SECTIONS, Field, fields_of, shown

_TITLES = {
    "": "General",
    "retrieval": "One query, from recall to the context; turned live",
    "chunking": "How documents are cut; a change waits for a rebuild",
    "embedding": "Where vectors come from",
    "rerank_endpoint": 'The server that rerank = "learned" asks',
    "features": "Weights of the local rerank",
    "interface": "The screen",
}

_EXAMPLES: dict[str, object] = {
    "scopes": (("hr/**", ("hr",)), ("board/**", ("board", "hr"))),
    "interface.keymap": (("results.next", "j,down"),),
}
"""What stands for a table of the user's own keys, whose default is empty."""


def markdown() -> str:
    """Every visible field as Markdown tables, one a section."""
    blocks = []
    for section in ("", *SECTIONS):
        rows = [
            f"| `{field.name}` | {_range(field)} | {_default(field)} | {field.help} |"
            for field in _visible(section)
        ]
        head = f"**`[{section}]`** {_TITLES[section]}" if section else f"**{_TITLES[section]}**"
        blocks.append(
            "\n".join([head, "", "| setting | range | default | |", "| --- | --- | --- | --- |", *rows])
        )
    return "\n\n".join(blocks) + "\n"


def example(found: Mapping[str, object]) -> str:
    """A settings file that explains every visible field: those ``found`` (by full key) set, the others
    as comments.
    """
    blocks = []
    for section in ("", *SECTIONS):
        plain = [field for field in _visible(section) if field.kind != "mapping"]
        lines = [f"# {_TITLES[section]}."]
        lines += [f"[{section}]"] if section else []
        lines += [line for field in plain for line in _lines(field, found)]
        lines += [
            line
            for field in _visible(section)
            if field.kind == "mapping"
            for line in _own_table(field, found)
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _visible(section: str) -> list[Field]:
    return [field for field in fields_of(section) if not field.hidden]


def _lines(field: Field, found: Mapping[str, object]) -> list[str]:
    """What the field does, in which range; then the field, as a comment where it is not set."""
    mark = "" if field.key in found else "# "
    said = field.help.rstrip(".")
    if field.minimum != field.maximum or field.choices or field.kind == "boolean":
        said += f" ({field.range}{f' {field.unit}' if field.unit else ''})"
    return [f"# {said}.", f"{mark}{_statement(field, found.get(field.key, field.default))}"]


def _own_table(field: Field, found: Mapping[str, object]) -> list[str]:
    mark = "" if field.key in found else "# "
    value = found.get(field.key, _EXAMPLES[field.key])
    assert isinstance(value, tuple)
    entries = [
        f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(entry, ensure_ascii=False)}"
        for name, entry in value
    ]
    return ["", f"# {field.help}", *(f"{mark}{line}" for line in (f"[{field.key}]", *entries))]


def _statement(field: Field, value: object) -> str:
    import tomli_w

    return tomli_w.dumps({field.name: value}).rstrip()


def _range(field: Field) -> str:
    words = ", ".join(f"`{choice}`" for choice in field.choices)
    return words or f"{field.range} {field.unit}".rstrip()


def _default(field: Field) -> str:
    text = shown(field, field.default)
    return f"`{text}`" if field.kind in ("choice", "boolean") else text
