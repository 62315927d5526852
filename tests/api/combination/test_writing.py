"""Combinations in files: they read back to the same corpus and score as announced, or are refused with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import UsageError, WriteError
from comparanda.api.combination import Combined, combine
from tests.command import run
from tests.shared_data import shared


def files(folder: Path, suffix: str, **texts: str) -> dict[str, str]:
    """Write files; return their paths by name."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}{suffix}").write_text(text)
    return {name: str(folder / f"{name}{suffix}") for name in texts}


def scored_again(found: Combined, key: str, method: str, path: str, **settings: Any) -> None:
    """Read a file as any system's output, and compare all scores with those announced."""
    again = cp.compare(key, {method: path}, resamples=0, **settings).scores().scores
    announced = next(each.scores for each in found.finding.methods if each.method == method)
    counts = [(each.measure, each.part, each.whole) for each in announced]
    assert [(each.measure, each.part, each.whole) for each in again] == counts
    for mine, theirs in zip(announced, again, strict=True):  # sums of quotients may differ in the last bit
        assert theirs.value == (None if mine.value is None else pytest.approx(mine.value, abs=1e-12))


BIO = {
    "key": "-DOCSTART- (one)\n\nAnn B-PER\nLee I-PER\nsaw O\nParis B-LOC\n\nso O\n\n-DOCSTART- (two)\n\nBob B-PER\n\n",
    "a": "-DOCSTART- (one)\n\nAnn B-PER\nLee I-PER\nsaw O\nParis O\n\nso O\n\n-DOCSTART- (two)\n\nBob B-LOC\n\n",
    "b": "-DOCSTART- (one)\n\nAnn B-PER\nLee O\nsaw O\nParis B-LOC\n\nso O\n\n-DOCSTART- (two)\n\nBob B-PER\n\n",
    "c": "-DOCSTART- (one)\n\nAnn B-PER\nLee I-PER\nsaw O\nParis B-LOC\n\nso B-PER\n\n-DOCSTART- (two)\n\nBob O\n\n",
}


def spans_in_columns(folder: Path, **settings: Any) -> tuple[Combined, str]:
    paths = files(folder, ".conll", **BIO)
    key = paths.pop("key")
    return combine(key, paths, task="span", resamples=0, **settings), key


def test_spans_in_columns(tmp_path: Path) -> None:
    found, key = spans_in_columns(tmp_path)
    for method in ("majority", "intersection", "weighted", "tag-vote"):
        target = str(tmp_path / f"{method}.conll")
        assert found.write(method, target) == ()
        scored_again(found, key, method, target, task="span")
    text = (tmp_path / "majority.conll").read_text()
    assert text.splitlines()[2:6] == ["Ann\tB-PER", "Lee\tI-PER", "saw\tO", "Paris\tB-LOC"]


def test_spans_that_overlap_are_refused_in_columns_and_written_elsewhere(tmp_path: Path) -> None:
    found, key = spans_in_columns(tmp_path)
    with pytest.raises(WriteError, match="two spans share words") as refused:
        found.write("union", tmp_path / "union.conll")
    assert "--overlap best" in str(refused.value)
    assert not (tmp_path / "union.conll").exists()
    found.write("union", f"{tmp_path}/union.jsonl::jsonl")
    scored_again(found, key, "union", f"{tmp_path}/union.jsonl::jsonl", task="span")
    best, _ = spans_in_columns(tmp_path, overlap="best")
    best.write("union", tmp_path / "union.conll")
    scored_again(best, key, "union", str(tmp_path / "union.conll"), task="span")


def test_where_a_column_is_chosen_the_file_is_laid_out_as_the_key(tmp_path: Path) -> None:
    texts = {
        name: text.replace(" B-", " x B-").replace(" I-", " x I-").replace(" O", " x O") for name, text in BIO.items()
    }
    texts = {name: text.replace("\n", " y\n").replace("\n y", "\n").replace(") y", ")") for name, text in texts.items()}
    paths = files(tmp_path, ".conll", **texts)  # word, something, tag, something
    key = paths.pop("key")
    found = combine(key, paths, task="span", column="3", resamples=0)
    for method in ("majority", "tag-vote"):
        found.write(method, tmp_path / f"{method}.txt")
        scored_again(found, key, method, str(tmp_path / f"{method}.txt"), task="span", column="3")
    lines = (tmp_path / "majority.txt").read_text().splitlines()
    assert lines[2].split() == ["Ann", "_", "B-PER", "_"]
    with pytest.raises(WriteError, match="two spans share words"):
        found.write("union", tmp_path / "union.txt")


