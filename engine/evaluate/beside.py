"""The library's own set as a plan: what its cases are asked under the settings in force. Blocking."""

from __future__ import annotations

from collections.abc import Sequence

from engine.catalogue.evidence import set_beside
from engine.evaluate.fit import fitted
from engine.evaluate.run import METRICS, Plan
from engine.evaluate.variants import in_force
from engine.library import Library
from engine.settings import Settings


def plan_beside(
    library: Library, settings: Settings, *, metrics: Sequence[str] = METRICS, scopes: Sequence[str] = ()
) -> Plan | None:
    """The set in the library's folder under these settings, what no longer fits the texts left out and named; None
    where there is no set.

    Raises ``SetError`` for a file that is no set and for one of which nothing fits, ``LibraryError``.
    """
    cases = set_beside(library.root)
    if cases is None:
        return None
    fit = fitted(library, cases, skip_invalid=True)
    return Plan(fit.cases, (in_force(settings),), tuple(metrics), tuple(scopes), skipped=fit.invalid)
