"""The file around the data: nothing runs in it but its script, it asks for nothing, both themes can be read."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from importlib.resources import files

import msgspec
import pytest

from comparanda.report.html import SCRIPTS, STYLES, as_html, build_policy
from comparanda.report.page_data import Page, TextPart, View
from tests.report.small_pages import small

ASSETS = {
    each.name: each.read_text(encoding="utf-8") for each in files("comparanda.report").joinpath("assets").iterdir()
}
SVG = "http://www.w3.org/2000/svg"
TEXTS = ("ink", "faint", "link", "good", "bad", "changed")
HOSTILE = "</title></script><script>alert(1)</script><!-- $style ${data} \" ' & \u2028"

FORBIDDEN = {
    r"\.(inner|outer)HTML\b": "element.innerHTML = text",
    r"\binsertAdjacentHTML\b|\bsetHTML|\bcreateContextualFragment\b": "element.insertAdjacentHTML('beforeend', text)",
    r"\bdocument\s*\.\s*write": "document.write(text)",
    r"\beval\b": "eval(text)",
    r"\bFunction\s*\(": "new Function(text)",
    r"\bset(Timeout|Interval)\(\s*[\"'`]": "setTimeout('run()', 10)",
    r"text/html": "new DOMParser().parseFromString(text, 'text/html')",
    r"\bsrcdoc\b|javascript:": "make('a', { href: 'javascript:run()' })",
    r"[{,]\s*style:|[\"']style[\"']|\bcssText\b|<[^>]*\sstyle=": "make('p', { style: 'color: red' })",
    r"<[^>]*\son\w+=": "<p onclick=run()>",
    r"\bimport\b": "import('./other.js')",
    r"\burl\\?\((?!#)": "background: url(picture.png)",
    r"\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bsendBeacon\b|\bWorker\(": "new WebSocket(address)",
}


class Document(HTMLParser):
    """A file as a browser takes it apart: the texts of its elements by their names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self.attributes: list[dict[str, str | None]] = []
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        self.texts.setdefault(tag, []).append("")
        self.attributes.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open][-1] += data


def digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def allowed(document: Document) -> dict[str, list[str]]:
    """Return what the policy of a file allows, by the kinds of things."""
    (content,) = (each["content"] for each in document.attributes if each.get("http-equiv"))
    assert content is not None
    return {name: values for name, *values in (each.split() for each in content.split(";"))}


def test_policy_allows_this_script_and_this_style_and_nothing_else() -> None:
    document = Document(as_html(small()))
    _, script = document.texts["script"]
    (style,) = document.texts["style"]
    assert allowed(document) == {
        "default-src": ["'none'"],
        "script-src": [f"'{digest(script)}'"],
        "style-src": [f"'{digest(style)}'"],
        "img-src": ["data:"],
        "connect-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_page_of_a_server_may_ask_that_server_too() -> None:
    document = Document(as_html(small(served=True)))
    assert allowed(document)["connect-src"] == ["'self'"]
    assert build_policy(served=True) == build_policy(served=False).replace("connect-src 'none'", "connect-src 'self'")


def test_data_comes_back_as_it_was() -> None:
    page = small(View(name="labels", title=HOSTILE, parts=(TextPart(name="notes", title=HOSTILE, lines=(HOSTILE,)),)))
    packed, _ = Document(as_html(page)).texts["script"]
    assert msgspec.json.decode(gzip.decompress(base64.b64decode(packed)), type=Page) == page


def test_hostile_title_is_a_text() -> None:
    plain, hostile = Document(as_html(small())), Document(as_html(small(title=HOSTILE)))
    assert hostile.texts["title"] == hostile.texts["h1"] == [HOSTILE]
    assert {name: len(texts) for name, texts in hostile.texts.items()} == {
        name: len(texts) for name, texts in plain.texts.items()
    }
    assert hostile.texts["script"][1] == plain.texts["script"][1]


def test_bytes_are_the_same_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1.0)
    first = as_html(small())
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert as_html(small()) == first


def test_every_asset_is_in_the_page() -> None:
    assert sorted(ASSETS) == sorted(
        ["page.html", *(f"{name}.js" for name in SCRIPTS), *(f"{name}.css" for name in STYLES)]
    )
    assert (SCRIPTS[0], SCRIPTS[-1], STYLES[0]) == ("dom", "main", "page")


@pytest.mark.parametrize("name", sorted(ASSETS))
def test_asset_makes_no_markup_of_texts_and_asks_for_nothing(name: str) -> None:
    assert [found for pattern in FORBIDDEN if (found := re.search(pattern, ASSETS[name]))] == []
    assert set(re.findall(r"\b(?:https?|wss?|ftp)://[^\s\"'`)]*", ASSETS[name])) <= {SVG}
    assert name == "remote.js" or not re.search(r"\bfetch\(", ASSETS[name])


@pytest.mark.parametrize(("pattern", "sample"), FORBIDDEN.items())
def test_what_is_forbidden_would_be_found(pattern: str, sample: str) -> None:
    assert re.search(pattern, sample)


@pytest.mark.parametrize("name", sorted(ASSETS))
def test_asset_stands_in_the_file_as_it_is(name: str) -> None:
    """What would end its element, or what a browser reads otherwise than it is written, would change its digest."""
    if name != "page.html":
        assert not re.search(r"</(script|style)|<!--|\r|\0", ASSETS[name], re.IGNORECASE)


def names(script: str) -> list[str]:
    """Return what a script gives a name to, where all others see it."""
    return re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", script, re.MULTILINE)


def test_scripts_share_a_scope_and_no_name() -> None:
    assert names("const a = 1;\nlet b;\nasync function c() {\n  const a = 2;\n}\nclass d {}") == ["a", "b", "c", "d"]
    counted = Counter(name for script in SCRIPTS for name in names(ASSETS[f"{script}.js"]))
    assert counted["make"] == 1
    assert [name for name, count in counted.items() if count > 1] == []


def variables() -> dict[str, tuple[str, str]]:
    """Return the colours of the page by their names: on light paper, on dark paper."""
    (style,) = Document(as_html(small())).texts["style"]
    return {
        name: (light, dark)
        for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", style)
    }


def test_every_variable_that_is_used_is_defined() -> None:
    document = Document(as_html(small()))
    (style,) = document.texts["style"]
    used = set(re.findall(r"var\(--([\w-]+)", style + document.texts["script"][1]))
    assert {"ink", "paper", "raised", "link"} <= used
    assert used - set(re.findall(r"--([\w-]+):", style)) == set()


def luminance(colour: str) -> float:
    """Return how light a colour is, as WCAG 2 counts it."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("name", "ground", "least"),
    [
        *((name, ground, 4.5) for name in TEXTS for ground in ("paper", "raised")),
        ("ink", "mark", 4.5),
        ("faint", "mark", 4.5),
        *((name, ground, 3.0) for name in ("edge", "focus") for ground in ("paper", "raised")),
        *((f"series-{number}", "paper", 3.0) for number in range(7)),
    ],
)  # fmt: skip
def test_colours_can_be_told_from_their_ground(name: str, ground: str, least: float, theme: int) -> None:
    known = variables()
    assert contrast(known[name][theme], known[ground][theme]) >= least
