"""Why, and why not: the layer where a target was lost, what would bring it in, and what a turned setting moves.

``layers``, ``change``, ``grids``, ``sensitivity`` and ``compare`` are pure functions of a recall and of
settings. ``find`` looks a target up in the index, ``disk`` in the folder, ``standing`` gives true ranks and
``lens`` terms; ``why`` joins all of them into a ``Verdict``.
"""

from engine.explain.verdict import (
    Change,
    ChunkTarget,
    Layer,
    Place,
    Remedy,
    SpanTarget,
    StageRow,
    Standing,
    Target,
    TextTarget,
    Verdict,
)

__all__ = [
    "Change",
    "ChunkTarget",
    "Layer",
    "Place",
    "Remedy",
    "SpanTarget",
    "StageRow",
    "Standing",
    "Target",
    "TextTarget",
    "Verdict",
]
