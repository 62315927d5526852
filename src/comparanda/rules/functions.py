"""The functions of conditions, on arrays of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.columns import TextColumn
from comparanda.expressions import BUILTINS
from comparanda.expressions.syntax import Call, Name, Text
from comparanda.rules.facts import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Truths
    from comparanda.rules.conditions import Conditions, Term, Value
    from comparanda.rules.facts import State, Table
    from comparanda.rules.frames import Frame

    Array = NDArray[Any]

CONDITIONS = frozenset({"overlaps", "is_a", "in_list", "is_missing"})
"""The functions of rules that are true or false; all others of theirs are numbers."""

COSTLY = frozenset({"similarity", "overlap", "iou"})
"""What is worked out once for a frame, for conditions and `best` often ask for it both."""

_FEW = 64


def made(node: Call, conditions: Conditions, variables: Mapping[str, str]) -> Term:  # noqa: PLR0911 - one for each
    """Compile a call of a function."""
    rule_set = conditions.rule_set
    match node:
        case Call("overlaps", (Name(first), Name(second))):
            return lambda frame: overlaps(frame, first, second)
        case Call("overlap", (Name(first), Name(second))):
            return lambda frame: overlap(frame, first, second)
        case Call("iou", (Name(first), Name(second))):
            return lambda frame: iou(frame, first, second)
        case Call("in_list", (text, Text(name), *label)):
            terms = [conditions.term(each, variables) for each in (text, *label)]
            return lambda frame: in_list(frame.state, rule_set.lists[name], *(term(frame) for term in terms))
        case Call("is_missing", (value,)):
            term = conditions.term(value, variables)
            if conditions.kind(value, variables) == "number":
                return lambda frame: np.isnan(term(frame))
            return lambda frame: term(frame) == MISSING
        case Call(function, arguments):
            # texts written out are passed on as they are
            inner = [None if isinstance(each, Text) else conditions.term(each, variables) for each in arguments]
            values = [each.value if isinstance(each, Text) else None for each in arguments]
            return _called(function, inner, values, conditions)


def _called(function: str, terms: list[Term | None], values: list[str | None], conditions: Conditions) -> Term:
    rule_set = conditions.rule_set

    def arguments(frame: Frame) -> list[Value]:
        return [
            frame.state.pool.code(value) if term is None and value is not None else term(frame) if term else None
            for term, value in zip(terms, values, strict=True)
        ]

    match function:
        case "similarity":
            return lambda frame: similarity(frame.state, frame.size, *arguments(frame))
        case "is_a":
            return lambda frame: is_a(frame.state, rule_set.hierarchy, frame.size, *arguments(frame))
        case "min":
            return lambda frame: np.fmin(*arguments(frame))
        case "max":
            return lambda frame: np.fmax(*arguments(frame))
        case _ if function in rule_set.parameters:
            table = rule_set.parameters[function]
            assert isinstance(table, Mapping)
            return lambda frame: by_label(frame.state, table, *arguments(frame))
        case _:
            return _builtin(function, terms, values)


def _builtin(function: str, terms: list[Term | None], values: list[str | None]) -> Term:
    """Compile a function that every expression has: texts are given to it as columns."""
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


def arithmetic(symbol: str, left: Term, right: Term) -> Term:
    """Compile one step of a sum or product; what is divided by zero is missing."""
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
    """Compile a comparison of texts by their order; false where one is missing."""

    def ordered(frame: Frame) -> Value:
        mine, theirs = np.broadcast_arrays(np.asarray(left(frame)), np.asarray(right(frame)))
        shape = mine.shape or (1,)
        ranks = frame.state.pool.ranks(np.concatenate([mine.reshape(shape), theirs.reshape(shape)]))
        holds = compare(ranks[: shape[0]], ranks[shape[0] :])
        return holds & (mine >= 0) & (theirs >= 0)

    return ordered


def by_label(state: State, table: Mapping[str, float], label: Value) -> Value:
    """Return the value of a parameter for each row's label."""
    result = np.full(np.shape(label), table.get("default", np.nan))
    for name, value in table.items():
        result[label == state.pool.code(name)] = value
    return result


def in_list(state: State, listed: Any, text: Array, label: Array | None = None) -> Truths:
    """Whether each text is in a list; of lists by label, in that of its label."""
    if not isinstance(listed, Mapping):
        return _is_one_of(state, listed, text)
    found = _is_one_of(state, listed.get("default", frozenset()), text)
    if label is None:
        return found
    for each, texts in listed.items():
        mine = label == state.pool.code(each)
        if each != "default" and np.any(mine):
            found = np.where(mine, _is_one_of(state, texts, text), found)
    return found


