"""Systems of several runs: within, between, excess; sites that flip."""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.findings.resamples import bootstrap_sums
from comparanda.findings.stability import Stability, SystemStability
from tests.findings.populations import close
from tests.seeds import draws

Site = dict[str, Any]
"""What each side has at a site: the key under "key", runs under their names; its document under "document"."""


def steady(found: Stability, system: str) -> SystemStability:
    return next(each for each in found.systems if each.system == system)


# On fingers

KEY = list("AABBC")
GPT = [list("AABBA"), list("AABCB"), list("ABBBA")]  # 4, 3 and 3 right
CRF = [list("AAABC"), list("AAABB")]  # 4 and 3 right


@pytest.fixture(scope="module")
def compared() -> cp.Result:
    systems = {"gpt": cp.Runs(*GPT), "crf": cp.Runs(*CRF), "old": list("AABBC")}
    return cp.compare(KEY, systems, task="tag", resamples=0)


def test_runs_of_one_system(compared: cp.Result) -> None:
    found = steady(compared.stability(), "gpt")
    assert [(each.run, each.value) for each in found.runs] == [("gpt#1", 0.8), ("gpt#2", 0.6), ("gpt#3", 0.6)]
    assert (found.lowest, found.highest) == (0.6, 0.8)
    assert found.deviation == pytest.approx(0.2 / 3**0.5)
    assert (found.sites, found.run_pairs) == (5, 3)
    assert found.different == 2 + 1 + 3  # 1 and 2 differ at the last two, 1 and 3 at the second, 2 and 3 at all three
    assert found.within == 6 / 15
    assert (found.flips.count, found.flips.share) == (3, 0.6)
    assert (found.right_and_wrong.count, found.right_and_wrong.share) == (2, 0.4)  # nobody has the last one
    assert (found.always_right.count, found.ever_right.count) == (2, 4)
    assert [(row.label, row.sites, row.flips.count) for row in found.labels] == [("A", 2, 1), ("B", 2, 1), ("C", 1, 1)]


def test_a_pair_of_systems(compared: cp.Result) -> None:
    pairs = {(pair.base, pair.new): pair for pair in compared.stability().pairs}
    assert list(pairs) == [("gpt", "crf"), ("gpt", "old"), ("crf", "old")]
    pair = pairs["gpt", "crf"]
    assert (pair.within_base, pair.within_new) == (6 / 15, 1 / 5)
    assert pair.different == (2 + 2) + (3 + 2) + (3 + 3)
    assert pair.between == 15 / 30
    assert pair.excess == pytest.approx(0.5 - (0.4 + 0.2) / 2)
    assert (pair.reading, pair.reason) == (None, None)


def test_the_noise_of_one_run_is_unknown(compared: cp.Result) -> None:
    pair = compared.stability("gpt", "old").pairs[0]
    assert (pair.within_base, pair.within_new, pair.between) == (6 / 15, None, 5 / 15)
    assert (pair.excess, pair.low, pair.high, pair.reading) == (None, None, None, None)
    assert pair.reason == "old: one run, so its own noise is unknown"
    assert "n/a: old: one run" in str(compared.stability("gpt", "old"))


def test_a_pair_is_turned_as_asked(compared: cp.Result) -> None:
    turned = compared.stability("crf", "gpt").pairs
    assert [(pair.base, pair.new, pair.within_base) for pair in turned] == [("crf", "gpt", 0.2)]
    assert [(pair.base, pair.new) for pair in compared.stability(new="gpt").pairs] == [("crf", "gpt"), ("old", "gpt")]
    assert [(pair.base, pair.new) for pair in compared.stability("old").pairs] == [("old", "gpt"), ("old", "crf")]


def test_what_cannot_be_asked(compared: cp.Result) -> None:
    with pytest.raises(cp.UsageError, match="compared with itself"):
        compared.stability("gpt", "gpt")
    with pytest.raises(cp.UsageError, match="unknown system 'gtp'"):
        compared.stability("gtp")
    plain = cp.compare(KEY, {"gpt": GPT[0], "crf": CRF[0]}, task="tag", resamples=0)
    with pytest.raises(cp.UsageError, match="no system has more than one run"):
        plain.stability()


