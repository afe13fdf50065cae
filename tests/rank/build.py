"""Small recalls written by hand: lists of chunk ids a channel, best first, with scores where they matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.model import CHANNELS, Channel, ChannelRecall, Chunk, IndexState, QueryTerm, Recall

STATE = IndexState("c" * 64, "a", "e", "v", "g", documents=9, chunks=100)

Listed = Sequence[str] | Sequence[tuple[str, float]]


def chunk(chunk_id: str, start: int = 0, text: str | None = None, **fields: Any) -> Chunk:
    """A chunk of ``doc.md`` whose text is its id unless given; lines, ordinal and end follow from the
    text."""
    text = chunk_id if text is None else text
    path = fields.pop("path", "doc.md")
    line = fields.pop("line_start", 1)
    values: dict[str, Any] = {
        "document_id": path, "title": "", "revision": "r1", "ordinal": 1, "role": "standalone",
        "heading_path": (), "end": start + len(text), "line_end": line + text[:-1].count("\n"),
    }  # fmt: skip
    return Chunk(chunk_id=chunk_id, path=path, start=start, text=text, line_start=line, **(values | fields))


def own_documents(ids: str | Sequence[str]) -> tuple[Chunk, ...]:
    """One chunk a document, each with its own text."""
    return tuple(chunk(name, path=f"{name}.md", text=f"text of {name}") for name in ids)


def recall(
    lists: Mapping[Channel, Listed],
    chunks: Sequence[Chunk] | None = None,
    *,
    depth: int = 200,
    query: str = "query",
    terms: Sequence[QueryTerm] = (),
    parents: Sequence[Chunk] = (),
    around: Sequence[Chunk] = (),
    **fields: Any,
) -> Recall:
    """A recall of these lists. An id listed twice keeps its first rank; ranks count distinct ids."""
    scored = {
        name: dict(
            (item, 1.0 - place / 1000) if isinstance(item, str) else item
            for place, item in enumerate(reversed(list(dict.fromkeys(listed))))
        )
        for name, listed in lists.items()
    }
    scored = {name: dict(reversed(items.items())) for name, items in scored.items()}
    if chunks is None:
        chunks = own_documents(sorted({name for items in scored.values() for name in items}))
    chunks = sorted(chunks, key=lambda c: (c.path, c.ordinal, c.chunk_id))
    ranks = np.zeros((len(chunks), 4), dtype=np.int32)
    scores = np.full((len(chunks), 4), np.nan)
    channels = []
    for column, name in enumerate(CHANNELS):
        items = scored.get(name, {})
        for rank, (chunk_id, score) in enumerate(items.items(), 1):
            row = next(row for row, c in enumerate(chunks) if c.chunk_id == chunk_id)
            ranks[row, column], scores[row, column] = rank, score
        asked = name in lists
        channels.append(ChannelRecall(name, asked, asked, matched=len(items), listed=len(items), of=100))
    return Recall(
        query=query, scopes=(), depth=depth, state=STATE, channels=tuple(channels), chunks=tuple(chunks),
        ranks=ranks, scores=scores, terms=tuple(terms), parents={p.chunk_id: p for p in parents},
        around={(c.document_id, c.ordinal): c for c in around}, **fields,
    )  # fmt: skip


def without(recalled: Recall, name: Channel) -> Recall:
    """The same recall with a channel that was asked and did not serve."""
    return replace(
        recalled,
        channels=tuple(replace(c, used=c.used and c.channel != name) for c in recalled.channels),
    )


def term(text: str, query: str, *, df: int = 1, channel: Channel = "fulltext", idf: float = 2.0) -> QueryTerm:
    """A term where it stands in the query."""
    start = query.casefold().index(text)
    return QueryTerm(channel, text, start, start + len(text), df, idf)


def ids(ranking: Any) -> list[str]:
    """The chunk ids of a ranking, best first."""
    return [ranking.chunk(position).chunk_id for position in range(len(ranking))]
