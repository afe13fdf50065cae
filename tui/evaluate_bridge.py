"""What the loaded set has worked out by the bridge: each function starts one piece of work, and returns the token under
which its answer comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from engine.cancel import CancelToken
from engine.model import Progress
from tui.bridge import Bridge, LibraryLike
from tui.messages import Examining

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.evaluate.compare import Difference, Flip
    from engine.evaluate.live import Live
    from engine.evaluate.live_score import Score
    from engine.evaluate.live_set import Loaded
    from engine.evaluate.run import Variant
    from engine.library import Library


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Scores with their contexts, in the order of the variants asked for, and how long the last one took."""

    scores: tuple[Score, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """How a score stands against A."""

    differences: dict[str, Difference]
    flips: dict[str, Flip]


def load(
    bridge: Bridge, asker: MessagePump, path: Path | None, scopes: tuple[str, ...], *, skip_invalid: bool
) -> CancelToken:
    """The set, checked and asked once; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Loaded:
        from engine.evaluate import live_set
        from engine.evaluate.live_score import names

        found = None
        steps = live_set.load(
            cast("Library", library), path, names(10)[:-1], scopes=scopes, skip_invalid=skip_invalid,
            cancel=cancel,
        )  # fmt: skip
        async for step in steps:
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        assert found is not None, "a load that raises nothing ends with what was loaded"
        return found

    return bridge.examine(asker, "reading the evaluation set", work)


def settle(bridge: Bridge, asker: MessagePump, live: Live, variants: Sequence[Variant]) -> CancelToken:
    """What these settings make of every case, contexts and all."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Settled:
        scores, took = [], 0.0
        for variant in variants:
            began = time.perf_counter()
            scores.append(
                await cast("Library", library).threaded(partial(_whole, live, variant, cancel), cancel)
            )
            took = (time.perf_counter() - began) * 1000
        return Settled(tuple(scores), took)

    return bridge.examine(asker, "scoring the evaluation set", work)


def _whole(live: Live, variant: Variant, cancel: CancelToken) -> Score:
    from engine.evaluate.live_score import by_outcomes

    return by_outcomes(variant, list(live.outcomes(variant, cancel=cancel)))


def ranks(bridge: Bridge, asker: MessagePump, live: Live, variant: Variant) -> CancelToken:
    """What ranks alone tell of these settings, where the lists are yet to be laid out for them."""

    async def work(_: LibraryLike, __: CancelToken) -> Score | None:
        from engine.evaluate.live_score import by_ranks

        return await asyncio.to_thread(by_ranks, live, variant)

    return bridge.examine(asker, "ranking the evaluation set", work)


def compare(bridge: Bridge, asker: MessagePump, a: Score, b: Score, names: Sequence[str]) -> CancelToken:
    """How a score stands against A, tested: a second for a thousand cases."""

    async def work(_: LibraryLike, __: CancelToken) -> Against:
        from engine.evaluate.live_score import differences, flipped

        return Against(await asyncio.to_thread(differences, a, b, names), flipped(a, b))

    return bridge.examine(asker, "comparing with A", work)
