"""Files of ids that mean the same: one name for each entity, whatever the order of lines."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.errors import ReadError, UsageError
from comparanda.formats.mappings import read_same_ids
from tests.seeds import seeds


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "same.tsv"


def read(file: Path, text: str) -> dict[str, str]:
    file.write_text(text, encoding="utf-8")
    return read_same_ids(str(file))


def refused(file: Path, text: str) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read(file, text)
    return caught.value


def test_of_the_ids_of_a_line_the_first_in_alphabetical_order_stands_for_all(file: Path) -> None:
    assert read(file, "Q7 Q3 Q5\n") == {"Q3": "Q3", "Q5": "Q3", "Q7": "Q3"}


def test_lines_that_share_an_id_are_chained(file: Path) -> None:
    assert read(file, "a b\nb c\nx y\n") == {"a": "a", "b": "a", "c": "a", "x": "x", "y": "x"}


def test_chains_may_be_closed_late(file: Path) -> None:
    assert set(read(file, "a b\nc d\ne f\nd e\nf b\n").values()) == {"a"}


def test_with_tabs_ids_may_have_spaces(file: Path) -> None:
    assert read(file, "New York\tQ60\n") == {"New York": "New York", "Q60": "New York"}


def test_spaces_around_ids_are_none_of_theirs(file: Path) -> None:
    assert read(file, " Q1   Q2 \nQ3 \t Q4\n") == {"Q1": "Q1", "Q2": "Q1", "Q3": "Q3", "Q4": "Q3"}


def test_blank_lines_and_comments_say_nothing(file: Path) -> None:
    assert read(file, "# redirects of 2014\n\nQ1 Q2\n   \n") == {"Q1": "Q1", "Q2": "Q1"}


def test_an_id_may_begin_with_a_hash(file: Path) -> None:
    assert read(file, "#1 #2\n") == {"#1": "#1", "#2": "#1"}


def test_an_id_may_be_there_twice(file: Path) -> None:
    assert read(file, "Q1 Q1\nQ1 Q2\nQ1 Q2\n") == {"Q1": "Q1", "Q2": "Q1"}


def test_lines_may_end_as_on_other_systems(file: Path) -> None:
    file.write_bytes(b"Q1 Q2\r\nQ3\tQ4\r\n")
    assert read_same_ids(str(file)) == {"Q1": "Q1", "Q2": "Q1", "Q3": "Q3", "Q4": "Q3"}


def test_ids_may_be_of_any_letters(file: Path) -> None:
    assert read(file, "dbr:Zürich Q72\n") == {"Q72": "Q72", "dbr:Zürich": "Q72"}


@pytest.mark.parametrize("text", ["Q1 Q2\nQ3\n", "Q1 Q2\nQ3\t\n", "Q1 Q2\n\tQ3\n", "Q1 Q2\nQ3\t\tQ4\n"])
def test_a_line_has_two_ids_or_more(file: Path, text: str) -> None:
    error = refused(file, text)
    assert error.what == "expected two or more equivalent ids in a line"
    assert error.where == f"{file}:2"


@pytest.mark.parametrize("nil", ["NIL", "<NIL>", "NIL0001", "--NME--"])
def test_nil_is_the_same_as_nothing(file: Path, nil: str) -> None:
    error = refused(file, f"Q1 Q2\n\nQ3 {nil}\n")
    assert error.what == "NIL means no entity, so no id is equivalent to it"
    assert error.where == f"{file}:3"


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_file_without_ids_is_refused(file: Path, text: str) -> None:
    refused(file, text)


def test_a_file_that_is_no_text_is_refused_with_its_place(file: Path) -> None:
    file.write_bytes(b"Q1 Q2\nQ3 \xff\n")
    with pytest.raises(ReadError, match=r"same\.tsv:2.*UTF-8"):
        read_same_ids(str(file))


def test_a_file_that_is_not_there_is_refused(file: Path) -> None:
    with pytest.raises(ReadError, match="no such file"):
        read_same_ids(str(file))


def test_tasks_without_ids_have_no_use_for_it(file: Path) -> None:
    file.write_text("Q1 Q2\n")
    with pytest.raises(UsageError):
        cp.compare(["A"], {"s": ["A"]}, task="tag", same_ids=str(file), resamples=0)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_the_order_of_lines_and_ids_decides_nothing(seed: int, file: Path) -> None:
    """The same as walking from id to id."""
    draw = random.Random(seed)
    names = [f"Q{number}" for number in range(draw.randint(3, 15))]
    lines = [draw.sample(names, draw.randint(2, 3)) for _ in range(draw.randint(1, 10))]
    expected = {}
    for name in {name for line in lines for name in line}:
        reached, edge = set[str](), {name}
        while edge:
            reached |= edge
            edge = {other for line in lines if edge & set(line) for other in line} - reached
        expected[name] = min(reached)
    for _ in range(3):
        draw.shuffle(lines)
        text = "".join("\t".join(draw.sample(line, len(line))) + "\n" for line in lines)
        assert read(file, text) == expected
