"""The Evaluate screen by the text it shows, and by what its keys do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.settings import Chunking, Settings
from tests.tui.documents import desk
from tests.tui.documents.desk import settle, shown, write_documents
from tests.tui.evaluate.waiting import scored, until
from tests.tui.fake import screen_text
from tui import cells
from tui.app import RankscopeApp
from tui.screens.evaluate import EvaluateScreen
from tui.screens.search import SearchScreen

SIZES = [(140, 45), (120, 40), (80, 24), (40, 15), (200, 60)]
SET = """
version = 1
name = "own"

[[cases]]
id = "q07"
query = "重试间隔"
evidence = [{ file = "retry.md", text = "间隔依次为 1、5、25 分钟" }]

[[cases]]
id = "q11"
query = "第 7 条"
evidence = [{ file = "ops/queue.md", text = "第 7 条：" }]

[[cases]]
id = "q12\\u001b[2J"
query = "租约 [/] 到期 \\u202e 重试"
evidence = [{ file = "ops/queue.md", text = "第 30 条：" }]

[[cases]]
id = "none"
query = "谁赢了比赛？"
answerable = false
"""


@asynccontextmanager
async def opened(
    tmp_path: Path, size: tuple[int, int] = (140, 45), *, text: str = SET, settings: Settings = desk.SMALL
) -> AsyncIterator[tuple[RankscopeApp, Pilot[int], EvaluateScreen]]:
    """The Evaluate screen of a small library whose set has these cases, everything worked out."""
    write_documents(tmp_path / "samples")
    (tmp_path / "samples" / "evaluation.toml").write_text(text, encoding="utf-8")
    async with desk.opened(tmp_path, size, settings=settings, press="3") as (app, pilot, page):
        assert isinstance(page, EvaluateScreen)
        await until(pilot, lambda: app.view.evaluation.wrong or app.view.evaluation.loaded is not None)
        if app.view.evaluation.cases:
            await scored(app, pilot)
            await until(pilot, lambda: app.view.evaluation.baselines)
        yield app, pilot, page


async def lose(app: RankscopeApp, pilot: Pilot[int]) -> None:
    """Settings under which less is found."""
    app.apply({"top_k": 1, "candidate_multiplier": 2, "context_max_characters": 2_000, "vector_weight": 0.05})
    await scored(app, pilot)


async def test_rows_fill_the_screen_at_every_size_whichever_pane_is_shown(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        await lose(app, pilot)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settle(app, pilot)
            for pane in ("TUNE", "METRICS", "CASES"):
                page = app.page
                assert page is not None
                page.set_focus(page.query_one(f"#{pane.lower()}"))
                await pilot.pause()
                rows = screen_text(app)
                assert len(rows) == size[1]
                assert {cells.width(row) for row in rows} == {size[0]}
                assert f"▸{pane}" in shown(app)
                assert "\x1b" not in shown(app)
                assert "\u202e" not in shown(app)
                if size == (80, 24):
                    right = {"TUNE": "", "METRICS": "the file's settings", "CASES": "1 flip of 4"}[pane]
                    assert right in rows[3]


async def test_figures_cases_and_flips_follow_a_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        text = shown(app)
        assert "4 cases checked: every evidence found in its document" in text
        assert "METRICS  evaluation.toml v1: 3 answerable, 1 not" in text
        assert "live against the file's settings" in text
        assert "refused right" in text
        assert "0 flips of 4" in text
        assert "terms+h." in text
        value = app.view.evaluation
        assert [name for name, _ in value.baselines] == [
            "term-overlap",
            "fts5-and",
            "tfidf-cosine",
            "full text",
        ]
        await lose(app, pilot)
        lost = [row for row in page.cases.listed if row.flipped]
        assert lost
        assert not any(row.gained for row in lost)
        assert page.cases.listed[: len(lost)] == tuple(lost)
        assert "in > out" in shown(app)
        assert "╌╌ no flip ╌" in shown(app)
        await pilot.press("G", "n")
        assert page.cases.cursor == 0
        await until(pilot, lambda: lost[0].case_id in page.looking.changes)
        assert page.looking.changes[lost[0].case_id] in page.told


async def test_enter_asks_the_question_of_the_case_on_search(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.cases.move_to([row.case_id for row in page.cases.listed].index("q07"))
        await pilot.press("enter")
        await settle(app, pilot)
        assert isinstance(app.page, SearchScreen)
        assert app.view.query == "重试间隔"
        assert app.view.trace is not None
        assert app.view.trace.recall.query == "重试间隔"
        await pilot.press("3")
        assert app.page is page


async def test_a_run_is_kept_and_can_be_a(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await pilot.press("r")
        await until(pilot, lambda: "run 1 is kept: recall@6" in app.view.note)
        await lose(app, pilot)
        page.set_focus(page.metrics)
        await pilot.press("enter")
        await settle(app, pilot)
        assert "run 1 of" in shown(app)
        await pilot.press("j", "j", "j", "enter")
        await until(pilot, lambda: app.view.evaluation.against.startswith("A = run 1 of "))
        await scored(app, pilot)
        value = app.view.evaluation
        assert value.a is not None
        assert value.a.variant.retrieval.top_k == 6
        assert value.tested
        await pilot.press("p")
        await until(pilot, lambda: app.view.evaluation.against == "A, the pinned settings")


async def test_r_reads_a_set_that_was_changed_before_it_runs_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        fewer = SET[: SET.index('[[cases]]\nid = "none"')]
        app.evaluating.file.write_text(fewer, encoding="utf-8")
        await pilot.press("r")
        await until(pilot, lambda: app.view.evaluation.cases == 3)
        await pilot.press("r")
        await until(pilot, lambda: "run 1 is kept" in app.view.note)


async def test_differences_are_told_and_lead_to_their_case(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await lose(app, pilot)
        await pilot.press("G", "d")
        await settle(app, pilot)
        text = shown(app)
        assert "AGAINST the file's settings" in text
        assert "lost: context > " in text
        await pilot.press("j", "j", "j", "j", "enter")
        await settle(app, pilot)
        assert page.cases.row is not None
        assert page.cases.row.flipped


async def test_what_is_written_is_what_the_command_line_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    async with opened(tmp_path) as (app, pilot, _):
        await pilot.press("Y", "enter")
        await settle(app, pilot)
        await pilot.press("Y", "j", "j", "enter")
        await settle(app, pilot)
    written = {path.suffix: path for path in out.iterdir()}
    command = [
        sys.executable, "-m", "tui", "eval", tmp_path / "samples", tmp_path / "samples" / "evaluation.toml",
        "--data", tmp_path / "data", "--set", "embedding.provider=hash", "--json", "--trec", tmp_path / "peer.trec",
    ]  # fmt: skip
    ran = subprocess.run(
        list(map(str, command)), check=True, capture_output=True, cwd=Path(__file__).parents[3]
    )
    document = json.loads(written[".json"].read_text(encoding="utf-8"))
    peer = json.loads(ran.stdout.decode())
    assert document == peer
    assert written[".trec"].read_text(encoding="utf-8") == (tmp_path / "peer.trec").read_text(
        encoding="utf-8"
    )


async def test_evidence_that_a_boundary_cuts_names_the_chunks_that_share_it(tmp_path: Path) -> None:
    cut = '\n[[cases]]\nid = "wide"\nquery = "死信"\nevidence = [{ file = "ops/queue.md", start = 0, end = 1190 }]\n'
    small = replace(desk.SMALL, chunking=Chunking(target_characters=400, overlap_characters=0))
    async with opened(tmp_path, text=SET + cut, settings=small) as (app, pilot, page):
        assert "1 split by the present chunking" in shown(app)
        assert page.looking.changes["wide"].startswith("chunks 1 and ")
        await lose(app, pilot)  # the whole of it is no longer in one context
        assert f"split: {page.looking.changes['wide']}" in shown(app)


async def test_what_does_not_fit_is_listed_and_r_asks_the_others(tmp_path: Path) -> None:
    bad = SET + '\n[[cases]]\nid = "q99"\nquery = "?"\nevidence = [{ file = "retry.md", text = "nowhere" }]\n'
    async with opened(tmp_path, text=bad) as (app, pilot, _):
        text = shown(app)
        assert "1 case does not fit the documents, so nothing was asked" in text
        assert "q99" in text
        await pilot.press("r")
        await until(pilot, lambda: "4 cases checked" in shown(app))
        assert "1 left out" in shown(app)


async def test_another_set_is_read_by_its_path(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    row = {"id": "j1", "query": "租约", "evidence": [{"file": "retry.md", "text": "直到租约到期"}]}
    other.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    async with opened(tmp_path) as (app, pilot, page):
        page.set_focus(page.metrics)
        await pilot.press("enter", "j", "enter")
        await settle(app, pilot)
        app.screen.field.value = "nowhere.toml"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await settle(app, pilot)
        assert "there is no " in shown(app)
        app.screen.field.value = "../other.jsonl"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: app.view.evaluation.cases == 1)
        assert "other.jsonl" in shown(app)
