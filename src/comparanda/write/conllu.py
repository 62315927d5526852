"""CoNLL-U with spans as brackets in MISC, as CorefUD and GUM write entities.

Texts are carried by `SpaceAfter` and `SpacesAfter`, ids by the field `identity`, and what else is said of spans by
fields of its name. Each span is an entity of its own, unless a column `chain` says which are one. Mentions of chains
that cover no word stand on empty nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from comparanda.errors import WriteError
from comparanda.read.conllu_entities.entities import KEY
from comparanda.read.conllu_entities.misc import written_spaces
from comparanda.write.chunks import sentences_of, stands_in_line, words_of
from comparanda.write.conllu_brackets import Brackets, fields_of, names_taken
from comparanda.write.empty_nodes import EmptyNodes, is_without_words
from comparanda.write.passages import TAGS, Losses, Passage
from comparanda.write.writer import Writer


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents one below the other."""
    del options
    given = list(documents)
    brackets = Brackets(fields_of(given, losses), losses, {*names_taken(given)})
    yield "", "".join(chain.from_iterable(_document(each, brackets, losses) for each in given))


def _document(passage: Passage, brackets: Brackets, losses: Losses) -> Iterator[str]:
    """Give the lines of a document."""
    words, worded, nodes = words_of(passage), passage, EmptyNodes()
    if passage.chained:
        worded = replace(passage, mentions=tuple(each for each in passage.mentions if not is_without_words(each)))
        nodes = EmptyNodes.needed(passage, {each.first for each in sentences_of(worded, Losses())}, losses)
    cells = brackets.cells(passage, nodes)
    for number, said in _spaces(passage, words, losses):
        cells[number].append(said)
    yield from _head(passage, brackets.fields, losses)
    if not words:
        yield "\n"
    for number, (first, behind) in enumerate(sentences_of(worded, losses), start=1):
        text = "".join(
            word if "SpaceAfter=No" in cells[row] else f"{word} "
            for row, word in enumerate(words[first:behind], start=first)
        )
        yield f"# sent_id = {'_'.join(passage.name.split())}-{number}\n# text = {text.strip()}\n"
        yield from (_line(f"0.{node.number}", "_", cells[node]) for node in nodes.at(first, ahead=True))
        for row in range(first, behind):
            tags = [passage.tags[name][row] if name in passage.tags else "_" for name in TAGS]
            yield _line(f"{row - first + 1}", words[row], cells[row], *tags)
            following = nodes.at(row + 1, ahead=False)
            yield from (_line(f"{row - first + 1}.{node.number}", "_", cells[node]) for node in following)
        yield "\n"


def _line(number: str, word: str, misc: Sequence[str], upos: str = "_", xpos: str = "_", feats: str = "_") -> str:
    return f"{number}\t{word}\t_\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t{'|'.join(misc) or '_'}\n"


def _head(passage: Passage, fields: Sequence[str], losses: Losses) -> Iterator[str]:
    """Give the comments that begin a document."""
    if not stands_in_line(passage.name):
        raise WriteError(
            f"the name {passage.name!r} of a document cannot stand in a line of CoNLL-U",
            hint="names have no line breaks, no tabs and no white space around them there",
        )
    yield f"# newdoc id = {passage.name}\n# global.{KEY} = {'-'.join(fields)}\n"
    for name, value in passage.attributes.items():
        if stands_in_line(name) and "=" not in name and (stands_in_line(value) or not value):
            yield f"# meta::{name} = {value}\n"
        else:
            losses.lose(f"the attribute {name!r} of documents, which cannot stand in a line", passage.name)


def _spaces(passage: Passage, words: Sequence[str], losses: Losses) -> Iterator[tuple[int, str]]:
    """Give what MISC says of the white space around words, by their number."""
    text, extents = passage.text, passage.words
    if not words:
        if text:
            losses.lose("texts of white space alone", passage.name)
        return
    if any(len(word.split()) > 1 for word in words) and text != " ".join(words):
        losses.lose("white space of the text, in which words have spaces inside", passage.name)
    gaps = [text[end:begin] for (_, end), (begin, _) in pairwise(extents)]
    for number, gap in enumerate(gaps):
        if gap != " ":
            yield number, f"SpacesAfter={written_spaces(gap)}" if gap else "SpaceAfter=No"
    if behind := text[extents[-1][1] :]:
        yield len(words) - 1, f"SpacesAfter={written_spaces(behind)}"
    if before := text[: extents[0][0]]:
        yield 0, f"SpacesBefore={written_spaces(before)}"


WRITER = Writer("conllu", ".conllu", write, layers=frozenset({"spans", "chains"}), tags=frozenset(TAGS))
