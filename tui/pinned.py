"""State A: what moves and differences are measured against. Pure, but for the ranking that it needs.

Without a pin it is the saved settings. A pin keeps the trace as it stood, so that a changed index is a
difference too; for another question it is the pinned settings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.bridge import covers, settle
from tui.state import RETRIEVAL, Pin, View
from tui.widgets import figures

if TYPE_CHECKING:
    from engine.settings import Features, Retrieval, Settings
    from engine.trace import Trace


def referenced(view: View) -> View:
    """The view with its reference: the pinned trace for the same question, else the same recall under the
    settings of A. Where those ask what this recall does not hold, nothing moved as far as can be told.
    """
    trace, pin = view.trace, view.pin
    if trace is None:
        return view
    if pin is not None and pin.trace is not None and _same_question(pin.trace, trace):
        return replace(view, reference=pin.trace)
    settings = pin.settings if pin is not None else view.saved
    same = _ranks_by(settings) == _ranks_by(view.settings) or not covers(trace.recall, settings)
    return replace(view, reference=trace if same else settle(trace.recall, settings))


def toggled(view: View) -> View:
    """The present state pinned as A; pinned again where it is A already, it is taken off."""
    if view.trace is None:
        return replace(view, note="nothing to pin yet: / asks a question")
    pin = view.pin
    if pin is not None and _stands_at(pin, view):
        return referenced(replace(view, pin=None, note="A is taken off: vs A is against the file's settings"))
    word = "moved to" if pin is not None else "pinned at"
    count = sum(
        getattr(view.retrieval, known.name) != getattr(view.saved.retrieval, known.name)
        for known in RETRIEVAL
    )
    state = f"{figures.plural(count, 'setting')} that differ{'s' if count == 1 else ''} from the file"
    told = f"A {word} this state, with {state if count else 'the settings of the file'}; p again takes it off"
    return referenced(replace(view, pin=Pin(view.settings, view.trace), note=told))


def forgotten(view: View) -> View:
    """The view without what a former principal saw in state A; its settings stay."""
    return view if view.pin is None else replace(view, pin=replace(view.pin, trace=None))


def asked_with(view: View) -> Retrieval:
    """What the next question is recalled with: the settings in force, and what those of A need beside them."""
    now = view.retrieval
    if view.pin is None:
        return now
    a = view.pin.settings.retrieval
    reranks = {now.rerank, a.rerank}
    return replace(
        now,
        fulltext_weight=now.fulltext_weight or a.fulltext_weight,
        cjk_weight=now.cjk_weight or a.cjk_weight,
        vector_weight=now.vector_weight or a.vector_weight,
        graph_weight=now.graph_weight or a.graph_weight,
        adjacent_chunk_count=max(now.adjacent_chunk_count, a.adjacent_chunk_count),
        required_terms=now.required_terms or a.required_terms,
        rerank="learned" if "learned" in reranks else "local" if "local" in reranks else "off",
    )


def _ranks_by(settings: Settings) -> tuple[Retrieval, Features]:
    """The part of the settings that an answer depends on."""
    return settings.retrieval, settings.features


def _same_question(one: Trace, other: Trace) -> bool:
    return (one.recall.query, one.recall.scopes) == (other.recall.query, other.recall.scopes)


def _stands_at(pin: Pin, view: View) -> bool:
    """Whether the present state is the pinned one: its settings, and for its question the same index."""
    assert view.trace is not None
    if _ranks_by(pin.settings) != _ranks_by(view.settings):
        return False
    if pin.trace is None or not _same_question(pin.trace, view.trace):
        return True
    return pin.trace.recall.state == view.trace.recall.state
