"""Cases are made of a question and a marked passage, and edited where they are written; either can be taken back."""

from __future__ import annotations

from pathlib import Path

from engine.evaluate.formats import read_set
from engine.evaluate.sets import Evidence
from tests.tui.documents.desk import QUESTION, opened, settle, shown, write_documents
from tests.tui.evaluate.test_screen import SET
from tests.tui.evaluate.test_screen import opened as evaluating
from tests.tui.evaluate.waiting import until
from tui.screens.case_mark import MarkPanel, sentences
from tui.screens.search import SearchScreen


def test_sentences_end_at_their_marks_and_at_lines() -> None:
    text = "# 标题\n\n第一句。 Second one. 第三句\nv1.2 is no end. \n"
    assert [text[slice(*span)] for span in sentences(text)] == [
        "# 标题", "第一句。", "Second one.", "第三句", "v1.2 is no end.",
    ]  # fmt: skip
    assert sentences(" \n\t") == ()


async def test_c_makes_the_first_case_of_a_marked_sentence_and_u_takes_it_back(tmp_path: Path) -> None:
    write_documents(tmp_path / "samples")
    path = tmp_path / "samples" / "evaluation.toml"
    path.unlink()
    async with opened(tmp_path, press="") as (app, pilot, page):
        assert isinstance(page, SearchScreen)
        assert "no set: c makes the" in shown(app)
        await pilot.press("c")
        panel = app.screen
        assert isinstance(panel, MarkPanel)
        one = panel.pane.marked
        assert one is not None
        text = panel.pane.chunk.text
        assert text[slice(*one)] in [text[slice(*span)] for span in sentences(text)]
        assert "answers “" in shown(app)
        await pilot.press("h", "greater_than_sign")
        marked = panel.pane.marked
        assert marked is not None
        words = text[slice(*marked)]
        await pilot.press("enter")
        told = "case-1 is written at the end of evaluation.toml; u takes it back"
        await until(pilot, lambda: told in shown(app))
        (case,) = read_set(path).cases
        assert case.query == QUESTION
        assert case.evidence == (Evidence(panel.pane.chunk.path, words),)
        await until(pilot, lambda: app.view.evaluation.cases == 1)
        await pilot.press("u")
        await until(pilot, lambda: "undone: case-1" in shown(app))
        assert not path.exists()
        await until(pilot, lambda: app.view.evaluation.cases == 0)


async def test_a_turn_after_a_case_is_undone_before_it(tmp_path: Path) -> None:
    async with evaluating(tmp_path) as (app, pilot, _):
        before = app.evaluating.file.read_text(encoding="utf-8")
        await pilot.press("c", "enter")
        await until(pilot, lambda: app.view.evaluation.cases == 5)
        assert isinstance(app.page, SearchScreen)
        await pilot.press("plus", "u")
        assert app.view.note.startswith("undone: vector")
        await pilot.press("u")
        await until(pilot, lambda: app.evaluating.file.read_text(encoding="utf-8") == before)


async def test_e_rewrites_the_lines_of_its_case_alone(tmp_path: Path) -> None:
    async with evaluating(tmp_path, text=f"# by hand\n{SET}") as (app, pilot, page):
        page.cases.move_to([row.case_id for row in page.cases.listed].index("q07"))
        await pilot.press("e")
        await settle(app, pilot)
        edit = app.page
        assert edit is not None
        assert 'query = "重试间隔"' in edit.area.content  # type: ignore[attr-defined]
        edit.area.put(edit.area.content.replace("重试间隔", "间隔多久"))  # type: ignore[attr-defined]
        await pilot.press("escape")
        await settle(app, pilot)
        assert "REWRITES  evaluation.toml L" in shown(app)
        assert '+ query = "间隔多久"' in shown(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.page is page)
        written = app.evaluating.file.read_text(encoding="utf-8")
        assert written == f"# by hand\n{SET}".replace("重试间隔", "间隔多久")
        assert "rewritten; u takes it back" in app.view.note
        await pilot.press("u")
        await until(pilot, lambda: app.evaluating.file.read_text(encoding="utf-8") == f"# by hand\n{SET}")


async def test_what_would_be_no_set_is_not_written(tmp_path: Path) -> None:
    async with evaluating(tmp_path) as (app, pilot, page):
        page.cases.move_to([row.case_id for row in page.cases.listed].index("q07"))
        await pilot.press("e")
        await settle(app, pilot)
        edit = app.page
        assert edit is not None
        edit.area.put(edit.area.content.replace("query", "qeury"))  # type: ignore[attr-defined]
        await pilot.press("escape", "enter")
        await settle(app, pilot)
        assert "qeury" in edit.told
        assert app.page is edit
        await pilot.press("q")
        await settle(app, pilot)
        assert app.page is page
        assert app.evaluating.file.read_text(encoding="utf-8") == SET


async def test_a_text_that_is_missed_becomes_a_case_at_once(tmp_path: Path) -> None:
    from engine.explain.verdict import TextTarget
    from tui.screens.why_not import WhyNotPage

    words = "单次执行超过 10 分钟即判为超时"
    async with evaluating(tmp_path) as (app, pilot, _):
        app.push_screen(WhyNotPage(TextTarget(words)))
        await settle(app, pilot)
        await pilot.press("c")
        await until(pilot, lambda: app.view.evaluation.cases == 5)
        case = read_set(app.evaluating.file).cases[-1]
        assert (case.query, case.evidence) == (QUESTION, (Evidence("retry.md", words),))
