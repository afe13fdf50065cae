"""Contradiction: opposite words in one clause about the query, and nothing else."""

from __future__ import annotations

import pytest

from engine.rank.negation import contradicts, is_yes_or_no, stances


def against(query: str, text: str, *terms: str) -> bool:
    spans = [(term, query.index(term), query.index(term) + len(term)) for term in terms]
    return contradicts(text, stances(query), spans)


def test_no_limit_contradicts_a_limit():
    assert against("失败的任务会无限重试", "同一任务最多自动重试三次。", "任务", "重试")
    assert against("任务重试的上限是多少", "临时任务可以重试，任务重试不设上限", "任务", "重试")
    assert against(
        "tasks retry forever after a failure", "A task will retry at most 3 times", "task", "retry"
    )


@pytest.mark.parametrize(
    "query", ["任务会无限重试吗？", "任务是否无限重试", "任务会不会无限重试", "Do tasks retry forever?"]
)
def test_a_question_for_yes_or_no_contradicts_nothing(query: str):
    assert is_yes_or_no(query)
    terms = ("任务", "重试") if "任务" in query else ("task", "retry")
    assert not against(query, "同一任务最多自动重试三次。 A task will retry at most 3 times", *terms)


@pytest.mark.parametrize(
    "query", ["能不能重放", "可不可以重放", "有没有上限", "is it retried", "Can't I replay?", "whether it is"]
)
def test_forms_of_yes_or_no(query: str):
    assert is_yes_or_no(query)


@pytest.mark.parametrize(
    "query", ["任务最多重试几次", "怎么办", "What is the limit?", "能力上限", "the candidate is"]
)
def test_forms_that_are_not(query: str):
    assert not is_yes_or_no(query)


def test_only_a_clause_that_is_about_the_query_counts():
    query, terms = "失败的任务会无限重试", ("任务", "重试")
    assert not against(query, "任务会自动重试，每批最多处理三条", *terms)
    assert not against(query, "最多重试三次", *terms)


def test_terms_that_overlap_in_the_query_are_one():
    assert not against("无限重试队列", "最多自动重试三次", "重试")
    assert not against("会无限重试次", "最多重试次数", "重试", "试次")


def test_a_passage_that_also_agrees_is_not_against():
    text = "普通任务最多重试三次；临时任务无限重试。"
    assert not against("失败的任务会无限重试", text, "任务", "重试")


def test_a_denial_is_not_its_own_opposite():
    assert not against("不支持重放任务", "该队列不支持重放任务", "重放", "任务")
    assert against("支持重放任务", "该队列不支持重放任务", "重放", "任务")
    assert against("不支持重放任务", "该队列支持重放任务", "重放", "任务")


def test_a_denial_that_is_part_of_a_word():
    assert stances("which queue doesn't support replay") == ((1, -1),)
    assert stances("what must not be replayed") == ((4, -1),)
    assert stances("不得不重放的任务") == ((2, -1),)


def test_plain_negation_is_no_conflict():
    assert not against("任务重试耗尽后怎么办", "任务不再自动重试", "任务", "重试")


def test_a_query_that_takes_no_side():
    assert stances("任务自动重试耗尽后怎么办？") == ()
    assert stances("任务是否无限重试") == ()


def test_numbers_do_not_split_a_clause():
    assert against("消息大小没有上限", "消息大小最多 1,204 字节", "消息", "大小")
