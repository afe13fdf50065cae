"""Notices another model behind an unchanged name: the vectors of three fixed texts, kept with the library.

Vectors of two models cannot be compared, and nothing in an answer says which model made it. The texts are far
apart, so that two models that agree on one hardly agree on all.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.embedding.protocol import Vectors

PROBES = (
    "The lighthouse keeper counted seven ships before the fog came in.",
    "第三次重试失败后，任务进入死信队列，保留十四天。",
    'def area(radius: float) -> float: return 3.14159 * radius ** 2  # "π"',
)

SAME = 0.995
"""Least cosine of one text's vectors under one model. Other hardware, batches and half precision keep it above
0.999; another model is near 0, another version of one below 0.95."""


class Memory(Protocol):
    """Keeps a small fact of the library by its key."""

    def value(self, key: str) -> str | None: ...
    def remember(self, key: str, value: str) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The models that have answered under one name: of each ``(3, dimensions) float32`` unit vectors of
    ``PROBES``. ``current`` is the one whose vectors the library holds."""

    models: tuple[Vectors, ...] = ()
    current: int = 0

    @property
    def known(self) -> Vectors | None:
        return self.models[self.current] if self.models else None

    def with_model(self, probes: Vectors) -> Seen:
        """The model of these vectors as the current one: the one it was before, or a new one."""
        for place, known in enumerate(self.models):
            if same(known, probes):
                return Seen(self.models, place)
        return Seen((*self.models, probes), len(self.models))


def same(known: Vectors, now: Vectors) -> bool:
    """Whether both are of one model: as many unit vectors of one length, each pair nearly parallel."""
    if known.shape != now.shape:
        return False
    return bool((np.einsum("ij,ij->i", known, now, dtype=np.float64) >= SAME).all())


def read(memory: Memory, identity: str) -> Seen:
    """What is kept of a name; nothing where that is damaged."""
    try:
        kept = json.loads(memory.value(_key(identity)) or "{}")
        models = tuple(_unpacked(each) for each in kept["models"])
        current = kept["current"]
        if isinstance(current, int) and 0 <= current < len(models):
            return Seen(models, current)
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        pass
    return Seen()


def keep(memory: Memory, identity: str, seen: Seen) -> None:
    models = [base64.b64encode(each.astype("<f4").tobytes()).decode("ascii") for each in seen.models]
    memory.remember(_key(identity), json.dumps({"current": seen.current, "models": models}))


def _key(identity: str) -> str:
    return f"probes {identity}"


def _unpacked(packed: str) -> Vectors:
    flat = np.frombuffer(base64.b64decode(packed, validate=True), dtype="<f4").astype(np.float32)
    rows = flat.reshape(len(PROBES), -1)
    if not rows.size or not np.isfinite(rows).all():
        raise ValueError("no vectors")
    return rows
