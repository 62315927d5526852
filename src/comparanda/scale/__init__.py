"""Comparisons larger than memory or than one machine: cut at documents, judged in parts, put together again.

The numbers are those of a comparison in one go, to the last digit: a part holds whole documents, merging lays their
rows end to end, and what a reader finds out by looking at a file as a whole is made sure of across the parts.
"""

from comparanda.scale.driver import PART, Drawing, Scale, compare_in_parts

__all__ = ["PART", "Drawing", "Scale", "compare_in_parts"]
