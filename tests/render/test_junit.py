"""JUnit XML: what continuous integration makes of it, checked by a parser, a schema and hostile names."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.findings.gate import Check, Gate
from comparanda.findings.gate_junit import as_junit
from tests.seeds import draws

etree: Any = pytest.importorskip("lxml.etree")  # comes with bioc and dkpro-cassis, which tests need anyway

# What Ant writes and Jenkins, GitLab and the actions for GitHub read: the attributes they agree on, and no others.
SCHEMA = """
<element name="testsuites" xmlns="http://relaxng.org/ns/structure/1.0"
         datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  <attribute name="name"/><attribute name="tests"><data type="nonNegativeInteger"/></attribute>
  <attribute name="failures"><data type="nonNegativeInteger"/></attribute>
  <attribute name="errors"><data type="nonNegativeInteger"/></attribute>
  <attribute name="time"><data type="decimal"/></attribute>
  <oneOrMore><element name="testsuite">
    <attribute name="name"/><attribute name="tests"><data type="nonNegativeInteger"/></attribute>
    <attribute name="failures"><data type="nonNegativeInteger"/></attribute>
    <attribute name="errors"><data type="nonNegativeInteger"/></attribute>
    <attribute name="skipped"><data type="nonNegativeInteger"/></attribute>
    <attribute name="time"><data type="decimal"/></attribute>
    <element name="properties"><zeroOrMore>
      <element name="property"><attribute name="name"/><attribute name="value"/></element>
    </zeroOrMore></element>
    <zeroOrMore><element name="testcase">
      <attribute name="classname"/><attribute name="name"/>
      <attribute name="time"><data type="decimal"/></attribute>
      <optional><element name="failure"><attribute name="message"/><attribute name="type"/><text/></element></optional>
    </element></zeroOrMore>
  </element></oneOrMore>
</element>
"""


def made(**asked: Any) -> Gate:
    return cp.gate(list("AABB"), list("AABA"), list("ABBB"), task="tag", resamples=0, **asked)


def read(found: Gate) -> Any:
    """Parse the XML of a gate, and check it against the schema."""
    root = etree.fromstring(as_junit(found).encode())
    schema = etree.RelaxNG(etree.fromstring(SCHEMA))
    assert schema.validate(root), schema.error_log
    return root


def test_each_check_is_a_test_case_and_failures_hold_the_examples() -> None:
    root = read(made(max_new_errors=0, require=["accuracy >= base", "accuracy > base"]))
    assert dict(root.attrib) == {"name": "comparanda gate", "tests": "3", "failures": "2", "errors": "0", "time": "0"}
    cases = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    assert [name for name, failure in cases.items() if failure is None] == ["requirement: accuracy >= base"]
    failure = cases["new errors: at most 0"]
    assert failure.get("message") == "1 of 4 sites, 25 %; measured 1, limit 0"
    assert failure.get("type") == "new errors"
    assert failure.text.startswith("\nnew errors: at most 0\n1 of 4 sites, 25 %; measured 1, limit 0\n\n<key>:2")
    assert "    new   B  wrong  <new>:2\n" in failure.text
    assert "1 of 1 example shown where new_error\n" in failure.text
    values = {each.get("name"): each.get("value") for each in root.iter("property")}
    assert values["verdict"] == "Gate failed: 2 of 3 checks do not hold (base → new)"
    assert values["signature"].startswith("task:tag|")


def test_a_gate_that_holds_has_no_failure() -> None:
    root = read(made(max_new_errors=9))
    assert (root.get("failures"), list(root.iter("failure"))) == ("0", [])


def test_what_cannot_be_decided_is_a_failure_with_its_reason() -> None:
    root = read(made(require="f1 / changed_errors > 1"))
    (failure,) = root.iter("failure")
    assert failure.get("message").startswith("cannot be decided: division by zero")


def test_names_of_test_cases_are_told_apart() -> None:
    """GitLab passes over a second test case of the same name."""
    root = read(made(require=["f1 > 1", "f1 > 1", "f1 >  1"]))
    assert [case.get("name") for case in root.iter("testcase")] == ["requirement: f1 > 1", "requirement: f1 >  1"]
    twice = Check(
        name="requirement", asked="f1 > 1", unit="points", limit=1, measured=2, passed=True, decided=True, reason=""
    )
    root = read(
        Gate(
            view="v",
            base="a",
            new="b",
            passed=True,
            by_default=False,
            checks=(twice, twice),
            scores=(),
            run_pairs=1,
            sites=1,
            changes=(),
            examples=(),
            signature="",
        )
    )
    assert [case.get("name") for case in root.iter("testcase")] == ["requirement: f1 > 1", "requirement: f1 > 1 (2)"]


def test_equal_input_gives_equal_bytes() -> None:
    assert as_junit(made(max_new_errors=0)) == as_junit(made(max_new_errors=0))


HOSTILE = [
    "\x00",
    "\x1b[31m",
    "]]>",
    "<&\"'>",
    "\ud800",
    "\ufffe",
    "\uffff",
    "\x85",
    "\u2028",
    "é",
    "😀",
    "a\nb",
    "\r",
    "\t",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_character_breaks_the_file(text: str) -> None:
    check = Check(
        name="requirement",
        asked=f"x {text}",
        unit="points",
        limit=1,
        measured=0,
        passed=False,
        decided=True,
        reason=f"y {text}",
    )
    found = Gate(
        view=f"v{text}",
        base=f"a{text}",
        new=f"b{text}",
        passed=False,
        by_default=False,
        checks=(check,),
        scores=(),
        run_pairs=1,
        sites=1,
        changes=(),
        examples=(),
        signature=f"s{text}",
    )
    root = read(found)
    assert ElementTree.fromstring(as_junit(found)).tag == "testsuites"  # expat agrees
    (case,) = root.iter("testcase")
    assert case.get("name").startswith("requirement: x ")


@settings(max_examples=draws(60))
@given(st.text(max_size=20), st.text(max_size=40))
def test_any_text_can_be_read_back(name: str, reason: str) -> None:
    check = Check(
        name="requirement", asked=name, unit="points", limit=1, measured=0, passed=False, decided=True, reason=reason
    )
    found = Gate(
        view="v",
        base=name,
        new=name,
        passed=False,
        by_default=False,
        checks=(check,),
        scores=(),
        run_pairs=1,
        sites=1,
        changes=(),
        examples=(),
        signature=reason,
    )
    root = ElementTree.fromstring(as_junit(found))
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.text is not None


def test_words_with_control_characters_are_made_visible() -> None:
    key = [[("a\x1bb\x07", "A")]]
    found = cp.gate(key, key, [[("a\x1bb\x07", "B")]], task="tag", max_new_errors=0, resamples=0)
    (failure,) = read(found).iter("failure")
    assert r"[a\x1bb\x07]" in failure.text
