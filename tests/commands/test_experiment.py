"""An experiment and a report from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Run
from tests.evaluate.experiment.test_run import pytestmark as needs_git
from tests.evaluate.experiment.test_run import root, written
from tests.evaluate.sweep.libraries import written as library

__all__ = ["root"]

pytestmark = needs_git


def test_an_experiment_is_shown_and_written_the_same_each_time(
    invoke: Run, root: Path, tmp_path: Path
) -> None:
    file = written(root)
    for number in range(3):
        answer = invoke(
            "experiment", file, "--output", tmp_path / f"{number}.json", "--html", tmp_path / f"{number}.html"
        )
        assert answer.returncode == 0, answer.stderr
    assert "windows  2 documents of" in answer.stdout
    assert "800 against 400: MRR" in answer.stdout
    for suffix in ("json", "html"):
        assert len({(tmp_path / f"{number}.{suffix}").read_bytes() for number in range(3)}) == 1
    told = json.loads(invoke("experiment", file, "--json").stdout)
    assert told == json.loads((tmp_path / "0.json").read_text())
    assert [each["name"] for each in told["configurations"]] == ["400", "800"]


@pytest.mark.parametrize(
    ("old", "new"), [('heading = "重试"', 'heading = "重放"'), ("version = 1", "version = ")]
)
def test_what_does_not_hold_is_one_sentence(invoke: Run, root: Path, old: str, new: str) -> None:
    file = written(root)
    file.write_text(file.read_text().replace(old, new, 1))
    answer = invoke("experiment", file)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1


def test_a_report_of_an_evaluation_is_one_page(invoke: Run, tmp_path: Path) -> None:
    folder = library(tmp_path / "docs")
    hash_settings = ("--set", "embedding.provider=hash")
    answer = invoke(
        "eval", folder, folder / "evaluation.toml", "--baselines", "--compare", "fulltext_weight=0",
        "--html", tmp_path / "report.html", *hash_settings,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    made = (tmp_path / "report.html").read_text()
    assert "Evaluation: rules" in made
    assert "term-overlap" in made
    assert "fulltext_weight=0 against settings" in made
    assert not any(loading in made for loading in ('src="', "href=", "url(", "@import", "http:", "https:"))
    assert made.count("<table>") == made.count("</table>") >= 1


def test_an_old_citation_is_told_until_the_folder_is_synced(invoke: Run, tmp_path: Path) -> None:
    """A document is searched, changed, searched again, and synced: never new text under an old name."""
    folder = library(tmp_path / "docs")
    hash_settings = ("--set", "embedding.provider=hash")
    invoke("index", folder, *hash_settings)

    def asked() -> dict[str, object]:
        return json.loads(invoke("search", folder, "重试的第 3 条规则", "--json", *hash_settings).stdout)

    before = asked()
    (folder / "0.md").write_text("# 重试\n\n重试的第 3 条规则改成了别的样子。\n")
    stale = asked()
    assert stale["corpus_version"] == before["corpus_version"]
    assert "stale_documents" in {each["code"] for each in stale["diagnostics"]["degraded"]}  # type: ignore[index]
    assert [each["text"] for each in stale["results"]] == [each["text"] for each in before["results"]]  # type: ignore[attr-defined,index]
    invoke("sync", folder, *hash_settings)
    fresh = asked()
    assert fresh["corpus_version"] != before["corpus_version"]
    assert "stale_documents" not in {each["code"] for each in fresh["diagnostics"]["degraded"]}  # type: ignore[index]
