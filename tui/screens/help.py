"""The help of a pane: what its words mean, and every key that works there, from the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui import cells
from tui.actions import Action, Scope, available, chain, labels, of_scope
from tui.widgets.line import MUTED, PLAIN, STRONG, Line

WORD = 22


def rows(
    actions: Sequence[Action], scopes: Mapping[str, Scope], scope: str, width: int, *, told: str = ""
) -> list[Line]:
    """What the line above the keys said, where it has no room for it; the words of the pane, its keys, then those of
    what is around it. Long lines are wrapped."""
    made: list[Line] = []
    if cells.width(told) > width - 2:
        spans = cells.wrap(told, max(10, width - 5))
        made += [(("NOW", STRONG),), *(((told[start:end], PLAIN),) for start, end in spans), ()]
    for name in chain(scopes, scope):
        if scopes[name].words:
            made += [
                ((scopes[name].title.upper(), STRONG), ("  the words", MUTED)),
                *_words(scopes[name], width),
                (),
            ]
    here = {action.id: action for action in available(actions, scopes, scope)}
    shown: set[str] = set()
    for name in chain(scopes, scope):
        own = [here[action.id] for action in of_scope(actions, name) if action.id not in shown]
        shown |= {action.id for action in own}
        made.append(((scopes[name].title.upper(), STRONG), ("  the keys", MUTED)))
        for action in own:
            made += _entry(labels(action) or "menu", action.help, width)
        made.append(())
    return made


def _words(scope: Scope, width: int) -> list[Line]:
    return [line for word, meaning in scope.words for line in _entry(word, meaning, width)]


def _entry(term: str, meaning: str, width: int) -> list[Line]:
    room = max(10, width - WORD - 3)
    made: list[Line] = []
    for number, (start, end) in enumerate(cells.wrap(meaning, room)):
        made.append(((cells.fit(term if not number else "", WORD) + " ", PLAIN), (meaning[start:end], MUTED)))
    return made
