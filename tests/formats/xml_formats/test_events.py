from __future__ import annotations

import time

import pytest

from comparanda.core.limits import USUAL, limit_hint
from comparanda.core.places import Part, Source
from comparanda.formats.xml import Event, read_events
from tests.formats.corpora import refusal

DEEPEST = USUAL.nesting
UNDEFINED = "\n  use &amp; &lt; &gt; &quot; &apos; or a number such as &#233;: no others are defined without a DTD"
ESCAPES = "\n  write < and & in the text as &lt; and &amp;"
CUT_OFF = "\n  is the file truncated?"
ENTITIES = "\n  replace entities by their content: they are not read, as they could be made to exhaust the memory"


def read(xml: str | bytes) -> list[Event]:
    return list(read_events(Source.of_text("f.xml", xml.encode() if isinstance(xml, str) else xml), 0, DEEPEST))


def text(xml: str) -> str:
    return "".join(value for kind, value, _, _ in read(xml) if kind == "text")


class TestEvents:
    def test_starts_texts_and_ends_with_their_bytes(self) -> None:
        assert read('<é x="1">ü&lt;<b/></é>') == [
            ("start", "é", {"x": "1"}, 0),
            ("text", "ü<", {}, 0),
            ("start", "b", {}, 16),
            ("end", "b", {}, 20),
            ("end", "é", {}, 20),
        ]

    def test_a_part_of_a_source_counts_from_its_begin(self) -> None:
        data = b"<a/>\n\n<b><c/></b>\n"
        source = Source(parts=(Part("1", None, 0), Part("2", None, 6)), given=Source.of_text("", data).given)
        assert [(kind, name, place) for kind, name, _, place in read_events(source, 0, DEEPEST)] == [
            ("start", "a", 0),
            ("end", "a", 4),
        ]
        assert [(name, place) for kind, name, _, place in read_events(source, 1, DEEPEST) if kind == "start"] == [
            ("b", 6),
            ("c", 9),
        ]

    def test_the_bytes_are_utf_8_whatever_the_file_says(self) -> None:
        assert text('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>') == "é"
        assert text("<?xml version='1.0' encoding='windows-1252'?><a>😀</a>") == "😀"

    def test_comments_and_instructions_are_left_out_and_cdata_is_text(self) -> None:
        assert text("<a>b<!-- <c> -->d<?e f?><![CDATA[<g>&h;]]></a>") == "bd<g>&h;"

    def test_long_texts_come_whole(self) -> None:
        long = "é" * 700_000
        assert text(f"<a>{long}<b/>{long}</a>") == 2 * long

    @pytest.mark.parametrize(
        "doctype",
        [
            "<!DOCTYPE a>",
            '<!DOCTYPE a SYSTEM "TimeML.dtd">',
            "<!DOCTYPE a SYSTEM 'http://x.example/a.dtd'>",
            '<!DOCTYPE a PUBLIC "-//X//Y" "a.dtd">',
            "<!DOCTYPE a [<!ELEMENT a ANY>]>",
            '<?xml version="1.0"?>\n<!-- <!DOCTYPE --><!DOCTYPE a SYSTEM "a.dtd" [<!ELEMENT a ANY>]>',
        ],
    )
    def test_a_doctype_is_never_fetched_and_places_hold(self, doctype: str) -> None:
        found = read(f"{doctype}\n<a>b&amp;c</a>")
        assert found[0] == ("start", "a", {}, len(doctype) + 1)
        assert found[1][1] == "b&c"


