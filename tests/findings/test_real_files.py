"""Real taggers on a real treebank: the official scores to the last printed digit, and a plain recount."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from comparanda import Result
from comparanda.api.comparison import compare
from tests import reference
from tests.findings.populations import close
from tests.shared_data import shared

FOLDER = "data/ud/en_ewt"
OFFICIAL = ("spacy-en_core_web_sm-3.6.0", "spacy-en_core_web_sm-3.8.0", "spacy2-en_ud_model_sm-1.1.0")
COLUMN = {"upos": 3, "xpos": 4}
WITHOUT_TREES = {"upos": ("brill-en",), "xpos": ("aptagger", "en-pos")}


def system(name: str) -> Path:
    return shared(f"{FOLDER}/systems/{name}.conllu")


def key() -> Path:
    return shared(f"{FOLDER}/gold/en_ewt-ud-test.conllu")


@cache
def words(path: Path) -> list[list[str]]:
    """The word lines of a CoNLL-U file, with the number of their sentence in front."""
    rows, sentence = [], 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line:
            sentence += 1
        elif not line.startswith("#"):
            fields = line.split("\t")
            if fields[0].isdecimal():
                rows.append([str(sentence), *fields])
    return rows


@cache
def column(path: Path, name: str) -> list[str]:
    return [fields[1 + COLUMN[name]] for fields in words(path)]


def documents(path: Path) -> list[int]:
    """The number of the document of each word."""
    found, document = [], -1
    for line in path.read_text(encoding="utf-8").split("\n"):
        document += line.startswith("# newdoc")
        if line and not line.startswith("#") and line.split("\t")[0].isdecimal():
            found.append(document)
    return found


def official(name: str) -> dict[str, str]:
    for line in shared("data/ud/official_scores.tsv").read_text(encoding="utf-8").splitlines():
        corpus, system_name, *scores = line.split("\t")
        if (corpus, system_name) == ("en_ewt", name):
            return dict(score.split("=") for score in scores)
    raise AssertionError(f"no official scores of {name}")


@cache
def judged(measure: str) -> Result:
    names = (*OFFICIAL, *WITHOUT_TREES[measure])
    paths = {name: str(system(name)) for name in names}
    return compare(str(key()), paths, task=f"tag:{measure}", resamples=0)


def test_every_system_with_the_keys_tokens_is_in_the_test() -> None:
    folder = shared(f"{FOLDER}/systems")
    with_gold_tokens = {path.stem for path in folder.glob("*.conllu") if ".rawtext" not in path.name}
    assert with_gold_tokens == {*OFFICIAL, *WITHOUT_TREES["upos"], *WITHOUT_TREES["xpos"]}


@pytest.mark.parametrize("measure", ["upos", "xpos"])
def test_accuracies_are_the_official_scores_to_the_last_printed_digit(measure: str) -> None:
    scores = judged(measure).scores("accuracy", "f1")
    for name in OFFICIAL:
        for kind in ("accuracy", "f1"):
            value = scores.value(name, kind)
            assert value is not None
            assert f"{100 * value:.2f}" == official(name)[measure.upper()]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["upos", "xpos"])
def test_a_plain_recount_gives_the_same_numbers(measure: str) -> None:
    result = judged(measure)
    wanted = column(key(), measure)
    sentence = [int(fields[0]) for fields in words(key())]
    columns = {name: column(system(name), measure) for name in result.systems}
    scores = result.scores("accuracy", "sentences", "macro_f1")
    for name, values in columns.items():
        assert close(scores.value(name), reference.ratio(reference.right(wanted, values), len(wanted)))
        whole = reference.whole_sentences(wanted, values, sentence)
        assert close(scores.value(name, "sentences"), reference.ratio(*whole))
        assert close(scores.value(name, "macro_f1"), reference.macro_f1(wanted, values))
    found = result.combination()
    assert found.overall.oracle_right == reference.oracle(wanted, columns.values())
    assert [row.count for row in found.hardness] == reference.hardness(wanted, list(columns.values()))
    assert {row.run: row.count for row in found.unique} == reference.unique(wanted, columns)
    steps = [(step.name, step.right, step.gain) for step in reference.greedy(wanted, columns)]
    assert [(step.run, step.right, step.gain) for step in found.greedy] == steps
    agreement = reference.agreement(wanted, list(columns.values()), str)
    assert {row.agree: (row.sites, row.right) for row in found.agreement} == agreement


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["upos", "xpos"])
def test_a_plain_recount_gives_the_same_differences(measure: str) -> None:
    result = judged(measure)
    wanted = column(key(), measure)
    columns = {name: column(system(name), measure) for name in result.systems}
    for pair in result.pairs().pairs:
        first, second = columns[pair.base], columns[pair.new]
        assert pair.different == reference.different(first, second)
        assert close(pair.overlap_right, reference.overlap_on_right(wanted, first, second))
        found, counts = result.difference(pair.base, pair.new), reference.classes(wanted, first, second)
        assert (found.same_right, found.same_error) == (counts["same_right"], counts["same_error"])
        for each in found.classes:
            changes = reference.transitions(wanted, first, second, each.name)
            assert each.count == counts[each.name]
            assert {(row.key, row.base, row.new): row.count for row in each.transitions} == dict(changes)
        labels = reference.label_table(wanted, first, second)
        assert {row.label: (row.sites, row.base_right, row.new_right) for row in found.labels} == {
            row.label: (row.sites, row.first_right, row.second_right) for row in labels.values()
        }


def test_documents_are_the_units_of_the_real_key() -> None:
    owners = documents(key())
    names = OFFICIAL[:2]
    result = compare(str(key()), {name: str(system(name)) for name in names}, task="pos", resamples=400)
    found = result.significance()
    assert (found.unit, found.units) == ("document", len(set(owners)))
    wanted = column(key(), "upos")
    right = [[0] * (max(owners) + 1), [0] * (max(owners) + 1)]
    for number, name in enumerate(names):
        for owner, y, value in zip(owners, wanted, column(system(name), "upos"), strict=True):
            right[number][owner] += y == value
    statistics = found.tests[0]
    assert close(statistics.difference, reference.ratio(sum(right[1]) - sum(right[0]), len(wanted)))
    assert statistics.p is not None
    assert 1 / 401 <= statistics.p <= 1
