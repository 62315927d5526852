"""The commands that print a single finding: `ablate`, `complement`, `stability`, `suspects` and `agree`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import (
    KEY,
    SYSTEMS,
    at_least,
    baseline,
    beta,
    complete_file,
    one_measure,
    pairing,
    reading,
    reference,
    sampling,
    showing,
    spreading,
    view,
    where,
)
from comparanda.cli.parameters import Command, is_given
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.findings.agreement import Agreements
    from comparanda.result import Result


@click.command(
    cls=Command,
    short_help="Show what changes when a component of a system is removed.",
    epilog="""\b
Examples:
  comparanda ablate gold.bio full=full.bio no-crf=no-crf.bio no-chars=no-chars.bio --task span
  comparanda examples gold.bio full.bio no-crf.bio --task span --where new_error""",
)
@KEY
@click.argument("systems", nargs=-1, metavar="FULL VARIANT...", shell_complete=complete_file)
@reading
@spreading
@where
@view
@sampling
@showing
@click.pass_context
def ablate(context: click.Context, /, **options: Any) -> None:
    """Show how the score changes without each component, and which decisions change and cancel out.

    FULL is the output of the full system, each VARIANT that of a system with a component removed; both can be
    written NAME=FILE. The variant with the most hidden change comes first.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    result = load(context, options)
    write_findings(context, result, [result.ablation(view=options["view"])], options)


# The command `complement`: which errors of a system another system does not make.


@click.command(
    cls=Command,
    short_help="Measure which errors of a system another system does not make.",
    epilog="""\b
Examples:
  comparanda complement gold.conll crf=crf.conll bert=bert.conll --task span
  comparanda complement gold.conll a.conll b.conll c.conll --task span --baseline a""",
)
@KEY
@SYSTEMS
@reading
@spreading
@where
@pairing
@baseline
@beta
@view
@sampling
@showing
@click.pass_context
def complement(context: click.Context, /, **options: Any) -> None:
    """Print the share of each system's errors that every other does not make, and the score of both combined.

    With --base and --new, print one pair, also by label; with --baseline, a row for every other system.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    _check_baseline_options(context, options)
    result = load(context, options)
    if options["baseline"] is not None:
        write_findings(context, result, [result.against(options["baseline"], view=options["view"])], options)
        return
    chosen = options["base"] is not None or options["new"] is not None
    pair = result.pair(options["base"], options["new"], view=options["view"]) if chosen else ()
    found = result.complementarity(*pair, beta=options["beta"], view=options["view"])
    write_findings(context, result, [found], options)


def _check_baseline_options(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse options that do not apply to a comparison against a baseline."""
    for name in ("base", "new", "beta") if options["baseline"] is not None else ():
        if is_given(context, name):
            raise UsageError(
                f"--baseline and --{name} cannot be combined", hint="--baseline compares every other system"
            )


# The command `stability`: systems with several runs.


@click.command(
    cls=Command,
    short_help="Separate the variation between runs from the difference between systems.",
    epilog="""\b
Examples:
  comparanda stability gold.jsonl gpt=run1.jsonl,run2.jsonl,run3.jsonl --task span
  comparanda stability gold.jsonl gpt=a1.jsonl,a2.jsonl llama=b1.jsonl,b2.jsonl --task span
  comparanda examples gold.jsonl gpt=run1.jsonl,run2.jsonl --task span --where 'flips("gpt")'""",
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
def stability(context: click.Context, /, **options: Any) -> None:
    """Print how much the runs of a system differ, and how much more the runs of two systems do.

    The runs of a system are written NAME=FIRST,SECOND,…
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load

    result = load(context, options)
    write_findings(context, result, [result.stability(options["base"], options["new"], view=options["view"])], options)


# The command `suspects`: likely annotation errors.


@click.command(
    cls=Command,
    short_help="Find likely annotation errors.",
    epilog="""\b
Examples:
  comparanda suspects gold.conll a.conll b.conll c.conll --task span
  comparanda suspects gold.conll a.conll b.conll c.conll --task span --at-least 2 -o again.jsonl""",
)
@KEY
@SYSTEMS
@reading
@spreading
@where
@at_least
@view
@showing
@click.pass_context
def suspects(context: click.Context, /, **options: Any) -> None:
    """List where all systems agree with each other against the key, and what the key has and none of them finds.

    The most suspect come first. With -o FILE.jsonl or FILE.csv, the table has a column for decisions.
    """
    from comparanda.cli.output import print_message, write_findings
    from comparanda.cli.requests import load

    result = load(context, options)
    finer = result.verdicts.view().finer
    if options["view"] is None and finer is not None and not options["quiet"]:
        print_message(
            f"note: sites of the view {finer!r}, which distinguishes wrong values: add --view {finer} to 'examples'"
        )
    found = result.suspects(at_least=options["at_least"], top=options["top"] or 0, view=options["view"])
    write_findings(context, result, [found], options)


# The command `agree`: agreement of outputs without a key.


@click.command(
    cls=Command,
    short_help="Measure the agreement of outputs, without a key.",
    epilog="""\b
Examples:
  comparanda agree ann.jsonl bea.jsonl cy.jsonl --task span
  comparanda agree crf=crf.conllu bert=bert.conllu --task pos --top 20""",
)
@SYSTEMS
@reading
@reference
@view
@one_measure
@sampling
@showing
@click.pass_context
def agree(context: click.Context, /, **options: Any) -> None:
    """Measure the agreement of outputs: F1 and diff of every pair, κ and α, and where they disagree.

    None of the outputs is the key; all are aligned with the documents and words of the first, or of --reference.
    """
    from comparanda.cli.output import layout_of, write_findings

    layout_of(context, options)  # refuse an impossible layout before reading any input
    found, result = compute_agreement(context, options)
    write_findings(context, result, [found], options)


def compute_agreement(context: click.Context, options: Mapping[str, Any]) -> tuple[Agreements, Result]:
    """Read the outputs and compute their agreement."""
    import sys

    from comparanda.api.outputs import agreement_of
    from comparanda.cli.input_names import parse_outputs
    from comparanda.cli.output import print_notes, print_settings_note
    from comparanda.cli.requests import protect_inputs, settings_of
    from comparanda.formats.inputs import each_input
    from comparanda.render.console import show_progress

    print_settings_note(context, options)
    outputs = parse_outputs(context, options)
    protect_inputs(options, [given.path for given in each_input(outputs.values())])
    settings = settings_of({**options, "where": None}, outputs)
    drawn = {name: settings.pop(name) for name in ("resamples", "seed", "zero_division")}
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        found, result = agreement_of(
            outputs,
            reference=options["reference"],
            view=options["view"],
            settings={**settings, "progress": progress},
            measure_name=options["measure"],
            **drawn,
        )
    print_notes(result.notes, options)
    return found, result
