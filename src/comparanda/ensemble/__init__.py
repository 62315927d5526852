"""Combinations of systems: made by votes, tuned where they are not scored, judged like any system, written to files."""

from comparanda.ensemble.combining import FOLDS, Combined, combine

__all__ = ["FOLDS", "Combined", "combine"]
