"""What the page on WNUT-17 says in words is what its tables say, which `test_docs` makes anew."""

from __future__ import annotations

import re
from pathlib import Path

from tests.shared_data import shared

PAGE = (Path(__file__).parents[2] / "docs" / "wnut17.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def row(begin: str, number: int = 1) -> list[float]:
    """Return the numbers of the first line that begins so, or of a later one."""
    lines = [line for line in PAGE.splitlines() if line.startswith(begin)]
    bare = re.sub(r"\[[^]]*\]", "", lines[number - 1].removeprefix(begin))
    return [float(each.replace(",", "")) for each in NUMBER.findall(bare)]


def test_how_much_more_is_held_for_possible() -> None:
    times = [whole / hard for whole, hard in zip(row("e100 "), row("recall "), strict=True)]
    assert "6 to 12 times as high as recall" in PAGE
    assert (round(min(times)), round(max(times))) == (6, 12)
    listed = row("    0 ")[1::2]
    assert "between 5 and 9 for each entity" in PAGE
    assert all(5 < each < 9 for each in listed)


def test_who_is_better_by_what() -> None:
    (_, shape, token), (_, shape_expected, token_expected) = row("f1 "), row("expected_f1 ")
    assert shape > token
    assert shape_expected < token_expected
    assert row("brier ")[1] > row("brier ")[2]
    assert row("ece ")[1] > row("ece ")[2]


def test_what_they_claim() -> None:
    claims = PAGE[PAGE.index("Scores claimed by the system without the key") :]
    times = []
    for name in ("full", "shape", "token"):
        numbers = NUMBER.findall(next(line for line in claims.splitlines() if line.startswith(f"{name} ")))
        times.append(float(numbers[4]) / float(numbers[5]))
    assert "3 to 4 times the F1" in PAGE
    assert (round(min(times)), round(max(times))) == (3, 4)


def test_how_large_the_data_are() -> None:
    key = shared("data/ner/wnut17/gold/emerging.test.annotated").read_text()
    messages = [block for block in re.split(r"\n\s*\n", key) if block.strip()]
    entities = key.count("\tB-")
    assert f"{len(messages):,} messages with {entities:,} entities" in PAGE.replace("\n", " ")


def test_how_much_text_is_repeated() -> None:
    share, tuples, *_, largest = row("repeated text: ")
    assert "a third of the tuples, and the five most frequent texts are no more than 4 %" in PAGE
    assert (round(share / 100 * 3), round(largest)) == (1, 4)
    assert tuples == row("full     all tuples ")[0]
