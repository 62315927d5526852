"""`--rules elevant`: optional and nested labels, dates, quantities and words, by hand and against plain Python."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from comparanda import Result, compare
from tests.tasks.random_elevant import Counted, random_article
from tests.tasks.random_spans import counts

VIEWS = {
    "ignored": ("IGNORED", "all"),
    "required": ("REQUIRED", "all"),
    "ner": ("IGNORED", "ner"),
    "ner_required": ("REQUIRED", "ner"),
}


def evaluated(folder: Path, articles: list[dict[str, Any]], predictions: list[list[dict[str, Any]]]) -> Result:
    """Evaluate the predictions for each article."""
    key, system = folder / "gold.benchmark.jsonl", folder / "x.linked_articles.jsonl"
    key.write_text("".join(f"{json.dumps(each)}\n" for each in articles))
    linked = [
        {**article, "entity_mentions": [{**each, "linked_by": "x"} for each in mentions]}
        for article, mentions in zip(articles, predictions, strict=True)
    ]
    system.write_text("".join(f"{json.dumps(each)}\n" for each in linked))
    return compare(str(key), {"x": str(system)}, task="link", rules="elevant", resamples=0, paranoid=True)


TEXT = "The Justice Kim Hargrave came on 3 May to Ulm's court."


def article(*labels: dict[str, Any]) -> dict[str, Any]:
    return {"id": 0, "title": "", "text": TEXT, "evaluation_span": [0, len(TEXT)], "labels": list(labels)}


def label(number: int, text: str, id_: str, type_: str = "Q5", **more: Any) -> dict[str, Any]:
    begin = TEXT.index(text)
    return {"id": number, "span": [begin, begin + len(text)], "entity_id": id_, "name": "", "type": type_, **more}


def mention(text: str, id_: str) -> dict[str, Any]:
    begin = TEXT.index(text)
    return {"span": [begin, begin + len(text)], "id": id_}


NESTED = (
    label(0, "Justice Kim Hargrave", "Q1", children=[1, 2]),
    label(1, "Justice", "Q2", parent=0),
    label(2, "Kim Hargrave", "Q1", parent=0),
)
DATE = (label(0, "3 May", "DATETIME", "DATETIME"),)
OPTIONAL = (label(0, "court", "Q9", optional=True),)
OPTIONAL_NIL = (label(0, "court", "<NIL>", optional=True),)


@pytest.mark.parametrize(
    ("labels", "mentions", "expected"),
    [
        # dates, quantities and optional labels count only with a wrong id
        (DATE, [], [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]),
        (DATE, [mention("3 May", "<NIL>")], [(0, 0, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0)]),
        (DATE, [mention("3 May", "Q7")], [(0, 1, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0)]),
        (OPTIONAL, [], [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]),
        (OPTIONAL, [mention("court", "Q9")], [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]),
        (OPTIONAL, [mention("court", "Q7")], [(0, 1, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0)]),
        (OPTIONAL_NIL, [mention("court", "Q7")], [(0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 0)]),
        ((label(0, "court", "Q9", desc=True),), [], [(0, 0, 0)] * 4),
        # of nested labels the outermost counts, or all its parts together
        (NESTED, [], [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)]),
        (NESTED, [mention("Justice Kim Hargrave", "Q1")], [(1, 0, 0), (1, 0, 0), (1, 0, 0), (1, 0, 0)]),
        (NESTED, [mention("Justice", "Q2"), mention("Kim Hargrave", "Q1")], [(1, 0, 0)] * 4),
        (NESTED, [mention("Justice", "Q2")], [(0, 0, 1)] * 4),
        (
            NESTED,
            [mention("Justice", "Q2"), mention("Kim Hargrave", "Q7")],
            [(0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 0, 0)],
        ),
        (NESTED, [mention("Justice Kim Hargrave", "Q7")], [(0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 0, 0)]),
        (NESTED, [mention("Justice Kim Hargrave", "Q1"), mention("Justice", "Q7")], [(1, 0, 0)] * 4),
        # words
        ((label(0, "Ulm", "Q3"),), [mention("Ulm's", "Q3")], [(1, 0, 0)] * 4),
        ((label(0, "Ulm", "Q3"),), [mention("lm", "Q4")], [(0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 0, 0)]),
        # coreferences of the key, by the mark or by the text
        ((label(0, "court", "Q3", coref=True),), [], [(0, 0, 1), (0, 0, 1), (0, 0, 0), (0, 0, 0)]),
        (
            (label(0, "court", "Q3", coref=True),),
            [mention("court", "Q3")],
            [(1, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 0)],
        ),
    ],
)
def test_counts_are_those_counted_by_hand(
    labels: tuple[dict[str, Any], ...],
    mentions: list[dict[str, Any]],
    expected: list[tuple[int, int, int]],
    tmp_path: Path,
) -> None:
    """TP, FP and FN; a second label, which is right, and a wrong prediction make all scores defined."""
    key = article(*labels, label(8, "The", "Q8", coref=False))
    result = evaluated(tmp_path, [key], [[*mentions, mention("The", "Q8"), mention("came", "Q6")]])
    for view, (right, wrong, missed) in zip(VIEWS, expected, strict=True):
        assert counts(result, "x", view=view) == (right + 1, wrong + 1, missed), view


def agree(seed: int, folder: Path) -> None:
    """Compare the counts of some random articles with those of plain Python."""
    draw = random.Random(seed)
    articles: list[dict[str, Any]] = []
    predictions: list[list[dict[str, Any]]] = []
    expected: Counter[tuple[str, str, str]] = Counter()
    while len(articles) < 20:
        one, mentions = random_article(draw, len(articles))
        counted = Counted(one["labels"], mentions, one["text"])
        if counted.serves_two():  # then it counts twice in ELEVANT, and once here
            continue
        articles.append(one)
        predictions.append(mentions)
        expected.update(counted.counts)
    result = evaluated(folder, articles, predictions)
    for view, (mode, kind) in VIEWS.items():
        wanted = tuple(expected[mode, kind, outcome] for outcome in ("TP", "FP", "FN"))
        assert counts(result, "x", view=view) == wanted, (seed, view)


def test_random_articles_are_counted_as_in_plain_python(tmp_path: Path) -> None:
    for seed in range(6):
        agree(seed, tmp_path)


@pytest.mark.slow
def test_many_random_articles_are_counted_as_in_plain_python(tmp_path: Path) -> None:
    for seed in range(100, 200):
        agree(seed, tmp_path)


def test_a_label_listed_by_another_than_its_parent_is_found_there_too(tmp_path: Path) -> None:
    """As in News-Fair: Kim Hargrave lists Justice among its children, so it is no missing part."""
    labels = (
        label(0, "Justice Kim Hargrave", "Q1", children=[1, 2]),
        label(1, "Justice", "Q2", parent=0),
        label(2, "Kim Hargrave", "Q1", parent=0, children=[1]),
    )
    result = evaluated(tmp_path, [article(*labels)], [[mention("Justice", "Q2")]])
    assert counts(result, "x", view="ignored") == (1, 0, 0)


def said(result: Result) -> list[str]:
    return [f"{note.side}: {note.what}: {note.count}" for note in result.verdicts.notes]


def test_a_key_that_cannot_mark_such_labels_is_noted_with_their_number() -> None:
    spans = [(0, 23, "Q1"), (4, 11, "Q2"), (33, 38, "Q3")]
    key = [{"id": "d", "text": TEXT, "spans": [{"begin": b, "end": e, "label": "X", "id": i} for b, e, i in spans]}]
    assert sorted(said(compare(key, {"x": key}, task="link", rules="elevant", resamples=0))) == [
        "key: labels inside another without 'parent': each counts (in ELEVANT the outermost alone counts): 1",
        "key: labels without a type: dates and quantities among them must be found (in ELEVANT they need not be): 3",
    ]


def test_a_date_that_is_linked_to_an_id_is_noted(tmp_path: Path) -> None:
    """Whether the id is a date would have to be looked up; a list of such ids can be given."""
    what = "dates and quantities linked to an id, counted as wrong: ELEVANT looks up whether the id is one, too"
    key = article(*NESTED, label(3, "3 May", "DATETIME", "DATETIME"))
    result = evaluated(tmp_path, [key], [[mention("3 May", "Q2550"), mention("Kim", "Q1")]])
    assert said(result) == [f"key: {what}: 1"]
    assert counts(result, "x", view="ignored")[1] == 2
    rules = tmp_path / "dates.toml"
    rules.write_text('include = ["elevant"]\n[lists]\n"dates and quantities" = ["Q2550"]\n')
    files = str(tmp_path / "gold.benchmark.jsonl"), {"x": str(tmp_path / "x.linked_articles.jsonl")}
    result = compare(*files, task="link", rules=str(rules), resamples=0)
    assert said(result) == []
    assert counts(result, "x", view="ignored")[1] == 1


def test_a_key_with_types_and_parents_has_no_notes(tmp_path: Path) -> None:
    assert said(evaluated(tmp_path, [article(*NESTED)], [[mention("Justice", "Q2")]])) == []


def test_a_key_in_another_format_can_have_the_columns(tmp_path: Path) -> None:
    """The same labels as JSONL, with numbers and booleans, have the same counts."""
    labels = (*NESTED, label(3, "3 May", "DATETIME", "DATETIME"), label(4, "court", "Q9", optional=True, coref=True))
    mentions = [mention("Justice", "Q2"), mention("Kim Hargrave", "Q7"), mention("court", "Q8")]
    fields = ("type", "optional", "coref", "parent")
    records = [
        {
            "begin": each["span"][0],
            "end": each["span"][1],
            "label": "X",
            "id": each["entity_id"],
            "label_id": each["id"],
            **{name: each[name] for name in fields if name in each},
        }
        for each in labels
    ]
    found = [{"begin": each["span"][0], "end": each["span"][1], "label": "X", "id": each["id"]} for each in mentions]
    key = [{"id": "d", "text": TEXT, "spans": records}]
    system = [{"id": "d", "text": TEXT, "spans": found}]
    result = compare(key, {"x": system}, task="link", rules="elevant", resamples=0)
    other = evaluated(tmp_path, [article(*labels)], [mentions])
    for view in VIEWS:
        assert counts(result, "x", view=view) == counts(other, "x", view=view), view
    assert counts(result, "x", view="ignored") == (0, 2, 1)
