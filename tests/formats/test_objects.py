from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from enum import Enum, StrEnum
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.errors import ComparandaError
from comparanda.formats.contract import Request, Shape
from comparanda.formats.files import is_path
from comparanda.formats.objects import read_object


def rows(given: Any, *, value: str | None = None, extra: tuple[str, ...] = (), **options: str) -> Corpus:
    return read_object(given, Request(side="crf", value=value, extra=extra, options=options), "rows")


def tokens(given: Any, *, value: str | None = "upos", extra: tuple[str, ...] = ()) -> Corpus:
    return read_object(given, Request(side="crf", value=value, extra=extra), "tokens")


def pairs(corpus: Corpus) -> list[tuple[str, str]]:
    assert corpus.words is not None
    return [(corpus.words[row], corpus.columns["value"][row]) for row in range(len(corpus))]


def values(corpus: Corpus, name: str = "value") -> list[str]:
    return [corpus.columns[name][row] for row in range(len(corpus))]


def places(corpus: Corpus) -> list[str]:
    return [str(corpus.location(row)) for row in range(len(corpus))]


def notes(corpus: Corpus) -> list[str]:
    return [str(note) for note in corpus.notes]


def refused(given: Any, shape: Shape = "rows", exit_code: int = 3, value: str | None = None) -> str:
    with pytest.raises(ComparandaError) as error:
        read_object(given, Request(side="crf", value=value), shape)
    assert error.value.exit_code == exit_code
    return str(error.value)


class ClassLabel:
    """Like the class label of Hugging Face datasets."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)


class ListOf:
    """Like its `Sequence` or `List` feature."""

    def __init__(self, feature: Any) -> None:
        self.feature = feature


class Plain:
    """Like its `Value`: no names."""


class Column:
    """Like its column: a sequence that is no list."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)


class Dataset:
    """Like its dataset: columns by name, and features."""

    def __init__(self, columns: dict[str, list[Any]], **features: Any) -> None:
        self.column_names = list(columns)
        self.columns = columns
        self.features = {name: features.get(name, Plain()) for name in columns}

    def __getitem__(self, name: str) -> Column:
        return Column(self.columns[name])


class Colour(Enum):
    RED = 1


class Word(StrEnum):
    RED = "red"


def test_paths_are_texts_and_path_objects() -> None:
    assert is_path("a.csv")
    assert is_path(Path("a.csv"))
    assert not is_path(["a.csv"])
    assert not is_path(b"a.csv")


