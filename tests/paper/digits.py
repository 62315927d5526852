"""Percentages as the paper prints them, from counts."""

from collections.abc import Iterable
from fractions import Fraction
from math import floor


def percent(part: int, whole: int, digits: int = 2) -> str:
    """Print a share as the paper does.

    A share that lies just between two printed values would depend on the rounding rule (half up, half even);
    none may, so that the tables hold under each.
    """
    scaled = Fraction(100 * 10**digits * part, whole)
    assert scaled % 1 != Fraction(1, 2), f"{part}/{whole} is printed differently by different rounding rules"
    return f"{floor(scaled + Fraction(1, 2)) / 10**digits:.{digits}f}"


def signed(part: int, whole: int) -> str:
    return ("+" if part >= 0 else "") + percent(part, whole)


def fits(part: int, whole: int, printed: str) -> bool:
    """Say whether a share could be printed so, under any rounding rule."""
    return abs(Fraction(100 * part, whole) - Fraction(printed)) <= Fraction(1, 200)


def counts_for(printed: str, whole: int) -> list[int]:
    """Return the counts whose share could be printed so."""
    middle = round(Fraction(printed) * whole / 100)
    reach = whole // 10000 + 1
    return [part for part in range(middle - reach, middle + reach + 1) if fits(part, whole, printed)]


def count(flags: Iterable[bool]) -> int:
    return sum(1 for flag in flags if flag)
