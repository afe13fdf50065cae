"""The words of the design as plain frozen data; what passes between stages. Imports nothing of the engine but
types.

Positions are half-open ``[start, end)`` in Unicode code points of a revision's decoded text (BOM removed,
newlines kept). Lines are 1-based and inclusive, and end at LF, CRLF and CR only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Channel = Literal["fulltext", "cjk", "vector", "graph"]
CHANNELS: tuple[Channel, ...] = ("fulltext", "cjk", "vector", "graph")
"""Every channel, in the order in which ranks and scores are laid out in columns."""

Role = Literal["standalone", "parent", "child"]
PUBLIC = "public"
OWNER = "*"
"""The scope of the owner at the keyboard: sees every label."""

DEPTH = 200
"""D: how many of each channel a recall freezes. Evaluation asks for ``max(200, 10·k)``."""

QUERY_LIMIT = 4_000
"""Code points a query may have, at every door."""

EDIT_LIMIT = 16_000
"""Code points an edited chunk may have, at every door."""


# --- documents ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a stat says of a file: enough to know, without reading it, that it has not changed."""

    size: int
    mtime_ns: int
    inode: int
    changed_ns: int = 0
    """When its content or its status changed last: a program may set the time of a rewritten file back, not this."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file of a document as it was when it was indexed. ``conflicts`` counts the edits that have no place in
    the document's text."""

    path: str
    stamp: FileStamp
    sha256: str
    document: str
    conflicts: int


@dataclass(frozen=True, slots=True)
class Revision:
    """One version of a document's content. ``revision`` is the SHA-256 (hex) of its raw bytes."""

    revision: str
    text: str
    encoding: str
    doubtful: bool
    parser: str
    title: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was seen and not indexed, with its reason in a few words (``binary``, ``link out of the
    folder``)."""

    path: str
    reason: str


# --- chunks -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """What a chunker says of one chunk: where it is, what it is, and what stands above it.

    ``ordinal`` counts from 1, among retrievable chunks (``standalone`` and ``child``) and among parents
    apart. ``parent`` is the ordinal of the parent that holds a child, else None.
    """

    ordinal: int
    role: Role
    start: int
    end: int
    line_start: int
    line_end: int
    heading_path: tuple[str, ...] = ()
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk as it serves: its identity, its place, and the text that a model would get.

    ``path`` is the document's path below the library's root, with ``/``; one line of a JSONL corpus is
    ``corpus.jsonl#ID``. ``text`` is the effective text: the edited one where there is an edit, else
    ``text[start:end]``. ``parent`` is the chunk id of the parent, for a child. What is not ``enabled`` is kept to be
    seen, and recalled by no channel.
    """

    chunk_id: str
    document_id: str
    path: str
    title: str
    revision: str
    ordinal: int
    role: Role
    heading_path: tuple[str, ...]
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    parent: str | None = None
    edited: bool = False
    enabled: bool = True


# --- the state of an index ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexState:
    """What a trace depends on. Two queries in one state give the same trace, timings aside.

    Every figure counts only what the principal may see.
    """

    corpus_version: str
    analyser: str
    embedder: str
    vectors: str
    graph: str
    documents: int
    chunks: int

    @property
    def short(self) -> str:
        """Six characters for a status line."""
        return self.corpus_version[:6]


@dataclass(frozen=True, slots=True)
class Degradation:
    """A channel or stage that was asked for and did not fully serve. ``channel`` may also name a stage
    (``gate``)."""

    channel: str
    code: str
    message: str
    remedy: str


DEGRADATION_CODES: tuple[str, ...] = (
    "vector_off", "vector_waiting", "vector_incompatible", "vector_failed", "query_embedding_failed",
    "graph_off", "graph_stale", "graph_no_evidence", "cjk_no_terms", "fulltext_no_terms", "rerank_failed",
    "rerank_partial", "embedder_loading", "depth_limited", "filtered_by_gate", "filtered_by_budget", "stale_documents",
    "edit_conflicts", "cancelled",
)  # fmt: skip


