"""Random small outputs, from files to scores, against a reference that lists all worlds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from comparanda import Result
from comparanda.tasks.prob.expectation import Doubt, Spread
from comparanda.tasks.prob.findings import Calibration, ProbableScores, Thresholds
from comparanda.tasks.prob.pair_findings import JointOutput, PairReading
from tests.seeds import seeds
from tests.tasks.prob import reference
from tests.tasks.prob.cases import LABELS, Case, Output, claims, compared, random_case
from tests.tasks.prob.reference import Claim, exact

Decide = Literal["tuple", "hierarchical"]
CLOSE = 1e-9


class Near:
    """Equal to what differs by less than a rounding error; as `pytest.approx`, at a tenth of its time."""

    def __init__(self, value: float | Fraction) -> None:
        self.value = float(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, float)) and abs(other - self.value) <= CLOSE

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"{self.value!r} ± {CLOSE}"


def near(value: float | Fraction | None) -> Any:
    return None if value is None else Near(value)


def of_label(label: str, claim: Claim) -> bool:
    return claim.label == label


def of_document(name: str, claim: Claim) -> bool:
    return claim.document == name


def decided(case: Case, output: Output, decide: Decide, min_weight: float) -> set[Claim]:
    return reference.decisions(output.blocks, decide, exact(min_weight))


def check_candidates(result: Result, case: Case, decide: Decide, min_weight: float) -> None:
    names = tuple(case.texts)
    for run, output in zip(result.verdicts.view().candidates or (), case.outputs, strict=True):
        rows = claims(run, names)
        weights = reference.weights(output.blocks)
        assert len(rows) == len(set(rows))
        found = dict(zip(rows, run.beliefs.weight.tolist(), strict=True))
        assert {claim: w for claim, w in found.items() if w} == {c: near(w) for c, w in weights.items() if w}
        assert [claim in case.key for claim in rows] == run.correct.tolist()
        if decide == "tuple" or output.exclusive:
            chosen = {claim for claim, is_in in zip(rows, run.decided.tolist(), strict=True) if is_in}
            assert chosen == decided(case, output, decide, min_weight), output
        if output.exclusive and not min_weight:
            assert run.ties == sum(reference.tied(block, decide) for block in output.blocks), output


def check_scores(result: Result, case: Case, decide: Decide, min_weight: float) -> None:
    rates = ("precision", "recall", "f1", "expected_precision", "expected_recall", "expected_f1", "e100")
    wanted = [*rates, *(f"{name}[{label}]" for name in rates for label in LABELS), "brier", "log_loss", "ece"]
    labels = {each.label for each in case.key} | {c.label for o in case.outputs for c in reference.weights(o.blocks)}
    asked = [name for name in wanted if "[" not in name or name[-2] in labels]
    values = {(each.system, each.measure): each.value for each in result.scores(*asked).scores}
    for number, output in enumerate(case.outputs):
        expected = expected_scores(case, output, decide, min_weight)
        found = {name: values[f"s{number}", name] for name in asked}
        losses = (found.pop("log_loss"), expected.pop("log_loss"))
        assert {n: (found[n], expected[n]) for n in found if found[n] != near(expected[n])} == {}, output
        loss = None if losses[1] is None else pytest.approx(losses[1], rel=1e-5)  # 1 − (1 − 1e-12) is not quite 1e-12
        assert losses[0] == loss, output


def expected_scores(
    case: Case, output: Output, decide: Decide, min_weight: float
) -> dict[str, Fraction | float | None]:
    key, weighed = set(case.key), reference.weights(output.blocks)
    chosen = decided(case, output, decide, min_weight)
    items = reference.decided_items(chosen, weighed, key)
    found: dict[str, Fraction | float | None] = {
        "brier": reference.brier(items),
        "ece": reference.ece(items),
        "log_loss": reference.log_loss(items),
    }
    keeps: list[tuple[str, reference.Keep]] = [("", reference.everything)]
    keeps += [(f"[{label}]", partial(of_label, label)) for label in LABELS]
    for behind, keep in keeps:
        hard, soft = reference.hard(chosen, key, keep), reference.expected(weighed, key, keep)
        found |= {f"precision{behind}": hard.precision, f"recall{behind}": hard.recall, f"f1{behind}": hard.f1}
        found |= {f"expected_precision{behind}": soft.precision, f"expected_recall{behind}": soft.recall}
        found |= {f"expected_f1{behind}": soft.f1, f"e100{behind}": reference.e100(weighed, key, keep)}
    return found


def check_part(found: ProbableScores, case: Case, output: Output, chosen: set[Claim], *, keep: reference.Keep) -> None:
    """What stands in the finding of all entities, of a label, or of a document."""
    key, weighed = set(case.key), reference.weights(output.blocks)
    hard, soft = reference.hard(chosen, key, keep), reference.expected(weighed, key, keep)
    items = reference.decided_items(chosen, weighed, key, keep)
    mine = {claim: w for claim, w in weighed.items() if keep(claim)}
    kept = {claim for claim in chosen if keep(claim)}
    possible = sum(w > 0 for w in mine.values())
    claimed_precision, claimed_recall = reference.claimed(kept, mine)
    sure = sum((mine[claim] for claim in kept), reference.ZERO)
    wanted: dict[str, Fraction | float | None] = {
        "key": Fraction(hard.key),
        "tuples": Fraction(possible),
        "mass": soft.found,
        "right_mass": soft.correct,
        "captured": Fraction(reference.reached(weighed, key, keep)),
        "decided": hard.found,
        "decided_mass": sure,
        "correct": hard.correct,
        "precision": hard.precision,
        "recall": hard.recall,
        "f1": hard.f1,
        "expected_precision": soft.precision,
        "expected_recall": soft.recall,
        "expected_f1": soft.f1,
        "e100": reference.e100(weighed, key, keep),
        "tuples_per_entity": reference.ratio(possible, hard.key),
        "claimed_precision": claimed_precision,
        "claimed_recall": claimed_recall,
        "claimed_f1": reference.ratio(2 * sure, len(kept) + soft.found),
        "brier": reference.brier(items),
        "ece": reference.ece(items),
    }
    assert {n: (getattr(found, n), w) for n, w in wanted.items() if getattr(found, n) != near(w)} == {}, output
    assert {name for name, value in wanted.items() if value is None} - {*found.undefined} == set(), found.undefined
    check_doubt(found.doubt, reference.law(output.blocks, key, keep), hard.key)


def check_doubt(found: Doubt, law: dict[tuple[int, int], Fraction], key: int) -> None:
    """The system's own doubt, by all worlds."""
    given = reference.precision_given_found(law)
    assert found.precision_if_found == near(given.mean if given else None)
    check_spread(found.precision, reference.precision_star(law) if given else None)
    check_spread(found.recall, reference.recall_star(law, key) if key else None)
    check_spread(found.f1, reference.f_star(law, key) if key or given else None)
    if key and found.recall is not None:
        assert reference.covered(law, lambda correct, _: correct / key, found.recall.low, found.recall.high) > 0.949
    if key and found.f1 is not None:
        covered = reference.covered(law, lambda c, n: 2 * c / (n + key), found.f1.low, found.f1.high)
        assert covered > 0.949


