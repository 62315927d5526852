"""Thirty systematic mistakes in files, none of which is scored without a word.

Each is made in an output that is right but for the mistake. What is said names the mistake: in a note, or in an error.
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.command import run

Span = dict[str, Any]
Record = dict[str, Any]

NAMES = {
    "Müller": "PER",
    "Čapek": "PER",
    "Zoë Smith": "PER",
    "São Paulo": "LOC",
    "Köln": "LOC",
    "Lake Geneva": "LOC",
    "Nokia": "ORG",
    "Crédit Agricole": "ORG",
    "Siemens AG": "ORG",
}
OTHER_NAME = {"PER": "PERSON", "LOC": "LOCATION", "ORG": "ORGANIZATION"}


def documents() -> list[Record]:
    """Twelve documents of four sentences with one or two names each, with accents and an emoji."""
    draw, found = random.Random(5), []
    for number in range(12):
        text, spans = "", []
        for _ in range(4):
            text += draw.choice(["Yesterday ", "In 2019, ", "“Well”, said ", "The café of ", "😀 Later "])
            for _ in range(draw.randint(1, 2)):
                name = draw.choice(list(NAMES))
                begin = len(text)
                text += name + draw.choice([" met ", " went to ", " and ", " bought "])
                entity = {"start": begin, "end": begin + len(name), "label": NAMES[name], "id": f"Q{len(name) * 7}"}
                spans.append(entity)
            text += "nobody else . "
        found.append({"id": f"d{number + 1:02}", "text": text, "spans": spans})
    return found


KEY = documents()


def changed(change: Callable[[str, Span], object]) -> list[Record]:
    """Apply a change to every span of the key; it is called with the text and the span."""
    found: list[Record] = json.loads(json.dumps(KEY))
    for record in found:
        for span in record["spans"]:
            change(record["text"], span)
    return found


def moved(measure: Callable[[str], int]) -> list[Record]:
    """Count offsets in other units than characters."""
    return changed(lambda text, span: span.update({each: measure(text[: span[each]]) for each in ("start", "end")}))


def with_records(change: Callable[[Record], object]) -> list[Record]:
    found: list[Record] = json.loads(json.dumps(KEY))
    for record in found:
        change(record)
    return found


def word_by_word(record: Record) -> None:
    """Give each word of a span as a span of its own."""
    record["spans"] = [
        {"start": span["start"] + word.start(), "end": span["start"] + word.end(), "label": span["label"]}
        for span in record["spans"]
        for word in re.finditer(r"\S+", record["text"][span["start"] : span["end"]])
    ]


def write_records(path: Path, records: Iterable[Record]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


Rows = list[list[tuple[str, str]]]


def tagged() -> Rows:
    """The same sentences as words with BIO tags."""
    found = []
    for record in KEY:
        sentence = []
        for word in re.finditer(r"\S+", record["text"]):
            inside = [span for span in record["spans"] if span["start"] <= word.start() < span["end"]]
            first = inside and inside[0]["start"] == word.start()
            sentence.append((word[0], f"{'B' if first else 'I'}-{inside[0]['label']}" if inside else "O"))
            if word[0] == ".":
                found.append(sentence)
                sentence = []
    return found


ROWS = tagged()


def write_rows(path: Path, rows: Rows) -> Path:
    sentences = ("".join(f"{word} {tag}\n" for word, tag in sentence) for sentence in rows)
    path.write_text("\n".join(sentences), encoding="utf-8")
    return path


def one_row_late(rows: Rows) -> Rows:
    """Give each word the tag of the word before it."""
    tags = iter(["O", *(tag for sentence in rows for _, tag in sentence)])
    return [[(word, next(tags)) for word, _ in sentence] for sentence in rows]


LABELS = [(f"r{number}", random.Random(number).choice(["billing", "tech", "sales", "other"])) for number in range(60)]
NEXT = {"billing": "tech", "tech": "sales", "sales": "other", "other": "billing"}


def write_labels(path: Path, rows: Iterable[Sequence[object]], head: str = "id,label") -> Path:
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in (head.split(","), *rows)))
    return path


Node = tuple[str, str, int, str]
TREE: tuple[Node, ...] = (
    ("The", "DET", 2, "det"),
    ("cat", "NOUN", 3, "nsubj"),
    ("sees", "VERB", 0, "root"),
    ("a", "DET", 5, "det"),
    ("dog", "NOUN", 3, "obj"),
)


def plain_row(number: int, node: Node) -> list[object]:
    word, tag, head, relation = node
    return [number, word, word.lower(), tag, tag[:2], "_", head, relation, "_", "_"]


def with_relation(number: int, node: Node) -> list[object]:
    """Write relations in upper case."""
    return plain_row(number, (*node[:3], node[3].upper()))


def with_head(number: int, node: Node) -> list[object]:
    """Count words from zero."""
    return plain_row(number, (*node[:2], max(node[2] - 1, 0), node[3]))


def write_trees(path: Path, row: Callable[..., list[object]]) -> Path:
    sentence = "".join("\t".join(map(str, row(number, node))) + "\n" for number, node in enumerate(TREE, start=1))
    path.write_text("".join(f"# sent_id = {number}\n{sentence}\n" for number in range(20)))
    return path


MENTIONS = tuple(
    zip(
        ["Ann", "saw", "the", "dog", "and", "she", "fed", "it"],
        ["(1)", "-", "(2", "2)", "-", "(1)", "-", "(2)"],
        strict=True,
    )
)


def write_chains(path: Path, change: Callable[[int, int, str], str]) -> Path:
    """Write eight sentences about the same two chains; brackets are changed by sentence and word number."""
    lines = ["#begin document (d1); part 000"]
    for sentence in range(8):
        lines += [f"d1 0 {n} {word} {change(sentence, n, mark)}" for n, (word, mark) in enumerate(MENTIONS)]
        lines.append("")
    path.write_text("\n".join([*lines, "#end document", ""]))
    return path


@dataclass(frozen=True)
class Mistake:
    """A mistake: the task, what writes the key and the output, and what must be said."""

    name: str
    task: str
    write: Callable[[Path, Any], Path]
    key: Any
    output: Any
    said: str
    suffix: str


def of_spans(name: str, output: Any, said: str) -> Mistake:
    return Mistake(name, "span", write_records, KEY, output, said, "jsonl")


def of_links(name: str, rewrite: Callable[[str], str], said: str) -> Mistake:
    output = changed(lambda _, span: span.update(id=rewrite(span["id"])))
    return Mistake(name, "link", write_records, KEY, output, said, "jsonl")


def of_rows(name: str, output: Rows, said: str, task: str = "span") -> Mistake:
    return Mistake(name, task, write_rows, ROWS, output, said, "iob2")


def of_labels(name: str, output: Any, said: str) -> Mistake:
    return Mistake(name, "label", write_labels, LABELS, output, said, "csv")


def of_trees(name: str, row: Callable[..., list[object]], said: str, task: str = "dep") -> Mistake:
    return Mistake(name, task, write_trees, plain_row, row, said, "conllu")


def of_chains(name: str, change: Callable[[int, int, str], str], said: str) -> Mistake:
    return Mistake(name, "coref", write_chains, lambda _sentence, _word, mark: mark, change, said, "conll")


MISTAKES = (
    # offsets
    of_spans("inclusive ends", changed(lambda _, span: span.update(end=span["end"] - 1)), "offsets=inclusive"),
    of_spans("offsets from one", changed(lambda _, s: s.update(start=s["start"] + 1, end=s["end"] + 1)), "base=1"),
    of_spans("a space after", changed(lambda _, span: span.update(end=span["end"] + 1)), "strip=yes"),
    of_spans("bytes", moved(lambda text: len(text.encode())), "inside a word"),
    of_spans("UTF-16 units", moved(lambda text: len(text.encode("utf-16-le")) // 2), "inside a word"),
    of_spans("emoji not counted", moved(lambda text: len(text) - text.count("😀")), "inside a word"),
    of_spans("word numbers", moved(lambda text: len(text.split())), "inside a word"),
    of_spans("a length for an end", changed(lambda _, s: s.update(end=s["end"] - s["start"])), "before it begins"),
    of_rows("tags one row late", one_row_late(ROWS), "one word earlier: 77"),
    # encodings
    of_spans(
        "UTF-8 read as Latin-1",
        with_records(lambda r: r.update(text=r["text"].encode().decode("latin-1"))),
        "the text differs",
    ),
    of_spans(
        "HTML entities", with_records(lambda r: r.update(text=r["text"].replace("“", "&ldquo;"))), "the text differs"
    ),
    # ids
    of_spans(
        "other documents' spans",
        [{**r, "spans": s["spans"]} for r, s in zip(KEY, KEY[1:] + KEY[:1], strict=True)],
        "check that this is the annotated text",
    ),
    of_spans("numbers for names, shuffled", [{**r, "id": str(n)} for n, r in enumerate(KEY[::-1])], "the text differs"),
    of_labels("ids from zero", [(n, label) for n, (_, label) in enumerate(LABELS)], "60 of the key's ids missing"),
    of_links("URIs for ids", lambda id_: f"http://www.wikidata.org/entity/{id_}", "if written differently"),
    of_links("lower-case ids", str.lower, "(q77 for Q77"),
    of_links("titles for ids", lambda id_: f"Page_{id_}", "ids, none of which the key uses"),
    # labels
    of_spans("lower-case labels", changed(lambda _, s: s.update(label=s["label"].lower())), "--fold-case"),
    of_spans(
        "long labels", changed(lambda _, s: s.update(label=OTHER_NAME[s["label"]])), "PER ×34, likely PERSON (100 %)"
    ),
    of_spans("labels with B-", changed(lambda _, s: s.update(label="B-" + s["label"])), "likely B-LOC (100 %)"),
    of_spans(
        "two labels swapped",
        changed(lambda _, s: s.update(label={"PER": "LOC", "LOC": "PER"}.get(s["label"], "ORG"))),
        "look swapped, given what the key has in the same places (--map renames labels): 2",
    ),
    of_labels("every label the next", [(name, NEXT[label]) for name, label in LABELS], "renames labels): 4"),
    of_trees("relations in upper case", with_relation, "root ×20, likely ROOT"),
    # columns
    of_trees("five columns", lambda *row: plain_row(*row)[:5], "expected CoNLL-U, as the file is named", "pos"),
    of_trees("heads from zero", with_head, "one too low"),
    of_rows("chunk tags as tags", ROWS, "--task span", "tag:2"),
    # duplicates
    of_spans("each span twice", with_records(lambda r: r.update(spans=r["spans"] * 2)), "given twice"),
    of_spans("the file twice", KEY + KEY, "duplicate document 'd01'"),
    of_spans("each word a span", with_records(word_by_word), "adjacent pieces of the same label; join them: 45"),
    # shuffled or cut
    of_rows("sentences shuffled", random.Random(1).sample(ROWS, len(ROWS)), "the text differs"),
    of_spans("only half", [*KEY[:6], *({**record, "spans": []} for record in KEY[6:])], "was it cut off?: 38"),
    of_spans("nothing", with_records(lambda r: r.update(spans=[])), "the output is empty; the key has spans: 77"),
    # chains
    of_chains(
        "chain numbers by sentence",
        lambda s, _, mark: re.sub(r"\d", lambda found: str(int(found[0]) + 10 * s), mark),
        "none of which leaves its sentence",
    ),
    of_chains("one chain", lambda _s, _n, mark: mark.replace("2", "1"), "all mentions form one chain: 1"),
    of_chains(
        "mentions alone",
        lambda sentence, word, mark: re.sub(r"\d", str(sentence * 10 + word // 2), mark),
        "each alone in its chain: 32",
    ),
)


def test_there_are_thirty() -> None:
    assert len({mistake.name for mistake in MISTAKES}) >= 30


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name.replace(" ", "-"))
def test_a_mistake_is_not_scored_without_a_word(
    mistake: Mistake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = mistake.write(tmp_path / f"key.{mistake.suffix}", mistake.key)
    output = mistake.write(tmp_path / f"out.{mistake.suffix}", mistake.output)
    done = run(capsys, "score", key, f"sys={output}", "--task", mistake.task, "--resamples", 0)
    assert done.code in {0, 3}
    assert mistake.said in done.err


@pytest.mark.parametrize("kind", range(6))
def test_nothing_is_said_about_an_output_without_mistakes(
    kind: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {(mistake.write, mistake.task): mistake for mistake in MISTAKES if mistake.task in {"span", "link", "dep"}}
    found |= {(mistake.write, mistake.task): mistake for mistake in MISTAKES if mistake.task in {"label", "coref"}}
    mistake = list(found.values())[kind]
    key = mistake.write(tmp_path / f"key.{mistake.suffix}", mistake.key)
    same = mistake.write(tmp_path / f"out.{mistake.suffix}", mistake.key)
    done = run(capsys, "score", key, f"sys={same}", "--task", mistake.task, "--resamples", 0)
    assert done.code == 0
    assert "sys" not in done.err


def test_offsets_in_a_text_of_another_normal_form_are_no_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output decomposes accents (NFD), and its offsets count the characters of its own text."""
    records = moved(lambda text: len(unicodedata.normalize("NFD", text)))
    for record in records:
        record["text"] = unicodedata.normalize("NFD", record["text"])
    key, output = write_records(tmp_path / "key.jsonl", KEY), write_records(tmp_path / "out.jsonl", records)
    done = run(capsys, "score", key, output, "--task", "span", "--resamples", 0, "--json")
    (f1,) = [each["value"] for each in done.json["scores"]["scores"] if each["measure"] == "f1"]
    assert f1 == 1.0
