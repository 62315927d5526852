"""The command `suspects`: where the key may be wrong."""

from __future__ import annotations

from typing import Any

import click

from comparanda.cli.options import KEY, SYSTEMS, at_least, reading, showing, spreading, view, where
from comparanda.cli.parsing import Command


@click.command(
    cls=Command,
    short_help="Where the key itself may be wrong.",
    epilog="""\b
Examples:
  comparanda suspects gold.conll a.conll b.conll c.conll --task span
  comparanda suspects gold.conll a.conll b.conll c.conll --task span --at-least 2 -o again.jsonl""",
)
@KEY
@SYSTEMS
@reading
@spreading
@where
@at_least
@view
@showing
@click.pass_context
def suspects(context: click.Context, /, **options: Any) -> None:
    """List where all systems agree with each other against the key, and what it has and none of them finds.

    The most suspect come first. The table has room for a decision: with -o FILE.jsonl or FILE.csv it can be annotated.
    """
    from comparanda.cli.output import publish, tell
    from comparanda.cli.run import load

    result = load(context, options)
    finer = result.verdicts.view().finer
    if options["view"] is None and finer is not None and not options["quiet"]:
        tell(f"note: these are sites of the view {finer!r}, which tells wrong values apart; say so to 'examples' too")
    found = result.suspects(at_least=options["at_least"], top=options["top"] or 0, view=options["view"])
    publish(context, result, [found], options)
