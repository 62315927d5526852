"""Formats: a file is read as key and as output, compared with itself and with another one, and written again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests.formats.writers import chained, documents

import comparanda as cp
from comparanda.align import Missing
from comparanda.align.quotes import place_in_own_texts
from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.conversion import convert_corpus
from comparanda.formats.document_writer import TAGS, Losses, Passage, find_writer, find_writers, list_passages
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.row_writer import WRITE, written_rows
from comparanda.rules import RuleSet, rule_set
from comparanda.tasks.task import find_task
from fuzz.seeds import names_of, seeds_of
from fuzz.target import REFUSED, Contradiction, Target, case, put, taken_apart

LONG = ("conllu", "columns", "jsonl", "brat", "conll2012")
"""What most people have: tried for ten minutes, all others for two."""

LONGEST_ERROR = 8_000
AGAINST, EMPTY = 32, 64
"""Bits of the choice: compared with another file as well; documents that one side lacks count as empty."""

UNEQUAL = ("prob", "link")
"""A file against itself need not score 1: what is merely probable, and NIL before an id, which a key overlooks."""

_OFFSETS = ("span ?offsets=utf-16", "span ?offsets=bytes")
_ROWS = ("label", "label ?header=no", "label ?several=rows", "label ?split=;", "label ?quotes=no", "label ?id=row",
         "label ?separator=semicolon", "label ?quotes=yes&header=yes")  # fmt: skip
WAYS: dict[str, tuple[str, ...]] = {
    "conllu": ("pos", "dep", "span", "coref", "tag:feats", "span ?broken=drop", "link", "coref ?broken=drop",
               "tag ?column=misc:Entity", "span ?column=xpos&repair=discard"),
    "columns": ("tag", "span", "tag ?column=2", "span ?scheme=bioes&repair=discard", "span ?header=yes",
                "tag ?word=none", "span ?comments=anywhere", "prob", "span ?scheme=iob1&repair=refuse"),
    "jsonl": ("label", "tag", "span", "coref", "link", "label ?several=rows", "label ?split=;", "prob",
              "span ?offsets=inclusive", *_OFFSETS),
    "brat": ("span", "link", "coref", "coref ?alone=drop", "coref ?relations=Coref", "span ?offsets=inclusive",
             *_OFFSETS),
    "conll2012": ("coref", "coref ?broken=drop", "coref ?word=none", "coref ?fields=etype-eid-other",
                  "coref ?word=3&pos=4"),
    "clusters": ("coref", "coref ?end=exclusive", "coref ?parts=suffix", "coref ?document=none"),
    "conllx": ("pos", "dep", "span ?column=deprel", "tag:feats"),
    "csv": _ROWS,
    "tsv": _ROWS,
    "hipe": ("span", "link", "span ?mentions=links", "tag ?column=NE-FINE-LIT", "span ?word=none", "link ?times=nil"),
    "inline-xml": ("span", "link", "span ?documents=line", "span ?escaped=no", "span ?names=docid"),
    "probabilistic": ("prob", "prob ?overlap=independent", "prob ?scale=percent", "prob ?residual=renormalise",
                      "prob ?semantics=independent&residual=other", "prob ?overlap=scale", "prob ?aggregate=min"),
    "parquet": ("label", "tag", "span", "coref", "prob", "label ?several=rows", "tag ?tags=label"),
    "elevant": ("link", "span", "link ?annotations=labels&label=type", *_OFFSETS),
    "label-studio": ("span", "span ?predictions=yes", "span ?annotations=last", "prob", *_OFFSETS),
    "prodigy": ("span", "span ?answers=all", "prob", *_OFFSETS),
    "spacy": ("span", "link", "span ?spans=sc", *_OFFSETS),
}  # fmt: skip
"""The tasks and options under which a format is read; others are read as spans, links and probable spans."""


MORE_WORDS = {
    "conllu": ("SpacesAfter=\\s\\n", "SpacesBefore=\\u00a0", "SpaceAfter=No", "\\ud800", "# newdoc id = ", "1-2",
               "1.1", "0.1", "# newpar", "Entity=", "(e1-", "e1)", "[1/2]", "|", "# global.Entity = eid-etype"),
    "conll2012": ("(1", "1)", "(1)", "|", "#begin document (a); part 001", "#end document", "[1/2]"),
    "columns": ("-DOCSTART-", "B-", "I-", "E-", "S-", "L-", "U-", "O", "# id = "),
    "llm": ("\\ud800", "\\\\ud800", "```json", "```", "'", "None", "True", ",]", "//"),
}  # fmt: skip
"""What else is put into files: signs with a meaning."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to read a file: for a task, with options, as a named format or as one that is to be told."""

    task: str
    format: str | None
    options: dict[str, str]

    def input(self, path: Path) -> Input:
        """Return the file as an input."""
        return Input(path=str(path), name=None, format=self.format, options=self.options)


def format_targets() -> Iterator[Target]:
    """Give a target for each format."""
    for name, each in find_formats().items():
        words = [word.encode() for word in (*each.options, *_words(name), *MORE_WORDS.get(name, ()))]
        minutes = 10 if name in LONG else 2
        yield Target(name=name, minutes=minutes, seeds=partial(_seeds, name), run=partial(run, name), words=words)


