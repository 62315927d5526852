"""Small rule sets for tests: short to write, and loaded or refused in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from comparanda.errors import RuleError
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import ColumnDeclaration, Pairing, RuleDeclaration, RuleSetDeclaration

COMMON = {
    "note": ColumnDeclaration(),
    "hits": ColumnDeclaration("number"),
    "seen": ColumnDeclaration("truth"),
}
TABLES = {
    "system": {
        **COMMON,
        "result": ColumnDeclaration(values=("TP", "FP", "fuzzy")),
        "partner": ColumnDeclaration("row", table="key"),
        "before": ColumnDeclaration("row", table="system"),
    },
    "key": {
        **COMMON,
        "result": ColumnDeclaration(values=("TP", "FN", "fuzzy")),
        "partner": ColumnDeclaration("row", table="system"),
    },
}
S = {"s": "system"}
K = {"k": "key"}
SK = {"s": "system", "k": "key"}
ST = {"s": "system", "t": "system"}
LINK = {"s.partner": "k", "k.partner": "s"}
UNLINKED = "is_missing(s.partner) and is_missing(k.partner)"


def rule(
    when: str,
    sets: Mapping[str, str],
    *,
    over: Mapping[str, str] = S,
    salience: float = 0,
    pair: Pairing | None = None,
    best: Sequence[str] = (),
    group: str = "g",
) -> RuleDeclaration:
    return RuleDeclaration(
        name="", group=group, over=over, when=when, sets=sets, salience=salience, pair=pair, best=best
    )


def restarts(**rules: RuleDeclaration) -> dict[str, str | None]:
    """Load rules; return for each the rule that is tried next once it has changed something, if not the next one."""
    named = tuple(replace(each, name=name) for name, each in rules.items())
    checked = compile_rules(RuleSetDeclaration(name="test", groups=("g", "h"), tables=TABLES, rules=named))
    names = [each.name for each in checked.rules]
    return {name: None if back is None else names[back] for name, back in zip(names, checked.restarts, strict=True)}


def complaint(**rules: RuleDeclaration) -> str:
    with pytest.raises(RuleError) as caught:
        restarts(**rules)
    return str(caught.value)


def both_sides(value: str) -> dict[str, str]:
    return {"s.result": value, "k.result": value}