class TestRefused:
    @pytest.mark.parametrize(
        ("xml", "message"),
        [
            ("<a>\n<b>\n</a>", "f.xml:3: </a> does not match the open element\n  <b> at f.xml:2 is open"),
            ("<a>\n<b>x", f"f.xml:2: the XML ends too early\n  <b> at f.xml:2 is open{CUT_OFF}"),
            ("<a>\n<b x=", f"f.xml:2: the XML ends within a tag\n  <a> at f.xml:1 is open{CUT_OFF}"),
            ("<a>\n<![CDATA[", f"f.xml:2: the XML ends within a CDATA section\n  <a> at f.xml:1 is open{CUT_OFF}"),
            ("<!-- x -->", "f.xml:1: there is no element in this file"),
            ("hello", "f.xml:1: this is not valid XML\n  an XML file has a single root element"),
            ("<a>\nR&D</a>", f"f.xml:2: this is not valid XML\n  <a> at f.xml:1 is open{ESCAPES}"),
            ("<a>\na < b</a>", f"f.xml:2: this is not valid XML\n  <a> at f.xml:1 is open{ESCAPES}"),
            (
                "<a/>\n<b/>",
                "f.xml:2: there is content after the end of the root element\n  an XML file has a single root element",
            ),
            ('<a b="1" b="2"/>', "f.xml:1: duplicate attribute in this tag"),
            ("<a>&#1;</a>", "f.xml:1: this number is not a character of XML\n  <a> at f.xml:1 is open"),
            ("<a>\n&eacute;</a>", f"f.xml:2: the entity &eacute; is not defined{UNDEFINED}"),
            ('<a>\n<b c="&lt;&ouml;"/></a>', f"f.xml:2: the entity &ouml; is not defined{UNDEFINED}"),
            ("<a b=c/>", f"f.xml:1: this is not valid XML{ESCAPES}"),
            (
                "<a><?xml version='1.0'?></a>",
                "f.xml:1: this is not valid XML: XML or text declaration not at start of entity",
            ),
        ],
    )
    def test_what_is_no_xml(self, xml: str, message: str) -> None:
        found = refusal(read, xml)
        assert found.startswith(message)

    def test_entities_of_a_dtd_that_is_not_read(self) -> None:
        """A parser that knows of a DTD drops what that could define; ours may not."""
        head = '<!DOCTYPE a SYSTEM "a.dtd">\n'
        assert refusal(read, f"{head}<a>b &c;</a>") == f"f.xml:2: the entity &c; is not defined{UNDEFINED}"
        assert refusal(read, f'{head}<a b="&c;"/>') == f"f.xml:2: the entity &c; is not defined{UNDEFINED}"
        assert refusal(read, '<!DOCTYPE a [\n%c;]><a b="&d;"/>') == (
            "f.xml:2: the DOCTYPE refers to the entity %c;\n  remove the reference: entities are not read"
        )

    @pytest.mark.parametrize(
        "declared", ['<!ENTITY e "x">', '<!ENTITY e SYSTEM "/etc/passwd">', '<!ENTITY % e "x">', '<!ENTITY e "&e;&e;">']
    )
    def test_declared_entities(self, declared: str) -> None:
        found = refusal(read, f"<!DOCTYPE a [\n{declared}]>\n<a>&e;</a>")
        assert found == f"f.xml:2: the DOCTYPE declares the entity 'e'{ENTITIES}"

    def test_nesting_up_to_the_limit_and_deeper(self) -> None:
        assert text("<a>" * DEEPEST + "x" + "</a>" * DEEPEST) == "x"
        assert refusal(read, "<a>\n" * DEEPEST + "<b/>") == (
            f"f.xml:201: elements are nested more than 200 deep\n  is an end tag missing? {limit_hint('nesting')}"
        )

    @pytest.mark.parametrize(
        "xml",
        [
            b"<a>" * 3_400_000,
            b"<" * 10_000_000,
            b'<a b="' + b"x" * 10_000_000,
            b"<!---->" * 1_400_000,
            b"<a>" + b"[" * 10_000_000,
        ],
        ids=["starts", "brackets", "one tag", "comments", "square brackets"],
    )
    def test_ten_megabytes_are_refused_at_once(self, xml: bytes) -> None:
        begin = time.process_time()
        refusal(read, xml)
        assert time.process_time() - begin < 2
