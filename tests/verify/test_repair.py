"""A repair makes anew what is derived, from the archive where it can, and takes nothing of the user's."""

from __future__ import annotations

import shutil

import pytest

from tests.verify.damage import Damaged
from tests.verify.test_run import DAMAGE


@pytest.fixture(scope="module")
def expected(indexed, tmp_path_factory: pytest.TempPathFactory) -> list[str]:  # type: ignore[no-untyped-def]
    """What the undamaged index answers."""
    root = tmp_path_factory.mktemp("sound") / "docs"
    shutil.copytree(indexed, root)
    return Damaged(root).answers()


@pytest.mark.parametrize(
    "name",
    ["chunk_heading_no_json", "chunk_lost", "path", "no_number", "corpus_sum_no_number", "posting_label",
     "posting_chunk", "vector_mark", "page_checksum", "trigger", "orphaned_chunk"],
)  # fmt: skip
def test_what_was_damaged_in_a_generation_answers_as_before(
    damaged: Damaged, expected: list[str], name: str
) -> None:
    damaged.sql(DAMAGE[name][0])
    left = damaged.repair()
    assert left.findings == () or {one.code for one in left.findings} == {"leftover"}, left.findings
    assert damaged.answers() == expected


@pytest.mark.parametrize("name", ["chunk_text", "posting_block", "counts", "page_checksum", "vector_lost"])
def test_a_part_is_mended_in_place_and_follows_no_folder(damaged: Damaged, name: str) -> None:
    serving = damaged.generation
    (damaged.root / "1.md").unlink()
    (damaged.root / "2.md").write_text("changed\n")
    damaged.sql(DAMAGE[name][0])
    left = damaged.repair()
    assert {one.code for one in left.findings} - {"leftover"} == {"source_gone", "source_changed"}
    assert damaged.generation == serving


def test_a_damaged_text_is_archived_anew_from_the_unchanged_file_only(damaged: Damaged) -> None:
    (damaged.root / "1.md").write_text("changed\n")
    damaged.sql("UPDATE content SET text = x'00'", file="library")
    left = damaged.repair()
    assert [(one.code, one.where) for one in left.findings] == [
        ("archive_damaged", "1.md"),
        ("archive_damaged", "1.md"),
        ("source_changed", "1.md"),
    ]


def test_a_damaged_cache_is_begun_anew(damaged: Damaged, expected: list[str]) -> None:
    damaged.sql("UPDATE embedding SET vector = x'00'", file="cache")
    assert damaged.repair().findings == ()
    assert damaged.answers() == expected


@pytest.mark.parametrize("lost", ["index.sqlite", "page file", "generation"])
def test_a_lost_file_of_a_generation_is_made_anew(damaged: Damaged, expected: list[str], lost: str) -> None:
    if lost == "generation":
        shutil.rmtree(damaged.generation)
    else:
        (damaged.page_file if lost == "page file" else damaged.generation / lost).unlink()
    assert damaged.verified().clean is False
    assert {one.severity for one in damaged.repair().findings} <= {"note"}
    assert damaged.answers() == expected
