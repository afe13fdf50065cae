"""What a check found: what is wrong, where, how bad, and how it is mended. Pure data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from engine.errors import LibraryError

Severity = Literal["error", "warning", "note"]
"""``error``: the index is not what it should be. ``warning``: it is behind the folder. ``note``: nothing is wrong,
something is left over or unfinished; notes alone leave an index clean."""

Mend = Literal[
    "none", "sync", "tidy", "replay", "edits", "archive", "rebuild", "document", "postings", "pages", "vectors",
    "counts", "cache",
]  # fmt: skip
"""What a repair does about it: nothing, or which part it makes anew. ``sync`` is left to the user: it follows the
folder."""

REMEDIES: dict[Mend, str] = {
    "none": "restore it from a backup",
    "sync": "`rankscope index PATH` brings it up to date",
    "rebuild": "`rankscope verify PATH --repair` builds the generation anew",
    "document": "`rankscope verify PATH --repair` takes the document in anew, from the archive",
    "postings": "`rankscope verify PATH --repair` posts every chunk anew",
    "pages": "`rankscope verify PATH --repair` embeds what stood there anew, from the cache where it can",
    "vectors": "`rankscope verify PATH --repair` embeds every chunk anew, from the cache where it can",
    "counts": "`rankscope verify PATH --repair` counts anew",
    "cache": "`rankscope verify PATH --repair` begins the cache anew; it costs only time",
    "archive": "`rankscope verify PATH --repair` archives it anew from the unchanged file",
    "tidy": "nothing to do: the next writer removes it",
    "replay": "nothing to do: the next writer applies it",
    "edits": "`rankscope verify PATH --repair` takes them from their history anew",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """``code`` is stable, for programs; ``where`` a path of the index or of a document; ``what`` a sentence.

    ``derived`` is whether it can be made again without anything of the user's. ``target`` is what the mend works
    on: a document's path, or an embedder's fingerprint. ``remedy`` is empty where the mend's own says enough.
    """

    code: str
    where: str
    what: str
    severity: Severity = "error"
    derived: bool = True
    mend: Mend = "none"
    target: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"

    @property
    def how(self) -> str:
        """What to do about it."""
        return self.remedy or REMEDIES[self.mend]

    def to_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity,
            "where": self.where,
            "what": self.what,
            "derived": self.derived,
            "remedy": self.how,
        }


@dataclass(frozen=True, slots=True)
class Verified:
    """The end of a verification: every finding, the worst first, and what was looked at."""

    findings: tuple[Finding, ...]
    documents: int
    chunks: int
    vectors: int
    files: int

    @property
    def clean(self) -> bool:
        return all(finding.severity == "note" for finding in self.findings)


class Findings:
    """Collects findings; of one code that fills a page only the first are kept, and the others counted."""

    KEPT = 1_000

    def __init__(self) -> None:
        self._all: list[Finding] = []
        self._counts: dict[str, int] = {}

    def add(self, *findings: Finding) -> None:
        for finding in findings:
            self._counts[finding.code] = count = self._counts.get(finding.code, 0) + 1
            if count <= self.KEPT:
                self._all.append(finding)

    @contextmanager
    def told(
        self, code: str, where: str, mend: Mend = "none", *, derived: bool = True, target: str = ""
    ) -> Iterator[None]:
        """What stops a check is a finding, and the next check goes on.

        A value of another type than its column's, or no JSON where there should be some, is damage that no single
        check need foresee.
        """
        try:
            yield
        except LibraryError as error:
            what, remedy = error.problem, error.remedy
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            what, remedy = f"it does not hold what it should ({error})", ""
        else:
            return
        self.add(
            Finding(
                code, where, what, derived=derived, mend=mend, target=target, remedy="" if derived else remedy
            )
        )

    def has(self, *mends: Mend) -> bool:
        return any(finding.mend in mends for finding in self._all)

    def sorted(self) -> tuple[Finding, ...]:
        """The worst first; then as they were found."""
        order: list[Severity] = ["error", "warning", "note"]
        more = [
            Finding(code, "in all", f"{count:,} findings of this kind, {self.KEPT:,} of them listed", "note")
            for code, count in self._counts.items()
            if count > self.KEPT
        ]
        return tuple(sorted([*self._all, *more], key=lambda finding: order.index(finding.severity)))
