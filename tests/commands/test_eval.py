"""``rankscope eval`` from end to end: it indexes, asks, judges, compares and exports, and says what went wrong."""

from __future__ import annotations

import json
from pathlib import Path

import ir_measures
import pytest

from tests.commands.conftest import Run
from tui.cells import width

BUILT_IN = ("--set", "embedding.provider=hash")
FACTS = {
    "queue.md": "The queue keeps a letter for fourteen days.",
    "retry.md": "同一任务最多自动重试三次。",
    "lease.md": "A lease ends after sixty seconds.",
    "ops/pay.md": "Salaries are paid on the fifth.",
}
SET = """
version = 1
name = "facts"

[[cases]]
id = "queue"
query = "how long does the queue keep a letter?"
lang = "en"
kind = "fact"
evidence = [{ file = "queue.md", text = "fourteen days" }]

[[cases]]
id = "retry"
query = "任务重试几次？"
lang = "zh"
kind = "number"
evidence = [{ file = "retry.md", text = "三次" }]

[[cases]]
id = "lease"
query = "when does a lease end?"
lang = "en"
kind = "number"
evidence = [{ file = "lease.md", text = "sixty seconds" }]

[[cases]]
id = "cup"
query = "who won the cup?"
lang = "en"
kind = "unanswerable"
answerable = false
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    for name, text in FACTS.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return place


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    (tmp_path / "facts.toml").write_text(SET, encoding="utf-8")
    return tmp_path / "facts.toml"


def test_a_library_that_was_never_indexed_is_indexed_and_judged(run: Run, folder: Path, cases: Path):
    answer = run("eval", folder, cases, *BUILT_IN)
    assert answer.returncode == 0
    assert answer.stderr == "", "progress is for a terminal"
    rows = answer.stdout.splitlines()
    assert rows[0].startswith("facts  4 cases, 3 with something to find  run ")
    settings = next(row for row in rows if row.startswith("settings"))
    assert settings.split()[:3] == ["settings", "4", "3/3"]
    assert "in the context 3 of 3" in rows
    assert any(row.startswith("unanswerable           1         0  false accept 100.0%") for row in rows)
    assert max(map(width, rows)) <= 120


def test_the_same_evaluation_twice_gives_the_same_bytes(run: Run, folder: Path, cases: Path):
    first, second = (run("eval", folder, cases, "--json", "--baselines", *BUILT_IN).stdout for _ in range(2))
    assert first == second
    found = json.loads(first)
    assert list(found)[:4] == ["set", "run", "manifest", "metrics"]
    assert found["metrics"]["recall@5"] == 1.0
    assert {"term-overlap", "fts5-and", "tfidf-cosine"} == set(found["baselines"])
    assert [case["layer"] for case in found["cases"]] == ["context", "context", "context", None]


def test_the_exported_run_and_judgements_give_the_same_metrics(
    invoke: Run, folder: Path, cases: Path, tmp_path: Path
):
    files = [tmp_path / name for name in ("run.trec", "run.qrels", "run.csv")]
    options = ("--trec", files[0], "--qrels", files[1], "--csv", files[2])
    found = json.loads(invoke("eval", folder, cases, *options, "--json", *BUILT_IN).stdout)
    theirs = ir_measures.calc_aggregate(
        [ir_measures.RR @ 10, ir_measures.nDCG @ 10, ir_measures.R @ 5],
        list(ir_measures.read_trec_qrels(str(files[1]))),
        list(ir_measures.read_trec_run(str(files[0]))),
    )
    ours = (found["metrics"][name] for name in ("recall@5", "mrr@10", "ndcg@10"))
    assert sorted(theirs.values()) == pytest.approx(sorted(ours), abs=1e-9)
    assert files[2].read_text(encoding="utf-8").count("\n") == 5


def test_other_settings_stand_beside_those_in_force(invoke: Run, folder: Path, cases: Path, tmp_path: Path):
    (tmp_path / "strict.toml").write_text("[retrieval]\nminimum_relevance = 1.0\n")
    answer = invoke("eval", folder, cases, tmp_path / "strict.toml", "top_k=1", "--channels", *BUILT_IN)
    names = [row.split("  ")[0] for row in answer.stdout.splitlines()]
    assert {"settings", "strict", "top_k=1", "fulltext alone", "cjk alone", "vector alone"} <= set(names)


def test_kinds_and_languages_are_told_for_every_variant(invoke: Run, folder: Path, cases: Path):
    rows = invoke("eval", folder, cases, "vector_weight=0,cjk_weight=0", *BUILT_IN).stdout.splitlines()
    heads = [row.split() for row in rows if row.startswith("in context ")]
    assert heads == [["in", "context", "fact", "number"], ["in", "context", "en", "zh"]]
    (one, other) = (row.split()[-2:] for row in rows if row.startswith("settings") and "/" in row.split()[1])
    assert (one, other) == (["1/1", "2/2"], ["2/2", "1/1"])
    assert sum(row.split()[-1] == "0/1" for row in rows if row.startswith("vector_weight=0")) == 1


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_row_is_wider_than_the_screen(columns: int):
    from engine.evaluate.report import Report
    from engine.evaluate.run import METRICS
    from tests.evaluate.test_compare import case, compared, run, unanswerable
    from tui.commands.eval_rows import rows

    outcomes = [case("问题" * 30, 9, "fusion"), case("b" * 90, 1), unanswerable("u", refused=True)]
    manifest = {"embedder": "hash", "chunking": {"mode": "structure"}, "index": {"public": {"documents": 1}}}
    runs = (run("settings", *outcomes, **manifest), run("名字" * 20, *outcomes, **manifest))
    report = Report("集" * 50, runs, METRICS, (compared(outcomes, [case("b" * 90, 9, "gate")]),))
    assert max(map(width, rows(report, columns))) <= columns


def test_a_comparison_names_the_first_difference_the_flips_and_their_stage(
    invoke: Run, folder: Path, cases: Path
):
    answer = invoke("eval", folder, cases, "--compare", "cjk_weight=0,vector_weight=0", *BUILT_IN)
    rows = answer.stdout.splitlines()
    assert "first difference: settings.cjk_weight: 1.0 against 0.0" in rows
    assert any(row.startswith("flips: ") for row in rows)
    assert any("context → not_recalled" in row for row in rows)


def test_a_run_is_kept_and_compared_with_by_its_id(invoke: Run, folder: Path, cases: Path):
    kept = json.loads(invoke("eval", folder, cases, "--json", *BUILT_IN).stdout)["run"]
    answer = invoke("eval", folder, cases, "--set", "top_k=1", "--compare", kept[:8], "--json", *BUILT_IN)
    (found,) = json.loads(answer.stdout)["comparisons"]
    assert (found["a"], found["cause"]) == (kept, "settings.top_k: 6 against 1")


def test_cases_are_chosen_by_language_and_kind(invoke: Run, folder: Path, cases: Path):
    found = json.loads(
        invoke("eval", folder, cases, "--kind", "number", "--lang", "en", "--json", *BUILT_IN).stdout
    )
    assert [case["case_id"] for case in found["cases"]] == ["lease"]
    answer = invoke("eval", folder, cases, "--lang", "fr", *BUILT_IN)
    assert answer.returncode == 2
    assert "its languages are en, zh" in answer.stderr


def test_what_does_not_fit_stops_the_run_or_is_left_out_and_told(invoke: Run, folder: Path, cases: Path):
    cases.write_text(SET.replace("sixty seconds", "sixty minutes"), encoding="utf-8")
    stopped = invoke("eval", folder, cases, *BUILT_IN)
    assert stopped.returncode != 0
    assert "lease" in stopped.stderr
    skipped = invoke("eval", folder, cases, "--skip-invalid", "--json", *BUILT_IN)
    assert "left out: lease" in skipped.stderr
    assert json.loads(skipped.stdout)["manifest"]["set"]["skipped"] == ["lease"]


def test_a_case_asks_as_its_principal(invoke: Run, folder: Path, cases: Path):
    scoped = (*BUILT_IN, "--set", 'scopes={"ops/**" = ["ops"]}')
    cases.write_text(
        SET + '\n[[cases]]\nid = "pay"\nquery = "when are salaries paid?"\n'
        'evidence = [{ file = "ops/pay.md", text = "on the fifth" }]\n'
    )
    invoke("index", folder, *scoped)
    layers = [
        {case["case_id"]: case["layer"] for case in json.loads(answer.stdout)["cases"]}["pay"]
        for answer in (
            invoke("eval", folder, cases, "--json", *scoped),
            invoke("eval", folder, cases, "--json", "--scope", "ops", *scoped),
        )
    ]
    assert layers == ["out_of_scope", "context"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("{folder}", "{folder}/none.toml"), 2, "none.toml"),
        (("{folder}/none", "{set}"), 2, "does not exist"),
        (("{folder}", "{set}", "--metric", "recal@5"), 2, "did you mean recall"),
        (("{folder}", "{set}", "fusoin=rrf"), 2, "did you mean fusion"),
        (("{folder}", "{set}", "--trec", "{folder}"), 2, "cannot be written"),
        (("{folder}", "{set}", "--csv", "{folder}/no/file.csv"), 2, "cannot be written"),
        (("{folder}", "{set}", "--compare", "mode=fixed"), 2, "share one index"),
        (("{folder}", "{set}", "--compare", "abcdef01"), 1, "there is no run abcdef01"),
        (("{folder}",), 2, "missing argument"),
    ],
)
def test_bad_input_is_one_sentence(
    invoke: Run, folder: Path, cases: Path, arguments: tuple[str, ...], code: int, said: str
):
    given = [each.replace("{folder}", str(folder)).replace("{set}", str(cases)) for each in arguments]
    answer = invoke("eval", *given, *BUILT_IN)
    assert (answer.returncode, answer.stdout) == (code, ""), answer.stderr
    assert said in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_hostile_names_and_questions_print_nothing_that_steers(invoke: Run, folder: Path, tmp_path: Path):
    rows = [
        {"id": "a\x1b[2J\u202e", "query": "\x1b]52;c;QQ==\x07 queue\u202e?", "kind": "\x9b31m", "lang": "\x1b[5m",
         "file": "queue.md", "evidence": "fourteen days"},
        {"id": "b\nb", "query": "lease\n\n", "kind": "x", "lang": "y", "file": "lease.md", "evidence": "sixty"},
    ]  # fmt: skip
    place = tmp_path / "hostile.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for options in ((), ("--json",), ("--compare", "top_k=1,minimum_relevance=1")):
        answer = invoke("eval", folder, place, *options, *BUILT_IN)
        assert answer.returncode == 0, answer.stderr
        assert not {*"\x1b\x07\x9b\u202e"} & {*answer.stdout, *answer.stderr}
