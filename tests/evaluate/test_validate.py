"""A set is held against the library's texts before anything runs: one list says all that does not fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SetError
from engine.evaluate.formats.ours import read_toml
from engine.evaluate.names import Names, corpus_path, identity_of
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence, Preference
from engine.evaluate.validate import Checked, validate

TEXTS = {
    "guides/retry.md": "# Retry\r\n最多自动重试三次。\r\n三次之后进入隔离队列。\r\n",
    "faq.md": "aaa bbb",
    "data/corpus.jsonl#p1": "a paragraph",
    "one/notes.md": "x",
    "two/notes.md": "y",
}


def checked(*pieces: Evidence, query: str = "why?", **fields: object) -> Checked:
    case = Case("c1", query, claims=tuple(Claim(str(n), (piece,)) for n, piece in enumerate(pieces, 1)))
    return validate(EvaluationSet(1, "set", (case,), **fields), TEXTS)  # type: ignore[arg-type]


def problem(*pieces: Evidence, **fields: object) -> tuple[str, str]:
    (found,) = checked(*pieces, **fields).problems  # type: ignore[arg-type]
    return found.kind, str(found)


def located(piece: Evidence) -> Evidence:
    (found,) = checked(piece).usable().cases[0].evidence
    assert found.located
    return found


# --- what fits


def test_a_text_that_occurs_once_is_found() -> None:
    assert located(Evidence("faq.md", "bbb")) == Evidence("faq.md", "bbb", 4, 7)


def test_a_span_is_taken_as_it_is_and_a_text_beside_it_must_stand_there() -> None:
    assert located(Evidence("faq.md", start=0, end=7)) == Evidence("faq.md", "", 0, 7)
    assert located(Evidence("faq.md", "aa", 1, 3)) == Evidence("faq.md", "aa", 1, 3)


def test_a_heading_may_be_anywhere_in_the_document() -> None:
    assert located(Evidence("guides/retry.md", "隔离队列", heading="Retry")).heading == "Retry"


def test_a_whole_document_is_found_by_its_path_its_id_its_file_name_or_its_stem() -> None:
    for name in ("data/corpus.jsonl#p1", "corpus.jsonl#p1", "p1"):
        assert located(Evidence(name)) == Evidence("data/corpus.jsonl#p1")
    for name in ("faq.md", "faq", "guides/retry.md", "retry.md", "retry"):
        assert located(Evidence(name)).file in ("faq.md", "guides/retry.md")


def test_pairs_and_irrelevant_documents_are_located_too() -> None:
    pair = Preference(Evidence("faq.md", "bbb"), Evidence("faq.md", "aaa"))
    case = Case("c", "q", answerable=False, preferences=(pair,), irrelevant=(("p1", 0), ("gone", -1)))
    found = validate(EvaluationSet(1, "s", (case,)), TEXTS).usable().cases[0]
    assert found.preferences == (
        Preference(Evidence("faq.md", "bbb", 4, 7), Evidence("faq.md", "aaa", 0, 3)),
    )
    assert found.irrelevant == (("data/corpus.jsonl#p1", 0), ("gone", -1))


@given(st.text(max_size=40), st.data())
def test_what_passes_holds_its_own_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    case = Case("c", "q", claims=(Claim("1", (Evidence("d", text[start:end] or "?"),)),))
    result = validate(EvaluationSet(1, "s", (case,)), {"d": text})
    for piece in (piece for case in result.evaluation.cases for piece in case.evidence):
        assert text[piece.start : piece.end] == piece.text
        assert text.count(piece.text) == 1


# --- what does not


@pytest.mark.parametrize(
    ("piece", "kind", "said"),
    [
        (
            Evidence("guides/retri.md", "x"),
            "missing",
            "the library holds no guides/retri.md; did you mean guides/retry.md?",
        ),
        (Evidence("nowhere", "x"), "missing", "the library holds no nowhere"),
        (Evidence("retry.md", "x"), "missing", "did you mean guides/retry.md?"),
        (Evidence("faq.md", "ccc"), "missing", "faq.md does not hold ccc"),
        (Evidence("guides/retry.md", "三次。\n三次"), "missing", "only its spaces or line ends differ"),
        (Evidence("faq.md", "aa"), "ambiguous", "faq.md holds aa more than once; quote more of it"),
        (Evidence("notes.md"), "ambiguous", "notes.md stands for 2 documents, one/notes.md first"),
        (Evidence("faq.md", start=3, end=8), "out_of_range", "[3, 8) is beyond faq.md with 7 characters"),
        (Evidence("faq.md", start=10**30, end=10**30 + 1), "out_of_range", "is beyond faq.md"),
        (Evidence("faq.md", "bbb", 3, 6), "moved", "[3, 6) of faq.md does not hold bbb, which stands at 4"),
        (Evidence("faq.md", "zzz", 3, 6), "moved", "does not hold zzz, nor does the rest of it"),
        (Evidence("faq.md", "bbb", heading="Nope"), "heading", "faq.md has no heading Nope"),
        (Evidence("", "x", passage="not there"), "missing", "no document holds the passage 'not there'"),
        (Evidence("", "x", passage="a"), "ambiguous", "the library holds the passage a more than once"),
        (Evidence("faq.md", "b", 0, 1, passage="b"), "ambiguous", "holds the passage b more than once"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(piece: Evidence, kind: str, said: str) -> None:
    found, message = problem(piece)
    assert found == kind
    assert message.startswith("c1: claim 1, evidence 1: ")
    assert said in message


@pytest.mark.parametrize("query", ["", " \n", "\0", "x" * 4001])
def test_a_query_that_no_search_would_take_is_a_problem(query: str) -> None:
    assert problem(Evidence("faq.md", "bbb"), query=query)[0] == "query"


def test_a_set_for_another_corpus_is_told_and_one_for_this_is_not() -> None:
    case = (Case("c", "q", answerable=False),)
    pinned = EvaluationSet(1, "s", case, corpus_pin="ABC123")
    assert validate(pinned, TEXTS, "abc123ff").problems == ()
    (found,) = validate(pinned, TEXTS, "ffff").problems
    assert (found.kind, found.case_id) == ("pin", "")


def test_documents_that_must_be_absent_and_are_held_are_told() -> None:
    (found,) = checked(Evidence("faq.md", "bbb"), absent=("corpus.jsonl#p1", "corpus.jsonl#p2")).problems
    assert found.kind == "present"
    assert "holds 1 of 2 documents" in str(found)


def test_every_problem_is_in_one_list_and_stops_the_run() -> None:
    with pytest.raises(SetError, match=r"does not fit the library, 2 problems: .*--skip-invalid") as error:
        checked(Evidence("faq.md", "ccc"), Evidence("nowhere")).usable()
    assert error.value.details == (
        "c1: claim 1, evidence 1: faq.md does not hold ccc",
        "c1: claim 2, evidence 1: the library holds no nowhere",
    )


def test_a_long_list_is_cut_and_counted() -> None:
    with pytest.raises(SetError, match="100 problems") as error:
        checked(*[Evidence("faq.md", "ccc")] * 100).usable()
    assert len(error.value.details) == 21
    assert error.value.details[-1] == "and 80 more"


def test_what_is_skipped_is_named() -> None:
    cases = (
        Case("bad", "q", claims=(Claim("1", (Evidence("faq.md", "c"),)),)),
        Case("good", "q", answerable=False),
    )
    result = validate(EvaluationSet(1, "s", cases), TEXTS)
    assert [case.id for case in result.usable(skip_invalid=True).cases] == ["good"]
    assert result.invalid == ("bad",)


def test_a_run_without_any_case_is_refused() -> None:
    with pytest.raises(SetError, match="no case of set fits"):
        checked(Evidence("faq.md", "ccc")).usable(skip_invalid=True)


def test_hostile_text_in_a_message_is_escaped() -> None:
    _, message = problem(Evidence("faq.md", "\x1b[31m\u202e"))
    assert message.isprintable()


# --- names


def test_an_id_is_that_of_the_corpus_line_else_the_path() -> None:
    assert identity_of("a/corpus.jsonl#x#y") == "x#y"
    assert identity_of("notes#1.md") == "notes#1.md"
    assert identity_of(corpus_path("id 1")) == "id 1"


def test_a_path_is_found_from_its_end_when_it_names_folders() -> None:
    names = Names(["a/b/c.md", "x/b/c.md", "a/d.md"])
    assert names.of("b/c.md") == ("a/b/c.md", "x/b/c.md")
    assert names.of("a/b/c.md") == ("a/b/c.md",)
    assert names.of("q/c.md") == ()


# --- on the real thing


def test_the_evidence_of_the_samples_stands_in_the_samples() -> None:
    from tests.samples.test_samples import SAMPLES, library

    texts = {path: document.text for path, document in library().items()}
    result = validate(read_toml(SAMPLES / "evaluation.toml"), texts)
    assert result.problems == ()
