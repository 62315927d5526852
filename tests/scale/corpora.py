"""Random corpora of many documents in files of all kinds, for comparisons in parts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests import random_beliefs, random_chains
from tests.tasks.random_links import SYSTEMS, links

SIDES = ("key", "crf", "bert", "rules")
SHUFFLED = "bert"
"""The system whose documents stand in another order, where documents have names."""

WORDS = ("Anna", "went", "to", "New", "York", "naïve", ",", "Bank", "of", "England")
TAGS = ("NOUN", "VERB", "ADP", "PROPN", "PUNCT")
LABELS = ("PER", "LOC", "ORG", "MISC")
SPLIT = "England"
"""A word that the last system cuts in two."""

Sentence = list[str]
Given = dict[str, Any]
"""What to compare, by side."""

Writer = Callable[[Path, random.Random, int], Given]
"""Writes a corpus of a number of documents into a folder, and returns what to compare."""


@dataclass(frozen=True)
class Kind:
    """A kind of corpora.

    Args:
        task: the task.
        write: what writes such a corpus.
        settings: how it is compared.

    """

    task: str
    write: Writer
    settings: Mapping[str, Any] = field(default_factory=dict)


def texts(draw: random.Random, size: int) -> dict[str, list[Sentence]]:
    """Make documents of some sentences, by name; names are in no order."""
    numbers = draw.sample(range(100, 100 + 9 * size), size)
    return {
        f"d{number}": [[draw.choice(WORDS) for _ in range(draw.randint(1, 7))] for _ in range(draw.randint(1, 3))]
        for number in numbers
    }


def said(draw: random.Random, side: str, gold: list[str], choice: Sequence[str]) -> list[str]:
    """Return what a side says where the key says something: the same, or by chance something else."""
    return [each if side == "key" or draw.random() < 0.8 else draw.choice(choice) for each in gold]


def in_order(draw: random.Random, side: str, documents: Sequence[Any]) -> list[Any]:
    """Return documents in the order in which a side has them."""
    return draw.sample(documents, len(documents)) if side == SHUFFLED else list(documents)


def put(path: Path, text: str) -> str:
    """Write a file and return its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return str(path)


# Tokens in columns


def unnamed_tags(folder: Path, draw: random.Random, size: int) -> Given:
    """Tags between `-DOCSTART-` without names; the last system cuts a word in two."""
    documents = texts(draw, size)
    gold = {name: [[draw.choice(TAGS) for _ in words] for words in each] for name, each in documents.items()}
    found = {}
    for side in SIDES:
        lines = []
        for name, sentences in documents.items():
            lines += ["-DOCSTART- -X- O", ""]
            for words, tags in zip(sentences, gold[name], strict=True):
                for word, tag in zip(words, said(draw, side, tags, TAGS), strict=True):
                    halves = ("Eng", "land") if side == SIDES[-1] and word == SPLIT else (word,)
                    lines += [f"{half} x {tag}" for half in halves]
                lines.append("")
        found[side] = put(folder / f"{side}.conll", "\n".join(lines) + "\n") + "::columns"
    return found


def chunks(draw: random.Random, length: int, *, first: str = "B") -> list[str]:
    """Make chunk tags; in IOB1, `first` is I and B- only stands where it must."""
    tags: list[str] = []
    while len(tags) < length:
        if draw.random() < 0.5:
            tags.append("O")
            continue
        label, width = draw.choice(LABELS), draw.randint(1, 3)
        begin = first if first == "B" or not tags or not tags[-1].endswith(f"-{label}") else "B"
        tags += [f"{begin}-{label}", *[f"I-{label}"] * (width - 1)][: length - len(tags)]
    return tags


