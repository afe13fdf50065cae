"""The lines of the Documents screen that are made by pure functions: list, dials, chunk, banner, layout, marks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue.what_if import Moved, Piece, Side, WhatIf
from engine.chunking.preview import Cut
from engine.settings import Chunking
from tui.screens import documents_layout, documents_marks
from tui.widgets import document, shelf, what_if
from tui.widgets.document import About
from tui.widgets.line import measure, text_of
from tui.widgets.shelf import Entry

READY = ("ready", "ready", "ready", "off")
ENTRIES = (
    Entry("retry.md", 9, READY),
    Entry("ops/值班手册.md", 1_017, ("ready", "ready", "waiting", "off"), "vec 7"),
    Entry("ops/alerts.md", 9, READY, "changed", attention=True),
    Entry("logo.png", None, ("failed", "off", "off", "off"), "binary", attention=True),
    Entry("z/\x1b[2J.md", 0, READY, "no retrievable content"),
)


def listed(width: int, sought: str = "") -> list[str]:
    found = shelf.shelf(ENTRIES, sought)
    return [
        text_of(shelf.row(found, row, width, cursor=row == 0, focused=True, opened=False)).rstrip()
        for row in found.rows
    ]


def test_documents_stand_below_their_folders_and_skipped_files_last():
    assert listed(40) == [
        "▸ retry.md        9 ✓✓✓-",
        " ops/",
        "  alerts.md       9 ✓✓✓- changed",
        "  值班手册.md 1,017 ✓✓◦- vec 7",
        " z/",
        "  ␛[2J.md         0 ✓✓✓- no retrievable…",
        " skipped",
        "  logo.png        – ✗--- binary",
    ]


def test_a_filter_keeps_what_holds_it_in_any_case():
    assert listed(40, "ALERT") == [" ops/", "▸ alerts.md     9 ✓✓✓- changed"]
    assert listed(40, "nothing") == []


@given(st.integers(12, 90))
def test_rows_of_the_list_are_exactly_as_wide_as_their_pane(width):
    found = shelf.shelf(ENTRIES)
    for row in found.rows:
        assert measure(shelf.row(found, row, width, cursor=True, focused=True, opened=True)) == width


def test_what_is_out_of_the_ordinary_is_whole_beside_the_longest_name():
    long = replace(ENTRIES[0], path="examples/nightly_report.py", note="edit 1")
    found = shelf.shelf((long, replace(ENTRIES[0], path="faq.md", note="")))
    assert text_of(shelf.row(found, 1, 33, cursor=False, focused=False, opened=False)).endswith(" edit 1")


def test_a_count_of_thousands_is_shortened_before_it_is_left_out():
    many = shelf.shelf([replace(ENTRIES[0], path=f"{number}.md") for number in range(2_002)])
    lines = [
        text_of(document.tab_line(("documents", "what if"), "documents", shelf.counts(many), width, True))
        for width in (40, 33, 24)
    ]
    assert [line.rstrip().rpartition("  ")[2] for line in lines] == ["2,002 of 2,002", "2,002", "what if"]


@given(st.integers(12, 60), st.integers(3, 20))
def test_what_the_glyphs_mean_stands_at_the_foot_where_there_is_room(width, height):
    found = shelf.shelf(ENTRIES)
    rows = [shelf.row(found, row, width, cursor=False, focused=False, opened=False) for row in found.rows]
    lines = shelf.with_legend(list(rows), width, height)
    told = "✗ failed" in text_of(lines[-1])
    assert len(lines) == (height if told else len(rows))
    assert told == (width >= 31 and height >= len(rows) + 3)


def test_a_document_is_told_in_words():
    found = shelf.shelf(ENTRIES)
    assert shelf.sentence(found, 0) == (
        "retry.md: 9 chunks; parsing, full text, vectors ready, graph off; enter opens it"
    )
    assert shelf.sentence(found, 2).startswith(
        "ops/值班手册.md: 1,017 chunks, vec 7; parsing, full text ready, "
    )
    assert "no retrievable content" in shelf.sentence(found, 3)
    assert shelf.sentence(found, 4) == "logo.png was skipped: binary"
    assert shelf.sentence(found, 9).startswith("no document")


# --- the dials ---

NOW = Chunking()
TRIED = replace(NOW, target_characters=400, overlap_characters=120)
FOUND = WhatIf(
    TRIED,
    24,
    Side(sizes=(41, 1_104, 1_600), sentences=4, whole=38, split=2),
    Side(sizes=(41, 318, 400, 400), sentences=9, tables=3, fences=2, whole=35, split=4, lost=1),
    (
        Moved(Piece("q11", 0, 9), "retry.md", 16, 18, "whole", "split"),
        Moved(Piece("q23", 0, 9), "a/long/path/to/oncall.md", 33, 33, "whole", "lost"),
        Moved(Piece("q31", 0, 9), "faq.md", 3, 3, "split", "whole"),
    ),
)


def test_the_dials_show_what_is_tried_beside_what_serves():
    trial = what_if.Trial(NOW, TRIED, "target_characters", applies=True, found=FOUND, cases=40)
    text = "\n".join(text_of(line).rstrip() for line in what_if.rows(trial, 31, True))
    for told in (
        "▸ *size           400    1,600",
        "  *overlap        120      160",
        "   parent           –        –",
        "   chunks           4        3",
        "   cut sent.        9        4",
        "   split            4        2",
        "newly split or lost",
        "q11 retry.md L16–18",
        "q23 to/oncall.md L33 LOST",
        "newly whole",
        "SIZES",
    ):
        assert told in text


@given(st.integers(20, 60), st.booleans())
def test_rows_of_the_dials_fit(width, applies):
    trial = what_if.Trial(NOW, TRIED, "mode", applies=applies, found=FOUND if applies else None, cases=40)
    for focused in (True, False):
        assert {measure(line) for line in what_if.rows(trial, width, focused)} == {width}


def test_another_mode_brings_its_own_settings():
    tried = replace(NOW, mode="parent-child")
    trial = what_if.Trial(NOW, tried, "mode", applies=True)
    text = "\n".join(text_of(line) for line in what_if.rows(trial, 40, False))
    assert "parent-child" in text
    assert "4,800" in text
    assert what_if.value(tried, what_if.DIALS[1]) == "–"


def test_a_library_without_a_set_says_where_one_would_lie():
    text = "\n".join(text_of(line) for line in what_if.rows(what_if.Trial(NOW, NOW, "mode"), 40, False))
    assert "no set" in text
    assert "evaluation.toml" in text


# --- the document ---


def test_the_banner_says_what_is_tried_and_what_serves_in_the_words_there_is_room_for():
    told = [text_of(document.banner(TRIED, NOW, width)).strip() for width in (80, 50, 40)]
    assert told == [
        "PREVIEW of size 400, overlap 120; searches still use 1,600 / 160",
        "PREVIEW size 400, overlap 120; now 1,600 / 160",
        "PREVIEW 400 / 120, now 1,600 / 160",
    ]
    other = text_of(document.banner(replace(NOW, mode="fixed"), NOW, 90))
    assert "PREVIEW of fixed, size 1,600" in other
    assert "use structure 1,600 / 160" in other


def test_the_chunk_under_the_cursor_is_told_in_the_room_there_is():
    chunk = About(
        4,
        14,
        16,
        18,
        311,
        "重试",
        118,
        ("sentence",),
        (("q19", "whole"), ("q11", "split")),
        state="enabled   not edited",
    )
    rows = [text_of(line).rstrip() for line in document.about(chunk, 76, 3)]
    assert rows[0].startswith("  CHUNK 4 of 14  L16–18")
    assert rows[0].endswith("311 characters   enabled   not edited")
    assert rows[1] == "  evidence q19 whole, q11 split  118 shared with 3  sentence cut"
    assert rows[2] == "  heading 重试"
    assert text_of(document.about(chunk, 40, 1)[0]).rstrip().endswith("311 characters")
    assert "no chunk here" in text_of(document.about(None, 60, 3)[0])


def test_the_margin_names_evidence_and_cuts_in_the_order_of_their_places():
    pieces = ((Piece("a-very-long-name", 30, 40), "split"), (Piece("q1", 5, 9), "whole"))
    notes = document.notes(pieces, (Cut("fence", 20, 10, 50),))
    assert [(note.start, note.text, note.attention) for note in notes] == [
        (5, "q1 whole", False),
        (20, "cut fence", True),
        (30, "a-very… SPLIT", True),
    ]


# --- layout and marks ---


@given(st.integers(40, 220), st.integers(8, 70), st.sampled_from(documents_layout.PANES))
def test_parts_lie_inside_the_body_and_never_over_each_other(width, height, active):
    for zoomed in (None, active):
        found = documents_layout.arrange(width, height, active=active, beside="what-if", zoomed=zoomed)
        cells: set[tuple[int, int]] = set()
        for x, y, columns, rows in found.places.values():
            assert x >= 0
            assert x + columns <= width
            assert y >= 0
            assert y + rows <= height
            here = {(column, row) for column in range(x, x + columns) for row in range(y, y + rows)}
            assert not cells & here
            cells |= here
        assert found.shows(active) or found.form == "medium"
        assert found.form != "wide" or zoomed or {"documents", "document", "what-if"} <= found.places.keys()


def test_finds_do_not_count_case_and_read_nothing_as_a_pattern():
    assert documents_marks.finds("Retry (retry) RETRY", "retry") == ((0, 5), (7, 12), (14, 19))
    assert documents_marks.finds("a.c abc", "a.c") == ((0, 3),)
    assert documents_marks.finds("anything", "  ") == ()
