"""The evidence that lies beside a library: the pieces of its own evaluation set, where they stand in its documents.

Blocking. What no longer fits the texts is left out and counted; a set never stops anybody from looking at a cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from engine.catalogue.what_if import Piece, evidence_of
from engine.errors import SetError
from engine.evaluate.archive import ArchivedTexts
from engine.evaluate.formats import read_set
from engine.evaluate.sets import EvaluationSet
from engine.evaluate.validate import validate
from engine.store.generation import Generation
from engine.store.library_file import LibraryFile

SET = "evaluation.toml"
"""The library's own evaluation set, in its root."""

SIZE_LIMIT = 16 << 20
"""Bytes of a set that is read unasked."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The pieces of the library's own set by document. ``cases`` are those that fit, ``invalid`` counts the others,
    and ``wrong`` says why the file as a whole is no set."""

    pieces: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    cases: int = 0
    invalid: int = 0
    wrong: str = ""


def set_beside(root: Path) -> EvaluationSet | None:
    """The set in a library's folder as it is written; None where there is none, or one too large to be read unasked.

    Raises ``SetError`` for a file that cannot be read or is no set.
    """
    path = root / SET
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > SIZE_LIMIT:
            return None
        return read_set(path)
    except OSError as error:
        raise SetError(f"{SET} cannot be read: {error.strerror or error}", "make it readable") from error


def evidence_beside(root: Path, generation: Generation, archive: Path) -> Beside:
    """What the set in a library's folder needs of its documents; nothing where there is no set.

    Raises ``LibraryError`` or one of its kinds where the archive is damaged.
    """
    try:
        found = set_beside(root)
    except SetError as error:
        return Beside(wrong=str(error))
    if found is None:
        return Beside()
    with closing(LibraryFile(archive)) as file:
        texts = ArchivedTexts(generation, file)
        checked = validate(found, texts, renamed=texts.renamed())
    return Beside(evidence_of(checked.evaluation), len(checked.evaluation.cases), len(checked.invalid))
