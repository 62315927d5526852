"""The worked examples of DEFINITIONS 9, by the reference and by way of files: both give the numbers written there."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest

import comparanda as cp
from comparanda.tasks.prob.findings import ProbableRun
from tests.tasks.prob import reference
from tests.tasks.prob.cases import Case, Output, compared
from tests.tasks.prob.reference import Block, Claim, exact, exclusive_block
from tests.tasks.prob.worked import examples, written

Decide = Literal["tuple", "hierarchical"]


def close(value: Any) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-6)


def said(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def worlds_of(blocks: Any, entities: int, residual: str = "drop") -> tuple[list[Block], set[Claim]]:
    """The blocks of an example, and its key, laid out as `written` does."""
    made: list[Block] = []
    key: set[Claim] = set()
    for number, block in enumerate(blocks):
        spans = []
        for width, each in enumerate(block, start=1):
            span = ("d", 10 * number, 10 * number + width)
            spans.append((span, exact(each["p"]), {f"L{n}": exact(one["p"]) for n, one in enumerate(each["labels"])}))
            key |= {Claim(*span, f"L{n}") for n, one in enumerate(each["labels"]) if one["correct"]}
        made.append(exclusive_block(spans, residual))
    missed = {Claim("d", 10 * n, 10 * n + 1, "L0") for n in range(len(made), len(made) + entities - len(key))}
    return made, key | missed


def by_reference(blocks: Any, entities: int, decide: Decide) -> dict[str, Any]:
    made, key = worlds_of(blocks, entities)
    weighed = reference.weights(made)
    soft, law = reference.expected(weighed, key), reference.law(made, key)
    hard = reference.hard(reference.decisions(made, decide), key)
    given = reference.precision_given_found(law)
    found: dict[str, Any] = {
        "EP": said(soft.precision),
        "ER": said(soft.recall),
        "EF": said(soft.f1),
        "E100": said(reference.e100(weighed, key)),
        "P_star": float(reference.precision_star(law).mean),
        "P_star_variance": float(reference.precision_star(law).variance),
        "P_star_given_found": given and float(given.mean),
        "F_star": float(reference.f_star(law, len(key)).mean),
        "ER_sd": float(reference.recall_star(law, len(key)).variance) ** 0.5 if key else None,
        f"decide_{decide}": {"correct": hard.correct, "found": hard.found},
    }
    one_by_one: dict[tuple[int, int], Fraction] = {}
    for p, correct, number in reference.every_world(made, key):
        one_by_one[correct, number] = one_by_one.get((correct, number), Fraction(0)) + p
    assert one_by_one == law
    return found


def run_of(folder: Path, blocks: Any, entities: int, decide: Decide = "tuple", **fields: Any) -> ProbableRun:
    key, output = written(folder, blocks, entities, **fields)
    (run,) = cp.compare(key, {"out": output}, task="prob", resamples=0, decide=decide).probabilities().runs
    return run


def by_files(folder: Path, blocks: Any, entities: int, decide: Decide) -> dict[str, Any]:
    whole = run_of(folder, blocks, entities, decide).whole
    precision, recall, f1 = whole.doubt.precision, whole.doubt.recall, whole.doubt.f1
    return {
        "EP": whole.expected_precision,
        "ER": whole.expected_recall,
        "EF": whole.expected_f1,
        "E100": whole.e100,
        "P_star": precision and precision.mean,
        "P_star_variance": precision and precision.sd**2,
        "P_star_given_found": whole.doubt.precision_if_found,
        "F_star": f1 and f1.mean,
        "ER_sd": recall and recall.sd,
        f"decide_{decide}": {"correct": whole.correct, "found": whole.decided},
    }


@pytest.mark.parametrize("decide", ["tuple", "hierarchical"])
@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W5", "W6"])
def test_blocks(name: str, decide: Decide, tmp_path: Path) -> None:
    example = examples()[name]
    for found in (
        by_reference(example["blocks"], example["key"], decide),
        by_files(tmp_path, example["blocks"], example["key"], decide),
    ):
        known = {each: value for each, value in example["expect"].items() if each in found}
        assert {each: found[each] for each in known} == {each: close(value) for each, value in known.items()}


def test_correct_ones_of_w6() -> None:
    example = examples()["W6"]
    law = reference.law(*worlds_of(example["blocks"], example["key"]))
    counted = [float(sum(p for (correct, _), p in law.items() if correct == number)) for number in range(4)]
    assert counted == close(example["expect"]["correct_pmf"])


@pytest.mark.parametrize("residual", ["drop", "renormalise", "other"])
def test_residual_label_mass(residual: str, tmp_path: Path) -> None:
    example = examples()["W4"]
    wanted = example["expect"][f"residual={residual}"]
    made, key = worlds_of(example["blocks"], example["key"], residual)
    soft = reference.expected(reference.weights(made), key)
    assert {"EP": said(soft.precision), "ER": said(soft.recall)} == close(wanted)
    whole = run_of(tmp_path, example["blocks"], example["key"], residual=residual).whole
    assert {"EP": whole.expected_precision, "ER": whole.expected_recall} == close(wanted)


def test_thresholds_and_calibration(tmp_path: Path) -> None:
    """W7 and W8: every decided tuple is the one label of a span that is certain."""
    seven, eight = examples()["W7"]["expect"], examples()["W8"]["expect"]
    items = examples()["W7"]["decided"]
    blocks = [[{"p": 1.0, "labels": [{"p": w, "correct": right}]}] for w, right in items]
    made, key = worlds_of(blocks, examples()["W7"]["key"])
    weighed = reference.weights(made)
    points = reference.threshold_curve(reference.decisions(made), weighed, key)
    assert [[said(each.rates.precision), said(each.rates.recall)] for each in points] == [
        close(each) for each in seven["curve_P_R"]
    ]
    assert said(reference.average_precision(points, len(key))) == close(seven["average_precision"])
    pairs = reference.decided_items(reference.decisions(made), weighed, key)
    assert [said(reference.brier(pairs)), said(reference.ece(pairs, 5)), said(reference.mce(pairs, 5))] == [
        close(eight[name]) for name in ("brier", "ece_5_bins", "mce_5_bins")
    ]
    files = written(tmp_path, blocks, len(key))
    (run,) = cp.compare(files[0], {"out": files[1]}, task="prob", resamples=0).probabilities(bins=5).runs
    found = run.thresholds
    assert found.recall is not None
    assert [list(each) for each in zip(found.precision, found.recall, strict=True)] == [
        close(each) for each in seven["curve_P_R"]
    ]
    assert (found.average_precision, found.recall_max) == (close(seven["average_precision"]), close(seven["R_max"]))
    assert (found.best_f1, found.best_threshold) == (close(seven["best_F"]), close(seven["best_threshold"]))
    calibration = run.calibration_of("decided")
    assert (calibration.brier, calibration.ece, calibration.mce, calibration.mass, calibration.correct) == tuple(
        close(eight[name]) for name in ("brier", "ece_5_bins", "mce_5_bins", "sum_w", "sum_correct")
    )


def test_scores_of_overlapping_spans(tmp_path: Path) -> None:
    example = examples()["W12"]
    pair, chain = [(0, 2), (1, 3)], [(0, 2), (1, 4), (3, 5)]
    wanted = [*example["expect"], *example["chain_of_three_at_half"]]
    scores = [*example["independent"], 0.5, 0.5, 0.5]
    claims = [Claim("p", *span, "L") for span in pair] + [Claim("c", *span, "L") for span in chain]
    scored = {claim: exact(score) for claim, score in zip(claims, scores, strict=True)}
    weighed = reference.weights(reference.entity_blocks(scored, "condition"))
    assert [float(weighed[claim]) for claim in claims] == close(wanted)
    records = tuple(
        {
            "doc": name,
            "text": "xxxxxx",
            "overlap": "condition",
            "entities": [
                {"start": claim.begin, "end": claim.end, "label": "L", "score": float(score)}
                for claim, score in scored.items()
                if claim.document == name
            ],
        }
        for name in ("p", "c")
    )
    case = Case({"p": "xxxxxx", "c": "xxxxxx"}, frozenset(), (Output("entities", records, ()),))
    (run,) = compared(tmp_path, case).verdicts.view().candidates or ()
    assert run.beliefs.weight.tolist() == close(wanted)


@pytest.mark.parametrize("number", range(3))
def test_empty_sides(number: int, tmp_path: Path) -> None:
    example = examples()["empty"][number]
    for found in (
        by_reference(example["blocks"], example["key"], "tuple"),
        by_files(tmp_path, example["blocks"], example["key"], "tuple"),
    ):
        assert {name: found[name] for name in example["expect"]} == example["expect"]
