"""The display of one example: its words, and the annotations of the key and every system.

`Cards` builds the card of a row, and `Drawer` chooses what is drawn: labels of words, spans, chains or arcs, and the
possible spans of probabilistic systems. Texts and sides are in `card_texts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from comparanda.core.chains import NO_CHAIN
from comparanda.core.sites import NOTHING, format_value
from comparanda.findings.examples import Exhibits, verdict_and_rule
from comparanda.render.table import format_count
from comparanda.render.text_width import cell_len
from comparanda.report.card_texts import (
    FEW_RUNS,
    LONGEST_WORD,
    Attributes,
    Cutting,
    Drawing,
    Line,
    SideDrawing,
    draw_values_only,
    fit_text,
    fitted_word,
    is_right_to_left,
    line_of,
    short_place,
    sides_of,
)
from comparanda.report.page_data import ArcMark, ArcWord, Belief, Card, Chain, Mark, MentionMark, Possible, Ruling
from comparanda.tasks.coref.examples import NO_CHAIN as MENTIONS_NO_CHAIN
from comparanda.tasks.coref.examples import NO_WORD, SideChains, describe_distance, describe_place, pieces_of, words_of
from comparanda.tasks.coref.examples import split_sentence as mentions_sentence
from comparanda.tasks.spans.examples import Piece, Span, SpanLine, Stretch, Stretches, glued_in, window_at
from comparanda.tasks.trees.examples import clip_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from comparanda.core.candidates import Candidates
    from comparanda.core.chains import Chains
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows
    from comparanda.expressions.selection import Selection
    from comparanda.findings.context import Context
    from comparanda.findings.examples import Example
    from comparanda.result import Result
    from comparanda.tasks.coref.examples import ShownChain, ShownMention
    from comparanda.tasks.spans.examples import ItemVerdict, Window
    from comparanda.tasks.trees.examples import Arc


# Spans below the words they cover, overlapping ones on different lines, and verdicts of rules.


MOST_RULINGS = 12
"""The maximal number of verdicts of rules on a card."""


def draw_spans(stretch: Stretch, run_of: Mapping[str, int], *, nothing: str = format_value(NOTHING)) -> Drawing:
    """Draw a stretch of text with words.

    Args:
        stretch: the words, and the spans of all sides.
        run_of: the numbers of runs by their names.
        nothing: the label for a side without a span at the site.

    """
    around = len(stretch.sides) <= FEW_RUNS + 1
    sides = [line.spans if around else tuple(span for span in line.spans if span.here) for line in stretch.sides]
    pieces = (piece for spans in sides for span in spans for piece in span.pieces)
    cutting = Cutting(stretch.words, stretch.glued, pieces)
    site = cutting.word(stretch.begin)[0], cutting.word(stretch.end)[1]
    line = Line(
        words=tuple(cutting.parts),
        site=site,
        glued=tuple(cutting.glued),
        before=stretch.words_before,
        after=stretch.words_after,
        leftward=is_right_to_left(stretch.words),
    )
    empty = Mark(label=nothing, pieces=(site,), empty=True)
    key, *runs = (
        SideDrawing(marks=_arrange_marks(spans, cutting, empty), alone=_side_with_unknown_bounds(at, spans))
        for at, spans in enumerate(sides)
    )
    left = stretch.undrawn
    return Drawing(
        line=line,
        key=key,
        runs=tuple(runs),
        rulings=rulings_of(stretch.items, run_of),
        undrawn=f"{format_count(left, 'more span')} at this site" if left else "",
    )


def _side_with_unknown_bounds(number: int, spans: Sequence[Span]) -> int | None:
    """Return the number of a side with a wrong span of unknown bounds: it cannot be merged with other sides."""
    return number if any(span.loose and not span.right for span in spans) else None


def _arrange_marks(spans: Sequence[Span], cutting: Cutting, empty: Mark) -> tuple[Mark, ...]:
    """Return the spans of one side from left to right, the longer first, each on the first free line."""
    marks = [mark for span in spans if (mark := _build_span_mark(span, cutting)).pieces]
    if not any(span.here for span in spans):
        marks.append(empty)
    marks.sort(key=lambda mark: (mark.pieces[0][0], -mark.pieces[-1][1], mark.label))
    free: list[int] = []
    placed = []
    for mark in marks:
        first, last = mark.pieces[0][0], mark.pieces[-1][1]
        level = next((level for level, begin in enumerate(free) if begin <= first), len(free))
        free[level : level + 1] = [last + 1]
        placed.append(msgspec.structs.replace(mark, level=level) if level else mark)
    return tuple(placed)


def _build_span_mark(span: Span, cutting: Cutting) -> Mark:
    """Return the mark of a span, with the pieces inside the displayed words."""
    shown_pieces = (piece for piece in span.pieces if piece.begin <= cutting.size and piece.end >= 1)
    return Mark(
        label=fit_text(span.label, LONGEST_WORD),
        pieces=tuple(map(cutting.place, shown_pieces)),
        wrong=not span.right,
        elsewhere=not span.here,
        count=span.count,
        loose=span.loose,
        cut=_find_cut_ends(span, cutting.size),
    )


def _find_cut_ends(span: Span, size: int) -> Literal["before", "after", "both"] | None:
    """Return the ends at which a span continues beyond the displayed words."""
    before, after = span.pieces[0].begin < 1, span.pieces[-1].end > size
    return "both" if before and after else "before" if before else "after" if after else None


def rulings_of(items: Sequence[ItemVerdict], run_of: Mapping[str, int]) -> tuple[Ruling, ...]:
    """Return the verdicts of rules on items, those of the key first."""
    found = []
    for item in items[:MOST_RULINGS]:
        runs: dict[str, list[int]] = {}
        for each in item.verdicts:
            runs.setdefault(fit_text(verdict_and_rule(each), LONGEST_WORD), []).append(run_of[each.run])
        found.append(
            Ruling(
                label=fit_text(item.label, LONGEST_WORD),
                text=fitted_word(item.text),
                positive=item.positive,
                verdicts=tuple((verdict, tuple(mine)) for verdict, mine in runs.items()),
            )
        )
    return tuple(found)


# The mentions of a chain in the words around one mention, for each side.


class ChainLines:
    """Builds the stretches of text around mentions; data shared by all mentions of a view is built once.

    Args:
        context: the context of the result.
        chains: the mentions of its view.
        mention: the mention of each site.
        runs: the runs to display in addition to the key.

    """

    def __init__(self, context: Context, chains: Chains, mention: Rows, runs: Sequence[int]) -> None:
        self._texts, self._chains, self._mention = context.verdicts.texts, chains, mention
        self._sides = [
            SideChains("key", chains.key),
            *(SideChains(context.verdicts.runs[run], chains.runs[run]) for run in runs),
        ]

    def of(self, site: int) -> Stretch | None:
        """Return the words around a mention, with the mentions of its chain in them for each side.

        A mention is labelled with its number in the chain, and correct if it is in the key's chain. None if the
        mention has no word, or the key does not have its document.
        """
        chains, mention = self._chains, int(self._mention[site])
        if any(begin == end for begin, end in pieces_of(chains, mention)):
            return None
        place, width = int(chains.place[mention]), int(chains.width[mention])
        window = window_at(self._texts, int(chains.document[mention]), place, width)
        if not window.words:
            return None
        return Stretch(
            words=window.words,
            glued=glued_in(self._texts, window),
            begin=window.number(place),
            end=window.number(place + width - 1),
            words_before=window.words_before,
            words_after=window.words_after,
            sides=tuple(SpanLine(side.name, self._spans(side, mention, window)) for side in self._sides),
            items=(),
            undrawn=0,
        )

    def _spans(self, side: SideChains, mention: int, window: Window) -> tuple[Span, ...]:
        """Return the mentions of one side's chain in a window, without mentions that have no word."""
        chains = self._chains
        members, own = side.members(mention), chains.key[mention]
        in_key = (chains.key[members] == own) & (own != NO_CHAIN)
        right = in_key if side is not self._sides[0] else np.ones_like(in_key)
        begins = chains.place[members]
        there = (chains.document[members] == window.document) & (begins < window.stop)
        there &= begins + chains.width[members] > window.first
        found = []
        for number in np.flatnonzero(there).tolist():
            row = int(members[number])
            pieces = pieces_of(chains, row) or [(int(chains.place[row]), int(chains.place[row] + chains.width[row]))]
            if all(begin < end for begin, end in pieces):
                placed = tuple(Piece(window.number(begin), window.number(end - 1), 0, 0) for begin, end in pieces)
                found.append(
                    Span(
                        label=str(number + 1),
                        count=1,
                        pieces=placed,
                        right=bool(right[number]),
                        here=row == mention,
                        loose=False,
                    )
                )
        return tuple(found)


