"""Examples: the sentences of the sites or items that a number counts, with file and line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.core.row_samples import place_hashes
from comparanda.core.sites import NOTHING, format_value
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table
from comparanda.tasks.coref.examples import MentionChains, ShownChain, antecedent_text, one_line
from comparanda.tasks.spans.examples import RunVerdict, Stretch, Stretches
from comparanda.tasks.trees.examples import MOST_WORDS, Tree, trees_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from comparanda.core.items import Items
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.expressions.selection import Selection
    from comparanda.findings.context import Context


@dataclass(frozen=True)
class Answer:
    """The answer of one run at a site."""

    run: str
    value: str
    right: bool
    place: str | None


@dataclass(frozen=True, kw_only=True)
class Example:
    """One site in its sentence, with the key's value and the runs'.

    Args:
        document: the name of its document.
        place: file and line in the key.
        before: the words of the sentence before it.
        word: its word.
        after: the words after it.
        key: the key's value.
        answers: the answer of each run; at an overlap site of two systems, of each of their runs.
        words: the words of the sentence, where trees are drawn over them.
        trees: the arcs of the key, the base and the new system for words of the sentence on which they differ.
        undrawn: the number of further words on which they differ; only those nearest to the site are in `trees`.
        stretch: the spans around an overlap site; None for other sites.
        chains: where sites are mentions, the chain that contains it in the key, then in the runs; empty for others.

    """

    document: str
    place: str | None
    before: str
    word: str
    after: str
    key: str
    answers: tuple[Answer, ...]
    words: tuple[str, ...]
    trees: tuple[Tree, ...]
    undrawn: int
    stretch: Stretch | None
    chains: tuple[ShownChain, ...]


@dataclass(frozen=True, kw_only=True)
class Examples(Finding):
    """A sample of the sites or items that a condition selects, in document order, and their total number."""

    json_name = "examples"

    view: str
    where: str
    base: str | None
    new: str | None
    of: Literal["sites", "items"]
    count: int
    seed: int
    examples: tuple[Example, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        del top  # these tables are short
        return example_tables(self)

    def print_to(self, console: Console, top: int | None = None) -> None:
        """Print the finding in a terminal."""
        del top  # the examples were chosen before
        from comparanda.findings.example_text import print_examples

        print_examples(self, console)


def collect_examples(
    context: Context, selection: Selection, top: int, *, base: str | None = None, new: str | None = None
) -> Examples:
    """Sample a selection: show the rows with the smallest hash of seed, document and place."""
    exhibits = Exhibits(context, selection, _select_runs(context, base, new))
    found = tuple(exhibits.of(row) for row in sample_rows(context, selection, top))
    return Examples(
        view=context.view.name,
        where=selection.where,
        base=base,
        new=new,
        of=selection.of,
        count=len(selection),
        seed=context.seed,
        examples=found,
    )


class Exhibits:
    """Builds examples from rows of a selection; data that all of them share is computed once.

    Args:
        context: the context of the selection.
        selection: the rows to show; rows of other selections in the same view can be shown too.
        pair: the runs whose trees are drawn, and whose spans are shown where sites are those of the pair alone.
        most_arcs: the largest number of words of a sentence whose arcs are shown.

    Attributes:
        seen: the runs whose answers are shown.

    """

    def __init__(
        self, context: Context, selection: Selection, pair: tuple[int, ...], *, most_arcs: int = MOST_WORDS
    ) -> None:
        all_runs = tuple(range(len(context.verdicts.runs)))
        self._pair, self._most_arcs = pair, most_arcs
        self.seen = all_runs if selection.view is context.view else selection.runs or pair
        self._context = replace(context, view=selection.view)
        self._of = selection.of

    @cached_property
    def _chains(self) -> MentionChains | None:
        view = self._context.view
        if view.chains is None or view.mention is None:
            return None
        return MentionChains(self._context, view.chains, view.mention, self.seen)

    @cached_property
    def _stretches(self) -> Stretches | None:
        claims = self._context.view.claims
        return None if claims is None else Stretches(self._context, claims, self.seen)

    @cached_property
    def _claimed_items(self) -> Mapping[int, Truths]:
        return {run: self._context.view.items.has(run) for run in self.seen}

    def of(self, row: int) -> Example:
        """Build the example of one site or item."""
        if self._of == "items":
            return _item_example(self._context, row, self._claimed_items, self._chains)
        return _site_example(
            self._context,
            row=row,
            pair=self._pair,
            most_arcs=self._most_arcs,
            seen=self.seen,
            stretches=self._stretches,
            chains=self._chains,
        )


def _select_runs(context: Context, *systems: str | None) -> tuple[int, ...]:
    """Return the runs of some systems, or all where none is named."""
    named = [context.verdicts.system(name) for name in systems if name is not None]
    return tuple(run for system in named or context.systems for run in system.runs)


def sample_rows(context: Context, selection: Selection, top: int) -> list[int]:
    """Sample rows independently of how the corpus was split, and return them in document order; 0 for all."""
    table = selection.view.items if selection.of == "items" else selection.view.sites
    rows = np.unique(selection.rows)
    if top and len(rows) > top:
        rows = rows[by_hash(context, table, rows)[:top]]
    return [int(row) for row in rows[np.lexsort((rows, table.place[rows], table.document[rows]))]]


def by_hash(context: Context, table: Sites | Items, rows: Rows) -> Rows:
    """Return the order in which rows are sampled: a small sample is contained in every larger one."""
    return np.lexsort((table.place[rows], place_hashes(context.seed, context.verdicts.documents, table, rows)))


def _item_example(
    context: Context, row: int, claimed_items: Mapping[int, Truths], chains: MentionChains | None
) -> Example:
    """Show one item: for the key and each run its label, or an empty value if they do not have the item."""
    items, claims = context.view.items, context.view.claims
    width = 1 if claims is None or items.claim is None else int(claims.width[items.claim[row]])
    site = None if items.site is None else int(items.site[row])
    passage = _find_passage(
        context, document=int(items.document[row]), place=int(items.place[row]), width=width, site=site, chains=chains
    )
    positive, label = bool(items.positive[row]), format_value(items.names[int(items.label[row])])

    def answer(run: int) -> Answer:
        has, name = bool(claimed_items[run][row]), context.verdicts.runs[run]
        return Answer(name, label if has else format_value(NOTHING), has == positive, passage.places.get(name))

    key = label if positive else format_value(NOTHING)
    plain = _make_example(passage, key, tuple(map(answer, claimed_items)))
    return plain if chains is None or site is None else replace(plain, chains=chains.of(site))


def _site_example(
    context: Context,
    row: int,
    pair: tuple[int, ...],
    most_arcs: int,
    *,
    seen: tuple[int, ...],
    stretches: Stretches | None,
    chains: MentionChains | None,
) -> Example:
    """Show one site: its trees for a pair, its values, spans and chains for all runs shown."""
    sites, verdicts = context.sites, context.verdicts
    document, place = int(sites.document[row]), int(sites.place[row])
    width = 1 if sites.width is None else int(sites.width[row])
    passage = _find_passage(context, document=document, place=place, width=width, site=row, chains=chains)
    drawn = any(aspect.points for aspect in sites.aspects.values())
    words, position = (verdicts.texts.sentence(document, place) if drawn else None) or ((), 0)
    trees, undrawn = (
        trees_of(context, row=row, position=position, size=len(words), runs=pair, most=most_arcs) if words else ((), 0)
    )

    def answer(run: int) -> Answer:
        value, name = int(sites.values[run][row]), verdicts.runs[run]
        return Answer(name, format_value(sites.names[value]), value == int(sites.key[row]), passage.places.get(name))

    plain = _make_example(passage, format_value(sites.names[int(sites.key[row])]), tuple(map(answer, seen)))
    return replace(
        plain,
        words=words if trees else (),
        trees=trees,
        undrawn=undrawn,
        stretch=None if stretches is None else stretches.of(row),
        chains=() if chains is None else chains.of(row),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passage:
    """The words around a place; empty where the text is not available."""

    document: str
    before: str
    word: str
    after: str
    places: Mapping[str, str]


def _find_passage(
    context: Context, document: int, place: int, width: int, *, site: int | None, chains: MentionChains | None
) -> _Passage:
    """Return the words at some rows, or of the mention at a site, in their sentence."""
    if chains is None or site is None:
        excerpt = context.verdicts.texts.excerpt(document, place, width)
    else:
        excerpt = chains.excerpt(site)
    name = context.verdicts.documents[document]
    if excerpt is None:
        return _Passage(document=name, before="", word="", after="", places={})
    return _Passage(document=name, before=excerpt.before, word=excerpt.word, after=excerpt.after, places=excerpt.places)


def _make_example(passage: _Passage, key: str, answers: tuple[Answer, ...]) -> Example:
    before, word, after = passage.before, passage.word, passage.after
    place = passage.places.get("key")
    return Example(
        document=passage.document,
        place=place,
        before=before,
        word=word,
        after=after,
        key=key,
        answers=answers,
        words=(),
        trees=(),
        undrawn=0,
        stretch=None,
        chains=(),
    )


# Examples as tables: one row per sentence, the verdicts of rules on its spans, and the chains of mentions.


def example_tables(finding: Examples) -> tuple[Table, ...]:
    """Return a table of sentences, and tables of verdicts on their spans and of chains if there are any."""
    runs = [answer.run for answer in finding.examples[0].answers] if finding.examples else []
    fields = (
        Field("document", "document"),
        Field("place", "place"),
        Field("before", "before"),
        Field("word", "word"),
        Field("after", "after"),
        Field("key", "key"),
        *(Field(run, run) for run in runs),
    )
    rows = tuple(
        (each.document, each.place, each.before, each.word, each.after, each.key, *(a.value for a in each.answers))
        for each in finding.examples
    )
    title = f"{len(rows):,} of {finding.count:,} where {finding.where}"
    return (
        Table(name="examples", title=title, fields=fields, rows=rows),
        *_verdict_tables(finding, runs),
        *_chain_tables(finding),
    )


def _verdict_tables(finding: Examples, runs: list[str]) -> tuple[Table, ...]:
    """Return the table of the verdicts of rules on the spans of examples, if there are any."""
    rows: list[tuple[Any, ...]] = []
    for each in finding.examples:
        for item in each.stretch.items if each.stretch is not None else ():
            verdicts_by_run = {verdict.run: verdict_and_rule(verdict) for verdict in item.verdicts}
            where = "yes" if item.positive else "no"
            rows.append(
                (
                    each.document,
                    each.place,
                    item.label,
                    item.text,
                    where,
                    *(verdicts_by_run.get(run, "") for run in runs),
                )
            )
    fields = (
        Field("document", "document"),
        Field("place", "place"),
        Field("label", "label"),
        Field("text", "text"),
        Field("in_key", "in the key"),
        *(Field(run, run) for run in runs),
    )
    return (
        (Table(name="verdicts", title="Verdicts of rules on their spans", fields=fields, rows=tuple(rows)),)
        if rows
        else ()
    )


def _chain_tables(finding: Examples) -> tuple[Table, ...]:
    """Return the table of the chains that contain the examples in the key and in each run, if they are mentions."""
    rows = tuple(
        (
            each.document,
            each.place,
            each.word,
            chain.side,
            chain.size,
            antecedent_text(chain),
            "" if chain.antecedent is None else chain.antecedent.sentences_back,
            one_line(chain, of_key=number == 0),
        )
        for each in finding.examples
        for number, chain in enumerate(each.chains)
    )
    fields = (
        Field("document", "document"),
        Field("place", "place"),
        Field("word", "mention"),
        Field("side", "side"),
        Field("size", "mentions of the chain", "figure"),
        Field("antecedent", "antecedent"),
        Field("sentences_back", "sentences back", "figure"),
        Field("chain", "chain"),
    )
    return (Table(name="chains", title="Chains of their mentions", fields=fields, rows=rows),) if rows else ()


def verdict_and_rule(verdicts_by_run: RunVerdict) -> str:
    """Write a verdict with the rule that gave it: `FN (false negative)`."""
    return (
        verdicts_by_run.verdict
        if verdicts_by_run.rule in {"", verdicts_by_run.verdict}
        else f"{verdicts_by_run.verdict} ({verdicts_by_run.rule})"
    )
