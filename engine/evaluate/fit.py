"""A set made to fit a library: checked against its texts, every piece with its place and its own words.

Documents that a set wants absent are taken away in a copy of the corpus, so that the library itself stays as it is.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from engine.evaluate.archive import ArchivedTexts
from engine.evaluate.formats.beir import corpus_without
from engine.evaluate.names import Names
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.evaluate.validate import Checked, Problem, validate
from engine.ingest.formats import CORPUS
from engine.library import Library
from engine.model import OWNER
from engine.pipeline.query import index_state
from engine.store.connect import translated
from engine.store.labels import label_sets, visible
from engine.store.library_file import LibraryFile
from engine.store.places import Places, locate


@dataclass(frozen=True, slots=True)
class Fitted:
    """A set that can be run. ``invalid`` are the ids of cases left out, ``problems`` why."""

    cases: EvaluationSet
    invalid: tuple[str, ...]
    problems: tuple[Problem, ...]


def fitted(library: Library, cases: EvaluationSet, *, skip_invalid: bool = False) -> Fitted:
    """The set with every piece of evidence found in the library's texts. Blocks.

    Raises ``SetError`` with the list of what does not fit, unless ``skip_invalid`` leaves those cases out.
    """
    return _fit(library, cases, lambda checked: checked.usable(skip_invalid=skip_invalid))


def fitting(library: Library, cases: EvaluationSet) -> Fitted:
    """What of a set fits, which may be nothing, and why the rest does not. Blocks."""
    return _fit(library, cases, lambda checked: checked.evaluation)


def _fit(library: Library, cases: EvaluationSet, of: Callable[[Checked], EvaluationSet]) -> Fitted:
    generation = library.serving()
    with generation.reading() as connection:
        state = index_state(generation, visible(label_sets(connection), (OWNER,)))
    with closing(LibraryFile(library.places.library)) as file:
        texts = ArchivedTexts(generation, file)
        checked = validate(cases, texts, state.corpus_version, renamed=texts.renamed())
        return Fitted(quoted_from(of(checked), texts), checked.invalid, checked.problems)


def quoted_from(cases: EvaluationSet, texts: Mapping[str, str]) -> EvaluationSet:
    """The set with the words of every span: what the packed context must hold, however it was cut."""

    def quoted(piece: Evidence) -> Evidence:
        return piece if piece.whole else replace(piece, text=texts[piece.file][piece.start : piece.end])

    def of_claim(claim: Claim) -> Claim:
        return replace(claim, evidence=tuple(quoted(piece) for piece in claim.evidence))

    def of_case(case: Case) -> Case:
        return replace(case, claims=tuple(of_claim(claim) for claim in case.claims))

    return replace(cases, cases=tuple(of_case(case) for case in cases.cases))


# --- documents that must be absent --------------------------------------------------------------------------


def without_absent(library: Library, cases: EvaluationSet) -> Path | None:
    """A folder that holds the library's corpus without the documents that the set wants absent; None where the
    library holds none of them. Blocks.

    It lies in the index of the library and may be deleted at any time; what is embedded already goes along.
    """
    generation = library.serving()
    with generation.reading() as connection:
        paths = [row[0] for row in connection.execute("SELECT path FROM document")]
    names = Names(paths)
    absent = tuple(path for name in cases.absent for path in names.of(name))
    if not absent:
        return None
    text = "".join(corpus_without(library.root, absent))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    folder = library.places.base / "evaluation" / digest
    with translated(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / CORPUS).exists():
            partial = folder / f".{CORPUS}.{os.getpid()}"
            partial.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
            partial.replace(folder / CORPUS)
    _seed(library.places, locate(folder))
    return folder


def _seed(known: Places, fresh: Places) -> None:
    """Copy the embeddings that are cached, unless the fresh index has a cache of its own."""
    if fresh.cache.exists() or not known.cache.exists():
        return
    fresh.create()
    with translated(known.cache):
        try:
            with (
                closing(sqlite3.connect(f"{known.cache.as_uri()}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(fresh.cache)) as target,
            ):
                source.backup(target)
        except sqlite3.Error:
            fresh.cache.unlink(missing_ok=True)  # a cache only saves time
