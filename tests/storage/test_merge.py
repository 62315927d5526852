"""A corpus cut into parts, judged part by part and merged, gives the findings of the uncut one to the last byte."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.align import align_responses
from comparanda.core.corpus import Corpus, Documents
from comparanda.core.items import Items
from comparanda.core.verdicts import System, Verdicts, View
from comparanda.demo import demo_files
from comparanda.errors import UsageError
from comparanda.formats.conllu import read
from comparanda.formats.contract import Request
from comparanda.formats.files import load_files
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.result import Result
from comparanda.storage.merge import merge
from comparanda.tasks.label_maps import ONE_SIDED, note_one_sided_labels
from comparanda.tasks.labels.evaluation import evaluate_tags
from comparanda.tasks.task import Options
from tests.seeds import draws, first_few, mostly_slow
from tests.toy_task import (
    NAMES,
    ONE_AND_TWO,
    TWO_BY_TWO,
    Policy,
    findings,
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

WHERE = ("differs", "correction", "new_error", "agreement < 2", "majority_right")
EVERY = range(len(NAMES))
THREE = (EVERY[:2], EVERY[2:4], EVERY[4:])
POLICIES = [Policy(), Policy(ignore=("P", "D")), Policy("sentence"), Policy("row"), Policy("row", ignore=("P",))]


def result_of(verdicts: Verdicts) -> Result:
    return Result(verdicts, 100)


def said(verdicts: Verdicts, by: Sequence[str]) -> dict[str, str]:
    return printed(result_of(verdicts), by, WHERE)


@cache
def said_of_the_toy(policy: Policy, by: tuple[str, ...]) -> dict[str, str]:
    return said(verdicts_of(policy=policy), by)


def assert_says(merged: Verdicts, by: Sequence[str], expected: Mapping[str, str]) -> None:
    mine = said(merged, by)
    for name, text in expected.items():
        assert mine[name] == text, name
    assert mine.keys() == expected.keys()


def assert_same(merged: Verdicts, uncut: Verdicts, by: Sequence[str]) -> None:
    assert_says(merged, by, said(uncut, by))


def reopened(verdicts: Verdicts, folder: Path) -> Verdicts:
    result_of(verdicts).save(folder)
    return cp.open(folder).verdicts


# The toy


@pytest.mark.parametrize("policy", first_few(1, POLICIES), ids=str)
@pytest.mark.parametrize("systems", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
def test_three_parts_of_the_toy_are_the_uncut_toy(policy: Policy, systems: Any) -> None:
    parts = [verdicts_of(systems, part, policy) for part in THREE]
    by = ("word", "length", "plural", "label", "frequency", *(["genre"] if policy.unit == "document" else []))
    assert_same(merge(parts), verdicts_of(systems, policy=policy), by)


@pytest.mark.parametrize("policy", first_few(1, POLICIES), ids=str)
def test_saved_and_opened_parts_merge_to_the_same(policy: Policy, tmp_path: Path) -> None:
    parts = [reopened(verdicts_of(documents=part, policy=policy), tmp_path / str(part.start)) for part in THREE]
    by = ("word", "plural")
    assert_says(merge(parts), by, said_of_the_toy(policy, by))
    assert_says(reopened(merge(parts), tmp_path / "merged"), by, said_of_the_toy(policy, by))


@pytest.mark.parametrize("policy", first_few(1, POLICIES), ids=str)
def test_merging_step_by_step_is_merging_at_once(policy: Policy) -> None:
    one, two, three = (verdicts_of(documents=part, policy=policy) for part in THREE)
    at_once = said(merge([one, two, three]), ("word",))
    assert_says(merge([merge([one, two]), three]), ("word",), at_once)
    assert_says(merge([one, merge([two, three])]), ("word",), at_once)
    assert_same(merge([one]), one, ("word",))


@given(st.sets(st.sampled_from(EVERY[1:])), st.sampled_from(POLICIES))
@settings(deadline=None, max_examples=draws(15))
def test_the_toy_may_be_cut_anywhere(cuts: set[int], policy: Policy) -> None:
    bounds = [0, *sorted(cuts), len(EVERY)]
    parts = [range(begin, end) for begin, end in pairwise(bounds)]
    merged = merge([verdicts_of(documents=part, policy=policy) for part in parts])
    assert_says(merged, ("word",), said_of_the_toy(policy, ("word",)))


def test_an_attribute_that_only_one_part_has_is_missing_in_the_others() -> None:
    assert "genre" not in verdicts_of(documents=THREE[2]).view().sites.attributes
    merged = merge([verdicts_of(documents=part) for part in THREE])
    found = {each.value: each.sites for each in result_of(merged).slices("genre").slices}
    assert found == {"(none)": 8, "news": 8, "blog": 4}


def test_the_judges_own_statistics_and_items_stay_in_the_order_of_documents() -> None:
    merged, uncut = merge([verdicts_of(documents=part) for part in THREE]), verdicts_of()
    for name, values in uncut.view("partial").statistics.items():
        assert np.array_equal(merged.view("partial").statistics[name], values)
    mine, theirs = merged.view("partial").items, uncut.view("partial").items
    assert [mine.names[code] for code in mine.label] == [theirs.names[code] for code in theirs.label]
    for column in ("document", "sentence", "place", "positive"):
        assert np.array_equal(getattr(mine, column), getattr(theirs, column))
    for run in range(4):
        assert np.array_equal(mine.credit_of(run), theirs.credit_of(run))


def test_a_part_without_partial_credit_merges_with_one_that_has_some() -> None:
    def without(verdicts: Verdicts) -> Verdicts:
        view = verdicts.view("partial")
        items = view.items
        hard = replace(items, credit=None)
        assert all(np.array_equal(hard.credit_of(run), items.credit_of(run)) for run in range(4))
        return replace(verdicts, views={**verdicts.views, "partial": replace(view, given_items=hard)})

    middle = without(verdicts_of(documents=[2]))  # nobody is half right in the third document
    parts = [verdicts_of(documents=EVERY[:2]), middle, verdicts_of(documents=EVERY[3:])]
    assert_same(merge(parts), verdicts_of(), ())


def test_the_labels_of_given_items_may_come_in_any_order() -> None:
    def turned(items: Items) -> Items:
        last = len(items.names) - 1
        return replace(items, names=items.names[::-1], label=(last - items.label).astype(items.label.dtype))

    uncut = verdicts_of()
    views = {
        name: replace(view, given_items=turned(view.given_items) if view.given_items else None)
        for name, view in uncut.views.items()
    }
    assert_same(merge([verdicts_of(documents=part) for part in THREE]), replace(uncut, views=views), ())


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (verdicts_of(ONE_AND_TWO, EVERY[3:]), "the same systems"),
        (verdicts_of(documents=EVERY[3:], policy=Policy("row")), "the same unit"),
        (verdicts_of(documents=EVERY[3:], policy=Policy(ignore=("P",))), "the same settings"),
        (replace(verdicts_of(documents=EVERY[3:]), task="other"), "the same task"),
        (replace(verdicts_of(documents=EVERY[3:]), views={}), "the same views"),
        (verdicts_of(documents=EVERY[2:]), "the document 'c' is in two parts"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(other: Verdicts, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        merge([verdicts_of(documents=EVERY[:3]), other])


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(UsageError, match="no verdicts to merge"):
        merge([])


def test_sets_of_labels_do_not_merge_with_single_labels() -> None:
    plain = verdicts_of(documents=EVERY[:3])
    several = verdicts_of(documents=EVERY[3:])
    views = {
        name: replace(view, given_sites=replace(view.all_sites, parts=tuple((each,) for each in view.all_sites.names)))
        for name, view in several.views.items()
    }
    with pytest.raises(UsageError, match="the same views"):
        merge([plain, replace(several, views=views)])


def test_statistics_of_other_shapes_are_refused() -> None:
    def wide(verdicts: Verdicts) -> Verdicts:
        view = verdicts.view("partial")
        more = {name: np.repeat(values[:, :, None], 2, axis=2) for name, values in view.statistics.items()}
        return replace(verdicts, views={**verdicts.views, "partial": replace(view, statistics=more)})

    with pytest.raises(UsageError, match="'streak' has different shapes"):
        merge([verdicts_of(documents=EVERY[:3]), wide(verdicts_of(documents=EVERY[3:]))])


# Tags, from CoNLL-U


def conllu(names: Sequence[str], tags: Sequence[Sequence[Sequence[tuple[str, str]]]], genres: dict[str, str]) -> str:
    lines = []
    for name, sentences in zip(names, tags, strict=True):
        lines.append(f"# newdoc id = {name}")
        if name in genres:
            lines.append(f"# meta::genre = {genres[name]}")
        for sentence in sentences:
            for number, (word, tag) in enumerate(sentence, start=1):
                lines.append(f"{number}\t{word}\t_\t{tag}" + "\t_" * 6)
            lines.append("")
    return "\n".join(lines) + "\n"


WORDS = ("time", "flies", "like", "an", "arrow", "naïve")
TAGS = ("NOUN", "VERB", "ADP")


def write_corpus(folder: Path, seed: int, documents: int = 7) -> dict[str, list[Path]]:
    """Write a key and three systems, a file a document; one system has a tag of its own, one file odd line ends."""
    draw = random.Random(seed)
    files: dict[str, list[Path]] = {side: [] for side in ("key", "crf", "bert", "rules")}
    for number in range(documents):
        words = [[draw.choice(WORDS) for _ in range(draw.randint(1, 5))] for _ in range(draw.randint(1, 3))]
        gold = [[(word, draw.choice(TAGS)) for word in sentence] for sentence in words]
        for side, paths in files.items():
            tags = list(TAGS) if side != "rules" else [*TAGS, "FOO" if number > 4 else "NOUN"]
            share = 0.0 if side == "key" else 0.4
            said = [
                [(word, draw.choice(tags) if draw.random() < share else tag) for word, tag in sentence]
                for sentence in gold
            ]
            text = conllu([f"d{number}"], [said], {f"d{number}": "news"} if number < 2 else {})
            path = folder / f"{side}-{number}.conllu"
            ends = "\r\n" if (side, number) in {("crf", 1), ("crf", 4)} else "\n"
            path.write_bytes(text.replace("\n", ends).encode())
            paths.append(path)
    return files


def judged(files: dict[str, list[Path]], part: slice, *, marked: bool = True) -> Verdicts:
    """Judge some of the files."""
    sides = {name: read(load_files(paths[part], side=name), Request(side=name)) for name, paths in files.items()}
    corpora = list(sides.values()) if marked else [unmarked(side) for side in sides.values()]
    systems = [System(name, (number,)) for number, name in enumerate(list(sides)[1:])]
    return evaluate_tags(align_responses(corpora[0], corpora[1:]), systems, Options(column="upos"))


def unmarked(corpus: Corpus) -> Corpus:
    """Forget the documents, as if the files were one without marks."""
    ends = np.array([0, len(corpus.sentences) - 1], np.int64)
    return replace(corpus, documents=Documents(("corpus",), ends, marked=False))


@pytest.mark.parametrize("marked", first_few(1, [True, False]))
def test_three_parts_of_a_tagged_corpus_are_the_uncut_corpus(tmp_path: Path, *, marked: bool) -> None:
    files = write_corpus(tmp_path, seed=1)
    parts = [judged(files, part, marked=marked) for part in (slice(0, 2), slice(2, 5), slice(5, None))]
    uncut = judged(files, slice(None), marked=marked)
    assert uncut.units.kind == ("document" if marked else "sentence")
    by = ("word", "length", "position", "label", "frequency", *(["genre"] if marked else []))
    expected = said(uncut, by)
    assert_says(merge(parts), by, expected)
    opened = [reopened(part, tmp_path / f"part{number}") for number, part in enumerate(parts)]
    assert_says(merge(opened), by, expected)


@given(st.integers(0, 1000), st.sets(st.integers(1, 5)), st.booleans())
@settings(deadline=None, max_examples=draws(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_tagged_corpus_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cuts: set[int], marked: bool
) -> None:
    files = write_corpus(tmp_path_factory.mktemp("corpus"), seed, documents=6)
    bounds = [0, *sorted(cuts), 6]
    parts = [slice(begin, end) for begin, end in pairwise(bounds)]
    merged = merge([judged(files, part, marked=marked) for part in parts])
    assert_same(merged, judged(files, slice(None), marked=marked), ("word",))


def test_notes_add_up_and_those_about_the_whole_are_made_again(tmp_path: Path) -> None:
    files = write_corpus(tmp_path, seed=1)
    parts = [judged(files, slice(number, number + 1)) for number in range(7)]
    uncut = judged(files, slice(None))
    assert merge(parts).notes == uncut.notes
    assert [note.count for note in uncut.notes if "CRLF" in note.what] == [
        sum(note.count for part in parts for note in part.notes if "CRLF" in note.what)
    ]
    assert any(note.what in ONE_SIDED for part in parts[:5] for note in part.notes)
    assert [note.what for note in uncut.notes if note.what in ONE_SIDED] == ["labels the key never uses"]


def test_the_notes_made_again_are_those_of_the_judge(tmp_path: Path) -> None:
    """Merging knows these notes by their words; if the judge's words change, this test says so."""
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text(conllu(["d"], [[[("a", "NOUN"), ("b", "VERB")]]], {}))
    response.write_text(conllu(["d"], [[[("a", "FOO"), ("b", "VERB")]]], {}))
    verdicts = evaluate_systems(str(key), {"a": str(response)}, Setup(task="pos"))
    assert {note.what for note in note_one_sided_labels(verdicts.view(), verdicts.runs)} == ONE_SIDED


