"""The command line: thin commands over the library, one error paragraph, the exit codes of the project.

0 done · 1 gate or validation failed · 2 usage · 3 input unreadable or not alignable · 4 internal · 130 interrupted
"""

from __future__ import annotations

import os
import sys

import click

from comparanda.cli.commands import commands
from comparanda.errors import ComparandaError
from comparanda.version import __version__

_INTERNAL = 4
_INTERRUPTED = 130


@click.group(
    commands=commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Inputs are written [NAME=]PATH[::FORMAT[?OPTION=VALUE]]; 'comparanda formats' lists the formats.",
)
@click.version_option(__version__, prog_name="comparanda")
def cli() -> None:
    """Compare NLP systems: what each one fixes and breaks, and whether the gap is real."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    try:
        code = cli.main(arguments, prog_name="comparanda", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has gone: that is no error. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except ComparandaError as problem:
        if debug:
            raise
        click.echo(f"comparanda: {_printable(str(problem))}", err=True)
        sys.exit(problem.exit_code)
    except Exception as problem:
        if debug:
            raise
        click.echo(f"comparanda: internal error: {type(problem).__name__}: {_printable(str(problem))}", err=True)
        click.echo("  this is a defect of comparanda; run again with --debug and report what it prints", err=True)
        sys.exit(_INTERNAL)
    sys.exit(code if isinstance(code, int) else 0)


def _printable(text: str) -> str:
    from comparanda.show.cells import visible

    return "\n".join(visible(line) for line in text.split("\n"))
