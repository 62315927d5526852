"""`--texts tolerate`: texts that differ in a few characters are aligned, counted, and listed."""

from __future__ import annotations

import json
import random
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import comparanda as cp
from comparanda.align.edits import TOLERANCE, count_edited, find_edits
from tests.findings.populations import identity

SENTENCE = ["Anna", "left", "Berlin", "for", "Rome", "and", "met", "Bob", "in", "Paris", "."]
TAGS = ["B-PER", "O", "B-LOC", "O", "B-LOC", "O", "O", "B-PER", "O", "B-LOC", "O"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, words: list[str], tags: list[str]) -> str:
    Path(name).write_text("".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True)) + "\n")
    return name


def compared(words: list[str], tags: list[str], texts: str = "tolerate", task: str = "span") -> cp.Result:
    given: Any = {"resamples": 0, "texts": texts, "task": task}
    key = put("k.bio", SENTENCE, TAGS)
    return cp.compare(f"{key}::columns", {"x": f"{put('x.bio', words, tags)}::columns"}, **given)


def notes(result: cp.Result) -> list[str]:
    return [str(note) for note in result.verdicts.notes if note.side == "x" and "text" in note.what]


def changed(place: int, *words: str) -> list[str]:
    return [*SENTENCE[:place], *words, *SENTENCE[place + 1 :]]


def test_one_other_character_does_not_refuse_an_output() -> None:
    words = changed(2, "Berl1n")
    with pytest.raises(cp.AlignError, match=r"x\.bio:3: the text differs from the key's"):
        compared(words, TAGS, "exact")
    result = compared(words, TAGS)
    assert result.scores("f1").value("x") == 1.0
    assert notes(result) == [
        "x: characters that differ from the key's text (--texts tolerate): 1 (x.bio:3 'Berl1n' for 'Berlin')",
        "x: spans that begin or end in words whose text differs from the key's: 1 (x.bio:3)",
    ]
    assert result.verdicts.settings["texts"] == "tolerate"


@pytest.mark.parametrize(
    ("words", "tags", "right"),
    [
        (changed(10, "!"), TAGS, 5),
        (SENTENCE[:-1], TAGS[:-1], 5),
        ([*SENTENCE, "x"], [*TAGS, "O"], 5),
        (["x", *SENTENCE], ["O", *TAGS], 5),
        (changed(2, "Ber", "ln"), [*TAGS[:2], "B-LOC", "I-LOC", *TAGS[3:]], 5),
        (changed(2, "Berlinn"), TAGS, 5),
        (changed(2, "Berlin", "n"), [*TAGS[:2], "B-LOC", "O", *TAGS[3:]], 5),
        (changed(2, "erlin"), TAGS, 5),
    ],
)
def test_spans_keep_their_places(words: list[str], tags: list[str], right: int) -> None:
    result = compared(words, tags)
    assert result.scores("f1").value("x") == right / 5
    assert "characters that differ from the key's text (--texts tolerate)" in notes(result)[0]


def test_words_without_a_counterpart_are_counted() -> None:
    """An added word is a surplus word, one that is missing is an absent one: 10 of 11 words, of 10 or 11."""
    result = compared(SENTENCE[:-1], TAGS[:-1], task="tag:2")
    assert result.scores("accuracy").value("x") == 10 / 11
    result = compared([*SENTENCE[:5], "x", *SENTENCE[5:]], [*TAGS[:5], "O", *TAGS[5:]], task="tag:2")
    assert (result.scores("accuracy").value("x"), result.scores("precision").value("x")) == (1.0, 11 / 12)


def test_more_than_five_percent_are_refused() -> None:
    """Of 38 characters two may differ (5 %, rounded up), and not four."""
    size = len("".join(SENTENCE))
    assert (size, ceil(size * TOLERANCE)) == (38, 2)
    compared(changed(0, "Xnnb"), TAGS)
    with pytest.raises(cp.AlignError) as caught:
        compared(changed(0, "Xxxx"), TAGS)
    assert str(caught.value) == (
        "x.bio:1: the text differs from the key's (k.bio:1)\n"
        "  at the beginning: 'Anna left Berlin' in the key, 'Xxxx left Berlin' in the system output\n"
        "  both have the same number of rows: if the words differ only in spelling, add ?word=none to the path\n"
        "  more than 5% of the characters differ, too many for --texts tolerate\n"
        "  give files with the same text; only white space, tokenisation and sentence boundaries may differ"
    )


