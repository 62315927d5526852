"""The command `stability`: systems of several runs."""

from __future__ import annotations

from typing import Any

import click

from comparanda.cli.options import KEY, SYSTEMS, pairing, reading, sampling, showing, spreading, view, where
from comparanda.cli.parsing import Command


@click.command(
    cls=Command,
    short_help="How much runs of a system differ, and two systems beyond that.",
    epilog="""\b
Examples:
  comparanda stability gold.jsonl gpt=run1.jsonl,run2.jsonl,run3.jsonl --task span
  comparanda stability gold.jsonl gpt=a1.jsonl,a2.jsonl llama=b1.jsonl,b2.jsonl --task span
  comparanda examples gold.jsonl gpt=run1.jsonl,run2.jsonl --task span --where 'flips("gpt")'""",
)
@KEY
@SYSTEMS
@reading
@spreading
@where
@pairing
@view
@sampling
@showing
@click.pass_context
def stability(context: click.Context, /, **options: Any) -> None:
    """Print how much the runs of a system differ among themselves, and by how much more two systems do.

    The runs of a system are written NAME=FIRST,SECOND,…
    """
    from comparanda.cli.output import publish
    from comparanda.cli.run import load

    result = load(context, options)
    publish(context, result, [result.stability(options["base"], options["new"], view=options["view"])], options)
