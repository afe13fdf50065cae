"""The cases of the loaded set as rows: flips first, each with its rank in A and now, whether its evidence is in the
context, and where it was lost. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import cells
from tui.evaluation import Evaluation
from tui.text import one_line
from tui.widgets import figures, scoreboard
from tui.widgets.line import ATTENTION, FOCUS, MUTED, PLAIN, STRONG, Line, blank, ends, fit

if TYPE_CHECKING:
    from engine.evaluate.outcome import Outcome
    from engine.evaluate.sets import Case

RANKS, CONTEXT, LOST = 18, 14, 32
"""Cells of the three ranks, of the context, and of where a case was lost."""

LEAST = 0.0005
"""A part of a move below which it would read .000."""

ID = 10
"""Cells of an id at most."""


@dataclass(frozen=True, slots=True)
class Row:
    """A case as the list shows it. Ranks are None where nothing relevant was ranked; ``before`` and ``after`` say
    where it ended in A and now: a layer, ``context``, or whether it was refused.

    ``true`` says whether ``after`` is of the settings in force, ``known`` whether A's side is known at all. ``part`` is
    there where some of several claims are in the context: ``1/2``.
    """

    case_id: str
    query: str
    answerable: bool
    a: int | None
    now: int | None
    before: str
    after: str
    flipped: bool
    gained: bool
    ranked: bool
    true: bool
    known: bool
    part: str = ""


def ordered(value: Evaluation) -> tuple[Case, ...]:
    """Every case: those gained, those lost, then all others, each in the order of the set."""
    loaded = value.loaded
    if loaded is None or loaded.live is None:
        return ()
    cases = [judged.case for judged in loaded.live.cases]
    if not value.flips:
        return tuple(cases)
    places = {name: 0 if flip.gained else 1 for name, flip in value.flips.items()}
    return tuple(sorted(cases, key=lambda case: places.get(case.id, 2)))


def row_of(value: Evaluation, case: Case) -> Row:
    """One case as the list shows it."""
    case_id = case.id
    flip = value.flips.get(case_id)
    now = value.now.standings.get(case_id) if value.now is not None else None
    a = value.a.standings.get(case_id) if value.a is not None else None
    outcome = value.whole.outcomes.get(case_id) if value.whole is not None else None
    return Row(
        case_id=case_id,
        query=case.query,
        answerable=case.answerable,
        a=a.rank if a is not None else None,
        now=now.rank if now is not None else None,
        before=_ended(value.a.outcomes.get(case_id) if value.a is not None else None),
        after=_ended(outcome),
        flipped=flip is not None,
        gained=flip is not None and flip.gained,
        ranked=value.ranked,
        true=value.true,
        known=a is not None,
        part=_part(outcome),
    )


def _part(outcome: Outcome | None) -> str:
    claims = outcome.claims if outcome is not None else ()
    held = sum(claim.in_context for claim in claims)
    return f"{held}/{len(claims)}" if 0 < held < len(claims) else ""


def _ended(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    if not outcome.answerable:
        return "refused" if outcome.refused else "answered"
    return outcome.layer or ""


def title(value: Evaluation, count: int, width: int, focused: bool, margin: int = 1) -> Line:
    head: Line = (
        *blank(margin),
        ("▸" if focused else " ", FOCUS),
        ("CASES", f"{STRONG} {FOCUS}" if focused else STRONG),
        ("  flips first", MUTED),
    )
    return fit(ends(head, ((flips(value, count), PLAIN if value.true else MUTED),), width - 1), width)


def flips(value: Evaluation, count: int) -> str:
    """``3 flips of 48``."""
    return f"{figures.plural(len(value.flips), 'flip')} of {count:,}" if count else ""


@dataclass(frozen=True, slots=True)
class Columns:
    """Cells of each part; 0 where there is no room for it."""

    margin: int
    id: int
    query: int
    ranks: int
    context: int
    lost: int


def id_cells(listed: Sequence[Case]) -> int:
    """Cells that the ids take, at most ``ID``."""
    return min(ID, max((cells.width(one_line(case.id)) for case in listed), default=3))


def choose(ids: int, width: int, margin: int = 1) -> Columns:
    """The columns that fit: what was lost goes first, then the context, then all ranks but the present one."""
    name = ids + 2
    rest = width - margin - 1 - name
    lost = LOST if rest >= 34 + RANKS + CONTEXT + LOST else 18 if rest >= 26 + RANKS + CONTEXT + 18 else 0
    context = CONTEXT if rest - lost >= 16 + RANKS + CONTEXT else 0
    ranks = RANKS if rest - lost - context >= 14 + RANKS else 6
    return Columns(margin, name, max(4, rest - lost - context - ranks - 5), ranks, context, lost)


def head(columns: Columns, width: int) -> Line:
    parts: list[tuple[str, str]] = [
        (" " * (columns.margin + 1), PLAIN), (cells.fit("id", columns.id), MUTED),
        (cells.fit("query", columns.query), MUTED), (" ans.", MUTED),
    ]  # fmt: skip
    ranks = "     A   now  vs A" if columns.ranks == RANKS else "   now"
    parts.append((ranks, MUTED))
    if columns.context:
        parts.append((cells.fit("   context", columns.context), MUTED))
    if columns.lost:
        parts.append(("lost at; smallest change" if columns.lost == LOST else "lost at", MUTED))
    return fit(tuple(parts), width)


def line(row: Row, columns: Columns, width: int, *, mark: str, focused: bool, change: str = "") -> Line:
    """One case; ``change`` is the smallest change that brings it in, where it is known."""
    rank = PLAIN if row.ranked else MUTED
    true = PLAIN if row.true else MUTED
    parts: list[tuple[str, str]] = [
        (" " * columns.margin, PLAIN),
        (mark, FOCUS),
        (cells.fit(one_line(row.case_id), columns.id - 1) + " ", STRONG if focused else PLAIN),
        (cells.fit(one_line(row.query), columns.query), STRONG if focused else PLAIN),
        (f" {'yes' if row.answerable else 'no':<4}", PLAIN if row.answerable else MUTED),
    ]
    if columns.ranks == RANKS:
        parts.append((_right(_rank(row.a), 6), MUTED))
    parts.append((_right(_rank(row.now), 6), rank))
    if columns.ranks == RANKS:
        moved = _moved(row)
        parts.append((_right(moved, 6), f"{STRONG} {rank}".strip() if moved not in ("=", "") else rank))
    if columns.context:
        strong = row.flipped and row.true
        parts.append((cells.fit(f"   {_context(row)}", columns.context), STRONG if strong else true))
    if columns.lost:
        lost = _lost(row)
        told = f"{lost}: {change}" if lost and change else lost
        parts.append((cells.fit(told, columns.lost), ATTENTION if row.flipped and not row.gained else true))
    return fit(tuple(parts), width)


def _right(text: str, width: int) -> str:
    return cells.fit(text, width, "right")


def _rank(rank: int | None) -> str:
    return figures.MISSING if rank is None else str(rank)


def _moved(row: Row) -> str:
    if not row.known or row.a == row.now:
        return figures.SAME if row.known else ""
    if row.now is None:
        return "lost"
    return figures.move(row.a, row.now)


def _context(row: Row) -> str:
    """``out > in``, ``in``; for a question without an answer whether it was refused."""
    before, after = _stand(row.before), _stand(row.after)
    if not after:
        return ""
    return f"{before} > {after}" if row.flipped and before and before != after else row.part or after


def _stand(ended: str) -> str:
    short = {"": "", "context": "in", "refused": "ref.", "answered": "ans."}
    return short.get(ended, "out")


def _lost(row: Row) -> str:
    return LAYERS.get(row.after, row.after) if row.after not in ("", "context", "refused", "answered") else ""


LAYERS = {
    "not_in_corpus": "not in the corpus", "source_changed": "source changed", "parse_failed": "parsing",
    "out_of_scope": "out of scope", "not_recalled": "not recalled", "split": "split", "disabled": "disabled",
    "duplicate": "duplicate", "fusion": "fusion", "rerank": "rerank", "gate": "gate", "quota": "quota",
    "budget": "budget",
}  # fmt: skip
"""Where a case was lost, in words."""


PARTS = 3
"""Parts of a move that are told, the largest first."""


def moved_by(parts: Sequence[tuple[str, float]]) -> str:
    """``vector +.121, cjk −.034``; empty where no part changed by enough to be told."""
    told = [(name, part) for name, part in parts if abs(part) >= LEAST][:PARTS]
    return ", ".join(f"{name.replace('_', ' ')} {scoreboard.signed(part)}" for name, part in told)


def sentence(row: Row, change: str = "", moved: str = "") -> str:
    """What became of one case, in words: now, in A, what moved it, and what would bring it in."""
    name = one_line(row.case_id)
    if not row.after:
        return f"{name}: its context is being worked out"
    now = _words(row.after, row.now)
    if row.part:
        held, of = row.part.split("/")
        now = f"{held} of {of} claims in, the others {now}"
    if row.flipped and row.before:
        told = f"{name}: {now} now; in A it was {_words(row.before, row.a)}"
    else:
        told = f"{name}: {now}{', as in A' if row.known and row.before == row.after else ''}"
    return _joined(_joined(told, f"moved by {moved}" if moved else ""), change)


def _joined(text: str, change: str) -> str:
    return f"{text} · {change}" if change else text


def _words(ended: str, rank: int | None) -> str:
    if ended == "context":
        return f"in the context{f' ({figures.ordinal(rank)})' if rank else ''}"
    if ended in ("refused", "answered"):
        return f"{ended}, though it has no answer" if ended == "answered" else "refused, rightly"
    at = f" ({figures.ordinal(rank)})" if rank else ""
    return f"lost at {LAYERS.get(ended, ended)}{at}"


def splits(value: Evaluation) -> dict[str, str]:
    """Which chunks share the evidence of a case that a boundary cuts, by its id: ``chunks 3 and 4``."""
    cases = () if value.loaded is None or value.loaded.live is None else value.loaded.live.cases
    found: dict[str, str] = {}
    for judged in cases:
        cut = next((place for claim in judged.claims for place in claim.places if place.split), None)
        if cut is not None and all(claim.unreachable == "split" for claim in judged.claims):
            ordinals = [str(chunk.ordinal) for chunk in cut.chunks]
            found[judged.case.id] = f"chunks {ordinals[0]} and {ordinals[-1]}"
    return found


def problems(told: Sequence[str], width: int, margin: int = 1) -> list[Line]:
    """What does not fit, a row each."""
    return [fit((*blank(margin + 1), (one_line(each), ATTENTION)), width) for each in told]
