"""The report: one HTML file in which every number links to the examples that it counts.

`builder` computes its data from a result, view by view (`views`, `keyless`); `lists` holds the examples of each number,
`cards` the display of one example, `html` the file around them. The browser code is in `assets/`.
"""

from comparanda.report.builder import Choices, build_page, build_without_key
from comparanda.report.html import as_html

__all__ = ["Choices", "as_html", "build_page", "build_without_key"]
