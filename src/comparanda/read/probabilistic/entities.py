"""Records with `entities`: spans with a score each, which a policy makes blocks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.making import TOO_MANY, Scored, made
from comparanda.columns import TextColumn
from comparanda.places import weighing
from comparanda.read.probabilistic.records import Tuples
from comparanda.read.probabilistic.spans import flattened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from comparanda.beliefs.making import Refuse
    from comparanda.beliefs.policies import Policies
    from comparanda.columns import Rows
    from comparanda.errors import ReadError
    from comparanda.read.probabilistic.records import Records


def entities(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read the entities of some records that have the same policies.

    Where an entity has several labels, their probabilities are scores of the tuples: nothing is left over.
    """
    given = [(number, records.documents[number].entities or []) for number in numbers]
    sizes = np.array([len(spans) for _, spans in given], np.int64)
    owner = np.repeat(np.arange(len(given)), sizes)
    first = np.cumsum(sizes) - sizes
    record = np.array(numbers, np.int64)[owner]

    def way(span: int) -> str:
        return f"entities[{span - int(first[owner[span]])}]"

    flat = flattened(records, [span for _, spans in given for span in spans], record, way)
    span = flat.span
    scored = Scored(
        record[span],
        flat.begin[span],
        flat.end[span],
        TextColumn.of(flat.label).codes.astype(np.int64),
        flat.entity[span] * flat.share,
    )
    refuse = refusing(records, scored, flat.label, lambda row: way(int(span[row])))
    return chosen(records, scored, flat.label, policies, refuse, lambda row: way(int(span[row])), flat.texts())


def chosen(
    records: Records,
    scored: Scored,
    label: list[str],
    policies: Policies,
    refuse: Refuse,
    way: Callable[[int], str],
    texts: dict[int, str],
) -> Tuples:
    """Make tuples of scores by the policies, and note those that had to go."""
    found = made(scored, policies.overlap, policies.semantics, refuse)
    if len(found.left_out):
        what = TOO_MANY + weighing(records.source, float(scored.weight[found.left_out].sum()))
        records.note(what, scored.document[found.left_out])
    rows = found.rows
    return Tuples(
        scored.document[rows],
        scored.begin[rows],
        scored.end[rows],
        [label[row] for row in rows.tolist()],
        found.beliefs,
        {number: texts[row] for number, row in enumerate(rows.tolist()) if row in texts} if texts else {},
        lambda row: way(int(rows[row])),
    )


def refusing(records: Records, scored: Scored, label: list[str], way: Callable[[int], str]) -> Refuse:
    """Return what makes the error for some tuples: at the record of the first, with all that are meant."""

    def refuse(rows: Rows, what: str, hint: str) -> ReadError:
        shown = [
            f"{way(row)}: {scored.begin[row]} to {scored.end[row]}, {label[row]} {scored.weight[row]:g}"
            for row in rows[:_SHOWN].tolist()
        ]
        details = [*shown, *([f"and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else [])]
        return records.refuse(int(scored.document[rows[0]]), what, details=details, hint=hint)

    return refuse


_SHOWN = 4
