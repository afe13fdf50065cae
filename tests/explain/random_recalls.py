"""Random small libraries as frozen recalls, with targets and settings; and the reader's own way to a verdict,
stage after stage, that the fast one is held against.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from engine.explain import Place
from engine.model import CHANNELS, ChannelRecall, Chunk, Context, IndexState, QueryTerm, Recall
from engine.rank import pack, rank
from engine.rank.terms import required_units
from engine.settings import Retrieval

SOURCES = {
    name: "".join(
        f"{name} {number}: 任务失败后最多重试 {number} 次，then replayed by hand.\n" for number in range(size)
    )
    for name, size in (("a.md", 40), ("b.md", 12), ("c.md", 90))
}
QUERY = "任务失败 retry 重试 3 次"
TERMS = tuple(
    QueryTerm(channel, term, QUERY.index(term), QUERY.index(term) + len(term), frequency, idf)
    for channel, term, frequency, idf in (
        ("cjk", "任务", 9, 1.5), ("cjk", "失败", 3, 2.5), ("fulltext", "retry", 1, 3.5), ("cjk", "重试", 2, 3.0),
    )
)  # fmt: skip
STATE = IndexState("c" * 64, "a", "e", "v", "g", documents=3, chunks=40)


@dataclass(frozen=True)
class World:
    """A recall, settings, and a target of it."""

    recall: Recall
    retrieval: Retrieval
    place: Place


def cut(path: str, size: int, overlap: int) -> list[Chunk]:
    """A source in windows, each a child of one of two parents."""
    source, chunks = SOURCES[path], []
    for ordinal, start in enumerate(range(0, len(source), size - overlap), 1):
        end = min(len(source), start + size)
        chunks.append(
            Chunk(
                f"{path}-{ordinal}", path, path, "", "r", ordinal, "standalone", (path,), start, end,
                source[:start].count("\n") + 1, source[: end - 1].count("\n") + 1, source[start:end],
                f"{path}-p" if path == "b.md" else None,
            )
        )  # fmt: skip
    return chunks


PARENT = replace(cut("b.md", len(SOURCES["b.md"]), 0)[0], chunk_id="b.md-p", role="parent", parent=None)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    sizes = draw(st.sampled_from([(150, 0), (150, 30), (400, 40), (900, 0)]))
    chunks = sorted(
        (chunk for path in SOURCES for chunk in cut(path, *sizes)),
        key=lambda c: (c.path, c.ordinal, c.chunk_id),
    )
    found = recalled(draw, chunks)
    path = draw(st.sampled_from(sorted(SOURCES)))
    if draw(st.booleans()):
        place = of_chunk(draw(st.sampled_from([chunk for chunk in chunks if chunk.path == path])))
    else:
        start = draw(st.integers(0, len(SOURCES[path]) - 30))
        place = span(chunks, path, start, start + draw(st.integers(1, 30)))
    return World(found, draw(retrievals()), place)


def recalled(draw: st.DrawFn, chunks: list[Chunk]) -> Recall:
    """Each channel lists a random part of the chunks in random order, or did not serve; not all were listed."""
    listable = [row for row in range(len(chunks)) if draw(st.integers(0, 4))]
    ranks = np.zeros((len(chunks), 4), dtype=np.int32)
    scores = np.full((len(chunks), 4), np.nan)
    channels = []
    for column, name in enumerate(CHANNELS):
        used = name != "graph" and draw(st.integers(0, 5)) > 0
        some = draw(st.integers(len(listable) // 2, len(listable)))
        rows = draw(st.permutations(listable))[:some] if used else []
        ranks[rows, column] = np.arange(1, len(rows) + 1)
        steps = draw(st.lists(st.sampled_from([0.0, 0.01, 0.05]), min_size=len(rows), max_size=len(rows)))
        scores[rows, column] = 0.9 - np.cumsum(steps) if name == "vector" else 90 - 10 * np.cumsum(steps)
        channels.append(ChannelRecall(name, True, used, len(rows), len(rows), len(chunks)))
    kept = np.flatnonzero((ranks > 0).any(axis=1))
    seed = np.random.default_rng(draw(st.integers(0, 99)))
    return Recall(
        query=QUERY, scopes=("public",), depth=200, state=STATE, channels=tuple(channels),
        chunks=tuple(chunks[row] for row in kept), ranks=ranks[kept], scores=scores[kept], terms=TERMS,
        parents={PARENT.chunk_id: PARENT}, neighbours=2,
        around={(chunk.document_id, chunk.ordinal): chunk for chunk in chunks},
        holds=seed.random((len(kept), len(TERMS))) < 0.6, similarities=seed.random(len(kept)),
    )  # fmt: skip


@st.composite
def retrievals(draw: st.DrawFn) -> Retrieval:
    """Settings on and off the grids, most of them small enough that something is lost."""
    weight = st.sampled_from([0.0, 0.3, 0.83, 1.0, 2.0])
    return Retrieval(
        top_k=draw(st.integers(1, 7)),
        minimum_vector_similarity=draw(st.sampled_from([0.0, 0.0, 0.8])),
        fulltext_weight=draw(weight),
        cjk_weight=draw(weight),
        vector_weight=draw(weight),
        fusion=draw(st.sampled_from(["rrf", "minmax", "linear"])),
        rrf_k=draw(st.sampled_from([1, 7, 60])),
        candidate_multiplier=draw(st.integers(2, 4)),
        context_max_characters=draw(st.sampled_from([2_000, 2_150, 5_000, 16_000])),
        adjacent_chunk_count=draw(st.sampled_from([0, 0, 0, 1])),
        rerank=draw(st.sampled_from(["off", "local"])),
        minimum_relevance=draw(st.sampled_from([0.0, 0.0, 0.35])),
        required_terms=draw(st.integers(0, 4)) == 0,
        document_quota=draw(st.sampled_from([0, 0, 1])),
        duplicate_overlap=draw(st.sampled_from([0.9, 0.5])),
    )


def of_chunk(chunk: Chunk) -> Place:
    return Place(
        chunk.document_id, chunk.path, chunk.revision, chunk.start, chunk.end, chunk.text, (chunk,),
        (chunk.chunk_id,),
    )  # fmt: skip


def span(chunks: list[Chunk], path: str, start: int, end: int) -> Place:
    touching = tuple(c for c in chunks if c.path == path and c.start < end and c.end > start)
    homes = tuple(c.chunk_id for c in touching if c.start <= start and end <= c.end)
    return Place(path, path, "r", start, end, SOURCES[path][start:end], touching, homes)


# --- the reader's own way -----------------------------------------------------------------------------------


def is_in(context: Context, place: Place) -> bool:
    """Whether a span stands in one passage of its document, in its own words."""
    return any(
        group.path == place.path
        and group.start <= place.start
        and place.end <= group.end
        and place.text in group.text
        for group in context.groups
    )


def naive_layer(recall: Recall, retrieval: Retrieval, place: Place) -> str:
    """Each stage run again and asked whether the target is still there."""
    if is_in(pack(rank(recall, retrieval), retrieval), place):
        return "context"
    if not place.homes:
        return "split"
    layers = [naive_fate(recall, retrieval, chunk_id) for chunk_id in place.homes]
    order = ["not_recalled", "gate", "fusion", "rerank", "duplicate", "quota", "budget"]
    return max(layers, key=lambda layer: (order.index(layer[0]), -layer[1]))[0]


def naive_fate(recall: Recall, retrieval: Retrieval, chunk_id: str) -> tuple[str, int]:
    view = retrieval.top_k * retrieval.candidate_multiplier
    recalled = [
        chunk.chunk_id
        for row, chunk in enumerate(recall.chunks)
        for column, name in enumerate(CHANNELS)
        if retrieval.weight(name) > 0 and recall.channel(name).used and 0 < recall.ranks[row, column] <= view
        if name != "vector" or recall.scores[row, column] >= retrieval.minimum_vector_similarity
    ]
    if chunk_id not in recalled:
        return "not_recalled", 0
    open_gate: dict[str, Any] = {"minimum_relevance": 0.0, "required_terms": False, "top_k": retrieval.top_k}
    ranked = rank(recall, replace(retrieval, **open_gate))
    order = [ranked.chunk(position).chunk_id for position in range(len(ranked))]
    place = order.index(chunk_id)
    rows = {chunk.chunk_id: row for row, chunk in enumerate(recall.chunks)}

    def passes(name: str) -> bool:
        if ranked.relevance[rows[name]] < retrieval.minimum_relevance:
            return False
        if not retrieval.required_terms:
            return True
        return all(unit.held(recall, np.array([rows[name]]))[0] for unit in required_units(recall))

    if not passes(chunk_id):
        return "gate", place
    gated = [name for name in order if passes(name)]
    if chunk_id not in first_units(recall, gated, retrieval.top_k):
        fused = rank(recall, replace(retrieval, rerank="off", **open_gate))
        by_fusion = [fused.chunk(position).chunk_id for position in range(len(fused))]
        let_in = first_units(recall, [name for name in by_fusion if passes(name)], retrieval.top_k)
        return ("rerank" if chunk_id in let_in else "fusion"), place
    context = pack(rank(recall, retrieval), retrieval)
    left = {each.chunk_id: each.reason for each in context.left_out}
    return left.get(chunk_id, "budget"), place


def first_units(recall: Recall, names: list[str], top_k: int) -> list[str]:
    """The longest beginning that holds at most so many passages, a parent's children counting as one."""
    parents = {chunk.chunk_id: chunk.parent for chunk in recall.chunks if chunk.parent in recall.parents}
    for count in range(len(names), -1, -1):
        if len({parents.get(name) or name for name in names[:count]}) <= top_k:
            return names[:count]
    return []
