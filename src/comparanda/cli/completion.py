"""What the shell can complete, without reading any input."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import click
    from click.shell_completion import CompletionItem

    Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave it to the shell to complete a file's name."""
    del context, parameter
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def one_of(*names: str) -> Complete:
    """Complete one of a few names."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        del context, parameter
        return [name for name in names if name.startswith(incomplete)]

    return complete


def registered(group: str) -> Complete:
    """Complete a name that packages register by entry point."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        from importlib.metadata import entry_points

        return one_of(*sorted(entry.name for entry in entry_points(group=group)))(context, parameter, incomplete)

    return complete


def outputs(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an output."""
    from comparanda.show.json import FINDINGS
    from comparanda.show.rules import OUTPUTS

    return one_of(*FINDINGS, *OUTPUTS)(context, parameter, incomplete)


def rule_sets(context: click.Context, parameter: click.Parameter, incomplete: str) -> Sequence[str | CompletionItem]:
    """Complete the name of a rule set, or of a file."""
    return registered("comparanda.rules")(context, parameter, incomplete) or files(context, parameter, incomplete)
