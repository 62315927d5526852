"""The main commands: each parses its options, calls the library once and prints the result."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from comparanda.cli import options as completion
from comparanda.cli.options import (
    KEY,
    SYSTEMS,
    also_key,
    by,
    citing,
    converting,
    demo_task,
    drawing,
    keying,
    measures,
    order,
    pairing,
    reading,
    regular,
    sampling,
    saving,
    showing,
    spreading,
    telling,
    view,
    where,
)
from comparanda.cli.parameters import Command, refuse_empty


@click.command(
    cls=Command,
    short_help="Compare systems: scores, differences, complementarity and upper bounds.",
    epilog="""\b
Examples:
  comparanda compare gold.conllu crf=crf.conllu bert=bert.conllu --task pos
  comparanda compare gold.csv a.csv b.csv --task label --by length --save result
  comparanda compare result --format latex --cite""",
)
@KEY
@SYSTEMS
@reading
@spreading
@regular
@where
@by
@pairing
@keying
@order
@view
@sampling
@saving
@citing
@showing
@click.pass_context
def compare(context: click.Context, /, **options: Any) -> None:
    """Compare systems: scores, pairs, differences, complementarity, upper bounds, significance.

    KEY is the gold file, or a result folder; each FILE is the output of a system.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load, save

    result = load(context, options)
    pair = options["base"], options["new"]
    chosen = {name: options[name] for name in ("order", "keyed_by", "view")}
    anatomy = result.anatomy(*pair, by=options["by"] or None, **chosen)
    with suppress(BrokenPipeError):  # save the result even if the reader closes the pipe
        write_findings(context, result, [anatomy], options, cite=options["cite"])
    save(result, options)


@click.command(cls=Command, short_help="Score each system, with confidence intervals.")
@KEY
@SYSTEMS
@reading
@spreading
@regular
@where
@measures
@by
@view
@also_key
@sampling
@drawing
@showing
@click.pass_context
def score(context: click.Context, /, **options: Any) -> None:
    """Score each system, with confidence intervals; with --by, print the main score of each slice.

    With --also-key, score against each of several keys, and against their majority. With --task prob, also print
    expected scores, the system's own uncertainty, thresholds and calibration, by label or by document.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import against_keys, load
    from comparanda.cli.score_output import build_scores, check_chart, draw_chart

    check_chart(options)
    result = load(context, options)
    if options["also_key"]:
        write_findings(context, result, [against_keys(context, options)], options)
        return
    found = build_scores(result, options["measures"], options["by"], options["view"])
    draw_chart(result, found, options)
    write_findings(context, result, found, options)


@click.command(cls=Command, short_help="Show what the second of two systems fixes and breaks.")
@KEY
@SYSTEMS
@reading
@spreading
@where
@by
@pairing
@keying
@view
@sampling
@showing
@click.pass_context
def diff(context: click.Context, /, **options: Any) -> None:
    """Show what the second of two systems fixes and breaks; with --by, also where."""
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    result = load(context, options)
    pair = options["base"], options["new"]
    found = result.difference(*pair, by=options["by"] or None, keyed_by=options["keyed_by"], view=options["view"])
    write_findings(context, result, [found], options)


@click.command(
    cls=Command,
    short_help="Show the sentences that a number counts, with file and line.",
    epilog="""\b
Examples:
  comparanda examples gold.conllu a.conllu b.conllu --task pos --where correction
  comparanda examples gold.conllu a.conllu --task pos --where 'not right("a") and word == "that"'""",
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
def examples(context: click.Context, /, **options: Any) -> None:
    """Show the sentences that a number counts, with file and line.

    --where takes the condition given with every count in the JSON output; --top is 10 by default.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    result = load(context, options, narrow=False)
    top = 10 if options["top"] is None else options["top"]
    pair = options["base"], options["new"]
    found = result.examples(options["where"] or "true", *pair, top=top, view=options["view"])
    write_findings(context, result, [found], options)


@click.command(cls=Command, short_help="Check that files can be read and aligned.")
@KEY
@SYSTEMS
@reading
@telling
@click.pass_context
def validate(context: click.Context, /, **options: Any) -> None:
    """Check that each file can be read and aligned with the key. Exit code 1 if any cannot be used.

    With only KEY, check that it can be read.
    """
    from comparanda.cli.requests import check

    context.exit(check(context, {**options, "where": None}))


@click.command(
    cls=Command,
    short_help="Convert spans, links and chains between formats.",
    epilog="""\b
Examples:
  comparanda convert corpus/ gold.jsonl
  comparanda convert export.json out/ --to brat
  comparanda convert gold.bio::columns - --to jsonl
  comparanda convert gum.conllu gum.conll --task coref""",
)
@click.argument("source", metavar="INPUT", shell_complete=completion.complete_file)
@click.argument("target", metavar="OUTPUT", shell_complete=completion.complete_file)
@converting
@telling
def convert(**options: Any) -> None:
    """Convert spans, links or chains of mentions to another format; losses are listed. OUTPUT may be '-'."""
    from comparanda.cli.convert_command import convert as run

    run(options)


@click.command(short_help="List the formats that can be read.")
@click.argument("name", required=False, shell_complete=completion.complete_registered("comparanda.formats"))
def formats(name: str | None) -> None:
    """List the formats, or the options of one."""
    from comparanda.cli.requests import print_formats

    print_formats(name)


@click.command(short_help="Print the JSON Schema of an output.")
@click.argument("kind", required=False, shell_complete=completion.complete_output)
def schema(kind: str | None) -> None:
    """Print the JSON Schema of an output, or list the outputs."""
    from comparanda.cli.requests import print_schema

    print_schema(kind)


@click.command(cls=Command, short_help="Compare four real taggers on a small corpus included in the package.")
@click.option("--copy", metavar="FOLDER", help="Write the files of the demo to a folder.")
@click.option("--report", metavar="FILE", callback=refuse_empty, help="Also write the report, an HTML page.")
@demo_task
@by
@pairing
@sampling
@showing
@click.pass_context
def demo(context: click.Context, /, **options: Any) -> None:
    """Compare real taggers, entity recognisers or coreference resolvers on a small corpus included in the package."""
    from comparanda.cli.requests import copy_to, run_demo

    if options["copy"] is not None:
        copy_to(options["copy"])
    else:
        run_demo(context, options)
