"""The verdict on every piece of evidence that an evaluation set names, checked by the reader's own way."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.cancel import CancelToken
from engine.explain import SpanTarget, TextTarget, Verdict
from engine.explain.grids import with_value
from engine.library import Library
from engine.settings import Retrieval, Settings
from engine.trace import as_asked
from tests.explain.random_recalls import naive_layer


@dataclass(frozen=True)
class Asked:
    """One question with one piece of evidence, as the library knows its path."""

    case: str
    query: str
    target: TextTarget | SpanTarget
    scopes: tuple[str, ...] = ()


@dataclass
class Tally:
    """What was seen: layers, layers with a change, changes that were applied, and what is wrong."""

    layers: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    applied: int = 0
    wrong: list[str] = field(default_factory=list)


def of_samples(samples: Path) -> list[Asked]:
    cases = tomllib.loads((samples / "evaluation.toml").read_text("utf-8"))["cases"]
    return [
        Asked(case["id"], case["query"], TextTarget(piece["text"]), tuple(case.get("scopes", ())))
        for case in cases
        for piece in [*case.get("evidence", []), *(p for c in case.get("claims", []) for p in c["evidence"])]
    ]


def of_pages(data: Path) -> list[Asked]:
    rows = [json.loads(line) for line in (data / "docs-eval.jsonl").read_text("utf-8").splitlines()]
    return [
        Asked(row["id"], row["query"], SpanTarget(piece["file"], piece["start"], piece["end"]))
        for row in rows
        for piece in row.get("evidences") or [row]
        if "file" in piece
    ]


async def judge(library: Library, asked: Iterable[Asked], retrieval: Retrieval) -> Tally:
    """Every verdict, with its layer and each of its changes run again, from a recall of their own."""
    tally = Tally()
    for one in asked:
        verdict = await library.why(one.query, one.target, retrieval, scopes=one.scopes)
        tally.layers[verdict.layer] += 1
        tally.changed[verdict.layer] += verdict.change is not None
        tally.pairs += verdict.change is not None and len(verdict.change.settings) == 2
        if verdict.place is None or not verdict.place.chunks:
            tally.wrong.append(f"{one.case}: {verdict.sentence}")
            continue
        recall = await library.recall(one.query, retrieval, scopes=one.scopes)
        layer = _by_hand(recall, retrieval, verdict)
        if layer != verdict.layer:
            tally.wrong.append(f"{one.case}: {verdict.layer}, by hand {layer}")
        if verdict.layer != "context" and verdict.change is None and verdict.remedy is None:
            tally.wrong.append(f"{one.case}: neither a change nor a remedy")
        for change in verdict.changes:
            trace = await library.retrieve(
                one.query, with_value(retrieval, **change.settings), scopes=one.scopes
            )
            tally.applied += 1
            if not any(
                group.path == verdict.place.path and verdict.place.text in group.text
                for group in trace.context.groups
            ):
                tally.wrong.append(f"{one.case}: {change.sentence}")
    return tally


def _by_hand(recall, retrieval: Retrieval, verdict: Verdict) -> str:  # type: ignore[no-untyped-def]
    assert verdict.place is not None
    return naive_layer(as_asked(recall, retrieval), retrieval, verdict.place)


def report(name: str, tally: Tally) -> Sequence[str]:
    """The shares, as lines."""
    total = sum(tally.layers.values())
    lines = [f"{name}: {total} pieces of evidence, {tally.applied} changes applied, {len(tally.wrong)} wrong"]
    lines += [
        f"  {layer:<14}{count:>5} {count / total:>7.1%}   with a change {tally.changed[layer]}"
        for layer, count in tally.layers.most_common()
    ]
    return [*lines, f"  by a pair {tally.pairs}"]


async def indexed(
    folder: Path, data: Path, settings: Settings, include: Sequence[str] | None = None
) -> Library:
    library = await Library.open(folder, settings=settings, data=data, include=include)
    async for _ in library.sync(cancel=CancelToken()):
        pass
    return library


def main(samples: Path, pages: Path, data: Path, settings: Settings) -> None:
    """Print the shares for both sets."""

    async def run() -> None:
        for name, folder, asked, include in (
            ("samples", samples, of_samples(samples), None),
            ("pages", pages, of_pages(pages), ("docs-en/**", "docs-zh/**")),
        ):
            library = await indexed(folder, data / name, settings, include)
            tally = await judge(library, asked, settings.retrieval)
            print("\n".join([*report(name, tally), *tally.wrong]))
            await library.close()

    asyncio.run(run())
