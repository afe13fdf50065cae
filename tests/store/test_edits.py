"""The history of edits in the library file, and the pins that it leads to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.edits.pin import Pin
from engine.errors import CorruptIndexError
from engine.store.edits import EditStore
from engine.store.library_file import LibraryFile


def pin(start: int, text: str = "x", document_id: str = "d") -> Pin:
    return Pin(document_id, f"{document_id}.md", "r", "p", start, start + 1, "甲", "", "", text=text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    LibraryFile(tmp_path / "library.sqlite").close()
    return tmp_path / "library.sqlite"


@pytest.fixture
def edits(path: Path) -> Iterator[EditStore]:
    with closing(EditStore(path)) as store:
        yield store


def test_before_the_first_edit_there_is_none_and_reading_writes_nothing(edits: EditStore, path: Path) -> None:
    before = path.read_bytes()
    assert (edits.pins("d"), edits.every_pin(), edits.last(), edits.steps(), edits.changed_after(0)) == (
        (), (), 0, [], [],
    )  # fmt: skip
    assert path.read_bytes() == before


def test_a_step_takes_pins_away_and_puts_others_in_their_place(edits: EditStore) -> None:
    first = edits.append("text", "d", [], [pin(1, "a"), pin(2, "b")])
    second = edits.append("merge", "d", [pin(1, "a")], [pin(3, "c")])
    edits.append("text", "e", [], [pin(1, "z", "e")])
    assert edits.pins("d") == (pin(2, "b"), pin(3, "c"))
    assert [step.seq for step in edits.steps()] == [3, 2, 1]
    assert edits.steps("d")[1:] == [first]
    assert second.removed == (pin(1, "a"),)
    assert edits.changed_after(1) == ["d", "e"]
    assert edits.changed_after(2) == ["e"]
    assert edits.last() == 3


def test_a_pin_that_is_not_what_it_was_stops_the_step_whole(edits: EditStore) -> None:
    edits.append("text", "d", [], [pin(1, "a"), pin(2, "b")])
    with pytest.raises(CorruptIndexError, match="not what it was"):
        edits.append("merge", "d", [pin(1, "a"), pin(2, "other")], [pin(3, "c")])
    assert edits.pins("d") == (pin(1, "a"), pin(2, "b"))
    assert edits.last() == 1


@pytest.mark.parametrize("body", ["{", "[]", '{"text": 1}', "null"])
def test_a_damaged_edit_is_said_to_be_damaged(edits: EditStore, path: Path, body: str) -> None:
    edits.append("text", "d", [], [pin(1)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE pin SET body = ?", (body,))
        connection.commit()
    with pytest.raises(CorruptIndexError, match="damaged"):
        edits.pins("d")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 3), st.text(max_size=2)), min_size=1, max_size=8))
def test_the_pins_are_what_the_history_leads_to(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]
) -> None:
    path = tmp_path_factory.mktemp("edits") / "library.sqlite"
    LibraryFile(path).close()
    with closing(EditStore(path)) as edits:
        for place, text in steps:
            held = {one.id: one for one in edits.pins("d")}
            came = pin(place, text)
            removed = [held[came.id]] if came.id in held else []
            edits.append("text", "d", removed, [came] if text else [])
        before = edits.every_pin()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DELETE FROM pin")
            connection.commit()
        assert edits.restore_pins() == len(before)
        assert sorted(edits.every_pin(), key=lambda one: one.id) == sorted(before, key=lambda one: one.id)
