"""Spans from tags: counts equal to those of seqeval, seqscore and nervaluate, on random inputs, from files to scores.

What differs, and is left out or restated here:

- seqeval's macro average is over the labels of the key and of the system; ours is over those of the key. Its labels
  by themselves are compared, and its macro average where the system has no other.
- Without anything in the key or anything claimed peers say 0 where we say nothing (`None`); counts are compared.
- nervaluate's `ent_type` depends on the order of its input. It gets the spans of each sentence in the order in which
  our rules pair them. So wherever order plays no part, its counts are ours.
- nervaluate counts a label by looking at its spans alone, so that rows do not add up to the whole; here that is
  `only_label`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from nervaluate import Evaluator
from nervaluate.loaders import ListLoader
from nervaluate.strategies import EntityTypeEvaluation
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as default_scores
from seqeval.metrics.v1 import precision_recall_fscore_support as strict_scores
from seqeval.scheme import IOB2, Entities
from seqscore.scoring import ClassificationScore, score_label_sequences

import comparanda as cp
from comparanda import Result
from tests.rules.shipped import shipped_rules
from tests.seeds import seeds
from tests.tasks.random_spans import Tags, as_input, counts, tagged, value_of, verdicts

FEW, MANY = range(15), [*range(15, 200), *range(1_000, 4_000)]
Repair = Literal["conlleval", "discard"]
REPAIRS: tuple[Repair, ...] = ("conlleval", "discard")
Counts = tuple[int, int, int]


def compared(seed: int, folder: Path, repair: Repair = "conlleval", name: str = "exact", **more: Any) -> Result:
    """Compare one random input, handed over in one of three ways."""
    sides = zip(("key", "first", "second"), tagged(seed), strict=True)
    given = {side: as_input(tags, (seed + place) % 3, folder / side) for place, (side, tags) in enumerate(sides)}
    options: dict[str, Any] = {"scheme": "bio", "repair": repair, "rules": shipped_rules(name), **more}
    return cp.compare(given.pop("key"), given, task="span", resamples=0, **options)


# Exact match: seqeval and seqscore


def seqeval_spans(sentences: list[Tags], repair: Repair) -> set[tuple[Any, ...]]:
    """Return what seqeval finds: label, then place."""
    if repair == "conlleval":
        return {(label, begin, last) for label, begin, last in get_entities(sentences)}
    entities = Entities(sentences, IOB2).entities
    return {(each.tag, each.sent_id, each.start, each.end) for sentence in entities for each in sentence}


def of_sets(key: set[tuple[Any, ...]], system: set[tuple[Any, ...]], label: str | None = None) -> Counts:
    key, system = ({span for span in spans if label in (None, span[0])} for spans in (key, system))
    return len(key & system), len(system - key), len(key - system)


def seqscores(score: ClassificationScore) -> Counts:
    return score.true_pos, score.false_pos, score.false_neg


def agree(seed: int, folder: Path, repair: Repair) -> None:
    """Compare the counts of one input with those of seqeval and seqscore, together and by label."""
    result, (key, first, second) = compared(seed, folder, repair), tagged(seed)
    gold = seqeval_spans(key, repair)
    for system, tags in (("first", first), ("second", second)):
        found = seqeval_spans(tags, repair)
        scored, _ = score_label_sequences(tags, key, "BIO", repair=repair)
        assert counts(result, system) == of_sets(gold, found) == seqscores(scored)
        for label in {span[0] for span in gold | found}:
            mine = counts(result, system, label=label)
            assert mine == of_sets(gold, found, label) == seqscores(scored.type_scores[label])
        same_ratios(result, system=system, key=key, tags=tags, repair=repair, labels={span[0] for span in gold})


def same_ratios(
    result: Result, system: str, key: list[Tags], tags: list[Tags], *, repair: Repair, labels: Iterable[str]
) -> None:
    """Compare seqeval's own ratios: all together, and the mean over labels."""

    def theirs(average: str | None) -> tuple[Any, Any, Any, Any]:
        found: tuple[Any, Any, Any, Any]
        if repair == "conlleval":
            found = default_scores(key, tags, average=average, zero_division=0)
        else:
            found = strict_scores(key, tags, average=average, zero_division=0, scheme=IOB2)
        return found

    for measure, expected in zip(("precision", "recall", "f1"), theirs("micro"), strict=False):
        assert close(value_of(result, system, measure) or 0, expected)
    support, each = theirs(None)[3], theirs(None)[2]
    of_key = [f1 for f1, size in zip(each, support, strict=True) if size]
    assert len(of_key) == len(set(labels))
    macro = value_of(result, system, "macro_f1")
    if not of_key:
        assert macro is None
        return
    assert macro is not None
    assert close(macro, sum(of_key) / len(of_key))
    if len(of_key) == len(each):
        assert close(macro, theirs("macro")[2])


def close(mine: float, theirs: float) -> bool:
    return abs(mine - theirs) < 1e-12


@pytest.mark.parametrize("repair", REPAIRS)
def test_exact_counts_are_those_of_seqeval_and_seqscore(repair: Repair, tmp_path: Path) -> None:
    for seed in FEW:
        agree(seed, tmp_path, repair)


