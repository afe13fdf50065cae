"""Saving touches what changed and nothing else, and never leaves half a file."""

from __future__ import annotations

import errno
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import DiskFullError, SettingsError
from engine.settings import BY_KEY, FIELDS, turned
from engine.settings.save import save, write_atomically

WRITTEN = """\
# Ours, by hand.
version = 1

[retrieval]   # live
top_k = 4          # enough for chat
# fusion = "rrf"

[chunking]
mode = "fixed"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(WRITTEN)
    return path


def test_a_changed_value_keeps_the_comments_around_it(file: Path):
    assert save(file, {"retrieval.top_k": 8}) == ("retrieval.top_k 4 → 8",)
    assert file.read_text() == WRITTEN.replace("top_k = 4", "top_k = 8")


def test_a_new_value_joins_its_section(file: Path):
    assert save(file, {"retrieval.vector_weight": 1.4}) == ("retrieval.vector_weight unset → 1.40",)
    assert tomllib.loads(file.read_text())["retrieval"] == {"top_k": 4, "vector_weight": 1.4}
    assert "# enough for chat" in file.read_text()


def test_a_new_section_and_a_new_top_level_value_find_their_place(file: Path):
    save(file, {"interface.theme": "light", "journal": "queries", "scopes": (("hr/**", ("hr",)),)})
    save(file, {"interface.keymap": (("results.next", "j"),)})
    assert "# enough for chat" in file.read_text()
    table = tomllib.loads(file.read_text())
    assert table["interface"] == {"theme": "light", "keymap": {"results.next": "j"}}
    assert (table["journal"], table["scopes"]) == ("queries", {"hr/**": ["hr"]})
    assert table["chunking"] == {"mode": "fixed"}


def test_a_reset_takes_the_value_out(file: Path):
    assert save(file, {"retrieval.top_k": None}) == ("retrieval.top_k 4 → unset",)
    assert tomllib.loads(file.read_text()).get("retrieval", {}) == {}


def test_nothing_changed_writes_nothing(file: Path):
    before = file.stat().st_ino
    assert save(file, {"retrieval.top_k": 4, "journal": None}) == ()
    assert file.stat().st_ino == before


def test_the_first_save_makes_the_file_and_its_folder(tmp_path: Path):
    save(tmp_path / "a" / "b" / "settings.toml", {"retrieval.top_k": 3})
    assert tomllib.loads((tmp_path / "a" / "b" / "settings.toml").read_text()) == {"retrieval": {"top_k": 3}}


def test_a_value_out_of_range_or_a_file_at_fault_is_refused_and_left_alone(file: Path):
    with pytest.raises(SettingsError, match="1 to 20"):
        save(file, {"retrieval.top_k": 99})
    file.write_text("[retrieval]\ntopk = 1\n")
    with pytest.raises(SettingsError, match="did you mean top_k"):
        save(file, {"retrieval.top_k": 9})
    assert file.read_text() == "[retrieval]\ntopk = 1\n"


CHANGEABLE = [field.key for field in FIELDS if field.kind in ("integer", "number", "choice", "boolean")]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from([k for k in CHANGEABLE if k != "version"]), st.integers(-3, 3)), max_size=8
    )
)
def test_any_run_of_saves_reads_back_as_what_was_saved(tmp_path_factory: pytest.TempPathFactory, changes):
    file = tmp_path_factory.mktemp("save") / "settings.toml"
    file.write_text(WRITTEN)
    expected = {"version": 1, "retrieval.top_k": 4, "chunking.mode": "fixed"}
    for key, turns in changes:
        value = None if turns == 3 else turned(BY_KEY[key], BY_KEY[key].default, turns)
        save(file, {key: value})
        expected = (
            {**expected, key: value} if value is not None else {k: v for k, v in expected.items() if k != key}
        )
    read = tomllib.loads(file.read_text())
    flat = {f"{s}.{n}" if isinstance(t, dict) else s: v for s, t in read.items() for n, v in _items(t)}
    assert flat == expected
    assert "# Ours, by hand." in file.read_text()


def _items(table: object) -> list[tuple[str, object]]:
    return list(table.items()) if isinstance(table, dict) else [("", table)]


def test_a_form_too_free_to_edit_in_place_is_written_anew(file: Path):
    file.write_text("retrieval = { top_k = 4, rrf_k = 10 } # inline\n")
    save(file, {"retrieval.top_k": 5})
    assert tomllib.loads(file.read_text()) == {"retrieval": {"top_k": 5, "rrf_k": 10}}


def test_a_full_disk_leaves_the_old_file_and_no_litter(file: Path, monkeypatch: pytest.MonkeyPatch):
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError, match="no room to write"):
        save(file, {"retrieval.top_k": 8})
    assert file.read_text() == WRITTEN
    assert os.listdir(file.parent) == [file.name]


def test_the_mode_of_a_file_is_kept(file: Path):
    file.chmod(0o640)
    save(file, {"retrieval.top_k": 8})
    assert file.stat().st_mode & 0o777 == 0o640


def test_the_users_link_is_followed_and_a_planted_one_is_not(file: Path, tmp_path: Path):
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    save(link, {"retrieval.top_k": 8})
    assert link.is_symlink()
    assert "top_k = 8" in file.read_text()
    with pytest.raises(SettingsError):
        save(link, {"retrieval.top_k": 9}, follow=False)
    write_atomically(link, "x")
    assert not link.is_symlink()
    assert "top_k = 8" in file.read_text()
