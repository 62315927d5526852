"""The cases that fuzzing begins with, and what a few changes make of them, find nothing."""

from __future__ import annotations

from random import Random

import pytest
from fuzz.mutations import changed, crossed
from fuzz.target import SEPARATOR, case, taken_apart
from fuzz.targets import targets

QUICK = ("brat", "expressions", "jsonl", "result-folders", "rules", "settings", "side-files")


def tried(name: str, count: int) -> None:
    target = targets()[name]
    draw = Random(name)
    seeds = [each for each in target.seeds() if len(each) <= target.longest]
    for each in draw.sample(seeds, min(count, len(seeds))):
        target.run(each)
        target.run(changed(draw, each, target.words, target.longest))
        target.run(crossed(draw, each, draw.choice(seeds), target.longest))


@pytest.mark.parametrize("name", QUICK)
def test_some_cases_find_nothing(name: str) -> None:
    tried(name, 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(targets()))
def test_many_cases_find_nothing(name: str) -> None:
    tried(name, 20)


@pytest.mark.parametrize(("name", "found"), [("brat", case(3, b"\nT3\tENTITY 78 86\tStanford", b"\xef\xbb\xbf"))])
def test_what_was_found_once_is_not_found_again(name: str, found: bytes) -> None:
    targets()[name].run(found)


def test_a_case_is_a_choice_and_files() -> None:
    assert taken_apart(case(7, b"one", b"two")) == (7, [b"one", b"two"])
    assert taken_apart(b"") == (0, [b""])


@pytest.mark.parametrize("data", [b"", b"\1", case(3, b"", b""), case(0, b"a\tb 1\n{'x': [2]}\n", b"text")])
def test_changes_keep_files_apart_and_are_the_same_for_the_same_seed(data: bytes) -> None:
    for seed in range(300):
        found = changed(Random(seed), data, [b"word"], 5000)
        assert found == changed(Random(seed), data, [b"word"], 5000)
        assert len(found) <= 5000
        assert found.count(SEPARATOR) <= data.count(SEPARATOR)


def test_crossing_puts_lines_of_one_file_into_the_same_of_another() -> None:
    one, other = case(1, b"a\nb", b"x"), case(2, b"c", b"y")
    found = {crossed(Random(seed), one, other, 100) for seed in range(40)}
    assert case(1, b"c\na\nb", b"x") in found
    assert case(1, b"a\nb", b"y") in found
    assert all(each[0] == 1 for each in found)
