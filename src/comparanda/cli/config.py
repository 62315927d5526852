"""Configuration files in TOML (`comparanda.toml`); options on the command line take precedence.

A setting has the name of its option. There are also `key`, a table `[systems]` of names and files (or lists of
files for systems with several runs), and a table `[maps]` of label maps. Relative paths are resolved against the
folder of the configuration file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from comparanda.cli.parameters import CONFIG
from comparanda.core.remote import is_url
from comparanda.errors import ReadError, UsageError, suggest_nearest

DEFAULT = "comparanda.toml"
_TABLES = ("systems", "maps")
_PATH_SETTINGS = ("train", "save", "output", "junit", "markdown", "baseline_file")
_NOT_SETTINGS = ("config", "help", "debug", "version")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The key and the systems in a configuration file, each system with the files of its runs."""

    key: str | None = None
    systems: Mapping[str, Sequence[str]] = field(default_factory=dict)


def use_config(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Use the settings of a configuration file as the defaults of a command."""
    del parameter
    path = value if value is not None else DEFAULT if os.path.isfile(DEFAULT) else None
    if path is None or context.resilient_parsing:
        return value
    settings = _load_settings(path)
    known = _known_settings(context)
    for name in settings:
        if name.replace("_", "-") not in known:
            raise UsageError(f"unknown setting {name!r}{suggest_nearest(name, known)}", where=path)
    folder = os.path.dirname(path)
    context.meta[CONFIG] = path
    context.obj = Inputs(
        _resolve_path(folder, settings["key"]) if "key" in settings else None,
        {
            name: [_resolve_path(folder, file) for file in ([files] if isinstance(files, str) else files)]
            for name, files in settings.get("systems", {}).items()
        },
    )
    context.default_map = _build_defaults(context, path, folder, settings)
    return value


def inputs_of(context: click.Context) -> Inputs:
    """Return the key and the systems of the configuration file in use; empty if there is none."""
    return context.obj if isinstance(context.obj, Inputs) else Inputs()


def _known_settings(context: click.Context) -> dict[str, click.Parameter]:
    """Collect the settings of all commands, so that one file can serve all of them."""
    group = context.find_root().command
    commands = group.commands.values() if isinstance(group, click.Group) else [context.command]
    found: dict[str, click.Parameter] = {}
    for command in commands:
        for each in command.commands.values() if isinstance(command, click.Group) else [command]:
            found |= _settings_of_command(each)
    return found | dict.fromkeys(("key", *_TABLES), context.command.params[0])


def _settings_of_command(command: click.Command) -> dict[str, click.Parameter]:
    names = {max(each.opts, key=len).lstrip("-"): each for each in command.params if isinstance(each, click.Option)}
    return {name: each for name, each in names.items() if name not in _NOT_SETTINGS}


def _build_defaults(context: click.Context, path: str, folder: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the settings that this command has to values of its options."""
    mine = _settings_of_command(context.command)
    defaults: dict[str, Any] = {}
    for name, value in settings.items():
        option = name.replace("_", "-")
        if option not in mine:
            continue
        defaults[str(mine[option].name)] = _parse_value(
            path, folder=folder, name=option, option=mine[option], value=value
        )
    if "format" in mine and defaults.pop("as_json", False):
        defaults["layout"] = "json"
    if "maps" in settings and "maps" in {parameter.name for parameter in mine.values()}:
        table = [f"{who}={_resolve_path(folder, file)}" for who, file in settings["maps"].items()]
        defaults["maps"] = [*table, *defaults.get("maps", [])]
    return defaults


def _parse_value(path: str, folder: str, name: str, option: click.Parameter, *, value: Any) -> Any:
    if isinstance(option, click.Option) and option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{name}: expected true or false, got {value!r}", where=path)
        return value
    several = isinstance(option, click.Option) and option.multiple
    given = value if several and isinstance(value, list) else [value]
    if not all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in given):
        raise UsageError(
            f"{name}: expected {'strings' if several else 'a string or a number'}, got {value!r}", where=path
        )
    texts = [str(each) for each in given]
    if option.name in _PATH_SETTINGS or (name == "rules" and _is_rule_file(texts[0])):
        texts = [_resolve_path(folder, text) for text in texts]
    elif name == "map":
        texts = [_resolve_map(folder, text) for text in texts]
    return texts if several else texts[0]


def _is_rule_file(rules: str) -> bool:
    """Return whether rules are given as a file, not as the name of a rule set."""
    return rules.endswith(".toml") or "/" in rules or os.sep in rules


def _resolve_map(folder: str, text: str) -> str:
    who, equals, file = text.partition("=")
    if not equals or os.path.exists(os.path.join(folder, text)):
        return _resolve_path(folder, text)
    return f"{who}={_resolve_path(folder, file)}"


def _resolve_path(folder: str, path: str) -> str:
    """Resolve a relative path against the folder of the configuration file."""
    own = not folder or path == "-" or not path.strip() or is_url(path)
    return path if own else os.path.join(folder, path)


def _names_files(table: str, value: Any) -> bool:
    """Return whether a value is a file, or a list of files of the runs of a system."""
    if isinstance(value, list) and table == "systems":
        return bool(value) and all(isinstance(each, str) for each in value)
    return isinstance(value, str)


def _load_settings(path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as stream:
            settings = tomllib.load(stream)
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror}", where=path) from None
    except (
        ValueError,
        RecursionError,
    ) as problem:  # invalid TOML or UTF-8, a number of thousands of digits, or too deep
        raise ReadError(f"invalid TOML: {problem}", where=path) from None
    for name in _TABLES:
        table = settings.get(name, {})
        if not isinstance(table, dict) or not all(_names_files(name, value) for value in table.values()):
            raise UsageError(f"[{name}] must be a table of names and files", where=path)
    if not isinstance(settings.get("key", ""), str):
        raise UsageError("key must be a file", where=path)
    return settings