@pytest.mark.slow
def test_the_demo_in_three_files_is_the_demo_in_a_folder(tmp_path: Path) -> None:
    key, systems = demo_files()
    for side, path in {"key": key, **systems}.items():
        documents = ("\n" + Path(path).read_text()).split("\n# newdoc")
        assert not documents[0].strip()
        (tmp_path / side).mkdir()
        for number, part in enumerate((documents[1:11], documents[11:18], documents[18:])):
            text = "".join(f"# newdoc{document.rstrip()}\n\n" for document in part)
            (tmp_path / side / f"{number}.conllu").write_text(text)
    setup = Setup(task="pos", attributes=["genre", "xpos"])

    def judge_files(name: str) -> Verdicts:
        return evaluate_systems(f"{tmp_path}/key{name}", {side: f"{tmp_path}/{side}{name}" for side in systems}, setup)

    uncut = judge_files("")
    assert len(uncut.documents) == 30
    merged = merge([judge_files(f"/{number}.conllu") for number in range(3)])
    assert_same(merged, uncut, ("genre", "word", "length", "document"))
    whole = result_of(evaluate_systems(key, systems, setup))
    assert result_of(merged).anatomy(by=["genre"]).to_json() == whole.anatomy(by=["genre"]).to_json()


def test_rows_of_a_classification_merge_by_their_order() -> None:
    draw = random.Random(2)
    names = [f"r{number}" for number in range(40)]
    sides = {side: {name: draw.choice("xyz") for name in names} for side in ("key", "a", "b")}

    def judge_rows(chosen: Sequence[str]) -> Verdicts:
        data = {side: {name: labels[name] for name in chosen} for side, labels in sides.items()}
        return evaluate_systems(data["key"], {"a": data["a"], "b": data["b"]}, Setup(task="label"))

    merged = merge([judge_rows(names[:7]), judge_rows(names[7:30]), judge_rows(names[30:])])
    uncut = judge_rows(names)
    assert (uncut.units.kind, uncut.units.count) == ("row", 40)
    mine, theirs = (findings(result_of(each), ("id", "label"), WHERE) for each in (merged, uncut))
    for name, expected in theirs.items():
        if not re.search("examples|suspects|gate", name):  # the lines of Python data count from one in each part
            assert mine[name].to_json() == expected.to_json(), name
    for where in WHERE:
        words = [[e.word for e in result_of(each).examples(where, top=5).examples] for each in (merged, uncut)]
        assert words[0] == words[1]


