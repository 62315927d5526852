from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.core.corpus import ROOT, Corpus
from comparanda.core.places import Source
from comparanda.formats import conllu
from comparanda.formats import conllu as conllx
from comparanda.formats.contract import Layer, Request
from comparanda.formats.inputs import Input, find_formats, read_input
from tests.formats.corpora import heads, lines, notes, refusal, values, words

TEXT = """\
1	Der	der	ART	ART	_	2	DET	2	DET
2	Hund	Hund	N	NN	case=nom|num=sg	3	SUBJ	3	SUBJ
3	bellt	bellen	V	VVFIN	_	0	ROOT	0	ROOT

1	Ja	ja	ITJ	ITJ	_	0	ROOT	_	_

"""
NAMES = "id, form, lemma, upos, xpos, feats, head, deprel, phead, pdeprel"


def corpus_of(text: str, value: str | None = None, extra: tuple[str, ...] = (), layer: Layer = "values") -> Corpus:
    return conllx.read_conllx(
        Source.of_text("f", text.encode()), Request(side="key", value=value, extra=extra, layer=layer)
    )


def told(text: str, name: str = "f", layer: Layer = "values") -> str:
    """The format that a file is told to have."""
    Path(name).write_text(text, encoding="utf-8")
    return read_input(Input.parse(name), Request(side="key", layer=layer), "tokens").format


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class TestWords:
    def test_words_values_and_sentences(self) -> None:
        corpus = corpus_of(TEXT)
        assert words(corpus) == ["Der", "Hund", "bellt", "Ja"]
        assert values(corpus) == ["ART", "N", "V", "ITJ"]
        assert corpus.sentences.tolist() == [0, 3, 4]
        assert lines(corpus) == [1, 2, 3, 5]
        assert (corpus.format, corpus.evaluated, corpus.notes, corpus.ranges) == ("conllx", "upos", (), None)
        assert not corpus.documents.marked

    def test_a_word_may_be_a_number_sign(self) -> None:
        assert words(corpus_of(TEXT.replace("Ja", "#"))) == ["Der", "Hund", "bellt", "#"]

    def test_lines_of_white_space_are_blank_and_noted(self) -> None:
        corpus = corpus_of(TEXT.replace("\n\n1", "\n \n1"))
        assert corpus.sentences.tolist() == [0, 3, 4]
        assert notes(corpus) == ["key: lines of only white space read as blank: 1"]

    def test_features_are_a_set(self) -> None:
        corpus = corpus_of(TEXT.replace("case=nom|num=sg", "num=sg|case=nom"), "feats")
        assert values(corpus)[1] == "case=nom|num=sg"
        assert notes(corpus) == ["key: labels whose features are not in alphabetical order, sorted: 1 (f:2)"]


class TestColumns:
    @pytest.mark.parametrize("given", ["upos", "cpostag", "CPOSTAG", "4"])
    def test_coarse_tags_are_upos(self, given: str) -> None:
        corpus = corpus_of(TEXT, given)
        assert (values(corpus), corpus.evaluated) == (["ART", "N", "V", "ITJ"], "upos")

    @pytest.mark.parametrize("given", ["xpos", "postag", "5"])
    def test_fine_tags_are_xpos(self, given: str) -> None:
        corpus = corpus_of(TEXT, given)
        assert (values(corpus), corpus.evaluated) == (["ART", "NN", "VVFIN", "ITJ"], "xpos")

    def test_conllu_knows_these_names_too_as_a_file_without_projective_heads_is_read_as_that(self) -> None:
        corpus = conllu.read(
            Source.of_text("f", TEXT.encode()), Request(side="key", value="postag", extra=("cpostag",))
        )
        assert values(corpus) == ["ART", "NN", "VVFIN", "ITJ"]
        assert (values(corpus, "cpostag"), corpus.evaluated) == (["ART", "N", "V", "ITJ"], "xpos")

    def test_extra_columns_by_either_name(self) -> None:
        corpus = corpus_of(TEXT, extra=("postag", "xpos", "lemma", "phead", "pdeprel", "deps", "misc"))
        assert list(corpus.columns) == ["value", "postag", "xpos", "lemma", "phead", "pdeprel"]
        assert values(corpus, "postag") == values(corpus, "xpos") == ["ART", "NN", "VVFIN", "ITJ"]
        assert values(corpus, "phead") == ["2", "3", "0", "_"]

    @pytest.mark.parametrize(("given", "guess"), [("deps", " (did you mean 'deprel'?)"), ("11", "")])
    def test_an_unknown_column(self, given: str, guess: str) -> None:
        expected = f"CoNLL-X has no column {given!r}{guess}\n  columns: {NAMES}, or 1–10"
        assert refusal(corpus_of, TEXT, given, code=2) == expected

    def test_a_column_that_holds_nothing(self) -> None:
        text = TEXT.replace("case=nom|num=sg", "_")
        assert refusal(corpus_of, text, "feats") == (
            "f: the column 'feats' contains only '_'\n"
            "  columns with values: lemma, upos, xpos, head, deprel, phead, pdeprel; "
            "choose one with --column NAME, or ::conllx?column=NAME for one file"
        )


