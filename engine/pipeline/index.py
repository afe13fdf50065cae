"""From a folder to a generation: discover → read → parse → chunk → index. Blocking; the library runs it in a
thread.

A sync brings one generation up to date with the folder. Order of a change: the library's archive first, then
the generation in one transaction a document (the first build groups them), so that a kill at any point leaves
at most an archived revision that nothing refers to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from engine.cancel import CancelToken
from engine.chunking import chunker_fingerprint
from engine.edits.anchor import anchored
from engine.errors import SourceError
from engine.identity import fingerprint
from engine.ingest.discover import Found, Listing, discover
from engine.ingest.formats import format_of
from engine.ingest.ignore import Rules
from engine.ingest.parse import PARSERS, Document, parse
from engine.ingest.read import Unreadable, read
from engine.model import PUBLIC, Progress, Revision, Skipped, SyncReport
from engine.pipeline.group import Group, Sink
from engine.pipeline.pace import Pace
from engine.pipeline.prepare import prepare
from engine.pipeline.renames import Origins, new_origins, renamed
from engine.pipeline.replay import replay
from engine.recall.analysis import analyser_version
from engine.settings import Chunking
from engine.settings.fields import quoted
from engine.store import documents as store
from engine.store.documents import FileRow, Known, PreparedDocument
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile


class Labels:
    """Which labels a path carries: those of every pattern (of ignore files' syntax) that matches it or a folder above."""

    def __init__(self, scopes: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        self.scopes = tuple(scopes)
        self._rules = [
            (Rules.of(pattern.encode("utf-8", "surrogateescape")), labels) for pattern, labels in scopes
        ]

    def of(self, path: str) -> tuple[str, ...]:
        name = path.encode("utf-8", "surrogateescape")
        folders = [name[:at] for at, byte in enumerate(name) if byte == 0x2F]
        matched = (
            labels
            for rules, labels in self._rules
            if rules.verdict(name, False) or any(rules.verdict(folder, True) for folder in folders)
        )
        return tuple(sorted({label for labels in matched for label in labels if label != PUBLIC}))


@dataclass(frozen=True, slots=True)
class Target:
    """What a sync writes to and how it cuts and labels.

    ``include`` are patterns in the syntax of ignore files; where there are any, only what they match is indexed.
    ``before`` is the generation that serves while this one is built aside: what cannot be read just now is carried
    over from there. ``origins`` say who the documents of renamed files are. ``reread`` reads every file, also those
    whose size, times and inode are the known ones.
    """

    root: Path
    sink: Sink
    labels: Labels
    before: Generation | None = None
    include: tuple[str, ...] = ()
    origins: Origins = field(default_factory=lambda: Origins({}))
    reread: bool = False

    def wanted(self, found: Found, own: Chunking | None) -> FileRow:
        """What is to be known of a file once it was read. Its recipe stands for all that its documents depend on
        beside its bytes; ``own`` is the cut with which it was taken over, None for that of the generation."""
        chunker = chunker_fingerprint(own or self.sink.generation.chunking)
        many = format_of(PurePosixPath(found.path).name).kind == "jsonl"
        # each document of a corpus has labels of its own
        labels = self.labels.scopes if many else self.labels.of(found.path)
        recipe = fingerprint(PARSERS, chunker, analyser_version(), labels)
        return FileRow(found.path, found.stamp, "", "", recipe, own)

    def recut(self, row: FileRow, own: Chunking) -> FileRow:
        """What is known of a file once it is cut another way."""
        wanted = self.wanted(Found(row.path, row.stamp), own)
        return replace(row, recipe=wanted.recipe, chunking=own)


@dataclass
class Counts:
    """What a sync has done so far. ``taken`` counts the files it is through with."""

    report: SyncReport = field(default_factory=SyncReport)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[Skipped] = field(default_factory=list)
    doubtful: list[tuple[str, str]] = field(default_factory=list)
    taken: int = 0

    def add(self, **by: int) -> None:
        self.report = replace(
            self.report, **{name: getattr(self.report, name) + more for name, more in by.items()}
        )

    def finished(self) -> SyncReport:
        return replace(
            self.report,
            skipped=tuple(sorted(self.skipped, key=lambda each: each.path)),
            failed=tuple(sorted(self.failed, key=lambda each: each.path)),
            doubtful=tuple(sorted(self.doubtful)),
        )


def bring_up_to_date(target: Target, counts: Counts, *, cancel: CancelToken) -> Iterator[Progress]:
    """Sync the generation with the folder; what was committed before a ``Cancelled`` stays.

    What the library includes is remembered as soon as it is known to hold something.
    Raises ``SourceError`` where the folder cannot be listed, or lists nothing although documents were
    indexed: a folder that is not mounted looks like that, and nothing is deleted on its word.
    """
    yield Progress("discover", 0, 0)
    listing = discover(target.root, include=target.include, cancel=cancel)
    known, serving = _known(target.sink.generation), _known(target.before)
    _refuse_emptied(target, listing, {**serving, **known})
    if listing.files:
        target.sink.library.include_only(target.include)
    counts.skipped += listing.skipped
    counts.failed += (Skipped(path, "the folder could not be listed") for path in listing.unreadable)
    counts.add(seen=len(listing.files))
    target, moved = _named(target, listing, {**serving, **known}, cancel)
    yield from _take_in(target, counts, listing, known, moved, cancel)
    _carry_over_unlisted(target, counts, listing, serving, cancel)
    _drop_gone(target, counts, listing, known)


def _named(
    target: Target, listing: Listing, known: dict[str, FileRow], cancel: CancelToken
) -> tuple[Target, dict[str, str]]:
    """The target with the names that files go by after this scan, remembered; and which path was which before."""
    library = target.sink.library
    origins = Origins(library.origins())
    moved = renamed(target.root, listing, known, cancel=cancel)
    library.name_after(new_origins(origins, moved, listing, known))
    return replace(target, origins=Origins(library.origins())), moved


def _known(generation: Generation | None) -> dict[str, FileRow]:
    if generation is None:
        return {}
    with generation.reading() as connection:
        return store.files(connection)


def _refuse_emptied(target: Target, listing: Listing, known: dict[str, FileRow]) -> None:
    if listing.files or listing.unreadable or all(row.reason for row in known.values()):
        return
    kept = "and nothing was deleted from its index on that word"
    if target.include:
        patterns = quoted(" ".join(target.include), 200)
        raise SourceError(
            f"nothing in {target.root} matches {patterns}, {kept}", "say with --include what belongs to it"
        )
    raise SourceError(
        f"{target.root} holds no document any more, {kept}",
        "mount or restore the folder; to begin anew, delete its index",
    )


def _take_in(
    target: Target,
    counts: Counts,
    listing: Listing,
    known: dict[str, FileRow],
    moved: dict[str, str],
    cancel: CancelToken,
) -> Iterator[Progress]:
    """Read, cut and store what is new or changed. ``moved`` names the old path of what was renamed."""
    pace = Pace("index", len(listing.files))
    group = Group(target.sink)
    try:
        for found in listing.files:
            cancel.check()
            row, old = known.get(found.path), moved.get(found.path, "")
            as_before = row or known.get(old)
            wanted = target.wanted(found, as_before.chunking if as_before else None)
            if row is not None and (row.stamp, row.recipe, target.reread) == (
                wanted.stamp, wanted.recipe, False,
            ):  # fmt: skip
                _unchanged(counts, row)
            else:
                if old in known:  # its documents leave the old path in the commit that brings them to the new
                    group.flush()
                    group.drop(_documents_of(target, old))
                _take_in_file(target, counts, group, wanted, row, cancel, moved=bool(old))
                if group.overtaken:
                    group.overtaken = False
                    replay(target.sink, cancel=cancel)
            counts.taken += 1
            if (progress := pace.step(found.path)) is not None:
                yield progress
    finally:
        group.flush()
    yield pace.last()


def _unchanged(counts: Counts, row: FileRow) -> None:
    if row.reason:
        counts.skipped.append(Skipped(row.path, row.reason))
    else:
        counts.add(unchanged=1)


def _take_in_file(
    target: Target,
    counts: Counts,
    group: Group,
    wanted: FileRow,
    row: FileRow | None,
    cancel: CancelToken,
    *,
    moved: bool = False,
) -> None:
    """One file whose stamp or recipe is not the known one. What cannot be read just now keeps its
    documents."""
    path = wanted.path
    try:
        content = read(target.root, path, cancel=cancel)
    except Unreadable as error:
        if error.refused:
            refused = replace(wanted, reason=error.reason)
            _refuse(target, counts, group, refused, (Skipped(path, error.reason),))
        else:
            counts.failed.append(Skipped(path, error.reason))
            if row is None:
                _carry_over(target, counts, group, path, cancel)
        return
    fresh = replace(wanted, stamp=content.stamp, sha256=content.sha256)
    if row is not None and (row.sha256, row.recipe) == (content.sha256, wanted.recipe):
        _unchanged(counts, row)
        group.file(replace(fresh, reason=row.reason))
        return
    parsed = parse(path, content.raw)
    if parsed.skipped and not parsed.documents:
        _refuse(target, counts, group, replace(fresh, reason=parsed.skipped[0].reason), parsed.skipped)
        return
    counts.skipped += parsed.skipped
    if row is not None:
        group.flush()  # what replaces documents is committed by itself, and seen at once
    before = _documents_of(target, path)
    for document in parsed.documents:
        cancel.check()
        _take_in_document(
            target, counts, group, document, path, before.get(document.path),
            own=wanted.chunking, moved=moved, cancel=cancel,
        )  # fmt: skip
    gone = before.keys() - {document.path for document in parsed.documents}
    counts.add(deleted=len(gone))
    group.file(fresh, gone)
    if row is not None:
        group.flush()


def _refuse(target: Target, counts: Counts, group: Group, row: FileRow, skipped: tuple[Skipped, ...]) -> None:
    """A file that holds no document: told, and remembered so that it is not read again until it changes."""
    counts.skipped += skipped
    gone = _documents_of(target, row.path)
    counts.add(deleted=len(gone))
    group.file(row, gone)


def _take_in_document(
    target: Target,
    counts: Counts,
    group: Group,
    document: Document,
    file: str,
    before: Known | None,
    *,
    own: Chunking | None = None,
    moved: bool = False,
    cancel: CancelToken,
) -> None:
    labels = target.labels.of(document.path)
    if document.doubtful:
        counts.doubtful.append((document.path, document.encoding))
    if before == Known(document.revision, document.parser, labels):
        counts.add(unchanged=1)
        return
    identity = target.origins.identity(file, document.path)
    retrievable = put(target.sink, group, document, file, labels, identity, own, cancel=cancel)
    counts.add(**{"changed" if before else "renamed" if moved else "added": 1}, chunks=retrievable)


def put(
    sink: Sink,
    group: Group,
    document: Document,
    file: str,
    labels: tuple[str, ...],
    identity: str,
    own: Chunking | None,
    *,
    cancel: CancelToken,
) -> int:
    """Cut a document with its edits, ``own`` way or that of the generation, and hand it to the group; how many
    chunks are recalled."""
    edits = sink.library.last_edit()
    chunking = own or sink.generation.chunking
    prepared = prepared_with_edits(sink.library, document, file, labels, identity, chunking, cancel=cancel)
    revision = Revision(
        document.revision,
        document.text,
        document.encoding,
        document.doubtful,
        document.parser,
        document.title,
    )
    group.put(prepared, revision, edits)
    return sum(each.terms is not None for each in prepared.chunks)


def prepared_with_edits(
    library: LibraryFile,
    document: Document,
    file: str,
    labels: tuple[str, ...],
    identity: str,
    chunking: Chunking,
    *,
    cancel: CancelToken,
) -> PreparedDocument:
    """A document cut and analysed with every edit that has a place in it. Raises ``Cancelled``."""
    pins = anchored(
        library.pins(identity), document.revision, document.parser, document.text, library.text_of
    )
    return prepare(document, file, chunking, labels, identity=identity, pins=pins, cancel=cancel)


def _documents_of(target: Target, file: str) -> dict[str, Known]:
    with target.sink.generation.reading() as connection:
        return store.documents_of(connection, file)


def _carry_over_unlisted(
    target: Target, counts: Counts, listing: Listing, serving: dict[str, FileRow], cancel: CancelToken
) -> None:
    """What serves and lies below a folder that could not be listed goes on serving."""
    folders = tuple(f"{folder}/" for folder in listing.unreadable)
    group = Group(target.sink)
    for path in sorted(serving):
        if path.startswith(folders):
            _carry_over(target, counts, group, path, cancel)
    group.flush()


def _carry_over(target: Target, counts: Counts, group: Group, file: str, cancel: CancelToken) -> None:
    """Take a file's documents from the archive, as they serve; its stamp is left out, so that it is read again."""
    if target.before is None:
        return
    present = _documents_of(target, file)
    for document in archived_documents(target.before, target.sink.library, file):
        _take_in_document(target, counts, group, document, file, present.get(document.path), cancel=cancel)


def archived_documents(generation: Generation, library: LibraryFile, file: str) -> Iterator[Document]:
    """The documents of a file as a generation has them, with their archived texts; none whose text is not kept."""
    with generation.reading() as connection:
        records = store.records_of(connection, file)
    for record in records:
        archived = library.revision(record.revision, record.parser)
        if archived is not None:
            yield Document(
                path=record.path,
                revision=record.revision,
                text=archived.text,
                title=archived.title,
                kind=record.kind,
                language=record.language,
                parser=record.parser,
                encoding=archived.encoding,
                doubtful=archived.doubtful,
            )


def _drop_gone(target: Target, counts: Counts, listing: Listing, known: dict[str, FileRow]) -> None:
    """Forget the files that a whole listing does not hold; those below a folder that could not be listed
    stay."""
    present = {found.path for found in listing.files}
    kept = tuple(f"{folder}/" for folder in listing.unreadable)
    generation = target.sink.generation
    for path in sorted(known.keys() - present):
        if path.startswith(kept):
            continue
        with generation.writing() as connection:
            removed = store.remove(connection, store.documents_of(connection, path))
            store.forget_file(connection, path)
        generation.steps("documents.deleted")
        counts.add(deleted=removed)
