"""The command `leaderboard`: rank the submissions of a shared task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import KEY, anonymous, complete_file, measures, reading, sampling, showing, view, where
from comparanda.cli.parameters import Command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.api.submissions import Ranked

_SINGLE_TABLE_LAYOUTS = ("csv", "tsv", "jsonl")


@click.command(
    cls=Command,
    short_help="Rank a folder of submissions; invalid ones are listed.",
    epilog="""\b
Examples:
  comparanda leaderboard gold.conllu submissions/ --task pos
  comparanda leaderboard gold.bio submissions/ late=extra/late.bio --task span -o board.md
  comparanda leaderboard gold.bio submissions/ --task span --anonymise --names who.csv""",
)
@KEY
@click.argument("systems", nargs=-1, metavar="FOLDER...", shell_complete=complete_file)
@reading
@where
@measures
@view
@sampling
@showing
@anonymous
@click.pass_context
def leaderboard(context: click.Context, /, **options: Any) -> None:
    """Rank all submissions of a folder, with groups and rank ranges by significance.

    Each file and each subfolder of FOLDER is one submission; further files can be given as NAME=FILE. Submissions that
    cannot be read or aligned are listed with the reason; exit code 3 if none is left.
    """
    from comparanda.cli.output import write_findings
    from comparanda.cli.requests import load
    from comparanda.storage.manifest import is_result_folder

    _check_options(options)
    if not options["systems"] and options["key"] and is_result_folder(options["key"]):
        result = load(context, options)
        board = result.leaderboard(*options["measures"], view=options["view"])
        write_findings(context, result, [board], options)
        return
    ranked = _run_ranking(context, options)
    write_findings(context, ranked.result, [ranked.leaderboard], options)
    _report_refused(context, ranked, options)
    if options["names"] is not None:
        _write_names(ranked, options)


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse contradictory options."""
    from comparanda.errors import UsageError
    from comparanda.storage.manifest import is_result_folder

    if options["names"] is not None and not options["anonymise"]:
        raise UsageError("--names requires --anonymise", hint="add --anonymise")
    if options["names"] is not None and options["names"] in {"-", options["output"]}:
        raise UsageError("--names requires a file of its own", hint="otherwise the output would contain the names")
    if options["anonymise"] and not options["systems"] and options["key"] and is_result_folder(options["key"]):
        raise UsageError("a result folder contains the names of its systems", hint="give the files instead")


def _run_ranking(context: click.Context, options: Mapping[str, Any]) -> Ranked:
    """Find the submissions and rank them."""
    import sys

    from comparanda.api.submissions import evaluate_submissions, rank_submissions
    from comparanda.cli.input_names import key_of, parse_inputs
    from comparanda.cli.output import layout_of, print_notes, print_settings_note
    from comparanda.cli.requests import check_labels, protect_inputs, settings_of
    from comparanda.formats.inputs import Input, each_input, parse_runs
    from comparanda.render.console import show_progress

    print_settings_note(context, options)
    layout_of(context, options)  # refuse an impossible layout before reading any input
    key = Input.parse(key_of(context, options))
    sources: Any = [parse_runs(each) for each in options["systems"]] or parse_inputs(context, options)[1]
    for option in ("output", "names"):
        given = each_input(sources.values() if isinstance(sources, dict) else sources)
        protect_inputs(options, [key.path, *(each.path for each in given)], option)
    gathered = rank_submissions(key, sources)
    own = {each.own_name: each.given for each in gathered.submissions}
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        board = evaluate_submissions(
            key,
            gathered,
            options["measures"],
            options["view"],
            anonymise=options["anonymise"],
            where=options["where"],
            progress=progress,
            **settings_of(options, own),
        )
    check_labels(board.result, options)
    print_notes(board.result.notes, options)
    return board


def _report_refused(context: click.Context, ranked: Ranked, options: Mapping[str, Any]) -> None:
    """Report the refused submissions on standard error if the layout cannot show them."""
    from comparanda.cli.output import layout_of, print_message
    from comparanda.findings.leaderboard import write_refusal

    if not options["quiet"] and layout_of(context, options) in _SINGLE_TABLE_LAYOUTS:
        for each in ranked.leaderboard.refused:
            print_message(f"note: {write_refusal(each)}")


def _write_names(ranked: Ranked, options: Mapping[str, Any]) -> None:
    """Write the names file for the organisers: board name, own name, path, and the full reason of a refusal."""
    import csv
    import io

    from comparanda.cli.output import print_message, write

    text = io.StringIO()
    rows = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")  # a name may hold any character
    rows.writerow(["name", "system", "path", "ranked", "reason"])
    for each in ranked.submissions:
        problem = ranked.problems.get(each.name)
        rows.writerow([each.name, each.own_name, each.path, "no" if problem else "yes", str(problem or "")])
    write(options["names"], text.getvalue())
    if not options["quiet"]:
        print_message(f"wrote {options['names']}")
