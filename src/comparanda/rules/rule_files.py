"""Read rule files: TOML to declarations, with errors that show the line and a caret."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar, cast

from comparanda.errors import RuleError
from comparanda.expressions.syntax import KEYWORDS, quote_for_message
from comparanda.rules.declarations import (
    LABEL_SOURCES,
    PAIRINGS,
    ColumnDeclaration,
    Kind,
    LabelSource,
    Pairing,
    RuleDeclaration,
    RuleSetDeclaration,
    ViewDeclaration,
)
from comparanda.rules.shipped import registered_file, registered_rules
from comparanda.rules.toml_positions import Keys, Section, Source, suggest_known

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
    "label",
    "summary",
)
COLUMN_KEYS = ("type", "values", "given", "note")
TYPES = ("text", "number", "truth")
SPANS = ("system", "key")

ByLabel = dict[str, float | Mapping[str, float]]
Lists = dict[str, Sequence[str] | Mapping[str, Sequence[str]]]

_NAME_PATTERN = re.compile(r"[^\W\d]\w*")
_ROW_TYPE = re.compile(r"row of (?P<table>\w+)")


def columns_of(tables: Section) -> dict[str, ColumnDeclaration]:
    """Read the columns of all tables, by `table.column`."""
    found = {}
    for table in tables.values:
        _check_name(tables, table, "table")
        columns = tables.table(table, f"table {quote_for_message(table)}")
        for name in columns.values:
            _check_name(columns, name, "column")
            column = _read_column(columns, name, f"{table}.{name}")
            found[f"{table}.{name}"] = column if table in SPANS else replace(column, given=True)
    return found


def _read_column(columns: Section, name: str, title: str) -> ColumnDeclaration:
    """Read a column: its type, the list of its values, or a table with more details."""
    value = columns.values[name]
    if isinstance(value, list):
        return ColumnDeclaration(values=_read_values(columns, name, title))
    if isinstance(value, str):
        return _read_type(columns, name, title)
    if not isinstance(value, dict):
        columns.refuse(name, "a type, or a list of values")
    section = columns.table(name, f"column {title}")
    section.only(COLUMN_KEYS)
    values = _read_values(section, "values", title) if "values" in section.values else ()
    if not values:
        section.needs("type")
    column = _read_type(section, "type", title) if "type" in section.values else ColumnDeclaration()
    if values and column.kind != "text":
        raise section.error(f"column {title} is of type {column.kind}: only text columns have fixed values", "values")
    return replace(column, values=values, given=section.truth("given"), note=section.text("note"))


def _read_values(section: Section, key: str, title: str) -> tuple[str, ...]:
    values = section.texts(key)
    if not values or len(set(values)) < len(values):
        problem = "has a duplicate value" if values else "has no values"
        raise section.error(f"column {title} {problem}", key, value=True)
    return values


def _read_type(section: Section, key: str, title: str) -> ColumnDeclaration:
    written = section.text(key)
    if row := _ROW_TYPE.fullmatch(written):
        return ColumnDeclaration("row", table=row["table"])
    if written not in TYPES:
        what = f"unknown type {quote_for_message(written)} of column {title}{suggest_known(written, TYPES)}"
        raise section.error(what, key, value=True, hint=f"{', '.join(TYPES)}, row of TABLE, or a list of values")
    return ColumnDeclaration(cast(Kind, written))


def parameters_of(section: Section) -> ByLabel:
    """Read numbers by name, or by name and label."""
    found: ByLabel = {}
    for name, value in section.values.items():
        _check_name(section, name, "parameter")
        labels = section.table(name, f"parameter {quote_for_message(name)}") if isinstance(value, dict) else None
        found[name] = {label: labels.number(label) for label in labels.values} if labels else section.number(name)
    return found


def lists_of(section: Section) -> Lists:
    """Read lists of strings by name, or by name and label."""
    found: Lists = {}
    for name, value in section.values.items():
        labels = section.table(name, f"list {quote_for_message(name)}") if isinstance(value, dict) else None
        found[name] = {label: labels.texts(label) for label in labels.values} if labels else section.texts(name)
    return found


def hierarchy_of(section: Section) -> dict[str, Sequence[str]]:
    """Read the parents of labels."""
    return {
        label: section.texts(label) if isinstance(value, list) else (section.text(label),)
        for label, value in section.values.items()
    }


def _check_name(section: Section, name: str, what: str) -> None:
    """Refuse a name that cannot be used in conditions."""
    if not _NAME_PATTERN.fullmatch(name) or name in KEYWORDS:
        raise section.error(
            f"{quote_for_message(name)} cannot be the name of a {what}", name, hint="use letters, digits and _"
        )


def rules_of(top: Section) -> dict[str, RuleDeclaration]:
    """Read the rules by name, in the order of the file."""
    groups = top.texts("groups")
    found: dict[str, RuleDeclaration] = {}
    for section in top.tables("rules"):
        rule = _read_rule(section)
        if rule.name in found:
            hint = f"the first one is in line {found[rule.name].lines['name']}"
            raise section.error(f"duplicate rule {quote_for_message(rule.name)}", "name", value=True, hint=hint)
        if groups and rule.group not in groups:
            what = (
                f"unknown group {quote_for_message(rule.group)} of {section.title}{suggest_known(rule.group, groups)}"
            )
            raise section.error(what, "group", value=True, hint=f"groups: {', '.join(groups)[:200]}")
        found[rule.name] = rule
    return found


def _read_rule(section: Section) -> RuleDeclaration:
    section.only(RULE_KEYS)
    section.needs("name", "group", "for", "when", "set")
    if not section.text("name").strip():
        raise section.error("the name of a rule cannot be empty", "name", value=True)
    over, settings = section.table("for"), _read_settings(section.table("set"))
    places: dict[str, Keys] = {key: (key,) for key in section.values}
    places |= {f"for.{variable}": ("for", variable) for variable in over.values}
    places |= {f"best.{place}": ("best", place) for place in range(len(section.texts("best")))}
    places |= {f"set.{target}": ("set", *keys) for target, (keys, _) in settings.items()}
    return RuleDeclaration(
        name=section.text("name"),
        group=section.text("group"),
        over={variable: over.text(variable) for variable in over.values},
        when=section.text("when"),
        sets={target: value for target, (_, value) in settings.items()},
        salience=section.number("salience"),
        pair=_read_pairing(section),
        best=section.texts("best"),
        lines={part: section.source.line((*section.path, *keys)) for part, keys in places.items()},
        file=section.source.file,
    )


def _read_pairing(section: Section) -> Pairing | None:
    pair = section.optional("pair")
    if pair is not None and pair not in PAIRINGS:
        what = f"unknown pair {quote_for_message(pair)} of {section.title}{suggest_known(pair, PAIRINGS)}"
        raise section.error(what, "pair", value=True, hint=f"known: {', '.join(PAIRINGS)}")
    return pair


def _read_settings(section: Section) -> dict[str, tuple[Keys, str]]:
    """Read the cells to set, with their keys and expressions; `s.result` may be one quoted key, or dotted."""
    found: dict[str, tuple[Keys, str]] = {}
    for key, value in section.values.items():
        below = section.table(key, section.title) if isinstance(value, dict) else None
        several = [(below, each, (key, each)) for each in below.values] if below else [(section, key, (key,))]
        for place, last, keys in several:
            target = ".".join(keys)
            if target.count(".") != 1:
                what = f"{quote_for_message(target)} in {section.title} is not a column of a row"
                raise section.error(what, *keys, hint="write the row and the column, as in s.result")
            if target in found:
                raise section.error(f"{section.title} sets {quote_for_message(target)} twice", *keys)
            found[target] = keys, _setting_text(place, last)
    return found


def _setting_text(section: Section, key: str) -> str:
    """Return the value of a setting as an expression: a string unchanged, a number or boolean as a literal."""
    value = section.values[key]
    if isinstance(value, bool):
        return str(value).lower()
    return repr(section.number(key)) if isinstance(value, int | float) else section.text(key)


def view_of(section: Section, parameters: Mapping[str, object]) -> ViewDeclaration:
    """Read a view; credits may be names of parameters."""
    section.only(VIEW_KEYS)
    section.needs("outcome", "credit")
    view = ViewDeclaration(
        outcome=section.text("outcome"),
        credit=_read_credits(section, parameters),
        partner=section.optional("partner"),
        left_out=section.optional("left_out"),
        weight=section.optional("weight"),
        summary=section.text("summary"),
        flag=section.optional("flag"),
        sources=_read_sources(section),
        per_system=section.truth("per_system"),
        right=section.texts("right"),
        label=_read_label_source(section),
    )
    return replace(view, same=section.texts("same")) if "same" in section.values else view


def _read_label_source(section: Section) -> LabelSource:
    given = section.text("label", LABEL_SOURCES[0])
    for each in LABEL_SOURCES:
        if each == given:
            return each
    what = f"unknown label {quote_for_message(given)} of {section.title}{suggest_known(given, LABEL_SOURCES)}"
    raise section.error(what, "label", value=True, hint=f"known: {', '.join(LABEL_SOURCES)}")


def _read_sources(section: Section) -> dict[str, str]:
    """Read the sources of outcomes that are errors."""
    given = section.table("sources")
    return {outcome: given.text(outcome) for outcome in given.values}


def _read_credits(section: Section, parameters: Mapping[str, object]) -> dict[str, float | str] | str:
    """Read the name of a column, or the credit of each outcome: a number, or the name of a parameter."""
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
            what = f"unknown parameter {quote_for_message(name)}{suggest_known(name, parameters)}"
            if name in parameters:
                what = f"parameter {quote_for_message(name)} has one value per label, so it cannot be a credit"
            raise given.error(what, outcome, value=True)
    return found


# Loading of rule files and the files they include.


LARGEST: Final = 1_000_000
MOST_RULES: Final = 500
MOST_FILES: Final = 50
DEEPEST: Final = 8

FILE_KEYS = ("title", "include", "groups", "tables", "parameters", "lists", "hierarchy", "rules", "views")

T = TypeVar("T")


def load(given: str | Path) -> RuleSetDeclaration:
    """Read a rule set: a shipped one, one registered by another package, or a file.

    A string that ends in `.toml` or contains a slash is the path of a file; any other is a name.

    >>> load("exact").title
    'Exact match: label and both ends'
    """
    if _is_name(given):
        path = registered_file(str(given))
        return _Loader().rule_set(_read_file(path, path.name), path.name, str(given), path)
    path = Path(given)
    return _Loader().rule_set(_read_file(path, str(given)), str(given), path.stem, path)


def _is_name(given: str | Path) -> bool:
    return isinstance(given, str) and not (given.endswith(".toml") or "/" in given or os.sep in given)


def files_of_rules(given: str | Path) -> list[Path]:
    """Return the files of a rule set: its own and those it includes from the same folder; none for a name."""
    if _is_name(given):
        return []
    path, loader = Path(given), _Loader()
    loader.rule_set(_read_file(path, str(given)), str(given), path.stem, path)
    folder = os.path.realpath(path.parent)
    return [path, *(Path(each) for each in sorted(loader.done) if os.path.dirname(each) == folder)]


def parse(text: str, file: str) -> RuleSetDeclaration:
    """Read a rule set from a string; `file` is used in errors, and its folder to find included files.

    >>> parse('include = ["exact"]', "mine.toml").name
    'mine'
    """
    if len(text) > LARGEST:
        raise _size_error(file)
    return _Loader().rule_set(text, file, Path(file).stem, Path(file))


def list_shipped() -> dict[str, str]:
    """Return the titles of all registered rule sets: those of this package and of others.

    >>> list_shipped()["exact"]
    'Exact match: label and both ends'
    """
    return {name: _load_title(name) for name in registered_rules()}


def _load_title(name: str) -> str:
    try:
        return load(name).title
    except RuleError as problem:  # one broken package must not hide the others
        return f"(cannot be used: {problem.what})"


def _read_file(path: Path, file: str) -> str:
    try:
        if not path.exists():
            raise RuleError(f"no such file{_suggest_file(path)}", where=file)
        if not path.is_file():  # reading a pipe could block forever
            raise RuleError("not a regular file", where=file)
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as problem:
        raise RuleError(f"the file cannot be read: {problem.strerror or problem}", where=file) from None
    if len(data) > LARGEST:
        raise _size_error(file)
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        what = f"the file is not UTF-8: {problem.reason} 0x{data[problem.start]:02x}"
        raise RuleError(what, where=f"{file}:{line}", hint="save it as UTF-8") from None


def _suggest_file(path: Path) -> str:
    return suggest_known(path.name, (each.name for each in path.parent.glob("*.toml")))


def _size_error(file: str) -> RuleError:
    return RuleError(f"the file is too large; at most {LARGEST:,} bytes are allowed", where=file)


class _Loader:
    """Reader of a file and all files it includes, each once."""

    def __init__(self) -> None:
        self.done: dict[str, _Part] = {}
        self.open_files: list[tuple[str, str]] = []

    def rule_set(self, text: str, file: str, name: str, path: Path) -> RuleSetDeclaration:
        """Read a file and those it includes into one declaration."""
        part = self.read_part(text, file, path)
        _check_joined(part)
        tables: dict[str, dict[str, ColumnDeclaration]] = {}
        for title, column in part.columns.items():
            table, _, each = title.partition(".")
            tables.setdefault(table, {})[each] = column
        return RuleSetDeclaration(
            name=name,
            groups=part.groups,
            tables=tables,
            rules=tuple(part.rules.values()),
            views={each: view_of(section, part.parameters) for each, section in part.views.items()},
            title=part.title,
            parameters=part.parameters,
            lists=part.lists,
            hierarchy=part.hierarchy,
            file=file,
        )

    def read_part(self, text: str, file: str, path: Path) -> _Part:
        """Read one file, then those it includes, and join them."""
        top = Section(Source(text, file), (), "the file", {})
        top = replace(top, values=top.source.data)
        own = _read_part(top)
        self.open_files.append((os.path.realpath(path), file))
        included = [self.read_included(top, place, path.parent) for place in range(len(top.texts("include")))]
        self.open_files.pop()
        return _join_parts(own, included, top)

    def read_included(self, top: Section, place: int, folder: Path) -> _Part:
        """Read an included file, unless it has been read before."""
        path, file = _included_file(top, place, folder)
        real = os.path.realpath(path)
        if real in (before for before, _ in self.open_files):
            circle = " → ".join([*(each for _, each in self.open_files), file])
            raise top.error(f"circular include: {circle}", "include", place, value=True)
        if real in self.done:
            return self.done[real]
        if len(self.open_files) == DEEPEST or len(self.done) == MOST_FILES:
            what = f"too many included files: at most {DEEPEST} levels deep, and {MOST_FILES} in all"
            raise top.error(what, "include", place, value=True)
        self.done[real] = self.read_part(_read_file(path, file), file, path)
        return self.done[real]


def _included_file(top: Section, place: int, folder: Path) -> tuple[Path, str]:
    """Return the path of an included file and its name in errors; it must be registered or in the same folder."""
    name = top.texts("include")[place]

    def include_error(what: str, hint: str | None = None) -> RuleError:
        return top.error(what, "include", place, value=True, hint=hint)

    if set(name) & set("/\\:\0"):
        raise include_error(
            f"{quote_for_message(name)} is a path: only a file in the same folder can be included, by its bare name"
        )
    if not name.endswith(".toml"):
        try:
            path = registered_file(name)
        except RuleError as problem:
            raise include_error(problem.what, problem.hint) from None
        return path, path.name
    path = folder / name
    if not path.exists():
        raise include_error(f"there is no file {quote_for_message(name)} in this folder{_suggest_file(path)}")
    if os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):
        raise include_error(f"{quote_for_message(name)} is outside this folder")
    return path, str(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The content of a file, alone or with its includes; views are read once all parameters are known."""

    source: Source
    title: str
    groups: tuple[str, ...]
    columns: dict[str, ColumnDeclaration]
    rules: dict[str, RuleDeclaration]
    views: dict[str, Section]
    parameters: ByLabel
    lists: Lists
    hierarchy: dict[str, Sequence[str]]


