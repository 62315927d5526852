"""Commands on probabilistic output, alone and beside an output without probabilities."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.files import write
from tests.command import run
from tests.random_beliefs import KINDS, random_beliefs
from tests.seeds import seeds

TIMES, BONN = "He read the New York Times in Paris.", "Anna Smith flew to Bonn, and Bonn was cold."
Said = list[list[tuple[tuple[int, int], float, dict[str, float]]]]

KEY = {
    TIMES: [((12, 26), "ORG"), ((30, 35), "LOC")],
    BONN: [((0, 10), "PER"), ((19, 23), "LOC"), ((29, 33), "LOC")],
}
REGULAR = {TIMES: [((12, 26), "ORG")], BONN: [((0, 10), "PER"), ((19, 23), "ORG")]}
FIRST: dict[str, Said] = {
    TIMES: [
        [((12, 20), 0.3, {"LOC": 1.0}), ((12, 26), 0.6, {"ORG": 0.9, "LOC": 0.1})],
        [((30, 35), 0.9, {"PER": 0.5, "LOC": 0.4})],
    ],
    BONN: [
        [((0, 10), 0.8, {"PER": 1.0}), ((0, 4), 0.2, {"PER": 1.0})],
        [((19, 23), 0.7, {"LOC": 0.6, "ORG": 0.4})],
        [((29, 33), 0.4, {"LOC": 1.0})],
    ],
}
SECOND: dict[str, Said] = {
    TIMES: [[((12, 20), 0.6, {"LOC": 1.0}), ((12, 26), 0.3, {"ORG": 1.0})], [((30, 35), 0.9, {"LOC": 0.9})]],
    BONN: [[((0, 10), 0.5, {"PER": 1.0}), ((0, 4), 0.5, {"PER": 1.0})], [((29, 33), 0.9, {"LOC": 1.0})]],
}


def certain(name: str, given: dict[str, Any]) -> str:
    """Write spans without probabilities."""
    records = [
        {
            "doc": f"d{number}",
            "text": text,
            "spans": [{"begin": b, "end": e, "label": label} for (b, e), label in spans],
        }
        for number, (text, spans) in enumerate(given.items())
    ]
    return write(f"{name}.jsonl", "".join(json.dumps(record) + "\n" for record in records))


def probable(name: str, given: dict[str, Said]) -> str:
    """Write blocks."""
    records = [
        {
            "doc": f"d{number}",
            "text": text,
            "blocks": [
                {"alternatives": [{"start": b, "end": e, "p": p, "labels": labels} for (b, e), p, labels in block]}
                for block in blocks
            ],
        }
        for number, (text, blocks) in enumerate(given.items())
    ]
    return write(f"{name}.jsonl", "".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture
def files(work: Path) -> list[str]:
    """A key, two probabilistic outputs and one without probabilities.

    Their hard outputs have 4, 4 and 3 spans, 3, 3 and 2 of which are in the key.
    """
    return [certain("gold", KEY), probable("a", FIRST), probable("b", SECOND), certain("regular", REGULAR)]


QUIET = ("--task", "prob", "--resamples", "0", "-q")


def test_agreement_is_that_of_the_hard_outputs(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`a` and `b` share Anna Smith alone; the first and the last output share two of 4 and 3."""
    found = run(capsys, "agree", *QUIET, "--json", *files[1:]).json
    pairs = {(each["first"], each["second"]): each["score"] for each in found["agreements"]["pairs"]}
    assert pairs == {("a", "b"): 1 / 4, ("a", "regular"): 4 / 7, ("b", "regular"): 2 / 7}
    assert "overlap:declared" in found["signature"]


