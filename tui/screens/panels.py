"""Opens each panel over the present page, and does what was chosen in it.

Each panel's module is imported when it is first opened: together they would delay the first paint by 30 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from textual.geometry import Offset
from textual.widget import Widget

from tui import cells
from tui.actions import Action
from tui.registry import SCOPES
from tui.screens.page import is_text_field
from tui.state import RETRIEVAL

if TYPE_CHECKING:
    from engine.evaluate.sets import Case as Question
    from engine.explain.verdict import Target as Examined
    from engine.health.model import Case
    from engine.model import Chunk, Result
    from tui.app import RankscopeApp
    from tui.drafts import Draft
    from tui.screens.jump import Target
    from tui.screens.page import Page
    from tui.screens.palette import Offer

Kept = TypeVar("Kept", bound="Page")


def open_menu(app: RankscopeApp) -> None:
    from tui.screens.menu import MenuPanel

    page = app.page
    if page is not None:
        title = f"{SCOPES[page.scope].title.upper()}  a digit, or enter"
        app.push_screen(MenuPanel(title, page.actions()), lambda action: run(app, action))


def open_help(app: RankscopeApp) -> None:
    from tui.screens.help import rows as help_rows
    from tui.screens.panel import Panel

    page = app.page
    if page is not None:
        scope, actions, told = page.scope, app.actions, page.told
        panel: Panel[None] = Panel(
            f"HELP  {SCOPES[scope].title}", lambda width: help_rows(actions, SCOPES, scope, width, told=told)
        )
        app.push_screen(panel)


def open_problems(app: RankscopeApp) -> None:
    from tui.screens.troubles import TroublesPanel

    panel = TroublesPanel(app.view.troubles)
    app.push_screen(panel, lambda problem: run_id(app, problem.action) if problem else None)


def open_palette(app: RankscopeApp, typed: str = "") -> None:
    """The palette, with something typed already."""
    from tui.screens.menu import listed
    from tui.screens.palette import PalettePanel

    page = app.page
    if page is not None:
        panel = PalettePanel(listed(page.actions()), app.view.settings, typed)
        app.push_screen(panel, lambda offer: take_offer(app, offer))


def take_offer(app: RankscopeApp, offer: Offer | None) -> None:
    """Run the action, or set the setting; a retrieval setting becomes the dial, to be turned further."""
    if offer is None:
        return
    if offer.action is not None:
        run(app, offer.action)
    elif offer.setting is not None and offer.text is not None:
        if offer.setting in RETRIEVAL:
            app.make_dial(offer.setting.name)
        wrong = app.assign(offer.setting, offer.text)
        if wrong and app.page is not None:
            app.page.remark(wrong, attention=True)


def open_jump(app: RankscopeApp) -> None:
    from tui.screens.jump import JumpScreen, Target

    page = app.page
    if page is None:
        return
    targets = [
        Target(_name(pane), Offset(pane.region.x, pane.region.y) if pane.region else None, f"#{pane.id}")
        for pane in page.panes()
    ]
    targets += [
        Target(name, _over_title(app, key, name), f"screen.{name.lower()}") for key, name, _ in app.screens
    ]
    app.push_screen(JumpScreen(targets), lambda target: go(app, target))


def go(app: RankscopeApp, target: Target | None) -> None:
    """Focus the pane, or open the screen, that a letter stood for."""
    if target is None:
        return
    if target.goal.startswith("#") and app.page is not None:
        app.page.set_focus(app.page.query_one(target.goal))
    else:
        run_id(app, target.goal)


def open_search(app: RankscopeApp) -> None:
    """The Search screen, which lies below all others."""
    while len(app.screen_stack) > 1:
        app.pop_screen()


def open_settings(app: RankscopeApp) -> None:
    """The Settings screen, kept as it was left."""
    from tui.screens.settings import SettingsScreen

    _open(app, "settings", SettingsScreen)


def open_place(app: RankscopeApp, result: Result | None) -> None:
    """A result in its document, with the borders of the chunks; ``escape`` comes back to where it was."""
    if result is not None:
        open_documents(app, result.chunk)


def open_source(app: RankscopeApp, result: Result | None) -> None:
    """The original file of a result, at its line."""
    if result is not None:
        open_original(app, result.chunk.path, result.chunk.line_start)


def open_documents(app: RankscopeApp, chunk: Chunk | None = None) -> None:
    """The Documents screen, kept as it was left; at a chunk where one is given."""
    from tui.screens.documents import DocumentsScreen, Goal

    screen = _open(app, "documents", DocumentsScreen)
    screen.returns = None
    if chunk is not None:
        screen.look_at(Goal(chunk.path, chunk.chunk_id, chunk.revision, chunk.start))


def open_conflicts(app: RankscopeApp) -> None:
    """The edits that conflict with their files, one after the other, over the Documents screen."""
    from tui.screens.documents import DocumentsScreen

    _open(app, "documents", DocumentsScreen).settle()


def open_evaluate(app: RankscopeApp) -> None:
    """The Evaluate screen, kept as it was left."""
    from tui.screens.evaluate import EvaluateScreen

    _open(app, "evaluate", EvaluateScreen)


def open_trace(app: RankscopeApp, case: Question) -> None:
    """The question of a case on the Search screen, asked as its own principal."""
    open_search(app)
    if case.scopes != app.view.scopes:
        app.choose_scopes(case.scopes)
    app.ask(case.query)


def open_tasks(app: RankscopeApp) -> None:
    """What runs, what lies aside, and what was done."""
    from tui.screens.tasks import TasksScreen

    _open(app, "tasks", TasksScreen)


def open_mark(app: RankscopeApp, chunk: Chunk | None) -> None:
    """Mark in a chunk what answers the question, and make a case of both."""
    from tui.screens.case_mark import MarkPanel

    trace = app.view.trace
    if chunk is None or trace is None:
        if app.page is not None:
            app.page.remark("a case is made of a question and a passage: / asks one")
        return

    def marked(span: tuple[int, int] | None) -> None:
        if span is not None:
            make_case(app, chunk, chunk.start + span[0], chunk.start + span[1], chunk.text[slice(*span)])

    app.push_screen(MarkPanel(chunk, trace.recall.terms, trace.recall.query), marked)


def make_case(app: RankscopeApp, chunk: Chunk, start: int, end: int, words: str) -> None:
    """A case of the present question and a span of a chunk's document."""
    from tui.evaluate_bridge import Wanted

    view = app.view
    app.evaluating.make_case(Wanted(view.query, view.scopes, chunk.path, chunk.revision, start, end, words))


