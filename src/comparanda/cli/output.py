"""Output: results to standard output or, atomically, to a file; messages to standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.parameters import CONFIG, is_given
from comparanda.errors import ComparandaError, UsageError
from comparanda.render.console import as_text, show
from comparanda.render.table import make_visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from comparanda.core.places import Note
    from comparanda.render.finding import Finding
    from comparanda.result import Result

_SHOWN_NOTES = 8
_STDOUT = "-"
_BY_SUFFIX = {".json": "json", ".jsonl": "jsonl", ".md": "md", ".csv": "csv", ".tsv": "tsv", ".tex": "latex"}
_SINGLE_TABLE_LAYOUTS = ("csv", "tsv", "jsonl")


class OutputError(ComparandaError):
    """A result cannot be written."""

    exit_code = 3


def write_findings(
    context: click.Context,
    result: Result,
    findings: Sequence[Finding],
    options: Mapping[str, Any],
    *,
    cite: bool = False,
) -> None:
    """Write findings in the requested layout, to standard output or to a file."""
    layout = layout_of(context, options)
    target = options.get("output")
    top = options["top"]
    cited = _citation(result, layout) if cite else ""
    if layout == "table" and target in {None, _STDOUT}:
        for finding in findings:
            show(finding, sys.stdout, top=top)
        sys.stdout.write(cited)
    else:
        text = (
            "\n\n".join(_render_finding(layout, result, finding, top).rstrip("\n") for finding in findings)
            + "\n"
            + cited
        )
        write(target, text)
        _report_target(target, options)
    if cite and not cited:
        from comparanda.render.markup import write_citation

        click.echo(write_citation(result.signature), err=True)
    if layout in _SINGLE_TABLE_LAYOUTS and not options["quiet"] and findings[0].exceeds_main_table():
        first = findings[0].main_table().name
        print_message(f"note: {layout} contains only the table {first!r}; md, latex and json contain all tables")


def layout_of(context: click.Context, options: Mapping[str, Any]) -> str:
    """Return the requested layout, or the one of the output file's suffix; refuse one that cannot hold the findings."""
    layout = _requested_layout(context, options)
    count = len(options["by"]) * max(1, len(options["measures"])) if context.command.name == "score" else 1
    if count > 1 and layout in {*_SINGLE_TABLE_LAYOUTS, "json"}:
        raise UsageError(
            f"{layout} can contain only one finding, and --by requests {count}",
            hint="give one attribute, or use 'comparanda compare --json', which contains all",
        )
    return layout


def _requested_layout(context: click.Context, options: Mapping[str, Any]) -> str:
    layout: str = options["layout"]
    chosen = is_given(context, "layout")
    if options["as_json"]:
        if chosen and layout != "json":
            raise UsageError(f"--json and --format {layout} cannot be combined")
        return "json"
    suffix = os.path.splitext(options.get("output") or "")[1].lower()
    return layout if chosen else _BY_SUFFIX.get(suffix, layout)


def _render_finding(layout: str, result: Result, finding: Finding, top: int | None) -> str:
    from comparanda.render.json import build_document
    from comparanda.render.markup import as_delimited, as_json_lines, as_latex, as_markdown

    short, full = top, (top or 0)
    writers: dict[str, Callable[[], str]] = {
        "table": lambda: as_text(finding, short),
        "json": lambda: build_document(finding, result.signature, tuple(map(str, result.notes))),
        "md": lambda: as_markdown(finding, short),
        "latex": lambda: as_latex(finding, short),
        "csv": lambda: as_delimited(finding, ",", full),
        "tsv": lambda: as_delimited(finding, "\t", full),
        "jsonl": lambda: as_json_lines(finding, full),
    }
    return writers[layout]()


def _citation(result: Result, layout: str) -> str:
    """Return the citation text if the layout can hold prose, in LaTeX as a comment; empty otherwise."""
    from comparanda.render.markup import write_citation

    text = write_citation(result.signature)
    if layout == "latex":
        text = "\n".join(f"% {line}".rstrip() for line in text.split("\n"))
    return f"\n{visible_lines(text)}\n" if layout in {"table", "md", "latex"} else ""


def write(target: str | None, written: str | bytes) -> None:
    """Write text to standard output, or text or bytes to a file, atomically."""
    if target in {None, _STDOUT} and isinstance(written, str):
        sys.stdout.write(written)
        return
    data = written.encode() if isinstance(written, str) else written
    path = os.path.realpath(str(target))
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe; opening a folder fails here
            with open(path, "wb") as stream:
                stream.write(data)
        else:
            _write_atomically(path, data)
    except OSError as problem:
        raise OutputError(f"cannot be written: {problem.strerror or problem}", where=str(target)) from None


def _write_atomically(path: str, data: bytes) -> None:
    """Write to a temporary file in the same folder and rename it, so that no partial file is ever visible."""
    import tempfile

    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)[:64]}-", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _report_target(target: str | None, options: Mapping[str, Any]) -> None:
    if target not in {None, _STDOUT} and not options["quiet"]:
        print_message(f"wrote {target}")


def print_message(text: str) -> None:
    """Print a message to standard error."""
    click.echo(visible_lines(text), err=True)


def print_settings_note(context: click.Context, options: Mapping[str, Any]) -> None:
    """Print a note if settings come from a configuration file that was not named on the command line."""
    if CONFIG in context.meta and options["config"] is None and not options["quiet"]:
        print_message(f"note: settings read from {context.meta[CONFIG]}")


def visible_lines(text: str) -> str:
    """Escape control characters except line ends."""
    return "\n".join(make_visible(line) for line in text.split("\n"))


def print_notes(notes: Sequence[Note], options: Mapping[str, Any]) -> None:
    """Print the notes on the input: the first few, or all with `--verbose`."""
    if options["quiet"]:
        return
    shown = notes if options["verbose"] else notes[:_SHOWN_NOTES]
    for note in shown:
        print_message(f"note: {make_visible(str(note))}")
    if len(notes) > len(shown):
        print_message(f"note: … {len(notes) - len(shown)} more (-v shows all)")
