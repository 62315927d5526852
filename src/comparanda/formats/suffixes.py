"""The suffixes of our formats: of an input, only the formats that its name suggests are loaded and tried first."""

from __future__ import annotations

from collections.abc import Mapping

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
