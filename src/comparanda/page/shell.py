"""The file around the data: one HTML document that needs nothing else, in which nothing runs but its script."""

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

if TYPE_CHECKING:
    from comparanda.page.data import Page

SCRIPTS = ("dom", "address", "store", "tables", "charts", "cards", "items", "suspects", "keyboard", "main")
"""The parts of the script, in order: they share one scope, each uses what stands before it."""

STYLES = ("page", "cards")


def as_html(page: Page) -> str:
    """Return the page as one file."""
    packed = gzip.compress(msgspec.json.encode(page), 9, mtime=0)
    script, style = _script(), _style()
    reachable = "'self'" if page.served else "'none'"
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        f"connect-src {reachable}; base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("page.html")).substitute(
        policy=policy,
        title=escape(page.title),
        style=style,
        script=script,
        data=base64.b64encode(packed).decode(),
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _script() -> str:
    joined = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{joined}\n}})();\n'


@cache
def _style() -> str:
    return "\n".join(_asset(f"{name}.css") for name in STYLES)


def _asset(name: str) -> str:
    return files("comparanda.page").joinpath("assets", name).read_text(encoding="utf-8")