def _read_part(top: Section) -> _Part:
    top.only(FILE_KEYS)
    groups, views = top.texts("groups"), top.table("views", "[views]")
    for key in ("groups", "include"):
        _check_once(top, key)
    return _Part(
        source=top.source,
        title=top.text("title"),
        groups=groups,
        columns=columns_of(top.table("tables", "[tables]")),
        rules=rules_of(top),
        views={name: views.table(name, f"view {quote_for_message(name)}") for name in views.values},
        parameters=parameters_of(top.table("parameters", "[parameters]")),
        lists=lists_of(top.table("lists", "[lists]")),
        hierarchy=hierarchy_of(top.table("hierarchy", "[hierarchy]")),
    )


def _check_once(top: Section, key: str) -> None:
    names = top.texts(key)
    last = {name: place for place, name in enumerate(names)}
    if len(last) < len(names):
        place = next(place for name, place in last.items() if names.index(name) < place)
        raise top.error(f"'{key}' lists {quote_for_message(names[place])} twice", key, place, value=True)


def _join_parts(own: _Part, included: Sequence[_Part], top: Section) -> _Part:
    """Join a file with those it includes: its own content has precedence, and its rules come last."""

    def merge(what: str, each: list[dict[str, T]], own_values: dict[str, T]) -> dict[str, T]:
        found: dict[str, T] = {}
        for included_values in each:
            for name, value in included_values.items():
                if found.setdefault(name, value) != value and name not in own_values:
                    hint = None if what == "column" else "define it in this file"
                    raise top.error(
                        f"the included files differ in {what} {quote_for_message(name)}", "include", hint=hint
                    )
        return found | {name: _override(found.get(name), value) for name, value in own_values.items()}

    for part in included:
        for title, column in part.columns.items():
            if own.columns.get(title, column) != column:
                what = f"column {title} is declared differently in {part.source.file}"
                raise top.error(what, "tables", *title.split("."))
    part = _Part(
        source=own.source,
        title=own.title,
        groups=(),
        columns=merge("column", [each.columns for each in included], own.columns),
        rules=merge("rule", [each.rules for each in included], own.rules),
        views=own.views | merge("view", [each.views for each in included], own.views),
        parameters=merge("parameter", [each.parameters for each in included], own.parameters),
        lists=merge("list", [each.lists for each in included], own.lists),
        hierarchy=merge("the parents of", [each.hierarchy for each in included], own.hierarchy),
    )
    if len(part.rules) > MOST_RULES:
        raise top.error(f"there are {len(part.rules):,} rules; at most {MOST_RULES:,} are allowed")
    return replace(part, groups=_group_order(part, own, included, top))


