"""The commands `ask` and `simulate`: questions about uncertain entities, for a reviewer or simulated from a key."""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import (
    KEY,
    asking,
    complete_file,
    plotting,
    reading_beliefs,
    reading_output,
    showing,
    simulating,
)
from comparanda.cli.parameters import Command
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.api.review import Review
    from comparanda.api.simulations import Experiment
    from comparanda.feedback.simulation import Trial
    from comparanda.formats.inputs import Input


_PLAN_OPTIONS = ("strategy", "handler", "believed_error", "strength", "ask_certain", "seed")
_SETUP_OPTIONS = ("column", "missing", "texts", "fold_case", "scheme", "repair", "beliefs", "decide", "min_weight",
                  "strict", "max_line", "limits")  # fmt: skip
_SELECTION_OPTIONS = ("text", "only_label", "ignore_label", "answers", "again")


@click.command(
    cls=Command,
    short_help="Select the questions to ask a reviewer, without a key.",
    epilog="""\b
Examples:
  comparanda ask crf.jsonl -n 50
  comparanda ask crf.jsonl -n 200 --strategy fgain -o tasks.jsonl --layout prodigy
  comparanda ask crf.jsonl --answers first.csv --answers second.csv -o third.csv
  comparanda ask spans.jsonl --text corpus.conll --answers all.jsonl --updated better.jsonl""",
)
@click.argument("systems", metavar="OUTPUT", nargs=-1, shell_complete=complete_file)
@reading_output
@asking
@showing
@click.pass_context
def ask(context: click.Context, /, **options: Any) -> None:
    """List the questions about uncertain entities that a reviewer should answer first.

    OUTPUT is the probabilistic output of one system. --answers updates it, and nothing is asked twice. The records
    of -o FILE.jsonl or FILE.csv have a field for answers.
    """
    from comparanda.cli.output import write_findings

    found = _run_ask(context, options)
    if options["tool"] is None:
        write_findings(context, found.result, [found.finding], options)
    else:
        from comparanda.feedback.questions import TOOLS

        _write_file(options["output"], TOOLS[options["tool"]](found.finding), options)
    if options["updated"] is not None:  # after the questions: whatever happens here, the next round is written
        _write_file(options["updated"], found.updated, options)


def _write_file(target: str | None, text: str, options: Mapping[str, Any]) -> None:
    """Write a text to a file and report the file."""
    from comparanda.cli.output import print_message, write

    write(target, text)
    if target not in {None, "-"} and not options["quiet"]:
        print_message(f"wrote {target}")


def _run_ask(context: click.Context, options: Mapping[str, Any]) -> Review:
    """Read the output and the answers and select the questions, after checking the options."""
    import sys

    from comparanda.api.review import prepare_review
    from comparanda.cli.input_names import read_maps
    from comparanda.cli.output import print_notes, print_settings_note
    from comparanda.render.console import show_progress

    print_settings_note(context, options)
    name, given = _single_output(context, options)
    _check_options(context, options, given)
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        found = prepare_review(
            given,
            options["count"],
            name=name,
            kind=options["ask"],
            where=options["scope"],
            maps=read_maps(options["maps"], {name: given}),
            progress=progress,
            **{each: options[each] for each in (*_PLAN_OPTIONS, *_SETUP_OPTIONS, *_SELECTION_OPTIONS)},
        )
    print_notes(found.result.notes, options)
    return found


def _single_output(context: click.Context, options: Mapping[str, Any]) -> tuple[str, Input]:
    """Return the name and input of the only output, from the command line or the TOML file."""
    from comparanda.cli.input_names import has_systems, parse_outputs
    from comparanda.formats.inputs import each_input

    if not has_systems(context, options):
        raise UsageError("no output given", hint=f"{context.command_path} OUTPUT")
    outputs = parse_outputs(context, options)
    inputs = each_input(outputs.values())
    if len(inputs) > 1:
        what = f"{len(inputs)} outputs given, expected one: {', '.join(outputs)}"
        raise UsageError(what, hint="answers are given by --answers FILE")
    return next(iter(outputs)), inputs[0]


def _check_options(context: click.Context, options: Mapping[str, Any], given: Input) -> None:
    """Refuse an impossible layout, two outputs to one file, and writing over an input."""
    import os

    from comparanda.cli.output import layout_of
    from comparanda.cli.parameters import is_given
    from comparanda.cli.requests import protect_inputs
    from comparanda.formats.files import STDIN
    from comparanda.formats.inputs import Input

    if options["tool"] is None:
        layout_of(context, options)
    elif is_given(context, "layout") or options["as_json"]:
        raise UsageError(
            "--layout and --format cannot be combined", hint="the tasks of an annotation tool have their own format"
        )
    texts = [] if options["text"] is None else [Input.parse(options["text"]).path]
    read = [given.path, *texts, *options["answers"]]
    if read.count(STDIN) > 1:
        raise UsageError("standard input can be read only once, but '-' is given twice")
    for name in ("output", "updated"):
        protect_inputs(options, read, name)
    targets = [options[name] for name in ("output", "updated")]
    if None not in targets and len({os.path.realpath(each) for each in targets}) == 1:
        raise UsageError(f"--output and --updated are the same file: {targets[0]!r}")


