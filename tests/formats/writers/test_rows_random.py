"""What is written is read back: random files of every format, with odd words, names and values."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.core.text_columns import join_labels
from comparanda.errors import ComparandaError, WriteError
from comparanda.formats.contract import Layer, Shape
from comparanda.formats.row_writer import written_rows
from tests.formats.writers.row_files import read_rows, seen, with_system
from tests.seeds import draws

ODD = "ab1#-_.|=\"'\\,; ()é\u0301\u00a0\u2028\x0b\x1f\r\ufeff😀"
GOLD = "GOLD"
"""Stands in every cell of the keys that is no business of a system."""

words = st.text(ODD, min_size=1, max_size=4)
names = st.text(ODD, min_size=1, max_size=6).map(str.strip).filter(bool)
labels = st.text(ODD + "\t\n", max_size=4)
plain = st.text("NVX.-$é😀", min_size=1, max_size=3)
"""Values that every format can hold."""


def settled(value: str) -> bool:
    """Whether readers of columns keep a value as it is."""
    spaces = value.replace("\u00a0", " ").replace("\u202f", " ").strip()
    return unicodedata.normalize("NFC", value) == value == spaces


def some_values(data: st.DataObject, corpus: Corpus, strategy: st.SearchStrategy[Any]) -> list[Any]:
    return data.draw(st.lists(strategy, min_size=len(corpus), max_size=len(corpus)))


class Trip:
    """A key in a file, and the way of a system's values there and back."""

    def __init__(
        self, text: str, tail: str, *, column: str | None = None, shape: Shape = "tokens", layer: Layer
    ) -> None:
        self.tail = tail
        self.asked: dict[str, Any] = {"column": column, "shape": shape, "layer": layer}
        self.key = self.read(text)

    def read(self, text: str) -> Corpus:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "file")
            path.write_bytes(text.encode())
            return read_rows(f"{path}::{self.tail}", **self.asked)

    def there_and_back(self, system: Corpus) -> None:
        """Write and read; the same must come back, and nothing of the key but what is common ground."""
        written = written_rows(system)
        assert written.losses == ()
        text = written.files[""]
        assert seen(self.read(text)) == seen(system)
        assert GOLD not in text

    def refused(self, system: Corpus) -> bool:
        """Whether a system cannot be written; if it can, it must come back."""
        try:
            self.there_and_back(system)
        except WriteError:
            return True
        return False


# CoNLL-U and CoNLL-X

COLUMNS = ("lemma", "upos", "xpos", "feats", "deprel", "misc:NE")


@st.composite
def numbered_sentences(draw: st.DrawFn) -> str:
    """A sentence of CoNLL-U, with ranges and empty nodes; all that is annotated is gold."""
    size = draw(st.integers(1, 4))
    begins = draw(st.integers(1, size))
    ends = draw(st.integers(begins, size))
    lines = [f"# sent_id = {draw(names)}", "# text = a b", f"# newpar {GOLD}"][draw(st.integers(0, 2)) :]
    if draw(st.booleans()):
        lines.append("\t".join(["0.1", *[GOLD] * 9]))
    for number in range(1, size + 1):
        if number == begins and draw(st.booleans()):
            lines.append("\t".join([f"{begins}-{ends}", draw(words), *[GOLD] * 8]))
        head = str(draw(st.integers(0, size)))
        cells = [
            str(number),
            draw(words),
            GOLD,
            GOLD,
            GOLD,
            GOLD,
            head,
            GOLD,
            f"{head}:{GOLD}",
            f"NE={GOLD}|Gloss={GOLD}",
        ]
        lines.append("\t".join(cells))
    return "\n".join([*lines, "", ""])


@st.composite
def conllu_files(draw: st.DrawFn) -> str:
    """A file of CoNLL-U: documents, or none."""
    marked = draw(st.booleans())
    called = draw(st.lists(names.filter(lambda name: not name.isspace()), min_size=1, max_size=3, unique=True))
    text = ""
    for name in called if marked else called[:1]:
        marks = f"# newdoc id = {name}\n" if marked else ""
        marks += "# meta::genre = a = b\n" * draw(st.booleans())
        text += marks + ("".join(draw(st.lists(numbered_sentences(), min_size=0 if marked else 1, max_size=3))) or "\n")
    return text


