"""Units of one section are packed; one that is too long is cut where it falls apart by itself."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.chunking.sections import sections
from engine.chunking.structure import Piece, pieces
from tests.chunking.texts import prose


def cut(text: str, target: int, overlap: int = 0, kind: str = "markdown") -> list[Piece]:
    return list(pieces(text, sections(text, kind), target, overlap))


def texts(text: str, target: int, overlap: int = 0, kind: str = "markdown") -> list[str]:
    return [text[piece.start : piece.end] for piece in cut(text, target, overlap, kind)]


# --- packing


def test_small_neighbours_of_one_section_are_packed_and_those_of_two_are_not():
    text = "# A\n\none\n\ntwo\n\n# B\n\nthree\n"
    assert texts(text, 400) == ["# A\n\none\n\ntwo\n\n", "# B\n\nthree\n"]
    assert [piece.path for piece in cut(text, 400)] == [("A",), ("B",)]


def test_a_unit_that_fits_is_never_cut():
    text = "# A\n\n" + prose(10) + "\n```\n" + "code();\n" * 20 + "```\n\n" + prose(10)
    for target in range(220, 500, 20):
        for piece in texts(text, target):
            assert piece.count("```") in (0, 2)


def test_without_overlap_the_pieces_are_the_text():
    text = "# A\n\n" + prose(100) + "\n- a\n- b\n\n## B\n\n" + prose(40)
    assert "".join(texts(text, 400)) == text


def test_a_small_last_piece_takes_from_the_one_before():
    text = "# A\n\n" + "\n".join(prose(6) for _ in range(3)) + "\nEnd.\n"
    sizes = [len(piece) for piece in texts(text, 390)]
    assert len(sizes) == 2
    assert min(sizes) >= 390 // 4


# --- headings


def test_a_heading_never_ends_a_chunk_alone():
    text = "# A\n\n## B\n\n" + prose(60)
    first = cut(text, 400)[0]
    assert text[first.start : first.end].startswith("# A\n\n## B\n\nSentence 00000")
    assert first.path == ("A", "B")


@pytest.mark.parametrize(
    "block",
    ["```\n" + "line of code\n" * 80 + "```\n", "| a | b |\n|---|---|\n" + "| x | y |\n" * 80, prose(80)],
    ids=["fence", "table", "paragraph"],
)
def test_a_heading_stays_with_a_block_that_must_be_split(block):
    found = texts("# A\n\n" + block, 400)
    assert all(100 <= len(piece) <= 400 for piece in found)


def test_md17_sections_with_the_same_heading_stay_apart():
    text = "# S\n## Setup\nalpha\n## Setup\nbeta\n"
    assert texts(text, 400) == ["# S\n## Setup\nalpha\n", "## Setup\nbeta\n"]
    assert [piece.path for piece in cut(text, 400)] == [("S", "Setup"), ("S", "Setup")]


def test_headings_with_nothing_under_them_go_with_what_follows_up_to_the_target():
    assert texts("# A\n# B\n# C\ntext\n# D\n", 400) == ["# A\n# B\n# C\ntext\n", "# D\n"]
    text = "".join(f"## Heading {number:03d}\n" for number in range(100))
    found = cut(text, 400)
    assert all(piece.end - piece.start <= 400 for piece in found)
    assert [piece.path for piece in found][-1] == ("Heading 099",)


def test_md22_a_heading_is_all_of_its_line_and_no_more():
    text = "# T\nprose before\n```\n# c\n```\nmore prose\n"
    joined = texts(text, 20)
    assert "".join(joined) == text
    for part in ("prose before", "# c", "more prose"):
        assert any(part in piece for piece in joined)


# --- splitting inside


def test_a_fence_is_cut_between_lines():
    text = "```py\n" + "".join(f"value_{number} = {number} * 2\n" for number in range(100)) + "```\n"
    assert all(piece.endswith("\n") for piece in texts(text, 400))


def test_md21_a_table_is_cut_between_rows_and_its_caption_is_in_the_first_piece():
    rows = "".join(f"| key{number} | value {number} |\n" for number in range(40))
    text = "Caption line\n\n| k | v |\n|---|---|\n" + rows
    found = texts(text, 200)
    assert "".join(found) == text
    assert all(piece.endswith("|\n") for piece in found)
    assert [number for number, piece in enumerate(found) if "Caption" in piece or "|---|" in piece] == [0]
    assert all("| key" in piece for piece in found)


def test_a_table_with_two_rows_above_the_delimiter_is_cut_between_rows():
    text = "| a | b |\n| c | d |\n|---|---|\n" + "| x | y |\n" * 100
    assert all(piece.endswith("|\n") for piece in texts(text, 200))


def test_a_list_is_cut_between_items():
    text = "".join(f"- item {number}\n\n  {prose(5)}" for number in range(12))
    assert all(piece.startswith("- item") for piece in texts(text, 400))


def test_an_item_too_long_is_cut_between_its_blocks():
    text = "- item\n\n" + "".join(f"  {prose(5)}\n" for _ in range(12)) + "- last\n"
    assert all(piece.lstrip().startswith(("Sentence", "- item", "- last")) for piece in texts(text, 400))


def test_a_paragraph_is_cut_between_sentences_and_no_small_tail_is_left():
    found = texts(prose(81), 400)
    assert all(piece.rstrip().endswith(".") for piece in found)
    assert min(len(piece) for piece in found) >= 100


def test_plain_text_is_cut_at_paragraphs_and_a_log_at_entries():
    text = "\n".join(prose(7) for _ in range(9))
    assert all(piece.startswith("Sentence 00000") for piece in texts(text, 400, kind="text"))
    text = "".join(f"12:00:{number:02d} request served\n    at handler\n" for number in range(60))
    assert all(
        piece.startswith("12:00") and piece.endswith("handler\n") for piece in texts(text, 400, kind="log")
    )


def test_a_line_of_a_log_too_long_is_cut_inside():
    text = "12:00 " + "x" * 5_000 + "\n12:01 ok\n"
    assert max(len(piece) for piece in texts(text, 400, kind="log")) <= 400


# --- overlap


def test_overlap_is_taken_at_sentences_of_a_split_paragraph():
    found = cut(prose(100), 400, 60)
    for before, after in pairwise(found):
        assert 0 < before.end - after.start <= 60
        assert (after.start % 21, after.end - after.start <= 400) == (0, True)


def test_overlap_is_never_taken_over_a_heading_or_from_another_section():
    text = "# A\n\n" + prose(15) + "\n## B\n\n" + prose(15) + "\n## C\n\n" + prose(30)
    found = cut(text, 400, 160)
    for before, after in pairwise(found):
        if before.path != after.path:
            assert before.end == after.start
        assert "#" not in text[after.start : before.end]


def test_a_block_is_repeated_whole_or_not_at_all():
    long = "```\n" + "long();\n" * 30 + "```\n\n"
    text = f"# A\n\n{prose(14)}\n```\nshort();\n```\n\n{prose(16)}\n{long}{prose(16)}"
    for target in (400, 420, 460):
        for before, after in pairwise(cut(text, target, 160)):
            repeated = text[after.start : before.end]
            assert repeated.count("```") in (0, 2)


def test_room_for_whole_units_comes_before_overlap():
    text = "\n".join(prose(19) for _ in range(4))
    assert cut(text, 400, 160) == cut(text, 400, 0)


# --- stability


@pytest.mark.parametrize("above", ["New.\n\n", "# New\n\ntext\n\n", prose(50) + "\n"])
def test_text_inserted_above_changes_no_later_section(above):
    text = "# A\n\n" + prose(50) + "\n## B\n\n" + prose(50) + "\n- x\n- y\n"
    before = texts(text, 400, 80)
    after = texts(above + text, 400, 80)
    assert after[-len(before) :] == before
