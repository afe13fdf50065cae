"""A library is examined as a principal sees it; hubs and orphans by a count that a naive one confirms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.health import Health, health, neighbours
from engine.health.neighbours import NEAREST, Neighbours
from engine.library import Library
from engine.store import vectors
from engine.store.vector_pages import PageFile
from tests.commands.conftest import Run
from tests.commands.conftest import home as home
from tests.commands.conftest import invoke as invoke
from tests.pipeline.killing import SETTINGS, synced


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(40):
        (folder / f"{n:02}.md").write_text(
            f"# Queue {n}\n\n任务最多重试 {n} 次，然后进入死信队列 {n * 7}。\n"
        )
    (folder / "copy.md").write_text((folder / "07.md").read_text())
    (folder / "none.md").write_text("\n")
    await synced(folder)
    return folder


async def examined(root: Path) -> Health:
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        async for step in library.health.run(cancel=CancelToken()):
            last = step
    assert isinstance(last, Health)
    return last


async def test_a_library_is_examined_by_cause(root: Path) -> None:
    found = await examined(root)
    assert (found.documents, found.chunks) == (42, 41)
    assert [(case.path, case.sentence) for case in found.of("empty")] == [
        ("none.md", "it holds no retrievable content")
    ]
    assert [(case.path, case.sentence) for case in found.of("duplicate")] == [
        ("copy.md", "the same text as 07.md chunk 1")
    ]
    assert found.measured == "41 of 41 chunks have a vector; each asked for its 10 nearest by cosine"


async def test_occurrences_are_those_of_the_naive_count(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "BLOCK", 7)
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        generation = library.serving()
        with generation.reading() as connection:
            cids = np.array([cid for (cid,) in connection.execute("SELECT cid FROM chunk ORDER BY cid")])
            found = neighbours.neighbours(connection, generation, cids, cancel=CancelToken())
            assert found is not None
            assert found.exact
            file = vectors.vector_file(connection, generation.meta["embedder"])
            assert file is not None
            (page,) = vectors.pages(connection, file)
            with PageFile(generation.folder / file.name, file.dimensions) as source:
                rows = np.array(source.page(0, len(page.slots), page.checksum), dtype=np.float64)
    cosines = (rows @ rows.T)[np.ix_(*[np.argsort(page.slots["cid"])] * 2)]
    np.fill_diagonal(cosines, -np.inf)
    tenth = np.sort(cosines, axis=1)[:, -NEAREST]
    surely, perhaps = (
        (cosines > tenth[:, None] + slack).sum(axis=0) for slack in (1e-6, -1e-6)
    )  # a tie in float64 falls to either side in float32
    assert (surely <= found.occurrences).all()
    assert (found.occurrences <= perhaps).all()
    assert found.occurrences.sum() == NEAREST * len(rows)


def test_a_hub_stands_out_and_an_orphan_is_far_from_all() -> None:
    times = np.full(100, 10)
    times[3], times[8], times[9] = 90, 0, 0
    nearest = np.full(100, 0.8, dtype=np.float32)
    nearest[8] = 0.1
    found = Neighbours(np.arange(100) + 1, times, nearest, 100)
    assert found.hubs() == {4: 90}
    assert [*found.orphans()] == [9], "another that is in no list lies near its neighbours all the same"
    assert not Neighbours(np.arange(100) + 1, times, nearest, 50).orphans(), "a sample cannot show an orphan"


async def test_a_library_without_vectors_says_so(root: Path) -> None:
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        generation = library.serving()
        generation.meta["embedder"] = ""
        *_, last = health(generation, library.places.library, ("*",), cancel=CancelToken())
    assert isinstance(last, Health)
    assert last.measured.startswith("hubs and orphans were not measured")


def test_the_command_tells_every_cause_and_json_all_of_them(invoke: Run, root: Path) -> None:
    answer = invoke("health", root, "--set", "embedding.provider=hash")
    assert answer.returncode == 0
    rows = answer.stdout.splitlines()
    assert rows[0].startswith("42 documents, 41 chunks: ")
    assert "  copy.md:1  the same text as 07.md chunk 1" in rows
    found = json.loads(invoke("health", root, "--json", "--set", "embedding.provider=hash").stdout)
    assert found["causes"]["duplicate"]["cases"][0]["document"] == "copy.md"