class TestRows:
    def test_a_list_of_labels_is_numbered(self) -> None:
        corpus = rows(["x", "y"])
        assert pairs(corpus) == [("1", "x"), ("2", "y")]
        assert places(corpus) == ["<crf>:1", "<crf>:2"]
        assert (corpus.by_id, corpus.several, corpus.format, corpus.notes) == (True, False, "python", ())
        assert corpus.documents.names == ("<crf>",)

    def test_a_dictionary_gives_labels_by_id(self) -> None:
        assert pairs(rows({"a": "x", 7: "y"})) == [("a", "x"), ("7", "y")]

    @pytest.mark.parametrize("several", [list, tuple, set, frozenset, np.array])
    def test_rows_may_have_several_labels(self, several: Any) -> None:
        first, second = several(["y", "x"]), several(["z", "w", "v"])
        corpus = rows({"a": first, "b": second})
        assert corpus.several
        assert pairs(corpus) == [("a", "x|y"), ("b", "v|w|z")]
        if several is not tuple:  # a tuple of two in a list is an id and its label
            assert values(rows([first, second])) == values(corpus)

    def test_a_row_may_have_no_label_where_several_are_possible(self) -> None:
        assert values(rows([["x"], []])) == ["x", ""]

    def test_tuples_are_pairs_of_id_and_label(self) -> None:
        assert pairs(rows([("a", "x"), (2, "y")])) == [("a", "x"), ("2", "y")]
        assert rows([("a", ["x", "y"]), ("b", [])]).several

    def test_dictionaries_are_rows(self) -> None:
        corpus = rows([{"id": "a", "label": "x", "n": 1}, {"label": "y", "id": "b"}], extra=("n",))
        assert pairs(corpus) == [("a", "x"), ("b", "y")]
        assert values(corpus, "n") == ["1", ""]

    def test_a_dictionary_of_columns(self) -> None:
        assert pairs(rows({"id": ["a", "b"], "label": ["x", "y"]})) == [("a", "x"), ("b", "y")]
        assert pairs(rows({"id": ["a", "b"], "mood": ["x", "y"]}, value="mood")) == [("a", "x"), ("b", "y")]
        assert pairs(rows({"one": ["a", "b"], "two": ["x"]})) == [("one", "a|b"), ("two", "x")]

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_data_frames(self, frame: Any) -> None:
        given = frame({"text": ["A", "B"], "ID": [10, 11], "label": ["x", "y"]})
        assert pairs(rows(given)) == [("10", "x"), ("11", "y")]
        assert values(rows(given, value="text", extra=("label",)), "label") == ["x", "y"]
        assert rows(frame({"id": [1, 2], "labels": [["x"], ["x", "y"]]})).several

    def test_a_table_without_ids_is_numbered_and_that_is_noted(self) -> None:
        corpus = rows(pd.DataFrame({"text": ["A", "B"], "label": ["x", "y"]}))
        assert pairs(corpus) == [("1", "x"), ("2", "y")]
        assert notes(corpus) == [
            "crf: no column has a usual name for the id: rows are matched by their number: 1 (<crf>:1)"
        ]

    @pytest.mark.parametrize(
        "series", [np.array(["x", "y"]), pd.Series(["x", "y"]), pl.Series(["x", "y"]), ("x", "y"), iter(["x", "y"])]
    )
    def test_series_and_arrays_are_lists(self, series: Any) -> None:
        given = list(series) if isinstance(series, tuple) else series
        assert values(rows(given)) == ["x", "y"]

    def test_datasets_name_their_classes(self) -> None:
        data = Dataset({"id": ["a", "b"], "label": [1, 0]}, label=ClassLabel("neg", "pos"))
        assert pairs(rows(data)) == [("a", "pos"), ("b", "neg")]
        several = Dataset({"id": ["a"], "labels": [[1, 0]]}, labels=ListOf(ClassLabel("neg", "pos")))
        assert pairs(rows(several)) == [("a", "neg|pos")]
        assert pairs(rows(Dataset({"id": ["a"], "label": [1]}))) == [("a", "1")]

    def test_other_values_are_written_as_text(self) -> None:
        given = [1, True, 0.5, np.int64(2), np.float32(0.5), np.bool_(False), np.str_("x"), Colour.RED, Word.RED]
        assert values(rows(given)) == ["1", "True", "0.5", "2", "0.5", "False", "x", "Colour.RED", "red"]

    def test_documents_by_an_option(self) -> None:
        corpus = rows({"id": [1, 2, 3], "label": list("xyz"), "d": list("aba")}, document="d")
        assert pairs(corpus) == [("1", "x"), ("3", "z"), ("2", "y")]
        assert places(corpus) == ["<crf>:1", "<crf>:3", "<crf>:2"]


