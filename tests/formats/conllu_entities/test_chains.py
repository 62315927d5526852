"""Brackets in MISC of CoNLL-U read as chains of mentions, as in CorefUD and GUM: zeros, heads, and what is refused."""

from __future__ import annotations

import math

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats.conllu import read
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.conllu_entities.test_brackets import HEADER, line, sentence
from tests.formats.corpora import fragments, notes, refusal, said, span_lines, spans, values, words
from tests.shared_data import shared

EXTRA = ("upos", "xpos", "feats", "head")

SAMPLE = (
    "# newdoc id = dopis\n"
    "# global.Entity = eid-etype-head-other\n"
    "# sent_id = dopis-1\n"
    + "1\tStarostka\tstarostka\tNOUN\tNNFS1\tGender=Fem|Number=Sing\t2\tnsubj\t_\tEntity=(e1-person-1-\n"
    + "2\tzavřela\tzavřít\tVERB\tVpQW\t_\t0\troot\t_\t_\n"
    + "3\tstarý\tstarý\tADJ\tAAIS4\t_\t4\tamod\t_\tEntity=e1)(e2-place-2-\n"
    + "4\tpřístav\tpřístav\tNOUN\tNNIS4\t_\t2\tobj\t_\tEntity=e2)|SpaceAfter=No\n"
    + "5\t.\t.\tPUNCT\tZ:\t_\t2\tpunct\t_\t_\n"
    + "\n# sent_id = dopis-2\n"
    + "1\tOpravit\topravit\tVERB\tVf\t_\t0\troot\t_\t_\n"
    + "1.1\t_\ton\tPRON\tPP\tPronType=Prs\t_\t_\t1:nsubj\tEntity=(e1--1-)\n"
    + "2\tho\ton\tPRON\tP5\tPronType=Prs\t1\tobj\t_\tEntity=(e2--1-)\n"
    + "3\tchce\tchtít\tVERB\tVB\t_\t1\tconj\t_\t_\n"
    + "3.1\t_\ton\tPRON\tPP\tPronType=Prs\t_\t_\t3:nsubj\tEntity=(e1--1-)\n"
    + "\n# newdoc id = odpověď\n"
    + "# global.Entity = eid-etype-head-other\n"
    + "1\tNechce\tchtít\tVERB\tVB\t_\t0\troot\t_\t_\n"
    + "1.1\t_\ton\tPRON\tPP\tPronType=Prs\t_\t_\t1:nsubj\tEntity=(e1--1-)\n"
    + "1.2\t_\ton\tPRON\tPP\tPronType=Prs\t_\t_\t1:obj\tEntity=(e3--1-)\n"
    + "\n"
)


def corpus_of(text: str, extra: tuple[str, ...] = EXTRA, **options: str) -> Corpus:
    request = Request(side="key", extra=extra, options=options, layer="chains")
    return read(Source.of_text("f.conllu", text.encode()), request)


def mentions(corpus: Corpus) -> list[tuple[str, int, int, str, int]]:
    """Document, begin, end, chain and number of the empty node, 0 for words."""
    zeros = said(corpus, "zero") if corpus.spans is not None and "zero" in corpus.spans.columns else None
    return [
        (name, begin, end, chain, 0 if zeros is None or math.isnan(zeros[number]) else int(zeros[number]))
        for number, ((name, begin, end, _), chain) in enumerate(zip(spans(corpus), said(corpus, "chain"), strict=True))
    ]


def refused(text: str, code: int = 3, **options: str) -> str:
    return refusal(corpus_of, text, code=code, **options)


def numbers(corpus: Corpus, name: str) -> list[float | None]:
    return [None if math.isnan(value) else value for value in said(corpus, name)]


