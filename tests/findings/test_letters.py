"""Letters of significance: two systems share one if and only if no test tells them apart."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from comparanda.findings.significance import PairTest, compact_letters


def paired(base: str, new: str, p: float | None) -> PairTest:
    return PairTest(
        base=base,
        new=new,
        difference=0.1,
        low=None,
        high=None,
        p=p,
        p_holm=p,
        method="exact",
        detectable=None,
        mcnemar=None,
    )


def split(letters: str) -> set[str]:
    """Take letters apart: behind z they have numbers."""
    found: list[str] = []
    for character in letters:
        if character.isdigit():
            found[-1] += character
        else:
            found.append(character)
    return {*found}


@st.composite
def boards(draw: st.DrawFn) -> tuple[list[str], list[PairTest]]:
    systems = [f"s{number}" for number in range(draw(st.integers(2, 9)))]
    pairs = list(combinations(systems, 2))
    found = st.tuples(st.booleans(), st.sampled_from([None, 0.001, 0.04, 0.2, 1.0]))
    drawn = draw(st.lists(found, min_size=len(pairs), max_size=len(pairs)))
    return systems, [
        paired(two, one, p) if turned else paired(one, two, p)
        for (one, two), (turned, p) in zip(pairs, drawn, strict=True)
    ]


@given(boards())
def test_two_share_a_letter_if_and_only_if_no_test_tells_them_apart(given_: tuple[list[str], list[PairTest]]) -> None:
    systems, tests = given_
    letters = compact_letters(systems, tests)
    if all(test.p_holm is None for test in tests):
        assert {*letters.values()} == {""}
        return
    for test in tests:
        share = bool(split(letters[test.base]) & split(letters[test.new]))
        assert share == (test.p_holm is None or test.p_holm >= 0.05)
    assert letters[systems[0]].startswith("a")
    assert all(letters.values())


def test_systems_in_a_row_need_few_letters() -> None:
    systems = ["a", "b", "c", "d"]
    tests = [paired(one, two, 0.01 if ord(two) - ord(one) > 1 else 0.9) for one, two in combinations(systems, 2)]
    assert compact_letters(systems, tests) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}


def test_all_alike_share_one_and_all_different_have_their_own() -> None:
    systems = [f"s{number:02}" for number in range(30)]
    pairs = list(combinations(systems, 2))
    assert {*compact_letters(systems, [paired(*pair, 0.5) for pair in pairs]).values()} == {"a"}
    apart = compact_letters(systems, [paired(*pair, 0.001) for pair in pairs])
    assert [*apart.values()] == [*"abcdefghijklmnopqrstuvwxyz", "a1", "b1", "c1", "d1"]


def test_the_level_is_that_of_the_board() -> None:
    tests = [paired("a", "b", 0.04)]
    assert compact_letters(["a", "b"], tests) == {"a": "a", "b": "b"}
    assert compact_letters(["a", "b"], tests, level=0.01) == {"a": "a", "b": "a"}


def test_one_system_alone_has_no_letter() -> None:
    assert compact_letters(["a"], []) == {"a": ""}
