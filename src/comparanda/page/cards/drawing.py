"""What there is to see of a row: labels under words, spans, mentions of chains, arcs, or nothing but values."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from comparanda.comparison.chain_lines import ChainLines
from comparanda.comparison.rulers import glued_in, window_at
from comparanda.comparison.spans import Stretches
from comparanda.page.cards.chains import draw_chains
from comparanda.page.cards.sides import bare
from comparanda.page.cards.spans import draw_spans
from comparanda.page.cards.tags import Tags
from comparanda.page.cards.texts import LONGEST_WORD, fitted, line_of
from comparanda.page.cards.trees import draw_trees
from comparanda.show.example_tables import verdict_and_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.comparison.context import Context
    from comparanda.comparison.examples import Example
    from comparanda.comparison.spans import Stretch
    from comparanda.page.cards.sides import Drawing

Kind = Literal["tags", "spans", "mentions", "arcs", "rows"]


class Drawer:
    """Draws rows of a view; what all of them share is made once.

    Args:
        context: the ground.
        runs: the runs to show beside the key.
        of: whether rows are sites or items.

    """

    def __init__(self, context: Context, runs: Sequence[int], of: Literal["sites", "items"]) -> None:
        self._context, self._runs, self._of = context, runs, of
        self._run_of = {name: run for run, name in enumerate(context.verdicts.runs)}
        self._by_line = any(part.by_line for part in context.verdicts.texts.parts)

    def draw(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        """Draw a row, and say what is drawn."""
        kind, drawing = self._item(example, row) if self._of == "items" else self._site(example, row)
        return ("rows", drawing) if drawing.line is None and kind != "mentions" else (kind, drawing)

    def stands(self, row: int) -> tuple[int, int, int]:
        """Return the document of a row, and what it covers there: the first row, and how many."""
        view = self._context.view
        if self._of == "sites":
            sites = view.sites
            width = 1 if sites.width is None else int(sites.width[row])
            return int(sites.document[row]), int(sites.place[row]), width
        items, claims = view.items, view.claims
        width = 1 if claims is None or items.claim is None else int(claims.width[items.claim[row]])
        return int(items.document[row]), int(items.place[row]), width

    def _site(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        if example.stretch is not None:
            return "spans", self._spans(example.stretch)
        if self._chain_lines is not None:
            return "mentions", draw_chains(example, self._chain_lines.of(row))
        return self._arcs(example, row) if example.trees else self._labels(example, row)

    def _item(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        items = self._context.view.items
        if self._stretches is not None and items.claim is not None:
            drawing = self._spans(self._stretches.of_claim(int(items.claim[row])))
            return "spans", replace(drawing, rulings=()).with_verdicts(self._verdicts_on(self._stretches, row))
        if self._chain_lines is not None and items.site is not None:
            return "mentions", draw_chains(example, self._chain_lines.of(int(items.site[row])))
        return self._labels(example, row)

    def _verdicts_on(self, stretches: Stretches, item: int) -> list[str]:
        """Return what rules made of an item in each run."""
        said = {each.run: fitted(verdict_and_rule(each), LONGEST_WORD) for each in stretches.verdicts_on(item)}
        return [said.get(self._context.verdicts.runs[run], "") for run in self._runs]

    def _spans(self, stretch: Stretch) -> Drawing:
        return draw_spans(stretch, self._run_of) if stretch.words else bare(len(self._runs))

    def _labels(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        if self._by_line:
            return "rows", bare(len(self._runs))
        return "tags", self._tags.draw(example, *self.stands(row)[:2])

    def _arcs(self, example: Example, row: int) -> tuple[Kind, Drawing]:
        texts, (document, place, _) = self._context.verdicts.texts, self.stands(row)
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
