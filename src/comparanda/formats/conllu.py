"""CoNLL-U: ten tab-separated columns, comments, multiword ranges, empty nodes.

Spans are chunk tags of a column, or brackets in the column MISC, as in CorefUD and GUM: `Entity=(e1-person`. Chains are
the entities named in these brackets.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from comparanda.errors import UsageError, WriteError
from comparanda.formats.conllu_entities import (
    BRACKET_OPTIONS,
    KEY,
    NO_LABEL,
    chosen_key,
    key_of_chains,
    with_entities,
    with_text,
    written_spaces,
)
from comparanda.formats.contract import CHUNK_OPTIONS, Format, Request
from comparanda.formats.cuts import marked_lines, sentences_between_blank_lines
from comparanda.formats.document_writer import CHAIN, HEAD, TAGS, ZERO, Losses, Mention, Passage, Value, Writer
from comparanda.formats.entity_brackets import AHEAD, escape
from comparanda.formats.numbered_words import ALSO, Dialect, read_numbered_words
from comparanda.formats.tokens import newdoc_name
from comparanda.formats.word_runs import (
    CROSSING,
    KEPT,
    Run,
    chain_of,
    find_ambiguous,
    fits_in_line,
    kept_elsewhere,
    no_words,
    runs_of,
    sentences_of,
    shared_names,
    words_of,
)

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source
    from comparanda.core.remote import AnyPath
    from comparanda.formats.cuts import Mark


# CoNLL-X, of the shared tasks of 2006 and 2007: ten tab-separated columns, every line a word.


CONLLX_DIALECT = Dialect(
    "conllx",
    "CoNLL-X",
    ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "phead", "pdeprel"),
    words_only=True,
)
_PHEAD = CONLLX_DIALECT.columns.index("phead")


def read_conllx(source: Source, request: Request) -> Corpus:
    """Read CoNLL-X; columns that mean the same as in CoNLL-U have the same names."""
    return read_numbered_words(source, request, CONLLX_DIALECT)


def sniff_conllx(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-X only: every line is a word, and at least one has a PHEAD.

    Without any PHEAD, the file is also valid CoNLL-U with the same meaning.
    """
    rows = [line_number.split("\t") for line_number in lines if line_number.strip()]
    words = all(len(row) == CONLLX_DIALECT.width and _is_number(row[0]) for row in rows)
    return words and any(_is_number(row[_PHEAD]) for row in rows)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


CONLLX = Format(
    name=CONLLX_DIALECT.name,
    summary="CoNLL-X of 2006 and 2007: ten columns, every line a word",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllx",),
    options={
        "column": f"the column to evaluate: {', '.join((*CONLLX_DIALECT.columns[2:], *ALSO))}, or a number from 1",
        **CHUNK_OPTIONS,
    },
    sniff=sniff_conllx,
    read=read_conllx,
    layers=frozenset({"values", "arcs", "spans"}),
)


DIALECT = Dialect(
    "conllu", "CoNLL-U", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
)


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-U; spans come from brackets in MISC if there are any and no column is named, chains always do."""
    if request.layer == "chains":
        named = key_of_chains(request)
        return with_text(with_entities(read_numbered_words(source, request, DIALECT, evaluated=False), request, named))
    if request.layer != "spans":
        _refuse_bracket_options(request)
        return read_numbered_words(source, request, DIALECT)
    key = chosen_key(source, request)
    corpus = read_numbered_words(source, request, DIALECT, evaluated=key is None)
    return with_text(corpus if key is None else with_entities(corpus, request, key))


def _refuse_bracket_options(request: Request) -> None:
    for option in request.options.keys() & BRACKET_OPTIONS.keys():
        raise UsageError(
            f"the option {option!r} applies to spans in brackets, but this task does not evaluate spans",
            hint="remove it, or choose a task that evaluates spans",
        )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-U: ten tab-separated fields, the first a number; and not like CoNLL-X."""
    rows = [line_number.split("\t") for line_number in lines if line_number.strip() and not line_number.startswith("#")]
    return bool(rows) and all(map(is_word_line, rows)) and not sniff_conllx(lines)


