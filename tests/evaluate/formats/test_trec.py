from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from engine.errors import SetError
from engine.evaluate.formats import trec
from engine.evaluate.formats.trec import read_topics, read_trec
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence

BLOCKS = """<top>
<num> Number: 301
<title> International
 Organized &amp; Crime

<desc> Description:
What?
</top>
<TOP><num>302</num><title>Topic: Polio</title></TOP>
"""
ELEMENTS = """<topics><topic number="1"><query>virus origin</query><question>x?</question></topic>
<topic id="2">
 a <b>c</b></topic></topics>"""


def written(tmp_path: Path, text: str, name: str = "topics.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BLOCKS, {"301": "International Organized & Crime", "302": "Polio"}),
        (ELEMENTS, {"1": "virus origin", "2": "a c"}),
        ("1\twhat is it\n2\t为什么\t？\r\n", {"1": "what is it", "2": "为什么 ？"}),
    ],
)
def test_topics_are_read_in_each_of_their_forms(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    assert read_topics(written(tmp_path, text)) == expected


def test_entities_that_grow_are_left_as_they_are(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topic number="1"><title>&b;</title></topic>'
    assert read_topics(written(tmp_path, bomb)) == {"1": "&b;"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no tab\n", "line 1 of the topics has no tab"),
        ("1\ta\n1\tb\n", "two topics have the id 1"),
        ("1\t \n", "topic 1 has no query"),
        ("\n", "holds no topic"),
    ],
)
def test_malformed_topics_are_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SetError, match=said):
        read_topics(written(tmp_path, text))


def test_judged_topics_are_the_cases(tmp_path: Path) -> None:
    qrels = written(tmp_path, "301 0 FT-1 2\n301 0 FT-2 0\n999 0 FT-3 1\n", "qrels.txt")
    (case,) = read_trec(qrels, written(tmp_path, BLOCKS)).cases
    assert case.claims == (Claim("FT-1", (Evidence("FT-1"),), grade=2),)
    assert case.irrelevant == (("FT-2", 0),)


def test_topics_of_another_set_are_an_error_that_counts(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="0 of 1 judged queries"):
        read_trec(written(tmp_path, "1 0 a 1\n", "qrels"), written(tmp_path, "2\tq\n"))


def test_what_is_written_reads_back_here_and_in_ir_measures(tmp_path: Path) -> None:
    claims = (Claim("1", (Evidence("a b.md"),), grade=2), Claim("2", (Evidence("corpus.jsonl#x"),)))
    found = EvaluationSet(1, "s", (Case("c 1", "what\nis\tit", claims=claims, irrelevant=(("z.md", -1),)),))
    qrels = written(tmp_path, trec.qrels(found), "qrels")
    topics = written(tmp_path, trec.topics(found))
    (case,) = read_trec(qrels, topics).cases
    assert (case.id, case.query, case.irrelevant) == ("c_1", "what is it", (("z.md", -1),))
    rows = [(row.query_id, row.doc_id, row.relevance) for row in ir_measures.read_trec_qrels(str(qrels))]
    assert rows == [("c_1", "z.md", -1), ("c_1", "a_b.md", 2), ("c_1", "x", 1)]
