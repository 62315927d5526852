"""Extensions of click: options in sections, lazy commands, parsers of option values, error conversion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import click

from comparanda.errors import ComparandaError, UsageError, suggest_nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

Check = Callable[[click.Context, click.Parameter, Any], Any]

CONFIG = "comparanda.config"
"""The key under which `Context.meta` holds the path of the TOML file in use."""


_NUMBER_SETTING = re.compile(
    r"(?P<name>[^=\[\]]+)(?:\[(?P<label>.+)\])?=\s*(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
    re.DOTALL,
)


INPUT = "Input"
"""The section of options that say what is read and how: fixed in a result folder."""


class Option(click.Option):
    """An option with the section of the help in which it is listed."""

    def __init__(self, *arguments: Any, section: str = "Other", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.section = section


class Command(click.Command):
    """A command whose help lists options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options per section, in the order in which sections first occur."""
        sections: dict[str, list[tuple[str, str]]] = {}
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for option in sorted(options, key=lambda each: not isinstance(each, Option)):  # click's own --help last
            record = option.get_help_record(ctx)
            if record is not None:
                sections.setdefault(option.section if isinstance(option, Option) else "Other", []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class LazyCommands(MutableMapping[str, click.Command]):
    """A mapping of command names to commands that are imported on first access.

    Args:
        places: the definition of each command, as `module:attribute`.

    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(places)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module, _, attribute = self._places[name].partition(":")
            self._loaded[name] = getattr(import_module(module), attribute)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._places.setdefault(name, "")
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class ClosedPipe(Exception):
    """The reader of the output has closed the pipe. Click would exit with 1 if it saw the original error."""


class Group(click.Group):
    """A group with commands in the order of their definition, and suggestions for a wrong name."""

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Parse the arguments; this prints the help if requested."""
        try:
            return super().make_context(*arguments, **settings)
        except BrokenPipeError:
            raise ClosedPipe from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ClosedPipe from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their definition."""
        del ctx
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error for an unknown name suggests the nearest one."""
        name = args[0]
        if name in self.commands or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if ctx.parent is None and ("." in name or "/" in name or "=" in name):
            hint = "give a command: comparanda compare KEY NAME=FILE… --task TASK"
        else:
            hint = f"commands: {', '.join(self.commands)}"
        raise UsageError(f"unknown command {name!r}{suggest_nearest(name, self.commands)}", hint=hint)


def one_of(*allowed: str, fold: bool = False) -> Check:
    """Accept one of the allowed values; `fold` ignores case."""

    def check(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        value = value.lower() if fold and value is not None else value
        if value is not None and value not in allowed:
            listed = ", ".join(allowed[:-1]) + " or " + allowed[-1]
            raise make_option_error(
                context, parameter, f"expected {listed}, got {value!r}{suggest_nearest(value, allowed)}"
            )
        return value

    return check


def integer_from(least: int = 0) -> Check:
    """Accept an integer of at least `least`."""

    def check(context: click.Context, parameter: click.Parameter, value: str | int | None) -> int | None:
        if value is None or isinstance(value, int):
            return value
        digits = value.strip().removeprefix("+")
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18) or int(digits) < least:
            raise make_option_error(context, parameter, f"expected an integer of at least {least}, got {value!r}")
        return int(digits)

    return check


_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"\+?([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt]?)i?b?", re.IGNORECASE)


def parse_size(context: click.Context, parameter: click.Parameter, value: str | int | None) -> int | None:
    """Accept a number of bytes, such as 2G or 500M."""
    if value is None or isinstance(value, int):
        return value
    found = _SIZE.fullmatch(value.strip())
    if found is None or float(found[1]) <= 0:
        raise make_option_error(context, parameter, f"expected a number of bytes, such as 2G or 500M, got {value!r}")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def above_zero(context: click.Context, parameter: click.Parameter, value: str | float) -> float:
    """Accept a number above zero."""
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not (isfinite(number) and number > 0):
        raise make_option_error(context, parameter, f"expected a number above 0, got {value!r}")
    return number


def refuse_empty(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse an empty value, as from an unset shell variable."""
    if value is not None and not value.strip():
        raise make_option_error(context, parameter, "the value is empty")
    return value


def parse_names(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Split `a,b` into names and drop duplicates."""
    found = [name.strip() for text in value for name in text.split(",")]
    if not all(found):
        raise make_option_error(context, parameter, f"no name in {','.join(value)!r}")
    return tuple(dict.fromkeys(found))


def parse_numbers(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> dict[str, float | dict[str, float]]:
    """Parse `NAME=NUMBER` and `NAME[LABEL]=NUMBER`, each name and label once."""
    found: dict[str, float | dict[str, float]] = {}
    for text in value:
        match = _NUMBER_SETTING.fullmatch(text.strip())
        if match is None or not isfinite(float(match["number"])):
            raise make_option_error(context, parameter, f"expected NAME=NUMBER or NAME[LABEL]=NUMBER, got {text!r}")
        name, label, number = match["name"].strip(), match["label"], float(match["number"])
        known = found.get(name, {})
        if not isinstance(known, dict) or (name in found and label is None) or label in known:
            raise make_option_error(context, parameter, f"{text.rpartition('=')[0]!r} is given twice")
        found[name] = number if label is None else {**known, label: number}
    return found


def parse_settings(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Parse `NAME=VALUE`, each name once."""
    found: dict[str, str] = {}
    for text in value:
        name, equals, setting = (part.strip() for part in text.partition("="))
        if not name or not equals or not setting:
            raise make_option_error(context, parameter, f"expected NAME=VALUE, got {text!r}")
        if name in found:
            raise make_option_error(context, parameter, f"{name!r} is given twice")
        found[name] = setting
    return found


def whole_settings(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    """Parse `NAME=NUMBER`, each name once, with integers from 1 on."""
    given = parse_settings(context, parameter, value)
    check = integer_from(1)
    return {name: cast("int", check(context, parameter, number)) for name, number in given.items()}


def parse_fraction(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Accept a number from 0 to 1."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise make_option_error(context, parameter, f"expected a number from 0 to 1, got {value!r}")
    return number


def make_option_error(context: click.Context, parameter: click.Parameter, what: str) -> UsageError:
    """Make the error for an invalid option value; name the TOML file if the value comes from there."""
    option = max(parameter.opts, key=len)
    if parameter.name and context.get_parameter_source(parameter.name) == click.core.ParameterSource.DEFAULT_MAP:
        return UsageError(f"{option.lstrip('-')}: {what}", where=context.meta.get(CONFIG))
    return UsageError(f"{option}: {what}")


def is_given(context: click.Context, name: str) -> bool:
    """Return whether an option is given on the command line."""
    return context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE


def translate_error(problem: click.ClickException) -> ComparandaError:
    """Convert an error of click to one of this project, with the nearest match and a hint."""
    context = getattr(problem, "ctx", None)
    hint = f"see {context.command_path} --help" if context is not None else None
    if isinstance(problem, click.NoSuchOption):
        known = _option_names(context) if problem.option_name.startswith("--") else ()
        return UsageError(
            f"no such option {problem.option_name!r}{suggest_nearest(problem.option_name, known)}", hint=hint
        )
    message = problem.format_message().rstrip(".")
    return UsageError(message[:1].lower() + message[1:], hint=hint)


def _option_names(context: click.Context | None) -> Iterable[str]:
    if context is None:
        return ()
    return [option for parameter in context.command.get_params(context) for option in parameter.opts if len(option) > 2]
