"""The view `conll18` compares values as they are written, as the shared task does; normalisation is an option."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from comparanda.api.comparison import compare
from comparanda.errors import UsageError
from comparanda.tasks.trees.conll18 import METRICS
from tests.command import run
from tests.shared_data import shared
from tests.tasks.random_trees import Maker
from tests.tasks.random_trees import write as write_trees
from tests.tasks.udeval import columns, counts, laid, official

COMPOSED, DECOMPOSED, NO_BREAK, NARROW = "\u00e9", "e\u0301", "\u00a0", "\u202f"

KEY = columns(
    f"""
1 Le le DET D{COMPOSED} _ 2 det 2:det
2 caf{COMPOSED} caf{COMPOSED} NOUN N Number=Plur 3 nsubj 3:nsubj:{COMPOSED}
3 ferme fermer VERB V _ 0 root 0:root
"""
)


def write(*changes: tuple[str, str]) -> str:
    """Return the key with pieces of its lines replaced; `~` stands for a tab, as spaces matter here."""
    text = KEY.replace("\t", "~")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text.replace("~", "\t")


LEMMA = f"~caf{COMPOSED}~NOUN"
CHANGES = {
    "lemma in another normal form": ((LEMMA, f"~caf{DECOMPOSED}~NOUN"), {"Lemmas": 2, "BLEX": 1}),
    "lemma with a no-break space after it": ((LEMMA, f"~caf{COMPOSED}{NO_BREAK}~NOUN"), {"Lemmas": 2, "BLEX": 1}),
    "lemma with a space before it": ((LEMMA, f"~ caf{COMPOSED}~NOUN"), {"Lemmas": 2, "BLEX": 1}),
    "XPOS in another normal form": ((f"D{COMPOSED}", f"D{DECOMPOSED}"), {"XPOS": 2, "AllTags": 2}),
    "UPOS with a narrow no-break space": (("NOUN", f"NOUN{NARROW}"), {"UPOS": 2, "AllTags": 2, "MLAS": 1}),
    "feature with a no-break space": (("=Plur", f"=Plur{NO_BREAK}"), {"UFeats": 2, "AllTags": 2, "MLAS": 1}),
    "relation with a no-break space": (
        ("~nsubj~", f"~nsubj{NO_BREAK}~"),
        {"LAS": 2, "CLAS": 1, "MLAS": 1, "BLEX": 1},
    ),
    "enhanced relation in another normal form": (
        (f"3:nsubj:{COMPOSED}", f"3:nsubj:{DECOMPOSED}"),
        {"ELAS": 2},
    ),
    "enhanced relation with a space after it": ((f":{COMPOSED}~", f":{COMPOSED} ~"), {"ELAS": 2}),
    "head of an enhanced edge with a space before it": (("~3:nsubj", "~ 3:nsubj"), {}),
}


def right(response: str, key: str = KEY) -> dict[str, int | None]:
    found = counts(laid(key, response))
    assert found == official(key, response)
    return {metric: each[0] for metric, each in found.items()}


@pytest.mark.parametrize("what", CHANGES)
def test_values_are_compared_as_they_are_written(what: str) -> None:
    change, lost = CHANGES[what]
    assert right(write(change)) == right(KEY) | lost
    assert right(KEY, write(change))["LAS"] == (2 if "LAS" in lost else 3)


def test_values_written_alike_are_right_in_any_form() -> None:
    text = write((LEMMA, f"~caf{DECOMPOSED}{NO_BREAK}1~NOUN"))
    assert right(text, text) == right(KEY)


def test_a_no_break_space_inside_a_lemma_is_not_a_space() -> None:
    key, response = write((LEMMA, "~100 000~NOUN")), write((LEMMA, f"~100{NO_BREAK}000~NOUN"))
    assert right(response, key)["Lemmas"] == 2


def test_a_lemma_of_one_underscore_and_a_space_is_a_lemma() -> None:
    key = write((LEMMA, f"~_{NO_BREAK}~NOUN"))
    assert right(KEY, key)["Lemmas"] == 2


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two files that differ in a lemma and a tag, only in their normal form or spaces."""
    key, response = tmp_path / "key.conllu", tmp_path / "parser.conllu"
    key.write_text(KEY, encoding="utf-8")
    response.write_text(
        write((LEMMA, f"~caf{DECOMPOSED}~NOUN"), (f"D{COMPOSED}", f"D{DECOMPOSED}{NO_BREAK}")), encoding="utf-8"
    )
    return key, response


LEMMA_NOTE = (
    "lemmas that equal the key's only if Unicode and spaces are normalised, wrong in the view conll18 "
    "(to accept them: --conll18 normalised)"
)


def test_a_note_counts_what_normalisation_would_change(files: tuple[Path, Path]) -> None:
    result = compare(files[0], {"x": files[1]}, task="dep", resamples=0)
    notes = {note.what: (note.count, list(note.first)) for note in result.notes}
    where = str(files[1])
    assert notes[LEMMA_NOTE] == (1, [f"{where}:2"])
    assert notes[LEMMA_NOTE.replace("lemmas", "values of XPOS")] == (1, [f"{where}:1"])
    assert not any("UPOS" in what or "relations" in what for what in notes)


