"""The data of a page: the structure of its JSON, which the code in `assets/` reads.

All texts are already escaped for display, and all numbers are formatted: the browser computes none.
"""

from __future__ import annotations

from typing import Literal

import msgspec

DATA_VERSION = 1


class Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The base of all parts; fields with their default values are left out of the JSON."""


class TableCell(Struct, frozen=True, kw_only=True):
    """A cell that is more than a text.

    Args:
        text: its text.
        list: the number of the list it links to.
        best: whether it is displayed in bold.

    """

    text: str
    list: int | None = None
    best: bool = False


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table."""

    header: str
    numeric: bool = False


class TablePart(Struct, frozen=True, kw_only=True, tag_field="part", tag="table"):
    """A table; only its `top` first rows, or those numbered in `first`, are displayed until all are requested."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    top: int = 20
    first: tuple[int, ...] = ()


class ChartPart(Struct, frozen=True, kw_only=True, tag_field="part", tag="chart"):
    """A chart, as SVG with theme colours and with links to lists."""

    name: str
    title: str
    svg: str


class TextPart(Struct, frozen=True, kw_only=True, tag_field="part", tag="text"):
    """Lines of text, or pairs of a name and a description."""

    name: str
    title: str
    lines: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


class SuspectsPart(Struct, frozen=True, kw_only=True, tag_field="part", tag="suspects"):
    """Sites at which the key may be wrong, to be reviewed one by one."""

    name: str
    title: str
    suspects: tuple[SuspectRow, ...]
    notes: tuple[str, ...] = ()


class SuspectRow(Struct, frozen=True, kw_only=True):
    """One suspect site, with the columns of `comparanda suspects` and the number of its list."""

    rank: int
    document: str
    begin: int
    end: int
    key: str
    proposed: str
    agree: int
    of: int
    kind: str
    list: int
    place: str | None = None
    before: str = ""
    word: str = ""
    after: str = ""


Part = TablePart | ChartPart | TextPart | SuspectsPart


class Choice(Struct, frozen=True, kw_only=True):
    """One of several subjects of a view, such as a pair of systems or one system."""

    title: str
    parts: tuple[Part, ...]
    base: str | None = None
    new: str | None = None
    system: str | None = None


class View(Struct, frozen=True, kw_only=True):
    """One view of the page: fixed parts, then the parts of the current choice.

    Args:
        name: its name in addresses.
        title: its displayed title.
        parts: the parts displayed for every choice.
        choices: the choices.
        chosen: the number of the default choice.

    """

    name: Literal["overview", "pair", "together", "labels", "suspects", "curves"]
    title: str
    parts: tuple[Part, ...] = ()
    choices: tuple[Choice, ...] = ()
    chosen: int = 0


class ItemList(Struct, frozen=True, kw_only=True):
    """The list that one number links to.

    Args:
        where: the condition.
        base: the base of the pair, if the list is about a pair.
        new: the other system of the pair.
        view: the view of the task.
        words: the condition in words.
        of: whether they are sites or items.
        count: the total number, whether or not the page contains them; None if a server has to be asked.
        folded: the number of those that this result only counts, so that they cannot be displayed.
        cards: the numbers of the cards that the page contains, in the order of the text; None if a server has to be
            asked. A row that counts several times, once for each pair of runs, is repeated.
        runs: the runs of base and new for each card, if systems have several.

    """

    where: str
    words: str
    of: Literal["sites", "items"]
    count: int | None = None
    folded: int = 0
    base: str | None = None
    new: str | None = None
    view: str | None = None
    cards: tuple[int, ...] | None = None
    runs: tuple[tuple[int, int], ...] | None = None


class Mark(Struct, frozen=True, kw_only=True):
    """A label under some words of a card: a tag, a span, or the number of a mention in its chain.

    Args:
        label: its text.
        pieces: the first and the last word of each piece, by their numbers in `Card.words`.
        level: its line below the words; overlapping marks are on different lines.
        wrong: whether it is not in the key.
        elsewhere: whether it belongs to another site.
        count: the number of times the side has it.
        loose: whether it may begin and end inside its words.
        cut: whether it begins before, or continues after the displayed words.
        empty: whether it indicates that the side has nothing there.

    """

    label: str
    pieces: tuple[tuple[int, int], ...]
    level: int = 0
    wrong: bool = False
    elsewhere: bool = False
    count: int = 1
    loose: bool = False
    cut: Literal["before", "after", "both"] | None = None
    empty: bool = False


class ArcMark(Struct, frozen=True, kw_only=True):
    """The arc of one word: its number in the sentence, from 1, and its head's.

    The head 0 is the root, None a head outside the sentence. A label of None means that the side has no such word.
    """

    word: int
    head: int | None = None
    label: str | None = None
    wrong: bool = False


class ArcWord(Struct, frozen=True, kw_only=True):
    """A word at which an arc begins or ends: its number in the sentence, its text, and its width in terminal cells."""

    number: int
    text: str
    cells: int


class MentionMark(Struct, frozen=True, kw_only=True):
    """A mention of a chain.

    Args:
        number: its number in the chain, from 1.
        text: its words, or a placeholder.
        where: its line, and its document if that is a different one.
        wrong: whether it is not in the key's chain.
        here: whether the card is about it.

    """

    number: int
    text: str
    where: str = ""
    wrong: bool = False
    here: bool = False


class Chain(Struct, frozen=True, kw_only=True):
    """The chain of a mention on one side.

    Args:
        size: the number of its mentions; 0 for no chain.
        mentions: some of them, in order.
        antecedent: the number of the antecedent used for the verdict.
        distance: the distance to it.

    """

    size: int
    mentions: tuple[MentionMark, ...] = ()
    antecedent: int | None = None
    distance: str = ""


class Possible(Struct, frozen=True, kw_only=True):
    """A possible span of a probabilistic run.

    Args:
        label: the label.
        text: the words.
        weight: its probability, formatted.
        share: the same in whole percent, for a bar.
        correct: whether it is in the key.
        decided: whether it is in the hard output.

    """

    label: str
    weight: str
    share: int
    text: str = ""
    correct: bool = False
    decided: bool = False


class Belief(Struct, frozen=True, kw_only=True):
    """The possible spans of one probabilistic run at a site: the most probable ones, and the number of others."""

    run: int
    spans: tuple[Possible, ...]
    further: int = 0


class Ruling(Struct, frozen=True, kw_only=True):
    """The verdicts of rules on an item, a span that counts for precision and recall.

    Args:
        label: its label.
        text: its words.
        positive: whether it is in the key.
        verdicts: each verdict with its rule, and the numbers of its runs.

    """

    label: str
    text: str
    positive: bool
    verdicts: tuple[tuple[str, tuple[int, ...]], ...]


class Side(Struct, frozen=True, kw_only=True):
    """The annotation of one side, the key or a group of identical runs, at a site.

    Args:
        value: the value, as in conditions.
        runs: the numbers of the runs; none for the key.
        right: whether the value is right; None for the key.
        same: whether its display is identical to that of the key.
        verdict: the verdict of rules on an item.
        places: file and line in the output of each of the runs.
        marks: the marks below the words.
        arcs: for the key, its arcs of words on which sides differ; for runs, the arcs that are not in the key.
        chain: the chain of a mention.

    """

    value: str
    runs: tuple[int, ...] = ()
    right: bool | None = None
    same: bool = False
    verdict: str = ""
    places: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    arcs: tuple[ArcMark, ...] = ()
    chain: Chain | None = None


class Card(Struct, frozen=True, kw_only=True):
    """An example: a site or an item in its sentence.

    Args:
        document: the name of its document.
        label: the key's label, for filtering.
        kind: the kind of drawing: labels below words, spans, mentions, arcs, or a row without words.
        sides: the key first, then the runs, identical ones merged into one side.
        place: file and line in the key.
        words: the words of its sentence, split where a mark begins or ends inside one.
        glued: the numbers of those without preceding white space, from 0.
        site: the first and the last word of the site.
        words_before: the number of words of the sentence left out before these.
        words_after: the number of words left out after them.
        leftward: whether the words are written from right to left.
        line: the line in the key, for a row without words.
        ends: the words at which arcs begin and end.
        rulings: the verdicts of rules on the items at the site.
        beliefs: the possible spans of probabilistic runs.
        undrawn: a description of what is left out.
        attributes: the values of the attributes for slices, in the order of `Page.attributes`.

    """

    document: str
    label: str
    kind: Literal["tags", "spans", "mentions", "arcs", "rows"]
    sides: tuple[Side, ...]
    place: str | None = None
    words: tuple[str, ...] = ()
    glued: tuple[int, ...] = ()
    site: tuple[int, int] | None = None
    words_before: int = 0
    words_after: int = 0
    leftward: bool = False
    line: str = ""
    ends: tuple[ArcWord, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    beliefs: tuple[Belief, ...] = ()
    undrawn: str = ""
    attributes: tuple[str, ...] = ()


class Page(Struct, frozen=True, kw_only=True):
    """The data of a page.

    Args:
        version: the version of this structure.
        title: the title.
        task: the task.
        systems: the names of the systems, with the runs of each.
        runs: the names of the runs.
        reference: without a key, the reference output, which takes its place; no output is right or wrong then.
        signature: the signature of the result.
        notes: the notes on reading and aligning.
        embedded: a description of the part of the corpus in the file.
        views: the views, in order.
        lists: the lists that numbers link to.
        cards: the examples.
        seed: the seed of the hash by which examples are sampled.
        attributes: the names of the attributes for slices.
        served: whether the contents of lists are requested from a server.

    """

    title: str
    task: str
    systems: dict[str, tuple[str, ...]]
    runs: tuple[str, ...]
    signature: str
    notes: tuple[str, ...]
    embedded: str
    views: tuple[View, ...]
    lists: tuple[ItemList, ...]
    cards: tuple[Card, ...]
    seed: int
    attributes: tuple[str, ...] = ()
    reference: str | None = None
    served: bool = False
    version: int = DATA_VERSION