class TestTokens:
    def test_a_list_of_tags_is_one_sentence_without_words(self) -> None:
        corpus = tokens(["DT", "NN"])
        assert (corpus.words, values(corpus), corpus.sentences.tolist()) == (None, ["DT", "NN"], [0, 2])
        assert (places(corpus), corpus.notes) == (["<crf>:1", "<crf>:2"], ())

    def test_a_list_of_lists_is_a_list_of_sentences(self) -> None:
        corpus = tokens([["DT", "NN"], ["UH"]])
        assert (corpus.words, values(corpus), corpus.sentences.tolist()) == (None, ["DT", "NN", "UH"], [0, 2, 3])
        assert places(corpus) == ["<crf>:1", "<crf>:1", "<crf>:2"]

    def test_tuples_are_pairs_of_word_and_tag(self) -> None:
        assert pairs(tokens([("The", "DT"), ("dog", "NN")])) == [("The", "DT"), ("dog", "NN")]
        corpus = tokens([[("The", "DT"), ("dog", "NN")], [("Hi", "UH")]])
        assert pairs(corpus) == [("The", "DT"), ("dog", "NN"), ("Hi", "UH")]
        assert corpus.sentences.tolist() == [0, 2, 3]

    @pytest.mark.parametrize("value", ["upos", "tags", None])
    def test_dictionaries_are_sentences(self, value: str | None) -> None:
        corpus = tokens([{"tokens": ["a", "b"], "tags": ["X", "Y"]}, {"tags": ["Z"], "tokens": ["c"]}], value=value)
        assert pairs(corpus) == [("a", "X"), ("b", "Y"), ("c", "Z")]
        assert corpus.sentences.tolist() == [0, 2, 3]

    def test_a_dictionary_of_columns(self) -> None:
        corpus = tokens({"tokens": [["a", "b"], ["c"]], "tags": [["X", "Y"], ["Z"]]})
        assert pairs(corpus) == [("a", "X"), ("b", "Y"), ("c", "Z")]

    def test_datasets_name_their_classes(self) -> None:
        columns: dict[str, list[Any]] = {"id": ["0", "1"], "tokens": [["a", "b"], ["c"]], "ner_tags": [[0, 1], [1]]}
        corpus = tokens(Dataset(columns, ner_tags=ListOf(ClassLabel("O", "B-PER"))))
        assert pairs(corpus) == [("a", "O"), ("b", "B-PER"), ("c", "B-PER")]

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_a_frame_with_a_token_a_row(self, frame: Any) -> None:
        given = frame(
            {
                "document": ["p", "p", "p", "q"],
                "sentence": [1, 1, 2, 2],
                "word": ["a", "b", "c", "d"],
                "tag": ["X", "Y", "Z", "X"],
                "genre": ["news", "news", "news", None],
            }
        )
        corpus = tokens(given, extra=("genre",))
        assert pairs(corpus) == [("a", "X"), ("b", "Y"), ("c", "Z"), ("d", "X")]
        assert corpus.sentences.tolist() == [0, 2, 3, 4]
        assert (corpus.documents.names, corpus.documents.offsets.tolist()) == (("p", "q"), [0, 2, 3])
        assert places(corpus)[3] == "<crf>:4"
        assert values(corpus, "genre") == ["news", "news", "news", ""]
        assert notes(corpus) == []

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_a_frame_with_a_sentence_a_row(self, frame: Any) -> None:
        corpus = tokens(frame({"tokens": [["a", "b"], ["c"]], "upos": [["X", "Y"], ["Z"]]}))
        assert (pairs(corpus), corpus.sentences.tolist()) == ([("a", "X"), ("b", "Y"), ("c", "Z")], [0, 2, 3])

    def test_a_frame_without_sentences_is_noted(self) -> None:
        corpus = tokens(pd.DataFrame({"word": ["a", "b"], "tag": ["X", "Y"]}))
        assert corpus.sentences.tolist() == [0, 2]
        assert notes(corpus) == [
            "crf: no column has a usual name for sentences: each document is read as one sentence: 1 (<crf>:1)"
        ]

    def test_numpy_tags(self) -> None:
        assert values(tokens(np.array([[1, 2], [3, 4]]))) == ["1", "2", "3", "4"]


