"""Compile conditions to functions on arrays: each node once, evaluated for all rows at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.joins import Intervals, equal_pairs, is_among, pack_columns
from comparanda.core.text_columns import TextColumn
from comparanda.expressions import BUILTINS, unparse, walk_tree
from comparanda.expressions.evaluation import COMPARE
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    Call,
    Comparison,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Quantified,
    Text,
    Truth,
)
from comparanda.expressions.syntax import walk_tree as nodes_of
from comparanda.rules.facts import MISSING, Frame, fill_rows, missing_rows
from comparanda.rules.language import split_conjuncts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows, Truths
    from comparanda.rules.declarations import Kind
    from comparanda.rules.facts import State, Table
    from comparanda.rules.ruleset import RuleSet

    Array = NDArray[Any]


# Functions of conditions, on arrays of rows.


CONDITIONS = frozenset({"overlaps", "is_a", "in_list", "is_missing"})
"""The functions of rules with a boolean result; all others have a numeric one."""

COSTLY = frozenset({"similarity", "overlap", "iou"})
"""The functions whose values are cached for a frame, because both conditions and `best` often use them."""

_MIN_BATCH_SIZE = 64


def compiled_call(node: Call, conditions: Conditions, variables: Mapping[str, str]) -> Term:  # noqa: PLR0911 - one for each
    """Compile a call of a function."""
    rule_set = conditions.rule_set
    match node:
        case Call("overlaps", (Name(first), Name(second))):
            return lambda frame: spans_overlap(frame, first, second)
        case Call("overlap", (Name(first), Name(second))):
            return lambda frame: count_overlap(frame, first, second)
        case Call("iou", (Name(first), Name(second))):
            return lambda frame: compute_iou(frame, first, second)
        case Call("in_list", (text, Text(name), *label)):
            terms = [conditions.term(each, variables) for each in (text, *label)]
            return lambda frame: in_list(frame.state, rule_set.lists[name], *(term(frame) for term in terms))
        case Call("is_missing", (value,)):
            term = conditions.term(value, variables)
            if conditions.kind(value, variables) == "number":
                return lambda frame: np.isnan(term(frame))
            return lambda frame: term(frame) == MISSING
        case Call(function, arguments):
            # string literals are passed on unchanged
            inner = [None if isinstance(each, Text) else conditions.term(each, variables) for each in arguments]
            values = [each.value if isinstance(each, Text) else None for each in arguments]
            return _compile_call(function, inner, values, conditions)


def _compile_call(function: str, terms: list[Term | None], values: list[str | None], conditions: Conditions) -> Term:
    rule_set = conditions.rule_set

    def arguments(frame: Frame) -> list[Value]:
        return [
            frame.state.pool.code(value) if term is None and value is not None else term(frame) if term else None
            for term, value in zip(terms, values, strict=True)
        ]

    match function:
        case "similarity":
            return lambda frame: compute_similarity(frame.state, frame.size, *arguments(frame))
        case "is_a":
            return lambda frame: is_a(
                *arguments(frame), state=frame.state, hierarchy=rule_set.hierarchy, size=frame.size
            )
        case "min":
            return lambda frame: np.fmin(*arguments(frame))
        case "max":
            return lambda frame: np.fmax(*arguments(frame))
        case _ if function in rule_set.parameters:
            table = rule_set.parameters[function]
            assert isinstance(table, Mapping)
            return lambda frame: by_label(frame.state, table, *arguments(frame))
        case _:
            return _compile_builtin(function, terms, values)


def _compile_builtin(function: str, terms: list[Term | None], values: list[str | None]) -> Term:
    """Compile a built-in function of expressions, which takes strings as text columns."""
    known = BUILTINS[function]

    def call(frame: Frame) -> Value:
        arguments: list[Any] = []
        for place, (term, value) in enumerate(zip(terms, values, strict=True)):
            if term is None:
                literal = known.parameter(place).literal
                arguments.append(value if literal else TextColumn.constant(value or "", frame.size))
            else:
                found = np.broadcast_to(np.asarray(term(frame)), frame.size)
                arguments.append(frame.state.pool.column(found) if found.dtype == np.int32 else found)
        result = known.call(*arguments)
        return frame.state.pool.encode(result) if isinstance(result, TextColumn) else result

    return call


def compile_arithmetic(symbol: str, left: Term, right: Term) -> Term:
    """Compile one step of a sum or product; division by zero gives a missing value."""
    if symbol in {"/", "%"}:
        divide = np.divide if symbol == "/" else np.mod

        def divided(frame: Frame) -> Value:
            below = np.asarray(right(frame), np.float64)
            with np.errstate(invalid="ignore"):
                return divide(left(frame), np.where(below == 0, np.nan, below))

        return divided
    work = {"+": np.add, "-": np.subtract, "*": np.multiply}[symbol]
    return lambda frame: work(left(frame), right(frame))


def text_order(left: Term, right: Term, compare: Callable[[Any, Any], Any]) -> Term:
    """Compile an order comparison of strings; false where one is missing."""

    def ordered(frame: Frame) -> Value:
        left_values, right_values = np.broadcast_arrays(np.asarray(left(frame)), np.asarray(right(frame)))
        shape = left_values.shape or (1,)
        ranks = frame.state.pool.ranks(np.concatenate([left_values.reshape(shape), right_values.reshape(shape)]))
        holds = compare(ranks[: shape[0]], ranks[shape[0] :])
        return holds & (left_values >= 0) & (right_values >= 0)

    return ordered


def by_label(state: State, table: Mapping[str, float], label: Value) -> Value:
    """Return the value of a parameter for each row's label."""
    result = np.full(np.shape(label), table.get("default", np.nan))
    for name, value in table.items():
        result[label == state.pool.code(name)] = value
    return result


