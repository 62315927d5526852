"""Whether two rules can match on one and the same row.

For that they are compared with that row called `@` in both, and `@@` the row that both reach from it in the same
way; other rows of the two keep names of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.rules.checks.claims import contrary, written
from comparanda.rules.checks.values import literal

if TYPE_CHECKING:
    from comparanda.rules.checks.readings import Reading, Write
    from comparanda.rules.checks.subjects import Subject


def apart(first: Reading, variable: str, second: Reading, other: str) -> bool:
    """Whether two rules never match together with the same row as these variables.

    They exclude each other by what they allow in a column of that row, or of the row that it determines in both,
    or because one claims the contrary of what the other claims.
    """
    if _no_common_value(first.subjects[variable], second.subjects[other]):
        return True
    mine, theirs = _calling(first, variable, second, other)
    if mine == theirs and _no_common_value(_partner(first, variable), _partner(second, other)):
        return True
    return contrary(first.said(variable, mine), second.said(other, theirs))


def same_value(first: Reading, write: Write, second: Reading, other: Write) -> bool:
    """Whether two writes to the same cell, made at the same time, give it the same value."""
    if literal(write.value) is not None or literal(other.value) is not None:
        return write.value == other.value
    mine, theirs = write.subject.variable, other.subject.variable
    names = _calling(first, mine, second, theirs)
    return written(write.value, first.names(mine, names[0])) == written(other.value, second.names(theirs, names[1]))


def _calling(first: Reading, variable: str, second: Reading, other: str) -> tuple[str, str]:
    """Return names for the other rows of two rules: the same if it must be the same row."""
    way = first.ways.get(variable)
    return ("@@", "@@") if way is not None and way == second.ways.get(other) else ("<", ">")


def _partner(reading: Reading, variable: str) -> Subject:
    return reading.subjects[reading.other(variable) or ""]


def _no_common_value(mine: Subject, theirs: Subject) -> bool:
    """Whether the conditions on two rows leave no value in common for some column."""
    common = (column for column in mine.columns if theirs.tests(column))
    return any(mine.allowed(column).isdisjoint(theirs.allowed(column)) for column in common)
