"""A seal tells what was stored from anything else that a disk may give back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.store.seal import SEAL_BYTES, is_sealed, seal, sealed

VALUES = st.lists(
    st.one_of(st.none(), st.integers(-(2**40), 2**40), st.text(st.characters(exclude_characters="\x1f"))),
    max_size=6,
)


def test_a_flag_is_sealed_as_sqlite_gives_it_back() -> None:
    assert seal("a", 1) != seal("a", 0)
    assert seal("a", None) != seal("a", "")


@settings(max_examples=50)
@given(VALUES, VALUES)
def test_other_values_have_another_seal(one: list[object], other: list[object]) -> None:
    same = [str(each) for each in one] == [str(each) for each in other]
    assert (seal(*one) == seal(*other)) == same  # type: ignore[arg-type]


@settings(max_examples=50)
@given(st.binary(max_size=64), st.data())
def test_any_flipped_bit_and_any_other_place_is_noticed(blob: bytes, data: st.DataObject) -> None:
    stored = bytearray(sealed(blob, 3, 7))
    assert is_sealed(bytes(stored), 3, 7)
    assert not is_sealed(bytes(stored), 3, 8)
    at = data.draw(st.integers(0, SEAL_BYTES + len(blob) - 1))
    stored[at] ^= 1 << data.draw(st.integers(0, 7))
    assert not is_sealed(bytes(stored), 3, 7)
