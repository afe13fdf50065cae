"""Evaluation: sets of questions, metrics, refusals, statistics, baselines; and the runs that use them.

Sets, metrics and statistics are pure and know nothing of an index.
"""
