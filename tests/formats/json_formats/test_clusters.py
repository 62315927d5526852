"""JSON lines with clusters, in the ways in which tools write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats.clusters import FORMAT, read, sniff
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import documents, notes, refusal, said, span_lines, spans, values, words

SENTENCES = [["The", "harbour", "master", "saw", "her", "ship", "."], ["She", "waved", "to", "him", "."]]
WORDS = [word for sentence in SENTENCES for word in sentence]
CLUSTERS = [[[0, 2], [10, 10]], [[4, 4], [7, 7]], [[4, 5]]]
HALF_OPEN = [[[begin, end + 1] for begin, end in chain] for chain in CLUSTERS]
FOUND = [(0, 3, "1.1"), (10, 11, "1.1"), (4, 5, "1.2"), (7, 8, "1.2"), (4, 6, "1.3")]


def corpus_of(*given: Any, extra: tuple[str, ...] = (), **options: str) -> Corpus:
    """Read documents; each stands on a line of its own."""
    text = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in given)
    request = Request(side="key", extra=extra, options=options, layer="chains")
    return read(Source.of_text("f.jsonlines", text.encode()), request)


def chains(corpus: Corpus) -> list[tuple[int, int, str]]:
    return [(begin, end, chain) for (_, begin, end, _), chain in zip(spans(corpus), said(corpus, "chain"), strict=True)]


def refused(*given: Any, code: int = 3, **options: Any) -> str:
    return refusal(corpus_of, *given, code=code, **options)


def document(**more: Any) -> dict[str, Any]:
    return {"doc_key": "sea", "sentences": SENTENCES, "clusters": CLUSTERS, **more}


class TestWaysToWriteIt:
    def test_the_second_number_is_the_last_word(self) -> None:
        corpus = corpus_of(document(speakers=[[""] * 7, [""] * 5], genre="tale"), document(doc_key="sky"))
        assert documents(corpus) == {"sea": WORDS, "sky": WORDS}
        assert corpus.sentences.tolist() == [0, 7, 12, 19, 24]
        assert chains(corpus)[:5] == FOUND
        assert chains(corpus)[5][2] == "2.1"  # chains of two documents have different names
        assert span_lines(corpus) == ["f.jsonlines:1"] * 5 + ["f.jsonlines:2"] * 5
        assert corpus.documents.attributes["genre"].values() == ["tale", None]
        assert (corpus.format, corpus.evaluated, corpus.documents.marked, notes(corpus)) == (
            "clusters",
            "chains",
            True,
            [],
        )

    @pytest.mark.parametrize("field", ["tokens", "words"])
    def test_words_in_one_list(self, field: str) -> None:
        corpus = corpus_of({"id": 7, field: WORDS, "clusters": CLUSTERS})
        assert (documents(corpus), chains(corpus)) == ({"7": WORDS}, FOUND)
        assert corpus.sentences.tolist() == [0, 12]

    def test_the_place_behind_in_documents_of_wl_coref(self) -> None:
        given = {
            "document_id": "tc/sea",
            "part_id": 2,
            "cased_words": WORDS,
            "sent_id": [0] * 7 + [1] * 5,
            "pos": ["DT", "NN", "NN", "VBD", "PRP$", "NN", ".", "PRP", "VBD", "TO", "PRP", "."],
            "speaker": ["#1"] * 12,
            "head": [None] * 12,
            "word_clusters": [[2, 10], [4, 7]],
            "span_clusters": HALF_OPEN,
        }
        corpus = corpus_of(given, extra=("upos", "xpos", "feats", "head"))
        assert (corpus.documents.names, chains(corpus)) == (("tc/sea; part 2",), FOUND)
        assert corpus.sentences.tolist() == [0, 7, 12]
        assert values(corpus, "xpos")[:5] == ["DT", "NN", "NN", "VBD", "PRP$"]
        assert values(corpus, "upos") == values(corpus, "xpos")
        assert set(corpus.columns) == {"upos", "xpos"}
        assert chains(corpus_of(given, clusters="word_clusters")) == [
            (2, 3, "1.1"), (10, 11, "1.1"), (4, 5, "1.2"), (7, 8, "1.2"),
        ]  # fmt: skip
        gold = {"document_id": "sea", "cased_words": WORDS, "clusters": HALF_OPEN}
        assert chains(corpus_of(gold)) == FOUND

    def test_three_numbers_are_those_of_a_sentence(self) -> None:
        """PreCo: the place behind, in the sentence; and a sentence of a blank stands between paragraphs."""
        three = [[[0, 0, 3], [2, 3, 4]], [[0, 4, 5], [2, 0, 1]], [[0, 4, 6]]]
        given = {"id": "p", "sentences": [SENTENCES[0], [" "], SENTENCES[1]], "mention_clusters": three}
        corpus = corpus_of(given)
        assert (words(corpus), chains(corpus)) == (WORDS, FOUND)
        assert corpus.sentences.tolist() == [0, 7, 12]
        assert notes(corpus) == ["key: documents with words of white space alone, which are ignored: 1 (f.jsonlines:1)"]

    def test_what_a_resolver_returns(self) -> None:
        corpus = corpus_of({"tokens": WORDS, "clusters_token_offsets": CLUSTERS, "clusters_text_mentions": [["x"]]})
        assert (corpus.documents.names, chains(corpus)) == (("document 1",), FOUND)
        assert notes(corpus) == ["key: documents without names, numbered instead: 1 (f.jsonlines:1)"]

    def test_characters_of_a_text(self) -> None:
        text = "Bo ran. He 😀 fell."
        given = {"text": text, "clusters": [[[0, 2], [8, 10]]], "clusters_strings": [["Bo", "He"]]}
        corpus = corpus_of(given)
        assert corpus.spans is not None
        assert (corpus.spans.unit, chains(corpus)) == ("characters", [(0, 2, "1.1"), (8, 10, "1.1")])
        assert corpus.raw is not None
        assert corpus.raw.documents == (text,)
        inclusive = {**given, "clusters": [[[0, 1], [8, 9]]]}
        assert chains(corpus_of(inclusive, end="inclusive")) == chains(corpus)
        assert refused({**given, "id": "t", "clusters": [[[0, 2], [15, 20]]]}) == (
            "f.jsonlines:1: clusters[0][1] of document 't' ends at 20, but the text has 18 characters\n"
            "  the span: 15 20 ENTITY\n  check that this is the annotated text; offsets count its code points"
        )
        assert refused({**given, "clusters": [[[3, 3]]]}) == (
            "f.jsonlines:1: clusters[0][0] of document 'document 1' is 3 to 3, which is empty"
        )

    def test_pieces_of_words(self) -> None:
        pieces = [["[CLS]", "har", "##bour", "##s", "[SEP]"], ["[CLS]", "they", "shine", "[SEP]"]]
        given: dict[str, Any] = {
            "doc_key": "d",
            "sentences": pieces,
            "clusters": [],
            "predicted_clusters": [[[1, 3], [6, 6]]],
        }
        given["subtoken_map"] = [0, 0, 0, 0, 0, 1, 1, 2, 2]
        corpus = corpus_of(given)
        assert corpus.words is None
        assert (len(corpus), chains(corpus)) == (0, [(0, 1, "1.1"), (1, 2, "1.1")])
        assert notes(corpus) == [
            "key: documents whose mentions count subtokens, mapped by 'subtoken_map': 1 (f.jsonlines:1)"
        ]
        corpus = corpus_of({**given, "tokens": ["harbours", "they", "shine"]})
        assert (words(corpus), chains(corpus)) == (["harbours", "they", "shine"], [(0, 1, "1.1"), (1, 2, "1.1")])
        assert refused({**given, "tokens": ["harbours", "they"]}) == (
            "f.jsonlines:1: 'subtoken_map' of document 'd' names word 2, but there are 2\n  words are counted from 0"
        )
        assert "'subtoken_map' of document 'd' is not a list of word indices" in refused(
            {**given, "subtoken_map": [0, None]}
        )
        assert refused({**given, "predicted_clusters": [[[8, 9]]]}) == (
            "f.jsonlines:1: predicted_clusters[0][0] of document 'd' is 8 to 9, "
            "but the document has 9 subtokens\n"
            "  words are counted from 0, and the second number is the last word; if it is not, set ?end=exclusive"
        )
        other = {"doc_key": "e", "predicted_clusters": []}
        assert refused(given, other).startswith("f.jsonlines:2: missing 'subtoken_map', expected present in all")

    def test_documents_without_words_have_the_places_of_the_key(self) -> None:
        corpus = corpus_of({"id": "a", "clusters": CLUSTERS}, {"id": "b", "clusters": []})
        assert corpus.words is None
        assert (len(corpus), corpus.documents.names, chains(corpus)) == (0, ("a", "b"), FOUND)
        assert corpus.row_documents.tolist() == [0, 0, 0]
        assert refused({"clusters": CLUSTERS}) == (
            "f.jsonlines:1: the documents have neither words nor names, so they cannot be aligned\n"
            "  set the field of either: ?tokens=FIELD, ?document=FIELD"
        )

    def test_an_array_of_documents(self) -> None:
        text = json.dumps([document(), document(doc_key="sky")], indent=1)
        corpus = corpus_of(text)
        assert corpus.documents.names == ("sea", "sky")
        assert chains(corpus)[:5] == FOUND


class TestOptions:
    def test_the_end(self) -> None:
        assert chains(corpus_of(document(clusters=HALF_OPEN), end="exclusive")) == FOUND
        wl = {"id": "d", "cased_words": WORDS, "clusters": CLUSTERS}
        assert chains(corpus_of(wl, end="inclusive")) == FOUND
        assert "invalid end='half'" in refused(document(), code=2, end="half")

    def test_fields(self) -> None:
        given = {"key": "sea", "forms": WORDS, "gold": CLUSTERS, "id": "no"}
        corpus = corpus_of(given, clusters="gold", tokens="forms", document="key")
        assert (documents(corpus), chains(corpus)) == ({"sea": WORDS}, FOUND)
        assert corpus_of(document(), document(), document="none").documents.names == ("document 1", "document 2")
        for option in ("clusters", "tokens", "document"):
            named: dict[str, Any] = {option: "x"}
            assert refused(document(), **named) == (
                f"f.jsonlines:1: there is no field 'x'\n  ?{option}= names one of: doc_key, sentences, clusters"
            )

    def test_parts_behind_names(self) -> None:
        """So e2e-coref calls documents; in CoNLL-2012 they are called `sea_1` and `sea_1; part 3`."""
        given = document(doc_key="sea_1_0"), document(doc_key="sea_1_3")
        assert corpus_of(*given).documents.names == ("sea_1_0", "sea_1_3")
        assert corpus_of(*given, parts="suffix").documents.names == ("sea_1", "sea_1; part 3")
        assert refused(document(), parts="suffix") == (
            "f.jsonlines:1: the name 'sea' does not end in a part number\n  leave out ?parts="
        )

    def test_two_fields_with_chains(self) -> None:
        both = document(predicted_clusters=[[[0, 0]]])
        assert refused(both) == (
            "f.jsonlines:1: the chains could be in the field 'clusters' or 'predicted_clusters'\n"
            "  choose one: ?clusters=predicted_clusters"
        )
        assert chains(corpus_of(both, clusters="predicted_clusters")) == [(0, 1, "1.1")]
        assert chains(corpus_of(document(clusters=[], predicted_clusters=CLUSTERS))) == FOUND
        assert chains(corpus_of(document(clusters=[], predicted_clusters=[]))) == []

    def test_tags(self) -> None:
        tags = [["D", "N", "N", "V", "P", "N", "."], ["P", "V", "T", "P", "."]]
        corpus = corpus_of(document(xpos=tags), document(doc_key="b"), extra=("xpos", "upos"))
        assert corpus.columns["xpos"].values() == [*"DNNVPN.", *"PVTP.", *[None] * 12]
        assert refused(document(pos=["D"]), extra=("xpos",)) == (
            "f.jsonlines:1: 'pos' has 1 items, but there are 12 words\n  give one per word"
        )


class TestDefects:
    def test_an_empty_chain_is_noted(self) -> None:
        corpus = corpus_of(document(clusters=[[], *CLUSTERS, []]))
        assert [chain for *_, chain in chains(corpus)] == ["1.2", "1.2", "1.3", "1.3", "1.4"]
        assert notes(corpus) == ["key: chains without mentions ignored: 2 (f.jsonlines:1, f.jsonlines:1)"]

    def test_a_mention_twice_is_kept(self) -> None:
        assert chains(corpus_of(document(clusters=[[[0, 0], [0, 0]], [[0, 0]]]))) == [
            (0, 1, "1.1"), (0, 1, "1.1"), (0, 1, "1.2"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("mention", "what"),
        [
            ([5, 4], "is 5 to 4, which ends before it begins"),
            ([-1, 4], "is -1 to 4, which begins before the text"),
            ([5, 12], "is 5 to 12, but the document has 12 words"),
            ([10**15, 10**15], "is 1000000000000000 to 1000000000000000, but the document has 12 words"),
        ],
    )
    def test_a_mention_outside_of_the_text(self, mention: list[int], what: str) -> None:
        hint = "words are counted from 0, and the second number is the last word; if it is not, set ?end=exclusive"
        given = document(doc_key="b", clusters=[[[0, 0]], [[1, 1], mention]])
        assert refused(document(), given) == f"f.jsonlines:2: clusters[1][1] of document 'b' {what}\n  {hint}"

    def test_a_half_open_mention_outside_of_the_text(self) -> None:
        hint = (
            "words are counted from 0, and the second number is the position after the last word; "
            "if it is not, set ?end=inclusive"
        )
        for mention, what in (([3, 3], "ends before it begins"), ([0, 13], "but the document has 12 words")):
            found = refused(document(clusters=[[mention]]), end="exclusive")
            assert found.startswith("f.jsonlines:1: clusters[0][0] of document 'sea' is ")
            assert found.endswith(f"{what}\n  {hint}")

    @pytest.mark.parametrize(
        "mention", [[], [1, 2, 3, 4], ["1", "2"], [1.0, 2], None, {"begin": 1}, [True, 1], "x", [[1]]]
    )
    def test_what_is_no_mention(self, mention: Any) -> None:
        found = refused(document(clusters=[[mention]]))
        assert found.startswith("f.jsonlines:1: clusters[0][0] of document 'sea' is not a pair of numbers: ")
        assert found.endswith('  chains are written like this: "clusters": [[[0, 1], [5, 5]], [[3, 3], [8, 9]]]')

    def test_a_sentence_that_is_not_there(self) -> None:
        assert refused(document(clusters=[[[2, 0, 0]]])) == (
            "f.jsonlines:1: clusters[0][0] of document 'sea' is [2, 0, 0], but there is no sentence 2\n"
            "  the first of three numbers is the sentence, counted from 0"
        )

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"doc_key": "a", "sentences": SENTENCES}, "no known field holds chains\n  fields: doc_key, sent"),
            (document(clusters=[3]), "clusters[0] of document 'sea' is an integer, not a list of mentions\n"),
            (document(clusters={"a": 1}), "'clusters' is an object, not an array\n"),
            (document(sentences=[["a"], "b"]), "sentence 1 of 'sentences' is a string, not a list of words"),
            (document(sentences=[["a", 3]]), "word 1 of 'sentences' is an integer, not a string"),
            (document(sentences=[["a", "\ud800"]]), "not JSON: "),
            (document(sentences=[["a\0"]]), "a NUL character in 'a\\x00'\n"),
            (document(sentences="a b"), "'sentences' is a string, not an array\n"),
            (
                document(doc_key=None),
                "the document has no 'doc_key'\n  name all documents, or number them: ?document=none",
            ),
            (document(doc_key=[1]), "'doc_key' is an array, not a string\n"),
            (document(sentences=[[" "]], clusters=[[[0, 0]]]), "clusters[0][0] of document 'sea' is 0 to 0, which"),
            ("{", "the JSON object is cut off\n"),
            ("[1]", "not a JSON object, but of type int\n"),
            ("x", "not JSON: "),
        ],
    )  # fmt: skip
    def test_what_is_refused(self, given: Any, message: str) -> None:
        assert refused(given).startswith(f"f.jsonlines:1: {message}")

    def test_documents_unlike_the_first(self) -> None:
        assert refused(document(), {"doc_key": "b", "sentences": SENTENCES}) == (
            "f.jsonlines:2: the document 'b' has no field 'clusters'\n"
            "  add the field to every document; an empty list means that there are no chains"
        )
        assert refused(document(), {"doc_key": "b", "clusters": []}) == (
            "f.jsonlines:2: missing 'sentences', expected the words, as in the first document"
        )
        assert refused(document(), document()) == (
            "f.jsonlines:2: duplicate document 'sea'\n  the first is at f.jsonlines:1\n"
            "  rename one, or number all documents: ?document=none"
        )
        assert refused({"id": "a", "text": "Bo", "clusters": []}, {"id": "b", "clusters": []}).startswith(
            "f.jsonlines:2: missing 'text', expected a string\n"
        )

    def test_documents_without_any_words(self) -> None:
        corpus = corpus_of(
            document(sentences=[], clusters=[]),
            document(doc_key="b"),
            document(doc_key="c", sentences=[[]], clusters=[]),
        )
        assert documents(corpus) == {"sea": [], "b": WORDS, "c": []}
        assert refused(document(sentences=[], clusters=[])) == "f.jsonlines: there are no words in this file"


class TestRecognition:
    def test_it_is_told_from_other_json(self, tmp_path: Path) -> None:
        def format_of(given: Any) -> str:
            path = tmp_path / "f.jsonl"
            path.write_text(json.dumps(given) + "\n")
            return read_input(Input.parse(str(path)), Request(side="key", layer="chains"), "tokens").format

        assert format_of(document()) == "clusters"
        assert format_of({"text": "Bo", "clusters": []}) == "clusters"
        assert format_of({"id": "a", "text": "Bo", "spans": [{"begin": 0, "end": 2, "chain": 1}]}) == "jsonl"
        long = document(sentences=[["word"] * 30_000])  # the chains stand far behind the begin of the file
        assert format_of(long) == "clusters"

    def test_what_it_looks_like(self) -> None:
        assert sniff(['{"document_id": "a", "cased_words": ["a'])
        assert sniff(['[{"id": 1, "mention_clusters": []}]'])
        assert not sniff(['{"id": 1, "sentences": 4}'])
        assert not sniff(["clusters\t1"])
        assert FORMAT.layers == frozenset({"chains"})