def test_two_single_runs_named_have_no_excess_but_a_reason() -> None:
    systems = {"a": cp.Runs(*GPT), "b": CRF[0], "c": CRF[1]}
    result = cp.compare(KEY, systems, task="tag", resamples=0)
    assert result.stability("b", "c").pairs[0].reason == "b and c: one run, so its own noise is unknown"
    assert ("b", "c") not in [(pair.base, pair.new) for pair in result.stability().pairs]


def test_equal_runs_are_perfectly_steady() -> None:
    result = cp.compare(KEY, {"a": cp.Runs(list("AABBA"), list("AABBA"))}, task="tag", resamples=0)
    found = steady(result.stability(), "a")
    assert (found.within, found.flips.count, found.deviation) == (0.0, 0, 0.0)
    assert found.always_right.count == found.ever_right.count == 4
    assert result.stability().pairs == ()


def test_without_noise_the_excess_is_the_difference() -> None:
    runs = {"a": cp.Runs(list("AABBA"), list("AABBA")), "b": cp.Runs(list("ABBBA"), list("ABBBA"))}
    result = cp.compare(KEY, runs, task="tag", resamples=0)
    (pair,) = result.stability().pairs
    assert (pair.between, pair.excess) == (0.2, 0.2)


def test_the_same_runs_again_lie_below_their_noise() -> None:
    """A run is compared with itself there, so half of the pairs differ in nothing."""
    key = [["A", "B"]] * 60
    runs = [[["A", "A"]] * 60, [["A", "B"]] * 60]
    systems = {"a": cp.Runs(*runs), "b": cp.Runs(*[list(map(list, run)) for run in runs])}
    (pair,) = cp.compare(key, systems, task="tag", resamples=200).stability().pairs
    assert (pair.between, pair.excess, pair.reading) == (0.25, -0.25, "below noise")


def test_readings_follow_the_interval() -> None:
    key = [["A"]] * 80
    steady_a, steady_b = [[["A"]] * 80, [["A"]] * 80], [[["B"]] * 80, [["B"]] * 80]
    (beyond,) = (
        cp.compare(key, {"a": cp.Runs(*steady_a), "b": cp.Runs(*steady_b)}, task="tag", resamples=200).stability().pairs
    )
    assert (beyond.excess, beyond.low, beyond.reading) == (1.0, 1.0, "beyond noise")
    same = {"a": cp.Runs(*steady_a), "b": cp.Runs(*[list(map(list, run)) for run in steady_a])}
    (within,) = cp.compare(key, same, task="tag", resamples=200).stability().pairs
    assert (within.excess, within.low, within.high, within.reading) == (0.0, 0.0, 0.0, "within noise")


def test_what_is_nought_is_just_that() -> None:
    """Nine sites with an excess of -1/9 and one with 1: ninths do not add up in binary, counts do."""
    sentences = 60

    def column(often: str, once: str) -> list[list[str]]:
        return [[often] * 9 + [once] for _ in range(sentences)]

    a = cp.Runs(column("A", "A"), column("A", "A"), column("B", "A"))
    b = cp.Runs(column("A", "B"), column("A", "B"), column("C", "B"))
    (pair,) = cp.compare(column("A", "A"), {"a": a, "b": b}, task="tag", resamples=100).stability().pairs
    assert (pair.within_base, pair.within_new, pair.between) == (0.6, 0.6, 0.6)
    assert (pair.excess, pair.low, pair.high, pair.reading) == (0.0, 0.0, 0.0, "within noise")


# Once more, slowly


def within(sites: Sequence[Site], runs: Sequence[str]) -> tuple[int, Fraction | None]:
    return over_pairs(sites, list(combinations(runs, 2)))


def over_pairs(sites: Sequence[Site], pairs: Sequence[tuple[str, str]]) -> tuple[int, Fraction | None]:
    count = sum(1 for site in sites for one, other in pairs if site[one] != site[other])
    return count, Fraction(count, len(sites) * len(pairs)) if sites and pairs else None


