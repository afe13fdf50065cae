"""What changes where another generation takes over: its chunks, the evidence of a set, the cases that flip.

Both generations are of one library and stay as they are. Blocking work runs in the library's threads.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from engine.cancel import CancelToken
from engine.catalogue.opened import Opened, every_document
from engine.catalogue.what_if import Gathered, Moved, Piece, Side, evidence_of, moved
from engine.chunking.preview import Standing, blocks, measured
from engine.evaluate.compare import Flip, flips
from engine.evaluate.figures import figures
from engine.evaluate.run import Plan, outcomes_on
from engine.library import Library
from engine.model import Progress
from engine.pipeline import aside
from engine.pipeline.pace import Pace
from engine.pipeline.query import principal
from engine.settings import Chunking
from engine.store.generation import Generation
from engine.store.labels import label_sets
from engine.store.library_file import LibraryFile


@dataclass(frozen=True, slots=True)
class Difference:
    """The generation that serves and the one aside. ``documents`` are (now, then); ``kept`` counts the retrievable
    chunks that both have, of the same span and text. ``moved`` is the evidence that would stand otherwise; ``metrics``
    are (now, then) over the ``cases`` of the set, ``flips`` the cases whose evidence would enter or leave the context.
    """

    generation: str
    chunking: tuple[Chunking, Chunking]
    documents: tuple[int, int]
    now: Side
    then: Side
    kept: int
    moved: tuple[Moved, ...] = ()
    cases: int = 0
    metrics: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    flips: tuple[Flip, ...] = ()


def difference(
    library: Library, plan: Plan | None, *, scopes: tuple[str, ...] = (), cancel: CancelToken
) -> AsyncGenerator[Progress | Difference, None]:
    """Compare what serves with what lies aside, as a principal sees both, under a plan of one variant where there is
    a set: progress, and at last the difference.

    Raises ``UsageError`` where nothing lies aside, ``LibraryError``, ``Cancelled``.
    """
    return library.stream(lambda: _difference(library, plan, principal(scopes), cancel), cancel)


def _difference(
    library: Library, plan: Plan | None, scopes: tuple[str, ...], cancel: CancelToken
) -> Iterator[Progress | Difference]:
    with closing(LibraryFile(library.places.library)) as file:
        found = aside.opened_beside(file, library.places)
    with closing(found) as other:
        generation = library.serving()
        compared = yield from _compared(library, generation, other, plan, scopes, cancel)
        if plan is None:
            yield compared
            return
        (before,) = yield from outcomes_on(library, generation, plan, cancel=cancel)
        (after,) = yield from outcomes_on(library, other, plan, cancel=cancel)
    now, then = (figures(each, plan.metrics).means for each in (before, after))
    yield replace(
        compared,
        cases=len(before),
        metrics={name: (value, then[name]) for name, value in now.items() if name in then},
        flips=flips(zip(before, after, strict=True)),
    )


def _compared(
    library: Library,
    generation: Generation,
    other: Generation,
    plan: Plan | None,
    scopes: tuple[str, ...],
    cancel: CancelToken,
) -> Generator[Progress, None, Difference]:
    """Both, document by document, as a principal sees them."""
    evidence = evidence_of(plan.cases) if plan else {}
    archive, seen = library.places.library, scopes
    pace = Pace("index", 2 * max(1, _documents(generation)))
    now, then, kept, counts = Gathered(), Gathered(), 0, [0, 0]
    held: dict[str, tuple[str, set[tuple[int, int, str]], list[Standing]]] = {}
    for document in every_document(generation, archive, seen):
        cancel.check()
        counts[0] += 1
        standings, chunks = _added(now, document, evidence.get(document.path, ()), cancel)
        held[document.path] = (document.revision, chunks, standings)
        if (progress := pace.step(document.path)) is not None:
            yield progress
    changed: list[Moved] = []
    for document in every_document(other, archive, seen):
        cancel.check()
        counts[1] += 1
        revision, chunks, before = held.get(document.path, ("", set(), []))
        same = revision == document.revision
        pieces = evidence.get(document.path, ()) if same else ()
        after, cut = _added(then, document, pieces, cancel)
        kept += len(chunks & cut) if same else 0
        changed += moved(document, pieces, before, after) if same else ()
        if (progress := pace.step(document.path)) is not None:
            yield progress
    yield pace.last()
    return Difference(
        generation=other.id,
        chunking=(generation.chunking, other.chunking),
        documents=(counts[0], counts[1]),
        now=now.side(),
        then=then.side(),
        kept=kept,
        moved=tuple(changed),
    )


def _documents(generation: Generation) -> int:
    with generation.reading() as connection:
        return sum(each.documents for each in label_sets(connection))


def _added(
    side: Gathered, document: Opened, pieces: Sequence[Piece], cancel: CancelToken
) -> tuple[list[Standing], set[tuple[int, int, str]]]:
    """A document counted into a side: how the pieces stand in it, and what chunks it recalls."""
    live = document.live(document.chunks)
    units = blocks(document.text, document.kind, document.language, cancel)
    standings = side.add(document, measured(document.text, units, live), live, pieces)
    return standings, {(chunk.start, chunk.end, chunk.text) for chunk in live if chunk.role != "parent"}