def test_the_kinder_comparison_is_an_option(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("score", files[0], f"x={files[1]}", "--task", "dep", "--view", "conll18", "--json", "--resamples", "0")

    def scores(*more: str) -> tuple[dict[str, float], str]:
        outcome = run(capsys, *arguments, *more)
        assert outcome.code == 0
        found = {each["measure"]: each["value"] for each in outcome.json["scores"]["scores"]}
        return found, outcome.json["signature"]

    default, signature = scores()
    assert scores("--conll18", "official")[0] == default
    kind, other = scores("--conll18", "normalised")
    names = [f"conll18.f1[{metric}]" for metric in ("Lemmas", "XPOS", "AllTags", "LAS")]
    assert [default[name] for name in names] == [2 / 3, 2 / 3, 2 / 3, 1]
    assert [kind[name] for name in names] == [1, 1, 1, 1]
    assert "conll18:normalised" in other
    assert "conll18" not in signature
    quiet = compare(files[0], {"x": files[1]}, task="dep", conll18="normalised")
    assert LEMMA_NOTE not in {note.what for note in quiet.notes}


def test_enhanced_relations_can_be_normalised_too() -> None:
    response = write((f"3:nsubj:{COMPOSED}", f"3:nsubj:{DECOMPOSED}"))
    assert counts(laid(KEY, response))["ELAS"][0] == 2
    assert counts(laid(KEY, response), values="normalised")["ELAS"][0] == 3


def test_the_views_by_head_and_label_are_not_concerned(files: tuple[Path, Path]) -> None:
    """They normalise labels, as all tasks do."""
    text = files[1].read_text(encoding="utf-8").replace("nsubj\t3", f"nsubj{NO_BREAK}\t3")
    files[1].write_text(text, encoding="utf-8")
    result = compare(files[0], {"x": files[1]}, task="dep", resamples=0)
    assert result.scores().value("x", "las.accuracy") == 1


def test_the_option_belongs_to_trees() -> None:
    with pytest.raises(UsageError, match="the task 'tag' has no option conll18"):
        compare(["A"], {"x": ["A"]}, task="tag", conll18="normalised")


# Real submissions of the shared task, with its official scores.


TABLE = "data/edges/ud/official_scores.tsv"
FOLDER = "data/edges/ud/conll2018"
CASES = [
    ("tr_imst", "HIT-SCIR-18"),
    ("tr_imst", "ONLP-lab"),
    ("tr_imst", "UDPipe-Future"),
    ("ja_modern", "Stanford-18"),
    ("ja_modern", "UDPipe-Future"),
    ("ja_modern", "Uppsala-18"),
    ("bg_btb", "HIT-SCIR-18"),
    ("bg_btb", "Stanford-18"),
    ("bg_btb", "UDPipe-Future"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("treebank", "system"), CASES)
def test_every_official_score_of_treebanks_with_odd_lemmas(treebank: str, system: str) -> None:
    rows = [line.split("\t") for line in shared(TABLE).read_text(encoding="utf-8").splitlines()]
    (expected,) = [dict(each.split("=") for each in row[2:]) for row in rows if row[:2] == [treebank, system]]
    assert set(expected) == set(METRICS) - {"AllTags"}
    key, output = (shared(f"{FOLDER}/{name}/{treebank}.conllu") for name in ("gold", f"systems/{system}"))
    found = compare(key, {"x": output}, task="dep", resamples=0).scores(view="conll18")
    values = {metric: found.value("x", f"conll18.f1[{metric}]") for metric in expected}
    assert {metric: f"{100 * value:.2f}" for metric, value in values.items() if value is not None} == expected


# Random trees with odd characters in all columns that are compared.


ODD = (NO_BREAK, " ", COMPOSED, DECOMPOSED, f" {NARROW}", "\u3000")
LEMMA_FIELD, DEPS_FIELD = 2, 8


def oddly(text: str, chance: Random) -> str:
    """Append odd characters to some lemmas, tags, features, relations and enhanced relations."""
    lines = []
    for line in text.split("\n"):
        fields = line.split("\t")
        if len(fields) == 10 and fields[0].isdigit():
            for number in (LEMMA_FIELD, 3, 4, 5, 7, DEPS_FIELD):
                if chance.random() < 0.3 and (number == LEMMA_FIELD or fields[number] != "_"):
                    fields[number] += chance.choice(ODD)
        lines.append("\t".join(fields))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(40))
def test_every_count_is_that_of_udeval_whatever_the_characters(seed: int) -> None:
    chance = Random(seed)
    key, response = (oddly(write_trees(each), chance) for each in Maker(seed).pair())
    assert counts(laid(key, response)) == official(key, response)
