"""The views of outputs without a key: their agreement, and the values of each pair of outputs where they differ.

No output is right or wrong here. Documents and words are those of one output, the reference output, which
takes the place of the key in the result; conditions and examples call it the key.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from comparanda.errors import UsageError, suggest_nearest
from comparanda.expressions import quote_string
from comparanda.findings.context import divide_counts, is_value
from comparanda.findings.difference import label_columns
from comparanda.render.count_links import Link
from comparanda.render.table import Field, Linked, Table, format_count, make_visible
from comparanda.report.page_data import Choice, TextPart, View
from comparanda.report.parts import table_part, table_parts
from comparanda.report.views import MOST_PAIRS, how_made, list_notes

if TYPE_CHECKING:
    from comparanda.findings.agreement import Agreements
    from comparanda.report.builder import Choices
    from comparanda.report.lists import Lists
    from comparanda.report.page_data import Part
    from comparanda.result import Result

_OTHERS = "(others)"


@dataclass(frozen=True)
class KeylessViews:
    """Builds the views.

    Args:
        found: the agreement of the outputs.

    """

    found: Agreements

    def overview(self, result: Result, choices: Choices, lists: Lists) -> View:
        """Return the view of the agreement of all outputs."""
        reference = self.found.reference
        text = (
            f"Without a key, no output is right or wrong. Documents and words are those of {reference}; where an "
            f"example or a condition refers to “key”, it means {reference}. "
            "The view of pairs shows where two outputs differ."
        )
        parts: tuple[Part, ...] = (
            TextPart(name="no-key", title="Without a key", lines=(make_visible(text),)),
            *table_parts(self.found, lists.number),
            how_made(result, choices, reference),
            list_notes(result, choices),
        )
        return View(name="overview", title="Overview", parts=parts)

    def pairs(self, result: Result, choices: Choices, lists: Lists) -> View:
        """Return the view of pairs of outputs, with their values where they differ."""
        usual, every = self._requested_outputs(choices), list(combinations(self.found.outputs, 2))
        pairs = every
        if choices.pairs == "some" and len(every) > MOST_PAIRS:
            pairs = [pair for pair in every if self.found.reference in pair or usual == {*pair}]
        made = []
        for first, second in pairs:
            table = table_part(self._difference_table(result, first, second), lists.number)
            made.append(Choice(title=make_visible(f"{first} and {second}"), base=first, new=second, parts=(table,)))
        return View(
            name="pair",
            title="Pair",
            parts=() if pairs is every else (self._left_out_part(len(pairs), len(every)),),
            choices=tuple(made),
            chosen=next(place for place, pair in enumerate(pairs) if usual <= {*pair}),
        )

    def _left_out_part(self, held: int, every: int) -> TextPart:
        """Return a text with the pairs that the page contains, and the options for the others."""
        text = (
            f"This page contains {held:,} of {format_count(every, 'pair')}: each output with {self.found.reference}. "
            "For all: comparanda report --no-key … --pairs all. For one of the others: --base NAME --new NAME."
        )
        return TextPart(name="left-out", title="Pairs on this page", lines=(make_visible(text),))

    def _requested_outputs(self, choices: Choices) -> set[str]:
        """Return the outputs that the first pair must contain."""
        names, known = [name for name in (choices.base, choices.new) if name is not None], self.found.outputs
        for name in names:
            if name not in known:
                hint = f"outputs: {', '.join(known)}"
                raise UsageError(f"unknown output {name!r}{suggest_nearest(name, known)}", hint=hint)
        if len({*names}) < len(names):
            raise UsageError(f"the output {names[0]!r} is compared with itself")
        return {*names}

    def _difference_table(self, result: Result, first: str, second: str) -> Table:
        """Return the values of two outputs where they differ; one of them may be the reference output."""
        reference, view = self.found.reference, self.found.view
        if reference == first:
            return _difference_table(first, second, _differences_from_reference(result, view, second))
        if reference == second:
            return _difference_table(first, second, _differences_from_reference(result, view, first).swap())
        table = _difference_table(first, second, _differences_between(result, view, first, second))
        if result.verdicts.view(view).shared:
            return table
        return replace(table, notes=(*table.notes, f"sites are those of {reference} and these two together"))


@dataclass(frozen=True, slots=True)
class _Differences:
    """The values of two outputs where they differ.

    Args:
        sites: the number of sites of the two.
        all: the link to all sites at which they differ.
        rows: the value of the first, the value of the second, the number of sites, and the link to them.

    """

    sites: int
    all: Link
    rows: tuple[tuple[str, str, int, Link], ...]

    def swap(self) -> _Differences:
        return replace(self, rows=tuple((second, first, count, link) for first, second, count, link in self.rows))


def _differences_from_reference(result: Result, view: str, output: str) -> _Differences:
    """Return the values of an output where it differs from the reference output."""
    found = result.confusion(output, view=view)
    rows = tuple(
        (each.key or _OTHERS, each.predicted or _OTHERS, each.wrong, Link(each.where_wrong, view=view))
        for each in found.cells
        if each.wrong
    )
    where = f"among({quote_string(output)}) and not right({quote_string(output)})"
    return _Differences(found.sites, Link(where, view=view), rows)


def _differences_between(result: Result, view: str, first: str, second: str) -> _Differences:
    """Return the values of two outputs where they differ, whatever the value of the reference output."""
    found = replace(result, resamples=0).difference(first, second, by=(), view=view)
    counts: Counter[tuple[str, str]] = Counter()
    for each in found.classes:
        for kind in each.transitions:
            counts[kind.base, kind.new] += kind.count
    _, *columns = label_columns(result.context(view).sites)

    def link(*values: str) -> Link:
        return Link(" and ".join(["differs", *map(is_value, columns, values)]), first, second, view)

    rows = tuple((*values, count, link(*values)) for values, count in counts.items())
    return _Differences(found.sites, link(), rows)


def _difference_table(first: str, second: str, found: _Differences) -> Table:
    fields = (
        Field("first", first),
        Field("second", second),
        Field("count", "sites", "count"),
        Field("share", "% of differences", "share"),
    )
    different = sum(count for _, _, count, _ in found.rows)
    rows: list[tuple[Any, ...]] = [("(all)", "", Linked(different, found.all), divide_counts(different, different))]
    for one, other, count, link in sorted(found.rows, key=lambda row: (-row[2], *row[:2])):
        rows.append((one, other, Linked(count, link), Linked(divide_counts(count, different), link)))
    title = f"Where {first} and {second} differ: {different:,} of {format_count(found.sites, 'site')}"
    notes = [] if different else ["they are equal everywhere"]
    if any(one == other for one, other, _, _ in found.rows):
        notes.append("the same label on both sides: something else differs, such as the extent")
    return Table(name="differences", title=title, fields=fields, rows=tuple(rows), notes=tuple(notes))
