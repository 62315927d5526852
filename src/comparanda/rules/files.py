"""Rule files: TOML in, declarations out; whatever does not fit is shown with its line and a caret."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar, cast

from comparanda.errors import RuleError
from comparanda.expressions.places import shown
from comparanda.rules.declarations import (
    ColumnDeclaration,
    RuleDeclaration,
    RuleSetDeclaration,
)
from comparanda.rules.locating import Section, Source, likely
from comparanda.rules.sections import (
    ByLabel,
    Lists,
    columns_of,
    hierarchy_of,
    lists_of,
    parameters_of,
    rules_of,
    view_of,
)
from comparanda.rules.shipped import registered, registered_file

LARGEST: Final = 1_000_000
MOST_RULES: Final = 500
MOST_FILES: Final = 50
DEEPEST: Final = 8

FILE_KEYS = ("title", "include", "groups", "tables", "parameters", "lists", "hierarchy", "rules", "views")

T = TypeVar("T")


def load(given: str | Path) -> RuleSetDeclaration:
    """Read a rule set: a shipped one, one that another package has registered, or a file.

    A text that ends in `.toml` or has a slash in it is the path of a file; any other is a name.

    >>> load("exact").title
    'Exact match: label and both ends'
    """
    if _is_name(given):
        path = registered_file(str(given))
        return _Loader().rule_set(_read(path, path.name), path.name, str(given), path)
    path = Path(given)
    return _Loader().rule_set(_read(path, str(given)), str(given), path.stem, path)


def _is_name(given: str | Path) -> bool:
    return isinstance(given, str) and not (given.endswith(".toml") or "/" in given or os.sep in given)


def files_of_rules(given: str | Path) -> list[Path]:
    """Return the files that a rule set is made of: its own and those beside it that it includes; none for a name."""
    if _is_name(given):
        return []
    path, loader = Path(given), _Loader()
    loader.rule_set(_read(path, str(given)), str(given), path.stem, path)
    folder = os.path.realpath(path.parent)
    return [path, *(Path(each) for each in sorted(loader.done) if os.path.dirname(each) == folder)]


def parse(text: str, file: str) -> RuleSetDeclaration:
    """Read a rule set from a text; errors name the file, and its folder is where included files are looked for.

    >>> parse('include = ["exact"]', "mine.toml").name
    'mine'
    """
    if len(text) > LARGEST:
        raise _too_large(file)
    return _Loader().rule_set(text, file, Path(file).stem, Path(file))


def shipped() -> dict[str, str]:
    """Return the titles of all rule sets known by name: ours, and those of other packages.

    >>> shipped()["exact"]
    'Exact match: label and both ends'
    """
    return {name: _title(name) for name in registered()}


def _title(name: str) -> str:
    try:
        return load(name).title
    except RuleError as problem:  # one broken package must not hide all others
        return f"(cannot be used: {problem.what})"


def _read(path: Path, file: str) -> str:
    try:
        if not path.exists():
            raise RuleError(f"no such file{_neighbour(path)}", where=file)
        if not path.is_file():  # a pipe could keep us waiting for ever
            raise RuleError("this is no file", where=file)
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as problem:
        raise RuleError(f"the file cannot be read: {problem.strerror or problem}", where=file) from None
    if len(data) > LARGEST:
        raise _too_large(file)
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        what = f"the file is not UTF-8: {problem.reason} 0x{data[problem.start]:02x}"
        raise RuleError(what, where=f"{file}:{line}", hint="save it as UTF-8") from None


def _neighbour(path: Path) -> str:
    return likely(path.name, (each.name for each in path.parent.glob("*.toml")))


def _too_large(file: str) -> RuleError:
    return RuleError(f"the file has more than {LARGEST:,} bytes, and more are not allowed", where=file)


class _Loader:
    """Reads a file and all that it includes, each of them once."""

    def __init__(self) -> None:
        self.done: dict[str, _Part] = {}
        self.road: list[tuple[str, str]] = []

    def rule_set(self, text: str, file: str, name: str, path: Path) -> RuleSetDeclaration:
        """Return what a file and those it includes say together."""
        part = self.part(text, file, path)
        _check_whole(part)
        tables: dict[str, dict[str, ColumnDeclaration]] = {}
        for title, column in part.columns.items():
            table, _, each = title.partition(".")
            tables.setdefault(table, {})[each] = column
        return RuleSetDeclaration(
            name,
            part.groups,
            tables,
            tuple(part.rules.values()),
            {each: view_of(section, part.parameters) for each, section in part.views.items()},
            part.title,
            part.parameters,
            part.lists,
            part.hierarchy,
            file,
        )

    def part(self, text: str, file: str, path: Path) -> _Part:
        """Read one file, then what it includes, and join them."""
        top = Section(Source(text, file), (), "the file", {})
        top = replace(top, values=top.source.data)
        own = _part(top)
        self.road.append((os.path.realpath(path), file))
        included = [self.included(top, place, path.parent) for place in range(len(top.texts("include")))]
        self.road.pop()
        return _joined(own, included, top)

    def included(self, top: Section, place: int, folder: Path) -> _Part:
        """Read an included file, unless that was done before."""
        path, file = _included_file(top, place, folder)
        real = os.path.realpath(path)
        if real in (before for before, _ in self.road):
            circle = " → ".join([*(each for _, each in self.road), file])
            raise top.error(f"files include each other in a circle: {circle}", "include", place, value=True)
        if real in self.done:
            return self.done[real]
        if len(self.road) == DEEPEST or len(self.done) == MOST_FILES:
            what = f"files can include each other {DEEPEST} deep, and {MOST_FILES} in all"
            raise top.error(what, "include", place, value=True)
        self.done[real] = self.part(_read(path, file), file, path)
        return self.done[real]


def _included_file(top: Section, place: int, folder: Path) -> tuple[Path, str]:
    """Return the path of an included file and what errors call it; it is a registered one, or in the same folder."""
    name = top.texts("include")[place]

    def misfit(what: str, hint: str | None = None) -> RuleError:
        return top.error(what, "include", place, value=True, hint=hint)

    if set(name) & set("/\\:\0"):
        raise misfit(f"{shown(name)} is a path: only a file in the same folder can be included, by its bare name")
    if not name.endswith(".toml"):
        try:
            path = registered_file(name)
        except RuleError as problem:
            raise misfit(problem.what, problem.hint) from None
        return path, path.name
    path = folder / name
    if not path.exists():
        raise misfit(f"there is no file {shown(name)} in this folder{_neighbour(path)}")
    if os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):
        raise misfit(f"{shown(name)} leads out of this folder")
    return path, str(path)


# What a file says


@dataclass(frozen=True, slots=True)
class _Part:
    """What a file says, alone or with what it includes; its views are read when all parameters are known."""

    source: Source
    title: str
    groups: tuple[str, ...]
    columns: dict[str, ColumnDeclaration]
    rules: dict[str, RuleDeclaration]
    views: dict[str, Section]
    parameters: ByLabel
    lists: Lists
    hierarchy: dict[str, Sequence[str]]


def _part(top: Section) -> _Part:
    top.only(FILE_KEYS)
    groups, views = top.texts("groups"), top.table("views", "[views]")
    for key in ("groups", "include"):
        _check_once(top, key)
    return _Part(
        top.source,
        top.text("title"),
        groups,
        columns_of(top.table("tables", "[tables]")),
        rules_of(top),
        {name: views.table(name, f"view {shown(name)}") for name in views.values},
        parameters_of(top.table("parameters", "[parameters]")),
        lists_of(top.table("lists", "[lists]")),
        hierarchy_of(top.table("hierarchy", "[hierarchy]")),
    )


def _check_once(top: Section, key: str) -> None:
    names = top.texts(key)
    last = {name: place for place, name in enumerate(names)}
    if len(last) < len(names):
        place = next(place for name, place in last.items() if names.index(name) < place)
        raise top.error(f"'{key}' lists {shown(names[place])} twice", key, place, value=True)


# Joining files


def _joined(own: _Part, included: Sequence[_Part], top: Section) -> _Part:
    """Join a file with those it includes: what it says itself holds, and its rules come last."""

    def both(what: str, each: list[dict[str, T]], mine: dict[str, T]) -> dict[str, T]:
        found: dict[str, T] = {}
        for theirs in each:
            for name, value in theirs.items():
                if found.setdefault(name, value) != value and name not in mine:
                    hint = None if what == "column" else "say in this file which one holds"
                    raise top.error(f"the included files differ in {what} {shown(name)}", "include", hint=hint)
        return found | {name: _by_label(found.get(name), value) for name, value in mine.items()}

    for part in included:
        for title, column in part.columns.items():
            if own.columns.get(title, column) != column:
                what = f"column {title} is declared differently in {part.source.file}"
                raise top.error(what, "tables", *title.split("."))
    part = _Part(
        own.source,
        own.title,
        (),
        both("column", [each.columns for each in included], own.columns),
        both("rule", [each.rules for each in included], own.rules),
        own.views | both("view", [each.views for each in included], own.views),
        both("parameter", [each.parameters for each in included], own.parameters),
        both("list", [each.lists for each in included], own.lists),
        both("the parents of", [each.hierarchy for each in included], own.hierarchy),
    )
    if len(part.rules) > MOST_RULES:
        raise top.error(f"there are {len(part.rules):,} rules; at most {MOST_RULES:,} are allowed")
    return replace(part, groups=_groups(part, own, included, top))


def _by_label(theirs: T | None, mine: T) -> T:
    """Return what holds of two values of one name: mine; of two by label, mine for the labels I name."""
    if isinstance(theirs, Mapping) and isinstance(mine, Mapping):
        return cast("T", {**theirs, **mine})
    return mine


def _groups(part: _Part, own: _Part, included: Sequence[_Part], top: Section) -> tuple[str, ...]:
    """Return the order given, or that of the included files and then that of first use."""
    if not own.groups:
        before = (group for each in included for group in each.groups)
        return tuple(dict.fromkeys([*before, *(rule.group for rule in own.rules.values())]))
    for rule in part.rules.values():
        if rule.group not in own.groups:
            what = f"'groups' leaves out {shown(rule.group)}, the group of rule {shown(rule.name)} in {rule.file}"
            raise top.error(what, "groups", value=True)
    return own.groups


def _check_whole(part: _Part) -> None:
    """Refuse what can be seen only when all files have been joined."""
    if not part.rules:
        raise part.source.error("there are no rules", hint="a rule begins with [[rules]]")
    for name, value in part.parameters.items():
        if isinstance(value, Mapping) and "default" not in value:
            what = f"parameter {shown(name)} has no number for 'default'"
            raise part.source.error(what, ("parameters", name), hint="it holds for all labels that are not listed")
