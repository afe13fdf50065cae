"""Two halves of a set: what is chosen on the first is reported on the second. Pure and deterministic."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def halves(
    items: Sequence[T], *, identity: Callable[[T], str], stratum: Callable[[T], Hashable]
) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """Split by the hash of each item's identity, evenly within each stratum, in the items' own order.

    The order and the company of the items do not matter, and neither does chance: within a stratum the hashes
    in order go to the first and the second half by turns, the first having one more where they are odd.
    """
    strata: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        strata.setdefault(stratum(item), []).append(place)
    first: set[int] = set()
    for places in strata.values():
        places.sort(key=lambda place: (_hash(identity(items[place])), place))
        first.update(places[::2])
    chosen = tuple(item for place, item in enumerate(items) if place in first)
    return chosen, tuple(item for place, item in enumerate(items) if place not in first)


def _hash(identity: str) -> bytes:
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).digest()
