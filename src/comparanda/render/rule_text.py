"""Rule sets and explanations of verdicts, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.expressions import quote_string
from comparanda.render.json import SCHEMA_VERSION
from comparanda.render.table import format_count, make_visible
from comparanda.rules.explanation.data import Explanation, Row, RuleCheck, RuleSetDescription, RuleSetList
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.rules.explanation.data import (
        Attempt,
        Cell,
        ColumnDescription,
        Condition,
        RuleDescription,
        Step,
        Value,
        Verdict,
        ViewDescription,
        Why,
        WhyNot,
    )

_INDENT = "  "


OUTPUTS: dict[str, type] = {
    "rule_sets": RuleSetList,
    "rule_set": RuleSetDescription,
    "rule_check": RuleCheck,
    "explanation": Explanation,
}
"""The kinds of output about rules, by their names in JSON."""


def rules_document(output: Any, notes: Sequence[str] = ()) -> str:
    """Return the JSON document that a command prints: the output in an envelope."""
    kind = next(name for name, each in OUTPUTS.items() if isinstance(output, each))
    envelope = {
        "schema": f"comparanda/{kind}/{SCHEMA_VERSION}",
        "version": __version__,
        "notes": list(notes),
        kind: output,
    }
    return msgspec.json.format(msgspec.json.encode(envelope), indent=2).decode()


def rules_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of the document that a command prints for a kind of output."""
    inner = msgspec.json.schema(OUTPUTS[kind])
    title = f"comparanda/{kind}/{SCHEMA_VERSION}"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "required": ["schema", "version", "notes", kind],
        "additionalProperties": False,
        "properties": {
            "schema": {"const": title},
            "version": {"type": "string"},
            "notes": {"type": "array", "items": {"type": "string"}},
            kind: {"$ref": inner["$ref"]},
        },
        "$defs": inner["$defs"],
    }


# Text


def list_text(found: RuleSetList) -> str:
    """Format rule sets, one per line: name, number of rules, views, title."""
    rows = [
        (each.name, format_count(each.rules, "rule"), ", ".join(each.views) or "to be included", each.title)
        for each in found.rule_sets
    ]
    return _join_lines(_align_columns(rows))


def set_text(found: RuleSetDescription) -> str:
    """Format the full description of a rule set."""
    parts = {
        "Parameters": _align_columns((name, _format_numbers(value)) for name, value in found.parameters.items()),
        "Lists": _align_columns((name, _format_texts(texts)) for name, texts in found.lists.items()),
        "Hierarchy": _align_columns((label, f"is a {', '.join(above)}") for label, above in found.hierarchy.items()),
        "Columns": _align_columns((f"{each.table}.{each.name}", _column_text(each)) for each in found.columns),
        "Rules, in the order in which they are tried": [line for each in found.rules for line in _rule_lines(each)],
        "Views": [line for each in found.views for line in _view_lines(each)],
    }
    lines = [f"{found.name}: {found.title}" if found.title else found.name, f"groups: {' → '.join(found.groups)}"]
    for title, inside in parts.items():
        if inside:
            lines += ["", title, *(_INDENT + line for line in inside)]
    return _join_lines(lines)


def explanation_text(found: Explanation) -> str:
    """Format the explanation of the verdicts on spans."""
    lines = [f"rules {found.rules!r}, positions count {found.positions}"]
    for each in found.spans:
        suffix = f", evaluated with {each.system!r}" if each.why.row.table == "key" else ""
        lines += ["", f"{each.why.row}{suffix}"]
        lines += [_INDENT + line for line in _why_lines(each.why)]
        lines += [_INDENT + line for one in each.why_not for line in _why_not_lines(one)]
    if found.more:
        lines += ["", f"… {format_count(found.more, 'more span')} selected; narrow the selection"]
    return _join_lines(lines)


def _join_lines(lines: Iterable[str]) -> str:
    return "\n".join(make_visible(line).rstrip() for line in lines) + "\n"


