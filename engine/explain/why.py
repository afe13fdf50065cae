"""Why, or why not: one target under one query, from the corpus to the context. Blocking; a thread runs it.

One covering recall answers for the present settings and for all that they could be turned to; what is looked
up in the index beside it is of the same corpus, or all is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import BusyError
from engine.explain.change import covering, smallest_changes
from engine.explain.disk import Folder, absent
from engine.explain.find import Shelf, checked_target, find
from engine.explain.layers import furthest, layer_of
from engine.explain.recut import recut
from engine.explain.stages import sentence, stage_rows
from engine.explain.standing import Ranked, standings
from engine.explain.verdict import Change, Layer, Place, Remedy, StageRow, Standing, Target, Verdict
from engine.model import DEPTH, OWNER, IndexState, Recall
from engine.pipeline.freshness import unchanged
from engine.pipeline.index import Labels
from engine.pipeline.query import Question, index_state
from engine.settings import Settings
from engine.store import documents as document_store
from engine.store import spans
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible
from engine.store.library_file import reading_archive
from engine.trace import Trace, as_asked, settle

ATTEMPTS = 3
"""How often a verdict is begun anew because the index changed meanwhile."""


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What a verdict is read from: the serving generation, the library file, the folder and its settings;
    ``recalled`` asks every channel."""

    root: Path
    generation: Generation
    library: Path
    settings: Settings
    include: tuple[str, ...]
    recalled: Callable[[Question], Recall]


def why(
    sources: Sources,
    question: Question,
    target: Target,
    *,
    owner: bool = False,
    cancel: CancelToken,
) -> Verdict:
    """The verdict for the question's principal. An ``owner`` is also told of what lies outside the scopes;
    anybody else reads it as absent.

    Raises ``UsageError`` for a target that is none, ``Cancelled``, ``LibraryError``, ``BusyError`` where the
    index changes faster than it can be asked.
    """
    target = checked_target(target)
    wide = replace(question, retrieval=covering(question.retrieval))
    for _ in range(ATTEMPTS):
        found = sources.recalled(wide)
        with shelved(sources, question.scopes) as (shelf, state):
            if same_corpus(state, found.state):
                return _Inquiry(sources, question, found, shelf, owner, cancel).verdict(target)
    raise BusyError("the index changes while it is asked", "ask again when the sync has ended")


@contextmanager
def shelved(sources: Sources, scopes: Sequence[str]) -> Iterator[tuple[Shelf, IndexState]]:
    """What the principal sees in one transaction, and the state that it is of."""
    with sources.generation.reading() as connection, reading_archive(sources.library) as archive:
        sets = visible(label_sets(connection), scopes)
        reader = sources.generation.postings.reader(connection)
        shelf = Shelf(connection, reader, tuple(each.id for each in sets), archive)
        yield shelf, index_state(sources.generation, sets)


def same_corpus(one: IndexState, other: IndexState) -> bool:
    """Whether two states hold the same chunks; vectors may have been made meanwhile."""
    return replace(one, vectors="") == replace(other, vectors="")


