"""One registry of actions: nothing clashes, nothing is forbidden, nothing is undocumented."""

from collections import defaultdict

import pytest

from tui.actions import (
    FORBIDDEN,
    NEEDS_ANOTHER_WAY,
    Action,
    Scope,
    ascii_twin,
    available,
    bindings,
    chain,
    check_keymap,
    clashes,
    footer,
    key_name,
    table,
    with_keymap,
)
from tui.cells import width
from tui.registry import ACTIONS, EVERYWHERE, SCOPES


def test_no_key_runs_two_actions_in_one_place():
    assert clashes(ACTIONS, SCOPES) == ()


def test_a_clash_is_found():
    twice = (*ACTIONS, Action("other", ("z",), ("results",), "other", "Something else"))
    assert clashes(twice, SCOPES) == ("z is both other and pane.zoom in Results",)


def test_one_letter_has_one_verb():
    verbs = defaultdict(set)
    for action in ACTIONS:
        for key in action.keys:
            if len(key) == 1 and key.isalpha():
                verbs[key].add(action.verb)
    assert not {key: found for key, found in verbs.items() if len(found) > 1}


def test_no_action_has_a_key_that_terminals_keep_or_change():
    assert not [action.id for action in ACTIONS if set(action.keys) & FORBIDDEN]
    assert not [action.id for action in ACTIONS if any(key.startswith("alt+") for key in action.keys)]


def test_keys_that_some_keyboards_lack_are_never_the_only_way():
    assert not [action.id for action in ACTIONS if action.keys and set(action.keys) <= NEEDS_ANOTHER_WAY]


def test_every_action_is_documented_and_named_once():
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert action.verb
        assert action.help
        assert action.help[0].isupper()
        assert not action.help.endswith(".")
        assert set(action.scopes) <= set(SCOPES)
        assert action.id in table(ACTIONS, SCOPES)


def test_every_action_is_reached_without_its_key():
    """By the menu of its pane: so digits, ``ctrl+p`` or ``F1`` may be missing."""
    for action in ACTIONS:
        for scope in action.scopes:
            assert action.id in {one.id for one in available(ACTIONS, SCOPES, scope)}


def test_a_pane_has_its_own_actions_first_then_those_around_it():
    assert chain(SCOPES, "results") == ("results", "search", EVERYWHERE)
    ids = [action.id for action in available(ACTIONS, SCOPES, "results")]
    assert ids.index("result.open") < ids.index("query.edit") < ids.index("quit")


def test_inside_a_text_field_letters_are_text():
    inside = {action.id: action.keys for action in available(ACTIONS, SCOPES, "query")}
    assert inside["dial.up"] == ()
    assert inside["menu.show"] == ()
    assert inside["palette.show"] == ("ctrl+p",)
    assert inside["history.previous"] == ("up",)


def test_bindings_carry_ids_and_the_names_of_methods():
    found = {binding.id: binding for binding in bindings("results")}
    assert found["cursor.half-down"].action == "cursor_half_down"
    assert found["cursor.down"].key == "j,down"
    assert key_name("/") == "slash"


@pytest.mark.parametrize("scope", SCOPES)
def test_the_footer_fits_has_ten_keys_at_most_and_keeps_menu_and_help_longest(scope):
    for cells in range(10, 160, 7):
        pairs = footer(available(ACTIONS, SCOPES, scope), cells)
        assert len(pairs) <= 10
        if len(pairs) > 1:
            assert width("   ".join(f"{keys} {hint}" for keys, hint in pairs)) <= cells
        if scope in ("results", "tune") and cells >= 22:
            assert pairs[-2:] == [("space", "actions"), ("?", "help")]


def test_the_footer_shows_pairs_of_keys_together():
    assert footer(available(ACTIONS, SCOPES, "results"), 60)[:3] == [
        ("/", "query"),
        ("J K", "setting"),
        ("- +", "turn"),
    ]


@pytest.mark.parametrize(("typed", "meant"), list(zip("；／？！：。《】ｊ　", ";/?!:.<]j ", strict=True)))
def test_full_width_forms_mean_their_ascii_keys(typed, meant):
    assert ascii_twin(typed) == meant


@pytest.mark.parametrize("typed", ["任", "é", "…", "ﾊ", "№", "\x1b"])
def test_other_characters_mean_no_key(typed):
    assert ascii_twin(typed) is None


def test_a_keymap_replaces_keys_by_id():
    moved = {action.id: action.keys for action in with_keymap(ACTIONS, (("pane.zoom", "Z, f5"),))}
    assert moved["pane.zoom"] == ("Z", "f5")
    assert moved["quit"] == ("ctrl+q",)


def test_a_keymap_that_cannot_work_is_refused_in_words():
    assert check_keymap(ACTIONS, SCOPES, (("pane.zoom", "Z"),)) == ()
    assert check_keymap(ACTIONS, SCOPES, (("pane.zom", "Z"),)) == ("keymap: there is no action pane.zom",)
    assert "ctrl+h" in check_keymap(ACTIONS, SCOPES, (("pane.zoom", "ctrl+h"),))[0]
    assert "z is both" in "".join(check_keymap(ACTIONS, SCOPES, (("query.again", "z"),)))


def test_a_scope_belongs_to_one_tree():
    scopes = {"a": Scope("a", "A", "b"), "b": Scope("b", "B")}
    assert chain(scopes, "a") == ("a", "b")
