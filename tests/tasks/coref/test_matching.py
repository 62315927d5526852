"""Mentions that are the same without having the same words: by heads, and inside of the key's."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.errors import UsageError
from comparanda.result import Result
from comparanda.tasks.task import MATCHING, Matching
from tests.seeds import first_few

Span = tuple[int, int]
Chains = list[list[Span]]


def document(tags: str, chains: Chains) -> str:
    """Write a document of words with tags, one column of brackets."""
    cells: list[list[str]] = [[] for _ in tags.split()]
    for number, chain in enumerate(chains):
        for begin, end in sorted(chain, key=lambda span: (span[0], -span[1])):
            if end - begin > 1:
                cells[begin].append(f"({number}")
    for number, chain in enumerate(chains):
        for begin, end in sorted(chain, key=lambda span: -span[0]):
            cells[end - 1].append(f"({number})" if end - begin == 1 else f"{number})")
    lines = [
        f"d\t0\t{place}\tw{place}\t{tag}\t*\t{'|'.join(cell) or '-'}"
        for place, (tag, cell) in enumerate(zip(tags.split(), cells, strict=True))
    ]
    return "\n".join(["#begin document (d);", *lines, "", "#end document", ""])


def compared(folder: Path, tags: str, key: Chains, response: Chains, *, matching: Matching) -> Result:
    (folder / "key.conll").write_text(document(tags, key))
    (folder / "response.conll").write_text(document(tags, response))
    names = str(folder / "key.conll"), {"r": str(folder / "response.conll")}
    return cp.compare(*names, task="coref", resamples=0, matching=matching)


def found(result: Result) -> int:
    return int(result.verdicts.view("any").statistics["mentions_found"].sum())


TAGS = "DT JJ NN IN NNP VB PRP"  # the old dog of Rome barks, it


@pytest.mark.parametrize(
    ("span", "exact", "head", "partial"),
    [
        ((0, 5), 1, 1, 1),  # the old dog of Rome: the very same
        ((0, 3), 0, 1, 1),  # the old dog: same head, inside
        ((2, 3), 0, 1, 1),
        ((3, 5), 0, 0, 0),  # of Rome: another head, and without the key's
        ((2, 6), 0, 1, 0),  # dog of Rome barks: same head, but not inside
        ((4, 5), 0, 0, 0),
    ],
)
def test_mentions_counted_on_fingers(tmp_path: Path, span: Span, exact: int, head: int, *, partial: int) -> None:
    key, response = [[(0, 5), (6, 7)]], [[span, (6, 7)]]
    counts = [found(compared(tmp_path, tags=TAGS, key=key, response=response, matching=how)) - 1 for how in MATCHING]
    assert counts == [exact, head, partial]


def test_a_mention_is_taken_for_one_alone_and_the_exact_one_first(tmp_path: Path) -> None:
    key, response = [[(0, 5), (6, 7)]], [[(0, 3), (6, 7)], [(2, 3), (0, 5)]]
    result = compared(tmp_path, tags=TAGS, key=key, response=response, matching="head")
    assert found(result) == 2
    assert result.scores("mentions_precision").value("r") == 2 / 4
    assert result.scores("muc").value("r") == 0


def test_of_several_the_one_with_most_common_words_is_taken(tmp_path: Path) -> None:
    key, response = [[(0, 5), (6, 7)]], [[(2, 3)], [(0, 3), (6, 7)]]
    assert compared(tmp_path, tags=TAGS, key=key, response=response, matching="head").scores("muc").value("r") == 1
    assert compared(tmp_path, tags=TAGS, key=key, response=response, matching="partial").scores("muc").value("r") == 1


def test_all_metrics_are_those_of_matched_mentions(tmp_path: Path) -> None:
    key, response = [[(0, 5), (6, 7)]], [[(1, 3), (6, 7)]]
    result = compared(tmp_path, tags=TAGS, key=key, response=response, matching="head")
    measures = ("conll", "muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mentions", "any.f1", "immediate.f1")
    assert [result.scores(name).value("r") for name in measures] == [1.0] * len(measures)


def test_without_tags_and_trees_heads_cannot_be_told(tmp_path: Path) -> None:
    text = "#begin document (d);\nw1\t(0)\nw2\t(0)\n#end document\n"
    (tmp_path / "key.conll").write_text(text)
    with pytest.raises(UsageError, match="no side has them"):
        cp.compare(str(tmp_path / "key.conll"), {"r": str(tmp_path / "key.conll")}, task="coref", matching="head")


def heads_of(tags: list[str], span: Span) -> int:
    """The last word of the first run of nouns, or the last word."""
    rows = range(*span)
    first = next((row for row in rows if tags[row].startswith("NN")), None)
    if first is None:
        return span[1] - 1
    return next((row - 1 for row in range(first, span[1]) if not tags[row].startswith("NN")), span[1] - 1)


def best(tags: list[str], key: list[Span], response: list[Span], how: str) -> int:
    """Count, over all orders in which mentions may be taken, how many the greedy choice by rank gives."""

    def same(mine: Span, theirs: Span) -> bool:
        if mine == theirs:
            return True
        if how == "head":
            return heads_of(tags, mine) == heads_of(tags, theirs)
        return mine[0] <= theirs[0] and theirs[1] <= mine[1] and heads_of(tags, mine) in range(*theirs)

    pairs = [(mine, theirs) for mine in key for theirs in response if same(mine, theirs)]
    pairs.sort(key=lambda pair: (pair[0] != pair[1], -common(*pair), pair[1], pair[0]))
    taken: tuple[set[Span], set[Span]] = set(), set()
    for mine, theirs in pairs:
        if mine not in taken[0] and theirs not in taken[1]:
            taken[0].add(mine)
            taken[1].add(theirs)
    return len(taken[0])


def common(one: Span, other: Span) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])


@pytest.mark.parametrize("how", first_few(1, ["head", "partial"]))
def test_random_mentions_are_matched_as_a_plain_loop_does(tmp_path: Path, how: Matching) -> None:
    more = 0
    for seed in range(150):
        draw = random.Random(seed)
        tags = [draw.choice(("NN", "NNP", "DT", "IN", "VB")) for _ in range(8)]
        every = [span for span in permutations(range(9), 2) if span[0] < span[1]]
        key, response = draw.sample(every, 5), draw.sample(every, 5)
        text = " ".join(tags)
        mine, theirs = ([[span] for span in side] for side in (key, response))  # spans of one chain must not cross
        matched = found(compared(tmp_path, tags=text, key=mine, response=theirs, matching=how))
        assert matched == best(tags, key, response, how), (seed, tags, key, response)
        more += matched > len({*key} & {*response})
    assert more > 50


def corefud(entities: dict[int, str]) -> str:
    """Write a document of six words with brackets of CorefUD."""
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = d"]
    for number in range(1, 7):
        misc = f"Entity={entities[number]}" if number in entities else "_"
        lines.append(f"{number}\tw{number}\t_\tNOUN\t_\t_\t0\troot\t_\t{misc}")
    return "\n".join([*lines, "", ""])


@pytest.mark.parametrize(("span", "head"), [("(e1--1-)", 1), ("(e1--2-", 0)])
def test_the_head_of_a_mention_in_pieces_counts_its_words_alone(tmp_path: Path, span: str, head: int) -> None:
    """Of words 1 and 4 the second is the head: a mention of word 4 has it, one of words 4 and 5 with head 5 has not."""
    key = {1: "(e1[1/2]--2-)", 4: "(e1[2/2])", 6: "(e1--1-)"}
    response = {4: span, 6: "(e1--1-)"} | ({5: "e1)"} if not span.endswith(")") else {})
    (tmp_path / "key.conllu").write_text(corefud(key))
    (tmp_path / "response.conllu").write_text(corefud(response))
    names = str(tmp_path / "key.conllu"), {"r": str(tmp_path / "response.conllu")}
    assert found(cp.compare(*names, task="coref", resamples=0, matching="head")) - 1 == head
