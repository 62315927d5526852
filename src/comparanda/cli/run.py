"""What the commands do with their options: load, print, check."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.config import with_config
from comparanda.cli.options import read_maps
from comparanda.errors import ComparandaError, UsageError, nearest
from comparanda.expressions import names_used
from comparanda.read.inputs import Input, formats
from comparanda.result import Result, compare
from comparanda.show.console import console_for, show
from comparanda.show.documents import as_delimited, as_json_lines, as_markdown
from comparanda.show.json import FINDINGS, document, schema
from comparanda.show.latex import as_latex
from comparanda.show.tables import TOP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from comparanda.compare.finding import Finding

_NOTES = 8


def load(context: click.Context, given: dict[str, Any]) -> Result:
    """Make the result that a command is about, from files or from a result folder."""
    from comparanda.saved import is_result_folder, open_result

    options = with_config(context, given)
    given.update(options)
    if options.get("key") and not options["systems"] and is_result_folder(options["key"]):
        result = open_result(options["key"])
        result = result.where(options["where"]) if options["where"] else result
    else:
        key, systems = _inputs(options)
        with _progress(options) as tell:
            result = compare(key, systems, where=options["where"], progress=tell, **_settings(options, systems))
    if not options["quiet"]:
        print_notes(result)
    return result


def _settings(options: dict[str, Any], systems: dict[str, Input]) -> dict[str, Any]:
    if not options["task"]:
        raise UsageError("which task?", hint="--task pos, --task tag --column xpos, --task label …")
    forced = options.get("zero_division")
    asked = {*options.get("by", ()), *names_used(options.get("attributes_of") or "true")}
    return {
        "task": options["task"],
        "column": options["column"],
        "missing": options["missing"],
        "maps": read_maps(options["maps"], systems),
        "fold_case": options["fold_case"],
        "only_label": options["only_label"],
        "ignore_label": options["ignore_label"],
        "train": options["train"],
        "attributes": sorted(asked),
        "strict": options["strict"],
        "max_line": options["max_line"],
        "resamples": options.get("resamples", 0),
        "seed": options.get("seed", 0),
        "zero_division": None if forced is None else float(forced),
    }


def _inputs(options: dict[str, Any]) -> tuple[Input, dict[str, Input]]:
    """Name the inputs, and refuse two systems of one name and the key given as a system."""
    if not options["key"]:
        raise UsageError(
            "no key is given", hint="comparanda compare KEY NAME=FILE… (or key and [systems] in a TOML file)"
        )
    key = Input.parse(options["key"])
    systems: dict[str, Input] = {}
    for written in options["systems"]:
        system = Input.parse(written)
        name = system.display_name
        if (system.path, system.format, system.options) == (key.path, key.format, key.options):
            raise UsageError(f"the key is given as a system too: {written!r}")
        if name in systems:
            raise UsageError(
                f"two systems are called {name!r}: {systems[name].path!r} and {system.path!r}",
                hint=f"name them: {name}-1={systems[name].path} {name}-2={system.path}",
            )
        systems[name] = system
    if not systems:
        raise UsageError("no system is given", hint="comparanda compare KEY NAME=FILE…")
    return key, systems


@contextmanager
def _progress(options: dict[str, Any]) -> Iterator[Callable[[str], None] | None]:
    """Show on a terminal what is being done."""
    if options.get("quiet") or not sys.stderr.isatty():
        yield None
        return
    with console_for(sys.stderr).status("starting") as status:
        yield status.update


def print_notes(result: Result) -> None:
    """Print what was met while reading, on standard error."""
    for note in result.notes[:_NOTES]:
        click.echo(f"note: {note}", err=True)
    if len(result.notes) > _NOTES:
        click.echo(f"note: … {len(result.notes) - _NOTES} more (all of them stand in --json)", err=True)


def print_finding(result: Result, finding: Finding, options: dict[str, Any]) -> None:
    """Print a finding in the layout asked for."""
    layout = "json" if options["as_json"] else options["layout"]
    top = options["top"]
    if layout == "table":
        show(finding, sys.stdout, top=TOP if top is None else top)
        return
    short, full = (TOP if top is None else top), (top or 0)
    writers: dict[str, Callable[[], str]] = {
        "json": lambda: document(finding, result.signature, tuple(map(str, result.notes))),
        "md": lambda: as_markdown(finding, short),
        "latex": lambda: as_latex(finding, short),
        "csv": lambda: as_delimited(finding, ",", full),
        "tsv": lambda: as_delimited(finding, "\t", full),
        "jsonl": lambda: as_json_lines(finding, full),
    }
    sys.stdout.write(writers[layout]().rstrip("\n") + "\n")


def announce_saved(options: dict[str, Any]) -> None:
    """Say where the result folder is."""
    if not options["quiet"]:
        click.echo(f"wrote {options['save']} (read it back: comparanda compare {options['save']})", err=True)


def cite(result: Result) -> None:
    """Print how to describe and cite what was done."""
    from comparanda.show.citation import citation

    sys.stdout.write("\n" + citation(result.signature) + "\n")


def check(context: click.Context, given: dict[str, Any]) -> int:
    """Check each system against the key by itself, so that one bad file does not hide the next."""
    options = with_config(context, given)
    key, systems = _inputs(options)
    settings = _settings({**options, "resamples": 0}, systems)
    bad = 0
    for name, system in systems.items():
        try:
            result = compare(key, {name: system}, where=options["where"], **settings)
        except ComparandaError as problem:
            bad += 1
            click.echo(str(problem))
            continue
        for note in result.notes:
            click.echo(f"note: {note}")
        click.echo(f"{name}: fits the key, {len(result.verdicts.view().all_sites):,} sites")
    if bad:
        click.echo(f"{bad} of {len(systems)} systems cannot be compared")
    return 1 if bad else 0


def print_formats(name: str | None) -> None:
    """Print all formats, or the options of one."""
    known = formats()
    if name is not None and name not in known:
        raise UsageError(f"no format is called {name!r}{nearest(name, known)}", hint=f"formats: {', '.join(known)}")
    for each in known.values() if name is None else [known[name]]:
        shapes = " and ".join(sorted(each.shapes))
        click.echo(f"{each.name:<9} {shapes:<15} {each.summary}")
        if name is not None:
            for option, meaning in each.options.items():
                click.echo(f"  ?{option}=  {meaning}")


def print_schema(kind: str | None) -> None:
    """Print the JSON Schema of one kind of output, or the kinds."""
    import msgspec

    if kind is None:
        click.echo("\n".join(FINDINGS))
        return
    if kind not in FINDINGS:
        raise UsageError(f"no output is called {kind!r}{nearest(kind, FINDINGS)}", hint=", ".join(FINDINGS))
    click.echo(msgspec.json.format(msgspec.json.encode(schema(kind)), indent=2).decode())


def run_demo(options: dict[str, Any]) -> None:
    """Run the main job on the packed corpus."""
    from comparanda.demo import copy_demo, demo_files

    if options["copy"]:
        click.echo(f"wrote {copy_demo(options['copy'])} files to {options['copy']}")
        return
    key, systems = demo_files()

    result = compare(
        key, systems, task="pos", resamples=options["resamples"], seed=options["seed"], attributes=["genre"]
    )
    print_finding(result, result.anatomy(options["base"], options["new"]), options)
