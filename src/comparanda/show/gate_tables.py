"""The verdict of a gate as tables: the checks, the scores before and after, what changed, and the new errors."""

from __future__ import annotations

from dataclasses import replace

from comparanda.comparison.gating.finding import Check, Gate
from comparanda.show.cells import cell, counted
from comparanda.show.example_tables import example_tables
from comparanda.show.links import Link
from comparanda.show.table import Field, Linked, Table


def gate_tables(finding: Gate) -> tuple[Table, ...]:
    """Return the checks first, then scores and changes, and the new errors behind a fold."""
    scores = (_score_table(finding),) if finding.scores else ()
    changes = (_change_table(finding),) if finding.changes else ()
    broken = [replace(example_tables(each)[0], folded=True) for each in finding.examples]
    titled = [replace(table, title=f"New errors: {table.title}") for table in broken]
    return (_check_table(finding), *scores, *changes, *titled)


def verdict(finding: Gate) -> str:
    """Say in one line whether the gate holds.

    >>> from comparanda.gates import gate
    >>> verdict(gate(["A", "B"], ["A", "A"], ["A", "B"], task="tag", max_new_errors=0, resamples=0))
    'Gate passed: 1 check holds (base → new)'
    """
    pair = f"({finding.base} → {finding.new})"
    if finding.passed:
        return f"Gate passed: {counted(len(finding.checks), 'check holds', 'checks hold')} {pair}"
    failed, made = len(finding.failed), counted(len(finding.checks), "check")
    return f"Gate failed: {failed} of {made} {'does' if failed == 1 else 'do'} not hold {pair}"


def written(check: Check, value: float | None) -> str:
    """Write a limit, or what was measured, in the unit of its check."""
    if value is None:
        return "n/a"
    if check.unit == "share":
        return f"{cell('share', value)} %"
    if check.unit == "p":
        return cell("p", value)
    return cell("count", value) if float(value).is_integer() else f"{value:,.2f}"


def outcome(check: Check) -> str:
    """Say whether a check holds, fails, or cannot be decided, which is a failure too."""
    return "holds" if check.passed else "fails" if check.decided else "fails (undecided)"


def _check_table(finding: Gate) -> Table:
    fields = (
        Field("check", "check"),
        Field("asked", "asked"),
        Field("measured", "measured"),
        Field("limit", "limit"),
        Field("verdict", "verdict"),
        Field("reason", "numbers"),
    )
    rows = tuple(
        (each.name, each.asked, written(each, each.measured), written(each, each.limit), outcome(each), each.reason)
        for each in finding.checks
    )
    notes = [f"beware: {warning}" for warning in finding.warnings]
    if finding.by_default:
        notes.insert(0, "no criterion was given: the gate fails if the new system is significantly worse")
    return Table("gate", verdict(finding), fields, rows, tuple(notes))


def _score_table(finding: Gate) -> Table:
    fields = (
        Field("measure", "measure"),
        Field("base", finding.base, "share"),
        Field("new", finding.new, "share"),
        Field("difference", "Δ", "points"),
    )
    rows = tuple((each.measure, each.base, each.new, each.difference) for each in finding.scores)
    notes = dict.fromkeys(f"{each.measure} is undefined: {each.reason}" for each in finding.scores if each.reason)
    return Table("gate-scores", "Scores, before and after", fields, rows, tuple(notes))


def _change_table(finding: Gate) -> Table:
    fields = (
        Field("class", "class"),
        Field("count", "count", "count"),
        Field("share_of_sites", "% of sites", "share"),
    )
    rows = tuple(
        (each.name.replace("_", " "), Linked(each.count, link), Linked(each.share_of_sites, link))
        for each in finding.changes
        for link in [Link(each.where, finding.base, finding.new, finding.view)]
    )
    pairs = f" in {counted(finding.run_pairs, 'pair')} of runs" if finding.run_pairs > 1 else ""
    notes = (f"of {counted(finding.sites or 0, 'site')}{pairs}; new errors over all sites = negative flip rate",)
    return Table("gate-changes", f"What {finding.new} changes", fields, rows, notes)
