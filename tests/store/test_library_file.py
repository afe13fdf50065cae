"""The user's own file: archived revisions, the pointer, tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.model import Revision
from engine.store.library_file import Archived, LibraryFile


def revision(number: int) -> Revision:
    return Revision(f"{number:064x}", f"文本 {number}\r\n", "utf-8", False, "markdown 1", f"Title {number}")


@pytest.fixture
def library(tmp_path: Path):
    file = LibraryFile(tmp_path / "library.sqlite")
    yield file
    file.close()


def test_an_archived_revision_comes_back_as_it_was(library: LibraryFile) -> None:
    library.archive([Archived("doc", "a.md", revision(1))])
    assert library.revision(revision(1).revision, "markdown 1") == revision(1)


def test_the_last_three_revisions_of_a_document_stay(library: LibraryFile) -> None:
    for number in range(5):
        library.archive([Archived("doc", "a.md", revision(number))])
    kept = [library.revision(revision(number).revision, "markdown 1") is not None for number in range(5)]
    assert kept == [False, False, True, True, True]


def test_a_text_that_two_documents_share_stays_while_one_of_them_has_it(library: LibraryFile) -> None:
    library.archive([Archived("first", "a.md", revision(0)), Archived("second", "b.md", revision(0))])
    for number in range(1, 4):
        library.archive([Archived("first", "a.md", revision(number))])
    assert library.revision(revision(0).revision, "markdown 1") == revision(0)


def test_a_revision_that_returns_is_the_newest_again(library: LibraryFile) -> None:
    for number in (0, 1, 2, 0, 3):
        library.archive([Archived("doc", "a.md", revision(number))])
    kept = [library.revision(revision(number).revision, "markdown 1") is not None for number in range(4)]
    assert kept == [True, False, True, True]


def test_the_pointer_remembers_the_generation_before(library: LibraryFile) -> None:
    assert library.serving() is None
    library.serve("g000000000001")
    library.serve("g000000000002")
    library.serve("g000000000002")
    assert (library.serving(), library.previous()) == ("g000000000002", "g000000000001")
