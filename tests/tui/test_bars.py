"""The lines around a page, as the text they show."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Degradation, Progress
from engine.settings import Settings
from engine.trace import settle
from tests.tui.fake import recall_of, status_of
from tui import bars, tasks
from tui.actions import available
from tui.registry import ACTIONS, SCOPES
from tui.state import Problem, View
from tui.widgets.line import measure, text_of

SCREENS = (("1", "Search", "Search"), ("7", "Settings", "Set"))
EMBEDDING = Progress("embed", 299, 311, 3.0, 4.2)
VIEW = View(library="samples", status=status_of(), progress=EMBEDDING)
NOTE = Degradation("vector", "vector_waiting", "12 of 311 chunks have no vector yet", "nothing to do")


def degraded(*problems: Problem) -> View:
    recall = recall_of("重试", degraded=(NOTE,))
    return replace(VIEW, trace=settle(recall, Settings().retrieval), query="重试", problems=problems)


def test_the_title_has_library_screens_counts_state_and_what_runs():
    assert text_of(bars.title(VIEW, SCREENS, "Search", 110)) == (
        " samples   1 Search  7 Settings" + " " * 25
        + "8 documents  9 chunks  3f9a1c  embedding 12 left 0:04 "
    )  # fmt: skip


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (80, " samples   1 Search  7 Settings    8 documents  9 chunks  embedding 12 left 0:04 "),
        (60, " samples   1 Search 7 Set             embedding 12 left 0:04 "),
        (40, " samples   1 Search 7 Set               "),
    ],
)
def test_a_short_title_loses_state_then_counts_then_names(width, shown):
    assert text_of(bars.title(VIEW, SCREENS, "Search", width)).split() == shown.split()


def test_the_strip_counts_and_tells_the_first_with_its_remedy():
    view = degraded(Problem("logo.png: binary, skipped", place="sync"))
    assert text_of(bars.problems(view, 100)).rstrip() == (
        " ! 1 degraded, 1 problem  vector: 12 of 311 chunks have no vector yet · nothing to do"
    )
    assert text_of(bars.problems(VIEW, 20)) == " " * 20


def test_an_error_comes_before_what_degraded():
    view = replace(degraded(), error=Problem("the index is damaged", "run `rankscope verify`"))
    assert " ! 1 degraded, 1 problem  the index is damaged · run" in text_of(bars.problems(view, 100))


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.integers(1, 160),
)
def test_every_line_is_exactly_as_wide_as_the_screen(text, width):
    view = replace(degraded(Problem(text, text, place=text)), library=text, error=Problem(text, text))
    lines = [
        bars.title(view, SCREENS, "Search", width),
        bars.problems(view, width),
        bars.sentence(text, width),
        bars.keys(available(ACTIONS, SCOPES, "results"), width),
    ]
    assert [measure(line) for line in lines] == [width] * 4
    assert not any(ord(character) < 32 for line in lines for character in text_of(line))


def test_progress_in_words():
    assert (
        tasks.sentence(Progress("read", 118, 412, 52.0, 6.0)) == "indexing 118 of 412 files, 52/s, 0:06 left"
    )
    assert tasks.sentence(Progress("embed", 1, 2_000, 0.2, None)) == "embedding 1 of 2,000 chunks"
    assert tasks.sentence(Progress("discover", 0, 0)) == "looking for files"
    assert tasks.sentence(None) == tasks.short(None) == ""
    assert tasks.short(Progress("done", 4, 4)) == ""
    assert tasks.clock(3_725) == "1:02:05"
