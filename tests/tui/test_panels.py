"""Panels and the settings form as rows: they fit, they name what they do, and hostile text stays text."""

import pytest

from engine.settings import Settings
from tests.tui.fake import workbench
from tests.tui.serve import HOSTILE
from tests.tui.test_shell import settled, shown
from tui.actions import available
from tui.registry import ACTIONS, SCOPES
from tui.screens import help, jump, menu, palette, settings, troubles
from tui.state import Problem, View, with_value
from tui.widgets.line import measure, text_of

HERE = available(ACTIONS, SCOPES, "results")


@pytest.mark.parametrize("width", [40, 59, 80, 140])
def test_every_setting_is_a_row_as_wide_as_the_form(width):
    for known in settings.SHOWN:
        row = settings.row(View(), known, width, cursor=False, focused=False, hit=False)
        assert measure(row) == width
        assert known.label in text_of(row)


def test_a_setting_shows_value_default_range_and_where_it_comes_from():
    known = next(one for one in settings.SHOWN if one.name == "top_k")
    turned = with_value(View(), known, 9)
    row = text_of(settings.row(turned, known, 110, cursor=True, focused=True, hit=False))
    assert row.split() == ["▸*top", "k", "9", "turned", "6", "1", "to", "20"]
    assert "default" in text_of(settings.row(View(), known, 110, cursor=False, focused=False, hit=False))


@pytest.mark.parametrize("width", [40, 80])
def test_help_explains_the_words_and_every_key_of_the_pane(width):
    rows = help.rows(ACTIONS, SCOPES, "results", width)
    assert all(measure(row) <= width for row in rows)
    text = " ".join(" ".join(text_of(row).split()) for row in rows)
    for action in HERE:
        assert " ".join(action.help.split()[:2]) in text
    assert "relevance, 0 to 1" in text


def test_the_menu_numbers_what_a_digit_can_run():
    actions = menu.listed(HERE)
    rows = [text_of(row) for row in menu.rows(actions, 100)]
    assert [row.split()[0] for row in rows[:9]] == [str(number) for number in range(1, 10)]
    assert all(action.help in row for action, row in zip(actions, rows, strict=True))
    assert all(
        action.verb in text_of(row) for action, row in zip(actions, menu.rows(actions, 40), strict=True)
    )


def test_a_problem_is_wrapped_sanitised_and_offers_what_can_be_done():
    found = troubles.rows((Problem(HOSTILE * 3, HOSTILE, "query.again", "vector"),), 60)
    assert all(measure(row) <= 58 for row, _ in found)
    assert not any(ord(character) < 32 for row, _ in found for character in text_of(row))
    assert "(enter does it)" in " ".join(text_of(row) for row, _ in found)
    assert {number for _, number in found} == {0}
    assert troubles.rows((), 60)[0][1] == -1


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("vector 1.4", "vector           1.00 → 1.40"),
        ("rerank local", "rerank           off → local"),
        ("top k 9", "top k            6 → 9"),
        ("zoom", "zoom             z            Give the pane the whole screen, and back"),
    ],
)
def test_the_palette_finds_actions_and_sets_values(typed, first):
    found = palette.offers(typed, HERE, Settings())
    assert text_of(palette.row(found[0], Settings())).rstrip() == first


@pytest.mark.parametrize("typed", ["vector 2.1", "vector x", "top k 0", "vector 1.4\x1b[2J", "rerank maybe"])
def test_the_palette_says_what_is_wrong_with_a_value(typed):
    offer = palette.offers(typed, HERE, Settings())[0]
    assert offer.wrong
    assert not any(ord(character) < 32 for character in text_of(palette.row(offer, Settings())))


@pytest.mark.parametrize("typed", ["", "a", " ", "重试", "[/]", "vector", "1.4", "x" * 200])
def test_whatever_is_typed_the_palette_has_rows(typed):
    for offer in palette.offers(typed, HERE, Settings()):
        assert text_of(palette.row(offer, Settings()))


def test_jump_letters_are_told_apart_and_leave_the_keys_that_leave():
    assert len(set(jump.LETTERS)) == len(jump.LETTERS)
    assert not set(jump.LETTERS) & set("qxz;")


async def test_a_panel_is_laid_out_anew_for_the_width_that_there_is():
    """Opened wide and then made narrow, nothing of it is cut that a panel opened narrow would show."""
    app = workbench(question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        wide = list(app.screen.list.choices)
        await pilot.resize_terminal(50, 20)
        await pilot.pause()
        narrow = list(app.screen.list.choices)
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        keys = [row for row in app.screen.list.choices if text_of(row) != "NOW"]
        assert len(narrow) > len(wide)
        assert narrow[-1] == keys[-1]
        assert all(measure(row) <= 48 for row in narrow)


async def test_what_has_no_room_above_the_keys_is_told_whole_by_the_help():
    app = workbench(question="任务重试")
    async with app.run_test(size=(40, 15)) as pilot:
        await settled(pilot)
        told = app.page.told
        assert len(told) > 40
        await pilot.press("question_mark")
        await pilot.pause()
        rows = [text_of(row) for row in app.screen.list.choices]
        end = rows.index("")
        assert rows[0] == "NOW"
        assert "".join(rows[1:end]).replace(" ", "") == told.replace(" ", "")


async def test_the_palette_tells_in_full_what_a_narrow_row_has_to_cut():
    app = workbench(question="任务重试")
    async with app.run_test(size=(40, 15)) as pilot:
        await settled(pilot)
        await pilot.press("colon")
        await pilot.press(*"budget")
        await pilot.pause()
        offer = app.screen.offers[0]
        text = "".join(shown(app).split())
        assert "".join(offer.told(app.view.settings).split()) in text
        await pilot.resize_terminal(200, 45)
        await pilot.pause()
        assert not app.screen.query_one("#whole").display
