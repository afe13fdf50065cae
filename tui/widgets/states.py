"""What stands in the list where there is nothing to list: why, and what to do about it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model import ChannelRecall, Degradation, QueryTerm
from engine.settings import Retrieval
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, fit

Told = Sequence[tuple[str, str]]
"""Paragraphs: text and style."""


def nothing_asked(documents: int | None, indexing: str) -> Told:
    """No question was asked yet."""
    if indexing:
        return ((f"{indexing} · you can already ask", PLAIN), ("/ asks a question", MUTED))
    if documents is None:
        return (("opening the library", MUTED),)
    return ((f"/ asks a question of {figures.plural(documents, 'document')}", MUTED),)


def no_documents(skipped: Sequence[str], indexing: str) -> Told:
    """The library holds nothing yet, or nothing that could be read: what was skipped, and why."""
    if indexing:
        return ((f"{indexing} · you can already ask", PLAIN),)
    told = [("there is no document in this library", STRONG)]
    told += [(text.one_line(one), PLAIN) for one in skipped] or [("the folder holds no file to index", PLAIN)]
    return (*told, ("R reads the folder again", MUTED))


def nothing_found(
    channels: Sequence[ChannelRecall],
    terms: Sequence[QueryTerm],
    degraded: Sequence[Degradation],
    retrieval: Retrieval,
    scopes: Sequence[str],
    *,
    troubled: bool = False,
) -> Told:
    """What each channel looked for and why it is empty, then the nearest remedies.

    ``degraded`` says why a channel did not serve, ``troubled`` whether any of it is a fault with a remedy.
    """
    told = [("nothing found", STRONG)]
    told += [(f"{one.channel:<9} {_why_empty(one, terms, degraded, retrieval)}", PLAIN) for one in channels]
    if any(not one.requested for one in channels):
        told.append(("J K choose a muted weight, 0 brings it back", MUTED))
    if "*" not in scopes:
        told.append((f"f chooses whose documents are searched, now {', '.join(('public', *scopes))}", MUTED))
    return (*told, ("! shows the problems", MUTED)) if troubled else tuple(told)


def _why_empty(
    channel: ChannelRecall, terms: Sequence[QueryTerm], degraded: Sequence[Degradation], retrieval: Retrieval
) -> str:
    if not channel.requested:
        return "muted: its weight is 0"
    told = next((one.message for one in degraded if one.channel == channel.channel), "")
    if not channel.used:
        return text.one_line(told) or "off"
    if channel.channel == "vector":
        if retrieval.minimum_vector_similarity:
            least = figures.fixed(retrieval.minimum_vector_similarity)
            return f"none of {figures.whole(channel.of)} vectors comes near enough: min vec. is {least}"
        return f"none of {figures.whole(channel.of)} vectors"
    words = [text.one_line(term.term) for term in terms if term.channel == channel.channel]
    if not words:
        return text.one_line(told) or "the question holds no term for it"
    asked = ", ".join(words[:8]) + (", …" if len(words) > 8 else "")
    return f"no chunk of {figures.whole(channel.of)} holds {asked}"


def lines(told: Told, width: int, margin: int) -> tuple[Line, ...]:
    """Paragraphs in rows, each wrapped to the width, with a blank row before them."""
    lead = " " * (margin + 1)
    made: list[Line] = [fit(EMPTY, width)]
    for paragraph, style in told:
        for start, end in cells.wrap(paragraph, width - margin - 3):
            made.append(fit(((lead, PLAIN), (cells.row(paragraph, start, end), style)), width))
    return tuple(made)


def failed(sentence: str, remedy: str) -> Told:
    """The query gave nothing: what, where, and what to do."""
    return ((text.one_line(sentence), ATTENTION), (text.one_line(remedy), PLAIN))
