"""What must hold of the chunks of any document, in every mode, and of the real pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.chunking import chunk, chunker_fingerprint
from engine.chunking.sections import body_start, sections
from engine.errors import Cancelled
from engine.model import ChunkSpan
from engine.settings import MODES, Chunking
from engine.text import is_blank
from tests.chunking.texts import CLUSTER, KINDS, hostile, prose
from tests.pages import load

SMALL = Chunking(target_characters=60, overlap_characters=15, parent_characters=150, child_characters=50)


@cache
def clusters_of(text: str) -> frozenset[int]:
    """The boundaries over the whole text."""
    return frozenset((0, *(cluster.end() for cluster in regex.finditer(CLUSTER, text))))


@cache
def lines_of(text: str) -> list[int]:
    """The line of every code point, counted one by one."""
    lines, line = [], 1
    for offset, character in enumerate(text):
        lines.append(line)
        line += character == "\n" or (character == "\r" and text[offset + 1 : offset + 2] != "\n")
    return lines


def hold(text: str, kind: str, chunks: Sequence[ChunkSpan], chunking: Chunking) -> None:
    """The promises of every chunker."""
    retrievable = [span for span in chunks if span.role != "parent"]
    parents = [span for span in chunks if span.role == "parent"]
    clusters, lines = clusters_of(text), lines_of(text)
    assert [span.ordinal for span in retrievable] == list(range(1, len(retrievable) + 1))
    assert [span.ordinal for span in parents] == list(range(1, len(parents) + 1))

    covered = body_start(text, kind)
    assert all(span.start >= covered for span in chunks)
    for span in retrievable:
        assert is_blank(text, covered, span.start)
        covered = max(covered, span.end)
    assert is_blank(text, covered)

    for span in chunks:
        assert {span.start, span.end} <= clusters
        assert not is_blank(text, span.start, span.end)
        assert (span.line_start, span.line_end) == (lines[span.start], lines[span.end - 1])
        assert fits(span, clusters, chunking)
    overlap = 0 if chunking.mode == "parent-child" else chunking.overlap_characters
    for group in (retrievable, parents):
        for before, after in pairwise(group):
            assert before.start < after.start
            assert before.end < after.end
            assert before.end - after.start <= overlap
    for span in retrievable:
        assert (span.parent is None) == (chunking.mode != "parent-child")
        if span.parent:
            holder = parents[span.parent - 1]
            assert holder.start <= span.start < span.end <= holder.end


def fits(span: ChunkSpan, clusters: frozenset[int], chunking: Chunking) -> bool:
    target = {
        "standalone": chunking.target_characters,
        "parent": chunking.parent_characters,
        "child": chunking.child_characters,
    }[span.role]
    return span.end - span.start <= target or clusters.isdisjoint(range(span.start + 1, span.end))


# --- any text


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=150, deadline=None)
@given(hostile, KINDS, st.integers(1, 200), st.integers(0, 80), st.integers(1, 120))
def test_any_text_is_cut_as_promised(mode, text, kind, target, overlap, child):
    chunking = Chunking(mode, target, min(overlap, target * 2 // 5), target * 3, min(child, target * 3 - 1))
    chunks = chunk(text, kind, chunking)
    hold(text, kind, chunks, chunking)
    assert chunk(text, kind, chunking) == chunks


@settings(max_examples=100, deadline=None)
@given(hostile, st.sampled_from(["markdown", "text"]), st.integers(1, 100), st.booleans())
def test_exact_windows_inside_headings_hold_too(text, kind, target, seek):
    chunking = Chunking("fixed", target, 0, seek_boundary=seek, within_heading=True)
    hold(text, kind, chunk(text, kind, chunking), chunking)


@pytest.mark.parametrize("mode", MODES)
def test_numbers_that_settings_refuse_still_end(mode):
    for size, overlap in ((10, 10), (10, 11), (0, 0), (10, -1), (-7, 900)):
        chunking = Chunking(mode, size, overlap, size, size + 5)
        assert chunk("# A\n\n" + "abcdefghij " * 9, "markdown", chunking)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", ["", "\n\n\n", " \u3000\u200b\r\n ", "---\ntitle: x\n---\n\n"])
def test_a_document_without_ink_has_no_chunk(mode, text):
    assert chunk(text, "markdown", Chunking(mode)) == []


@pytest.mark.parametrize("mode", MODES)
def test_ck04_blank_ends_belong_to_the_span_or_to_no_chunk(mode):
    text = "  alpha  \n\n\t beta \u3000\n\n   gamma"
    for kind in ("markdown", "text"):
        for target in (4, 8, 16, 400):
            chunking = Chunking(mode, target, 0, target, target)
            hold(text, kind, chunk(text, kind, chunking), chunking)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_md09_without_overlap_the_chunks_are_the_text(mode, newline):
    text = ("# A\n\n" + prose(40) + "\n- a\n- b\n\n```\ncode\n```\n## B\n\n" + prose(200)).replace(
        "\n", newline
    )
    chunks = chunk(text, "markdown", Chunking(mode, 400, 0, 1600, 300))
    assert "".join(text[span.start : span.end] for span in chunks if span.role != "parent") == text


@pytest.mark.parametrize("mode", MODES)
def test_md10_lines_are_those_of_an_editor(mode):
    text = "a\u2028# no\nb\x0cc\x85d\n# Yes\n"
    spans = [span for span in chunk(text, "markdown", Chunking(mode)) if span.role != "parent"]
    assert (spans[-1].line_end, spans[-1].end) == (3, len(text))


def test_ck12_a_lone_surrogate_is_text_like_any_other():
    assert [(s.start, s.end) for s in chunk("x\ud83d y", "text", Chunking())] == [(0, 4)]


@pytest.mark.parametrize(
    ("mode", "size"), [("structure", 8_000_000), ("fixed", 1_000_000), ("parent-child", 1_000_000)]
)
def test_a_line_of_eight_megabytes_is_cut(mode, size):
    text = "[" * (size // 2) + "\n\n# B\n" + "x " * (size // 4)
    chunks = chunk(text, "markdown", Chunking(mode))
    assert chunks[-1].end == len(text)
    assert max(span.end - span.start for span in chunks) <= 4_800


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("unit", ["🇨🇳", "👨\u200d", "ข้าว", "e\u0301", "\u1015\u102b", "\u0301"])
def test_long_runs_of_clusters_are_cut_in_one_pass(mode, unit):
    text = unit * 4_000
    chunks = chunk(text, "text", Chunking(mode))
    assert chunks[-1].end == len(text)
    assert {span.start for span in chunks} <= clusters_of(text)


@pytest.mark.parametrize("kind", ["markdown", "text", "log", "code"])
@pytest.mark.parametrize("line", ["", "\u200b\n", "\t"])
def test_tens_of_thousands_of_blank_lines_are_no_chunk(kind, line):
    text = f"{line}\n" * 40_000
    assert chunk(text, kind, Chunking()) == []
    assert len(chunk(text + "end", kind, Chunking())) == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_cancel_is_seen_at_every_cut_of_one_endless_line(mode: str) -> None:
    token = CancelToken()
    chunks = chunk("word " * 40_000, "text", Chunking(mode=mode), cancel=token)
    assert token.checks > 3 * len(chunks) // 2, "once where it is cut, and once where it is numbered"


def test_a_cancel_is_seen_while_the_document_is_read_and_while_it_is_cut():
    text = "# A\n\ntext\n\n" * 1_000
    token = CancelToken()
    chunks = chunk(text, "markdown", Chunking(), cancel=token)
    assert token.checks >= 2_000 // 200 + len(chunks)
    token.cancel()
    with pytest.raises(Cancelled):
        chunk(text, "markdown", Chunking(), cancel=token)


# --- headings


def test_fixed_windows_carry_the_headings_in_force_at_their_start():
    text = "lead\n\n# A\n\n" + prose(40) + "\n## B\n\n" + prose(40)
    paths = [span.heading_path for span in chunk(text, "markdown", Chunking("fixed", 400, 40))]
    assert paths == [(), ("A",), ("A",), ("A", "B"), ("A", "B")]


def test_windows_within_headings_never_cross_one():
    text = "lead\n\n# A\n\n" + prose(40) + "\n## B\n\n" + prose(40)
    exact = Chunking("fixed", 500, 80, seek_boundary=False, within_heading=True)
    chunks = chunk(text, "markdown", exact)
    assert [span.heading_path for span in chunks] == [(), ("A",), ("A",), ("A", "B"), ("A", "B")]
    assert [text[span.start : span.end].count("#") for span in chunks] == [0, 1, 0, 2, 0]
    assert chunks[2].start == chunks[1].end - 80


# --- pins


@pytest.mark.parametrize("mode", MODES)
def test_a_pin_is_one_chunk_and_nothing_overlaps_it(mode):
    text = "# A\n\n" + prose(40) + "\n## B\n\n" + prose(40)
    chunking = Chunking(mode, 400, 100, 1_600, 300)
    middle = (text.index("Sentence 00010"), text.index("Sentence 00035"))
    across = (text.index("Sentence 00039"), text.index("Sentence 00003", 900))
    chunks = [
        span for span in chunk(text, "markdown", chunking, pins=[middle, across]) if span.role != "parent"
    ]
    spans = [(span.start, span.end) for span in chunks]
    assert {middle, across} <= {*spans}
    for before, after in pairwise(spans):
        if {before, after} & {middle, across}:
            assert before[1] == after[0]
    assert [span.heading_path for span in chunks if span.start == across[0]] == [("A",)]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=80, deadline=None)
@given(hostile, KINDS, st.integers(20, 200), st.data())
def test_pins_are_kept_whatever_the_text(mode, text, kind, target, data):
    chunking = Chunking(mode, target, target // 4, target * 3, target)
    places = sorted(place for place in clusters_of(text) if place >= body_start(text, kind))
    ends = sorted(data.draw(st.lists(st.sampled_from(places), max_size=6, unique=True)))
    pins = [pin for pin in zip(ends[::2], ends[1::2], strict=False) if not is_blank(text, *pin)]
    chunks = chunk(text, kind, chunking, pins=pins)
    spans = [(span.start, span.end) for span in chunks if span.role != "parent"]
    assert {*pins} <= {*spans}
    covered = body_start(text, kind)
    for start, end in spans:
        assert is_blank(text, covered, start)
        covered = max(covered, end)
        assert (start, end) in pins or not any(start < high and low < end for low, high in pins)
    assert is_blank(text, covered)
    for span in chunks:
        if span.role == "parent":
            for low, high in pins:
                assert high <= span.start or span.end <= low or span.start <= low < high <= span.end


def test_pins_that_overlap_or_are_empty_are_left_out():
    text = prose(60)
    spans = [
        (span.start, span.end)
        for span in chunk(text, "text", Chunking(), pins=[(20, 60), (40, 80), (90, 90)])
    ]
    assert (20, 60) in spans
    assert (40, 80) not in spans


# --- source code


def test_source_code_is_cut_at_top_level_definitions_and_a_chunk_inside_one_carries_its_name():
    body = "".join(f"    value_{number} = compute({number})\n" for number in range(30))
    text = f"import os\n\n\n# What one does.\n@cache\ndef one():\n{body}\n\n"
    text += f"def two():\n{body}\n\nclass Three:\n{body * 3}"
    chunks = chunk(text, "code", Chunking(target_characters=830, overlap_characters=0), language="python")
    assert [(text[s.start :].split("\n")[0].split("_")[0], s.heading_path) for s in chunks] == [
        ("import os", ()), ("# What one does.", ("one",)), ("def two():", ("two",)),
        ("class Three:", ("Three",)), ("    value", ("Three",)), ("    value", ("Three",)),
    ]  # fmt: skip
    assert "".join(text[span.start : span.end] for span in chunks) == text


# --- the fingerprint


def test_the_fingerprint_moves_with_what_matters_in_the_mode_and_with_nothing_else():
    structure = chunker_fingerprint(Chunking())
    assert chunker_fingerprint(Chunking(parent_characters=2_000, child_characters=500)) == structure
    assert chunker_fingerprint(Chunking(target_characters=1_650)) != structure
    assert chunker_fingerprint(Chunking(overlap_characters=0)) != structure
    related = chunker_fingerprint(Chunking("parent-child"))
    assert (
        chunker_fingerprint(Chunking("parent-child", target_characters=400, overlap_characters=0)) == related
    )
    assert chunker_fingerprint(Chunking("parent-child", child_characters=500)) != related
    fixed = chunker_fingerprint(Chunking("fixed"))
    assert chunker_fingerprint(Chunking("fixed", within_heading=True)) != fixed
    assert len({structure, related, fixed}) == 3


# --- the real pages


@pytest.mark.parametrize("mode", MODES)
def test_every_real_page_is_cut_as_promised(mode, shared):
    for number, text in enumerate(load(shared).values()):
        chunking = replace(SMALL, mode=mode) if number % 4 == 0 else Chunking(mode)
        hold(text, "markdown", chunk(text, "markdown", chunking), chunking)


def test_no_chunk_of_a_real_page_ends_in_a_heading_while_something_follows(shared):
    for text in load(shared).values():
        units = [unit for section in sections(text, "markdown") for unit in section.units]
        headings = {unit.end for unit in units if unit.kind == "heading"}
        for span in chunk(text, "markdown", Chunking())[:-1]:
            assert span.end not in headings
