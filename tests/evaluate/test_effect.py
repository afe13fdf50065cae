"""What an edit would do to a set is what it does, and trying it changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.edits import intent
from engine.edits.intent import Intent
from engine.errors import Cancelled, UsageError
from engine.evaluate.archive import ArchivedTexts
from engine.evaluate.effect import Effect, effect
from engine.evaluate.figures import figures
from engine.evaluate.run import METRICS, Evaluation, Plan, Variant
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.evaluate.validate import validate
from engine.library import Library
from engine.model import Progress
from engine.settings import Chunking
from engine.store.chunks import of_document
from engine.store.library_file import LibraryFile
from tests.explain.libraries import indexed, settings, write

RULE = "同一任务最多自动重试三次，第三次仍失败时任务进入死信队列。"
LEASE = "The lease is renewed every ten seconds."
DOCUMENTS = {
    "retry.md": f"# 规则\n\n{RULE}\n\n## 租约\n\n{LEASE}\n",
    **{f"{n}.md": f"# 第 {n} 页\n\n第 {n} 页讲缓存缺失时读取回到数据库的第 {n} 种情形。\n" for n in range(8)},
}
CASES = tuple(
    Case(name, query, claims=(Claim("1", (Evidence("retry.md", text),)),))
    for name, query, text in (
        ("retries", "最多自动重试几次", "最多自动重试三次"),
        ("dead", "失败的任务进入哪里", RULE),
        ("lease", "how often is the lease renewed", LEASE),
    )
)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    cut = Chunking(target_characters=400, overlap_characters=0)
    library = await indexed(write(tmp_path / "docs", DOCUMENTS), settings(chunking=cut))
    yield library
    await library.close()


def plan(library: Library) -> Plan:
    with closing(LibraryFile(library.places.library)) as file:
        checked = validate(EvaluationSet(1, "own", CASES), ArchivedTexts(library.serving(), file))
    assert not checked.problems
    return Plan(checked.evaluation, (Variant("now", library.settings.retrieval),))


def chunk_of(library: Library, part: str) -> str:
    with library.serving().reading() as connection:
        return next(one.chunk_id for one in of_document(connection, "retry.md") if part in one.text)


async def tried(library: Library, wanted: Intent) -> Effect:
    found = [each async for each in effect(library, wanted, plan(library), cancel=CancelToken())]
    assert all(isinstance(each, Progress) for each in found[:-1])
    (last,) = found[-1:]
    assert isinstance(last, Effect)
    return last


async def measured(library: Library) -> dict[str, float]:
    run = Evaluation(library, plan(library))
    async for _ in run.run(cancel=CancelToken()):
        pass
    return dict(figures(run.runs[0].outcomes, METRICS).means)


@pytest.mark.parametrize("kind", ["text", "split", "disable", "delete"])
async def test_the_metrics_foreseen_are_those_that_come(library: Library, kind: str) -> None:
    chunk_id = chunk_of(library, RULE)
    with library.serving().reading() as connection:
        text = next(one.text for one in of_document(connection, "retry.md") if one.chunk_id == chunk_id)
    wanted = {
        "text": intent.set_text(chunk_id, text.replace("最多自动重试三次", "不再重试")),
        "split": intent.split(chunk_id, [text.index("三次")]),
        "disable": intent.disable(chunk_id),
        "delete": intent.delete(chunk_id),
    }[kind]
    generations = sorted(library.places.generations.iterdir())
    before = await measured(library)
    found = await tried(library, wanted)
    assert sorted(library.places.generations.iterdir()) == generations, "the copy is gone"
    assert await library.edits.history() == []
    assert {name: now for name, (now, _) in found.metrics.items()} == before
    await library.edits.take(wanted)
    async for _ in library.embed(cancel=CancelToken()):
        pass
    assert {name: then for name, (_, then) in found.metrics.items()} == await measured(library)
    assert before != await measured(library)


async def test_evidence_and_flips_are_told_of_the_cases_that_the_edit_concerns(library: Library) -> None:
    chunk_id = chunk_of(library, RULE)
    found = await tried(library, intent.set_text(chunk_id, "同一任务最多自动重试三次，随后交给值班的人。"))
    assert (found.now.whole, found.now.lost, found.cases) == (3, 0, 3)
    assert [(moved.piece.case_id, moved.before, moved.after) for moved in found.moved] == [
        ("dead", "whole", "lost")
    ]
    assert [(flip.case_id, flip.before, flip.gained) for flip in found.flips] == [("dead", "context", False)]
    assert found.then.sizes != found.now.sizes
    assert [pin.text for pin in found.change.added] == ["同一任务最多自动重试三次，随后交给值班的人。"]
    cut = await tried(library, intent.split(chunk_id, [20]))
    assert cut.then.chunks == cut.now.chunks + 1
    assert ("dead", "whole", "split") in [(one.piece.case_id, one.before, one.after) for one in cut.moved]


async def test_what_cannot_be_done_is_not_tried_and_a_cancel_leaves_nothing(library: Library) -> None:
    chunk_id = chunk_of(library, RULE)
    generations = sorted(library.places.generations.iterdir())
    with pytest.raises(UsageError, match="cannot be empty"):
        await tried(library, intent.set_text(chunk_id, " "))
    cancel = CancelToken()
    trying = effect(library, intent.disable(chunk_id), plan(library), cancel=cancel)
    assert isinstance(await anext(trying), Progress)
    cancel.cancel()
    with pytest.raises(Cancelled):
        await anext(trying)
    assert sorted(library.places.generations.iterdir()) == generations