@pytest.mark.parametrize("policy", mostly_slow(POLICIES, POLICIES[3:4]), ids=str)
def test_parts_without_texts_merge_too(policy: Policy) -> None:
    def bare(verdicts: Verdicts) -> Verdicts:
        return replace(verdicts, texts=type(verdicts.texts)())

    parts = [bare(verdicts_of(documents=part, policy=policy)) for part in THREE]
    assert_same(merge(parts), bare(verdicts_of(policy=policy)), ("word",))


def test_a_view_narrowed_in_all_parts_stays_narrowed() -> None:
    def plural(documents: Sequence[int]) -> Verdicts:
        return result_of(verdicts_of(documents=documents)).where("plural or not plural", view="partial").verdicts

    merged = merge([plural(part) for part in THREE])
    assert merged.view().lost == plural(EVERY).view().lost
    assert_same(merged, plural(EVERY), ("word",))


def test_a_document_without_sites_keeps_its_place() -> None:
    def bare(verdicts: Verdicts) -> Verdicts:
        views = {name: empty(view) for name, view in verdicts.views.items()}
        return replace(verdicts, views=views)

    def empty(view: View) -> View:
        return replace(view, given_sites=view.all_sites.take(np.arange(0)))

    middle = bare(verdicts_of(documents=THREE[1]))
    merged = merge([verdicts_of(documents=THREE[0]), middle, verdicts_of(documents=THREE[2])])
    assert merged.documents == tuple(NAMES)
    assert set(merged.view().sites.document.tolist()) == {0, 1, 4, 5, 6}
    (example,) = result_of(merged).examples("solved_by == 0", view="strict").examples
    assert (example.document, example.word) == ("e", "rained")