def in_list(state: State, listed: Any, text: Array, label: Array | None = None) -> Truths:
    """Whether each string is in a list; with lists by label, in the list of its label."""
    if not isinstance(listed, Mapping):
        return _is_one_of(state, listed, text)
    found = _is_one_of(state, listed.get("default", frozenset()), text)
    if label is None:
        return found
    for each, texts in listed.items():
        selected = label == state.pool.code(each)
        if each != "default" and np.any(selected):
            found = np.where(selected, _is_one_of(state, texts, text), found)
    return found


def _is_one_of(state: State, texts: frozenset[str], codes: Array) -> Truths:
    """Look up codes in a boolean table over all codes; its last two entries are for missing and unknown ones."""
    known = state.looked_up.get(texts)
    if known is None or len(known) != len(state.pool.names) + 2:
        known = np.zeros(len(state.pool.names) + 2, np.bool_)
        known[[code for text in texts if (code := state.pool.code(text)) >= 0]] = True
        state.looked_up[texts] = known
    found: Truths = known[codes]
    return found


def is_a(child: Value, ancestor: Value, *, state: State, hierarchy: Mapping[str, frozenset[str]], size: int) -> Truths:
    """Whether each label is a descendant of another."""
    found = np.zeros(size, np.bool_)
    for name, above in hierarchy.items():
        selected = child == state.pool.code(name)
        if np.any(selected):
            found |= selected & _is_one_of(state, above, ancestor)
    return found


