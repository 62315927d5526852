"""What is wrong with an input is told by comparisons in parts as by one in one go: with the same words and places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.scale import driver
from tests.scale.test_equal import Corpus
from tests.scale.test_odd_files import changed
from tests.seeds import mostly_slow

SIZE = 9
LATE = 7
"""The number of the document that is spoiled, from 0."""


def late(mark: bytes, spoil: Callable[[bytes], bytes]) -> Callable[[str, bytes], bytes]:
    """Return what spoils a late document, given what begins each."""

    def spoiled(_: str, data: bytes) -> bytes:
        first, *rest = data.split(mark)
        rest[LATE] = spoil(rest[LATE])
        return mark.join([first, *rest])

    return spoiled


def record(change: Callable[[dict[str, object]], object]) -> Callable[[str, bytes], bytes]:
    """Return what spoils a late record."""

    def spoiled(_: str, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        read = json.loads(lines[LATE])
        change(read)
        lines[LATE] = json.dumps(read).encode() + b"\n"
        return b"".join(lines)

    return spoiled


def twice(mark: bytes) -> Callable[[str, bytes], bytes]:
    """Return what gives a late document the name of the first."""

    def spoiled(_: str, data: bytes) -> bytes:
        first, *rest = data.split(mark)
        name = re.split(rb"[\n\"]", rest[0])[0]
        rest[LATE] = rest[LATE].replace(re.split(rb"[\n\"]", rest[LATE])[0], name, 1)
        return mark.join([first, *rest])

    return spoiled


NEWDOC, DOCSTART = b"# newdoc id", b"-DOCSTART-"
FAR = {"begin": 0, "end": 999, "label": "X"}
PROBLEMS = {
    "too few columns": ("tag in CoNLL-U", late(NEWDOC, lambda data: data.replace(b"\t_\t_\n", b"\t_\n", 1))),
    "no number": ("dep", late(NEWDOC, lambda data: re.sub(rb"\n1\t", b"\nx\t", data, count=1))),
    "a head that is not there": ("dep", late(NEWDOC, lambda data: data.replace(b"\t_\t_\t0\t", b"\t_\t_\t99\t", 1))),
    "no UTF-8": ("tag in columns", late(DOCSTART, lambda data: data.replace(b" x ", b" \xff ", 1))),
    "a NUL byte": ("tag without documents", late(b"\n\n", lambda data: data.replace(b" x ", b" \0 ", 1))),
    "another text": ("tag in columns", late(DOCSTART, lambda data: data.replace(b" x ", b"huh x ", 2))),
    "another text, no documents": ("tag without documents", late(b"\n\n", lambda data: data.replace(b" x", b"huh x"))),
    "a record twice": ("span in JSONL", twice(b'"id": "')),
    "an id twice": ("label in JSONL", twice(b'"id": "')),
    "no JSON": ("span in JSONL", late(b"\n", lambda data: data[:-1])),
    "a span behind the text": ("span in JSONL", record(lambda read: read.update(spans=[FAR]))),
    "a bracket that stays open": (
        "coref in CoNLL-2012",
        late(b"#begin", lambda data: data.replace(b"\t-\n", b"\t(77\n", 1)),
    ),
}
ORDINARY = {"too few columns", "another text", "an id twice"}


@pytest.mark.parametrize("side", ["key", "last"])
@pytest.mark.parametrize("problem", mostly_slow(PROBLEMS, ORDINARY))
def test_the_message_is_that_of_a_comparison_in_one_go(problem: str, side: str, tmp_path: Path) -> None:
    name, spoil = PROBLEMS[problem]
    corpus = Corpus(tmp_path, name, SIZE)
    changed(corpus, spoil, [side if side == "key" else list(corpus.given)[-1]])
    assert told(corpus, part=1) == told(corpus)


def test_a_name_that_recurs_is_no_error_in_parts_either(tmp_path: Path) -> None:
    """The document is continued; then the comparison is not divided."""
    corpus = Corpus(tmp_path, "span in IOB1", SIZE)
    changed(corpus, twice(b"# newdoc id = "), [list(corpus.given)[-1]])
    found = corpus.compared(part=1)
    assert [str(note) for note in found.notes] == [str(note) for note in corpus.compared().notes]
    assert any("document names that recur" in note.what for note in found.notes)


def told(corpus: Corpus, **settings: Any) -> str:
    """Return what the error says."""
    with pytest.raises(cp.ComparandaError) as caught:
        corpus.compared(**settings)
    return str(caught.value)


# Parts that do not fit together, of inputs that are too large to be read whole


def untagged(_: str, data: bytes) -> bytes:
    first, *rest = data.split(b"#begin")
    return b"#begin".join([first, *rest[:5], *(re.sub(rb"\t[A-Z$]+\t-\t", b"\t-\t-\t", each) for each in rest[5:])])


@pytest.mark.slow
def test_what_parts_tell_otherwise_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "WHOLE", 0)
    corpus = changed(Corpus(tmp_path, "coref in CoNLL-2012", SIZE), untagged)
    text = told(corpus, part=1)
    assert text.startswith("the properties detected in the inputs differ between parts")
    assert "they differ in nouns" in text
    assert "such as --nouns" in text
    corpus.compared(part=1, nouns="english")


def test_a_file_that_is_made_otherwise_from_some_line_on_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "WHOLE", 0)
    corpus = Corpus(tmp_path, "tag in columns", SIZE)
    changed(corpus, late(DOCSTART, lambda data: data.replace(b" x ", b" x y ")), ["crf"])
    text = told(corpus, part=1)
    assert text.startswith("crf, part 8 of 9: the layout of the file changes")
    assert "first: columns: 3 columns between ' '" in text
