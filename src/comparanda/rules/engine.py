"""Forward chaining over tables, all matches of a rule at once (DEFINITIONS 6).

Groups run in the order given. Within a group the highest rule with a match fires for all its matches, then the
group restarts from its highest rule that could have been enabled, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import ComparandaError, RuleError
from comparanda.expressions.syntax import Name, Node, Text
from comparanda.expressions.syntax import walk_tree as nodes_of
from comparanda.rules.conditions import Conditions, is_costly, make_join, variables_of
from comparanda.rules.facts import Frame, State, fill_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows
    from comparanda.rules.conditions import Link, Term
    from comparanda.rules.facts import Facts
    from comparanda.rules.ruleset import Rule, RuleSet

    Array = NDArray[Any]


# One-to-one pairing of rows, greedy or optimal.


MOST_CELLS = 25_000_000
"""The maximum size of an assignment problem: the product of the numbers of rows on both sides."""

_SLOW_ROUND_RATIO = 0.9
"""If a round leaves more than this share of the pairs, the remaining pairs are chosen one by one."""

_CHUNK_SIZE = 1 << 20


def find_contested(left: Rows, right: Rows) -> Array:
    """Return a mask of the pairs that share a row with another pair."""
    if not len(left):
        return np.zeros(0, np.bool_)
    rivals: Array = (np.bincount(left)[left] > 1) | (np.bincount(right)[right] > 1)
    return rivals


def rank_pairs(left: Rows, right: Rows, best: Sequence[Array]) -> Rows:
    """Return the order of pairs: by the `best` numbers, smallest first and missing ones last, then by content."""
    return np.lexsort((right, left, *reversed(best)))


def pair_greedily(left: Rows, right: Rows, best: Sequence[Array]) -> Rows:
    """Choose pairs greedily, the best first, each row at most once; returns the positions of the chosen pairs in order.

    Every round chooses the pairs that are the first choice of both their rows. Because the order of pairs is strict,
    the result is the same as choosing one pair after the other.
    """
    rivals = find_contested(left, right)
    chosen = ~rivals
    component = np.flatnonzero(rivals)
    if component.size:
        order = component[rank_pairs(left[component], right[component], [each[component] for each in best])]
        chosen[order[_choose_in_rounds(left[order], right[order])]] = True
    return np.flatnonzero(chosen)


def _choose_in_rounds(left: Rows, right: Rows) -> Rows:
    """Return the chosen ones of pairs in order of preference."""
    _, left = np.unique(left, return_inverse=True)
    _, right = np.unique(right, return_inverse=True)
    first_of_left, first_of_right = np.empty(left.max() + 1, np.int64), np.empty(right.max() + 1, np.int64)
    taken_left, taken_right = np.zeros(len(first_of_left), np.bool_), np.zeros(len(first_of_right), np.bool_)
    alive, chosen = np.arange(len(left)), []
    while alive.size:
        mine, theirs = left[alive], right[alive]
        first_of_left[mine[::-1]] = alive[::-1]  # the last to be written is the first in order
        first_of_right[theirs[::-1]] = alive[::-1]
        winners = alive[(first_of_left[mine] == alive) & (first_of_right[theirs] == alive)]
        chosen.append(winners)
        taken_left[left[winners]] = taken_right[right[winners]] = True
        before = alive.size
        alive = alive[~(taken_left[mine] | taken_right[theirs])]
        if alive.size > _SLOW_ROUND_RATIO * before:
            chosen += _choose_one_by_one(left, right=right, alive=alive, taken_left=taken_left, taken_right=taken_right)
            break
    return np.concatenate(chosen)


def _choose_one_by_one(
    left: Rows, right: Rows, alive: Rows, taken_left: Array, *, taken_right: Array
) -> Iterator[Rows]:
    """Choose the remaining pairs one by one: among identical rows, a round would choose only one pair."""
    for begin in range(0, len(alive), _CHUNK_SIZE):
        some = alive[begin : begin + _CHUNK_SIZE]
        some = some[~(taken_left[left[some]] | taken_right[right[some]])]
        found = []
        for place, mine, theirs in zip(some.tolist(), left[some].tolist(), right[some].tolist(), strict=True):
            if not (taken_left[mine] or taken_right[theirs]):
                taken_left[mine] = taken_right[theirs] = True
                found.append(place)
        yield np.array(found, np.int64)


def pair_optimally(left: Rows, right: Rows, best: Sequence[Array]) -> Rows:
    """Choose as many pairs as possible, with the minimum sum of the first `best` number.

    Ties are broken by content: rows and columns of the assignment problem are in that order.
    """
    rivals = find_contested(left, right)
    chosen = ~rivals
    component = np.flatnonzero(rivals)
    if component.size:
        cost = best[0][component] if best else np.zeros(len(component))
        chosen[component[_solve_components(left[component], right[component], np.nan_to_num(cost, nan=np.inf))]] = True
    return np.flatnonzero(chosen)


def _solve_components(left: Rows, right: Rows, cost: Array) -> Rows:
    """Solve the assignment problem of each connected component of rows."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, left = np.unique(left, return_inverse=True)
    _, right = np.unique(right, return_inverse=True)
    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    links = coo_array((np.ones(len(left)), (left, right + lefts)), shape=(lefts + rights, lefts + rights))
    _, components = connected_components(links, directed=False)
    component = components[left]
    order = np.argsort(component, kind="stable")
    cuts = np.flatnonzero(np.diff(component[order])) + 1
    return np.concatenate(
        [each[_solve_assignment(left[each], right[each], cost[each])] for each in np.split(order, cuts)]
    )


