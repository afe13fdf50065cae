"""Where there is nothing to list, the list says why, and what to do."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.model import ChannelRecall, Degradation, QueryTerm
from engine.settings import Retrieval
from tests.tui.search.samples import HOSTILE, hostile_text
from tui.text import one_line
from tui.widgets import states
from tui.widgets.line import measure, text_of

EMPTY = (
    ChannelRecall("fulltext", True, True, of=311),
    ChannelRecall("cjk", True, False),
    ChannelRecall("vector", True, True, of=299),
    ChannelRecall("graph", False, False),
)
TERMS = (QueryTerm("fulltext", "backoff", 0, 7, 0, 6.0),)
DEGRADED = (Degradation("cjk", "cjk_no_terms", "the question holds no Chinese", "nothing to do"),)


def told(retrieval: Retrieval, scopes: tuple[str, ...] = ()) -> str:
    return "\n".join(text for text, _ in states.nothing_found(EMPTY, TERMS, DEGRADED, retrieval, scopes))


def test_each_channel_says_what_it_looked_for_and_why_it_is_empty() -> None:
    said = told(replace(Retrieval(), minimum_vector_similarity=0.6))
    assert "fulltext  no chunk of 311 holds backoff" in said
    assert "cjk       the question holds no Chinese" in said
    assert "vector    none of 299 vectors comes near enough: min vec. is 0.60" in said
    assert "graph     muted: its weight is 0" in said


def test_the_nearest_remedies_follow() -> None:
    said = told(Retrieval())
    assert "0 brings it back" in said
    assert "f chooses whose documents are searched, now public" in said
    assert "whose documents" not in told(Retrieval(), ("*",))


def test_a_library_without_documents_names_what_was_skipped() -> None:
    said = [text for text, _ in states.no_documents([HOSTILE], "")]
    assert said[0] == "there is no document in this library"
    assert said[1] == one_line(HOSTILE)
    assert "R reads the folder again" in said[-1]


@given(st.lists(st.tuples(hostile_text.map(one_line), st.just("")), max_size=5), st.integers(20, 120))
def test_no_paragraph_is_wider_than_the_list(paragraphs: list[tuple[str, str]], width: int) -> None:
    assert {measure(line) for line in states.lines(paragraphs, width, 1)} == {width}
    assert text_of(states.lines(paragraphs, width, 1)[0]).isspace()
