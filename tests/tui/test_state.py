"""Settings are turned, typed, muted, undone; the view says what happened and never leaves a range."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.settings import Retrieval, Settings
from engine.settings.fields import BY_KEY, FIELDS
from tui import state
from tui.state import Problem, View

VECTOR = BY_KEY["retrieval.vector_weight"]
TOP_K = BY_KEY["retrieval.top_k"]


def test_a_turn_moves_by_a_step_and_is_remembered():
    view = state.with_turn(View(), VECTOR, 1)
    assert view.retrieval.vector_weight == 1.05
    assert state.differs(view, VECTOR)
    assert state.unsaved(view) == (VECTOR,)
    assert state.with_turn(view, VECTOR, 1, big=True).retrieval.vector_weight == 1.3


def test_at_an_end_of_its_range_a_setting_stays_and_the_line_says_so():
    view = state.with_value(View(), TOP_K, 20)
    stayed = state.with_turn(view, TOP_K, 1)
    assert stayed.settings == view.settings
    assert stayed.note == "top k stays at 20: it may be 1 to 20"
    assert stayed.changes == view.changes


def test_the_last_channel_cannot_be_turned_off():
    alone = Retrieval(fulltext_weight=0, cjk_weight=0, graph_weight=0, vector_weight=0.05)
    view = View(settings=Settings(retrieval=alone), saved=Settings(retrieval=alone))
    for turned in (state.with_turn(view, VECTOR, -1), state.with_mute(view, VECTOR)):
        assert turned.settings == view.settings
        assert "weight" in turned.note


def test_a_muted_weight_comes_back_as_it_was():
    view = state.with_value(View(), VECTOR, 1.4)
    muted = state.with_mute(view, VECTOR)
    assert muted.retrieval.vector_weight == 0
    assert state.with_mute(muted, VECTOR).retrieval.vector_weight == 1.4


def test_only_weights_are_muted():
    view = state.with_mute(View(), TOP_K)
    assert view.settings == Settings()
    assert "no weight" in view.note


def test_undo_takes_changes_back_one_by_one_and_names_them():
    view = state.with_value(state.with_value(View(), VECTOR, 1.4), TOP_K, 9)
    view = state.with_undo(view)
    assert view.note == "undone: top k 9 → 6"
    view = state.with_undo(view)
    assert view.settings == Settings()
    assert state.with_undo(view).note == "nothing to undo"


@pytest.mark.parametrize("text", ["2.1", "-1", "nan", "inf", "", "one", "1e9"])
def test_what_is_typed_is_held_to_the_range(text):
    with pytest.raises(SettingsError):
        state.with_text(View(), VECTOR, text)


@given(st.lists(st.tuples(st.sampled_from(FIELDS), st.integers(-3, 3), st.booleans()), max_size=30))
def test_whatever_is_turned_undo_brings_it_back(turns):
    view = View()
    for known, steps, big in turns:
        if known.kind in ("integer", "number", "choice", "boolean") and known.name != "version":
            view = state.with_turn(view, known, steps, big=big)
    for _ in range(len(view.changes)):
        view = state.with_undo(view)
    assert view.settings == Settings()


def test_the_dial_goes_through_every_retrieval_setting_and_around():
    view, seen = View(), []
    for _ in state.RETRIEVAL:
        seen.append(view.dial)
        view = state.with_dial(view, 1)
    assert set(seen) == {known.name for known in state.RETRIEVAL}
    assert view.dial == View().dial
    assert state.with_dial(state.with_dial(view, 1), -1).dial == view.dial


def test_reset_gives_the_saved_value_not_the_default():
    saved = replace(Settings(), retrieval=Retrieval(top_k=9))
    view = state.with_turn(View(settings=saved, saved=saved), TOP_K, 1)
    assert state.with_reset(view, TOP_K).retrieval.top_k == 9


def test_troubles_begin_with_the_query_that_failed():
    view = View(error=Problem("the query", place="query"), problems=(Problem("logo.png: binary"),))
    assert [one.sentence for one in view.troubles] == ["the query", "logo.png: binary"]


def test_every_remedy_is_an_action():
    from tui.registry import ACTIONS

    assert set(state._REMEDIES.values()) <= {action.id for action in ACTIONS}


def test_settings_changed_together_are_undone_together():
    view = state.with_change(View(), {"vector_weight": 1.4, "top_k": 8, "fusion": "rrf"})
    assert (view.retrieval.vector_weight, view.retrieval.top_k) == (1.4, 8)
    assert view.note == "set: top k 8 and vector 1.40; u undoes it"
    undone = state.with_undo(view)
    assert undone.settings == View().settings
    assert undone.changes == ()
    assert "top k 8 → 6 and vector 1.40 → 1.00" in undone.note
    assert state.with_change(view, {"top_k": 8}) is view


def test_settings_changed_together_are_checked_together():
    alone = Retrieval(fulltext_weight=0, cjk_weight=0, graph_weight=0, vector_weight=0.05)
    view = View(settings=Settings(retrieval=alone))
    both = state.with_change(view, {"vector_weight": 0.0, "cjk_weight": 1.0})
    assert (both.retrieval.vector_weight, both.retrieval.cjk_weight) == (0.0, 1.0)
    with pytest.raises(SettingsError):
        state.with_change(view, {"vector_weight": 0.0})
