"""Combinations of systems: scored like any system, tuned where they are not scored."""

from __future__ import annotations

import random
from typing import Any

import pytest

import comparanda as cp
from comparanda import Runs, UsageError
from comparanda.api.combination import Combined, combine
from tests.seeds import first_few
from tests.tasks.votes.votes import Span, flat_spans, kept_items, spans_of, tagged, values_of

SIZES = [7, 5, 6, 8, 4, 7, 5, 6]
NAMES = ("crf", "bert", "rules")


def documents(tags: list[list[str]]) -> list[dict[str, Any]]:
    """Make documents d0, d1 … of one sentence each."""
    return [{"document": f"d{number}", "tokens": ["w"] * len(each), "tags": each} for number, each in enumerate(tags)]


def spans(seed: int, count: int = 3) -> tuple[set[Span], list[set[Span]]]:
    """Make a key and runs that share much with it; sets are sorted first, so that every run draws the same."""
    chance = random.Random(seed)
    key = flat_spans(chance, SIZES)
    runs = []
    for _ in range(count):
        mine = {span for span in sorted(key) if chance.random() < 0.7}
        taken = {(span[0], place) for span in mine for place in range(span[1], span[2])}
        more = sorted(flat_spans(chance, SIZES))
        free = [span for span in more if not taken & {(span[0], place) for place in range(*span[1:3])}]
        runs.append(mine | {span for span in free if chance.random() < 0.5})
    return key, runs


def combined(seed: int, *methods: str, count: int = 3, **settings: Any) -> Combined:
    key, runs = spans(seed, count)
    given = {name: documents(tagged(run, SIZES)) for name, run in zip(NAMES, runs, strict=False)}
    settings = {"resamples": 0, **settings}
    return combine(documents(tagged(key, SIZES)), given, task="span", methods=methods, **settings)


def f1(found: set[Span], key: set[Span]) -> float:
    return 2 * len(found & key) / (len(found) + len(key))


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_items_that_are_kept(seed: int) -> None:
    key, runs = spans(seed)
    found = combined(seed, "union", "at-least-2", "intersection").finding
    for method, least in (("union", 1), ("at-least-2", 2), ("intersection", 3)):
        assert found.value(method) == pytest.approx(f1(kept_items(runs, [1] * 3, least), key))
    best = max(f1(run, key) for run in runs)
    assert max(score.value or 0 for score in found.systems if score.measure == "f1") == pytest.approx(best)
    any_run, every_run = set().union(*runs), runs[0] & runs[1] & runs[2]
    oracle = len(any_run & key)
    bound = 2 * oracle / (oracle + len(every_run - key) + len(key))
    assert found.oracle == pytest.approx(bound)
    for each in found.methods:
        assert each.difference == pytest.approx((each.value or 0) - best)
        assert each.gained == pytest.approx(((each.value or 0) - best) / (bound - best))


def test_a_combination_is_judged_as_one_more_response() -> None:
    key, runs = spans(3)
    found = combined(3, resamples=60)
    given = {name: documents(tagged(run, SIZES)) for name, run in zip(NAMES, runs, strict=True)}
    again = cp.compare(
        documents(tagged(key, SIZES)),
        {**given, **{method: found.corpus(method) for method in found.methods}},
        task="span",
        resamples=60,
    )
    assert again.scores().scores == found.result.scores().scores
    assert again.difference("bert", "union") == found.result.difference("bert", "union")
    tests = {(test.base, test.new): test for test in again.significance().tests}
    for each in found.finding.methods:
        test = tests[found.finding.best, each.method]
        assert (each.difference, each.low, each.high, each.p) == (test.difference, test.low, test.high, test.p)


@pytest.mark.parametrize("method", first_few(1, ["weighted", "per-label", "tag-vote"]))
def test_what_the_key_says_of_a_document_does_not_change_what_is_voted_there(method: str) -> None:
    key, runs = spans(1)
    given = {name: documents(tagged(run, SIZES)) for name, run in zip(NAMES, runs, strict=True)}
    plain = combine(documents(tagged(key, SIZES)), given, task="span", methods=[method], resamples=0)
    for document in range(len(SIZES)):
        other = {span for span in key if span[0] != document} | {(document, 0, 2, "B")}
        changed = combine(documents(tagged(other, SIZES)), given, task="span", methods=[method], resamples=0)
        mine, theirs = (
            [span for span in spans_of(found.corpus(method)) if span[0] == document] for found in (plain, changed)
        )
        assert mine == theirs