# The chains of a mention on each side, with the antecedent used for the verdict.


_NOT_IN_CHAIN = Chain(size=0)


def draw_chains(example: Example, stretch: Stretch | None) -> Drawing:
    """Draw the mentions of chains below the words of a stretch, if the mention has any, and the chains."""
    drawing = _draw_without_marks(example) if stretch is None else draw_spans(stretch, {}, nothing=MENTIONS_NO_CHAIN)
    key, *runs = example.chains
    chains = [_build_chain(each, key) for each in runs]
    of_key = replace(drawing.key, chain=_build_chain(key, None))
    same = [each.size == each.in_key == key.size for each in runs]
    drawings = (
        _copy_key_side(side, of_key) if is_same else replace(side, chain=chain)
        for side, chain, is_same in zip(drawing.runs, chains, same, strict=True)
    )
    return replace(drawing, key=of_key, runs=tuple(drawings))


def _copy_key_side(side: SideDrawing, key: SideDrawing) -> SideDrawing:
    """Return the drawing of a side with the key's chain, whatever the lines in its own file."""
    return replace(side, marks=key.marks, chain=key.chain)


def _draw_without_marks(example: Example) -> Drawing:
    """Draw the sentence of a mention without a word, or no words if the key does not have the document."""
    nothing = (SideDrawing(),) * len(example.answers)
    before, _, after = mentions_sentence(example)
    if not before and not after:
        return Drawing(line=None, key=SideDrawing(), runs=nothing)
    words = [*before.split(), NO_WORD, *after.split()]
    place = len(before.split())
    line = Line(words=tuple(map(fitted_word, words)), site=(place, place), leftward=is_right_to_left(words))
    return Drawing(line=line, key=SideDrawing(), runs=nothing)


