"""The patterns of `matches` agree with `re`, and no text makes them slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from comparanda.expressions.functions import (
    LONGEST,
    MOST_MOVES,
    MOST_STATES,
    PatternError,
    compile_pattern,
    pattern_problem,
)
from tests.seeds import draws

ATOMS = ["a", "b", "é", ".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[ab]", "[^a]", "[a-c1-3]", r"[\d_-]", r"[^\W1]"]
ATOMS += [r"\.", r"\|", "[]a]", "[.]", "]", "}", r"\n", r"[\]b]"]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "{0}", "{2,3}"]

plain = st.sampled_from(ATOMS)
simple = plain | st.sampled_from(["^", r"\Z", r"\b"])
flat = st.lists(simple, max_size=3).map("".join)
group = st.lists(flat, min_size=1, max_size=3).map(lambda options: f"({'|'.join(options)})")
quantified = st.tuples(plain | group, st.sampled_from(QUANTIFIERS)).map("".join)
sequence = st.lists(simple | group | quantified, max_size=5).map("".join)
loose_group = st.lists(sequence, min_size=1, max_size=2).map(lambda options: f"(?:{'|'.join(options)})")
alternatives = st.lists(st.lists(simple | quantified | loose_group, max_size=4).map("".join), min_size=1, max_size=3)
patterns = alternatives.map("|".join).filter(lambda pattern: len(pattern) <= LONGEST)
subjects = st.text(st.sampled_from("abcé1.|_-] \n\\"), max_size=8) | st.text(max_size=5)


@settings(max_examples=draws(1000), deadline=None)
@given(patterns, st.lists(subjects, min_size=1, max_size=5))
def test_patterns_find_what_re_finds(pattern: str, texts: list[str]) -> None:
    problem = pattern_problem(pattern.replace(r"\Z", "$")) or ""
    assume("nothing to repeat" not in problem)  # "(^)*", which re allows
    assume("too many" not in problem)
    automaton = compile_pattern(pattern.replace(r"\Z", "$"))
    found = [automaton.found_in(text) for text in texts]
    assert found == [re.search(pattern, text) is not None for text in texts]


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("a", ["a", "cab"], ["", "b"]),
        ("^a", ["ab"], ["ba", ""]),
        ("a$", ["ba"], ["ab", "a\n"]),
        ("^$", [""], ["a", "\n"]),
        ("^a|b$", ["ac", "cb"], ["cac", "bc"]),
        ("^(a|b)$", ["a", "b"], ["ab", ""]),
        ("^[^a-c]+$", ["xyz"], ["xaz", ""]),
        (r"^\d{4}-\d{2}$", ["2024-05"], ["2024-5", "12024-05"]),
        ("^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
        ("^a{2,}$", ["aa", "aaaaa"], ["a"]),
        ("^a{0}b$", ["b"], ["ab"]),
        (r"\bart\b", ["art", "the art of"], ["party", "arts"]),
        (r"^\w+$", ["größe", "日本"], ["a b", ""]),
        (r"[\-\]]", ["-", "]"], ["a"]),
        ("[a-]", ["-", "a"], ["b"]),
        ("", ["", "a"], []),
        ("a||b", ["", "c"], []),
    ],
)
def test_what_patterns_mean(pattern: str, yes: list[str], no: list[str]) -> None:
    automaton = compile_pattern(pattern)
    assert [text for text in yes if not automaton.found_in(text)] == []
    assert [text for text in no if automaton.found_in(text)] == []


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a+)+", "'+' repeats a group that contains a quantifier"),
        ("(a|b?)*", "'*' repeats a group that contains a quantifier"),
        ("((a{2})){3}", "'{3}' repeats a group that contains a quantifier"),
        ("a**", "a second quantifier after '*'"),
        ("a+?", "a second quantifier after '+'"),
        (r"(a)\1", r"back-references, '\1', are not supported"),
        (r"(?P<x>a)(?P=x)", "look-around, named groups and flags, '(?…', are not supported"),
        ("(?i)a", "look-around, named groups and flags, '(?…', are not supported"),
        ("(?=a)", "look-around, named groups and flags, '(?…', are not supported"),
        ("(?<!a)", "look-around, named groups and flags, '(?…', are not supported"),
        (r"\Aa", r"the escape '\A' is not supported"),
        ("[a", "a '[' is not closed"),
        ("[", "a '[' is not closed"),
        ("[]", "a '[' is not closed"),
        ("(a", "a '(' is not closed"),
        ("a)", r"unmatched ')'; write '\)' for the character"),
        ("a\\", "incomplete escape at the end of the pattern"),
        ("[a\\", "incomplete escape at the end of the pattern"),
        ("*a", "nothing to repeat before '*'"),
        ("(+)", "nothing to repeat before '+'"),
        ("^*", "nothing to repeat before '*'"),
        (r"\b+", "nothing to repeat before '+'"),
        ("a{x}", r"'{' does not begin a repetition here; write '\{' for the character"),
        ("a{3,2}", "the bounds of '{3,2}' are in the wrong order"),
        ("a{101}", "'{101}' repeats more than 100 times"),
        ("(abc){100}(abc){100}(abc){100}(abc){100}", "too many repetitions; use smaller numbers in {}"),
        ("[z-a]", "a range in [] must go from a lower to a higher character"),
        (r"[\d-z]", "a range in [] must go from a lower to a higher character"),
        ("a" * 201, "the pattern has 201 characters; at most 200 are allowed"),
        ("(" * 21, "groups are nested more than 20 levels deep"),
    ],
)
def test_patterns_outside_the_subset_are_refused(pattern: str, problem: str) -> None:
    assert pattern_problem(pattern) == problem


@settings(max_examples=draws(500), deadline=None)
@given(st.text(max_size=20) | st.text(st.sampled_from("ab()[]{}|*+?^$\\.-,123dwb:"), max_size=20), subjects)
def test_any_pattern_works_or_is_a_pattern_error(pattern: str, text: str) -> None:
    try:
        automaton = compile_pattern(pattern)
    except PatternError:
        return
    found = automaton.found_in(text)
    if not set("[\\") & set(pattern):
        assert found == (re.search(pattern.replace("$", r"\Z"), text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a|a)" * 39 + "b",
        "a?" * 60 + "a" * 60 + "b",
        ".*" * 90 + "x",
        r"\w*\d*\w*\d*\w*\d*!",
        "(a|b|ab)*c",
        "^(a|aa)+$",
    ],
)
def test_hostile_texts_take_time_by_their_length_only(pattern: str) -> None:
    """A search that backtracked would not come back before the end of the day."""
    assert not compile_pattern(pattern).found_in("a" * 20_000 + "-")


def test_what_is_remembered_is_bounded() -> None:
    automaton = compile_pattern("(a|b)*a(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)c")
    number = 1
    for _ in range(200):
        number = number * 6364136223846793005 % 2**64
        automaton.found_in("".join("ab"[number >> bit & 1] for bit in range(64)) * 8)
    assert len(automaton._nodes) <= MOST_MOVES + 1
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 2 * MOST_MOVES))) + "a" * 15 + "c"
    assert automaton.found_in(text)
    assert automaton._moves <= MOST_MOVES
    assert len(automaton._states) <= MOST_STATES
