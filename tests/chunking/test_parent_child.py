"""Children lie in one parent each and tile it; parents are what structure mode makes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chunking.parent_child import families
from engine.chunking.sections import sections
from engine.chunking.structure import pieces
from tests.chunking.texts import KINDS, hostile, prose


def test_parents_are_structure_pieces_and_children_are_cut_inside_them():
    text = "# A\n\n" + prose(30) + "\n## B\n\n" + prose(150)
    found = sections(text, "markdown")
    grown = list(families(text, found, 1600, 400))
    assert [parent for parent, _ in grown] == list(pieces(text, found, 1600, 0))
    assert all(child.end - child.start <= 400 for _, children in grown for child in children)
    assert [child.path for child in grown[-1][1]] == [("A", "B")] * len(grown[-1][1])


def test_ck14_children_keep_their_white_space():
    text = "p1\n\n    code(a,  b)\n\na.\n\n---\n\np2\n\nc.\n"
    for target in (400, 28):
        for parent, children in families(text, sections(text, "markdown"), 40, target):
            tiled = "".join(text[child.start : child.end] for child in children)
            assert tiled == text[parent.start : parent.end]


@settings(max_examples=100, deadline=None)
@given(hostile, KINDS, st.integers(1, 200), st.integers(1, 250))
def test_children_tile_their_parent_whatever_the_numbers(text, kind, parent_target, child_target):
    for parent, children in families(text, sections(text, kind), parent_target, child_target):
        assert children[0].start == parent.start
        assert all(parent.start <= child.start < child.end <= parent.end for child in children)
        assert all(text[before.end : after.start].strip() == "" for before, after in pairwise(children))
