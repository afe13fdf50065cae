"""A disk without room stops a sync, a rebuild, an edit or an embedding in one sentence that names it: nothing of
what was finished is lost, the index goes on answering, and with room it is finished."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import DiskFullError, RankscopeError
from engine.library import Library
from tests.faults.disks import fill, small_disk
from tests.pipeline.killing import SETTINGS, of_path

QUESTION = "重试几次 retry limit"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 16) as place:
        yield place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(20):
        page(folder, n, "at first")
    return folder


def page(root: Path, n: int, when: str) -> None:
    (root / f"{n:02}.md").write_text(
        f"# Queue {n}\n\n任务最多重试 {n} 次，{when}。The retry limit is {n}.\n" * 12
    )


async def sync(root: Path, data: Path, *, rebuild: bool = False) -> None:
    async with await Library.open(root, settings=SETTINGS, data=data) as library:
        async for _ in library.sync(rebuild=rebuild, cancel=CancelToken()):
            pass


async def edit(root: Path, data: Path) -> None:
    async with await Library.open(root, settings=SETTINGS, data=data) as library:
        await library.edits.set_text(of_path(library, "03.md")[0].chunk_id, "an edited text " * 900)


async def found(root: Path, data: Path) -> list[str]:
    async with await Library.open(root, settings=SETTINGS, data=data, create=False) as library:
        return [chunk.chunk_id for chunk in (await library.retrieve(QUESTION)).recall.chunks]


def wrong(root: Path, data: Path) -> list[str]:
    from engine.store.places import locate
    from engine.verify import Subject, verify

    *_, last = verify(Subject(root, locate(root, data), SETTINGS), cancel=CancelToken())
    return [str(one) for one in last.findings if one.severity == "error"]  # type: ignore[union-attr]


async def grow(root: Path, data: Path) -> None:
    for n in range(20, 40):
        page(root, n, "later")
    await sync(root, data)


async def change(root: Path, data: Path) -> None:
    for n in range(20):
        page(root, n, "changed")
    await sync(root, data)


async def rebuild(root: Path, data: Path) -> None:
    await sync(root, data, rebuild=True)


@pytest.mark.parametrize(
    ("work", "left"), [(grow, 60_000), (change, 0), (rebuild, 300_000), (edit, 0), (edit, 60_000)]
)
def test_what_finds_no_room_says_so_and_is_finished_with_room(
    disk: Path, root: Path, work: Callable[[Path, Path], object], left: int
) -> None:
    asyncio.run(sync(root, disk))
    filler = fill(disk, left)
    told = ""
    try:
        asyncio.run(work(root, disk))  # type: ignore[arg-type]
    except DiskFullError as error:
        told = str(error)
    assert not told or (str(disk) in told and "free some space" in told)
    with suppress(DiskFullError):
        assert asyncio.run(found(root, disk)), "the text channels go on answering"
    filler.unlink()
    assert wrong(root, disk) == []
    if told:
        asyncio.run(work(root, disk))  # type: ignore[arg-type]
    asyncio.run(sync(root, disk))
    assert wrong(root, disk) == []
    assert len(asyncio.run(found(root, disk))) > 0


def test_a_first_index_without_room_is_begun_again(disk: Path, root: Path) -> None:
    filler = fill(disk, 20_000)
    with pytest.raises(RankscopeError, match=r"no room left to write .*free some space"):
        asyncio.run(sync(root, disk))
    filler.unlink()
    asyncio.run(sync(root, disk))
    assert wrong(root, disk) == []


def test_a_full_temporary_folder_is_told_or_not_needed(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "temporary", 1) as place:
        fill(place)
        monkeypatch.setenv("TMPDIR", str(place))
        monkeypatch.setenv("SQLITE_TMPDIR", str(place))
        asyncio.run(sync(root, tmp_path / "data"))
        asyncio.run(rebuild(root, tmp_path / "data"))
        assert wrong(root, tmp_path / "data") == []
