"""Check that rule sets terminate and pair rows unambiguously."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from comparanda.errors import RuleError
from comparanda.rules.checks.cell_values import Value, is_one, show_value

if TYPE_CHECKING:
    from comparanda.rules.checks.effects import Reading, Write
    from comparanda.rules.ruleset import Rule

    Moves = dict[Value, dict[Value, Reading]]
    Cycle = list[tuple[Value, Reading]]


def make_rule_error(rule: Rule, what: str, hint: str) -> RuleError:
    """Make the error for a rule, with its file and line and a hint."""
    declared = rule.declaration
    line = declared.lines.get("name")
    where = f"{declared.file}:{line}" if declared.file and line else declared.file
    return RuleError(f"rule {rule.name!r}: {what}", where=where, hint=hint)


def list_rule_names(rules: Iterable[Rule], most: int = 6) -> str:
    """Format the names of rules, each once, at most the first `most`.

    >>> from types import SimpleNamespace
    >>> list_rule_names([SimpleNamespace(name="up"), SimpleNamespace(name="down"), SimpleNamespace(name="up")])
    "'up', 'down'"
    """
    names = [*dict.fromkeys(rule.name for rule in rules)]
    return ", ".join([*map(repr, names[:most]), *(["…"] if len(names) > most else [])])


# Every group of rules must terminate.
#
# A rule fires only where it changes something. So a group terminates if the values of each cell can only move forward,
# that is, if no chain of writes leads back to an earlier value. Rules that move forward in such a column with
# every firing terminate by themselves; their writes to other columns cannot keep the other rules running.


MOST_SHOWN = 6
_FORWARD_HINT = "move the second rule to a later group: within a group, values may only move forward"


def refuse_cycles(group: Sequence[Reading]) -> None:
    """Refuse the rules of a group if one of its columns could change forever."""
    left = list(group)
    while True:
        cycles = {place: _shortest_cycle(left, place) for place in _written_columns(left)}
        ending = [reading for reading in left if _moves_forward(reading, cycles)]
        if not ending:
            break
        left = [reading for reading in left if reading not in ending]
    for place, cycle in cycles.items():
        if cycle:
            raise _cycle_error(place, cycle)


def _written_columns(readings: Sequence[Reading]) -> list[str]:
    return list(dict.fromkeys(write.place for reading in readings for write in reading.writes))


def _moves_forward(reading: Reading, cycles: dict[str, Cycle | None]) -> bool:
    """Whether each firing moves a cell of a column without a cycle."""
    return any(write.always_changes and not cycles[write.place] for write in reading.writes)


def _shortest_cycle(readings: Sequence[Reading], place: str) -> Cycle | None:
    """Return the shortest cycle among the values of a column: each value with the rule that changes it."""
    moves: Moves = {}
    for reading in readings:
        for write in reading.writes:
            if write.place == place:
                if (cycle := _single_write_cycle(write, reading)) is not None:
                    return cycle
                _add_moves(moves, write, reading)
    if not _has_cycle(moves):
        return None
    shortest: Cycle | None = None
    for start in moves:
        cycle = _shortest_path_back(moves, start)
        if cycle is not None and (shortest is None or len(cycle) < len(shortest)):
            shortest = cycle
    return shortest


def _single_write_cycle(write: Write, reading: Reading) -> Cycle | None:
    """Return the cycle of a single write that can repeat forever, by abstract values or by alternation, or None."""
    again = write.old & write.new
    endless = len(again) > 1 or not all(map(is_one, again))
    return [(next(iter(again)), reading)] if endless else None


def _add_moves(moves: Moves, write: Write, reading: Reading) -> None:
    for old in sorted(write.old, key=repr):
        for new in sorted(write.new - {old}, key=repr):
            moves.setdefault(old, {}).setdefault(new, reading)


def _has_cycle(moves: Moves) -> bool:
    try:
        TopologicalSorter(moves).prepare()
    except CycleError:
        return True
    return False


def _shortest_path_back(moves: Moves, start: Value) -> Cycle | None:
    waiting: deque[tuple[Value, Cycle]] = deque([(start, [])])
    seen: set[Value] = set()
    while waiting:
        value, way = waiting.popleft()
        for new, reading in moves.get(value, {}).items():
            if new == start:
                return [*way, (value, reading)]
            if new not in seen:
                seen.add(new)
                waiting.append((new, [*way, (value, reading)]))
    return None


def _cycle_error(place: str, cycle: Cycle) -> RuleError:
    first = cycle[0][1]
    if len(cycle) == 1:
        write = next(each for each in first.writes if each.place == place)
        what = f"no fixpoint: {write.name} is computed, and the condition does not prevent the rule from firing again"
        return make_rule_error(
            first.rule, what, f"add a condition that the rule makes false, such as is_missing({write.name})"
        )
    values = [show_value(value) for value, _ in [*cycle, cycle[0]]]
    chain = " → ".join(values if len(values) <= MOST_SHOWN else [*values[:MOST_SHOWN], "…", values[-1]])
    rules = list_rule_names([reading.rule for _, reading in cycle])
    return make_rule_error(first.rule, f"no fixpoint: {place} can cycle {chain} through rules {rules}", _FORWARD_HINT)


# Rules over two tables must determine how rows are paired.


_PAIR_HINT = (
    'add pair = "one-to-one" (each row once, the best pairs first) or pair = "many", or join by a row as in {join}'
)


def refuse_unpaired(reading: Reading) -> None:
    """Refuse a rule that writes to a partner row, or copies from one, without determining that row."""
    if reading.rule.pair is None and len(reading.rule.over) > 1:
        problem = _copy_problem(reading) or _double_write_problem(reading)
        if problem is not None:
            first, second = reading.rule.over
            raise make_rule_error(
                reading.rule, f"missing pair: {problem}", _PAIR_HINT.format(join=f"{first}.partner == {second}")
            )


def _copy_problem(reading: Reading) -> str | None:
    for write in reading.writes:
        mine = write.subject.variable
        if reading.has_siblings(mine) and not reading.is_own(write):
            other = reading.other(mine)
            table = reading.rule.over[other or ""]
            return f"it sets {write.name} from {other}, and {mine} may match several rows of {table}"
    return None


def _double_write_problem(reading: Reading) -> str | None:
    first, second = reading.rule.over
    written = {write.subject.variable for write in reading.writes}
    if written != {first, second} or reading.ways:
        return None
    return f"it writes to {first} and to {second}, and each of them may match several rows of the other"


def refuse_used_twice(reading: Reading) -> None:
    """Refuse one-to-one pairing of rows that are not marked as used: they would be paired again in the next round."""
    if reading.rule.pair not in {"one-to-one", "one-to-one:optimal"}:
        return
    for variable, table in reading.rule.over.items():
        if not any(write.always_changes for write in reading.writes if write.subject.variable == variable):
            pair = f'pair = "{reading.rule.pair}"'
            what = f"{pair} does not mark {variable} as used, so a row of {table} could be paired again"
            hint = (
                f"test and set a column of {variable}, as in is_missing({variable}.partner) and {variable}.partner = …"
            )
            raise make_rule_error(reading.rule, f"order-dependent: {what}", hint)
