"""The shell: pages, panels, keys and queries, driven through the real application with a fake library."""

from __future__ import annotations

import pytest
from textual import events

from engine.errors import LibraryError
from engine.model import Progress, Skipped, SyncReport
from engine.settings import Interface, Settings
from tests.tui.fake import FakeLibrary, screen_text, workbench
from tui.app import RankscopeApp
from tui.keys import INPUT_METHOD
from tui.opening import Terminal
from tui.screens.page import is_text_field

QUESTION = "任务自动重试耗尽后怎么办？"


async def settled(pilot) -> RankscopeApp:
    """Let workers and paints come to rest."""
    app = pilot.app
    await app.workers.wait_for_complete()
    await pilot.pause()
    return app


def shown(app: RankscopeApp) -> str:
    return "\n".join(screen_text(app))


async def test_the_first_question_is_answered_without_a_key():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        text = shown(app)
        assert QUESTION in text.replace("\n", "")
        assert "retry.md › 重试与隔离" in text
        assert screen_text(app)[0].startswith(
            " samples   1 Search  2 Documents  3 Evaluate  6 Tasks  7 Settings"
        )
        assert "8 documents  9 chunks  3f9a1c" in screen_text(app)[0]


async def test_a_result_that_comes_late_is_dropped():
    library = FakeLibrary()
    app = workbench(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        library.hold()
        app.ask("first")
        await pilot.pause()
        app.ask("second")
        library.release()
        await settled(pilot)
        assert library.asked == ["first", "second"]
        assert app.view.trace.recall.query == "second"
        assert library.tokens[-2].cancelled


async def test_escape_cancels_the_running_query_and_keeps_the_last_result():
    library = FakeLibrary()
    app = workbench(library, question="first")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        library.hold()
        app.ask("second")
        await pilot.pause()
        assert app.view.running
        await pilot.press("escape")
        assert not app.view.running
        assert library.tokens[-1].cancelled
        assert app.view.trace.recall.query == "first"
        library.release()
        await settled(pilot)
        assert app.view.trace.recall.query == "first"


async def test_an_error_is_one_sentence_and_the_last_result_stays():
    library = FakeLibrary()
    app = workbench(library, question="first")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        library.failure = LibraryError("the index of [/]\x1b[2J is damaged", "run `rankscope verify`")
        app.ask("second")
        await settled(pilot)
        assert "the index of [/]␛[2J is damaged" in shown(app)
        assert "run `rankscope verify`" in shown(app)
        assert "of the query before" in shown(app)
        assert "retry.md" in shown(app)


async def test_what_nobody_foresaw_goes_to_the_log(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    library = FakeLibrary(failure=ZeroDivisionError("secret text"))
    app = workbench(library, question="first")
    async with app.run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        assert "something unforeseen went wrong (ZeroDivisionError)" in shown(app)
        logged = next(tmp_path.rglob("*.log")).read_text()
        assert "ZeroDivisionError: secret text" in logged


async def test_turns_that_come_together_are_ranked_once(monkeypatch):
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        traces = []
        monkeypatch.setattr(app.page, "show", lambda view: traces.append(view.trace))
        for _ in range(20):
            app.turn(1)
        await pilot.pause()
        assert app.view.retrieval.vector_weight == 2.0
        assert app.view.trace.retrieval.vector_weight == 2.0
        assert [trace.retrieval.vector_weight for trace in traces] == [2.0], "one frame, of the last value"


async def test_a_channel_that_was_not_asked_is_asked_when_its_weight_rises():
    from dataclasses import replace

    muted = replace(Settings(), retrieval=replace(Settings().retrieval, vector_weight=0))
    library = FakeLibrary()
    app = workbench(library, question="first", settings=muted)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("plus")
        await settled(pilot)
        assert library.asked == ["first", "first"]
        assert app.view.trace.recall.channel("vector").requested


async def test_menu_runs_an_action_by_its_digit():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("space")
        rows = screen_text(app)
        digit = next(row.split()[0].strip("▸") or row.split()[1] for row in rows if "Write the query" in row)
        await pilot.press(digit)
        await pilot.pause()
        assert is_text_field(app.focused)


async def test_of_two_keys_that_come_together_a_panel_answers_the_first():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("space", "down")
        for key in ("enter", "enter", "escape"):
            app.post_message(events.Key(key=key, character=None))
        await pilot.pause()
        await pilot.pause()
        assert len(app.screen_stack) == 1


async def test_the_palette_sets_a_value_and_makes_it_the_dial():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("colon", *"fulltext", "space", "0", ".", "5")
        assert "1.00 → 0.50" in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert app.view.retrieval.fulltext_weight == 0.5
        assert app.view.dial == "fulltext_weight"


async def test_the_palette_refuses_a_value_out_of_range_in_words():
    app = workbench()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("escape", "colon")
        app.screen.query_one("#find").value = "vector 9"
        await pilot.pause()
        assert "0 to 2" in shown(app)
        await pilot.press("enter")
        assert app.view.retrieval.vector_weight == 1.0


async def test_help_is_of_the_focused_pane_and_every_panel_closes_with_escape_or_q():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for opens, closes in (("question_mark", "escape"), ("exclamation_mark", "q"), ("space", "q")):
            await pilot.press(opens)
            assert len(app.screen_stack) == 2
            await pilot.press(closes)
            assert len(app.screen_stack) == 1
        await pilot.press("question_mark")
        assert "HELP  Results" in shown(app)


async def test_jump_goes_to_a_pane_by_its_letter():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        await pilot.press("semicolon")
        listing = screen_text(app)[-1]
        letter = listing.split("Tune")[0].split()[-1]
        await pilot.press(letter)
        await pilot.pause()
        assert app.focused.SCOPE == "tune"


@pytest.mark.parametrize(
    ("typed", "opens"), [("；", "JumpScreen"), ("？", "Panel"), ("：", "PalettePanel"), ("　", "MenuPanel")]
)
async def test_full_width_keys_run_as_their_ascii_twins(typed, opens):
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.post_message(events.Key(key=typed, character=typed))
        await pilot.pause()
        assert type(app.screen).__name__ == opens


async def test_composed_characters_run_nothing_and_the_line_says_why_until_a_key_works():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        before = app.view
        for character in "任务自动重试":
            app.post_message(events.Key(key=character, character=character))
        await pilot.pause()
        assert app.view is before
        assert INPUT_METHOD in shown(app)
        await pilot.press("j")
        await pilot.pause()
        assert INPUT_METHOD not in shown(app)


async def test_twelve_characters_committed_at_once_arrive_in_the_query():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        app.focused.value = ""
        for character in "任务自动重试耗尽后怎么办":
            app.post_message(events.Key(key=character, character=character))
        await pilot.pause()
        assert app.focused.value == "任务自动重试耗尽后怎么办"


@pytest.mark.parametrize("inside", [True, False])
async def test_a_paste_fills_the_query_as_one_line_and_runs_no_key(inside):
    """UI-06."""
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        if inside:
            await pilot.press("slash")
            app.focused.value = ""
        app.post_message(events.Paste("q\nd\ny\n\x1b[201~q" + "问" * 5_000))
        await settled(pilot)
        assert len(app.screen_stack) == 1
        assert is_text_field(app.focused)
        assert app.focused.value.startswith("q d y [201~q问")
        assert len(app.focused.value) == 4_000


async def test_alt_and_a_key_is_escape_and_then_the_key():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        app.post_message(events.Key(key="alt+j", character=None))
        await pilot.pause()
        await pilot.pause()
        assert app.focused.SCOPE == "results"
        assert app.focused.cursor == 1


async def test_the_settings_screen_turns_types_finds_and_resets():
    app = workbench(question=QUESTION)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("7", "slash", *"budget", "enter")
        await pilot.pause()
        fields = app.screen.fields
        assert fields.known.name == "context_max_characters"
        await pilot.press("minus")
        assert app.view.retrieval.context_max_characters == 15_500
        assert "turned" in next(row for row in screen_text(app) if "budget" in row)
        await pilot.press("enter")
        app.focused.value = "99999"
        await pilot.press("enter")
        assert "2,000 to 48,000" in shown(app)
        app.focused.value = "6000"
        await pilot.press("enter", "backspace")
        assert app.view.settings == Settings()
        await pilot.press("1")
        assert "RESULTS" in shown(app)
        await pilot.press("7")
        assert app.screen.fields.known.name == "context_max_characters"


async def test_saving_says_what_changed_and_where(tmp_path):
    from engine.settings.sources import resolve

    app = workbench(question=QUESTION, resolved=resolve(file=_empty(tmp_path / "own.toml")))
    async with app.run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        await pilot.press("plus", "s")
        await pilot.pause()
        assert "vector_weight" in shown(app)
        assert "1.05" in (tmp_path / "own.toml").read_text()
        assert app.view.saved == app.view.settings
        await pilot.press("s")
        await pilot.pause()
        assert "nothing to save" in shown(app)


async def test_closing_during_indexing_cancels_the_worker_and_closes_the_library():
    steps = tuple(Progress("read", done, 400, 52.0, 6.0) for done in range(400))
    library = FakeLibrary(steps=steps)
    app = workbench(library)
    async with app.run_test(size=(120, 40)) as pilot:
        library.hold_tasks()
        await pilot.pause()
        await pilot.pause()
        assert app.bridge.syncing
        await pilot.press("ctrl+q")
        assert library.tokens[0].cancelled
        assert library.closed
        assert app.return_code == 0


async def test_escape_with_nothing_else_to_leave_asks_before_it_cancels_indexing():
    library = FakeLibrary(steps=tuple(Progress("read", done, 9, 1.0, 9.0) for done in range(9)))
    app = workbench(library, question="first")
    async with app.run_test(size=(120, 40)) as pilot:
        library.hold_tasks()
        await pilot.pause()
        await pilot.pause()
        assert "indexing 9 left 0:09" in screen_text(app)[0]
        await pilot.press("escape")
        assert "again cancels indexing; it resumes" in shown(app)
        assert app.bridge.syncing
        await pilot.press("escape")
        assert not app.bridge.syncing
        await settled(pilot)
        assert "indexing" not in screen_text(app)[0]


async def test_what_a_sync_left_out_is_in_the_list_of_problems():
    library = FakeLibrary(report=SyncReport(skipped=(Skipped("logo\x1b[2J.png", "binary"),)))
    app = workbench(library, question="first")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert " ! 1 problem  sync: logo␛[2J.png: binary, skipped" in shown(app)
        await pilot.press("exclamation_mark")
        assert "PROBLEMS  1" in shown(app)


async def test_another_process_that_writes_is_named():
    app = workbench(FakeLibrary(writable=False, writer="rankscope, process 4711"), question="first")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "rankscope, process 4711 is writing this library" in shown(app)


@pytest.mark.parametrize("size", [(39, 20), (60, 14), (20, 5), (1, 1)])
async def test_below_the_least_size_one_sentence_gives_the_size_needed(size):
    app = workbench(question=QUESTION)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        text = "".join(row.rstrip() for row in screen_text(app)).replace(" ", "")
        assert "Rankscopeneeds40×15cells;thisterminalhas".startswith(text[:40]) or size == (1, 1)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert "RESULTS" in shown(app)


async def test_a_keymap_moves_a_key_and_a_wrong_one_is_a_problem():
    own = Settings(interface=Interface(keymap=(("screen.jump", "f5"),)))
    app = workbench(question=QUESTION, settings=own)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("semicolon")
        assert len(app.screen_stack) == 1
        await pilot.press("f5")
        assert len(app.screen_stack) == 2
    wrong = Settings(interface=Interface(keymap=(("screen.jmp", "f5"),)))
    app = workbench(question=QUESTION, settings=wrong)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "there is no action screen.jmp" in shown(app)


async def test_glyphs_become_ascii_where_the_terminal_draws_them_wide():
    app = workbench(question=QUESTION, terminal=Terminal("256", ascii=True))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "two cells wide" in shown(app)
        from textual.color import Color

        filters = app.get_line_filters()
        strip = app.screen._compositor.render_strips()[8]
        drawn = strip.apply_filter(filters[-1], Color(0, 0, 0)).text
        assert "│" not in drawn
        assert "|" in drawn


def _empty(path):
    path.write_text("")
    return path
