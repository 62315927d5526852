"""The file around the data: one self-contained HTML document that runs only its own script."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import msgspec

from comparanda.render.charts.theme import define_variables
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.report.page_data import Page

SCRIPTS = (
    "dom",
    "address",
    "frame",
    "visits",
    "keyboard",
    "store",
    "remote",
    "filters",
    "choices",
    "sorting",
    "tables",
    "charts",
    "words",
    "arcs",
    "cards",
    "items",
    "suspects",
    "views",
    "main",
)
"""The parts of the script, in order: they share one scope, and top-level code uses only earlier parts."""

STYLES = ("page", "cards", "items", "suspects", "charts")


def as_html(page: Page) -> str:
    """Return the page as one file."""
    packed = gzip.compress(msgspec.json.encode(page), 9, mtime=0)
    return Template(_asset("page.html")).substitute(
        policy=build_policy(served=page.served),
        generator=f"comparanda {__version__}",
        title=escape(page.title),
        style=_style(),
        script=_script(),
        data=base64.b64encode(packed).decode(),
    )


def build_policy(*, served: bool) -> str:
    """Return the Content-Security-Policy: this script, this style, and requests only to the server of a served page."""
    reachable = "'self'" if served else "'none'"
    return (
        f"default-src 'none'; script-src '{_digest(_script())}'; style-src '{_digest(_style())}'; img-src data:; "
        f"connect-src {reachable}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _script() -> str:
    joined = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{joined}\n}})();\n'


@cache
def _style() -> str:
    colours = f":root {{\n{define_variables()}\n}}"
    return "\n".join([colours, *(_asset(f"{name}.css") for name in STYLES)])


def _asset(name: str) -> str:
    return files("comparanda.report").joinpath("assets", name).read_text(encoding="utf-8")
