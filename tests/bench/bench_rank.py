"""What a turned setting costs: re-fusion and packing at 4 x 200 beside dictionaries, and the local rerank of
100.

Run as a script. Prints medians and the ratio to the peer in the same run; asserts nothing.
"""

from __future__ import annotations

import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.model import CHANNELS, ChannelRecall, Chunk, IndexState, QueryTerm, Recall
from engine.rank import pack, rank
from engine.rank.fuse import fuse
from engine.settings import Retrieval
from tests.rank.reference import fused_order, fused_scores

QUERY = "任务自动重试耗尽后怎么办，最多几次？"
PHRASES = (
    "同一任务最多自动重试三次，",
    "第三次仍失败时任务进入死信队列，",
    "值班人员可在控制台单独重放。",
    "The timeout is per attempt, ",
    "缓存缺失或淘汰时，读取应回到权威数据库；",
    "间隔依次为一、五、二十五分钟。\n",
    "max_retry_count = 3\n",
    "默认不超过 90 秒，",
)


def passage(draw: random.Random, characters: int) -> str:
    text = ""
    while len(text) < characters:
        text += draw.choice(PHRASES)
    return text[:characters]


def frozen(depth: int = 200, characters: int = 1_600, seed: int = 7) -> Recall:
    """Four lists of ``depth`` over 600 chunks, as a recall freezes them."""
    draw = random.Random(seed)
    chunks = tuple(
        Chunk(
            f"chunk{place:04}", f"d{place // 6:03}", f"docs/d{place // 6:03}.md", "手册", "r", place % 6 + 1,
            "standalone", ("手册", "重试与隔离"), place % 6 * characters, (place % 6 + 1) * characters,
            1, 40, passage(draw, characters),
        )
        for place in range(600)
    )  # fmt: skip
    ranks = np.zeros((len(chunks), 4), dtype=np.int32)
    scores = np.full((len(chunks), 4), np.nan)
    for column in range(4):
        listed = draw.sample(range(len(chunks)), depth)
        ranks[listed, column] = np.arange(1, depth + 1)
        scores[listed, column] = np.sort(np.random.default_rng(column).random(depth))[::-1]
    terms = tuple(QueryTerm("cjk", QUERY[at : at + 2], at, at + 2, 3 + at, 4.0 - at / 10) for at in range(10))
    channels = tuple(ChannelRecall(c, True, True, depth, depth, len(chunks)) for c in CHANNELS)
    state = IndexState("c", "a", "e", "v", "g", 100, len(chunks))
    return Recall(QUERY, (), depth, state, channels, chunks, ranks, scores, terms)


def median_ms(run: Callable[[], object], repeat: int = 300) -> float:
    run()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def turned(settings: Sequence[Retrieval]) -> Callable[[], Retrieval]:
    """Another setting at each call, as a held key gives them."""
    place = 0

    def following() -> Retrieval:
        nonlocal place
        place += 1
        return settings[place % len(settings)]

    return following


def report(name: str, milliseconds: float, peer: float | None = None) -> None:
    ratio = f"   {peer / milliseconds:5.1f}x faster than dictionaries ({peer:.3f} ms)" if peer else ""
    print(f"{name:<52}{milliseconds:8.3f} ms{ratio}")


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    recall = frozen()
    for fusion in ("rrf", "minmax", "linear"):
        weights = [Retrieval(fusion=fusion, vector_weight=weight / 20) for weight in range(41)]
        ours, theirs = turned(weights), turned(weights)
        peer = median_ms(lambda: fused_order(recall, fused_scores(recall, theirs())), 30)  # noqa: B023
        report(f"fuse 4 x 200, {fusion}", median_ms(lambda: fuse(recall, ours())), peer)  # noqa: B023
    cases = {
        "defaults": Retrieval(),
        "top k 20, whole depth": Retrieval(top_k=20, candidate_multiplier=10, context_max_characters=48_000),
        "quota, required terms": Retrieval(document_quota=2, required_terms=True),
        "first hit cut": Retrieval(context_max_characters=2_000, top_k=1),
    }
    for name, base in cases.items():
        following = turned([replace(base, vector_weight=weight / 20) for weight in range(41)])

        def settle(following: Callable[[], Retrieval] = following) -> None:
            retrieval = following()
            pack(rank(recall, retrieval), retrieval)

        report(f"rank + pack, {name}", median_ms(settle))
    local = Retrieval(rerank="local", top_k=20, candidate_multiplier=10)
    start = time.perf_counter()
    rank(recall, local)
    report("local rerank of 100 x 1,600, texts never seen", 1e3 * (time.perf_counter() - start))
    for query in (QUERY, "为什么任务会无限重试，超过 3 次，报 E1234"):
        asked = replace(recall, query=query)
        new_query = median_ms(lambda asked=asked: rank(replace(asked), local), 40)  # type: ignore[misc]
        report(f"local rerank of 100, new query, {len(query)} characters", new_query)
    following = turned(
        [replace(local, vector_weight=weight / 20, top_k=6, candidate_multiplier=4) for weight in range(41)]
    )

    def turn() -> None:
        retrieval = following()
        pack(rank(recall, retrieval), retrieval)

    report("a turned setting with the rerank on", median_ms(turn))
    report("all bills of 100", median_ms(lambda: list(rank(recall, local).results(100)), 40))


if __name__ == "__main__":
    main()
