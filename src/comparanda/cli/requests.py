"""Work shared by commands: load or compute results, save them, check files, list formats and schemas."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comparanda.api.comparison import compare, compare_keys
from comparanda.cli.input_names import has_systems, key_of, other_keys, parse_inputs, read_maps
from comparanda.cli.output import (
    OutputError,
    layout_of,
    print_message,
    print_notes,
    print_settings_note,
    visible_lines,
    write_findings,
)
from comparanda.cli.parameters import INPUT, Option, is_given
from comparanda.errors import InputError, UsageError, suggest_nearest
from comparanda.expressions import find_names
from comparanda.expressions.names import ITEM_NAMES, PAIR_ITEM_NAMES, SITE_NAMES, pair_names
from comparanda.formats.inputs import Input, each_input, find_formats
from comparanda.pipeline import Setup, columns_of, read_key, read_response, refuse_notes
from comparanda.render.console import show_progress
from comparanda.result import Result
from comparanda.storage.manifest import is_ours, is_result_folder
from comparanda.tasks.task import find_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.findings.anatomy import Keys
    from comparanda.formats.contract import Format

_SETUP_OPTIONS = (
    "task",
    "column",
    "missing",
    "texts",
    "fold_case",
    "only_label",
    "ignore_label",
    "train",
    "punctuation",
    "labels",
    "conll18",
    "rules",
    "parameters",
    "paranoid",
    "scheme",
    "repair",
    "same_ids",
    "singletons",
    "repeated",
    "matching",
    "nouns",
    "across",
    "beliefs",
    "decide",
    "min_weight",
    "strict",
    "max_line",
    "limits",
)


def load(context: click.Context, options: Mapping[str, Any], *, narrow: bool = True) -> Result:
    """Load the result of a command from files or a result folder, and apply `--where` if `narrow`."""
    print_settings_note(context, options)
    if "layout" in options:
        layout_of(context, options)  # refuse an impossible layout before reading any input
    key = key_of(context, options)
    saved = is_result_folder(key)
    if saved and options["systems"]:
        if is_ours(Path(key)):
            raise UsageError(f"{key!r} is a result folder, which contains its systems", hint="give only the folder")
        saved = False
    result = _open_folder(context, key, options) if saved else _compare_files(context, options)
    if options["where"] and narrow:
        result = result.where(options["where"], view=options["view"])
    view = result.verdicts.view(options["view"])
    if not len(view.sites) and view.given_items is None and not view.statistics:
        raise UsageError("no sites left to count", hint="check --only-label and --ignore-label")
    print_notes(result.notes, options)
    return result


def _compare_files(context: click.Context, options: Mapping[str, Any]) -> Result:
    key, systems = parse_inputs(context, options)
    protect_inputs(options, [given.path for given in (key, *each_input(systems.values()))])
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        result = compare(key, systems, progress=progress, **settings_of(options, systems), **_scale_settings(options))
    check_labels(result, options)
    return result


def _scale_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a comparison in parts, with the folder to which parts are written as they finish."""
    found = {name: options.get(name) for name in ("workers", "memory", "scheduler")}
    return {**found, "folder": options["save"] if _is_written_in_parts(options) else None}


def _is_written_in_parts(options: Mapping[str, Any]) -> bool:
    """Return whether a comparison is written part by part; not with `--where`, which needs the whole result."""
    asked = any(options.get(name) is not None for name in ("workers", "memory", "scheduler"))
    return asked and options.get("save") is not None and not options["where"]


def against_keys(context: click.Context, options: Mapping[str, Any]) -> Keys:
    """Score the systems against the key, the other keys, and the majority of all keys."""
    for name, flag in (("where", "--where"), ("by", "--by"), ("measures", "--measure")):
        if options[name]:
            raise UsageError(f"--also-key and {flag} cannot be combined")
    key, systems = parse_inputs(context, options)
    keys = {"key": key, **other_keys(options)}
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        return compare_keys(keys, systems, view=options["view"], progress=progress, **settings_of(options, systems))