def _build_chain(given: ShownChain, key: ShownChain | None) -> Chain:
    """Return the chain of one side; `key` is None for the key itself."""
    if not given.size:
        return _NOT_IN_CHAIN
    own = next((mention for mention in given.mentions if mention.here), given.mentions[0])
    decides = given.antecedent
    return Chain(
        size=given.size,
        mentions=tuple(_build_mention(each, own, signed=key is not None) for each in given.mentions),
        antecedent=None if decides is None else decides.number,
        distance="" if decides is None else describe_distance(decides),
    )


def _build_mention(given: ShownMention, own: ShownMention, *, signed: bool) -> MentionMark:
    return MentionMark(
        number=given.number,
        text=fitted_word(words_of(given.text)),
        where=" ".join(describe_place(given, own, lambda text: fit_text(text, LONGEST_WORD))),
        wrong=signed and not given.in_key,
        here=given.here,
    )


# Arcs of a sentence: those of words on which sides differ, and the words at both ends.


MOST_WORDS = 8
"""The maximal number of words with differing arcs displayed, those nearest to the site."""

_MAX_WORD_CELLS = 16  # terminal cells of a word in a drawing


def most_arcs(runs: int) -> int:
    """Return the maximal number of words whose arcs are displayed: one if there are many runs."""
    return MOST_WORDS if runs <= FEW_RUNS else 1


def draw_trees(example: Example, line: Line) -> Drawing:
    """Draw the arcs of a sentence."""
    key, *runs = (tuple(map(_build_arc, tree.arcs)) for tree in example.trees)
    known, of_key = frozenset(key), SideDrawing(arcs=key)
    ends = {end for tree in example.trees for arc in tree.arcs for end in (arc.word, arc.head) if end}
    left = example.undrawn
    return Drawing(
        line=line,
        key=of_key,
        runs=tuple(_differing_arcs(arcs, known, of_key) for arcs in runs),
        ends=tuple(_build_arc_word(number, example.words[number - 1]) for number in sorted(ends)),
        undrawn=f"they differ on {format_count(left, 'more word')} of this sentence" if left else "",
    )


def _differing_arcs(arcs: Iterable[ArcMark], known: frozenset[ArcMark], key: SideDrawing) -> SideDrawing:
    """Return the arcs of a run that are not in the key, or the key's side if there are none."""
    found = tuple(arc for arc in arcs if arc not in known)
    return SideDrawing(arcs=found) if found else key


def _build_arc(arc: Arc) -> ArcMark:
    label = None if arc.label is None else fit_text(arc.label, LONGEST_WORD)
    return ArcMark(word=arc.word, head=arc.head, label=label, wrong=not arc.right)