def _solve_assignment(left: Rows, right: Rows, cost: Array) -> Rows:
    """Solve the assignment problem of one component; returns the positions of the chosen pairs."""
    from scipy.optimize import linear_sum_assignment

    lefts, left = np.unique(left, return_inverse=True)
    rights, right = np.unique(right, return_inverse=True)
    if len(lefts) * len(rights) > MOST_CELLS:
        what = f"{len(lefts):,} rows compete for {len(rights):,} rows: too many for optimal pairing"
        raise RuleError(what, hint="use pair = 'one-to-one', which takes the best pairs first")
    finite = np.where(np.isfinite(cost), cost, cost[np.isfinite(cost)].max(initial=0.0) + 1.0)
    spread = finite - finite.min()
    most = min(len(lefts), len(rights))
    none = (spread.max() + 1.0) * (most + 1)  # larger than any saving in cost from one pair fewer
    table = np.full((len(lefts), len(rights)), none)
    place = np.full(table.shape, -1)
    table[left, right], place[left, right] = spread, np.arange(len(left))
    chosen: Rows = place[linear_sum_assignment(table)]
    return chosen[chosen >= 0]


@dataclass(frozen=True, slots=True)
class Firing:
    """One firing of a rule for all its matches.

    Args:
        rule: the index of the rule in the rule set.
        rows: for each variable the rows that matched, aligned; numbers by content.

    """

    rule: int
    rows: Mapping[str, NDArray[np.int32]]

    def __len__(self) -> int:
        return len(next(iter(self.rows.values())))


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """The result of a run.

    Args:
        state: the tables, sorted by content, with all cells that rules have set.
        trace: every firing, in order.

    """

    state: State
    trace: tuple[Firing, ...]

    def texts(self, table: str, column: str) -> list[str | None]:
        """Return a text column as strings in the order of the input; not for hot loops."""
        found = self.state.tables[table]
        codes = found.restored(found.columns[column]).tolist()
        return [None if code < 0 else self.state.pool.names[code] for code in codes]

    def codes(self, table: str, column: str) -> Array:
        """Return a column in the order of the input: codes of strings, numbers, or booleans."""
        found = self.state.tables[table]
        return found.restored(found.columns[column])

    def partners(self, table: str, column: str, other: str) -> Rows:
        """Return a column of rows in the order of the input, as rows of the other table's input."""
        rows = self.codes(table, column)
        order = self.state.tables[other].order
        if order is None or not len(order):
            return rows
        return np.where(rows >= 0, order[np.maximum(rows, 0)], rows)

    def rules(self, table: str, column: str) -> NDArray[np.int16]:
        """Return the index of the rule that set each cell of a column, in the order of the input."""
        found = self.state.tables[table]
        return found.restored(found.by[column])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """A compiled rule: how its matches are found, and the cells they set."""

    variables: tuple[str, ...]
    tables: tuple[str, ...]
    cheap: tuple[Term, ...]
    costly: tuple[Term, ...]
    link: Link | None
    best: tuple[Term, ...]
    sets: tuple[tuple[str, str, Term], ...]
    choose: Callable[[Rows, Rows, Sequence[Array]], Rows] | None


