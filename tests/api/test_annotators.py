"""Several keys of one text: scores against each, and against what more than half of them have."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import comparanda
from comparanda import UsageError, compare_keys
from tests.command import run
from tests.seeds import seeds

ANN = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O", "B-ORG", "O"]]
BEA = [["B-PER", "I-PER", "O", "O", "O"], ["O", "B-ORG", "I-ORG"]]
CY = [["B-PER", "O", "O", "B-LOC", "O"], ["O", "B-ORG", "O"]]
CRF = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O", "O", "B-ORG"]]


def spans(sentences: list[list[str]]) -> Counter[tuple[int, int, int, str]]:
    """Read BIO tags without defects."""
    found: Counter[tuple[int, int, int, str]] = Counter()
    for number, tags in enumerate(sentences):
        for begin, tag in enumerate(tags):
            if tag.startswith("B-"):
                end = begin + 1
                while end < len(tags) and tags[end].startswith("I-"):
                    end += 1
                found[number, begin, end, tag[2:]] += 1
    return found


def test_what_two_of_three_have_is_the_majority() -> None:
    found = compare_keys({"ann": ANN, "bea": BEA, "cy": CY}, {"crf": CRF}, task="span", resamples=0)
    assert [(each.key, each.items) for each in found.keys] == [("ann", 3), ("bea", 2), ("cy", 3), ("majority", 3)]
    # crf has PER[0:2], LOC[3:4] and a wrong ORG; the majority has PER[0:2], LOC[3:4] and ORG[1:2]
    assert {score.measure: score.value for score in found.keys[-1].scores}["f1"] == pytest.approx(2 / 3)


def test_half_of_the_keys_are_no_majority() -> None:
    found = compare_keys({"ann": ANN, "bea": BEA}, {"crf": CRF}, task="span", resamples=0)
    assert found.keys[-1].items == 1  # only PER[0:2] is in both


def test_each_row_is_the_score_against_that_key_alone() -> None:
    keys = {"ann": ANN, "bea": BEA, "cy": CY}
    found = compare_keys(keys, {"crf": CRF, "copy": BEA}, task="span", resamples=50)
    for row in found.keys[:-1]:
        alone = comparanda.compare(keys[row.key], {"crf": CRF, "copy": BEA}, task="span", resamples=50)
        assert row.scores == alone.scores().scores


def test_agreement_is_f1_of_two_keys() -> None:
    found = compare_keys({"ann": ANN, "bea": BEA, "cy": CY}, {"crf": CRF}, task="span", resamples=0)
    assert [(pair.first, pair.second, pair.value) for pair in found.agreement] == [
        ("ann", "bea", pytest.approx(2 * 1 / 5)),
        ("ann", "cy", pytest.approx(2 * 2 / 6)),
        ("bea", "cy", 0.0),
    ]


@pytest.mark.parametrize("seed", seeds(2, of=25))
def test_the_majority_is_that_of_a_plain_count(seed: int) -> None:
    chance = random.Random(seed)
    sizes = [chance.randint(1, 6) for _ in range(4)]

    def annotated() -> list[list[str]]:
        return [[chance.choice(["O", "O", "B-A", "B-B", "B-A"]) for _ in range(size)] for size in sizes]

    keys = {f"ann{number}": annotated() for number in range(chance.randint(2, 5))}
    system = annotated()
    found = compare_keys(keys, {"s": system}, task="span", resamples=0)
    votes = Counter(span for key in keys.values() for span in spans(key))
    most = {span for span, count in votes.items() if 2 * count > len(keys)}
    claimed = set(spans(system))
    recall = {score.measure: score.value for score in found.keys[-1].scores}["recall"]
    assert found.keys[-1].items == len(most)
    assert recall == (len(most & claimed) / len(most) if most else None)


def test_keys_may_count_characters_and_be_cut_otherwise(tmp_path: Path) -> None:
    text = "Anna went to Rome."
    ann = [{"id": "d", "text": text, "spans": [{"begin": 0, "end": 4, "label": "PER"}]}]
    bea = [
        {
            "id": "d",
            "text": text,
            "spans": [{"begin": 0, "end": 4, "label": "PER"}, {"begin": 13, "end": 17, "label": "LOC"}],
        }
    ]
    cy = [{"id": "d", "text": text, "spans": [{"begin": 13, "end": 17, "label": "LOC"}]}]
    found = compare_keys({"ann": ann, "bea": bea, "cy": cy}, {"s": bea}, task="span", resamples=0)
    assert [(each.key, each.items, each.scores[0].value) for each in found.keys[2:]] == [
        ("cy", 1, pytest.approx(2 / 3)),
        ("majority", 2, 1.0),
    ]


def test_it_shows_itself() -> None:
    found = compare_keys({"ann": ANN, "bea": BEA}, {"crf": CRF}, task="span", resamples=0)
    assert "Scores against each key" in str(found)
    assert found.to_dicts()[0]["key"] == "ann"


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(UsageError, match="at least two"):
        compare_keys({"ann": ANN}, {"crf": CRF}, task="span")
    with pytest.raises(UsageError, match="cannot be named 'majority'"):
        compare_keys({"ann": ANN, "majority": BEA}, {"crf": CRF}, task="span")
    with pytest.raises(UsageError, match="several keys are supported for spans only; the task 'tag' takes one"):
        compare_keys({"ann": ANN, "bea": BEA}, {"crf": CRF}, task="tag")


def written(path: Path, sentences: list[list[str]]) -> Path:
    path.write_text("\n".join("".join(f"w\t{tag}\n" for tag in tags) for tags in sentences))
    return path


def test_the_command_takes_further_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = {"ann": ANN, "bea": BEA, "crf": CRF}
    ann, bea, crf = (written(tmp_path / f"{name}.bio", tags) for name, tags in named.items())
    common = ("score", ann, crf, "--task", "span", "--also-key")
    printed = run(capsys, *common, f"bea={bea}", "--resamples", 0)
    assert printed.code == 0
    assert "majority" in printed.out
    assert "Agreement of the keys" in printed.out
    twice = run(capsys, *common, f"key={bea}")
    assert (twice.code, "two keys are named 'key'" in twice.err) == (2, True)
    cut = run(capsys, *common, bea, "--by", "length")
    assert (cut.code, "--also-key and --by cannot be combined" in cut.err) == (2, True)