def is_word_line(fields: list[str]) -> bool:
    """Whether the fields of a line look like those of CoNLL-U: ten, the first a number."""
    return len(fields) == DIALECT.width and re.fullmatch(r"[0-9]+([-.][0-9]+)?", fields[0]) is not None


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the comments `# newdoc`."""
    del request
    return marked_lines(file, _NEWDOC, newdoc_name, heads=True)


_NEWDOC = re.compile(rb"\n#[ \t]*newdoc")

FORMAT = Format(
    name=DIALECT.name,
    summary="CoNLL-U: ten columns, comments, multiword ranges, empty nodes",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllu",),
    options={
        "column": f"the column to evaluate: {', '.join(DIALECT.columns[2:])}, a number from 1, or misc:KEY, feats:KEY",
        **BRACKET_OPTIONS,
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "arcs", "spans", "chains"}),
    marks=marks,
    sentences=sentences_between_blank_lines,
)


# Empty nodes of CoNLL-U, which carry mentions without words: 8.1 after word 8, 0.1 before the first.


MOST = 100
"""The largest number of an empty node that is retained, because all smaller ones are written too."""


class Node(NamedTuple):
    """An empty node.

    Args:
        row: the word after it.
        ahead: whether it belongs to the sentence that begins with that word, not to the previous one.
        number: its number at this place, from 1.

    """

    row: int
    ahead: bool
    number: int


class EmptyNodes:
    """The empty nodes of a document; `node_of` maps the number of a mention without words to its node."""

    def __init__(self) -> None:
        self.node_of: dict[int, Node] = {}
        self._count: dict[tuple[int, bool], int] = {}

    @classmethod
    def collect(cls, passage: Passage, starts: Collection[int], losses: Losses) -> EmptyNodes:
        """Collect the nodes that a document needs, given the words that begin its sentences.

        Nodes keep their numbers if these can be written: 1000001, for 0.1, only at the beginning of a sentence.
        """
        wanted: dict[tuple[int, int], list[int]] = {}
        for number, mention in enumerate(passage.mentions):
            if is_without_words(mention):
                wanted.setdefault((_find_row(passage, mention), _node_number(mention)), []).append(number)
        kept = {place: node for place in wanted if (node := _make_node(*place, starts)) is not None}
        nodes = cls()
        for place, node in kept.items():
            nodes.add(wanted[place], node)
        for row, number in sorted(wanted.keys() - kept.keys()):
            losses.lose("numbers of empty nodes that CoNLL-U does not allow there", passage.name)
            nodes.add(wanted[row, number], Node(row, row == 0, nodes.count(row, ahead=row == 0) + 1))
        return nodes

    def add(self, mentions: Iterable[int], node: Node) -> None:
        """Assign mentions to a node."""
        self.node_of.update(dict.fromkeys(mentions, node))
        self._count[node[:2]] = max(node.number, self._count.get(node[:2], 0))

    def count(self, row: int, *, ahead: bool) -> int:
        """Return the number of nodes before a word that belong to its sentence (`ahead`) or to the previous one."""
        return self._count.get((row, ahead), 0)

    def nodes_at(self, row: int, *, ahead: bool) -> Iterator[Node]:
        """Yield the nodes before a word that belong to its sentence (`ahead`) or to the previous one."""
        return (Node(row, ahead, number) for number in range(1, self.count(row, ahead=ahead) + 1))

    def line_number(self, runs: Sequence[Run], word: int) -> int:
        """Return the line of a mention that holds its n-th word, both from 1; empty nodes inside are lines too."""
        inside, left = 0, word
        for first, stop in runs:
            last = min(stop, first + left)
            inside += sum(self.count(row, ahead=ahead) for row in range(first + 1, last) for ahead in (False, True))
            left -= last - first
            if not left:
                break
        return word + inside


def is_without_words(mention: Mention) -> bool:
    """Whether a mention covers no text."""
    return all(begin == end for begin, end in mention.pieces)


def _find_row(passage: Passage, mention: Mention) -> int:
    """Return the word that follows a mention without words; refuse a mention inside a word."""
    row = bisect_left(passage.words, (mention.begin, mention.begin))
    if not passage.words or (row and passage.words[row - 1][1] > mention.begin):
        raise no_words(passage, mention, mention.pieces[0])
    return row


def _node_number(mention: Mention) -> int:
    """Return the number of a mention's node; 0 if it has none."""
    number = mention.attributes.get(ZERO)
    return number if isinstance(number, int) and number > 0 else 0