def _build_arc_word(number: int, word: str) -> ArcWord:
    text = clip_text(word, _MAX_WORD_CELLS) or " "
    return ArcWord(number=number, text=text, cells=max(cell_len(text), 1))


# Other errors in the words around a site.


class Contested:
    """The contested sites of a view, sorted by position.

    Args:
        sites: the sites.

    """

    def __init__(self, sites: Sites) -> None:
        rows = sites.contested
        places = sites.document[rows].astype(np.int64) << 32 | sites.place[rows]
        order = np.argsort(places, kind="stable")
        self._places, self._rows = places[order], rows[order]

    def between(self, document: int, first: int, stop: int) -> list[int]:
        """Return the contested sites between two rows of a document, in order."""
        begin, end = np.searchsorted(self._places, [document << 32 | first, document << 32 | stop])
        return [int(row) for row in self._rows[begin:end]]


# Labels below words: of all sides at the site, and around it where a run differs from the key.


class Tags:
    """Draws the labels of words.

    Args:
        context: the context of the result.
        runs: the runs to display in addition to the key.
        around: whether labels of surrounding sites are displayed too.

    """

    def __init__(self, context: Context, runs: Sequence[int], *, around: bool) -> None:
        self._sites, self._texts, self._runs = context.sites, context.verdicts.texts, runs
        self._contested = Contested(context.sites) if around and len(runs) <= FEW_RUNS else None

    def draw(self, example: Example, document: int, place: int) -> Drawing:
        """Draw the site at a row of a document."""
        window = window_at(self._texts, document, place, 1)
        if not window.words:
            return draw_values_only(len(self._runs))
        line = line_of(window, glued_in(self._texts, window), place)
        here = line.site[0]
        found = self._contested_labels(window, place)
        key = {here: _build_tag_mark(here, example.key)} | {
            word: _build_neighbour_mark(word, tag) for word, (tag, _) in found.items()
        }
        drawings = []
        for answer, run in zip(example.answers, self._runs, strict=True):
            marks = {
                word: _build_neighbour_mark(word, values[run], wrong=True)
                for word, (_, values) in found.items()
                if run in values
            }
            marks[here] = _build_tag_mark(here, answer.value, wrong=not answer.right)
            drawings.append(SideDrawing(marks=_sort_marks(marks)))
        # An error of other runs only is not a difference between the key and this run.
        full = SideDrawing(marks=_sort_marks(key))
        same = SideDrawing(marks=(key[here],))
        return Drawing(line=line, key=full, runs=tuple(full if each == same else each for each in drawings))

    def _contested_labels(self, window: Window, place: int) -> Mapping[int, tuple[str, Mapping[int, str]]]:
        """Return the words around a site on which runs differ from the key, with its label and those of such runs."""
        sites = self._sites
        found: dict[int, tuple[str, Mapping[int, str]]] = {}
        if self._contested is None:
            return found
        for row in self._contested.between(window.document, window.first, window.stop):
            if (at := int(sites.place[row])) != place:
                key = int(sites.key[row])
                codes = {run: int(sites.values[run][row]) for run in self._runs}
                wrong = {run: format_value(sites.names[code]) for run, code in codes.items() if code != key}
                found[at - window.first] = format_value(sites.names[key]), wrong
        return found


def _build_tag_mark(word: int, label: str, *, wrong: bool = False) -> Mark:
    return Mark(label=fit_text(label, LONGEST_WORD), pieces=((word, word),), wrong=wrong)


def _build_neighbour_mark(word: int, label: str, *, wrong: bool = False) -> Mark:
    return Mark(label=fit_text(label, LONGEST_WORD), pieces=((word, word),), wrong=wrong, elsewhere=True)


def _sort_marks(marks: Mapping[int, Mark]) -> tuple[Mark, ...]:
    return tuple(marks[word] for word in sorted(marks))


# The possible spans of probabilistic runs around a site.


@dataclass(frozen=True, slots=True, kw_only=True)
class Possibility:
    """A possible span of a probabilistic run.

    Args:
        label: its label.
        text: the text it covers.
        weight: its probability.
        correct: whether it is in the key.
        decided: whether it is in the run's hard output.

    """

    label: str
    text: str
    weight: float
    correct: bool
    decided: bool


