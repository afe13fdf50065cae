"""What a cut does: a sentence, table or fence is cut where no chunk holds it whole, and evidence likewise."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chunking import chunk
from engine.chunking.preview import Cover, blocks, cuts, measured
from engine.model import ChunkSpan
from engine.settings import Chunking
from engine.text import is_blank

TABLE = "| a | b |\n| - | - |\n" + "".join(f"| {n} | 重试 |\n" for n in range(9))
FENCE = "```toml\n" + "".join(f"key_{n} = {n}\n" for n in range(9)) + "```\n"
TEXT = (
    f"# 标题\n\n第一句在这里。第二句也在这里。第三句结束。\n\n{TABLE}\n{FENCE}\n- one item\n- another item\n"
)


def spans(*borders: tuple[int, int]) -> list[ChunkSpan]:
    return [ChunkSpan(n, "standalone", start, end, 1, 1) for n, (start, end) in enumerate(borders, 1)]


def kinds(text: str, *borders: tuple[int, int]) -> list[tuple[str, str]]:
    return [
        (cut.kind, text[cut.start : cut.end]) for cut in cuts(text, blocks(text, "markdown"), spans(*borders))
    ]


def test_a_border_within_a_sentence_cuts_it():
    at = TEXT.index("也在这里")
    assert kinds(TEXT, (0, at), (at, len(TEXT))) == [("sentence", "第二句也在这里。")]


def test_a_border_between_sentences_items_or_blocks_cuts_nothing():
    for mark in ("第二句", "- another", "```toml", "| a |"):
        at = TEXT.index(mark)
        assert kinds(TEXT, (0, at), (at, len(TEXT))) == []


def test_a_sentence_that_the_overlap_holds_whole_is_not_cut():
    begin, at = TEXT.index("第二句"), TEXT.index("也在这里")
    assert kinds(TEXT, (0, at), (begin, len(TEXT))) == []


def test_a_table_and_a_fence_are_cut_once_however_many_borders_part_them():
    rows = [TEXT.index(f"| {n} |") for n in (2, 5)]
    assert [kind for kind, _ in kinds(TEXT, (0, rows[0]), tuple(rows), (rows[1], len(TEXT)))] == ["table"]
    at = TEXT.index("key_4")
    assert kinds(TEXT, (0, at), (at, len(TEXT))) == [("fence", FENCE.rstrip())]


def test_a_fence_inside_a_list_is_a_fence():
    text = "- first, then\n\n  ```sh\n  one\n  two\n  three\n  ```\n\n- last\n"
    at = text.index("  two")
    assert [kind for kind, _ in kinds(text, (0, at), (at, len(text)))] == ["fence"]


def test_parents_part_nothing():
    parent = ChunkSpan(1, "parent", 0, TEXT.index("也在这里"), 1, 1)
    assert cuts(TEXT, blocks(TEXT, "markdown"), [parent, *spans((0, len(TEXT)))]) == []


def test_a_span_is_whole_in_one_chunk_split_between_two_and_lost_beside_them():
    cover = Cover(spans((0, 10), (8, 20), (30, 40)))
    text = "x" * 50
    assert cover.standing(text, 2, 10) == "whole"
    assert cover.standing(text, 8, 20) == "whole"
    assert cover.standing(text, 5, 15) == "split"
    assert cover.standing(text, 15, 35) == "lost"
    assert cover.standing(text, 45, 48) == "lost"
    assert Cover(()).standing(text, 0, 3) == "lost"


def test_blanks_between_chunks_lose_nothing():
    text = "eins.\n\n\nzwei.\n\n"
    cover = Cover(spans((0, 5), (8, 13)))
    assert cover.standing(text, 0, 13) == "split"
    assert cover.standing(text, 8, len(text)) == "whole"


def test_sizes_are_those_of_the_chunks_that_are_found():
    parent = ChunkSpan(1, "parent", 0, len(TEXT), 1, 1)
    found = measured(TEXT, blocks(TEXT, "markdown"), [parent, *spans((0, 30), (20, 90))])
    assert found.sizes == (30, 70)


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from((TEXT, TABLE, FENCE, "一句话。另一句！", "plain words. More.\n\n")), max_size=6
    ).map("".join),
    st.sampled_from(("fixed", "structure", "parent-child")),
    st.integers(400, 900),
    st.data(),
)
def test_standing_agrees_with_looking_at_every_chunk(text, mode, target, data):
    chunking = Chunking(mode=mode, target_characters=target, child_characters=min(target, 700))
    found = [span for span in chunk(text, "markdown", chunking) if span.role != "parent"]
    cover = Cover(found)
    for _ in range(6):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        if is_blank(text, start, end):
            continue
        inside = [n for n in range(start, end) if not text[n].isspace()]
        homes = [span for span in found if span.start <= inside[0] and inside[-1] < span.end]
        held = all(any(span.start <= n < span.end for span in found) for n in inside)
        assert cover.standing(text, start, end) == ("whole" if homes else "split" if held else "lost")
    for cut in cuts(text, blocks(text, "markdown"), found):
        assert cover.standing(text, cut.start, cut.end) == "split"
    assert all(one.start < two.start for one, two in pairwise(found))
