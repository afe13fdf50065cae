"""Recall: the slow, cancellable half of a query. One question, one state of the index, every channel beside
the others.

What it returns is a ``Recall``: frozen, complete for the pure stages after it, and holding no transaction.
"""

from __future__ import annotations

import concurrent.futures
import sqlite3
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError, EmbedderError, LibraryError, QueryError
from engine.identity import MODULUS
from engine.model import (
    CHANNELS,
    DEPTH,
    OWNER,
    PUBLIC,
    QUERY_LIMIT,
    Channel,
    ChannelRecall,
    Chunk,
    Degradation,
    IndexState,
    QueryTerm,
    Recall,
    Source,
)
from engine.recall import cjk, fulltext, vector
from engine.recall.asked import holds
from engine.settings import Retrieval
from engine.store import chunks as chunk_store
from engine.store.connect import translated
from engine.store.documents import sources_of
from engine.store.generation import Generation, commit_number
from engine.store.labels import LabelSet, label_sets, visible

LOOKED_AT = 20
"""How deep into each channel's list the files of what was found are looked at."""

GRAPH_OFF = Degradation(
    "graph", "graph_off", "no graph was built, so it adds nothing", "nothing to do: the other channels serve"
)


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The query's vector ``(dim,) float32`` under the embedder in force, or why there is none."""

    fingerprint: str
    vector: NDArray[np.float32] | None = None
    degraded: Degradation | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A checked question with all that its recall depends on; ``scopes`` are the principal's, in order."""

    text: str
    retrieval: Retrieval
    scopes: tuple[str, ...]
    depth: int = DEPTH


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that one recall depends on, beside the index."""

    text: str
    retrieval: Retrieval
    scopes: tuple[str, ...]
    depth: int
    vector: QueryVector


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one channel found, before chunks are read: row numbers best first, and their raw scores."""

    channel: ChannelRecall
    cids: NDArray[np.int64]
    scores: NDArray[np.float64]
    terms: tuple[QueryTerm, ...] = ()
    degraded: tuple[Degradation, ...] = ()


def checked(query: str) -> str:
    """The query as it will be searched: lone surrogates replaced, blanks at the ends removed.

    Raises ``QueryError`` where nothing is left, or where it is longer than ``QUERY_LIMIT``.
    """
    text = query.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
    if not text.strip("\0 \t\r\n"):
        raise QueryError("the question is empty", "type at least one word")
    if len(text) > QUERY_LIMIT:
        raise QueryError(
            f"the question has {len(text):,} characters, and {QUERY_LIMIT:,} is the most", "shorten it"
        )
    return text


def principal(scopes: Sequence[str]) -> tuple[str, ...]:
    """The principal's scopes in one canonical order, so that a trace does not depend on how they were
    typed."""
    if OWNER in scopes:
        return (OWNER,)
    return (PUBLIC, *sorted({scope for scope in scopes if scope != PUBLIC}))


def recall(generation: Generation, question: Question, *, executor: Executor, cancel: CancelToken) -> Recall:
    """Ask every channel that has a weight, in one state of the index, and copy what ranking will need.

    Raises ``Cancelled``, or ``LibraryError`` where no channel that was asked could be read; one that fails
    beside others that serve is a degradation.
    """
    began = time.perf_counter()
    asked = [channel for channel in CHANNELS if question.retrieval.weight(channel) > 0]
    searched: list[Channel] = [channel for channel in asked if channel != "graph"]
    _refuse_vector_alone(searched, question.vector)
    with generation.snapshot(max(1, len(searched))) as connections:
        sets = visible(label_sets(connections[0]), question.scopes)
        jobs = {
            channel: executor.submit(_ask, channel, generation, connection, question, sets, cancel)
            for channel, connection in zip(searched, connections, strict=False)
        }
        concurrent.futures.wait(
            jobs.values()
        )  # a connection returns to the pool only when its channel has ended
        cancel.check()
        found: dict[Channel, Found | LibraryError] = {channel: job.result() for channel, job in jobs.items()}
        assembled = _assemble(connections[0], generation, question, sets, _served(found))
    return replace(assembled, milliseconds=(time.perf_counter() - began) * 1000)


def _refuse_vector_alone(searched: Sequence[Channel], vector: QueryVector) -> None:
    """Without its vector a question to the vectors alone has no answer, which is not the same as an empty one."""
    told = vector.degraded
    if told is not None and list(searched) == ["vector"] and told.code != "embedder_loading":
        raise EmbedderError(told.message, told.remedy)


# --- the channels -------------------------------------------------------------------------------------------


