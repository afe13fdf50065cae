"""Amending a document leaves what putting it anew leaves, and touches only what has changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.edits.anchor import Anchored
from engine.edits.pin import Pin, pin_at
from engine.ingest.parse import Document
from engine.pipeline import prepare as preparing
from engine.pipeline.prepare import prepare
from engine.settings import Chunking
from engine.store.amend import Stored, amend, stored_chunks
from engine.store.check import check
from engine.store.documents import PreparedDocument, put
from engine.store.generation import Generation

TEXT = "# 规则\n\n" + "\n\n".join(
    f"第 {n} 条：任务失败后先等 {n} 分钟，再由第 {n % 3} 号工人在队列 {n} 里重试一次。" for n in range(40)
)
MODES = (
    Chunking(mode="fixed", target_characters=400, overlap_characters=40),
    Chunking(mode="parent-child", parent_characters=1_600, child_characters=300),
)
DOCUMENT = Document("a.md", "r1", TEXT, "规则", "markdown", "", "p1", "utf-8", False)

SPANS = st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=8, unique=True).map(sorted)
MADE = st.sampled_from(
    [
        {"text": "改写过的规则。"},
        {"state": "disabled"},
        {"state": "deleted", "text": "旧稿"},
        {"boundary": True},
    ]
)


@st.composite
def pins(draw: st.DrawFn) -> list[Anchored]:
    edges = draw(SPANS)
    found = []
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        if TEXT[start:end].strip():
            pin: Pin = pin_at("d", "a.md", "r1", "p1", TEXT, start, end, **draw(MADE))
            found.append(Anchored(pin, (start, end)))
    return found


@pytest.fixture
def generation(tmp_path: Path) -> Iterator[Generation]:
    made = Generation.create(tmp_path / "g", chunking=MODES[0], meta={})
    yield made
    made.close()


def prepared(
    pins: list[Anchored], mode: Chunking = MODES[0], stored: Stored | None = None
) -> PreparedDocument:
    return prepare(
        DOCUMENT, "a.md", mode, (), identity="d", pins=pins, stored=stored, cancel=CancelToken()
    )  # fmt: skip


def rows(generation: Generation) -> list[object]:
    """All that is stored of documents, row numbers apart."""
    with generation.reading() as connection:
        return [
            connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()
            for table, columns in (
                ("label_set", "labels, documents, chunks, waiting, ready, refused, corpus_sum, vector_sum"),
                ("document", "document_id, path, chunks, conflicts, corpus_term, seal"),
                (
                    "chunk",
                    'chunk_id, role, ordinal, parent, start, "end", heading_path, text, text_hash, embed_hash, vector,'
                    " edited, enabled, pin, seal",
                ),
            )
        ]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=pins(), second=pins(), mode=st.sampled_from(MODES))
def test_amending_leaves_what_putting_anew_leaves(
    tmp_path_factory: pytest.TempPathFactory, first: list[Anchored], second: list[Anchored], mode: Chunking
) -> None:
    left = []
    for amended in (True, False):
        generation = Generation.create(tmp_path_factory.mktemp("g") / "g", chunking=mode, meta={})
        try:
            with generation.writing() as connection:
                put(connection, [prepared(first, mode)])
            with generation.writing() as connection:
                if amended:
                    held = stored_chunks(connection, "d")
                    amend(connection, prepared(second, mode, held), held)
                else:
                    put(connection, [prepared(second, mode)])
            check(generation, cancel=CancelToken())
            left.append(rows(generation))
        finally:
            generation.close()
    assert left[0] == left[1]


def test_an_edit_of_one_chunk_analyses_and_stores_one(
    generation: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = Chunking(mode="fixed", target_characters=400, overlap_characters=0)
    whole = prepared([], apart)
    span = whole.chunks[2].span
    edit = pin_at("d", "a.md", "r1", "p1", TEXT, span.start, span.end, text="改写过的规则。")
    analysed: list[str] = []
    original = preparing.analyse_chunk

    def counted(title: str, path: tuple[str, ...], text: str) -> object:
        analysed.append(text)
        return original(title, path, text)

    monkeypatch.setattr(preparing, "analyse_chunk", counted)
    with generation.writing() as connection:
        put(connection, [whole])
        before = stored_chunks(connection, "d")
        amend(connection, prepared([Anchored(edit, (span.start, span.end))], apart, before), before)
        after = stored_chunks(connection, "d")
    assert len(before) > 4
    assert analysed == ["改写过的规则。"]
    assert [name for name in before if before[name] != after[name]] == [whole.chunks[2].chunk_id]
    check(generation, cancel=CancelToken())
