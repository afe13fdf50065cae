"""The table of a search: true to the trace, aligned to the cell, safe whatever the documents hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.model import Degradation
from engine.settings import Retrieval
from engine.trace import Trace, settle
from tests.rank.build import chunk, recall
from tui.cells import width
from tui.commands.search_rows import channel, decimal, rows
from tui.text import one_line

DOCUMENTS = (
    chunk("c1", path="retry.md", text="同一任务最多自动重试三次。", heading_path=("重试", "重试与隔离")),
    chunk("c2", path="ops/oncall.md", text="Ask the owner first.", heading_path=("On call",)),
    chunk("c3", path="faq.md", text="任务失败怎么办", line_start=3),
)


def traced(**settings: object) -> Trace:
    found = recall({"fulltext": ["c2", "c1"], "cjk": ["c1", "c3"]}, DOCUMENTS, query="任务失败怎么办？")
    return settle(found, replace(Retrieval(graph_weight=0.0), **settings))  # type: ignore[arg-type]


def table(trace: Trace, columns: int = 100) -> list[str]:
    found = list(rows(trace, columns))
    begin = next(number for number, row in enumerate(found) if row.startswith("rank"))
    return found[begin : found.index("", begin)]


def test_each_result_shows_its_rank_in_each_channel_that_was_asked():
    head, first, *_ = table(traced())
    assert head.split() == [
        "rank",
        "rel.",
        "fused",
        "text",
        "cjk",
        "vec",
        "document",
        "›",
        "heading",
        "lines",
    ] or (head.split() == ["rank", "rel.", "fused", "text", "cjk", "document", "›", "heading", "lines"])
    assert first.split()[0] == "1"
    assert first.split()[3:5] == ["2", "1"]
    assert "retry.md › 重试与隔离" in first


def test_a_channel_that_did_not_list_a_result_shows_no_rank_and_never_zero():
    assert any(row.split()[4] == "–" for row in table(traced()) if "oncall.md" in row)


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_columns_align_to_the_cell_with_wide_characters(columns: int):
    ends = {width(row) for row in table(traced(), columns)}
    assert len(ends) == 1
    assert columns < 56 or ends.pop() <= columns


def test_a_rank_beyond_the_depth_is_in_brackets_because_it_adds_nothing():
    ids = [f"d{number:02}" for number in range(40)]
    documents = tuple(chunk(name, path=f"{name}.md", text=f"text {name}") for name in ids)
    found = recall({"fulltext": ids, "cjk": list(reversed(ids))}, documents)
    shown = table(settle(found, Retrieval(top_k=2, candidate_multiplier=2)))
    assert any("(40)" in row for row in shown)


def test_channels_say_what_they_did():
    trace = traced()
    assert [channel(each) for each in trace.channels] == [
        "fulltext 2 of 100, <1 ms",
        "cjk 2 of 100, <1 ms",
        "vector – not asked",
        "graph – not asked",
    ]
    graph = trace.channels[3]
    assert channel(replace(graph, requested=True)) == "graph – not built"
    vector = replace(
        trace.channels[2], requested=True, used=True, matched=9, of=12, waiting=3, milliseconds=8.2
    )
    assert channel(vector) == "vector 9 of 12, 8 ms, 3 waiting"
    assert channel(replace(vector, used=False)) == "vector – did not serve"


def test_a_degradation_is_told_with_its_remedy():
    trace = replace(traced(), degraded=(Degradation("vector", "vector_off", "no vectors", "run index"),))
    assert "!         vector: no vectors · run index" in list(rows(trace, 100))


def test_the_context_shows_its_groups_and_what_was_left_out_and_why():
    long = tuple(chunk(f"c{n}", path=f"{n}.md", text=f"{n} " + "word " * 300) for n in range(4))
    found = recall({"fulltext": ["c0", "c1", "c2", "c3"]}, long)
    shown = "\n".join(rows(settle(found, Retrieval(context_max_characters=2000)), 100))
    assert "of 2,000 characters" in shown
    assert "out   2   1.md  budget: " in shown
    assert ", needs 1," in shown


def test_nothing_found_says_so():
    assert "nothing found" in list(rows(settle(recall({"fulltext": []}, ()), Retrieval()), 80))


def test_hostile_documents_stay_in_their_cells():
    hostile = "a\x1b]52;c;QQ\x07b\u202ec\nd\x00"
    evil = chunk("c1", path=hostile, text=hostile, heading_path=(hostile,), title=hostile)
    found = recall({"fulltext": ["c1"]}, (evil,), query=hostile)
    for row in rows(settle(found, Retrieval()), 100):
        assert one_line(row) == row


def test_shares_are_written_without_their_zero():
    assert [decimal(value, 3) for value in (0.871, 1.0, 0.0, -0.05)] == [".871", "1.000", ".000", "−.050"]


def test_a_graph_that_was_never_built_is_no_fault_and_the_channels_say_it():
    """DESIGN 3: it is shown as off, and stays in the JSON."""
    off = Degradation("graph", "graph_off", "no graph was built, so it adds nothing", "nothing to do")
    missing = Degradation("vector", "vector_off", "no vectors", "run index")
    trace = replace(traced(), degraded=(off, missing))
    assert trace.faults == (missing,)
    assert [row for row in rows(trace, 80) if row.startswith("!")] == [
        "!         vector: no vectors · run index"
    ]
    assert "graph_off" in str(trace.to_json())
