from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.core.text_columns import split_labels
from comparanda.errors import ComparandaError, ReadError
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.json_objects import looks_like_json as sniff
from comparanda.formats.jsonl import FORMAT


def read(text: str, *, value: str | None = None, extra: tuple[str, ...] = (), **options: str) -> Corpus:
    FORMAT.check_options(options)
    return FORMAT.read(
        Source.of_text("f.jsonl", text.encode()), Request(side="key", value=value, extra=extra, options=options)
    )


def lines(*objects: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


def values(corpus: Corpus, name: str = "value") -> list[str]:
    return [corpus.columns[name][row] for row in range(len(corpus))]


def words(corpus: Corpus) -> list[str]:
    assert corpus.words is not None
    return [corpus.words[row] for row in range(len(corpus))]


def places(corpus: Corpus) -> list[str]:
    return [str(corpus.location(row)) for row in range(len(corpus))]


def notes(corpus: Corpus) -> list[str]:
    return [str(note) for note in corpus.notes]


def refused(text: str, **given: Any) -> str:
    with pytest.raises(ComparandaError) as error:
        read(text, **given)
    assert error.value.exit_code == 3
    return str(error.value)


class TestRows:
    def test_an_object_a_line(self) -> None:
        corpus = read('{"id": "a", "label": "x"}\n\n{"label": "y", "id": 7}\n')
        assert (words(corpus), values(corpus)) == (["a", "7"], ["x", "y"])
        assert places(corpus) == ["f.jsonl:1", "f.jsonl:3"]
        assert (corpus.by_id, corpus.several, corpus.format, corpus.documents.marked) == (True, False, "jsonl", False)

    def test_numbers_and_truths_are_labels(self) -> None:
        assert values(read(lines({"id": 1, "label": 0}, {"id": 2, "label": True}, {"id": 3, "label": 1.5}))) == [
            "0",
            "True",
            "1.5",
        ]

    def test_a_list_is_a_set_of_labels(self) -> None:
        corpus = read(lines({"id": 1, "labels": ["y", "x"]}, {"id": 2, "labels": []}, {"id": 3, "labels": ["a|b"]}))
        assert corpus.several
        assert [split_labels(value) for value in values(corpus)] == [("x", "y"), (), ("a|b",)]

    def test_a_text_is_split(self) -> None:
        corpus = read(lines({"id": 1, "label": "y, x"}, {"id": 2, "label": ""}), split=",")
        assert (corpus.several, values(corpus)) == (True, ["x|y", ""])

    def test_objects_of_one_id_are_merged(self) -> None:
        corpus = read(lines({"id": 1, "label": "y"}, {"id": 1, "label": "x"}), several="rows")
        assert (words(corpus), values(corpus)) == (["1"], ["x|y"])

    def test_without_ids_rows_are_numbered_and_that_is_noted(self) -> None:
        corpus = read(lines({"text": "A", "label": "x"}, {"text": "B", "label": "y"}))
        assert words(corpus) == ["1", "2"]
        assert notes(corpus) == [
            "key: no field has a usual name for the id: rows are matched by their number: 1 (f.jsonl:1)"
        ]
        assert notes(read(lines({"text": "A", "label": "x"}), id="row")) == []

    def test_fields_are_chosen_by_options(self) -> None:
        text = lines({"name": "a", "mood": "x", "d": "2"}, {"name": "b", "mood": "y", "d": "1"})
        corpus = read(text, id="name", label="mood", document="d")
        assert (words(corpus), values(corpus), corpus.documents.names) == (["a", "b"], ["x", "y"], ("2", "1"))
        assert values(read(text, value="d", id="name")) == ["2", "1"]

    def test_other_fields_are_attributes(self) -> None:
        corpus = read(lines({"id": 1, "label": "x", "n": 3}, {"id": 2, "label": "y"}), extra=("n", "absent"))
        assert set(corpus.columns) == {"value", "n"}
        assert values(corpus, "n") == ["3", ""]
        assert corpus.columns["n"].missing is not None

    def test_tokens_with_one_label_are_a_row(self) -> None:
        assert values(read(lines({"id": 1, "tokens": ["a", "b"], "label": "x"}))) == ["x"]

    def test_labels_beside_tokens_are_a_row_if_so_said(self) -> None:
        text = lines({"id": 1, "tokens": ["a", "b", "c"], "labels": ["x"]})
        assert refused(text) == (
            "f.jsonl:1: 'labels' has 1 items, but 'tokens' has 3\n  for labels of whole rows: ?label=labels"
        )
        assert values(read(text, label="labels")) == ["x"]


class TestArrays:
    def test_a_file_may_be_one_array(self) -> None:
        corpus = read('[\n {"id": 1, "label": "ä"}, {"id": 1, "label": "ä"},\n\n {"id": 2,\n "label": "y"}\n]\n')
        assert (words(corpus), values(corpus)) == (["1", "1", "2"], ["ä", "ä", "y"])
        assert places(corpus) == ["f.jsonl:2", "f.jsonl:2", "f.jsonl:4"]

    def test_an_array_that_is_cut_off(self) -> None:
        assert refused('[\n{"id": 1, "label": "x"},\n{"id"') == (
            "f.jsonl:3: the JSON array is cut off\n"
            "  JSONL needs one complete object per line; a whole file may also be one array of objects"
        )

    def test_several_arrays(self) -> None:
        assert refused('["a"]\n["b"]\n').startswith("f.jsonl:2: not JSON: trailing characters (byte 7)\n")

    def test_an_array_of_other_things(self) -> None:
        assert refused('[{"id": 1, "label": "x"},\n3]').startswith("f.jsonl:2: not a JSON object, but of type int\n")
        assert refused("[]") == "f.jsonl: there are no objects in this file"


class TestTokens:
    def test_an_object_is_a_sentence(self) -> None:
        corpus = read(lines({"tokens": ["The", "dog"], "tags": ["DT", "NN"]}, {"tokens": ["Hi"], "tags": ["UH"]}))
        assert (words(corpus), values(corpus)) == (["The", "dog", "Hi"], ["DT", "NN", "UH"])
        assert corpus.sentences.tolist() == [0, 2, 3]
        assert places(corpus) == ["f.jsonl:1", "f.jsonl:1", "f.jsonl:2"]
        assert (corpus.by_id, corpus.documents.names, corpus.documents.marked) == (False, ("f",), False)

    @pytest.mark.parametrize("name", ["tags", "ner_tags", "pos_tags", "upos", "xpos", "labels"])
    def test_tags_have_many_names(self, name: str) -> None:
        assert values(read(lines({"words": ["a"], name: [3]}), value="upos")) == ["3"]

    def test_documents_are_marked_by_a_field(self) -> None:
        sentences = [{"doc": name, "tokens": ["a"], "tags": ["X"]} for name in ("p", "p", "q")]
        corpus = read(lines(*sentences))
        assert (corpus.documents.names, corpus.documents.offsets.tolist()) == (("p", "q"), [0, 2, 3])
        assert corpus.documents.marked

    def test_a_document_may_come_back(self) -> None:
        sentences = [{"doc": name, "tokens": ["a"], "tags": ["X"]} for name in ("p", "q", "p")]
        corpus = read(lines(*sentences))
        assert (corpus.documents.names, corpus.documents.numbers.tolist()) == (("p", "q", "p"), [0, 1, 0])
        assert notes(corpus) == ["key: document names that recur, continuing the document of that name: 1 (f.jsonl:3)"]

    def test_sentences_without_tokens_are_counted(self) -> None:
        corpus = read(lines({"tokens": [], "tags": []}, {"tokens": ["a"], "tags": ["X"]}, {"tokens": [], "tags": []}))
        assert corpus.sentences.tolist() == [0, 1]
        assert notes(corpus) == ["key: sentences without tokens ignored: 2 (f.jsonl:1, f.jsonl:3)"]

    def test_tags_alone_have_no_words(self) -> None:
        corpus = read(lines({"tags": ["X", "Y"]}))
        assert (corpus.words, values(corpus)) == (None, ["X", "Y"])

    def test_the_column_asked_for_is_judged(self) -> None:
        text = lines({"tokens": ["a"], "pos_tags": ["X"], "ner_tags": ["O"]})
        assert values(read(text, value="ner_tags")) == values(read(text, value="upos", tags="ner_tags")) == ["O"]
        assert refused(text, value="upos") == (
            "f.jsonl:1: the tags could be in the field 'pos_tags' or 'ner_tags'\n"
            '  choose one: --column NAME (in Python: column="NAME")'
        )
        assert refused(text, value="nertags") == (
            "f.jsonl:1: there is no field 'nertags' (did you mean 'ner_tags'?)\n  fields: tokens, pos_tags, ner_tags"
        )

    def test_other_fields_are_spread_over_the_tokens(self) -> None:
        sentence = {"tokens": ["a", "b"], "tags": ["X", "Y"], "lemma": ["A", None], "genre": "news"}
        corpus = read(lines(sentence), extra=("lemma", "genre"))
        assert values(corpus, "lemma") == ["A", ""]
        assert values(corpus, "genre") == ["news", "news"]


class TestRefusals:
    def test_a_line_that_is_cut_off(self) -> None:
        assert refused('{"id": 1, "label": "x"}\n{"id": 2, "la\n') == (
            "f.jsonl:2: the JSON object is cut off\n  JSONL needs one complete object per line"
        )

    def test_an_object_over_several_lines(self) -> None:
        assert refused('{\n"id": 1\n}\n').startswith("f.jsonl:1: the JSON object is cut off\n")

    def test_what_is_not_json(self) -> None:
        assert refused('{"id": 1, "label": "x"}\nlabel: x\n').startswith(
            "f.jsonl:2: not JSON: invalid character (byte 0)"
        )

    def test_what_is_not_an_object(self) -> None:
        assert refused('{"id": 1, "label": "x"}\n[1, 2]\n').startswith(
            "f.jsonl:2: not a JSON object, but of type array\n"
        )
        assert refused('{"id": 1, "label": "x"}\nnull\n').startswith("f.jsonl:2: not a JSON object, but of type null\n")

    def test_what_is_nested_too_deeply(self) -> None:
        text = '{"id": 1, "label": "x"}\n{"id": ' + "[" * 100_000 + "\n"
        assert refused(text).startswith("f.jsonl:2: the JSON is nested too deeply\n")

    def test_a_missing_field(self) -> None:
        assert refused(lines({"id": 1, "label": "x"}, {"id": 2, "lable": "x"})) == (
            "f.jsonl:2: there is no field 'label'\n  every row must have the fields of the first"
        )
        assert refused(lines({"id": 1, "text": "x"})) == (
            "f.jsonl:1: no field has a usual name for the label\n"
            "  fields: id, text\n"
            '  name it: --column NAME (in Python: column="NAME")'
        )

    def test_tags_and_tokens_of_different_number(self) -> None:
        text = lines({"tokens": ["a"], "tags": ["X"]}, {"tokens": ["a", "b"], "tags": ["X"]})
        assert refused(text) == "f.jsonl:2: 'tags' has 1 items, but 'tokens' has 2\n  every token has one tag"

    def test_null(self) -> None:
        hint = "  give it a value, or leave the row out on both sides"
        assert refused(lines({"id": 1, "label": None})) == f"f.jsonl:1: 'label' has no value\n{hint}"
        sentences = lines({"tokens": ["a"], "tags": ["X"]}, {"tokens": ["a", "b"], "tags": ["X", None]})
        assert refused(sentences) == f"f.jsonl:2: 'tags[1]' has no value\n{hint}"

    def test_nested_values(self) -> None:
        assert refused(lines({"id": 1, "label": {"name": "x"}})) == (
            "f.jsonl:1: 'label' is of type dict, which is not a valid value\n  use strings, numbers or booleans"
        )
        assert refused(lines({"tokens": ["a"], "tags": [["X"]]})).startswith("f.jsonl:1: 'tags[0]' is of type list")

    def test_a_label_here_and_a_list_there(self) -> None:
        assert refused(lines({"id": 1, "label": "x"}, {"id": 2, "label": ["x"]})) == (
            "f.jsonl:2: 'label' is a list here, but a single label in the first row\n  use lists in all rows"
        )
        assert refused(lines({"id": 1, "label": ["x"]}, {"id": 2, "label": "x"})) == (
            "f.jsonl:2: 'label' is of type str, but a list in the first row"
        )

    def test_empty_labels(self) -> None:
        assert refused(lines({"id": 1, "label": ""})).startswith("f.jsonl:1: the label of this row is empty\n")
        assert refused(lines({"id": 1, "label": [""]})).startswith("f.jsonl:1: 'label' contains an empty label\n")

    def test_characters_that_no_file_can_hold(self) -> None:
        assert refused(r'{"id": 1, "label": "x\u0000"}') == r"f.jsonl:1: a NUL character in 'x\x00'" + "\n  is it text?"

    def test_a_line_above_the_limit(self) -> None:
        source = Source.of_text("f.jsonl", lines({"id": 1, "label": "x" * 100}).encode())
        with pytest.raises(ReadError, match=r"^f.jsonl:1: this line has more than 50 bytes"):
            FORMAT.read(source, Request(max_line=50))


def test_the_format_is_told_by_content(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text(lines({"id": 1, "label": "x"}, {"id": 2, "label": "y"}), "utf-8")
    assert read_input(Input(path=str(tmp_path / "rows.txt")), Request(side="key"), "rows").format == "jsonl"


def test_files_of_a_folder_are_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines({"id": 1, "label": "x"}), "utf-8")
    (tmp_path / "b.jsonl").write_text("[" + json.dumps({"id": 2, "label": "y"}) + "]", "utf-8")
    corpus = read_input(Input(path=str(tmp_path), format="jsonl"), Request(side="key"), "rows")
    assert words(corpus) == ["1", "2"]
    assert [place.rsplit("/", 1)[1] for place in places(corpus)] == ["a.jsonl:1", "b.jsonl:1"]


def test_sniffing() -> None:
    assert sniff(["", ' {"id": 1}'])
    assert sniff(["[", ' {"id": 1}'])
    assert sniff(["["])
    assert not sniff(["[CLS]\tX"])
    assert not sniff(["id,label"])
    assert not sniff([])


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@given(st.lists(st.tuples(_TEXT, st.one_of(_TEXT, st.integers(), st.booleans())), min_size=1), st.booleans())
def test_rows_agree_with_the_json_module(rows: list[tuple[str, Any]], ascii_only: bool) -> None:
    written = [json.dumps({"id": name, "label": label}, ensure_ascii=ascii_only) for name, label in rows]
    for text in ("\n".join(written), "[" + ",\n".join(written) + "]"):
        corpus = read(text)
        outside = [json.loads(each) for each in written]
        assert words(corpus) == [each["id"] for each in outside]
        assert values(corpus) == [str(each["label"]) for each in outside]
        assert places(corpus) == [f"f.jsonl:{number}" for number in range(1, len(rows) + 1)]


@given(st.lists(st.lists(st.tuples(_TEXT, _TEXT), max_size=4), min_size=1).filter(any))
def test_sentences_agree_with_the_json_module(sentences: list[list[tuple[str, str]]]) -> None:
    objects = [{"tokens": [w for w, _ in each], "tags": [t for _, t in each]} for each in sentences]
    corpus = read(lines(*objects))
    assert list(zip(words(corpus), values(corpus), strict=True)) == [pair for each in sentences for pair in each]
    sizes = [len(each) for each in sentences if each]
    assert [int(b - a) for a, b in zip(corpus.sentences[:-1], corpus.sentences[1:], strict=True)] == sizes


@given(st.text(alphabet='{}[]",:1\nab', max_size=40))
def test_any_broken_text_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ReadError, match=r"^f\.jsonl:\d+: "):
        read('{"id": 1, "label": "x"}\n{' + text)