def test_neither_the_order_of_systems_nor_of_documents_changes_anything() -> None:
    key, runs = spans(2)
    gold = documents(tagged(key, SIZES))
    given = {name: documents(tagged(run, SIZES)) for name, run in zip(NAMES, runs, strict=True)}
    plain = combine(gold, given, task="span", resamples=50)
    turned = combine(gold, dict(reversed(given.items())), task="span", resamples=50)
    assert turned.finding.methods == tuple(_in_order(each, turned.finding.runs) for each in plain.finding.methods)
    moved = combine(gold[::-1], {name: each[::-1] for name, each in given.items()}, task="span", resamples=50)
    assert moved.finding == plain.finding
    for method in plain.methods:
        named = {(f"d{7 - span[0]}", *span[1:]) for span in spans_of(moved.corpus(method))}
        assert named == {(f"d{span[0]}", *span[1:]) for span in spans_of(plain.corpus(method))}


def _in_order(each: Any, runs: tuple[str, ...]) -> Any:
    from dataclasses import replace

    return replace(each, weights=tuple(sorted(each.weights, key=lambda weight: runs.index(weight.run))))


KEY = [["A", "B", "A", "B"], ["A", "A", "A", "A"]]
ONE = [["A", "A", "A", "A"], ["A", "A", "A", "A"]]
TWO = [["B", "B", "B", "B"], ["B", "A", "B", "A"]]


def test_weights_and_choices_come_from_dev_data() -> None:
    dev_key = [["A", "A", "B", "B"]]
    dev = {"one": [["A", "B", "B", "A"]], "two": [["B", "A", "B", "B"]]}  # accuracy 2/4 and 3/4
    found = combine(KEY, {"one": ONE, "two": TWO}, task="tag", dev=(dev_key, dev), resamples=0)
    by_name = {each.method: each for each in found.finding.methods}
    assert [(each.run, each.by_fold) for each in by_name["weighted"].weights] == [("one", (0.5,)), ("two", (0.75,))]
    # F1 of A: one 2·1/(2+2), two 2·1/(1+2); of B: one 2·1/(2+2), two 2·2/(3+2)
    assert [(each.label, each.runs, each.f1) for each in by_name["per-label"].choices] == [
        ("A", ("two",), (0.666667,)),
        ("B", ("two",), (0.8,)),
    ]
    assert values_of(found.corpus("majority")) == [tag for sentence in TWO for tag in sentence]  # ties: the better one
    assert by_name["weighted"].tuned == "dev data of 1 sentence"
    assert not by_name["weighted"].optimistic


def test_the_same_data_is_marked_optimistic() -> None:
    found = combine(KEY, {"one": ONE, "two": TWO}, task="tag", same_data=True, resamples=0).finding
    assert all(each.optimistic and "optimistic" in (each.tuned or "") for each in found.methods)
    assert "†" in str(found)
    union = combine([["B-A"]], {"x": [["B-A"]]}, task="span", methods=["union"], same_data=True, resamples=0)
    assert not union.finding.methods[0].optimistic  # it needs no tuning


def test_every_run_of_a_system_votes() -> None:
    two = Runs([["B-A", "O"]], [["B-A", "O"]])
    found = combine([["O", "O"]], {"one": [["O", "B-B"]], "two": two}, task="span", methods=["majority"], resamples=0)
    assert spans_of(found.corpus("majority")) == [(0, 0, 1, "A")]
    assert found.finding.runs == ("one", "two#1", "two#2")


def test_labels_are_voted_on_in_one_tongue() -> None:
    systems = {"a": [["B-PERSON", "O"]], "b": [["B-PER", "O"]], "c": [["O", "B-per"]]}
    plain = combine([["B-PER", "O"]], systems, task="span", methods=["majority"], resamples=0)
    assert spans_of(plain.corpus("majority")) == []
    maps = {"a": {"PERSON": "PER"}}
    mapped = combine([["B-PER", "O"]], systems, task="span", methods=["majority"], maps=maps, resamples=0)
    assert spans_of(mapped.corpus("majority")) == [(0, 0, 1, "PER")]
    folded = combine(
        [["B-PER", "O"]],
        {**systems, "c": [["B-per", "O"]]},
        task="span",
        methods=["majority"],
        fold_case=True,
        resamples=0,
    )
    assert spans_of(folded.corpus("majority")) == [(0, 0, 1, "per")]
    assert folded.finding.value("majority") == 1.0


