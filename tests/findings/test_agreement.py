"""Coefficients of agreement, pairs and documents without a key: worked examples, and a plain recount."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import comparanda as cp
from comparanda.findings.agreement import NO_CASE, ONE_VALUE, Agreements, OutputPair
from comparanda.findings.resamples import bootstrap_sums
from tests.findings.populations import close
from tests.findings.test_stability import Span, overlap_sites, random_spans, records
from tests.seeds import draws

Ratings = Mapping[str, Sequence[str | None]]


def rows(ratings: Ratings) -> dict[str, list[tuple[str, str]]]:
    """Write ratings as classification files: a rater without a value has no row."""
    return {
        rater: [(f"r{number:02}", value) for number, value in enumerate(values) if value is not None]
        for rater, values in ratings.items()
    }


def agreed(ratings: Ratings, **options: object) -> Agreements:
    chosen = {"missing": "empty", "resamples": 0, **options}
    return cp.agreement(rows(ratings), task="label", **chosen)  # type: ignore[arg-type]


def pair(found: Agreements, first: str, second: str) -> OutputPair:
    return next(each for each in found.pairs if (each.first, each.second) == (first, second))


# Worked examples of the literature

KRIPPENDORFF = {  # "Computing Krippendorff's alpha-reliability" (2011), section C: four observers, twelve units
    "D": [*"12332441251", None],
    "A": [*"123321412", None, None, None],
    "B": [*"1233224125", None, "3"],
    "C": [None, *"3332342251", None],
}


def test_krippendorffs_example_with_missing_data() -> None:
    found = agreed(KRIPPENDORFF)
    assert found.alpha.value is not None
    assert round(found.alpha.value, 3) == 0.743
    assert (found.alpha.cases, found.cases) == (11, "rows")  # the twelfth unit has one value, which pairs with none


def test_krippendorffs_example_of_two_observers() -> None:
    """Section A: ten units, two values, α = 0.095."""
    found = agreed({"Meg": [*"0100000010"], "Owen": [*"1110010000"]})
    assert found.alpha.value is not None
    assert round(found.alpha.value, 3) == 0.095


def test_krippendorffs_example_of_many_values() -> None:
    """Section B: twelve articles, five values, α = 0.692."""
    found = agreed({"Ben": [*"aabbdcccedda"], "Gerry": [*"babbbccceddd"]})
    assert found.alpha.value is not None
    assert round(found.alpha.value, 3) == 0.692


def test_kappa_of_a_two_by_two_table() -> None:
    """Fifty applications, twenty times yes by both, fifteen times no: κ = 0.4."""
    first = [*"y" * 25, *"n" * 25]
    second = [*"y" * 20, *"n" * 5, *"y" * 10, *"n" * 15]
    found = agreed({"a": first, "b": second}).pairs[0]
    assert found.kappa.value == pytest.approx(0.4)
    assert (found.kappa.cases, found.score, found.different) == (50, 0.7, 15)


# On fingers


def test_a_pair_of_three() -> None:
    found = agreed({"a": [*"XXYZ"], "b": [*"XYYZ"], "c": [*"XXYY"]})
    assert [(each.first, each.second, each.score, each.diff) for each in found.pairs] == [
        ("a", "b", 0.75, 0.25),
        ("a", "c", 0.75, 0.25),
        ("b", "c", 0.5, 0.5),
    ]
    assert found.mean_score == pytest.approx(2 / 3)
    assert found.mean_distance == pytest.approx(1 / 3)
    assert found.mean_diff == pytest.approx(1 / 3)
    assert (found.sites, found.disagreed.count) == (4, 2)
    assert found.measure == "accuracy"


def test_identical_outputs() -> None:
    found = agreed({"a": [*"XYX"], "b": [*"XYX"]})
    assert (found.pairs[0].score, found.pairs[0].diff, found.pairs[0].kappa.value) == (1.0, 0.0, 1.0)
    assert (found.alpha.value, found.disagreed.count) == (1.0, 0)


def test_one_value_leaves_nothing_to_chance() -> None:
    found = agreed({"a": [*"XXX"], "b": [*"XXX"]})
    assert (found.pairs[0].kappa.value, found.pairs[0].kappa.reason) == (None, ONE_VALUE)
    assert (found.alpha.value, found.alpha.reason) == (None, ONE_VALUE)
    assert f"n/a: {ONE_VALUE}" in str(found)


def test_two_raters_without_a_common_case() -> None:
    found = agreed({"a": [*"XY"], "b": ["X", None], "c": [None, "Y"]})
    assert pair(found, "b", "c").kappa.cases == 0
    assert pair(found, "b", "c").kappa.reason == NO_CASE
    assert found.alpha.value == 1.0  # the first with the second, the first with the third


def test_what_is_missing_differs_but_is_no_case_of_kappa() -> None:
    found = agreed({"a": [*"XYX"], "b": ["X", "Y", None]}).pairs[0]
    assert (found.diff, found.kappa.value, found.kappa.cases) == (1 / 3, 1.0, 2)


def test_spans_without_any_are_undefined() -> None:
    empty = [{"id": "d", "text": "a b c", "spans": []}]
    found = cp.agreement({"a": empty, "b": list(empty)}, task="span", resamples=0)
    assert (found.pairs[0].score, found.pairs[0].diff, found.mean_score) == (None, None, None)
    assert found.pairs[0].reason == "nothing in the key and nothing claimed"
    assert (found.alpha.value, found.alpha.reason, found.alpha.cases) == (None, ONE_VALUE, 3)
    assert found.documents == ()


def test_spans_are_decisions_about_words_for_coefficients() -> None:
    """Of five words `a` has PER PER - LOC -, and `b` PER - - LOC+PER PER."""
    text = "v w x y z"

    def output(*spans: Span) -> list[dict[str, object]]:
        return [{"id": "d", "text": text, "spans": [{"begin": b, "end": e, "label": label} for b, e, label in spans]}]

    a = output((0, 3, "PER"), (6, 7, "LOC"))
    b = output((0, 1, "PER"), (6, 7, "LOC"), (6, 9, "PER"))
    found = cp.agreement({"a": a, "b": b}, task="span", resamples=0)
    ratings = {"a": ["PER", "PER", "-", "LOC", "-"], "b": ["PER", "-", "-", "LOC + PER", "PER"]}
    assert (found.cases, found.alpha.cases) == ("words", 5)
    assert close(found.pairs[0].kappa.value, kappa_of(ratings["a"], ratings["b"]))
    assert close(found.alpha.value, alpha_of(ratings))
    assert found.pairs[0].score == pytest.approx(2 * 1 / 5)
    assert "F1 is the usual measure" in str(found)


# Once more, slowly


def kappa_of(first: Sequence[str | None], second: Sequence[str | None]) -> Fraction | None:
    both = [(one, two) for one, two in zip(first, second, strict=True) if one is not None and two is not None]
    if not both:
        return None
    observed = Fraction(sum(one == two for one, two in both), len(both))
    mine, theirs = Counter(one for one, _ in both), Counter(two for _, two in both)
    chance = sum(Fraction(mine[value] * theirs[value], len(both) ** 2) for value in mine)
    return None if chance == 1 else (observed - chance) / (1 - chance)


def alpha_of(ratings: Ratings) -> Fraction | None:
    """By the table of coincidences, with fractions."""
    coincidences: dict[tuple[str, str], Fraction] = {}
    for values in zip(*ratings.values(), strict=True):
        there = [value for value in values if value is not None]
        for one, two in permutations(there, 2):
            coincidences[one, two] = coincidences.get((one, two), Fraction(0)) + Fraction(1, len(there) - 1)
    totals: dict[str, Fraction] = {}
    for (one, _), count in coincidences.items():
        totals[one] = totals.get(one, Fraction(0)) + count
    size = sum(totals.values(), Fraction(0))
    observed = sum((count for (one, two), count in coincidences.items() if one != two), Fraction(0))
    expected = sum((totals[one] * totals[two] for one, two in permutations(totals, 2)), Fraction(0))
    return None if not expected else 1 - (size - 1) * observed / expected


raters = st.integers(2, 4)


@settings(max_examples=draws(60), deadline=None)
@given(raters, st.integers(1, 12), st.integers(0, 10_000))
def test_labels_agree_with_a_plain_recount(number: int, size: int, seed: int) -> None:
    chance = random.Random(seed)
    ratings: dict[str, list[str | None]] = {"ground": [chance.choice("AB") for _ in range(size)]}
    for rater in range(1, number):
        ratings[f"o{rater}"] = [chance.choice(["A", "A", "B", "C", None]) for _ in range(size)]
    if any(all(value is None for value in values) for values in ratings.values()):
        return
    found = agreed(ratings)
    assert close(found.alpha.value, alpha_of(ratings))
    for each in found.pairs:
        mine, theirs = ratings[each.first], ratings[each.second]
        assert close(each.kappa.value, kappa_of(mine, theirs))
        decided = [(one, two) for one, two in zip(mine, theirs, strict=True) if one is not None]
        assert (each.sites, each.different) == (len(decided), sum(one != two for one, two in decided))
    columns = list(zip(*ratings.values(), strict=True))
    assert found.disagreed.count == sum(len(set(values)) > 1 for values in columns)
    (document,) = found.documents
    pairs = list(combinations(range(number), 2))
    apart = sum(values[one] != values[two] for values in columns for one, two in pairs)
    assert close(document.diff, Fraction(apart, size * len(pairs)))


def test_kappa_is_that_of_scikit_learn() -> None:
    chance = random.Random(4)
    first, second = ([chance.choice("ABCD") for _ in range(200)] for _ in range(2))
    found = agreed({"a": first, "b": second}).pairs[0].kappa
    assert found.value == pytest.approx(cohen_kappa_score(first, second))


def f1(mine: Counter[tuple[int, Span]], theirs: Counter[tuple[int, Span]]) -> Fraction | None:
    whole = mine.total() + theirs.total()
    return Fraction(2 * (mine & theirs).total(), whole) if whole else None


def words_of(document: Mapping[str, Sequence[Span]], side: str, size: int) -> list[str]:
    """What a side says of each letter, all of which are words."""
    labels = [sorted({span[2] for span in document[side] if span[0] <= word < span[1]}) for word in range(size)]
    return [" + ".join(each) for each in labels]


def spaced(documents: Sequence[Mapping[str, Sequence[Span]]], side: str, size: int) -> list[dict[str, object]]:
    """Write documents of one-letter words."""
    given = records(documents, side, size)
    for record in given:
        record["text"] = " ".join(record["text"])
        for span in record["spans"]:
            span["begin"], span["end"] = 2 * span["begin"], 2 * span["end"] - 1
    return given


@settings(max_examples=draws(40), deadline=None)
@given(raters, st.integers(0, 10_000))
def test_spans_agree_with_a_plain_recount(number: int, seed: int) -> None:
    chance = random.Random(seed)
    sides = [f"o{rater}" for rater in range(number)]
    documents = []
    for _ in range(chance.randrange(1, 5)):
        common = random_spans(chance, 8)
        documents.append({side: common if chance.random() < 0.5 else random_spans(chance, 8) for side in sides})
    found = cp.agreement({side: spaced(documents, side, 8) for side in sides}, task="span", resamples=0)
    claimed = {
        side: Counter((place, span) for place, each in enumerate(documents) for span in each[side]) for side in sides
    }
    ratings = {side: [value for each in documents for value in words_of(each, side, 8)] for side in sides}
    for each in found.pairs:
        assert close(each.score, f1(claimed[each.first], claimed[each.second]))
        assert each.turned == each.score
        sites = overlap_sites(documents, [each.first, each.second])
        different = sum(site[each.first] != site[each.second] for site in sites)
        assert (each.sites, each.different) == (len(sites), different)
        assert close(each.kappa.value, kappa_of(ratings[each.first], ratings[each.second]))
    assert close(found.alpha.value, alpha_of(ratings))
    together = overlap_sites(documents, sides)
    assert found.sites == len(together)
    assert found.disagreed.count == sum(len({site[side] for side in sides}) > 1 for site in together)
    for row in found.documents:
        mine = [site for site in together if f"d{site['document']:02}" == row.document]
        pairs = list(combinations(sides, 2))
        assert row.sites == len(mine)
        assert row.disagreed.count == sum(len({site[side] for side in sides}) > 1 for site in mine)
        assert close(
            row.diff, Fraction(sum(site[a] != site[b] for site in mine for a, b in pairs), len(mine) * len(pairs))
        )
    ranks = [(-Fraction(row.disagreed.count, row.sites), -row.disagreed.count, row.document) for row in found.documents]
    assert ranks == sorted(ranks)


def test_conditions_select_what_is_counted() -> None:
    chance = random.Random(11)
    sides = ["a", "b", "c"]
    documents = [{side: random_spans(chance, 8) for side in sides} for _ in range(6)]
    outputs = {side: spaced(documents, side, 8) for side in sides}
    found = cp.agreement(outputs, task="span", resamples=0)
    for each in found.pairs:
        two = cp.compare(outputs[each.first], {each.second: outputs[each.second]}, task="span", resamples=0)
        assert two.count(each.where) == each.different > 0
    three = cp.compare(outputs["a"], {side: outputs[side] for side in "bc"}, task="span", resamples=0)
    assert three.count(found.disagreed.where) == found.disagreed.count
    for row in found.documents:
        assert three.count(row.disagreed.where) == row.disagreed.count


def test_intervals_are_those_of_resampled_documents() -> None:
    chance = random.Random(12)
    sides = ["a", "b", "c"]
    documents = [{side: random_spans(chance, 8) for side in sides} for _ in range(10)]
    found = cp.agreement({side: spaced(documents, side, 8) for side in sides}, task="span", resamples=60, seed=5)
    weights = bootstrap_sums(np.eye(len(documents)), 60, 5).astype(int).tolist()
    alphas, kappas = [], []
    for row in weights:
        drawn = [document for document, often in zip(documents, row, strict=True) for _ in range(often)]
        ratings = {side: [value for each in drawn for value in words_of(each, side, 8)] for side in sides}
        alphas.append(float(alpha_of(ratings) or 0))
        kappas.append(float(kappa_of(ratings["a"], ratings["c"]) or 0))
    assert [found.alpha.low, found.alpha.high] == pytest.approx(np.quantile(alphas, (0.025, 0.975)).tolist())
    kappa = pair(found, "a", "c").kappa
    assert [kappa.low, kappa.high] == pytest.approx(np.quantile(kappas, (0.025, 0.975)).tolist())
    sites = overlap_sites(documents, ["a", "c"])
    used = sorted({site["document"] for site in sites})
    diffs = []
    for row in bootstrap_sums(np.eye(len(used)), 60, 5).astype(int).tolist():
        often = dict(zip(used, row, strict=True))
        again = [site for site in sites for _ in range(often[site["document"]])]
        diffs.append(sum(site["a"] != site["c"] for site in again) / len(again))
    spread = pair(found, "a", "c")
    assert [spread.diff_low, spread.diff_high] == pytest.approx(np.quantile(diffs, (0.025, 0.975)).tolist())
    alone = cp.agreement({side: spaced(documents, side, 8) for side in "ac"}, task="span", resamples=60, seed=5)
    assert alone.pairs[0] == pair(found, "a", "c")


def test_many_values_have_no_interval_and_say_so() -> None:
    values = [f"v{number}" for number in range(510)]
    other = [value if number % 3 else "v0" for number, value in enumerate(values)]
    found = agreed({"a": values, "b": other}, resamples=10)
    assert close(found.alpha.value, alpha_of({"a": values, "b": other}))
    assert close(found.pairs[0].kappa.value, kappa_of(values, other))
    assert (found.alpha.low, found.pairs[0].kappa.low) == (None, None)
    assert "κ and α have no intervals: there are more than 500 values" in found.warnings


def test_turning_the_outputs_turns_nothing_else() -> None:
    chance = random.Random(13)
    ratings = {side: [chance.choice("ABC") for _ in range(40)] for side in "abc"}
    one, other = agreed(ratings, resamples=50), agreed(dict(reversed(ratings.items())), resamples=50)
    assert one.alpha == other.alpha
    assert one.mean_score == pytest.approx(other.mean_score)
    assert one.mean_diff == pytest.approx(other.mean_diff)
    there = {frozenset((each.first, each.second)): each for each in other.pairs}
    for each in one.pairs:
        turned = there[frozenset((each.first, each.second))]
        assert (each.score, each.diff, each.kappa) == (turned.score, turned.diff, turned.kappa)
        assert (each.low, each.high, each.diff_low) == (turned.low, turned.high, turned.diff_low)


def test_tables() -> None:
    found = agreed({"a": [*"XXYZ"], "b": [*"XYYZ"], "c": [*"XXYY"]})
    pairs, documents = found.tables(1)
    assert [(row["first"], row["second"], row["score"]) for row in pairs.dicts()] == [
        ("a", "b", 0.75),
        ("a", "c", 0.75),
        ("b", "c", 0.5),
    ]
    assert "turned" not in [field.key for field in pairs.fields]
    assert documents.title == "Documents by disagreement: not unanimous at 2 of 4 sites (50.00 %)"
    uneven = agreed({"a": [*"XYX"], "b": ["X", "Y", None]})
    assert "turned" in [field.key for field in uneven.tables()[0].fields]
    assert (uneven.pairs[0].score, uneven.pairs[0].turned) == (2 / 3, 1.0)
