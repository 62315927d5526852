"""What the page holds: the shape of its JSON, which `assets/` reads.

All texts are already safe to show (`visible`), and all numbers written: the browser computes none.
"""

from __future__ import annotations

from typing import Literal

import msgspec

DATA_VERSION = 1


class Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all parts share: fields that are as usual are left out."""


class TableCell(Struct, frozen=True, kw_only=True):
    """A cell that is more than a text.

    Args:
        text: what it says.
        list: the number of the list it leads to.
        best: whether it is set in bold.

    """

    text: str
    list: int | None = None
    best: bool = False


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table."""

    header: str
    numeric: bool = False


class TablePart(Struct, frozen=True, kw_only=True, tag_field="part", tag="table"):
    """A table; only its `top` first rows, or those numbered in `first`, are shown until somebody asks for all."""

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
    """Some lines of text, or of names with what they are."""

    name: str
    title: str
    lines: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


class SuspectsPart(Struct, frozen=True, kw_only=True, tag_field="part", tag="suspects"):
    """Sites at which the key may be wrong, to be decided on one by one."""

    name: str
    title: str
    suspects: tuple[SuspectRow, ...]
    notes: tuple[str, ...] = ()


class SuspectRow(Struct, frozen=True, kw_only=True):
    """One suspect site, with the columns of `comparanda suspects`, and the list that shows it."""

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
    """One of several things a view can be about, such as a pair of systems or one system."""

    title: str
    parts: tuple[Part, ...]
    base: str | None = None
    new: str | None = None
    system: str | None = None


class View(Struct, frozen=True, kw_only=True):
    """One view of the page: what it always shows, then what it shows of the choice that is made.

    Args:
        name: as it stands in addresses.
        title: as people read it.
        parts: what is shown whatever is chosen.
        choices: what can be chosen.
        chosen: the number of the usual choice.

    """

    name: Literal["overview", "pair", "together", "labels", "suspects", "curves"]
    title: str
    parts: tuple[Part, ...] = ()
    choices: tuple[Choice, ...] = ()
    chosen: int = 0


class ItemList(Struct, frozen=True, kw_only=True):
    """What one number leads to.

    Args:
        where: the condition.
        base: the base of the pair, if it is about one.
        new: the other system of the pair.
        view: the view of the task.
        words: what the condition says, in words.
        of: whether they are sites or items.
        count: how many there are in all, whatever the page holds of them; None where a server is to be asked.
        folded: how many of them are only counted in this result, so that nobody can show them.
        cards: those that the page holds, by the numbers of their cards, in the order of the text; None where a server
            is to be asked. What counts several times, once for each pair of runs, stands there several times.
        runs: for each of them the runs of base and new it is about, where systems have several.

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
        label: what stands there.
        pieces: the first and the last word of each piece, by their numbers in `Card.words`.
        level: on which line below the words it stands; those that overlap stand on different ones.
        wrong: whether the key has it not.
        beside: whether it belongs to another site.
        count: how often the side has it.
        loose: whether it may begin and end inside its words.
        cut: whether it begins before, or goes on after the words that are shown.
        empty: whether it says that the side has nothing there.

    """

    label: str
    pieces: tuple[tuple[int, int], ...]
    level: int = 0
    wrong: bool = False
    beside: bool = False
    count: int = 1
    loose: bool = False
    cut: Literal["before", "after", "both"] | None = None
    empty: bool = False


class ArcMark(Struct, frozen=True, kw_only=True):
    """The arc of one word: its number in the sentence, from 1, and its head's.

    The head 0 is the root, None one that is no word of the sentence. A label of None: the side has no such word.
    """

    word: int
    head: int | None = None
    label: str | None = None
    wrong: bool = False


class ArcWord(Struct, frozen=True, kw_only=True):
    """A word at which an arc begins or ends: its number in the sentence, and how many columns it takes."""

    number: int
    text: str
    cells: int


class MentionMark(Struct, frozen=True, kw_only=True):
    """A mention of a chain.

    Args:
        number: its number in the chain, from 1.
        text: its words, or what stands for them.
        where: its line, and its document if that is another one.
        wrong: whether it is not in the key's chain.
        here: whether the card is about it.

    """

    number: int
    text: str
    where: str = ""
    wrong: bool = False
    here: bool = False


class Chain(Struct, frozen=True, kw_only=True):
    """The chain that a side puts a mention into.

    Args:
        size: how many mentions it has; 0 for no chain.
        mentions: some of them, in order.
        antecedent: the number of the one that decides.
        distance: how far back that is.

    """

    size: int
    mentions: tuple[MentionMark, ...] = ()
    antecedent: int | None = None
    distance: str = ""


class Possible(Struct, frozen=True, kw_only=True):
    """A span that a probabilistic run holds for possible.

    Args:
        label: the label.
        text: the words.
        weight: how likely it is, as written.
        share: the same as whole percent, for a bar.
        correct: whether the key has it.
        decided: whether it is in the hard output.

    """

    label: str
    weight: str
    share: int
    text: str = ""
    correct: bool = False
    decided: bool = False


class Belief(Struct, frozen=True, kw_only=True):
    """What one probabilistic run holds for possible at a site: the most likely spans, and how many others."""

    run: int
    spans: tuple[Possible, ...]
    further: int = 0


class Ruling(Struct, frozen=True, kw_only=True):
    """What rules made of an item: a span that counts for precision and recall.

    Args:
        label: its label.
        text: its words.
        positive: whether the key has it.
        verdicts: each verdict, with the rule that gave it, and the runs it is about by their numbers.

    """

    label: str
    text: str
    positive: bool
    verdicts: tuple[tuple[str, tuple[int, ...]], ...]


class Side(Struct, frozen=True, kw_only=True):
    """What one side, the key or all runs that agree, says at a site.

    Args:
        value: the value, as conditions know it.
        runs: the numbers of the runs; none for the key.
        right: whether that is right; None for the key.
        same: whether nothing that the card shows of it is unlike the key's.
        verdict: of an item, what rules made of it.
        places: file and line in the output of each of the runs.
        marks: what stands below the words.
        arcs: the key's arcs of words on which sides differ; of runs, those that are not the key's.
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
        label: the key's label there, to filter by.
        kind: what is drawn: labels under words, spans, mentions, arcs, or a row without words.
        sides: the key first, then the runs; those that say the same are one side.
        place: file and line in the key.
        words: the words of its sentence, cut wherever a mark begins or ends inside of one.
        glued: the numbers of those without white space before them, from 0.
        site: the first and the last word of the site.
        words_before: how many words of the sentence before these are left out.
        words_after: how many behind them.
        leftward: whether the words run from right to left.
        line: of a row without words, its line in the key.
        ends: the words at which arcs begin and end.
        rulings: what rules made of the items at the site.
        beliefs: what probabilistic runs hold for possible there.
        undrawn: what else is there and not shown, in words.
        attributes: what slices are made by, in the order of `Page.attributes`.

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
    """All that a page shows.

    Args:
        version: of this shape.
        title: what was compared, in a line.
        task: the task.
        systems: the names of the systems, with the runs of each.
        runs: the names of the runs.
        ground: without a key, the output that stands where the key stands: nobody is right or wrong then.
        signature: how the numbers were made.
        notes: what was met while reading.
        embedded: what the file holds of the corpus, in a sentence.
        views: the views, in order.
        lists: what numbers lead to.
        cards: the examples.
        seed: the seed of the hash that examples are chosen by, where not all of them are held.
        attributes: the names of what slices are made by.
        served: whether a server is to be asked for what lists hold.

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
    ground: str | None = None
    served: bool = False
    version: int = DATA_VERSION
