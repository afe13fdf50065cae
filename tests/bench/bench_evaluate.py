"""A whole evaluation of XQuAD in Chinese with warm vectors, beside asking the same questions one by one.

Its figures are then computed beside ir_measures on the exported run. Needs the evaluation data beside the checkout.
"""

from __future__ import annotations

import asyncio
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import ir_measures

from engine.cancel import CancelToken
from engine.embedding import available
from engine.evaluate.export import trec_qrels, trec_run
from engine.evaluate.figures import figures
from engine.evaluate.fit import fitted
from engine.evaluate.formats import read_set
from engine.evaluate.run import Evaluation, Plan, Variant
from engine.library import Library
from engine.settings import Embedding, Retrieval, Settings
from tests.conftest import SHARED

GOAL_SECONDS = 10
ROUNDS = 2
METRICS = ("recall@5", "mrr@10", "ndcg@10", "map")
PEERS = [ir_measures.R @ 5, ir_measures.RR @ 10, ir_measures.nDCG @ 10, ir_measures.AP]

T = TypeVar("T")


async def main() -> None:
    corpus = SHARED / "data" / "xquad-zh"
    if not corpus.is_dir():
        print("the evaluation data is not beside the checkout")
        return
    embedder = available()[0]
    settings = Settings(embedding=Embedding(provider=embedder))  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as data:
        async with await Library.open(corpus, settings=settings, data=Path(data)) as library:
            async for _ in library.sync(cancel=CancelToken()):
                pass
            await measured(library, embedder, corpus)


async def measured(library: Library, embedder: str, corpus: Path) -> None:
    cases = fitted(library, read_set(corpus)).cases
    plan = Plan(cases, (Variant("settings", Retrieval()),), METRICS)
    evaluation = Evaluation(library, plan)
    await evaluated(evaluation)  # embeds the questions
    wall, cpu = min([await evaluated(evaluation) for _ in range(ROUNDS)])
    began = time.perf_counter()
    for case in cases.cases:
        await library.retrieve(case.query)
    singly = time.perf_counter() - began
    questions = len(cases.cases)
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(
        f"{platform.machine()}, {platform.python_version()}, {load}, embedder {embedder}, {questions:,} questions"
    )
    print(
        f"evaluation      {wall:6.2f} s  {wall / questions * 1000:5.2f} ms a question, {cpu:.2f} s of processor"
    )
    print(f"asked one by one {singly:5.2f} s  {singly / questions * 1000:5.2f} ms a question")
    met = "met" if wall <= GOAL_SECONDS else "missed"
    print(f"evaluation / one by one {wall / singly:.2f}; goal {GOAL_SECONDS} s: {met}")

    outcomes = evaluation.runs[0].outcomes
    run = list(ir_measures.read_trec_run(trec_run(outcomes, "bench")))
    qrels = list(ir_measures.read_trec_qrels(trec_qrels(outcomes)))
    ours, took = timed(lambda: figures(outcomes, METRICS).means)
    theirs, peer = timed(lambda: ir_measures.calc_aggregate(PEERS, qrels, run))
    assert all(abs(ours[name] - theirs[each]) < 1e-9 for name, each in zip(METRICS, PEERS, strict=True))
    print(f"figures {took * 1000:.0f} ms, ir_measures {peer * 1000:.0f} ms, ratio {took / peer:.2f}")


async def evaluated(evaluation: Evaluation) -> tuple[float, float]:
    """Wall and processor seconds of one whole run."""
    wall, cpu = time.perf_counter(), time.process_time()
    async for _ in evaluation.run(cancel=CancelToken()):
        pass
    return time.perf_counter() - wall, time.process_time() - cpu


def timed(work: Callable[[], T]) -> tuple[T, float]:
    began = time.perf_counter()
    found = work()
    return found, time.perf_counter() - began


if __name__ == "__main__":
    asyncio.run(main())
