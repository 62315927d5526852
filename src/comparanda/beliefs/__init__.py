"""Spans that a system holds for possible: blocks of alternatives with probabilities (DEFINITIONS 9)."""
