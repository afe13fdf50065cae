"""One sentence explains what has the focus, and says nothing that is not so."""

from __future__ import annotations

from dataclasses import replace

from engine.settings import Retrieval
from tests.tui.search.samples import CONTEXT, SECOND
from tui.widgets import figures, sentences, tune


def test_a_result_says_what_brought_it_how_it_moved_and_where_it_went() -> None:
    told = sentences.of_result(SECOND, 231, 3, CONTEXT, against="the file's settings", scores=False)
    assert told == (
        "rank 2 of 231: first by full text, second by cjk, 17th by vector; up 1 against the file's settings; "
        "in the context as [1]"
    )


def test_scores_stand_in_it_where_they_stand_nowhere_else() -> None:
    assert "first by full text (7.21)" in sentences.of_result(
        SECOND, 231, 2, CONTEXT, against="the file's settings"
    )


def test_a_channel_beyond_the_depth_is_not_called_absent() -> None:
    hits = SECOND.channels
    beyond = {"fulltext": hits["fulltext"], "cjk": replace(hits["cjk"], rank=32, in_view=False)}
    told = sentences.of_result(replace(SECOND, channels=beyond), 9, 2, CONTEXT, scores=False)
    assert told.startswith("rank 2 of 9: first by full text; beyond the depth 32nd by cjk;")
    alone = replace(SECOND, channels={"fulltext": hits["fulltext"]})
    assert "first by full text, no other channel" in sentences.of_result(alone, 9, 2, CONTEXT, scores=False)


def test_a_result_left_out_says_why() -> None:
    out = replace(SECOND, chunk=replace(SECOND.chunk, chunk_id="chunk0005"))
    told = sentences.of_result(out, 231, None, CONTEXT, against="the file's settings")
    assert "not found under the file's settings; left out: budget, 786 left" in told


def test_entries_of_the_context_say_what_they_hold_or_need() -> None:
    assert sentences.of_entry(CONTEXT, 0) == (
        f"[1] holds ranks 1 and 2 in 2,214 characters, {figures.tokens(CONTEXT.groups[0].text)} of "
        f"{figures.tokens(CONTEXT.text)}; the 160 that they share are sent once"
    )
    assert (
        sentences.of_entry(CONTEXT, 3) == "rank 5 is left out by budget: it needs 1,204 characters, 786 left"
    )
    assert sentences.of_entry(CONTEXT, 9) == ""


def test_the_sum_is_written_out_with_its_numbers() -> None:
    assert sentences.of_sum(SECOND, Retrieval()) == (
        "fused .0507 = fulltext 1.00/(60+1) + cjk 1.00/(60+2) + vector 1.40/(60+17)"
    )


def test_a_setting_says_its_range_its_steps_and_the_files_value() -> None:
    file = Retrieval()
    told = sentences.of_setting(
        tune.Tuning(replace(file, vector_weight=1.4), file, "vector_weight", frozenset({"vector"}))
    )
    assert told == (
        "vector: weight of the vector channel in fusion; 0 does not ask it; 0 to 2, steps 0.05 and 0.25; "
        "the channel cannot serve now, the weight is kept; file 1.00"
    )
