"""What a writer changes is noted or refused: every format is written with odd content and read back.

The content has been read from JSON lines before, as writers get what readers return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comparanda.core.corpus import Corpus, RawText
from comparanda.errors import ReadError, WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, Value, find_writers, list_passages
from tests.command import run
from tests.formats.writers.chained import document as chained
from tests.formats.writers.chained import losses_of, mention, read_chains
from tests.formats.writers.documents import read_files, written

WRITERS = [name for name, each in find_writers().items() if "spans" in each.layers]
TEXT = "Ada saw Rome . Bob left"
ADA, ROME = ((0, 3),), ((8, 12),)
BARE = Mention(ROME, "LOC")


def document(*mentions: Mention, name: str = "d", text: str = TEXT, **attributes: str) -> Passage:
    words = tuple((found.start(), found.end()) for found in re.finditer(r"\S+", text))
    sentences = (0, 4) if text == TEXT else (0,)
    return Passage(name=name, text=text, words=words, sentences=sentences, mentions=mentions, attributes=attributes)


def labelled(label: str) -> list[Passage]:
    return [document(Mention(ADA, label), BARE)]


def described(name: str, value: Value) -> list[Passage]:
    return [document(Mention(ADA, "PER", None, {name: value}), BARE)]


def linked(*ids: str) -> list[Passage]:
    return [document(Mention(ADA, "PER", ids), Mention(ROME, "LOC", ("Q220",)))]


def placed(*pieces: tuple[tuple[int, int], ...], label: str = "PER") -> list[Passage]:
    return [document(*(Mention(each, label) for each in pieces))]


def named(name: str) -> list[Passage]:
    return [document(Mention(ADA, "PER"), name=name), document(BARE, name="e")]


def worded(text: str) -> list[Passage]:
    return [document(Mention(((text.index("Ada"), text.index("Ada") + 3),), "PER"), text=text)]


COMMON: Mapping[str, list[Passage]] = {
    "a label with a bar": labelled("pi|pe"),
    "a label that means outside": labelled("O"),
    "a label with a prefix": labelled("B-PER"),
    "the label of formats without labels": labelled("ENTITY"),
    "a number": described("confidence", 0.5),
    "a score": described("score", 0.25),
    "a probability": described("probability", 0.25),
    "a class": described("class", "http://x/y"),
    "a truth": described("flag", True),
    "several ids": linked("Q1", "NIL"),
    "an id with a space": linked("a b"),
    "a span with an id and one without": [document(Mention(ADA, "PER", ("Q1",)), BARE)],
    "a discontinuous span": placed(((0, 3), (8, 12))),
    "nested spans": placed(((0, 12),), ROME),
    "crossing spans": placed(((0, 7),), ((4, 12),)),
    "two labels": [document(Mention(ADA, "PER"), Mention(ADA, "LOC"))],
    "a span given twice": placed(ADA, ADA),
    "a part of a word": placed(((0, 2),)),
    "an empty span": placed(((4, 4),)),
    "no spans": [document(), document(name="e")],
    "a document without spans": [document(Mention(ADA, "PER")), document(name="e")],
    "an empty document": [document(Mention(ADA, "PER")), document(name="e", text="")],
    "a name with a slash": named("a/b"),
    "a name with a space": named("a b"),
    "an attribute of documents": [document(BARE, genre="news")],
    "a title": [document(BARE, title="News")],
    "an empty line in the text": worded("Ada\n\nsaw"),
}

_VALUES: list[tuple[str, Value]] = [
    ("confidence", "low"), ("count", 3), ("a b", "x"), ("note", "x\ty"), ("note", "x\ny"), ("note", 'x"y'),
    ("note", " x "), ("note", "a;b=c|d"), ("type", "T"), ("name", "N"), ("start", "7"), ("end", 9),
    ("xml:lang", "en"), ("1a", "x"), ("note", "-"), ("note", "_"), ("note", "true"), ("note", "0.50"),
]  # fmt: skip

MORE: Mapping[str, list[Passage]] = {
    **{
        f"the label {label!r}": labelled(label)
        for label in (
            "I-X", "a b", "é", "a/b", "a,b", "a;b", "<b>", 'a"b', "PER=1", "#x", "_", "-", "a:b", "NIL", "(x)", "*",
            "1", "a\\b", "a%20b", "http://x/y#Z", "a+b", "Person", "a&amp;b", "a]b", "a||b", "|", "pe|pi",
            "sentence", "token",
        )
    },
    **{
        f"the value {value!r} of {name!r}": described(name, value)
        for name, value in _VALUES
    },
    **{
        f"the id {id_!r}": linked(id_)
        for id_ in ("NIL", "http://x/y", "a:b", "a,b", "é", "-", "_", "#1", "Q1;Q2", "a/b", "0", "a%20b")
    },
    "two ids": linked("Q1", "Q2"),
    "equal spans side by side": placed(ADA, ((4, 7),)),
    "a span that ends in a space": placed(((0, 4),)),
    "a span that begins in a space": placed(((3, 7),)),
    "a span of a space": placed(((3, 4),)),
    "a span across sentences": placed(((8, 18),)),
    "the first document without spans": [document(), document(Mention(ADA, "PER"), name="e")],
    "a text of spaces": [document(Mention(ADA, "PER")), document(name="e", text="  ")],
    "names that differ in case": [document(BARE, name="a"), document(BARE, name="A")],
    "numbers as names": [document(BARE, name="2"), document(Mention(ADA, "PER"), name="1")],
    "an odd attribute of documents": [document(BARE, **{"a b": "x\ty"})],
    **{
        f"the name {name!r}": named(name)
        for name in (
            "..", "é", "x#1", "1", "x.txt", "a.b.c", "/abs", "a\\b", "a:b", "-", "_", "http://x/y", "x;y", "x|y", "#",
            "a\tb", "doc.jsonl", "x ",
        )
    },
    **{
        f"the text {text!r}": worded(text)
        for text in (
            "  Ada saw", "Ada saw\n", "Ada\nsaw", "Ada\tsaw", "Ada  saw", "Ada\r\nsaw", "Ada e\u0301t", "😀 Ada",
            "Ada\u00a0saw", 'Ada <b> & "x"', "Ada \\ 'x'", "# Ada", "-DOCSTART- Ada", "Ada\u2028saw", "O Ada",
            "Ada ]] [[x]]", "1\tAda", "Ada\u200bsaw x",
        )
    },
}  # fmt: skip

SAID_OF = {
    "documents": "document",
    "names": r"name",
    "texts": r"text|white space|line break",
    "attributes of documents": r"of documents",
    "spans": r"span|labels",
    "labels": r"label|type",
    "ids": r"\bids?\b|link",
    "pieces": r"piece|gap|white space",
    "columns": r"of spans|of a span",
}
"""What a note must mention if this has changed."""


def read(folder: Path, name: str, given: list[Passage]) -> list[Passage]:
    """Read what was written; formats without texts get those of the input."""
    writer = find_writers()[name]
    corpus = read_files(folder, f"{'' if writer.many else f'out{writer.suffix}'}::{name}")
    return list(list_passages(_with_texts(corpus, given), Losses()))


def _with_texts(corpus: Corpus, given: list[Passage]) -> Corpus:
    if corpus.raw is not None or corpus.words is not None:
        return corpus
    texts, nowhere = {each.name: each.text for each in given}, np.zeros(0, np.int64)
    return replace(corpus, raw=RawText(tuple(texts[name] for name in corpus.documents.names), nowhere, nowhere))


def changes(before: list[Passage], after: list[Passage]) -> Iterator[str]:
    """Yield what differs, one word for each kind of difference; what is added is no loss."""
    one, other = (sorted(each, key=lambda passage: passage.name) for each in (before, after))
    if len(one) != len(other):
        yield "documents"
    there = {each.name: each for each in other}
    pairs = [(each, there[each.name]) for each in one if each.name in there]
    if len(pairs) < len(other):
        yield "names"
        pairs = [] if len(one) != len(other) else list(zip(before, after, strict=True))
    for mine, theirs in pairs:
        yield from _changes_of_document(mine, theirs)


def _changes_of_document(mine: Passage, theirs: Passage) -> Iterator[str]:
    if mine.text != theirs.text:
        yield "texts"
    if not mine.attributes.items() <= theirs.attributes.items():
        yield "attributes of documents"
    one, other = (sorted(each.mentions, key=lambda mention: mention.pieces) for each in (mine, theirs))
    if len(one) != len(other):
        yield "spans"
        return
    if sorted(each.label for each in one) != sorted(each.label for each in other):
        yield "labels"
    for left, right in zip(one, other, strict=True):
        if mine.text == theirs.text and left.pieces != right.pieces:
            yield "pieces"
        if (left.ids or ()) != (right.ids or ()):
            yield "ids"
        if not left.attributes.items() <= right.attributes.items():
            yield "columns"


def check(name: str, given: list[Passage], folder: Path) -> str | None:
    """Write documents and read them back; describe what has changed without a word."""
    written("jsonl", given, folder / "input")
    before = list(list_passages(read_files(folder / "input", "out.jsonl::jsonl"), Losses()))
    try:
        losses = written(name, before, folder / "output")
    except WriteError:
        return None
    notes = [str(note) for note in losses.notes("x")]
    try:
        found = set(changes(before, read(folder / "output", name, before)))
    except ReadError as problem:  # a format without texts and documents may have nothing to hold
        silent = [] if notes and not any(each.mentions for each in before) else [str(problem)]
    else:
        silent = [each for each in found if not any(re.search(SAID_OF[each], note) for note in notes)]
    if name == "hipe":  # it says where there is no white space, but its reader does not restore the text
        silent = [each for each in silent if each != "texts"]
    return f"{sorted(silent)} changed; notes: {notes}" if silent else None


def report(name: str, cases: Mapping[str, list[Passage]], folder: Path) -> dict[str, str]:
    found = {}
    for number, (case, given) in enumerate(cases.items()):
        if (problem := check(name, given, folder / str(number))) is not None:
            found[case] = problem
    return found


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_changed_is_noted_or_refused(name: str, tmp_path: Path) -> None:
    assert report(name, COMMON, tmp_path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_changed_is_noted_or_refused_in_odder_cases(name: str, tmp_path: Path) -> None:
    assert report(name, MORE, tmp_path) == {}


def test_convert_prints_what_is_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spans = [Mention(ADA, "pi|pe", ("Q7259",)), Mention(ROME, "LOC", ("Q220",))]
    written("jsonl", [document(*spans, name="1"), document(*spans, name="2")], tmp_path)

    def notes(name: str) -> list[str]:
        outcome = run(capsys, "convert", tmp_path / "out.jsonl", tmp_path / name, "--to", name)
        assert outcome.code == 0
        return [line for line in outcome.err.splitlines() if line.startswith("note: output")]

    assert notes("nif") == [
        "note: output: not written: the label 'pi|pe': it is written as 2 classes, which are read back as 'pe|pi': 2 "
        "(1, 2)"
    ]
    assert notes("elevant") == [
        "note: output: not written: the label of a span: it is written as its type, and read back as ENTITY without "
        "?label=type: 4 (1, 2, …)"
    ]


CHAIN_WRITERS = [name for name, each in find_writers().items() if "chains" in each.layers]
SENTENCE = "Anna met Bo and she told him that"
CHAINS: Mapping[str, list[Passage]] = {
    "two chains": [chained(SENTENCE, mention(0, 4, chain="1"), mention(9, 11, chain="2"), mention(16, 19, chain="1"))],
    "a chain with an odd name": [chained(SENTENCE, mention(0, 4, chain="(a|b"), mention(16, 19, chain="(a|b"))],
    "a singleton": [chained(SENTENCE, mention(0, 4, chain="1"))],
    "mentions without a chain": [chained(SENTENCE, mention(0, 4), mention(16, 19))],
    "a label": [chained(SENTENCE, replace(mention(0, 4, chain="1"), label="PER"), mention(16, 19, chain="1"))],
    "an odd label": [chained(SENTENCE, replace(mention(0, 4, chain="1"), label="a-(b|c"), mention(16, 19, chain="1"))],
    "a column": [chained(SENTENCE, mention(0, 4, chain="1", infstat="new"), mention(16, 19, chain="1"))],
    "a head": [chained(SENTENCE, mention(0, 11, chain="1", head=3), mention(16, 19, chain="1"))],
    "an id": [chained(SENTENCE, replace(mention(0, 4, chain="1"), ids=("Q1",)), mention(16, 19, chain="1"))],
    "a discontinuous mention": [chained(SENTENCE, mention(0, 4, 9, 11, chain="1"), mention(16, 19, chain="1"))],
    "a mention of two chains": [chained(SENTENCE, mention(0, 4, chain="1"), mention(0, 4, chain="2"))],
    "a mention given twice": [chained(SENTENCE, mention(0, 4, chain="1"), mention(0, 4, chain="1"))],
    "nested mentions": [chained(SENTENCE, mention(0, 11, chain="1"), mention(9, 11, chain="2"))],
    "crossing mentions of one chain": [chained(SENTENCE, mention(0, 8, chain="1"), mention(5, 11, chain="1"))],
    "a part of a word": [chained(SENTENCE, mention(0, 2, chain="1"), mention(16, 19, chain="1"))],
    "a mention of no words": [chained(SENTENCE, mention(5, 5, chain="1", zero=1), mention(16, 19, chain="1"))],
    "a document without mentions": [chained(SENTENCE, mention(0, 4, chain="1")), chained(SENTENCE, name="e")],
    "an attribute": [replace(chained(SENTENCE, mention(0, 4, chain="1")), attributes={"genre": "news"})],
}


def _members(passage: Passage) -> list[list[tuple[tuple[int, int], ...]]]:
    """Return the extents of each chain; names of chains are not compared, as some formats only number them."""
    found: dict[Value, list[tuple[tuple[int, int], ...]]] = {}
    for number, each in enumerate(passage.mentions):
        found.setdefault(each.attributes.get("chain", -number), []).append(each.pieces)
    return sorted(map(sorted, found.values()))


@pytest.mark.parametrize("name", CHAIN_WRITERS)
@pytest.mark.parametrize("case", CHAINS)
def test_what_is_changed_in_chains_is_noted_or_refused(name: str, case: str, tmp_path: Path) -> None:
    given = CHAINS[case]
    try:
        notes = losses_of(name, given, tmp_path)
    except WriteError:
        return
    writer = find_writers()[name]
    path = tmp_path if writer.many else tmp_path / f"out{writer.suffix}"
    after = [
        replace(each, mentions=tuple(map(_without_chain, each.mentions)), text=str(_members(each)))
        for each in list_passages(read_chains(path, name), Losses(), chained=True)
    ]
    before = [
        replace(each, mentions=tuple(map(_without_chain, each.mentions)), text=str(_members(each))) for each in given
    ]
    said = {**SAID_OF, "texts": r"gap|part|mention|span", "spans": r"mention|span"}
    found = set(changes(before, after))
    assert [each for each in found if not any(re.search(said[each], note) for note in notes)] == [], notes


def _without_chain(each: Mention) -> Mention:
    return replace(each, attributes={name: value for name, value in each.attributes.items() if name != "chain"})
