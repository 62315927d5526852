"""The inputs of a command: names of the key and the systems, from the command line or the TOML file."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comparanda.cli.config import inputs_of
from comparanda.errors import UsageError, suggest_nearest
from comparanda.formats.contract import CERTAIN
from comparanda.formats.files import STDIN
from comparanda.formats.inputs import Input, Runs, each_input, outputs_of, parse_runs
from comparanda.formats.mappings import read_label_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import click


def key_of(context: click.Context, options: Mapping[str, Any]) -> str:
    """Return the key argument as given on the command line or in the TOML file."""
    key = options["key"] if options["key"] is not None else inputs_of(context).key
    if not key or not key.strip():
        raise UsageError("no key given", hint=f"{_usage_hint(context)} (or key and [systems] in a TOML file)")
    return key


def has_systems(context: click.Context, options: Mapping[str, Any]) -> bool:
    """Return whether any system is given on the command line or in the TOML file."""
    return bool(_parse_systems(context, options))


def parse_inputs(context: click.Context, options: Mapping[str, Any]) -> tuple[Input, dict[str, Input | Runs]]:
    """Parse the key and the systems; refuse duplicate names and the key as a system."""
    key = Input.parse(key_of(context, options))
    systems = name_systems(_parse_systems(context, options))
    for given in each_input(systems.values()):
        written = {option: value for option, value in given.options.items() if value != CERTAIN}
        if replace(given, options=written).same_as(key):
            raise UsageError(f"the key is also given as a system: {given.path!r}")
    if not systems:
        raise UsageError("no system given", hint=_usage_hint(context))
    _refuse_repeated_stdin([key, *each_input(systems.values())])
    return key, systems


def parse_outputs(context: click.Context, options: Mapping[str, Any]) -> dict[str, Input | Runs]:
    """Parse outputs that are compared with each other, without a key."""
    outputs = name_systems(_parse_systems(context, options))
    if not outputs:
        raise UsageError("no output given", hint=f"{context.command_path} NAME=FILE NAME=FILE…")
    _refuse_repeated_stdin(each_input(outputs.values()))
    return outputs


def _refuse_repeated_stdin(given: Iterable[Input]) -> None:
    if sum(each.path == STDIN for each in given) > 1:
        raise UsageError("standard input can be read only once, but '-' is given twice")


def name_systems(given: Iterable[Input | Runs]) -> dict[str, Input | Runs]:
    """Map names to systems; refuse duplicate names."""
    systems: dict[str, Input | Runs] = {}
    for system in given:
        first = outputs_of(system)[0]
        name = _system_name(first)
        if name == "key":
            hint = f"the key comes first; if this is a system, name it: NAME={first.path}"
            raise UsageError("a system cannot be named 'key'", hint=hint)
        if name in systems:
            raise _duplicate_name_error(name, outputs_of(systems[name])[0], first)
        systems[name] = system
    return systems


def _duplicate_name_error(name: str, first: Input, second: Input) -> UsageError:
    what = f"two systems are named {name!r}: {first.path!r} and {second.path!r}"
    return UsageError(what, hint=f"rename them: {name}-1={first.path} {name}-2={second.path}")


def other_keys(options: Mapping[str, Any]) -> dict[str, Input]:
    """Parse the keys of further annotators (`--also-key`)."""
    keys: dict[str, Input] = {}
    for given in map(Input.parse, options["also_key"]):
        name = _system_name(given)
        if name in {"key", *keys}:
            raise UsageError(f"two keys are named {name!r}", hint="write --also-key NAME=FILE")
        keys[name] = given
    return keys


def _usage_hint(context: click.Context) -> str:
    return f"{context.command_path} KEY NAME=FILE…"


def _parse_systems(context: click.Context, options: Mapping[str, Any]) -> list[Input | Runs]:
    regular = regular_output(options)
    if options["systems"]:
        return [*(parse_runs(written) for written in options["systems"]), *regular]
    found: list[Input | Runs] = []
    for name, files in inputs_of(context).systems.items():
        runs = [replace(Input.parse(file), name=name) for file in files]
        found.append(runs[0] if len(runs) == 1 else Runs(*runs))
    return [*found, *regular] if found else found


def regular_output(options: Mapping[str, Any]) -> list[Input]:
    """Parse `--regular`, an output without probabilities that is scored in addition; empty if not given."""
    written = options.get("regular")
    if written is None:
        return []
    if options["task"] != "prob":
        raise UsageError("--regular is the output without probabilities", hint="--task prob")
    given = Input.parse(written)
    return [replace(given, name=given.name or "regular", options={**given.options, "score": CERTAIN})]


def _system_name(given: Input) -> str:
    """Return the name of a system; bytes of a file name that are not UTF-8 are escaped."""
    if given.name is not None and not given.name.strip():
        raise UsageError(f"the name before {'=' + given.path!r} is empty", hint="write NAME=FILE, or FILE alone")
    return given.display_name.encode("utf-8", "backslashreplace").decode()


def read_maps(written: Iterable[str], systems: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Read the label maps given as `FILE` or `WHO=FILE`."""
    maps: dict[str, dict[str, str]] = {}
    for text in written:
        who, equals, path = text.partition("=")
        if not equals or os.path.exists(text):
            who, path = "all", text
        elif who == "all" and "all" in systems:
            raise UsageError(
                "--map all=… is ambiguous: it may mean the system 'all' or all sides", hint="rename the system"
            )
        elif who not in {"all", "key", *systems}:
            known = ["key", *systems]
            raise UsageError(
                f"label map for an unknown side: {who!r}{suggest_nearest(who, known)}",
                hint=f"write WHO=FILE, where WHO is {', '.join(known)} or all",
            )
        maps.setdefault(who, {}).update(read_label_map(path))
    return maps
