"""Cards in a real browser: marks stand under their words, names of a pair come first, ears get the same as eyes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.demo import demo_files
from comparanda.expressions.selection import select_rows
from comparanda.report import as_html
from comparanda.report.cards import Cards
from comparanda.report.page_data import Card, ItemList, Page
from tests.chromium import Tab, opened
from tests.findings.every_task import crowded_spans, trees
from tests.findings.test_spans import compared as spanned
from tests.findings.test_spans import document, tagged
from tests.seeds import first_few
from tests.tasks.coref.test_examples import KEY, MARY
from tests.tasks.coref.test_examples import compared as chained
from tests.tasks.prob.findings.small import compared as believed

if TYPE_CHECKING:
    from playwright.sync_api import Browser


MOST = 20
"""How many cards a page holds: no more than are drawn at once."""


def written(
    folder: Path, result: Result, pair: tuple[str, str] | None = None, reference: str | None = None
) -> tuple[Path, str, list[Card]]:
    """Write a page with all sites of a result, and return it, the address of their list, and the cards."""
    base, new = pair or (None, None)
    made = Cards(result, select_rows(result.verdicts, result.verdicts.view(), "true"))
    cards = [made.of(row) for row in range(min(len(result.verdicts.view().sites), MOST))]
    runs = result.verdicts.runs
    page = Page(
        title="cards",
        task=result.verdicts.task,
        systems={name: (name,) for name in runs},
        runs=runs,
        signature="",
        notes=(),
        embedded="",
        views=(),
        lists=(
            ItemList(
                where="true", words="", of="sites", count=len(cards), base=base, new=new, cards=tuple(range(len(cards)))
            ),
        ),
        cards=tuple(cards),
        seed=0,
        reference=reference,
    )
    target = folder / "cards.html"
    target.write_text(as_html(page), encoding="utf-8")
    given = {"where": "true", **({"base": base, "new": new} if base and new else {})}
    return target, f"#/items?{urlencode(given)}", cards


# What each mark covers, as it stands on the screen: the words whose middle is between its left and its right end.
SEEN = """() => [...document.querySelectorAll("article.card")].map(card =>
  [...card.querySelectorAll("table.words")].flatMap(table => {
    const middle = box => box.left + box.width / 2;
    const words = [...table.rows[0].cells].slice(1);
    return [...table.querySelectorAll("td.mark:not(.empty)")].map(mark => {
      const box = mark.getBoundingClientRect();
      const at = words.map(word => middle(word.getBoundingClientRect()));
      return words.filter((_, n) => at[n] >= box.left && at[n] <= box.right).map(word => word.textContent).join("|");
    });
  }))"""


def expected(card: Card) -> list[str]:
    """Return what the marks of a card cover, piece by piece."""
    shown = [mark for side in card.sides for mark in side.marks if not mark.empty]
    return [
        "|".join(word or "▏" for word in card.words[first : last + 1]) for mark in shown for first, last in mark.pieces
    ]


HOSTILE = "שלום עולם, Anna\u0301 Smith-Jones 😀Bob\u202e </script>"


def hostile_spans() -> Result:
    at = HOSTILE.index("Anna")
    key = document(HOSTILE, (0, 4, "A"), (5, 9, "</script>"), (at, at + 5, "PER"))
    inner = document(HOSTILE, (0, 9, "A"), (at + 2, at + 8, "\u202ePER"), (at + 4, at + 5, "Q"), (at + 2, at + 2, "E"))
    return spanned([key], [inner], [document(HOSTILE, (4, 9, "B"), (at - 1, at + 12, "PER"))])


@pytest.mark.parametrize("width", first_few(1, [1280, 3000]))
@pytest.mark.parametrize("name", ["hostile", "crowded"])
def test_marks_stand_under_their_words(name: str, width: int, browser: Browser, tmp_path: Path) -> None:
    result = hostile_spans() if name == "hostile" else crowded_spans(1, tmp_path)
    file, address, cards = written(tmp_path, result)
    with opened(browser, file, address, viewport={"width": width, "height": 900}) as tab:
        found = tab.page.evaluate(SEEN)
        assert [sorted(each) for each in found] == [sorted(expected(card)) for card in cards]
        assert sum(map(len, found)) > 10
        assert tab.messages == []


def texts(tab: Tab, selector: str) -> list[str]:
    return [" ".join(each.split()) for each in tab.page.locator(selector).all_inner_texts()]


SENTENCES = (
    tagged("Yesterday Ann/B-PER Smith/I-PER left"),
    tagged("Yesterday Ann Smith/B-ORG left"),
    tagged("Yesterday Ann Smith left"),
)


def test_ears_get_what_eyes_get(browser: Browser, tmp_path: Path) -> None:
    key, wrong, none = SENTENCES
    file, address, _ = written(tmp_path, spanned(key, wrong, none, key))
    with opened(browser, file, address) as tab:
        article = tab.page.locator("article.card")
        assert article.get_attribute("tabindex") == "-1"
        assert article.get_attribute("data-step") is not None
        said = article.get_attribute("aria-label") or ""
        assert said.endswith(". key: PER Ann Smith; s1: wrong, ORG Smith; s2: wrong, (none); s3: right, as the key")
        assert texts(tab, "table.words th") == ["key", "✗ wrong: s1", "✗ wrong: s2", "✓ right: s3"]
        assert texts(tab, "table.words td.mark") == ["Ann Smith: PER", "Smith: ORG ✗", "(none)"]


def test_the_pair_that_is_looked_at_comes_first(browser: Browser, tmp_path: Path) -> None:
    key, wrong, none = SENTENCES
    result = cp.compare(
        key, {name: wrong if name in {"b", "d"} else none for name in "abcdefg"}, task="span", resamples=0
    )
    file, address, _ = written(tmp_path, result, ("d", "g"))
    with opened(browser, file, address) as tab:
        heads = texts(tab, "table.words th")
        assert [head.split(":")[-1].split() for head in heads[:2]] == [["key"], ["d,", "b"]]
        assert texts(tab, "table.words th strong") == ["d", "g"]
        assert "and 2 more" in heads[2]
        tab.page.locator("table.words th summary").click()
        assert "e, f" in texts(tab, "table.words th")[2]


def test_without_a_key_nobody_is_right_or_wrong(browser: Browser, tmp_path: Path) -> None:
    key, wrong, none = SENTENCES
    file, address, _ = written(tmp_path, spanned(key, wrong, none), reference="first")
    with opened(browser, file, address) as tab:
        whole = tab.page.locator("article.card").inner_text()
        assert texts(tab, "table.words th")[:2] == ["first", "≠ other: s1"]
        assert not {"✓", "✗", "wrong", "key"} & {*whole.replace(":", " ").split()}


def test_arcs_are_drawn_and_listed(browser: Browser, tmp_path: Path) -> None:
    file, address, cards = written(tmp_path, trees(1, tmp_path))
    with opened(browser, file, address) as tab:
        drawn = [card for card in cards if card.kind == "arcs"]
        assert tab.page.locator("article.arcs").count() == len(drawn) > 0
        wanted = [sum(len(side.arcs) for side in card.sides[1:]) for card in drawn]
        assert (
            tab.page.locator("article.arcs").evaluate_all(
                "all => all.map(card => card.querySelectorAll('table.heads td.wrong').length)"
            )
            == wanted
        )
        assert tab.page.locator("article.arcs figure .label.wrong").count() == sum(wanted)
        assert tab.messages == []


def test_chains_and_probabilities_are_listed(browser: Browser, tmp_path: Path) -> None:
    file, address, _ = written(tmp_path, chained(tmp_path, KEY, mary=MARY))
    with opened(browser, file, address) as tab:
        assert "→ 1 ✗ Mary :4, 1 sentence back" in " ".join(texts(tab, ".chains"))
    result = believed(tmp_path, {"d": ["a:PER"]}, {"s": {"d": [{"a:PER": 0.25, "a:LOC": 0.5}]}})
    file, address, _ = written(tmp_path, result)
    with opened(browser, file, address) as tab:
        assert texts(tab, "table.beliefs tr") == ["0.500 LOC a decided", "0.250 PER a ✓ in the key"]
        widths: Sequence[Any] = tab.page.locator(".bar .part").evaluate_all(
            "all => all.map(part => part.getAttribute('width'))"
        )
        assert [*widths] == ["50", "25"]


def test_nothing_of_a_card_runs_or_asks(browser: Browser, tmp_path: Path) -> None:
    words = ["</script><script>window.ran=1</script>", "<img/src=x/onerror=window.ran=1>", "http://example.org/x.png"]
    key, other = ([{"tokens": words, "tags": [f"{word}{side}" for word in words]}] for side in ("", "!"))
    file, address, _ = written(tmp_path, cp.compare(key, {words[0]: other}, task="tag", resamples=0))
    with opened(browser, file, address) as tab:
        assert tab.page.evaluate("() => window.ran") is None
        assert tab.page.locator("article.card img, article.card a[href^=http]").count() == 0
        assert tab.messages == []
        assert tab.requests == [tab.address]


def test_on_a_narrow_screen_lines_are_cut_and_nothing_reaches_beyond_it(browser: Browser, tmp_path: Path) -> None:
    key, systems = demo_files("span")
    file, address, cards = written(tmp_path, cp.compare(key, systems, task="span", resamples=0))
    with opened(browser, file, address, viewport={"width": 360, "height": 800}) as tab:
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 360
        assert tab.page.locator("table.words").count() > 2 * len(cards)
        rows = tab.page.locator("article.card").evaluate_all(
            "all => all.map(card => [...card.querySelectorAll('table.words')].map("
            "table => [...table.rows[0].querySelectorAll('bdi')].map(word => word.textContent)).flat())"
        )
        assert rows == [[*card.words] for card in cards]
