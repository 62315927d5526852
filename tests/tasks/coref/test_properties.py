"""What holds for all chains: who is swapped, renamed, reordered, left out; and what can be at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume

from comparanda import Result
from comparanda.tasks.coref.measures import AVERAGED, LINKS, MAKERS, METRICS, PARTS
from tests.tasks.coref import reference
from tests.tasks.coref.agreement import close, expected_counts, mentions_of, values_of
from tests.tasks.coref.reference import CRITERIA
from tests.tasks.coref.samples import (
    EXTENTS,
    Places,
    Sample,
    identity,
    pairs,
    samples,
    several,
    single,
)

VIEWS = tuple(f"{criterion}{suffix}" for criterion in CRITERIA for suffix in ("", "_antecedents"))
SWAPPED = dict(zip(PARTS, ("earned", "claimed", "found", "key"), strict=True))
ARCS = ("precision", "recall", "f1")


def counts(result: Result, run: int = 0) -> dict[str, float]:
    """Return all counts of a run, summed over documents."""
    return {name: float(each[:, run].sum()) for name, each in result.verdicts.view().statistics.items()}


def scores(result: Result, system: str = "one") -> dict[str, float | None]:
    table = result.scores()
    return {name: table.value(system, name) for name in (*MAKERS, *(f"{c}.{part}" for c in CRITERIA for part in ARCS))}


def same(found: Mapping[str, float | None], wanted: Mapping[str, float | None]) -> bool:
    return {*found} == {*wanted} and all(close(each, wanted[name]) for name, each in found.items())


def values(result: Result, *runs: int) -> dict[str, Any]:
    """Return the values of some runs at every site of every view, by the name of its document and its extent."""
    names = result.verdicts.documents
    found: dict[str, Any] = {}
    for name in VIEWS:
        view = result.verdicts.view(name).among(runs)
        mentions = [(names[document], *extent) for document, *extent in mentions_of(view)]
        found[name] = dict(zip(mentions, values_of(view, runs), strict=True))
    return found


def everything(result: Result) -> dict[str, Any]:
    """Return all that is said of one system, rounded: sums in another order differ in the last bits."""
    rounded = {name: None if each is None else round(each, 9) for name, each in scores(result).items()}
    return {
        "counts": {name: round(each, 9) for name, each in counts(result).items()},
        "scores": rounded,
        "values": values(result, 0),
    }


# --- against the reference ------------------------------------------------------------------------------------------


@identity(single)
def test_all_counts_are_those_of_the_definition(sample: Sample) -> None:
    found = counts(sample.result())
    key, response = sample.units("key"), sample.units("one")
    sums: dict[str, float] = {}
    for unit in key:
        for name, each in expected_counts(key[unit], response[unit]).items():
            sums[name] = sums.get(name, 0) + each
    assert same(found, sums)


@identity(single)
def test_all_scores_are_those_of_the_definition(sample: Sample) -> None:
    found, wanted = scores(sample.result()), reference.score(sample.units("key"), sample.units("one"))
    assert close(found["conll"], wanted.conll)
    for metric, each in wanted.counts.items():
        assert close(found[metric], each.f)
        assert close(found[f"{metric}_precision"], each.p)
        assert close(found[f"{metric}_recall"], each.r)
    blanc = wanted.blanc.scores()
    if blanc is not None and sum(wanted.blanc.coreferent) + wanted.blanc.other[2]:
        assert close(found["blanc_recall"], blanc[0])
        assert close(found["blanc"], blanc[2])


@identity(single)
def test_every_mention_has_the_class_of_the_definition(sample: Sample) -> None:
    key, response, result = sample.units("key"), sample.units("one"), sample.result()
    for criterion in CRITERIA:
        view = result.verdicts.view(criterion)
        found = dict(zip(mentions_of(view), (row[1] for row in values_of(view, [0])), strict=True))
        judged = [reference.arcs(key[unit], response[unit], criterion, sample.fits(criterion)).items() for unit in key]
        assert found == {mention: each.name for row in judged for mention, each in row}


# --- swapping key and response --------------------------------------------------------------------------------------


@identity(single)
def test_swapping_key_and_response_swaps_the_counts_of_recall_and_precision(sample: Sample) -> None:
    there, back = counts(sample.result()), counts(sample.swapped().result())
    for metric in (*METRICS, *LINKS):
        for part, other in SWAPPED.items():
            assert close(there[f"{metric}_{part}"], back[f"{metric}_{other}"]), metric


@identity(single)
def test_swapping_key_and_response_swaps_precision_and_recall(sample: Sample) -> None:
    there, back = scores(sample.result()), scores(sample.swapped().result())
    for metric in METRICS:
        assert close(there[metric], back[metric])
        assert close(there[f"{metric}_precision"], back[f"{metric}_recall"])
        assert close(there[f"{metric}_recall"], back[f"{metric}_precision"])
    assert close(there["conll"], back["conll"])
    assert close(there["any.f1"], back["any.f1"])
    assert close(there["any.precision"], back["any.recall"])


@identity(single)
def test_so_it_does_for_blanc_unless_one_side_lacks_a_kind_of_links(sample: Sample) -> None:
    """There scorer 8.01 looks at the key alone, so that swapping may do more."""
    result = sample.result()
    found = counts(result)
    assume(all(bool(found[f"{kind}_key"]) == bool(found[f"{kind}_claimed"]) for kind in LINKS))
    there, back = scores(result), scores(sample.swapped().result())
    assert close(there["blanc"], back["blanc"])
    assert close(there["blanc_precision"], back["blanc_recall"])
    assert close(there["blanc_recall"], back["blanc_precision"])


def test_at_that_edge_blanc_is_not_symmetric() -> None:
    """The key has two singletons, the response one chain: of the key's half nothing is found, of the other's all."""
    apart: Places = (None, None, 0, None, 1, *[None] * 5)
    joined: Places = (None, None, 0, None, 0, *[None] * 5)
    sample = Sample(key={"d": apart}, systems={"one": {"d": joined}}, tags={"d": ("NN",) * 6})
    third: Places = (None, None, 0, None, 0, 1, *[None] * 4)
    for key, response, there, back in ((apart, joined, 0.0, 0.0), (joined, third, 1.0, (1 + 0) / 2)):
        each = replace(sample, key={"d": key}, systems={"one": {"d": response}})
        assert scores(each.result())["blanc_recall"] == there
        assert scores(each.swapped().result())["blanc_precision"] == back


# --- names and orders -------------------------------------------------------------------------------------------------


@identity(single)
def test_other_names_for_chains_change_nothing(sample: Sample) -> None:
    renamed = replace(sample, chain_name=lambda side, document, number: f"{side}-{document}-{7 - number}")
    assert everything(renamed.result()) == everything(sample.result())


@identity(single)
def test_the_order_of_mentions_and_of_chains_changes_nothing(sample: Sample) -> None:
    there, back = sample.result(), replace(sample, backwards=True).result()
    assert everything(there) == everything(back)
    assert numbers(there) == numbers(back)


def numbers(result: Result) -> list[list[int]]:
    """Return the numbers of the chains of all mentions."""
    chains = result.verdicts.view().chains
    assert chains is not None
    return [each.tolist() for each in (chains.key, *chains.runs)]


@identity(pairs)
def test_what_is_said_of_a_system_does_not_depend_on_others(sample: Sample) -> None:
    assert same(scores(sample.result(), "two"), scores(sample.result("two"), "two"))
    assert values(sample.result(), 1) == values(sample.result("two"), 0)


@identity(pairs)
def test_the_order_of_documents_changes_nothing(sample: Sample) -> None:
    key = dict(reversed([*sample.key.items()]))
    systems = {name: dict(reversed([*side.items()])) for name, side in sample.systems.items()}
    plain = everything(sample.result("one"))
    assert everything(replace(sample, key=key).result("one")) == plain
    assert everything(replace(sample, systems=systems).result("one")) == plain
    assert everything(replace(sample, key=key, systems=systems).result("one")) == plain


@identity(samples(documents=(3, 3)))
def test_documents_are_counted_apart_and_added(sample: Sample) -> None:
    total = dict.fromkeys(counts(sample.result()), 0.0)
    for name in sample.key:
        alone = replace(sample, key={name: sample.key[name]}, systems={"one": {name: sample.systems["one"][name]}})
        for count, each in counts(alone.result()).items():
            total[count] += each
    assert same(counts(sample.result()), total)


@identity(single)
def test_a_chain_number_means_nothing_in_another_document(sample: Sample) -> None:
    apart = replace(sample, chain_name=lambda _, document, number: f"{document}.{number}")
    plain = everything(sample.result())
    assert everything(apart.result()) == plain
    spanning = counts(apart.result(across="all"))
    within = counts(sample.result())
    for metric in ("mentions", "muc", "b3", "lea", "blanc_links"):  # nor, if they mean nothing, what they may span
        assert all(close(spanning[f"{metric}_{part}"], within[f"{metric}_{part}"]) for part in PARTS)


# --- the same, nothing, and more ----------------------------------------------------------------------------------


@identity(single)
def test_a_side_against_itself_has_everything_right_or_nothing_to_say(sample: Sample) -> None:
    itself = replace(sample, systems={"one": sample.key})
    result = itself.result()
    for name, each in scores(result).items():
        assert each is None or each == pytest.approx(1), name
    found = scores(result)
    assert (found["mentions"] is None) == (not any(place is not None for side in sample.key.values() for place in side))
    assert (found["conll"] is None) == any(found[name] is None for name in AVERAGED)
    alone = {name: (0, *[None] * (len(EXTENTS) - 1)) for name in sample.key}
    singletons = scores(replace(sample, key=alone, systems={"one": alone}).result())
    assert [singletons[name] for name in ("conll", "muc", "any.f1", "b3", "ceafe")] == [None, None, None, 1, 1]
    for view in VIEWS:
        assert all(row[0] == row[1] == "tp" for row in values_of(result.verdicts.view(view), [0]))


@identity(single)
def test_a_document_that_a_system_lacks_is_empty_there(sample: Sample) -> None:
    first, *others = sample.systems["one"].items()
    assume(others)
    empty = {first[0]: (None,) * len(EXTENTS), **dict(others)}
    with_empty = replace(sample, systems={"one": empty}).result()
    without = replace(sample, systems={"one": dict(others)}).result()
    assert everything(without) == everything(with_empty)


@identity(samples(documents=(2, 3)))
def test_a_document_that_the_key_lacks_is_empty_there(sample: Sample) -> None:
    """Words of such documents have no tags but those of the system, so only what needs none is compared."""
    *others, last = sample.key
    empty = {**{name: sample.key[name] for name in others}, last: (None,) * len(EXTENTS)}
    with_empty = replace(sample, key=empty).result()
    without = replace(sample, key={name: sample.key[name] for name in others}).result()
    assert same(counts(without), counts(with_empty))
    for view in ("any", "immediate", "any_antecedents", "immediate_antecedents"):
        assert values(without, 0)[view] == values(with_empty, 0)[view]


@identity(single)
def test_without_singletons_links_and_classes_stay(sample: Sample) -> None:
    kept, dropped = sample.result(), sample.result(singletons="drop")
    for name in ("muc", "blanc_links"):
        for part in PARTS:
            assert counts(kept)[f"{name}_{part}"] == counts(dropped)[f"{name}_{part}"]
    assert values(kept, 0) == values(dropped, 0)
    key, response = (sample.units(side, singletons=False) for side in ("key", "one"))
    found = counts(dropped)
    for metric in METRICS:
        sums = reference.counts(metric, key, response)
        wanted = (sums.recall, sums.wanted, sums.precision, sums.given)
        assert all(close(found[f"{metric}_{part}"], each) for part, each in zip(PARTS, wanted, strict=True))


@identity(samples(documents=(1, 3)))
def test_chains_that_span_documents_are_those_of_one_long_document(sample: Sample) -> None:
    """All documents one behind the other, as one: with the same chains, all metrics and classes are the same."""
    key, response = ([chain for unit in joined(sample, side) for chain in unit] for side in ("key", "one"))
    result = sample.result(across="all")
    found = counts(result)
    assert same(found, expected_counts(key, response))
    judged = reference.arcs(key, response, "immediate")
    view = result.verdicts.view("immediate")
    classes = dict(zip(mentions_of(view), (row[1] for row in values_of(view, [0])), strict=True))
    assert classes == {mention: each.name for mention, each in judged.items()}


def joined(sample: Sample, side: str) -> list[reference.Chains]:
    """Return the chains of all documents, those of one number together."""
    chains: dict[int, reference.Chain] = {}
    for number, places in enumerate(sample.side(side).values()):
        for (begin, end), chain in zip(EXTENTS, places, strict=True):
            if chain is not None:
                chains.setdefault(chain, []).append((number, begin, end))
    return [[reference.in_order(chain) for chain in chains.values()]]


@identity(samples(documents=(3, 3)))
def test_topics_are_documents_that_chains_may_span(sample: Sample) -> None:
    topics = dict(zip(sample.key, ("a", "b", "a"), strict=True))
    found = counts(replace(sample, topics=topics).result(across="topic"))
    total = dict.fromkeys(found, 0.0)
    for topic in ("a", "b"):
        names = [name for name in sample.key if topics[name] == topic]
        part = replace(
            sample,
            key={name: sample.key[name] for name in names},
            systems={"one": {name: sample.systems["one"][name] for name in names}},
        )
        for count, each in counts(part.result(across="all")).items():
            total[count] += each
    assert same(found, total)


# --- what can be at most --------------------------------------------------------------------------------------------


@identity(single)
def test_no_metric_finds_more_than_there_is(sample: Sample) -> None:
    found = counts(sample.result())
    for metric in (*METRICS, *LINKS):
        assert 0 <= found[f"{metric}_found"] <= found[f"{metric}_key"] + 1e-9
        assert 0 <= found[f"{metric}_earned"] <= found[f"{metric}_claimed"] + 1e-9
    for part in ("found", "earned"):
        assert found[f"lea_{part}"] <= found[f"b3_{part}"] + 1e-9
        assert found[f"b3_{part}"] <= found[f"mentions_{part}"] + 1e-9
        assert found[f"ceafm_{part}"] <= found[f"mentions_{part}"]
        assert found[f"muc_{part}"] <= max(0, found[f"mentions_{part}"] - 1)
    both = found["mentions_found"]
    assert found["blanc_links_found"] + found["blanc_others_found"] <= both * (both - 1) / 2
    assert found["ceafe_found"] <= min(found["ceafe_key"], found["ceafe_claimed"]) + 1e-9


@identity(single)
def test_arcs_any_is_muc(sample: Sample) -> None:
    found = scores(sample.result())
    assert close(found["any.f1"], found["muc"])
    assert close(found["any.precision"], found["muc_precision"])
    assert close(found["any.recall"], found["muc_recall"])


@identity(single)
def test_every_key_anaphor_has_one_of_three_classes_and_every_other_site_is_false(sample: Sample) -> None:
    result = sample.result()
    for criterion in CRITERIA:
        fits = sample.fits(criterion)
        key = sample.units("key").values()
        anaphors = sum(len(chain) - 1 for chains in key for chain in chains)
        counting = anaphors - sum(reference.uncounted(chains, fits) for chains in key)
        rows = values_of(result.verdicts.view(criterion), [0])
        names = [row[1] for row in rows]
        assert sum(names.count(name) for name in ("tp", "wl", "fn")) == counting
        assert all((wanted == "tn") == (given == "fp") for wanted, given in rows)
        noted = [note.count for note in result.notes if f"without a {criterion} antecedent" in note.what]
        assert noted == ([anaphors - counting] if anaphors > counting else [])


@identity(single)
def test_what_a_stricter_criterion_calls_right_is_right_by_any(sample: Sample) -> None:
    found = values(sample.result(), 0)
    for criterion in ("nominal", "named", "immediate"):
        assert all(found["any"][mention][1] == "tp" for mention, row in found[criterion].items() if row[1] == "tp")
        assert all(found["any"][mention][1] == "fp" for mention, row in found[criterion].items() if row[1] == "fp")


# --- pairs ------------------------------------------------------------------------------------------------------------


@identity(pairs)
def test_the_accuracies_differ_by_corrections_less_new_errors(sample: Sample) -> None:
    result = sample.result()
    for view in VIEWS:
        found = result.difference("one", "two", view=view)
        if found.sites:
            corrections, new_errors, _ = (each.count for each in found.classes)
            assert found.base_accuracy is not None
            assert found.new_accuracy is not None
            change = found.new_accuracy - found.base_accuracy
            assert change == pytest.approx((corrections - new_errors) / found.sites)
            assert found.different == sum(each.count for each in found.classes)


@identity(pairs)
def test_swapping_the_systems_swaps_corrections_and_new_errors(sample: Sample) -> None:
    result = sample.result()
    for view in VIEWS:
        there, back = (result.difference(*pair, view=view) for pair in (("one", "two"), ("two", "one")))
        assert [each.count for each in there.classes[:2]] == [each.count for each in back.classes[1::-1]]
        assert there.classes[2].count == back.classes[2].count
        assert (there.sites, there.different) == (back.sites, back.different)
        turned = {(row.key, row.new, row.base): row.count for each in back.classes for row in each.transitions}
        assert {(row.key, row.base, row.new): row.count for each in there.classes for row in each.transitions} == turned


@identity(pairs)
def test_values_tell_apart_what_classes_do_and_wrong_antecedents_beside(sample: Sample) -> None:
    result = sample.result()
    for criterion in CRITERIA:
        plain = result.difference("one", "two", view=criterion)
        fine = result.difference("one", "two", view=f"{criterion}_antecedents")
        assert fine.sites == plain.sites
        assert [each.count for each in fine.classes[:2]] == [each.count for each in plain.classes[:2]]
        assert fine.classes[2].count >= plain.classes[2].count
        found = values(result, 0, 1)
        collapsed = {
            mention: tuple(each.split()[0] for each in row)
            for mention, row in found[f"{criterion}_antecedents"].items()
        }
        assert collapsed == found[criterion]


@identity(several)
def test_a_third_system_changes_nothing_about_a_pair(sample: Sample) -> None:
    alone, among = sample.result("one", "two"), sample.result("three", "one", "two")
    assert values(among, 1, 2) == values(alone, 0, 1)
    for criterion in CRITERIA:
        assert among.difference("one", "two", view=criterion) == alone.difference("one", "two", view=criterion)


@identity(several)
def test_the_upper_bound_is_what_any_system_resolves(sample: Sample) -> None:
    result = sample.result()
    for criterion in CRITERIA:
        found = result.combination(view=criterion)
        assert found.own is not None
        keyed = [row for row in values(result, 0, 1, 2)[criterion].values() if row[0] == "tp"]
        assert found.own.sites == len(keyed)
        assert found.own.oracle_right == sum("tp" in row[1:] for row in keyed)
        table = result.scores(f"{criterion}.recall", view=criterion)
        for name, right in zip(("one", "two", "three"), found.own.right, strict=True):
            assert close(table.value(name), right / len(keyed) if keyed else None)
        assert sum(row.sites for row in found.labels) == found.own.sites
        assert sum(row.oracle_right for row in found.labels) == found.own.oracle_right


@identity(several)
def test_common_errors_are_common_whoever_is_first(sample: Sample) -> None:
    result = sample.result()
    assume(len(result.verdicts.view("any").sites))
    for pair in result.complementarity(view="any").pairs:
        (back,) = result.complementarity(pair.second, pair.first, view="any").pairs
        assert pair.overlap.spurious_in_both.count == back.overlap.spurious_in_both.count
        assert pair.overlap.found_by_neither.count == back.overlap.found_by_neither.count
        assert pair.overlap.found_by_first.count == back.overlap.found_by_second.count
