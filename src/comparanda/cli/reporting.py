"""The command `report`: one HTML file, from every number to the examples behind it."""

from __future__ import annotations

from typing import Any

import click

from comparanda.cli.options import KEY, SYSTEMS, by, pairing, reading, regular, sampling, telling, view, where
from comparanda.cli.parsing import Command, Option


@click.command(
    cls=Command,
    short_help="One HTML file: from every number to the examples behind it.",
    epilog="""\b
Examples:
  comparanda report gold.conllu crf=crf.conllu bert=bert.conllu --task pos -o report.html
  comparanda report result -o report.html""",
)
@KEY
@SYSTEMS
@reading
@regular
@where
@by
@pairing
@view
@sampling
@click.option("-o", "--output", cls=Option, section="Output", metavar="FILE", default="report.html", show_default=True,
              help="The file to write.")  # fmt: skip
@telling
@click.pass_context
def report(context: click.Context, /, **options: Any) -> None:
    """Write a report that opens in a browser, from disk, without a network.

    KEY is the gold file, or a result folder; each FILE is the output of a system.
    """
    from comparanda.cli.output import tell, write
    from comparanda.cli.run import load
    from comparanda.page import Choices, as_html, build

    result = load(context, options)
    page = build(result, Choices(view=options["view"], by=options["by"] or None))
    write(options["output"], as_html(page))
    if not options["quiet"]:
        tell(f"wrote {options['output']}")
