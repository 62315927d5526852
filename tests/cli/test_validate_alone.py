"""`comparanda validate KEY`: whether one file can be read, whatever its format."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.formats.document_writer import find_writers
from comparanda.formats.inputs import find_formats
from tests.command import run
from tests.formats.writers.documents import written
from tests.formats.writers.test_pairs import OPTIONS, plain


@pytest.mark.parametrize("name", sorted(find_writers()))
def test_a_file_of_each_format(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = plain(5)
    written(name, documents, tmp_path)
    spot = tmp_path if find_writers()[name].many else tmp_path / f"out{find_writers()[name].suffix}"
    task, noun = ("span", "spans") if "spans" in find_formats()[name].layers else ("coref", "mentions")
    outcome = run(capsys, "validate", f"{spot}::{name}{OPTIONS.get(name, '')}", "--task", task, "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    spans = sum(len(each.mentions) for each in documents)
    assert outcome.out.startswith(f"{spot.stem}: can be read as {name}, {len(documents)} documents, ")
    assert outcome.out.endswith(f", {spans} {noun}\n")


def test_tags_and_rows_can_be_checked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,label\n1,a\n2,b\n")
    outcome = run(capsys, "validate", path, "--task", "label")
    assert outcome.out == "labels: can be read as csv, 1 document, 2 rows\n"


def test_what_cannot_be_read_is_told_with_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": 1')
    outcome = run(capsys, "validate", path, "--task", "span")
    assert (outcome.code, outcome.out) == (
        1,
        f"{path}:1: the JSON object is cut off\n  JSONL needs one complete object per line\n",
    )


def test_notes_are_told_and_refused_if_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"text": "Bo", "spans": []}\n')
    assert run(capsys, "validate", path, "--task", "span").out.startswith(
        "note: key: no field is known to hold the name"
    )
    strict = run(capsys, "validate", path, "--task", "span", "--strict")
    assert (strict.code, strict.out.partition("\n")[0]) == (1, "the input produced warnings (--strict)")
