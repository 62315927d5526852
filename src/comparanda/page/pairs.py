"""The view of pairs: what one system fixes and breaks of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.page.data import Choice, TextPart, View
from comparanda.page.pairing import errors_of
from comparanda.page.parts import finding_parts, table_parts
from comparanda.show.cells import counted, visible

if TYPE_CHECKING:
    from comparanda.comparison.beliefs.pairs import ExpectedPairs
    from comparanda.comparison.complement.finding import Complementarity
    from comparanda.comparison.difference import Difference
    from comparanda.page.building import Choices
    from comparanda.page.data import Part
    from comparanda.page.lists import Lists
    from comparanda.page.pairing import Pair, Pairing
    from comparanda.result import Result


def pair_view(result: Result, choices: Choices, lists: Lists, pairing: Pairing | None) -> View | None:
    """Return the view, if there are two systems.

    The pair that is shown first has tests inside slices, which cost a resampling each; the others have none. A server
    makes every pair that is asked for, so nothing is left out then.
    """
    if pairing is None:
        return None
    expected, plain = _expected(result, choices), replace(result, resamples=0)
    made = []
    for pair in pairing.pairs:
        found = _difference(result if pair == pairing.usual else plain, choices, pair)
        made.append(_choice(lists, found, pairing.errors, expected))
    return View(
        name="pair",
        title="Pair",
        parts=(_left_out(pairing),) if pairing.left_out and not choices.served else (),
        choices=tuple(made),
        chosen=pairing.pairs.index(pairing.usual),
    )


def pair_choice(result: Result, choices: Choices, lists: Lists, base: str, new: str) -> Choice:
    """Return what is shown of one pair, which need not be among those of the page."""
    pair = result.pair(base, new, view=choices.view)
    errors = errors_of(result, choices, *pair)
    return _choice(lists, _difference(result, choices, pair), errors, _expected(result, choices))


def _left_out(pairing: Pairing) -> TextPart:
    """Say which pairs the page holds, and how to see the others."""
    base, new = pairing.usual
    said = (
        f"This page holds {len(pairing.pairs):,} of {counted(pairing.all, 'pair')}: each system with the first, with "
        f"the best, with {base} and {new}, and with its neighbours in rank. For all: comparanda report … --pairs all. "
        "For one of the others: --base NAME --new NAME."
    )
    return TextPart(name="left-out", title="Which pairs are here", lines=(visible(said),))


def _difference(result: Result, choices: Choices, pair: Pair) -> Difference:
    return result.difference(*pair, by=choices.by, view=choices.view)


def _expected(result: Result, choices: Choices) -> ExpectedPairs | None:
    """Return all pairs by expected counts; None without probabilities."""
    probable = result.verdicts.view(choices.view).candidates is not None
    return result.expected_pairs(view=choices.view) if probable else None


def _choice(lists: Lists, found: Difference, errors: Complementarity | None, expected: ExpectedPairs | None) -> Choice:
    """Return what is shown of a pair: its difference, whose errors are whose, and both by expected counts."""
    both = {found.base, found.new}
    parts: list[Part] = [] if found.different else [_no_difference(found)]
    parts += finding_parts(found, lists.number)
    if errors is not None:
        mine = tuple(each for each in errors.pairs if {each.first, each.second} == both)
        parts += table_parts(replace(errors, pairs=mine, diversity=None), lists.number)
    if expected is not None:
        ours = tuple(each for each in expected.pairs if {each.first, each.second} == both)
        parts += table_parts(replace(expected, pairs=ours), lists.number)
    title = visible(f"{found.base} → {found.new}")
    return Choice(title=title, base=found.base, new=found.new, parts=tuple(parts))


def _no_difference(found: Difference) -> TextPart:
    said = f"{found.base} and {found.new} say the same at all {counted(found.sites, 'site')}."
    if not found.sites:
        said = f"There is no site at which {found.base} and {found.new} could differ."
    return TextPart(name="no-difference", title="No difference", lines=(visible(said),))
