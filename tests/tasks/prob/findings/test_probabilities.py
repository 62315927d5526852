"""What probabilistic outputs are worth: worked examples, counted on fingers, and world by world."""

from __future__ import annotations

import json
from itertools import product
from math import prod, sqrt
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result, Runs, UsageError
from comparanda.tasks.prob.findings import FLOORS, Probabilities, ProbableRun, ProbableScores
from tests.random_beliefs import KINDS, SOME_KINDS, random_beliefs
from tests.seeds import seeds
from tests.tasks.prob.findings.small import Block, compared, one
from tests.tasks.prob.model.worlds import blocks_of
from tests.tasks.prob.worked import examples, written

NAMES = {"EP": "expected_precision", "ER": "expected_recall", "EF": "expected_f1", "E100": "e100"}


def worked(folder: Path, name: str, **options: Any) -> tuple[ProbableRun, dict[str, Any]]:
    example = examples()[name]
    key, output = written(folder, example["blocks"], example["key"])
    result = cp.compare(key, {"out": output}, task="prob", resamples=0, **options)
    return result.probabilities().runs[0], example["expect"]


def decided(folder: Path, items: list[list[Any]], key: int, bins: int = 10) -> ProbableRun:
    """Make an output that decides for some weights; where nothing would be likelier, wrong spans take its mass."""
    blocks = []
    for weight, truth in items:
        left = max(0.0, 1 - 2 * weight)
        labels = [{"p": 1.0, "correct": truth}], [{"p": 1.0, "correct": False}]
        others = [{"p": left / 2, "labels": labels[1]}] * 2 if left else []
        blocks.append([{"p": weight, "labels": labels[0]}, *others])
    paths = written(folder, blocks, key)
    return cp.compare(paths[0], {"out": paths[1]}, task="prob", resamples=0).probabilities(bins=bins).runs[0]


