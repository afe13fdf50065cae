"""Ignore rules: git's own verdicts, and no rule that hangs."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
from pathlib import Path

import pytest

from engine.ingest.ignore import Rules, ignored


def git_verdicts(root: Path, entries: list[bytes]) -> set[bytes]:
    """Which entries git ignores by the rules alone."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    if not (root / ".git").exists():
        subprocess.run(["git", "init", "-q", str(root)], check=True, env=environment)
    asked = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "--no-index", "-z", "--stdin"],
        input=b"\0".join(entries), capture_output=True, env=environment,
    )  # fmt: skip
    assert asked.returncode in (0, 1), asked.stderr
    return set(asked.stdout.split(b"\0")) - {b""}


def our_verdicts(files: dict[bytes, bytes], entries: dict[bytes, bool]) -> set[bytes]:
    """The same by our rules: an entry below an ignored folder is ignored."""
    rules = {folder: Rules.of(raw) for folder, raw in files.items()}

    def verdict(path: bytes, is_folder: bool) -> bool:
        parent = path.rpartition(b"/")[0]
        if parent and verdict(parent, True):
            return True
        folders = [*(b"/".join(path.split(b"/")[:depth]) for depth in range(path.count(b"/"), 0, -1)), b""]
        layers = [
            (rules[folder], path[len(folder) + bool(folder) :]) for folder in folders if folder in rules
        ]
        return ignored(layers, is_folder)

    return {path for path, is_folder in entries.items() if verdict(path, is_folder)}


def plant(root: Path, files: dict[bytes, bytes], entries: dict[bytes, bool]) -> None:
    for path, is_folder in sorted(entries.items()):
        target = Path(os.fsdecode(os.path.join(os.fsencode(root), path)))
        if is_folder:
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
    for folder, raw in files.items():
        where = Path(os.fsdecode(os.path.join(os.fsencode(root), folder)))
        where.mkdir(parents=True, exist_ok=True)
        (where / ".gitignore").write_bytes(raw)


NAMES = [b"a", b"b", b"ab", b"a.d", b"keep.d", b"abab"]
ENTRIES = {
    b"/".join(parts): False
    for depth in (1, 2, 3)
    for parts in itertools.product(NAMES[:5] if depth < 3 else NAMES[:4], repeat=depth)
} | {name + b".f": False for name in NAMES}
ENTRIES |= {path.rpartition(b"/")[0]: True for path in list(ENTRIES) if b"/" in path}
ENTRIES |= {"ä".encode(): False, b"caf\xe9": False, b"x ": False, b"x\r": False, b"#a": False, b"!a": False}

PIECES = [b"a", b"b", b"ab", b"*", b"**", b"?", b"/", b"/", b"**/", b"/**", b".d", b"[ab]", b"[!a]", b"[a-b]",
          b"\\a", b"keep.d", b"\\", b"[", b"[]a]", b"[^b]", b"[[:alpha:]]", b"[a-]", b"***"]  # fmt: skip


def random_rules(seed: random.Random) -> bytes:
    lines = []
    for _ in range(seed.randint(1, 4)):
        body = b"".join(seed.choice(PIECES) for _ in range(seed.randint(1, 5)))
        lines.append(seed.choice([b"", b"", b"!"]) + body + seed.choice([b"", b"", b"/", b" "]))
    return seed.choice([b"\n", b"\r\n"]).join(lines) + b"\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    plant(root, {}, ENTRIES)
    return root


@pytest.mark.parametrize("seed", range(40))
def test_random_rules_have_the_verdicts_of_git(tree: Path, seed: int) -> None:
    chance = random.Random(seed)
    files = {b"": random_rules(chance), b"a": random_rules(chance), b"a/b": random_rules(chance)}
    plant(tree, files, {})
    assert our_verdicts(files, ENTRIES) == git_verdicts(tree, sorted(ENTRIES))


def test_nested_files_negation_and_parent_exclusion(tmp_path: Path) -> None:
    """SY-14: a negation cannot bring back what lies below an ignored folder."""
    files = {b"": b"dist/\ncache\n*.log\n!keep.log\n", b"web": b".output", b"a": b"!keep.md"}
    entries = {
        b"dist/x.md": False, b"web/.output/y.md": False, b"keep.log": False, b"other.log": False,
        b"a/cache/keep.md": False, b"a/keep.md": False, b"src/dist": False,
    }  # fmt: skip
    entries |= {b"dist": True, b"web/.output": True, b"a/cache": True, b"web": True, b"a": True, b"src": True}
    plant(tmp_path, files, entries)
    verdicts = our_verdicts(files, entries)
    assert verdicts == git_verdicts(tmp_path, sorted(entries))
    assert b"a/cache/keep.md" in verdicts
    assert not {b"keep.log", b"src/dist", b"a/keep.md"} & verdicts


@pytest.mark.parametrize(
    ("raw", "path", "expected"),
    [
        (b"\xef\xbb\xbf*.md\n", b"x.md", True),
        (b"# *.md\n\n   \n", b"x.md", None),
        (b"\\#x\n", b"#x", True),
        (b"\\!x\n", b"!x", True),
        (b"x\\ \n", b"x ", True),
        (b"x  \n", b"x", True),
        (b"x\r\ny\r", b"x", True),
        (b"x\ny\r", b"y", None),
        (b"*.md\n!keep.md\n", b"a/keep.md", False),
        (b"?.md", "ä.md".encode(), None),
        (b"??.md", "ä.md".encode(), True),
        (b"caf\xe9.md", b"caf\xe9.md", True),
        (b"[[:digit:]_-].md", b"-.md", True),
        (b"[", b"[", None),
        (b"a\0b", b"a", True),
    ],
)
def test_a_line_of_an_ignore_file(raw: bytes, path: bytes, expected: bool | None) -> None:
    assert Rules.of(raw).verdict(path, False) is expected


def test_a_rule_of_many_stars_does_not_hang() -> None:
    """Backtracking would try more ways than there are atoms; the test would never end."""
    rules = Rules.of(b"*a" * 60 + b"b\n" + b"**/a/" * 40 + b"b\n" + b"[!b]*" * 60 + b"b")
    assert rules.verdict(b"a" * 250, False) is None
    assert rules.verdict(b"/".join([b"a"] * 500), False) is None


def test_a_rule_longer_than_any_path_matches_nothing() -> None:
    assert Rules.of(b"*" * 5000).verdict(b"a", False) is None


def test_reading_many_rules_can_be_cancelled() -> None:
    calls: list[int] = []
    Rules.of(b"a\n" * 1000, check=lambda: calls.append(1))
    assert len(calls) == 3
