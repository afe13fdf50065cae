"""Two traces side by side."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from engine.explain.compare import compare, packed
from engine.explain.layers import fate
from engine.settings import Retrieval
from engine.trace import Trace, settle
from tests.explain.random_recalls import World, retrievals, worlds
from tests.rank.build import chunk, recall

QUIET = Retrieval(graph_weight=0.0, top_k=2)
FOUND = recall({"fulltext": ["a", "b", "c"], "vector": ["c", "a", "b"]})


def test_a_trace_compared_with_itself_has_no_difference():
    same = compare(settle(FOUND, QUIET), settle(FOUND, QUIET))
    assert (same.moves, same.entries, same.exits) == ((), (), ())
    assert {line.sign for line in same.diff} == {" "}


def test_a_turned_weight_says_who_moved_and_which_stage_lost_whom():
    before = settle(FOUND, Retrieval(graph_weight=0.0, vector_weight=0.0, top_k=2))
    after = settle(FOUND, Retrieval(graph_weight=0.0, vector_weight=2.0, top_k=2))
    found = compare(before, after)
    assert [(move.chunk.chunk_id, move.before, move.after) for move in found.moves] == [
        ("c", 3, 1),
        ("a", 1, 2),
        ("b", 2, 3),
    ]
    assert [(each.chunk.chunk_id, each.stage) for each in found.entries] == [("c", "fusion")]
    assert [(each.chunk.chunk_id, each.stage) for each in found.exits] == [("b", "fusion")]
    assert [line.text for line in found.diff if line.sign == "+"] == ["c.md L1–1", "text of c"]


def test_a_chunk_that_only_one_trace_ranks_is_new_or_gone():
    muted = settle(
        FOUND,
        Retrieval(graph_weight=0.0, fulltext_weight=0.0, vector_weight=1.0, top_k=1, candidate_multiplier=2),
    )
    found = compare(muted, settle(FOUND, QUIET))
    assert ("b", None, 3) in [(move.chunk.chunk_id, move.before, move.after) for move in found.moves]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), retrievals())
def test_entries_and_exits_are_the_difference_of_the_contexts(world: World, other: Retrieval):
    a, b = settle(world.recall, world.retrieval), settle(world.recall, other)
    found = compare(a, b)
    held, now = set(packed(a.context)), set(packed(b.context))
    assert {each.chunk.chunk_id for each in found.entries} == now - held
    assert {each.chunk.chunk_id for each in found.exits} == held - now
    assert all(each.stage == fate(a, each.chunk.chunk_id).layer != "context" for each in found.entries)
    assert all(each.stage == fate(b, each.chunk.chunk_id).layer != "context" for each in found.exits)
    for trace, kept in ((a, " -"), (b, " +")):
        assert [line.text for line in found.diff if line.sign in kept] == _lines(trace)


def _lines(trace: Trace) -> list[str]:
    lines = []
    for group in trace.context.groups:
        lines += [f"{group.path} L{group.line_start}–{group.line_end}", *group.text.split("\n")]
    return lines


def test_contexts_of_nothing_but_line_ends_are_compared_in_time():
    blank = [chunk("a", text="\n" * 20_000, path="a.md"), chunk("b", text="x\n" * 10_000, path="b.md")]
    found = recall({"fulltext": ["a"], "vector": ["b"]}, blank)
    wide = {"context_max_characters": 48_000, "graph_weight": 0.0, "top_k": 1, "candidate_multiplier": 2}
    one = settle(found, Retrieval(**wide, vector_weight=0.0))  # type: ignore[arg-type]
    other = settle(found, Retrieval(**wide, fulltext_weight=0.0))  # type: ignore[arg-type]
    assert {line.sign for line in compare(one, other).diff} >= {"-", "+"}