class TestSample:
    def test_mentions_with_and_without_words(self) -> None:
        corpus = corpus_of(SAMPLE)
        assert words(corpus)[5:] == ["Opravit", "ho", "chce", "Nechce"]
        assert mentions(corpus) == [
            ("dopis", 0, 3, "e1", 0),
            ("dopis", 2, 4, "e2", 0),
            ("dopis", 6, 6, "e1", 1),
            ("dopis", 6, 7, "e2", 0),
            ("dopis", 8, 8, "e1", 1),  # behind the last word of its document
            ("odpověď", 1, 1, "e1", 1),
            ("odpověď", 1, 1, "e3", 2),
        ]
        assert span_lines(corpus)[2:4] == ["f.conllu:12", "f.conllu:13"]
        assert (corpus.evaluated, notes(corpus)) == ("chains", [])
        assert corpus.raw is not None
        assert corpus.raw.documents[0].startswith("Starostka zavřela starý přístav.")

    def test_heads_are_numbers_of_words(self) -> None:
        assert numbers(corpus_of(SAMPLE), "head") == [1, 2, None, 1, None, None, None]

    def test_columns_of_words(self) -> None:
        corpus = corpus_of(SAMPLE)
        assert values(corpus, "upos")[:4] == ["NOUN", "VERB", "ADJ", "NOUN"]
        assert values(corpus, "xpos")[6:8] == ["P5", "VB"]
        assert values(corpus, "feats")[:2] == ["Gender=Fem|Number=Sing", "_"]
        assert values(corpus, "head")[:4] == ["2", "0", "4", "2"]

    def test_as_spans_zeros_are_left_out_still(self) -> None:
        corpus = read(Source.of_text("f.conllu", SAMPLE.encode()), Request(side="key", layer="spans"))
        assert len(spans(corpus)) == 3
        assert notes(corpus) == [
            "key: spans of empty nodes alone ignored: 4 (f.conllu:12, f.conllu:15, f.conllu:20, …)"
        ]
        assert said(corpus, "head") == ["1", "2", "1"]


class TestZeros:
    def test_words_tell_a_mention_that_has_some(self) -> None:
        text = HEADER + line("0.1", "_", "Entity=(e1") + line(1, "a", "Entity=e1)(e2") + line("1.1", "_", "Entity=e2)")
        text += line("1.2", "_", "Entity=(e3") + line("1.3", "_") + line(2, "b") + line("2.1", "_", "Entity=e3)") + "\n"
        corpus = corpus_of(text)
        assert mentions(corpus) == [("f", 0, 1, "e1", 0), ("f", 0, 1, "e2", 0), ("f", 1, 2, "e3", 0)]

    def test_nodes_between_two_sentences_are_told_apart(self) -> None:
        """Before the first word of a sentence stands another node than behind the last word of the one before."""
        text = HEADER + line(1, "a") + line("1.1", "_", "Entity=(e1)") + "\n"
        text += line("0.1", "_", "Entity=(e2)") + line(1, "b") + "\n"
        assert mentions(corpus_of(text)) == [("f", 1, 1, "e1", 1), ("f", 1, 1, "e2", 1_000_001)]

    def test_several_nodes_stand_where_the_first_does(self) -> None:
        text = HEADER + line(1, "a") + line("1.2", "_", "Entity=(e1") + line("1.3", "_", "Entity=e1)") + "\n"
        assert mentions(corpus_of(text)) == [("f", 1, 1, "e1", 2)]

    def test_a_sentence_without_words(self) -> None:
        text = HEADER + line(1, "a", "Entity=(e1)") + "\n" + line("0.1", "_", "Entity=(e1)") + "\n"
        assert mentions(corpus_of(text)) == [("f", 0, 1, "e1", 0), ("f", 1, 1, "e1", 1_000_001)]


class TestHeads:
    @pytest.mark.parametrize(
        ("head", "found"),
        [("1", 1), ("2", None), ("3", 2), ("4", 3)],
    )
    def test_empty_nodes_count_in_the_file_but_not_here(self, head: str, found: int | None) -> None:
        text = (
            HEADER + line(1, "a", f"Entity=(e1-x-{head}") + line("1.1", "_") + line(2, "b") + line(3, "c", "Entity=e1)")
        )
        assert numbers(corpus_of(text + "\n" + line(1, "d", "Entity=(e2-x-1)") + "\n"), "head") == [found, 1]

    def test_a_mention_that_begins_with_a_node(self) -> None:
        text = HEADER + line("0.1", "_", "Entity=(e1-x-2") + line(1, "a") + line(2, "b", "Entity=e1)") + "\n"
        assert numbers(corpus_of(text), "head") == [1]

    def test_a_mention_in_parts(self) -> None:
        cells = ["(e1[1/2]-x-3", "e1[1/2])", "", "(e1[2/2]-x-3)"]
        corpus = corpus_of(HEADER + sentence(*cells))
        assert (fragments(corpus), numbers(corpus, "head")) == ([(0, 0, 2), (0, 3, 4)], [3])
        assert mentions(corpus) == [("f", 0, 4, "e1", 0)]

    def test_brackets_on_a_range(self) -> None:
        text = HEADER + line("1-2", "ab", "Entity=(e1-x-2)") + line(1, "a") + line(2, "b") + "\n"
        corpus = corpus_of(text)
        assert (mentions(corpus), numbers(corpus, "head")) == ([("f", 0, 2, "e1", 0)], [2])

    @pytest.mark.parametrize("head", ["0", "3", "x", "1,2", "²", "9" * 5000])
    def test_what_is_no_word_of_the_mention_is_noted(self, head: str) -> None:
        corpus = corpus_of(HEADER + sentence(f"(e1-x-{head}", "e1)") + sentence("(e1-x-1)"))
        assert numbers(corpus, "head") == [None, 1]
        assert notes(corpus) == ["key: heads that are not a word of their mention ignored: 1 (f.conllu:2)"]

    def test_minimal_spans_are_texts(self) -> None:
        corpus = corpus_of("# global.Entity = GRP-etype-minspan\n" + sentence("(7-person-1,2", "7)", "(7-person-1)"))
        assert (said(corpus, "chain"), said(corpus, "minspan")) == (["7", "7"], ["1,2", "1"])


