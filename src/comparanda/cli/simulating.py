"""The command `simulate`: which questions to ask first, tried on a key."""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.completion import files
from comparanda.cli.options import KEY, plotting, reading_beliefs, showing, simulating
from comparanda.cli.parsing import Command
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.feedback.trials import Trial
    from comparanda.simulating import Experiment

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
_PLAN = ("budget", "handler", "believed_error", "strength", "purity", "ask_certain", "seed")


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
    from comparanda.cli.run import load
    from comparanda.feedback.plan import Plan, User
    from comparanda.show.progress import bar
    from comparanda.simulating import simulated

    chosen = {name: options[name] for name in _PLAN} | {"kind": options["ask"], "user": User.parse(options["user"])}
    if options["min_weight"] is not None:
        chosen["min_weight"] = options["min_weight"]
    for strategy in options["strategies"]:
        Plan(strategy, **chosen)
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
    from comparanda.cli.drawing import check_picture, suffix_of
    from comparanda.cli.inputs import inputs, key_of
    from comparanda.cli.run import spare
    from comparanda.read.runs import each_input
    from comparanda.saved import is_result_folder

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
    from comparanda.cli.drawing import draw, suffix_of
    from comparanda.cli.output import tell, write
    from comparanda.show.curves import curve_chart, curves_as_csv, curves_as_json, curves_as_json_lines

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
