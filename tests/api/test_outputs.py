"""Outputs without a key: from inputs of every kind to how far they agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import AlignError, ReadError, Runs, UsageError
from comparanda.api.outputs import agreement_of
from comparanda.findings.agreement import Agreements

TEXT = "Ann met Bob in Leeds ."

Output = list[dict[str, Any]]


def output(*spans: tuple[str, ...], name: str = "d") -> Output:
    """Make an output of one document: texts with labels, and ids if there is a third."""
    found = []
    for text, label, *more in spans:
        begin = TEXT.index(text)
        found.append({"begin": begin, "end": begin + len(text), "label": label, **({"id": more[0]} if more else {})})
    return [{"id": name, "text": TEXT, "spans": found}]


A = output(("Ann", "PER"), ("Leeds", "LOC"))
B = output(("Ann", "PER"), ("Bob", "PER"))


def agreed(outputs: dict[str, Any], task: str = "span", **settings: Any) -> Agreements:
    return cp.agreement(outputs, task=task, resamples=0, **settings)


def scores(found: Agreements) -> list[tuple[str, str, float | None]]:
    return [(pair.first, pair.second, pair.score) for pair in found.pairs]


def trees(folder: Path, **heads: tuple[int, ...]) -> dict[str, str]:
    """Write trees by the heads of their words."""
    files = {}
    for name, given in heads.items():
        lines = [
            f"{place}\tw{place}\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_"
            for place, head in enumerate(given, start=1)
        ]
        (folder / f"{name}.conllu").write_text("\n".join(lines) + "\n\n")
        files[name] = str(folder / f"{name}.conllu")
    return files


# Every task


def test_tags() -> None:
    found = agreed({"a": ["X", "Y"], "b": ["X", "X"]}, "tag")
    assert (found.measure, found.cases, found.unit) == ("accuracy", "tokens", "sentence")
    assert scores(found) == [("a", "b", 0.5)]


def test_labels() -> None:
    found = agreed({"a": [("1", "X"), ("2", "Y")], "b": [("2", "Y"), ("1", "Y")]}, "label")
    assert (found.measure, found.cases, scores(found)) == ("accuracy", "rows", [("a", "b", 0.5)])


def test_sets_of_labels_are_values_as_a_whole() -> None:
    found = agreed({"a": [["X", "Y"], ["X"]], "b": [["X"], ["X"]]}, "label")
    assert (found.measure, found.pairs[0].score) == ("f1", 0.8)
    assert (found.pairs[0].diff, found.pairs[0].kappa.value) == (0.5, 0.0)


def test_trees(tmp_path: Path) -> None:
    found = agreed(trees(tmp_path, a=(0, 1, 1), b=(0, 1, 2), c=(2, 0, 2)), "dep")
    assert (found.view, found.measure, found.cases) == ("las", "las.accuracy", "tokens")
    assert scores(found) == [("a", "b", pytest.approx(2 / 3)), ("a", "c", 0.0), ("b", "c", pytest.approx(1 / 3))]
    by_heads = agreed(trees(tmp_path, a=(0, 1, 1), b=(0, 1, 2)), "dep", view="uas")
    assert by_heads.view == "uas"


def test_spans() -> None:
    found = agreed({"a": A, "b": B, "c": output()})
    assert scores(found) == [("a", "b", 0.5), ("a", "c", 0.0), ("b", "c", 0.0)]
    assert found.mean_distance == pytest.approx(1 - 0.5 / 3)
    assert [(row.document, row.sites, row.disagreed.count) for row in found.documents] == [("d", 3, 3)]


def test_links() -> None:
    a = output(("Ann", "PER", "Q1"), ("Leeds", "LOC", "Q2"))
    b = output(("Ann", "PER", "Q1"), ("Leeds", "LOC", "Q3"))
    found = agreed({"a": a, "b": b}, "link")
    assert scores(found) == [("a", "b", 0.5)]
    same_labels = agreed({"a": a, "b": b}).pairs[0]
    assert same_labels.kappa.value == 1.0  # of spans
    assert found.pairs[0].kappa.value == pytest.approx((5 / 6 - 17 / 36) / (1 - 17 / 36))  # of spans with their ids


def test_rules_and_their_views() -> None:
    near = output(("Ann met", "PER"))
    exact, partial = (
        agreed({"a": output(("Ann", "PER")), "b": near}, rules="semeval2013", view=view)
        for view in ("strict", "partial")
    )
    assert [exact.pairs[0].score, partial.pairs[0].score] == [0.0, 0.5]


# Who gives documents and words


def test_the_first_is_the_ground_unless_another_is_named() -> None:
    assert agreed({"a": A, "b": B}).reference == "a"
    found = agreed({"a": A, "b": B}, reference="b")
    assert (found.reference, scores(found)) == ("b", [("a", "b", 0.5)])
    with pytest.raises(UsageError, match="unknown output 'x'"):
        agreed({"a": A, "b": B}, reference="x")


def test_outputs_without_a_text_stand_on_the_ground() -> None:
    places = {"d": [{"begin": 0, "end": 3, "label": "PER"}, {"begin": 8, "end": 11, "label": "PER"}]}
    found = agreed({"a": A, "b": places, "c": dict(places)})
    assert scores(found) == [("a", "b", 0.5), ("a", "c", 0.5), ("b", "c", 1.0)]
    with pytest.raises(UsageError, match=r"'b' has no words.*\n.*choose another output with --reference: a"):
        agreed({"b": places, "a": A})
    assert scores(agreed({"b": places, "a": A}, reference="a")) == [("b", "a", 0.5)]


def test_answers_of_language_models(tmp_path: Path) -> None:
    """What is invented covers no word; that two invent the same is agreement of F1."""
    files = {}
    for name, items in {"one": ["Ann", "Zoe"], "two": ["Leeds", "Zoe"]}.items():
        answer = json.dumps([{"text": text, "label": "PER"} for text in items])
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "d", "answer": answer}) + "\n")
        files[name] = f"{tmp_path / name}.jsonl::llm"
    found = agreed({"a": output(("Ann", "PER")), **files})
    assert scores(found) == [("a", "one", pytest.approx(2 / 3)), ("a", "two", 0.0), ("one", "two", 0.5)]
    assert [pair.kappa.value for pair in found.pairs] == [1.0, pytest.approx(-0.2), pytest.approx(-0.2)]


def test_pieces_of_spans_cover_their_words_alone() -> None:
    pieces = output()
    pieces[0]["spans"] = [{"fragments": [[0, 3], [8, 11]], "label": "PER"}]
    found = agreed({"a": pieces, "b": B})
    assert (found.pairs[0].score, found.pairs[0].kappa.value) == (0.0, 1.0)


def test_a_word_that_is_covered_in_part_is_covered() -> None:
    inside = output()
    inside[0]["spans"] = [{"begin": 1, "end": 3, "label": "PER"}, {"begin": 4, "end": 4, "label": "PER"}]
    found = agreed({"a": inside, "b": output(("Ann", "PER"))})
    assert found.pairs[0].kappa.value == 1.0  # and a span without length covers none


def test_words_that_are_cut_otherwise() -> None:
    found = agreed({"a": [[("New York", "A"), ("is", "B")]], "b": [[("New", "A"), ("York", "A"), ("is", "B")]]}, "tag")
    pair = found.pairs[0]
    assert (pair.score, pair.kappa.cases) == (0.5, 1)
    assert pair.turned == pytest.approx(1 / 3)


# Documents that one of them lacks

MORE = [*A, *output(("Bob", "PER"), name="e")]


def test_they_are_an_error_by_default() -> None:
    with pytest.raises(AlignError, match="missing here: 'e'"):
        agreed({"a": MORE, "b": B})


def test_they_may_be_empty() -> None:
    found = agreed({"a": MORE, "b": B}, missing="empty")
    assert found.pairs[0].score == pytest.approx(2 * 1 / 5)
    assert [(row.document, row.disagreed.share) for row in found.documents] == [("e", 1.0), ("d", 2 / 3)]
    assert found.alpha.cases == 12


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_they_may_be_left_out(order: str) -> None:
    outputs = {"a": MORE, "b": B}
    found = agreed({name: outputs[name] for name in order}, missing="intersection")
    assert (found.pairs[0].score, found.pairs[0].turned, found.pairs[0].sites) == (0.5, 0.5, 3)
    assert found.alpha.cases == 6
    assert [row.document for row in found.documents] == ["d"]


# Settings


def test_a_label_map_is_that_of_its_output_wherever_it_stands() -> None:
    lower = output(("Ann", "per"), ("Leeds", "LOC"))
    for outputs in ({"a": A, "b": lower}, {"b": lower, "a": A}):
        assert agreed(outputs, maps={"b": {"per": "PER"}}).pairs[0].score == 1.0
        assert agreed(outputs, maps={"all": {"per": "P", "PER": "P"}}).pairs[0].score == 1.0
    with pytest.raises(UsageError, match="label map for an unknown side: 'key'"):
        agreed({"a": A, "b": B}, maps={"key": {"per": "PER"}})


def test_runs_are_outputs() -> None:
    found = agreed({"gpt": Runs(A, B), "crf": output(("Ann", "per"))}, maps={"gpt": {"PER": "per"}})
    assert found.outputs == ("gpt#1", "gpt#2", "crf")
    assert [pair.score for pair in found.pairs] == pytest.approx([0.5, 2 / 3, 2 / 3])


def test_notes_speak_of_the_ground() -> None:
    outputs = {"a": MORE, "b": output(("Ann", "per"))}
    _, result = agreement_of(outputs, None, None, {"task": "span", "missing": "empty"}, resamples=0)
    said = [str(note) for note in result.notes]
    assert "b: documents of 'a' missing here: 1 (e)" in said
    assert not any("the key" in note for note in said)


def test_strict_refuses_what_there_is_to_note() -> None:
    with pytest.raises(ReadError, match="the input produced warnings"):
        agreed({"a": MORE, "b": B}, missing="empty", strict=True)


@pytest.mark.parametrize(
    ("outputs", "settings", "problem"),
    [
        ({"a": A}, {}, "agreement requires at least two outputs"),
        ({}, {}, "agreement requires at least two outputs"),
        ({"a": A, "b": B}, {"rulez": "exact"}, "agreement: unknown option 'rulez' .did you mean 'rules'"),
        ({"a": A, "b": B}, {"task": "spam"}, "unknown task 'spam'"),
        ({"key": A, "b": B}, {}, "a system cannot be named 'key'"),
        ({"a": A, "b": B}, {"view": "loose"}, "unknown view 'loose'"),
    ],
)
def test_what_cannot_be_asked(outputs: dict[str, Any], settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        agreed(outputs, **{"task": "span", **settings})


def test_a_task_must_be_named() -> None:
    with pytest.raises(UsageError, match="which task"):
        cp.agreement({"a": A, "b": B})


def test_scores_that_are_undefined_can_be_forced() -> None:
    nothing = {"a": output(), "b": output()}
    assert agreed(nothing).mean_score is None
    assert agreed(nothing, zero_division=1.0).mean_score == 1.0


def test_it_agrees_with_the_agreement_of_keys() -> None:
    """Where both exist they tell the same: F1 of annotators, each against those before."""
    keys = {"ann": A, "bea": B, "cy": output(("Bob", "LOC"), ("Ann", "PER"))}
    found = cp.compare_keys(keys, {"crf": A}, task="span", resamples=0)
    assert [(each.first, each.second, each.value) for each in found.agreement] == scores(agreed(keys))
