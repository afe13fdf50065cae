"""Actions: one declaration of each feeds bindings, palette, ``space`` menu, footer, help, README table and
keymap. Pure; imports no toolkit at module level.

How to use it:

- Every action stands once in ``tui.registry.ACTIONS``, every scope (a pane, a page, everywhere) in
  ``tui.scopes.SCOPES``.
- A widget or screen that has a scope says ``SCOPE = "results"`` and ``BINDINGS = bindings("results")``, and
  has one method for each action of the scope, named after its id: ``cursor.down`` runs
  ``action_cursor_down``.
- Keys are written as characters (``/``, ``G``, ``+``) or key names (``ctrl+d``, ``down``). The first is the
  one shown.
- An action without keys is reached by the menu and the palette.
- The keymap of the settings replaces an action's keys by its id; ``check_keymap`` refuses what would clash.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.binding import BindingType


@dataclass(frozen=True, slots=True)
class Scope:
    """Where keys mean something. ``parent`` is the scope around it: a pane's page, a page's application.

    ``text`` marks a text field: there printable keys are text, and only the others run actions of the scopes
    around.
    ``words`` are the terms that the pane shows, with what they mean, for its help.
    """

    name: str
    title: str
    parent: str = ""
    text: bool = False
    words: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a person can do.

    ``verb`` is what its keys mean wherever they work; ``help`` is one line for menu, palette and help.
    ``use`` ranks it in the footer (1 first, 0 not there) and ``hint`` is its word there: neighbours with one
    hint share it (``J K setting``). A ``priority`` action works even where a text field or a panel has the
    focus.
    """

    id: str
    keys: tuple[str, ...]
    scopes: tuple[str, ...]
    verb: str
    help: str
    use: int = 0
    hint: str = ""
    priority: bool = False

    @property
    def method(self) -> str:
        """The name of the method that runs it, without its ``action_``."""
        return self.id.replace(".", "_").replace("-", "_")


_NAMES = {
    "down": "↓", "up": "↑", "left": "←", "right": "→", "pagedown": "pgdn", "pageup": "pgup", "escape": "esc",
    "f1": "F1",
}  # fmt: skip

TWINS = {"。": ".", "、": "/", "《": "<", "》": ">", "【": "[", "】": "]", "\u3000": " "}
"""What the punctuation of a Chinese keyboard stands for outside text fields, beside the full-width forms."""

_CTRL = ("i", "m", "h", "j", "left_square_brace", "a", "b", "c", "s", "z", "space")
FORBIDDEN = frozenset(["f11", "f12", *(f"ctrl+{key}" for key in _CTRL)])
"""Keys that terminals merge with others, or that terminals and multiplexers keep for themselves."""

_ALT_GR = ("[", "]", "{", "}", "\\", "|", "@", "~")
_SHIFTED = ("shift+up", "shift+down", "ctrl+enter", "shift+enter")
NEEDS_ANOTHER_WAY = frozenset([*_ALT_GR, *_SHIFTED, "delete", "f1", "ctrl+p"])
"""Keys that some keyboards or terminals lack: never an action's only key."""

TYPED = frozenset(["space", "backspace", "delete", "left", "right", "home", "end", "ctrl+d", "ctrl+u"])
"""Keys beside the printable ones that a text field keeps for itself."""


def label(key: str) -> str:
    """A key as a screen shows it: ``↓``, ``pgdn``, ``ctrl+d``, ``G``."""
    return _NAMES.get(key, key)


def labels(action: Action) -> str:
    """The keys of an action as help and README show them."""
    return " ".join(label(key) for key in action.keys)


def ascii_twin(character: str) -> str | None:
    """The ASCII character that a full-width or Chinese punctuation key stands for; None where there is
    none."""
    folded = TWINS.get(character) or unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 and " " <= folded <= "~" else None


def key_name(key: str) -> str:
    """A key as the toolkit names it: ``/`` is ``slash``. Characters that need no name are returned as they
    are."""
    from textual.keys import _character_to_key

    return _character_to_key(key) if len(key) == 1 else key


def of_scope(actions: Iterable[Action], scope: str) -> tuple[Action, ...]:
    """The actions of one scope alone, in the order of the registry."""
    return tuple(action for action in actions if scope in action.scopes)


def chain(scopes: Mapping[str, Scope], scope: str) -> tuple[str, ...]:
    """A scope and those around it, from the inside out: ``("results", "search", "everywhere")``."""
    found: list[str] = []
    while scope:
        found.append(scope)
        scope = scopes[scope].parent
    return tuple(found)


