"""The command `ablate`: a system and its variants."""

from __future__ import annotations

from typing import Any

import click

from comparanda.cli.completion import files
from comparanda.cli.options import KEY, reading, sampling, showing, spreading, view, where
from comparanda.cli.parsing import Command


@click.command(
    cls=Command,
    short_help="What changes when a part of a system is taken away.",
    epilog="""\b
Examples:
  comparanda ablate gold.bio full=full.bio no-crf=no-crf.bio no-chars=no-chars.bio --task span
  comparanda examples gold.bio full.bio no-crf.bio --task span --where new_error""",
)
@KEY
@click.argument("systems", nargs=-1, metavar="FULL VARIANT...", shell_complete=files)
@reading
@spreading
@where
@view
@sampling
@showing
@click.pass_context
def ablate(context: click.Context, /, **options: Any) -> None:
    """Print how the score changes without each part, beside the decisions that change and cancel out.

    FULL is the output of the whole system, each VARIANT that of one with something removed; both may be written
    NAME=FILE. The variant with the most hidden change comes first.
    """
    from comparanda.cli.output import publish
    from comparanda.cli.run import load

    result = load(context, options)
    publish(context, result, [result.ablation(view=options["view"])], options)