def open_health(app: RankscopeApp) -> None:
    """The chunks that are likely to serve badly, kept as they were left."""
    from tui.screens.health import HealthPage

    _open(app, "health", HealthPage)


def open_case(app: RankscopeApp, case: Case) -> None:
    """A chunk that is likely to serve badly, with its borders; ``escape`` comes back to where it was listed."""
    from tui.screens.documents import DocumentsScreen, Goal

    below = app.is_screen_installed("documents") and app.get_screen("documents") in app.screen_stack
    screen = _open(app, "documents", DocumentsScreen)
    # a screen that lay below the list now lies above it no more: it is what leads back
    screen.returns = open_health if below else None
    screen.look_at(Goal(case.path, case.chunk_id))


def _open(app: RankscopeApp, name: str, make: Callable[[], Kept]) -> Kept:
    """Show a screen that is kept: what lies over it is left, else it is laid over what is shown."""
    if not app.is_screen_installed(name):
        app.install_screen(make(), name)
    screen = cast("Kept", app.get_screen(name))
    if screen in app.screen_stack:
        while app.screen is not screen:
            app.pop_screen()
    else:
        app.push_screen(name)
    return screen


def open_draft(app: RankscopeApp, draft: Draft | None = None) -> None:
    """Go on with an edit that was begun and not saved, by default with the last."""
    from tui.drafts import Drafts
    from tui.screens.documents import DocumentsScreen

    drafts = (draft,) if draft is not None else Drafts(app.opening.folder).all()
    if drafts:
        _open(app, "documents", DocumentsScreen).resume(drafts[0])
    elif app.page is not None:
        app.page.remark("there is no draft any more")


