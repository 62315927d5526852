"""What must hold of the scores of probabilistic entities, whatever the output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda import Result
from tests.tasks.prob.cases import Case, Output, random_case
from tests.tasks.prob.reference import Block, Claim

Record = dict[str, Any]
RATES = ("precision", "recall", "f1", "expected_precision", "expected_recall", "expected_f1", "e100")
randoms = st.randoms(use_true_random=False)
few = settings(max_examples=3, deadline=None)
SYSTEMS = 4


def compared(case: Case, decide: Literal["tuple", "hierarchical"] = "tuple") -> Result:
    with TemporaryDirectory() as folder:
        key, files = case.written(Path(folder))
        return cp.compare(key, files, task="prob", resamples=0, decide=decide)


def scores(result: Result, *measures: str) -> list[dict[str, float | None]]:
    """The scores of each system, by measure."""
    found: dict[str, dict[str, float | None]] = {}
    for each in result.scores(*(measures or (*RATES, "brier", "ece"))).scores:
        found.setdefault(each.system, {})[each.measure] = each.value
    return list(found.values())


def sums(result: Result, measure: str) -> list[tuple[float, float]]:
    """What stands above and below the line, for each system."""
    return [(each.part or 0.0, each.whole or 0.0) for each in result.scores(measure).scores]


def said_otherwise(output: Output, records: list[Record]) -> Output:
    return replace(output, records=tuple(records))


def shuffled(random: Random, record: Record) -> Record:
    """The same blocks, spans and labels, in another order."""
    blocks = []
    for block in random.sample(record["blocks"], len(record["blocks"])):
        spans = [
            {**each, "labels": dict(random.sample(sorted(each["labels"].items()), len(each["labels"])))}
            for each in random.sample(block["alternatives"], len(block["alternatives"]))
        ]
        blocks.append({**block, "alternatives": spans})
    return {**record, "blocks": blocks}


@pytest.mark.parametrize("decide", ["tuple", pytest.param("hierarchical", marks=pytest.mark.slow)])
@given(random=randoms)
@few
def test_order_changes_nothing(decide: Literal["tuple", "hierarchical"], random: Random) -> None:
    case = random_case(random, SYSTEMS, ("blocks",))
    documents = [said_otherwise(each, random.sample(each.records, len(each.records))) for each in case.outputs]
    parts = [said_otherwise(each, [shuffled(random, record) for record in each.records]) for each in case.outputs]
    values = scores(compared(replace(case, outputs=(*case.outputs, *documents, *parts)), decide))
    for number in range(SYSTEMS):
        assert values[number + SYSTEMS] == pytest.approx(values[number], abs=1e-12)
        assert values[number + 2 * SYSTEMS] == pytest.approx(values[number], abs=1e-12)


def split(record: Record) -> Record:
    """Every tuple a span of its own: w = p_e · 1 in place of p_e · p_a."""
    blocks = [
        {
            "alternatives": [
                {**each, "p": each["p"] * p, "labels": {label: 1.0}}
                for each in block["alternatives"]
                for label, p in each["labels"].items()
            ]
        }
        for block in record["blocks"]
    ]
    return {**record, "blocks": blocks}


def full(record: Record) -> Record:
    """Label probabilities that sum to one, in eighths."""
    blocks = []
    for block in record["blocks"]:
        spans = []
        for each in block["alternatives"]:
            labels = list(each["labels"])
            parts = [0.125] * len(labels)
            parts[-1] = 1 - 0.125 * (len(labels) - 1)
            spans.append({**each, "labels": dict(zip(labels, parts, strict=True))})
        blocks.append({"alternatives": spans})
    return {**record, "blocks": blocks}


@given(random=randoms)
@few
def test_how_a_weight_is_split_does_not_matter_to_tuples(random: Random) -> None:
    case = random_case(random, SYSTEMS, ("blocks",))
    whole = [said_otherwise(each, [full(record) for record in each.records]) for each in case.outputs]
    other = [said_otherwise(each, [split(record) for record in each.records]) for each in whole]
    runs = compared(replace(case, outputs=(*whole, *other))).verdicts.view().candidates or ()
    for first, second in zip(runs[:SYSTEMS], runs[SYSTEMS:], strict=True):
        assert first.beliefs.weight == pytest.approx(second.beliefs.weight, abs=1e-12)
        assert first.decided.tolist() == second.decided.tolist()


def renamed(record: Record, names: dict[str, str]) -> Record:
    blocks = [
        {
            "alternatives": [
                {**each, "labels": {names[label]: p for label, p in each["labels"].items()}}
                for each in block["alternatives"]
            ]
        }
        for block in record["blocks"]
    ]
    return {**record, "blocks": blocks}


@given(random=randoms)
@few
def test_names_of_labels_do_not_matter(random: Random) -> None:
    case = random_case(random, SYSTEMS, ("blocks",))
    others_by_order = (("P1", "P2", "P3"), ("place", "q", "Ünit"))  # in the same order as before, for ties
    names = dict(zip("ABC", random.choice(others_by_order), strict=True))
    key = frozenset(replace(claim, label=names[claim.label]) for claim in case.key)
    others = [said_otherwise(each, [renamed(record, names) for record in each.records]) for each in case.outputs]
    values = scores(compared(replace(case, key=key, outputs=tuple(others))))
    for first, second in zip(scores(compared(case)), values, strict=True):
        assert second == pytest.approx(first, abs=1e-12)


def beside(case: Case) -> Case:
    """The same corpus with other names of documents."""

    def moved(claim: Claim) -> Claim:
        return replace(claim, document=f"other {claim.document}")

    def moved_block(block: Block) -> Block:
        return {frozenset(moved(claim) for claim in world): p for world, p in block.items()}

    outputs = [
        Output(
            each.form,
            tuple({**record, "doc": f"other {record['doc']}"} for record in each.records),
            tuple(moved_block(block) for block in each.blocks),
        )
        for each in case.outputs
    ]
    texts = {f"other {name}": text for name, text in case.texts.items()}
    return Case(texts, frozenset(moved(claim) for claim in case.key), tuple(outputs))


@given(random=randoms)
@few
def test_expected_counts_of_two_corpora_laid_together_are_sums(random: Random) -> None:
    one, two = random_case(random, SYSTEMS, ("blocks",)), beside(random_case(random, SYSTEMS, ("blocks",)))
    outputs = [
        Output("blocks", first.records + second.records, first.blocks + second.blocks)
        for first, second in zip(one.outputs, two.outputs, strict=True)
    ]
    both = Case({**one.texts, **two.texts}, one.key | two.key, tuple(outputs))
    parts = [compared(each) for each in (one, two, both)]
    for measure in ("expected_precision", "expected_recall", "e100", "brier"):
        for first, second, together in zip(*(sums(each, measure) for each in parts), strict=True):
            assert together == pytest.approx((first[0] + second[0], first[1] + second[1]), abs=1e-12), measure


def certain(record: Record) -> Record:
    """One span with one label a block, all of them certain."""
    blocks = []
    for block in record["blocks"]:
        first = block["alternatives"][0]
        blocks.append({"alternatives": [{**first, "p": 1.0, "labels": {next(iter(first["labels"])): 1.0}}]})
    return {**record, "blocks": blocks}


@given(random=randoms)
@few
def test_expected_scores_of_a_certain_output_are_its_scores(random: Random) -> None:
    case = random_case(random, SYSTEMS, ("blocks",))
    found = [said_otherwise(each, [certain(record) for record in each.records]) for each in case.outputs]
    for values in scores(compared(replace(case, outputs=tuple(found)))):
        assert values["expected_precision"] == values["precision"]
        assert values["expected_recall"] == values["recall"] == values["e100"]
        assert values["expected_f1"] == values["f1"]


@given(random=randoms)
@few
def test_bounds_and_means(random: Random) -> None:
    case = random_case(random, SYSTEMS, ("blocks",))
    for values in scores(compared(case)):
        recall, expected, most = (values[name] for name in ("recall", "expected_recall", "e100"))
        if recall is None or expected is None or most is None:
            assert not case.key
            continue
        assert recall <= most + 1e-12
        assert expected <= most + 1e-12
        precision, mean = values["expected_precision"], values["expected_f1"]
        if precision is not None and precision + expected > 0:
            assert mean == pytest.approx(2 * precision * expected / (precision + expected), abs=1e-12)


# Cases that can be counted on fingers, found by the random ones


def spoken(*spans: tuple[int, int, float, dict[str, float]]) -> Record:
    """One block of spans (begin, end, p_e, labels)."""
    made = [{"start": begin, "end": end, "p": p, "labels": labels} for begin, end, p, labels in spans]
    return {"doc": "d", "text": "x" * 9, "blocks": [{"alternatives": made}]}


def small(*records: Record, key: tuple[Claim, ...] = (Claim("d", 0, 2, "A"),)) -> Case:
    return Case({"d": "x" * 9}, frozenset(key), tuple(Output("any", (record,), ()) for record in records))


def test_of_equal_spans_the_one_with_the_heavier_label_is_decided() -> None:
    """Ties go by larger w first, the longer span comes after that."""
    record = spoken((0, 3, 0.5, {"A": 0.5, "B": 0.5}), (0, 2, 0.5, {"A": 0.75, "B": 0.25}))
    (run,) = compared(small(record), "hierarchical").verdicts.view().candidates or ()
    assert list(zip(run.end[run.decided].tolist(), run.label[run.decided].tolist(), strict=True)) == [(2, 0)]
    assert run.ties == 1


@pytest.mark.parametrize("decide", ["tuple", "hierarchical"])
def test_a_tie_between_labels_counts(decide: Literal["tuple", "hierarchical"]) -> None:
    (run,) = compared(small(spoken((0, 2, 0.9, {"A": 0.5, "B": 0.5}))), decide).verdicts.view().candidates or ()
    assert run.ties == 1


def test_no_tie_counts_where_nothing_is_more_probable_than_both() -> None:
    worlds = [{"spans": [[0, 2, "A"]], "p": 0.125}, {"spans": [[1, 3, "A"]], "p": 0.125}]
    (run,) = compared(small({"doc": "d", "text": "x" * 9, "nbest": worlds})).verdicts.view().candidates or ()
    assert not run.decided.any()
    assert run.ties == 0


def test_of_equal_analyses_of_one_span_the_order_of_the_list_does_not_decide() -> None:
    """The earlier start wins, wherever it stands."""
    worlds = [{"spans": [[1, 3, "A"]], "p": 0.375}, {"spans": [[0, 2, "A"]], "p": 0.375}]
    lists = [{"doc": "d", "text": "x" * 9, "nbest": each} for each in (worlds, worlds[::-1])]
    for run in compared(small(*lists)).verdicts.view().candidates or ():
        assert run.begin[run.decided].tolist() == [0]


def test_an_intersection_that_nothing_is_in_has_no_precision() -> None:
    """Not even by a rounding error: one system has the first entity alone, the other the second."""
    key = (Claim("d", 0, 2, "A"), Claim("d", 4, 6, "A"))
    records = [
        {"doc": "d", "text": "x" * 9, "entities": [{"start": begin, "end": begin + 2, "label": "A", "score": w}]}
        for begin, w in ((0, 0.05), (4, 0.1))
    ]
    (pair,) = compared(small(*records, key=key)).expected_pairs().pairs
    (found,) = [each for each in pair.expected.joint if each.made == "intersection"]
    assert (found.found, found.claimed, found.precision) == (0.0, 0.0, None)


def test_a_weight_that_is_the_least_is_enough() -> None:
    """0.1 · 0.7 is 0.07, whatever floats make of it."""
    case = small(spoken((0, 2, 0.7, {"A": 0.1})))
    with TemporaryDirectory() as folder:
        key, files = case.written(Path(folder))
        result = cp.compare(key, files, task="prob", resamples=0, decide="hierarchical", min_weight=0.07)
    (run,) = result.verdicts.view().candidates or ()
    assert run.decided.tolist() == [True]


def test_a_weight_that_is_the_floor_reaches_it() -> None:
    """0.09 and 0.01 are 0.1, whatever floats make of it."""
    worlds = [{"spans": [[0, 2, "A"]], "p": 0.09}, {"spans": [[0, 2, "A"], [3, 5, "A"]], "p": 0.01}]
    (run,) = compared(small({"doc": "d", "text": "x" * 9, "nbest": worlds})).probabilities().runs
    (floor,) = [each for each in run.floors if each.floor == 0.1]
    assert (floor.tuples, floor.captured, floor.e100) == (1, 1, 1.0)
