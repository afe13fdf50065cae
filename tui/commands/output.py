"""What the commands print: text made safe for a terminal, JSON in UTF-8, and progress on one line."""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.model import Progress

PROGRESS_SECONDS = 0.1
"""Time between two paintings of the progress line."""

# What JSON leaves as it is but a terminal would act on or hide: DEL and C1, soft hyphen, bidi and invisible
# format characters, line separators, lone surrogates, tags.
_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\xad\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def say(lines: Iterable[str]) -> None:
    """Lines of a result, on standard output. Each is one row: a control character shows as its picture."""
    from tui.text import one_line

    text = "".join(f"{one_line(line)}\n" for line in lines)
    with _result_stream():
        _write(sys.stdout, text)


def note(message: str) -> None:
    """One sentence on standard error."""
    from tui.text import one_line

    _write(sys.stderr, f"rankscope: {one_line(message)}\n")


def document(value: object) -> None:
    """One JSON document on standard output, in UTF-8 whatever the locale says."""
    raw = encoded(value)
    with _result_stream():
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()


@contextmanager
def _result_stream() -> Iterator[None]:
    """Standard output, which may be closed or full: the work then failed, for its result is lost.

    Raises ``RankscopeError``; ``BrokenPipeError`` passes, for a reader that has seen enough lost nothing.
    """
    from engine.errors import RankscopeError

    if sys.stdout is None:
        raise RankscopeError("the result cannot be written (standard output is closed)")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        remedy = "make room for it" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise RankscopeError(f"the result cannot be written ({error.strerror})", remedy) from error


def written(path: str | None, text: Callable[[], str]) -> None:
    """Write a text to a file that was asked for. Raises ``RankscopeError`` where that cannot be."""
    from pathlib import Path

    from engine.errors import RankscopeError

    if not path:
        return
    try:
        Path(path).write_text(text(), encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise RankscopeError(f"{path} cannot be written ({error.strerror})", "give another file") from error


def drop_output() -> None:
    """Send what is still to be flushed nowhere: Python would complain once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def encoded(value: object) -> bytes:
    """The JSON of a value: keys in their own order, nothing raw in it that a terminal would act on."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return _UNSAFE_IN_JSON.sub(_escape, text).encode("utf-8") + b"\n"


class ProgressLine:
    """Progress with rate and time left on one line of standard error; silent where that is no terminal."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._painted = 0.0
        self._dirty = False

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._shown or now - self._painted < PROGRESS_SECONDS:
            return
        self._painted, self._dirty = now, True
        from tui.cells import cut
        from tui.text import one_line

        columns = _columns()
        _write(sys.stderr, f"\r{cut(one_line(progress_text(progress)), columns - 1)}\x1b[K")

    def clear(self) -> None:
        """Take the line away, so that what comes next begins at its start."""
        if self._dirty:
            _write(sys.stderr, "\r\x1b[K")
            self._dirty = False


_STAGES = {
    "discover": "looking",
    "read": "reading",
    "index": "indexing",
    "embed": "embedding",
    "publish": "checking",
    "evaluate": "asking",
    "done": "done",
}


def progress_text(progress: Progress) -> str:
    """``indexing  118 of 412  52/s  0:06 left``."""
    parts = [_STAGES[progress.stage]]
    parts.append(f"{progress.done:,} of {progress.total:,}" if progress.total else f"{progress.done:,}")
    if progress.rate > 0:
        parts.append(f"{progress.rate:,.0f}/s" if progress.rate >= 10 else f"{progress.rate:.1f}/s")
    if progress.seconds_left is not None:
        parts.append(f"{clock(progress.seconds_left)} left")
    return "  ".join([*parts, progress.detail] if progress.detail else parts)


def clock(seconds: float) -> str:
    """``0:06``, ``12:34``, ``1:02:03``."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counted(number: int, thing: str) -> str:
    """``1 document``, ``2,000 documents``."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _write(stream: object, text: str) -> None:
    """Write and flush; what the locale's encoding lacks is escaped, never an error."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end="", file=stream, flush=True)  # type: ignore[call-overload]


def _escape(match: re.Match[str]) -> str:
    """``\\uXXXX``, as the surrogate pair that JSON wants for what lies beyond 16 bits."""
    import json

    return json.dumps(match[0])[1:-1]
