"""The options that commands share, and how they become the library's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("table", "md", "csv", "tsv", "latex", "jsonl", "json")

# Kept here, not imported: the help must not load NumPy. A test compares them with the library's.
_MISSING = ("error", "empty", "intersection")
_RESAMPLES = 10_000
_SEED = 13
_MAX_LINE = 16 << 20


def _chain(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


reading = _chain(
    click.option("--task", metavar="TASK", help="pos, tag, tag:COLUMN, or label."),
    click.option("--column", metavar="NAME", help="The column to judge: upos, xpos, feats, lemma, or a number."),
    click.option("--missing", type=click.Choice(_MISSING), default="error", show_default=True,
                 help="What to do about documents or ids that a response lacks."),
    click.option("--map", "maps", multiple=True, metavar="[WHO=]FILE",
                 help="A label map, two columns old and new; for WHO key or a system, else for all."),
    click.option("--fold-case", is_flag=True, help="Compare labels without regard to case."),
    click.option("--only-label", multiple=True, metavar="LABEL", help="Count sites with this key label alone."),
    click.option("--ignore-label", multiple=True, metavar="LABEL", help="Leave out sites with this key label."),
    click.option("--train", metavar="FILE", help="Words in this file are 'seen' (see --by seen)."),
    click.option("--where", metavar="CONDITION", help="Count only sites that fulfil a condition."),
    click.option("--strict", is_flag=True, help="Refuse input that gives anything to note."),
    click.option("--max-line", type=click.IntRange(1), default=_MAX_LINE, metavar="BYTES",
                 help="The longest line accepted.  [default: 16 MiB]"),
    click.option("--config", metavar="FILE", help="Settings in TOML; comparanda.toml here is read by itself."),
)  # fmt: skip

sampling = _chain(
    click.option("--seed", type=click.IntRange(0), default=_SEED, show_default=True, help="The seed of all draws."),
    click.option("--resamples", type=click.IntRange(0), default=_RESAMPLES, show_default=True,
                 help="Resamples for intervals and tests; 0 for none."),
    click.option("--zero-division", type=click.Choice(["0", "1"]), help="A value for undefined ratios."),
)  # fmt: skip

showing = _chain(
    click.option("--json", "as_json", is_flag=True, help="One JSON document with everything."),
    click.option("--format", "layout", type=click.Choice(FORMATS), default="table", show_default=True,
                 help="How to print."),
    click.option("--top", type=click.IntRange(0), help="Rows of long tables; 0 for all."),
    click.option("-q", "--quiet", is_flag=True, help="No notes and no progress."),
    click.option("--debug", is_flag=True, help="Show the traceback of an error."),
)  # fmt: skip

pairing = _chain(
    click.option("--base", metavar="NAME", help="The base of the pair shown in detail; the first by default."),
    click.option("--new", metavar="NAME", help="The new system of that pair; the best other one by default."),
)


def read_maps(written: tuple[str, ...], systems: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Read label maps given as FILE or WHO=FILE."""
    from comparanda.read.label_map import read_label_map

    maps: dict[str, dict[str, str]] = {}
    for text in written:
        who, equals, path = text.partition("=")
        if not equals or who not in {"all", "key", *systems}:
            who, path = "all", text
        maps.setdefault(who, {}).update(read_label_map(path))
    return maps
