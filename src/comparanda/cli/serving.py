"""The command `serve`: a result folder in the browser, with all of its examples."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.completion import files
from comparanda.cli.options import by, pairing, sampling, telling, view, where
from comparanda.cli.parsing import Command, Option, filled, whole
from comparanda.errors import ReadError, UsageError

if TYPE_CHECKING:
    from comparanda.page.server import Routes, Server

_FIRST_PORT, _LAST_PORT = 1024, 65535


@click.command(
    cls=Command,
    short_help="A result folder in the browser, with all its examples.",
    epilog="""\b
Examples:
  comparanda compare gold.conllu crf=crf.conllu bert=bert.conllu --task pos --save result
  comparanda serve result
  comparanda serve result --no-open --port 8080""",
)
@click.argument("folder", metavar="FOLDER", shell_complete=files)
@where
@by
@pairing
@view
@sampling
@click.option("--port", cls=Option, section="Serving", metavar="N", callback=whole(_FIRST_PORT),
              help="The port on this machine; any that is free by default.")  # fmt: skip
@click.option("--no-open", cls=Option, section="Serving", is_flag=True,
              help="Open no browser, print the address alone.")  # fmt: skip
@click.option("--title", cls=Option, section="Serving", metavar="TEXT", callback=filled, help="The title of the page.")
@click.option("--no-text", cls=Option, section="Serving", is_flag=True,
              help="Show no words of the corpus, only numbers, labels and places.")  # fmt: skip
@telling
@click.pass_context
def serve(context: click.Context, /, **options: Any) -> None:
    """Show the report of a result folder in a browser, with every example, to this machine alone.

    The page is that of 'comparanda report', but it asks this program for examples, so it has all of them, however many
    there are. Nothing can be changed through it. Its address holds a token: who has it can read what is served.
    """
    from comparanda.cli.run import load
    from comparanda.page import Choices
    from comparanda.page.server import Routes
    from comparanda.show.console import progress

    folder = _existing(options["folder"])
    chosen = {name: options[name] for name in ("view", "title", "base", "new")}
    choices = Choices(**chosen, by=options["by"] or None, text=not options["no_text"], served=True)
    with _listening(options["port"]) as server:
        result = load(context, {**options, "key": folder, "systems": (), "output": None, "config": None})
        with progress(sys.stderr, quiet=options["quiet"]) as say:
            routes = Routes(result, choices, say)
        _serve(server, routes, options)


def _existing(folder: str) -> str:
    """Refuse what is no result folder before anything else is done."""
    from comparanda.saved import is_result_folder

    if not is_result_folder(folder):
        what = "this is no result folder" if os.path.exists(folder) else "no such folder"
        raise ReadError(what, where=folder, hint="comparanda compare KEY NAME=FILE… --save FOLDER writes one")
    return folder


def _listening(port: int | None) -> Server:
    """Take the port before the page is made, which may take a while."""
    from comparanda.page.server import Server

    if port is not None and port > _LAST_PORT:
        raise UsageError(f"--port takes a number from {_FIRST_PORT} to {_LAST_PORT}, not {port}")
    try:
        return Server(port or 0)
    except OSError as problem:
        what = f"port {port} cannot be used" if port else "no port can be used"
        hint = "choose another, or leave --port out for any that is free"
        raise UsageError(f"{what}: {problem.strerror or problem}", hint=hint if port else None) from None


def _serve(server: Server, routes: Routes, options: dict[str, Any]) -> None:
    """Say where the page is, and answer until somebody ends it: that is how it is meant to end, and no failure."""
    import webbrowser

    from comparanda.cli.output import tell

    told_before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        click.echo(server.address)
        if not options["quiet"]:
            tell(f"serving {options['folder']} to this machine alone; Ctrl-C ends it")
        if not options["no_open"]:  # in a thread, since a browser in the terminal returns only when it is left
            threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
        server.answer_by(routes.answer)
    except KeyboardInterrupt:
        if not options["quiet"]:
            tell("ended")
    finally:
        signal.signal(signal.SIGTERM, told_before)