@pytest.mark.slow
@pytest.mark.parametrize("repair", REPAIRS)
def test_exact_counts_are_those_of_seqeval_and_seqscore_on_thousands(repair: Repair, tmp_path: Path) -> None:
    for seed in MANY:
        agree(seed, tmp_path, repair)


def test_the_random_inputs_have_everything_in_them() -> None:
    """Labels of the system alone, of the key alone, broken tags on both sides, empty sides: all occur."""
    met: Counter[str] = Counter()
    for seed in range(80):
        key, first, _ = tagged(seed)
        labels = [{span[0] for span in seqeval_spans(side, "conlleval")} for side in (key, first)]
        met["label of the system alone"] += bool(labels[1] - labels[0])
        met["label of the key alone"] += bool(labels[0] - labels[1])
        for side, tags in (("key", key), ("system", first)):
            met[f"broken tags of the {side}"] += seqeval_spans(tags, "discard") != in_strict_form(tags)
            met[f"nothing in the {side}"] += not seqeval_spans(tags, "conlleval")
    assert len(met) == 6
    assert min(met.values()) > 0, met


def in_strict_form(sentences: list[Tags]) -> set[tuple[Any, ...]]:
    """Return the spans of the default mode in the form of the strict one."""
    return {
        (label, number, begin, last + 1)
        for number, tags in enumerate(sentences)
        for label, begin, last in get_entities(tags)
    }


# SemEval-2013: nervaluate

SCHEMAS = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
Five = tuple[int, int, int, int, int]


def five(found: Any) -> Five:
    """Return nervaluate's counts."""
    return found.correct, found.incorrect, found.partial, found.spurious, found.missed


def told(counted: Mapping[tuple[bool, str], int]) -> Five:
    """Return ours: of an incorrect pair and of a partial one the key's span tells."""
    right, wrong, partial, missed = (counted.get((True, name), 0) for name in ("COR", "INC", "PAR", "MIS"))
    return right, wrong, partial, counted.get((False, "SPU"), 0), missed


def agree_with_nervaluate(seed: int, folder: Path) -> Counter[str]:
    """Compare one input with nervaluate in the order of the text; say where that order matters."""
    result, (key, *systems) = compared(seed, folder, name="semeval2013"), tagged(seed)
    labels = sorted({tag[2:] for tags in (*key, *systems[0], *systems[1]) for tag in tags} - {""})
    met: Counter[str] = Counter()
    for run, tags in enumerate(systems):
        system = result.systems[run]
        theirs = Evaluator(key, tags, labels, loader="list").evaluate()["overall"]
        for view in ("strict", "exact", "partial"):
            found, mine = theirs[view], verdicts(result, view, run)
            assert told(sum(mine.values(), Counter())) == five(found), view
            same_shares(result, system, view, found)
        type_counts = verdicts(result, "type", run)
        for number, (gold, said) in enumerate(zip(ListLoader().load(key), ListLoader().load(tags), strict=True)):
            type_count = told(type_counts.get(number, {}))
            assert type_count == of_type(*in_order_of_pairs(gold, said))
            met["as in the order of the text" if type_count == of_type(gold, said) else "order decides"] += 1
    return met


def in_order_of_pairs(gold: list[Any], said: list[Any]) -> tuple[list[Any], list[Any]]:
    """Bring both lists into the order in which right labels come before wrong ones, the closest ends before others."""
    pairs = [(one, other) for one in said for other in gold if meet(one, other)]
    pairs.sort(key=lambda pair: (pair[0].label != pair[1].label, distance(*pair), pair[0].start, pair[1].start))
    order: tuple[list[Any], list[Any]] = [], []
    for one, other in pairs:
        if other not in order[0] and one not in order[1]:
            order[0].append(other)
            order[1].append(one)
    return [*order[0], *(each for each in gold if each not in order[0])], [
        *order[1],
        *(each for each in said if each not in order[1]),
    ]


def meet(one: Any, other: Any) -> bool:
    return bool(one.start <= other.end and other.start <= one.end)


def distance(one: Any, other: Any) -> int:
    return int(abs(one.start - other.start) + abs(one.end - other.end))


def of_type(gold: list[Any], said: list[Any]) -> Five:
    found, _ = EntityTypeEvaluation().evaluate(gold, said, [])
    return five(found)


def same_shares(result: Result, system: str, view: str, found: Any) -> None:
    """Compare precision and recall: (COR + PAR/2) / actual and / possible."""
    right, wrong, missed = counts(result, system, view=view)
    assert (right + wrong, right + missed) == (found.actual, found.possible)
    assert close(value_of(result, system, "precision", view) or 0, found.precision)
    assert close(value_of(result, system, "recall", view) or 0, found.recall)
    assert close(value_of(result, system, "f1", view) or 0, found.f1)


def test_semeval_counts_are_those_of_nervaluate_in_the_order_of_the_text(tmp_path: Path) -> None:
    met = sum((agree_with_nervaluate(seed, tmp_path) for seed in FEW), Counter[str]())
    assert met["as in the order of the text"] > 5 * met["order decides"] > 0