class Possibilities:
    """The tuples of one run, sorted by position.

    Args:
        candidates: the tuples.

    """

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._room = int((candidates.place + candidates.width).max(initial=0)) + 1
        begins = candidates.document.astype(np.int64) * self._room + candidates.place
        self._order = np.argsort(begins, kind="stable")
        self._begins = begins[self._order]
        self._ends = self._begins + candidates.width[self._order]
        self._reach = np.maximum.accumulate(self._ends)

    def around(self, document: int, place: int, width: int) -> list[Possibility]:
        """Return the tuples that overlap the given rows of a document, the most probable first."""
        first = document * self._room + min(place, self._room)
        stop = document * self._room + min(place + width, self._room)
        found = np.arange(
            np.searchsorted(self._reach, first, side="right"), np.searchsorted(self._begins, stop, side="left")
        )
        rows = self._order[found[self._ends[found] > first]]
        weights = self._candidates.beliefs.weight[rows]
        return [self._make_possibility(row) for row in rows[np.argsort(-weights, kind="stable")].tolist()]

    def _make_possibility(self, row: int) -> Possibility:
        given = self._candidates
        return Possibility(
            label=format_value(given.names[int(given.label[row])]),
            text=given.text[row],
            weight=float(given.beliefs.weight[row]),
            correct=bool(given.correct[row]),
            decided=bool(given.decided[row]),
        )


MOST = 6
"""The maximal number of possible spans displayed for a run."""

MOST_OF_MANY = 2
"""The same if there are many runs."""


class Beliefs:
    """Draws the possible spans of probabilistic runs.

    Args:
        candidates: the tuples of all runs.
        runs: the runs to display.
        text: whether the words of spans are displayed.

    """

    def __init__(self, candidates: Sequence[Candidates], runs: Sequence[int], *, text: bool) -> None:
        self._runs = [(run, Possibilities(candidates[run])) for run in runs]
        self._most = MOST if len(runs) <= FEW_RUNS else MOST_OF_MANY
        self._text = text

    def of(self, document: int, place: int, width: int) -> Iterator[Belief]:
        """Yield the possible spans in the given rows of a document, for runs that have some."""
        for run, possibilities in self._runs:
            found = possibilities.around(document, place, width)
            spans = tuple(map(self._build_possible, found[: self._most]))
            if spans:
                yield Belief(run=run, spans=spans, further=len(found) - len(spans))

    def _build_possible(self, given: Possibility) -> Possible:
        return Possible(
            label=fit_text(given.label, LONGEST_WORD),
            text=fitted_word(given.text) if self._text else "",
            weight=f"{given.weight:.3f}" if given.weight >= 0.001 else "<0.001",
            share=round(100 * given.weight),
            correct=given.correct,
            decided=given.decided,
        )


# The drawing of a row: labels of words, spans, mentions of chains, arcs, or values only.


Kind = Literal["tags", "spans", "mentions", "arcs", "rows"]


