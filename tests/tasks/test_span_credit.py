"""Credit and weights: what rules give, as scores have it, against plain sums and sets.

Every view of every shipped rule set is compared with the interpreter of tests/rules, which knows nothing of arrays, on
spans that are nested, in pieces, empty and repeated. Then what sources and files say is written out once more.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.rules.shipped import registered_rules
from tests.rules.shipped import shipped_rules
from tests.rules.test_shipped_files import scores
from tests.seeds import mostly_slow, seeds
from tests.tasks.random_elevant import widened
from tests.tasks.random_spans import Record, Tags, counts, crowd, sound, value_of

SCORING = sorted(name for name in registered_rules() if shipped_rules(name).views)
PRF = ("precision", "recall", "f1")


def marked(seed: int) -> tuple[list[Record], dict[str, list[Record]]]:
    """Make documents whose spans have ids and, in the key, an annotator's confidence."""
    draw, given = random.Random(seed), crowd(seed, documents=2)
    sides = {side: given.given(side) for side in given.sides}
    for side, records in sides.items():
        for record in records:
            for span in record["spans"]:
                if draw.random() < 0.5:
                    span["id"] = draw.choice(("Q1", "Q2"))
                if side == "key" and draw.random() < 0.6:
                    span["confidence"] = draw.choice(("low", "high"))
    return sides.pop("key"), sides


def rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return spans as the interpreter has them."""
    found = []
    for number, record in enumerate(records):
        for span in record["spans"]:
            row = {name: value for name, value in span.items() if name != "fragments"}
            row |= {"doc": number, "text": record["text"][span["begin"] : span["end"]]}
            wide = widened((span["begin"], span["end"]), record["text"])
            row |= dict(zip(("word_begin", "word_end"), wide, strict=True))
            if "fragments" in span:
                row["pieces"] = tuple(map(tuple, span["fragments"]))
            found.append(row)
    return found


def compared(key: Sequence[Any], systems: Mapping[str, Sequence[Any]], rules: str) -> Result:
    return cp.compare(key, systems, task="span", rules=shipped_rules(rules), resamples=0)


def sums(result: Result, system: str, view: str) -> tuple[float, ...]:
    """Return credit and size of the system's side, then of the key's."""
    found = {
        each.measure: each for each in result.scores("precision", "recall", view=view).scores if each.system == system
    }
    pairs = [(found[measure].part, found[measure].whole) for measure in ("precision", "recall")]
    return tuple(float(number) for pair in pairs for number in pair if number is not None)


@pytest.mark.parametrize("rules", mostly_slow(SCORING, {"exact", "gate", "semeval2013", "tokens"}))
def test_every_view_has_the_sums_of_the_interpreter(rules: str) -> None:
    for seed in range(8):
        key, systems = marked(seed)
        result = compared(key, systems, rules)
        for system, records in systems.items():
            for view, expected in scores(rules, rows(records), rows(key)).items():
                assert sums(result, system, view) == pytest.approx(expected)


@pytest.mark.parametrize("rules", mostly_slow(SCORING, {"exact", "gate", "semeval2013", "tokens"}))
def test_precision_recall_and_f1_follow_from_the_sums(rules: str) -> None:
    for seed in range(4):
        key, systems = marked(seed)
        result = compared(key, systems, rules)
        for system, view in product(systems, shipped_rules(rules).views):
            earned, claimed, credit, positives = sums(result, system, view)
            precision, recall, f1 = (value_of(result, system, measure, view) for measure in PRF)
            assert precision == (pytest.approx(earned / claimed) if claimed else None)
            assert recall == (pytest.approx(credit / positives) if positives else None)
            if not claimed and not positives:
                assert f1 is None
            elif not precision or not recall:
                assert f1 == 0
            else:
                assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


# Means


@pytest.mark.parametrize("seed", seeds(8, of=20))
def test_gates_average_is_the_mean_of_strict_and_lenient(seed: int) -> None:
    key, systems = marked(seed)
    result = compared(key, systems, "gate")
    for system in systems:
        for measure in PRF:
            strict, lenient, average = (value_of(result, system, measure, view) for view in shipped_rules("gate").views)
            if strict is None or lenient is None:
                assert average is None
            else:
                assert average == pytest.approx((strict + lenient) / 2)


class Group(NamedTuple):
    """What belongs together."""

    right: int
    claimed: int
    wanted: int

    @property
    def f1(self) -> float | None:
        return 2 * self.right / (self.claimed + self.wanted) if self.claimed + self.wanted else None


def exact_groups(key: Sequence[Record], system: Sequence[Record], by: Callable[[str, Record], str]) -> dict[str, Group]:
    """Count exact matches by document or by label."""
    sides = [
        Counter(
            (
                by(record["id"], span),
                record["id"],
                span["label"],
                str(span.get("fragments", (span["begin"], span["end"]))),
            )
            for record in records
            for span in record["spans"]
        )
        for records in (key, system)
    ]
    names = {each[0] for side in sides for each in side}

    def total(side: Counter[Any], name: str) -> int:
        return sum(count for each, count in side.items() if each[0] == name)

    return {
        name: Group(total(sides[0] & sides[1], name), total(sides[1], name), total(sides[0], name)) for name in names
    }


def mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


@pytest.mark.parametrize("seed", seeds(3, of=20))
def test_macro_means_are_over_the_keys_labels_and_over_documents(seed: int) -> None:
    key, systems = marked(seed)
    result = compared(key, systems, "exact")
    for system, records in systems.items():
        by_label = exact_groups(key, records, lambda _, span: span["label"])
        by_document = exact_groups(key, records, lambda document, _: document)
        labels = mean(group.f1 for group in by_label.values() if group.wanted)
        documents = mean(group.f1 for group in by_document.values())
        assert value_of(result, system, "macro_f1") == (None if labels is None else pytest.approx(labels))
        assert value_of(result, system, "document_f1") == (None if documents is None else pytest.approx(documents))


# MUC: each span fills two slots


@pytest.mark.parametrize("seed", seeds(3, of=40))
def test_muc_counts_slots(seed: int) -> None:
    """All slots together are those of TYPE and of TEXT; right ones are told from pairs of one-to-one spans."""
    key, systems = marked(seed)
    result = compared(key, systems, "muc")
    for system in systems:
        slots, types, texts = (counts(result, system, view=view) for view in ("slots", "type", "text"))
        assert slots == pytest.approx(tuple((one + other) / 2 for one, other in zip(types, texts, strict=True)))


def test_muc_by_hand() -> None:
    key = [["B-A", "O", "B-A", "I-A", "O", "B-A", "I-A", "B-A"]]
    system = [["B-A", "O", "B-B", "I-B", "O", "B-A", "O", "O"]]  # both slots; TEXT; TYPE; missing
    result = cp.compare(key, {"x": system}, task="span", rules="muc", resamples=0)
    assert sums(result, "x", "slots") == (2, 3, 2, 4)  # four slots of six, four of eight
    assert sums(result, "x", "type") == (2, 3, 2, 4)
    assert sums(result, "x", "text") == (2, 3, 2, 4)


# Parts of spans that do not overlap


def covered(tags: Sequence[Tags]) -> set[tuple[int, int, str]]:
    return {
        (number, place, tag[2:]) for number, each in enumerate(tags) for place, tag in enumerate(each) if tag != "O"
    }


@pytest.mark.parametrize("seed", seeds(15, of=60))
def test_overlap_by_tokens_is_that_of_labels_token_by_token(seed: int) -> None:
    draw = random.Random(seed)
    key = [sound(draw, draw.randint(1, 12), ("PER", "LOC"), 0.6) for _ in range(3)]
    system = [sound(draw, len(tags), ("PER", "LOC", "ORG"), 0.6) for tags in key]
    result = compared(key, {"x": system}, "tokens")
    wanted, found = covered(key), covered(system)
    right = len(wanted & found)
    assert sums(result, "x", "overlap") == pytest.approx((right, len(found), right, len(wanted)))
    for label in ("PER", "LOC"):
        mine = [{each for each in side if each[2] == label} for side in (wanted, found)]
        if all(mine):
            expected = len(mine[0] & mine[1]), len(mine[1] - mine[0]), len(mine[0] - mine[1])
            assert counts(result, "x", view="overlap", label=label) == pytest.approx(expected)


@pytest.mark.parametrize("seed", seeds(15, of=60))
def test_overlap_by_characters_is_that_of_labels_character_by_character(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randint(4, 30)
    sides = [flat_spans(draw, size) for _ in range(2)]
    key, system = ([{"id": "d", "text": "x" * size, "spans": spans}] for spans in sides)
    result = compared(key, {"x": system}, "characters")
    wanted, found = (
        {(place, span["label"]) for span in spans for place in range(span["begin"], span["end"])} for spans in sides
    )
    right = len(wanted & found)
    assert sums(result, "x", "overlap") == pytest.approx((right, len(found), right, len(wanted)))


def flat_spans(draw: random.Random, size: int) -> list[Record]:
    ends = sorted(draw.sample(range(size + 1), 2 * draw.randint(0, min(4, size // 2))))
    return [
        {"begin": begin, "end": end, "label": draw.choice(("PER", "LOC"))}
        for begin, end in zip(ends[::2], ends[1::2], strict=True)
    ]


# Document level


@pytest.mark.parametrize("seed", seeds(3, of=40))
def test_the_document_level_counts_entities(seed: int) -> None:
    """Each side's entities, by document, label and id or else text; right if one mention is exactly right."""
    key, systems = marked(seed)
    result = compared(key, systems, "document")
    for system, records in systems.items():
        mine, theirs = mentions(records), mentions(key)
        paired = matched(mine, theirs)
        right = {mine[one].entity for one, _ in paired}
        found = {theirs[other].entity for _, other in paired}
        expected = len(right), len({each.entity for each in mine}), len(found), len({each.entity for each in theirs})
        assert sums(result, system, "document") == expected


