"""What holds of every context: the limit, the order, the spans, and that a larger budget loses no hit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Chunk, Context, Recall
from engine.rank import pack, rank
from engine.settings import Retrieval
from tests.rank.build import chunk, recall

SOURCES = {
    "a.md": "".join(f"第{number}条：任务失败后最多重试三次。👨‍👩‍👧 e\u0301\r\n" for number in range(60)),
    "b.md": "one line of plain text, then another.\n\n" * 40,
}
WORDS = st.text(alphabet="ab[]1/重试 \n。\r\u0301👨\u200d", min_size=1, max_size=400)


@st.composite
def slices(draw: st.DrawFn) -> list[Chunk]:
    """Chunks of two documents: overlapping, touching, apart, edited, and some with parents."""
    chunks = []
    for place in range(draw(st.integers(1, 8))):
        path = draw(st.sampled_from(sorted(SOURCES)))
        source = SOURCES[path]
        start = draw(st.integers(0, len(source) - 2))
        end = min(len(source), start + draw(st.integers(1, 400)))
        fields = {"path": path, "ordinal": place + 1, "line_start": source[:start].count("\n") + 1}
        if draw(st.integers(0, 4)) == 0:
            chunks.append(chunk(f"c{place}", start, draw(WORDS), end=end, edited=True, **fields))
        else:
            held = draw(st.sampled_from(["", f"P{path}"]))
            chunks.append(chunk(f"c{place}", start, source[start:end], parent=held or None, **fields))
    return chunks


PARENTS = [chunk(f"P{path}", 0, source, path=path, role="parent") for path, source in SOURCES.items()]


def of(chunks: list[Chunk], *, parents: bool) -> Recall:
    return recall(
        {"fulltext": [c.chunk_id for c in chunks]},
        chunks,
        parents=PARENTS if parents else (),
        around=chunks,
    )


def context(found: Recall, **turned: object) -> Context:
    retrieval = Retrieval(**({"top_k": 20} | turned))  # type: ignore[arg-type]
    return pack(rank(found, retrieval), retrieval)


@settings(max_examples=120, deadline=None)
@given(slices(), st.booleans(), st.integers(0, 3_000), st.integers(0, 2), st.integers(0, 3))
def test_a_context_keeps_its_limit_its_order_and_its_spans(
    chunks: list[Chunk], parents: bool, budget: int, neighbours: int, quota: int
):
    packed = context(
        of(chunks, parents=parents),
        context_max_characters=budget,
        adjacent_chunk_count=neighbours,
        document_quota=quota,
    )
    assert packed.character_count == len(packed.text) <= budget
    assert all(group.text in packed.text for group in packed.groups)
    best = [min(c.rank for c in group.citations) for group in packed.groups]
    assert best == sorted(best)
    for group in packed.groups:
        source = SOURCES[group.path]
        if not any(citation.edited for citation in group.citations):
            assert group.text == source[group.start : group.end]
        if not group.truncated:
            for citation in group.citations:
                text = next(c.text for c in chunks if c.chunk_id == citation.chunk_id)
                assert text in group.text
    listed = [c.chunk_id for group in packed.groups for c in group.citations]
    listed += [left.chunk_id for left in packed.left_out]
    assert sorted(listed) == sorted(c.chunk_id for c in chunks)


@settings(max_examples=60, deadline=None)
@given(slices(), st.booleans(), st.integers(0, 2_000), st.integers(0, 1_000))
def test_a_larger_budget_loses_no_hit(chunks: list[Chunk], parents: bool, budget: int, more: int):
    found = of(chunks, parents=parents)

    def hits(limit: int) -> set[str]:
        packed = context(found, context_max_characters=limit, adjacent_chunk_count=1)
        return {c.chunk_id for group in packed.groups for c in group.citations}

    assert hits(budget) <= hits(budget + more)


@settings(max_examples=40, deadline=None)
@given(slices(), st.integers(300, 2_000))
def test_no_two_groups_of_a_revision_overlap(chunks: list[Chunk], budget: int):
    packed = context(of(chunks, parents=True), context_max_characters=budget)
    exact = [g for g in packed.groups if not any(c.edited for c in g.citations)]
    for place, one in enumerate(exact):
        for other in exact[place + 1 :]:
            if one.path == other.path:
                assert one.end < other.start or other.end < one.start
