"""The command `complement`: which errors of one system another does not make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.options import (
    KEY,
    SYSTEMS,
    baseline,
    beta,
    pairing,
    reading,
    sampling,
    showing,
    spreading,
    view,
    where,
)
from comparanda.cli.parsing import Command, is_given
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command(
    cls=Command,
    short_help="Which errors of a system another does not make.",
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
    """Print which share of each system's errors every other does not make, and what both would score together.

    With --base and --new, one pair, by labels too; with --baseline, one row for every other system.
    """
    from comparanda.cli.output import publish
    from comparanda.cli.run import load

    _check(context, options)
    result = load(context, options)
    if options["baseline"] is not None:
        publish(context, result, [result.against(options["baseline"], view=options["view"])], options)
        return
    chosen = options["base"] is not None or options["new"] is not None
    pair = result.pair(options["base"], options["new"], view=options["view"]) if chosen else ()
    found = result.complementarity(*pair, beta=options["beta"], view=options["view"])
    publish(context, result, [found], options)


def _check(context: click.Context, options: Mapping[str, Any]) -> None:
    """Refuse what says nothing about rows against a baseline."""
    for name in ("base", "new", "beta") if options["baseline"] is not None else ():
        if is_given(context, name):
            raise UsageError(f"--baseline and --{name} do not go together", hint="--baseline shows every other system")
