"""The tables of a rule file as declarations: columns, parameters, lists, rules, views; misfits are errors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from comparanda.expressions.places import shown
from comparanda.expressions.quoting import KEYWORDS
from comparanda.rules.declarations import (
    PAIRINGS,
    ColumnDeclaration,
    Kind,
    Pairing,
    RuleDeclaration,
    ViewDeclaration,
)
from comparanda.rules.locating import Keys, Section, likely

RULE_KEYS = ("name", "group", "salience", "for", "when", "pair", "best", "set")
VIEW_KEYS = (
    "outcome",
    "partner",
    "credit",
    "left_out",
    "weight",
    "same",
    "flag",
    "sources",
    "per_system",
    "right",
    "summary",
)
COLUMN_KEYS = ("type", "values", "given")
TYPES = ("text", "number", "truth")
SPANS = ("system", "key")

ByLabel = dict[str, float | Mapping[str, float]]
Lists = dict[str, Sequence[str] | Mapping[str, Sequence[str]]]

_NAME = re.compile(r"[^\W\d]\w*")
_ROW = re.compile(r"row of (?P<table>\w+)")


def columns_of(tables: Section) -> dict[str, ColumnDeclaration]:
    """Return the columns of all tables, by `table.column`."""
    found = {}
    for table in tables.values:
        _check_name(tables, table, "table")
        columns = tables.table(table, f"table {shown(table)}")
        for name in columns.values:
            _check_name(columns, name, "column")
            column = _column(columns, name, f"{table}.{name}")
            found[f"{table}.{name}"] = column if table in SPANS else replace(column, given=True)
    return found


def _column(columns: Section, name: str, title: str) -> ColumnDeclaration:
    """Read a column: its type, the list of its values, or a table that says more."""
    value = columns.values[name]
    if isinstance(value, list):
        return ColumnDeclaration(values=_vocabulary(columns, name, title))
    if isinstance(value, str):
        return _typed(columns, name, title)
    if not isinstance(value, dict):
        columns.refuse(name, "a type, or a list of values")
    section = columns.table(name, f"column {title}")
    section.only(COLUMN_KEYS)
    values = _vocabulary(section, "values", title) if "values" in section.values else ()
    if not values:
        section.needs("type")
    column = _typed(section, "type", title) if "type" in section.values else ColumnDeclaration()
    if values and column.kind != "text":
        raise section.error(f"column {title} is a {column.kind}: only a text has fixed values", "values")
    return replace(column, values=values, given=section.truth("given"))


def _vocabulary(section: Section, key: str, title: str) -> tuple[str, ...]:
    values = section.texts(key)
    if not values or len(set(values)) < len(values):
        problem = "has one of its values twice" if values else "has no values"
        raise section.error(f"column {title} {problem}", key, value=True)
    return values


def _typed(section: Section, key: str, title: str) -> ColumnDeclaration:
    written = section.text(key)
    if row := _ROW.fullmatch(written):
        return ColumnDeclaration("row", table=row["table"])
    if written not in TYPES:
        what = f"unknown type {shown(written)} of column {title}{likely(written, TYPES)}"
        raise section.error(what, key, value=True, hint=f"{', '.join(TYPES)}, row of TABLE, or a list of values")
    return ColumnDeclaration(cast(Kind, written))


def parameters_of(section: Section) -> ByLabel:
    """Return numbers by name, or by name and label."""
    found: ByLabel = {}
    for name, value in section.values.items():
        _check_name(section, name, "parameter")
        labels = section.table(name, f"parameter {shown(name)}") if isinstance(value, dict) else None
        found[name] = {label: labels.number(label) for label in labels.values} if labels else section.number(name)
    return found


def lists_of(section: Section) -> Lists:
    """Return texts by name, or by name and label."""
    found: Lists = {}
    for name, value in section.values.items():
        labels = section.table(name, f"list {shown(name)}") if isinstance(value, dict) else None
        found[name] = {label: labels.texts(label) for label in labels.values} if labels else section.texts(name)
    return found


def hierarchy_of(section: Section) -> dict[str, Sequence[str]]:
    """Return the parents of labels."""
    return {
        label: section.texts(label) if isinstance(value, list) else (section.text(label),)
        for label, value in section.values.items()
    }


def _check_name(section: Section, name: str, what: str) -> None:
    """Refuse a name that no condition could use."""
    if not _NAME.fullmatch(name) or name in KEYWORDS:
        raise section.error(f"{shown(name)} cannot be the name of a {what}", name, hint="use letters, digits and _")


def rules_of(top: Section) -> dict[str, RuleDeclaration]:
    """Return the rules by name, in the order of the file."""
    groups = top.texts("groups")
    found: dict[str, RuleDeclaration] = {}
    for section in top.tables("rules"):
        rule = _rule(section)
        if rule.name in found:
            hint = f"the other one is in line {found[rule.name].lines['name']}"
            raise section.error(f"two rules are called {shown(rule.name)}", "name", value=True, hint=hint)
        if groups and rule.group not in groups:
            what = f"unknown group {shown(rule.group)} of {section.title}{likely(rule.group, groups)}"
            raise section.error(what, "group", value=True, hint=f"groups: {', '.join(groups)[:200]}")
        found[rule.name] = rule
    return found


def _rule(section: Section) -> RuleDeclaration:
    section.only(RULE_KEYS)
    section.needs("name", "group", "for", "when", "set")
    if not section.text("name").strip():
        raise section.error("the name of a rule cannot be empty", "name", value=True)
    over, settings = section.table("for"), _settings(section.table("set"))
    places: dict[str, Keys] = {key: (key,) for key in section.values}
    places |= {f"for.{variable}": ("for", variable) for variable in over.values}
    places |= {f"best.{place}": ("best", place) for place in range(len(section.texts("best")))}
    places |= {f"set.{target}": ("set", *keys) for target, (keys, _) in settings.items()}
    return RuleDeclaration(
        section.text("name"),
        section.text("group"),
        {variable: over.text(variable) for variable in over.values},
        section.text("when"),
        {target: value for target, (_, value) in settings.items()},
        section.number("salience"),
        _pairing(section),
        section.texts("best"),
        {part: section.source.line((*section.path, *keys)) for part, keys in places.items()},
        section.source.file,
    )


def _pairing(section: Section) -> Pairing | None:
    pair = section.optional("pair")
    if pair is not None and pair not in PAIRINGS:
        what = f"unknown pair {shown(pair)} of {section.title}{likely(pair, PAIRINGS)}"
        raise section.error(what, "pair", value=True, hint=f"known: {', '.join(PAIRINGS)}")
    return pair


def _settings(section: Section) -> dict[str, tuple[Keys, str]]:
    """Return what is set, each with its keys and its expression; `s.result` may be one quoted key, or dotted."""
    found: dict[str, tuple[Keys, str]] = {}
    for key, value in section.values.items():
        below = section.table(key, section.title) if isinstance(value, dict) else None
        several = [(below, each, (key, each)) for each in below.values] if below else [(section, key, (key,))]
        for place, last, keys in several:
            target = ".".join(keys)
            if target.count(".") != 1:
                what = f"{shown(target)} in {section.title} is no column of a row"
                raise section.error(what, *keys, hint="write the row and the column, as in s.result")
            if target in found:
                raise section.error(f"{section.title} sets {shown(target)} twice", *keys)
            found[target] = keys, _expression(place, last)
    return found


def _expression(section: Section, key: str) -> str:
    """Return a value that is set as an expression: a text as it is, a number or a truth written out."""
    value = section.values[key]
    if isinstance(value, bool):
        return str(value).lower()
    return repr(section.number(key)) if isinstance(value, int | float) else section.text(key)


def view_of(section: Section, parameters: Mapping[str, object]) -> ViewDeclaration:
    """Return a view; credits may be names of parameters."""
    section.only(VIEW_KEYS)
    section.needs("outcome", "credit")
    view = ViewDeclaration(
        section.text("outcome"),
        _credits(section, parameters),
        section.optional("partner"),
        section.optional("left_out"),
        section.optional("weight"),
        summary=section.text("summary"),
        flag=section.optional("flag"),
        sources=_sources(section),
        per_system=section.truth("per_system"),
        right=section.texts("right"),
    )
    return replace(view, same=section.texts("same")) if "same" in section.values else view


def _sources(section: Section) -> dict[str, str]:
    """Return whose errors some outcomes are."""
    given = section.table("sources")
    return {outcome: given.text(outcome) for outcome in given.values}


def _credits(section: Section, parameters: Mapping[str, object]) -> dict[str, float | str] | str:
    """Return the name of a column, or what each outcome is worth: a number, or that of a parameter."""
    if isinstance(section.values["credit"], str):
        return section.text("credit")
    given = section.table("credit")
    found: dict[str, float | str] = {}
    for outcome, name in given.values.items():
        if not isinstance(name, str):
            found[outcome] = given.number(outcome)
        elif isinstance(parameters.get(name), int | float):
            found[outcome] = name
        else:
            what = f"no parameter is called {shown(name)}{likely(name, parameters)}"
            if name in parameters:
                what = f"parameter {shown(name)} differs by label, so it cannot be a credit"
            raise given.error(what, outcome, value=True)
    return found