class TestWorkedExamples:
    """W1 to W8, W14 and the empty cases, from files."""

    @pytest.mark.parametrize("name", ["W1", "W2", "W3", "W5", "W6"])
    def test_expected_scores(self, name: str, tmp_path: Path) -> None:
        run, expect = worked(tmp_path, name)
        wanted = {NAMES[each]: value for each, value in expect.items() if each in NAMES}
        assert wanted
        assert {each: getattr(run.whole, each) for each in wanted} == pytest.approx(wanted, abs=1e-6)

    @pytest.mark.parametrize("how", ["tuple", "hierarchical"])
    @pytest.mark.parametrize("name", ["W1", "W2", "W3"])
    def test_decisions(self, name: str, how: str, tmp_path: Path) -> None:
        run, expect = worked(tmp_path, name, decide=how)
        wanted = expect.get(f"decide_{how}", expect["decide_tuple"])
        assert (run.whole.correct, run.whole.decided) == (wanted["correct"], wanted["found"])
        assert run.whole.precision == wanted["correct"] / wanted["found"]

    @pytest.mark.parametrize("name", ["W1", "W2", "W5"])
    def test_the_expectation_of_the_ratio(self, name: str, tmp_path: Path) -> None:
        run, expect = worked(tmp_path, name)
        doubt = run.whole.doubt
        assert doubt.precision is not None
        assert doubt.f1 is not None
        found = {
            "P_star": doubt.precision.mean,
            "P_star_given_found": doubt.precision_if_found,
            "P_star_variance": doubt.precision.sd**2,
            "F_star": doubt.f1.mean,
        }
        wanted = {each: value for each, value in expect.items() if each in found}
        assert wanted
        assert {each: found[each] for each in wanted} == pytest.approx(wanted, abs=1e-6)

    def test_the_spread_of_recall(self, tmp_path: Path) -> None:
        run, expect = worked(tmp_path, "W6")
        assert run.whole.doubt.recall is not None
        assert run.whole.doubt.recall.sd == pytest.approx(expect["ER_sd"], abs=1e-6)

    @pytest.mark.parametrize("residual", ["drop", "renormalise", "other"])
    def test_what_labels_leave_over(self, residual: str, tmp_path: Path) -> None:
        run, expect = worked(tmp_path, "W4", beliefs={"residual": residual})
        wanted = {NAMES[each]: value for each, value in expect[f"residual={residual}"].items()}
        assert {each: getattr(run.whole, each) for each in wanted} == pytest.approx(wanted, abs=1e-6)
        assert run.policies["residual"] == residual

    def test_thresholds(self, tmp_path: Path) -> None:
        example = examples()["W7"]
        found, expect = decided(tmp_path, example["decided"], example["key"]).thresholds, example["expect"]
        assert found.recall is not None
        points = [each for pair in zip(found.precision, found.recall, strict=True) for each in pair]
        assert points == pytest.approx([each for pair in expect["curve_P_R"] for each in pair], abs=1e-6)
        assert (found.average_precision, found.recall_max) == pytest.approx(
            (expect["average_precision"], expect["R_max"]), abs=1e-6
        )
        assert (found.best_f1, found.best_threshold) == pytest.approx(
            (expect["best_F"], expect["best_threshold"]), abs=1e-6
        )
        assert [(each.recall, each.precision, each.threshold) for each in found.at_recall] == [
            (0.5, pytest.approx(2 / 3), 0.8),
            (0.8, None, None),
            (0.9, None, None),
        ]

    def test_calibration(self, tmp_path: Path) -> None:
        example = examples()["W8"]
        found = decided(tmp_path, example["decided"], 3, bins=5).calibration_of("decided")
        wanted = example["expect"]
        assert (found.brier, found.ece, found.mce) == pytest.approx(
            (wanted["brier"], wanted["ece_5_bins"], wanted["mce_5_bins"]), abs=1e-6
        )
        assert (found.mass, found.correct) == pytest.approx((wanted["sum_w"], wanted["sum_correct"]))

    @pytest.mark.parametrize("case", range(3))
    def test_empty_sides(self, case: int, tmp_path: Path) -> None:
        example = examples()["empty"][case]
        key, output = written(tmp_path, example["blocks"], example["key"])
        found = cp.compare(key, {"out": output}, task="prob", resamples=0).probabilities().runs[0]
        wanted = {NAMES[each]: value for each, value in example["expect"].items()}
        assert {each: getattr(found.whole, each) for each in wanted} == wanted
        assert {name for name, value in wanted.items() if value is None} <= {*found.whole.undefined}
        assert json.loads(cp.compare(key, {"out": output}, task="prob", resamples=0).probabilities().to_json())

    def test_expected_precision_rewards_overconfidence_and_brier_does_not(self, tmp_path: Path) -> None:
        """W14: ten certain spans, of which five are right, and one more that is right with a chance of .6."""
        expect = examples()["W14"]["expect"]
        blocks: list[Block] = [{f"{spans}:PER": 1.0} for spans in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "ab")]
        key = ["a", "b", "c", "d", "e"]
        found = {}
        for said in (0.6, 1.0):
            scores = [
                one(tmp_path, more, [*blocks, {"j:PER": said}]).probabilities().runs[0].whole
                for more in ([*key, "j"], key)
            ]
            found[said] = {
                name: 0.6 * getattr(scores[0], name) + 0.4 * getattr(scores[1], name)
                for name in ("expected_precision", "brier")
            }
        assert found[0.6]["expected_precision"] == pytest.approx(expect["EP_reported_0.6"], abs=1e-6)
        assert found[1.0]["expected_precision"] == pytest.approx(expect["EP_reported_1"], abs=1e-6)
        assert found[1.0]["expected_precision"] > found[0.6]["expected_precision"]
        assert found[1.0]["brier"] > found[0.6]["brier"]


# a is right with .6, or wrong as LOC with .3; c is no entity and said to be one with .8; e is not held for possible.
KEY = ["a:PER", "e:ORG"]
BLOCKS: list[Block] = [{"a:PER": 0.6, "a:LOC": 0.3}, {"c:PER": 0.8}, {"ef:ORG": 0.2}]


