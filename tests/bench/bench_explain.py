"""What a verdict costs: the smallest change beside a plain walk over the same grids, a weight's whole range beside
a walk in the dial's steps, and true ranks.

Run as a script. Prints medians of processor time and the ratio to the peer in the same run; asserts nothing.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from engine.cancel import CancelToken
from engine.explain import Place
from engine.explain.change import smallest_changes
from engine.explain.compare import compare
from engine.explain.grids import TURNED, Point, allowed, grid, with_value
from engine.explain.layers import holder, layer_of
from engine.explain.sensitivity import sensitivity
from engine.model import Recall
from engine.rank import rank
from engine.settings import Features, Retrieval
from engine.trace import settle
from tests.bench.bench_rank import frozen

FEATURES = Features()


def covering_recall() -> Recall:
    """Four lists of 200 over 600 chunks, with what any turned setting asks for."""
    recall = frozen()
    draw = np.random.default_rng(3)
    return replace(
        recall,
        holds=draw.random((len(recall.chunks), len(recall.terms))) < 0.5,
        similarities=draw.random(len(recall.chunks)),
        neighbours=2,
        around={(chunk.document_id, chunk.ordinal): chunk for chunk in recall.chunks},
    )


def at_rank(recall: Recall, retrieval: Retrieval, rank_: int) -> Place:
    """The chunk that stands at a rank, as a target."""
    chunk = rank(recall, retrieval).chunk(rank_ - 1)
    span = (chunk.start, chunk.end, chunk.text)
    return Place(chunk.document_id, chunk.path, chunk.revision, *span, (chunk,), (chunk.chunk_id,))


def walked(recall: Recall, retrieval: Retrieval, place: Place) -> None:
    """Every point of the same grids, run whole, and where none works every pair of big steps: what the smallest
    change costs without thought."""

    def works(*points: Point) -> bool:
        turned = with_value(retrieval, **{point.field.name: point.value for point in points})
        return allowed(turned) and holder(settle(recall, turned).context, place) is not None

    singles = [grid(field, getattr(retrieval, field.name)) for field in TURNED]
    if sum(works(point) for points in singles for point in points):
        return
    pairs = combinations([grid(field, getattr(retrieval, field.name), big=True) for field in TURNED], 2)
    for first, second in pairs:
        for one, other in product(first, second):
            works(one, other)


def seconds(run: Callable[[], object], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return statistics.median(times)


def report(name: str, taken: float, peer: float | None = None) -> None:
    ratio = f"   {peer / taken:5.1f}x faster than the walk ({1e3 * peer:.0f} ms)" if peer else ""
    print(f"{name:<52}{1e3 * taken:9.2f} ms{ratio}")


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    recall = covering_recall()
    for retrieval in (Retrieval(), Retrieval(rerank="local")):
        for rank_ in (9, 40):
            place = at_rank(recall, retrieval, rank_)

            def search(retrieval: Retrieval = retrieval, place: Place = place) -> object:
                return smallest_changes(recall, retrieval, [place], FEATURES, cancel=CancelToken())

            peer = seconds(lambda r=retrieval, p=place: walked(recall, r, p), 1)  # type: ignore[misc]
            report(f"smallest change, rank {rank_}, rerank {retrieval.rerank}", seconds(search), peer)
    trace = settle(recall, Retrieval())
    place = at_rank(recall, Retrieval(), 40)
    report("layer of one place", seconds(lambda: layer_of(trace, place), 30))
    exact = seconds(lambda: sensitivity(recall, Retrieval(), "vector_weight", FEATURES), 5)
    steps = [with_value(Retrieval(), vector_weight=step / 200) for step in range(1, 401)]
    peer = seconds(lambda: [rank(recall, each) for each in steps], 1)
    report("a weight's whole range, exact (walk: steps of .005)", exact, peer)
    walk = seconds(lambda: sensitivity(recall, Retrieval(rerank="local"), "vector_weight", FEATURES), 3)
    report("a weight's whole range, local rerank, by its grid", walk)
    other = settle(recall, Retrieval(vector_weight=0.3, top_k=12))
    report("two traces compared", seconds(lambda: compare(trace, other), 10))


if __name__ == "__main__":
    main()
