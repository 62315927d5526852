"""Samples are written after https://labelstud.io/guide/task_format, /guide/export and /tags/labels."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import doccano, elevant, hugging_face, prodigy
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.label_studio import FORMAT, sniff
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TEXT = "Anna met Bo\nin Łódź. 😀 Ida"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def region(begin: Any, end: Any, *labels: str, id_: str = "r1", value: Any = None, **fields: Any) -> dict[str, Any]:
    """A labelled region of a text, as it stands in `result`."""
    found = {"start": begin, "end": end, "labels": list(labels)} | (value or {})
    return {"id": id_, "from_name": "label", "to_name": "text", "type": "labels", "value": found} | fields


ANNA = region(0, 4, "PER", value={"text": "Anna"})
BO = region(9, 11, "PER", id_="r2", value={"text": "Bo"})


def annotation(*result: Any, by: Any = 1, **fields: Any) -> dict[str, Any]:
    return {"id": 5, "completed_by": by, "result": list(result), "was_cancelled": False} | fields


def task(*annotations: dict[str, Any], number: int = 1, data: Any = None, **fields: Any) -> dict[str, Any]:
    return {"id": number, "data": {"text": TEXT} | (data or {}), "annotations": list(annotations)} | fields


def read(*tasks: dict[str, Any] | str, options: str = "") -> Corpus:
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in tasks]
    given = lines[0] if isinstance(tasks[0], str) else "[" + ",\n".join(lines) + "]"
    Path("d.json").write_text(given + "\n", encoding="utf-8")
    return read_input(Input.parse(f"d.json::label-studio{options}"), Request(side="key", layer="spans"), "tokens")


def refused(*tasks: dict[str, Any] | str, options: str = "", code: int = 3) -> str:
    return refusal(read, *tasks, options=options, code=code)


class TestTasks:
    def test_an_export(self) -> None:
        second = task(annotation(by={"id": 2, "email": "bo@x.org"}), number=8)
        corpus = read(task(annotation(ANNA, BO), data={"source": "news"}), second)
        assert spans(corpus) == [("1", 0, 4, "PER"), ("1", 9, 11, "PER")]
        assert corpus.documents.names == ("1", "8")
        assert {name: column.values() for name, column in corpus.documents.attributes.items()} == {
            "source": ["news", None],
            "annotator": ["1", "bo@x.org"],
        }
        assert said(corpus, "text") == ["Anna", "Bo"]
        assert (span_lines(corpus), words(corpus)[:2]) == (["d.json:1", "d.json:1"], ["Anna", "met"])
        assert (corpus.format, notes(corpus)) == ("label-studio", [])

    def test_completions_as_they_were_called_before_2021(self) -> None:
        old = {"id": 1, "data": {"text": TEXT}, "completions": [{"id": 1, "result": [ANNA], "created_at": 1609789589}]}
        assert spans(read(old)) == [("1", 0, 4, "PER")]

    def test_one_task_a_line(self) -> None:
        lines = [json.dumps(task(annotation(ANNA), number=number)) for number in (1, 2)]
        assert spans(read("\n".join(lines))) == [("1", 0, 4, "PER"), ("2", 0, 4, "PER")]

    def test_several_labels_are_several_spans(self) -> None:
        corpus = read(task(annotation(region(0, 4, "PER", "SUBJECT", score=0.5))))
        assert spans(corpus) == [("1", 0, 4, "PER"), ("1", 0, 4, "SUBJECT")]
        assert said(corpus, "probability") == [0.5, 0.5]

    def test_without_a_label(self) -> None:
        corpus = read(task(annotation(region(0, 4))))
        assert spans(corpus) == [("1", 0, 4, "ENTITY")]
        assert notes(corpus) == ["key: regions without a label, read as ENTITY: 1 (d.json:1)"]

    def test_tasks_without_annotations_are_passed_over(self) -> None:
        corpus = read(task(annotation(ANNA)), task(number=2), task(annotation(BO, was_cancelled=True), number=3))
        assert corpus.documents.names == ("1",)
        assert notes(corpus) == [
            "key: tasks without an annotation ignored: 2 (d.json:2, d.json:3)",
            "key: cancelled annotations ignored: 1 (d.json:3)",
        ]

    def test_nothing_is_annotated(self) -> None:
        assert refused(task()) == (
            "d.json: no task has an annotation\n  use ?predictions=yes to read the predictions of a model"
        )

    def test_drafts_are_passed_over(self) -> None:
        assert notes(read(task(annotation(ANNA), drafts=[{"result": [BO]}]))) == ["key: drafts ignored: 1 (d.json:1)"]


class TestWhatIsSaidOfRegions:
    def test_by_controls_for_each_region(self) -> None:
        def control(kind: str, name: str, region_: str, **value: Any) -> dict[str, Any]:
            return {"id": region_, "from_name": name, "to_name": "text", "type": kind, "value": value}

        corpus = read(
            task(
                annotation(
                    control("choices", "confidence", "r1", start=0, end=4, choices=["low"]),
                    ANNA,
                    BO | {"meta": {"text": ["really?"]}},
                    control("textarea", "id", "r2", start=9, end=11, text=["Q1", "nil"]),
                    control("number", "age", "r2", start=9, end=11, number=7),
                    control("choices", "role", "r1", choices=["a", "b"]),
                )
            )
        )
        assert said(corpus, "confidence") == ["low", None]
        assert said(corpus, "id") == [None, "Q1|NIL"]
        assert said(corpus, "role") == ["a|b", None]
        assert said(corpus, "age")[1] == 7
        assert said(corpus, "note") == [None, "really?"]
        assert notes(corpus) == []

    def test_relations_and_the_like_are_passed_over(self) -> None:
        others = (
            {"from_id": "r1", "to_id": "r2", "type": "relation", "direction": "right"},
            {"id": "c1", "from_name": "topic", "to_name": "text", "type": "choices", "value": {"choices": ["sport"]}},
            {"id": "r1", "from_name": "kind", "type": "taxonomy", "value": {"taxonomy": [["a", "b"]]}},
            {"id": "c2", "from_name": "topic", "to_name": "text", "type": "choices", "value": {"choices": ["news"]}},
        )
        assert notes(read(task(annotation(ANNA, BO, *others)))) == [
            "key: results of type 'relation' ignored: 1 (d.json:1)",
            "key: results of type 'choices' ignored: 2 (d.json:1, d.json:1)",
            "key: results of type 'taxonomy' ignored: 1 (d.json:1)",
        ]


class TestSeveralAnnotations:
    TASK = task(
        annotation(ANNA, by=1, created_at="2024-02-01T00:00:00Z"),
        annotation(BO, by={"id": 2, "email": "bo@x.org"}, ground_truth=True, created_at="2024-01-01T00:00:00Z"),
    )

    def test_are_refused(self) -> None:
        assert refused(self.TASK) == (
            "d.json:1: the task 1 has 2 annotations: by 1, bo@x.org\n"
            "  choose: ?annotator=1, ?annotations=first, ?annotations=last or ?annotations=ground-truth"
        )

    @pytest.mark.parametrize(
        ("option", "begin"),
        [
            ("annotator=1", 0),
            ("annotator=2", 9),
            ("annotator=bo@x.org", 9),
            ("annotations=first", 9),
            ("annotations=last", 0),
            ("annotations=ground-truth", 9),
        ],
    )
    def test_one_is_chosen(self, option: str, begin: int) -> None:
        assert [span[1] for span in spans(read(self.TASK, options=f"?{option}"))] == [begin]

    def test_what_is_not_chosen_is_counted(self) -> None:
        assert notes(read(self.TASK, options="?annotator=1")) == ["key: annotations by others ignored: 1 (d.json:1)"]
        assert notes(read(self.TASK, options="?annotations=ground-truth")) == [
            "key: annotations that are not ground truth ignored: 1 (d.json:1)"
        ]

    def test_without_times_they_are_in_order(self) -> None:
        both = task(annotation(ANNA), annotation(BO, by=2))
        assert spans(read(both, options="?annotations=first"))[0][1] == 0
        assert spans(read(both, options="?annotations=last"))[0][1] == 9

    def test_an_annotator_who_is_not_there(self) -> None:
        assert refused(self.TASK, options="?annotator=7") == (
            "d.json: no annotations by '7'\n  annotators: 1, bo@x.org"
        )

    def test_another_choice(self) -> None:
        assert refused(self.TASK, options="?annotations=best", code=2).startswith("invalid annotations='best'")


TWO_MODELS = (
    {"model_version": "a", "score": 0.7, "result": [region(0, 4, "PER", score=0.9)]},
    {"model_version": "b", "result": [region(9, 11, "PER", score=0.8)]},
)


class TestPredictions:
    def test_of_the_only_model(self) -> None:
        corpus = read(task(annotation(BO), predictions=[TWO_MODELS[0]]), options="?predictions=yes")
        assert (spans(corpus), said(corpus, "probability")) == ([("1", 0, 4, "PER")], [0.9])

    def test_of_several_one_is_named(self) -> None:
        given = task(predictions=[TWO_MODELS[0], TWO_MODELS[1]])
        assert spans(read(given, options="?predictions=b")) == [("1", 9, 11, "PER")]
        assert refused(given, options="?predictions=yes") == (
            "d.json:1: the task 1 has 2 predictions: by a, b\n"
            "  choose: ?predictions=MODEL, ?annotations=first, ?annotations=last"
        )
        assert refused(given, options="?predictions=c") == (
            "d.json: no task has a prediction by this model\n  use ?predictions=yes to read those of any model"
        )

    def test_tasks_without_any_are_passed_over(self) -> None:
        corpus = read(task(predictions=[TWO_MODELS[0]]), task(annotation(ANNA), number=2), options="?predictions=yes")
        assert notes(corpus) == ["key: tasks without a prediction ignored: 1 (d.json:2)"]

    def test_their_numbers_alone(self) -> None:
        assert spans(read(task(annotation(ANNA), predictions=[17]))) == [("1", 0, 4, "PER")]
        assert refused(task(annotation(ANNA), predictions=[17]), options="?predictions=yes") == (
            "d.json:1: 'predictions[0]' is an integer, not an object\n"
            "  export the complete predictions, not only their ids"
        )


class TestNamesAndTexts:
    def test_a_well_known_field_of_the_data_goes_before_the_number(self) -> None:
        assert read(task(annotation(), data={"doc_id": "x"})).documents.names == ("x",)
        assert read(task(annotation(), data={"id": 9})).documents.names == ("9",)
        assert read(task(annotation(), data={"id": 9}), options="?document=task").documents.names == ("1",)

    def test_another_field(self) -> None:
        given = task(annotation(ANNA), data={"url": "a/b"})
        assert read(given, options="?document=url").documents.names == ("a/b",)
        assert refused(given, options="?document=name") == "d.json:1: there is no 'data.name'\n  fields: text, url"
        assert refused(given, task(annotation(), number=2), options="?document=url") == (
            "d.json:2: the task has no 'data.url' to name it by"
        )

    def test_two_tasks_of_one_name(self) -> None:
        one = task(annotation(ANNA))
        assert refused(one, one).startswith("d.json:2: duplicate document '1'\n")

    def test_the_text_may_be_in_another_field(self) -> None:
        given = {"id": 1, "data": {"body": TEXT}, "annotations": [annotation(ANNA)]}
        assert words(read(given, options="?text=body"))[0] == "Anna"
        assert (
            refused(given)
            == "d.json:1: there is no 'data.text'\n  name the field of the text: ?text=FIELD; fields: body"
        )

    def test_dialogues_are_no_text(self) -> None:
        assert refused(task(annotation(ANNA), data={"text": [{"author": "A", "text": "Hi"}]})) == (
            "d.json:1: 'data.text' is an array, not a string\n"
            "  choose another field: ?text=FIELD; only regions of one text are read"
        )

    def test_regions_of_two_texts(self) -> None:
        assert refused(task(annotation(ANNA, BO | {"to_name": "title"}))) == (
            "d.json:1: regions are of two texts, 'text' and 'title' (to_name)\n"
            "  make a file for each text: a document has one"
        )


class TestPlaces:
    def test_old_exports_count_utf_16_which_the_text_tells(self) -> None:
        corpus = read(task(annotation(region(24, 27, "PER", value={"text": "Ida"}))))
        assert spans(corpus) == [("1", 23, 26, "PER")]
        assert notes(corpus) == [
            "key: spans whose offsets count UTF-16 units (as JavaScript and Java do), as their stated text shows: 1"
        ]

    def test_without_the_text_it_may_be_said(self) -> None:
        corpus = read(task(annotation(region(24, 27, "PER"))), options="?offsets=utf-16")
        assert spans(corpus) == [("1", 23, 26, "PER")]

    def test_line_ends_are_written_as_backslash_and_n(self) -> None:
        corpus = read(task(annotation(region(9, 19, "X", value={"text": "Bo\\nin Łódź"}))))
        assert (notes(corpus), said(corpus, "text")) == ([], ["Bo\nin Łódź"])

    def test_digits_are_numbers(self) -> None:
        assert spans(read(task(annotation(region("0", "4", "PER"))))) == [("1", 0, 4, "PER")]

    def test_global_offsets_of_regions_with_their_text(self) -> None:
        value = {"startOffset": 0, "endOffset": 4, "text": "Anna", "globalOffsets": {"start": 0, "end": 4}}
        html = region("/p[1]/text()[1]", "/p[1]/text()[1]", "PER", value=value)
        assert spans(read(task(annotation(html)))) == [("1", 0, 4, "PER")]
        del html["value"]["text"]
        assert refused(task(annotation(html))) == (
            "d.json:1: 'annotations[0].result[0].value' begins at '/p[1]/text()[1]',"
            " a position in HTML or in paragraphs, not in plain text\n"
            "  export regions of plain text, or with globalOffsets and their text"
        )

    def test_other_names_of_labels(self) -> None:
        value = {"start": 0, "end": 4, "text": "Anna", "hypertextlabels": ["PER"]}
        assert spans(read(task(annotation(ANNA | {"type": "hypertextlabels", "value": value})))) == [("1", 0, 4, "PER")]

    def test_places_in_paragraphs(self) -> None:
        value = {"startOffset": 0, "endOffset": 4, "paragraphlabels": ["PER"], "start": "2", "end": "2"}
        assert "begins at '2', a position in HTML or in paragraphs" in refused(
            task(annotation(ANNA | {"type": "paragraphlabels", "value": value}))
        )


RECORD = {
    "text": TEXT,
    "source": "news",
    "id": 3,
    "label": [{"start": 0, "end": 4, "text": "Anna", "labels": ["PER"]}],
    "topic": "sport",
    "annotator": 1,
    "annotation_id": 5,
    "created_at": "2024-01-01T00:00:00Z",
    "updated_at": "2024-01-01T00:00:00Z",
    "lead_time": 1.5,
}


class TestRecords:
    """JSON-MIN: the data and the values, one record an annotation."""

    def test_a_record(self) -> None:
        corpus = read(RECORD, RECORD | {"id": 4, "label": []})
        assert spans(corpus) == [("3", 0, 4, "PER")]
        assert corpus.documents.names == ("3", "4")
        assert {name: column.values()[0] for name, column in corpus.documents.attributes.items()} == {
            "source": "news",
            "topic": "sport",
            "annotator": "1",
        }
        assert notes(corpus) == []

    def test_several_annotators_stand_together(self) -> None:
        other = RECORD | {"annotator": 2, "label": [{"start": 9, "end": 11, "labels": ["PER"]}]}
        assert refused(RECORD, other).startswith("d.json:1: the task 3 has 2 annotations: by 1, 2\n")
        assert spans(read(RECORD, other, options="?annotator=2")) == [("3", 9, 11, "PER")]

    def test_what_is_no_region_is_passed_over(self) -> None:
        given = RECORD | {"kinds": [{"taxonomy": [["a"]]}]}
        assert notes(read(given)) == ["key: results of type 'kinds' ignored: 1 (d.json:1)"]

    def test_where_something_is_wrong(self) -> None:
        broken = RECORD | {"label": [{"start": 0, "end": None, "labels": ["PER"]}]}
        assert refused(broken) == "d.json:1: missing 'label[0].end', expected an integer"

    def test_beside_whole_tasks(self) -> None:
        assert refused(RECORD, task(annotation(ANNA))) == (
            "d.json:2: this task has 'data', but the first has none: JSON and JSON-MIN are mixed"
        )
        assert refused(task(annotation(ANNA)), RECORD) == (
            "d.json:2: this task has no 'data', but the first does: JSON and JSON-MIN are mixed"
        )


class TestDefects:
    @pytest.mark.parametrize(
        ("result", "message"),
        [
            (
                "x",
                "'annotations[0].result[0]' is a string, not an object\n  check that this is an export of Label Studio",
            ),
            (region(0, None, "X"), "missing 'annotations[0].result[0].value.end', expected an integer"),
            (region(0.5, 4, "X"), "'annotations[0].result[0].value.start' is 0.5, not an integer"),
            (region(0, 4, ""), "'annotations[0].result[0]' has the label '', which is not a string"),
        ],
    )
    def test_malformed_regions(self, result: Any, message: str) -> None:
        assert refused(task(annotation(result))) == f"d.json:1: {message}"

    def test_malformed_tasks(self) -> None:
        assert refused(task() | {"data": "x"}) == "d.json:1: 'data' is a string, not an object"
        assert refused(task() | {"annotations": {}}) == "d.json:1: 'annotations' is an object, not an array"
        assert refused(task(annotation(ANNA)) | {"id": None}) == "d.json:1: the task has no 'id' to name it by"

    def test_outside_of_the_text(self) -> None:
        assert refused(task(annotation(region(0, 90, "X")))).startswith(
            "d.json:1: annotations[0].result[0] of document '1' ends at 90, but the text has 26 characters\n"
        )

    def test_cut_off(self) -> None:
        text = json.dumps([task(annotation(ANNA))], indent=1)
        assert refused(text[:-40]).startswith("d.json:26: the JSON array is cut off\n")

    @pytest.mark.parametrize("bracket", ["[", '{"data":', '[{"data":{"text":"x"},"annotations":'])
    def test_ten_million_brackets(self, bracket: str) -> None:
        begin = time.process_time()
        assert refused(bracket * (10_000_000 // len(bracket))).startswith("d.json:1: ")
        assert time.process_time() - begin < 5


class TestSniff:
    @pytest.mark.parametrize("given", [task(annotation(ANNA)), RECORD, task(predictions=[TWO_MODELS[0]])])
    def test_exports_are_told(self, given: dict[str, Any]) -> None:
        for text in (json.dumps([given]), json.dumps([given], indent=2), json.dumps(given)):
            lines = text.split("\n")
            assert sniff(lines)
            assert not any(each.sniff(lines) for each in (doccano, elevant, hugging_face, prodigy))
        Path("d.json").write_text(json.dumps([given]))
        request = Request(side="key", layer="spans", options={"predictions": "yes"} if "predictions" in given else {})
        assert read_input(Input(path="d.json"), request, "tokens").format == "label-studio"

    def test_one_long_line_that_is_cut_off(self) -> None:
        assert sniff([json.dumps([task(annotation(ANNA))] * 9)[:200]])

    @pytest.mark.parametrize(
        "line",
        [
            '{"data": [1, 2], "annotations": []}',
            '{"text": "Anna", "annotations": [{"start_offset": 0, "end_offset": 4, "label": 1}]}',
            '{"id": 1, "annotator": "x", "spans": []}',
            "[" * 1000,
        ],
    )
    def test_other_json_is_not(self, line: str) -> None:
        assert not sniff([line])

    def test_the_format(self) -> None:
        assert FORMAT.layers == frozenset({"spans"})
        assert list(FORMAT.options) == [
            "annotator",
            "annotations",
            "predictions",
            "text",
            "document",
            "offsets",
            "base",
            "strip",
        ]
