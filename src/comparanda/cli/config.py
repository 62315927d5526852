"""`comparanda.toml`: long set-ups in a file; what stands on the command line wins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from comparanda.errors import ReadError, UsageError, nearest

DEFAULT = "comparanda.toml"
_TABLES = ("systems", "maps")


def with_config(context: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Complete the options of a command by those of the file it names, or of `comparanda.toml` beside it."""
    path = options.get("config")
    if path is None and not Path(DEFAULT).exists():
        return options
    settings = _load(path or DEFAULT)
    merged = dict(options)
    known = {"key", "systems", "maps", *(name.replace("_", "-") for name in options), *options, "format", "map"}
    for name, value in settings.items():
        if name not in known:
            raise UsageError(f"{path or DEFAULT}: no setting is called {name!r}{nearest(name, known)}")
        option = {"format": "layout", "json": "as_json"}.get(name, name.replace("-", "_"))
        if option in {"systems", "key"} and (options.get("key") or options.get("systems")):
            continue
        if option == "systems":
            merged["systems"] = tuple(f"{system}={file}" for system, file in value.items())
        elif option == "maps":
            merged["maps"] = (*(f"{who}={file}" for who, file in value.items()), *options.get("maps", ()))
        elif context.get_parameter_source(option) in {None, click.core.ParameterSource.DEFAULT} or option == "key":
            merged[option] = tuple(value) if isinstance(value, list) else value
    return merged


def _load(path: str) -> dict[str, Any]:
    try:
        with Path(path).open("rb") as stream:
            settings = tomllib.load(stream)
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror}", where=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ReadError(f"no valid TOML: {problem}", where=path) from None
    for name in _TABLES:
        table = settings.get(name, {})
        if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
            raise UsageError(f"{path}: [{name}] must be a table of names and files")
    return settings
