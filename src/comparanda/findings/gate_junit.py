"""A gate as JUnit XML for continuous integration, with a test case for each check.

There is no standard; this keeps to what Jenkins, GitLab and the readers of GitHub's actions have in common. Names of
test cases are made unique, because GitLab ignores a second one of the same name; the text of a failure repeats its
message, because not all readers show the message.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from comparanda.findings.gate import NEW_ERROR, format_limit, write_verdict
from comparanda.render.console import as_text
from comparanda.render.table import make_visible

if TYPE_CHECKING:
    from comparanda.findings.gate import Check, Gate

_XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ZERO_TIME = "0"  # equal input gives equal bytes, so the duration is left out


def as_junit(finding: Gate) -> str:
    """Render the checks of a gate as test cases; failures contain the new errors as text."""
    sizes = {"tests": str(len(finding.checks)), "failures": str(len(finding.failed)), "errors": "0"}
    suites = ElementTree.Element("testsuites", {"name": "comparanda gate", **sizes, "time": _ZERO_TIME})
    named = {"name": _escape(f"{finding.base} → {finding.new}"), **sizes, "skipped": "0", "time": _ZERO_TIME}
    suite = ElementTree.SubElement(suites, "testsuite", named)
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("verdict", write_verdict(finding)), ("view", finding.view), ("signature", finding.signature)):
        ElementTree.SubElement(properties, "property", {"name": name, "value": _escape(value)})
    seen: Counter[str] = Counter()
    for check in finding.checks:
        name = f"{check.name}: {check.asked}"
        seen[name] += 1
        numbered = name if seen[name] == 1 else f"{name} ({seen[name]})"
        case = ElementTree.SubElement(suite, "testcase", _case_attributes(numbered))
        if not check.passed:
            failure = ElementTree.SubElement(
                case, "failure", {"message": _escape(_failure_message(check)), "type": check.name}
            )
            failure.text = _failure_text(finding, check)
    ElementTree.indent(suites)
    return _XML_DECLARATION + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _case_attributes(name: str) -> dict[str, str]:
    return {"classname": "comparanda.gate", "name": _escape(name), "time": _ZERO_TIME}


def _failure_message(check: Check) -> str:
    if not check.decided:
        return check.reason
    return f"{check.reason}; measured {format_limit(check, check.measured)}, limit {format_limit(check, check.limit)}"


def _failure_text(finding: Gate, check: Check) -> str:
    """Return the text of a failure: the check and the new errors it counts, or else a sample of all new errors."""
    shown = [each for each in finding.examples if each.where == (check.where or NEW_ERROR)]
    lines = [
        f"{check.name}: {check.asked}",
        _failure_message(check),
        *(line for each in shown for line in ["", as_text(each)]),
    ]
    return "\n" + "\n".join(_escape(line) for block in lines for line in block.split("\n")) + "\n"


def _escape(text: str) -> str:
    """Escape characters that XML does not allow: control characters, lone surrogates and the like."""
    return make_visible(text)
