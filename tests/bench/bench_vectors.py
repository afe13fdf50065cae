"""The exact vector scan beside peers on the same data, interleaved in one run.

Run as ``python -m tests.bench.bench_vectors [COUNT] [DIMENSIONS]``. The peer that is always there is numpy on one
array in memory; faiss (``IndexFlatIP``, one thread) and sqlite-vec take part where they are installed. Prints
the best of each, ratios, the memory that a scan adds, and how long a cancel takes; checks that the ids are the same.
"""

from __future__ import annotations

import importlib
import importlib.util
import platform
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from threadpoolctl import threadpool_limits

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.recall.vector import VectorHits, scan
from engine.store.connect import connect, prepare, read, write
from engine.store.vectors import SCHEMA, SlotRow, append

DEPTH = 10
ROUNDS = 15
"""The best of them is told: what else runs on the machine only adds."""
BLOCK = 10_000

Way = Callable[[], list[int]]


def blocks(count: int, dimensions: int) -> Iterator[tuple[int, np.ndarray]]:
    """Unit vectors in blocks, with the number of the first of each."""
    for start in range(0, count, BLOCK):
        rows = np.random.default_rng(start).standard_normal(
            (min(BLOCK, count - start), dimensions), dtype=np.float32
        )
        yield start, rows / np.linalg.norm(rows, axis=1, keepdims=True)


def filled(folder: Path, count: int, dimensions: int) -> sqlite3.Connection:
    """A generation's database with its page file."""
    connection = connect(folder / "index.sqlite", synchronous="NORMAL")
    prepare(connection, folder / "index.sqlite", version=1, schema=SCHEMA)
    for start, rows in blocks(count, dimensions):
        owners = [SlotRow(start + place + 1, 1, "") for place in range(len(rows))]
        with write(connection):
            append(connection, folder, "f", owners, rows)
    return connection


def asking(
    connection: sqlite3.Connection, folder: Path, query: np.ndarray
) -> Callable[[CancelToken], VectorHits]:
    def ask(cancel: CancelToken) -> VectorHits:
        with read(connection):
            return scan(connection, folder, "f", query, [1], depth=DEPTH, tie_order=sorted, cancel=cancel)

    return ask


def in_memory(count: int, dimensions: int, query: np.ndarray) -> tuple[np.ndarray, Way]:
    matrix = np.empty((count, dimensions), dtype=np.float32)
    for start, rows in blocks(count, dimensions):
        matrix[start : start + len(rows)] = rows

    def ask() -> list[int]:
        with threadpool_limits(1, user_api="blas"):
            scores = matrix @ query
        best = np.argpartition(scores, -DEPTH)[-DEPTH:]
        return (best[np.argsort(-scores[best])] + 1).tolist()

    return matrix, ask


def with_faiss(matrix: np.ndarray, query: np.ndarray) -> Way:
    faiss: Any = importlib.import_module("faiss")
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(matrix.shape[1])
    index.add(matrix)
    return lambda: (index.search(query[None, :], DEPTH)[1][0] + 1).tolist()


def with_sqlite_vec(folder: Path, matrix: np.ndarray, query: np.ndarray) -> Way:
    sqlite_vec: Any = importlib.import_module("sqlite_vec")
    connection = apsw.Connection(
        str(folder / "vec.sqlite")
    )  # the standard module often cannot load extensions
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.execute(
        f"CREATE VIRTUAL TABLE v USING vec0(vector float[{matrix.shape[1]}] distance_metric=cosine)"
    )
    with connection:
        connection.executemany(
            "INSERT INTO v(rowid, vector) VALUES (?, ?)",
            ((place + 1, row.tobytes()) for place, row in enumerate(matrix)),
        )
    asked = "SELECT rowid FROM v WHERE vector MATCH ? AND k = ? ORDER BY distance"
    return lambda: [row[0] for row in connection.execute(asked, (query.tobytes(), DEPTH))]


def milliseconds(way: Callable[[], object]) -> float:
    began = time.perf_counter()
    way()
    return (time.perf_counter() - began) * 1000


def anonymous_mib() -> float:
    """This process's anonymous memory; 0 where the system does not tell."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
    return 0.0


def memory_added(ask: Callable[[CancelToken], VectorHits]) -> tuple[float, float]:
    """The most anonymous memory that a scan adds, in MiB, sampled beside it; and how long it took, in ms."""
    before, peak, done = anonymous_mib(), 0.0, threading.Event()

    def sample() -> None:
        nonlocal peak
        while not done.wait(0.001):
            peak = max(peak, anonymous_mib())

    sampler = threading.Thread(target=sample)
    sampler.start()
    took = milliseconds(lambda: ask(CancelToken()))
    done.set()
    sampler.join()
    return max(0.0, peak - before), took


def cancel_milliseconds(ask: Callable[[CancelToken], VectorHits], after: float) -> float:
    """How long a scan goes on after it was cancelled ``after`` seconds into it."""
    cancel = CancelToken()
    cancelled = 0.0

    def stop() -> None:
        nonlocal cancelled
        cancelled = time.perf_counter()
        cancel.cancel()

    timer = threading.Timer(after, stop)
    timer.start()
    with suppress(Cancelled):
        ask(cancel)
    ended = time.perf_counter()
    timer.join()
    return max(0.0, (ended - cancelled) * 1000)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    dimensions = int(sys.argv[2]) if len(sys.argv) > 2 else 384
    query = np.random.default_rng(-1 % 2**32).standard_normal(dimensions).astype(np.float32)
    query /= np.linalg.norm(query)
    print(f"{platform.processor() or platform.machine()}, {platform.platform()}, numpy {np.__version__}")
    print(f"{count:,} x {dimensions} float32, exact top {DEPTH} by cosine, best of {ROUNDS} rounds")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        connection = filled(folder, count, dimensions)
        ask = asking(connection, folder, query)
        added, first = memory_added(ask)
        print(f"  first scan of a process, with every checksum   {first:9.1f} ms")
        print(f"  anonymous memory that it added                 {added:9.1f} MiB")
        matrix, numpy_way = in_memory(count, dimensions, query)
        ways: dict[str, Way] = {
            "rankscope": lambda: ask(CancelToken()).cids.tolist(),
            "numpy in memory, one thread": numpy_way,
        }
        if importlib.util.find_spec("faiss"):
            ways["faiss IndexFlatIP, one thread"] = with_faiss(matrix, query)
        if importlib.util.find_spec("sqlite_vec"):
            ways["sqlite-vec"] = with_sqlite_vec(folder, matrix, query)
        report(ways)
        whole = statistics.median(milliseconds(lambda: ask(CancelToken())) for _ in range(3))
        worst = max(cancel_milliseconds(ask, share * whole / 1000 / 12) for share in range(1, 11))
        print(f"  from a cancel to the end, worst of 10          {worst:9.1f} ms")
        connection.close()


def report(ways: dict[str, Way]) -> None:
    """Time all ways in turn, and print each beside ours."""
    wanted = ways["numpy in memory, one thread"]()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name].append(milliseconds(way))
    best = {name: min(each) for name, each in times.items()}
    for name, way in ways.items():
        same = "same ids" if way() == wanted else "OTHER IDS"
        ratio = best["rankscope"] / best[name]
        print(f"  {name:46} {best[name]:9.1f} ms   rankscope / this = {ratio:5.2f}   {same}")


if __name__ == "__main__":
    main()
