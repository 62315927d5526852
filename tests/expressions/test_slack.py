"""Conditions with slack: numbers that nearly agree are equal, all else is as it was."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from comparanda.expressions import Expression, check, evaluate, parse, scope_of
from comparanda.findings.gate_checks import with_slack

SIGNS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
WHOLE = st.integers(-3, 3)


def holds(text: str, slack: float | None, **values: float) -> bool:
    scope = scope_of({name: np.array([value], np.float64) for name, value in values.items()})
    expression = parse(text)
    root = expression.root if slack is None else with_slack(expression.root, slack)
    found = evaluate(check(Expression(root, text), scope.types), scope)
    assert isinstance(found, np.ndarray)
    return bool(found[0])


@given(one=SIGNS, two=SIGNS, x=WHOLE, y=WHOLE, z=WHOLE, noise=st.sampled_from([0.0, 1e-12, -1e-12]))
def test_whole_numbers_compare_as_before_whatever_their_last_bits(
    *, one: str, two: str, x: int, y: int, z: int, noise: float
) -> None:
    for text in (
        f"x {one} y",
        f"x {one} y {two} z",
        f"not (x {one} y) and (y {two} z or x + 1 {two} y - z)",
        f"(x {one} y) == (y {two} z)",
        "x in [y, 2]",
    ):
        assert holds(text, 1e-9, x=x, y=y, z=z) is holds(text, None, x=x, y=y, z=z)
        if " in " not in text:
            assert holds(text, 1e-9, x=x + noise, y=y, z=z - noise) is holds(text, None, x=x, y=y, z=z)