def chunk_tags(first: str, *, named: bool) -> Writer:
    """Spans as chunk tags; of documents with names one side has another order."""

    def write(folder: Path, draw: random.Random, size: int) -> Given:
        documents = texts(draw, size)
        # in the first half there is no tag that tells IOB1 from others
        gold = {
            name: [chunks(draw, len(words), first=first) if place > size // 2 else _plain(words) for words in each]
            for place, (name, each) in enumerate(documents.items())
        }
        found = {}
        for side in SIDES:
            lines = []
            for name in in_order(draw, side, list(documents)) if named else documents:
                lines.append(f"# newdoc id = {name}" if named else "-DOCSTART- O\n")
                for words, tags in zip(documents[name], gold[name], strict=True):
                    mine = tags if side == "key" or draw.random() < 0.6 else chunks(draw, len(words), first=first)
                    lines += [f"{word}\t{tag}" for word, tag in zip(words, mine, strict=True)] + [""]
            found[side] = put(folder / f"{side}.conll", "\n".join(lines) + "\n") + "::columns"
        return found

    return write


def _plain(words: Sentence) -> list[str]:
    return ["I-LOC" if word == "York" else "O" for word in words]


# One document without a mark


def unmarked(write: Writer) -> Writer:
    """Return what writes the same without the lines that begin documents."""

    def without(folder: Path, draw: random.Random, size: int) -> Given:
        found = write(folder, draw, size)
        for given in found.values():
            path = Path(given.partition("::")[0])
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join(line for line in lines if not line.startswith((b"-DOC", b"# newdoc", b"# meta"))))
        return found

    return without


def sentence_lines(folder: Path, draw: random.Random, size: int) -> Given:
    """Sentences with lists of words and tags, a line each, no document named."""
    sentences = [words for each in texts(draw, size).values() for words in each]
    gold = [[draw.choice(TAGS) for _ in words] for words in sentences]
    found = {}
    for side in SIDES:
        given = [
            {"tokens": words, "tags": said(draw, side, tags, TAGS)} for words, tags in zip(sentences, gold, strict=True)
        ]
        found[side] = put(folder / f"{side}.jsonl", "".join(json.dumps(each) + "\n" for each in given))
    return found


def probable_sentences(folder: Path, draw: random.Random, size: int) -> Given:
    """Sentences with the probabilities of tags, no document named."""
    made = random_beliefs.random_sentences(folder, draw.randrange(1000), size)
    return made.written()


# CoNLL-U


def word_line(number: int | str, word: str, **cells: str) -> str:
    """Write a line of CoNLL-U."""
    names = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    return "\t".join([str(number), word, *(cells.get(name, "_") for name in names)])


def trees(folder: Path, draw: random.Random, size: int, *, shuffled: bool = True) -> Given:
    """Trees with tags; some words are one token, some sentences are cut otherwise, some lines end by CRLF."""
    documents = texts(draw, size)
    found = {}
    for side in SIDES:
        lines = []
        for name in in_order(draw, side, list(documents)) if shuffled else documents:
            same = random.Random(name)  # the key's trees are the same whoever begins with them
            lines += [f"# newdoc id = {name}", f"# meta::genre = {same.choice(('news', 'blog'))}"]
            for number, words in enumerate(documents[name]):
                lines += [f"# sent_id = {name}-{number}", *_tree(same, draw, side, words), ""]
        text = "\n".join(lines) + "\n"
        if side == "rules":
            text = text.replace("VERB\t_\t_\t1\t", "VERB\t_\t_\t0\t").replace("\n\n", "\r\n\r\n")
        found[side] = put(folder / f"{side}.conllu", text)
    return found


def _tree(same: random.Random, draw: random.Random, side: str, words: Sentence) -> list[str]:
    heads = [same.randrange(number) if number > 1 else 0 for number in range(1, len(words) + 1)]
    tags = [same.choice(TAGS) for _ in words]
    names = ["root" if head == 0 else same.choice(("nsubj", "obj", "punct", "nmod:poss")) for head in heads]
    if side != "key" and draw.random() < 0.5:
        heads = [draw.randrange(number) if number > 1 else 0 for number in range(1, len(words) + 1)]
        tags, names = said(draw, side, tags, TAGS), said(draw, side, names, ("nsubj", "obj"))
    lines = []
    for number, (word, head, tag, name) in enumerate(zip(words, heads, tags, names, strict=True), start=1):
        if number == 1 and len(words) > 2 and side != "bert":
            lines.append(word_line("1-2", word + words[1]))
        lines.append(word_line(number, word, upos=tag, head=str(head), deprel=name))
    return lines


