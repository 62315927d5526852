"""The command `ask`: questions for a real reviewer, without a key."""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import KEY, asking, files, plotting, reading_beliefs, reading_output, showing, simulating
from comparanda.cli.parameters import Command
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.api.review import Asked
    from comparanda.api.simulations import Experiment
    from comparanda.feedback.simulation import Trial
    from comparanda.formats.inputs import Input


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
        from comparanda.feedback.questions import TOOLS

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

    from comparanda.api.review import asked
    from comparanda.cli.input_names import read_maps
    from comparanda.cli.output import print_notes, say_settings
    from comparanda.render.console import progress

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
    from comparanda.cli.input_names import has_systems, outputs_alone
    from comparanda.formats.inputs import each_input

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
    from comparanda.cli.parameters import is_given
    from comparanda.cli.requests import spare
    from comparanda.formats.files import STDIN
    from comparanda.formats.inputs import Input

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


# The command `simulate`: which questions to ask first, tried on a key.


_OF_OTHERS = (
    "train",
    "punctuation",
    "labels",
    "rules",
    "same_ids",
    "where",
    "view",
    "singletons",
    "repeated",
    "matching",
    "nouns",
    "across",
)
"""Options that only other commands have."""

_SETTLED = {"task": "prob", "parameters": {}, "paranoid": False, "only_label": (), "ignore_label": ()}
"""What is so here: labels are left out of what is asked, not of what is read, where they are rivals."""

_CURVES = (".csv", ".json", ".jsonl")
_SIMULATING_PLAN = ("budget", "handler", "believed_error", "strength", "purity", "ask_certain", "seed")


@click.command(
    cls=Command,
    short_help="Which questions to ask first about uncertain entities.",
    epilog="""\b
Examples:
  comparanda simulate gold.jsonl crf.jsonl --strategy entropy,fgain,random --budget 10000
  comparanda simulate gold.jsonl crf.jsonl --handler statistical --only-label PER
  comparanda simulate gold.jsonl crf.jsonl --user noisy:0.05 --plot crf.svg --curves crf.csv
  comparanda simulate gold.jsonl crf.jsonl --strategy infogain --ask group --resume run""",
)
@KEY
@click.argument("systems", nargs=-1, metavar="OUTPUT", shell_complete=files)
@reading_beliefs
@simulating
@plotting
@showing
@click.pass_context
def simulate(context: click.Context, /, **options: Any) -> None:
    """Try in which order to ask a user about uncertain entities, with the key as the user.

    After every question the scores are taken again; strategies are compared by the area under the curve of F1.
    """
    from comparanda.cli.output import publish

    found = tried(context, options)
    write_files(found, options)
    publish(context, found.result, [found.finding], options)


def tried(context: click.Context, options: Mapping[str, Any]) -> Experiment:
    """Read and simulate; what cannot be meant is refused before anything is read."""
    from comparanda.api.simulations import simulated
    from comparanda.cli.requests import load
    from comparanda.feedback.protocol import Plan, User
    from comparanda.render.console import bar

    chosen = {name: options[name] for name in _SIMULATING_PLAN} | {
        "kind": options["ask"],
        "user": User.parse(options["user"]),
    }
    if options["min_weight"] is not None:
        chosen["min_weight"] = options["min_weight"]
    for strategy in options["strategies"]:
        Plan(strategy=strategy, **chosen)
    _check_files(context, options)
    result = load(context, {**options, **dict.fromkeys(_OF_OTHERS), **_SETTLED})
    with bar(sys.stderr, quiet=options["quiet"]) as show:
        return simulated(
            result,
            options["strategies"],
            regular=result.systems[-1] if options["regular"] is not None else None,
            where=options["scope"],
            area_by=options["area"],
            told=show,
            **{name: options[name] for name in ("only_label", "ignore_label", "seeds", "horizon", "resume")},
            **chosen,
        )


def _check_files(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse to write over an input, two things to one file, what no suffix tells, and pictures that nothing draws."""
    from comparanda.cli.input_names import inputs, key_of
    from comparanda.cli.requests import spare
    from comparanda.cli.score_output import check_picture, suffix_of
    from comparanda.formats.inputs import each_input
    from comparanda.storage.manifest import is_result_folder

    if options["curves"] is not None and suffix_of(options["curves"]) not in _CURVES:
        raise UsageError(f"--curves writes {', '.join(_CURVES[:-1])} or {_CURVES[-1]}, not {options['curves']!r}")
    check_picture(options["plot"])
    targets = {name: options[name] for name in ("output", "curves", "plot", "resume")}
    for one, other in combinations([name for name, file in targets.items() if file not in {None, "-"}], 2):
        if os.path.realpath(targets[one]) == os.path.realpath(targets[other]):
            raise UsageError(f"--{one} and --{other} name one file: {targets[one]!r}")
    given = [key_of(context, options)]
    if not is_result_folder(given[0]):
        key, systems = inputs(context, {**options, **_SETTLED})
        given = [each.path for each in (key, *each_input(systems.values()))]
    for name in ("curves", "plot", "resume"):
        spare(targets, given, name)


def write_files(found: Experiment, options: Mapping[str, Any]) -> None:
    """Write the curves and their picture, each whole or not at all."""
    from comparanda.cli.output import tell, write
    from comparanda.cli.score_output import draw, suffix_of
    from comparanda.feedback.findings import curve_chart, curves_as_csv, curves_as_json, curves_as_json_lines

    makers: dict[str, Callable[[tuple[Trial, ...]], str]] = {
        ".csv": curves_as_csv,
        ".json": partial(curves_as_json, signature=found.result.signature),
        ".jsonl": curves_as_json_lines,
    }
    if options["curves"] is not None:
        write(options["curves"], makers[suffix_of(options["curves"])](found.trials))
    if options["plot"] is not None:
        draw(curve_chart(found.finding, found.trials, options["measure"]), options["plot"])
    for name in ("curves", "plot"):
        if options[name] is not None and not options["quiet"]:
            tell(f"wrote {options[name]}")
