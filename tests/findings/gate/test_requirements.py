"""Requirements are written in the language of all conditions; what is wrong with one is pointed at."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comparanda as cp
from comparanda import ExpressionError
from comparanda.core.measures import parse_measure
from comparanda.errors import UsageError
from comparanda.findings.gate_checks import Decision, RequirementValues, decide_requirement
from comparanda.findings.scores import Score

VALUES = {"f1": (0.8, 0.75), "recall": (0.7, 0.9), "f1[PER]": (0.5, 0.25), "precision": (None, 0.5)}
COUNTS = {"new_errors": 3.0, "corrections": 5.0, "changed_errors": 0.0, "sites": 100.0}


def ground(*, output: bool = True) -> RequirementValues:
    def give(place: int) -> object:
        def score(name: str) -> Score:
            parse_measure(name)
            if name not in VALUES:
                raise UsageError(f"the label of {name!r} does not occur", hint="PER")
            value = VALUES[name][place]
            reason = "nothing claimed" if value is None else None
            return Score(
                system="x",
                measure=name,
                value=value,
                low=None,
                high=None,
                part=None,
                whole=None,
                reason=reason,
                by_run=(value,),
            )

        return score

    def count(what: str, label: str | None) -> float:
        return COUNTS[what] / (1 if label is None else 10)

    return RequirementValues(
        score=give(0),  # type: ignore[arg-type]
        base_score=give(1),  # type: ignore[arg-type]
        measures=("f1", "recall"),
        count=count if output else None,
        labels=("LOC", "PER"),
        diff=0.25,
    )


@pytest.mark.parametrize(
    ("text", "measured", "limit", "said"),
    [
        ("f1 >= base - 0.3", 80, 74.7, "f1 80, base 75"),
        ("80 >= f1", 80, 80, "f1 80"),
        ("recall + 20 >= base_score('recall')", 90, 90, "recall 70, base recall 90"),
        ('score("f1[PER]") == 2 * base', 50, 50, "f1[PER] 50, base 25"),
        ("`f1[PER]` > base", 50, 25, "f1[PER] 50, base 25"),
        ("new_errors < corrections", 3, 5, "new_errors 3, corrections 5"),
        ("new_errors('PER') / sites('LOC') <= 0.03", 0.03, 0.03, "new_errors(PER) 0.3, sites(LOC) 10"),
        ("diff == 25", 25, 25, "diff 25"),
        ("abs(f1 - base) <= 5", 5, 5, "f1 80, base 75"),
        ("f1 > 50 and (recall > 99 or not diff > 30)", None, None, "f1 80, recall 70, diff 25"),
        ("70 <= f1 <= 80", None, None, "f1 80"),
        ("f1 in [70, 80]", None, None, "f1 80"),
        ("(f1 > 1) == (recall > 1)", None, None, "f1 80, recall 70"),
    ],
)
def test_what_holds_says_what_it_rests_on(text: str, measured: float | None, limit: float | None, said: str) -> None:
    found = decide_requirement(text, ground())
    assert (found.holds, found.decided, found.reason) == (True, True, said)
    for value, expected in ((found.measured, measured), (found.limit, limit)):
        assert value == (None if expected is None else pytest.approx(expected))
    assert not decide_requirement(f"not ({text})", ground()).holds


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        ("ff1 >= 80", "unknown name 'ff1' (did you mean 'f1'?)", "ff1"),
        ("new_error == 0", "unknown name 'new_error' (did you mean 'new_errors'?)", "new_error"),
        ("f1 >= base.f1", 'write base_score("f1")', "base.f1"),
        ("f1 >= 'base'", "'>=' cannot compare a number with a string", ">="),
        ("f1", "expected a condition, got a number", "f1"),
        ("f1 >= recall + base", "but 2 are named", "base"),
        ("new_errors < base", "but none is named", "base"),
        ("f1 >= 80%", "in points from 0 to 100: write 80", "80%"),
        ("f1 >= 0.8", "0.8 is less than one point: write 80", "0.8"),
        ("0.3 < recall and true", "0.3 is less than one point: write 30", "0.3"),
        ("base_score('f1') > 0.5", "0.5 is less than one point: write 50", "0.5"),
        ("1 < 2", "this does not depend on the outputs", "1 < 2"),
        ("true", "this does not depend on the outputs", "true"),
        ("score('f2') > 3", "measure: unknown measure 'f2'", "'f2'"),
        ("score('f1[ORG]') > 3", "measure: the label of 'f1[ORG]' does not occur", "'f1[ORG]'"),
        ("`f1[ORG]` > 3", "the label of 'f1[ORG]' does not occur", "`f1[ORG]`"),
        ("score(f1) > 3", "the measure of score() must be a string in quotes", "f1"),
        ("new_errors('ORG') > 3", "unknown label 'ORG'", "'ORG'"),
        ("length('x') > 3", "unknown function 'length'", "length"),
        ("is_missing(f1)", "unknown function 'is_missing'", "is_missing"),
        ("__import__('os') == 1", "unknown function '__import__'", "__import__"),
        ("f1 >= base -", "", ""),
        ("", "", ""),
    ],
)
def test_what_is_wrong_is_pointed_at(text: str, message: str, under: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        decide_requirement(text, ground())
    assert message in str(caught.value)
    lines = str(caught.value).split("\n")
    assert lines[1] == f"  {text}"
    if under:
        begin = lines[2].index("^") - 2
        assert text[begin : begin + lines[2].count("^")] == under
    assert caught.value.exit_code == 2


def test_a_measure_with_a_label_is_to_be_quoted() -> None:
    with pytest.raises(ExpressionError, match=r'write score\("f1\[PER\]"\)'):
        decide_requirement("f1[PER] >= 80", ground())


@pytest.mark.parametrize(
    "text", ["precision >= 0", "not (precision >= 0)", "f1 > 1 or precision > 1", "precision > base"]
)
def test_what_is_undefined_decides_nothing(text: str) -> None:
    if "base" in text:
        assert decide_requirement("precision > base - 100", ground()).decided is False
    assert decide_requirement(text, ground()) == Decision(
        holds=False, reason="cannot be decided: precision is undefined (nothing claimed)", decided=False
    )


@pytest.mark.parametrize(
    "text", ["new_errors < 3", "diff < 3", "f1 > 1 and sites('PER') > 1", "corrections('LOC') > 1"]
)
def test_counts_need_the_output_of_the_base(text: str) -> None:
    with pytest.raises(ExpressionError, match="needs the base's output"):
        decide_requirement(text, ground(output=False))
    assert decide_requirement("f1 >= base", ground(output=False)).holds


@pytest.mark.parametrize("text", ["f1 / changed_errors > 1", "f1 > 1 or f1 / (new_errors - 3) < 1", "f1 % 0 != 3"])
def test_a_division_by_zero_decides_nothing(text: str) -> None:
    found = decide_requirement(text, ground())
    assert (found.holds, found.decided) == (False, False)
    assert "division by zero" in found.reason


@given(st.floats(-200, 200), st.sampled_from([">=", ">", "<=", "<", "==", "!="]), st.sampled_from([0.0, 1e-12, -1e-12]))
def test_values_closer_than_the_last_bits_are_equal(gap: float, sign: str, noise: float) -> None:
    limit = 80 - gap
    if abs(gap) < 1e-6:
        gap, limit = 0.0, 80 + noise
    if limit < 1 or "e" in repr(limit):
        return
    expected = {">=": gap >= 0, ">": gap > 0, "<=": gap <= 0, "<": gap < 0, "==": gap == 0, "!=": gap != 0}[sign]
    assert decide_requirement(f"f1 {sign} {limit!r}", ground()).holds is expected


def test_the_values_of_a_real_comparison_are_those_that_are_printed() -> None:
    found = cp.gate(list("ABA"), list("AAA"), list("ABB"), task="tag", require="accuracy >= base", resamples=0)
    (check,) = found.checks
    assert check.measured is not None
    assert check.limit is not None
    assert math.isclose(check.measured, 200 / 3)
    assert math.isclose(check.limit, 200 / 3)
    assert check.passed
