"""Chunk health: chunks that are likely to serve badly, by cause, each with what is wrong with it in a sentence.

``cuts`` looks at sizes and at what a cut parts, ``likeness`` at copies, ``neighbours`` at the vectors: chunks that
are near to very many others, and chunks that are near to none. ``run`` goes through a library.
"""

from engine.health.model import CAUSES, Case, Health
from engine.health.run import health

__all__ = ["CAUSES", "Case", "Health", "health"]