def test_sets_of_labels_merge_by_their_values() -> None:
    draw = random.Random(3)
    names = [f"r{number}" for number in range(30)]
    choices = [["x"], ["y"], ["x", "y"], ["x", "z|z"], []]
    sides = {side: {name: draw.choice(choices) for name in names} for side in ("key", "a", "b")}

    def judge_rows(chosen: Sequence[str]) -> Verdicts:
        data = {side: {name: labels[name] for name in chosen} for side, labels in sides.items()}
        return evaluate_systems(data["key"], {"a": data["a"], "b": data["b"]}, Setup(task="label"))

    merged, uncut = merge([judge_rows(names[:9]), judge_rows(names[9:17]), judge_rows(names[17:])]), judge_rows(names)
    assert merged.view().all_sites.parts == uncut.view().all_sites.parts
    assert "f1" in uncut.view().measures
    assert result_of(merged).anatomy().to_json() == result_of(uncut).anatomy().to_json()


def test_pieces_must_be_of_one_document() -> None:
    piece = verdicts_of(documents=EVERY[:3], policy=Policy("row"))
    with pytest.raises(UsageError, match="pieces of one document"):
        merge([piece, replace(piece, documents=("corpus", "more"))])


def test_an_attribute_must_be_of_one_type() -> None:
    other = verdicts_of(documents=EVERY[3:])
    views = {
        name: replace(
            view,
            given_sites=replace(
                view.all_sites,
                attributes={**view.all_sites.attributes, "plural": view.all_sites.attributes["length"]},
            ),
        )
        for name, view in other.views.items()
    }
    with pytest.raises(UsageError, match="'plural' has different types"):
        merge([verdicts_of(documents=EVERY[:3]), replace(other, views=views)])