_PAIR_CHOOSERS: dict[str | None, Callable[[Rows, Rows, Sequence[Array]], Rows]] = {
    "one-to-one": pair_greedily,
    "one-to-one:optimal": pair_optimally,
}
"""How pairs are chosen by rules that use each row once; other rules take every pair."""


class Engine:
    """A compiled rule set, which can be run on any number of inputs."""

    def __init__(self, rule_set: RuleSet) -> None:
        self.rule_set = rule_set
        conditions = Conditions(rule_set)
        self._plans = [_compile_plan(rule, conditions) for rule in rule_set.rules]
        self._texts = frozenset(_collect_texts(rule_set))
        self._used_columns = _find_used_columns(rule_set)

    def uses(self, table: str, column: str) -> bool:
        """Whether a rule or a view uses a column; unused columns need not be supplied."""
        return column in self._used_columns.get(table, ())

    def run(self, facts: Mapping[str, Facts], *, paranoid: bool = False) -> Outcome:
        """Fire rules until nothing changes.

        With `paranoid` every group is also run without shortcuts, trying every rule again after each change,
        and the results are compared: a difference is a bug in comparanda.
        """
        outcome = self._run_groups(facts, self.rule_set.restarts)
        if paranoid:
            begins = {rule.group: place for place, rule in reversed(list(enumerate(self.rule_set.rules)))}
            careful = self._run_groups(facts, [begins[rule.group] for rule in self.rule_set.rules])
            _require_equal_outcomes(outcome, careful)
        return outcome

    def _run_groups(self, facts: Mapping[str, Facts], restarts: Sequence[int | None]) -> Outcome:
        state = State(self.rule_set, facts, self._texts, self._used_columns)
        trace: list[Firing] = []
        place, rules = 0, self.rule_set.rules
        with np.errstate(invalid="ignore"):
            while place < len(rules):
                fired = self._fire(place, state)
                if fired is not None:
                    trace.append(fired)
                    back = restarts[place]
                    if back is not None:
                        place = back
                        continue
                place += 1
        return Outcome(state, tuple(trace))

    def _fire(self, place: int, state: State) -> Firing | None:
        """Fire one rule, adding its name to errors."""
        try:
            return self._fire_rule(place, state)
        except RuleError as problem:
            rule = self.rule_set.rules[place]
            what = f"rule {rule.name!r}: {problem.what}"
            raise RuleError(what, where=rule.declaration.file, details=problem.details, hint=problem.hint) from None

    def _fire_rule(self, place: int, state: State) -> Firing | None:
        """Fire one rule for all its matches that change anything; None if there are none."""
        plan = self._plans[place]
        frame = find_matches(plan, state)
        if not frame.size:
            return None
        values = [term(frame) for _, _, term in plan.sets]  # one per row, or one for all
        changes: Array | None = None
        for (variable, column, _), value in zip(plan.sets, values, strict=True):
            differs = _differs(frame.column(variable, column), value)
            changes = differs if changes is None else changes | differs
        assert changes is not None
        if not changes.all():
            (kept,) = changes.nonzero()
            if not kept.size:
                return None
            frame, values = frame.taken(kept), [value[kept] if np.ndim(value) else value for value in values]
        for (variable, column, _), value in zip(plan.sets, values, strict=True):
            table, rows = frame.tables[variable], frame.numbers(variable)
            cells = table.columns[column]
            cells[rows] = value
            table.by[column][rows] = place
            state.changed(table.name, column)
            if plan.link is not None and plan.choose is None:
                _refuse_ambiguous(table.name, column, _differs(cells[rows], value))
        return Firing(place, {name: frame.numbers(name).astype(np.int32) for name in plan.variables})