def check_spread(found: Spread | None, wanted: reference.Moments | None) -> None:
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert found.mean == near(wanted.mean)
        assert found.sd**2 == near(wanted.variance)


def check_thresholds(found: Thresholds, points: list[reference.Point], key: int) -> None:
    assert list(found.threshold) == [near(point.threshold) for point in points]
    assert list(found.kept) == [near(point.rates.found) for point in points]
    assert list(found.correct) == [near(point.rates.correct) for point in points]
    assert list(found.precision) == [near(point.rates.precision) for point in points]
    assert found.recall is None or list(found.recall) == [near(point.rates.recall) for point in points]
    assert (found.recall is None) == (key == 0)
    if points and key:
        assert found.average_precision == near(reference.average_precision(points, key))
        assert found.recall_max == near(points[-1].rates.recall)
        assert found.best_f1 == near(reference.best_f(points))
        best = [point.threshold for point in points if point.rates.f1 == reference.best_f(points)]
        assert found.best_threshold in [near(threshold) for threshold in best]
        for each in found.at_recall:
            reach = [p.rates.precision for p in points if (p.rates.recall or 0) >= exact(each.recall)]
            assert each.precision == near(max((p for p in reach if p is not None), default=None))


def check_calibration(found: Calibration, items: list[reference.Item]) -> None:
    wanted = {
        "count": Fraction(len(items)),
        "mass": sum((p for p, _ in items), reference.ZERO),
        "correct": Fraction(sum(right for _, right in items)),
        "ece": reference.ece(items),
        "mce": reference.mce(items),
        "brier": reference.brier(items),
        "auroc": reference.auroc(items),
    }
    assert {n: (getattr(found, n), w) for n, w in wanted.items() if getattr(found, n) != near(w)} == {}, items
    loss = reference.log_loss(items)
    assert found.log_loss == (None if loss is None else pytest.approx(loss, rel=1e-5))
    for each, inside in zip(found.bins, reference.bins(items), strict=True):
        assert (each.count, each.correct) == (len(inside), sum(right for _, right in inside))


