"""An edit that was begun is kept until it is saved or dropped, whatever ends the process."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

from tui.drafts import Draft, Drafts

DRAFT = Draft("chunk1", "ops/值班.md", 12, "before", "after \x1b[2J\ud800 重试\r\n", 5.0)


def test_a_draft_is_kept_until_it_is_dropped(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "library", folder=tmp_path / "state")
    assert drafts.all() == ()
    drafts.keep(DRAFT)
    assert Drafts(tmp_path / "library", folder=tmp_path / "state").of("chunk1") == DRAFT
    drafts.keep(replace(DRAFT, text="later", at=6.0))
    drafts.keep(replace(DRAFT, chunk_id="../../etc/passwd", at=9.0))
    assert [draft.text for draft in drafts.all()] == [DRAFT.text, "later"]
    drafts.drop("chunk1")
    drafts.drop("chunk1")
    assert [draft.chunk_id for draft in drafts.all()] == ["../../etc/passwd"]


def test_each_library_has_its_own_and_nobody_else_reads_them(tmp_path: Path) -> None:
    Drafts(tmp_path / "one", folder=tmp_path / "state").keep(DRAFT)
    assert Drafts(tmp_path / "other", folder=tmp_path / "state").all() == ()
    files = [*(tmp_path / "state").rglob("*.json")]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600]
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700


def test_what_is_no_draft_is_passed_over(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "one", folder=tmp_path)
    drafts.keep(DRAFT)
    folder = next(tmp_path.rglob("*.json")).parent
    for name, content in (
        ("a", "{"),
        ("b", "[]"),
        ("c", '{"chunk_id": 1}'),
        ("d", "[" * 9_000),
        ("e", "\xff"),
    ):
        (folder / f"{name}.json").write_text(content, encoding="latin-1")
    (folder / "f.json").symlink_to(next(tmp_path.rglob("*.json")))
    assert drafts.all() == (DRAFT,)
