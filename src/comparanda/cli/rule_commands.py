"""The commands `rules list`, `rules show`, `rules check` and `rules explain`."""

from __future__ import annotations

from typing import Any

import click

from comparanda.cli import options as completion
from comparanda.cli.options import KEY, SYSTEMS, as_json, choosing_spans, reading_spans, telling
from comparanda.cli.parameters import Command, Group


@click.group(cls=Group, short_help="List, check and explain the rules for spans.")
def rules() -> None:
    """List, show and check the rule sets that evaluate spans, and explain their verdicts."""


@rules.command("list", cls=Command, short_help="List the rule sets of this package.")
@as_json
def list_(**options: Any) -> None:
    """List the registered rule sets, with their rules and views."""
    from comparanda.cli.rule_sets import list_rule_sets

    list_rule_sets(options)


@rules.command(cls=Command, short_help="Print a rule set.")
@click.argument("rule_set", metavar="NAME|FILE", shell_complete=completion.rule_sets)
@click.option("--source", is_flag=True, help="Print the rule file unchanged.")
@as_json
def show(rule_set: str, **options: Any) -> None:
    """Show a rule set: its groups, parameters, columns, rules in the order in which they are tried, and views."""
    from comparanda.cli.rule_sets import show_rule_set

    show_rule_set(rule_set, options)


@rules.command(cls=Command, short_help="Check rule files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.rule_sets)
@as_json
@click.pass_context
def check(context: click.Context, /, files: tuple[str, ...], **options: Any) -> None:
    """Check rule files: types, values, and that no verdict depends on the order of rules.

    The exit code is 2 if one of them is invalid.
    """
    from comparanda.cli.rule_sets import check_rule_files

    context.exit(check_rule_files(files, options))


@rules.command(
    cls=Command,
    short_help="Explain why a span has its verdict, and why a rule did not fire.",
    epilog="""\b
Examples:
  comparanda rules explain gold.bio crf=crf.bio --at d3:12-14
  comparanda rules explain gold.bio crf=crf.bio --rules paper --text Acme --rule 'fuzzy check'
  comparanda rules explain gold.bio crf.bio --side key --span 'label == "PER" and result == "FN"'""",
)
@KEY
@SYSTEMS
@reading_spans
@choosing_spans
@as_json
@telling
@click.pass_context
def explain(context: click.Context, /, **options: Any) -> None:
    """Explain spans: each firing of a rule that involved one, in order, and the resulting verdict in each view.

    Select spans by --at, --text or --span; the first ten are shown.
    """
    from comparanda.cli.rule_explanation import explain_spans

    explain_spans(context, options)