def _make_node(row: int, number: int, starts: Collection[int]) -> Node | None:
    """Make the node with a number before a word; None if CoNLL-U cannot hold it there."""
    ahead = number > AHEAD
    number -= AHEAD * ahead
    there = row in starts if ahead else row > 0
    return Node(row, ahead, number) if there and 1 <= number <= MOST else None


# Spans as brackets in MISC of CoNLL-U: `(e1-person` opens one, `e1)` closes it, `(e2-place)` does both.


_FIELD_NAME = re.compile(r"[^\W\d]\w*")
_RESERVED_FIELDS = frozenset(
    {"eid", "GRP", "etype", "entity", "identity", "document", "begin", "end", "label", "text", "id"}
)
_PROBABILITY = "probability"


def fields_of(documents: Sequence[Passage], losses: Losses) -> tuple[str, ...]:
    """Return the bracket fields for the attributes of spans, in order of first appearance, the id last as in GUM.

    Names of chains hold for the whole file (`eid`), or for each document if documents share names (`GRP`).
    """
    found: dict[str, None] = {}
    for each in documents:
        for mention in each.mentions:
            for name in mention.attributes:
                if each.chained and name == ZERO:
                    continue
                if name in _RESERVED_FIELDS or not _FIELD_NAME.fullmatch(name):
                    losses.lose(f"{name!r} of spans, whose name is not valid for a field of brackets", each.name)
                elif name != CHAIN:
                    found[name] = None
    linked = any(mention.ids is not None for each in documents for mention in each.mentions)
    own = any(each.chained for each in documents) and any(shared_names(documents))
    return ("GRP" if own else "eid", "etype", *found, *["identity"] * linked)