def available(actions: Iterable[Action], scopes: Mapping[str, Scope], scope: str) -> tuple[Action, ...]:
    """Every action that works while ``scope`` has the focus, the inner ones first, an action once.

    In a text field an action of the scopes around it keeps only the keys that type nothing there.
    """
    listed = tuple(actions)
    found: dict[str, Action] = {}
    for name in chain(scopes, scope):
        for action in of_scope(listed, name):
            if scopes[scope].text and name != scope:
                keys = tuple(key for key in action.keys if len(key) > 1 and key not in TYPED)
                action = replace(action, keys=keys)
            found.setdefault(action.id, action)
    return tuple(found.values())


def bindings(scope: str, actions: Iterable[Action] | None = None) -> list[BindingType]:
    """The toolkit's bindings of one scope, each with its id, so that the keymap finds it."""
    from textual.binding import Binding

    from tui.registry import ACTIONS

    return [
        Binding(
            ",".join(map(key_name, action.keys)), action.method, action.verb,
            show=False, id=action.id, priority=action.priority,
        )
        for action in of_scope(ACTIONS if actions is None else actions, scope)
        if action.keys
    ]  # fmt: skip


def footer(actions: Sequence[Action], cells: int, most: int = 10) -> list[tuple[str, str]]:
    """The (keys, hint) pairs of the footer that fit into ``cells``: by use, at most ``most``, cut from the
    right.

    The last two (``space`` and ``?`` have the highest use) stay longest. A pair takes its own cells and
    three more.
    """
    from tui.cells import width

    groups: dict[str, list[str]] = {}
    for action in sorted((one for one in actions if one.use and one.keys), key=lambda one: one.use):
        groups.setdefault(action.hint or action.verb, []).append(label(action.keys[0]))
    pairs = [(" ".join(keys), hint) for hint, keys in groups.items()]
    del pairs[most - 2 : -2]
    while len(pairs) > 1 and sum(width(keys) + 1 + width(hint) + 3 for keys, hint in pairs) - 3 > cells:
        del pairs[-3 if len(pairs) > 2 else -2]
    return pairs


def with_keymap(actions: Iterable[Action], keymap: Iterable[tuple[str, str]]) -> tuple[Action, ...]:
    """The actions with the keys that the settings give them; ids that do not exist are left to
    ``check_keymap``."""
    own = {name: tuple(key.strip() for key in keys.split(",") if key.strip()) for name, keys in keymap}
    return tuple(replace(action, keys=own[action.id]) if action.id in own else action for action in actions)


def check_keymap(
    actions: Iterable[Action], scopes: Mapping[str, Scope], keymap: Iterable[tuple[str, str]]
) -> tuple[str, ...]:
    """What is wrong with a keymap, one sentence each; empty where nothing is."""
    listed, pairs = tuple(actions), tuple(keymap)
    known = {action.id for action in listed}
    wrong = [f"keymap: there is no action {name}" for name, _ in pairs if name not in known]
    wrong += [
        f"keymap: {name} cannot have {key}: terminals keep or change that key"
        for name, keys in pairs
        for key in map(str.strip, keys.split(","))
        if key.lower() in FORBIDDEN
    ]
    return (*wrong, *(f"keymap: {clash}" for clash in clashes(with_keymap(listed, pairs), scopes)))


def clashes(actions: Iterable[Action], scopes: Mapping[str, Scope]) -> tuple[str, ...]:
    """Every key that would run two actions in one place, said in a sentence."""
    listed = tuple(actions)
    found: dict[str, None] = {}
    for name, scope in scopes.items():
        seen: dict[str, Action] = {}
        for action in available(listed, scopes, name):
            for key in action.keys:
                other = seen.setdefault(key, action)
                if other is not action:
                    found[f"{label(key)} is both {other.id} and {action.id} in {scope.title}"] = None
    return tuple(found)


def table(actions: Iterable[Action], scopes: Mapping[str, Scope]) -> str:
    """The key table of the README, as Markdown, by scope."""
    listed = tuple(actions)
    lines = ["| where | key | does | id |", "| --- | --- | --- | --- |"]
    for name in scopes:
        for action in of_scope(listed, name):
            if action.scopes[0] == name:
                where = ", ".join(dict.fromkeys(scopes[one].title for one in action.scopes))
                keys = " ".join(f"`{label(key)}`" for key in action.keys) or "menu"
                lines.append(f"| {where} | {keys} | {action.help} | `{action.id}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    from tui.registry import ACTIONS, SCOPES

    print(table(ACTIONS, SCOPES), end="")
