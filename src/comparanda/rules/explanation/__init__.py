"""Why a row has its verdict, and why a rule did not fire for it: from the trace of a run, when somebody asks.

Nothing is recorded for this while rules run but which rows each firing took. Everything else is worked out again:
the run is replayed from its trace, and conditions are looked at one by one for the rows in question.
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


def why(
    outcome: Outcome,
    engine: Engine,
    table: str,
    row: int,
    *,
    naming: Naming | None = None,
    facts: Mapping[str, Facts] | None = None,
) -> Why:
    """Return every firing that touched a row, in order, and the verdict that came of it in each view.

    Args:
        outcome: what a run has made of the facts.
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
    """Return which conditions kept a rule from firing for a row.

    Of a rule over two tables, the rows of the other table are looked at that come nearest, or the one that is named.

    Args:
        outcome: what a run has made of the facts.
        engine: the engine that ran.
        rule: the rule's name.
        row: the row's number by content.
        other: the number of a row of the rule's other table.
        table: the row's table; that of the rule's first variable by default.
        naming: how rows are named; by numbers by default.
        facts: the facts; needed only if they have columns that rules set.

    """
    return why_not_of(Account(outcome, engine, naming, facts), name=rule, table=table, row=row, other=other)
