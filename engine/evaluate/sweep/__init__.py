"""Sweeps: one set asked under many settings, chunkings among them; the winner is judged on cases that did not choose
it.
"""

from engine.evaluate.sweep.axes import Axis, Point, axis_of
from engine.evaluate.sweep.outcome import Cell, Swept
from engine.evaluate.sweep.run import Request, sweep
from engine.evaluate.sweep.search import Descent, Grid, Random, Search

__all__ = [
    "Axis",
    "Cell",
    "Descent",
    "Grid",
    "Point",
    "Random",
    "Request",
    "Search",
    "Swept",
    "axis_of",
    "sweep",
]
