"""List rule sets, show one, check rule files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.output import print_message, visible_lines
from comparanda.errors import RuleError
from comparanda.render.rule_text import list_text, rules_document, set_text
from comparanda.render.table import format_count
from comparanda.rules import rule_set
from comparanda.rules.engine import Engine
from comparanda.rules.explanation.data import (
    CheckedFile,
    RuleCheck,
    RuleSetList,
    RuleSetSummary,
    describe_rule_set,
    summarise_rule_set,
)
from comparanda.rules.rule_files import load
from comparanda.rules.shipped import registered_file, registered_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def list_rule_sets(options: Mapping[str, Any]) -> None:
    """Print the registered rule sets; a broken one does not hide the others."""
    found = RuleSetList(tuple(map(_summarise, registered_rules())))
    _print(rules_document(found) if options["as_json"] else list_text(found))


def _summarise(name: str) -> RuleSetSummary:
    try:
        return summarise_rule_set(rule_set(name))
    except RuleError as problem:
        return RuleSetSummary(name, f"(cannot be used: {problem.what})", 0, ())


def show_rule_set(given: str, options: Mapping[str, Any]) -> None:
    """Print the content of a rule set, or the source of its file."""
    if options["source"]:
        _print(visible_lines(_read_source(given)))
        return
    found = describe_rule_set(rule_set(given))
    _print(rules_document(found) if options["as_json"] else set_text(found))


def _read_source(given: str) -> str:
    """Read the text of a rule file, with the same errors as when it is loaded."""
    file = load(given).file
    path = given if file == given else registered_file(given)
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def check_rule_files(files: Sequence[str], options: Mapping[str, Any]) -> int:
    """Check all given rule files, print the results and return the exit code."""
    code, checked = 0, []
    for file in files:
        try:
            found = Engine(rule_set(file)).rule_set
            checked.append(CheckedFile(file=file, ok=True, rules=len(found.rules), views=len(found.views)))
        except RuleError as problem:
            code = max(code, problem.exit_code)
            checked.append(CheckedFile(file=file, ok=False, error=str(problem)))
    if options["as_json"]:
        _print(rules_document(RuleCheck(tuple(checked))))
        return code
    for each in checked:
        if each.error is not None:
            print_message(each.error)
        else:
            sizes = f"{format_count(each.rules, 'rule')}, {format_count(each.views, 'view')}"
            click.echo(f"{visible_lines(each.file)}: ok: {sizes}")
    return code


def _print(text: str) -> None:
    click.echo(text.rstrip("\n"))
