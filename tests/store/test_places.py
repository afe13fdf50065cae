"""Where an index lies, and that nothing in it can name a place outside."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from engine.errors import LibraryError, UsageError
from engine.store.places import Places, checked_root, locate, new_generation_id


def test_the_index_lies_inside_the_folder_and_hides_from_repositories(tmp_path: Path) -> None:
    places = locate(tmp_path)
    places.create()
    assert places.base == tmp_path / ".rankscope"
    assert (places.base / ".gitignore").read_text() == "*\n"


def test_under_a_data_directory_every_library_has_a_folder_of_its_own(tmp_path: Path) -> None:
    one, other = tmp_path / "x" / "docs", tmp_path / "y" / "docs"
    bases = {locate(root, tmp_path / "data").base for root in (one, other)}
    assert len(bases) == 2
    assert all(base.parent == tmp_path / "data" and base.name.startswith("docs-") for base in bases)


@pytest.mark.parametrize(
    "name", ["../../etc", "g123", "", "g" + "0" * 12 + "/..", "G" + "0" * 12, "g" + "0" * 12 + "\n"]
)
def test_an_impossible_generation_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LibraryError, match="impossible generation"):
        Places(tmp_path).generation(name)


def test_new_ids_are_possible_ones(tmp_path: Path) -> None:
    assert Places(tmp_path).generation(new_generation_id()).parent == tmp_path / "generations"


def test_a_link_in_place_of_the_index_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / ".rankscope").symlink_to(elsewhere)
    with pytest.raises(LibraryError, match="is a link"):
        locate(root)


@pytest.mark.parametrize("kind", ["missing", "file", "loop"])
def test_what_is_no_folder_is_told_in_one_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "file":
        path.write_text("x")
    if kind == "loop":
        path.symlink_to(path)
    with pytest.raises(UsageError) as caught:
        checked_root(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


# --- an index that came with its folder --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        ".gitignore", "library.sqlite", "library.sqlite-wal", "cache.sqlite", "writer.lock", "generations",
        "generations/g0123456789ab", "generations/g0123456789ab/in-use.lock", "generations/g0123456789ab/index.sqlite",
    ],
)  # fmt: skip
def test_a_link_anywhere_in_an_index_is_refused_and_what_it_names_stays_as_it_was(
    tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    places = Places(tmp_path / "index")
    (places.base / name).parent.mkdir(parents=True)
    (places.base / name).symlink_to(outside)
    with pytest.raises(LibraryError, match="is a link"):
        places.create()
    with pytest.raises(LibraryError, match="is a link"):
        places.refuse_links()
    assert outside.read_text() == "precious"


def test_a_dangling_link_in_an_index_makes_no_file_outside(tmp_path: Path) -> None:
    places = Places(tmp_path / "index")
    places.base.mkdir()
    (places.base / ".gitignore").symlink_to(tmp_path / "made")
    with pytest.raises(LibraryError, match="is a link"):
        places.create()
    assert not (tmp_path / "made").exists()


def test_an_index_that_may_not_be_entered_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    places = Places(tmp_path / "index")
    places.create()
    monkeypatch.setattr(Path, "stat", forbidden)
    with pytest.raises(
        LibraryError, match=r"index cannot be used \(Permission denied\): check its permissions"
    ):
        places.exists()
