"""A real pseudo-terminal with an emulator behind it: start a program in it, press keys, read the screen,
count bytes.

The emulator is pyte; what it does not know (synchronised output, key protocols) is taken out before it sees
it, and its fault of dropping the rest of a run after a character of no width is mended.
"""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

import pyte
from wcwidth import wcwidth

_UNKNOWN = re.compile(
    r"\x1b\[\?\d+\$p|\x1b\[[<>=?]\d*u|\x1bP[^\x1b]*\x1b\\|\x1b\[\d+ q|\x1b\[>\d+;?\d*[mq]|\x1b\[\?2026[hl]"
)
QUIET = 0.15


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    """This process's environment as a terminal with all colours has it. A size in it would win over the
    terminal's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **own}


class Emulated(pyte.Screen):
    """A screen that leaves out characters of no width, as terminals do, and goes on after them; it answers
    questions."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None]) -> None:
        super().__init__(columns, rows)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        self._answer(data)

    def draw(self, data: str) -> None:
        super().draw("".join(character for character in data if wcwidth(character) > 0))


class Terminal:
    """A program under a pseudo-terminal of ``columns`` by ``rows``. Use it as a context manager."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 120,
        rows: int = 40,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.screen = Emulated(columns, rows, lambda answer: self._answer(answer))
        self._stream = pyte.Stream(self.screen)
        self.raw = b""
        self._held = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.returned: int | None = None
        self.pid, self.master = pty.fork()
        if self.pid == 0:  # pragma: no cover
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(command[0], list(command), _environment(environment or {}))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.returned is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)

    def _answer(self, answer: str) -> None:
        os.write(self.master, answer.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, and tell the program."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        os.kill(self.pid, signal.SIGWINCH)

    def press(self, keys: str, quiet: float = QUIET) -> int:
        """Send keys as a terminal does, wait until the screen is quiet, and count the bytes that came."""
        os.write(self.master, keys.encode())
        return self.settle(quiet)

    def settle(self, quiet: float = QUIET, timeout: float = 20.0) -> int:
        """Read until nothing has come for ``quiet`` seconds; the bytes read."""
        count, deadline = 0, time.monotonic() + timeout
        while time.monotonic() < deadline:
            if not select.select([self.master], [], [], quiet)[0]:
                break
            if not (part := self.read()):
                break
            count += part
        return count

    def wait_for(self, text: str, timeout: float = 30.0) -> None:
        """Read until the screen shows the text."""
        deadline = time.monotonic() + timeout
        while text not in self.text:
            left = deadline - time.monotonic()
            assert left > 0, f"{text!r} is not on the screen:\n{self.text}"
            if select.select([self.master], [], [], min(left, 0.2))[0] and not self.read():
                break
        assert text in self.text, f"the program ended without {text!r}:\n{self.last_words}"

    def wait(self, timeout: float = 20.0) -> int:
        """Read until the program ends; its exit code."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.05)[0]:
                self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returned = os.waitstatus_to_exitcode(status)
                return self.returned
        raise AssertionError(f"the program did not end:\n{self.text}")

    @property
    def rows(self) -> list[str]:
        """What the screen shows, row by row; a wide character is one character."""
        return list(self.screen.display)

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def last_words(self) -> str:
        """The last that came, without control sequences: where a traceback is found."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.raw[-8_000:].decode("utf-8", "replace"))

    def read(self) -> int:
        """Read what is there and draw it; how many bytes it was, 0 where the program has ended."""
        try:
            part = os.read(self.master, 65_536)
        except OSError:
            return 0
        self.raw += part
        self._feed(self._decoder.decode(part))
        return len(part)

    def _feed(self, text: str) -> None:
        """Give the emulator whole sequences only; one that is cut waits for the rest."""
        text = self._held + text
        cut = text.rfind("\x1b")
        if (
            cut >= 0
            and len(text) - cut < 24
            and not re.search(r"\x1b(\[[0-9;?<>=$ ]*[@-~]|[^\[P])", text[cut:])
        ):
            self._held, text = text[cut:], text[:cut]
        else:
            self._held = ""
        self._stream.feed(_UNKNOWN.sub("", text))
