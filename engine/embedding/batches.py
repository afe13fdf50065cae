"""How much an embedding endpoint takes at once: learned downward from what it refuses. Knows no network.

No server says beforehand how many texts, or how much text, one request may hold (10, 32, 96, 2,048 texts; 512
or 8,192 tokens), and they refuse in as many words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import EndpointError

TEXTS = 64
CHARACTERS = 60_000
"""Code points of one request: 60,000 tokens at most, and seconds, not minutes, on a small server."""

LONGEST = 128_000
"""UTF-8 bytes of one text: all that is ever embedded."""

SHORTEST = 256
"""UTF-8 bytes below which a text that is refused is not too long."""

_MANY = re.compile(r"batch.?size|number of (inputs|texts)|too many (inputs|texts)|array", re.I)
_LONG = re.compile(r"token|context|length|too (long|large)|payload|exceed", re.I)


@dataclass(slots=True)
class Limits:
    """What one request may hold. ``longest`` is in UTF-8 bytes, which are nearer to tokens in every script
    than characters are."""

    texts: int = TEXTS
    characters: int = CHARACTERS
    longest: int = LONGEST
    _served_texts: int = 0
    _served_characters: int = 0

    def count(self, texts: Sequence[str], *, beside: int = 0) -> int:
        """How many of these texts, from the first, go into one request that holds ``beside`` more; at least
        one."""
        characters = 0
        for place, text in enumerate(texts):
            characters += len(text)
            if place and (place + beside >= self.texts or characters > self.characters):
                return place
        return len(texts)

    def served(self, texts: Sequence[str], *, beside: int = 0) -> None:
        """Note that a request with these texts was answered."""
        count = len(texts) + (beside if self.texts > 1 else 0)
        self._served_texts = max(self._served_texts, count)
        self._served_characters = max(self._served_characters, sum(map(len, texts)))

    def shrink(self, error: EndpointError, texts: Sequence[str], *, beside: int = 0) -> bool:
        """Learn from the refusal of these texts; whether asking for less may help.

        A single text that is refused was no matter of the batch: what was learned on the way to it is
        forgotten, down to what had served before.
        """
        long = not _MANY.search(error.told) and (error.status == 413 or bool(_LONG.search(error.told)))
        if long and len(texts) > 1:
            self.characters = max(1, sum(map(len, texts)) // 2)
            return True
        if not long and self.texts > 1 and len(texts) + beside > 1:
            self.texts = -(-(len(texts) + beside) // 2)
            return True
        self.texts = self._served_texts or TEXTS
        self.characters = self._served_characters or CHARACTERS
        size = len(texts[0].encode())
        if size > SHORTEST and (error.status == 413 or _LONG.search(error.told)):
            self.longest = max(SHORTEST, size // 2)
            return True
        return False


def is_refusal(error: EndpointError) -> bool:
    """Whether the server said no to what it was sent, so that less of it may be taken."""
    return error.status in (400, 413, 422) or (error.status == 500 and _LONG.search(error.told) is not None)