@dataclass(frozen=True, slots=True, eq=False)
class _Inquiry:
    """One verdict in the making. ``recall`` covers every setting; ``shelf`` is of the same state."""

    sources: Sources
    question: Question
    recall: Recall
    shelf: Shelf
    owner: bool
    cancel: CancelToken

    def verdict(self, target: Target) -> Verdict:
        places = find(self.shelf, target, cancel=self.cancel)
        if places:
            return self._placed(target, places)
        return (self._out_of_scope(target) if self.owner else None) or self._absent(target)

    # --- what is in the index ---

    def _placed(self, target: Target, places: tuple[Place, ...]) -> Verdict:
        retrieval = self.question.retrieval
        trace = settle(as_asked(self.recall, retrieval), retrieval, self.sources.settings.features)
        place = max(places, key=lambda each: _progress(trace, each))
        layer = layer_of(trace, place)
        if not place.chunks:
            told = _no_chunk(place)
            row = StageRow("corpus", kept=False, because=told)
            return Verdict(self.question.text, target, place, "not_in_corpus", told, stages=(row,))
        lead = furthest(trace, place.homes or (chunk.chunk_id for chunk in place.chunks)).chunk_id
        ranked = Ranked(self.recall, self.shelf, self.sources.generation.folder, self.question.vector)
        standing = standings(ranked, lead, cancel=self.cancel)
        changes = self._changes(layer, places)
        return Verdict(
            query=self.question.text,
            target=target,
            place=place,
            layer=layer,
            sentence=sentence(trace, place, layer, lead, standing),
            standings=standing,
            stages=stage_rows(trace, place, lead, standing, self._corpus(place)),
            changes=changes,
            remedy=None if layer == "context" else self._remedy(layer, place, standing, changes),
        )

    def _changes(self, layer: Layer, places: Sequence[Place]) -> tuple[Change, ...]:
        if layer in ("context", "disabled"):
            return ()
        features = self.sources.settings.features
        return smallest_changes(self.recall, self.question.retrieval, places, features, cancel=self.cancel)

    def _corpus(self, place: Place) -> StageRow:
        """What the corpus has to say: the file on disk, the cut, and who may see it."""
        rows = document_store.sources_of(self.shelf.connection, [place.document_id])
        fresh = all(unchanged(self.sources.root, row) for row in rows.values())
        told = [
            "same as on disk" if fresh else "changed on disk since; the indexed text is shown",
            "parsed",
            "cut by a chunk boundary" if place.split else "whole in one chunk",
            "edited away" if place.replaced else "disabled" if place.disabled else "enabled",
            "in scope",
        ]
        if place.likeness < 1:
            told.insert(0, f"found by likeness, {100 * place.likeness:.0f} %")
        return StageRow("corpus", kept=not (place.split or place.disabled), because=", ".join(told))

    def _remedy(
        self, layer: Layer, place: Place, standing: Sequence[Standing], changes: Sequence[Change]
    ) -> Remedy | None:
        """What else helps: always for what no query's settings mend, else where none of them works."""
        if layer == "split":
            recutting = self._recut(place)
            if recutting is not None:
                return recutting
        if layer == "disabled":
            return Remedy("enable", "undo the edit of its chunk" if place.replaced else "enable its chunk")
        return None if changes else _look(layer, standing)

    def _recut(self, place: Place) -> Remedy | None:
        document = spans.document(self.shelf.connection, place.path, self.shelf.label_sets)
        if document is None:
            return None
        return recut(
            self.shelf.text(document),
            document.kind,
            document_store.cut_of(self.shelf.connection, document.file, self.sources.generation.chunking),
            place.start,
            place.end,
            language=document.language,
            cancel=self.cancel,
        )

    # --- what is not ---

    def _out_of_scope(self, target: Target) -> Verdict | None:
        """For the owner: the same target among all that there is."""
        with shelved(self.sources, (OWNER,)) as (shelf, _):
            places = find(shelf, target, cancel=self.cancel)
        if not places:
            return None
        place = places[0]
        layer: Layer = "split" if place.split else "disabled" if place.disabled else "out_of_scope"
        labels = Labels(self.sources.settings.scopes).of(place.path)
        needs = f"it needs {' and '.join(labels)}" if labels else "ask with the scope of its document"
        told = f"it stands in {place.path}, outside the scopes of this question"
        row = StageRow("corpus", kept=False, because="out of scope")
        remedy = Remedy("scope", f"ask with its scope: {needs}" if labels else needs)
        return Verdict(self.question.text, target, place, layer, told, stages=(row,), remedy=remedy)

    def _absent(self, target: Target) -> Verdict:
        connection = self.shelf.connection
        folder = Folder(
            self.sources.root,
            document_store.files(connection),
            spans.hidden_files(connection, self.shelf.label_sets),
            Labels(self.sources.settings.scopes),
            self.question.scopes,
            self.sources.include,
        )
        reason = absent(folder, target, cancel=self.cancel)
        row = StageRow("corpus", kept=False, because=reason.sentence)
        return Verdict(
            self.question.text,
            target,
            None,
            reason.layer,
            reason.sentence,
            stages=(row,),
            remedy=reason.remedy,
        )


def _progress(trace: Trace, place: Place) -> tuple[int, tuple[int, int]]:
    """How far a place came: in the context, whole in a chunk and how far that chunk came, cut, nowhere."""
    layer = layer_of(trace, place)
    if layer == "context":
        return 3, (0, 0)
    if place.homes:
        return 2, furthest(trace, place.homes).progress
    return (1, (0, 0)) if place.chunks else (0, (0, 0))


def _no_chunk(place: Place) -> str:
    return f"it stands in {place.path}, in what is no body of the document (front matter), so in no chunk"


def _look(layer: Layer, standing: Sequence[Standing]) -> Remedy:
    """Where no setting of a query helps."""
    waiting = next((each for each in standing if "no vector yet" in each.because), None)
    if layer == "not_recalled" and waiting is not None:
        return Remedy("embed", "wait until its vector is made, then ask again")
    ranks = [each for each in standing if each.rank]
    if layer == "not_recalled" and not ranks:
        return Remedy("look", "no channel finds it at any depth: ask with words that it holds")
    best = min(ranks, key=lambda each: each.rank or 0) if ranks else None
    if best is not None and best.rank and best.rank > DEPTH:
        return Remedy(
            "look",
            f"its best rank is {best.rank:,} of {best.of:,} ({best.channel}), and no setting reads deeper than "
            f"{DEPTH}: ask with more of its own words",
        )
    if layer == "duplicate":
        return Remedy("look", "its text is in the context already, from the place that it repeats")
    if layer == "budget":
        return Remedy("recut", "no budget holds it whole: cut the document smaller")
    return Remedy("look", "no single setting and no pair brings it in: ask with more of its own words")