class TestRefusals:
    @pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, np.float32("nan")])
    def test_a_label_that_is_missing(self, nothing: Any) -> None:
        hint = "  give it a value, or leave the row out on both sides"
        assert refused(["x", nothing]) == f"<crf>:2: 'label' has no value\n{hint}"
        assert refused({"a": "x", "b": nothing}) == f"<crf>:2: 'label' has no value\n{hint}"
        assert refused([["X"], ["Y", nothing]], "tokens") == f"<crf>:2: 'tags[1]' has no value\n{hint}"
        assert refused(["X", nothing], "tokens", value="upos") == f"<crf>:2: 'upos' has no value\n{hint}"

    @pytest.mark.parametrize(
        ("wrong", "kind"),
        [(7, "int"), (None, "NoneType"), (b"x", "bytes"), ({"x"}, "set"), (len, "builtin_function_or_method")],
    )
    def test_a_thing_that_is_no_data(self, wrong: Any, kind: str) -> None:
        assert refused(wrong, exit_code=2) == (
            f"'crf' is of type {kind}, which cannot be read as rows\n"
            "  accepted are: a path; a list of labels, or of lists of labels; a list of (id, label) pairs;\n"
            "  a dictionary from ids to labels; a list of dictionaries, a dictionary of columns, a data frame\n"
            "  or a dataset with the columns 'id' and 'label'"
        )

    def test_a_dictionary_is_no_token_sequence(self) -> None:
        assert refused({"a": "X"}, "tokens", 2) == (
            "'crf' is of type dict, which cannot be read as tokens\n"
            "  accepted are: a path; a list of tags, or of sentences, each a list of tags; (word, tag) pairs in place\n"
            "  of tags; a list of dictionaries, a dictionary of columns, a data frame or a dataset with the columns\n"
            "  'tokens' and 'tags'"
        )

    def test_an_open_file(self) -> None:
        assert refused(io.StringIO("x"), exit_code=2).endswith("\n  give the path of the file, not an open file")

    def test_a_lazy_frame(self) -> None:
        frame = pl.DataFrame({"id": [1], "label": ["x"]}).lazy()
        assert refused(frame, exit_code=2).endswith("\n  call .collect() on a lazy frame first")

    def test_a_dictionary_of_datasets(self) -> None:
        class Splits(dict[str, Any]):
            column_names = {"train": ["id"], "test": ["id"]}  # noqa: RUF012 - a stand-in

        assert refused(Splits(), exit_code=2) == (
            "'crf' is a dictionary of datasets: train, test\n  choose one: data['train']"
        )

    def test_a_dataset_that_is_a_stream(self) -> None:
        class Stream:
            column_names = None

        assert refused(Stream(), exit_code=2) == (
            "'crf' is a stream (Stream), whose columns cannot be read at once\n  load it as a whole, or give list(data)"
        )

    def test_tuples_that_are_no_pairs(self) -> None:
        assert refused([("a", "b", "c")], exit_code=2).startswith(
            "'crf' holds a tuple of 3; tuples are read as (id, label) pairs\n"
        )
        assert refused([[("a", "b", "c")]], "tokens", 2).startswith(
            "'crf' holds a tuple of 3; tuples are read as (word, tag) pairs\n"
        )

    def test_no_rows(self) -> None:
        nothing: list[Any] = [[], {}, pd.DataFrame(), pl.DataFrame({"id": [], "label": []})]
        for empty in nothing:
            assert refused(empty) == "<crf>: there are no rows"
        assert refused([[]], "tokens") == "<crf>: there are no tokens"

    def test_columns_of_different_length(self) -> None:
        data = Dataset({"id": ["a", "b"], "label": ["x"]})
        assert refused(data) == "<crf>: the column 'label' has 1 rows, but 'id' has 2"

    def test_columns_of_one_name(self) -> None:
        frame = pd.DataFrame([["a", "x", "y"]], columns=["id", "label", "label"])
        assert refused(frame) == "<crf>: 2 columns are named 'label'\n  rename one"

    def test_a_table_without_labels(self) -> None:
        assert refused(pd.DataFrame({"id": [1], "text": ["x"]})) == (
            "<crf>:1: no column has a usual name for the label\n"
            "  columns: id, text\n"
            '  name it: --column NAME (in Python: column="NAME")'
        )
        assert refused(pd.DataFrame({"word": ["x"]}), "tokens").startswith(
            "<crf>:1: no column has a usual name for tags\n"
        )

    def test_a_class_without_a_name(self) -> None:
        data = Dataset({"id": ["a", "b"], "label": [1, -1]}, label=ClassLabel("neg", "pos"))
        assert refused(data) == (
            "<crf>:2: 'label' is -1, but classes are numbered 0 to 1\n"
            "  -1 marks rows without a label in many datasets: use a split that has labels"
        )

    def test_a_row_without_a_field(self) -> None:
        assert refused([{"id": 1, "label": "x"}, {"id": 2}]) == (
            "<crf>:2: there is no column 'label'\n  every row must have the columns of the first"
        )

    def test_tags_and_tokens_of_different_number(self) -> None:
        assert refused([{"tokens": ["a"], "tags": ["X", "Y"]}], "tokens") == (
            "<crf>:1: 'tags' has 2 items, but 'tokens' has 1\n  every token has one tag"
        )

    def test_tags_and_sentences_mixed(self) -> None:
        assert refused([["X"], "Y"], "tokens") == "<crf>:2: 'tags' is of type str, but a list in the first row"
        assert refused(["X", ["Y"]], "tokens").startswith(
            "<crf>:2: 'tags' is of type list, which is not a valid value\n"
        )

    def test_a_list_that_is_missing(self) -> None:
        assert refused([["x"], None]) == "<crf>:2: 'label' has no value\n  use an empty list for nothing"

    def test_a_set_of_tags_has_no_order(self) -> None:
        assert refused([{"tokens": ["a"], "tags": ["X"]}, {"tokens": ["a"], "tags": {"X"}}], "tokens") == (
            "<crf>:2: 'tags' is a set, which has no order\n  give a list"
        )

    def test_characters_that_no_file_can_hold(self) -> None:
        assert refused(["x", "\ud800"]) == (
            "<crf>:2: half of a surrogate pair in '\\ud800'\n  was the text decoded with the right codec?"
        )
        assert refused([["x"], ["y", "\0"]], "tokens").startswith("<crf>:2: a NUL character in '\\x00'\n")