def test_the_scheme_that_is_asked_for_is_written(tmp_path: Path) -> None:
    paths = files(tmp_path, ".conll", **BIO)
    key = f"{paths.pop('key')}::columns?scheme=bio"
    found = combine(key, paths, task="span", resamples=0)
    found.write("majority", tmp_path / "bio.conll")
    assert "Lee I-PER" in (tmp_path / "bio.conll").read_text().replace("\t", " ")
    ends = {
        name: text.replace("Lee I-", "Lee E-").replace("B-", "S-").replace("Ann S-", "Ann B-")
        for name, text in BIO.items()
    }
    ends["b"] = ends["b"].replace("Ann B-", "Ann S-")
    paths = files(tmp_path / "ends", ".conll", **ends)
    key = f"{paths.pop('key')}::columns?scheme=bioes"
    found = combine(key, paths, task="span", resamples=0)
    found.write("majority", tmp_path / "bioes.conll")
    assert "Lee E-PER" in (tmp_path / "bioes.conll").read_text().replace("\t", " ")
    scored_again(found, key, "majority", f"{tmp_path}/bioes.conll::columns?scheme=bioes", task="span")


def test_a_format_with_a_file_for_each_document_makes_a_folder(tmp_path: Path) -> None:
    found, key = spans_in_columns(tmp_path)
    found.write("union", f"{tmp_path}/union::brat")
    assert sorted(path.name for path in (tmp_path / "union").iterdir()) == ["one.ann", "one.txt", "two.ann", "two.txt"]
    scored_again(found, key, "union", f"{tmp_path}/union::brat", task="span")
    with pytest.raises(WriteError, match="a folder with this name"):
        found.write("union", f"{tmp_path}/union::brat")


def test_nothing_is_left_behind_and_no_file_is_half_written(tmp_path: Path) -> None:
    found, _ = spans_in_columns(tmp_path / "in")
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "voted.conll"
    target.write_text("what was there before\n")
    with pytest.raises(WriteError):
        found.write("union", target)
    assert target.read_text() == "what was there before\n"
    found.write("majority", target)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["voted.conll"]
    with pytest.raises(WriteError, match="cannot be written"):
        found.write("majority", tmp_path / "nowhere" / "voted.conll")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("-", "must be written to a file"),
        ("x::nonsense", "cannot write a combination as 'nonsense'"),
        ("x::csv", "cannot write a combination as 'csv'"),
    ],
)
def test_where_nothing_can_be_written_it_is_said(tmp_path: Path, target: str, said: str) -> None:
    found, _ = spans_in_columns(tmp_path)
    with pytest.raises(UsageError, match=said):
        found.write("majority", target)
    with pytest.raises(UsageError, match="did you mean 'majority'"):
        found.write("majorty", tmp_path / "x")


def test_what_a_writer_changes_is_found_before_the_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from comparanda.api import combination as writing
    from comparanda.formats import conversion as convert
    from comparanda.formats.document_writer import Written

    found, _ = spans_in_columns(tmp_path)
    true = convert.convert_corpus

    def false(*arguments: Any) -> Written:
        made = true(*arguments)
        return Written({"": made.files[""].replace("B-LOC", "B-PER")}, made.losses)

    monkeypatch.setattr(writing, "convert_corpus", false)
    with pytest.raises(WriteError, match=r"cannot hold this combination: the span 3:4 \(LOC\) of document 'one'"):
        found.write("majority", tmp_path / "voted.conll")
    assert not (tmp_path / "voted.conll").exists()


CONLLU = "# newdoc id = d1\n# sent_id = 1\n{0}\n\n# newdoc id = d2\n# sent_id = 2\n{1}\n\n"


def conllu(*sentences: list[tuple[str, str, int, str]]) -> str:
    blocks = [
        "\n".join(
            f"{number}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
            for number, (form, tag, head, label) in enumerate(sentence, start=1)
        )
        for sentence in sentences
    ]
    return CONLLU.format(*blocks)


TREES = {
    "key": conllu([("I", "PRON", 2, "nsubj"), ("sleep", "VERB", 0, "root")], [("Go", "VERB", 0, "root")]),
    "a": conllu([("I", "PRON", 2, "nsubj"), ("sleep", "NOUN", 0, "root")], [("Go", "VERB", 0, "root")]),
    "b": conllu([("I", "NOUN", 2, "obj"), ("sleep", "VERB", 0, "root")], [("Go", "VERB", 0, "root")]),
    "c": conllu([("I", "PRON", 0, "root"), ("sleep", "VERB", 1, "nsubj")], [("Go", "NOUN", 0, "root")]),
}


@pytest.mark.parametrize("task", ["pos", "dep"])
def test_tags_and_trees_in_conllu(tmp_path: Path, task: str) -> None:
    paths = files(tmp_path, ".conllu", **TREES)
    key = paths.pop("key")
    found = combine(key, paths, task=task, resamples=0)
    for method in found.methods:
        target = str(tmp_path / f"{method}.conllu")
        found.write(method, target)
        if task == "pos":
            scored_again(found, key, method, target, task=task)
        else:  # the shared task's scores of lemmas and the like are not of trees, and the file has none
            again = cp.compare(key, {method: target}, task=task, resamples=0).scores(view="las")
            assert again.value(method, "las.accuracy") == found.finding.value(method)
        assert "lower" not in Path(target).read_text()
        assert "sleep\t_\t" in Path(target).read_text()  # the key's lemmas are not in it
    with pytest.raises(UsageError, match="in the format of the key"):
        found.write(found.methods[0], f"{tmp_path}/x.csv::csv")


