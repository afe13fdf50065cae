"""The figures of the loaded set as a table: baselines, A, now, the change with its interval, and the verdict. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import cells, tasks
from tui.evaluation import Evaluation, names
from tui.text import one_line
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, blank, ends, fit
from tui.widgets.scoreboard import number, signed

if TYPE_CHECKING:
    from engine.evaluate.compare import Difference
    from engine.evaluate.live_score import Score


REFUSED = "refused right"
LABEL = 16
"""Cells of a figure's name."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, its cells with the blanks before it, and from which width of the pane on it is shown."""

    name: str
    title: str
    width: int
    least: int
    left: bool = False


BASELINES = ("term-overlap", "fts5-and", "tfidf-cosine", "full text")
"""Baselines by the names that a report gives them, and the pipeline with its words alone."""
COLUMNS = (
    Column("term-overlap", "terms+h.", 9, 112),
    Column("fts5-and", "fts and", 9, 112),
    Column("tfidf-cosine", "tf-idf", 9, 112),
    Column("full text", "full text", 10, 112),
    Column("a", "A", 8, 36),
    Column("now", "now", 7, 0),
    Column("change", "change", 7, 30),
    Column("interval", "  95 % interval", 16, 80, left=True),
    Column("p", "p", 5, 72),
    Column("verdict", "  verdict", 18, 56, left=True),
)


def rows_of(value: Evaluation, top_k: int) -> tuple[str, ...]:
    """The figures in the order of the table."""
    return (*names(top_k), REFUSED)


def title(value: Evaluation, width: int, focused: bool, margin: int = 1) -> Line:
    """``METRICS  evaluation.toml v1: 40 answerable, 8 not``, and what it stands against."""
    head: Line = (
        *blank(margin),
        ("▸" if focused else " ", FOCUS),
        ("METRICS", f"{STRONG} {FOCUS}" if focused else STRONG),
        (f"  {described(value)}", PLAIN),
    )
    against: Line = ((f"live against {value.against}", MUTED),) if value.a is not None else EMPTY
    return fit(ends(head, against, width - 1), width)


def described(value: Evaluation) -> str:
    """The set in a few words."""
    loaded = value.loaded
    if loaded is None or loaded.path is None:
        return "no set"
    version = f" v{loaded.cases.version}" if loaded.cases is not None else ""
    if loaded.live is None:
        count = len(loaded.cases.cases) if loaded.cases is not None else 0
        return f"{one_line(loaded.name)}{version}: {figures.plural(count, 'case')}"
    return f"{one_line(loaded.name)}{version}: {value.answerable:,} answerable, {value.cases - value.answerable:,} not"


def state(value: Evaluation, width: int) -> Line:
    """The row above everything: what was checked, and how long the last score took."""
    loaded = value.loaded
    if value.progress is not None:
        return fit(((f" {tasks.sentence(value.progress) or 'reading the set'}", PLAIN),), width)
    if value.doing:
        return fit(((f" {value.doing}", PLAIN),), width)
    if value.wrong:
        return fit(((f" {one_line(value.wrong)}", ATTENTION),), width)
    if loaded is None or loaded.path is None:
        return fit(((" no evaluation set yet: c makes the first case", PLAIN),), width)
    if loaded.live is None:
        told = figures.plural(len(loaded.invalid), "case does", "cases do")
        text = f" {told} not fit the documents, so nothing was asked: r asks the others"
        return fit(((text, ATTENTION),), width)
    left_out = f", {len(loaded.invalid):,} left out" if loaded.invalid else ""
    split = f", {loaded.split:,} split by the present chunking" if loaded.split else ""
    told = f" {figures.plural(value.cases, 'case')} checked: every evidence found in its document{split}{left_out}"
    took = value.milliseconds
    end: Line = ((f"re-scored in {figures.milliseconds(took)}", MUTED),) if took is not None else EMPTY
    if width < 100:
        told = f" {figures.plural(value.cases, 'case')} checked{split}{left_out}"
    return fit(ends(((told, PLAIN),), end, width - 1), width)


