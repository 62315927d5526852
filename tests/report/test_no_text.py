"""A page for restricted corpora holds no word of them: numbers, labels, names and places alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import comparanda as cp
from comparanda import Result
from comparanda.api.outputs import agreement_of
from comparanda.demo import demo_files
from comparanda.report import Choices, build_page, build_without_key
from comparanda.report.page_data import Page
from tests.report.pages import numbers

SECRET = "zqz"
"""Begins every word of these corpora, and stands nowhere else."""


def demo(task: str, *columns: int) -> Callable[[Path], Result]:
    """The demo's files, with other words in some columns."""

    def made(folder: Path) -> Result:
        key, systems = demo_files(task)
        return cp.compare(*_veiled(folder, key, systems, columns), task=task, resamples=20)

    made.__name__ = task
    return made


def _veiled(folder: Path, key: str, systems: dict[str, str], columns: tuple[int, ...]) -> tuple[Path, dict[str, Path]]:
    paths = {}
    for name, path in {"key": key, **systems}.items():
        lines = [_veil(line, columns) for line in Path(path).read_text(encoding="utf-8").split("\n")]
        paths[name] = folder / Path(path).name
        paths[name].write_text("\n".join(lines), encoding="utf-8")
    return paths.pop("key"), paths


def _veil(line: str, columns: tuple[int, ...]) -> str:
    """Write other words; they stand first in files of two columns. A text in a comment has none any more."""
    if line.startswith("#") or not line:
        return line.partition("text =")[0]
    cells = line.split("\t")
    veiled = (0,) if len(cells) == 2 else columns
    return "\t".join(SECRET + cell if place in veiled else cell for place, cell in enumerate(cells))


TEXT = " ".join(f"{SECRET}{letter}" for letter in "abcdefgh")


def _span(place: int, **more: object) -> dict[str, object]:
    begin = place * (len(SECRET) + 2)
    return {"begin": begin, "end": begin + len(SECRET) + 1, **more}


def _lines(path: Path, field: str, spans: list[dict[str, object]]) -> str:
    records = ({"id": f"d{number}", "doc": f"d{number}", "text": TEXT, field: spans} for number in range(3))
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def links(folder: Path) -> Result:
    """Mentions with ids, and a system that quotes other places."""
    key = _lines(folder / "key.jsonl", "spans", [_span(0, label="PER", id="Q1"), _span(3, label="LOC", id="Q2")])
    one = _lines(folder / "one.jsonl", "spans", [_span(0, label="PER", id="Q9"), _span(4, label="LOC", id="Q2")])
    two = _lines(folder / "two.jsonl", "spans", [_span(0, label="LOC", id="Q1"), _span(4, label="LOC", id="Q2")])
    return cp.compare(key, {"one": one, "two": two}, task="link", resamples=20)


def probable(folder: Path) -> Result:
    """Entities with probabilities, in the same texts again and again."""

    def block(place: int, weight: float, label: str) -> dict[str, object]:
        begin, end = _span(place).values()
        return {"alternatives": [{"start": begin, "end": end, "p": weight, "labels": {label: 1.0}}]}

    key = _lines(folder / "key.jsonl", "spans", [_span(0, label="PER"), _span(3, label="LOC")])
    one = _lines(folder / "one.jsonl", "blocks", [block(0, 0.4, "PER"), block(3, 0.7, "PER")])
    two = _lines(folder / "two.jsonl", "blocks", [block(0, 0.8, "PER"), block(4, 0.3, "LOC")])
    return cp.compare(key, {"one": one, "two": two}, task="prob", resamples=20)


def rows(folder: Path) -> Result:
    """Rows of a table, of which examples show the whole line."""
    paths = {}
    for name, labels in {"key": "aabbab", "one": "abbbab", "two": "aabaaa"}.items():
        paths[name] = folder / f"{name}.tsv"
        lines = [f"r{number}\t{label}\t{SECRET}{number} {SECRET}" for number, label in enumerate(labels)]
        paths[name].write_text("\n".join(["id\tlabel\ttext", *lines]) + "\n")
    return cp.compare(paths.pop("key"), paths, task="label", resamples=20)


def quoted(folder: Path) -> Result:
    """Answers of a language model that quote what is not there: the note on them says it."""
    key = _lines(folder / "key.jsonl", "spans", [_span(0, label="PER"), _span(3, label="LOC")])
    answers = []
    for number in range(3):
        items = [{"text": f"{SECRET}a", "label": "PER"}, {"text": f"{SECRET}nowhere", "label": "LOC"}]
        answers.append({"id": f"d{number}", "answer": json.dumps(items)})
    path = folder / "model.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in answers))
    other = _lines(folder / "other.jsonl", "spans", [_span(0, label="LOC")])
    return cp.compare(key, {"model": f"{path}::llm", "other": other}, task="span", resamples=20)


CASES = (links, probable, rows, quoted)
FURTHER = [
    pytest.param(make, marks=pytest.mark.slow) for make in (demo("pos", 1, 2), demo("span", 0), demo("coref", 3))
]


@pytest.mark.parametrize("make", [*CASES, *FURTHER], ids=lambda make: make.__name__)
def test_no_word_of_the_corpus_is_in_the_page(make: Callable[[Path], Result], tmp_path: Path) -> None:
    result = make(tmp_path)
    whole, page = build_page(result), build_page(result, Choices(text=False))
    assert SECRET in written(whole)
    assert SECRET not in written(page)
    assert [(found, each.count) for found, each in numbers(page)] == [
        (found, each.count) for found, each in numbers(whole)
    ]
    assert len(page.cards) > 3


def test_nor_without_a_key(tmp_path: Path) -> None:
    key, systems = demo_files("span")
    gold, paths = _veiled(tmp_path, key, systems, (0,))
    few = dict(list(paths.items())[:1])
    found, result = agreement_of({"gold": gold, **few}, None, None, {"task": "span"}, resamples=0, seed=1)
    assert SECRET in written(build_without_key(found, result))
    assert SECRET not in written(build_without_key(found, result, Choices(text=False)))


def written(page: Page) -> str:
    return msgspec.json.encode(page).decode()
