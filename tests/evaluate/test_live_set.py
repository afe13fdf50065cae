"""A set that is followed is found beside the documents, checked first, and asked only where all of it fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import SetError
from engine.evaluate.live_set import Loaded, load
from engine.library import Library
from engine.model import Progress
from tests.explain.libraries import indexed, settings, write

GOOD = """
version = 1
name = "own"

[[cases]]
id = "q1"
query = "how often is it renewed?"
evidence = [{ file = "a.md", text = "every ten seconds" }]
"""
BAD = """
[[cases]]
id = "q2"
query = "and then?"
evidence = [{ file = "a.md", text = "never written" }]
"""


@pytest.fixture
async def library(tmp_path: Path):
    root = write(tmp_path / "docs", {"a.md": "# Lease\n\nThe lease is renewed every ten seconds.\n"})
    found = await indexed(root, settings())
    yield found
    await found.close()


async def loaded(library: Library, path: Path | None = None, **how: bool) -> Loaded:
    steps = load(library, path, ("mrr@10",), cancel=CancelToken(), **how)
    *before, last = [step async for step in steps]
    assert all(isinstance(step, Progress) for step in before)
    assert isinstance(last, Loaded)
    return last


async def test_the_set_of_the_folder_is_taken_and_none_is_no_error(library: Library) -> None:
    assert (await loaded(library)).path is None
    (library.root / "evaluation.toml").write_text(GOOD, encoding="utf-8")
    found = await loaded(library)
    assert (found.name, found.split, found.problems) == ("evaluation.toml", 0, ())
    assert found.live is not None
    assert [judged.case.id for judged in found.live.cases] == ["q1"]


async def test_missing_evidence_is_listed_and_nothing_is_asked(library: Library) -> None:
    (library.root / "evaluation.toml").write_text(GOOD + BAD, encoding="utf-8")
    found = await loaded(library)
    assert found.live is None
    assert found.invalid == ("q2",)
    assert "q2" in found.problems[0]
    without = await loaded(library, skip_invalid=True)
    assert without.live is not None
    assert (len(without.live.cases), without.invalid) == (1, ("q2",))


async def test_a_set_of_which_nothing_fits_lists_why(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text('version = 1\nname = "bad"\n' + BAD, encoding="utf-8")
    found = await loaded(library, path, skip_invalid=True)
    assert found.live is None
    assert len(found.problems) == 1


async def test_what_is_no_set_is_said(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text("version = [", encoding="utf-8")
    with pytest.raises(SetError):
        await loaded(library, path)
