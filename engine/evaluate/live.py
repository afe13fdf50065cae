"""A set that follows every turned setting: each question is recalled once, and then only ranked, packed and judged.

Rank metrics come from the frozen lists of all cases at once (``live_matrix``), in the frame of the key; what needs the
candidates' texts, the context above all, case by case behind it. Either is what a whole run would give at the same
settings, to the byte. Blocking work runs in the library's threads.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator
from dataclasses import dataclass, replace

from engine.cancel import CancelToken
from engine.errors import SetError, UsageError
from engine.evaluate.judgements import JudgedCase
from engine.evaluate.live_matrix import Matrix, MatrixBuilder
from engine.evaluate.outcome import Outcome
from engine.evaluate.run import Asking, Plan, Variant, prepared, principal_of, refuse_changed, settled
from engine.library import Asked, Library
from engine.model import Chunk, Progress, Recall
from engine.pipeline.pace import Pace
from engine.pipeline.query import checked
from engine.settings import Retrieval
from engine.trace import as_asked, covers

KEPT_BYTES = 256 << 20
"""What kept recalls may take; the questions beyond are asked again for their contexts, and still ranked at once."""

MATRIX_BYTES = 256 << 20
"""What the lists of all cases may take: some 12,000 questions of 600 candidates each."""

CHUNK_BYTES = 600
"""What a chunk takes beside its text: ids, path, headings, the object itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """A set with its recalls, frozen in one state of the index. ``matrix`` ranks all cases at once.

    ``recalls`` has a recall for each case, every channel asked, or None where there was no room for it.
    """

    asking: Asking
    matrix: Matrix
    recalls: tuple[Recall | None, ...]

    @property
    def cases(self) -> tuple[JudgedCase, ...]:
        return self.asking.judged

    def outcomes(self, variant: Variant, *, cancel: CancelToken) -> Iterator[Outcome]:
        """Every case under a variant of one set of settings, one after the other. Blocking.

        Raises ``Cancelled``, ``UsageError`` where the settings want a reranking model, which no turned setting asks,
        and ``LibraryError`` where the index has changed.
        """
        if not follows(variant.retrieval):
            raise UsageError("a reranking model is asked by no turned setting", "r runs the set with it")
        for judged, kept in zip(self.asking.judged, self.recalls, strict=True):
            cancel.check()
            recall = kept
            if recall is None or not covers(recall, variant.retrieval):
                recall = _recalled(self.asking, judged, variant.retrieval, cancel)
            yield settled(self.asking, judged, as_asked(recall, variant.retrieval), variant)


def follows(retrieval: Retrieval) -> bool:
    """Whether a live set can follow these settings; only a run asks a model."""
    return retrieval.rerank != "learned"


def freeze(library: Library, plan: Plan, *, cancel: CancelToken) -> AsyncGenerator[Progress | Live, None]:
    """Recall every case of a plan of one variant, whose cases are checked: progress, and at last the live set.

    Raises ``Cancelled``, ``SetError`` for a set that is too large to be kept, ``LibraryError``.
    """
    return library.stream(lambda: freezing(library, plan, cancel), cancel)


def freezing(library: Library, plan: Plan, cancel: CancelToken) -> Generator[Progress | Live, None, None]:
    """``freeze`` for a thread that may block."""
    asking = prepared(library, library.serving(), plan, cancel)
    builder = MatrixBuilder(by_document=asking.by_document)
    pool = _Pool()
    recalls: list[Recall | None] = []
    pace = Pace("evaluate", len(asking.judged))
    for judged in asking.judged:
        cancel.check()
        recall = _recalled(asking, judged, plan.variants[0].retrieval, cancel)
        builder.add(judged, recall)
        if builder.size > MATRIX_BYTES:
            raise SetError(
                f"a set of {len(asking.judged):,} cases is too large to follow a turned setting",
                "run it with `rankscope eval`, or choose a smaller set",
            )
        recalls.append(pool.shared(recall))
        if (progress := pace.step()) is not None:
            yield progress
    yield pace.last()
    yield Live(asking, builder.build(), tuple(recalls))


def _recalled(asking: Asking, judged: JudgedCase, retrieval: Retrieval, cancel: CancelToken) -> Recall:
    """A case's recall that serves every weight: all channels asked, and what the candidates hold measured."""
    scopes = principal_of(asking.plan, judged.case)
    wide = replace(
        retrieval, fulltext_weight=1.0, cjk_weight=1.0, vector_weight=1.0, graph_weight=1.0, rerank="local"
    )
    asked = Asked(checked(judged.case.query), wide, scopes, asking.depth)
    recall = asking.library.ask(asked, asking.library.serving(), cancel=cancel)
    refuse_changed(recall.state, asking.states[scopes])
    return recall


class _Pool:
    """Recalls that share their chunks: one text stands once, however many questions found it."""

    def __init__(self) -> None:
        self._chunks: dict[str, Chunk] = {}
        self._bytes = 0

    def shared(self, recall: Recall) -> Recall | None:
        """The recall with shared chunks, or None where there is no more room."""
        if self._bytes > KEPT_BYTES:
            return None
        held = 0 if recall.holds is None else recall.holds.nbytes
        similar = 0 if recall.similarities is None else recall.similarities.nbytes
        entries = len(recall.chunks) + len(recall.parents) + len(recall.around)
        self._bytes += held + similar + recall.ranks.nbytes + recall.scores.nbytes + 100 * entries
        return replace(
            recall,
            chunks=tuple(map(self._one, recall.chunks)),
            parents={name: self._one(chunk) for name, chunk in recall.parents.items()},
            around={place: self._one(chunk) for place, chunk in recall.around.items()},
            sources={},
        )

    def _one(self, chunk: Chunk) -> Chunk:
        known = self._chunks.get(chunk.chunk_id)
        if known is None:
            self._bytes += CHUNK_BYTES + 2 * len(chunk.text)
            known = self._chunks[chunk.chunk_id] = chunk
        return known