def _is_one_of(state: State, texts: frozenset[str], codes: Array) -> Truths:
    """Look up codes in a table of all; the last two places of it are for missing and unknown ones."""
    known = state.looked_up.get(texts)
    if known is None or len(known) != len(state.pool.names) + 2:
        known = np.zeros(len(state.pool.names) + 2, np.bool_)
        known[[code for text in texts if (code := state.pool.code(text)) >= 0]] = True
        state.looked_up[texts] = known
    found: Truths = known[codes]
    return found


def is_a(state: State, hierarchy: Mapping[str, frozenset[str]], size: int, child: Value, ancestor: Value) -> Truths:
    """Whether each label is below another one."""
    found = np.zeros(size, np.bool_)
    for name, above in hierarchy.items():
        mine = child == state.pool.code(name)
        if np.any(mine):
            found |= mine & _is_one_of(state, above, ancestor)
    return found


def similarity(state: State, size: int, first: Value, second: Value) -> NDArray[np.float64]:
    """Return how alike texts are, 0 to 100: 100 · 2·M/T, M characters of the longest common subsequence, T of both."""
    from rapidfuzz import fuzz, process

    mine, theirs = (np.broadcast_to(np.asarray(each), size) for each in (first, second))
    names = state.pool.names
    width = len(names) + 1
    pairs, places = np.unique(np.maximum(mine, 0).astype(np.int64) * width + np.maximum(theirs, 0), return_inverse=True)
    present = (mine >= 0) & (theirs >= 0)
    left = [names[code] for code in (pairs // width).tolist()] if len(names) else []
    right = [names[code] for code in (pairs % width).tolist()] if len(names) else []
    if len(pairs) < _FEW:
        scores = np.array([fuzz.ratio(a, b) for a, b in zip(left, right, strict=True)], np.float64)
    else:
        scores = process.cpdist(left, right, scorer=fuzz.ratio, dtype=np.float64, workers=1)
    return np.where(present, scores[places], np.nan)


def overlaps(frame: Frame, first: str, second: str) -> Truths:
    """Whether the spans of two variables overlap."""
    (low, high), (other_low, other_high) = (_on_line(frame, each) for each in (first, second))
    found: Truths = (low <= other_high) & (other_low <= high)
    return together(frame, first, second, found)


def _on_line(frame: Frame, variable: str) -> tuple[Array, Array]:
    low, high = frame.state.line(frame.tables[variable].name)
    rows = frame.rows[variable]
    return (low, high) if rows is None else (low[rows], high[rows])


def together(frame: Frame, first: str, second: str, found: Truths) -> Truths:
    """Look again at pairs with a span in several pieces: a piece of one must overlap a piece of the other."""
    tables = frame.tables[first], frame.tables[second]
    if tables[0].pieces is None and tables[1].pieces is None:
        return found
    several = found & ((frame.column(first, "pieces") > 0) | (frame.column(second, "pieces") > 0))
    rows = frame.numbers(first), frame.numbers(second)
    for place in np.flatnonzero(several).tolist():
        mine, theirs = (pieces_of(table, int(row[place])) for table, row in zip(tables, rows, strict=True))
        found[place] = any((a < d and c < b) or (a, b) == (c, d) for a, b in mine for c, d in theirs)
    return found


def pieces_of(table: Table, row: int) -> list[tuple[int, int]]:
    """Return the pieces of a span, one for most."""
    pieces = table.pieces.of(row) if table.pieces is not None else None
    return pieces or [(int(table.columns["begin"][row]), int(table.columns["end"][row]))]


def overlap(frame: Frame, first: str, second: str) -> Array:
    """Return how many positions two spans have in common."""
    begin = np.maximum(frame.column(first, "begin"), frame.column(second, "begin"))
    common: Array = np.minimum(frame.column(first, "end"), frame.column(second, "end")) - begin
    common[(common < 0) | (frame.column(first, "doc") != frame.column(second, "doc"))] = 0
    tables = frame.tables[first], frame.tables[second]
    if tables[0].pieces is None and tables[1].pieces is None:
        return common
    several: Truths = (common > 0) & ((frame.column(first, "pieces") > 0) | (frame.column(second, "pieces") > 0))
    rows = frame.numbers(first), frame.numbers(second)
    for place in np.flatnonzero(several).tolist():
        mine, theirs = (pieces_of(table, int(row[place])) for table, row in zip(tables, rows, strict=True))
        common[place] = sum(max(0, min(b, d) - max(a, c)) for a, b in mine for c, d in theirs)
    return common


def iou(frame: Frame, first: str, second: str) -> Array:
    """Return the common positions of two spans as a share of all their positions; 1 for equal spans without any."""
    common = overlap(frame, first, second)
    union = frame.column(first, "length") + frame.column(second, "length") - common
    equal = (frame.column(first, "begin") == frame.column(second, "begin")) & (
        frame.column(first, "doc") == frame.column(second, "doc")
    )
    shares: Array = np.where(union > 0, common / np.maximum(union, 1), equal.astype(np.float64))
    return shares
