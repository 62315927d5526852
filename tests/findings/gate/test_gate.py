"""A gate holds if, and only if, each of its checks does, counted again from plain lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda import UsageError
from comparanda.findings.gate import Check, Gate
from comparanda.result import Result
from tests.seeds import draws

KEY, BASE, NEW = list("AABBAB"), list("AABBBA"), list("AABAAB")  # two corrections, one new error at a B


def gate(key: Any = None, base: Any = None, new: Any = None, *, task: str = "tag", **asked: Any) -> Gate:
    given = [default if value is None else value for value, default in ((key, KEY), (base, BASE), (new, NEW))]
    return cp.gate(*given, task=task, **{"resamples": 0, **asked})


def only(found: Gate) -> Check:
    (check,) = found.checks
    return check


# Small enough to count


def test_new_errors_are_counted_and_shown() -> None:
    found = gate(max_new_errors=0)
    check = only(found)
    assert (check.count, check.sites, check.measured, check.limit, check.passed) == (1, 6, 1, 0, False)
    assert not found.passed
    assert [(each.name, each.count) for each in found.changes] == [
        ("correction", 2),
        ("new_error", 1),
        ("changed_error", 0),
    ]
    (broken,) = found.examples
    (example,) = broken.examples
    assert (example.key, [answer.value for answer in example.answers]) == ("B", ["B", "A"])
    assert (example.place, broken.where) == ("<key>:4", "new_error")


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        ({"max_new_errors": 1}, True),
        ({"max_new_errors": "0"}, False),
        ({"max_new_errors": "17%"}, True),
        ({"max_new_errors": "16%"}, False),
        ({"max_negative_flip_rate": "17 %"}, True),
        ({"max_negative_flip_rate": "16.6%"}, False),
        ({"max_new_errors": 0, "label": "A"}, True),
        ({"max_new_errors": 0, "label": ["A", "B"]}, False),
        ({"max_new_errors": "33%", "label": "B"}, False),  # one of the three sites with B
        ({"max_new_errors": "34%", "label": "B"}, True),
        ({"require": "accuracy >= base"}, True),
        ({"require": "accuracy >= base + 17"}, False),
        ({"require": ["accuracy > 80", "corrections > new_errors", "diff <= 50"]}, True),
        ({"require": ["accuracy > 80", "diff < 50"]}, False),
        ({"require": 'new_errors("A") == 0 and new_errors("B") == 1 and sites("A") == 3'}, True),
        ({"require": 'corrections("A") == 1 and corrections("B") == 1 and changed_errors == 0'}, True),
        ({"require": 'score("f1[A]") > base_score("f1[A]") and `f1[B]` >= 80'}, True),
        ({"require": "abs(accuracy - base) < 17"}, True),
    ],
)
def test_what_holds_and_what_does_not(asked: dict[str, Any], passes: bool) -> None:
    assert gate(**asked).passed is passes


def test_a_share_is_compared_exactly() -> None:
    """29 of 10,000 sites are 0.29 %, although 0.0029 · 10,000 is less than 29 in floating point."""
    assert 0.0029 * 10_000 < 29
    key = ["A"] * 10_000
    new = ["B"] * 29 + ["A"] * 9_971
    assert gate(key, key, new, max_new_errors="0.29%").passed
    assert gate(key, key, new, max_negative_flip_rate="0.29%").passed
    assert not gate(key, key, new, max_new_errors="0.28%").passed


def test_the_difference_of_scores_is_compared_without_rounding_errors() -> None:
    """Accuracy 70.2 against 70.5: exactly 0.3 less, which floating point does not see."""
    key = ["A"] * 1000
    base, new = (["A"] * right + ["B"] * (1000 - right) for right in (705, 702))
    assert not 100 * (702 / 1000) >= 100 * (705 / 1000) - 0.3
    assert gate(key, base, new, require="accuracy >= base - 0.3").passed
    assert not gate(key, base, new, require="accuracy > base - 0.3").passed
    assert gate(key, base, new, require="accuracy == base - 0.3").passed
    assert not gate(key, base, new, require="accuracy != base - 0.3").passed
    assert not gate(key, base, new, require="accuracy < base - 0.3").passed


def test_without_a_criterion_a_significant_loss_fails() -> None:
    key = [["A"]] * 12
    bad = [["A"]] * 4 + [["B"]] * 8
    found = gate(key, key, bad, resamples=200)
    assert found.by_default
    assert only(found).name == "significance"
    assert only(found).measured == 2 / 2**12 * 16  # only the 8 lost sentences move: all swapped alike, or none of them
    assert not found.passed
    assert "no criterion was given" in str(found)
    assert "warning: only 12 sentences" in str(found)
    assert gate(max_new_errors=1).warnings == ()
    assert gate(key, bad, key, resamples=200).passed  # a significant gain is none
    assert not gate(max_new_errors=1).by_default


def test_the_measure_that_is_tested_can_be_chosen() -> None:
    found = gate(fail_if_significantly_worse=True, measure="f1[A]")
    assert only(found).asked == "f1[A] not significantly worse"
    assert "f1[A]" in only(found).reason


# What cannot be decided is not a pass


def test_a_loss_that_cannot_be_tested_fails_with_the_reason() -> None:
    worse = gate(KEY, NEW, BASE, resamples=1000)
    assert (worse.passed, only(worse).decided, only(worse).measured) == (False, False, None)
    assert "no test is possible (fewer than 6 units)" in only(worse).reason
    undrawn = gate([["A"]] * 9, [["A"]] * 9, [["A"]] * 8 + [["B"]])
    assert "no test is possible (not requested)" in only(undrawn).reason


def test_what_is_not_worse_needs_no_test() -> None:
    for base, new in ((BASE, NEW), (BASE, BASE), (KEY, KEY)):
        found = gate(KEY, base, new)
        assert found.passed
        assert only(found).decided


def test_an_undefined_score_decides_nothing() -> None:
    key, silent = [["B-X", "O"]], [["O", "O"]]
    found = gate(key, key, silent, task="span", require="precision >= 0")
    assert (found.passed, only(found).decided) == (False, False)
    assert only(found).reason == "cannot be decided: precision is undefined (nothing claimed)"
    assert not gate(key, silent, key, task="span", require="precision >= base").passed
    assert not gate(key, silent, key, task="span", require='precision < base_score("precision") or f1 > 1').passed
    assert not gate(key, silent, silent, task="span", measure="precision").passed
    assert gate(key, silent, key, task="span", require="precision >= base", zero_division=0.0).passed


@pytest.mark.parametrize(
    "text", ["f1 / changed_errors > 3", "not (f1 / changed_errors > 3)", "f1 % changed_errors == 1"]
)
def test_a_division_by_zero_decides_nothing(text: str) -> None:
    found = only(gate(require=text))
    assert (found.passed, found.decided) == (False, False)
    assert "division by zero" in found.reason


def test_a_key_without_positives_and_outputs_without_spans_pass_no_gate() -> None:
    nothing = [["O", "O"]]
    for asked in (
        {"max_new_errors": 5},
        {"max_new_errors": "5%"},
        {"max_negative_flip_rate": "5%"},
        {"require": "diff < 1"},
    ):
        found = only(gate(nothing, nothing, nothing, task="span", **asked))
        assert (found.passed, found.decided, found.measured) == (False, False, None)
        assert "no site" in found.reason
    some = gate(nothing, nothing, [["B-X", "O"]], task="span", max_new_errors=0)
    assert (only(some).count, only(some).decided) == (1, True)
    assert gate(nothing, nothing, [["B-X", "O"]], task="span", max_new_errors=1, label="(none)").passed


def test_a_view_that_counts_whole_units_has_no_new_errors_to_count(tmp_path: Any) -> None:
    rows = "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\treads\tread\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    for name in ("key", "base", "new"):
        (tmp_path / f"{name}.conllu").write_text(rows)
    files = [tmp_path / f"{name}.conllu" for name in ("key", "base", "new")]
    found = gate(*files, task="dep", view="conll18", max_new_errors=0)
    assert (found.passed, only(found).decided) == (False, False)
    assert gate(*files, task="dep", view="conll18", require='score("f1[LAS]") >= base').passed
    assert gate(*files, task="dep", max_new_errors=0, label="nsubj", require="uas.accuracy == 100").passed


# Labels


@pytest.mark.parametrize("label", ["C", "a", "A ", ""])
def test_a_label_that_does_not_occur_in_the_key_is_an_error(label: str) -> None:
    with pytest.raises(UsageError, match="does not occur in the key"):
        gate(max_new_errors=100, label=label)


def test_a_label_that_only_systems_use_does_not_occur_in_the_key() -> None:
    with pytest.raises(UsageError, match="does not occur in the key"):
        gate(list("AB"), list("AC"), list("CC"), max_new_errors=100, label="C")


def test_a_label_that_is_left_out_does_not_occur() -> None:
    with pytest.raises(UsageError, match="does not occur in the key"):
        gate(max_new_errors=100, label="A", only_label=["B"])


def test_a_label_without_a_budget_is_an_error() -> None:
    with pytest.raises(UsageError, match="a label restricts a budget of errors"):
        gate(label="A")
    with pytest.raises(UsageError, match="a label restricts a budget of errors"):
        gate(label="A", require="f1 > 1")


def test_a_set_of_labels_belongs_to_each_of_its_labels() -> None:
    key = {"1": ["a", "b"], "2": ["a"], "3": ["b"], "4": ["a|b"]}
    new = {"1": ["a"], "2": ["a"], "3": ["a"], "4": ["b"]}
    counts = {"a": (1, 2), "b": (2, 2), "a|b": (1, 1)}
    for label, expected in counts.items():
        check = only(gate(key, key, new, task="label", max_new_errors=0, label=label))
        assert (check.count, check.sites) == expected
    assert only(gate(key, key, new, task="label", max_new_errors=0, label=["a", "b"])).count == 2


def test_labels_of_sites_with_several_spans_are_found_whatever_they_contain() -> None:
    """PER and LOC stand at one site because a span of the new system covers both."""
    key = [{"id": "d", "text": "Ann in Rome", "spans": [span(0, 3, "P + L×2"), span(7, 11, "LOC"), span(7, 11, "LOC")]}]
    new = [{"id": "d", "text": "Ann in Rome", "spans": [span(0, 11, "P + L×2")]}]
    for label in ("P + L×2", "LOC"):
        found = gate(key, key, new, task="span", max_new_errors=0, label=label)
        assert (only(found).count, only(found).sites) == (1, 1)
        assert found.examples[0].count == 1
    with pytest.raises(UsageError, match="does not occur"):
        gate(key, key, new, task="span", max_new_errors=0, label="L×2")


def span(begin: int, end: int, label: str) -> dict[str, Any]:
    return {"begin": begin, "end": end, "label": label}


def test_a_condition_too_long_to_be_written_is_left_out() -> None:
    key = {str(row): ["x", f"label-{row:03}" + "-" * 20] for row in range(400)}
    new = {**key, "7": ["x"]}
    found = gate(key, key, new, task="label", max_new_errors=0, label="x")
    assert (only(found).count, only(found).where) == (1, None)
    assert found.examples[0].where == "new_error"


# Several runs, other systems


def test_a_count_is_the_mean_over_pairs_of_runs() -> None:
    key = list("AAAA")
    base, new = cp.Runs(list("AAAA"), list("AAAB")), cp.Runs(list("BAAA"), list("BBAA"))
    # new errors: 1 and 2 against the first run, 1 and 2 against the second: 6 of 16, 1.5 a pair
    found = gate(key, base, new, max_new_errors=1)
    check = only(found)
    assert (found.run_pairs, check.count, check.sites, check.measured, check.passed) == (4, 6, 16, 1.5, False)
    assert gate(key, base, new, max_new_errors=2).passed
    assert gate(key, base, new, max_negative_flip_rate="37.5%").passed
    assert not gate(key, base, new, max_negative_flip_rate="37.4%").passed
    assert gate(key, base, new, require="new_errors == 1.5 and sites == 4 and corrections == 0.5").passed
    assert found.examples[0].count == 6


def test_a_label_of_several_runs_counts_sites_times_pairs() -> None:
    base, new = cp.Runs(list("AAB"), list("AAA")), cp.Runs(list("AAB"), list("BAB"), list("BBB"))
    found = gate(list("AAB"), base, new, max_new_errors="25%", label="A", require='sites("A") == 2 and sites("B") == 1')
    assert (found.checks[0].count, found.checks[0].sites, found.checks[0].measured) == (6, 12, 0.5)
    assert found.checks[1].passed
    assert gate(list("AAB"), base, new, max_new_errors=1, label="A").passed  # 6 in 6 pairs


def test_changes_belong_to_the_label_of_the_key_and_to_no_other() -> None:
    asked = 'corrections("A") == 2 and corrections("B") == 0 and changed_errors("B") == 1 and changed_errors("A") == 0'
    assert gate(list("AAB"), list("BBA"), list("AAC"), require=asked).passed


@pytest.mark.parametrize("order", [("old", "fresh"), ("fresh", "old")])
def test_a_loss_is_a_loss_in_whatever_order_the_systems_are_given(order: tuple[str, str]) -> None:
    outputs = {"old": [["A"]] * 12, "fresh": [["A"]] * 4 + [["B"]] * 8}
    result = cp.compare([["A"]] * 12, {name: outputs[name] for name in order}, task="tag", resamples=500)
    loss, gain = (
        only(result.gate(*pair, fail_if_significantly_worse=True)) for pair in (("old", "fresh"), ("fresh", "old"))
    )
    assert (loss.passed, gain.passed) == (False, True)
    assert loss.reason.startswith("accuracy -66.67 points [-")
    assert gain.reason.startswith("accuracy +66.67 points [+")


def test_different_numbers_of_runs_cannot_be_tested() -> None:
    key = [["A"]] * 8
    found = gate(key, key, cp.Runs(key, [["A"]] * 7 + [["B"]]), resamples=100)
    assert (found.passed, only(found).decided) == (False, False)
    assert "different numbers of runs" in only(found).reason


@pytest.mark.parametrize("task", ["tag", "span"])
def test_another_system_changes_nothing(task: str) -> None:
    tags = {"tag": ("A", "B", "C"), "span": ("B-A", "O", "B-C")}[task]
    key = [[tags[row % 3], tags[row % 2]] for row in range(9)]
    first = [[tags[row % 3], tags[0]] for row in range(9)]
    second = [[tags[row % 2], tags[row % 2]] for row in range(9)]
    third = [["B-A", "I-A"] if task == "span" else [tags[2], tags[2]] for _ in range(9)]
    asked: dict[str, Any] = {"max_new_errors": 1, "require": ("f1 >= base",), "fail_if_significantly_worse": True}
    two = cp.compare(key, {"a": first, "b": second}, task=task, resamples=200)
    three = cp.compare(key, {"a": first, "c": third, "b": second}, task=task, resamples=200)
    found, same = two.gate("a", "b", **asked), three.gate("a", "b", **asked)
    assert replace(same, examples=()) == replace(found, examples=())
    assert [each.count for each in same.examples] == [each.count for each in found.examples]
    swapped, back = two.gate("b", "a", **asked), three.gate("b", "a", **asked)
    assert replace(back, examples=()) == replace(swapped, examples=())
    assert swapped.changes[0].count == found.changes[1].count


def test_the_systems_must_be_two() -> None:
    result = cp.compare(KEY, {"a": BASE, "b": NEW}, task="tag", resamples=0)
    with pytest.raises(UsageError, match="compared with itself"):
        result.gate("a", "a", max_new_errors=1)
    with pytest.raises(UsageError, match="unknown system 'c'"):
        result.gate("a", "c", max_new_errors=1)


# What is asked wrongly


@pytest.mark.parametrize(
    "asked",
    [
        {"max_new_errors": value}
        for value in ("-1", "x", "", "1.5", "101%", "0,5%", "%", 1.5, True, "1e3", "5 errors", "nan%")
    ]
    + [{"max_negative_flip_rate": value} for value in ("0.005", "1", "0", "-1%", "")],
)
def test_a_budget_that_is_none_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"expected a (count|share)"):
        gate(**asked)


def test_a_measure_that_nothing_tests_is_refused() -> None:
    with pytest.raises(UsageError, match="has no effect without fail-if-significantly-worse"):
        gate(max_new_errors=1, measure="f1")
    with pytest.raises(UsageError, match="unknown measure"):
        gate(measure="ff1")


# Properties


def reference(triples: Sequence[tuple[str, str, str]], labels: Sequence[str]) -> tuple[int, int]:
    """Count new errors, and sites, of some labels or of all, by definition."""
    chosen = [triple for triple in triples if not labels or triple[0] in labels]
    return sum(key == base != new for key, base, new in chosen), len(chosen)


TRIPLES = st.lists(st.tuples(*[st.sampled_from("ABC")] * 3), min_size=1, max_size=14)
SHARES = st.decimals(0, 100, places=1).map(str)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Result, list[tuple[str, str, str]], list[str]]:
    triples = draw(TRIPLES)
    there = sorted({key for key, _, _ in triples})
    labels = draw(st.lists(st.sampled_from(there), unique=True))
    key, base, new = ([triple[place] for triple in triples] for place in range(3))
    return cp.compare(key, {"old": base, "fresh": new}, task="tag", resamples=0), triples, labels


@settings(deadline=None, max_examples=draws(30))
@given(cases(), st.integers(0, 6), SHARES, SHARES)
def test_a_gate_holds_if_and_only_if_each_inequality_does(
    case: tuple[Result, list[tuple[str, str, str]], list[str]], most: int, share: str, rate: str
) -> None:
    result, triples, labels = case
    count, sites = reference(triples, labels)
    within = [
        count <= most,
        Fraction(count, sites) <= Fraction(share) / 100,
        Fraction(count, sites) <= Fraction(rate) / 100,
    ]
    for budget, (first, second) in ((most, (within[0], within[2])), (f"{share}%", (within[1], within[2]))):
        asked: dict[str, Any] = {"max_new_errors": budget, "max_negative_flip_rate": f"{rate}%", "label": labels}
        found = result.gate("old", "fresh", **asked)
        assert [check.passed for check in found.checks] == [first, second]
        assert found.passed is (first and second)
        assert {(check.count, check.sites) for check in found.checks} == {(count, sites)}


@settings(deadline=None, max_examples=draws(30))
@given(cases())
def test_what_is_measured_is_what_the_difference_counts_and_the_condition_selects(
    case: tuple[Result, list[tuple[str, str, str]], list[str]],
) -> None:
    result, triples, labels = case
    check = only(result.gate("old", "fresh", max_new_errors=0, label=labels, top=0))
    assert check.where is not None
    assert check.measured == check.count == reference(triples, labels)[0]
    assert result.count(check.where, "old", "fresh") == check.count
    assert len(result.examples(check.where, "old", "fresh", top=0).examples) == check.count
    plain = result.gate("old", "fresh", max_new_errors=0, top=0)
    assert only(plain).count == result.difference("old", "fresh").of("new_error").count
    assert sum(len(each.examples) for each in plain.examples) == only(plain).count
    for change in plain.changes:
        assert result.count(change.where, "old", "fresh") == change.count


@settings(deadline=None, max_examples=draws(30))
@given(cases(), st.lists(st.integers(0, 100), min_size=2, max_size=2), st.sampled_from(["accuracy", "f1", "recall"]))
def test_a_tighter_limit_never_turns_a_failure_into_a_pass(
    case: tuple[Result, list[tuple[str, str, str]], list[str]], limits: list[int], name: str
) -> None:
    result, _, labels = case
    tight, loose = sorted(limits)
    for asked in (
        lambda limit: {"max_new_errors": limit, "label": labels},
        lambda limit: {"max_new_errors": f"{limit}%", "label": labels},
        lambda limit: {"max_negative_flip_rate": f"{limit}%", "label": labels},
        lambda limit: {"require": f"{name} >= base - {limit}"},
        lambda limit: {"require": f"diff <= {limit} and new_errors <= {limit}"},
    ):
        if result.gate("old", "fresh", **asked(tight)).passed:
            assert result.gate("old", "fresh", **asked(loose)).passed


@settings(deadline=None, max_examples=draws(50))
@given(cases(), st.integers(-1000, 1000), st.sampled_from([">=", ">", "<=", "<", "==", "!="]), st.booleans())
def test_a_requirement_is_decided_as_fractions_decide_it(
    case: tuple[Result, list[tuple[str, str, str]], list[str]], tenths: int, sign: str, at_the_limit: bool
) -> None:
    result, triples, _ = case
    base, new = (Fraction(100 * sum(each[0] == each[place] for each in triples), len(triples)) for place in (1, 2))
    gap = new - base if at_the_limit else Fraction(tenths, 10)
    written = f"{'-' if gap < 0 else '+'} {abs(float(gap))!r}" if "e" not in repr(float(gap)) else "+ 0"
    gap = Fraction(0) if written == "+ 0" else gap
    compare = {"==": Fraction.__eq__, "!=": lambda a, b: a != b, ">": Fraction.__gt__, "<": Fraction.__lt__}
    compare |= {">=": Fraction.__ge__, "<=": Fraction.__le__}
    found = only(result.gate("old", "fresh", require=f"accuracy {sign} base {written}"))
    assert found.passed is compare[sign](new, base + gap)


# Spans, by a slow count of overlap sites


def spans_of(tags: Sequence[str]) -> Counter[tuple[int, int, str]]:
    """Read BIO tags in which every I continues a span."""
    found: Counter[tuple[int, int, str]] = Counter()
    for begin, tag in enumerate(tags):
        if tag.startswith("B"):
            end = begin + 1
            while end < len(tags) and tags[end].startswith("I"):
                end += 1
            found[begin, end, tag[2:]] += 1
    return found


def span_reference(sentences: Sequence[Sequence[Sequence[str]]], label: str | None) -> tuple[int, int]:
    """Count new errors and sites: sites are what overlapping spans of the key and both systems hang together in."""
    errors = sites = 0
    for sides in zip(*sentences, strict=True):
        spans = [spans_of(tags) for tags in sides]
        everything = sorted({each for side in spans for each in side})
        groups: list[list[tuple[int, int, str]]] = []
        for each in everything:  # sorted by begin, so one pass joins what hangs together
            if groups and each[0] < max(end for _, end, _ in groups[-1]):
                groups[-1].append(each)
            else:
                groups.append([each])
        for group in groups:
            key, base, new = ({each: side[each] for each in group if side[each]} for side in spans)
            if label is None or label in {name for _, _, name in key}:
                sites += 1
                errors += key == base != new
    return errors, sites


@st.composite
def tagged(draw: st.DrawFn, sizes: Sequence[int]) -> list[list[str]]:
    sentences = []
    for size in sizes:
        tags, open_label = [], None
        for _ in range(size):
            options = ["O", "B-X", "B-Y", *([f"I-{open_label}"] if open_label else [])]
            tag = draw(st.sampled_from(options))
            open_label = None if tag == "O" else tag[2:]
            tags.append(tag)
        sentences.append(tags)
    return sentences


@settings(deadline=None, max_examples=draws(30))
@given(st.data(), st.lists(st.integers(1, 7), min_size=1, max_size=3))
def test_budgets_of_spans_agree_with_a_slow_count(data: st.DataObject, sizes: list[int]) -> None:
    key, base, new = (data.draw(tagged(sizes)) for _ in range(3))
    in_key = {label for tags in key for _, _, label in spans_of(tags)}
    result = cp.compare(key, {"old": base, "fresh": new}, task="span", resamples=0)
    for label in (None, "X", "Y"):
        asked: dict[str, Any] = {"max_new_errors": 0, "label": [label] if label else []}
        if label and label not in in_key:
            with pytest.raises(UsageError, match="does not occur in the key"):
                result.gate("old", "fresh", **asked)
            continue
        errors, sites = span_reference([key, base, new], label)
        check = only(result.gate("old", "fresh", **asked))
        assert (check.count, check.sites, check.passed) == (errors, sites, errors == 0 < sites)
        assert result.count(str(check.where), "old", "fresh") == errors
