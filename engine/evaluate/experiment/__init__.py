"""Experiments: a few cuts and methods compared on documents pinned to a commit, the same bytes on every run."""

from engine.evaluate.experiment.file import Configuration, Experiment, Query, read_experiment
from engine.evaluate.experiment.run import Asked, Outcome, Result, Row, run

__all__ = [
    "Asked",
    "Configuration",
    "Experiment",
    "Outcome",
    "Query",
    "Result",
    "Row",
    "read_experiment",
    "run",
]