def lines(
    value: Evaluation, top_k: int, width: int, *, cursor: int, focused: bool, margin: int = 1
) -> list[Line]:
    """The head of the table and its rows."""
    columns = [column for column in COLUMNS if width >= column.least]
    head: list[tuple[str, str]] = [(" " * (margin + 1 + LABEL), PLAIN)]
    head += [(_aligned(column.title, column), MUTED) for column in columns]
    made = [fit(tuple(head), width)]
    for place, name in enumerate(rows_of(value, top_k)):
        here = place == cursor
        mark = ("▸" if focused else " ") if here else " "
        label = "context recall" if name == "context_recall" else name
        row: list[tuple[str, str]] = [
            (" " * margin, PLAIN), (mark, FOCUS), (cells.fit(label, LABEL), STRONG if here and focused else PLAIN),
        ]  # fmt: skip
        row += [_cell(value, name, column) for column in columns]
        made.append(fit(tuple(row), width))
    return made


def _aligned(text: str, column: Column) -> str:
    return cells.fit(text, column.width, "left" if column.left else "right")


def _cell(value: Evaluation, name: str, column: Column) -> tuple[str, str]:
    text, style = _of(value, name, column.name)
    return _aligned(text, column), style


def _of(value: Evaluation, name: str, column: str) -> tuple[str, str]:
    if name == REFUSED:
        return _refusals(value, column)
    if column in BASELINES:
        return _baseline(value, column, lambda score: number(score.mean(name)))
    now, true = value.value(name)
    style = PLAIN if true else MUTED
    if column == "a":
        return number(value.before(name)), PLAIN
    if column == "now":
        return number(now), f"{STRONG} {style}".strip() if true else style
    if column == "change":
        return signed(value.change(name)), style
    found = value.differences.get(name)
    tested = PLAIN if value.tested and true else MUTED
    if found is None:
        return (figures.MISSING if column == "p" else ""), MUTED
    return _tested(found, column), tested


def _tested(found: Difference, column: str) -> str:
    if column == "interval":
        return f"  {signed(found.test.low)} to {signed(found.test.high)}" if found.test.difference else "  ="
    if column == "p":
        return f"{found.corrected:.2f}".removeprefix("0")
    return f"  {verdict(found)}"


def verdict(found: Difference) -> str:
    """Better, worse, or noise with how many more cases would tell."""
    if found.verdict != "noise":
        return found.verdict
    more = found.test.more
    if not more:
        return "noise" if more == 0 else "the same"
    return f"noise: +{more:,} q." if more < 100_000 else f"noise: +{more // 1000:,}k q."


def _refusals(value: Evaluation, column: str) -> tuple[str, str]:
    if column in BASELINES:
        return _baseline(value, column, _share)
    style = PLAIN if value.ranked else MUTED
    if column == "a":
        return (_share(value.a) if value.a is not None else figures.MISSING), PLAIN
    if column == "now":
        return (_share(value.now) if value.now is not None else figures.MISSING), style
    if column == "change" and value.a is not None and value.now is not None:
        moved = value.now.refused_rightly[0] - value.a.refused_rightly[0]
        return (figures.SAME if not moved else f"{'+' if moved > 0 else '−'}{abs(moved)}"), style
    if column == "verdict" and value.now is not None:
        count = value.now.refused_rightly[1]
        return (f"  {figures.plural(count, 'case')}" if count else "  no such case"), MUTED
    return "", PLAIN


def _share(score: Score) -> str:
    found, of = score.refused_rightly
    if not of:
        return figures.MISSING
    return f"{found} of {of}" if of < 10 else f"{found}/{of}"


def _baseline(value: Evaluation, name: str, told: Callable[[Score], str]) -> tuple[str, str]:
    score = next((score for known, score in value.baselines if known == name), None)
    return (figures.MISSING, MUTED) if score is None else (told(score), PLAIN)


def sentence(value: Evaluation, top_k: int, cursor: int) -> str:
    """What the figure under the cursor says, with its verdict in words."""
    from engine.evaluate.compare import sentence as compared

    name = rows_of(value, top_k)[min(cursor, len(rows_of(value, top_k)) - 1)]
    what = _MEANING.get(name.partition("@")[0], "")
    found = value.differences.get(name)
    if found is None or not value.tested:
        return what
    told = compared(found, "A", "now")
    return f"{told} · {what}" if what else told


_MEANING = {
    "recall": "the share of what is relevant that stands among the first",
    "mrr": "1 over the rank of the first relevant result, on the average",
    "ndcg": "gains of the relevant results, discounted by rank, over the best there could be",
    "context_recall": "the share of claims whose evidence is whole in the packed context",
    REFUSED: "questions without an answer that the score margin or the gate refused",
}