def assert_system(found: SystemStability, sites: Sequence[Site], runs: Sequence[str]) -> None:
    count, share = within(sites, runs)
    assert (found.sites, found.different) == (len(sites), count)
    assert close(found.within, share)
    right = [[site[run] == site["key"] for run in runs] for site in sites]
    assert found.flips.count == sum(1 for site in sites if len({site[run] for run in runs}) > 1)
    assert found.right_and_wrong.count == sum(1 for each in right if any(each) and not all(each))
    assert found.always_right.count == sum(1 for each in right if all(each))
    assert found.ever_right.count == sum(1 for each in right if any(each))
    assert sum(row.sites for row in found.labels) == len(sites)
    assert sum(row.flips.count for row in found.labels) == found.flips.count


def assert_conditions(result: cp.Result, found: Stability) -> None:
    """Every count is what its condition selects."""
    for each in found.systems:
        counts = [each.flips, each.right_and_wrong, each.always_right, each.ever_right]
        for count in [*counts, *(row.flips for row in each.labels)]:
            assert result.count(count.where) == count.count, count
            assert result.examples(count.where, top=1).count == count.count
    for pair in found.pairs:
        assert result.count(pair.where, pair.base, pair.new) == pair.different


def names(systems: Mapping[str, int]) -> dict[str, list[str]]:
    return {
        name: [name] if runs == 1 else [f"{name}#{number + 1}" for number in range(runs)]
        for name, runs in systems.items()
    }


def excess_of(sites: Sequence[Site], mine: Sequence[str], theirs: Sequence[str]) -> Fraction | None:
    between = over_pairs(sites, list(product(mine, theirs)))[1]
    noise = within(sites, mine)[1], within(sites, theirs)[1]
    if between is None or noise[0] is None or noise[1] is None:
        return None
    return between - (noise[0] + noise[1]) / 2


shapes = st.lists(st.integers(1, 4), min_size=2, max_size=3).filter(lambda runs: max(runs) > 1)


@settings(max_examples=draws(40), deadline=None)
@given(shapes, st.integers(0, 10_000))
def test_tags_agree_with_a_plain_recount(shape: list[int], seed: int) -> None:
    chance = random.Random(seed)
    systems = {f"s{number}": runs for number, runs in enumerate(shape)}
    columns = names(systems)
    sites: list[Site] = [
        {
            "document": number // 3,
            "key": chance.choice("AB"),
            **{run: chance.choice("AABC") for each in columns.values() for run in each},
        }
        for number in range(chance.randrange(1, 15))
    ]

    def column(side: str) -> list[str]:
        return [site[side] for site in sites]

    given_systems = {name: cp.Runs(*map(column, runs)) for name, runs in columns.items()}
    result = cp.compare(column("key"), given_systems, task="tag", resamples=0)
    found = result.stability()
    for name, runs in columns.items():
        if len(runs) > 1:
            assert_system(steady(found, name), sites, runs)
            scores = [Fraction(sum(site[run] == site["key"] for site in sites), len(sites)) for run in runs]
            assert close(steady(found, name).deviation, statistics.stdev(map(float, scores)))
            for row in steady(found, name).labels:
                mine = [site for site in sites if site["key"] == row.label]
                assert (row.sites, row.flips.count) == (
                    len(mine),
                    sum(len({site[run] for run in runs}) > 1 for site in mine),
                )
    for pair in found.pairs:
        assert close(pair.excess, excess_of(sites, columns[pair.base], columns[pair.new]))
    assert_conditions(result, found)
    among = {(pair.base, pair.new): (pair.different, pair.diff) for pair in result.pairs().pairs}
    assert all(among[pair.base, pair.new] == (pair.different, pair.between) for pair in found.pairs)


Span = tuple[int, int, str]


def overlap_sites(documents: Sequence[Mapping[str, Sequence[Span]]], sides: Sequence[str]) -> list[Site]:
    """Make the sites of some sides: groups of spans that overlap, directly or through others."""
    sites: list[Site] = []
    for number, document in enumerate(documents):
        left = {span for side in sides for span in document[side]}
        while left:
            group = {min(left)}
            while more := {one for one in left - group if any(one[0] < two[1] and two[0] < one[1] for two in group)}:
                group |= more
            left -= group
            sites.append({"document": number, **{side: frozenset(group & set(document[side])) for side in sides}})
    return sites


