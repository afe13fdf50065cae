"""What the context holds over the whole range of a setting that packs: its ranks never change, its hits do. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.cancel import CancelToken
from engine.explain.compare import packed
from engine.explain.grids import distance, grid, with_value
from engine.explain.sensitivity import Sensitivity, Stretch
from engine.rank.pack import pack
from engine.rank.pipeline import rank
from engine.settings.fields import find
from engine.trace import as_asked, covers

if TYPE_CHECKING:
    from engine.model import Recall
    from engine.settings import Features, Field, Retrieval

PACKS = frozenset({"context_max_characters", "adjacent_chunk_count", "document_quota", "duplicate_overlap"})
"""The settings of a query that are read after the ranks are made."""


def holding(
    recall: Recall,
    retrieval: Retrieval,
    name: str,
    features: Features,
    *,
    cancel: CancelToken | None = None,
) -> Sensitivity:
    """The hits in the context, in its order, over the grid of one of ``PACKS``; like ``sensitivity``, whose
    ``ranks`` they stand in for. Values that the recall does not cover are left out. Raises ``SettingsError`` for
    a name that is no setting of a query, ``Cancelled``.
    """
    field = find(f"retrieval.{name}")
    walked = tuple(_walked(recall, retrieval, field, features, cancel or CancelToken()))
    return Sensitivity(name, getattr(retrieval, name), False, walked)


def _walked(
    recall: Recall, retrieval: Retrieval, field: Field, features: Features, cancel: CancelToken
) -> Iterator[Stretch]:
    present = getattr(retrieval, field.name)
    ranking = rank(as_asked(recall, retrieval), retrieval, features)
    values = [present, *(point.value for point in grid(field, present))]
    low = high = held = None
    for value in sorted(values, key=lambda value: distance(field, field.minimum, value)):
        cancel.check()
        turned = with_value(retrieval, **{field.name: value})
        if not covers(recall, turned):
            continue
        now = packed(pack(ranking, turned))
        if now != held:
            if held is not None:
                yield Stretch(low, high, held)
            low, held = value, now
        high = value
    if held is not None:
        yield Stretch(low, high, held)