def find_matches(plan: _Plan, state: State) -> Frame:
    """Return all rows, or pairs of rows, for which a rule's condition holds."""
    first = plan.variables[0]
    table = state.tables[plan.tables[0]]
    frame = Frame(state, {first: table}, {first: None}, table.size)
    if plan.cheap:
        holds = plan.cheap[0](frame)
        for term in plan.cheap[1:]:
            holds = holds & term(frame)
        frame = frame.filter(holds)
    for term in plan.costly:
        if not frame.size:
            return frame
        frame = frame.filter(term(frame))
    if plan.link is None:
        return frame
    if not frame.size:
        return frame.with_rows(plan.variables[1], state.tables[plan.tables[1]], np.zeros(0, np.int64))
    _, frame = plan.link.joined(frame)
    if plan.choose is not None and frame.size:
        left, right = (frame.numbers(name) for name in plan.variables)
        best = [fill_rows(term(frame), frame.size).astype(np.float64) for term in plan.best]
        frame = frame.taken(plan.choose(left, right, best))
    return frame


def _differs(old: Array, new: Any) -> Array:
    different: Array = old != new
    if old.dtype.kind == "f":
        different &= ~(np.isnan(old) & np.isnan(new))
    return different


def _refuse_ambiguous(table: str, column: str, wrong: Array) -> None:
    if wrong.any():
        what = f"ambiguous write: {int(wrong.sum()):,} cells of {table}.{column} get two values at once"
        raise RuleError(what, hint="use pair = 'one-to-one', or make the values equal")


def _compile_plan(rule: Rule, conditions: Conditions) -> _Plan:
    variables, tables = tuple(rule.over), tuple(rule.over.values())
    first = {variables[0]: tables[0]}
    alone = [part for part in rule.conditions if variables_of(part, rule.over) <= first.keys()]
    link = None
    if len(variables) > 1:
        rest = [part for part in rule.conditions if part not in alone]
        link = make_join(conditions, variable=variables[1], table=tables[1], parts=rest, others=first)
        if not link.linked:
            what = f"rule {rule.name!r}: nothing links {variables[0]} and {variables[1]}, so every pair would match"
            hint = f"compare a column of one with one of the other, or write overlaps({variables[0]}, {variables[1]})"
            raise RuleError(what, where=rule.declaration.file, hint=hint)
    return _Plan(
        variables=variables,
        tables=tables,
        cheap=tuple(conditions.term(part, first) for part in alone if not is_costly(part)),
        costly=tuple(conditions.term(part, first) for part in alone if is_costly(part)),
        link=link,
        best=tuple(conditions.term(node, rule.over) for node in rule.best),
        sets=tuple((each.variable, each.column, conditions.term(each.value, rule.over)) for each in rule.sets),
        choose=_PAIR_CHOOSERS.get(rule.pair),
    )


def _expressions_of(rule: Rule) -> list[Node]:
    return [*rule.conditions, *rule.best, *(each.value for each in rule.sets)]


def _collect_texts(rule_set: RuleSet) -> list[str]:
    """Return all string literals and fixed values of a rule set."""
    written = [
        node.value
        for rule in rule_set.rules
        for part in _expressions_of(rule)
        for node in nodes_of(part)
        if isinstance(node, Text)
    ]
    values = [value for columns in rule_set.tables.values() for column in columns.values() for value in column.values]
    return [*written, *values]


def _find_used_columns(rule_set: RuleSet) -> dict[str, frozenset[str]]:
    """Return all columns used by rules and views; matching by name alone, which may include too many."""
    names = {
        node.name.partition(".")[2]
        for rule in rule_set.rules
        for part in _expressions_of(rule)
        for node in nodes_of(part)
        if isinstance(node, Name)
    }
    names |= {column for view in rule_set.views.values() for column in view.same}
    return {table: frozenset(names & columns.keys()) for table, columns in rule_set.tables.items()}


def _require_equal_outcomes(outcome: Outcome, careful: Outcome) -> None:
    for name, table in outcome.state.tables.items():
        for column in table.by:
            wrong = _differs(table.columns[column], careful.state.tables[name].columns[column])
            if wrong.any():
                what = (
                    f"{name}.{column} differs in {int(wrong.sum()):,} rows when every rule is tried after every change"
                )
                raise ComparandaError(what, hint="this is a bug in comparanda: please report it with the rule file")
