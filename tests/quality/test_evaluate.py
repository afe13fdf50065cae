"""Evaluations of real sets: the exported run says the same to ir_measures, and parts of a folder are a library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.evaluate.figures import figures
from engine.evaluate.fit import fitted, without_absent
from engine.evaluate.formats import read_set
from engine.evaluate.report import answerability
from engine.evaluate.run import METRICS, Evaluation, Plan, Run
from engine.evaluate.sets import EvaluationSet
from engine.evaluate.variants import baselines, in_force
from engine.library import Library
from engine.settings import Embedding, Settings
from tests.evaluate.test_export import assert_equal_to_ir_measures

HASH = Settings(embedding=Embedding(provider="hash"))


async def evaluated(
    root: Path, cases: EvaluationSet, data: Path, *, include: list[str] | None = None, every: int = 1
) -> tuple[Run, ...]:
    """Runs of every so many cases of a set, under the defaults and each baseline."""
    async with await Library.open(root, settings=HASH, data=data, include=include) as library:
        async for _ in library.sync(cancel=CancelToken()):
            pass
        found = fitted(library, cases, skip_invalid=True).cases
        some = replace(found, cases=found.cases[::every])
        evaluation = Evaluation(library, Plan(some, (in_force(HASH), *baselines(HASH))))
        async for _ in evaluation.run(cancel=CancelToken()):
            pass
        return evaluation.runs


async def test_documents_are_judged_as_ir_measures_judges_them(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "xquad-zh"
    for run in await evaluated(folder, read_set(folder), tmp_path, every=12):
        assert run.by_document
        assert_equal_to_ir_measures(list(run.outcomes))


async def test_the_pages_of_one_language_are_a_library_and_their_questions_are_judged_by_chunk(
    shared: Path, tmp_path: Path
) -> None:
    cases = read_set(shared / "data" / "docs-eval.jsonl").only(lang=["zh"])
    runs = await evaluated(shared / "data", cases, tmp_path, include=["docs-zh/**"])
    assert runs[0].manifest["index"]["public"]["documents"] > 70
    for run in runs:
        assert not run.by_document
        assert_equal_to_ir_measures(list(run.outcomes))
    found = figures(runs[0].outcomes, METRICS)
    assert 0 < found.in_context <= found.scorable < found.cases


async def test_questions_whose_documents_are_taken_away_have_no_answer(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "xquad-en"
    cases = read_set(folder / "noanswer-split.json")
    async with await Library.open(folder, settings=HASH, data=tmp_path) as library:
        async for _ in library.sync(cancel=CancelToken()):
            pass
        rest = without_absent(library, cases)
    assert rest is not None
    (run, *_) = await evaluated(rest, cases, tmp_path, every=10)
    assert run.manifest["index"]["public"]["documents"] == 240 - len(cases.absent)
    assert 0 < sum(not each.answerable for each in run.outcomes) < len(run.outcomes)
    assert answerability(run.outcomes)["thresholds"].keys() == {"minimum_relevance", "score_margin"}
