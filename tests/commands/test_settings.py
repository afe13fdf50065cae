"""``rankscope settings``: every value with its origin, and trust given by the user alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.settings import FIELDS
from tests.commands.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    (place / ".rankscope").mkdir(parents=True)
    return place


def test_every_visible_field_is_listed_with_range_and_origin(invoke: Run):
    answer = invoke("settings", "--set", "top_k=9")
    assert answer.returncode == 0
    for field in FIELDS:
        assert field.hidden or f"  {field.name} " in answer.stdout
    row = next(line for line in answer.stdout.splitlines() if line.startswith("  top_k"))
    assert row.split() == ["top_k", "9", "1", "to", "20", "command", "line"]


def test_json_is_one_document_in_the_schemas_order(invoke: Run):
    answer = invoke("settings", "--json", "--set", "retrieval.top_k=9", "--set", 'scopes={"a/**" = ["a"]}')
    fields = json.loads(answer.stdout)["fields"]
    assert [each["field"] for each in fields] == [field.key for field in FIELDS if not field.hidden]
    values = {each["field"]: (each["value"], each["origin"]) for each in fields}
    assert values["retrieval.top_k"] == (9, "command line")
    assert values["scopes"] == ({"a/**": ["a"]}, "command line")
    assert values["retrieval.rrf_k"] == (60, "default")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "topk=1"], "there is no setting topk: did you mean top_k?"),
        (["--set", "top_k=0"], "retrieval.top_k is 0: it must be 1 to 20"),
        (["--settings", "none.toml"], "there is no settings file"),
        (["no-such-folder"], "no-such-folder does not exist"),
        (["--trust"], "--trust needs a folder"),
        (["--sett"], "no such option"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(invoke: Run, arguments: list[str], said: str):
    answer = invoke("settings", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("rankscope: ")
    assert answer.stderr.count("\n") == 1
    assert said in answer.stderr


def test_a_folders_own_endpoint_is_ignored_aloud_until_it_is_trusted(invoke: Run, folder: Path):
    (folder / ".rankscope" / "settings.toml").write_text('[embedding]\nbase_url = "http://elsewhere/v1"\n')
    before = invoke("settings", folder)
    assert "embedding.base_url of the folder's own settings ignored" in before.stderr
    assert "http://elsewhere" not in before.stdout
    trusting = invoke("settings", folder, "--trust")
    assert trusting.stderr == "rankscope: trusted: embedding.base_url\n"
    after = invoke("settings", folder, "--json")
    assert after.stderr == ""
    assert "http://elsewhere/v1" in after.stdout