def random_spans(chance: random.Random, size: int) -> list[Span]:
    found = set()
    for _ in range(chance.randrange(4)):
        begin = chance.randrange(size - 1)
        found.add((begin, chance.randrange(begin + 1, min(size, begin + 4) + 1), chance.choice(["PER", "LOC"])))
    return sorted(found)


def records(documents: Sequence[Mapping[str, Sequence[Span]]], side: str, size: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"d{number:02}",
            "text": "abcdefghijkl"[:size],
            "spans": [{"begin": begin, "end": end, "label": label} for begin, end, label in document[side]],
        }
        for number, document in enumerate(documents)
    ]


def span_documents(chance: random.Random, sides: Sequence[str], size: int, count: int) -> list[dict[str, list[Span]]]:
    """Draw documents in which runs copy the key's spans about half of the time."""
    found = []
    for _ in range(count):
        key = random_spans(chance, size)
        found.append(
            {side: key if side == "key" or chance.random() < 0.4 else random_spans(chance, size) for side in sides}
        )
    return found


@settings(max_examples=draws(30), deadline=None)
@given(shapes, st.integers(0, 10_000))
def test_spans_agree_with_a_plain_recount(shape: list[int], seed: int) -> None:
    chance = random.Random(seed)
    columns = names({f"s{number}": runs for number, runs in enumerate(shape)})
    sides = ["key", *(run for each in columns.values() for run in each)]
    documents = span_documents(chance, sides, 12, chance.randrange(1, 6))
    if not any(spans for document in documents for spans in document.values()):
        return
    systems = {name: cp.Runs(*(records(documents, run, 12) for run in runs)) for name, runs in columns.items()}
    result = cp.compare(records(documents, "key", 12), systems, task="span", resamples=0)
    found = result.stability()
    for name, runs in columns.items():
        if len(runs) > 1:
            assert_system(steady(found, name), overlap_sites(documents, ["key", *runs]), runs)
    for pair in found.pairs:
        mine, theirs = columns[pair.base], columns[pair.new]
        sites = overlap_sites(documents, ["key", *mine, *theirs])
        assert pair.sites == len(sites)
        assert close(pair.within_base, within(sites, mine)[1])
        assert close(pair.within_new, within(sites, theirs)[1])
        assert close(pair.between, over_pairs(sites, list(product(mine, theirs)))[1])
        assert close(pair.excess, excess_of(sites, mine, theirs))
    assert_conditions(result, found)


def test_a_third_system_changes_nothing() -> None:
    chance = random.Random(5)
    columns = names({"a": 2, "b": 3, "c": 2})
    sides = ["key", *(run for each in columns.values() for run in each)]
    documents = span_documents(chance, sides, 12, 60)
    key = records(documents, "key", 12)
    systems = {name: cp.Runs(*(records(documents, run, 12) for run in runs)) for name, runs in columns.items()}
    three = cp.compare(key, systems, task="span", resamples=100).stability()
    two = cp.compare(key, {name: systems[name] for name in "ab"}, task="span", resamples=100).stability()
    assert [steady(three, name) for name in "ab"] == list(two.systems)
    assert [pair for pair in three.pairs if "c" not in (pair.base, pair.new)] == list(two.pairs)


def test_systems_that_change_places_keep_their_excess() -> None:
    chance = random.Random(6)
    columns = names({"a": 2, "b": 3})
    sides = ["key", *(run for each in columns.values() for run in each)]
    documents = span_documents(chance, sides, 12, 30)
    systems = {name: cp.Runs(*(records(documents, run, 12) for run in runs)) for name, runs in columns.items()}
    found = [
        cp.compare(records(documents, "key", 12), {name: systems[name] for name in order}, task="span", resamples=100)
        for order in ("ab", "ba")
    ]
    (one,), (other,) = (each.stability().pairs for each in found)
    assert (one.excess, one.low, one.high) == (other.excess, other.low, other.high)
    assert found[0].stability("b", "a").pairs == found[1].stability("b", "a").pairs