class Drawer:
    """Draws rows of a view; data shared by all of them is built once.

    Args:
        context: the context of the result.
        runs: the runs to display in addition to the key.
        of: whether rows are sites or items.

    """

    def __init__(self, context: Context, runs: Sequence[int], of: Literal["sites", "items"]) -> None:
        self._context, self._runs, self._of = context, runs, of
        self._run_of = {name: run for run, name in enumerate(context.verdicts.runs)}
        self._by_line = any(part.by_line for part in context.verdicts.texts.parts)

    def draw(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        """Draw a row, and return the kind of drawing with it."""
        kind, drawing = self._draw_item(example, row) if self._of == "items" else self._draw_site(example, row)
        return ("rows", drawing) if drawing.line is None and kind != "mentions" else (kind, drawing)

    def locate(self, row: int) -> tuple[int, int, int]:
        """Return the document of a row, the first row of the text that it covers, and the number of rows."""
        view = self._context.view
        if self._of == "sites":
            sites = view.sites
            width = 1 if sites.width is None else int(sites.width[row])
            return int(sites.document[row]), int(sites.place[row]), width
        items, claims = view.items, view.claims
        width = 1 if claims is None or items.claim is None else int(claims.width[items.claim[row]])
        return int(items.document[row]), int(items.place[row]), width

    def _draw_site(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        if example.stretch is not None:
            return "spans", self._spans(example.stretch)
        if self._chain_lines is not None:
            return "mentions", draw_chains(example, self._chain_lines.of(row))
        return self._draw_arcs(example, row) if example.trees else self._draw_labels(example, row)

    def _draw_item(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        items = self._context.view.items
        if self._stretches is not None and items.claim is not None:
            drawing = self._spans(self._stretches.of_claim(int(items.claim[row])))
            return "spans", replace(drawing, rulings=()).with_verdicts(self._verdicts_on(self._stretches, row))
        if self._chain_lines is not None and items.site is not None:
            return "mentions", draw_chains(example, self._chain_lines.of(int(items.site[row])))
        return self._draw_labels(example, row)

    def _verdicts_on(self, stretches: Stretches, item: int) -> list[str]:
        """Return the verdict of rules on an item in each run."""
        texts = {each.run: fit_text(verdict_and_rule(each), LONGEST_WORD) for each in stretches.verdicts_on(item)}
        return [texts.get(self._context.verdicts.runs[run], "") for run in self._runs]

    def _spans(self, stretch: Stretch) -> Drawing:
        return draw_spans(stretch, self._run_of) if stretch.words else draw_values_only(len(self._runs))

    def _draw_labels(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        if self._by_line:
            return "rows", draw_values_only(len(self._runs))
        return "tags", self._tags.draw(example, *self.locate(row)[:2])

    def _draw_arcs(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        texts, (document, place, _) = self._context.verdicts.texts, self.locate(row)
        window = window_at(texts, document, place, 1)
        line = line_of(window, glued_in(texts, window), place)
        return "arcs", draw_trees(example, line)

    @cached_property
    def _tags(self) -> Tags:
        return Tags(self._context, self._runs, around=self._of == "sites")

    @cached_property
    def _stretches(self) -> Stretches | None:
        claims = self._context.view.claims
        return None if claims is None else Stretches(self._context, claims, self._runs)

    @cached_property
    def _chain_lines(self) -> ChainLines | None:
        view = self._context.view
        if view.chains is None or view.mention is None:
            return None
        return ChainLines(self._context, view.chains, view.mention, self._runs)


# The card of a row of a selection.


class Cards:
    """Builds the cards of a selection one by one; data shared by all of them is built once.

    Args:
        result: the result.
        selection: the selection; rows of other selections in the same view can be displayed too.
        text: whether words of the corpus are displayed.
        attributes: the attributes on cards, in order.

    """

    def __init__(
        self, result: Result, selection: Selection, *, text: bool = True, attributes: Sequence[str] = ()
    ) -> None:
        context, view = result.context(selection.view.name), selection.view
        all_runs = tuple(range(len(result.verdicts.runs)))
        self._exhibits = Exhibits(context, selection, all_runs, most_arcs=most_arcs(len(all_runs)))
        self._runs = self._exhibits.seen
        self._drawer = Drawer(replace(context, view=view), self._runs, selection.of)
        self._attributes = Attributes(result.verdicts, selection, attributes, text=text)
        self._beliefs = None if view.candidates is None else Beliefs(view.candidates, self._runs, text=text)
        self._view, self._of, self._text = view, selection.of, text

    def of(self, row: int) -> Card:
        """Return the card of one site or item."""
        example = self._exhibits.of(row)
        nothing: tuple[Kind, Drawing] = "rows", draw_values_only(len(self._runs))
        kind, drawing = self._drawer.draw(example, row) if self._text else nothing
        line = drawing.line
        plain = Card(
            document=fit_text(example.document, LONGEST_WORD),
            label=fit_text(self._label(row), LONGEST_WORD),
            kind=kind,
            sides=sides_of(example, self._runs, drawing),
            place=short_place(example.place),
            line=fit_text(example.after or example.word) if self._text and line is None else "",
            ends=drawing.ends,
            rulings=drawing.rulings,
            beliefs=() if self._beliefs is None else tuple(self._beliefs.of(*self._drawer.locate(row))),
            undrawn=drawing.undrawn,
            attributes=self._attributes.of(row),
        )
        if line is None:
            return plain
        return msgspec.structs.replace(
            plain,
            words=line.words,
            glued=line.glued,
            site=line.site,
            words_before=line.before,
            words_after=line.after,
            leftward=line.leftward,
        )

    def _label(self, row: int) -> str:
        """Return the value of `label` in conditions."""
        if self._of == "items":
            items = self._view.items
            return format_value(items.names[int(items.label[row])])
        labels = self._view.sites.labels
        return format_value(labels.names[int(labels.key[row])])


def join_sentence(card: Card) -> str:
    """Return the words of a card as one text, with the white space of its sentence."""
    glued = frozenset(card.glued)
    return "".join(word if number in glued or not number else f" {word}" for number, word in enumerate(card.words))
