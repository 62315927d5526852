"""All counts of the CoNLL 2018 scores equal those of `udeval` (udtools) on random trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from comparanda.align import Missing
from comparanda.api.comparison import compare
from comparanda.tasks.trees.conll18 import ENHANCED, METRICS
from tests.tasks.random_trees import Document, Maker, situations, text_of, write, write_documents
from tests.tasks.udeval import COUNTS, counts, laid, official

pytestmark = pytest.mark.slow

CASES = 300
MANY = 20_000
RARE = 10
"""How many of the ordinary cases must show each situation at least."""

EVERY_SITUATION = {
    "a doubled edge",
    "a lag before a range",
    "a lag of several words before a range",
    "a range against a word of the same text",
    "a word that sticks out behind a range",
    "an edge from an empty node",
    "an empty node before the first word",
    "an empty node inside a range",
    "empty nodes",
    "forms equal up to case",
    "overlapping ranges",
    "sentences merged or split",
    "some words of a range in common",
    "the same words under other ranges",
    "white space inside a form",
    "words inside a range unlike the text",
}


def check(seed: int) -> None:
    key, response = Maker(seed).pair()
    assert counts(laid(write(key), write(response))) == official(write(key), write(response)), f"seed {seed}"


def test_every_count_is_that_of_udeval() -> None:
    for seed in range(CASES):
        check(seed)


@pytest.mark.slow
def test_every_count_is_that_of_udeval_in_many_more_cases() -> None:
    for seed in range(CASES, CASES + MANY):
        check(seed)


def test_the_random_cases_have_all_that_is_hard() -> None:
    found = Counter(name for seed in range(CASES) for name in situations(*Maker(seed).pair()))
    assert set(found) == EVERY_SITUATION
    assert [name for name, count in found.items() if count < RARE] == []


def test_the_random_cases_are_neither_all_right_nor_all_wrong() -> None:
    whole: Counter[str] = Counter()
    for seed in range(CASES):
        key, response = Maker(seed).pair()
        for metric, (credit, positives, _, _) in counts(laid(write(key), write(response))).items():
            whole[f"{metric} right"] += credit or 0
            whole[metric] += positives or 0
    shares = {metric: whole[f"{metric} right"] / whole[metric] for metric in (*METRICS, *ENHANCED)}
    assert all(0.1 < share < 0.9 for share in shares.values()), shares


# Documents


Order = Callable[[list[Document]], list[Document]]
ORDERS: dict[str, Order] = {
    "the key's order": list,
    "the other way round": lambda documents: documents[::-1],
    "the first one last": lambda documents: [*documents[1:], *documents[:1]],
}


@pytest.mark.parametrize("order", ORDERS)
def test_every_document_has_the_counts_of_its_own_pair_of_files(order: str) -> None:
    for seed in range(60):
        key, response = Maker(seed).documents()
        aligned = laid(write_documents(key), write_documents(ORDERS[order](response)))
        for number, (mine, theirs) in enumerate(zip(key, response, strict=True)):
            assert counts(aligned, number) == official(write(mine.sentences), write(theirs.sentences)), f"seed {seed}"


@pytest.mark.parametrize("missing", ["empty", "intersection"])
def test_missing_documents_count_as_empty_or_not_at_all(missing: Missing) -> None:
    """A document that the response alone has counts for nothing."""
    met: Counter[str] = Counter()
    for seed in range(120):
        maker = Maker(seed)
        key, response = maker.documents(6)
        lacking = {each.name for each in key[1:] if maker.chance.random() < 0.4}
        foreign = Document("foreign", maker.pair(15)[1])
        there = [
            *([foreign] if maker.chance.random() < 0.3 else []),
            *(each for each in response if each.name not in lacking),
        ]
        maker.chance.shuffle(there)
        aligned = laid(write_documents(key), write_documents(there), missing=missing)
        met["lacking"] += bool(lacking)
        met["foreign"] += foreign in there
        for number, (mine, theirs) in enumerate(zip(key, response, strict=True)):
            found = counts(aligned, number)
            if mine.name not in lacking:
                assert found == official(write(mine.sentences), write(theirs.sentences)), f"seed {seed}"
            elif missing == "intersection":
                assert found == {name: tuple(each and 0 for each in counted) for name, counted in found.items()}
            else:
                alone = official(write(mine.sentences), write(mine.sentences))
                positives = {name: counted[1] for name, counted in alone.items()}
                assert {name: counted[1] for name, counted in found.items()} == positives
                assert all(not counted[place] for counted in found.values() for place in (0, 2, 3))
    assert min(met.values()) > 10


def test_a_response_without_document_marks_has_the_counts_of_the_whole() -> None:
    for seed in range(60):
        key, response = Maker(seed).documents()
        flat = write([sentence for document in response for sentence in document.sentences])
        assert counts(laid(write_documents(key), flat)) == official(write_documents(key), flat), f"seed {seed}"


def test_a_response_may_merge_sentences_of_two_documents() -> None:
    """Without document marks its sentences may run on."""
    for seed in range(60):
        maker = Maker(seed)
        key, _ = maker.documents()
        whole = [sentence for document in key for sentence in document.sentences]
        flat = write(maker.corpus(text_of(whole)))
        assert counts(laid(write_documents(key), flat)) == official(write_documents(key), flat), f"seed {seed}"


def test_the_ordinary_road_gives_the_same_counts(tmp_path: Path) -> None:
    for seed in range(20):
        key, response = Maker(seed).pair()
        paths = tmp_path / f"key{seed}.conllu", tmp_path / f"x{seed}.conllu"
        for path, sentences in zip(paths, (key, response), strict=True):
            path.write_text(write(sentences), encoding="utf-8")
        result = compare(paths[0], {"x": paths[1]}, task="dep", resamples=0)
        statistics = result.verdicts.view("conll18").statistics
        for metric, expected in official(write(key), write(response)).items():
            names = [f"{name}[{metric}]" for name in COUNTS if f"{name}[{metric}]" in statistics]
            assert tuple(int(statistics[name].sum()) for name in names) == expected[: len(names)], f"seed {seed}"


def test_several_responses_are_counted_each_for_itself() -> None:
    for seed in range(40):
        maker = Maker(seed)
        key, first = maker.pair()
        text = text_of(key)
        responses = [first, maker.perturbed(text, key), maker.corpus(text)]
        aligned = laid(write(key), *map(write, responses))
        for run, response in enumerate(responses):
            assert counts(aligned, run=run) == official(write(key), write(response)), f"seed {seed}"