def _ask(
    name: Channel,
    generation: Generation,
    connection: sqlite3.Connection,
    question: Question,
    sets: Sequence[LabelSet],
    cancel: CancelToken,
) -> Found | LibraryError:
    """Ask one channel. Damage that it meets comes back as a value, for the other channels may serve."""
    began = time.perf_counter()
    ask = _vector if name == "vector" else _text
    try:
        with translated(generation.path):
            found = ask(name, generation, connection, question, sets, cancel)
    except CorruptIndexError as error:
        return error
    took = (time.perf_counter() - began) * 1000
    return replace(found, channel=replace(found.channel, milliseconds=took))


def _served(found: Mapping[Channel, Found | LibraryError]) -> dict[Channel, Found]:
    """What the channels found; a damaged one is a degradation beside one that served, else the query fails by it."""
    errors = [value for value in found.values() if isinstance(value, LibraryError)]
    if errors and not any(isinstance(value, Found) and value.channel.used for value in found.values()):
        raise errors[0]
    return {
        name: _damaged(name, value) if isinstance(value, LibraryError) else value
        for name, value in found.items()
    }


def _damaged(name: Channel, error: LibraryError) -> Found:
    told = Degradation(name, f"{name}_failed", error.problem, error.remedy)
    return _nothing(ChannelRecall(name, requested=True, used=False), told)


def _nothing(channel: ChannelRecall, *degraded: Degradation) -> Found:
    return Found(channel, np.empty(0, np.int64), np.empty(0, np.float64), degraded=degraded)


def _text(
    name: Channel,
    generation: Generation,
    connection: sqlite3.Connection,
    question: Question,
    sets: Sequence[LabelSet],
    cancel: CancelToken,
) -> Found:
    """Ask ``fulltext`` or ``cjk``."""
    module = fulltext if name == "fulltext" else cjk
    hits = module.search(
        generation.postings.reader(connection),
        question.text,
        [each.id for each in sets],
        depth=question.depth,
        tie_order=lambda cids: chunk_store.tie_order(connection, cids),
        cancel=cancel,
    )
    if not hits.terms:
        return _nothing(ChannelRecall(name, requested=True, used=False, of=hits.of), _NO_TERMS[name])
    return Found(
        _listed(name, hits.scores, matched=hits.matched, of=hits.of), hits.cids, hits.scores, hits.terms
    )


def _vector(
    name: Channel,
    generation: Generation,
    connection: sqlite3.Connection,
    question: Question,
    sets: Sequence[LabelSet],
    cancel: CancelToken,
) -> Found:
    """Ask the vectors. What has none yet is counted, and told."""
    waiting = sum(each.waiting for each in sets)
    refused = sum(each.refused for each in sets)
    nothing = ChannelRecall(name, requested=True, used=False, waiting=waiting, left_out=refused)
    if question.vector.degraded is not None:
        return _nothing(nothing, question.vector.degraded)
    assert question.vector.vector is not None
    hits = vector.scan(
        connection,
        generation.folder,
        question.vector.fingerprint,
        question.vector.vector,
        [each.id for each in sets],
        depth=question.depth,
        tie_order=lambda cids: chunk_store.tie_order(connection, cids),
        cancel=cancel,
    )
    channel = _listed(name, hits.scores, matched=hits.matched, of=hits.of)
    # what is counted as ready and was not come upon is lost, whatever lost it: an index of SQLite's, for instance
    lost = max(hits.left_out, sum(each.ready for each in sets) - hits.of)
    channel = replace(
        channel,
        used=hits.of > 0,  # a channel without a single vector did not serve, and has no part in the maximum
        scanned=hits.scanned,
        waiting=waiting,
        left_out=lost + refused,
    )
    return Found(
        channel,
        hits.cids,
        hits.scores,
        degraded=_vector_gaps(channel, sum(each.chunks for each in sets), hits.damage),
    )


def _listed(name: Channel, scores: NDArray[np.float64], *, matched: int, of: int) -> ChannelRecall:
    low, high = (float(scores[-1]), float(scores[0])) if len(scores) else (0.0, 0.0)
    return ChannelRecall(
        name, requested=True, used=True, matched=matched, listed=len(scores), of=of, minimum=low, maximum=high
    )


def _vector_gaps(channel: ChannelRecall, chunks: int, damage: str) -> tuple[Degradation, ...]:
    told: list[Degradation] = []
    if channel.waiting:
        told.append(
            Degradation(
                "vector",
                "vector_waiting",
                f"{channel.waiting:,} of {chunks:,} chunks have no vector yet; the text channels do find them",
                "wait until the embedding has ended, or run `rankscope index`",
            )
        )
    if channel.left_out:
        told.append(
            Degradation(
                "vector",
                "vector_failed",
                f"{channel.left_out:,} of {chunks:,} chunks have no usable vector and took no part"
                + (f" ({damage})" if damage else ""),
                "rebuild with `rankscope index --rebuild`",
            )
        )
    return tuple(told)


