"""Opens each panel over the present page, and does what was chosen in it.

Each panel's module is imported when it is first opened: together they would delay the first paint by 30 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.widget import Widget

from tui import cells
from tui.actions import Action
from tui.registry import SCOPES
from tui.screens.page import is_text_field
from tui.state import RETRIEVAL

if TYPE_CHECKING:
    from engine.explain.verdict import Target as Examined
    from tui.app import RankscopeApp
    from tui.screens.jump import Target
    from tui.screens.palette import Offer


def open_menu(app: RankscopeApp) -> None:
    from tui.screens.menu import MenuPanel

    page = app.page
    if page is not None:
        title = f"{SCOPES[page.scope].title.upper()}  a digit, or enter"
        app.push_screen(MenuPanel(title, page.actions(), app.size.width), lambda action: run(app, action))


def open_help(app: RankscopeApp) -> None:
    from tui.screens.help import rows as help_rows
    from tui.screens.panel import Panel

    page = app.page
    if page is not None:
        rows = help_rows(app.actions, SCOPES, page.scope, app.size.width)
        panel: Panel[None] = Panel(f"HELP  {SCOPES[page.scope].title}", rows)
        app.push_screen(panel)


def open_problems(app: RankscopeApp) -> None:
    from tui.screens.troubles import TroublesPanel

    panel = TroublesPanel(app.view.troubles, app.size.width)
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


def open_settings(app: RankscopeApp) -> None:
    """The Settings screen, kept as it was left."""
    from tui.screens.settings import SettingsScreen

    if not app.is_screen_installed("settings"):
        app.install_screen(SettingsScreen(), "settings")
    if not isinstance(app.page, SettingsScreen):
        app.push_screen("settings")


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