class Brackets:
    """Writes spans as brackets.

    Args:
        fields: the fields of brackets.
        losses: collects what cannot be written.
        taken: the names of entities that are in use.

    """

    def __init__(self, fields: tuple[str, ...], losses: Losses, taken: set[str]) -> None:
        self.fields = fields
        self.losses = losses
        self.taken = taken
        self.count = 0

    def cells(self, passage: Passage, nodes: EmptyNodes) -> defaultdict[int | Node, list[str]]:
        """Return the MISC entries with the brackets of each word and each empty node."""
        openings, singles, closings = (defaultdict[int | Node, list[tuple[int, str]]](list) for _ in range(3))
        worded = [number for number in range(len(passage.mentions)) if number not in nodes.node_of]
        given = runs_of(passage, map(passage.mentions.__getitem__, worded))
        joined = {number: self._join_adjacent(passage, runs) for number, runs in zip(worded, given, strict=True)}
        names = self._name_entities(passage, joined)
        if passage.chained:
            self._report_reassigned(passage, joined, nodes, names)
        for number, mention in enumerate(passage.mentions):
            runs = joined.get(number, [])
            tail = self._format_fields(passage, mention, runs, nodes)
            if number in nodes.node_of:
                singles[nodes.node_of[number]].append((0, f"({names[number]}{tail})"))
            for part, (first, stop) in enumerate(runs, start=1):
                own = names[number] if len(runs) == 1 else f"{names[number]}[{part}/{len(runs)}]"
                if stop == first + 1:
                    singles[first].append((0, f"({own}{tail})"))
                else:
                    openings[first].append((-stop, f"({own}{tail}"))
                    closings[stop - 1].append((-first, f"{own})"))
        cells: defaultdict[int | Node, list[str]] = defaultdict(list)
        for place in {**openings, **singles, **closings}:
            parts = (closings, openings, singles) if place in openings else (singles, closings)
            brackets = [text for part in parts for _, text in sorted(part[place], key=lambda each: each[0])]
            cells[place].append(f"{KEY}={''.join(brackets)}")
        return cells

    def _report_reassigned(
        self, passage: Passage, joined: Mapping[int, Sequence[Run]], nodes: EmptyNodes, names: Sequence[str]
    ) -> None:
        """Report mentions of several chains that readers assign to another chain, as brackets are in word order."""
        where = [nodes.node_of.get(number) or tuple(joined[number]) for number in range(len(names))]
        order = {number: (node.row, 0, 0) for number, node in nodes.node_of.items()}
        for number, ((first, stop), *_) in joined.items():
            order[number] = (first, 2, 0) if stop == first + 1 else (first, 1, -stop)
        mentions = [*zip(where, names, strict=True)]
        for _ in kept_elsewhere(mentions, sorted(range(len(names)), key=order.__getitem__)):
            self.losses.lose(KEPT, passage.name)

    def _join_adjacent(self, passage: Passage, runs: Sequence[Run]) -> list[Run]:
        """Join adjacent pieces of a span."""
        found = [runs[0]]
        for run in runs[1:]:
            if run.first > found[-1].stop:
                found.append(run)
            else:
                self.losses.lose("boundaries between adjacent pieces of spans", passage.name)
                found[-1] = Run(found[-1].first, max(found[-1].stop, run.stop))
        return found

    def _name_entities(self, passage: Passage, runs: Mapping[int, Sequence[Run]]) -> list[str]:
        """Return the name of each span's entity: its chain, or a new name."""
        chains = [*map(chain_of, passage.mentions)]
        worded = [*runs]
        for number in find_ambiguous([chains[each] for each in worded], [runs[each] for each in worded]):
            self.losses.lose(CROSSING, passage.name)
            chains[worded[number]] = None
        return [self._new_name() if each is None else escape(each) for each in chains]

    def _new_name(self) -> str:
        while True:
            self.count += 1
            if (name := f"e{self.count}") not in self.taken:
                return name

    def _format_fields(self, passage: Passage, mention: Mention, runs: Sequence[Run], nodes: EmptyNodes) -> str:
        """Format the fields after the name of an opening bracket, without empty ones at the end."""
        label = "" if passage.chained and mention.label == NO_LABEL else mention.label
        values = ["", escape(label)]
        for each in self.fields[2:]:
            if each == "identity":
                values.append(",".join(map(_escape_id, mention.ids or ())))
            elif each == HEAD and passage.chained:
                values.append(self._format_head(passage, mention, runs, nodes))
            else:
                values.append(self._format_value(passage, each, mention.attributes.get(each)))
        while not values[-1] and len(values) > 1:
            values.pop()
        return "-".join(values)

    def _format_head(self, passage: Passage, mention: Mention, runs: Sequence[Run], nodes: EmptyNodes) -> str:
        """Format the position of a mention's head, counting words and the empty nodes between them."""
        word = mention.attributes.get(HEAD)
        if word is None:
            return ""
        if not isinstance(word, int) or not 1 <= word <= sum(run.stop - run.first for run in runs):
            self.losses.lose(f"{HEAD!r} of spans that is not one of their words", passage.name)
            return ""
        return str(nodes.line_number(runs, word))

    def _format_value(self, passage: Passage, name: str, value: Value | None) -> str:
        if value is None:
            return ""
        if not isinstance(value, str) and name != _PROBABILITY:
            self.losses.lose(f"the type of {name!r} of spans, which is not a string", passage.name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not text:
            self.losses.lose(f"empty {name!r} of spans", passage.name)
        return escape(text)


def names_taken(documents: Iterable[Passage]) -> Iterator[str]:
    """Yield the names of chains."""
    return (
        str(mention.attributes[CHAIN]) for each in documents for mention in each.mentions if CHAIN in mention.attributes
    )


def _escape_id(id_: str) -> str:
    return re.sub("^_", "%5F", escape(id_, ","))


# CoNLL-U with spans as brackets in MISC, as CorefUD and GUM write entities.
#
# `SpaceAfter` and `SpacesAfter` preserve the text, the field `identity` holds ids, and other attributes of spans have
# fields of their own names. Each span is an entity of its own unless a column `chain` groups them. Mentions of chains
# that cover no word are written on empty nodes.


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents to one file."""
    del options
    given = list(documents)
    brackets = Brackets(fields_of(given, losses), losses, {*names_taken(given)})
    yield "", "".join(chain.from_iterable(_document_lines(each, brackets, losses) for each in given))


def _document_lines(passage: Passage, brackets: Brackets, losses: Losses) -> Iterator[str]:
    """Yield the lines of a document."""
    words, worded, nodes = words_of(passage), passage, EmptyNodes()
    if passage.chained:
        worded = replace(passage, mentions=tuple(each for each in passage.mentions if not is_without_words(each)))
        nodes = EmptyNodes.collect(passage, {each.first for each in sentences_of(worded, Losses())}, losses)
    cells = brackets.cells(passage, nodes)
    for number, entry in _space_attributes(passage, words, losses):
        cells[number].append(entry)
    yield from _header_comments(passage, brackets.fields, losses)
    if not words:
        yield "\n"
    for number, (first, stop) in enumerate(sentences_of(worded, losses), start=1):
        text = "".join(
            word if "SpaceAfter=No" in cells[row] else f"{word} "
            for row, word in enumerate(words[first:stop], start=first)
        )
        yield f"# sent_id = {'_'.join(passage.name.split())}-{number}\n# text = {text.strip()}\n"
        yield from (_format_line(f"0.{node.number}", "_", cells[node]) for node in nodes.nodes_at(first, ahead=True))
        for row in range(first, stop):
            upos, xpos, feats = (passage.tags[name][row] if name in passage.tags else "_" for name in TAGS)
            yield _format_line(
                f"{row - first + 1}", word=words[row], misc=cells[row], upos=upos, xpos=xpos, feats=feats
            )
            following = nodes.nodes_at(row + 1, ahead=False)
            yield from (_format_line(f"{row - first + 1}.{node.number}", "_", cells[node]) for node in following)
        yield "\n"


def _format_line(
    number: str, word: str, misc: Sequence[str], *, upos: str = "_", xpos: str = "_", feats: str = "_"
) -> str:
    return f"{number}\t{word}\t_\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t{'|'.join(misc) or '_'}\n"


def _header_comments(passage: Passage, fields: Sequence[str], losses: Losses) -> Iterator[str]:
    """Yield the comments at the beginning of a document."""
    if not fits_in_line(passage.name):
        raise WriteError(
            f"the document name {passage.name!r} cannot be written in a line of CoNLL-U",
            hint="rename the document: line breaks, tabs and surrounding white space are not allowed",
        )
    yield f"# newdoc id = {passage.name}\n# global.{KEY} = {'-'.join(fields)}\n"
    for name, value in passage.attributes.items():
        if fits_in_line(name) and "=" not in name and (fits_in_line(value) or not value):
            yield f"# meta::{name} = {value}\n"
        else:
            losses.lose(f"the attribute {name!r} of documents, which cannot be written in a line", passage.name)


def _space_attributes(passage: Passage, words: Sequence[str], losses: Losses) -> Iterator[tuple[int, str]]:
    """Yield the MISC entries for the white space around words, each with the number of its word."""
    text, extents = passage.text, passage.words
    if not words:
        if text:
            losses.lose("texts of only white space", passage.name)
        return
    if any(len(word.split()) > 1 for word in words) and text != " ".join(words):
        losses.lose("white space of texts with spaces inside words", passage.name)
    gaps = [text[end:begin] for (_, end), (begin, _) in pairwise(extents)]
    for number, gap in enumerate(gaps):
        if gap != " ":
            yield number, f"SpacesAfter={written_spaces(gap)}" if gap else "SpaceAfter=No"
    if rest := text[extents[-1][1] :]:
        yield len(words) - 1, f"SpacesAfter={written_spaces(rest)}"
    if before := text[: extents[0][0]]:
        yield 0, f"SpacesBefore={written_spaces(before)}"


WRITER = Writer(
    name="conllu", suffix=".conllu", write=write, layers=frozenset({"spans", "chains"}), tags=frozenset(TAGS)
)