# --- recall -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChannelRecall:
    """What one channel did for one query.

    ``matched`` counts every chunk that the channel found, however deep; ``listed`` those frozen, at most D.
    ``of`` is how many visible chunks the channel could have found (for ``vector``: those with a usable
    vector). ``minimum`` and ``maximum`` are the raw scores' range over the frozen list (0 where it is empty).
    """

    channel: Channel
    requested: bool
    used: bool
    matched: int = 0
    listed: int = 0
    of: int = 0
    waiting: int = 0
    left_out: int = 0
    scanned: int = 0
    minimum: float = 0.0
    maximum: float = 0.0
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One analysed term of the query in one channel, with its document frequency and idf among visible
    chunks."""

    channel: Channel
    term: str
    start: int
    end: int
    document_frequency: int
    idf: float


@dataclass(frozen=True, slots=True, eq=False)
class LearnedScores:
    """What a reranking model said of a recall's ``n`` candidates, fetched once and frozen like the rest.

    ``raw`` is ``(n,) float64``, the scores as the endpoint gave them, NaN for a candidate without one;
    ``relevance`` the same from 0 to 1 by the ``scale`` of the scores (``unit``, ``logit``, ``cosine``).
    ``failed`` says why there are none, where the endpoint did not serve.
    """

    model: str
    scale: str
    raw: NDArray[np.float64]
    relevance: NDArray[np.float64]
    failed: Degradation | None = None
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Recall:
    """Everything the pure stages need, frozen; no transaction outlives it.

    ``chunks`` are the candidates in the order in which ties break: path, ordinal, chunk id. ``ranks`` is
    ``(n, 4) int32``, one column a channel of ``CHANNELS``, 0 where the channel did not list the chunk;
    ``scores`` is ``(n, 4) float64``, NaN there. ``parents`` holds by chunk id the parents of children among
    the candidates and ``around`` by (document id, ordinal) the retrievable chunks up to ``neighbours`` before
    and after a candidate. ``holds`` is ``(n, len(terms)) bool``: whether title, headings or text of a
    candidate hold the term, whatever channel listed it. ``similarities`` is ``(n,) float64``: the query's
    cosine with every candidate that has a usable vector, listed or not, NaN for the others. Either is None
    where the recall did not measure it, and so is ``learned`` where no reranking model was asked. ``sources`` are
    by document id, those of each channel's first candidates.
    """

    query: str
    scopes: tuple[str, ...]
    depth: int
    state: IndexState
    channels: tuple[ChannelRecall, ...]
    chunks: tuple[Chunk, ...]
    ranks: NDArray[np.int32]
    scores: NDArray[np.float64]
    terms: tuple[QueryTerm, ...] = ()
    parents: Mapping[str, Chunk] = field(default_factory=dict)
    neighbours: int = 0
    around: Mapping[tuple[str, int], Chunk] = field(default_factory=dict)
    holds: NDArray[np.bool_] | None = None
    similarities: NDArray[np.float64] | None = None
    learned: LearnedScores | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    stale: frozenset[str] = frozenset()
    degraded: tuple[Degradation, ...] = ()
    milliseconds: float = 0.0

    def channel(self, name: str) -> ChannelRecall:
        return next(channel for channel in self.channels if channel.channel == name)


# --- rank ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChannelHit:
    """One channel's word on one result: rank, raw score, the weight in force and its part of the fused score.

    ``in_view`` is false where the rank lies beyond the depth that fusion reads; the part is then 0.
    """

    rank: int
    score: float
    weight: float
    part: float
    in_view: bool


@dataclass(frozen=True, slots=True)
class Contribution:
    """One line of the rerank's bill: the feature's value, what it adds to the relevance, and the rank without
    it."""

    feature: str
    value: float
    part: float
    rank_without: int


@dataclass(frozen=True, slots=True)
class Result:
    """One ranked chunk, ready to show. ``rank`` counts from 1 over everything that fusion kept."""

    rank: int
    chunk: Chunk
    relevance: float
    fused_score: float
    fused_rank: int
    channels: Mapping[str, ChannelHit]
    features: tuple[Contribution, ...] = ()


# --- pack ---------------------------------------------------------------------------------------------------

LeftOutReason = Literal["budget", "duplicate", "quota", "gate", "top_k"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One hit inside a group: where it is in the source, whatever text the group shares or expands."""

    chunk_id: str
    rank: int
    start: int
    end: int
    line_start: int
    line_end: int
    edited: bool = False


@dataclass(frozen=True, slots=True)
class ContextGroup:
    """Text of one document as the model gets it, with the hits it serves.

    ``text`` is the passage alone; ``characters`` the code points of the exact string sent for the group,
    markers included. ``shared`` counts the code points that its hits share and the group holds once.
    ``expansion`` says what was added to the hits' own text: ``""``, ``"parent"``, ``"neighbours"``.
    """

    evidence_id: str
    path: str
    title: str
    heading_path: tuple[str, ...]
    revision: str
    start: int
    end: int
    line_start: int
    line_end: int
    citations: tuple[Citation, ...]
    text: str
    characters: int
    shared: int = 0
    expansion: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A hit of the gated top k that is not in the context: why, what it needs in code points, and a
    sentence's tail (``786 left``, ``same text as 2``)."""

    chunk_id: str
    rank: int
    reason: LeftOutReason
    characters: int
    detail: str


@dataclass(frozen=True, slots=True)
class Context:
    """What a model would get. ``character_count`` is the code points of ``text``, the exact string, markers
    included."""

    text: str
    character_count: int
    limit: int
    truncated: bool
    groups: tuple[ContextGroup, ...]
    left_out: tuple[LeftOut, ...]
    near_duplicates: tuple[tuple[str, str], ...] = ()


# --- progress -----------------------------------------------------------------------------------------------

Stage = Literal["discover", "read", "index", "embed", "publish", "evaluate", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task is. ``rate`` is items a second; ``seconds_left`` is None until it can be told."""

    stage: Stage
    done: int
    total: int
    rate: float = 0.0
    seconds_left: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, in counts, and what it left out, by name. ``embedding_failed`` says why vectors still
    wait, where the embedder could not serve."""

    seen: int = 0
    added: int = 0
    changed: int = 0
    renamed: int = 0
    deleted: int = 0
    unchanged: int = 0
    chunks: int = 0
    waiting: int = 0
    skipped: tuple[Skipped, ...] = ()
    failed: tuple[Skipped, ...] = ()
    doubtful: tuple[tuple[str, str], ...] = ()
    generation: str = ""
    embedding_failed: str = ""
