"""What another cut would do, in counts, beside the cut that serves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cancel import CancelToken
from engine.catalogue.evidence import evidence_beside
from engine.catalogue.opened import every_document
from engine.catalogue.what_if import BARS, Evidence, Side, WhatIf, same_cut, what_if
from engine.errors import Cancelled
from engine.library import Library
from engine.model import PUBLIC, Progress
from engine.settings import Chunking


def found(library: Library, chunking: Chunking, evidence: Evidence) -> WhatIf:
    documents = every_document(library.generation, library.places.library, (PUBLIC,))
    *progress, last = what_if(documents, 2, chunking, evidence, cancel=CancelToken())
    assert all(isinstance(step, Progress) for step in progress)
    assert isinstance(last, WhatIf)
    return last


async def test_the_serving_cut_beside_itself_changes_nothing(library: Library) -> None:
    pieces = evidence_beside(library.root, library.generation, library.places.library).pieces
    same = found(library, library.generation.chunking, pieces)
    assert same.now == same.preview
    assert not same.moved
    assert same.documents == 2


async def test_a_larger_size_mends_evidence_that_is_split(library: Library) -> None:
    beside = evidence_beside(library.root, library.generation, library.places.library)
    assert (beside.cases, beside.invalid, beside.wrong) == (2, 1, "")
    large = found(library, replace(library.generation.chunking, target_characters=8_000), beside.pieces)
    assert (large.preview.whole, large.preview.split, large.preview.lost) == (2, 0, 0)
    assert large.preview.chunks < large.now.chunks
    assert large.preview.largest == max(large.preview.sizes)
    assert (large.now.whole, large.now.split, large.now.lost) == (1, 1, 0)
    assert [(one.piece.case_id, one.before, one.after) for one in large.moved] == [("q1", "split", "whole")]
    assert (large.moved[0].path, large.moved[0].line_start) == ("guide.md", 3)


async def test_a_cancelled_comparison_stops(library: Library) -> None:
    cancel = CancelToken()
    cancel.cancel()
    documents = every_document(library.generation, library.places.library, (PUBLIC,))
    with pytest.raises(Cancelled):
        list(what_if(documents, 2, Chunking(), {}, cancel=cancel))


async def test_a_file_that_is_no_set_is_told_and_stops_nothing(library: Library) -> None:
    (library.root / "evaluation.toml").write_text("version = [", encoding="utf-8")
    beside = evidence_beside(library.root, library.generation, library.places.library)
    assert not beside.pieces
    assert "evaluation.toml" in beside.wrong
    (library.root / "evaluation.toml").unlink()
    assert evidence_beside(library.root, library.generation, library.places.library).wrong == ""


def test_bars_count_every_chunk_once() -> None:
    side = Side(sizes=(1, 40, 399, 400, 1_600))
    assert sum(side.bars(1_600)) == 5
    assert len(side.bars(1_600)) == BARS
    assert side.bars(1_600)[0] == 2
    assert side.bars(1_600)[-1] == 1
    assert (side.smallest, side.median, side.largest) == (1, 399, 1_600)
    assert Side().bars(0) == (0,) * BARS


def test_parameters_of_another_mode_make_no_other_cut() -> None:
    structure = Chunking(mode="structure")
    assert same_cut(structure, replace(structure, child_characters=700))
    assert not same_cut(structure, replace(structure, overlap_characters=0))