class TestOnFingers:
    """Three blocks, five letters."""

    @pytest.fixture
    def run(self, tmp_path: Path) -> ProbableRun:
        return one(tmp_path, KEY, BLOCKS).probabilities().runs[0]

    def test_counts(self, run: ProbableRun) -> None:
        whole = run.whole
        assert (whole.key, whole.tuples, whole.captured, whole.decided, whole.correct) == (2, 4, 1, 2, 1)
        assert (whole.mass, whole.right_mass, whole.decided_mass) == pytest.approx((1.9, 0.6, 1.4))
        assert (run.blocks, run.blocks_with_worlds, run.ties) == (3, 0, 0)

    def test_scores(self, run: ProbableRun) -> None:
        whole = run.whole
        assert (whole.precision, whole.recall, whole.f1) == (1 / 2, 1 / 2, 1 / 2)
        assert (whole.expected_precision, whole.expected_recall) == pytest.approx((0.6 / 1.9, 0.6 / 2))
        assert whole.expected_f1 == pytest.approx(1.2 / 3.9)
        assert (whole.e100, whole.tuples_per_entity) == (1 / 2, 2)

    def test_what_is_claimed_without_the_key(self, run: ProbableRun) -> None:
        whole = run.whole
        assert (whole.claimed_precision, whole.claimed_recall) == pytest.approx((1.4 / 2, 1.4 / 1.9))
        assert whole.claimed_f1 == pytest.approx(2.8 / 3.9)

    def test_floors(self, run: ProbableRun) -> None:
        assert [each.floor for each in run.floors] == [*FLOORS]
        assert [(each.tuples, each.captured) for each in run.floors] == [*[(4, 1)] * 6, (2, 1)]
        assert [each.e100 for each in run.floors] == [0.5] * 7
        assert [each.tuples_per_entity for each in run.floors] == [*[2] * 6, 1]

    def test_calibration_of_four_kinds(self, run: ProbableRun) -> None:
        """Spans: a with .9 is in the key, c with .8 and ef with .2 are not. Labels of a: PER .6/.9, LOC .3/.9."""
        found = {each.items: each for each in run.calibration}
        assert [*found] == ["decided", "all", "spans", "labels"]
        assert found["decided"].brier == pytest.approx((0.4**2 + 0.8**2) / 2)
        assert found["all"].brier == pytest.approx((0.4**2 + 0.3**2 + 0.8**2 + 0.2**2) / 4)
        assert found["spans"].brier == pytest.approx((0.1**2 + 0.8**2 + 0.2**2) / 3)
        assert found["labels"].brier == pytest.approx((1 / 9 + 1 / 9) / 2)
        assert (found["spans"].count, found["spans"].correct, found["spans"].auroc) == (3, 1, 1)
        assert (found["labels"].mass, found["labels"].correct) == pytest.approx((1, 1))
        bins = [each for each in found["decided"].bins if each.count]
        ends = [(each.low, each.high, each.mean, each.share) for each in bins]
        assert ends == [pytest.approx((0.5, 0.6, 0.6, 1)), pytest.approx((0.7, 0.8, 0.8, 0))]

    def test_labels(self, run: ProbableRun) -> None:
        parts = {each.name: each for each in run.parts}
        assert [*parts] == ["ORG", "PER", "LOC"]  # those of the key first
        assert (parts["PER"].expected_precision, parts["PER"].expected_recall) == pytest.approx((0.6 / 1.4, 0.6))
        assert (parts["ORG"].precision, parts["ORG"].e100, parts["ORG"].f1) == (None, 0, 0)
        assert (parts["LOC"].recall, parts["LOC"].undefined["recall"]) == (None, "nothing in the key")
        assert parts["ORG"].undefined["precision"] == "nothing decided"

    def test_a_wrong_span_with_the_label_of_another_is_wrong(self, run: ProbableRun) -> None:
        assert [each.correct for each in run.parts] == [0, 1, 0]


def test_ties_are_counted_and_broken_both_ways(tmp_path: Path) -> None:
    """Block one: a right or b wrong at .4; block two: c right at .5, as probable as nothing."""
    run = one(tmp_path, ["a", "c"], [{"a": 0.4, "b": 0.4}, {"c": 0.5}]).probabilities().runs[0]
    assert run.ties == 2
    assert (run.ties_for.decided, run.ties_for.correct, run.ties_for.f1) == (2, 2, 1)
    assert (run.ties_against.decided, run.ties_against.correct, run.ties_against.f1) == (1, 0, 0)
    assert (run.ties_against.precision, run.ties_for.recall) == (0, 1)


