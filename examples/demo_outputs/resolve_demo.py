"""Resolve the coreference of the demo text and write one CoNLL-2012 file, word and brackets, for each resolver.

    python resolve_demo.py NAME ... [--folder FOLDER] [--npm FOLDER] [--xrenner PYTHON]

`xrenner` and `xrenner_rules` get the words of the key with trees that `parse_demo.py` makes of them; `compromise` gets
the text of each document, and its characters are aligned with the words. `README.md` says which resolver needs what.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from recognise_demo import DEMO, HERE, run

BRACKET = re.compile(r"\((\d+)\)|\((\d+)|(\d+)\)")

Mention = tuple[int, int]  # first word, the one after the last, counted in the document
Chains = list[set[Mention]]


@dataclass(frozen=True)
class Document:
    """A document of the key: its name, and the words and the text of its sentences."""

    name: str
    sentences: list[list[str]]
    texts: list[str]

    @property
    def text(self) -> str:
        """Return the text, a sentence a line."""
        return "\n".join(self.texts)

    def places(self) -> list[tuple[int, int]]:
        """Return where each word stands in the text of the document: its first character, and the one after it."""
        found, position = [], 0
        for word in (word for sentence in self.sentences for word in sentence):
            begin = self.text.index(word, position)
            position = begin + len(word)
            found.append((begin, position))
        return found


@dataclass(frozen=True)
class Tools:
    """Where the resolvers are: the folder with `node_modules`, and the Python that has xrenner."""

    npm: Path
    xrenner: str


Resolver = Callable[[list[Document], Tools], Iterator[Chains]]


def compromise(key: list[Document], tools: Tools) -> Iterator[Chains]:
    """Run compromise, a lexicon with rules, which says what *he*, *she* and *they* refer to.

    Of *she's*, which is one word for it, the first part is the mention.
    """
    given = json.dumps([document.text for document in key])
    found = run(["node", str(HERE / "chains_demo.cjs")], given, NODE_PATH=str(tools.npm / "node_modules"))
    for document, links in zip(key, json.loads(found), strict=True):
        places = document.places()
        mentions = [[_words(places, *place) for place in link] for link in links]
        yield linked([[(pronoun[0], pronoun[0] + 1), reference] for pronoun, reference in mentions])


def _words(places: list[tuple[int, int]], start: int, end: int) -> Mention:
    """Return the words from a character to another."""
    inside = [at for at, (begin, stop) in enumerate(places) if begin < end and stop > start]
    return inside[0], inside[-1] + 1


def linked(links: list[list[Mention]]) -> Chains:
    """Return the chains that links between mentions make."""
    chains: Chains = []
    for link in links:
        touched = [chain for chain in chains if chain & set(link)]
        chains = [chain for chain in chains if chain not in touched] + [set(link).union(*touched)]
    return chains


def xrenner_resolver(kind: str) -> Resolver:
    """Make a resolver of xrenner, which reads trees: with its classifiers, or by its rules alone."""

    def resolve(key: list[Document], tools: Tools) -> Iterator[Chains]:
        from parse_demo import parser

        parse = parser()
        with tempfile.TemporaryDirectory() as folder:
            for document in key:
                trees = ["\n".join([*parse(words), ""]) for words in document.sentences]
                Path(folder, f"{document.name}.conllu").write_text("\n".join([*trees, ""]), encoding="utf-8")
            run([tools.xrenner, "-W", "ignore", str(HERE / "xrenner_demo.py"), folder, kind], "")
            for document in key:
                yield bracketed(Path(folder, f"{document.name}.conll").read_text(encoding="utf-8"))

    return resolve


def bracketed(text: str) -> Chains:
    """Read the chains of a document: a word a line, brackets in the last column."""
    chains: dict[str, set[Mention]] = {}
    opened: dict[str, list[int]] = {}
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    for at, row in enumerate(rows):
        for one, begins, ends in BRACKET.findall(row[-1]):
            if begins or one:
                opened.setdefault(begins or one, []).append(at)
            if ends or one:
                chains.setdefault(ends or one, set()).add((opened[ends or one].pop(), at + 1))
    return list(chains.values())


RESOLVERS: dict[str, Resolver] = {
    "compromise": compromise,
    "xrenner": xrenner_resolver("classifiers"),
    "xrenner_rules": xrenner_resolver("rules"),
}


def documents(key: Path) -> list[Document]:
    """Return the documents of the key."""
    found: list[Document] = []
    for block in key.read_text(encoding="utf-8").strip().split("\n\n"):
        for line in block.split("\n"):
            if line.startswith("# newdoc id = "):
                found.append(Document(line.removeprefix("# newdoc id = "), [], []))
            elif line.startswith("# text = "):
                found[-1].texts.append(line.removeprefix("# text = "))
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        found[-1].sentences.append([row[1] for row in rows if row[0].isdecimal()])
    return found


def written(document: Document, chains: Chains) -> Iterator[str]:
    """Yield the lines of a document; chains are numbered in the order of their first mentions, outer ones first."""
    ordered = sorted(chains, key=lambda chain: min((begin, -end) for begin, end in chain))
    mentions = sorted(
        ((begin, end, number) for number, chain in enumerate(ordered) for begin, end in chain),
        key=lambda each: (each[0], -each[1]),
    )
    place = count()
    yield f"#begin document ({document.name}); part 000"
    for sentence in document.sentences:
        yield from (f"{word}\t{_cell(mentions, next(place))}" for word in sentence)
        yield ""
    yield "#end document"


def _cell(mentions: list[tuple[int, int, int]], at: int) -> str:
    """Return the brackets of a word: first those that open, from the outside, then those that close."""
    opening = [f"({number})" if end == at + 1 else f"({number}" for begin, end, number in mentions if begin == at]
    closing = [f"{number})" for begin, end, number in reversed(mentions) if begin < at == end - 1]
    return "|".join([*opening, *closing]) or "-"


def main() -> None:
    """Write one file for each resolver."""
    parser = argparse.ArgumentParser(description="Resolve the coreference of the demo text.")
    parser.add_argument("names", nargs="+", choices=RESOLVERS, metavar="NAME", help=", ".join(RESOLVERS))
    parser.add_argument("--folder", type=Path, default=DEMO / "chains", help="where to write (%(default)s)")
    parser.add_argument("--npm", type=Path, default=HERE, help="the folder with node_modules (%(default)s)")
    parser.add_argument("--xrenner", default="venv-xrenner/bin/python", help="the Python with xrenner (%(default)s)")
    parser.add_argument("--key", type=Path, default=DEMO / "key.conllu", help="the text (%(default)s)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    key = documents(arguments.key)
    for name in arguments.names:
        chains = RESOLVERS[name](key, Tools(arguments.npm, arguments.xrenner))
        lines = [line for document, each in zip(key, chains, strict=True) for line in written(document, each)]
        path = arguments.folder / f"{name}.conll"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