def numbered_trip(text: str, tail: str, column: str) -> Trip:
    layer: Layer = "arcs" if column == "deprel" else "values"
    try:
        return Trip(text, tail, column=column, layer=layer)
    except ComparandaError:
        assume(False)  # names that are the same once read, or no words at all
        raise


def some_heads(data: st.DataObject, key: Corpus) -> list[int]:
    """Heads anywhere in their sentences: trees, several roots, cycles, words that hang on themselves."""
    bounds = [
        (int(key.sentences[key.sentence_of(row)]), int(key.sentences[key.sentence_of(row) + 1]))
        for row in range(len(key))
    ]
    return [data.draw(st.sampled_from([-1, *range(first, behind)])) for first, behind in bounds]


@settings(max_examples=draws(150), deadline=None)
@given(conllu_files(), st.sampled_from(COLUMNS), st.data())
def test_conllu(text: str, column: str, data: st.DataObject) -> None:
    trip = numbered_trip(text, "conllu", column)
    heads = some_heads(data, trip.key) if column == "deprel" else None
    values = some_values(data, trip.key, plain)
    trip.there_and_back(with_system(trip.key, values, heads))


@settings(max_examples=draws(150), deadline=None)
@given(conllu_files(), st.sampled_from(("xpos", "misc:NE")), st.data())
def test_conllu_refuses_what_it_cannot_hold_and_nothing_else(text: str, column: str, data: st.DataObject) -> None:
    trip = numbered_trip(text, "conllu", column)
    values = some_values(data, trip.key, st.one_of(labels, plain, st.just("_")))
    if column == "misc:NE":
        fit = all(value and "|" not in value and settled(f"NE={value}") for value in values)
    else:
        fit = all(settled(value) for value in values)
    fit = fit and not set("".join(values)) & set("\t\n") and not set(values) <= {"_", ""}
    assert trip.refused(with_system(trip.key, values)) == (not fit)


@settings(max_examples=draws(60), deadline=None)
@given(st.lists(st.lists(st.tuples(words, plain), min_size=1, max_size=4), min_size=1, max_size=3), st.data())
def test_conllx(sentences: list[list[tuple[str, str]]], data: st.DataObject) -> None:
    text = ""
    for sentence in sentences:
        for number, (word, _) in enumerate(sentence, start=1):
            text += "\t".join([str(number), word, GOLD, GOLD, GOLD, GOLD, "0", GOLD, "1", GOLD]) + "\n"
        text += "\n"
    trip = Trip(text, "conllx", column="deprel", layer="arcs")
    values = [value for sentence in sentences for _, value in sentence]
    trip.there_and_back(with_system(trip.key, values, some_heads(data, trip.key)))


# Columns


@st.composite
def column_files(draw: st.DrawFn) -> tuple[str, str]:
    """A file of columns between tabs or spaces, and the options to read it by."""
    tabs = draw(st.booleans())
    word = words if tabs else st.text("ab#-_.é😀,1", min_size=1, max_size=3)
    width = draw(st.integers(2, 4))
    value = draw(st.integers(1, width - 1))
    counted, wordless = draw(st.booleans()) and value > 1, draw(st.booleans())
    options = [f"column={value + 1 - draw(st.sampled_from((0, width + 1)))}"]
    options += ["word=none"] * wordless + ["header=yes"] * draw(st.booleans())
    separator = "\t" if tabs else " "
    lines = [separator.join(f"name{number}" for number in range(width))] if "header=yes" in options else []
    for number in range(draw(st.integers(1, 3))):
        lines += [f"-DOCSTART- (document {number})", ""] if draw(st.booleans()) else []
        for row in range(draw(st.integers(1, 3))):
            cells = [GOLD] * width
            cells[0] = GOLD if wordless else draw(word)
            if counted:
                cells[:2] = [str(row + 1), cells[0]]
            lines.append(separator.join(cells))
        lines.append("")
    return "\n".join(lines), f"columns?{'&'.join(options)}"


@settings(max_examples=draws(200), deadline=None)
@given(column_files(), st.data())
def test_columns(made: tuple[str, str], data: st.DataObject) -> None:
    text, tail = made
    try:
        trip = Trip(text, tail, layer="values")
    except ComparandaError:
        assume(False)
    trip.there_and_back(with_system(trip.key, some_values(data, trip.key, plain)))


@settings(max_examples=draws(150), deadline=None)
@given(column_files(), st.data())
def test_columns_say_the_same_or_are_refused(made: tuple[str, str], data: st.DataObject) -> None:
    text, tail = made
    try:
        trip = Trip(text, tail, layer="values")
    except ComparandaError:
        assume(False)
    trip.refused(with_system(trip.key, some_values(data, trip.key, labels)))