ROWS = {
    "key": [("1", "x"), ("2", "y"), ("3", "x"), ("4", "y")],
    "a": [("1", "x"), ("2", "x"), ("3", "x"), ("4", "y")],
    "b": [("1", "y"), ("2", "y"), ("3", "x"), ("4", "x")],
    "c": [("1", "x"), ("2", "y"), ("3", "y"), ("4", "y")],
}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_labels_of_rows(tmp_path: Path, suffix: str) -> None:
    def written(rows: list[tuple[str, str]]) -> str:
        if suffix == ".jsonl":
            return "".join(json.dumps({"id": row, "label": label}) + "\n" for row, label in rows)
        between = "," if suffix == ".csv" else "\t"
        return f"id{between}label\n" + "".join(f"{row}{between}{label}\n" for row, label in rows)

    paths = files(tmp_path, suffix, **{name: written(rows) for name, rows in ROWS.items()})
    key = paths.pop("key")
    found = combine(key, paths, task="label", resamples=0)
    for method in found.methods:
        target = str(tmp_path / f"{method}{suffix}")
        found.write(method, target)
        scored_again(found, key, method, target, task="label")


def test_sets_of_labels(tmp_path: Path) -> None:
    def written(*sets: list[str]) -> str:
        return "".join(json.dumps({"id": str(row), "label": labels}) + "\n" for row, labels in enumerate(sets))

    texts = {"key": written(["x", "y"], ["z"]), "a": written(["x"], ["z", "y"]), "b": written(["y"], ["z"])}
    paths = files(tmp_path, ".jsonl", **texts)
    key = paths.pop("key")
    found = combine(key, paths, task="label", resamples=0)
    assert set(found.methods) >= {"union", "intersection"}
    for method in found.methods:
        found.write(method, tmp_path / f"{method}.jsonl")
        scored_again(found, key, method, str(tmp_path / f"{method}.jsonl"), task="label")


# Real files


@pytest.mark.slow
def test_the_systems_of_wnut_17(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared("data/ner/wnut17")
    key = str(folder / "gold/emerging.test.annotated")
    systems = {path.stem: str(path) for path in sorted((folder / "systems").iterdir())}
    systems["mic-cis"] += "::columns?word=none"
    found = combine(key, systems, task="span", resamples=0, overlap="best")
    for method in found.methods:
        target = str(tmp_path / f"{method}.conll")
        found.write(method, target)
        scored_again(found, key, method, target, task="span")
    checked = run(capsys, "validate", key, tmp_path / "majority.conll", tmp_path / "union.conll", "--task", "span")
    assert (checked.code, checked.out.count("can be aligned with the key")) == (0, 2)
    values = {each.method: round(100 * (each.value or 0), 2) for each in found.finding.methods}
    assert values["majority"] == 43.48  # 4 of 7; uh_ritual alone has 41.86
    assert values["tag-vote"] == 45.07


@pytest.mark.slow
@pytest.mark.parametrize(("task", "count"), [("tag", 3), ("dep", 2)])
def test_taggers_and_parsers_of_en_ewt(tmp_path: Path, task: str, count: int) -> None:
    folder = shared("data/ud/en_ewt")
    key = str(folder / "gold/en_ewt-ud-test.conllu")
    systems = {path.stem: str(path) for path in sorted((folder / "systems").glob("spacy*"))}
    found = combine(key, systems, task=task, resamples=0)
    assert len(found.methods) == count
    method = found.methods[0]
    target = str(tmp_path / "voted.conllu")
    found.write(method, target)
    again = cp.compare(key, {method: target}, task=task, resamples=0).scores()
    assert again.value(method) == found.finding.value(method)


def test_parsers_with_other_words_than_the_key(tmp_path: Path) -> None:
    folder = shared("data/ud/conll2018")
    key = str(folder / "gold/en_gum.conllu")
    systems = {path.name: str(path / "en_gum.conllu") for path in sorted((folder / "systems").iterdir())}
    found = combine(key, systems, task="dep", resamples=0, methods=["tree-vote"])
    target = str(tmp_path / "voted.conllu")
    found.write("tree-vote", target)
    again = cp.compare(key, {"tree-vote": target}, task="dep", resamples=0).scores()
    assert again.value("tree-vote") == found.finding.value("tree-vote")
    assert round(100 * (again.value("tree-vote") or 0), 2) == 85.3  # the best single parser, HIT-SCIR, has 84.42


@pytest.mark.slow
def test_the_linkers_of_kore50(tmp_path: Path) -> None:
    folder = shared("data/el/elevant")
    key = str(folder / "gold/kore50.benchmark.jsonl")
    systems = {path.name.partition(".")[0]: str(path) for path in sorted((folder / "systems").iterdir())}
    found = combine(key, systems, task="link", missing="empty", resamples=0)
    for method in found.methods:
        target = str(tmp_path / f"{method}.jsonl")
        found.write(method, target)
        scored_again(found, key, method, target, task="link")