@pytest.mark.slow
def test_semeval_counts_are_those_of_nervaluate_on_thousands(tmp_path: Path) -> None:
    met = sum((agree_with_nervaluate(seed, tmp_path) for seed in MANY), Counter[str]())
    assert met["as in the order of the text"] > 5 * met["order decides"] > 0


@pytest.mark.parametrize("seed", seeds(8, of=20))
def test_one_label_alone_is_what_nervaluate_counts_for_it(seed: int, tmp_path: Path) -> None:
    key, first, _ = tagged(seed)
    theirs = Evaluator(key, first, ["PER", "LOC", "ORG"], loader="list").evaluate()["entities"]
    for label in {span[0] for span in seqeval_spans(key, "conlleval")}:
        result = compared(seed, tmp_path, name="semeval2013", only_label=[label])
        for view in ("strict", "exact", "partial"):
            assert told(sum(verdicts(result, view).values(), Counter())) == five(theirs[label][view])


def test_where_order_decides_type_takes_the_right_label_whoever_comes_first() -> None:
    """nervaluate gives B the key's span of label A, because it stands before the A that needs it."""
    key, system = [["O", "O", "B-A", "I-A", "I-A"]], [["O", "B-B", "I-B", "B-A", "I-A"]]
    result = cp.compare(key, {"x": system}, task="span", rules="semeval2013", resamples=0)
    assert told(verdicts(result, "type")[0]) == (1, 0, 0, 1, 0)
    assert of_type(ListLoader().load(key)[0], ListLoader().load(system)[0]) == (0, 1, 0, 1, 0)


@pytest.mark.parametrize("seed", seeds(5, of=100))
def test_unless_spans_are_nested_no_pairing_has_more_pairs(seed: int) -> None:
    """Augmenting paths find the largest pairing; ours takes the first overlap in the text."""
    key, first, _ = tagged(seed)
    result = cp.compare(key, {"x": first}, task="span", scheme="bio", rules=shipped_rules("semeval2013"), resamples=0)
    mine = verdicts(result, "partial")
    for number, (gold, said) in enumerate(zip(ListLoader().load(key), ListLoader().load(first), strict=True)):
        right, _, partial, _, _ = told(mine.get(number, {}))
        links = [[place for place, other in enumerate(gold) if meet(one, other)] for one in said]
        assert right + partial == largest(links)


def largest(links: list[list[int]]) -> int:
    """Return how many pairs there can be at most, given whom each one could be paired with."""
    partner: dict[int, int] = {}

    def found(one: int, tried: set[int]) -> bool:
        for other in links[one]:
            if other not in tried:
                tried.add(other)
                if other not in partner or found(partner[other], tried):
                    partner[other] = one
                    return True
        return False

    return sum(found(one, set()) for one in range(len(links)))


def test_the_closest_ends_would_lose_a_pair() -> None:
    key, system = [["B-A", "I-A", "B-A", "I-A", "I-A", "I-A"]], [["O", "B-A", "I-A", "I-A", "I-A", "B-A"]]
    result = cp.compare(key, {"x": system}, task="span", rules="semeval2013", resamples=0)
    assert told(verdicts(result, "partial")[0]) == (0, 0, 2, 0, 0)
    assert told(verdicts(result, "type")[0]) == (1, 0, 0, 1, 1)


# HIPE: no peer that can be installed, so its walk over the text once more


def walked(gold: list[Any], said: list[Any]) -> Five:
    """Go through a system's spans: each takes its equal, else the first free one it overlaps; then labels are asked."""
    taken: list[Any] = []
    met: Counter[str] = Counter()
    for one in said:
        equal = [other for other in gold if (other.start, other.end) == (one.start, one.end)]
        free = equal or [other for other in gold if meet(one, other) and other not in taken]
        met["spurious" if not free else "right" if free[0].label == one.label else "wrong"] += 1
        taken += free[:1]
    return met["right"], met["wrong"], 0, met["spurious"], len(gold) - len(taken)


def agree_with_the_walk(seed: int, folder: Path) -> None:
    result, (key, *systems) = compared(seed, folder, name="hipe"), tagged(seed)
    for run, tags in enumerate(systems):
        fuzzy = verdicts(result, "fuzzy", run)
        for number, (gold, said) in enumerate(zip(ListLoader().load(key), ListLoader().load(tags), strict=True)):
            assert told(fuzzy.get(number, {})) == walked(gold, said)
        strict, exact = (counts(each, result.systems[run]) for each in (result, compared(seed, folder)))
        assert strict == exact


def test_fuzzy_counts_of_hipe_are_those_of_a_walk_from_left_to_right(tmp_path: Path) -> None:
    for seed in FEW:
        agree_with_the_walk(seed, tmp_path)


@pytest.mark.slow
def test_fuzzy_counts_of_hipe_are_those_of_a_walk_on_thousands(tmp_path: Path) -> None:
    for seed in MANY:
        agree_with_the_walk(seed, tmp_path)
