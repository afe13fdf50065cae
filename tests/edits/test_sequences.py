"""Edits, syncs and rebuilds in any order: each edit is applied or a conflict, the order does not matter to the index,
and undoing everything gives back what there was."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.errors import UsageError
from engine.library import Library
from engine.model import Chunk
from engine.settings import Chunking
from engine.store.check import check
from engine.store.chunks import of_document
from engine.store.library_file import LibraryFile
from tests.explain.libraries import indexed, write
from tests.explain.libraries import settings as under

PARAGRAPHS = [f"第 {n} 条：任务失败后先等 {n} 分钟，再由第 {n % 3} 号工人重试。" for n in range(9)]
TWICE = "The lease is renewed every ten seconds, and lost after three."
DOCUMENTS = {
    "a.md": "# 规则\n\n" + "\n\n".join(PARAGRAPHS[:5]) + f"\n\n## 租约\n\n{TWICE}\n\n## 别的\n\n{TWICE}\n",
    "b.md": "# 其他\n\n" + "\n\n".join(PARAGRAPHS[5:]) + "\n",
}
MODES = (
    Chunking(target_characters=400, overlap_characters=0),
    Chunking(mode="fixed", target_characters=400, overlap_characters=80),
    Chunking(mode="parent-child", parent_characters=1_600, child_characters=300),
)
KINDS = (
    "text", "split", "merge", "disable", "enable", "delete", "restore", "undo", "mine", "file",
    "before", "inside", "double", "as it was", "rebuild",
)  # fmt: skip
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 40), st.integers(1, 60)), min_size=1, max_size=9
)


def chunks(library: Library, *, parents: bool = False) -> list[Chunk]:
    with library.serving().reading() as connection:
        found = [chunk for path in DOCUMENTS for chunk in of_document(connection, path)]
    return [chunk for chunk in found if parents or chunk.role != "parent"]


def state(library: Library) -> list[object]:
    """All that the generation that serves says of documents and chunks, row numbers apart."""
    with library.serving().reading() as connection:
        return [
            chunks(library, parents=True),
            connection.execute(
                "SELECT document_id, path, revision, parser, chunks, corpus_term FROM document ORDER BY path"
            ).fetchall(),
            connection.execute(
                "SELECT labels, documents, chunks, waiting, ready, corpus_sum, vector_sum FROM label_set"
            ).fetchall(),
            connection.execute(
                "SELECT d.path, c.ordinal, c.role, c.text_hash, c.embed_hash, c.vector, c.pin FROM chunk c"
                " JOIN document d USING (did) ORDER BY d.path, c.role, c.ordinal"
            ).fetchall(),
        ]


async def synced(library: Library, *, rebuild: bool = False) -> None:
    async for _ in library.sync(rebuild=rebuild, cancel=CancelToken()):
        pass


async def embedded(library: Library) -> None:
    async for _ in library.embed(cancel=CancelToken()):
        pass


async def taken(library: Library, kind: str, which: int, where: int) -> None:
    """One step of a sequence; an edit that cannot be made is refused."""
    edits, here = library.edits, chunks(library)
    chunk = here[which % len(here)]
    file = library.root / chunk.path
    now = file.read_text(encoding="utf-8")
    match kind:
        case "text":
            await edits.set_text(chunk.chunk_id, f"改写 {where}：{chunk.text[where:]}大象。")
        case "split":
            await edits.split(chunk.chunk_id, [where])
        case "merge":
            await edits.merge([one.chunk_id for one in here[which % len(here) :][:2]])
        case "disable" | "enable" | "delete" | "restore":
            await getattr(edits, kind)(chunk.chunk_id)
        case "undo":
            await edits.undo()
        case "mine" | "file":
            for conflict in (await edits.conflicts())[:1]:
                await edits.resolve(conflict.pin.id, kind)
        case "rebuild":
            library.settings = replace(library.settings, chunking=MODES[where % 3])
            await synced(library, rebuild=True)
        case "before":
            file.write_text(f"前言 {where}。\n\n{now}", encoding="utf-8")
        case "inside":
            place = now.find("重试", where)
            file.write_text(now[:place] + f"重新 {where} " + now[place:], encoding="utf-8")
        case "double":
            file.write_text(now + "\n" + now[where:], encoding="utf-8")
        case "as it was":
            file.write_text(DOCUMENTS[chunk.path], encoding="utf-8")
    await synced(library)


async def judged(library: Library) -> None:
    """Each edit has its place, where it serves, or is a conflict with both texts; what is out of use serves nowhere."""
    check(library.serving(), cancel=CancelToken())
    lost = {conflict.pin.id: conflict for conflict in await library.edits.conflicts()}
    with library.serving().reading() as connection:
        rows = connection.execute("SELECT pin, text, enabled FROM chunk WHERE pin <> ''").fetchall()
    placed = {pin: (text, bool(enabled)) for pin, text, enabled in rows}
    assert len(placed) == len(rows)
    pins = await library.edits.pins()
    for pin in pins:
        assert (pin.id in placed) != (pin.id in lost)
        if pin.id in placed:
            assert placed[pin.id] == (pin.effective, pin.state == "enabled")
        else:
            assert lost[pin.id].base == pin.base
            assert lost[pin.id].mine == (pin.effective if pin.state == "enabled" else "")
    assert len(placed) + len(lost) == len(pins)
    for chunk in chunks(library):
        text = (library.root / chunk.path).read_text(encoding="utf-8")
        assert chunk.edited or chunk.text == text[chunk.start : chunk.end]


async def lived(folder: Path, steps: list[tuple[str, int, int]]) -> None:
    library = await indexed(write(folder / "docs", DOCUMENTS), under(chunking=MODES[0]))
    try:
        before = state(library)
        for step in steps:
            with suppress(UsageError):
                await taken(library, *step)
        await judged(library)
        await embedded(library)
        await the_same_from_what_was_exported(library, folder)
        write(library.root, DOCUMENTS)
        library.settings = replace(library.settings, chunking=MODES[0])
        await synced(library, rebuild=True)
        for _ in range(await steps_that_stand(library)):
            await library.edits.undo()
        with pytest.raises(UsageError, match="nothing to undo"):
            await library.edits.undo()
        await embedded(library)
        assert await library.edits.pins() == ()
        assert state(library) == before
    finally:
        await library.close()


async def steps_that_stand(library: Library) -> int:
    steps = await library.edits.history()
    undone = {step.undoes for step in steps}
    return sum(step.action != "undo" and step.seq not in undone for step in steps)


async def the_same_from_what_was_exported(library: Library, folder: Path) -> None:
    """Another index of the same files, that was given the edits as they are, holds the same."""
    told = await library.edits.export()
    shutil.copytree(library.root, folder / "other", ignore=shutil.ignore_patterns(".rankscope"))
    other = await indexed(folder / "other", library.settings)
    try:
        await other.edits.import_(told)
        await embedded(other)
        assert await other.edits.export() == told
        shared = [
            pin.id for pin in await library.edits.pins() if library_knows(other, pin.revision, pin.parser)
        ]
        if len(shared) == len(await library.edits.pins()):
            assert state(other) == state(library)
    finally:
        await other.close()


def library_knows(library: Library, revision: str, parser: str) -> bool:
    """Whether the text that an edit was made in is archived there too: without it no lines can be compared."""
    with closing(LibraryFile(library.places.library)) as file:
        return file.text_of(revision, parser) is not None


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_any_sequence_keeps_every_edit_and_is_undone_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    asyncio.run(lived(tmp_path_factory.mktemp("lived"), steps))