def check_probabilities(result: Result, case: Case, decide: Decide, min_weight: float) -> None:
    by_label, by_document = result.probabilities(), result.probabilities(by="document")
    key = set(case.key)
    for output, run, again in zip(case.outputs, by_label.runs, by_document.runs, strict=True):
        chosen, weighed = decided(case, output, decide, min_weight), reference.weights(output.blocks)
        check_part(run.whole, case=case, output=output, chosen=chosen, keep=reference.everything)
        for part in run.parts:
            check_part(part, case=case, output=output, chosen=chosen, keep=partial(of_label, part.name))
        for part in again.parts:
            check_part(part, case=case, output=output, chosen=chosen, keep=partial(of_document, part.name))
        check_thresholds(run.thresholds, reference.threshold_curve(chosen, weighed, key), len(key))
        check_calibration(run.calibration_of("decided"), reference.decided_items(chosen, weighed, key))
        check_calibration(run.calibration_of("all"), reference.all_items(weighed, key))
        check_calibration(run.calibration_of("spans"), reference.span_items(output.blocks, key))
        check_calibration(run.calibration_of("labels"), reference.label_items(output.blocks, key))
        if output.exclusive and output.form != "nbest":
            bounds = reference.tie_bounds(output.blocks, key, decide, exact(min_weight))
            assert tuple((each.decided, each.correct) for each in (run.ties_for, run.ties_against)) == bounds, output
        for floor in run.floors:
            least = exact(floor.floor)
            assert floor.e100 == near(reference.e100(weighed, key, floor=least))
            assert floor.tuples == sum(w > 0 and w >= least for w in weighed.values())


def check_joint(found: tuple[JointOutput, ...], systems: list[reference.Scored], key: set[Claim]) -> None:
    for each in found:
        rates = reference.combined(systems, key, each.made)
        assert (each.found, each.claimed) == (near(rates.correct), near(rates.found))
        assert (each.precision, each.recall) == (near(rates.precision), near(rates.recall))
        assert each.f1 == near(rates.f1)


def check_reading(found: PairReading, one: reference.Scored, two: reference.Scored, key: set[Claim]) -> None:
    """A pair by weights, or by 0 and 1."""
    there, back = reference.six(one, two, key), reference.six(two, one, key)
    both, first, second, neither = there.positive
    shared, wrong_first, wrong_second = there.negative
    overlap = found.overlap
    assert (overlap.found_by_both, overlap.found_by_first) == (near(both), near(first))
    assert (overlap.found_by_second, overlap.found_by_neither) == (near(second), near(neither))
    assert (overlap.spurious_in_both, overlap.spurious_in_first) == (near(shared), near(wrong_first))
    assert overlap.spurious_in_second == near(wrong_second)
    assert (overlap.corrections, overlap.new_errors) == (near(second + wrong_first), near(first + wrong_second))
    items = len(key) + shared + wrong_first + wrong_second
    assert overlap.items == near(items)
    assert overlap.diff == near(reference.ratio(first + second + wrong_first + wrong_second, items))
    for rates, counts in ((found.forth, there), (found.back, back)):
        for name, value in reference.complements(counts).items():
            assert getattr(rates, name).value == near(value), (name, there)
    check_joint(found.joint, [one, two], key)


def check_pairs(result: Result, case: Case, decide: Decide, min_weight: float) -> None:
    found, key = result.expected_pairs(), set(case.key)
    soft = [reference.weights(output.blocks) for output in case.outputs]
    hard = [dict.fromkeys(decided(case, output, decide, min_weight), reference.ONE) for output in case.outputs]
    for pair in found.pairs:
        one, two = int(pair.first[1:]), int(pair.second[1:])
        check_reading(pair.expected, soft[one], soft[two], key)
        check_reading(pair.decided, hard[one], hard[two], key)
    check_joint(found.expected, [*soft], key)
    check_joint(found.decided, [*hard], key)


def drawn(seed: int, systems: int, forms: tuple[str, ...]) -> tuple[Case, Decide, float]:
    """Draw outputs, how they are decided, and what they must weigh."""
    random = Random(seed)
    case = random_case(random, systems, forms)
    case = replace(case, outputs=tuple(output for output in case.outputs if output.clear))
    choices: tuple[Decide, ...] = ("tuple", "hierarchical")
    decide = random.choice(choices) if all(output.exclusive for output in case.outputs) else "tuple"
    return case, decide, random.choice((0.0, 0.0, 0.25, 0.3))


def check_outputs(folder: Path, seed: int, systems: int, forms: tuple[str, ...]) -> None:
    case, decide, min_weight = drawn(seed, systems, forms)
    result = compared(folder, case, decide, min_weight)
    check_candidates(result, case, decide, min_weight)
    check_scores(result, case, decide, min_weight)
    check_probabilities(result, case, decide, min_weight)


def check_drawn_pairs(folder: Path, seed: int, systems: int) -> None:
    case, decide, min_weight = drawn(seed, systems, ("blocks", "entities", "nbest"))
    if len(case.outputs) > 1:
        check_pairs(compared(folder, case, decide, min_weight), case, decide, min_weight)


@pytest.mark.parametrize("form", ["blocks", "entities", "nbest"])
@pytest.mark.parametrize("seed", seeds(1, of=4))
def test_random_outputs(seed: int, form: str, tmp_path: Path) -> None:
    check_outputs(tmp_path, seed, 9, (form,))


@pytest.mark.parametrize("seed", seeds(2, of=5))
def test_random_pairs(seed: int, tmp_path: Path) -> None:
    check_drawn_pairs(tmp_path, seed, 4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 150))
def test_many_random_outputs(seed: int, tmp_path: Path) -> None:
    for form in ("blocks", "entities", "nbest"):
        check_outputs(tmp_path, seed, 20, (form,))
    check_drawn_pairs(tmp_path, seed, 7)