def compute_similarity(state: State, size: int, first: Value, second: Value) -> NDArray[np.float64]:
    """Return the similarity, 0 to 100: 100 · 2·M/T, M characters of the longest common subsequence, T of both."""
    from rapidfuzz import fuzz, process

    left_values, right_values = (np.broadcast_to(np.asarray(each), size) for each in (first, second))
    names = state.pool.names
    width = len(names) + 1
    pairs, places = np.unique(
        np.maximum(left_values, 0).astype(np.int64) * width + np.maximum(right_values, 0), return_inverse=True
    )
    present = (left_values >= 0) & (right_values >= 0)
    left = [names[code] for code in (pairs // width).tolist()] if len(names) else []
    right = [names[code] for code in (pairs % width).tolist()] if len(names) else []
    if len(pairs) < _MIN_BATCH_SIZE:
        scores = np.array([fuzz.ratio(a, b) for a, b in zip(left, right, strict=True)], np.float64)
    else:
        scores = process.cpdist(left, right, scorer=fuzz.ratio, dtype=np.float64, workers=1)
    return np.where(present, scores[places], np.nan)


def spans_overlap(frame: Frame, first: str, second: str) -> Truths:
    """Whether the spans of two variables overlap."""
    (low, high), (other_low, other_high) = (_line_intervals(frame, each) for each in (first, second))
    found: Truths = (low <= other_high) & (other_low <= high)
    return pieces_overlap(frame, first, second, found)


def _line_intervals(frame: Frame, variable: str) -> tuple[Array, Array]:
    low, high = frame.state.line(frame.tables[variable].name)
    rows = frame.rows[variable]
    return (low, high) if rows is None else (low[rows], high[rows])


def pieces_overlap(frame: Frame, first: str, second: str, found: Truths) -> Truths:
    """Refine the overlap of pairs with a discontinuous span: a piece of one must overlap a piece of the other."""
    tables = frame.tables[first], frame.tables[second]
    if tables[0].pieces is None and tables[1].pieces is None:
        return found
    several = found & ((frame.column(first, "pieces") > 0) | (frame.column(second, "pieces") > 0))
    rows = frame.numbers(first), frame.numbers(second)
    for place in np.flatnonzero(several).tolist():
        left, right = (pieces_of(table, int(row[place])) for table, row in zip(tables, rows, strict=True))
        found[place] = any((a < d and c < b) or (a, b) == (c, d) for a, b in left for c, d in right)
    return found


def pieces_of(table: Table, row: int) -> list[tuple[int, int]]:
    """Return the pieces of a span; most have one."""
    pieces = table.pieces.of(row) if table.pieces is not None else None
    return pieces or [(int(table.columns["begin"][row]), int(table.columns["end"][row]))]


def count_overlap(frame: Frame, first: str, second: str) -> Array:
    """Return the number of positions two spans have in common."""
    begin = np.maximum(frame.column(first, "begin"), frame.column(second, "begin"))
    common: Array = np.minimum(frame.column(first, "end"), frame.column(second, "end")) - begin
    common[(common < 0) | (frame.column(first, "doc") != frame.column(second, "doc"))] = 0
    tables = frame.tables[first], frame.tables[second]
    if tables[0].pieces is None and tables[1].pieces is None:
        return common
    several: Truths = (common > 0) & ((frame.column(first, "pieces") > 0) | (frame.column(second, "pieces") > 0))
    rows = frame.numbers(first), frame.numbers(second)
    for place in np.flatnonzero(several).tolist():
        left, right = (pieces_of(table, int(row[place])) for table, row in zip(tables, rows, strict=True))
        common[place] = sum(max(0, min(b, d) - max(a, c)) for a, b in left for c, d in right)
    return common


def compute_iou(frame: Frame, first: str, second: str) -> Array:
    """Return the intersection over union of the positions of two spans; 1 for equal empty spans."""
    common = count_overlap(frame, first, second)
    union = frame.column(first, "length") + frame.column(second, "length") - common
    equal = (frame.column(first, "begin") == frame.column(second, "begin")) & (
        frame.column(first, "doc") == frame.column(second, "doc")
    )
    shares: Array = np.where(union > 0, common / np.maximum(union, 1), equal.astype(np.float64))
    return shares


Value = Any
"""An array with one value per row, or one value for all rows."""

Term = Callable[["Frame"], Value]
"""A compiled expression."""


class Conditions:
    """Compiler of the conditions of one rule set."""

    def __init__(self, rule_set: RuleSet) -> None:
        self.rule_set = rule_set
        self._calls: dict[Node, int] = {}

    def kind(self, node: Node, variables: Mapping[str, str]) -> Kind:  # noqa: PLR0911 - one return for each kind of node
        """Return the type of a checked node."""
        match node:
            case Text():
                return "text"
            case Name(name) if name in variables:
                return "row"
            case Name(name):
                variable, _, column = name.partition(".")
                return self.rule_set.tables[variables[variable]][column].kind if column else "number"
            case Quantified(function="min" | "max", body=body, variable=variable, table=table, condition=_):
                return self.kind(body, {**variables, variable: table})
            case Quantified(function="any"):
                return "truth"
            case Number() | Arithmetic() | Negative() | Quantified():
                return "number"
            case Call(function):
                known = BUILTINS[function].result if function in BUILTINS else None
                return known or ("truth" if function in CONDITIONS else "number")
            case _:
                return "truth"

    def term(self, node: Node, variables: Mapping[str, str]) -> Term:  # noqa: PLR0911 - one for each kind of node
        """Compile a node."""
        match node:
            case Truth(value) | Number(value):
                return lambda _: value
            case Text(text):
                return lambda frame: frame.state.pool.code(text)
            case Name(name):
                return self.name(name, variables)
            case And(operands):
                return _join_terms([self.term(each, variables) for each in operands], operator.and_)
            case Or(operands):
                return _join_terms([self.term(each, variables) for each in operands], operator.or_)
            case Not(operand):
                inner = self.term(operand, variables)
                return lambda frame: np.logical_not(inner(frame))
            case Comparison():
                return self.comparison(node, variables)
            case Negative(operand):
                inner = self.term(operand, variables)
                return lambda frame: -inner(frame)
            case Arithmetic():
                return self.arithmetic(node, variables)
            case Call():
                return self.call(node, variables)
            case Quantified():
                pass

                return Quantifier(self, node, variables).term()
            case _:
                raise TypeError(f"not a node of a condition: {node!r}")

    def name(self, name: str, variables: Mapping[str, str]) -> Term:
        """Compile a row, a column of a row, or a parameter."""
        if name in variables:
            return lambda frame: frame.numbers(name)
        variable, _, column = name.partition(".")
        if column:
            return lambda frame: frame.column(variable, column)
        value = self.rule_set.parameters[name]
        return lambda _: value

    def comparison(self, node: Comparison, variables: Mapping[str, str]) -> Term:
        """Compile one comparison; a missing value equals nothing and differs from everything."""
        (step,) = node.steps
        left, kind = self.term(node.first, variables), self.kind(node.first, variables)
        if isinstance(step.operand, List):
            items = [(self.term(item, variables), isinstance(item, Text)) for item in step.operand.items]
            contained = _join_terms(
                [_compile_equality(left, item, kind, fixed=fixed) for item, fixed in items], operator.or_
            )
            negated = step.operator == "not in"
            return (lambda frame: np.logical_not(contained(frame))) if negated else contained
        right = self.term(step.operand, variables)
        fixed = isinstance(step.operand, Text) or isinstance(node.first, Text)
        if step.operator == "==":
            return _compile_equality(left, right, kind, fixed=fixed)
        if step.operator == "!=":
            same = _compile_equality(left, right, kind, fixed=fixed)
            return lambda frame: np.logical_not(same(frame))
        compare = COMPARE[step.operator]
        if kind == "text":
            return text_order(left, right, compare)
        return lambda frame: compare(left(frame), right(frame))

    def arithmetic(self, node: Arithmetic, variables: Mapping[str, str]) -> Term:
        """Compile a left-associative chain of sums or products."""
        total = self.term(node.first, variables)
        for step in node.steps:
            total = compile_arithmetic(step.operator, total, self.term(step.operand, variables))
        return total

    def call(self, node: Call, variables: Mapping[str, str]) -> Term:
        """Compile a call; costly functions are evaluated once for a frame."""
        made = compiled_call(node, self, variables)
        if node.function not in COSTLY:
            return made
        key = self._calls.setdefault(node, len(self._calls))

        def remembered(frame: Frame) -> Value:
            if key not in frame.remembered:
                frame.remembered[key] = made(frame)
            return frame.remembered[key]

        return remembered


def _join_terms(terms: list[Term], join: Callable[[Value, Value], Value]) -> Term:
    if not terms:
        return lambda _: False
    if len(terms) == 1:
        return terms[0]

    def joined(frame: Frame) -> Value:
        result = terms[0](frame)
        for term in terms[1:]:
            result = join(result, term(frame))
        return result

    return joined


def _compile_equality(left: Term, right: Term, kind: Kind, *, fixed: bool) -> Term:
    """Compile an equality; for codes and rows, missing does not even equal missing."""
    if kind not in {"text", "row"} or fixed:
        return lambda frame: left(frame) == right(frame)

    def equal(frame: Frame) -> Value:
        left_values = left(frame)
        return (left_values == right(frame)) & (left_values != MISSING)

    return equal


def variables_of(node: Node, variables: Mapping[str, str]) -> frozenset[str]:
    """Return the variables that a node refers to, without those of its own quantifiers."""
    inner = {each.variable for each in walk_tree(node) if isinstance(each, Quantified)}
    names = {each.name.partition(".")[0] for each in walk_tree(node) if isinstance(each, Name)}
    return frozenset(names & variables.keys() - inner)


def write_condition(node: Node) -> str:
    """Return a condition as text."""
    return unparse(node)


# Joins: finding the rows of a further table for the rows of a frame, by equal values, references, or overlap.


_KEY_ORDER = {"doc": 0, "begin": 1, "end": 2, "label": 3}
"""The columns by which rows are sorted come first in keys, so that keys are sorted too."""


@dataclass(frozen=True, slots=True)
class Equal:
    """A column of the new rows that must equal a value of the old ones; `source` is the column of that value."""

    column: str
    kind: Kind
    other: Term
    source: tuple[str, str] | None = None


@dataclass(slots=True, kw_only=True)
class Link:
    """A join of the rows of a frame with the matching rows of a table.

    Args:
        variable: the variable of the new rows.
        table: their table.
        own: conditions on the new rows alone, the costly ones last.
        row: an expression for the only possible row; None if there is none.
        equal: columns that must equal values of the frame's rows.
        source: the variable whose columns all these values are, if there is one: keys are then made once for all rows.
        overlapping: the variable whose span must overlap the span of the new row.
        rest: conditions on both that are checked pair by pair.

    """

    variable: str
    table: str
    own: list[Term] = field(default_factory=list)
    row: Term | None = None
    equal: list[Equal] = field(default_factory=list)
    source: str | None = None
    overlapping: str | None = None
    rest: list[Term] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether keys and positions decide, so that pairs need not be checked one by one."""
        return not self.rest and self.row is None

    @property
    def linked(self) -> bool:
        """Whether matching rows can be found without checking every pair."""
        return self.row is not None or bool(self.equal) or self.overlapping is not None

    def own_rows(self, frame: Frame) -> Rows | None:
        """Return the rows that match the conditions on them alone; None for all."""
        table = frame.state.tables[self.table]
        if not self.own:
            return None
        found = Frame(frame.state, {self.variable: table}, {self.variable: None}, table.size)
        for term in self.own:
            found = found.filter(term(found))
        return found.rows[self.variable]

    def keys(self, frame: Frame) -> tuple[Rows, Rows, Rows, Rows]:
        """Return the places of the frame and the rows that can be equal at all, and their keys."""
        table, rows = frame.state.tables[self.table], self.own_rows(frame)
        rows = table.numbers if rows is None else rows
        places = np.arange(frame.size)
        if self.source is not None:
            outer = frame.tables[self.source]
            columns = [(each.source[1], each.column, each.kind) for each in self.equal if each.source is not None]
            left, right = frame.state.keys(outer, table, columns)
            return places, rows, left[frame.numbers(self.source)], right[rows]
        left_values = [fill_rows(each.other(frame), frame.size) for each in self.equal]
        right_values = [_table_column(table, each, rows) for each in self.equal]
        places, left_values = _drop_missing(places, left_values, self.equal)
        rows, right_values = _drop_missing(rows, right_values, self.equal)
        if not self.equal:
            return places, rows, np.zeros(len(places), np.int64), np.zeros(len(rows), np.int64)
        left, right = pack_columns([left_values, right_values])
        return places, rows, left, right

    def intervals(self, frame: Frame) -> tuple[Rows, Rows, Intervals]:
        """Return the places of the frame and the rows that can overlap at all, and their intervals."""
        assert self.overlapping is not None
        places, rows, left, right = self.keys(frame)
        low, high = frame.state.line(frame.tables[self.overlapping].name)
        frame_rows = frame.numbers(self.overlapping)[places]
        other_low, other_high = frame.state.line(self.table)
        groups = (left, right) if self.equal else None
        return places, rows, Intervals((low[frame_rows], high[frame_rows]), (other_low[rows], other_high[rows]), groups)

    def pairs(self, frame: Frame) -> tuple[Rows, Rows]:
        """Return pairs of places of the frame and matching rows, in this order; `rest` is checked later."""
        if self.row is not None:
            return self._referenced_rows(frame, self.row)
        if self.overlapping is not None:
            places, rows, intervals = self.intervals(frame)
            left, right = intervals.pairs()
        else:
            places, rows, left_keys, right_keys = self.keys(frame)
            left, right = equal_pairs(left_keys, right_keys)
        return places[left], rows[right]

    def _referenced_rows(self, frame: Frame, row: Term) -> tuple[Rows, Rows]:
        """Return the referenced rows that match the conditions on them."""
        named = fill_rows(row(frame), frame.size)
        places = np.flatnonzero(named >= 0)
        table = frame.state.tables[self.table]
        own = Frame(frame.state, {self.variable: table}, {self.variable: named[places]}, len(places))
        for term in self.own:
            holds = fill_rows(term(own), own.size)
            places, own = places[holds], own.taken(np.flatnonzero(holds))
        return places, own.numbers(self.variable)

    def joined(self, frame: Frame) -> tuple[Rows, Frame]:
        """Return the original place of each matching pair, and the frame with the matching rows added."""
        places, rows = self.pairs(frame)
        found = frame.taken(places).with_rows(self.variable, frame.state.tables[self.table], rows)
        if self.row is not None and self.equal:
            for each in self.equal:
                holds = _equals_column(each, found, self.variable)
                places, found = places[holds], found.filter(holds)
        if self.overlapping is not None:
            near = spans_overlap(found, self.overlapping, self.variable) if self.row else np.ones(found.size, np.bool_)
            holds = pieces_overlap(found, self.overlapping, self.variable, near)
            places, found = places[holds], found.filter(holds)
        for term in self.rest:
            holds = fill_rows(term(found), found.size)
            places, found = places[holds], found.filter(holds)
        return places, found

    def among(self, frame: Frame) -> Array:
        """Whether each place of the frame has a matching row; for exact links."""
        if self.overlapping is not None:
            return self.counted(frame) > 0
        places, _, left_keys, right_keys = self.keys(frame)
        found = np.zeros(frame.size, np.bool_)
        found[places] = is_among(left_keys, right_keys)
        return found

    def counted(self, frame: Frame) -> Array:
        """Return the number of matching rows for each place of the frame; for exact links."""
        counts = np.zeros(frame.size, np.int64)
        if self.overlapping is not None:
            places, _, intervals = self.intervals(frame)
            counts[places] = intervals.counts()
            return counts
        places, _, left_keys, right_keys = self.keys(frame)
        ordered = np.sort(right_keys)
        counts[places] = np.searchsorted(ordered, left_keys, "right") - np.searchsorted(ordered, left_keys, "left")
        return counts


def _table_column(table: Table, each: Equal, rows: Rows) -> Array:
    return table.columns[each.column][rows]


def _equals_column(each: Equal, frame: Frame, variable: str) -> Array:
    values = fill_rows(each.other(frame), frame.size)
    same: Array = values == frame.column(variable, each.column)
    return same & (values >= 0) if each.kind in {"text", "row"} else same


def _drop_missing(places: Rows, columns: list[Array], equal: Sequence[Equal]) -> tuple[Rows, list[Array]]:
    """Drop rows with a missing value in a column: it equals nothing."""
    for each, column in zip(equal, columns, strict=True):
        if (gone := missing_rows(column, each.kind)) is not None:
            keep = np.flatnonzero(~gone)
            return _drop_missing(places[keep], [values[keep] for values in columns], equal)
    return places, columns


def make_join(
    conditions: Conditions, variable: str, table: str, parts: Sequence[Node], *, others: Mapping[str, str]
) -> Link:
    """Make the join for a variable, classifying conditions by how they restrict its rows."""
    link = Link(variable=variable, table=table)
    variables = {**others, variable: table}
    for part in sorted(parts, key=is_costly):
        used = variables_of(part, variables)
        if used <= {variable}:
            link.own.append(conditions.term(part, {variable: table}))
        elif not (_add_equal(link, conditions, part, variables) or _add_overlap(link, part)):
            link.rest.append(conditions.term(part, variables))
    if link.overlapping is not None:  # one line holds all documents
        same = ("doc", (link.overlapping, "doc"))
        link.equal = [each for each in link.equal if (each.column, each.source) != same]
    link.equal.sort(key=lambda each: (_KEY_ORDER.get(each.column, len(_KEY_ORDER)), each.column))
    sources = {each.source[0] if each.source is not None else None for each in link.equal}
    link.source = next(iter(sources)) if len(sources) == 1 else None
    return link


def _add_equal(link: Link, conditions: Conditions, part: Node, variables: Mapping[str, str]) -> bool:
    """Add a condition to the link if it is an equality between the new rows and others."""
    if not isinstance(part, Comparison) or part.steps[0].operator != "==":
        return False
    sides = (part.first, part.steps[0].operand)
    for own, other in (sides, sides[::-1]):
        if not isinstance(own, Name) or link.variable in variables_of(other, variables):
            continue
        name, _, column = own.name.partition(".")
        if name != link.variable:
            continue
        term = conditions.term(other, variables)
        if not column and link.row is None:
            link.row = term
            return True
        if column:
            link.equal.append(Equal(column, conditions.kind(own, variables), term, _source_column(other, variables)))
            return True
    return False


def _source_column(node: Node, variables: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the variable and the column of a node that is a plain column reference, otherwise None."""
    if not isinstance(node, Name):
        return None
    variable, _, column = node.name.partition(".")
    return (variable, column) if column and variable in variables else None


def _add_overlap(link: Link, part: Node) -> bool:
    """Add a condition to the link if it is an overlap of the new rows with others."""
    match part:
        case Call("overlaps", (Name(first), Name(second))) if link.overlapping is None and first != second:
            if link.variable not in (first, second):
                return False
            link.overlapping = second if first == link.variable else first
            return True
        case _:
            return False


def is_costly(node: Node) -> int:
    """Return 1 for conditions with quantifiers or costly functions, otherwise 0; usable as a sort key."""
    kinds = [
        isinstance(each, Quantified) or (isinstance(each, Call) and each.function in COSTLY) for each in nodes_of(node)
    ]
    return int(any(kinds))


# Quantifiers over the rows of a table: `any`, `count`, `min`, `max`, `sum`.


class Quantifier:
    """A compiled quantifier."""

    def __init__(self, conditions: Conditions, node: Quantified, variables: Mapping[str, str]) -> None:
        self.node = node
        inner = {**variables, node.variable: node.table}
        parts: list[Node] = list(split_conjuncts(node.condition))
        self.link = make_join(conditions, variable=node.variable, table=node.table, parts=parts, others=variables)
        self.body = conditions.term(node.body, inner)
        self.of_rows = node.body == Name(node.variable)
        self.own_body = variables_of(node.body, inner) <= {node.variable}
        self.related = self.link.linked or bool(self.link.rest)

    def term(self) -> Term:
        """Return the function that evaluates it for all rows of a frame."""
        match self.node.function:
            case "any":
                return self.any
            case "count":
                return self.count
            case _:
                return self.gathered

    def any(self, frame: Frame) -> Value:
        """Whether each place has a matching row."""
        if not self.related:
            return bool(len(self._own_rows(frame)))
        if self._can_count_by_keys(frame):
            return self.link.among(frame)
        places, _ = self.link.joined(frame)
        found = np.zeros(frame.size, np.bool_)
        found[places] = True
        return found

    def count(self, frame: Frame) -> Value:
        """Return the number of matching rows of each place."""
        if not self.related:
            return len(self._own_rows(frame))
        if self._can_count_by_keys(frame):
            return self.link.counted(frame)
        places, _ = self.link.joined(frame)
        return np.bincount(places, minlength=frame.size)

    def _can_count_by_keys(self, frame: Frame) -> bool:
        if not self.link.exact:
            return False
        whole = frame.state.tables
        return self.link.overlapping is None or all(
            table.pieces is None for table in (whole[self.link.table], frame.tables[self.link.overlapping])
        )

    def _own_rows(self, frame: Frame) -> Rows:
        rows = self.link.own_rows(frame)
        return frame.state.tables[self.link.table].numbers if rows is None else rows

    def gathered(self, frame: Frame) -> Value:
        """Return the minimum, the maximum or the sum of the values of each place's rows."""
        if not self.related and self.own_body:
            rows = self._own_rows(frame)
            found = self._make_frame(frame, rows)
            groups = np.zeros(len(rows), np.int64)
            return self._reduce(self._evaluate_body(found), groups, 1)[0]
        if self.link.exact and self.own_body and self.link.overlapping is None:
            return self._reduce_by_group(frame)
        places, found = self.link.joined(frame)
        return self._reduce(self._evaluate_body(found), places, frame.size)

    def _reduce_by_group(self, frame: Frame) -> Array:
        """Reduce each group of rows with the same key once, and look the groups up."""
        places, rows, left_keys, right_keys = self.link.keys(frame)
        order = np.argsort(right_keys, kind="stable")
        keys, group = np.unique(right_keys[order], return_inverse=True)
        values = self._evaluate_body(self._make_frame(frame, rows[order]))
        reduced = self._reduce(values, group, len(keys))
        result = self._reduce(reduced[:0], group[:0], frame.size)
        if len(keys):
            place = np.searchsorted(keys, left_keys)
            place[place == len(keys)] = 0
            hit = keys[place] == left_keys
            result[places[hit]] = reduced[place[hit]]
        return result

    def _make_frame(self, frame: Frame, rows: Rows) -> Frame:
        table = frame.state.tables[self.link.table]
        return Frame(frame.state, {self.link.variable: table}, {self.link.variable: rows}, len(rows))

    def _evaluate_body(self, frame: Frame) -> Array:
        return fill_rows(self.body(frame), frame.size)

    def _reduce(self, values: Array, owner: Rows, size: int) -> Array:
        """Reduce the values of each owner, sorted by owner; of none, a row or number is missing and a sum is 0."""
        if self.node.function == "sum":
            return np.bincount(owner, values, size) if len(owner) else np.zeros(size)
        result: Array = np.full(size, MISSING, np.int64) if self.of_rows else np.full(size, np.nan)
        if len(owner):
            work = np.fmin if self.node.function == "min" else np.fmax
            begins = np.flatnonzero(np.diff(owner, prepend=-1))
            result[owner[begins]] = work.reduceat(values, begins)
        return result
