"""Rules that work on each row by itself: what one row goes through cannot depend on when others do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from comparanda.rules.checks.effects import changes_answer, enters, leaves
from comparanda.rules.checks.meeting import apart

if TYPE_CHECKING:
    from comparanda.rules.checks.readings import Reading, Write


def work_row_by_row(readings: Sequence[Reading]) -> bool:
    """Whether each row goes its own way, and at any time at most one rule of each salience matches on it.

    Then salience alone says what happens to a row next, however the firings on other rows come in between.
    """
    if any(home(reading) is None or reading.rule.pair is not None for reading in readings):
        return False
    if any(
        _reaches_out(writer, write, reader) for writer, reader in product(readings, repeat=2) for write in writer.writes
    ):
        return False
    return all(_take_turns(first, second) for first, second in combinations(readings, 2))


def home(reading: Reading) -> str | None:
    """Return the one variable whose row a rule writes to."""
    written = {write.subject.variable for write in reading.writes}
    return written.pop() if len(written) == 1 else None


def _reaches_out(writer: Reading, write: Write, reader: Reading) -> bool:
    """Whether a write can concern a rule in another way than through the row that this rule writes to itself."""
    asked = (*reader.questions, *reader.value_questions)
    if any(changes_answer(writer, write, question) for question in asked):
        return True
    return any(
        enters(writer, write, subject) or leaves(write, subject) or f"{variable}.{write.column}" in reader.value_names
        for variable, subject in reader.subjects.items()
        if variable != home(reader) and subject.table == write.subject.table
    )


def _take_turns(first: Reading, second: Reading) -> bool:
    """Whether two rules never have to share a turn on a row."""
    mine, theirs = home(first) or "", home(second) or ""
    if first.rule.salience != second.rule.salience or first.rule.over[mine] != second.rule.over[theirs]:
        return True
    return apart(first, mine, second, theirs)