def _override(included: T | None, own: T) -> T:
    """Override an included value by the file's own; values by label are overridden label by label."""
    if isinstance(included, Mapping) and isinstance(own, Mapping):
        return cast("T", {**included, **own})
    return own


def _group_order(part: _Part, own: _Part, included: Sequence[_Part], top: Section) -> tuple[str, ...]:
    """Return the given order of groups, or that of the included files followed by the order of first use."""
    if not own.groups:
        before = (group for each in included for group in each.groups)
        return tuple(dict.fromkeys([*before, *(rule.group for rule in own.rules.values())]))
    for rule in part.rules.values():
        if rule.group not in own.groups:
            group, name = quote_for_message(rule.group), quote_for_message(rule.name)
            what = f"'groups' does not list {group}, the group of rule {name} in {rule.file}"
            raise top.error(what, "groups", value=True)
    return own.groups


def _check_joined(part: _Part) -> None:
    """Check what requires all files to be joined."""
    if not part.rules:
        raise part.source.error("no rules", hint="begin each rule with [[rules]]")
    for name, value in part.parameters.items():
        if isinstance(value, Mapping) and "default" not in value:
            what = f"parameter {quote_for_message(name)} has no number for 'default'"
            raise part.source.error(what, ("parameters", name), hint="add one for all labels that are not listed")