def test_a_threshold_on_weights_is_named(tmp_path: Path) -> None:
    found = one(tmp_path, KEY, BLOCKS, min_weight=0.7).probabilities()
    assert (found.decide, found.min_weight, found.runs[0].whole.decided) == ("tuple", 0.7, 1)


def test_a_certain_output_has_no_doubt(tmp_path: Path) -> None:
    whole = one(tmp_path, KEY, [{"a:PER": 1.0}, {"c:PER": 1.0}]).probabilities().runs[0].whole
    for name in ("precision", "recall", "f1"):
        spread = getattr(whole.doubt, name)
        assert spread.sd == pytest.approx(0, abs=1e-9)
        assert (spread.mean, spread.low, spread.high) == pytest.approx((getattr(whole, name),) * 3)
        assert getattr(whole, f"expected_{name}") == getattr(whole, name)


def test_nothing_decided_says_so(tmp_path: Path) -> None:
    run = one(tmp_path, KEY, [{"a:PER": 0.3}]).probabilities().runs[0]
    assert (run.whole.precision, run.whole.f1, run.whole.brier) == (None, 0, None)
    assert {run.whole.undefined[name] for name in ("precision", "brier", "log_loss", "ece")} == {"nothing decided"}
    found = run.thresholds
    assert (found.average_precision, found.recall_max, found.best_f1) == (0, 0, None)
    assert found.undefined["best_f1"] == "nothing decided"
    assert "n/a: nothing decided" in str(one(tmp_path, KEY, [{"a:PER": 0.3}]).probabilities())


def test_a_value_can_be_forced_where_ratios_are_undefined(tmp_path: Path) -> None:
    whole = one(tmp_path, [], [{"a:PER": 0.3}], zero_division=1.0).probabilities().runs[0].whole
    assert (whole.precision, whole.recall, whole.expected_recall, whole.e100) == (1, 1, 1, 1)
    assert (whole.expected_precision, "recall" in whole.undefined) == (0, False)


def test_by_document_each_is_scored_as_if_it_were_alone(tmp_path: Path) -> None:
    key = {"d1": KEY, "d2": ["b:PER"], "d3": []}
    blocks: dict[str, list[Block]] = {"d1": BLOCKS, "d2": [{"b:PER": 0.9}, {"d:LOC": 0.4, "de:LOC": 0.4}], "d3": []}
    found = compared(tmp_path, key, {"out": blocks}).probabilities(by="document").runs[0].parts
    assert [each.name for each in found] == ["d1", "d2"]  # the third has nothing at all
    for part in found:
        alone = one(tmp_path, key[part.name], blocks[part.name]).probabilities().runs[0].whole
        assert {**vars(part), "name": ""} == vars(alone)


def test_runs_are_looked_at_one_by_one(tmp_path: Path) -> None:
    compared(tmp_path, {"d": KEY}, {"one": {"d": BLOCKS}, "two": {"d": BLOCKS[:2]}})
    systems = {"both": Runs(tmp_path / "one.jsonl", tmp_path / "two.jsonl")}
    found = cp.compare(tmp_path / "key.jsonl", systems, task="prob", resamples=0).probabilities()
    assert [(run.system, run.run, run.whole.tuples) for run in found.runs] == [
        ("both", "both#1", 4),
        ("both", "both#2", 3),
    ]
    mean = found.scores.value("both", "expected_precision")
    assert mean == pytest.approx((0.6 / 1.9 + 0.6 / 1.7) / 2)
    assert found.run("both#2").whole.expected_precision == pytest.approx(0.6 / 1.7)


# Beside everything else that says the same.


def random_result(folder: Path, seed: int, *, kind: str = "plain", size: int = 4, resamples: int = 0) -> Result:
    return Result(random_beliefs(folder, seed, KINDS[kind], size).judged(), resamples)


