"""Files of columns whose first one merely counts words, as in Universal NER and GermEval."""

from __future__ import annotations

from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats.chunks import with_spans
from comparanda.formats.columns import read
from comparanda.formats.contract import Layer, Request
from tests.formats.corpora import notes, refusal, spans, values, words
from tests.formats.writers.documents import read_files
from tests.seeds import first_few
from tests.shared_data import shared

COUNTED = "1\tAnna\tB-PER\t-\tme\n2\tran\tO\t-\t-\n\n1\tBerlin\tB-LOC\t-\tme\n"
NOTE = "the first column only counts the words; words read from the second column"


def corpus_of(text: str, layer: Layer = "spans", value: str | None = None, **options: str) -> Corpus:
    request = Request(side="key", value=value, options=options, layer=layer)
    corpus = read(Source.of_text("f.iob2", text.encode()), request)
    return with_spans(corpus, request) if layer == "spans" else corpus


def test_words_and_tags_of_universal_ner() -> None:
    corpus = corpus_of("# sent_id = 1\n" + COUNTED)
    assert words(corpus) == ["Anna", "ran", "Berlin"]
    assert spans(corpus) == [("f", 0, 1, "PER"), ("f", 2, 3, "LOC")]
    assert notes(corpus) == [
        "key: comment lines ignored: 1 (f.iob2:1)",
        f"key: {NOTE}, tags from column 3: 3 (f.iob2:2, …)",
    ]


def test_two_layers_of_tags_as_in_germeval() -> None:
    corpus = corpus_of("#\tweb\n1\tUni\tB-ORG\tO\n2\tBonn\tI-ORG\tB-LOC\n")
    assert spans(corpus) == [("f", 0, 2, "ORG")]


def test_tags_behind_other_columns() -> None:
    corpus = corpus_of("1 Anna NNP B-PER\n2 ran VBD O\n")
    assert (words(corpus), spans(corpus)) == (["Anna", "ran"], [("f", 0, 1, "PER")])
    assert notes(corpus)[0].startswith(f"key: {NOTE}, tags from column 4: 2")


def test_a_task_of_words_judges_the_last_column() -> None:
    corpus = corpus_of("1\tAnna\tNNP\n2\tran\tVBD\n", "values")
    assert (words(corpus), values(corpus)) == (["Anna", "ran"], ["NNP", "VBD"])
    assert notes(corpus) == [f"key: {NOTE}: 2 (f.iob2:1, …)"]


@pytest.mark.parametrize("given", [{"column": "3"}, {"value": "3"}])
def test_a_named_column_goes_before(given: dict[str, Any]) -> None:
    corpus = corpus_of(COUNTED.replace("O\t-", "O\tO").replace("-\tme", "B-X\tme"), **given)
    assert [label for *_, label in spans(corpus)] == ["PER", "LOC"]
    assert notes(corpus) == [f"key: {NOTE}: 3 (f.iob2:1, …)"]


def test_named_words_go_before() -> None:
    corpus = corpus_of(COUNTED, word="1", column="3")
    assert (words(corpus), notes(corpus)) == (["1", "2", "1"], [])
    assert corpus_of(COUNTED, word="none", column="3").words is None


@pytest.mark.parametrize(
    "text",
    [
        "1\tx\tO\n3\ty\tO\n",
        "1\tx\tO\n2\ty\tO\n\n2\tz\tO\n",
        "0\tx\tO\n1\ty\tO\n",
        "1\tx\tO\n\n1\ty\tO\n",
        "1\tO\n2\tO\n",
        "01\tx\tO\n02\ty\tO\n",
        "1\tx\tO\n2-3\ty\tO\n",
    ],
    ids=["gap", "no-restart", "from-0", "one-word-sentences", "two-columns", "zeros", "ranges"],
)
def test_real_numbers_are_words(text: str) -> None:
    corpus = corpus_of(text, "values")
    assert words(corpus)[0] == text.partition("\t")[0]
    assert not corpus.notes


def test_documents_begin_anew() -> None:
    corpus = corpus_of("-DOCSTART-\n\n1\ta\tO\n2\tb\tO\n\n-DOCSTART-\n\n1\tc\tB-X\n")
    assert words(corpus) == ["a", "b", "c"]


def test_irregular_spaces() -> None:
    corpus = corpus_of("1  a  O\n2 b B-X \n")
    assert (words(corpus), [each[1:] for each in spans(corpus)]) == (["a", "b"], [(1, 2, "X")])


def test_the_column_of_words_is_not_judged() -> None:
    assert refusal(corpus_of, COUNTED, code=2, column="2") == (
        "column 2 holds the words\n  name the column of words: ?word=2, or ?word=none"
    )


@pytest.mark.parametrize(
    "path",
    first_few(
        1,
        [
            "gold/en_ewt-ud-test.iob2",
            "systems/spacy-en_core_web_sm-3.8.0.iob2",
            "systems/spacy2-en_ud_model_sm-1.1.0.iob2",
        ],
    ),
)
def test_universal_ner_needs_no_options(path: str) -> None:
    folder = shared("data/ner/uner_en_ewt")
    found = read_files(folder, path)
    asked = read_files(folder, f"{path}::columns?word=2&column=3")
    assert (words(found), spans(found)) == (words(asked), spans(asked))
    lines = (folder / path).read_text(encoding="utf-8").split("\n")
    assert len(spans(found)) == sum(each.split("\t")[2].startswith("B-") for each in lines if each[:1].isdigit())