def test_agreement_decides_after_label_maps(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Paris is PER 0.45 and LOC 0.36, which is LOC 0.81 where both are read as one."""
    write("maps.tsv", "PER\tLOC\n")
    found = run(capsys, "agree", *QUIET, "--json", "--map", "maps.tsv", *files[1:3]).json
    assert found["agreements"]["pairs"][0]["score"] == 2 / 4


def test_hard_outputs_vote_and_are_written(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """All outputs together have the key's five spans and three others."""
    outcome = run(capsys, "combine", *QUIET, "--json", "--method", "union", "--write", "union=union.jsonl", *files)
    (found,) = outcome.json["ensembles"]["methods"]
    assert found["value"] == 2 * 5 / (5 + 8)
    assert "|overlap:declared|" in outcome.json["signature"]
    assert "combined_overlap:keep" in outcome.json["signature"]
    spans = [len(json.loads(line)["spans"]) for line in Path("union.jsonl").read_text().splitlines()]
    assert spans == [4, 4]
    again = run(capsys, "score", *QUIET, "--json", "--measure", "f1", files[0], "union.jsonl").json
    assert again["scores"]["scores"][0]["value"] == found["value"]


def test_validate_counts_tuples_and_blocks(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "validate", "--task", "prob", "a.jsonl").out == (
        "a: can be read as probabilistic, 2 documents, 20 words, 10 tuples, 5 blocks\n"
    )
    assert "2 documents, 20 words, 5 spans" in run(capsys, "validate", "--task", "prob", "gold.jsonl").out
    assert "can be aligned with the key" in run(capsys, "validate", "--task", "prob", *files[:2]).out


def test_formats_say_which_hold_probable_spans(capsys: pytest.CaptureFixture[str]) -> None:
    assert "probable spans" in run(capsys, "formats", "probabilistic").out


def test_several_keys(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", *QUIET, "--json", "--also-key", "other=regular.jsonl", *files[:2])
    keys = outcome.json["keys"]["keys"]
    assert [(each["key"], each["items"]) for each in keys] == [("key", 5), ("other", 3), ("majority", 2)]
    assert [each["scores"][0]["value"] for each in keys] == [6 / 9, 4 / 7, 4 / 6]
    assert outcome.json["keys"]["agreement"][0]["value"] == 4 / 8


def test_rules_with_several_views_are_refused(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", *QUIET, "--rules", "semeval2013", *files[:2])
    assert outcome.code == 2
    assert "have several views: strict, exact, partial, type" in outcome.err


def test_of_errors_less_is_better(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Brier: 0.164 for `b`, 0.1976 for `a`, a third for the output that is always sure."""
    outcome = run(capsys, "leaderboard", *QUIET, "--json", "--measure", "brier", *files)
    standings = outcome.json["leaderboard"]["standings"]
    assert [(each["rank"], each["system"]) for each in standings] == [(1, "b"), (2, "a"), (3, "regular")]
    assert run(capsys, "gate", *QUIET, "--measure", "brier", "gold.jsonl", "a.jsonl", "b.jsonl").code == 0
    assert run(capsys, "gate", *QUIET, "--measure", "brier", "gold.jsonl", "b.jsonl", "a.jsonl").code == 1


def test_a_result_folder_says_the_same(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    direct = run(capsys, "compare", *QUIET, "--save", "saved", "--json", *files)
    assert run(capsys, "compare", "saved", "-q", "--json").out == direct.out
    for option in (("--decide", "hierarchical"), ("--min-weight", "0.5"), ("--belief", "scale=percent")):
        outcome = run(capsys, "score", "saved", *option)
        assert (outcome.code, "is fixed in the result folder" in outcome.err) == (2, True)


# Commands at random, on files that are odd but well-formed

COMMANDS = ("compare", "score", "diff", "complement", "combine", "ablate", "leaderboard", "suspects", "agree", "gate")
OPTIONS = (
    ("--decide", "hierarchical"),
    ("--min-weight", "0.5"),
    ("--belief", "overlap=condition"),
    ("--belief", "overlap=independent"),
    ("--belief", "residual=other"),
    ("--belief", "residual=renormalise"),
    ("--missing", "empty"),
    ("--missing", "intersection"),
    ("--only-label", "PER"),
    ("--ignore-label", "LOC"),
    ("--fold-case",),
    ("--rules", "tokens"),
    ("--where", "length > 1"),
    ("--where", 'document == "d1"'),
    ("--where", "true"),
    ("--by", "document"),
    ("--measure", "brier"),
    ("--measure", "expected_f1[PER]"),
    ("--format", "json"),
    ("--format", "latex"),
    ("--save", "saved"),
    ("--strict",),
)


def odd(draw: random.Random, text: str) -> dict[str, Any]:
    """Say something of a text that may be, but hardly is: spans without length, labels like markup, tiny weights."""

    def span() -> dict[str, Any]:
        begin = draw.randint(0, len(text))
        label = draw.choice(("PER", "loc", "A[B]", "x\ny", "[bold]", "O", "(other)"))
        return {"start": begin, "end": draw.randint(begin, len(text)), "label": label}

    def share() -> float:
        return draw.choice((0, 1e-12, 0.05, 0.1, 0.25))

    if draw.random() < 0.4:
        spans = [[*span().values()] for _ in range(3)]
        return {"nbest": [{"p": share(), "spans": draw.sample(spans, draw.randint(0, 2))} for _ in range(3)]}
    return {"entities": [{**span(), "score": share()} for _ in range(draw.randint(0, 4))]}


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(25, of=100))
def test_no_command_breaks(seed: int, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(seed)
    made = random_beliefs(work, seed, KINDS[draw.choice([*KINDS])], draw.randint(1, 4)).written()
    texts = [json.loads(line) for line in made["key"].read_text().splitlines()]
    records = [{"doc": each["doc"], "text": each["text"], **odd(draw, each["text"])} for each in texts]
    files = [*map(str, made.values()), write("odd.jsonl", "".join(json.dumps(each) + "\n" for each in records))]
    options = [word for option in draw.sample(OPTIONS, draw.randint(0, 3)) for word in option]
    command = draw.choice(COMMANDS)
    given = draw.sample(files, 2) if command == "agree" else [files[0], *draw.sample(files[1:], draw.randint(1, 3))]
    outcome = run(capsys, command, "--task", "prob", *options, *given)
    assert outcome.code in {0, 1, 2, 3}, outcome.err
    assert "internal error" not in outcome.err
