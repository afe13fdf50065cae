"""What is wrong with a chunk by itself: its size, and what its borders part."""

from __future__ import annotations

from engine.cancel import CancelToken
from engine.catalogue.opened import Opened
from engine.chunking import chunk
from engine.health.cuts import TINY, examine
from engine.health.model import Case
from engine.model import Chunk
from engine.settings import Chunking

CHUNKING = Chunking(target_characters=400, overlap_characters=0)


def examined(text: str, chunking: Chunking = CHUNKING, kind: str = "markdown", **state: bool) -> list[Case]:
    spans = chunk(text, kind, chunking, language="", cancel=CancelToken())  # type: ignore[arg-type]
    chunks = tuple(
        Chunk(
            f"chunk{span.ordinal}", "d", "a.md", "A", "r", span.ordinal, span.role, span.heading_path, span.start,
            span.end, span.line_start, span.line_end, text[span.start : span.end], **state,
        )
        for span in spans
    )  # fmt: skip
    document = Opened("d", "a.md", "a.md", "A", "r", kind, "", text, chunking, chunks)
    return [*examine(document, cancel=CancelToken())]


def causes(text: str, chunking: Chunking = CHUNKING, **state: bool) -> list[str]:
    return [case.cause for case in examined(text, chunking, **state)]


def test_a_document_of_whole_sections_has_nothing_wrong() -> None:
    assert (
        causes("# A\n\n" + "A whole sentence of a section. " * 8 + "\n\n# B\n\n" + "Another one here. " * 9)
        == []
    )


def test_a_document_without_content_is_empty_and_so_is_one_whose_chunks_are_disabled() -> None:
    assert causes("") == ["empty"]
    assert causes("# A\n\nwords\n", enabled=False) == ["empty"]


def test_a_few_characters_are_tiny_beside_others_and_not_as_a_whole_document() -> None:
    assert causes("ok\n") == []
    text = "# A\n\nok\n\n# B\n\n" + "A whole sentence of a section. " * 8
    (case,) = examined(text)
    assert (case.cause, case.line_start) == ("tiny", 1)
    assert case.sentence.startswith("4 characters of ink, of a target of 400")
    assert TINY > 3


def test_a_sentence_that_no_chunk_holds_whole_is_told_where_it_begins() -> None:
    cut = Chunking(mode="fixed", target_characters=400, overlap_characters=0)
    sentence = "word " * 150 + "end."
    found = [case for case in examined(sentence, cut, kind="text") if case.cause == "sentence"]
    assert found[0].chunk_id == "chunk1"
    assert "|" in found[0].sentence


def test_a_table_over_the_target_is_parted_and_what_was_edited_is_as_somebody_wants_it() -> None:
    table = "| a | b |\n| --- | --- |\n" + "| some cell | another cell |\n" * 40
    assert "table" in causes(table)
    assert causes(table, edited=True) == []


def test_what_is_far_over_the_target_is_told_with_how_far() -> None:
    text = "One whole sentence after the other. " * 20
    whole = Chunk("c", "d", "a.md", "A", "r", 1, "standalone", (), 0, len(text), 1, 1, text)
    document = Opened("d", "a.md", "a.md", "A", "r", "text", "", text, CHUNKING, (whole,))
    (case,) = examine(document, cancel=CancelToken())
    assert (case.cause, case.sentence) == ("oversized", "720 characters, 1.8 times the target")
