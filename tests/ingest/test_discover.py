"""What is found in a folder, what is left out and why, and what cannot be known."""

from __future__ import annotations

import os
import random
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import engine.ingest.discover as module
from engine.cancel import CancelToken
from engine.errors import Cancelled, SourceError, UsageError
from engine.ingest.discover import Listing, discover
from engine.ingest.names import name_of
from tests.ingest.test_ignore import ENTRIES, git_verdicts, plant, random_rules


def write(root: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def listing(root: Path, **keywords: object) -> Listing:
    return discover(root, cancel=CancelToken(), **keywords)  # type: ignore[arg-type]


def paths(root: Path) -> list[str]:
    return [found.path for found in listing(root).files]


def skipped(root: Path) -> dict[str, str]:
    return {each.path: each.reason for each in listing(root).skipped}


Fail = Callable[[Path], None]


@pytest.fixture
def refuse_to_list(monkeypatch: pytest.MonkeyPatch) -> Fail:
    """Lets the listing of one folder fail, whoever runs the tests."""

    def refuse(folder: Path) -> None:
        inode, scandir = folder.stat().st_ino, os.scandir

        def guarded(handle: int) -> object:
            if os.fstat(handle).st_ino == inode:
                raise PermissionError(13, "Permission denied")
            return scandir(handle)

        monkeypatch.setattr(os, "scandir", guarded)

    return refuse


def test_files_are_listed_by_path_with_the_stamp_of_each(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.txt", "a-b.md", ".github/guide.md", "Makefile")
    found = listing(tmp_path).files
    assert [each.path for each in found] == [".github/guide.md", "Makefile", "a-b.md", "a/z.txt", "b.md"]
    status = (tmp_path / "b.md").stat()
    assert (found[-1].stamp.size, found[-1].stamp.mtime_ns, found[-1].stamp.inode) == (
        status.st_size, status.st_mtime_ns, status.st_ino,
    )  # fmt: skip


def test_the_index_and_the_repository_are_never_entered(tmp_path: Path) -> None:
    write(tmp_path, ".git/HEAD", ".rankscope/settings.toml", "sub/.git", "sub/.rankscope/x.md", "sub/a.md")
    assert paths(tmp_path) == ["sub/a.md"]


def test_sy14_ignore_files_decide_as_git_does(tmp_path: Path) -> None:
    write(tmp_path, "web/.output/x.md", "web/a.md", "keep.log", "a/cache/keep.md", "dist/z.md", "old.md")
    (tmp_path / ".gitignore").write_text("dist/\ncache\n*.log\n!keep.log\n")
    (tmp_path / "web/.gitignore").write_text(".output")
    (tmp_path / "a/.gitignore").write_text("!keep.md")
    assert paths(tmp_path) == [
        ".gitignore",
        "a/.gitignore",
        "keep.log",
        "old.md",
        "web/.gitignore",
        "web/a.md",
    ]
    (tmp_path / ".gitignore").write_text("dist/\ncache\n*.log\n!keep.log\nold.md\n")
    assert "old.md" not in paths(tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_finds_exactly_what_git_does_not_ignore(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rules = {folder: random_rules(chance) for folder in (b"", b"a", b"a/b")}
    plant(tmp_path, rules, ENTRIES)
    files = [path for path, is_folder in ENTRIES.items() if not is_folder]
    found = {name_of(path) for path in paths(tmp_path) if not path.endswith(".gitignore")}
    assert found == set(files) - git_verdicts(tmp_path, files)


def test_the_exclusions_of_the_repository_itself_count(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    write(tmp_path, ".git/info/exclude", text="b.md\n")
    assert paths(tmp_path) == ["a.md"]


def test_include_patterns_limit_what_is_found(tmp_path: Path) -> None:
    write(tmp_path, "docs-zh/a.md", "docs-en/b.md", "docs-en/draft/c.md", "other/d.md", "docs-en/x.png")
    found = listing(tmp_path, include=("docs-*/", "!docs-en/draft"))
    assert [each.path for each in found.files] == ["docs-en/b.md", "docs-zh/a.md"]
    assert [each.path for each in found.skipped] == ["docs-en/x.png"]


# --- links and special files --------------------------------------------------------------------------------


def test_sy03_links_are_left_out_by_name(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "secret.md", "outside/x.md", "root/.env", "root/a.md")
    (root / "link.md").symlink_to("../secret.md")
    (root / "d").symlink_to(tmp_path / "outside")
    (root / "ok.md").symlink_to(root / ".env")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "self.md").symlink_to("self.md")
    assert paths(root) == ["a.md"]
    assert skipped(root) == {
        ".env": "may hold a secret",
        "d": "link out of the folder",
        "gone.md": "broken link",
        "link.md": "link out of the folder",
        "ok.md": "link inside the folder",
        "self.md": "link in a circle",
    }


def test_sy08_links_to_ancestors_end_and_each_file_is_found_once(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md", "real/y.md")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "a/b").symlink_to("../a")
    (tmp_path / "one").symlink_to("real")
    (tmp_path / "two").symlink_to("real")
    assert paths(tmp_path) == ["a/x.md", "real/y.md"]


def test_a_folder_swapped_for_a_link_while_listing_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    write(tmp_path, "outside/secret.md", "root/d/a.md")
    opened = module.opened_below

    def swap(top: int, name: bytes, flags: int):  # type: ignore[no-untyped-def]
        if name == b"d":
            (root / "d").rename(root / "was")
            (root / "d").symlink_to(tmp_path / "outside")
        return opened(top, name, flags)

    monkeypatch.setattr(module, "opened_below", swap)
    found = listing(root)
    assert found.files == ()
    assert found.unreadable == ("d",)


def test_an_ignore_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "rules", text="*.md\n")
    write(root, "a.md")
    (root / ".gitignore").symlink_to("../rules")
    assert paths(root) == ["a.md"]


def test_special_files_are_left_out_and_never_opened(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "sock.md"))
    server.close()
    assert paths(tmp_path) == ["a.md"]
    assert skipped(tmp_path) == {"pipe.md": "named pipe", "sock.md": "socket"}


# --- what cannot be known -----------------------------------------------------------------------------------


def test_sy04_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, refuse_to_list: Fail) -> None:
    write(tmp_path, "locked/a.md", "open/b.md")
    refuse_to_list(tmp_path / "locked")
    found = listing(tmp_path)
    assert [each.path for each in found.files] == ["open/b.md"]
    assert found.unreadable == ("locked",)


class _CutShort:
    """A listing that fails after its first entry."""

    def __init__(self, entries: object) -> None:
        self.entries = entries

    def __enter__(self) -> Iterator[object]:
        return self._some()

    def __exit__(self, *exception: object) -> None:
        self.entries.close()  # type: ignore[attr-defined]

    def _some(self) -> Iterator[object]:
        yield next(self.entries)  # type: ignore[call-overload]
        raise OSError(5, "Input/output error")


def test_sy04_a_listing_cut_short_counts_as_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "good/a.md", "bad/b.md", "bad/c.md")
    bad = (tmp_path / "bad").stat().st_ino
    scandir = os.scandir

    def cut(handle: int) -> object:
        return _CutShort(scandir(handle)) if os.fstat(handle).st_ino == bad else scandir(handle)

    monkeypatch.setattr(os, "scandir", cut)
    found = listing(tmp_path)
    assert [each.path for each in found.files] == ["good/a.md"]
    assert found.unreadable == ("bad",)


def test_an_ignore_file_that_cannot_be_read_hides_its_folder_instead_of_baring_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md", "sub/secret.md")
    write(tmp_path, "sub/.gitignore", text="secret.md\n" * 10)
    monkeypatch.setattr(module, "RULES_LIMIT", 20)
    found = listing(tmp_path)
    assert [each.path for each in found.files] == ["a.md"]
    assert found.unreadable == ("sub",)


def test_sy04_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^there is no folder .*gone: check the path$"):
        listing(tmp_path / "gone")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError):
        listing(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="neither a folder nor a file"):
        listing(tmp_path / "pipe")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x\x1b[2J", "a" * 5000])
def test_a_root_that_no_file_system_could_hold_is_an_error_that_prints(name: str) -> None:
    with pytest.raises(UsageError) as missing:
        listing(Path(name))
    assert str(missing.value).encode("utf-8").decode().isprintable()


def test_a_root_that_cannot_be_listed_is_an_error(tmp_path: Path, refuse_to_list: Fail) -> None:
    refuse_to_list(tmp_path)
    with pytest.raises(SourceError, match="no permission"):
        listing(tmp_path)


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert listing(tmp_path) == Listing(tmp_path.resolve(), ())


# --- names --------------------------------------------------------------------------------------------------


def test_sy15_names_that_are_not_utf8_or_hold_controls_survive(tmp_path: Path) -> None:
    names = [b"caf\xe9.md", b"a\nb.md", b"x\x1b[2J.md", b"[", b"\\xE9.md", "\u202eevil.md".encode(), b"ok.md"]
    for name in names:
        os.close(os.open(os.path.join(os.fsencode(tmp_path), name), os.O_CREAT | os.O_WRONLY))
    found = paths(tmp_path)
    assert {name_of(path) for path in found} == set(names)
    assert {"caf\\xE9.md", "a\\x0Ab.md", "x\\x1B[2J.md", "\\x5CxE9.md", "ok.md"} <= set(found)
    for path in found:
        assert path.encode("utf-8").decode("utf-8").isprintable()


def test_sy13_nfc_and_nfd_are_two_files_named_as_on_disk(tmp_path: Path) -> None:
    write(tmp_path, "a\u0308-ガイド.md", "\u00e4-ガイド.md")
    assert paths(tmp_path) == ["a\u0308-ガイド.md", "\u00e4-ガイド.md"]


# --- a library of one file, a corpus ------------------------------------------------------------------------


def test_a_single_file_is_a_library(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "data.jsonl", ".env")
    (tmp_path / ".gitignore").write_text("a.md\n")
    assert paths(tmp_path / "a.md") == ["a.md"]
    assert listing(tmp_path / "a.md").root == tmp_path.resolve()
    assert paths(tmp_path / "data.jsonl") == ["data.jsonl"]
    assert skipped(tmp_path / ".env") == {".env": "may hold a secret"}


def test_evaluation_data_beside_a_corpus_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "set/corpus.jsonl", "set/queries.jsonl", "set/answers.jsonl", "set/split.json")
    write(
        tmp_path,
        "set/qrels/test.tsv",
        "set/README.md",
        "other/qrels.md",
        "other/rows.jsonl",
        "x.json",
        "y.csv",
    )
    assert paths(tmp_path) == ["other/qrels.md", "set/README.md", "set/corpus.jsonl", "x.json"]
    assert skipped(tmp_path) == {
        "other/rows.jsonl": "JSON Lines, not a corpus.jsonl",
        "set/answers.jsonl": "evaluation data beside a corpus",
        "set/qrels": "evaluation data beside a corpus",
        "set/queries.jsonl": "evaluation data beside a corpus",
        "set/split.json": "evaluation data beside a corpus",
        "y.csv": "kind not read yet",
    }


# --- cost ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("many")
    for folder in range(20):
        (root / f"d{folder}").mkdir()
        for number in range(100):
            (root / f"d{folder}" / f"{number}.md").touch()
    return root


def test_two_thousand_files_are_listed_without_opening_one(
    two_thousand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds: list[bool] = []
    opened = os.open

    def count(path: object, flags: int, *rest: object, **keywords: object) -> int:
        handle = opened(path, flags, *rest, **keywords)  # type: ignore[arg-type]
        kinds.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        return handle

    monkeypatch.setattr(os, "open", count)
    monkeypatch.setattr("builtins.open", None)
    assert len(listing(two_thousand).files) == 2000
    assert kinds == [True] * 22  # the root twice: itself, and as the first folder listed


def test_a_walk_can_be_cancelled(two_thousand: Path) -> None:
    cancel = CancelToken()
    discover(two_thousand, cancel=cancel)
    assert cancel.checks >= 2000 / 64
    cancel.cancel()
    with pytest.raises(Cancelled):
        discover(two_thousand, cancel=cancel)


def test_a_deep_tree_is_walked(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(500):
        os.mkdir("d", dir_fd=here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert paths(tmp_path) == ["d/" * 500 + "a.md"]
