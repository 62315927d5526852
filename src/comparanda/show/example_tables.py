"""Examples as tables: a sentence a row, what rules made of its spans, and the chains of mentions."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.examples import Examples
from comparanda.comparison.spans import RunVerdict
from comparanda.show.mentions import antecedent_text, one_line
from comparanda.show.table import Field, Table


def example_tables(finding: Examples) -> tuple[Table, ...]:
    """Return the sentences, and the verdicts on their spans and the chains of their mentions if there are any."""
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
    return (Table("examples", title, fields, rows), *_verdict_tables(finding, runs), *_chain_tables(finding))


def _verdict_tables(finding: Examples, runs: list[str]) -> tuple[Table, ...]:
    """Return what rules made of the spans of examples, if there are any."""
    rows: list[tuple[Any, ...]] = []
    for each in finding.examples:
        for item in each.stretch.items if each.stretch is not None else ():
            said = {verdict.run: verdict_and_rule(verdict) for verdict in item.verdicts}
            where = "yes" if item.positive else "no"
            rows.append((each.document, each.place, item.label, item.text, where, *(said.get(run, "") for run in runs)))
    fields = (
        Field("document", "document"),
        Field("place", "place"),
        Field("label", "label"),
        Field("text", "text"),
        Field("in_key", "in the key"),
        *(Field(run, run) for run in runs),
    )
    return (Table("verdicts", "What rules made of their spans", fields, tuple(rows)),) if rows else ()


def _chain_tables(finding: Examples) -> tuple[Table, ...]:
    """Return the chains that all sides put the mentions of examples into, if they are mentions."""
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
    return (Table("chains", "The chains of their mentions", fields, rows),) if rows else ()


def verdict_and_rule(said: RunVerdict) -> str:
    """Write a verdict with the rule that gave it: `FN (false negative)`."""
    return said.verdict if said.rule in {"", said.verdict} else f"{said.verdict} ({said.rule})"