# CSV and TSV

QUERIES = (
    "header=yes",
    "split=;",
    "several=rows",
    "document=doc",
    "document=doc&split=;",
    "id=row",
    "id=row&document=doc",
    "header=no&id=2&label=4",
    "header=no&id=row&label=4&document=3&separator=comma",
)


def delimited(rows: list[list[str]], *, header: bool) -> str:
    """Write rows by the csv module, all of them quoted."""
    stream = io.StringIO()
    named = ["text", "id", "doc", "label", "more"]
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([named, *rows] if header else rows)
    return stream.getvalue()


cells = st.text(ODD + "\n\t", min_size=1, max_size=4).filter(lambda cell: "\r\n" not in cell)
label_sets = st.lists(st.text("NVX.-$é😀|\\", min_size=1, max_size=3), max_size=3).map(join_labels)


@settings(max_examples=draws(200), deadline=None)
@given(st.lists(cells, min_size=1, max_size=5, unique=True), st.sampled_from(QUERIES), st.data())
def test_csv(ids: list[str], query: str, data: st.DataObject) -> None:
    header = "header=no" not in query
    rows = [[GOLD, name, data.draw(st.sampled_from(["d1", "d 2", "d,3"])), GOLD, GOLD] for name in ids]
    trip = Trip(delimited(rows, header=header), f"csv?{query}", shape="rows", layer="values")
    values = some_values(data, trip.key, label_sets if trip.key.several else cells)
    trip.there_and_back(with_system(trip.key, values))


@settings(max_examples=draws(100), deadline=None)
@given(
    st.lists(words.filter(lambda word: not set(word) & set("\r\ufeff")), min_size=1, max_size=5, unique=True), st.data()
)
def test_tsv_refuses_what_it_cannot_hold_and_nothing_else(ids: list[str], data: st.DataObject) -> None:
    text = "".join(f"{name}\t{GOLD}\t{GOLD}\n" for name in ids)
    trip = Trip(text, "tsv?header=no&label=2&id=1", shape="rows", layer="values")
    values = some_values(data, trip.key, labels)
    fit = all(value and not set(value) & set("\t\n\r") for value in values)
    assert trip.refused(with_system(trip.key, values)) == (not fit)


# JSONL


def json_lines(objects: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


@settings(max_examples=draws(100), deadline=None)
@given(
    st.lists(labels.filter(bool), min_size=1, max_size=5, unique=True),
    st.sampled_from(("text", "list", "split", "merge")),
    st.booleans(),
    st.data(),
)
def test_jsonl_rows(ids: list[str], kind: str, documents: bool, data: st.DataObject) -> None:
    gold: Any = [GOLD, "x"] if kind == "list" else GOLD
    options = ["document=paper"] * documents + {"split": ["split=;"], "merge": ["several=rows"]}.get(kind, [])
    objects = [
        {"text": GOLD, "uid": name, "paper": data.draw(st.sampled_from(["a", "b"])), "class": gold} for name in ids
    ]
    trip = Trip(json_lines(objects), f"jsonl?{'&'.join(options)}".rstrip("?"), shape="rows", layer="values")
    values = some_values(data, trip.key, label_sets if trip.key.several else labels.filter(bool))
    trip.there_and_back(with_system(trip.key, values))


@settings(max_examples=draws(100), deadline=None)
@given(
    st.lists(st.lists(labels, min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from(("sentences", "tokens", "tags alone")),
    st.data(),
)
def test_jsonl_tokens(sentences: list[list[str]], kind: str, data: st.DataObject) -> None:
    objects: list[dict[str, Any]] = []
    for number, sentence in enumerate(sentences):
        ground = {"doc": f"d{number // 2}", "lemmas": GOLD}
        if kind == "tokens":
            objects += [{**ground, "sent_id": number, "token": word, "tag": GOLD} for word in sentence]
        else:
            given_words = {"words": sentence} if kind == "sentences" else {}
            objects.append({**ground, **given_words, "upos": [GOLD] * len(sentence)})
    tail = "jsonl?tags=tag&tokens=token" if kind == "tokens" else "jsonl"
    trip = Trip(json_lines(objects), tail, layer="values")
    trip.there_and_back(with_system(trip.key, some_values(data, trip.key, labels)))
