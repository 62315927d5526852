"""Check that verdicts do not depend on the order in which matches fire.

If no firing removes a match of another, changes the values it writes, or writes a different value into the same
cell, then matches can fire in any order, or all at once, with the same outcome. That is proven for the
matches of each rule, for rules of equal salience, and for all rules that a rule can enable while
some of its own matches are still waiting. Pairs that compete for rows must not even gain competitors meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, groupby, permutations, product
from typing import TYPE_CHECKING

from comparanda.rules.checks.effects import (
    answers_no,
    can_disable_row,
    can_disagree,
    can_enable_row,
    can_enable_rule,
    changes_answer,
    gives_matches,
    never_share_row,
    sets_same_values,
)
from comparanda.rules.checks.termination import list_rule_names, make_rule_error

if TYPE_CHECKING:
    from comparanda.errors import RuleError
    from comparanda.rules.checks.effects import Reading, Subject, Write


# Rules that may fire at the same time must not set one cell to different values.


_CONFLICT_HINT = "give one of them a higher salience, or add conditions that exclude each other"


def refuse_conflicts(group: Sequence[Reading]) -> None:
    """Refuse rules of equal salience that could set the same cell to different values."""
    for _, level in groupby(group, key=lambda reading: reading.rule.salience):
        readings = list(level)
        for reading in readings:
            _refuse_within(reading)
        for first, second in combinations(readings, 2):
            _refuse_between(first, second)


def _refuse_between(first: Reading, second: Reading) -> None:
    for mine, theirs in product(first.writes, second.writes):
        if can_disagree(first, mine, second, theirs):
            rule = second.rule
            what = (
                f"conflicting writes: {first.rule.name!r} and {rule.name!r} both set {mine.place} at salience "
                f"{rule.salience:g} in group {rule.group!r}, and their conditions are not provably disjoint"
            )
            raise make_rule_error(rule, what, _CONFLICT_HINT)


def _refuse_within(reading: Reading) -> None:
    """Refuse a rule with two variables over one table that could set the same row to different values by both."""
    for mine, theirs in combinations(reading.writes, 2):
        if can_disagree(reading, mine, reading, theirs):
            what = (
                f"conflicting writes: {mine.name} and {theirs.name} may be the same cell, and it sets them differently"
            )
            raise make_rule_error(reading.rule, what, "add conditions that no row can satisfy as both")


# Rules that process each row independently: the order of firings on other rows cannot matter.


def work_row_by_row(readings: Sequence[Reading]) -> bool:
    """Whether each row is processed independently, and at most one rule of each salience matches on it at any time.

    Then salience alone determines the next firing on a row, regardless of firings on other rows.
    """
    if any(find_written_variable(reading) is None or reading.rule.pair is not None for reading in readings):
        return False
    if any(
        _reaches_other_rows(writer, write, reader)
        for writer, reader in product(readings, repeat=2)
        for write in writer.writes
    ):
        return False
    return all(_never_match_together(first, second) for first, second in combinations(readings, 2))


def find_written_variable(reading: Reading) -> str | None:
    """Return the only variable whose row a rule writes to; None if there are several."""
    written = {write.subject.variable for write in reading.writes}
    return written.pop() if len(written) == 1 else None


def _reaches_other_rows(writer: Reading, write: Write, reader: Reading) -> bool:
    """Whether a write can affect a rule other than through the row that this rule writes to itself."""
    asked = (*reader.questions, *reader.value_questions)
    if any(changes_answer(writer, write, question) for question in asked):
        return True
    return any(
        can_enable_row(writer, write, subject)
        or can_disable_row(write, subject)
        or f"{variable}.{write.column}" in reader.value_names
        for variable, subject in reader.subjects.items()
        if variable != find_written_variable(reader) and subject.table == write.subject.table
    )


def _never_match_together(first: Reading, second: Reading) -> bool:
    """Whether two rules never match on the same row at the same salience."""
    mine, theirs = find_written_variable(first) or "", find_written_variable(second) or ""
    if first.rule.salience != second.rule.salience or first.rule.over[mine] != second.rule.over[theirs]:
        return True
    return never_share_row(first, mine, second, theirs)


_PAIR_HINT = 'add pair = "one-to-one" or pair = "many"'
_DISJOINT_HINT = (
    "give one of them a higher salience, move it to another group, or add conditions that exclude each other"
)
_LATER_GROUP_HINT = "move the rule that fires too early to a later group"
_OTHER_COLUMN_HINT = (
    "set another column, move the test to a later group, or choose one row with min(… for x in table if …)"
)


def refuse_order_dependence(group: Sequence[Reading]) -> None:
    """Refuse the rules of a group if the order of their firings could affect the outcome."""
    for reading in group:
        for what, hint in _find_self_disturbances(reading):
            raise make_rule_error(reading.rule, f"order-dependent: {what}", hint)
    disturbing, setting_off = cache(describe_disturbance), cache(can_enable_rule)
    for salience in dict.fromkeys(reading.rule.salience for reading in group):
        level = [reading for reading in group if reading.rule.salience == salience]
        above = [reading for reading in group if reading.rule.salience >= salience]
        together = [*level]
        for reading in together:  # grows during the loop
            together += [each for each in above if each not in together and setting_off(reading, each)]
        if work_row_by_row(together):
            continue
        for first, second in permutations(together, 2):
            if (problem := disturbing(first, second)) is not None:
                raise _order_error(first, second=second, problem=problem, level=level, together=together)


def _order_error(
    first: Reading, second: Reading, problem: str, level: Sequence[Reading], *, together: Sequence[Reading]
) -> RuleError:
    if first in level and second in level:
        rule = max(first, second, key=lambda reading: reading.place).rule
        what = f"order-dependent: {problem}, and both have salience {rule.salience:g} in group {rule.group!r}"
        return make_rule_error(rule, what, _DISJOINT_HINT)
    higher = [reading for reading in together if reading not in level]
    starter = next(reading for reading in level if any(can_enable_rule(reading, each) for each in higher))
    set_off = list_rule_names(reading.rule for reading in higher)
    what = f"order-dependent: it can enable {set_off} while matches of its own salience are waiting, and {problem}"
    return make_rule_error(starter.rule, what, _LATER_GROUP_HINT)


def describe_disturbance(writer: Reading, reader: Reading) -> str | None:
    """Describe how the firing of one rule can disturb a waiting match of another; None if it cannot."""
    mine, theirs = repr(writer.rule.name), repr(reader.rule.name)
    for write in writer.writes:
        if write.place not in reader.touched:
            continue
        for subject in reader.subjects.values():
            if (use := _disturbed_use(writer, write, reader, subject)) is not None:
                return f"{mine} sets {write.place}, which {theirs} {use}"
        if any(answers_no(writer, write, question) for question in reader.questions):
            return f"{mine} sets {write.place}, which {theirs} tests in all rows"
        if any(changes_answer(writer, write, question) for question in reader.value_questions):
            return f"{mine} sets {write.place}, from which {theirs} computes the values it sets"
        if matches_compete(reader) and gives_matches(writer, write, reader):
            return f"{mine} sets {write.place}, which gives {theirs} other pairs to choose from"
    return None


def _disturbed_use(writer: Reading, write: Write, reader: Reading, subject: Subject) -> str | None:
    """Describe the use of a written cell by another rule that the write disturbs; None if there is none."""
    mine, theirs = write.subject.variable, subject.variable
    if subject.table != write.subject.table or never_share_row(writer, mine, reader, theirs):
        return None
    if f"{theirs}.{write.column}" in reader.value_names:
        return "copies or orders by"
    if any(can_disagree(writer, write, reader, each) for each in reader.writes if each.subject is subject):
        return "sets to another value"
    if can_disable_row(write, subject) and (
        matches_compete(reader) or not sets_same_values(writer, mine, reader, theirs)
    ):
        return "tests"
    return None


def matches_compete(reading: Reading) -> bool:
    """Whether the matches of a rule compete for rows, as prescribed by its pairing."""
    if reading.rule.pair == "many":
        return any(_takes_from_siblings(reading, write) for write in reading.writes)
    return reading.rule.pair is not None


def _find_self_disturbances(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield descriptions of how matches of a rule can disturb each other, with hints."""
    pair = reading.rule.pair
    for write in reading.writes:
        table = write.subject.table
        if any(answers_no(reading, write, question) for question in reading.questions):
            what = f"it sets {write.place} and tests it in all rows of {table}"
            yield f"{what}, so the matches that fire first affect the others", _OTHER_COLUMN_HINT
        if any(changes_answer(reading, write, question) for question in reading.value_questions):
            yield (
                f"it computes the values it sets from {write.place} of all rows, which it also sets",
                _OTHER_COLUMN_HINT,
            )
        if pair is None and _takes_from_siblings(reading, write):
            yield (
                f"it tests and sets {write.name}, so the result depends on which of several partners comes first",
                _PAIR_HINT,
            )
        if pair != "many" and (other := _disturbed_cell(reading, write)) is not None:
            yield f"it sets {write.name} and uses {other}, which may be the same cell", _OTHER_COLUMN_HINT
        if pair not in {None, "many"} and gives_matches(reading, write, reading):
            yield f"it sets {write.place}, which gives it other pairs to choose from", _OTHER_COLUMN_HINT


def _takes_from_siblings(reading: Reading, write: Write) -> bool:
    """Whether a firing can disturb another match with the same row of the same variable."""
    variable = write.subject.variable
    if not reading.has_siblings(variable):
        return False
    rereads = write.name in reading.value_names
    if all(each.subject is write.subject and reading.is_own(each) for each in reading.writes):
        # the value that the other match would write is already there
        return rereads and not reading.always_changes
    return rereads or can_disable_row(write, write.subject)


def _disturbed_cell(reading: Reading, write: Write) -> str | None:
    """Return the cell of another variable through which a firing can disturb a match of the same rule."""
    for variable, subject in reading.subjects.items():
        if subject is write.subject or subject.table != write.subject.table:
            continue
        name = f"{variable}.{write.column}"
        if (can_disable_row(write, subject) or name in reading.value_names) and not never_share_row(
            reading, write.subject.variable, reading, variable
        ):
            return name
    return None
