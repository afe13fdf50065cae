"""About how many tokens a model makes of a text. Every model cuts otherwise; this serves to compare passages
and to see a limit coming, not to keep one.

Weights of the kinds of characters, fitted once against a multilingual unigram vocabulary of 128,000 pieces on
2,003 windows of 800 characters of Chinese and English technical pages: the sum is 3 % below, the median error
of a window is 9 %, that of one in twenty is above 33 % (tables, base64).
"""

from __future__ import annotations

import re

from engine.text import WIDE

_KINDS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(rf"[{WIDE}]+"), 0.9),
    (re.compile(r"[^\W\d_]+"), 0.3),
    (re.compile(r"\d+"), 1.0),
    (re.compile(r"[^\w\s]+|_+"), 0.7),
)
"""Kind by kind, each counted in what those before it have left: wide characters, letters, digits, marks."""


def estimated_tokens(text: str) -> int:
    """About how many tokens the text has; 0 where it is blank, at least 1 otherwise."""
    total = 0.0
    for kind, weight in _KINDS:
        left = kind.sub("", text)
        total += weight * (len(text) - len(left))
        text = left
    return max(1, round(total)) if total else 0
