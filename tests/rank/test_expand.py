"""What a context adds around its hits: parents in place of children, then neighbours, never at a hit's
cost."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model import Chunk
from engine.rank import pack, rank
from engine.settings import Retrieval
from tests.rank.build import chunk, recall, term
from tests.rank.test_pack import SOURCE, cited, cost, out, packed, slice_of, texts


def parent(chunk_id: str, start: int, end: int, **fields: Any) -> Chunk:
    return slice_of(chunk_id, start, end, role="parent", **fields)


def child(chunk_id: str, start: int, end: int, of: str, **fields: Any) -> Chunk:
    return slice_of(chunk_id, start, end, role="child", parent=of, **fields)


# --- parents ------------------------------------------------------------------------------------------------


def test_children_of_one_parent_take_one_place_and_bring_it_once():
    """PK-03: collapsed before the cut at top k; the parent has its best child's rank and cites every
    child."""
    p1, p2 = parent("P1", 0, 2_000), parent("P2", 3_000, 4_000)
    children = [child(f"c{place}", place * 300, place * 300 + 100, "P1") for place in range(5)]
    other = child("d", 3_100, 3_200, "P2")
    context = packed(*children, other, parents=[p1, p2], top_k=2)
    assert texts(context) == [p1.text, p2.text]
    assert cited(context) == [["c0", "c1", "c2", "c3", "c4"], ["d"]]
    assert [(c.start, c.end) for c in context.groups[0].citations] == [(c.start, c.end) for c in children]
    assert {group.expansion for group in context.groups} == {"parent"}
    assert context.left_out == ()


def test_a_parent_that_the_recall_does_not_carry_collapses_nothing():
    children = [child(f"c{place}", place * 300, place * 300 + 100, "P1") for place in range(5)]
    assert cited(packed(*children, top_k=2)) == [["c0"], ["c1"]]


def test_a_parent_beyond_the_budget_is_cut_around_its_hit():
    """PK-07: a window of the parent, within the budget, that holds the hit whole, cut at line ends."""
    context = packed(
        child("c", 3_000, 3_200, "P"), parents=[parent("P", 0, 5_000)], context_max_characters=1_000
    )
    (group,) = context.groups
    assert group.truncated
    assert group.expansion == "parent"
    assert context.character_count <= 1_000
    assert group.start <= 3_000
    assert group.end >= 3_200
    assert group.text == SOURCE[group.start : group.end]
    assert SOURCE[group.start - 1] == "\n"
    assert group.text.endswith("\n")
    assert group.line_start == SOURCE.count("\n", 0, group.start) + 1
    assert len(group.text) > 600


def test_no_parent_evicts_a_hit():
    hits = [child("c", 100, 200, "P"), chunk("z", 0, "z" * 300, path="z.md")]
    budget = cost(*hits) + 10
    context = packed(*hits, parents=[parent("P", 0, 5_000)], context_max_characters=budget)
    assert cited(context) == [["c"], ["z"]]
    assert out(context) == {}
    assert context.character_count <= budget


def test_parents_come_by_the_rank_of_their_children():
    hits = [child("d", 3_100, 3_200, "P2"), child("c", 100, 200, "P1")]
    parents = [parent("P1", 0, 1_000), parent("P2", 3_000, 4_000)]
    context = packed(*hits, parents=parents, context_max_characters=cost(*hits) + 920)
    first, second = context.groups
    assert (first.text, first.truncated) == (parents[1].text, False)
    assert "c" in {citation.chunk_id for citation in second.citations}
    assert len(second.text) < 200


def test_touching_children_of_two_parents_become_one_passage_with_both():
    hits = [child("c", 900, 1_000, "P1"), child("d", 1_000, 1_100, "P2")]
    context = packed(*hits, parents=[parent("P1", 0, 1_000), parent("P2", 1_000, 2_000)])
    assert texts(context) == [SOURCE[:2_000]]
    assert cited(context) == [["c", "d"]]


def test_an_edited_parent_stands_for_its_children_and_is_never_merged_by_span():
    edited = chunk("c", 100, "the edited rule: at most two", end=200, edited=True, role="child", parent="P")
    text = SOURCE[:100] + edited.text + SOURCE[200:500]
    whole = chunk("P", 0, text, end=500, edited=True, role="parent")
    context = packed(edited, child("d", 300, 400, "P"), slice_of("next", 500, 600), parents=[whole])
    assert texts(context) == [text, SOURCE[500:600]]
    assert cited(context) == [["c", "d"], ["next"]]
    assert context.text.count("the edited rule") == 1


def test_a_parent_that_lacks_its_childs_text_brings_nothing():
    edited = chunk("c", 100, "edited after the parent was read", end=200, edited=True, parent="P")
    context = packed(edited, parents=[parent("P", 0, 1_000)])
    assert texts(context) == [edited.text]


def test_an_edited_parent_doubles_no_text_that_a_child_shares_with_another_hit():
    """The child and the chunk after it are one passage; the edited parent cannot join it, so it stays out."""
    whole = chunk("P", 0, SOURCE[:100] + "an edit", end=200, edited=True, role="parent")
    context = packed(child("c", 50, 100, "P"), slice_of("next", 100, 150), parents=[whole])
    assert texts(context) == [SOURCE[50:150]]


def test_children_too_far_apart_for_the_budget_stay_as_they_are():
    hits = [child("c", 0, 200, "P"), child("d", 4_000, 4_200, "P")]
    context = packed(*hits, parents=[parent("P", 0, 5_000)], context_max_characters=cost(*hits) + 100)
    assert texts(context) == [hits[0].text, hits[1].text]
    assert not context.truncated


def test_a_hit_that_was_cut_takes_in_no_neighbour():
    text = "x" * 1_995 + " needle\n"
    hit = chunk("a", 0, text, ordinal=1)
    after = chunk("b", len(text), "y", ordinal=2, line_start=2)
    found = recall({"fulltext": ["a"]}, [hit], around=[hit, after], terms=[term("needle", "needle")])
    retrieval = Retrieval(context_max_characters=1_000, adjacent_chunk_count=1)
    (group,) = pack(rank(found, retrieval), retrieval).groups
    assert group.text.endswith("needle\n")
    assert (group.truncated, group.expansion) == (True, "")


# --- neighbours ---------------------------------------------------------------------------------------------

ROW = [slice_of(f"n{place}", place * 100, place * 100 + 100, ordinal=place + 1) for place in range(9)]


@pytest.mark.parametrize(("count", "span"), [(0, (400, 500)), (1, (300, 600)), (2, (200, 700))])
def test_neighbours_on_each_side_join_their_hit(count: int, span: tuple[int, int]):
    context = packed(ROW[4], around=ROW, adjacent_chunk_count=count)
    (group,) = context.groups
    assert (group.start, group.end) == span
    assert group.text == SOURCE[slice(*span)]
    assert group.expansion == ("neighbours" if count else "")
    assert cited(context) == [["n4"]]


def test_neighbours_of_two_hits_share_what_lies_between():
    context = packed(ROW[2], ROW[4], around=ROW, adjacent_chunk_count=1)
    assert texts(context) == [SOURCE[100:600]]
    assert context.groups[0].shared == 0


def test_a_neighbour_that_does_not_fit_ends_its_side():
    budget = cost(slice_of("both", 300, 500)) + 5
    context = packed(ROW[4], around=ROW, adjacent_chunk_count=2, context_max_characters=budget)
    assert texts(context) == [SOURCE[300:500]]


def test_neighbours_never_evict_a_hit():
    other = chunk("z", 0, "z" * 300, path="z.md")
    budget = cost(ROW[4], other)
    context = packed(ROW[4], other, around=ROW, adjacent_chunk_count=2, context_max_characters=budget)
    assert cited(context) == [["n4"], ["z"]]
    assert context.character_count <= budget


def test_an_edited_neighbour_or_one_of_another_revision_is_not_joined():
    edited = chunk("n3", 300, "edited", end=400, edited=True, ordinal=4)
    newer = slice_of("n5", 500, 600, ordinal=6, revision="r2")
    context = packed(ROW[4], around=[*ROW[:3], edited, ROW[4], newer, *ROW[6:]], adjacent_chunk_count=2)
    assert texts(context) == [ROW[4].text]


def test_parents_come_before_neighbours():
    row = [child(f"n{place}", place * 100, place * 100 + 100, "P", ordinal=place + 1) for place in range(9)]
    found = recall({"fulltext": ["n4"]}, [row[4]], parents=[parent("P", 0, 900)], around=row)
    retrieval = Retrieval(adjacent_chunk_count=2)
    (group,) = pack(rank(found, retrieval), retrieval).groups
    assert (group.text, group.expansion) == (SOURCE[:900], "parent")
