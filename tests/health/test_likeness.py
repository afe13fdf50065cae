"""Copies are found whatever their number, and only copies."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.cancel import CancelToken
from engine.health.likeness import Copies, exact_copies, near_copies
from engine.health.model import Case
from engine.model import Chunk
from engine.rank.duplicates import NEAR, resemblance


def passage(number: int, text: str, document: str = "") -> Chunk:
    name = document or f"{number}.md"
    return Chunk(f"c{number}", name, name, "", "r", 1, "standalone", (), 0, len(text), 1, 1, text)


def found(*chunks: Chunk) -> list[Case]:
    known = dict(enumerate(chunks))
    seen = Copies()
    for number, chunk in known.items():
        seen.add(number, chunk)

    def read(numbers: Sequence[int]) -> dict[int, Chunk]:
        return {number: known[number] for number in numbers}

    near = near_copies(seen, seen.alike(), read, cancel=CancelToken())
    return [*exact_copies(seen, read, cancel=CancelToken()), *filter(None, near)]


def words(seed: int, count: int = 80) -> list[str]:
    chances = random.Random(seed)
    return ["".join(chances.choices("abcdefghij", k=6)) for _ in range(count)]


def test_the_same_text_but_for_spaces_and_forms_is_a_copy_of_the_first() -> None:
    cases = found(passage(1, "任务 重试３次"), passage(2, "任务  重试3次\n"), passage(3, "别的"))
    assert [(case.chunk_id, case.cause, case.sentence) for case in cases] == [
        ("c2", "duplicate", "the same text as 1.md chunk 1")
    ]


def test_a_text_that_differs_in_a_word_is_a_near_copy_and_another_text_is_none() -> None:
    text = words(1)
    changed = [*text[:40], "另一个", *text[41:]]
    cases = found(passage(1, " ".join(text)), passage(2, " ".join(changed)), passage(3, " ".join(words(2))))
    assert [(case.chunk_id, case.cause) for case in cases] == [("c2", "near_duplicate")]
    assert cases[0].sentence.endswith("also in 1.md chunk 1")


def test_neighbours_of_one_document_overlap_as_was_asked_and_are_no_copies() -> None:
    text = words(1)
    assert not found(passage(1, " ".join(text), "d"), passage(2, " ".join([*text[1:], "x"]), "d"))


def test_near_copies_are_those_that_every_pair_measured_would_give() -> None:
    chances = random.Random(7)
    texts = []
    for seed in range(12):
        base = words(seed)
        for changes in (0, 1, 2, 4, 8):
            changed = [*base]
            for place in chances.sample(range(len(base)), changes):
                changed[place] = f"changed{chances.random()}"
            texts.append(" ".join(changed))
    chunks = [passage(number, text) for number, text in enumerate(texts)]
    expected = {
        chunk.chunk_id
        for place, chunk in enumerate(chunks)
        if any(resemblance(*sorted((chunk.text, other.text))) > NEAR for other in chunks[:place])
    }
    assert {case.chunk_id for case in found(*chunks)} == expected
