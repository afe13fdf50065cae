r"""How a file's name becomes a document's path, and back. Pure; imports nothing of the engine.

On POSIX a name is bytes: any but NUL and ``/``. A path is text that JSON, SQLite and a terminal can carry.
Where the two differ, bytes are written ``\xHH`` (upper-case hex): those that are not UTF-8, and those of
control and bidi characters. A backslash that would read as such an escape becomes ``\x5C``. Every other name
stays exactly as it is, NFC or NFD, so a path maps back to the very bytes on disk.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\udc80-\udcff\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\\\\(?=x[0-9A-F]{2})"
)
_ESCAPE = re.compile(rb"\\x([0-9A-F]{2})")


def path_of(name: bytes) -> str:
    r"""The path that stands for a file name or a relative path: ``caf\xE9.md``, ``a\x0Ab.md``."""
    return _UNSAFE.sub(_escaped, name.decode("utf-8", "surrogateescape"))


def name_of(path: str) -> bytes:
    """The bytes on disk that ``path`` stands for: ``name_of(path_of(name)) == name``."""
    raw = path.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode("ascii")), raw)


def _escaped(unsafe: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02X}" for byte in unsafe[0].encode("utf-8", "surrogateescape"))
