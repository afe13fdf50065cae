"""A process killed at any durable step loses no finished document, and what served goes on serving."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.store.check import check
from engine.store.places import locate
from engine.store.steps import STEPS
from tests.pipeline.killing import PATHS, SETTINGS, answers, edited, errors, run, start, synced, verified

QUESTIONS = ("任务重试几次", "the retry limit of queue 7")
INDEXING = (
    "library.created", "generation.created", "pointer.moved", "revision.archived", "documents.committed",
    "cache.committed", "pages.synced", "vectors.committed",
)  # fmt: skip
REBUILDING = (
    "generation.created", "revision.archived", "pages.synced", "documents.committed", "generation.checked",
    "pointer.moved", "generation.deleted",
)  # fmt: skip
EDITING = ("edit.appended", "edit.applied")
BESIDE = [
    *[((), "hold", step) for step in ("generation.created", "generation.checked", "generation.held")],
    *[(("hold",), "switch", step) for step in ("generation.checked", "pointer.moved")],
    *[
        (("recut", "edit", "sync"), "rollback", step)
        for step in ("edit.applied", "pages.synced", "generation.checked", "pointer.moved")
    ],
    *[
        (("edit", "sync", "hold"), "take over", step)
        for step in ("documents.committed", "pages.synced", "aside.dropped", "generation.deleted")
    ],
    *[(("hold",), "drop", step) for step in ("aside.dropped", "generation.deleted")],
]
"""What was done before, the task that is killed, and at which step."""
SYNCING = ("documents.committed", "documents.deleted", "segments.merged")


def folder(root: Path, documents: int = 24) -> Path:
    root.mkdir()
    for n in range(documents):
        (root / f"{n:03}.md").write_text(
            f"# 队列 {n}\n\n任务最多重试 {n} 次。\n\n## Limits\n\nThe retry limit of queue {n} is {n * 3}.\n"
            * 3
        )
    return root


@pytest.mark.parametrize("step", INDEXING)
async def test_a_first_index_killed_at_a_step_is_finished_by_the_next_run(tmp_path: Path, step: str) -> None:
    root = folder(tmp_path / "docs")
    assert run(root, "sync", step) == -9
    assert errors(root) == []
    await synced(root)
    assert verified(root).clean
    await synced(root, data=tmp_path / "fresh")
    assert await answers(root, *QUESTIONS) == await answers(root, *QUESTIONS, data=tmp_path / "fresh")


@pytest.mark.parametrize("step", REBUILDING)
async def test_a_rebuild_killed_at_a_step_leaves_an_index_that_answers_as_before(
    tmp_path: Path, step: str
) -> None:
    root = folder(tmp_path / "docs")
    await synced(root)
    if (
        step == "generation.deleted"
    ):  # the one before stays for a rollback, so two rebuilds leave one to delete
        await synced(root, rebuild=True)
    expected = await answers(root, *QUESTIONS)
    assert run(root, "rebuild", step) == -9
    assert verified(root).clean
    assert await answers(root, *QUESTIONS) == expected
    await synced(root, rebuild=True)
    assert await answers(root, *QUESTIONS) == expected
    assert verified(root).clean
    assert len(list(locate(root).generations.iterdir())) <= 2


@pytest.mark.parametrize("step", SYNCING)
async def test_a_sync_killed_at_a_step_is_finished_by_the_next_run(tmp_path: Path, step: str) -> None:
    root = folder(tmp_path / "docs")
    await synced(root)
    for n in range(7, 18):  # enough documents, each with a segment of its own, for segments to be merged
        (root / f"{n:03}.md").write_text(f"# 队列 {n}\n\n任务不再重试。\n")
    (root / "003.md").unlink()
    assert run(root, "sync", step) == -9
    assert errors(root) == []
    await synced(root)
    assert verified(root).clean
    await synced(root, data=tmp_path / "fresh")
    assert await answers(root, *QUESTIONS) == await answers(root, *QUESTIONS, data=tmp_path / "fresh")


@pytest.mark.parametrize("occurrence", [1, 2, 7])
@pytest.mark.parametrize("step", EDITING)
async def test_an_edit_killed_at_a_step_is_there_when_the_library_is_opened_again(
    tmp_path: Path, step: str, occurrence: int
) -> None:
    root, other = folder(tmp_path / "docs"), folder(tmp_path / "whole")
    await synced(root)
    await synced(other)
    assert run(other, "edit") == 0
    assert run(root, "edit", step, occurrence) == -9
    assert verified(root).clean
    async with await Library.open(root, settings=SETTINGS) as library:
        assert len(await library.edits.history()) == occurrence
        assert await library.edits.conflicts() == []
        check(library.serving(), cancel=CancelToken())
        await edited(library)
        assert len(await library.edits.history()) == len(PATHS)
    assert await answers(root, *QUESTIONS) == await answers(other, *QUESTIONS)


@pytest.mark.parametrize("step", [*REBUILDING, *EDITING])
async def test_a_rebuild_killed_at_a_step_keeps_every_edit(tmp_path: Path, step: str) -> None:
    root = folder(tmp_path / "docs")
    await synced(root)
    assert run(root, "edit") == 0
    await synced(root)  # the vectors of the edited texts
    expected = await answers(root, *QUESTIONS)
    run(root, "rebuild", step)
    assert verified(root).clean
    assert await answers(root, *QUESTIONS) == expected
    await synced(root, rebuild=True)
    assert await answers(root, *QUESTIONS) == expected
    assert verified(root).clean


@pytest.mark.parametrize(("before", "task", "step"), BESIDE)
async def test_a_task_beside_what_serves_killed_at_a_step_is_whole_or_undone(
    tmp_path: Path, before: tuple[str, ...], task: str, step: str
) -> None:
    root, other = folder(tmp_path / "docs", 10), folder(tmp_path / "whole", 10)
    for each in (root, other):
        await synced(each)
        for done in before:
            assert run(each, done) == 0
    asked = await answers(root, *QUESTIONS)
    assert run(other, task) == 0
    expected = await answers(other, *QUESTIONS)
    assert run(root, task, step) == -9
    assert errors(root) == []
    now = await answers(root, *QUESTIONS)
    if task != "take over":  # which goes document by document
        assert now in (asked, expected)
    async with await Library.open(root, settings=SETTINGS) as library:
        assert len(await library.edits.history()) == (len(PATHS) if "edit" in before else 0)
        assert await library.edits.conflicts() == []
        left = await library.upkeep.aside()
        assert (await library.upkeep.tasks())[0].state != "running"
    if now != expected or left:
        run(root, task)
    assert verified(root).clean
    assert await answers(root, *QUESTIONS) == expected


def test_every_step_is_killed_somewhere() -> None:
    renaming = {"alias.recorded"}  # in test_renames
    beside = {step for _, _, step in BESIDE}
    assert set(STEPS) == {*INDEXING, *REBUILDING, *SYNCING, *EDITING, *renaming, *beside}


async def killed_at_random(root: Path, moments: int, seed: int) -> None:
    chance = random.Random(seed)
    await synced(root)
    expected = await answers(root, *QUESTIONS)
    for _ in range(moments):
        with start(root, "rebuild") as process:
            time.sleep(chance.uniform(0.3, 1.6))
            process.kill()
        assert verified(root).clean
        assert await answers(root, *QUESTIONS) == expected
        assert len(list(locate(root).generations.iterdir())) <= 3


async def test_a_rebuild_killed_at_random_moments_never_empties_the_index(tmp_path: Path) -> None:
    await killed_at_random(folder(tmp_path / "docs", 100), moments=3, seed=11)


@pytest.mark.stress
async def test_a_rebuild_killed_at_many_random_moments(tmp_path: Path, seed: int) -> None:
    await killed_at_random(folder(tmp_path / "docs", 700), moments=200, seed=seed)
