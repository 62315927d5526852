"""Files to begin with: pieces of real ones beside the repository, the demo, and what our own writers make of both."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.formats.writers.chained import random_chains
from tests.formats.writers.documents import random_documents

from comparanda.demo import demo_files
from comparanda.errors import InputError, UsageError
from comparanda.formats.contract import Layer, Request
from comparanda.formats.document_writer import TAGS, Losses, Passage, find_writer, find_writers, list_passages
from comparanda.formats.inputs import Input, read_input
from fuzz.target import put

SHARED = Path(os.environ.get("COMPARANDA_SHARED") or Path(__file__).parents[2] / "shared") / "data"
SIZE = 1_800
"""So many bytes of a real file, up to the end of a sentence or of a record."""

REAL = {
    "conllu": ("ud/en_ewt/gold/*.conllu", "ud/conll2018/systems/*/en_gum.conllu", "ud/en_ewt/systems/en-pos.conllu",
               "coref/gum/**/GUM_*.conllu"),
    "columns": ("ner/wnut17/gold/emerging.test.annotated", "ner/wnut17/systems/*", "ner/uner_en_ewt/gold/*.iob2"),
    "conll2012": ("coref-tests/DataFiles/TC-[ADMN]*", "coref/litbank/**/*.conll", "coref/gum/**/*.conll",
                  "coref/event_ecbp/gold.*.conll"),
    "jsonl": ("timex/wikiwars/systems/timexy.jsonl", "timex/wikiwars/gold.jsonl"),
    "elevant": ("el/elevant/gold/*.benchmark.jsonl", "el/elevant/systems/*.jsonl"),
    "hipe": ("ner_el/hipe2020/gold/*.tsv", "ner_el/hipe2020/systems/*.tsv.gz"),
    "inline-xml": ("timex/wikiwars/gold/0[12]*.tml", "timex/wikiwars/systems/syntime_published/01*.tml"),
    "probabilistic": ("probabilistic/wnut17/systems/*.jsonl.gz",),
}  # fmt: skip
"""Where real files of a format lie."""

_ITEMS = [{"text": "Anna", "label": "PER"}, {"text": "Oslo", "label": "LOC"}]
_TEXT = "Anna of New York left Paris."
_OWN: dict[str, tuple[str, ...]] = {
    "conllx": (
        "1\tDer\tder\tART\tART\t_\t2\tDET\t2\tDET\n2\tHund\tHund\tN\tNN\tcase=nom|num=sg\t3\tSUBJ\t3\tSUBJ\n"
        "3\tbellt\tbellen\tV\tVVFIN\t_\t0\tROOT\t0\tROOT\n\n1\tJa\tja\tITJ\tITJ\t_\t0\tB-ROOT\t_\t_\n\n",
    ),
    "csv": (
        'id,text,label,document\n1,"one, ""two""\nthree",A,d1\n2,x,B;C,d1\n3,,,d2\n3,y,A,d2\n',
        "id;label\na;x\nb;y\n",
        "1,A\n2,B\n",
    ),
    "tsv": ("id\tlabel\tgenre\n1\tA;B\tnews\n2\tB\tblog\n2\tC\tblog\n", "1\tA\n2\tB\n", "one\t1\ntwo\t2\n"),
    "jsonl": (
        '{"id": 1, "label": ["A", "B"]}\n{"id": "2", "label": "A;B"}\n{"id": 3, "label": null}\n',
        '{"document": "d", "tokens": ["Anna", "left"], "tags": ["B-PER", "O"]}\n{"tokens": ["x"], "tags": ["I-LOC"]}\n',
        '{"id": "d", "text": "Anna left. She ran.", "spans": [{"begin": 0, "end": 4, "label": "PER", "chain": 1, '
        '"id": "Q1", "score": 0.5}, {"begin": 11, "end": 14, "label": "PER", "chain": 1}]}\n',
        '{"id": "d", "text": "a 😀 b", "spans": [{"pieces": [[0, 1], [4, 5]], "label": "X", "text": "a b"}]}\n',
    ),
    "llm": (
        json.dumps({"id": "d1", "text": "Anna left Oslo.", "answer": json.dumps(_ITEMS)}) + "\n",
        json.dumps({"id": "d1", "text": "Anna left Oslo.", "entities": _ITEMS}) + "\n",
        json.dumps({"id": "d1", "text": "Anna, Anna!", "output": f"Sure:\n```json\n{json.dumps(_ITEMS)}\n```"}) + "\n",
        json.dumps({"id": "d1", "text": "Anna left Oslo.", "spans": {"PER": ["Anna"], "LOC": ["Oslo"]}}) + "\n",
        json.dumps({"id": "d1", "text": "Anna left Oslo.", "response": "<PER>Anna</PER> left <LOC>Oslo</LOC>."}) + "\n",
    ),
    "probabilistic": (
        json.dumps({"doc": "d", "text": _TEXT, "blocks": [{"alternatives": [
            {"start": 0, "end": 4, "label": "PER", "prob": 0.6}, {"start": 0, "end": 16, "label": "ORG", "prob": 0.3}
        ]}]}) + "\n",
        json.dumps({"doc": "d", "text": _TEXT, "entities": [
            {"start": 0, "end": 4, "label": "PER", "score": 0.6}, {"start": 8, "end": 16, "label": "LOC", "score": 0.3},
            {"start": 12, "end": 16, "label": "LOC", "score": 0.5}
        ]}) + "\n",
        json.dumps({"doc": "d", "text": _TEXT, "nbest": [
            {"prob": 0.5, "spans": [{"start": 0, "end": 4, "label": "PER"}]}, {"prob": 0.25, "spans": []}
        ]}) + "\n",
    ),
}  # fmt: skip
"""Small files by hand, where no writer makes such, or of kinds that real files do not have."""


def seeds_of(name: str) -> list[tuple[bytes, ...]]:
    """Return the files to begin with for a format: the files of each case, in the order of `names_of`."""
    found = [*_real(name), *((text.encode(),) for text in _OWN.get(name, ()))]
    if name == "parquet":
        found += _tables()
    if name in find_writers():
        found += _written(name)
    return list(dict.fromkeys(each for each in found if each))


def _tables() -> Iterator[tuple[bytes, ...]]:
    """Give the records of JSONL as tables, packed and not."""
    from pyarrow import BufferOutputStream, Table
    from pyarrow.parquet import write_table

    for text in (*_OWN["jsonl"][1:], '{"id": 1, "label": "A"}\n{"id": 2, "label": "B"}\n{"id": 3, "label": null}\n'):
        for options in ({"compression": "none", "use_dictionary": False}, {"compression": "zstd", "row_group_size": 1}):
            data = BufferOutputStream()
            write_table(Table.from_pylist([json.loads(line) for line in text.splitlines()]), data, **options)
            yield (data.getvalue().to_pybytes(),)


def names_of(name: str, suffix: str) -> tuple[str, ...]:
    """Return how the files of a case are called; the first of them is what is read."""
    known = {"brat": ("in.ann", "in.txt"), "xmi": ("in.xmi", "TypeSystem.xml"), "spacy": ("in.jsonl",)}
    return known.get(name, (f"in{suffix}",))


def _real(name: str) -> Iterator[tuple[bytes, ...]]:
    for pattern in REAL.get(name, ()):
        for path in sorted(SHARED.glob(pattern))[:4]:
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            yield (_cut(data, name),)
    if name == "conllu":
        yield (_cut(Path(demo_files()[0]).read_bytes(), name),)
    if name == "columns":
        yield (_cut(Path(demo_files("span")[0]).read_bytes(), name),)
    if name == "conll2012":
        yield (_cut(Path(demo_files("coref")[0]).read_bytes(), name),)


def _cut(data: bytes, name: str) -> bytes:
    """Return the beginning of a file, in whole sentences or records, with the marks that it needs to be read."""
    if len(data) <= SIZE:
        return data
    if name == "jsonl":
        return _short_record(json.loads(data[: data.find(b"\n")]))
    if name == "inline-xml":
        place = data.find(b"</TIMEX3>", SIZE) + len(b"</TIMEX3>")
        return data[:place] + b"\n</TEXT>\n</TimeML>\n"
    blank = max(data.rfind(b"\n\n", 0, SIZE), data.rfind(b"\r\n\r\n", 0, SIZE))
    end = data.find(b"\n", blank + 2 if blank > 200 else SIZE)
    cut = data[: end + 1] if end > 0 else data[:SIZE]
    if blank > 200:
        cut = data[: blank + 2]
    return cut + (b"#end document\n" if name == "conll2012" and b"#begin" in cut else b"")


def _short_record(record: dict[str, Any]) -> bytes:
    """Return the beginning of a document, with the spans that lie in it."""
    spans = [{**each, "label": each["type"]} for each in record["timexes"] if each["end"] <= SIZE]
    text = {"text": record["text"][:SIZE]} if "text" in record else {}
    return json.dumps({"id": record["doc_id"], **text, "spans": spans}).encode() + b"\n"


def _written(name: str) -> Iterator[tuple[bytes, ...]]:
    """Give what a writer makes of random documents, and of real ones."""
    layers = find_writer(name).layers
    if "spans" in layers:
        for seed in range(3):
            yield from _files(name, random_documents(Random(seed), count=2, nested=seed > 1, pieces=seed > 1, ids=2))
        for documents in _passages("spans"):
            yield from _files(name, documents)
    if "chains" in layers:
        for seed in range(3):
            yield from _files(name, random_chains(Random(seed), count=2, pieces=seed > 1))
        for documents in _passages("chains"):
            yield from _files(name, documents)


def _files(name: str, documents: list[Passage]) -> Iterator[tuple[bytes, ...]]:
    """Give the files of documents in a format, where that can hold them: one a case, or the first of each kind."""
    writer = find_writer(name)
    try:
        made = dict(writer.write(documents, Losses(), {}))
    except (InputError, UsageError):
        return
    texts = {Path(file).suffix if writer.many else "": text.encode() for file, text in reversed(made.items())}
    if name == "brat":
        yield texts[".ann"], texts[".txt"]
    elif name == "xmi":
        yield texts[".xmi"], texts[".xml"]
    else:
        yield tuple(texts.values())[:1]


@cache
def _passages(layer: Layer) -> list[list[Passage]]:
    """Return the first documents of real files, cut to some size."""
    sources = {"spans": ("elevant", "columns", "inline-xml"), "chains": ("conll2012", "conllu")}[layer]
    found = []
    for name in sources:
        for number, pieces in enumerate(list(_real(name))[:2]):
            folder = put(f"seeds-{name}-{number}", names_of(name, ".x"), pieces)
            try:
                given = Input(path=str(folder / "in.x"), name=None, format=name)
                corpus = read_input(given, Request(side="seed", value=None, extra=TAGS, layer=layer), "tokens")
                found.append([*list_passages(corpus, Losses(), chained=layer == "chains")][:2])
            except (InputError, UsageError):
                continue
    return found
