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
    """A table; only its `top` first rows are shown until somebody asks for all."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    top: int = 20


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
    """Sites at which the key may be wrong, each with the list and the card that show it, to be ticked off."""

    name: str
    title: str
    suspects: tuple[SuspectRow, ...]
    notes: tuple[str, ...] = ()


class SuspectRow(Struct, frozen=True, kw_only=True):
    """One suspect site; `id` names it in downloaded marks."""

    id: str
    document: str
    place: str
    begin: int
    end: int
    before: str
    word: str
    after: str
    key: str
    proposed: str
    agree: int
    of: int
    kind: str
    list: int


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
        of: whether they are sites or items.
        count: how many there are in all, whatever the page holds of them.
        cards: those that the page holds, by the numbers of their cards; None where a server is to be asked. What
            counts several times, once for each pair of runs, stands there several times.
        runs: for each of them the runs of base and new it is about, where systems have several.

    """

    where: str
    count: int
    of: Literal["sites", "items"]
    base: str | None = None
    new: str | None = None
    view: str | None = None
    cards: tuple[int, ...] | None = None
    runs: tuple[tuple[int, int], ...] | None = None


class Side(Struct, frozen=True, kw_only=True):
    """What one side, the key or a run, says at a site."""

    name: str
    value: str
    right: bool | None = None
    place: str | None = None


class Card(Struct, frozen=True, kw_only=True):
    """An example: a site or an item in its sentence.

    Args:
        document: the name of its document.
        label: the key's label there, to filter by.
        place: file and line in the key.
        before: the words before it.
        word: its words.
        after: the words behind it.
        sides: the key first, then the runs.
        attributes: what slices are made by, in the order of `Page.attributes`.

    """

    document: str
    label: str
    sides: tuple[Side, ...]
    place: str | None = None
    before: str = ""
    word: str = ""
    after: str = ""
    attributes: tuple[str, ...] = ()


class Page(Struct, frozen=True, kw_only=True):
    """All that a page shows.

    Args:
        version: of this shape.
        title: what was compared, in a line.
        task: the task.
        systems: the names of the systems, with the runs of each.
        runs: the names of the runs.
        signature: how the numbers were made.
        notes: what was met while reading.
        embedded: what the file holds of the corpus, in a sentence.
        views: the views, in order.
        lists: what numbers lead to.
        cards: the examples.
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
    attributes: tuple[str, ...] = ()
    served: bool = False
    version: int = DATA_VERSION
