"""What an edit would make of its document and of an evaluation set, before it is made.

The step is planned as it would be taken, and tried on a copy of the generation that serves: the metrics are those
that a run would give after it, and nothing of the library has changed. Blocking work runs in the library's threads.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field

from engine.cancel import CancelToken
from engine.catalogue.opened import Opened, open_document
from engine.catalogue.what_if import Moved, Piece, Side, evidence_of
from engine.chunking.preview import Cover, Standing, blocks, measured
from engine.edits.actions import Change
from engine.edits.desk import Shelf
from engine.edits.intent import Intent
from engine.errors import EmbedderError
from engine.evaluate.compare import Flip, flips
from engine.evaluate.figures import figures
from engine.evaluate.outcome import Outcome
from engine.evaluate.run import Plan, outcomes_on
from engine.library import Library
from engine.model import OWNER, Chunk, Progress
from engine.pipeline.attach import embed_waiting
from engine.pipeline.group import Sink
from engine.pipeline.replay import hold
from engine.store.edits import EditStore
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile
from engine.store.places import new_generation_id
from engine.store.replica import replica
from engine.store.waiting import waiting_count
from engine.text import LineIndex


@dataclass(frozen=True, slots=True)
class Effect:
    """An edit that was tried. ``change`` are the pins that would go and come; ``now`` and ``then`` are its document
    before and after it, ``moved`` the evidence that would stand otherwise; ``metrics`` are (now, then) over the
    ``cases`` of the set, ``flips`` the cases whose evidence would enter or leave the context."""

    path: str
    change: Change
    now: Side
    then: Side
    moved: tuple[Moved, ...] = ()
    cases: int = 0
    metrics: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    flips: tuple[Flip, ...] = ()


def effect(
    library: Library, wanted: Intent, plan: Plan, *, cancel: CancelToken
) -> AsyncGenerator[Progress | Effect, None]:
    """Try an edit under a plan of one variant, whose cases are checked: progress, and at last what it would do.

    Raises ``UsageError`` where the edit cannot be made, ``LibraryError`` (``DiskFullError`` where there is no room for
    a copy of the index), ``Cancelled``.
    """
    return library.stream(lambda: _effect(library, wanted, plan, cancel), cancel)


def _effect(library: Library, wanted: Intent, plan: Plan, cancel: CancelToken) -> Iterator[Progress | Effect]:
    generation, places = library.serving(), library.places
    with closing(LibraryFile(places.library)) as file, closing(EditStore(places.library)) as edits:
        shelf = Shelf(Sink(file, generation, library.semantics()), edits)
        planned = wanted(shelf)
        left = [pin for pin in edits.pins(planned.document_id) if pin not in planned.change.removed]
        source = shelf.source_of(planned.document_id)
        assert source is not None, "the step was planned on it"
        with replica(generation, places.generation(new_generation_id()), cancel=cancel) as copy:
            sink = Sink(file, copy, library.semantics())
            hold(sink, planned.document_id, [*left, *planned.change.added], cancel=cancel)
            yield from _embedded(generation, sink, cancel)
            now = open_document(generation, places.library, source.path, (OWNER,))
            then = open_document(copy, places.library, source.path, (OWNER,))
            (before,) = yield from outcomes_on(library, generation, plan, cancel=cancel)
            (after,) = yield from outcomes_on(library, copy, plan, cancel=cancel)
    pieces = evidence_of(plan.cases).get(now.path, ())
    was, will = ([_standing(each, piece) for piece in pieces] for each in (now, then))
    yield Effect(
        path=now.path,
        change=planned.change,
        now=_side(now, was, cancel),
        then=_side(then, will, cancel),
        moved=tuple(_moved(now, zip(pieces, was, will, strict=True))),
        cases=len(before),
        metrics=_metrics(before, after, plan.metrics),
        flips=flips(zip(before, after, strict=True)),
    )


def _embedded(generation: Generation, sink: Sink, cancel: CancelToken) -> Iterator[Progress]:
    """Give the new chunks of the copy their vectors, where those of all others are there; else they wait, as they
    would."""
    with generation.reading() as connection:
        others = waiting_count(connection)
    if not others:
        with suppress(EmbedderError):
            yield from embed_waiting(sink.generation, sink.semantics, cancel=cancel)


def _live(document: Opened) -> list[Chunk]:
    return [chunk for chunk in document.chunks if chunk.enabled and chunk.role != "parent"]


def _standing(document: Opened, piece: Piece) -> Standing:
    """How a piece of evidence stands in the chunks that can be recalled; an edited one holds only what it says."""
    told = document.text[piece.start : piece.end]
    held = [chunk for chunk in _live(document) if not chunk.edited or told in chunk.text]
    return Cover(held).standing(document.text, piece.start, piece.end)


def _side(document: Opened, standings: Sequence[Standing], cancel: CancelToken) -> Side:
    units = blocks(document.text, document.kind, document.language, cancel)
    live = _live(document)
    found = measured(document.text, units, live)
    return Side(
        sizes=tuple(sorted(len(chunk.text) for chunk in live)),
        sentences=found.count("sentence"),
        tables=found.count("table"),
        fences=found.count("fence"),
        whole=standings.count("whole"),
        split=standings.count("split"),
        lost=standings.count("lost"),
    )


def _moved(document: Opened, standings: Iterable[tuple[Piece, Standing, Standing]]) -> Iterator[Moved]:
    lines = LineIndex.of(document.text)
    for piece, was, will in standings:
        if was != will:
            first, last = lines.line(piece.start), lines.line(max(piece.start, piece.end - 1))
            yield Moved(piece, document.path, first, last, was, will)


def _metrics(
    before: Sequence[Outcome], after: Sequence[Outcome], metrics: Sequence[str]
) -> dict[str, tuple[float, float]]:
    now, then = figures(before, metrics).means, figures(after, metrics).means
    return {name: (value, then[name]) for name, value in now.items() if name in then}