class Mention(NamedTuple):
    """A span, and which entity of its document it names."""

    place: tuple[str, str]
    label: str
    order: tuple[str, str]
    entity: tuple[str, ...]


def mentions(records: Sequence[Record]) -> list[Mention]:
    found = []
    for record in records:
        for span in record["spans"]:
            covered = " ".join(record["text"][span["begin"] : span["end"]].casefold().split())
            place = record["id"], str(span.get("fragments", [[span["begin"], span["end"]]]))
            entity = record["id"], span["label"], span.get("id", covered)
            found.append(Mention(place, span["label"], (span.get("id", ""), span.get("confidence", "")), entity))
    return sorted(found)


def matched(mine: Sequence[Mention], theirs: Sequence[Mention]) -> list[tuple[int, int]]:
    """Pair equal spans one to one, in content order: those without an id first."""
    pairs, used = [], set[int]()
    for one, each in enumerate(mine):
        for other, wanted in enumerate(theirs):
            if other not in used and (each.place, each.label) == (wanted.place, wanted.label):
                pairs.append((one, other))
                used.add(other)
                break
    return pairs


# The paper's rules


@pytest.mark.parametrize("seed", seeds(3, of=30))
def test_scores_with_and_without_low_confidence_come_from_one_run(seed: int) -> None:
    """Without them: as if the key had never had them, nor the system what it found of them."""
    draw = random.Random(seed)
    key, systems = marked(seed)
    for record in key:  # no span twice, so that it is plain which one is found
        distinct = {
            (each["begin"], each["end"], str(each.get("fragments")), each["label"]): each for each in record["spans"]
        }
        record["spans"] = [span | {"confidence": draw.choice(("low", "high"))} for span in distinct.values()]
    none_fuzzy = {"similar_enough": {"default": 101}}
    result = cp.compare(key, systems, task="span", rules="paper", parameters=none_fuzzy, resamples=0)
    for system, records in systems.items():
        wanted = {(record["id"], shape(span)): span["confidence"] for record in key for span in record["spans"]}
        found = Counter((record["id"], shape(span)) for record in records for span in record["spans"])
        right = [each for each in wanted if found[each]]
        certain = [each for each in right if wanted[each] == "high"]
        assert sums(result, system, "strict") == (len(right), found.total(), len(right), len(wanted))
        left = found.total() - len(right) + len(certain), len(certain), list(wanted.values()).count("high")
        for view in ("strict_certain", "credit_certain"):
            assert sums(result, system, view) == (len(certain), *left)


def shape(span: Record) -> tuple[Any, ...]:
    return span["label"], str(span.get("fragments", [[span["begin"], span["end"]]]))


def test_stop_words_leave_the_precision_denominator(tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text('include = ["paper"]\n[lists."stop words"]\nPER = ["he", "she"]\n')
    text = "He saw Anna , she saw HE"
    key = [
        {
            "id": "d",
            "text": text,
            "spans": [{"begin": 7, "end": 11, "label": "PER"}, {"begin": 14, "end": 17, "label": "PER"}],
        }
    ]
    places = {"He": (0, 2), "Anna": (7, 11), "she": (14, 17), "HE": (22, 24)}
    spans = [{"begin": begin, "end": end, "label": "PER"} for begin, end in places.values()]
    system = [{"id": "d", "text": text, "spans": [*spans, {"begin": 0, "end": 2, "label": "LOC"}]}]
    result = cp.compare(key, {"x": system}, task="span", rules=str(rules), resamples=0)
    # Anna and she are right (a stop word can be); He and HE are none of a PER's false positives; the LOC is one
    assert sums(result, "x", "credit") == (2, 3, 2, 2)
    plain = cp.compare(key, {"x": system}, task="span", rules="paper", resamples=0)
    assert sums(plain, "x", "credit") == (2, 5, 2, 2)


def test_credits_are_parameters_of_a_run() -> None:
    key, system = [["B-PER", "I-PER", "I-PER"]], [["O", "B-PER", "I-PER"]]
    words = ("aaaaaaaa", "bbbbbbbb", "cccccccc")
    sides = [[list(zip(words, tags[0], strict=True))] for tags in (key, system)]
    for credit in (1, 0.25):
        result = cp.compare(
            sides[0], {"x": sides[1]}, task="span", rules="paper", resamples=0, parameters={"fuzzy_credit": credit}
        )
        assert sums(result, "x", "credit") == (credit, 1, credit, 1)
        assert sums(result, "x", "strict") == (0, 1, 0, 1)
