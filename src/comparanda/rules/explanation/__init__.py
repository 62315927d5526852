"""Explain on demand, from the trace of a run, why a row has its verdict and why a rule did not fire for it.

During a run only the rows of each firing are recorded. Everything else is recomputed:
the run is replayed from its trace, and conditions are evaluated one by one for the rows in question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from comparanda.rules.explanation.account import Account, Naming, why_of
from comparanda.rules.explanation.data import Attempt, Cell, Condition, Pair, Row, Step, Verdict, Why, WhyNot
from comparanda.rules.explanation.refusals import why_not_of

if TYPE_CHECKING:
    from comparanda.rules.engine import Engine, Outcome
    from comparanda.rules.facts import Facts

__all__ = [
    "Account",
    "Attempt",
    "Cell",
    "Condition",
    "Naming",
    "Pair",
    "Row",
    "Step",
    "Verdict",
    "Why",
    "WhyNot",
    "why",
    "why_not",
]


def explain_row(
    outcome: Outcome,
    engine: Engine,
    table: str,
    row: int,
    *,
    naming: Naming | None = None,
    facts: Mapping[str, Facts] | None = None,
) -> Why:
    """Return every firing that involved a row, in order, and the resulting verdict in each view.

    Args:
        outcome: the result of a run.
        engine: the engine that ran.
        table: the row's table, `system` or `key`.
        row: its number by content, as in the trace.
        naming: how rows are named; by numbers by default.
        facts: the facts; needed only if they have columns that rules set.

    """
    return why_of(Account(outcome, engine, naming, facts), table, row)


def why_not(
    outcome: Outcome,
    engine: Engine,
    rule: str,
    row: int,
    *,
    other: int | None = None,
    table: str | None = None,
    naming: Naming | None = None,
    facts: Mapping[str, Facts] | None = None,
) -> WhyNot:
    """Return the conditions that prevented a rule from firing for a row.

    For a rule over two tables, the nearest rows of the other table are examined, or the one that is given.

    Args:
        outcome: the result of a run.
        engine: the engine that ran.
        rule: the rule's name.
        row: the row's number by content.
        other: the number of a row of the rule's other table.
        table: the row's table; that of the rule's first variable by default.
        naming: how rows are named; by numbers by default.
        facts: the facts; needed only if they have columns that rules set.

    """
    return why_not_of(Account(outcome, engine, naming, facts), name=rule, table=table, row=row, other=other)