class TestFields:
    def test_without_a_header_they_are_guessed_and_noted(self) -> None:
        corpus = corpus_of(sentence("(12", "12)", "(3)"))
        assert mentions(corpus) == [("f", 0, 2, "12", 0), ("f", 2, 3, "3", 0)]
        assert notes(corpus) == [
            "key: brackets without a preceding line '# global.Entity', read as eid: 3 "
            "(f.conllu:1, f.conllu:2, f.conllu:3)"
        ]
        assert said(corpus_of(sentence("(place-2", "(person-3)place-2)")), "chain") == ["2", "3"]
        assert said(corpus_of(sentence("(Anna", "(Bo-Ek)Anna)")), "chain") == ["Anna", "Bo-Ek"]

    def test_the_chain_must_be_one_of_them(self) -> None:
        assert refused("# global.Entity = etype-head\n" + sentence("", "(place-1)")) == (
            "f.conllu:3: no field of the brackets identifies the chain: etype-head\n"
            "  set the fields: ?fields=etype-eid-other"
        )
        assert said(corpus_of(sentence("(place-x)"), fields="etype-eid"), "chain") == ["x"]

    def test_another_key(self) -> None:
        text = HEADER.replace("Entity", "Coref") + sentence("(e1)").replace("Entity", "Coref")
        assert mentions(corpus_of(text, entities="Coref")) == [("f", 0, 1, "e1", 0)]


class TestRefusals:
    def test_a_file_without_brackets(self) -> None:
        assert refused(sentence("", "")) == (
            "f.conllu: no line has 'Entity' in MISC\n"
            "  set the key that holds the brackets: ::conllu?entities=KEY (default: Entity)"
        )
        assert spans(corpus_of(HEADER + sentence("", ""))) == []

    @pytest.mark.parametrize("option", [{"entities": "none"}, {"column": "upos"}])
    def test_options_that_leave_none(self, option: dict[str, str]) -> None:
        def reading() -> Corpus:
            return read(Source.of_text("f", SAMPLE.encode()), Request(side="key", options=option, layer="chains"))

        (name,) = option
        written = "entities=none" if name == "entities" else "column"
        assert refusal(reading, code=2) == (
            f"chains are read from brackets in MISC, which ?{written} excludes\n  leave it out"
        )

    def test_broken_brackets(self) -> None:
        assert refused(HEADER + sentence("(e1", "")) == (
            "f.conllu:2: the span '(e1' is not closed\n  its document ends without 'e1)'"
        )
        assert refused(HEADER + sentence("e1)")) == "f.conllu:2: 'e1)' closes a span that is not open"
        corpus = corpus_of(HEADER + sentence("(e1", "e2)", "(e3)"), broken="drop")
        assert mentions(corpus) == [("f", 2, 3, "e3", 0)]
        assert notes(corpus) == ["key: unclosed or unopened brackets ignored: 2 (f.conllu:2, f.conllu:3)"]


@pytest.mark.slow
def test_gum_has_the_same_chains_as_in_its_other_format() -> None:
    """The files of GUM in CoNLL-U and in brackets with types were made by others from one source."""

    def chains(path: str) -> dict[str, set[frozenset[tuple[int, int]]]]:
        corpus = read_input(Input.parse(path), Request(side="key", layer="chains"), "tokens")
        groups: dict[tuple[str, str], set[tuple[int, int]]] = {}
        for name, begin, end, chain, _ in mentions(corpus):
            groups.setdefault((name, chain), set()).add((begin, end))
        sets: dict[str, set[frozenset[tuple[int, int]]]] = {}
        for (name, _), group in groups.items():
            sets.setdefault(name, set()).add(frozenset(group))
        return sets

    folder = shared("data/coref/gum/gold")
    one, other = chains(f"{folder}/conllu"), chains(f"{folder}/gum_conll")
    assert len(one) == 4
    assert one == {name: other[name] for name in one}
