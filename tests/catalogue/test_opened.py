"""A document as it serves: its text and chunks, cut anew by the very chunker of a rebuild."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cancel import CancelToken
from engine.catalogue.opened import every_document, open_document
from engine.errors import UsageError
from engine.library import Library
from engine.model import OWNER, PUBLIC
from tests.catalogue.conftest import GUIDE, NOTES


async def test_a_document_opens_with_its_text_and_chunks(library: Library) -> None:
    found = open_document(library.generation, library.places.library, "guide.md", (PUBLIC,))
    assert found.text == GUIDE
    assert found.kind == "markdown"
    assert all(chunk.text == GUIDE[chunk.start : chunk.end] for chunk in found.chunks)


async def test_the_cut_that_serves_is_cut_again_alike(library: Library) -> None:
    for found in every_document(library.generation, library.places.library, (OWNER,)):
        spans = found.cut(library.generation.chunking, cancel=CancelToken())
        assert [(span.start, span.end, span.ordinal) for span in spans] == [
            (chunk.start, chunk.end, chunk.ordinal) for chunk in found.chunks
        ]
        coarse = found.cut(
            replace(library.generation.chunking, target_characters=8_000), cancel=CancelToken()
        )
        assert len(coarse) <= len(found.chunks)


async def test_what_a_principal_may_not_see_reads_as_absent(library: Library) -> None:
    places = library.places.library
    with pytest.raises(UsageError, match=r"no document secret\.md"):
        open_document(library.generation, places, "secret.md", (PUBLIC,))
    assert open_document(library.generation, places, "secret.md", (PUBLIC, "ops")).path == "secret.md"
    paths = [found.path for found in every_document(library.generation, places, (PUBLIC,))]
    assert paths == ["guide.md", "notes.md"]


async def test_a_document_that_never_was_is_said_to_be_none(library: Library) -> None:
    with pytest.raises(UsageError, match=r"no document \.\./etc/passwd"):
        open_document(library.generation, library.places.library, "../etc/passwd", (OWNER,))


async def test_front_matter_is_text_of_no_chunk(library: Library) -> None:
    found = open_document(library.generation, library.places.library, "notes.md", (PUBLIC,))
    assert found.text == NOTES
    assert min(chunk.start for chunk in found.chunks) == NOTES.index("# Notes")
