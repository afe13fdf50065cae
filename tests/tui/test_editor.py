"""Only a file of the library opens, in the reader's own program, and no name of one runs as anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from tui.editor import command, original


def program(folder: Path, name: str) -> dict[str, str]:
    """An environment in which only this program is installed."""
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("vim", ["+12", "/d/a b.md"]),
        ("nano", ["+12", "/d/a b.md"]),
        ("hx", ["/d/a b.md:12"]),
        ("code", ["--wait", "--goto", "/d/a b.md:12"]),
    ],
)
def test_a_program_is_told_the_line_in_its_own_way(tmp_path: Path, name: str, arguments: list[str]) -> None:
    environ = {**program(tmp_path, name), "EDITOR": f"{name} -x"}
    assert command(environ, "/d/a b.md", 12) == [name, "-x", *arguments]


def test_visual_comes_before_editor_and_a_viewer_after_both(tmp_path: Path) -> None:
    environ = {**program(tmp_path, "vim"), **program(tmp_path, "less"), "EDITOR": "less", "VISUAL": "vim"}
    assert command(environ, "/d/a.md", 1)[0] == "vim"
    assert command(program(tmp_path, "less"), "/d/a.md", 1)[0] == "less"


@pytest.mark.parametrize("given", ["nosuchprogram", "'unclosed"])
def test_an_editor_that_is_none_is_said(tmp_path: Path, given: str) -> None:
    with pytest.raises(SourceError, match=r"editor|EDITOR"):
        command({"PATH": str(tmp_path), "EDITOR": given}, "/d/a.md", 1)


def test_nothing_to_open_with_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no editor"):
        command({"PATH": str(tmp_path)}, "/d/a.md", 1)


def test_a_file_of_the_library_is_found_below_its_root(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "-rf.md").write_text("x")
    assert original(tmp_path, "ops/-rf.md") == f"{tmp_path}/ops/-rf.md"
    assert original(tmp_path / "ops" / "-rf.md", "-rf.md") == f"{tmp_path}/ops/-rf.md"


def test_a_number_sign_is_part_of_a_name_or_leads_to_a_line_of_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "a#b.md").write_text("x")
    (tmp_path / "corpus.jsonl").write_text("{}")
    assert original(tmp_path, "a#b.md") == f"{tmp_path}/a#b.md"
    assert original(tmp_path, "corpus.jsonl#17") == f"{tmp_path}/corpus.jsonl"


@pytest.mark.parametrize("name", ["gone.md", "../outside.md", "link.md", "out/inside.md", "/etc/passwd", ""])
def test_nothing_else_opens(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.md").write_text("x")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "inside.md").write_text("x")
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError):
        original(root, name)
