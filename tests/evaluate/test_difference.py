"""What another generation would change, before it takes over: equal to looking at each by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import UsageError
from engine.evaluate.beside import plan_beside
from engine.evaluate.difference import Difference, difference
from engine.evaluate.run import Plan, outcomes_on
from engine.library import Library
from engine.settings import Chunking, Embedding, Settings
from tests.pipeline.killing import of_path

WIDE = Settings(
    embedding=Embedding(provider="hash"), chunking=Chunking(target_characters=1600, overlap_characters=0)
)
NARROW = Chunking(target_characters=400, overlap_characters=0)
RULE = "同一任务最多自动重试三次，间隔依次为一、五、二十五分钟，第三次仍失败时进入死信队列，等待人工重放。"
LONG = "\n\n".join(f"第 {number} 条：{RULE}" for number in range(30))
SET = """version = 1
name = "beside"

[[cases]]
id = "q1"
query = "第 7 条 说的是什么"
evidence = [{file = "rules.md", text = "第 7 条：同一任务最多自动重试三次"}]

[[cases]]
id = "q2"
query = "第 3 条到第 20 条"
evidence = [{file = "rules.md", text = "%s"}]
"""


async def run(steps: object) -> None:
    async for _ in steps:  # type: ignore[attr-defined]
        pass


@pytest.fixture
async def library(tmp_path: Path):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "rules.md").write_text(f"# 规则\n\n{LONG}\n")
    (root / "short.md").write_text("# 缓存\n\n缓存缺失时读取回到数据库。\n")
    evidence = LONG[LONG.index("第 3 条") : LONG.index("第 20 条")].replace("\n", "\\n")
    (root / "evaluation.toml").write_text(SET % evidence)
    async with await Library.open(root, settings=WIDE) as opened:
        await run(opened.sync(cancel=CancelToken()))
        yield opened


def planned(library: Library) -> Plan:
    plan = plan_beside(library, library.settings)
    assert plan is not None
    return plan


async def found(library: Library, plan: Plan | None) -> Difference:
    *_, last = [step async for step in difference(library, plan, cancel=CancelToken())]
    assert isinstance(last, Difference)
    return last


async def test_it_counts_what_each_generation_holds_and_what_both_do(library: Library) -> None:
    library.settings = replace(WIDE, chunking=NARROW)
    await run(library.upkeep.rebuild(hold=True, cancel=CancelToken()))
    told = await found(library, planned(library))
    now = [len(each.text) for path in ("rules.md", "short.md") for each in of_path(library, path)]
    assert told.now.sizes == tuple(sorted(now))
    assert told.documents == (2, 2)
    assert told.chunking == (WIDE.chunking, NARROW)
    assert told.then.chunks > told.now.chunks
    assert told.kept >= 1, "the short page is cut alike"
    assert (told.now.whole, told.now.split) == (2, 0)
    assert (told.then.whole, told.then.split) == (1, 1)
    assert [(each.piece.case_id, each.before, each.after) for each in told.moved] == [
        ("q2", "whole", "split")
    ]
    await run(library.upkeep.resume(cancel=CancelToken()))
    assert told.then.sizes == tuple(
        sorted(len(each.text) for path in ("rules.md", "short.md") for each in of_path(library, path))
    )


async def test_the_metrics_are_those_of_a_run_on_each(library: Library) -> None:
    library.settings = replace(WIDE, chunking=NARROW)
    plan = planned(library)
    await run(library.upkeep.rebuild(hold=True, cancel=CancelToken()))
    told = await found(library, plan)
    from engine.evaluate.figures import figures

    def means() -> dict[str, float]:
        *_, (outcomes,) = _returned(outcomes_on(library, library.serving(), plan, cancel=CancelToken()))
        return dict(figures(outcomes, plan.metrics).means)

    now = means()
    await run(library.upkeep.resume(cancel=CancelToken()))
    then = means()
    assert told.cases == 2
    assert told.metrics == {name: (now[name], then[name]) for name in now if name in then}


def _returned(steps):  # type: ignore[no-untyped-def]
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return [end.value]


async def test_without_a_set_the_cut_is_compared_alone(library: Library) -> None:
    await run(library.upkeep.rebuild(hold=True, cancel=CancelToken()))
    told = await found(library, None)
    assert (told.now, told.cases, told.metrics) == (told.then, 0, {})
    assert told.kept == told.now.chunks


async def test_where_nothing_lies_aside_that_is_said(library: Library) -> None:
    with pytest.raises(UsageError, match="no rebuild lies aside"):
        await found(library, None)
