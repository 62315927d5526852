"""The command `agree`: outputs without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import SYSTEMS, ground, one_measure, reading, sampling, showing, view
from comparanda.cli.parsing import Command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.comparison.agreements import Agreements
    from comparanda.result import Result


@click.command(
    cls=Command,
    short_help="How far outputs agree, without a key.",
    epilog="""\b
Examples:
  comparanda agree ann.jsonl bea.jsonl cy.jsonl --task span
  comparanda agree crf=crf.conllu bert=bert.conllu --task pos --top 20""",
)
@SYSTEMS
@reading
@ground
@view
@one_measure
@sampling
@showing
@click.pass_context
def agree(context: click.Context, /, **options: Any) -> None:
    """Print how far outputs agree with each other: F1 and diff of every pair, κ and α, and where they disagree.

    None of the outputs is the key; documents and words are those of the first, or of --ground.
    """
    from comparanda.cli.output import layout_of, publish

    layout_of(context, options)  # what cannot be printed is refused before anything is read
    found, result = agreed(context, options)
    publish(context, result, [found], options)


def agreed(context: click.Context, options: Mapping[str, Any]) -> tuple[Agreements, Result]:
    """Read the outputs and say how far they agree."""
    import sys

    from comparanda.agreeing import agreement_of
    from comparanda.cli.inputs import outputs_alone
    from comparanda.cli.output import print_notes, say_settings
    from comparanda.cli.run import settings_of, spare
    from comparanda.read.runs import each_input
    from comparanda.show.console import progress

    say_settings(context, options)
    outputs = outputs_alone(context, options)
    spare(options, [given.path for given in each_input(outputs.values())])
    settings = settings_of({**options, "where": None}, outputs)
    drawn = {name: settings.pop(name) for name in ("resamples", "seed", "zero_division")}
    with progress(sys.stderr, quiet=options["quiet"]) as say:
        found, result = agreement_of(
            outputs, options["ground"], options["view"], {**settings, "progress": say}, options["measure"], **drawn
        )
    print_notes(result.notes, options)
    return found, result
