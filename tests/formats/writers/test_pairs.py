"""From every format that has texts to every format that can be written, and back: nothing changes unsaid."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.ids import NIL, split_ids
from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Passage, find_writers, list_passages
from tests.formats.corpora import said, spans
from tests.formats.writers.documents import random_documents, read_files, written
from tests.seeds import first_few, mostly_slow
from tests.shared_data import shared

WORDS = ("Anna", "Smith", "met", "Zoe", "in", "Lodz", "Tom", "and", "Uri")
LABELS = ("PER", "LOC", "ORG")
WITHOUT_TEXT = {"neleval", "tac", "web-annotation"}
NAMES = sorted(name for name, writer in find_writers().items() if "spans" in writer.layers)
SOURCES = [name for name in NAMES if name not in WITHOUT_TEXT]

OPTIONS = {"elevant": "?label=type&annotations=labels"}
"""What must be said to read back what is written: ELEVANT has types of labels, but none of mentions."""

Mention = tuple[str, int, int, str, tuple[str, ...]]


def plain(seed: int) -> list[Passage]:
    """Make documents that every format can carry: flat spans, one id each, plain words, single spaces."""
    made = random_documents(
        random.Random(seed), count=3, nested=False, ids=1, labels=LABELS, words=WORDS, spaces=(" ",)
    )
    return [each for each in made if each.mentions] or plain(seed + 1)


def read(name: str, folder: Path, options: str | None = None) -> Corpus:
    writer, told = find_writers()[name], OPTIONS.get(name, "") if options is None else options
    return read_files(folder, f"{'' if writer.many else f'out{writer.suffix}'}::{name}{told}")


def mentions(corpus: Corpus) -> list[Mention]:
    """Return all spans with their ids, as characters of the text where there is one."""
    if corpus.raw is None and corpus.words is None:
        ids = said(corpus, "id") if corpus.spans is not None and "id" in corpus.spans.columns else None
        found = [
            (*span, split_ids(ids[number]) if ids and ids[number] else ()) for number, span in enumerate(spans(corpus))
        ]
        return sorted(found)
    return sorted(
        (document.name, one.begin, one.end, one.label, one.ids or ())
        for document in list_passages(corpus, Losses())
        for one in document.mentions
    )


def without_ids(found: list[Mention]) -> list[tuple[str, int, int, str]]:
    return sorted(each[:4] for each in found)


def kept(before: Iterable[Passage], after: Iterable[Passage]) -> bool:
    """Whether all that documents say is said of them still; a format may say more."""
    for mine, theirs in zip(before, after, strict=True):
        one, other = (sorted(each.mentions, key=lambda span: (span.pieces, span.label)) for each in (mine, theirs))
        if (mine.name, mine.text) != (theirs.name, theirs.text) or len(one) != len(other):
            return False
        for span, again in zip(one, other, strict=True):
            same = (span.pieces, span.label, span.ids) == (again.pieces, again.label, again.ids)
            if not same or not span.attributes.items() <= again.attributes.items():
                return False
    return True


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", SOURCES)
def test_a_pair(source: str, target: str, tmp_path: Path) -> None:
    written(source, plain(sum(map(ord, source + target))), tmp_path / "one")
    first = list(list_passages(read(source, tmp_path / "one"), Losses()))
    losses = [note.what for note in written(target, first, tmp_path / "two").notes("x")]
    after = read(target, tmp_path / "two")
    before = sorted(
        (each.name, one.begin, one.end, one.label, one.ids or ()) for each in first for one in each.mentions
    )
    found = mentions(after)
    if any("name" in what for what in losses):
        found, before = ([("", *each[1:]) for each in some] for some in (found, before))
    assert without_ids(found) == without_ids(before)
    if not any({"id", "ids", "NIL", "linked"} & set(re.findall("[A-Za-z]+", what)) for what in losses):
        assert sorted(found) == sorted(before)
    if not losses:
        assert kept(first, list_passages(after, Losses()))


@pytest.mark.parametrize("source", sorted(WITHOUT_TEXT & set(NAMES)))
def test_what_has_no_text_is_written_nowhere_else(source: str, tmp_path: Path) -> None:
    written(source, plain(1), tmp_path)
    with pytest.raises(WriteError, match="the input has spans, but no text"):
        list(list_passages(read(source, tmp_path), Losses()))


REAL = {
    "time expressions of WikiWars": ("data/timex/wikiwars/gold", "/0[1-3]*.tml::inline-xml"),
    "KORE50": ("data/el/elevant/gold", "/kore50.benchmark.jsonl"),
    "WNUT-17": ("data/ner/wnut17/gold", "/emerging.test.annotated"),
    "GUM": ("data/coref/gum", "/**/GUM_bio_dvorak.conllu"),
}
"""Real files: with offsets in XML, with ids, with tags, with nested brackets."""


REFUSED = {
    ("GUM", "columns"): "two spans share words",
    ("GUM", "hipe"): "two spans share words",
    ("GUM", "spacy"): "overlap, but entities of spaCy cannot",
    ("KORE50", "inline-xml"): "the label 'ENTITY' .* is a reserved element name",
}
"""What cannot be written, and why."""


def quoted(documents: Iterable[Passage]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return labels, covered texts without regard to white space, and ids: what stays where texts are laid anew."""
    return sorted(
        (one.label, "".join(each.covered(one).split()), tuple(id_ for id_ in one.ids or () if id_ != NIL))
        for each in documents
        for one in each.mentions
    )


@cache
def real_passages(corpus: str) -> list[Passage]:
    folder, name = REAL[corpus]
    return list(list_passages(read_files(shared(folder), name.removeprefix("/")), Losses()))


@pytest.mark.parametrize("target", mostly_slow(NAMES, ("bioc", "brat", "conllu", "xmi")))
@pytest.mark.parametrize("corpus", first_few(1, REAL))
def test_real_files(corpus: str, target: str, tmp_path: Path) -> None:
    first = real_passages(corpus)
    if (corpus, target) in REFUSED:
        with pytest.raises(WriteError, match=REFUSED[corpus, target]):
            written(target, first, tmp_path)
        return
    losses = [note.what for note in written(target, first, tmp_path).notes("x")]
    after = read(target, tmp_path, "" if corpus == "KORE50" else None)  # its types are a column, not the labels
    assert after.spans is not None
    assert len(after.spans) == sum(len(each.mentions) for each in first)
    if after.raw is None and after.words is None:
        return
    found, before = quoted(list_passages(after, Losses())), quoted(first)
    if any({"id", "ids"} & set(re.findall("[a-z]+", what)) for what in losses):
        assert [each[:2] for each in found] == [each[:2] for each in before]
    else:
        assert found == before
