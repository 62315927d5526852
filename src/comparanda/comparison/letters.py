"""Letters that say which systems differ (compact letter display): two that share one do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from comparanda.comparison.significance import LEVEL

if TYPE_CHECKING:
    from comparanda.comparison.significance import PairTest

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def compact_letters(systems: Sequence[str], tests: Sequence[PairTest], level: float = LEVEL) -> dict[str, str]:
    """Give each system letters, so that two share one if and only if no test tells them apart.

    Each letter stands for systems among which no two differ. The first letter goes to the first system, so systems
    should come in the order of their scores. A pair that could not be tested is not told apart; where none could be,
    nobody gets a letter.

    >>> from comparanda.comparison.significance import PairTest
    >>> def test(base, new, p):
    ...     return PairTest(base, new, 0.1, None, None, p, p, "exact", None, None)
    >>> tests = [test("a", "b", 0.4), test("b", "c", 0.3), test("a", "c", 0.01)]
    >>> compact_letters(["a", "b", "c"], tests)
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    if not any(test.p_holm is not None for test in tests):
        return dict.fromkeys(systems, "")
    differ = {(test.base, test.new) for test in tests if test.p_holm is not None and test.p_holm < level}
    alike = [
        {place for place, other in enumerate(systems) if not differ & {(name, other), (other, name)}}
        for name in systems
    ]
    found: dict[str, str] = dict.fromkeys(systems, "")
    for number, group in enumerate(_groups(alike)):
        for place in sorted(group):
            found[systems[place]] += _letter(number)
    return found


def _groups(alike: Sequence[set[int]]) -> list[set[int]]:
    """Return groups of places that are all alike, so that any two that are alike are together in one.

    A pair that no group has yet begins a new one, into which all come that are alike to everybody in it, in order.
    """
    groups: list[set[int]] = []
    for first, others in enumerate(alike):
        for second in sorted(place for place in others if place >= first):
            if any({first, second} <= group for group in groups):
                continue
            group = {first, second}
            for place in range(len(alike)):
                if group <= alike[place]:
                    group.add(place)
            groups.append(group)
    return groups


def _letter(number: int) -> str:
    """Return a letter by its number; behind z they have numbers, so that `a1` is not taken for `a` and another.

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'a1')
    """
    again, place = divmod(number, len(_ALPHABET))
    return f"{_ALPHABET[place]}{again or ''}"