def test_equal_texts_are_aligned_as_ever() -> None:
    assert notes(compared(SENTENCE, TAGS)) == []


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(cp.UsageError, match="texts='tolerant' \\(did you mean 'tolerate'"):
        compared(SENTENCE, TAGS, "tolerant")


# Texts with offsets


def standoff(name: str, documents: dict[str, tuple[str, list[tuple[int, int, str]]]]) -> str:
    lines = [
        {"id": key, "text": text, "spans": [{"start": a, "end": b, "label": c} for a, b, c in spans]}
        for key, (text, spans) in documents.items()
    ]
    Path(name).write_text("".join(json.dumps(each) + "\n" for each in lines))
    return name


TEXT = "Anna left  Berlin for Rome\nand met Bob in Paris."
SPANS = [(0, 4, "PER"), (11, 17, "LOC"), (22, 26, "LOC"), (35, 38, "PER"), (42, 47, "LOC")]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Anna left Berl1n for Rome and met Bob in Paris.", [(0, 4), (10, 16), (21, 25), (34, 37), (41, 46)]),
        ("Anna left Berln for Rome and met Bob in Paris.", [(0, 4), (10, 15), (20, 24), (33, 36), (40, 45)]),
        ("Anna left Berlin, for Rome and met Bob in Paris", [(0, 4), (10, 16), (22, 26), (35, 38), (42, 47)]),
        ("* Anna left Berlin for Rome and met Bob in Paris.", [(2, 6), (12, 18), (23, 27), (36, 39), (43, 48)]),
    ],
)
def test_offsets_into_a_similar_text(text: str, spans: list[tuple[int, int]]) -> None:
    key = standoff("k.jsonl", {"d": (TEXT, SPANS), "e": ("Rome.", [(0, 4, "LOC")])})
    found = [(begin, end, label) for (begin, end), (_, _, label) in zip(spans, SPANS, strict=True)]
    output = standoff("o.jsonl", {"e": ("Rome.", [(0, 4, "LOC")]), "d": (text, found)})
    with pytest.raises(cp.AlignError):
        cp.compare(key, {"o": output}, task="span", resamples=0)
    result = cp.compare(key, {"o": output}, task="span", resamples=0, texts="tolerate")
    assert result.scores("f1").value("o") == 1.0


def test_spans_that_end_in_another_document_of_the_key_are_cut_and_noted() -> None:
    key = standoff("k.jsonl", {"d": ("Anna left.", [(0, 4, "PER")]), "e": ("Bob came.", [(0, 3, "PER")])})
    output = standoff("o.jsonl", {"x": ("Anna left. Bob came.", [(0, 4, "PER"), (11, 14, "PER"), (5, 14, "ORG")])})
    result = cp.compare(key, {"o": output}, task="span", resamples=0)
    assert (result.scores("recall").value("o"), result.scores("precision").value("o")) == (1.0, 2 / 3)
    assert "o: spans across documents of the key, cut at the end of the first: 1 (o.jsonl:1)" in map(
        str, result.verdicts.notes
    )


# Properties


def edited(chance: random.Random, text: str, share: float) -> str:
    letters = list(text)
    for _ in range(int(len(text) * share)):
        place = chance.randrange(len(letters))
        letters[place] = chance.choice(["", "x", letters[place] + "y"])
    return "".join(letters)


@identity(st.integers(0, 100_000))
def test_edits_turn_one_text_into_the_other(seed: int) -> None:
    chance = random.Random(seed)
    mine = "".join(chance.choice("abcde") for _ in range(chance.randint(1, 600)))
    theirs = edited(chance, mine, 0.04)
    found = find_edits(mine, theirs)
    if found is None:
        return
    rebuilt, place = "", 0
    for begin, end, other, until in found:
        rebuilt += mine[place:begin] + theirs[other:until]
        place = end
    assert rebuilt + mine[place:] == theirs
    assert count_edited(found) <= TOLERANCE * max(len(mine), len(theirs)) + 1


def test_long_texts_take_linear_time() -> None:
    chance = random.Random(1)
    text = "".join(chance.choice("abcdefgh") for _ in range(300_000))
    found = find_edits(text, edited(chance, text, 0.001))
    assert found is not None
    assert 200 <= count_edited(found) <= 330
    assert find_edits(text, text[::-1]) is None
