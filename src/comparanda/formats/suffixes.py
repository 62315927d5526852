"""The suffixes of our formats: of an input, only the formats that its name suggests are loaded and tried first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "bioc": (".xml", ".json"),
    "brat": (".ann",),
    "clusters": (".jsonlines", ".jsonl", ".ndjson", ".json"),
    "columns": (".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".pos", ".tags"),
    "conll2012": (".conll", ".v4_gold_conll", ".v4_auto_conll", ".key", ".response", ".coref"),
    "conllu": (".conllu",),
    "conllx": (".conllx",),
    "csv": (".csv",),
    "doccano": (".jsonl", ".ndjson", ".json"),
    "elevant": (".linked_articles.jsonl", ".benchmark.jsonl"),
    "gate": (".xml",),
    "hipe": (".tsv",),
    "hugging-face": (".jsonl", ".ndjson", ".json"),
    "inline-xml": (".tml", ".xml", ".sgml", ".sgm"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "label-studio": (".jsonl", ".ndjson", ".json"),
    "llm": (".jsonl", ".ndjson", ".json"),
    "neleval": (".tsv",),
    "nif": (".jsonld",),
    "parquet": (".parquet",),
    "probabilistic": (".jsonl", ".ndjson", ".json"),
    "prodigy": (".jsonl", ".ndjson", ".json"),
    "pubtator": (".pubtator",),
    "spacy": (".spacy",),
    "tac": (".tab",),
    "tsv": (".tsv", ".tab"),
    "web-annotation": (".jsonld",),
    "xmi": (".xmi",),
}
"""The suffixes of each format, as its module declares them (a test compares the two).

A format that is not listed, such as one of another package, is loaded for every input.
"""


class Family(NamedTuple):
    """Formats with a suffix that no others have: what they are called in messages, and their names."""

    kind: str
    formats: tuple[str, ...]


_CONLL = ("conllu", "conllx")
_LINES = Family(
    "JSON",
    (
        "bioc",
        "clusters",
        "doccano",
        "elevant",
        "hugging-face",
        "jsonl",
        "label-studio",
        "llm",
        "nif",
        "probabilistic",
        "prodigy",
        "spacy",
        "web-annotation",
    ),
)

FAMILIES: Mapping[str, Family] = {
    ".conllu": Family("CoNLL-U", _CONLL),
    ".conllx": Family("CoNLL-X", _CONLL),
    ".json": _LINES,
    ".jsonl": _LINES,
    ".jsonld": _LINES,
    ".jsonlines": _LINES,
    ".ndjson": _LINES,
    ".pubtator": Family("PubTator", ("pubtator",)),
    ".tml": Family("TimeML", ("inline-xml",)),
    ".xmi": Family("XMI", ("xmi",)),
    ".xml": Family("XML", ("bioc", "gate", "inline-xml", "xmi")),
}
"""Suffixes by which a file claims to be of one family: one of our other formats is then not guessed from its content.

Suffixes of many formats, such as `.txt`, `.tsv` and `.conll`, claim nothing.
"""
