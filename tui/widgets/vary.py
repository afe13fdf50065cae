"""A setting over its whole range as a chart of strips: a row for each rank, a letter where another chunk takes it.
Pure.

A letter stands where a stretch begins, so a cliff is where a letter is. The present value's column is reversed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, Span, blank, cell, ends, fit, measure
from tui.widgets.results import pane_title
from tui.widgets.tune import DECLARED, label, value_text
from tui.widgets.vary_chart import Chart, border, cells_of, column, letters, limits, value_in, values

if TYPE_CHECKING:
    from engine.explain.sensitivity import Stretch

LEAD, NUMBER = 1, 3
FILL, CLIFF = "╌", "|"


def title(chart: Chart | None, name: str, width: int, focused: bool, note: str = "") -> Line:
    """``▸VARY  vector  0.00 to 2.00   43 stretches, exact``, and the present and the file's value."""
    known = DECLARED[name]
    left: Line = (*pane_title("VARY", focused), ("  ", PLAIN), (label(name), f"{STRONG} {FOCUS}"))
    left = (*left, (f"  {known.range}", MUTED))
    if note or chart is None:
        return fit(ends(left, ((note, FOCUS),), width - 1), width)
    star = "*" if chart.present != chart.file else " "
    right: Line = (
        (f"{star}{value_text(name, chart.present)}", STRONG),
        (f"  file {value_text(name, chart.file)}", MUTED),
    )
    return fit(ends(left, right, width - 1), width)


def marks(chart: Chart, width: int) -> Line:
    """Where the present value and the file's stand above the strips: ``▾ now``, ``| file``."""
    room = strip(width)
    row = [" "] * room
    now, file = column(chart, chart.present, room), column(chart, chart.file, room)
    row[file] = CLIFF
    row[now] = "▾"
    _name(row, now, "now")
    if file != now:
        _name(row, file, "file")
    return fit((*blank(LEAD + NUMBER + 1), ("".join(row), MUTED)), width)


def _name(row: list[str], at: int, word: str) -> None:
    """Write the word of a mark to its right, else to its left, else not at all."""
    right, left = range(at + 1, at + 2 + len(word)), range(at - 1 - len(word), at)
    if right[-1] < len(row) and all(row[place] == " " for place in right):
        row[at + 1 : at + 2 + len(word)] = f" {word}"
    elif left[0] >= 0 and all(row[place] == " " for place in left):
        row[at - 1 - len(word) : at] = f"{word} "


def scale(chart: Chart, width: int) -> Line:
    """The ends of the range; for choices their names, each where its strip begins."""
    room, listed = strip(width), values(chart.name)
    if listed:
        row = ""
        for at, value in enumerate(listed):
            share = room * (at + 1) // len(listed) - room * at // len(listed)
            row += cells.fit(value_text(chart.name, value), share)
        return fit((*blank(LEAD + NUMBER + 1), (row, MUTED)), width)
    low, high = (value_text(chart.name, _as_value(chart.name, end)) for end in limits(chart))
    ruler = low + " " * max(1, room - cells.width(low) - cells.width(high)) + high
    return fit((*blank(LEAD + NUMBER + 1), (ruler, MUTED)), width)


def _as_value(name: str, number: float) -> object:
    return int(number) if DECLARED[name].kind == "integer" else number


def cliffs(chart: Chart, width: int) -> Line:
    """How many change points each cell holds: ``|`` for one, then figures, ``+`` for ten and more."""
    room = strip(width)
    counts = [0] * room
    if values(chart.name):
        shown = cells_of(chart, room)
        for at in range(1, room):
            counts[at] = int(shown[at] != shown[at - 1])
    else:
        for place in range(len(chart.stretches) - 1):
            counts[column(chart, border(chart.stretches, place), room)] += 1
    signs = "".join(" " if not n else CLIFF if n == 1 else str(n) if n < 10 else "+" for n in counts)
    return fit((*blank(LEAD + NUMBER + 1), (signs, PLAIN)), width)


def strip(width: int) -> int:
    """Cells of a strip on a page of ``width``."""
    return max(1, width - LEAD - NUMBER - 2)


def rows(chart: Chart, width: int) -> tuple[Line, ...]:
    """The strips, with the cut at the top k, then which chunk each letter is."""
    if not chart.stretches:
        return (fit(((" nothing takes part: no value of it can be served", MUTED),), width),)
    return (*_strips(chart, width), fit(EMPTY, width), *_legend(chart, width))


def _strips(chart: Chart, width: int) -> Iterator[Line]:
    room, named = strip(width), letters(chart)
    shown = cells_of(chart, room)
    now, probed = column(chart, chart.present, room), shown.index(chart.probe) if chart.probe in shown else -1
    count = max((len(stretch.ranks) for stretch in chart.stretches), default=0)
    for rank in range(count):
        if rank == chart.top_k and not chart.varied.held and chart.name != "top_k":
            told = f"{FILL * 2} top k {chart.top_k} {FILL * 2}"
            yield fit(((" " * LEAD + told, MUTED),), width)
        holders = [_at(chart.stretches[place], rank) for place in shown]
        strips = _strip(holders, named, now, probed)
        number = f"[{rank + 1}]" if chart.varied.held and rank < 9 else str(rank + 1)
        yield fit((*blank(LEAD), (cells.right(number, NUMBER) + " ", PLAIN), *strips), width)


