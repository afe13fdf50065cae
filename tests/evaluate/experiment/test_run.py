"""An experiment on a real repository: pinned to its commit, checked label by label, the same bytes on every run."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import SetError
from engine.evaluate.experiment import Result, read_experiment, run
from engine.evaluate.experiment.page import experiment_page

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "experiments"
RULE = "同一任务最多自动重试三次，间隔依次为一、五、二十五分钟。"
LONG = "".join(f"第 {n} 条规则写在这里，足够长到成为一句完整的话，并且与别的不同。" for n in range(40))
GUIDE = f"# 指南\n\n## 重试\n\n{RULE}\n\n## 规则\n\n{LONG}\n"
CACHE = "# 缓存\n\n## 失效\n\n缓存缺失时，读取回到权威数据库，不算错误。\n"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, "-C", str(root), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit, whose files were changed since."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    for name, text in (("guide.md", GUIDE), ("cache.md", CACHE)):
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "guide.md").write_text("# 别的\n\n全改了。\n", encoding="utf-8")
    return folder


def written(root: Path, **changes: str) -> Path:
    """An experiment of this repository; each change replaces a text of the file."""
    texts = {"guide.md": GUIDE, "cache.md": CACHE}
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    text = f"""version = 1
name = "windows"
about = "two windows"
commit = "{git(root, "rev-parse", "HEAD")}"
top_k = 1

[[documents]]
path = "guide.md"
sha256 = "{digests["guide.md"]}"

[[documents]]
path = "cache.md"
sha256 = "{digests["cache.md"]}"

[[configurations]]
name = "400"
target_characters = 400
overlap_characters = 0

[[configurations]]
name = "800"
target_characters = 800
overlap_characters = 0

[[queries]]
id = "retry"
text = "任务重试几次"
file = "guide.md"
heading = "重试"
evidence = ["最多自动重试三次"]

[[queries]]
id = "rule"
text = "缓存缺失 第 20 条规则"
file = "guide.md"
heading = "规则"
evidence = ["第 20 条规则写在这里"]
"""
    for old, new in changes.items():
        text = text.replace(old, new)
    path = root / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def result(root: Path, **changes: str) -> Result:
    return run(read_experiment(written(root, **changes)), cancel=CancelToken())


def changed(root: Path, old: str, new: str) -> Result:
    path = written(root)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return run(read_experiment(path), cancel=CancelToken())


def test_it_reads_the_commit_and_not_the_files_and_gives_the_same_bytes(root: Path) -> None:
    first, second = result(root), result(root)
    assert first.canonical() == second.canonical()
    assert experiment_page(first) == experiment_page(second)
    assert first.characters == {"guide.md": len(GUIDE), "cache.md": len(CACHE)}
    assert [each.configuration.name for each in first.outcomes] == ["400", "800"]
    assert first.outcomes[0].chunks > first.outcomes[1].chunks
    assert all(asked.rank for each in first.outcomes for asked in each.queries)
    told = first.canonical()
    assert str(root) not in told
    assert told.endswith("}\n")


def test_windows_are_exact_and_end_at_headings(root: Path) -> None:
    found = result(root)
    begins = [row for each in found.outcomes for asked in each.queries for row in asked.rows]
    assert all(len(row.heading_path) <= 2 for row in begins)
    chunking = found.outcomes[0].configuration.chunking
    assert (chunking.mode, chunking.seek_boundary, chunking.within_heading) == ("fixed", False, True)


def test_the_relevant_row_is_drawn_even_beyond_the_cut(root: Path) -> None:
    found = result(root)
    beyond = [asked for each in found.outcomes for asked in each.queries if asked.rank and asked.rank > 1]
    assert beyond, "the second question is drawn away by the cache"
    for asked in beyond:
        assert [row.rank for row in asked.rows] == [1, asked.rank]
        assert asked.rows[-1].relevant


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('sha256 = "', 'sha256 = "' + "0" * 64 + '" # ', "has changed: its SHA-256"),
        ('path = "cache.md"', 'path = "gone.md"', "holds no gone.md"),
        ('commit = "', 'commit = "' + "0" * 40 + '" # ', "has no commit"),
        ('heading = "重试"', 'heading = "重放"', "has no heading"),
        ('evidence = ["最多自动重试三次"]', 'evidence = ["最多自动重试九次"]', "stands nowhere in the document"),
        ('evidence = ["最多自动重试三次"]', 'evidence = ["第 3 条规则"]', "stands only elsewhere"),
        ('file = "guide.md"', 'file = "other.md"', "none of the documents"),
        ('id = "rule"', 'id = "retry"', "is named twice"),
        ('name = "800"', 'name = "400"', "is named twice"),
        ("target_characters = 800", "target_characters = 8", "has a cut that is none"),
        ('path = "cache.md"', 'path = "../cache.md"', "no path below the repository"),
        ("top_k = 1", "top_k = 0", "no number from 1 to 100"),
        ("top_k = 1", 'top_k = 1\nmethod = "bm42"', "asks for the method"),
        ("top_k = 1", "top_k = 1\ncolour = 3", "unknown key"),
    ],
)  # fmt: skip
def test_what_does_not_hold_stops_it_with_a_sentence(root: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(SetError, match=told):
        changed(root, old, new)


def test_evidence_cut_in_one_configuration_stops_it(root: Path) -> None:
    piece = LONG[LONG.index("第 10 条") : LONG.index("第 25 条")]
    assert 400 < len(piece) < 800
    with pytest.raises(SetError, match="configuration 400 cuts its evidence"):
        changed(root, 'evidence = ["第 20 条规则写在这里"]', f'evidence = ["{piece}"]')


def test_without_a_repository_it_says_so(root: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(written(root), alone / "experiment.toml")
    with pytest.raises(SetError, match="lies in no git repository"):
        run(read_experiment(alone / "experiment.toml"), cancel=CancelToken())


def test_the_page_is_whole_safe_and_loads_nothing(root: Path) -> None:
    found = result(root, windows='<script src=\\"//evil\\">')
    made = experiment_page(found)
    assert "<script" not in made
    assert "http" not in made.replace("http-equiv", "")
    assert not any(loading in made for loading in ('src="', "href=", "url(", "@import"))
    assert made.count("<svg") == made.count("</svg>") == 2
    assert "prefers-color-scheme:dark" in made
    assert "@media print" in made
    assert "重试" in made


# --- the shipped ones ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["window-size", "heading-weight", "rewording"])
def test_the_shipped_experiments_run_and_repeat(name: str) -> None:
    experiment = read_experiment(SAMPLES / f"{name}.toml")
    try:
        found = [run(experiment, cancel=CancelToken()).canonical() for _ in range(3)]
    except SetError as error:
        if "no commit" in str(error) or "no git repository" in str(error):
            pytest.skip("the history of the repository is not here")
        raise
    assert len(set(found)) == 1
