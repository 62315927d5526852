"""The command line interface: command registry, entry point, error output and exit codes.

Exit codes: 0 success · 1 gate or validation failed · 2 usage · 3 input unreadable or not alignable · 4 internal ·
130 interrupted
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

import click

from comparanda.cli.parameters import ClosedPipe, Group, LazyCommands, translate_error
from comparanda.core.threads import ONE_THREAD
from comparanda.errors import ComparandaError
from comparanda.version import __version__

_COMMANDS = {
    "compare": "comparanda.cli.commands:compare",
    "score": "comparanda.cli.commands:score",
    "diff": "comparanda.cli.commands:diff",
    "complement": "comparanda.cli.finding_commands:complement",
    "combine": "comparanda.cli.combine_command:combine",
    "ablate": "comparanda.cli.finding_commands:ablate",
    "leaderboard": "comparanda.cli.leaderboard_command:leaderboard",
    "suspects": "comparanda.cli.finding_commands:suspects",
    "stability": "comparanda.cli.finding_commands:stability",
    "agree": "comparanda.cli.finding_commands:agree",
    "simulate": "comparanda.cli.feedback_commands:simulate",
    "ask": "comparanda.cli.feedback_commands:ask",
    "gate": "comparanda.cli.gate_command:gate",
    "report": "comparanda.cli.report_commands:report",
    "serve": "comparanda.cli.report_commands:serve",
    "examples": "comparanda.cli.commands:examples",
    "validate": "comparanda.cli.commands:validate",
    "convert": "comparanda.cli.commands:convert",
    "rules": "comparanda.cli.rule_commands:rules",
    "formats": "comparanda.cli.commands:formats",
    "schema": "comparanda.cli.commands:schema",
    "demo": "comparanda.cli.commands:demo",
}
"""The module and attribute of each command, in the order of the help; a command is imported when it is used."""

_FILE_ERROR = 3
_INTERNAL_ERROR = 4
_INTERRUPTED = 130


@click.group(
    cls=Group,
    commands=LazyCommands(_COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Inputs are written [NAME=]PATH[::FORMAT[?OPTION=VALUE]]; a path is a file, a folder, a pattern or '-'. "
    "Several runs of one system: NAME=PATH,PATH. Start with: comparanda demo",
)
@click.version_option(__version__, prog_name="comparanda")
def cli() -> None:
    """Compare NLP systems: what each one fixes and breaks, and whether the gap is real."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its exit code."""
    _prepare_streams()
    for name, value in ONE_THREAD.items():  # before NumPy is loaded
        os.environ.setdefault(name, value)
    given = sys.argv[1:] if arguments is None else arguments
    code = None
    try:
        code = cli.main(given or ["--help"], prog_name="comparanda", standalone_mode=False)
        sys.stdout.flush()
    except (BrokenPipeError, ClosedPipe):  # the reader (head, less) has closed the pipe: not an error
        _discard_output()
    except (click.Abort, KeyboardInterrupt):
        _exit_with_error("interrupted", _INTERRUPTED)
    except Exception as problem:
        if "--debug" in given and not isinstance(problem, click.ClickException):
            raise
        _exit_with_error(*_format_error(problem))
    sys.exit(code if isinstance(code, int) else 0)


def _format_error(problem: Exception) -> tuple[str, int]:
    """Convert an exception to an error message and an exit code."""
    if isinstance(problem, click.ClickException):
        problem = translate_error(problem)
    if isinstance(problem, ComparandaError):
        return str(problem), problem.exit_code
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename or 'output'}: {problem.strerror}", _FILE_ERROR
    if isinstance(problem, MemoryError):
        return "not enough memory", _INTERNAL_ERROR
    defect = "this is a bug in comparanda; run again with --debug and report the output"
    return f"internal error: {type(problem).__name__}: {problem}\n  {defect}", _INTERNAL_ERROR


def _exit_with_error(text: str, code: int) -> None:
    """Print an error message to standard error and exit."""
    from comparanda.render.table import make_visible

    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    with suppress(OSError):  # if standard error is closed, the exit code still reports the error
        click.echo("comparanda: " + "\n".join(make_visible(line) for line in text.split("\n")), err=True)
    sys.exit(code)


def _prepare_streams() -> None:
    """Redirect closed standard streams to the null device, and escape characters that a stream cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Discard what is left in the buffer of standard output: Python would report the broken pipe again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