@pytest.mark.parametrize("kind", SOME_KINDS)
def test_scores_are_those_of_the_measures(kind: str, tmp_path: Path) -> None:
    result = random_result(tmp_path, 3, kind=kind, size=6)
    found = result.probabilities()
    names = ("precision", "recall", "f1", "expected_precision", "expected_recall", "expected_f1", "e100")
    labels = {part.name for run in found.runs for part in run.parts}
    of_labels = [f"{name}[{label}]" for name in names for label in sorted(labels)]
    scores = result.scores(*names, "brier", "log_loss", "ece", *of_labels)
    for run in found.runs:
        mine = {name: getattr(run.whole, name) for name in (*names, "brier", "log_loss", "ece")}
        mine |= {f"{name}[{part.name}]": getattr(part, name) for part in run.parts for name in names}
        for name, value in mine.items():
            wanted = scores.value(run.system, name)
            assert value == (None if wanted is None else pytest.approx(wanted, abs=1e-12)), name


@pytest.mark.parametrize("kind", SOME_KINDS)
def test_parts_sum_to_the_whole(kind: str, tmp_path: Path) -> None:
    result = random_result(tmp_path, 4, kind=kind, size=6)
    for by in ("label", "document"):
        for run in result.probabilities(by=by).runs:
            for name in ("key", "tuples", "mass", "right_mass", "captured", "decided", "decided_mass", "correct"):
                total = sum(getattr(part, name) for part in run.parts)
                assert total == pytest.approx(getattr(run.whole, name), abs=1e-9), name


def worlds_of(result: Result, number: int, document: int) -> list[tuple[float, int, int]]:
    """Return how likely each world of a document is, what it has, and how much of that is right."""
    run = (result.verdicts.view().candidates or ())[number]
    first = {block: int(run.document[row]) for row, block in enumerate(run.beliefs.block.tolist())}
    blocks = [each for block, each in enumerate(blocks_of(run.beliefs)) if first[block] == document]
    found = []
    for chosen in product(*blocks):
        rows = [row for _, rows in chosen for row in rows]
        found.append((prod(p for p, _ in chosen), len(rows), sum(bool(run.correct[row]) for row in rows)))
    return found


@pytest.mark.parametrize("seed", seeds(2, of=4))
def test_the_doubt_of_documents_is_that_of_all_their_worlds(seed: int, tmp_path: Path) -> None:
    result = random_result(tmp_path, seed, size=3)
    documents = result.verdicts.documents
    for number, run in enumerate(result.probabilities(by="document").runs):
        for part in run.parts:
            check_doubt(part, worlds_of(result, number, documents.index(part.name)))


def check_doubt(part: ProbableScores, worlds: list[tuple[float, int, int]]) -> None:
    assert sum(p for p, _, _ in worlds) == pytest.approx(1)
    values = {
        "precision": [(p, right / found if found else 0.0) for p, found, right in worlds],
        "recall": [(p, right / part.key if part.key else 0.0) for p, _, right in worlds],
        "f1": [(p, 2 * right / (found + part.key) if found else 0.0) for p, found, right in worlds],
    }
    for name, each in values.items():
        spread = getattr(part.doubt, name)
        if spread is None:
            assert f"doubt.{name}" in part.undefined
            continue
        mean = sum(p * value for p, value in each)
        assert spread.mean == pytest.approx(mean, abs=1e-9), name
        assert spread.sd == pytest.approx(sqrt(sum(p * (value - mean) ** 2 for p, value in each)), abs=1e-6), name


# What makes no sense says so.


def test_other_tasks_have_no_probabilities() -> None:
    result = cp.compare(["a", "b"], {"x": ["a", "a"]}, task="tag", resamples=0)
    with pytest.raises(UsageError, match="has no probabilities"):
        result.probabilities()
    assert result.anatomy().probabilities is None


def test_a_part_of_the_sites_has_none_either(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no probabilities"):
        one(tmp_path, KEY, BLOCKS).where('label == "PER"').probabilities()


def test_parts_and_bins_are_checked(tmp_path: Path) -> None:
    result = one(tmp_path, KEY, BLOCKS)
    with pytest.raises(UsageError, match="cannot be grouped by 'labl'"):
        result.probabilities(by="labl")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at least 1 bin, got 0"):
        result.probabilities(bins=0)


def test_the_anatomy_has_the_same(tmp_path: Path) -> None:
    result = random_result(tmp_path, 1, resamples=20)
    anatomy = result.anatomy()
    assert anatomy.probabilities == result.probabilities()
    assert isinstance(anatomy.probabilities, Probabilities)
    assert anatomy.probabilities.scores == anatomy.scores
    assert anatomy.expected_pairs == result.expected_pairs()
