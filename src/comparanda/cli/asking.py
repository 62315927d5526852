"""The command `ask`: questions for a real reviewer, without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.completion import files
from comparanda.cli.options import asking, reading_output, showing
from comparanda.cli.parsing import Command
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.asking import Asked
    from comparanda.read.inputs import Input

_PLAN = ("strategy", "handler", "believed_error", "strength", "ask_certain", "seed")
_SETUP = ("column", "missing", "fold_case", "scheme", "repair", "beliefs", "decide", "min_weight", "strict", "max_line",
          "limits")  # fmt: skip
_CHOSEN = ("text", "only_label", "ignore_label", "answers", "again")


@click.command(
    cls=Command,
    short_help="Which questions to put to a reviewer, without a key.",
    epilog="""\b
Examples:
  comparanda ask crf.jsonl -n 50
  comparanda ask crf.jsonl -n 200 --strategy fgain -o tasks.jsonl --layout prodigy
  comparanda ask crf.jsonl --answers first.csv --answers second.csv -o third.csv
  comparanda ask spans.jsonl --text corpus.conll --answers all.jsonl --updated better.jsonl""",
)
@click.argument("systems", metavar="OUTPUT", nargs=-1, shell_complete=files)
@reading_output
@asking
@showing
@click.pass_context
def ask(context: click.Context, /, **options: Any) -> None:
    """List the questions about uncertain entities that a reviewer should answer first.

    OUTPUT is the probabilistic output of one system. With --answers it is changed by what was answered, and nothing
    is asked twice. Records of -o FILE.jsonl or FILE.csv have room for answers.
    """
    from comparanda.cli.output import publish

    found = _asked(context, options)
    if options["updated"] is not None:
        _write(options["updated"], found.updated, options)
    if options["tool"] is None:
        publish(context, found.result, [found.finding], options)
    else:
        from comparanda.show.question_tables import TOOLS

        _write(options["output"], TOOLS[options["tool"]](found.finding), options)


def _write(target: str | None, text: str, options: Mapping[str, Any]) -> None:
    """Write a text, and say where."""
    from comparanda.cli.output import tell, write

    write(target, text)
    if target not in {None, "-"} and not options["quiet"]:
        tell(f"wrote {target}")


def _asked(context: click.Context, options: Mapping[str, Any]) -> Asked:
    """Read the output and the answers; what cannot be meant is refused before."""
    import sys

    from comparanda.asking import asked
    from comparanda.cli.inputs import read_maps
    from comparanda.cli.output import print_notes, say_settings
    from comparanda.show.console import progress

    say_settings(context, options)
    name, given = _output(context, options)
    _check(context, options, given)
    with progress(sys.stderr, quiet=options["quiet"]) as say:
        found = asked(
            given,
            options["count"],
            name=name,
            kind=options["ask"],
            where=options["scope"],
            maps=read_maps(options["maps"], {name: given}),
            progress=say,
            **{each: options[each] for each in (*_PLAN, *_SETUP, *_CHOSEN)},
        )
    print_notes(found.result.notes, options)
    return found


def _output(context: click.Context, options: Mapping[str, Any]) -> tuple[str, Input]:
    """Return the one output that is asked about, on the command line or in the TOML file."""
    from comparanda.cli.inputs import has_systems, outputs_alone
    from comparanda.read.runs import each_input

    if not has_systems(context, options):
        raise UsageError("no output is given", hint=f"{context.command_path} OUTPUT")
    outputs = outputs_alone(context, options)
    inputs = each_input(outputs.values())
    if len(inputs) > 1:
        what = f"{len(inputs)} outputs are given, and questions are about one: {', '.join(outputs)}"
        raise UsageError(what, hint="give one; answers are given by --answers FILE")
    return next(iter(outputs)), inputs[0]


def _check(context: click.Context, options: Mapping[str, Any], given: Input) -> None:
    """Refuse what cannot be printed, two things written to one file, and to write over what is read."""
    import os

    from comparanda.cli.output import layout_of
    from comparanda.cli.parsing import is_given
    from comparanda.cli.run import spare
    from comparanda.read.files import STDIN
    from comparanda.read.inputs import Input

    if options["tool"] is None:
        layout_of(context, options)
    elif is_given(context, "layout") or options["as_json"]:
        raise UsageError("--layout and --format exclude each other", hint="tasks of a tool have a form of their own")
    texts = [] if options["text"] is None else [Input.parse(options["text"]).path]
    read = [given.path, *texts, *options["answers"]]
    if read.count(STDIN) > 1:
        raise UsageError("standard input can be read only once, but '-' is given twice")
    for name in ("output", "updated"):
        spare(options, read, name)
    targets = [options[name] for name in ("output", "updated")]
    if None not in targets and len({os.path.realpath(each) for each in targets}) == 1:
        raise UsageError(f"--output and --updated name one file: {targets[0]!r}")
