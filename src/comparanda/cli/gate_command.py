"""The command `gate`: check a new system against its base."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import (
    KEY,
    SYSTEMS,
    gating,
    reading,
    reporting,
    sampling,
    showing,
    spreading,
    view,
    where,
)
from comparanda.cli.parameters import Command
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.findings.gate import Gate
    from comparanda.result import Result

_CRITERIA = ("max_new_errors", "max_negative_flip_rate", "label", "require", "fail_if_significantly_worse", "measure")
_DEFAULT_EXAMPLES = 10
_BASE_AND_NEW = 2


@click.command(
    cls=Command,
    short_help="Decide whether a new system may replace its base.",
    epilog="""\b
Examples:
  comparanda gate gold.conllu old.conllu new.conllu --task pos --max-new-errors 0.5%
  comparanda gate gold.bio old.bio new.bio --task span --max-new-errors 0 --label PER
  comparanda gate gold.bio old.bio new.bio --task span --require 'f1 >= base - 0.3'
  comparanda gate gold.bio old.bio --task span --baseline gate.json --write-baseline""",
)
@KEY
@SYSTEMS
@reading
@spreading
@gating
@where
@view
@sampling
@reporting
@showing
@click.pass_context
def gate(context: click.Context, /, **options: Any) -> None:
    """Check a new system against its base; if a check fails, print the broken examples, with exit code 1.

    KEY is the gold file, followed by the outputs of the base and of the new system; or a result folder with both.
    Without criteria, the gate fails if the new system is significantly worse.
    """
    context.exit(run_gate(context, options))


def run_gate(context: click.Context, options: Mapping[str, Any]) -> int:
    """Run the gate and return the exit code."""
    from comparanda.api.baseline import check_against_baseline, read_baseline
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load
    from comparanda.findings.gate import build_criteria

    asked = {name: options[name] for name in _CRITERIA}
    build_criteria(**asked)  # report errors in the criteria before reading any input
    _check_targets(context, options)
    file, writing = options["baseline_file"], options["write_baseline"]
    approved = read_baseline(file) if file is not None and not writing else None
    result = load(context, options)
    base, new = _choose_pair(result, options, alone=writing or approved is not None)
    if writing:
        _write_baseline(result, str(base), options)
        if new is None:
            return 0
    top = _DEFAULT_EXAMPLES if options["top"] is None else options["top"]
    found = check_against_baseline(result, base, str(new), approved=approved, view=options["view"], top=top, **asked)
    _write_reports(found, options)
    with suppress(BrokenPipeError):  # a closed pipe must not change the exit code
        write_findings(context, result, [found], options)
    return 0 if found.passed else 1


def _check_targets(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse writing over an input, two outputs to one file, and `--write-baseline` without a file."""
    from comparanda.cli.input_names import key_of, parse_inputs
    from comparanda.cli.requests import protect_inputs
    from comparanda.formats.inputs import each_input
    from comparanda.storage.manifest import is_result_folder

    writing, baseline = options["write_baseline"], options["baseline_file"]
    if writing and baseline is None:
        raise UsageError("--write-baseline requires --baseline", hint="add --baseline FILE")
    targets = {name: options[name] for name in ("output", "junit", "markdown")} | {"baseline": baseline}
    for one, other in combinations([name for name, file in targets.items() if file not in {None, "-"}], 2):
        if os.path.realpath(targets[one]) == os.path.realpath(targets[other]):
            raise UsageError(f"--{one} and --{other} are the same file: {targets[one]!r}")
    given = [key_of(context, options)]
    if not is_result_folder(given[0]):
        key, systems = parse_inputs(context, options)
        given = [each.path for each in (key, *each_input(systems.values()))]
    for name in ("junit", "markdown", *(["baseline"] if writing else [])):
        protect_inputs(targets, given, name)


def _choose_pair(result: Result, options: Mapping[str, Any], *, alone: bool) -> tuple[str | None, str | None]:
    """Return the base and the new system; one of them may be None only if a baseline is written or read."""
    names, base, new = result.systems, options["base"], options["new"]
    for name in (base, new):
        if name is not None:
            result.verdicts.system(name)
    if len(names) == 1 and alone:
        return (names[0], None) if options["write_baseline"] else (None, names[0])
    if len(names) < _BASE_AND_NEW:
        hint = "give KEY BASE NEW, or --baseline FILE in place of BASE"
        raise UsageError("gate requires a base and a new system", hint=hint)
    if len(names) > _BASE_AND_NEW and (base is None or new is None):
        hint = f"add --base NAME and --new NAME: {', '.join(names)}"
        raise UsageError(f"a gate is about two systems, and there are {len(names)}", hint=hint)
    base = base or next(name for name in names if name != new)
    return base, new or next(name for name in names if name != base)


def _write_baseline(result: Result, base: str, options: Mapping[str, Any]) -> None:
    from comparanda.api.baseline import baseline_of
    from comparanda.cli.output import print_message, write

    write(options["baseline_file"], baseline_of(result, base, view=options["view"]).to_json())
    if not options["quiet"]:
        print_message(f"wrote {options['baseline_file']}: {base} is the base from now on")


def _write_reports(found: Gate, options: Mapping[str, Any]) -> None:
    """Write the reports for other programs, each file atomically."""
    from comparanda.cli.output import write
    from comparanda.findings.gate_junit import as_junit
    from comparanda.render.markup import as_markdown

    if options["junit"] is not None:
        write(options["junit"], as_junit(found))
    if options["markdown"] is not None:
        write(options["markdown"], as_markdown(found) + "\n")
