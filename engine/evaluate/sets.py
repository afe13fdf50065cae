"""An evaluation set as frozen data: questions, the evidence that answers them, and what must not be answered.

Every format is read into these (``formats``); ``validate`` finds the evidence in the library's own texts.
Pure; imports nothing of the engine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

SET_VERSION = 1
"""The version of our own format that this code reads and writes."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of one document that supports a claim.

    ``file`` is the document's path below the library's root. ``text`` is an exact substring, ``start`` and
    ``end`` a span in code points of the decoded text; with neither, any part of the document will do
    (``whole``). ``heading`` is one that must stand above it. ``passage`` is a longer text of the document
    that ``start`` and ``end`` then count from; ``file`` may be empty beside it, for formats that name none.

    What ``validate`` hands on is ``located``: it has file, start and end of the document, and no passage.
    """

    file: str
    text: str = ""
    start: int | None = None
    end: int | None = None
    heading: str = ""
    passage: str = ""

    @property
    def whole(self) -> bool:
        """Whether the whole document is the evidence, so that any chunk of it serves."""
        return not self.text and self.start is None and not self.passage

    @property
    def located(self) -> bool:
        """Whether it can be compared with a chunk: a whole document, or a span of one."""
        return bool(self.file) and not self.passage and (self.whole or self.end is not None)


@dataclass(frozen=True, slots=True)
class Claim:
    """Something an answer must say. Any one piece of ``evidence`` satisfies it.

    ``grade`` is at least 1, the gain in nDCG. ``required_terms`` must stand in an answer that makes the claim.
    """

    id: str
    evidence: tuple[Evidence, ...]
    required_terms: tuple[str, ...] = ()
    grade: int = 1


@dataclass(frozen=True, slots=True)
class Preference:
    """Two passages of which ``better`` must rank above ``worse`` for this question."""

    better: Evidence
    worse: Evidence


@dataclass(frozen=True, slots=True)
class Case:
    """One question. ``scopes`` are those of the principal who asks, beside ``public``.

    An answerable case without claims (all its judgements are 0) is ``not scorable``: counted apart, never
    averaged. ``irrelevant`` are documents judged and found not relevant, with their grades, kept so that a
    judgement file can be written as it was read.
    """

    id: str
    query: str
    lang: str = ""
    kind: str = ""
    scopes: tuple[str, ...] = ()
    answerable: bool = True
    claims: tuple[Claim, ...] = ()
    forbidden_claims: tuple[str, ...] = ()
    expected_reason: str = ""
    preferences: tuple[Preference, ...] = ()
    irrelevant: tuple[tuple[str, int], ...] = ()

    @property
    def scorable(self) -> bool:
        """Whether ranking metrics are defined for it: there is something relevant to find."""
        return bool(self.claims)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every piece, whatever its claim."""
        return tuple(piece for claim in self.claims for piece in claim.evidence)


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Cases in the order of their source.

    ``corpus_pin`` is the corpus version (or its first characters) that the set was written against, empty
    where it names none. ``source_hash`` is the SHA-256 of what was read. ``absent`` are documents that the
    library must not hold, so that questions on them have no answer.
    """

    version: int
    name: str
    cases: tuple[Case, ...]
    corpus_pin: str = ""
    source_hash: str = ""
    absent: tuple[str, ...] = ()

    @property
    def by_document(self) -> bool:
        """Whether whole documents are judged; a document's rank is then its first chunk's."""
        pieces = [piece for case in self.cases for piece in case.evidence]
        return bool(pieces) and all(piece.whole for piece in pieces)

    def only(self, *, lang: Collection[str] = (), kind: Collection[str] = ()) -> EvaluationSet:
        """The cases of these languages and kinds; an empty selection takes all."""
        chosen = (
            case for case in self.cases if (not lang or case.lang in lang) and (not kind or case.kind in kind)
        )
        return replace(self, cases=tuple(chosen))
