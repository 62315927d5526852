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
    short_help="The whole anatomy of a comparison, in one page.",
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
    """Show the whole anatomy: scores, pairs, differences, upper bounds, significance.

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


@click.command(cls=Command, short_help="The scores of each system, with intervals.")
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
    """Print the scores of each system, with intervals; with --by, the main score of each slice.

    With --also-key, scores against each of several keys, and against what most of them have. With --task prob also
    what is expected, the system's own doubt, thresholds and calibration, by label or by document.
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


@click.command(cls=Command, short_help="What the second of two systems fixes and breaks.")
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
    """Print what the second of two systems fixes and breaks; with --by, also where."""
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    result = load(context, options)
    pair = options["base"], options["new"]
    found = result.difference(*pair, by=options["by"] or None, keyed_by=options["keyed_by"], view=options["view"])
    write_findings(context, result, [found], options)


@click.command(
    cls=Command,
    short_help="The sentences behind a number, with file and line.",
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
    """Print the sentences behind a number, with file and line.

    --where takes the condition that stands beside every count in the JSON output; --top is 10 by default.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    result = load(context, options, narrow=False)
    top = 10 if options["top"] is None else options["top"]
    pair = options["base"], options["new"]
    found = result.examples(options["where"] or "true", *pair, top=top, view=options["view"])
    write_findings(context, result, [found], options)


@click.command(cls=Command, short_help="Whether files can be read and aligned.")
@KEY
@SYSTEMS
@reading
@telling
@click.pass_context
def validate(context: click.Context, /, **options: Any) -> None:
    """Check each file against the key: what is wrong, and what is worth a note. Exit code 1 if any cannot be used.

    With KEY alone, check whether that can be read.
    """
    from comparanda.cli.requests import check

    context.exit(check(context, {**options, "where": None}))


@click.command(
    cls=Command,
    short_help="Spans, links and chains from one format to another.",
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
    """Write spans, links or chains of mentions in another format. What it cannot carry is said; OUTPUT may be '-'."""
    from comparanda.cli.convert_command import convert as run

    run(options)


@click.command(short_help="The formats that can be read.")
@click.argument("name", required=False, shell_complete=completion.complete_registered("comparanda.formats"))
def formats(name: str | None) -> None:
    """List the formats, or the options of one."""
    from comparanda.cli.requests import print_formats

    print_formats(name)


@click.command(short_help="The JSON Schema of an output.")
@click.argument("kind", required=False, shell_complete=completion.complete_output)
def schema(kind: str | None) -> None:
    """Print the JSON Schema of an output, or the kinds of output there are."""
    from comparanda.cli.requests import print_schema

    print_schema(kind)


@click.command(cls=Command, short_help="Four real taggers on a small corpus that comes along.")
@click.option("--copy", metavar="FOLDER", help="Write the demo's files to a folder, to play with.")
@click.option(
    "--report", metavar="FILE", callback=refuse_empty, help="Write the report too: a page that opens in a browser."
)
@demo_task
@by
@pairing
@sampling
@showing
@click.pass_context
def demo(context: click.Context, /, **options: Any) -> None:
    """Compare real taggers, recognisers of entities, or coreference resolvers on a small corpus that comes along."""
    from comparanda.cli.requests import copy_to, run_demo

    if options["copy"] is not None:
        copy_to(options["copy"])
    else:
        run_demo(context, options)
