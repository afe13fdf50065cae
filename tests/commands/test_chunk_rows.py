"""Every character of the source is shown once, in order, with the boundaries and overlaps where they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chunking import chunk
from engine.model import ChunkSpan
from engine.settings import MODES, Chunking
from tui.commands.chunk_rows import overlap, retrievable, rows, title


def span(
    ordinal: int, start: int, end: int, lines: tuple[int, int] = (1, 1), role: str = "standalone"
) -> ChunkSpan:
    return ChunkSpan(ordinal, role, start, end, *lines)  # type: ignore[arg-type]


def test_lines_are_numbered_and_chunks_alternate():
    text = "one\ntwo\nthree\n"
    assert list(rows(text, [span(1, 0, 8, (1, 2)), span(2, 8, 14, (3, 3))])) == [
        "  ── 1  L1–2  8 characters",
        "1 ▌ one",
        "2 ▌ two",
        "  ── 2  L3–3  6 characters",
        "3 ┆ three",
    ]


def test_what_two_chunks_share_is_marked_and_counted():
    text = "aaa bbb ccc"
    pieces = [span(1, 0, 7), span(2, 4, 11)]
    assert list(rows(text, pieces)) == [
        "  ── 1  L1–1  7 characters",
        "1 ▌ aaa",
        "  ── 2  L1–1  7 characters  shares 3 with the one before",
        "  ░ bbb",
        "  ┆  ccc",
    ]
    assert [overlap(pieces, number) for number in range(2)] == [0, 3]


def test_text_outside_of_all_chunks_has_no_edge():
    assert list(rows("---\nx: 1\n---\nbody", [span(1, 13, 17, (4, 4))]))[:2] == ["1   ---", "2   x: 1"]


def test_a_parent_has_its_own_rule_above_its_first_child():
    found = list(rows("aa\nbb\n", [span(1, 0, 6, (1, 2), "parent"), span(1, 0, 3, (1, 1), "child")]))
    assert found[:2] == ["  ══ parent 1  L1–2  6 characters", "  ── 1  L1–1  3 characters"]


def test_a_tab_is_shown_as_blanks():
    assert list(rows("\tx", [span(1, 0, 2)]))[-1] == "1 ▌     x"


def test_a_document_without_chunks_says_so():
    assert title("empty.md", Chunking(), []).endswith("no retrievable content")
    assert list(rows("", [])) == ["1"], "an empty text has one empty line"


@settings(max_examples=60)
@given(st.text("ab 检索。\n\r#`", max_size=2500), st.sampled_from(MODES))
def test_the_rows_put_together_are_the_source(text: str, mode: str):
    chunks = chunk(text, "markdown", Chunking(mode=mode, target_characters=400, overlap_characters=80))  # type: ignore[arg-type]
    shown = [
        row.partition("▌")[2] or row.partition("┆")[2] or row.partition("░")[2] for row in rows(text, chunks)
    ]
    inside = "".join(text[a:b] for a, b in _union(retrievable(chunks)))
    assert "".join("".join(shown).split()) == "".join(inside.split())


def _union(pieces: list[ChunkSpan]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for piece in pieces:
        start = max(piece.start, found[-1][1]) if found else piece.start
        found.append((start, max(start, piece.end)))
    return found


@pytest.mark.parametrize("mode", MODES)
def test_the_title_tells_mode_sizes_and_counts(mode: str):
    chunking = Chunking(mode=mode)  # type: ignore[arg-type]
    text = "# A\n\n" + "word " * 2000
    assert mode in title("a.md", chunking, chunk(text, "markdown", chunking))