def _words(name: str) -> list[str]:
    """Return the texts of JSON and XML names in the seeds, so that they are put where they do not belong."""
    found: dict[str, None] = {}
    for pieces in seeds_of(name):
        for piece in pieces:
            text = piece.decode(errors="ignore")
            found |= dict.fromkeys(re.findall(r'"\w{1,20}"(?=\s*:)|(?<=<)/?\w{1,20}|^[#*]\s?\w+', text, re.MULTILINE))
    return [*found][:200]


@cache
def ways(name: str) -> tuple[Way, ...]:
    """Return all ways to read files of a format; in the last the format is to be told by its looks."""
    listed = WAYS.get(name, ("span", "link", "prob", *(_OFFSETS if "offsets" in find_formats()[name].options else ())))
    found = []
    for each in listed:
        task, _, query = each.partition(" ?")
        found.append(Way(task, name, dict(pair.split("=") for pair in query.split("&")) if query else {}))
    return (*found, Way(found[0].task, None, {}))


def _seeds(name: str) -> Iterator[bytes]:
    for number in range(len(ways(name))):
        for pieces in seeds_of(name):
            yield case(number, *pieces)
            yield case(number | AGAINST | EMPTY, *pieces)


@cache
def _other(name: str) -> Path:
    """Return the file that others are compared with: the first of the seeds."""
    names = names_of(name, find_formats()[name].suffixes[0])
    return put(f"{name}-other", names, seeds_of(name)[0]) / names[0]


def run(name: str, data: bytes) -> None:
    """Try a case of a format."""
    choice, pieces = taken_apart(data)
    names = names_of(name, find_formats()[name].suffixes[0])
    try_file(name, put(name, names, pieces) / names[0], choice)


def try_file(name: str, path: Path, choice: int) -> None:
    """Read a file, compare it, write it."""
    way = ways(name)[choice % AGAINST % len(ways(name))]
    given = way.input(path)
    try:
        _compare(name, way, given, choice)
        _write(name, way, given)
    except REFUSED as problem:
        if not 0 < len(str(problem).strip()) < LONGEST_ERROR:
            raise Contradiction("an error of no word, or of thousands") from problem


def _compare(name: str, way: Way, given: Input, choice: int) -> None:
    systems = {"same": given}
    if choice & AGAINST:
        systems["other"] = way.input(_other(name))
    missing: Missing | None = "empty" if choice & EMPTY else None
    rules = find_task(way.task)[0].rules
    compiled = rules and _compiled(rules)
    result = cp.compare(given, systems, task=way.task, missing=missing, rules=compiled, resamples=10)
    value = result.scores().value("same")
    if way.task not in UNEQUAL and name != "llm" and value is not None and abs(value - 1) > 1e-9:
        raise Contradiction(f"{way.task} of a file against itself is not 1")
    result.examples(top=3)
    if choice & AGAINST:
        result.difference("same", "other")


@cache
def _compiled(rules: str) -> RuleSet:
    """Load rules once: that costs more than reading a small file."""
    return rule_set(rules)


def _write(name: str, way: Way, given: Input) -> None:
    """Write what was read in its own format, and read it again."""
    task, column = find_task(way.task)
    if task.layer == "beliefs":
        return
    asked = Request(side="x", value=column, extra=TAGS if task.layer == "chains" else (), layer=task.layer)
    corpus = place_in_own_texts(read_input(given, asked, task.shape))
    if task.layer in {"values", "arcs"}:
        if corpus.format in WRITE:
            written_rows(corpus)
    elif corpus.format in find_writers() and task.layer in find_writer(corpus.format).layers:
        said = {"label": "type", "annotations": "labels"} if "label" in way.options and name == "elevant" else {}
        _write_spans(corpus, task.layer == "chains", said)


def _write_spans(corpus: Corpus, chains: bool, said: dict[str, str]) -> None:
    writer = find_writer(corpus.format)
    made = convert_corpus(corpus, writer, chained=chains)
    if not any(text.strip().strip("\ufeff") for text in made.files.values()):
        return  # of an empty text, which no reader accepts; at its begin a byte-order mark is none of it
    folder = put("again", [], [])
    for old in folder.iterdir():
        old.unlink()
    for file, text in made.files.items():
        (folder / (file.replace("/", "_") or f"out{writer.suffix}")).write_bytes(text.encode())
    spot = folder if writer.many else folder / f"out{writer.suffix}"
    asked = Request(side="x", value=None, extra=TAGS if chains else (), layer="chains" if chains else "spans")
    try:
        again = place_in_own_texts(
            read_input(Input(path=str(spot), name=None, format=writer.name, options=said), asked, "tokens")
        )
    except REFUSED as problem:
        raise Contradiction(f"{writer.name}: what was written cannot be read: {problem.what}") from problem
    if made.losses:
        return
    before, after = _content(corpus, chains), _content(again, chains)
    for what, mine in before.items():
        if mine != after[what]:
            raise Contradiction(f"{writer.name}: {what} are read as others than were written")


def _content(corpus: Corpus, chains: bool) -> dict[str, object]:
    """Return what documents say, kind by kind."""
    if corpus.raw is None and corpus.words is None:
        return {"spans": None if corpus.spans is None else len(corpus.spans)}
    found: list[Passage] = [*list_passages(corpus, Losses(), chained=chains)]
    if chains:
        return {"chains": chained.content(found)}
    kinds = ("names", "texts", "extents", "labels", "ids")  # a format may say more of spans than it was told
    rows: list[Any] = documents.content(found)
    rows = sorted((name, text, *zip(*spans, strict=True)) for name, text, spans in rows)  # as files are read by name
    return {kind: [row[at : at + 1] for row in rows] for at, kind in enumerate(kinds)}