class TestTrees:
    def test_heads_are_those_of_head_and_not_of_phead(self) -> None:
        corpus = corpus_of(TEXT.replace("2\tDET\n", "3\tDET\n"), "deprel", layer="arcs")
        assert heads(corpus) == [1, 2, ROOT, ROOT]
        assert values(corpus) == ["DET", "SUBJ", "ROOT", "ROOT"]
        assert corpus.arcs is not None
        assert corpus.arcs.edges is None

    def test_without_projective_heads_the_two_formats_give_the_same(self) -> None:
        source = Source.of_text("f", "".join(_bare(line) for line in TEXT.split("\n")).encode())
        request = Request(side="key", value="deprel", extra=("lemma", "upos", "xpos", "feats"), layer="arcs")
        one, other = conllx.read_conllx(source, request), conllu.read(source, request)
        assert heads(one) == heads(other) == [1, 2, ROOT, ROOT]
        assert one.evaluated == other.evaluated
        assert {name: values(one, name) for name in one.columns} == {
            name: values(other, name) for name in other.columns
        }

    def test_a_bad_head(self) -> None:
        assert refusal(corpus_of, TEXT.replace("\t3\tSUBJ", "\t4\tSUBJ"), "deprel", layer="arcs") == (
            "f:2: the head is 4, but the sentence has 3 words\n  the sentence begins at f:1 and ends at f:3"
        )

    def test_read_as_conllu_the_projective_heads_are_no_edges(self) -> None:
        source = Source.of_text("f", TEXT.encode())
        assert refusal(conllu.read, source, Request(side="key", value="deprel", layer="arcs")) == (
            "f:1: expected enhanced edges as head:relation|head:relation, got '2'\n"
            "  the sentence begins at f:1\n"
            "  if this is a PHEAD, read the file as CoNLL-X: FILE::conllx"
        )

    def test_read_as_conllu_its_tags_are_there(self) -> None:
        assert values(conllu.read(Source.of_text("f", TEXT.encode()), Request(side="key"))) == ["ART", "N", "V", "ITJ"]


def _bare(line: str) -> str:
    """The line without PHEAD and PDEPREL."""
    return "\t".join([*line.split("\t")[:8], "_", "_"]) + "\n" if line else "\n"


class TestRefusals:
    def test_a_gap(self) -> None:
        assert refusal(corpus_of, TEXT.replace("3\tbellt", "4\tbellt")) == (
            "f:3: expected id 3, got 4\n"
            "  the id 2 is at f:2\n"
            "  ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
        )

    @pytest.mark.parametrize("given", ["2-3", "2.1", "x", "# 2"])
    def test_ids_are_numbers(self, given: str) -> None:
        assert refusal(corpus_of, TEXT.replace("2\tHund", f"{given}\tHund")) == (
            f"f:2: the id {given!r} is not a number\n"
            "  CoNLL-X has no ranges (3-4) or empty nodes (8.1); if the file is CoNLL-U: FILE::conllu"
        )

    def test_comments(self) -> None:
        assert refusal(corpus_of, "# newdoc id = a\n" + TEXT) == (
            "f:1: expected 10 columns for CoNLL-X, got 1\n"
            "  CoNLL-X has no comments; if the file is CoNLL-U: FILE::conllu"
        )

    def test_another_number_of_columns(self) -> None:
        assert refusal(corpus_of, TEXT.replace("\tROOT\t_\t_", "\tROOT")) == (
            "f:5: expected 10 columns for CoNLL-X, got 8\n  columns are separated by one tab"
        )


@pytest.mark.usefixtures("_folder")
class TestTelling:
    def test_it_comes_by_entry_point(self) -> None:
        assert find_formats()["conllx"] is conllx.CONLLX

    @pytest.mark.parametrize("layer", ["values", "arcs"])
    def test_a_number_in_the_ninth_column_tells(self, layer: Layer) -> None:
        assert told(TEXT, layer=layer) == "conllx"

    @pytest.mark.parametrize("name", ["f", "f.conllu", "f.conllx", "f.conll"])
    def test_whatever_the_file_is_called(self, name: str) -> None:
        assert told(TEXT, name) == "conllx"

    @pytest.mark.parametrize("name", ["f", "f.conllu", "f.conllx"])
    def test_without_any_it_is_conllu_and_means_the_same(self, name: str) -> None:
        assert told("".join(_bare(line) for line in TEXT.split("\n")), name) == "conllu"

    @pytest.mark.parametrize(
        "more", ["# a comment\n", "1-1" + "\t_" * 9 + "\n", "0.1" + "\t_" * 9 + "\n"], ids=["comment", "range", "node"]
    )
    def test_what_it_does_not_have_tells_too(self, more: str) -> None:
        assert told(more + TEXT) == "conllu"

    def test_a_broken_file_is_left_to_the_format_of_its_name(self) -> None:
        assert refusal(told, TEXT + "x\n", "f.conllx").startswith(
            "f.conllx:7: expected 10 columns for CoNLL-X, got 1\n"
        )

    def test_never_both(self) -> None:
        for fields in ("_ 0", "0 _", "0:root _", "x y", "_ _", "٣ _", " _"):
            given = ["1\ta\ta\tN\tN\t_\t0\troot\t" + fields.replace(" ", "\t")]
            assert conllu.sniff(given) != conllx.sniff_conllx(given)

    def test_a_folder_of_its_files(self) -> None:
        Path("c").mkdir()
        for name in ("c/a.conllx", "c/b.conllx"):
            Path(name).write_text(TEXT, encoding="utf-8")
        corpus = read_input(Input.parse("c"), Request(side="key"), "tokens")
        assert (corpus.format, corpus.documents.names) == ("conllx", ("a", "b"))