def test_no_library_is_imported_for_objects() -> None:
    heavy = {"pandas", "polars", "datasets", "pyarrow"}
    code = f"import sys, comparanda.formats.objects; print({heavy} & set(sys.modules))"
    assert run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@given(st.dictionaries(_TEXT, _TEXT, min_size=1))
def test_all_ways_to_give_labels_by_id_agree(labels: dict[str, str]) -> None:
    columns = {"id": list(labels), "label": list(labels.values())}
    ways = [
        list(labels.items()),
        [{"id": name, "label": label} for name, label in labels.items()],
        columns,
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        Dataset(columns),
    ]
    for way in ways:
        assert pairs(rows(way)) == list(labels.items())
    assert pairs(rows(labels)) == list(labels.items())


@given(st.lists(st.lists(st.tuples(_TEXT, _TEXT), min_size=1, max_size=4), min_size=1))
def test_all_ways_to_give_sentences_agree(sentences: list[list[tuple[str, str]]]) -> None:
    columns = {
        "tokens": [[w for w, _ in each] for each in sentences],
        "tags": [[t for _, t in each] for each in sentences],
    }
    long: dict[str, list[Any]] = {"sentence": [], "word": [], "tag": []}
    for number, each in enumerate(sentences):
        for word, tag in each:
            long["sentence"].append(number)
            long["word"].append(word)
            long["tag"].append(tag)
    flat = [pair for each in sentences for pair in each]
    ways = [sentences, columns, pl.DataFrame(columns), pd.DataFrame(columns), pd.DataFrame(long), pl.DataFrame(long)]
    for way in ways:
        corpus = tokens(way)
        assert pairs(corpus) == flat
        assert np.diff(corpus.sentences).tolist() == [len(each) for each in sentences]
