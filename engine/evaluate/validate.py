"""Checks a set against the texts of the library before anything runs, and finds where its evidence stands.

What passes is ``located``: every piece has its document's path and a span of the decoded text, so that the
judge compares spans and nothing else. Pure over a mapping from path to text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import SetError
from engine.evaluate.names import Names
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence, Preference
from engine.model import QUERY_LIMIT
from engine.settings.fields import quoted

Kind = Literal["query", "missing", "ambiguous", "out_of_range", "moved", "heading", "pin", "present"]

TOLD = 20
"""Problems that a message lists; the rest is a count."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one piece of a set. ``case_id`` is empty where it concerns the whole set."""

    case_id: str
    kind: Kind
    message: str

    def __str__(self) -> str:
        return f"{quoted(self.case_id)}: {self.message}" if self.case_id else self.message


@dataclass(frozen=True, slots=True)
class Checked:
    """A set whose sound cases are located. ``invalid`` are the ids of those left out, ``problems`` why."""

    evaluation: EvaluationSet
    problems: tuple[Problem, ...]
    invalid: tuple[str, ...]

    def usable(self, *, skip_invalid: bool = False) -> EvaluationSet:
        """The set, if nothing is wrong with it or what is wrong may be skipped.

        Raises ``SetError`` with the list of problems; and where skipping would leave no case.
        """
        if self.problems and not skip_invalid:
            told = [str(problem) for problem in self.problems[:TOLD]]
            if len(self.problems) > TOLD:
                told.append(f"and {len(self.problems) - TOLD} more")
            count = f"{len(self.problems)} problem{'s' if len(self.problems) > 1 else ''}"
            raise SetError(
                f"the set {quoted(self.evaluation.name)} does not fit the library, {count}: {told[0]}",
                "correct them, or leave those cases out with --skip-invalid",
                told if len(told) > 1 else (),
            )
        if not self.evaluation.cases:
            raise SetError(f"no case of {quoted(self.evaluation.name)} fits the library", "check its paths")
        return self.evaluation


