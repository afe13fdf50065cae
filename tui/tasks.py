"""Progress in words: how far a background task is, at what rate, and how long it will take. Pure."""

from __future__ import annotations

from engine.model import Progress, SyncReport

_VERBS = {
    "discover": "looking for files",
    "read": "indexing",
    "index": "indexing",
    "embed": "embedding",
    "publish": "publishing",
    "evaluate": "asking",
    "done": "",
}
_UNITS = {"embed": "chunks", "evaluate": "questions"}


READING = "reading the folder again"
"""What a sync that was asked for says until it has ended."""


def clock(seconds: float) -> str:
    """Seconds as ``0:04`` or ``1:02:03``."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3_600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def short(progress: Progress | None) -> str:
    """For the title line: ``embedding 12 left 0:04``; empty where nothing runs."""
    verb = "" if progress is None else _VERBS[progress.stage]
    if progress is None or not verb:
        return ""
    left = "" if progress.seconds_left is None else f" {clock(progress.seconds_left)}"
    return f"{verb} {progress.total - progress.done:,} left{left}" if progress.total else verb


def sentence(progress: Progress | None) -> str:
    """For the line above the keys: ``indexing 118 of 412 files, 52/s, 0:06 left``; empty where nothing
    runs.
    """
    verb = "" if progress is None else _VERBS[progress.stage]
    if progress is None or not verb or not progress.total:
        return verb
    parts = [f"{verb} {progress.done:,} of {progress.total:,} {_UNITS.get(progress.stage, 'files')}"]
    if progress.rate >= 0.5:
        parts.append(f"{progress.rate:,.0f}/s")
    if progress.seconds_left is not None:
        parts.append(f"{clock(progress.seconds_left)} left")
    return ", ".join(parts)


def changes(report: SyncReport) -> list[str]:
    """What a sync changed in the index, in counts: ``["2 added", "1 deleted"]``."""
    counts = (
        (report.added, "added"), (report.changed, "changed"), (report.renamed, "renamed"),
        (report.deleted, "deleted"),
    )  # fmt: skip
    return [f"{count:,} {what}" for count, what in counts if count]


def outcome(report: SyncReport) -> str:
    """How a sync ended: ``read 412 files: 2 added, 1 deleted``."""
    files = "1 file" if report.seen == 1 else f"{report.seen:,} files"
    return f"read {files}: {', '.join(changes(report)) or 'nothing changed'}"
