"""JSON lines with `clusters`: a document a line, chains as lists of mentions, these as first and last word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from comparanda.read.json_formats.clusters import CLUSTERS
from comparanda.write.json_lines import attributes, json_lines
from comparanda.write.mentions import placed, tell_shared_names
from comparanda.write.passages import TAGS, Losses, Passage
from comparanda.write.writer import Writer

_TAKEN = frozenset({"doc_key", "sentences", "text", "part_id", "subtoken_map", "pos", *TAGS, *CLUSTERS})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line."""
    del options
    given = list(documents)
    tell_shared_names(given, losses)
    return json_lines(given, lambda each: _document(each, losses))


def _document(passage: Passage, losses: Losses) -> dict[str, Any]:
    words = [passage.text[begin:end] for begin, end in passage.words]
    if passage.text != " ".join(words):
        losses.lose("white space of the text: words are in lists", passage.name)
    for name, value in passage.attributes.items():
        if not value:
            losses.lose(f"the attribute {name!r} of documents where it is empty", passage.name)
    sentences = [*pairwise(sorted({0, *passage.sentences, len(words)}))]
    return {
        "doc_key": passage.name,
        **attributes(passage, _TAKEN, losses),
        "sentences": [words[first:behind] for first, behind in sentences],
        **{name: [tags[first:behind] for first, behind in sentences] for name, tags in passage.tags.items()},
        "clusters": _clusters(passage, losses),
    }


def _clusters(passage: Passage, losses: Losses) -> list[list[tuple[int, int]]]:
    """Return the chains, each as the first and last words of its mentions."""
    found: dict[str | int, list[tuple[int, int]]] = {}
    for number, ((first, behind), chain) in enumerate(placed(passage, losses)):
        found.setdefault(number if chain is None else chain, []).append((first, behind - 1))
    return list(found.values())


WRITER = Writer("clusters", ".jsonlines", write, layers=frozenset({"chains"}), tags=frozenset(TAGS), spaced=False)
