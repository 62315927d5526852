"""The commands. Each parses, calls the library once, and shows what comes back."""

from __future__ import annotations

from typing import Any

import click

from comparanda.cli.options import pairing, reading, sampling, showing

KEY = click.argument("key", required=False)
SYSTEMS = click.argument("systems", nargs=-1)


@click.command()
@KEY
@SYSTEMS
@pairing
@click.option("--by", multiple=True, metavar="ATTRIBUTE", help="Also cut by label, length, frequency, seen, …")
@click.option("--save", metavar="FOLDER", help="Write a result folder that all commands read instead of files.")
@click.option("--cite", is_flag=True, help="Print a methods paragraph and BibTeX as well.")
@reading
@sampling
@showing
@click.pass_context
def compare(context: click.Context, /, **options: Any) -> None:
    """Show the whole anatomy: scores, pairs, differences, upper bounds, significance.

    KEY is the gold file, or a result folder; SYSTEMS are outputs, each NAME=FILE.
    """
    from comparanda.cli.run import announce_saved, cite, load, print_finding

    result = load(context, options)
    print_finding(result, result.anatomy(options["base"], options["new"], by=options["by"]), options)
    if options["save"]:
        result.save(options["save"])
        announce_saved(options)
    if options["cite"]:
        cite(result)


@click.command()
@KEY
@SYSTEMS
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="accuracy, f1, f1[LABEL], macro_f1, …")
@click.option("--by", multiple=True, metavar="ATTRIBUTE", help="Cut by an attribute instead.")
@reading
@sampling
@showing
@click.pass_context
def score(context: click.Context, /, **options: Any) -> None:
    """Print the scores of each system, with intervals."""
    from comparanda.cli.run import load, print_finding

    result = load(context, options)
    if not options["by"]:
        print_finding(result, result.scores(*options["measures"]), options)
    for name in options["by"]:
        print_finding(result, result.slices(name), options)


@click.command()
@KEY
@SYSTEMS
@pairing
@reading
@sampling
@showing
@click.pass_context
def diff(context: click.Context, /, **options: Any) -> None:
    """Print what the second of two systems fixes and breaks."""
    from comparanda.cli.run import load, print_finding

    result = load(context, options)
    print_finding(result, result.difference(options["base"], options["new"]), options)


@click.command()
@KEY
@SYSTEMS
@pairing
@reading
@sampling
@showing
@click.pass_context
def examples(context: click.Context, /, **options: Any) -> None:
    """Print the sentences behind a number, with file and line.

    --where 'correction and key == "NE"' takes what stands beside every count in the JSON output.
    """
    from comparanda.cli.run import load, print_finding

    where = options.pop("where") or "true"
    result = load(context, {**options, "where": None, "attributes_of": where})
    top = 10 if options["top"] is None else options["top"]
    print_finding(result, result.examples(where, options["base"], options["new"], top=top), options)


@click.command()
@KEY
@SYSTEMS
@reading
@showing
@click.pass_context
def validate(context: click.Context, /, **options: Any) -> None:
    """Check that files can be read and aligned; list everything that is wrong or worth a note."""
    from comparanda.cli.run import check

    context.exit(check(context, options))


@click.command()
@click.argument("name", required=False)
def formats(name: str | None) -> None:
    """List the formats, or the options of one."""
    from comparanda.cli.run import print_formats

    print_formats(name)


@click.command()
@click.argument("kind", required=False)
def schema(kind: str | None) -> None:
    """Print the JSON Schema of an output, or the kinds of output there are."""
    from comparanda.cli.run import print_schema

    print_schema(kind)


@click.command()
@click.option("--copy", metavar="FOLDER", help="Write the demo's files to a folder, to play with.")
@pairing
@sampling
@showing
def demo(**options: Any) -> None:
    """Compare four real taggers on a small corpus that comes with the package."""
    from comparanda.cli.run import run_demo

    run_demo(options)


commands: list[click.Command] = [compare, score, diff, examples, validate, formats, schema, demo]