def settings_of(options: Mapping[str, Any], systems: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the options of a command to settings of the library."""
    if not options["task"]:
        raise UsageError(
            "missing option --task", hint="add --task pos, --task tag --column xpos, --task dep, --task label …"
        )
    return {
        **{name: options[name] for name in _SETUP_OPTIONS},
        **_resampling_settings(options),
        "maps": read_maps(options["maps"], systems),
        "attributes": sorted(_requested_attributes(options)),
    }


def _resampling_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    forced = options.get("zero_division")
    return {
        "resamples": options.get("resamples", 0),
        "seed": options.get("seed", 0),
        "zero_division": None if forced is None else float(forced),
    }


def _requested_attributes(options: Mapping[str, Any]) -> set[str]:
    """Return the attributes named in slices and conditions, so that the readers fetch their columns."""
    return {*options.get("by", ()), *find_names(options["where"] or "true")}


def protect_inputs(options: Mapping[str, Any], given: list[str], option: str = "output") -> None:
    """Refuse to write a result over one of its inputs, or into a folder that is an input."""
    if options[option] is None:
        return
    target = os.path.realpath(options[option])
    for path in map(os.path.realpath, given):
        if target == path or (os.path.isdir(path) and target.startswith(path + os.sep)):
            raise UsageError(f"--{option} would overwrite an input: {options[option]!r}", hint="choose another file")


def check_labels(result: Result, options: Mapping[str, Any]) -> None:
    """Report labels of `--ignore-label` that do not occur; those of `--only-label` are errors."""
    view = result.verdicts.view(options["view"])
    sites = view.all_sites
    labels = set(sites.labels.names if sites.parts is None else chain(*sites.parts))
    if view.given_items is not None:
        labels |= set(view.given_items.names)
    for label in options["only_label"]:
        if label not in labels:
            raise UsageError(f"--only-label: the label {label!r} does not occur{suggest_nearest(label, labels)}")
    for label in options["ignore_label"]:
        if label not in labels and not options["quiet"]:
            print_message(f"note: --ignore-label: the label {label!r} does not occur{suggest_nearest(label, labels)}")


def _open_folder(context: click.Context, folder: str, options: Mapping[str, Any]) -> Result:
    """Open a result folder; its reading options are fixed, its resampling options may change."""
    from comparanda.storage.reader import open_result

    for parameter in context.command.params:
        settled = isinstance(parameter, Option) and parameter.section == INPUT and parameter.name != "config"
        if settled and is_given(context, str(parameter.name)):
            option = max(parameter.opts, key=len)
            raise UsageError(f"{option} is fixed in the result folder {folder!r}", hint="compare the files again")
    protect_inputs(options, [folder])
    result = open_result(folder)
    sites = result.verdicts.view(options["view"]).sites
    known = {*sites.attributes, *SITE_NAMES, *pair_names(sites), *ITEM_NAMES, *PAIR_ITEM_NAMES}
    for name in sorted(_requested_attributes(options) - known):
        hint = "to include a column, compare the files with --by NAME and save again"
        raise UsageError(f"the result folder has no attribute {name!r}{suggest_nearest(name, known)}", hint=hint)
    default = click.core.ParameterSource.DEFAULT
    drawn = {
        name: value
        for name, value in _resampling_settings(options).items()
        if context.get_parameter_source(name) != default
    }
    return replace(result, **drawn)


def save(result: Result, options: Mapping[str, Any]) -> None:
    """Write the result folder of `--save`, if given, and report it."""
    folder = options["save"]
    if folder is None:
        return
    try:
        if not (_is_written_in_parts(options) and is_result_folder(folder)):
            result.save(folder)
    except OSError as problem:
        raise OutputError(f"cannot be written: {problem.strerror or problem}", where=folder) from None
    if not options["quiet"]:
        print_message(f"wrote {folder} (open it: comparanda compare {folder})")


def check(context: click.Context, options: Mapping[str, Any]) -> int:
    """Check each system against the key separately, so that one bad file does not hide the next."""
    from comparanda.tasks.label_maps import system_of_runs

    print_settings_note(context, options)
    if not has_systems(context, options):
        return _check_single_file(context, options)
    key, systems = parse_inputs(context, options)
    settings = settings_of(options, systems)
    bad: list[str] = []
    columns, outputs = columns_of(systems)
    for (name, given), owner in zip(outputs, system_of_runs(columns), strict=True):
        own = {"all": "all", "key": "key", owner: name}
        maps = {own[who]: table for who, table in settings["maps"].items() if who in own}
        try:
            result = compare(key, {name: given}, **{**settings, "maps": maps})
        except InputError as problem:
            if str(problem) not in bad:  # report defects of the key once
                click.echo(visible_lines(str(problem)))
            bad.append(str(problem))
            continue
        for note in () if options["quiet"] else result.notes:
            click.echo(f"note: {visible_lines(str(note))}")
        sites = len(result.verdicts.view().all_sites)
        click.echo(f"{visible_lines(name)}: can be aligned with the key, {sites:,} site{'' if sites == 1 else 's'}")
    if bad:
        what = "systems" if len(outputs) == len(systems) else "runs"
        click.echo(f"{len(bad)} of {len(outputs)} {what} cannot be compared")
    return 1 if bad else 0


def _check_single_file(context: click.Context, options: Mapping[str, Any]) -> int:
    """Check whether one file can be read."""
    from comparanda.tasks.offset_checks import note_own_offsets

    given = Input.parse(key_of(context, options))
    settings = settings_of(options, {})
    setup = Setup(**{name: settings[name] for name in (*_SETUP_OPTIONS, "maps", "attributes")})
    layer = find_task(setup.task)[0].layer
    try:
        probable = layer == "beliefs"  # keys have no probabilities, and this checks what the file holds
        corpus = read_response(given, given.display_name, setup) if probable else read_key(given, setup)
        notes = [*corpus.notes, *note_own_offsets(corpus)]
        refuse_notes(setup, notes)
    except InputError as problem:
        click.echo(visible_lines(str(problem)))
        return 1
    for note in () if options["quiet"] else notes:
        click.echo(f"note: {visible_lines(str(note))}")
    counts = {"document": len(corpus.documents), "row" if corpus.by_id else "word": len(corpus)}
    if corpus.quotes is not None:
        counts["quoted item"] = len(corpus.quotes)
    elif corpus.beliefs is not None:
        counts |= {"tuple": len(corpus.beliefs), "block": len(corpus.beliefs.nothing)}
    elif corpus.spans is not None:
        counts["mention" if layer == "chains" else "span"] = len(corpus.spans)
    listed = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
    click.echo(f"{visible_lines(given.display_name)}: can be read as {corpus.format}, {listed}")
    return 0


def print_formats(name: str | None) -> None:
    """Print all formats, or one format with its options."""
    from comparanda.formats.document_writer import find_writers

    known = find_formats()
    if name is not None and name not in known:
        raise UsageError(f"unknown format {name!r}{suggest_nearest(name, known)}", hint=f"formats: {', '.join(known)}")
    width, content_width = max(map(len, known)), max(len(_list_content(each)) for each in known.values())
    for each in known.values() if name is None else [known[name]]:
        written = "read, written" if each.name in find_writers() else "read"
        click.echo(f"{each.name:<{width}}  {_list_content(each):<{content_width}}  {written:<13}  {each.summary}")
        if name is not None:
            for option, meaning in each.options.items():
                click.echo(f"  ?{option}=  {meaning}")


def _list_content(each: Format) -> str:
    """List what a format can hold: rows, tokens, trees, spans, chains, probabilities."""
    parts = {
        "rows": "rows" in each.shapes,
        "tokens": "tokens" in each.shapes and "values" in each.layers,
        "trees": "arcs" in each.layers,
        "spans": "spans" in each.layers,
        "chains": "chains" in each.layers,
        "probable spans": "beliefs" in each.layers,
    }
    return ", ".join(name for name, present in parts.items() if present)


def print_schema(kind: str | None) -> None:
    """Print the JSON Schema of one kind of output, or the names of all kinds."""
    import msgspec

    from comparanda.render.json import finding_names, schema
    from comparanda.render.rule_text import OUTPUTS, rules_schema

    kinds = [*finding_names(), *OUTPUTS]
    if kind is None:
        click.echo("\n".join(kinds))
        return
    if kind not in kinds:
        raise UsageError(f"unknown output {kind!r}{suggest_nearest(kind, kinds)}", hint=", ".join(kinds))
    found = schema(kind) if kind in finding_names() else rules_schema(kind)
    click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())


def copy_to(folder: str) -> None:
    """Write the demo's files to a folder."""
    from comparanda.demo import copy_demo

    try:
        count = copy_demo(folder)
    except OSError as problem:
        raise OutputError(f"cannot be written: {problem.strerror or problem}", where=folder) from None
    click.echo(f"wrote {count} files to {visible_lines(folder)}")


def run_demo(context: click.Context, options: Mapping[str, Any]) -> None:
    """Compare the systems of the packaged demo corpus."""
    from comparanda.demo import demo_files

    key, systems = demo_files(options["task"])
    result = compare(key, systems, task=options["task"], attributes=options["by"], **_resampling_settings(options))
    if options["verbose"]:
        print_notes(result.notes, options)
    chosen = {name: options[name] for name in ("base", "new")} | {"by": options["by"] or None}
    write_findings(context, result, [result.anatomy(**chosen)], options)
    if options["report"] is not None:
        from comparanda.cli.report_commands import write_page
        from comparanda.report import Choices, build_page

        write_page(build_page(result, Choices(**chosen)), options["report"], quiet=options["quiet"])
        if not options["quiet"]:
            print_message(f"open it in a browser: {Path(options['report']).resolve().as_uri()}")