def test_intervals_are_those_of_resampled_documents() -> None:
    chance = random.Random(7)
    columns = names({"a": 3, "b": 2})
    sides = ["key", *(run for each in columns.values() for run in each)]
    documents = span_documents(chance, sides, 12, 12)
    systems = {name: cp.Runs(*(records(documents, run, 12) for run in runs)) for name, runs in columns.items()}
    found = cp.compare(records(documents, "key", 12), systems, task="span", resamples=50, seed=3).stability()
    sites = overlap_sites(documents, sides)
    used = sorted({site["document"] for site in sites})
    weights = bootstrap_sums(np.eye(len(used)), 50, 3).astype(int).tolist()
    values = []
    for row in weights:
        often = dict(zip(used, row, strict=True))
        again = [site for site in sites for _ in range(often[site["document"]])]
        values.append(float(excess_of(again, columns["a"], columns["b"]) or 0))
    expected = np.quantile(values, (0.025, 0.975)).tolist()
    assert [found.pairs[0].low, found.pairs[0].high] == pytest.approx(expected)
    mine = overlap_sites(documents, ["key", *columns["a"]])
    used = sorted({site["document"] for site in mine})
    weights = bootstrap_sums(np.eye(len(used)), 50, 3).astype(int).tolist()
    values = []
    for row in weights:
        often = dict(zip(used, row, strict=True))
        again = [site for site in mine for _ in range(often[site["document"]])]
        values.append(float(within(again, columns["a"])[1] or 0))
    expected = np.quantile(values, (0.025, 0.975)).tolist()
    assert [steady(found, "a").low, steady(found, "a").high] == pytest.approx(expected)


# What it looks like, and what is odd


def test_one_document_has_no_interval() -> None:
    documents = span_documents(random.Random(8), ["key", "a#1", "a#2", "b#1", "b#2"], 12, 1)
    systems = {name: cp.Runs(*(records(documents, f"{name}#{run}", 12) for run in (1, 2))) for name in "ab"}
    found = cp.compare(records(documents, "key", 12), systems, task="span").stability()
    assert (found.pairs[0].low, found.pairs[0].reading) == (None, None)
    assert found.pairs[0].excess is not None


def test_nothing_at_all_is_undefined_with_a_reason() -> None:
    empty = [{"id": "d", "text": "abc", "spans": []}]
    systems = {name: cp.Runs(list(empty), list(empty)) for name in "ab"}
    found = cp.compare(empty, systems, task="span", resamples=0).stability()
    assert (found.systems[0].within, found.systems[0].flips.share, found.systems[0].lowest) == (None, None, None)
    assert (found.pairs[0].excess, found.pairs[0].reason) == (None, "no site")
    assert "n/a" in str(found)


def test_it_is_part_of_the_anatomy_of_runs_alone(compared: cp.Result) -> None:
    assert compared.anatomy().stability == compared.stability()
    assert cp.compare(KEY, {"a": KEY}, task="tag", resamples=0).anatomy().stability is None
    assert "Stability of each system" in str(compared.anatomy())


def test_tables_have_a_row_for_each_system_pair_and_label(compared: cp.Result) -> None:
    systems, pairs, labels = compared.stability().tables(2)
    assert [(row["system"], row["runs"], row["lowest"], row["flips"]) for row in systems.dicts()] == [
        ("gpt", 3, 0.6, 3),
        ("crf", 2, 0.6, 1),
    ]
    assert next((row["base"], row["new"], row["between"]) for row in pairs.dicts()) == ("gpt", "crf", 0.5)
    assert [(row["system"], row["label"]) for row in labels.dicts()] == [
        (system, label) for system in ("gpt", "crf") for label in "AB"
    ]
    assert labels.notes == (
        "… 1 more label of gpt (--top 0 for all)",
        "… 1 more label of crf (--top 0 for all)",
    )
    assert not any("bootstrap" in note for note in pairs.notes)
