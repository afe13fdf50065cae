"""A byte that a disk changed, a file that it cut short or lost, a file of somebody else's: the answer is the same as
ever, or says what is wrong; verifying finds it; a repair mends what is derived."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import RankscopeError
from engine.library import Library
from engine.store import vector_pages
from tests.pipeline.killing import SETTINGS, synced, without_times
from tests.verify.damage import QUESTIONS, Damaged

FILES = ("index.sqlite", "vectors-1.f32", "library.sqlite", "cache.sqlite")
OUTCOMES = ("as ever", "told", "refused")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sound") / "docs"
    root.mkdir()
    for n in range(6):
        (root / f"{n}.md").write_text(
            f"# Queue {n}\n\n任务最多重试 {n} 次。\n\n## Limits\n\nThe retry limit of queue {n} is {n * 3}.\n"
            * 3
        )
    (root / "corpus.jsonl").write_text('{"_id": "one", "title": "One", "text": "a line of a corpus"}\n')
    asyncio.run(synced(root))
    return root


@pytest.fixture
def damaged(sound: Path, tmp_path: Path) -> Damaged:
    shutil.copytree(sound, tmp_path / "docs")
    return Damaged(tmp_path / "docs")


def place(damaged: Damaged, name: str) -> Path:
    (found,) = damaged.places.base.rglob(name)
    return found


async def ask(root: Path) -> list[dict[str, object]]:
    """The answers, as a process gives them that has read none of the files before; the version of the corpus and of
    the vectors, which are sums to compare states by and no result, left out."""
    vector_pages._checked.clear()
    found = []
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        for question in QUESTIONS:
            answer = json.loads(without_times(await library.retrieve(question)))
            del answer["corpus_version"], answer["index_state"]
            found.append(answer)
    return found


def outcome(root: Path, expected: list[dict[str, object]]) -> str:
    """What a question meets: the same answer, one that says what took no part, a sentence instead, or a wrong answer."""
    try:
        found = asyncio.run(ask(root))
    except RankscopeError:
        return "refused"
    if found == expected:
        return "as ever"
    told = [answer["diagnostics"]["degraded"] for answer in found]  # type: ignore[index]
    return "told" if told != [answer["diagnostics"]["degraded"] for answer in expected] else "wrong"  # type: ignore[index]


def flipped(damaged: Damaged, path: Path, chances: random.Random, count: int) -> Iterator[str]:
    """Each of ``count`` single bits, flipped one after the other; what comes of it, with its place where it is wrong."""
    expected = asyncio.run(ask(damaged.root))
    files = [each for each in damaged.places.base.rglob("*") if each.is_file()]
    saved = {each: each.read_bytes() for each in files}
    for _ in range(count):
        at, bit = chances.randrange(len(saved[path])), chances.randrange(8)
        raw = bytearray(saved[path])
        raw[at] ^= 1 << bit
        path.write_bytes(raw)
        found = outcome(damaged.root, expected)
        yield found if found in OUTCOMES else f"{found}: bit {bit} of byte {at} of {path.name}"
        for each in damaged.places.base.rglob("*"):
            if each.is_file() and each not in saved:
                each.unlink()
        for each, was in saved.items():
            each.write_bytes(was)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_never_gives_another_answer_in_silence(damaged: Damaged, name: str) -> None:
    path = place(damaged, name)
    assert {*flipped(damaged, path, random.Random(name), 8)} <= {*OUTCOMES}


@pytest.mark.stress
@pytest.mark.parametrize("name", FILES)
def test_a_thousand_flipped_bits(damaged: Damaged, name: str, seed: int) -> None:
    assert {*flipped(damaged, place(damaged, name), random.Random(seed), 1_000)} <= {*OUTCOMES}


@pytest.mark.parametrize("name", FILES[:2])
@pytest.mark.parametrize("left", [0.0, 0.7])
def test_a_file_of_a_generation_cut_short_is_told_found_and_mended(
    damaged: Damaged, name: str, left: float
) -> None:
    expected = asyncio.run(ask(damaged.root))
    path = place(damaged, name)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * left)])
    assert outcome(damaged.root, expected) in ("told", "refused")
    assert not damaged.verified().clean
    assert damaged.repair().clean
    assert asyncio.run(ask(damaged.root)) == expected


def test_a_cache_cut_short_costs_only_time(damaged: Damaged) -> None:
    expected = asyncio.run(ask(damaged.root))
    path = damaged.places.cache
    path.write_bytes(path.read_bytes()[:5_000])
    assert not damaged.verified().clean
    assert outcome(damaged.root, expected) == "as ever"
    assert damaged.verified().clean


def test_the_users_file_cut_short_is_refused_and_left_as_it_is(damaged: Damaged) -> None:
    path = damaged.places.library
    raw = path.read_bytes()[:5_000]
    path.write_bytes(raw)
    with pytest.raises(RankscopeError, match=r"library\.sqlite .*restore it from a backup"):
        asyncio.run(ask(damaged.root))
    assert {(one.code, one.derived) for one in damaged.found()} == {("library_damaged", False)}
    assert path.read_bytes() == raw


@pytest.mark.parametrize("name", FILES[::2])
def test_somebody_elses_database_in_place_of_ours_is_left_as_it_is(damaged: Damaged, name: str) -> None:
    path = place(damaged, name)
    for each in path.parent.glob(f"{name}*"):
        each.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs(x)")
        other.commit()
    raw = path.read_bytes()
    with pytest.raises(RankscopeError, match="not an index of Rankscope"):
        asyncio.run(ask(damaged.root))
    assert path.read_bytes() == raw
    assert not damaged.verified().clean


@pytest.mark.parametrize("name", FILES[::2])
def test_an_index_of_a_later_version_is_refused_with_what_to_do(damaged: Damaged, name: str) -> None:
    with closing(sqlite3.connect(place(damaged, name))) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(RankscopeError, match=r"was written by a later version .*upgrade"):
        asyncio.run(ask(damaged.root))
    assert not damaged.verified().clean


def test_a_sync_notices_a_page_file_that_was_damaged_and_makes_its_vectors_anew(damaged: Damaged) -> None:
    expected = asyncio.run(ask(damaged.root))
    raw = bytearray(damaged.page_file.read_bytes())
    raw[1_000] ^= 1
    damaged.page_file.write_bytes(raw)
    damaged.sync()
    assert asyncio.run(ask(damaged.root)) == expected
    assert damaged.verified().clean


def test_a_sync_notices_that_a_page_file_is_lost(damaged: Damaged) -> None:
    expected = asyncio.run(ask(damaged.root))
    damaged.page_file.unlink()
    (damaged.root / "new.md").write_text("# New\n\nanother document\n")
    damaged.sync()
    (damaged.root / "new.md").unlink()
    damaged.sync()
    assert asyncio.run(ask(damaged.root)) == expected
    assert damaged.verified().clean


def test_vectors_that_are_counted_and_not_come_upon_are_told(damaged: Damaged) -> None:
    """Whatever lost them: an index of SQLite's own may lead nowhere, and each page be sound."""
    with closing(sqlite3.connect(place(damaged, "index.sqlite"))) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE vector_file SET fingerprint = 'nobody'")
        connection.commit()
    found = asyncio.run(ask(damaged.root))
    for answer in found:
        told = {each["code"]: each["message"] for each in answer["diagnostics"]["degraded"]}  # type: ignore[index]
        assert "have no usable vector" in told["vector_failed"]
