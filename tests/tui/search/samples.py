"""Small made-up data for the Search screen: results as the design's picture shows them, and hostile text."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from engine.model import (
    CHANNELS,
    ChannelHit,
    ChannelRecall,
    Chunk,
    Citation,
    Context,
    ContextGroup,
    IndexState,
    LeftOut,
    QueryTerm,
    Recall,
    Result,
)

PASSAGE = (
    "单次执行超过 10 分钟即判为超时，计入自动重试次数。三次耗尽后不再自动执行："
    "任务转入死信队列，保留原始参数，等待人工重放。\n"
    "The timeout is per attempt, not per job; a job that was replayed by hand starts again at attempt 1.\n"
    "超时的任务不会释放它的锁，直到租约到期（默认 90 秒）。"
)

HOSTILE = "[/] [@click=app.quit]x[/] a\x1b]52;c;QUJD\x07b\x1b[2Jc\x9bd\u202eRLO\x00\x08 👨‍👩‍👧 ｶﾞ"

hostile_text = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "任务自动重试（。，、」“”abc XYZ09/._-[]\x1b\x07\x9b\u202e\u200d\ufe0f👨\t\n\r…›│é\u0301"
        ),
        st.characters(exclude_categories=()),
    ),
    max_size=60,
)


def chunk(
    path: str = "retry.md",
    heading: str = "超时",
    first: int = 16,
    last: int = 24,
    text: str = PASSAGE,
    number: int = 1,
) -> Chunk:
    return Chunk(
        f"chunk{number:04}", f"doc-{path}", path, path, "r", number, "standalone",
        (heading,) if heading else (), 0, len(text), first, last, text,
    )  # fmt: skip


def result(
    rank: int,
    relevance: float,
    fused: float,
    ranks: tuple[int, ...],
    of: Chunk,
    *,
    fused_rank: int | None = None,
) -> Result:
    hits = {
        name: ChannelHit(at, 7.21, 1.0, 1 / (60 + at), True)
        for name, at in zip(CHANNELS, ranks, strict=True)
        if at
    }
    return Result(rank, of, relevance, fused, fused_rank or rank, hits)


SECOND = Result(
    2, chunk(), 0.646, 0.0507, 4,
    {
        "fulltext": ChannelHit(1, 7.21, 1.0, 0.0164, True),
        "cjk": ChannelHit(2, 11.40, 1.0, 0.0161, True),
        "vector": ChannelHit(17, 0.61, 1.4, 0.0182, True),
    },
)  # fmt: skip


def group(number: int, ranks: tuple[int, ...], of: Chunk, characters: int, shared: int = 0) -> ContextGroup:
    citations = tuple(Citation(f"chunk{rank:04}", rank, 0, 9, of.line_start, of.line_end) for rank in ranks)
    return ContextGroup(
        f"[{number}]", of.path, of.title, of.heading_path, "r", 0, len(of.text), of.line_start, of.line_end,
        citations, of.text, characters, shared,
    )  # fmt: skip


RETRY = chunk(
    "retry.md", "重试与隔离", 12, 24,
    "同一任务最多自动重试三次，间隔依次为 1、5、25 分钟。第三次仍失败时，任务进入死信队列，"
    "状态记为 exhausted，不再自动执行；值班人员可在控制台单独重放。",
)  # fmt: skip
ONCALL = chunk(
    "ops/oncall.md", "重放失败任务", 30, 41,
    "值班人员先确认下游已恢复，再选择“重放”；一次最多 50 个任务，按失败时间从早到晚执行，"
    "期间新的失败任务不会自动加入。",
)  # fmt: skip
FAQ = chunk(
    "faq.md", "任务失败怎么办", 3, 9,
    "Failed jobs keep their payload for 14 days; after that only the record remains. Ask the owner of "
    "the queue before replaying.",
)  # fmt: skip

CONTEXT = Context(
    "", 5_214, 6_000, False,
    (group(1, (1, 2), RETRY, 2_214, 160), group(2, (3,), ONCALL, 1_620), group(3, (4,), FAQ, 1_380)),
    (
        LeftOut("chunk0005", 5, "budget", 1_204, "786 left"),
        LeftOut("chunk0006", 6, "budget", 940, "786 left"),
    ),
)  # fmt: skip
LEFT_OUT = {
    "chunk0005": chunk("queue.md", "死信", 8, 15),
    "chunk0006": chunk("cache.md", "失效", 40, 52),
}

CHANNEL_RECALLS = (
    ChannelRecall("fulltext", True, True, 48, 48, 311, milliseconds=3),
    ChannelRecall("cjk", True, True, 60, 60, 311, milliseconds=2),
    ChannelRecall("vector", True, True, 299, 200, 299, waiting=12, milliseconds=8),
    ChannelRecall("graph", True, False),
)


def recall(ranks: list[list[int]], *, depth: int = 200, text: str = PASSAGE) -> Recall:
    """A recall of as many chunks as there are rows; each row gives the ranks by channel, 0 for not listed."""
    matrix = np.array(ranks, dtype=np.int32).reshape(-1, 4)
    count = len(matrix)
    chunks = tuple(
        chunk(f"d{number:03}.md", f"标题 {number}", text=text, number=number) for number in range(count)
    )
    listed = (matrix > 0).sum(axis=0)
    scores = np.where(matrix > 0, 1.0 / np.maximum(matrix, 1), np.nan)
    channels = tuple(
        ChannelRecall(
            name, True, bool(listed[column]), int(listed[column]), int(listed[column]), count,
            minimum=float(np.nanmin(scores[:, column])) if listed[column] else 0.0,
            maximum=float(np.nanmax(scores[:, column])) if listed[column] else 0.0,
        )
        for column, name in enumerate(CHANNELS)
    )  # fmt: skip
    state = IndexState("3f9a1c00", "a", "e", "v", "g", count, count)
    terms = (QueryTerm("cjk", "重试", 0, 2, 3, 2.0), QueryTerm("fulltext", "attempt", 3, 10, 1, 3.0))
    return Recall("任务重试", (), depth, state, channels, chunks, matrix, scores, terms=terms)
