"""Comparisons larger than memory or one machine: split between documents, evaluated in parts, and merged.

The numbers equal those of an undivided comparison, to the last digit: a part holds whole documents, merging
concatenates their rows, and whatever readers infer from a whole file is checked across the parts.
"""

from comparanda.scale.driver import PART, Drawing, Scale, compare_in_parts

__all__ = ["PART", "Drawing", "Scale", "compare_in_parts"]
