"""A case that is made or edited changes its own lines of the file and no other, or nothing at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import SetError
from engine.evaluate.case_file import append, block_of, evidence_of, rewrite, take_back
from engine.evaluate.formats import read_set
from engine.evaluate.sets import Claim, Evidence

HAND = """# What our readers ask.
version = 1
name = "own"   # ours

[[cases]]
id = "q1"        # the first
query = "how often?"
evidence = [{ file = "a.md", text = "every ten seconds" }]

# About leases.

[[cases]]
id = "q2"
query = "and then?"
answerable = false
# the end
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "evaluation.toml"
    file.write_text(HAND, encoding="utf-8")
    return file


PIECE = Evidence("b/中文.md", '一句“话” with "quotes"\nand a second line')


def test_a_case_is_written_at_the_end_and_nothing_else_changes(path: Path) -> None:
    made = append(path, "怎么办？", [PIECE], scopes=("ops",))
    text = path.read_text(encoding="utf-8")
    assert text.startswith(HAND)
    case = read_set(path).cases[-1]
    assert (case.id, case.query, case.scopes) == (made.case_id, "怎么办？", ("ops",))
    assert case.claims == (Claim("1", (PIECE,)),)
    again = append(path, "x", [PIECE])
    assert (made.case_id, again.case_id) == ("case-1", "case-2")
    take_back(again)
    take_back(made)
    assert path.read_text(encoding="utf-8") == HAND


@pytest.mark.parametrize("name", ["evaluation.toml", "own.jsonl"])
def test_the_first_case_begins_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    made = append(path, "why?", [PIECE], name="docs")
    found = read_set(path)
    assert (found.name, [case.id for case in found.cases]) == ("docs", ["case-1"])
    append(path, "and?", [PIECE])
    assert len(read_set(path).cases) == 2
    path.write_text(made.after, encoding="utf-8")
    take_back(made)
    assert not path.exists()


def test_what_cannot_take_a_case_is_left_alone(tmp_path: Path) -> None:
    inline = tmp_path / "inline.toml"
    inline.write_text('version = 1\ncases = [{ id = "a", query = "b", answerable = false }]\n')
    with pytest.raises(SetError):
        append(inline, "why?", [PIECE])
    assert inline.read_text().count("\n") == 2
    foreign = tmp_path / "qrels.txt"
    foreign.write_text("1 0 d 1\n")
    with pytest.raises(SetError, match="not in our format"):
        append(foreign, "why?", [PIECE])


def test_a_link_is_neither_read_nor_replaced(path: Path) -> None:
    link = path.with_name("link.toml")
    link.symlink_to(path)
    for work in (lambda: append(link, "why?", [PIECE]), lambda: block_of(link, "q1")):
        with pytest.raises(SetError, match="is a link"):
            work()
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8") == HAND


def test_an_edited_case_keeps_the_comments_around_it(path: Path) -> None:
    block = block_of(path, "q1")
    assert block.text.startswith('[[cases]]\nid = "q1"        # the first')
    assert (block.first, block.last) == (5, 8)
    written = rewrite(block, block.text.replace("how often?", "how often is it renewed?"))
    assert path.read_text(encoding="utf-8") == HAND.replace("how often?", "how often is it renewed?")
    take_back(written)
    assert path.read_text(encoding="utf-8") == HAND
    last = block_of(path, "q2")
    assert last.text.endswith("answerable = false")


def test_an_edit_that_makes_no_set_changes_nothing(path: Path) -> None:
    block = block_of(path, "q1")
    for wrong in ("id = 3", block.text.replace("query", "qeury"), f"{block.text}\n{block.text}", ""):
        with pytest.raises(SetError):
            rewrite(block, wrong)
    assert path.read_text(encoding="utf-8") == HAND
    path.write_text(HAND.replace("ten", "two"), encoding="utf-8")
    with pytest.raises(SetError, match="changed meanwhile"):
        rewrite(block, block.text)


def test_a_line_of_json_is_edited_alone(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(
        '{"id": "a", "query": "b", "answerable": false}\n{"id": "c", "query": "d", "answerable": false}\n'
    )
    block = block_of(path, "c")
    rewrite(block, block.text.replace('"d"', '"e"'))
    assert [case.query for case in read_set(path).cases] == ["b", "e"]


def test_words_that_stand_once_are_the_evidence_and_else_their_span() -> None:
    text = "one two one"
    assert evidence_of("a.md", text, 4, 7) == Evidence("a.md", "two")
    assert evidence_of("a.md", text, 8, 11) == Evidence("a.md", "", 8, 11)


@given(
    query=st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30).filter(str.strip),
    words=st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30).filter(str.strip),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_is_read_back(tmp_path: Path, query: str, words: str) -> None:
    for name in ("any.toml", "any.jsonl"):
        path = tmp_path / name
        path.unlink(missing_ok=True)
        append(path, query, [Evidence("a.md", words)])
        (case,) = read_set(path).cases
        assert case.query == query
        assert case.evidence == (Evidence("a.md", words),)
        assert block_of(path, case.id).text
