"""Text with tags in it.

TimeML as in the annotation guidelines of TimeML 1.2.1 (https://timeml.github.io) and TempEval-3; ENAMEX, NUMEX and
TIMEX as in the named entity task of MUC-7 (https://aclanthology.org/M98-1028). The texts are made up.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.limits import limit_hint
from comparanda.errors import ReadError
from comparanda.formats.contract import Request
from comparanda.formats.inline_xml import FORMAT, sniff
from comparanda.formats.inputs import Input, find_formats, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words
from tests.seeds import mostly_slow
from tests.shared_data import shared

TIMEML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE TimeML SYSTEM "TimeML.dtd">
<TimeML xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<DOCID>wsj 7</DOCID>
<DCT><TIMEX3 tid="t0" type="DATE" value="1999-10-12" functionInDocument="CREATION_TIME">12 Oct</TIMEX3></DCT>
<TEXT>
Zoë <EVENT eid="e1" class="OCCURRENCE">left</EVENT> <TIMEX3 tid="t1" type="DATE" value="1999-10-11">yesterday</TIMEX3>
<SIGNAL sid="s1">after</SIGNAL> R&amp;D for <TIMEX3 tid="t2" type="DURATION" value="P2W" mod="">two weeks</TIMEX3>.
</TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/>
</TimeML>
"""
MUC = """<DOC>
<DOCID> nyt96-1 </DOCID>
<TEXT>
<p>
<ENAMEX TYPE="PERSON">Anna Wu</ENAMEX> paid <NUMEX TYPE="MONEY">$5</NUMEX> to <ENAMEX TYPE="ORGANIZATION">R&amp;D
of <ENAMEX TYPE="LOCATION">Rome</ENAMEX></ENAMEX> on <TIMEX TYPE="DATE">May 7</TIMEX>.
</p>
</TEXT>
</DOC>
<DOC>
<DOCID> nyt96-2 </DOCID>
<TEXT>Nothing.</TEXT>
</DOC>
"""
PLAIN = "<PER>Anna</PER> lives in <LOC>New <X>York</X></LOC>.\n<PER>Bo</PER> &lt;3 Anna.\n"
UNESCAPED = "\n  write &lt; and &amp; in the text, or set ?escaped=no if the text is not escaped"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, written: str = "d.xml::inline-xml") -> Corpus:
    path = Path(Input.parse(written).path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return read_path(written)


def read_path(written: str) -> Corpus:
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def refused(text: str, written: str = "d.xml::inline-xml") -> str:
    return refusal(read, text, written)


def texts(corpus: Corpus) -> tuple[str, ...]:
    assert corpus.raw is not None
    return corpus.raw.documents


def covered(corpus: Corpus) -> list[tuple[str, str]]:
    """The text and label of each span."""
    numbers = {name: number for number, name in enumerate(corpus.documents.names)}
    return [(texts(corpus)[numbers[name]][begin:end], label) for name, begin, end, label in spans(corpus)]


class TestTimeml:
    def test_the_text_is_that_of_the_text_element_and_labels_are_types(self) -> None:
        corpus = read(TIMEML, "d.tml")
        assert texts(corpus) == ("\nZoë left yesterday\nafter R&D for two weeks.\n",)
        assert spans(corpus) == [("d", 10, 19, "DATE"), ("d", 34, 43, "DURATION")]
        assert span_lines(corpus) == ["d.tml:7", "d.tml:8"]
        assert (said(corpus, "tid"), said(corpus, "value")) == (["t1", "t2"], ["1999-10-11", "P2W"])
        assert corpus.format == "inline-xml"
        assert {name: column[0] for name, column in corpus.documents.attributes.items()} == {"dct": "12 Oct"}

    def test_other_elements_are_noted(self) -> None:
        assert notes(read(TIMEML, "d.tml")) == [
            "key: elements that are not spans ignored: EVENT (1), SIGNAL (1): 2 (d.tml:7, d.tml:8)"
        ]

    def test_elements_that_are_asked_for(self) -> None:
        corpus = read(TIMEML, "d.tml::inline-xml?elements=EVENT,SIGNAL&label=class")
        assert covered(corpus) == [("left", "OCCURRENCE"), ("after", "SIGNAL")]
        assert notes(corpus) == ["key: elements without the attribute 'class', labelled by their name: 1 (d.tml:8)"]

    def test_elements_that_are_asked_for_and_not_there(self) -> None:
        corpus = read(TIMEML, "d.tml::inline-xml?elements=TIMEX3,TIMEX")
        assert len(spans(corpus)) == 2
        assert notes(corpus) == ["key: requested elements not found: TIMEX: 1"]

    def test_crlf_is_one_line_end_and_no_note(self) -> None:
        crlf = read(TIMEML.replace("\n", "\r\n"), "d.tml::inline-xml?elements=TIMEX3")
        assert (spans(crlf), notes(crlf)) == ([("d", 10, 19, "DATE"), ("d", 34, 43, "DURATION")], [])

    def test_what_stands_outside_of_the_text_is_noted(self) -> None:
        corpus = read(TIMEML.replace("<TEXT>", "<TITLE>In <TIMEX3 type='DATE'>May</TIMEX3></TITLE><TEXT>"), "d.tml")
        assert notes(corpus)[1:] == ["key: elements outside the text ignored: 1 (d.tml:6)"]

    def test_empty_elements_are_noted(self) -> None:
        corpus = read(TIMEML.replace("</TEXT>", '<TIMEX3 type="DATE" tid="t9"/></TEXT>'), "d.tml")
        assert len(spans(corpus)) == 2
        assert notes(corpus)[1:] == ["key: elements that cover no text ignored: 1 (d.tml:9)"]

    def test_a_document_without_spans(self) -> None:
        assert spans(read("<TimeML><TEXT>Nothing.</TEXT></TimeML>", "d.tml")) == []


class TestMuc:
    def test_several_documents_in_a_file_are_called_as_it_calls_them(self) -> None:
        corpus = read(MUC, "d.sgml")
        assert corpus.documents.names == ("nyt96-1", "nyt96-2")
        assert covered(corpus) == [
            ("Anna Wu", "PERSON"),
            ("$5", "MONEY"),
            ("R&D\nof Rome", "ORGANIZATION"),
            ("Rome", "LOCATION"),
            ("May 7", "DATE"),
        ]
        assert span_lines(corpus) == [f"d.sgml:{line}" for line in (5, 5, 5, 6, 6)]
        assert notes(corpus) == ["key: elements that are not spans ignored: p (1): 1 (d.sgml:4)"]

    def test_attributes_without_quotes(self) -> None:
        corpus = read("<DOC><TEXT><ENAMEX TYPE=PERSON STATUS='OPT'>Bo</ENAMEX></TEXT></DOC>", "d.sgml")
        assert (covered(corpus), said(corpus, "STATUS")) == ([("Bo", "PERSON")], ["OPT"])

    def test_documents_without_a_name_are_numbered(self) -> None:
        corpus = read("<DOC>a</DOC><DOC id='x'>b</DOC><DOC>c</DOC>", "d.sgml")
        assert (corpus.documents.names, texts(corpus)) == (("d:1", "x", "d:3"), ("a", "b", "c"))

    def test_the_same_name_twice(self) -> None:
        assert refused(MUC.replace("nyt96-2", "nyt96-1"), "d.sgml") == (
            "d.sgml:12: duplicate document 'nyt96-1'\n  the first is at d.sgml:3\n"
            "  rename one: document names must be unique"
        )

    def test_text_between_documents(self) -> None:
        assert refused("<DOC>a</DOC> b <DOC>c</DOC>", "d.sgml") == (
            "d.sgml:1: there is text outside the document elements\n  set the element that holds the text: ?text=NAME"
        )

    @pytest.mark.slow
    def test_many_documents_in_one_file_take_linear_time(self) -> None:
        begin = time.process_time()
        corpus = read("<corpus>" + "<DOC><TEXT><PER>Bo</PER> ran.</TEXT></DOC>\n" * 20_000 + "</corpus>")
        assert time.process_time() - begin < 5
        assert (len(corpus.documents), len(spans(corpus))) == (20_000, 20_000)


class TestPlainText:
    def test_each_file_is_a_document_and_each_element_a_span(self) -> None:
        corpus = read(PLAIN, "d.txt")
        assert texts(corpus) == ("Anna lives in New York.\nBo <3 Anna.",)
        assert spans(corpus) == [("d", 0, 4, "PER"), ("d", 14, 22, "LOC"), ("d", 18, 22, "X"), ("d", 24, 26, "PER")]
        assert (span_lines(corpus)[-1], notes(corpus), corpus.format) == ("d.txt:2", [], "inline-xml")
        assert words(corpus)[:3] == ["Anna", "lives", "in"]

    def test_each_line_is_a_document(self) -> None:
        corpus = read("\n" + PLAIN.replace("\n", "\n\n"), "d.txt::inline-xml?documents=line")
        assert corpus.documents.names == ("2", "4")
        assert texts(corpus) == ("Anna lives in New York.", "Bo <3 Anna.")
        assert covered(corpus) == [("Anna", "PER"), ("New York", "LOC"), ("York", "X"), ("Bo", "PER")]
        assert span_lines(corpus) == ["d.txt:2", "d.txt:2", "d.txt:2", "d.txt:4"]

    def test_lines_of_several_files(self) -> None:
        read(PLAIN, "c/a.txt")
        read(PLAIN, "c/b.txt")
        names = read_path("c/*.txt::inline-xml?documents=line").documents.names
        assert names == ("a:1", "a:2", "b:1", "b:2")

    def test_elements_that_are_asked_for(self) -> None:
        assert covered(read(PLAIN, "d.txt::inline-xml?elements=LOC")) == [("New York", "LOC")]

    def test_places_count_bytes(self) -> None:
        corpus = read("東京 é\n😀 <PER>Bo</PER>\n\n<LOC>é</LOC>", "d.txt")
        assert (covered(corpus), span_lines(corpus)) == ([("Bo", "PER"), ("é", "LOC")], ["d.txt:2", "d.txt:4"])

    def test_attributes_are_columns(self) -> None:
        text = '<PER sub="x &amp; y" id="p1" text="t" begin="3" ref="Q1|NIL0|Q2" Confidence="low" score="0.5">Bo</PER>'
        corpus = read(text + "<PER probability='high'>Al</PER>", "d.txt")
        assert corpus.spans is not None
        assert {name: said(corpus, name)[0] for name in corpus.spans.columns} == {
            "sub": "x & y",
            "element_id": "p1",
            "element_text": "t",
            "element_begin": "3",
            "id": "Q1|NIL|Q2",
            "confidence": "low",
            "probability": "0.5",
        }
        assert said(corpus, "probability")[1] == "high"

    def test_the_attribute_of_ids_and_of_labels(self) -> None:
        text = '<PER id="Q1" kind="author">Bo</PER><PER kind="">Al</PER>'
        corpus = read(text, "d.txt::inline-xml?id=id&label=kind")
        assert (covered(corpus), said(corpus, "id")) == ([("Bo", "author"), ("Al", "PER")], ["Q1", None])
        assert notes(corpus) == ["key: elements without the attribute 'kind', labelled by their name: 1 (d.txt:1)"]

    def test_elements_that_say_by_an_attribute_what_they_are(self) -> None:
        corpus = read('a <entity type="PER">Bo</entity> <ne label="LOC">Rome</ne> <name>x</name>', "d.txt::inline-xml")
        assert covered(corpus) == [("Bo", "PER"), ("Rome", "LOC"), ("x", "name")]

    def test_empty_elements_are_noted(self) -> None:
        corpus = read("<PER>Bo</PER> <X/><LOC></LOC>", "d.txt")
        assert (covered(corpus), notes(corpus)) == (
            [("Bo", "PER")],
            ["key: elements that cover no text ignored: 2 (d.txt:1, d.txt:1)"],
        )

    def test_comments_and_numbers_of_characters(self) -> None:
        corpus = read("a<!-- x -->b <PER>&#233;&#x1F600;&quot;&apos;</PER>", "d.txt")
        assert (texts(corpus), covered(corpus)) == (("ab é😀\"'",), [("é😀\"'", "PER")])

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("x\n<PER>R&D</PER>", f"d.txt:2: this & does not begin an entity{UNESCAPED}"),
            ("x\na < b <PER>Bo</PER>", f"d.txt:2: this < does not begin a tag{UNESCAPED}"),
            ("&eacute; <PER>Bo</PER>", f"d.txt:1: this & does not begin an entity{UNESCAPED}"),
            ("&#xD800; <PER>Bo</PER>", "d.txt:1: &#xD800; is not a character"),
            ("&#0; <PER>Bo</PER>", "d.txt:1: &#0; is not a character"),
            ("x\n<PER>Bo", "d.txt:2: <PER> is not closed\n  </PER> is missing"),
            ("<PER>Bo</PER>\nx</LOC>", "d.txt:2: </LOC> has no start tag\n  <LOC> is missing"),
            (
                "<PER>Bo\n<LOC>x</PER></LOC>",
                "d.txt:2: </PER> does not match the open element\n  <LOC> at d.txt:2 is open\n"
                "  elements may be nested, but not cross",
            ),
            ("a <PER a='1' a='2'>Bo</PER>", "d.txt:1: duplicate attribute 'a' in this tag"),
            (
                "x " + "<PER>" * 201,
                f"d.txt:1: elements are nested more than 200 deep\n  is an end tag missing? {limit_hint('nesting')}",
            ),
        ],
    )
    def test_what_is_refused(self, text: str, message: str) -> None:
        assert refused(text, "d.txt::inline-xml") == message

    def test_texts_that_are_not_escaped(self) -> None:
        text = "a<b & R&D; x <= <PER>AT&T</PER> &amp; <3\n"
        corpus = read(text, "d.txt::inline-xml?escaped=no")
        assert texts(corpus) == ("a<b & R&D; x <= AT&T &amp; <3",)
        assert covered(corpus) == [("AT&T", "PER")]

    def test_a_text_that_looks_like_tags(self) -> None:
        text = "if a<b>c then <PER>Bo</PER>"
        assert refused(text, "d.txt::inline-xml?escaped=no") == (
            "d.txt:1: <b> is not closed\n  </b> is missing; if it is text, name the elements: ?elements=PER,LOC"
        )
        corpus = read(text, "d.txt::inline-xml?escaped=no&elements=PER,LOC")
        assert (texts(corpus), covered(corpus)) == (("if a<b>c then Bo",), [("Bo", "PER")])

    @pytest.mark.parametrize(("escaped", "size"), [("yes", 10_000_000), ("no", 2_000_000)])
    @pytest.mark.parametrize("text", mostly_slow(["<", "<a>", "<!--", '<a b="', "<a b=c "], ("<", "<!--")))
    def test_megabytes_of_brackets(self, text: str, escaped: str, size: int) -> None:
        """As text that is not escaped, each bracket is a word: that takes as long as so many words do."""
        begin = time.process_time()
        try:
            found = str(spans(read(text * (size // len(text)), f"d.txt::inline-xml?escaped={escaped}")))
        except ReadError as problem:
            found = problem.what
        assert time.process_time() - begin < 6
        assert found in {"[]", "this < does not begin a tag", "elements are nested more than 200 deep"}


class TestNames:
    def test_files_of_a_folder(self) -> None:
        for name in ("c/a.xml", "c/sub/a.xml", "c/sub/b.1.tml"):
            read(TIMEML, name)
        assert read_path("c::inline-xml").documents.names == ("a", "sub/a", "sub/b.1")
        assert read_path("c/sub/*.*::inline-xml").documents.names == ("a", "b.1")
        assert read_path("c/**/a.xml::inline-xml").documents.names == ("c/a", "c/sub/a")

    def test_what_files_call_their_documents(self) -> None:
        assert read(TIMEML, "d.tml::inline-xml?names=docid").documents.names == ("wsj 7",)
        assert refused("<TimeML><TEXT>x</TEXT></TimeML>", "d.tml::inline-xml?names=docid") == (
            "d.tml:1: the document has no DOCID\n  set ?names=file"
        )

    def test_numbers(self) -> None:
        read(PLAIN, "c/x.txt")
        read(PLAIN, "c/y.txt")
        assert read_path("c/*.txt::inline-xml?names=number").documents.names == ("1", "2")


class TestStructure:
    def test_a_root_that_is_known_and_elements_that_are_none(self) -> None:
        corpus = read('<doc genre="news"><head>A <PER>Bo</PER></head><p>x <TITLE>Dr</TITLE></p></doc>')
        assert covered(corpus) == [("Bo", "PER"), ("Dr", "TITLE")]
        assert notes(corpus) == ["key: elements that are not spans ignored: head (1), p (1): 2 (d.xml:1, d.xml:1)"]
        assert corpus.documents.attributes["genre"][0] == "news"

    def test_the_element_of_the_text(self) -> None:
        text = "<?xml version='1.0'?><x><meta>m</meta><body>a <PER>Bo</PER></body></x>"
        corpus = read(text, "d.xml::inline-xml?text=body&elements=PER")
        assert (texts(corpus), covered(corpus)) == (("a Bo",), [("Bo", "PER")])
        assert refused(text, "d.xml::inline-xml?text=boddy") == (
            "d.xml:1: there is no element <boddy> in this file\n  set the element that holds the text: ?text=NAME"
        )

    def test_a_text_within_a_text_is_part_of_it(self) -> None:
        corpus = read("<DOC><TEXT>a <text>b <PER>c</PER></text></TEXT></DOC>")
        assert (texts(corpus), covered(corpus)) == (("a b c",), [("c", "PER")])

    def test_text_of_lines_is_refused(self) -> None:
        assert refusal(read, PLAIN, "d.txt::inline-xml?text=x&documents=line", code=2) == (
            "text= names an element of documents, but documents=line reads plain text"
        )

    def test_tei_is_refused_unless_elements_are_named(self) -> None:
        tei = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><title>T</title></teiHeader>\n<text><body><p>'
        tei += '<persName ref="#a">Anna</persName> left.</p></body></text></TEI>'
        for text in (tei, f'<?xml version="1.0"?>\n{tei}'):
            line = 1 + text.startswith("<?xml") + 1
            assert refused(text) == (
                f"d.xml:{line}: no known span element in <TEI>\n"
                "  elements found: body (1), p (1), persName (1)\n"
                "  set the span elements: ?elements=NAME,NAME; and that of the text, if not the root: &text=NAME"
            )
            corpus = read(text, "d.xml::inline-xml?elements=persName&text=body")
            assert (covered(corpus), said(corpus, "id")) == ([("Anna", "persName")], ["#a"])
            assert "does not match any format with spans" in refused(text, "d.xml")

    def test_pubmed_is_refused(self) -> None:
        pubmed = '<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet SYSTEM "pubmed.dtd">\n<PubmedArticleSet>'
        pubmed += "<PubmedArticle><PMID>7</PMID><ArticleTitle>On <i>E. coli</i></ArticleTitle></PubmedArticle>"
        assert refused(pubmed + "</PubmedArticleSet>") == (
            "d.xml:3: no known span element in <PubmedArticleSet>\n"
            "  elements found: PubmedArticle (1), PMID (1), ArticleTitle (1), i (1)\n"
            "  set the span elements: ?elements=NAME,NAME; and that of the text, if not the root: &text=NAME"
        )
        assert "does not match any format with spans" in refused(pubmed + "</PubmedArticleSet>", "d.xml")

    def test_xml_that_is_broken(self) -> None:
        assert refused(TIMEML.replace("</EVENT>", "")) == (
            "d.xml:9: </TEXT> does not match the open element\n  <EVENT> at d.xml:7 is open"
        )


class TestSniffing:
    @pytest.mark.parametrize("text", [TIMEML, MUC, PLAIN, "<document><text>x</text></document>"])
    def test_only_this_format_fits(self, text: str) -> None:
        lines = text.split("\n")
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == [
            "inline-xml"
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Anna B-PER\nran O\n",
            '{"text": "<PER>Anna</PER>"}',
            '[{"text": "<TIMEX3 type=\'x\'>a</TIMEX3>"}]',
            "<html><body><p>x</p></body></html>",
            "a <b>b</b> <PER>c</PER>",
            "a\t<PER>Anna</PER>",
            '<?xml version="1.0"?><collection><source/><document><id>1</id></document></collection>',
            "<xmi:XMI xmlns:cas='x'><cas:NULL/></xmi:XMI>",
        ],
    )
    def test_other_files_do_not(self, text: str) -> None:
        assert not sniff(text.split("\n"))

    def test_where_nothing_fits_the_suffix_of_timeml_decides(self) -> None:
        assert read("<TEXT>\nx <b>y</b>\n</TEXT>", "d.tml").format == FORMAT.name


WIKIWARS = "data/timex/wikiwars"


@pytest.mark.parametrize(
    ("files", "standoff"),
    [("gold", "gold.jsonl"), ("systems/syntime_published", "systems/syntime_published.jsonl")],
)
def test_wikiwars_has_the_spans_of_its_stand_off_form(files: str, standoff: str) -> None:
    corpus = read_path(str(shared(f"{WIKIWARS}/{files}")))
    lines = shared(f"{WIKIWARS}/{standoff}").read_text("utf-8").splitlines()
    wanted = [
        (document["doc_id"], each["start"], each["end"], each["type"], each["tid"], each["value"], each["text"])
        for document in map(json.loads, lines)
        for each in document["timexes"]
    ]
    read_values = zip(spans(corpus), said(corpus, "tid"), said(corpus, "value"), covered(corpus), strict=True)
    assert [(*span, tid, value, text) for span, tid, value, (text, _) in read_values] == wanted
    assert notes(corpus) == []


def test_wikiwars_has_the_texts_of_its_stand_off_form() -> None:
    lines = shared(f"{WIKIWARS}/gold.jsonl").read_text("utf-8").splitlines()
    wanted = [(each["doc_id"], each["text"], each["dct"]) for each in map(json.loads, lines)]
    for files in ("gold", "systems/syntime_published"):
        corpus = read_path(str(shared(f"{WIKIWARS}/{files}")))
        times = corpus.documents.attributes["dct"].values()
        assert list(zip(corpus.documents.names, texts(corpus), times, strict=True)) == wanted
