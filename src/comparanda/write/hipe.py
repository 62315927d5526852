"""HIPE: one word a line, the spans as BIO tags and their ids in columns.

White space between words is carried as far as the format has it: there is some, or there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from comparanda.errors import WriteError
from comparanda.ids import BAR
from comparanda.read.tabbed_formats.hipe import LINKS, METONYMIC_LINKS, MISC, QUOTED, SENTENCE_END, TAGS, TOKEN
from comparanda.read.tabbed_formats.links import ids_of
from comparanda.write.chunks import chunk_tags, runs_of, words_of
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

COLUMNS = (
    TOKEN,
    TAGS,
    "NE-COARSE-METO",
    "NE-FINE-LIT",
    "NE-FINE-METO",
    "NE-FINE-COMP",
    "NE-NESTED",
    LINKS,
    METONYMIC_LINKS,
    MISC,
)
NOTHING = "_"

_NAME = re.compile(r"(?!segment|document_id$|hipe2022:)[^\s=]+")
_LINE = re.compile(r"\S(?:[^\n\r\0]*\S)?")


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one behind the other."""
    del options
    header = "\t".join(COLUMNS) + "\n"
    yield "", header + "\n".join("".join(_document(each, losses)) for each in documents)


def _document(passage: Passage, losses: Losses) -> Iterator[str]:
    if not _LINE.fullmatch(passage.name):
        raise WriteError(f"the document {passage.name!r} cannot be named in a comment", hint="rename it first")
    yield f"# document_id = {passage.name}\n"
    for name, value in passage.attributes.items():
        if _NAME.fullmatch(name) and _LINE.fullmatch(value):
            yield f"# {name} = {value}\n"
        else:
            losses.lose(f"the attribute {name!r} of documents, which cannot stand in a comment", passage.name)
    words, tags = words_of(passage), chunk_tags(passage)
    links, flags = [NOTHING] * len(words), _flags(passage, losses)
    for mention, ((first, behind),) in zip(passage.mentions, runs_of(passage), strict=True):
        links[first:behind] = [_link(passage, mention)] * (behind - first)
        if (distance := _distance(passage, mention, losses)) is not None:
            for row in range(first, behind):
                flags[row].append(distance)
    middle = "\t".join([NOTHING] * 5)
    for word, tag, link, each in zip(words, tags, links, flags, strict=True):
        _refuse_word(passage, word)
        yield f"{word}\t{tag}\t{middle}\t{link}\t{NOTHING}\t{BAR.join(each) or NOTHING}\n"


def _flags(passage: Passage, losses: Losses) -> list[list[str]]:
    """Return what MISC says of each word: whether white space follows it, and whether it ends a sentence."""
    flags: list[list[str]] = [[] for _ in passage.words]
    begins = [begin for begin, _ in passage.words]
    gaps = [passage.text[end:begin] for (_, end), (begin, _) in pairwise(passage.words)]
    outer = (passage.text[: begins[0]], passage.text[passage.words[-1][1] :]) if passage.words else (passage.text,)
    if any(outer) or any(gap not in {"", " "} for gap in gaps):
        losses.lose("white space other than one space between words", passage.name)
    for row, gap in enumerate(gaps):
        if not gap:
            flags[row].append("NoSpaceAfter")
    for row in {*passage.sentences[1:], len(passage.words)} - {0}:
        flags[row - 1].append(SENTENCE_END)
    return flags


def _link(passage: Passage, mention: Mention) -> str:
    if mention.ids is None:
        return NOTHING
    cell = BAR.join(mention.ids)
    if ids_of(cell) != cell or not _LINE.fullmatch(cell) or "\t" in cell:
        what = f"the id {cell!r} in document {passage.name!r} cannot stand in a column"
        raise WriteError(what, hint="ids have no tabs and no line breaks, and are neither O nor - nor _")
    return cell


def _distance(passage: Passage, mention: Mention, losses: Losses) -> str | None:
    """Return the distance of a span from its right text as MISC has it; everything else said of it is lost."""
    found = None
    for name, value in mention.said.items():
        if name == "led" and isinstance(value, (int, float)) and 0 <= value == round(value, 2):
            found = f"LED{value:.2f}"
        else:
            losses.lose(f"{name!r} of spans", passage.name)
    return found


def _refuse_word(passage: Passage, word: str) -> None:
    if word.startswith("# ") or QUOTED.match(word.encode()):
        what = f"the word {word!r} of document {passage.name!r} would be read as something else"
        raise WriteError(what, hint="a '#' and a space begin a comment, and quotes as in CSV are taken off")


WRITER = Writer("hipe", ".tsv", write)
