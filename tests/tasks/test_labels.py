"""The judge of tags and labels: from aligned corpora to sites."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from comparanda.api.comparison import compare
from comparanda.core.sites import ABSENT
from tests import reference
from tests.findings.populations import Population, close, identity, populations, sets, written
from tests.tasks.corpora import corpus, labels, notes, result, table, tags

KEY = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A")]])


def test_a_site_is_a_token_with_document_sentence_and_place() -> None:
    sites = tags(KEY, corpus("x", [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]])).view().sites
    assert sites.document.tolist() == [0, 0, 0, 1]
    assert sites.sentence.tolist() == [0, 0, 1, 2]
    assert sites.place.tolist() == [0, 1, 2, 0]
    assert sites.names == ("A", "B", "C")
    assert [sites.names[code] for code in sites.key.tolist()] == ["A", "B", "C", "A"]
    assert [sites.names[code] for code in sites.values[0].tolist()] == ["A", "C", "C", "B"]


def test_codes_depend_on_the_set_of_values_alone() -> None:
    one = tags(KEY, corpus("x", [[("a", "Z"), ("b", "A")], [("c", "C")]], [[("d", "B")]])).view().sites
    two = tags(KEY, corpus("x", [[("a", "A"), ("b", "Z")], [("c", "B")]], [[("d", "C")]])).view().sites
    assert one.names == two.names == ("A", "B", "C", "Z")


def test_a_document_that_a_response_lacks_is_absent_there() -> None:
    verdicts = tags(KEY, corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]]), missing="empty")
    sites = verdicts.view().sites
    assert [sites.names[code] for code in sites.values[0].tolist()] == ["A", "B", "C", ABSENT]
    scores = result(verdicts).scores("accuracy", "precision", "recall")
    assert [score.value for score in scores.scores] == [0.75, 1.0, 0.75]
    assert "x: documents of the key missing here: 1 (d1)" in notes(verdicts)


def test_documents_are_units_where_the_key_marks_them_else_sentences_and_rows() -> None:
    marked = tags(KEY, corpus("x", [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]]))
    assert (marked.units.kind, marked.units.count) == ("document", 2)
    plain = corpus("key", [[("a", "A")], [("b", "B")]], names=None)
    unmarked = tags(plain, corpus("x", [[("a", "A")], [("b", "B")]], names=None))
    assert (unmarked.units.kind, unmarked.units.count) == ("sentence", 2)
    rows = labels(table("key", {"1": "A", "2": "B", "3": "C"}), table("x", {"1": "A", "2": "B", "3": "C"}))
    assert (rows.units.kind, rows.units.count) == ("row", 3)


def test_rows_are_found_by_their_ids_in_any_order() -> None:
    key = table("key", {"1": "A", "2": "B", "3": "C"})
    shuffled = table("x", {"3": "C", "1": "B", "2": "B"})
    found = result(labels(key, shuffled))
    assert found.scores("accuracy").scores[0].part == 2
    assert [row.label for row in found.combination().labels if row.oracle_right] == ["B", "C"]


@identity(populations(documents=(1, 6)) | sets)
def test_the_order_of_rows_in_a_response_does_not_matter(population: Population) -> None:
    """Rows are matched by id; a row left out is absent."""
    ids = [f"r{site}" for site in range(len(population))]

    def written_rows(values: tuple[reference.Value, ...], step: int) -> dict[str, list[str]]:
        rows = {name: sorted(reference.labels_of(v)) for name, v in zip(ids, values, strict=True) if v is not None}
        return dict(list(rows.items())[::step])

    responses = [
        table(f"s{number}", written_rows(values, -1), several=True)
        for number, values in enumerate(population.systems.values())
        if any(value is not None for value in values)
    ]
    columns = [values for values in population.systems.values() if any(value is not None for value in values)]
    if not responses:
        return
    verdicts = labels(table("key", written_rows(population.key, 1), several=True), *responses, missing="empty")
    found = result(verdicts).scores("f1", "accuracy")
    for number, values in enumerate(columns):
        assert close(found.value(f"s{number}", "f1"), reference.f1(reference.counts(population.key, values)))
        right = reference.right(population.key, values)
        assert close(found.value(f"s{number}", "accuracy"), reference.ratio(right, len(population)))


@identity(populations(absent=False))
def test_lists_of_tags_give_the_numbers_of_the_reference(population: Population) -> None:
    """The public face on plain Python lists agrees with the definitions."""
    found = compare(
        [written(value) for value in population.key],
        {name: [written(value) for value in values] for name, values in population.systems.items()},
        task="tag",
        resamples=0,
    )
    for name, values in population.systems.items():
        expected = reference.ratio(reference.right(population.key, values), len(population))
        assert close(found.scores("accuracy").value(name), expected)
    if len(population.systems) > 1:
        first, second = list(population.systems.values())[:2]
        counts = reference.classes(population.key, first, second)
        difference = found.difference(*list(population.systems)[:2])
        assert {each.name: each.count for each in difference.classes} == {
            each.name: counts[each.name] for each in difference.classes
        }


def test_only_chosen_labels_count_and_the_rest_is_left_out_with_its_reason() -> None:
    other = corpus("x", [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]])
    chosen = tags(KEY, other, only=("A",)).view()
    assert (len(chosen.sites), chosen.left_out_counts) == (2, {"label not chosen": 2})
    ignored = tags(KEY, other, ignore=("A",)).view()
    assert (len(ignored.sites), ignored.left_out_counts) == (2, {"label ignored": 2})
    both = tags(KEY, other, only=("A", "B"), ignore=("A",)).view()
    assert (len(both.sites), both.left_out_counts) == (1, {"label ignored": 2, "label not chosen": 1})


def test_of_a_set_of_labels_one_is_enough_to_be_chosen_or_ignored() -> None:
    key = table("key", {"1": ["a", "b"], "2": ["b"], "3": []}, several=True)
    other = table("x", {"1": ["a"], "2": ["b"], "3": ["a"]}, several=True)
    assert len(labels(key, other, only=("a",)).view().sites) == 1
    assert len(labels(key, other, ignore=("a",)).view().sites) == 2


def test_what_is_chosen_is_folded_too() -> None:
    other = corpus("x", [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]])
    assert len(tags(KEY, other, only=("A",), fold_case=True).view().sites) == 2
    assert len(tags(KEY, other, ignore=("A",), fold_case=True).view().sites) == 2


def test_without_any_site_every_ratio_is_undefined() -> None:
    """A part of a corpus may hold no chosen label; that is no error, and nothing is divided by zero."""
    rows = [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]]
    empty = replace(result(tags(KEY, corpus("x", *rows), corpus("y", *rows), only=("Q",))), resamples=10)
    assert [score.value for score in empty.scores("accuracy", "f1", "macro_f1", "sentences").scores] == [None] * 8
    difference = empty.difference("x", "y")
    assert (difference.sites, difference.diff, difference.accuracy_difference) == (0, None, None)
    assert empty.pairs().pairs[0].overlap_all is None
    assert empty.combination().overall.oracle is None
    assert empty.combination().labels == ()
    assert empty.significance().tests[0].p is None
    assert empty.slices("label").slices == ()
    assert empty.examples("differs").count == 0


def test_only_the_common_rows_count_when_missing_documents_are_cut_out() -> None:
    verdicts = tags(KEY, corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]]), missing="intersection")
    sites = verdicts.view().sites
    assert len(sites) == 3
    assert ABSENT not in {sites.names[code] for code in sites.values[0].tolist()}
    assert "key: rows left out because a system output lacks them: 1" in notes(verdicts)


def test_attributes_of_the_key_are_offered() -> None:
    other = corpus("x", [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]])
    sites = tags(KEY, other, train=frozenset({"a", "c"})).view().sites
    made = {name: attribute.make() for name, attribute in sites.attributes.items()}
    assert np.asarray(made["length"]).tolist() == [2, 2, 1, 1]
    assert np.asarray(made["position"]).tolist() == [1, 2, 1, 1]
    assert np.asarray(made["seen"]).tolist() == [True, False, True, False]
    assert {name: attribute.type for name, attribute in sites.attributes.items()} == {
        "word": "text",
        "seen": "truth",
        "length": "number",
        "position": "number",
    }


def test_settings_are_on_record() -> None:
    other = corpus("x", [[("a", "A"), ("b", "C")], [("c", "C")]], [[("d", "B")]])
    verdicts = tags(replace(KEY, evaluated="xpos"), other, maps={"x": {"A": "B"}}, fold_case=True, ignore=("Q",))
    assert dict(verdicts.settings) == {"column": "xpos", "map[x]": "1", "case": "folded", "ignored": "Q"}
