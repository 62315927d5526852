"""The command `report`: one HTML file, from every number to the examples behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli import completion
from comparanda.cli.completion import files
from comparanda.cli.options import (
    KEY,
    SYSTEMS,
    by,
    pairing,
    reading,
    regular,
    sampling,
    spreading,
    telling,
    view,
    where,
)
from comparanda.cli.parsing import Command, Option, filled, one_of, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.page import Choices
    from comparanda.page.data import Page
    from comparanda.result import Result

# Kept here, not imported: the help must not load NumPy. A test compares them with the library's.
PAIRS = ("some", "all")
EXAMPLES = 20_000

_STDOUT = "-"
_OF_A_KEY = ("where", "by", "charts")
"""Options that ask who is right."""


@click.command(
    cls=Command,
    short_help="One HTML file: from every number to the examples behind it.",
    epilog="""\b
Examples:
  comparanda report gold.conllu crf=crf.conllu bert=bert.conllu --task pos -o report.html
  comparanda report result --no-text --charts figures
  comparanda report --no-key ann=ann.jsonl bea=bea.jsonl --task span""",
)
@KEY
@SYSTEMS
@reading
@spreading
@regular
@click.option("--no-key", cls=Option, section="Reading", is_flag=True,
              help="There is no key: all files are outputs; documents and words are those of the first.")  # fmt: skip
@where
@by
@pairing
@click.option("--pairs", cls=Option, section="Choosing", metavar="|".join(PAIRS), default=PAIRS[0], show_default=True,
              callback=one_of(*PAIRS), shell_complete=completion.one_of(*PAIRS),
              help="Which pairs of more than twelve systems the page holds.")  # fmt: skip
@view
@sampling
@click.option("-o", "--output", cls=Option, section="Output", metavar="FILE", default="report.html", show_default=True,
              callback=filled, shell_complete=files, help="The file to write.")  # fmt: skip
@click.option("--title", cls=Option, section="Output", metavar="TEXT", callback=filled, help="The title of the page.")
@click.option("--no-text", cls=Option, section="Output", is_flag=True,
              help="Hold no words of the corpus, only numbers, labels and places.")  # fmt: skip
@click.option("--examples", cls=Option, section="Output", metavar="N", type=str, default=EXAMPLES, show_default=True,
              callback=whole(1),
              help="How many examples the page may hold; of more, each number has a sample.")  # fmt: skip
@click.option("--charts", cls=Option, section="Output", metavar="FOLDER", callback=filled, shell_complete=files,
              help="Write the charts to files too: SVG, and PNG (pip install 'comparanda[png]').")  # fmt: skip
@telling
@click.pass_context
def report(context: click.Context, /, **options: Any) -> None:
    """Write a report that opens in a browser, from disk, without a network.

    KEY is the gold file, or a result folder; each FILE is the output of a system. Every count in the report leads to
    just the examples that it counts.
    """
    from comparanda.cli.run import load

    choices = _choices(options)
    if options["no_key"]:
        write_page(_without_key(context, options, choices), options["output"], quiet=options["quiet"])
        return
    _check_charts(context, options)
    result = load(context, options)
    write_page(_page(result, choices, options), options["output"], quiet=options["quiet"])
    _write_charts(result, choices, options)


def _choices(options: Mapping[str, Any]) -> Choices:
    """Return what the page is to hold; what cannot be meant is refused before anything is read."""
    from comparanda.page import Choices

    chosen = {name: options[name] for name in ("view", "title", "base", "new", "pairs", "examples")}
    return Choices(**chosen, by=options["by"] or None, text=not options["no_text"])


def _page(result: Result, choices: Choices, options: Mapping[str, Any]) -> Page:
    import sys

    from comparanda.page import build
    from comparanda.show.console import progress

    with progress(sys.stderr, quiet=options["quiet"]) as say:
        return build(result, choices, say)


def _without_key(context: click.Context, options: Mapping[str, Any], choices: Choices) -> Page:
    """Return the page of outputs without a key; the first of them stands where the key would."""
    import sys

    from comparanda.cli.agreeing import agreed
    from comparanda.errors import UsageError
    from comparanda.page import build_without_key
    from comparanda.show.console import progress

    for name in _OF_A_KEY:
        if options[name]:
            raise UsageError(f"--no-key and --{name} do not go together: without a key nobody is right or wrong")
    given = options["systems"] if options["key"] is None else (options["key"], *options["systems"])
    found, result = agreed(context, {**options, "systems": given, "ground": None, "measure": None})
    with progress(sys.stderr, quiet=options["quiet"]) as say:
        return build_without_key(found, result, choices, say)


def write_page(page: Page, target: str, *, quiet: bool) -> None:
    """Write a page, and say how large it is."""
    from comparanda.cli.output import tell, write
    from comparanda.page import as_html
    from comparanda.show.cells import counted

    written = as_html(page)
    write(target, written)
    if target != _STDOUT and not quiet:
        tell(f"wrote {target} ({size(len(written.encode()))}, {counted(len(page.cards), 'example')}, "
             "no network needed)")  # fmt: skip


def size(count: int) -> str:
    """Write a number of bytes.

    >>> size(84_321), size(1_934_000)
    ('84 kB', '1.9 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def _check_charts(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse to write charts among the files of an input."""
    from comparanda.cli.inputs import inputs, key_of
    from comparanda.cli.run import spare
    from comparanda.read.runs import each_input
    from comparanda.saved import is_result_folder

    if options["charts"] is None:
        return
    given = [key_of(context, options)]
    if options["systems"] or not is_result_folder(given[0]):
        key, systems = inputs(context, options)
        given = [each.path for each in (key, *each_input(systems.values()))]
    spare(options, given, "charts")


def _write_charts(result: Result, choices: Choices, options: Mapping[str, Any]) -> None:
    """Write the charts to a folder, if that was asked for, and say how many."""
    from comparanda.cli.output import OutputError, tell
    from comparanda.page.drawn import charts_of
    from comparanda.page.pictures import write_pictures
    from comparanda.show.cells import counted

    folder = options["charts"]
    if folder is None:
        return
    try:
        written = write_pictures(charts_of(result, choices), folder)
    except OSError as problem:
        raise OutputError(f"cannot be written: {problem.strerror or problem}", where=folder) from None
    if not options["quiet"]:
        tell(f"wrote {counted(len(written), 'file')} to {folder}")
