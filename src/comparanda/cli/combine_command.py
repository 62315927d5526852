"""The command `combine`: combine systems by voting."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import KEY, SYSTEMS, combining, reading, sampling, showing, view, writing
from comparanda.cli.parameters import Command

if TYPE_CHECKING:
    from comparanda.api.combination import Combined
    from comparanda.formats.inputs import Input


@click.command(
    cls=Command,
    short_help="Combine systems by voting and score the result.",
    epilog="""\b
Examples:
  comparanda combine gold.conll a.conll b.conll c.conll --task span
  comparanda combine gold.conllu a.conllu b.conllu --task dep --write tree-vote=voted.conllu
  comparanda combine key.bio a=a.bio b=b.bio --task span --dev-key dev --dev a=a.dev --dev b=b.dev""",
)
@KEY
@SYSTEMS
@reading
@combining
@view
@sampling
@writing
@showing
@click.pass_context
def combine(context: click.Context, /, **options: Any) -> None:
    """Combine systems by voting, and compare the scores with the best single system and the oracle.

    Votes never use the key of the scored data: weights are tuned on --dev, or on other folds of KEY.
    """
    from comparanda.cli.output import print_notes, write_findings

    targets = _parse_targets(options)
    found = _run_combination(context, {**options, "where": None}, targets)
    for method in targets:
        found.corpus(method)  # refuse to write a combination that does not exist
    print_notes(found.result.notes, options)
    with suppress(BrokenPipeError):  # write the requested files even if the reader of the table closes the pipe
        write_findings(context, found.result, [found.finding], options)
    _write_combinations(found, targets, options)


def _parse_targets(options: Mapping[str, Any]) -> dict[str, str]:
    """Parse `--write METHOD=FILE`; return the file of each method by its canonical name, each method once."""
    from comparanda.errors import UsageError
    from comparanda.tasks.vote_methods import Method

    targets: dict[str, str] = {}
    asked = [Method.parse(name) for name in options["methods"]]
    for written in options["write"]:
        name, equals, path = written.partition("=")
        if not equals or not path.strip():
            raise UsageError(
                f"--write: expected METHOD=FILE, got {written!r}", hint="for example: --write majority=voted.conll"
            )
        method = Method.parse(name)
        if asked and method not in asked:
            raise UsageError(f"--write {method}: this method is not requested", hint=f"add --method {method}")
        if str(method) in targets:
            raise UsageError(f"--write {method} is given twice")
        targets[str(method)] = path
    return targets


def _run_combination(context: click.Context, options: Mapping[str, Any], targets: Mapping[str, str]) -> Combined:
    """Read the inputs, combine the systems and score the combinations."""
    import sys

    from comparanda.api.combination import combine as combine_systems
    from comparanda.cli.input_names import key_of, parse_inputs
    from comparanda.cli.output import layout_of, print_settings_note
    from comparanda.cli.requests import protect_inputs, settings_of
    from comparanda.errors import UsageError
    from comparanda.formats.inputs import Input, each_input
    from comparanda.render.console import show_progress
    from comparanda.storage.manifest import is_result_folder

    print_settings_note(context, options)
    layout_of(context, options)  # refuse an impossible layout before reading any input
    if is_result_folder(key_of(context, options)):
        raise UsageError("a result folder contains no outputs to combine", hint="give the files instead")
    key, systems = parse_inputs(context, options)
    given = [each.path for each in (key, *each_input(systems.values()))]
    protect_inputs(options, given)
    for target in targets.values():
        protect_inputs({"write": Input.parse(target).path}, given, "write")
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        return combine_systems(
            key,
            systems,
            methods=options["methods"],
            dev=_parse_dev_data(options),
            folds=options["folds"],
            same_data=options["same_data"],
            overlap=options["overlap"],
            view=options["view"],
            progress=progress,
            **settings_of(options, systems),
        )


def _parse_dev_data(options: Mapping[str, Any]) -> tuple[Input, dict[str, Any]] | None:
    """Parse the development key and outputs; None if there are none."""
    from comparanda.cli.input_names import name_systems
    from comparanda.errors import UsageError
    from comparanda.formats.inputs import Input, parse_runs

    if options["dev_key"] is None:
        if options["dev"]:
            raise UsageError("--dev requires the key of the dev data", hint="add --dev-key FILE")
        return None
    if not options["dev"]:
        raise UsageError(
            "--dev-key requires the outputs of the systems on the dev data", hint="add --dev NAME=FILE for every system"
        )
    return Input.parse(options["dev_key"]), dict(name_systems(map(parse_runs, options["dev"])))


def _write_combinations(found: Combined, targets: Mapping[str, str], options: Mapping[str, Any]) -> None:
    """Write the requested combinations and report the files."""
    from dataclasses import replace

    from comparanda.cli.output import print_message, print_notes

    for method, target in targets.items():
        losses = found.write(method, target)
        print_notes([replace(loss, side=target) for loss in losses], options)
        if not options["quiet"]:
            print_message(f"wrote {target}: {method}, {found.finding.measure} {_format_score(found, method)}")


def _format_score(found: Combined, method: str) -> str:
    from comparanda.render.table import format_cell

    return format_cell("share", found.finding.value(method))