class _Unfit(Exception):
    """One piece does not fit; carries the kind and the message."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def validate(
    evaluation: EvaluationSet,
    texts: Mapping[str, str],
    corpus_version: str = "",
    *,
    renamed: Mapping[str, str] | None = None,
) -> Checked:
    """Check every case. ``texts`` is document path → decoded text of all that the library holds, whoever may
    see it; ``corpus_version`` that of the owner, held against the set's pin where it has one. ``renamed`` has the
    present path of each document by those at which it stood before: evidence follows its document."""
    finder = _Finder(texts, renamed or {})
    problems = [*_pinned(evaluation, corpus_version), *_held(evaluation, finder.names)]
    sound: list[Case] = []
    invalid: list[str] = []
    for case in evaluation.cases:
        case, found = _checked(case, finder)
        problems += found
        if found:
            invalid.append(case.id)
        else:
            sound.append(case)
    return Checked(replace(evaluation, cases=tuple(sound)), tuple(problems), tuple(invalid))


def _pinned(evaluation: EvaluationSet, corpus_version: str) -> Iterator[Problem]:
    pin = evaluation.corpus_pin.lower()
    if pin and corpus_version and not corpus_version.startswith(pin):
        yield Problem("", "pin", f"it was written for corpus {pin[:12]}, and this is {corpus_version[:12]}")


def _held(evaluation: EvaluationSet, names: Names) -> Iterator[Problem]:
    """Documents that must be absent and are not: questions on them do have an answer here."""
    held = [name for name in evaluation.absent if names.of(name)]
    if held:
        yield Problem(
            "",
            "present",
            f"the library holds {len(held)} of {len(evaluation.absent)} documents that the set expects to be "
            f"absent, {quoted(held[0])} first",
        )


def _checked(case: Case, finder: _Finder) -> tuple[Case, list[Problem]]:
    problems: list[Problem] = []

    def located(piece: Evidence, place: str) -> Evidence:
        try:
            return finder.locate(piece)
        except _Unfit as unfit:
            problems.append(Problem(case.id, unfit.kind, f"{place}: {unfit.message}"))
            return piece

    if not case.query.strip("\0 \t\r\n"):
        problems.append(Problem(case.id, "query", "its query is empty"))
    elif len(case.query) > QUERY_LIMIT:
        told = f"its query has {len(case.query):,} characters, {QUERY_LIMIT:,} is the most"
        problems.append(Problem(case.id, "query", told))
    case = replace(
        case,
        claims=tuple(_claim(claim, located) for claim in case.claims),
        preferences=tuple(
            Preference(located(pair.better, f"pair {n}, better"), located(pair.worse, f"pair {n}, worse"))
            for n, pair in enumerate(case.preferences, 1)
        ),
        irrelevant=tuple((next(iter(finder.names.of(name)), name), grade) for name, grade in case.irrelevant),
    )
    return case, problems


def _claim(claim: Claim, located: Callable[[Evidence, str], Evidence]) -> Claim:
    pieces = (located(piece, f"claim {claim.id}, evidence {n}") for n, piece in enumerate(claim.evidence, 1))
    return replace(claim, evidence=tuple(pieces))


class _Finder:
    """Finds pieces in the texts; remembers where passages stand, for many questions share one."""

    def __init__(self, texts: Mapping[str, str], renamed: Mapping[str, str]) -> None:
        self.names = Names(texts)
        self._renamed = renamed
        self._texts = texts
        self._passages: dict[tuple[str, str], tuple[str, int]] = {}

    def locate(self, piece: Evidence) -> Evidence:
        """The same piece, located. Raises ``_Unfit``."""
        if piece.file not in self._texts and piece.file in self._renamed:
            piece = replace(piece, file=self._renamed[piece.file])
        if piece.passage:
            return self._within_passage(piece)
        if piece.whole:
            path = self._document(piece.file)
            if piece.heading:
                _under(self._text(path), piece)
            return replace(piece, file=path)
        text = self._text(piece.file)
        start, end = _span(text, piece)
        _under(text, piece)
        return replace(piece, start=start, end=end)

    def _document(self, name: str) -> str:
        """The one path that a document's name stands for."""
        paths = self.names.of(name)
        if len(paths) > 1:
            raise _Unfit(
                "ambiguous",
                f"{quoted(name, 120)} stands for {len(paths)} documents, {quoted(paths[0], 120)} first",
            )
        if not paths:
            raise self._no_document(name)
        return paths[0]

    def _text(self, path: str) -> str:
        text = self._texts.get(path)
        if text is None:
            raise self._no_document(path)
        return text

    def _no_document(self, name: str) -> _Unfit:
        near = self.names.near(name)
        hint = f"; did you mean {quoted(near, 120)}?" if near else ""
        return _Unfit("missing", f"the library holds no {quoted(name, 120)}{hint}")

    def _within_passage(self, piece: Evidence) -> Evidence:
        path, offset = self._passage(piece)
        start, end = (
            _span(piece.passage, piece) if piece.text or piece.start is not None else (0, len(piece.passage))
        )
        return replace(piece, file=path, passage="", start=offset + start, end=offset + end)

    def _passage(self, piece: Evidence) -> tuple[str, int]:
        key = (piece.file, piece.passage)
        if key not in self._passages:
            paths = [self._document(piece.file)] if piece.file else list(self._texts)
            found = [place for path in paths for place in self._places(path, piece.passage)]
            if not found:
                raise _Unfit("missing", f"no document holds the passage {quoted(piece.passage)}")
            if len(found) > 1:
                told = f"the library holds the passage {quoted(piece.passage)} more than once"
                raise _Unfit("ambiguous", told)
            self._passages[key] = found[0]
        return self._passages[key]

    def _places(self, path: str, passage: str) -> Iterator[tuple[str, int]]:
        """Where a document holds the passage, its second place at most."""
        text = self._texts.get(path, "")
        first = text.find(passage)
        if first >= 0:
            yield path, first
            if text.find(passage, first + 1) >= 0:
                yield path, text.find(passage, first + 1)


def _span(text: str, piece: Evidence) -> tuple[int, int]:
    """Where a piece stands in a text, by its offsets, its own text, or both, which must then agree."""
    if piece.start is None or piece.end is None:
        return _occurrence(text, piece)
    start, end = piece.start, piece.end
    if not 0 <= start < end <= len(text):
        raise _Unfit("out_of_range", f"[{start}, {end}) is beyond {_of(piece)} with {len(text):,} characters")
    if piece.text and text[start:end] != piece.text:
        place = text.find(piece.text)
        elsewhere = f"which stands at {place}" if place >= 0 else "nor does the rest of it"
        raise _Unfit(
            "moved", f"[{start}, {end}) of {_of(piece)} does not hold {quoted(piece.text)}, {elsewhere}"
        )
    return start, end


def _occurrence(text: str, piece: Evidence) -> tuple[int, int]:
    """The one place where a piece's text stands; occurrences that overlap are two."""
    first = text.find(piece.text)
    if first < 0:
        spaced = _SPACE.sub("", piece.text) in _SPACE.sub("", text)
        hint = "; only its spaces or line ends differ" if spaced else ""
        raise _Unfit("missing", f"{_of(piece)} does not hold {quoted(piece.text)}{hint}")
    if text.find(piece.text, first + 1) >= 0:
        raise _Unfit("ambiguous", f"{_of(piece)} holds {quoted(piece.text)} more than once; quote more of it")
    return first, first + len(piece.text)


def _under(text: str, piece: Evidence) -> None:
    """A heading that the document does not hold at all stands above nothing."""
    if piece.heading and _SPACE.sub("", piece.heading) not in _SPACE.sub("", text):
        raise _Unfit("heading", f"{_of(piece)} has no heading {quoted(piece.heading)}")


def _of(piece: Evidence) -> str:
    return "its passage" if piece.passage else quoted(piece.file, 120)