def _at(stretch: Stretch, rank: int) -> str:
    return stretch.ranks[rank] if rank < len(stretch.ranks) else ""


def _strip(holders: Sequence[str], named: Mapping[str, str], now: int, probed: int) -> Iterator[Span]:
    before = None
    for at, holder in enumerate(holders):
        begins = holder != before
        sign = (named[holder] if begins else FILL) if holder else (figures.MISSING if begins else " ")
        style = STRONG if begins and holder else MUTED
        if at == now:
            style = "reverse"
        elif at == probed:
            style = f"{STRONG} {FOCUS}"
        yield sign, style
        before = holder


def _legend(chart: Chart, width: int) -> Iterator[Line]:
    """Each letter's chunk, with its rank now and in the stretch that is probed."""
    here, there = chart.stretches[chart.here].ranks, chart.stretches[chart.probe].ranks
    probing = chart.probe != chart.here
    word = "place" if chart.varied.held else "rank"
    titles = [cell(f"{word} now", 9, MUTED)] + ([cell("there", 6, MUTED), cell("", 4)] if probing else [])
    yield fit(
        (*blank(LEAD), (cells.right("", NUMBER), MUTED), *titles, ("  document › heading", MUTED)), width
    )
    order = {name: at for at, name in enumerate(letters(chart))}
    for name in sorted(order, key=lambda name: (_rank(there, name) or len(order), order[name])):
        chunk = chart.varied.chunks.get(name)
        if chunk is None:
            continue
        now, then = _rank(here, name), _rank(there, name)
        if not now and not then:
            continue
        numbers = [cell(str(now) if now else figures.MISSING, 9, PLAIN)]
        if probing:
            move = figures.move(now or None, then) if then else "out"
            numbers += [cell(str(then) if then else figures.MISSING, 6), cell(move, 4, PLAIN)]
        head: Line = (*blank(LEAD), (cells.right(letters(chart)[name], NUMBER), STRONG), *numbers)
        above = text.one_line(chunk.heading_path[-1]) if chunk.heading_path else ""
        span = figures.lines(chunk.line_start, chunk.line_end)
        room = width - measure(head) - 4 - cells.width(span)
        place = cells.place(text.one_line(chunk.path), above, max(6, room))
        yield fit((*head, (f"  {place}", PLAIN), (f" {span}", MUTED)), width)


def _rank(ranks: Sequence[str], name: str) -> int:
    return ranks.index(name) + 1 if name in ranks else 0


# --- in one sentence ------------------------------------------------------------------------------


def sentence(chart: Chart) -> str:
    """Where the probed stretch lies, what changes against the present one, and what ``enter`` sets."""
    if not chart.stretches:
        return ""
    name, count = chart.name, len(chart.stretches)
    words = "what the context holds" if chart.varied.held else "the ranks"
    if count == 1:
        return f"{label(name)} changes nothing over its whole range: {words} stay"
    stretch = chart.stretches[chart.probe]
    where = _where(chart, stretch)
    if chart.probe == chart.here:
        return f"{where}: {words} stay as they are; n N go to the {figures.plural(count - 1, 'change point')}"
    value = value_text(name, value_in(chart, chart.probe))
    return f"{where}: {difference(chart, chart.here, chart.probe)}; enter sets {value}"


def _where(chart: Chart, stretch: Stretch) -> str:
    low, high = _figure(chart, stretch.low), _figure(chart, stretch.high)
    return f"{label(chart.name)} {low}" if low == high else f"{label(chart.name)} {low} to {high}"


def _figure(chart: Chart, value: object) -> str:
    """A value as it is set; the place of a crossing to three decimals."""
    grid = not chart.varied.sensitivity.exact or round(float(value), 2) == value  # type: ignore[arg-type]
    return value_text(chart.name, value) if grid else f"{value:.3f}"


def difference(chart: Chart, one: int, other: int) -> str:
    """``b, c swap``; ``f enters, c leaves``; ``4 move``: by the letters of the chart."""
    named = letters(chart)
    before, after = chart.stretches[one].ranks, chart.stretches[other].ranks
    entered = [named[name] for name in after if name not in before]
    left = [named[name] for name in before if name not in after]
    moved = [named[name] for name in after if name in before and after.index(name) != before.index(name)]
    told = []
    if len(moved) == 2 and not entered and not left:
        told.append(f"{moved[0]}, {moved[1]} swap")
    elif moved:
        told.append(f"{figures.plural(len(moved), 'moves', 'move')}")
    told += [f"{', '.join(entered)} {'enters' if len(entered) == 1 else 'enter'}"] if entered else []
    told += [f"{', '.join(left)} {'leaves' if len(left) == 1 else 'leave'}"] if left else []
    return ", ".join(told) or "the same"
