"""An exported run says the same to the tools of others: equal metrics, our order, one field a field."""

from __future__ import annotations

import csv
import io
import random

import ir_measures
import pytest

from engine.evaluate.export import csv_table, field, trec_qrels, trec_run
from engine.evaluate.figures import figures
from engine.evaluate.outcome import Outcome
from tests.evaluate.test_figures import UNANSWERABLE, outcome

PEERS = {
    "hit@5": ir_measures.Success @ 5,
    "recall@5": ir_measures.R @ 5,
    "precision@5": ir_measures.P @ 5,
    "mrr@10": ir_measures.RR @ 10,
    "ndcg@10": ir_measures.nDCG @ 10,
    "map": ir_measures.AP,
}


def random_outcome(number: int) -> Outcome:
    draw = random.Random(number)
    items = [f"corpus.jsonl#d {each}%" for each in range(30)]
    ranked = tuple(draw.sample(items, draw.randint(0, 25)))
    grades = {item: draw.choice([-1, 0, 1, 2, 3]) for item in draw.sample(items, draw.randint(0, 8))}
    return outcome(f"q {number}", ranked=ranked, scores=(0.5,) * len(ranked), grades=grades)


def assert_equal_to_ir_measures(outcomes: list[Outcome]) -> None:
    run = list(ir_measures.read_trec_run(io.StringIO(trec_run(outcomes, "rankscope"))))
    qrels = list(ir_measures.read_trec_qrels(io.StringIO(trec_qrels(outcomes))))
    theirs: dict[str, list[float]] = {}
    scorable = {field(each.case_id) for each in outcomes if each.scorable}
    names = {str(measure): name for name, measure in PEERS.items()}
    for found in ir_measures.iter_calc(PEERS.values(), qrels, run):
        if found.query_id in scorable:
            theirs.setdefault(names[str(found.measure)], []).append(found.value)
    ours = figures(outcomes, tuple(PEERS)).means
    for name in PEERS:
        values = theirs[name]
        assert len(values) == len(scorable)
        assert ours[name] == pytest.approx(sum(values) / len(values), abs=1e-9), name


def test_ir_measures_says_the_same_of_the_exported_run():
    """EV-01, EV-05, EV-07: whatever is judged, ranked or missing."""
    assert_equal_to_ir_measures([random_outcome(number) for number in range(60)])


def test_scores_fall_strictly_though_the_true_ones_tie():
    lines = trec_run([outcome(scores=(0.5, 0.5, 0.5))], "tag").splitlines()
    assert [line.split() for line in lines] == [
        ["q", "Q0", "a", "1", "3", "tag"],
        ["q", "Q0", "c", "2", "2", "tag"],
        ["q", "Q0", "b", "3", "1", "tag"],
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("corpus.jsonl#xq-1", "corpus.jsonl#xq-1"),
        ("a b\tc\n%", "a%20b%09c%0A%25"),
        ("", "%"),
        ("中文.md", "中文.md"),
    ],
)
def test_a_name_is_one_field_whatever_it_holds(name: str, written: str):
    assert field(name) == written
    assert len(written.split()) == 1


def test_documents_of_one_corpus_go_by_their_own_ids_and_those_of_two_do_not():
    one = outcome(ranked=("corpus.jsonl#a",), grades={"corpus.jsonl#b": 1})
    assert trec_run([one], "t").split()[2] == "a"
    assert trec_qrels([one]).split()[2] == "b"
    two = outcome(ranked=("x/corpus.jsonl#a", "y/corpus.jsonl#a"), grades={})
    assert [line.split()[2] for line in trec_run([two], "t").splitlines()] == list(two.ranked)


def test_the_table_has_a_row_for_each_case_and_nothing_where_nothing_is_defined():
    table = list(csv.DictReader(io.StringIO(csv_table([outcome(), UNANSWERABLE], ("recall@1",)))))
    assert [row["case_id"] for row in table] == ["q", "none"]
    assert (table[0]["rank"], table[0]["layer"], table[0]["recall@1"]) == ("1", "budget", "0.5")
    assert (table[1]["rank"], table[1]["in_context"], table[1]["recall@1"]) == ("", "", "")


def test_a_query_that_would_be_a_formula_is_text():
    table = list(csv.DictReader(io.StringIO(csv_table([outcome(query='=HYPERLINK("x"),\n')], ()))))
    assert table[0]["query"] == '\'=HYPERLINK("x"),\n'