# The command `simulate`: compare question strategies, with the key answering.


_UNAVAILABLE_OPTIONS = (
    "train",
    "punctuation",
    "labels",
    "conll18",
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
"""Options that this command does not have."""

_FIXED_OPTIONS = {"task": "prob", "parameters": {}, "paranoid": False, "only_label": (), "ignore_label": ()}
"""Options with a fixed value: label filters apply to the questions, not to reading, where the labels compete."""

_CURVE_SUFFIXES = (".csv", ".json", ".jsonl")
_SIMULATION_PLAN_OPTIONS = ("budget", "handler", "believed_error", "strength", "purity", "ask_certain", "seed")


@click.command(
    cls=Command,
    short_help="Simulate in which order to ask a reviewer about uncertain entities.",
    epilog="""\b
Examples:
  comparanda simulate gold.jsonl crf.jsonl --strategy entropy,fgain,random --budget 10000
  comparanda simulate gold.jsonl crf.jsonl --handler statistical --only-label PER
  comparanda simulate gold.jsonl crf.jsonl --user noisy:0.05 --plot crf.svg --curves crf.csv
  comparanda simulate gold.jsonl crf.jsonl --strategy infogain --ask group --resume run""",
)
@KEY
@click.argument("systems", nargs=-1, metavar="OUTPUT", shell_complete=complete_file)
@reading_beliefs
@simulating
@plotting
@showing
@click.pass_context
def simulate(context: click.Context, /, **options: Any) -> None:
    """Simulate in which order to ask a user about uncertain entities, with the key as the user.

    The scores are computed after every question; strategies are compared by the area under the curve of F1.
    """
    from comparanda.cli.output import write_findings

    found = run_simulation(context, options)
    write_files(found, options)
    write_findings(context, found.result, [found.finding], options)


def run_simulation(context: click.Context, options: Mapping[str, Any]) -> Experiment:
    """Read the inputs and simulate all strategies, after checking the options."""
    from comparanda.api.simulations import simulate_result
    from comparanda.cli.requests import load
    from comparanda.feedback.protocol import Plan, User
    from comparanda.render.console import show_progress_bar

    chosen = {name: options[name] for name in _SIMULATION_PLAN_OPTIONS} | {
        "kind": options["ask"],
        "user": User.parse(options["user"]),
    }
    if options["min_weight"] is not None:
        chosen["min_weight"] = options["min_weight"]
    for strategy in options["strategies"]:
        Plan(strategy=strategy, **chosen)
    _check_files(context, options)
    result = load(context, {**options, **dict.fromkeys(_UNAVAILABLE_OPTIONS), **_FIXED_OPTIONS})
    with show_progress_bar(sys.stderr, quiet=options["quiet"]) as show:
        return simulate_result(
            result,
            options["strategies"],
            regular=result.systems[-1] if options["regular"] is not None else None,
            where=options["scope"],
            area_by=options["area"],
            progress=show,
            **{name: options[name] for name in ("only_label", "ignore_label", "seeds", "horizon", "resume")},
            **chosen,
        )


def _check_files(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse writing over an input, two outputs to one file, unknown suffixes, and images without a renderer."""
    from comparanda.cli.input_names import key_of, parse_inputs
    from comparanda.cli.requests import protect_inputs
    from comparanda.cli.score_output import check_picture, suffix_of
    from comparanda.formats.inputs import each_input
    from comparanda.storage.manifest import is_result_folder

    if options["curves"] is not None and suffix_of(options["curves"]) not in _CURVE_SUFFIXES:
        raise UsageError(
            f"--curves writes {', '.join(_CURVE_SUFFIXES[:-1])} or {_CURVE_SUFFIXES[-1]}, not {options['curves']!r}"
        )
    check_picture(options["plot"])
    targets = {name: options[name] for name in ("output", "curves", "plot", "resume")}
    for one, other in combinations([name for name, file in targets.items() if file not in {None, "-"}], 2):
        if os.path.realpath(targets[one]) == os.path.realpath(targets[other]):
            raise UsageError(f"--{one} and --{other} are the same file: {targets[one]!r}")
    given = [key_of(context, options)]
    if not is_result_folder(given[0]):
        key, systems = parse_inputs(context, {**options, **_FIXED_OPTIONS})
        given = [each.path for each in (key, *each_input(systems.values()))]
    for name in ("curves", "plot", "resume"):
        protect_inputs(targets, given, name)


def write_files(found: Experiment, options: Mapping[str, Any]) -> None:
    """Write the curves and their chart, each file atomically."""
    from comparanda.cli.output import print_message, write
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
            print_message(f"wrote {options[name]}")
