"""What satisfies a claim: a chunk whose span holds a whole piece, in the right document, under the right heading."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.evaluate.judgements import JudgedCase, Shelved, judge_set, under
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence, Preference
from engine.model import Chunk
from tests.rank.build import chunk

TEXT = "Retries stop after three. Then the job waits.\n\nThe queue keeps it for a day."


def cut(*borders: int, **fields: object) -> tuple[Chunk, ...]:
    ends = [*borders[1:], len(TEXT)]
    return tuple(
        chunk(f"c{start}", start, TEXT[start:end], **fields) for start, end in zip(borders, ends, strict=True)
    )


def document(chunks: tuple[Chunk, ...], *labels: str) -> Shelved:
    return Shelved("doc.md", "doc.md", "r1", frozenset(labels), chunks)


def piece(text: str, **fields: object) -> Evidence:
    start = TEXT.index(text)
    return Evidence("doc.md", text, start, start + len(text), **fields)  # type: ignore[arg-type]


def judged(evidence: list[Evidence], *documents: Shelved, scopes: tuple[str, ...] = ()) -> JudgedCase:
    shelf = {each.path: each for each in documents}
    case = Case("q", "how long?", scopes=scopes, claims=(Claim("a", tuple(evidence)),))
    return judge_set(EvaluationSet(1, "set", (case,)), (), shelf.get)[0]


def test_only_the_chunk_that_holds_the_whole_piece_satisfies():
    found = judged([piece("waits.")], document(cut(0, 20, 60)))
    assert found.claims[0].relevant == {"c20"}
    assert found.grades == {"c20": 1}


def test_overlapping_chunks_each_satisfy():
    chunks = (chunk("a", 0, TEXT[:50]), chunk("b", 30, TEXT[30:]))
    assert judged([piece("waits")], document(chunks)).claims[0].relevant == {"a", "b"}


def test_a_piece_that_a_boundary_cuts_is_split_and_counts_as_a_miss_of_its_own():
    found = judged([piece("the job waits")], document(cut(0, 35)))
    assert found.claims[0].unreachable == "split"
    assert found.grades == {"q#a": 1}
    assert [place.split for place in found.claims[0].places] == [True]


def test_the_piece_of_another_document_does_not_count():
    other = Shelved("other.md", "other.md", "r1", frozenset(), cut(0, path="other.md"))
    assert judged([piece("waits")], other).claims[0].unreachable == "not_in_corpus"


def test_any_one_alternative_is_enough():
    found = judged([piece("Retries"), piece("a day")], document(cut(0, 30)))
    assert found.claims[0].relevant == {"c0", "c30"}
    assert found.claims[0].unreachable is None


def test_a_document_outside_the_scopes_is_nothing_to_be_found():
    hidden = document(cut(0), "ops")
    assert judged([piece("waits")], hidden).claims[0].unreachable == "out_of_scope"
    assert judged([piece("waits")], hidden, scopes=("ops",)).claims[0].relevant == {"c0"}
    assert judged([piece("waits")], hidden, scopes=("*",)).claims[0].relevant == {"c0"}


def test_a_heading_must_stand_above_where_one_is_given():
    chunks = (*cut(0, 46, heading_path=("Guide", "Retries")),)
    assert judged([piece("waits", heading="Retries")], document(chunks)).claims[0].relevant == {"c0"}
    assert judged([piece("waits", heading="Queues")], document(chunks)).claims[0].unreachable == "split"


@pytest.mark.parametrize("heading", ["Guide", "Retries", " Retries ", "Guide / Retries", "Guide › Retries"])
def test_a_heading_is_named_alone_or_with_its_path(heading: str):
    assert under(("Guide", "Retries"), heading)
    assert not under(("Guide",), "Retries")


def test_an_edited_chunk_holds_only_what_its_text_still_says():
    edited = replace(cut(0)[0], text="Jobs are dropped.", edited=True)
    assert judged([piece("waits")], document((edited,))).claims[0].unreachable == "split"


def test_a_parent_is_never_relevant_yet_its_children_would_bring_the_piece():
    parent = replace(cut(0)[0], chunk_id="p", role="parent")
    children = tuple(replace(each, role="child", parent="p") for each in cut(0, 35))
    claim = judged([piece("the job waits")], document((parent, *children))).claims[0]
    assert claim.relevant == frozenset()
    assert claim.places[0].homes == ("c0", "c35")


def test_where_documents_are_judged_a_document_stands_for_its_chunks():
    case = Case("q", "x", claims=(Claim("a", (Evidence("doc.md"),), grade=2),), irrelevant=(("other.md", 0),))
    (found,) = judge_set(EvaluationSet(1, "s", (case,)), (), {"doc.md": document(cut(0, 46))}.get)
    assert found.grades == {"other.md": 0, "doc.md": 2}
    assert found.claims[0].chunks == ("c0", "c46")


def test_a_preference_names_the_items_of_both_passages():
    case = Case(
        "q",
        "x",
        claims=(Claim("a", (piece("waits"),)),),
        preferences=(Preference(piece("a day"), piece("waits")),),
    )
    (found,) = judge_set(EvaluationSet(1, "s", (case,)), (), {"doc.md": document(cut(0, 46))}.get)
    assert found.preferences == ((frozenset({"c46"}), frozenset({"c0"})),)
