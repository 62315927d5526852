"""The report: one HTML file that leads from every number to the examples behind it.

`building` makes its data from a result, view by view; `lists` what its numbers lead to; `cards` how an example looks;
`shell` the file around them. What the browser runs is in `assets/`.
"""

from comparanda.report.builder import Choices, build, build_without_key
from comparanda.report.html import as_html

__all__ = ["Choices", "as_html", "build", "build_without_key"]
