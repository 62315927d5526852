"""What is wrong with records is said with the record and the field, in one paragraph."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes
from tests.formats.probabilistic.files import block, document, entity, read, refused, weights

HERE = "d.jsonl:1: "
SPAN = {"start": 0, "end": 4, "label": "PER"}


def alternative(**fields: Any) -> dict[str, Any]:
    return document(blocks=[block(SPAN), block({**SPAN, "start": 1, **fields})])


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (alternative(p=1.2), "'blocks[1].alternatives[0].p' is 1.2, which is not between 0 and 1"),
        (alternative(p=-0.2), "'blocks[1].alternatives[0].p' is -0.2, which is not between 0 and 1"),
        (alternative(score=85), "'blocks[1].alternatives[0].score' is 85, which is not between 0 and 1"),
        (alternative(p="much"), "'blocks[1].alternatives[0].p' is a string, not a number"),
        (alternative(p=True), "'blocks[1].alternatives[0].p' is a boolean, not a number"),
        (alternative(start="0"), "'blocks[1].alternatives[0].start' is a string, not an integer"),
        (alternative(start=0.5), "'blocks[1].alternatives[0].start' is a number, not an integer"),
        (alternative(start=10**30), "'blocks[1].alternatives[0].start' is too large a number"),
        (alternative(start=None), "'blocks[1].alternatives[0]' has no 'start'"),
        (alternative(end=None), "'blocks[1].alternatives[0]' has no 'end'"),
        (alternative(label=None), "'blocks[1].alternatives[0]' has no label"),
        (alternative(label=" "), "'blocks[1].alternatives[0]' has an empty label"),
        (alternative(label=3), "'blocks[1].alternatives[0].label' is an integer, not a string"),
        (alternative(labels={"PER": 1}), "'blocks[1].alternatives[0]' has both a label and 'labels'"),
        (
            alternative(label=None, labels=["PER", "LOC"]),
            "'blocks[1].alternatives[0]' has 2 labels, and 'PER' has no probability",
        ),
        (
            alternative(label=None, labels={"PER": 0.5, "LOC": None}),
            "'blocks[1].alternatives[0]' has 2 labels, and 'LOC' has no probability",
        ),
        (
            alternative(label=None, labels={"PER": 2}),
            "'blocks[1].alternatives[0].labels.PER' is 2, which is not between 0 and 1",
        ),
        (alternative(label=None, labels=[{"score": 1}]), "'blocks[1].alternatives[0].labels[0]' has no 'value'"),
        (
            alternative(label=None, labels=["PER", "PER"]),
            "'blocks[1].alternatives[0].labels[1]' repeats the label 'PER'",
        ),
        (alternative(start=-1), "blocks[1].alternatives[0] of document 'd' begins at -1, before the text"),
        (alternative(end=99), "blocks[1].alternatives[0] of document 'd' ends at 99, but the text has 28 characters"),
        (alternative(start=3, end=2), "blocks[1].alternatives[0] of document 'd' ends at 2, before it begins at 3"),
        (document(), "the record has no candidate spans"),
        (document(blocks=[], nbest=[]), "the record has both 'blocks' and 'nbest'"),
        (document(entities=[], dist=[]), "the record has both 'entities' and 'tokens'"),
        (document(blocks={}), "'blocks' is an object, not an array"),
        (document(blocks=[{}]), "missing 'alternatives' in 'blocks[0]'"),
        (document(blocks=[[]]), "'blocks[0]' is an array, not an object"),
        (document(entities="none"), "'entities' is a string, not an array"),
        (document(entities=[3]), "'entities[0]' is an integer, not an object"),
        (document(doc=[1], entities=[]), "'doc' is an array, not an integer or a string"),
        (document(unit="tokn", entities=[]), "'unit' is 'tokn' (did you mean 'token'?)"),
        (document(scale="percents", entities=[]), "'scale' is 'percents' (did you mean 'percent'?)"),
        (document(overlap="conditon", entities=[]), "'overlap' is 'conditon' (did you mean 'condition'?)"),
        (document(overlap="declared", entities=[]), "'overlap' is 'declared', but there are entities"),
        (document(label_semantics="x", entities=[]), "'label_semantics' is 'x'"),
        (document(residual="dropp", blocks=[]), "'residual' is 'dropp' (did you mean 'drop'?)"),
        (document(aggregate="max", tokens=[]), "'aggregate' is 'max' (did you mean 'mean'?)"),
        (document(floor=7, tokens=[]), "'floor' is 7"),
        ("3", "the record is an integer, not an object or an array"),
        ("null", "the record is null, not an object or an array"),
        ('{"doc": "d", "blocks": [', "the JSON object is cut off"),
        ('{"doc": "d" "blocks": []}', "not JSON: expected ',' or '}' (byte 12)"),
        ('{"a":' * 3000, "the JSON is nested too deeply"),
    ],
)
def test_record_and_field(record: Any, said: str) -> None:
    text = refused(record)
    assert text.splitlines()[0] == HERE + said
    assert len(text.splitlines()) <= 5


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"p": NaN', "'blocks[0].alternatives[0].p' is NaN, which is not a probability"),
        ('"p": Infinity', "'blocks[0].alternatives[0].p' is infinity, which is not a probability"),
        ('"score": -Infinity', "'blocks[0].alternatives[0].score' is -infinity, which is not a probability"),
    ],
)
def test_what_is_no_number(written: str, said: str) -> None:
    line = f'{{"doc": "d", "blocks": [{{"alternatives": [{{"start": 0, "end": 4, "label": "X", {written}}}]}}]}}'
    assert refused(line).splitlines() == [HERE + said, "  give every probability a value"]


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (85, "add ?scale=percent if these are percent"),
        (-0.1, "add ?scale=logprob if these are logarithms"),
    ],
)
def test_the_scale_is_never_guessed(value: float, hint: str) -> None:
    text = refused(document(entities=[entity(0, 4, "PER", value)]))
    assert text.splitlines()[1] == f"  {hint}"


def test_more_than_all_is_no_percentage() -> None:
    text = refused(document(entities=[entity(0, 4, "PER", 101)]), options="::probabilistic?scale=percent")
    assert text == "d.jsonl:1: 'entities[0].score' is 101, which is not between 0 and 100"


def test_no_logarithm_is_above_nothing() -> None:
    text = refused(document(entities=[entity(0, 4, "PER", 0.1)]), options="::probabilistic?scale=logprob")
    assert text == "d.jsonl:1: 'entities[0].score' is 0.1, but a log probability is at most 0"


def test_rounding_is_clipped_and_counted() -> None:
    corpus = read(document(entities=[entity(0, 4, "PER", 1 + 5e-7), entity(8, 16, "LOC", -5e-7)]))
    assert weights(corpus) == {(0, 4, "PER"): 1.0, (8, 16, "LOC"): 0.0}
    what = "out: probabilities outside of [0, 1] by less than 1e-6, clipped"
    assert notes(corpus) == [f"{what}: 2 (d.jsonl:1, d.jsonl:1)"]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("overlap=conditon", "invalid overlap='conditon' (did you mean 'condition'?)"),
        ("overlap=declared", "overlap='declared' is for records with blocks"),
        ("scale=log", "invalid scale='log' (did you mean 'logprob'?)"),
        ("floor=2", "floor='2' is not a number between 0 and 1"),
        ("floor=much", "floor='much' is not a number between 0 and 1"),
        ("flor=0.1", "format 'probabilistic' has no option 'flor' (did you mean 'floor'?)"),
    ],
)
def test_options_that_are_not_possible(option: str, said: str) -> None:
    text = refused(document(entities=[]), options=f"::probabilistic?{option}", code=2)
    assert text.splitlines()[0] == said


def test_the_line_is_that_of_the_record() -> None:
    good = document(entities=[])
    assert refused(good, "", {**good, "doc": "e", "entities": [entity(0, 4, "X", 2)]}).startswith("d.jsonl:3: ")
    array = f"[\n{json.dumps(good)},\n{json.dumps({**good, 'doc': 'e', 'scale': 'x'})}\n]"
    assert refused(array).startswith("d.jsonl:3: 'scale' is 'x'")


@pytest.mark.parametrize("text", ["", "\n \n", "[]"])
def test_empty_files(text: str) -> None:
    assert refused(text).startswith("d.jsonl: the")


def test_packed_files() -> None:
    line = json.dumps(document(entities=[entity(0, 4, "PER", 0.5)]))
    Path("p.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    assert weights(read_input(Input(path="p.jsonl.gz"), Request(layer="beliefs"), "tokens")) == {(0, 4, "PER"): 0.5}
