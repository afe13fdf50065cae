"""The workbench: one application that owns the view, and changes it only in handlers and named methods.

It holds no engine (``bridge.py`` does) and draws nothing (pages and panels do). ``start.py`` opens it on a
folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.filter import LineFilter
from textual.screen import Screen

from engine.errors import RankscopeError, SettingsError
from engine.model import QUERY_LIMIT
from engine.settings.fields import Field
from tui import bridge, messages, pinned, state, tasks, themes
from tui.actions import Action, bindings, check_keymap, with_keymap
from tui.ascii import AsciiFilter
from tui.bridge import Bridge, Opener
from tui.driver import QuietDriver
from tui.evaluating import Evaluating
from tui.journal import History, Journal
from tui.keys import Keys
from tui.opening import Opening, first_note, first_problems
from tui.problems import after_sync, problem_of, with_problem
from tui.registry import ACTIONS, EVERYWHERE, SCOPES
from tui.saving import saved
from tui.screens import panels
from tui.screens.page import Page, is_text_field
from tui.state import Problem, View
from tui.text import query_line

if TYPE_CHECKING:
    from engine.model import Recall
    from engine.settings import Retrieval
    from engine.trace import Trace


CASES_MADE_ON = ("Search", "Evaluate")
"""Screens on which cases of the evaluation set are made, and taken back."""


class RankscopeApp(App[int]):
    """The application. Pages are shown every new ``view``, and ask for changes by the methods below."""

    CSS_PATH: ClassVar[list[str]] = [
        "app.tcss",
        "styles/search.tcss",
        "styles/documents.tcss",
        "styles/evaluate.tcss",
    ]  # type: ignore[assignment]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Binding]] = bindings(EVERYWHERE)  # type: ignore[assignment]
    screens: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("1", "Search", "Search"),
        ("2", "Documents", "Docs"),
        ("3", "Evaluate", "Eval"),
        ("6", "Tasks", "Tasks"),
        ("7", "Settings", "Set"),
    )

    def __init__(self, opening: Opening, opener: Opener) -> None:
        self.opening = opening
        settings = opening.resolved.settings
        self.look = themes.choose(settings.interface.theme, opening.terminal.colours)
        super().__init__(driver_class=QuietDriver, ansi_color=None if self.look.background else True)
        problems = first_problems(opening)
        self.view = View(
            library=opening.folder.name, settings=settings, saved=settings, scopes=opening.scopes,
            origins=opening.resolved.origins, problems=problems, note=first_note(problems),
        )  # fmt: skip
        self.bridge = Bridge(self, opener)
        self.evaluating = Evaluating(self)
        self.journal = None
        if opening.journal:
            self.journal = Journal(opening.folder, texts=settings.journal == "queries")
        self.history = History(self.journal.queries() if self.journal else [])
        self.actions: tuple[Action, ...] = ACTIONS
        self.keys = Keys(self)
        self._filters_drawn: list[LineFilter] = [AsciiFilter()] if opening.terminal.ascii else []
        self._settling = False
        self._pressed = 0
        self._asked_at = -1
        for look in themes.LOOKS.values():
            self.register_theme(themes.theme(look))
        self.theme = f"rankscope-{self.look.name}"
        keymap = settings.interface.keymap
        if not check_keymap(ACTIONS, SCOPES, keymap):
            self.actions = with_keymap(ACTIONS, keymap)
            self.set_keymap(dict(keymap))

    # --- the toolkit's hooks ---

    def get_default_screen(self) -> Screen[Any]:
        from tui.screens.search import SearchScreen

        return SearchScreen()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict.fromkeys(("strong", "muted", "focus", "attention"), "ansi_default")

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self._filters_drawn]

    def on_mount(self) -> None:
        self.call_after_refresh(self.bridge.open)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            translated = await self.keys.translate(event)
            self._begin_key()
            if translated is None:
                self.keys.say_input_method()
                return
            event = translated
        elif isinstance(event, events.Paste) and not event.is_forwarded and not is_text_field(self.focused):
            if isinstance(self.screen, Page):
                self.screen.take_paste(event.text)
            return
        await super().on_event(event)

    def _begin_key(self) -> None:
        """A key was pressed: what was said of the one before has been read."""
        self._pressed += 1
        self.bridge.keys.pressed()
        if self.view.note:
            self.view = replace(self.view, note="")
        if self.page is not None:
            self.page.remark("")

    # --- the view ---

    def show(self, view: View) -> None:
        """Make this the present view, and show it to every open page, unless they are being taken down."""
        self.view = view = self.evaluating.followed(view)
        if not self.is_running:
            return
        for screen in self.screen_stack:
            if isinstance(screen, Page) and screen.ready:
                screen.follow(view)

    @property
    def page(self) -> Page | None:
        """The page that is open, below whatever panel lies over it."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Page)), None)

    # --- settings ---

    def turn(self, turns: int, *, big: bool = False, known: Field | None = None) -> None:
        """Turn a setting, by default the dial, and rank anew once the keys that wait are through."""
        self._set(state.with_turn(self.view, known or state.field_of(self.view), turns, big=big))

    def reset(self, known: Field | None = None) -> None:
        """Give a setting the saved value again."""
        self._set(state.with_reset(self.view, known or state.field_of(self.view)))

    def mute(self, known: Field | None = None) -> None:
        """Set a weight to 0, and back."""
        self._set(state.with_mute(self.view, known or state.field_of(self.view)))

    def assign(self, known: Field, text: str) -> str:
        """Set a setting to what was typed; the sentence of what is wrong with it, empty where nothing is."""
        try:
            self._set(replace(state.with_text(self.view, known, text), note=""))
        except SettingsError as error:
            return str(error)
        return ""

    def apply(self, values: Mapping[str, object]) -> None:
        """Set retrieval settings together, to be undone together."""
        try:
            self._set(state.with_change(self.view, values))
        except SettingsError as error:
            self.show(replace(self.view, note=str(error)))

    def type_value(self, known: Field) -> None:
        """Let a setting's value be typed, in the palette."""
        panels.open_palette(self, f"{known.label} ")

    def settle(self, recall: Recall, retrieval: Retrieval) -> Trace:
        """What this recall would give under other retrieval settings; changes nothing."""
        return bridge.settle(recall, replace(self.view.settings, retrieval=retrieval))

    def choose_dial(self, steps: int) -> None:
        self.show(state.with_dial(self.view, steps))

    def make_dial(self, name: str) -> None:
        """Make a retrieval setting the dial, by its name."""
        if name != self.view.dial:
            self.show(replace(self.view, dial=name))

    def _set(self, view: View) -> None:
        """Take on a view; changed settings are shown with their new ranks, in one frame."""
        before = self.view
        if view.settings == before.settings:
            self.show(view)
            return
        self.view = view
        if view.settings.interface != before.settings.interface:
            self._dress()
        if not self._settling:
            self._settling = True
            self.call_later(self._settle)

    def _settle(self) -> None:
        """Rank the last recall under the settings in force: once for all keys that came before it."""
        self._settling = False
        view = self.view
        if view.trace is None or view.behind:
            self.show(view)
            return
        try:
            if not bridge.covers(view.trace.recall, view.settings):
                self.ask(view.query, again=True)
                return
            self.show(replace(view, trace=bridge.settle(view.trace.recall, view.settings)))
        except RankscopeError as error:
            self.show(replace(view, error=problem_of(error, "ranking")))

    def _dress(self) -> None:
        """Take on the theme of the settings."""
        self.look = themes.choose(self.view.settings.interface.theme, self.opening.terminal.colours)
        self.theme = f"rankscope-{self.look.name}"

    def action_settings_undo(self) -> None:
        if self.page is not None and self.page.undo():
            return
        if self.page is None or self.page.NAME not in CASES_MADE_ON or not self.evaluating.undo():
            self._set(state.with_undo(self.view))

    def action_settings_save(self) -> None:
        self.show(pinned.referenced(saved(self.view, self.opening.resolved)))

    # --- queries ---

    def ask(self, query: str, *, again: bool = False) -> None:
        """Recall a query, in place of any that runs. The last good result stays until it is answered."""
        text, _ = query_line(query.strip(), QUERY_LIMIT)
        if not text:
            self.show(replace(self.view, note="the query is empty: type a question"))
            return
        if not again:
            self.history.add(text)
        running, failed = self.bridge.library is not None, self.bridge.failed
        self.show(replace(self.view, query=text, running=running, error=failed, note=""))
        self.bridge.ask(text, pinned.asked_with(self.view), self.view.scopes)

    def ask_again(self) -> None:
        """The last query once more, on the index as it is now."""
        if self.view.query:
            self.ask(self.view.query, again=True)

    def choose_scopes(self, scopes: tuple[str, ...]) -> None:
        """Ask as another principal from now on; nothing of the former one stays on screen."""
        if scopes == self.view.scopes:
            return
        self.bridge.cancel_query()
        view = pinned.forgotten(self.view)
        self.show(replace(view, scopes=scopes, trace=None, reference=None, status=None, error=None))
        self.bridge.read_status(scopes)
        self.ask_again()

    def on_recall_finished(self, message: messages.RecallFinished) -> None:
        if message.request != self.bridge.request:
            return
        view = self.view
        try:
            trace = bridge.settle(message.recall, view.settings)
        except Exception as error:
            self.show(replace(view, running=False, error=problem_of(error, "ranking", place="query")))
            return
        answered = replace(view, trace=trace, running=False, error=None, query=message.recall.query)
        self.show(pinned.referenced(answered))
        if self.journal is not None:
            self.journal.texts = view.settings.journal == "queries"
            self.journal.record(trace)

    def on_recall_failed(self, message: messages.RecallFailed) -> None:
        if message.request == self.bridge.request:
            self.show(replace(self.view, running=False, error=message.problem))

    # --- the library ---

    def on_library_opened(self, message: messages.LibraryOpened) -> None:
        view = replace(
            self.view, library=message.name, writable=message.writable, writer=message.writer, error=None,
            problems=tuple(one for one in self.view.problems if one.place != "library"),
        )  # fmt: skip
        if not message.writable:
            told = Problem(
                f"{message.writer or 'another process'} is writing this library",
                "searches work; it alone can index", place="library",
            )  # fmt: skip
            view = replace(view, problems=(*view.problems, told))
        self.show(view)
        waiting = self.view.query or self.opening.question
        if waiting:
            self.ask(waiting)
        if message.writable:
            self.bridge.sync(self.view.scopes)
            if self.opening.watch:
                self.bridge.watch(self.opening.folder)

    def on_library_failed(self, message: messages.LibraryFailed) -> None:
        problems = with_problem(self.view.problems, message.problem)
        self.show(replace(self.view, problems=problems, running=False, error=message.problem))

    def on_status_read(self, message: messages.StatusRead) -> None:
        self.show(replace(self.view, status=message.status))

    def on_progress_made(self, message: messages.ProgressMade) -> None:
        self.show(replace(self.view, progress=message.progress))

    def on_sync_finished(self, message: messages.SyncFinished) -> None:
        view, told = self.view, tasks.outcome(message.report)
        if not tasks.changes(message.report) and view.note != tasks.READING:
            told = view.note
        problems = after_sync(view.problems, message.report)
        self.show(replace(view, problems=problems, writable=True, writer="", note=told))
        self._ask_if_behind()

    def on_embedder_loaded(self, message: messages.EmbedderLoaded) -> None:
        trace = self.view.trace
        if trace is not None and any(one.code == "embedder_loading" for one in trace.recall.degraded):
            self.ask_again()

    def on_embedding_finished(self, message: messages.EmbeddingFinished) -> None:
        self._ask_if_behind()

    def on_task_failed(self, message: messages.TaskFailed) -> None:
        note = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
        problems = with_problem(self.view.problems, message.problem)
        self.show(replace(self.view, problems=problems, note=note))

    # --- the evaluation set, which the application follows for every page ---

    def on_examined(self, message: messages.Examined) -> None:
        if self.evaluating.owns(message.token):
            self.evaluating.ended(message.token, message.answer)

    def on_examining(self, message: messages.Examining) -> None:
        if self.evaluating.owns(message.token):
            self.evaluating.went_on(message.token, message.progress)

    def on_examine_failed(self, message: messages.ExamineFailed) -> None:
        if self.evaluating.owns(message.token):
            self.evaluating.failed(message.token, message.problem)

    def _ask_if_behind(self) -> None:
        """Answer the present query from the index as it is now, where that changed since it was answered."""
        view = self.view
        if not view.query or view.running or view.status is None:
            return
        if view.trace is None or view.trace.recall.state != view.status.state:
            self.ask_again()

    # --- actions of everywhere ---

    def action_library_sync(self) -> None:
        if self.bridge.failed is not None:
            self.show(replace(self.view, note="opening the library again"))
            self.bridge.open()
            return
        if self.bridge.syncing:
            self.show(replace(self.view, note="the folder is being read already"))
            return
        self.show(replace(self.view, note=tasks.READING))
        self.bridge.sync(self.view.scopes)

    def action_screen_search(self) -> None:
        panels.open_search(self)

    def action_screen_documents(self) -> None:
        panels.open_documents(self)

    def action_screen_evaluate(self) -> None:
        panels.open_evaluate(self)

    def action_screen_tasks(self) -> None:
        panels.open_tasks(self)

    def action_screen_settings(self) -> None:
        panels.open_settings(self)

    def action_screen_jump(self) -> None:
        panels.open_jump(self)

    def action_pane_next(self) -> None:
        self.screen.focus_next()

    def action_pane_previous(self) -> None:
        self.screen.focus_previous()

    def action_pane_zoom(self) -> None:
        if self.page is not None:
            self.page.toggle_zoom()

    def action_problems_show(self) -> None:
        panels.open_problems(self)

    def action_palette_show(self) -> None:
        panels.open_palette(self)

    def action_menu_show(self) -> None:
        panels.open_menu(self)

    def action_help_show(self) -> None:
        panels.open_help(self)

    async def action_back(self) -> None:
        """One step back: text field, panel, preview, running query, screen, running tasks (asked first)."""
        page = self.page
        if page is None:
            return
        if is_text_field(page.focused):
            page.set_focus(page.main_pane())
        elif page.back():
            return
        elif page.zoomed is not None:
            page.toggle_zoom()
        elif self.view.running:
            self.bridge.cancel_query()
            self.show(replace(self.view, running=False, note="query cancelled: r runs it again"))
        elif len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.bridge.syncing and self._asked_at != self._pressed - 1:
            self._asked_at = self._pressed
            page.remark("again cancels indexing; it resumes (ctrl+q quits)")
        elif self.bridge.syncing:
            self.bridge.cancel_tasks()
            page.remark("indexing cancelled: R goes on with it")

    async def action_quit(self) -> None:
        await self.leave(0)

    async def leave(self, code: int) -> None:
        """End every worker at its next check, close the library, and leave with this exit code."""
        await self.bridge.close()
        self.exit(code)

    def action_help_quit(self) -> None:
        """``ctrl+c`` is for copying; say what quits."""
        if self.page is not None:
            self.page.remark("ctrl+q quits")
