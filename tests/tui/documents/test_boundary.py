"""The boundary view: rows fit, give the text back, and show each character in the band of its chunk."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chunking import chunk
from engine.model import ChunkSpan
from engine.settings import Chunking
from engine.text import LineIndex
from tests.tui.documents.texts import texts
from tui.text import sanitise
from tui.widgets.boundary import Note, Reading, gutter, row
from tui.widgets.boundary_bands import NONE, Bands
from tui.widgets.boundary_rows import Rows
from tui.widgets.line import measure, text_of

MODES = st.sampled_from(("fixed", "structure", "parent-child"))


def reading_of(text: str, spans: list[ChunkSpan], **more: object) -> Reading:
    return Reading(sanitise(text), LineIndex.of(text), Bands(spans, len(text)), **more)  # type: ignore[arg-type]


def spans(*borders: tuple[int, int], role: str = "standalone") -> list[ChunkSpan]:
    return [ChunkSpan(n, role, start, end, 1, 1) for n, (start, end) in enumerate(borders, 1)]  # type: ignore[arg-type]


def drawn(reading: Reading, width: int, current: int = NONE, **more: bool) -> list[str]:
    form = gutter(width, reading.lines.count, len(reading.bands.chunks))
    rows = Rows(reading.text, reading.lines, form.text)
    return [
        text_of(row(reading, start, end, form, current=current, **more)) for start, end in rows.window(0, 999)
    ]


@settings(max_examples=200)
@given(texts, MODES, st.integers(400, 900), st.integers(40, 200), st.data())
def test_rows_fit_give_the_text_back_and_show_each_character_in_the_band_of_its_chunk(
    text, mode, target, width, data
):
    found = chunk(text, "markdown", Chunking(mode=mode, target_characters=target, child_characters=target))
    reading = reading_of(text, found)
    count = len(reading.bands.chunks)
    current = data.draw(st.integers(0, count - 1)) if count else NONE
    form = gutter(width, reading.lines.count, count)
    lead = form.before
    shown: list[str] = []
    for start, end in Rows(reading.text, reading.lines, form.text).window(0, 10_000):
        line = row(reading, start, end, form, current=current)
        assert measure(line) == width
        shown.append(reading.text[start:end])
        edge = text_of(line)[lead - (2 if form.compact else 3)]
        held = [
            number for number, one in enumerate(reading.bands.chunks) if one.start < end and start < one.end
        ]
        assert edge == (
            "█" if current in held else " " if not held else "▌┆"[_first(reading, start, end) % 2]
        )
        for at in range(start, end):
            holders = [n for n in held if reading.bands.chunks[n].start <= at < reading.bands.chunks[n].end]
            band = reading.bands.at(at)
            assert band.chunk == (holders[-1] if holders else NONE)
            assert band.shared == (len(holders) > 1)
    assert "".join(shown) == reading.text


def _first(reading: Reading, start: int, end: int) -> int:
    return next(band.chunk for at in range(start, end) if (band := reading.bands.at(at)).chunk != NONE)


def test_the_gutter_names_line_chunk_edge_and_overlap():
    text = "# 标题\n\n第一句。第二句。\n第三句。\n第四句。\n"
    reading = reading_of(text, spans((0, 20), (11, 25)))
    rows = drawn(reading, 70, current=1)
    assert rows[0].startswith("    1   1 ▌  # 标题")
    assert rows[1].startswith("    2     ▌   ")
    assert rows[2].startswith("    3   2 █░ 第一句。第二句。")
    assert rows[3].startswith("    4     █")


def test_a_chunk_that_begins_inside_a_row_is_reversed_there():
    text = "第一句。第二句。"
    reading = reading_of(text, spans((0, 4), (4, 8)))
    form = gutter(60, 1, 2)
    line = row(reading, 0, 8, form, current=0)
    assert ("第", "reverse muted") in line
    assert ("第一句。", "") in line


def test_parents_are_a_rule_that_begins_anew_with_each():
    text = "one\ntwo\nthree\nfour\n"
    found = [*spans((0, 8), (8, 19), role="parent"), *spans((0, 4), (4, 8), (8, 19), role="child")]
    column = [line[9] for line in drawn(reading_of(text, found), 80)]
    assert column == ["╌", "│", "╌", "│"]


def test_evidence_is_underlined_and_named_in_the_margin():
    text = "第一句。第二句。\n第三句。"
    notes = (Note(4, "q11 SPLIT", attention=True), Note(5, "q12 whole"))
    reading = reading_of(text, spans((0, 13)), evidence=((4, 8),), notes=notes)
    form = gutter(70, 2, 1)
    line = row(reading, 0, 9, form, current=0)
    assert ("第二句。", "underline") in line
    assert text_of(line).rstrip().endswith("q11 SPLIT +1")
    assert line[-1][1] == "attention"


def test_words_of_the_query_are_strong_in_every_chunk():
    reading = reading_of("第一句。第二句。", spans((0, 4), (4, 8)), hits=((5, 6),))
    assert ("二", "strong") in row(reading, 0, 8, gutter(60, 1, 2), current=0)


def test_a_narrow_screen_keeps_line_ordinal_and_edge():
    rows = drawn(reading_of("标题\n\nabc\n", spans((0, 7))), 40, current=0, cursor=True, focused=True)
    assert rows[0].startswith("▸  1  1█ 标题")


def test_hostile_text_and_tabs_keep_their_row():
    reading = reading_of("a\tb\x1b[2J\u202ec\n", spans((0, 9)))
    assert "a   b␛[2J\ufffdc" in drawn(reading, 60)[0]


def test_a_document_without_chunks_has_no_edge():
    reading = reading_of("---\ntitle: x\n---\n", [])
    assert reading.bands.near(3) == NONE
    assert {line[10] for line in drawn(reading, 60)} == {" "}


def test_the_chunk_of_a_place_between_chunks_is_the_one_before():
    bands = Bands(spans((2, 5), (8, 12)), 14)
    assert [bands.near(at) for at in (0, 2, 6, 8, 13)] == [0, 0, 0, 1, 1]
    assert [bands.at(at).chunk for at in (0, 2, 6, 8, 13)] == [NONE, 0, NONE, 1, NONE]