_NO_TERMS = {
    "fulltext": Degradation(
        "fulltext",
        "fulltext_no_terms",
        "the question holds no word, number or identifier to look for",
        "nothing to do: the other channels serve",
    ),
    "cjk": Degradation(
        "cjk",
        "cjk_no_terms",
        "the question holds no Chinese, Japanese or Korean to look for",
        "nothing to do: the other channels serve",
    ),
}


# --- joining them -------------------------------------------------------------------------------------------


def _assemble(
    connection: sqlite3.Connection,
    generation: Generation,
    question: Question,
    sets: Sequence[LabelSet],
    found: Mapping[Channel, Found],
) -> Recall:
    """The channels' lists as one matrix over the candidates, with every text that ranking and packing may
    need."""
    cids = np.unique(np.concatenate([np.empty(0, np.int64), *(each.cids for each in found.values())]))
    texts = generation.chunks.read(connection, commit_number(connection), cids.tolist())
    in_order = sorted(texts.items(), key=lambda item: (item[1].path, item[1].ordinal, item[1].chunk_id))
    rows = {cid: row for row, (cid, _) in enumerate(in_order)}
    chunks = tuple(chunk for _, chunk in in_order)
    ranks = np.zeros((len(chunks), len(CHANNELS)), dtype=np.int32)
    scores = np.full((len(chunks), len(CHANNELS)), np.nan)
    for column, name in enumerate(CHANNELS):
        if name in found:
            listed = [rows[cid] for cid in found[name].cids.tolist()]
            ranks[listed, column] = np.arange(1, len(listed) + 1)
            scores[listed, column] = found[name].scores
    reach = question.retrieval.adjacent_chunk_count
    in_rows = np.array([cid for cid, _ in in_order], dtype=np.int64)
    terms = tuple(dict.fromkeys(term for each in found.values() for term in each.terms))
    measured = question.retrieval.weighs_candidates
    return Recall(
        query=question.text,
        scopes=question.scopes,
        depth=question.depth,
        state=index_state(generation, sets),
        channels=tuple(_told(name, found, question.retrieval) for name in CHANNELS),
        chunks=chunks,
        ranks=ranks,
        scores=scores,
        terms=terms,
        parents=chunk_store.parents(connection, chunks),
        neighbours=reach,
        around=chunk_store.around(connection, chunks, reach) if reach else {},
        holds=(
            holds(
                generation.postings.reader(connection),
                terms,
                [each.id for each in sets],
                in_rows,
                cancel=CancelToken(),
            )
            if measured
            else None
        ),
        similarities=_similarities(connection, generation, question, found, in_rows) if measured else None,
        sources=_sources(connection, chunks, ranks),
        degraded=_degraded(found, question.retrieval),
    )


def _sources(
    connection: sqlite3.Connection, chunks: Sequence[Chunk], ranks: NDArray[np.int32]
) -> dict[str, Source]:
    """The files of the first candidates of each channel, by document id."""
    first = np.flatnonzero(((ranks > 0) & (ranks <= LOOKED_AT)).any(axis=1)).tolist()
    return sources_of(connection, sorted({chunks[row].document_id for row in first}))


def _similarities(
    connection: sqlite3.Connection,
    generation: Generation,
    question: Question,
    found: Mapping[Channel, Found],
    cids: NDArray[np.int64],
) -> NDArray[np.float64] | None:
    """``(n,) float64`` cosines; None where the vector channel did not serve."""
    if "vector" not in found or not found["vector"].channel.used or question.vector.vector is None:
        return None
    return vector.similarities(
        connection, generation.folder, question.vector.fingerprint, question.vector.vector, cids.tolist()
    )


def _told(name: Channel, found: Mapping[Channel, Found], retrieval: Retrieval) -> ChannelRecall:
    if name in found:
        return found[name].channel
    return ChannelRecall(name, requested=retrieval.weight(name) > 0, used=False)


def _degraded(found: Mapping[Channel, Found], retrieval: Retrieval) -> tuple[Degradation, ...]:
    """In the order of the channels; a graph that was never built is told too, though no face shows it as a
    fault."""
    graph = (GRAPH_OFF,) if retrieval.weight("graph") > 0 else ()
    return (*(told for name in CHANNELS if name in found for told in found[name].degraded), *graph)


def index_state(generation: Generation, sets: Sequence[LabelSet]) -> IndexState:
    """The state of what these label sets hold; nothing of any other set is in it."""
    return IndexState(
        corpus_version=f"{sum(each.corpus_sum for each in sets) % MODULUS:064x}",
        analyser=generation.meta.get("analyser", ""),
        embedder=generation.meta.get("embedder", ""),
        vectors=f"{sum(each.vector_sum for each in sets) % MODULUS:064x}",
        graph="",
        documents=sum(each.documents for each in sets),
        chunks=sum(each.chunks for each in sets),
    )