# Rows


def rows(folder: Path, draw: random.Random, size: int, *, documents: bool) -> Given:
    """Rows with ids and labels, in another order on one side."""
    ids = [f"r{number}" for number in draw.sample(range(10_000), 4 * size)]
    gold = [draw.choice(LABELS) for _ in ids]
    found = {}
    for side in SIDES:
        labels = said(draw, side, gold, LABELS)
        given = [
            {"id": name, "doc": f"d{place // 4}", "text": f'a, "b"\nc {place}', "label": label}
            for place, (name, label) in enumerate(zip(ids, labels, strict=True))
        ]
        given = in_order(draw, side, given)
        if documents:
            lines = ["id,doc,text,label"]
            lines += [
                f'{row["id"]},{row["doc"]},"{row["text"].replace(chr(34), chr(34) * 2)}",{row["label"]}'
                for row in given
            ]
            found[side] = put(folder / f"{side}.csv", "\n".join(lines) + "\n") + "::csv?document=doc"
        else:
            found[side] = put(folder / f"{side}.jsonl", "".join(json.dumps(row) + "\n" for row in given))
    return found


# Texts with spans


def spans(draw: random.Random, text: str) -> list[Given]:
    """Make spans of a text's words."""
    begins = [0, *(place + 1 for place, sign in enumerate(text) if sign == " ")]
    found = []
    for begin in draw.sample(begins, draw.randint(0, min(4, len(begins)))):
        end = text.find(" ", begin + draw.choice((0, 0, 5)))
        found.append({"begin": begin, "end": end if end > 0 else len(text), "label": draw.choice(LABELS)})
    return found


def with_spans(draw: random.Random, size: int) -> dict[str, list[Given]]:
    """Make documents with a text and spans, for each side."""
    plain = {name: " ".join(word for words in each for word in words) for name, each in texts(draw, size).items()}
    gold = {name: spans(draw, text) for name, text in plain.items()}
    found = {}
    for side in SIDES:
        given = []
        for name, text in plain.items():
            mine = [each for each in gold[name] if side == "key" or draw.random() < 0.7]
            more = spans(draw, text)[:1] if side != "key" and draw.random() < 0.5 else []
            given.append({"id": name, "text": text, "spans": [*mine, *more]})
        found[side] = in_order(draw, side, given)
    return found


def records(folder: Path, draw: random.Random, size: int) -> Given:
    """Texts with spans, a line each."""
    return {
        side: put(folder / f"{side}.jsonl", "".join(json.dumps(each) + "\n" for each in given))
        for side, given in with_spans(draw, size).items()
    }


def brat(folder: Path, draw: random.Random, size: int) -> Given:
    """Folders of annotations, a file each."""
    for side, given in with_spans(draw, size).items():
        for each in given:
            lines = [
                f"T{number}\t{span['label']} {span['begin']} {span['end']}\t{each['text'][span['begin'] : span['end']]}"
                for number, span in enumerate(each["spans"], start=1)
            ]
            put(folder / side / f"{each['id']}.txt", each["text"])
            put(folder / side / f"{each['id']}.ann", "\n".join([*lines, "R1\tOwns Arg1:T1 Arg2:T2"]) + "\n")
    return {side: f"{folder / side}::brat" for side in SIDES}


def linked(folder: Path, draw: random.Random, size: int) -> Given:
    """Spans with ids of entities."""
    made = links(draw.randrange(1000), size)
    return {
        side: put(
            folder / f"{side}.jsonl",
            "".join(
                json.dumps(each) + "\n" for each in (made.given(side) if side != SYSTEMS[1] else made.given(side)[::-1])
            ),
        )
        for side in ("key", *SYSTEMS)
    }


# Chains