def open_original(app: RankscopeApp, document: str, line: int) -> None:
    """The file of a document in the reader's own editor, at a line; what stands in the way is said."""
    import os

    from engine.errors import SourceError
    from tui import editor

    try:
        path = editor.original(app.opening.folder, document)
        editor.run(app, editor.command(os.environ, path, line))
        told = f"{document} was open at L{line}; r reads the folder again"
    except SourceError as error:
        told = str(error)
    if app.page is not None:
        app.page.remark(told)


def open_scopes(app: RankscopeApp) -> None:
    """Whose documents are searched."""
    from tui.screens.search_scope import ScopePanel

    def chosen(scopes: tuple[str, ...] | None) -> None:
        if scopes is not None:
            app.choose_scopes(scopes)

    status = app.view.status
    app.push_screen(ScopePanel(status.labels if status is not None else (), app.view.scopes), chosen)


def open_why_not(app: RankscopeApp, chunk_id: str | None) -> None:
    """The verdict on a chunk; without one, first ask for a chunk or a text."""
    from engine.explain.verdict import ChunkTarget
    from tui.screens.why_not import WhyNotPage
    from tui.screens.why_not_target import TargetPanel

    if not app.view.query:
        if app.page is not None:
            app.page.remark("first ask a question: /")
    elif chunk_id is not None:
        app.push_screen(WhyNotPage(ChunkTarget(chunk_id)))
    else:

        def chosen(target: Examined | None) -> None:
            if target is not None:
                app.push_screen(WhyNotPage(target))

        app.push_screen(TargetPanel(app.view), chosen)


def open_vary(app: RankscopeApp) -> None:
    """The dial over its whole range."""
    from tui.screens.vary import VaryPage

    if _answered(app):
        app.push_screen(VaryPage())


def open_compare(app: RankscopeApp) -> None:
    """What differs from A."""
    from tui.screens.compare import ComparePage

    if _answered(app):
        app.push_screen(ComparePage())


def _answered(app: RankscopeApp) -> bool:
    """Whether there is an answer to look into; else that is said."""
    if app.view.trace is None and app.page is not None:
        app.page.remark("nothing to look into yet: / asks a question")
    return app.view.trace is not None


def run_id(app: RankscopeApp, name: str) -> None:
    """Run an action of the present page by its id; one that does not exist here runs nothing."""
    run(app, next((action for action in app.actions if action.id == name), None))


def run(app: RankscopeApp, action: Action | None) -> None:
    """Run an action where it belongs: at the focused pane, its page, or the application, the first that has
    it."""
    page = app.page
    if action is None or page is None:
        return
    start: Widget = page.focused if page.focused is not None and not is_text_field(page.focused) else page
    owner = next(
        (node for node in start.ancestors_with_self if hasattr(node, f"action_{action.method}")), None
    )
    if owner is not None:
        app.call_later(app.run_action, action.method, owner)


def _name(pane: Widget) -> str:
    scope = SCOPES[getattr(pane, "SCOPE", "")]
    return scope.title if scope.text or not pane.id else pane.id.capitalize()


def _over_title(app: RankscopeApp, key: str, name: str) -> Offset | None:
    """Where a screen's number stands in the title line, None where it is cut off."""
    page = app.page
    line = "" if page is None else "".join(text for text, _ in page.title_line())
    at = line.find(f"{key} {name[:3]}")
    return None if at < 0 else Offset(max(0, cells.width(line[:at]) - 1), 0)
