"""Everything after recall: fuse, rerank, gate, pack. Pure functions of a frozen recall and the settings.

``rank(recall, retrieval)`` and ``pack(ranking, retrieval)`` run again on every key that turns a setting.
"""

from engine.rank.pack import filtered_by_budget, pack
from engine.rank.pipeline import rank
from engine.rank.ranking import Ranking, Scale

__all__ = ["Ranking", "Scale", "filtered_by_budget", "pack", "rank"]
