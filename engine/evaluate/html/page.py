"""The page of a report and its parts, as text. Everything that comes from documents and sets is escaped. Pure; the same
input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

STYLE = """
:root{color-scheme:light dark;--ink:#1b1d21;--muted:#63676f;--line:#d9dce1;--back:#fff;--mark:#1f6f8b;--warn:#a85b00;
--soft:#eef3f5}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--muted:#9aa0a9;--line:#363a41;--back:#15171b;--mark:#6fc3df;
--warn:#f0b35f;--soft:#1f2429}}
body{margin:2rem auto;max-width:64rem;padding:0 1.25rem;background:var(--back);color:var(--ink);
font:15px/1.5 system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.25rem 0}.m{color:var(--muted)}
table{border-collapse:collapse;margin:.5rem 0;width:100%}
th,td{padding:.2rem .6rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--muted);font-weight:500}.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tr.r td{background:var(--soft);font-weight:600}tr.b td{border-top:2px dashed var(--muted)}
.w{color:var(--warn)}svg{max-width:100%;height:auto;display:block;margin:.5rem 0}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .t{fill:var(--muted)}svg .l{stroke:var(--line);fill:none}
svg .v{fill:var(--mark)}svg .o{stroke:var(--mark);stroke-width:2;fill:none}svg .i{stroke:var(--ink);stroke-width:1.5}
svg .x{fill:var(--warn)}svg .z{stroke:var(--warn);stroke-width:2;fill:none}
@media print{body{margin:0;max-width:none;color:#000;background:#fff}h2{break-after:avoid}tr,svg{break-inside:avoid}}
"""


class Cell(NamedTuple):
    """A cell: its text, and whether it is a number, which is set to the right."""

    text: str
    number: bool = False
    warns: bool = False


class Table(NamedTuple):
    """Heads and rows. ``marked`` are the rows that matter most, ``below`` those that begin what lies beyond a cut."""

    heads: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    marked: frozenset[int] = frozenset()
    below: frozenset[int] = frozenset()


def cell(value: object, *, warns: bool = False) -> Cell:
    """A value as tables have it: figures with three decimals, counts with separators, nothing as a dash."""
    if value is None:
        return Cell("–", number=True)
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, int):
        return Cell(f"{value:,}", number=True, warns=warns)
    if isinstance(value, float):
        return Cell(f"{value:.3f}".replace("-", "−"), number=True, warns=warns)
    return Cell(str(value), warns=warns)


def table(of: Table) -> str:
    """A table as HTML."""
    heads = "".join(f"<th{_kind(each)}>{_safe(each.text)}</th>" for each in of.heads)
    rows = []
    for number, row in enumerate(of.rows):
        kind = " ".join(name for name, held in (("r", of.marked), ("b", of.below)) if number in held)
        cells = "".join(f"<td{_kind(each)}>{_safe(each.text)}</td>" for each in row)
        rows.append(f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _kind(of: Cell) -> str:
    names = " ".join(name for name, held in (("n", of.number), ("w", of.warns)) if held)
    return f' class="{names}"' if names else ""


def paragraph(text: str, *, muted: bool = False) -> str:
    """A paragraph of plain text."""
    return f'<p class="m">{_safe(text)}</p>' if muted else f"<p>{_safe(text)}</p>"


def section(title: str, *parts: str, level: int = 2) -> str:
    """A heading with what stands below it."""
    return f"<section><h{level}>{_safe(title)}</h{level}>{''.join(parts)}</section>"


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_safe(title)}</title><style>{STYLE}</style></head>\n<body><h1>{_safe(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _safe(text: str) -> str:
    """Escaped, and without the characters that reorder or hide a line."""
    shown = "".join(
        character if character.isprintable() or character == "\n" else "\ufffd" for character in text
    )
    return escape(shown)
