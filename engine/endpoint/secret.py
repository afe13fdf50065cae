"""The key of an endpoint: read from the variable that the user's settings name, when it is needed, and taken
out of everything that is shown.
"""

from __future__ import annotations

import json
import os

from engine.errors import EndpointError

HIDDEN = "[key]"
EXCERPT_BYTES = 4_096
"""What is shown of a server's error, at most."""


def secret(variable: str) -> str:
    """The key, or nothing where the settings name no variable.

    Raises ``EndpointError`` for a variable that is not set or holds no key; its message has nothing of the
    value.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise EndpointError(
            f"the environment variable {variable}, which should hold the key, is not set",
            "set it before starting, or take its name out of the settings",
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise EndpointError(
            f"the environment variable {variable} holds characters that no key has", "set it again"
        )
    return key


def redacted(text: str, key: str) -> str:
    """The text without the key, however a JSON writer may have escaped it."""
    if not key:
        return text
    escaped = json.dumps(key)[1:-1]
    for form in {key, escaped, escaped.replace("/", "\\/")}:
        text = text.replace(form, HIDDEN)
    return text


def excerpt(body: bytes, key: str) -> str:
    """What a server said, for a message: without the key, on one line, at most ``EXCERPT_BYTES`` in UTF-8.

    The key goes first: a cut through it would leave its beginning.
    """
    text = redacted(body.decode("utf-8", "replace"), key)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line.encode("utf-8", "replace")[:EXCERPT_BYTES].decode("utf-8", "ignore")
