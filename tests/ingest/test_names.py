"""A path carries every name there can be, and gives it back."""

from __future__ import annotations

import json
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from engine.ingest.names import name_of, path_of

NAMES = st.one_of(
    st.binary(min_size=1, max_size=30),
    st.lists(st.sampled_from([b"\\", b"x", b"E", b"9", b"\xe9", b"\x1b", "é".encode(), b"\\x5C"])).map(
        b"".join
    ),
)


@given(NAMES)
def test_a_name_survives_as_a_path(name: bytes) -> None:
    path = path_of(name)
    assert name_of(path) == name
    assert json.loads(json.dumps(path)) == path
    assert sqlite3.connect(":memory:").execute("SELECT ?", (path,)).fetchone() == (path,)


@given(st.lists(NAMES, max_size=8))
def test_two_names_never_share_a_path(names: list[bytes]) -> None:
    assert len({path_of(name) for name in names}) == len(set(names))


@given(st.text("abcé会\u0308\\. -[]", min_size=1))
def test_an_ordinary_name_is_its_own_path(name: str) -> None:
    assert path_of(name.encode()) == name
