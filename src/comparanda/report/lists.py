"""The lists of sites or items that the numbers of a page link to, each stored once, in full or as a sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.expressions import parse, unparse
from comparanda.expressions.names import PAIR_NAMES
from comparanda.expressions.selection import Selection, SelectionCaches, about_items, select_rows
from comparanda.expressions.syntax import And, Call, Comparison, ComparisonStep, Name, Node, Not, Text, Truth
from comparanda.findings.examples import by_hash
from comparanda.findings.table_links import EVERY_PAIR, EVERYWHERE
from comparanda.render.table import format_count, make_visible
from comparanda.report.cards import Cards
from comparanda.report.page_data import Card, ItemList

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.items import Items
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows
    from comparanda.core.verdicts import Verdicts
    from comparanda.render.count_links import Link
    from comparanda.result import Result

    Pairs = NDArray[np.int64]


# Conditions in words: `correction and base == "NOUN"` becomes "correction, brill NOUN".


_CLASSES = frozenset({"correction", "new_error", "changed_error", "same_right", "same_error", "differs"})
_PAIR_POSITIONS = {"base": 0, "new": 1, "base_label": 0, "new_label": 1}
_PHRASES = {
    "right": ("{} right", "{} wrong"),
    "right_by_run": ("{} right", "{} wrong"),
    "claims": ("{} has it", "{} has it not"),
    "flips": ("runs of {} differ", "runs of {} agree"),
    "base_right": ("{base} right", "{base} wrong"),
    "new_right": ("{new} right", "{new} wrong"),
    "base_claims": ("{base} has it", "{base} has it not"),
    "new_claims": ("{new} has it", "{new} has it not"),
    "positive": ("in the key", "not in the key"),
    "negative": ("not in the key", "in the key"),
    "majority_right": ("majority right", "majority wrong"),
}
"""The phrases for names and functions that hold, and for those that do not."""


def in_words(link: Link) -> str:
    """Describe a condition in words; parts without a phrase of their own are kept as they are.

    >>> from comparanda.render.count_links import Link
    >>> in_words(Link('correction and base == "NOUN" and new == "PROPN" and length > 3', "crf", "bert"))
    'correction, crf NOUN → bert PROPN, length > 3'
    >>> in_words(Link("correction", "crf", "bert"))
    'crf → bert: correction'
    >>> in_words(Link('right("crf") and not right("bert")')), in_words(Link("true"))
    ('crf right, bert wrong', 'everything')
    """
    root = parse(EVERYWHERE if link.where == EVERY_PAIR else link.where).root
    operands = root.operands if isinstance(root, And) else (root,)
    text = ", ".join(_describe_parts(operands, link)) or "everything"
    if link.base is not None and link.new is not None and not (link.base in text and link.new in text):
        text = f"{link.base} → {link.new}: {text}"
    return make_visible(text)


def _describe_parts(operands: tuple[Node, ...], link: Link) -> Iterator[str]:
    """Describe the operands one by one; the values of base and new are combined into one part."""
    systems = link.base or "base", link.new or "new"
    waiting = ""
    for operand in operands:
        match operand:
            case Truth(True) | Call("among"):
                continue
            case Comparison(Name(name), (ComparisonStep("==", Text(value)),)) if name in _PAIR_POSITIONS:
                text = f"{systems[_PAIR_POSITIONS[name]]} {value}"
                if _PAIR_POSITIONS[name] == 0 and not waiting:
                    waiting = text
                    continue
                text, waiting = f"{waiting} → {text}" if waiting else text, ""
            case _:
                text = _describe_part(operand, systems)
        if waiting:
            yield waiting
            waiting = ""
        yield text
    if waiting:
        yield waiting


def _describe_part(node: Node, systems: tuple[str, str]) -> str:
    """Describe one operand, which may be negated."""
    match node:
        case Not(operand):
            return _describe_named_part(operand, systems, 1) or f"not {unparse(operand)}"
        case Comparison(Name(name), (ComparisonStep("==", Text(value)),)):
            return f"{name} {value}"
        case Comparison(Call("value" | "label_of", (Text(run),)), (ComparisonStep("==", Text(value)),)):
            return f"{run} {value}"
        case _:
            return _describe_named_part(node, systems, 0) or unparse(node)


def _describe_named_part(node: Node, systems: tuple[str, str], turned: int) -> str | None:
    """Return the phrase for a name or a function, or for its negation; None if there is none."""
    match node:
        case Name(name) if name in _CLASSES and name in PAIR_NAMES:
            return ("not " if turned else "") + name.replace("_", " ")
        case Name(name) if name in _PHRASES:
            return _PHRASES[name][turned].format(base=systems[0], new=systems[1])
        case Call(function, (Text(name),)) if function in _PHRASES:
            return _PHRASES[function][turned].format(name)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class PageLists:
    """The lists of a page with their examples.

    Args:
        lists: the lists, in the order of their numbers.
        cards: the examples in them, each once.
        least: the minimal number of examples per list if some lists are samples; None if all are complete.

    """

    lists: tuple[ItemList, ...]
    cards: tuple[Card, ...] = ()
    least: int | None = None

    def describe(self, *, text: bool, seed: int) -> str:
        """Describe the part of the corpus in the page, as a continuation of "This page contains"."""
        if self.lists and self.lists[0].cards is None:
            return "no examples; they are loaded when they are shown"
        words = f"{format_count(len(self.cards), 'example')} {'with' if text else 'without'} their words"
        if self.least is None:
            held = f"{words}: all that the numbers count"
        else:
            held = f"{words}: at least {self.least:,} for each number, or all, chosen by hash (seed {seed})"
        folded = "; sites that all systems have right are only counted, except for some of each label"
        return held + folded * any(each.folded for each in self.lists)


class Lists:
    """Numbers the links of a page, then builds the lists and cards that they link to.

    Args:
        result: the result.

    """

    def __init__(self, result: Result) -> None:
        self._result = result
        self._numbers: dict[Link, int] = {}

    def number(self, link: Link) -> int:
        """Return the number of the list of a link."""
        return self._numbers.setdefault(link, len(self._numbers))

    def unfilled(self) -> tuple[ItemList, ...]:
        """Return the lists without their contents, for a page that requests them from a server."""
        return tuple(_build_list(link, in_words(link), self._row_kind(link)) for link in self._numbers)

    def held(self, examples: int, *, text: bool = True, attributes: tuple[str, ...] = ()) -> PageLists:
        """Return the lists and their cards: all of them, or as many per list as the maximal number of cards permits.

        Each list then consists of its examples with the smallest hashes, followed by further ones as long as the next
        one is included anyway for another list: so the examples of a large number are a random sample of it.

        Args:
            examples: the maximal number of cards in total.
            text: whether cards contain words of the corpus.
            attributes: the names of the attributes for slices.

        """
        universes: dict[_UniverseKey, _Universe] = {}
        caches = SelectionCaches(self._result.verdicts)
        samples = [self._sample(link, caches, universes, examples) for link in self._numbers]
        fitting = (
            size for size in sample_sizes(examples) if sum(each.size(size) for each in universes.values()) <= examples
        )
        least = next(fitting, 1)  # a number without an example would have an empty list
        cards: list[Card] = []
        for universe in universes.values():
            shown = Cards(self._result, self._select(universe.link, caches), text=text, attributes=attributes)
            cards += map(shown.of, universe.numbered(least, len(cards)))
        lists = tuple(
            _build_list(link, sample.words, sample.universe.of, sample)
            for link, sample in zip(self._numbers, samples, strict=True)
        )
        cut = any(
            len(each.cards or ()) < sample.count - sample.folded for each, sample in zip(lists, samples, strict=True)
        )
        return PageLists(lists, tuple(cards), least if cut else None)

    def _select(self, link: Link, caches: SelectionCaches) -> Selection:
        verdicts = self._result.verdicts
        return select_rows(
            verdicts, view=verdicts.view(link.view), where=link.where, base=link.base, new=link.new, caches=caches
        )

    def _sample(
        self, link: Link, caches: SelectionCaches, universes: dict[_UniverseKey, _Universe], most: int
    ) -> _Sample:
        selection = self._select(link, caches)
        whole = selection.view is self._result.verdicts.view(selection.view.name)
        key = selection.view.name, None if whole else frozenset(selection.runs or ()), selection.of
        if key not in universes:
            universes[key] = _Universe(self._result, link, selection)
        return universes[key].sample(selection, most, in_words(link))

    def _row_kind(self, link: Link) -> Literal["sites", "items"]:
        view = self._result.verdicts.view(link.view)
        return "items" if about_items(link.where, view.sites.attributes) else "sites"


def _build_list(link: Link, words: str, of: Literal["sites", "items"], sample: _Sample | None = None) -> ItemList:
    cards, runs = (None, None) if sample is None else sample.held()
    return ItemList(
        where=link.where,
        base=link.base,
        new=link.new,
        view=link.view,
        words=words,
        of=of,
        count=None if sample is None else sample.count,
        folded=0 if sample is None else sample.folded,
        cards=cards,
        runs=runs,
    )


def list_entries(verdicts: Verdicts, selection: Selection) -> tuple[Rows, Pairs | None]:
    """Return the rows of a selection in the order of the text, and the runs of base and new for each row.

    A row that counts several times, once for each pair of runs, is repeated. The runs are None if the selection has no
    pair or all systems have one run.
    """
    table, rows = _selected_table(selection), selection.rows
    order = np.lexsort((rows, table.place[rows], table.document[rows]))
    pairs = _run_pairs(verdicts, selection)
    return rows[order], None if pairs is None else pairs[order]


def sample_sizes(most: int) -> Iterator[int]:
    """Yield the sample sizes to try, from the maximum down to one, in round numbers.

    >>> list(sample_sizes(300))
    [300, 200, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    """
    yield most
    for digits in reversed(range(len(str(most)))):
        yield from (digit * 10**digits for digit in range(9, 0, -1) if digit * 10**digits < most)


def _selected_table(selection: Selection) -> Sites | Items:
    return selection.view.items if selection.of == "items" else selection.view.sites


def _run_pairs(verdicts: Verdicts, selection: Selection) -> Pairs | None:
    """Return the runs of base and new for each row, if the selection has a pair and systems have several runs."""
    if selection.pairs is None or not _has_several_runs(verdicts):
        return None
    return np.array(selection.pairs, np.int64).reshape(-1, 2)


def _has_several_runs(verdicts: Verdicts) -> bool:
    """Whether a system has several runs."""
    return len(verdicts.runs) > len(verdicts.systems)


_UniverseKey = tuple[str, frozenset[int] | None, Literal["sites", "items"]]
"""A view, the runs whose sites it contains (None for all), and whether the rows are sites or items."""


class _Universe:
    """The sites or items of a view for some runs, from which lists take their rows.

    It stores only arrays, not the view, because there may be one universe for every pair of systems.

    Args:
        result: the result.
        link: the link to one of the lists.
        selection: the selection of the same list.

    """

    def __init__(self, result: Result, link: Link, selection: Selection) -> None:
        self.link, self.of = link, selection.of
        self._verdicts = result.verdicts
        table = _selected_table(selection)
        rows = np.arange(table.rows)
        self._rank = np.empty(len(rows), np.int32)
        self._rank[by_hash(result.context(selection.view.name), table, rows)] = rows
        self._first = np.full(len(rows), np.iinfo(np.int32).max, np.int32)
        self.place = np.empty(len(rows), np.int32)
        self.place[np.lexsort((rows, table.place, table.document))] = rows
        self.number = np.full(len(rows), -1, np.int32)

    def sample(self, selection: Selection, most: int, words: str) -> _Sample:
        """Choose the rows of a list with the smallest hashes, so that lists share as many examples as possible."""
        rank = self._rank[selection.rows]
        once = (
            np.unique(rank) if _has_several_runs(self._verdicts) else rank
        )  # a row that counts several times is one example
        end = np.partition(once, most)[most] if len(once) > most else len(self._rank)
        chosen = np.flatnonzero(rank < end)
        chosen = chosen[np.argsort(rank[chosen], kind="stable")]
        rows, pairs = selection.rows[chosen], _run_pairs(self._verdicts, selection)
        turn = np.cumsum(np.diff(rank[chosen], prepend=-1) > 0) - 1
        self._first[rows] = np.minimum(self._first[rows], turn)
        chosen_pairs = None if pairs is None else pairs[chosen]
        return _Sample(
            universe=self, words=words, count=len(selection), folded=selection.folded, rows=rows, pairs=chosen_pairs
        )

    def size(self, least: int) -> int:
        """Return the number of rows needed if each list has at least `least` examples."""
        return int(np.count_nonzero(self._first < least))

    def numbered(self, least: int, begin: int) -> list[int]:
        """Assign numbers to these rows in the order of the text, and return the rows."""
        rows = np.flatnonzero(self._first < least)
        rows = rows[np.argsort(self.place[rows])]
        self.number[rows] = np.arange(begin, begin + len(rows))
        found: list[int] = rows.tolist()
        return found


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Sample:
    """Some rows of a list in the order of their choice, its total count, and the number of rows without details."""

    universe: _Universe
    words: str
    count: int
    folded: int
    rows: Rows
    pairs: Pairs | None

    def held(self) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...] | None]:
        """Return the numbers of the leading cards in the order of the text, and the runs of base and new for each."""
        missing = np.flatnonzero(self.universe.number[self.rows] < 0)
        there = int(missing[0]) if len(missing) else len(self.rows)
        order = np.argsort(self.universe.place[self.rows[:there]], kind="stable")
        numbers = tuple(self.universe.number[self.rows[order]].tolist())
        if self.pairs is None:
            return numbers, None
        return numbers, tuple((base, new) for base, new in self.pairs[order].tolist())
