"""How outcomes become scores: views, checked against the columns of a rule set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from comparanda.errors import RuleError, nearest
from comparanda.rules.language import SPAN_TABLES
from comparanda.rules.ruleset import View

if TYPE_CHECKING:
    from comparanda.rules.declarations import RuleSetDeclaration, ViewDeclaration
    from comparanda.rules.ruleset import ColumnType

    Tables = Mapping[str, Mapping[str, ColumnType]]


MOST_SOURCES = 4
_TAKEN = frozenset({"none", "all", "base_source"})


def compile_view(declared: RuleSetDeclaration, name: str, view: ViewDeclaration, tables: Tables) -> View:
    """Check that a view speaks of columns and outcomes that are there, and look up the credits that are parameters."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        what = f"a view cannot be called {name!r}: it stands in the names of measures, such as strict.f1"
        raise RuleError(what, where=declared.file, hint="use small letters, digits and _")
    _check_columns(declared, name, view, tables)
    credit = view.credit if isinstance(view.credit, str) else _credits(declared, name, view.credit)
    values = [value for table in SPAN_TABLES for value in tables[table][view.outcome].values]
    for outcome in (*(credit if isinstance(credit, Mapping) else ()), *view.sources, *view.right):
        if values and outcome not in values:
            what = f"view {name!r}: {view.outcome} never holds {outcome!r}{nearest(outcome, values)}"
            raise RuleError(what, where=declared.file)
    _check_sources(declared, name, view)
    return View(
        view.outcome,
        credit,
        view.partner,
        view.left_out,
        view.weight,
        tuple(view.same),
        view.summary,
        view.flag,
        dict(view.sources),
        view.per_system,
        tuple(view.right),
    )


def _check_sources(declared: RuleSetDeclaration, name: str, view: ViewDeclaration) -> None:
    """Refuse sources that could not be told from several together, or that would be too many to be crossed."""
    found = sorted(set(view.sources.values()))
    for source in found:
        if not source.strip() or " and " in source or source in _TAKEN:
            what = f"view {name!r}: a source of errors cannot be called {source!r}"
            raise RuleError(what, where=declared.file, hint="choose a word such as tagger or resolver")
    if len(found) > MOST_SOURCES:
        what = f"view {name!r}: {len(found)} sources of errors are too many to be crossed"
        raise RuleError(what, where=declared.file, hint=f"{MOST_SOURCES} at most")


def _check_columns(declared: RuleSetDeclaration, name: str, view: ViewDeclaration, tables: Tables) -> None:
    both: list[tuple[str | None, tuple[str, ...]]] = [
        (view.outcome, ("text",)),
        (view.weight, ("number",)),
        (view.credit if isinstance(view.credit, str) else None, ("number",)),
        (view.flag, ("text",)),
    ]
    wanted = [(table, column, kinds) for column, kinds in both for table in SPAN_TABLES]
    wanted.append(("system", view.partner, ("row",)))
    if not any(view.left_out in tables[table] for table in SPAN_TABLES):
        wanted.append(("system", view.left_out, ("text",)))
    wanted += [("system", column, ("text", "number")) for column in view.same]
    for table, column, kinds in wanted:
        if column is None:
            continue
        found = tables[table].get(column)
        if found is None:
            what = f"view {name!r}: the table {table!r} has no column {column!r}{nearest(column, tables[table])}"
            raise RuleError(what, where=declared.file)
        if found.kind not in kinds:
            raise RuleError(f"view {name!r}: {table}.{column} is no {' or '.join(kinds)}", where=declared.file)


def _credits(declared: RuleSetDeclaration, view: str, given: Mapping[str, float | str]) -> dict[str, float]:
    """Return what outcomes are worth; what is the name of a parameter is its number."""
    found: dict[str, float] = {}
    for outcome, worth in given.items():
        number = declared.parameters.get(worth) if isinstance(worth, str) else worth
        if number is None or isinstance(number, Mapping):
            what = f"view {view!r}: {outcome} is worth {worth!r}, which is no parameter with one number"
            raise RuleError(what, where=declared.file)
        if not 0 <= number <= 1:
            raise RuleError(f"view {view!r}: {outcome} is worth {number}; credit is from 0 to 1", where=declared.file)
        found[outcome] = number
    return found