def brackets(folder: Path, draw: random.Random, size: int) -> Given:
    """Chains as brackets of CoNLL-2012; two systems have documents that the key does not have."""
    kind = random_chains.Kind(foreign=(1, size // 2, size - 2), other_words=(3, size - 1))
    made = random_chains.random_chains(folder, draw.randrange(1000), kind, size)
    found = {}
    for side in random_chains.SIDES:
        documents = [each for group in made.documents for each in group]
        order = documents[::-1] if side == "neural" else documents
        lines = [line for each in order for line in each.lines(side, tags=True)]
        found[side] = put(folder / f"{side}.conll", "\n".join(lines) + "\n") + "::conll2012"
    return found


def clusters(folder: Path, draw: random.Random, size: int) -> Given:
    """Chains as lists of pairs."""
    made = random_chains.random_chains(folder, draw.randrange(1000), random_chains.Kind(), size)
    found = {}
    for side in random_chains.SIDES:
        lines = []
        for (each,) in made.documents:
            chains = each.chains[side] or {}
            pairs = [
                [list(piece) for mention in chain if len(mention) == 1 for piece in mention]
                for chain in chains.values()
            ]
            said_of = {"doc_key": each.name, "sentences": each.sentences, "clusters": [pair for pair in pairs if pair]}
            lines.append(json.dumps(said_of) + "\n")
        found[side] = put(folder / f"{side}.jsonl", "".join(lines[::-1] if side == "neural" else lines)) + "::clusters"
    return found


def entities(folder: Path, draw: random.Random, size: int) -> Given:
    """Chains as brackets in MISC, with tags of parts of speech; the types of fields are told once, at the begin."""
    documents = texts(draw, size)
    found = {}
    for side in SIDES:
        lines = ["# global.Entity = eid-etype-head-other"]
        for name in in_order(draw, side, list(documents)):
            same = random.Random(name)
            lines += [f"# newdoc id = {name}"]
            for number, words in enumerate(documents[name]):
                lines.append(f"# sent_id = {name}-{number}")
                for place, word in enumerate(words, start=1):
                    gold, guess = same.choice((None, *"abc")), draw.choice("abc")
                    chain = gold if side == "key" or draw.random() < 0.7 else guess
                    tag = "PRON" if word in {"to", "of"} else "PROPN"
                    misc = f"Entity=({name}{chain}-person-1)" if chain else "_"
                    lines.append(word_line(place, word, upos=tag, head=str(place - 1), deprel="dep", misc=misc))
                lines.append("")
        found[side] = put(folder / f"{side}.conllu", "\n".join(lines) + "\n")
    return found


# Probabilities


def beliefs(folder: Path, draw: random.Random, size: int) -> Given:
    """Blocks, best analyses and certain spans."""
    kind = random_beliefs.Kind(backwards=("crf",))
    made = random_beliefs.random_beliefs(folder, draw.randrange(1000), kind, size)
    return {side: str(path) for side, path in made.written().items()}


KINDS = {
    "tag in columns": Kind("tag", unnamed_tags),
    "tag in CoNLL-U": Kind("pos", trees),
    "dep": Kind("dep", trees),
    "label in CSV": Kind("label", partial(rows, documents=True)),
    "label in JSONL": Kind("label", partial(rows, documents=False)),
    "span in BIO": Kind("span", chunk_tags("B", named=False)),
    "span in IOB1": Kind("span", chunk_tags("I", named=True)),
    "span in JSONL": Kind("span", records),
    "span in brat": Kind("span", brat),
    "link": Kind("link", linked),
    "coref in CoNLL-2012": Kind("coref", brackets),
    "coref in CoNLL-U": Kind("coref", entities),
    "coref in clusters": Kind("coref", clusters),
    "prob": Kind("prob", beliefs),
    "tag without documents": Kind("tag", unmarked(unnamed_tags)),
    "tag in JSONL without documents": Kind("tag", sentence_lines),
    "dep without documents": Kind("dep", unmarked(partial(trees, shuffled=False))),
    "span without documents": Kind("span", unmarked(chunk_tags("I", named=False))),
    "prob without documents": Kind("prob", probable_sentences),
}
