"""Every group of rules must come to an end.

A rule fires only where it changes something. So a group ends if the values of each cell can only move forward,
that is, if no chain of writes leads back to a value left before. Rules that move forward in such a column with
every firing end by themselves; what they write elsewhere cannot keep the others going.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from comparanda.rules.checks.complaints import complaint, listed
from comparanda.rules.checks.values import Value, is_one, shown

if TYPE_CHECKING:
    from comparanda.errors import RuleError
    from comparanda.rules.checks.readings import Reading, Write

    Moves = dict[Value, dict[Value, Reading]]
    Cycle = list[tuple[Value, Reading]]

MOST_SHOWN = 6
_HINT = "rules of one group must move a value forward only: put the second rule into a later group"


def refuse_cycles(group: Sequence[Reading]) -> None:
    """Refuse the rules of a group if one of its columns could change for ever."""
    left = list(group)
    while True:
        cycles = {place: _cycle(left, place) for place in _places(left)}
        ending = [reading for reading in left if _moves_forward(reading, cycles)]
        if not ending:
            break
        left = [reading for reading in left if reading not in ending]
    for place, cycle in cycles.items():
        if cycle:
            raise _complaint(place, cycle)


def _places(readings: Sequence[Reading]) -> list[str]:
    return list(dict.fromkeys(write.place for reading in readings for write in reading.writes))


def _moves_forward(reading: Reading, cycles: dict[str, Cycle | None]) -> bool:
    """Whether each firing moves a cell of a column without a cycle."""
    return any(write.always_changes and not cycles[write.place] for write in reading.writes)


def _cycle(readings: Sequence[Reading], place: str) -> Cycle | None:
    """Return the shortest way from a value of a column back to it: each value with the rule that leaves it."""
    moves: Moves = {}
    for reading in readings:
        for write in reading.writes:
            if write.place == place:
                if (cycle := _by_itself(write, reading)) is not None:
                    return cycle
                _add(moves, write, reading)
    if not _has_cycle(moves):
        return None
    shortest: Cycle | None = None
    for start in moves:
        cycle = _way_back(moves, start)
        if cycle is not None and (shortest is None or len(cycle) < len(shortest)):
            shortest = cycle
    return shortest


def _by_itself(write: Write, reading: Reading) -> Cycle | None:
    """Return where one write can go on for ever: among values that stand for many, or to and fro."""
    again = write.old & write.new
    endless = len(again) > 1 or not all(map(is_one, again))
    return [(next(iter(again)), reading)] if endless else None


def _add(moves: Moves, write: Write, reading: Reading) -> None:
    for old in sorted(write.old, key=repr):
        for new in sorted(write.new - {old}, key=repr):
            moves.setdefault(old, {}).setdefault(new, reading)


def _has_cycle(moves: Moves) -> bool:
    try:
        TopologicalSorter(moves).prepare()
    except CycleError:
        return True
    return False


def _way_back(moves: Moves, start: Value) -> Cycle | None:
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


def _complaint(place: str, cycle: Cycle) -> RuleError:
    first = cycle[0][1]
    if len(cycle) == 1:
        write = next(each for each in first.writes if each.place == place)
        what = f"no fixpoint: {write.name} is worked out, and nothing in the condition keeps the rule from firing again"
        return complaint(first.rule, what, f"add a condition that it makes false, such as is_missing({write.name})")
    values = [shown(value) for value, _ in [*cycle, cycle[0]]]
    chain = " → ".join(values if len(values) <= MOST_SHOWN else [*values[:MOST_SHOWN], "…", values[-1]])
    rules = listed([reading.rule for _, reading in cycle])
    return complaint(first.rule, f"no fixpoint: {place} can cycle {chain} through rules {rules}", _HINT)