def _align_columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Format rows with aligned columns."""
    written = [[make_visible(each) for each in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*written, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in written]


def _format_numbers(value: float | Mapping[str, float]) -> str:
    if not isinstance(value, Mapping):
        return _format_number(value)
    return ", ".join(f"{label} {_format_number(number)}" for label, number in value.items())


def _format_texts(texts: Sequence[str] | Mapping[str, Sequence[str]]) -> str:
    if isinstance(texts, Mapping):
        return "; ".join(f"{label}: {_format_texts(each)}" for label, each in texts.items()) or "none"
    return ", ".join(map(quote_string, texts)) or "none"


def _column_text(column: ColumnDescription) -> str:
    kind = ", ".join(column.values) or (f"row of {column.of}" if column.of else column.kind)
    return f"{kind} (from the input)" if column.given else kind


def _rule_lines(rule: RuleDescription) -> Iterator[str]:
    yield f"{rule.name}  ({_format_agenda(rule.group, rule.salience)})"
    yield f"  for   {', '.join(f'{variable} in {table}' for variable, table in rule.over.items())}"
    yield f"  when  {rule.when}"
    if rule.pair is not None:
        yield f"  pair  {rule.pair}"
    if rule.best:
        yield f"  best  {', then '.join(rule.best)}"
    yield f"  set   {', '.join(f'{cell} = {value}' for cell, value in rule.sets.items())}"


def _view_lines(view: ViewDescription) -> Iterator[str]:
    yield f"{view.name}: {view.summary}" if view.summary else view.name
    columns = {"outcomes in": view.outcome, "pairs in": view.partner, "left out by": view.left_out}
    columns |= {"weighed by": view.weight, "flagged by": view.flag}
    yield "  " + ", ".join(f"{what} {column}" for what, column in columns.items() if column is not None)
    yield f"  credit {view.credit if isinstance(view.credit, str) else _format_numbers(view.credit) or 'for nothing'}"
    if view.right:
        yield f"  right without credit: {', '.join(view.right)}"
    if view.sources:
        yield f"  errors {', '.join(f'{outcome}: {source}' for outcome, source in view.sources.items())}"
    if view.per_system:
        yield "  which spans of the key count depends on the system"
    if view.label == "partner":
        yield "  errors of a pair count for the label of the key's span"


def _format_agenda(group: str, salience: float) -> str:
    return f"{group}/{_format_number(salience)}"


def _format_number(number: float) -> str:
    return f"{number:.6g}" if isinstance(number, float) and not number.is_integer() else str(int(number))


def _format_value(value: Value) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote_string(value)
    return str(value) if isinstance(value, Row) else _format_number(value)


def _format_cells(cells: Iterable[Cell]) -> str:
    return ", ".join(f"{cell.name} = {_format_value(cell.value)}" for cell in cells)


# Why a span has its verdict


def _why_lines(why: Why) -> Iterator[str]:
    agenda = [_format_agenda(step.group, step.salience) for step in why.steps]
    width = max(map(len, agenda), default=0)
    for step, where in zip(why.steps, agenda, strict=True):
        yield f"step {step.step}  {where:<{width}}  {step.rule}: {_step_text(step)}"
    if not why.steps:
        yield "no rule has fired for it"
    yield from _align_columns((f"{verdict.view}:", _verdict_text(verdict)) for verdict in why.verdicts)


def _step_text(step: Step) -> str:
    parts = [_format_cells(step.sets)] if step.sets else []
    if step.partner is not None and step.partner not in [cell.value for cell in step.sets]:
        parts.append(f"with {step.partner}" + ("" if step.sets else f": {_format_cells(step.partner_sets)} there"))
    return ", ".join(parts)


def _verdict_text(verdict: Verdict) -> str:
    if verdict.outcome is None:
        return "no outcome"
    by = f" by rule {verdict.rule!r} in step {verdict.step}" if verdict.rule is not None else ""
    parts = [f"{verdict.outcome}{by}", f"credit {_format_number(verdict.credit)}"]
    if verdict.left_out is not None:
        parts.append(f"left out: {verdict.left_out}")
    elif verdict.weight != 1:
        parts.append(f"weight {_format_number(verdict.weight)}")
    return ", ".join(parts)


# Why a rule did not fire


def _why_not_lines(found: WhyNot) -> Iterator[str]:
    what = f"rule {found.rule!r} ({_format_agenda(found.group, found.salience)})"
    if found.fired:
        yield f"{what} has fired for it, in step {', '.join(map(str, found.fired))}"
    else:
        yield f"{what} has not fired for it; it was tried {_format_moments(found.tried)}"
    if not found.fired and not found.attempts:
        yield _INDENT + "there is nothing near it to pair with"
    for attempt in found.attempts:
        yield from (_INDENT + line for line in _attempt_lines(attempt, found))


def _format_moments(steps: Sequence[int]) -> str:
    before = ["before all steps"] if 0 in steps else []
    after = [str(step) for step in steps if step]
    return " and ".join([*before, *([f"after step {', '.join(after)}"] if after else [])])


def _attempt_lines(attempt: Attempt, found: WhyNot) -> Iterator[str]:
    indent = ""
    if attempt.other is not None:
        when = f", {_format_moments([attempt.after])}" if len(found.tried) > 1 else ""
        yield f"with {attempt.other}{when}"
        indent = _INDENT
    for condition in attempt.conditions:
        yield indent + _condition_line(condition)
    if attempt.reason == "nothing to change":
        yield indent + "all conditions held, but it would have changed nothing"
    for pair in attempt.taken:
        better = "of equal ones the first by content" if found.pair == "one-to-one" else "this is the best set of pairs"
        if pair.better:
            there, here = pair.better
            better = f"{there.name} is {_format_value(there.value)} there and {_format_value(here.value)} here"
        pairs = f"took another pair, {pair.row} with {pair.other}"
        yield f"{indent}all conditions held, but step {pair.step} {pairs}: {better}"


def _condition_line(condition: Condition) -> str:
    values = ", ".join(_format_cell_with_origin(cell) for cell in condition.values)
    if condition.held and not condition.holds:
        values = f"no longer: {values}" if values else "no longer"
    elif not condition.held and condition.holds:
        values = f"{values}; it holds at the end" if values else "it holds at the end"
    line = f"{'+' if condition.held else '-'} {condition.condition}"
    return f"{line}   ({values})" if values else line


def _format_cell_with_origin(cell: Cell) -> str:
    origin = f" set by rule {cell.rule!r} in step {cell.step}" if cell.rule is not None else ""
    return f"{cell.name} = {_format_value(cell.value)}{origin}"