def test_a_map_that_cannot_be_applied_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be applied twice"):
        combine(["A"], {"x": ["A"]}, task="tag", maps={"all": {"A": "B", "B": "A"}}, resamples=0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"methods": ["union"]}, "single value"),
        ({"folds": 1}, "folds=1"),
        ({"overlap": "worst"}, "did you mean|overlap="),
        ({"dev": (ONE, {"one": ONE})}, "no dev output of two"),
        ({"dev": (ONE, {"one": ONE, "two": ONE, "twoo": ONE})}, "'twoo' does not belong to a system"),
        ({"dev": (ONE, {"one": ONE, "two": Runs(ONE, TWO)})}, "1 runs here and 2"),
        ({"dev": (ONE, {"one": ONE, "two": ONE}), "same_data": True}, "cannot be combined"),
        ({"where": "correction"}, "unknown setting 'where'"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        combine(KEY, {"one": ONE, "two": TWO}, task="tag", resamples=0, **settings)


def test_a_system_cannot_be_called_like_a_combination_that_is_made() -> None:
    with pytest.raises(UsageError, match="cannot be named 'majority'"):
        combine(KEY, {"majority": ONE, "two": TWO}, task="tag", resamples=0)
    combine(KEY, {"union": ONE, "two": TWO}, task="tag", resamples=0)


def test_of_the_usual_methods_those_that_do_not_fit_are_skipped_with_the_reason() -> None:
    text = {"id": "d", "text": "Ann Lee", "spans": []}
    nested = [{"begin": 0, "end": 7, "label": "A"}, {"begin": 4, "end": 7, "label": "A"}]
    given = {"x": [{**text, "spans": nested}], "y": [text]}
    found = combine([text], given, task="span", resamples=0)
    assert "tag-vote" not in found.methods
    assert any(each.method == "tag-vote" and "flat" not in each.reason for each in found.finding.skipped)
    with pytest.raises(UsageError, match="chunk tags need"):
        combine([text], given, task="span", methods=["tag-vote"], resamples=0)


def test_one_system_is_its_own_combination() -> None:
    found = combine(KEY, {"one": ONE}, task="tag", resamples=20).finding
    assert [(each.difference, each.gained) for each in found.methods] == [(0.0, None)] * 3
    assert "there is only one run" in found.warnings[0]


def test_an_empty_system_a_perfect_one_and_a_key_without_spans() -> None:
    gold = [["B-A", "O"]]
    nothing = [["O", "O"]]
    perfect = combine(gold, {"all": gold, "none": nothing}, task="span", resamples=0).finding
    assert (perfect.best, perfect.oracle, perfect.value("union"), perfect.value("intersection")) == ("all", 1.0, 1.0, 0)
    assert {each.gained for each in perfect.methods} == {None}  # there is no way to go
    empty = combine(nothing, {"x": nothing, "y": nothing}, task="span", resamples=20).finding
    assert {each.value for each in empty.methods} == {None}
    assert {each.difference for each in empty.methods} == {None}
    assert all(each.p is None and each.test.startswith("n/a") for each in empty.methods)


def test_documents_that_a_system_lacks_have_no_vote_of_it() -> None:
    key, runs = spans(4)
    gold = documents(tagged(key, SIZES))
    given = {name: documents(tagged(run, SIZES)) for name, run in zip(NAMES, runs, strict=True)}
    given["rules"] = given["rules"][:4]
    found = combine(gold, given, task="span", methods=["at-least-2", "union"], missing="empty", resamples=0)
    lacking = [runs[0], runs[1], {span for span in runs[2] if span[0] < 4}]
    expected = {
        (number, 2 * begin, 2 * end - 1, label) for number, begin, end, label in kept_items(lacking, [1] * 3, 2)
    }
    assert spans_of(found.corpus("at-least-2")) == sorted(
        expected
    )  # in characters: words are "w", with a space between
    alone = combine(gold, given, task="span", methods=["union"], missing="intersection", resamples=0)
    assert {span[0] for span in spans_of(alone.corpus("union"))} <= {0, 1, 2, 3}


def test_notes_are_those_of_the_inputs_and_of_the_dev_data() -> None:
    broken, sound = documents([["I-A", "O"], ["B-A", "I-B"]]), documents([["B-A", "O"], ["O", "O"]])
    found = combine(
        sound,
        {"x": sound},
        task="span",
        dev=(broken, {"x": broken}),
        scheme="bio",
        resamples=0,
    )
    assert {note.side for note in found.result.notes} == {"dev key", "dev x"}


def test_strict_looks_at_the_inputs_and_not_at_what_is_made_of_them() -> None:
    key, other = documents([["B-A", "B-B"]]), documents([["B-B", "B-A"]])
    found = combine(key, {"x": key, "y": other}, task="span", methods=["intersection"], strict=True, resamples=0)
    assert spans_of(found.corpus("intersection")) == []  # so it lacks labels that the key has, which is no news


def test_every_finding_can_be_made_of_combinations() -> None:
    found = combined(5, "majority", "union")
    shown = found.result.examples('right("majority") and not right("crf")', top=0)
    assert shown.count == found.result.count('right("majority") and not right("crf")') > 0
    assert {answer.run for each in shown.examples for answer in each.answers} >= {"majority", "crf"}
