from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.evaluate.halves import halves

ITEMS = st.lists(st.tuples(st.text(max_size=5), st.booleans()), unique_by=lambda item: item[0], max_size=30)
Item = tuple[str, bool]


def split(items: list[Item]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    return halves(items, identity=lambda item: item[0], stratum=lambda item: item[1])


@given(items=ITEMS)
def test_every_item_is_in_one_half_and_every_stratum_in_both(items: list[Item]) -> None:
    first, second = split(items)
    assert sorted((*first, *second)) == sorted(items)
    for stratum in (True, False):
        counts = [sum(item[1] is stratum for item in half) for half in (first, second)]
        assert counts[0] - counts[1] in (0, 1)


@given(items=ITEMS, data=st.data())
def test_the_order_of_the_items_does_not_matter(items: list[Item], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))
    assert [set(half) for half in split(items)] == [set(half) for half in split(shuffled)]


def test_the_halves_are_the_same_everywhere_and_always() -> None:
    # In the order of their SHA-256: d f c b e a, dealt by turns.
    first, second = split([(name, True) for name in "abcdef"])
    assert ("".join(name for name, _ in first), "".join(name for name, _ in second)) == ("cde", "abf")
