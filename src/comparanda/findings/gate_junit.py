"""A gate as JUnit XML, which continuous integration reads: a test case a check.

There is no standard; this keeps to what Jenkins, GitLab and the readers of GitHub's actions have in common. Names of
test cases are told apart, for GitLab passes over a second one of the same name; and what fails says so in its text,
for not all show the message.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from comparanda.findings.gate import NEW_ERROR, verdict, written
from comparanda.render.console import as_text
from comparanda.render.table import visible

if TYPE_CHECKING:
    from comparanda.findings.gate import Check, Gate

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NO_TIME = "0"  # equal input gives equal bytes, so how long it took is not told


def as_junit(finding: Gate) -> str:
    """Return the checks of a gate as test cases; failures hold the new errors as text."""
    sizes = {"tests": str(len(finding.checks)), "failures": str(len(finding.failed)), "errors": "0"}
    suites = ElementTree.Element("testsuites", {"name": "comparanda gate", **sizes, "time": _NO_TIME})
    named = {"name": _clean(f"{finding.base} → {finding.new}"), **sizes, "skipped": "0", "time": _NO_TIME}
    suite = ElementTree.SubElement(suites, "testsuite", named)
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("verdict", verdict(finding)), ("view", finding.view), ("signature", finding.signature)):
        ElementTree.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    seen: Counter[str] = Counter()
    for check in finding.checks:
        name = f"{check.name}: {check.asked}"
        seen[name] += 1
        numbered = name if seen[name] == 1 else f"{name} ({seen[name]})"
        case = ElementTree.SubElement(suite, "testcase", _case(numbered))
        if not check.passed:
            failure = ElementTree.SubElement(case, "failure", {"message": _clean(_message(check)), "type": check.name})
            failure.text = _text(finding, check)
    ElementTree.indent(suites)
    return _HEAD + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _case(name: str) -> dict[str, str]:
    return {"classname": "comparanda.gate", "name": _clean(name), "time": _NO_TIME}


def _message(check: Check) -> str:
    if not check.decided:
        return check.reason
    return f"{check.reason}; measured {written(check, check.measured)}, limit {written(check, check.limit)}"


def _text(finding: Gate, check: Check) -> str:
    """Return what a failure says: the check, and the new errors that it counts, or else those that are shown."""
    shown = [each for each in finding.examples if each.where == (check.where or NEW_ERROR)]
    lines = [f"{check.name}: {check.asked}", _message(check), *(line for each in shown for line in ["", as_text(each)])]
    return "\n" + "\n".join(_clean(line) for block in lines for line in block.split("\n")) + "\n"


def _clean(text: str) -> str:
    """Make visible what XML cannot hold: control characters, lone surrogates and the like."""
    return visible(text)
