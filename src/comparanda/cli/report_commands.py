"""The commands `report` and `serve`: the HTML report as a file, or served from a result folder."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli import options as completion
from comparanda.cli.options import (
    KEY,
    SYSTEMS,
    by,
    complete_file,
    pairing,
    reading,
    regular,
    sampling,
    spreading,
    telling,
    view,
    where,
)
from comparanda.cli.parameters import INPUT, Command, Option, integer_from, one_of, refuse_empty
from comparanda.errors import ReadError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.report import Choices
    from comparanda.report.page_data import Page
    from comparanda.report.server import Routes, Server
    from comparanda.result import Result


# Repeated here, not imported: the help must not load NumPy. A test compares them with the library.
PAIRS = ("some", "all")
EXAMPLES = 20_000

_STDOUT = "-"
_KEY_OPTIONS = ("where", "by", "charts")
"""Options that require a key."""


@click.command(
    cls=Command,
    short_help="Write an HTML page that links every number to its examples.",
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
@click.option("--no-key", cls=Option, section=INPUT, is_flag=True,
              help="Compare outputs without a key; documents and words are those of the first.")  # fmt: skip
@where
@by
@pairing
@click.option("--pairs", cls=Option, section="Selection", metavar="|".join(PAIRS), default=PAIRS[0], show_default=True,
              callback=one_of(*PAIRS), shell_complete=completion.one_of(*PAIRS),
              help="Which pairs to include if there are more than twelve systems.")  # fmt: skip
@view
@sampling
@click.option("-o", "--output", cls=Option, section="Output", metavar="FILE", default="report.html", show_default=True,
              callback=refuse_empty, shell_complete=complete_file, help="The file to write.")  # fmt: skip
@click.option(
    "--title", cls=Option, section="Output", metavar="TEXT", callback=refuse_empty, help="The title of the page."
)
@click.option("--no-text", cls=Option, section="Output", is_flag=True,
              help="Include no words of the corpus, only numbers, labels and places.")  # fmt: skip
@click.option("--examples", cls=Option, section="Output", metavar="N", type=str, default=EXAMPLES, show_default=True,
              callback=integer_from(1),
              help="The maximum number of examples; if there are more, each number has a sample.")  # fmt: skip
@click.option("--charts", cls=Option, section="Output", metavar="FOLDER", callback=refuse_empty,
              shell_complete=complete_file,
              help="Also write the charts as files: SVG, and PNG (pip install 'comparanda[png]').")  # fmt: skip
@telling
@click.pass_context
def report(context: click.Context, /, **options: Any) -> None:
    """Write an HTML report that opens in a browser without a network.

    KEY is the gold file, or a result folder; each FILE is the output of a system. Every count in the report
    links to exactly the examples that it counts.
    """
    from comparanda.cli.requests import load

    choices = _build_choices(options)
    if options["no_key"]:
        write_page(_build_page_without_key(context, options, choices), options["output"], quiet=options["quiet"])
        return
    _check_charts(context, options)
    result = load(context, options)
    write_page(_build_page(result, choices, options), options["output"], quiet=options["quiet"])
    _write_charts(result, choices, options)


def _build_choices(options: Mapping[str, Any]) -> Choices:
    """Collect the options of the report; invalid ones are refused before any input is read."""
    from comparanda.report import Choices

    chosen = {name: options[name] for name in ("view", "title", "base", "new", "pairs", "examples")}
    return Choices(**chosen, by=options["by"] or None, text=not options["no_text"])


def _build_page(result: Result, choices: Choices, options: Mapping[str, Any]) -> Page:
    import sys

    from comparanda.render.console import show_progress
    from comparanda.report import build_page

    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        return build_page(result, choices, progress)


def _build_page_without_key(context: click.Context, options: Mapping[str, Any], choices: Choices) -> Page:
    """Build the page of outputs without a key; the first output takes the place of the key."""
    import sys

    from comparanda.cli.finding_commands import compute_agreement
    from comparanda.errors import UsageError
    from comparanda.render.console import show_progress
    from comparanda.report import build_without_key

    for name in _KEY_OPTIONS:
        if options[name]:
            raise UsageError(f"--no-key and --{name} cannot be combined: without a key no output is right or wrong")
    given = options["systems"] if options["key"] is None else (options["key"], *options["systems"])
    found, result = compute_agreement(context, {**options, "systems": given, "reference": None, "measure": None})
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        return build_without_key(found, result, choices, progress)


def write_page(page: Page, target: str, *, quiet: bool) -> None:
    """Write a page and report its size."""
    from comparanda.cli.output import print_message, write
    from comparanda.render.table import format_count
    from comparanda.report import as_html

    written = as_html(page)
    write(target, written)
    if target != _STDOUT and not quiet:
        size, examples = format_size(len(written.encode())), format_count(len(page.cards), "example")
        print_message(f"wrote {target} ({size}, {examples}, no network needed)")


def format_size(count: int) -> str:
    """Format a number of bytes.

    >>> format_size(84_321), format_size(1_934_000)
    ('84 kB', '1.9 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def _check_charts(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse writing charts into the folder of an input."""
    from comparanda.cli.input_names import key_of, parse_inputs
    from comparanda.cli.requests import protect_inputs
    from comparanda.formats.inputs import each_input
    from comparanda.storage.manifest import is_result_folder

    if options["charts"] is None:
        return
    given = [key_of(context, options)]
    if options["systems"] or not is_result_folder(given[0]):
        key, systems = parse_inputs(context, options)
        given = [each.path for each in (key, *each_input(systems.values()))]
    protect_inputs(options, given, "charts")


def _write_charts(result: Result, choices: Choices, options: Mapping[str, Any]) -> None:
    """Write the charts to the folder of `--charts`, if given, and report their number."""
    from comparanda.cli.output import OutputError, print_message
    from comparanda.render.table import format_count
    from comparanda.report.chart_files import charts_of, write_pictures

    folder = options["charts"]
    if folder is None:
        return
    try:
        written = write_pictures(charts_of(result, choices), folder)
    except OSError as problem:
        raise OutputError(f"cannot be written: {problem.strerror or problem}", where=folder) from None
    if not options["quiet"]:
        print_message(f"wrote {format_count(len(written), 'file')} to {folder}")


# The command `serve`: a result folder in the browser, with all its examples.


_FIRST_PORT, _LAST_PORT = 1024, 65535


@click.command(
    cls=Command,
    short_help="Show a result folder in the browser, with all its examples.",
    epilog="""\b
Examples:
  comparanda compare gold.conllu crf=crf.conllu bert=bert.conllu --task pos --save result
  comparanda serve result
  comparanda serve result --no-open --port 8080""",
)
@click.argument("folder", metavar="FOLDER", shell_complete=complete_file)
@where
@by
@pairing
@view
@sampling
@click.option("--port", cls=Option, section="Serving", metavar="N", callback=integer_from(_FIRST_PORT),
              help="The local port; by default any that is free.")  # fmt: skip
@click.option("--no-open", cls=Option, section="Serving", is_flag=True,
              help="Do not open a browser, only print the address.")  # fmt: skip
@click.option(
    "--title", cls=Option, section="Serving", metavar="TEXT", callback=refuse_empty, help="The title of the page."
)
@click.option("--no-text", cls=Option, section="Serving", is_flag=True,
              help="Show no words of the corpus, only numbers, labels and places.")  # fmt: skip
@telling
@click.pass_context
def serve(context: click.Context, /, **options: Any) -> None:
    """Show the report of a result folder in a browser on this machine, with all its examples.

    The page is that of 'comparanda report', but it requests examples from this program, so that no number of them
    is too large. It is read-only. Its address contains a token: whoever has it can read the page.
    """
    from comparanda.cli.requests import load
    from comparanda.render.console import show_progress
    from comparanda.report import Choices
    from comparanda.report.server import Routes

    folder = _check_result_folder(options["folder"])
    chosen = {name: options[name] for name in ("view", "title", "base", "new")}
    choices = Choices(**chosen, by=options["by"] or None, text=not options["no_text"], served=True)
    with _open_server(options["port"]) as server:
        result = load(context, {**options, "key": folder, "systems": (), "output": None, "config": None})
        with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
            routes = Routes(result, choices, progress)
        _run_server(server, routes, options)


def _check_result_folder(folder: str) -> str:
    """Refuse anything but a result folder before any other work."""
    from comparanda.storage.manifest import is_result_folder

    if not is_result_folder(folder):
        what = "not a result folder" if os.path.exists(folder) else "no such folder"
        raise ReadError(what, where=folder, hint="create one: comparanda compare KEY NAME=FILE… --save FOLDER")
    return folder


def _open_server(port: int | None) -> Server:
    """Open the port before the page is built, which may take a while."""
    from comparanda.report.server import Server

    if port is not None and port > _LAST_PORT:
        raise UsageError(f"--port: expected a number from {_FIRST_PORT} to {_LAST_PORT}, got {port}")
    try:
        return Server(port or 0)
    except OSError as problem:
        what = f"port {port} is not available" if port else "no port is available"
        hint = "choose another, or omit --port to use any that is free"
        raise UsageError(f"{what}: {problem.strerror or problem}", hint=hint if port else None) from None


def _run_server(server: Server, routes: Routes, options: dict[str, Any]) -> None:
    """Print the address and answer requests until interrupted, which is the normal end and not an error."""
    import webbrowser

    from comparanda.cli.output import print_message

    previous_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        click.echo(server.address)
        if not options["quiet"]:
            print_message(f"serving {options['folder']} on this machine only; press Ctrl-C to stop")
        if not options["no_open"]:  # in a thread, since a browser in the terminal returns only when it is left
            threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
        server.answer_by(routes.answer)
    except KeyboardInterrupt:
        if not options["quiet"]:
            print_message("ended")
    finally:
        signal.signal(signal.SIGTERM, previous_handler)
