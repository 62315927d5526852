"""Cards of every task: what they say of each side is what sites and items say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.claims import linked_label
from comparanda.core.sites import NOTHING, format_value
from comparanda.core.text_columns import TextColumn
from comparanda.demo import demo_files
from comparanda.expressions.selection import Selection, select_rows
from comparanda.report.card_texts import FEW_RUNS, SPACE, fit_text
from comparanda.report.cards import Cards, join_sentence
from comparanda.report.page_data import Card, Mark, Side
from tests.findings.every_task import SOME_TASKS, TASKS, views
from tests.findings.small_chains import A, B, C
from tests.findings.small_chains import compared as chained
from tests.seeds import mostly_slow, seeds

EVERY_ITEM = "positive or negative"


def chosen(result: Result, where: str, view: str | None = None, pair: tuple[str, str] | None = None) -> Selection:
    base, new = pair or (None, None)
    return select_rows(result.verdicts, view=result.verdicts.view(view), where=where, base=base, new=new)


def cards(
    result: Result, where: str = "true", view: str | None = None, *, text: bool = True
) -> Iterator[tuple[int, Card]]:
    selection = chosen(result, where, view)
    made = Cards(result, selection, text=text)
    return ((row, made.of(row)) for row in np.unique(selection.rows).tolist())


def side_of(card: Card, run: int) -> Side:
    (side,) = (side for side in card.sides if run in side.runs)
    return side


@pytest.mark.parametrize("task", SOME_TASKS, ids=lambda task: task.__name__)
@pytest.mark.parametrize("text", [True, False], ids=["text", "no text"])
def test_every_run_is_on_one_side_with_its_value_at_every_site(task: object, text: bool, tmp_path: Path) -> None:
    result = task(2, tmp_path)  # type: ignore[operator]
    for view in views(result):
        sites = result.verdicts.view(view).sites
        for row, card in cards(result, view=view, text=text):
            key, *others = card.sides
            assert key.value == fit_text(format_value(sites.names[int(sites.key[row])]))
            assert (key.runs, key.right) == ((), None)
            assert Counter(run for side in others for run in side.runs) == Counter(range(3))
            for run in range(3):
                side = side_of(card, run)
                assert side.right == bool(sites.right[run][row])
                assert side.value == fit_text(format_value(sites.names[int(sites.values[run][row])]))
                assert not side.same or side.right
            assert card.label == format_value(sites.labels.names[int(sites.labels.key[row])])
            assert card.document == result.verdicts.documents[int(sites.document[row])]


@pytest.mark.parametrize("task", SOME_TASKS, ids=lambda task: task.__name__)
def test_every_item_says_who_has_it(task: object, tmp_path: Path) -> None:
    result = task(3, tmp_path)  # type: ignore[operator]
    for view in views(result):
        items = result.verdicts.view(view).items
        having = [items.has(run) for run in range(3)]
        for row, card in cards(result, EVERY_ITEM, view):
            label = format_value(items.names[int(items.label[row])])
            assert card.label == label
            assert card.sides[0].value == (label if items.positive[row] else format_value(NOTHING))
            for run in range(3):
                side = side_of(card, run)
                assert side.value == (label if having[run][row] else format_value(NOTHING))
                assert side.right == (bool(having[run][row]) == bool(items.positive[row]))


def covered(card: Card, mark: Mark) -> str:
    """Return the words of a mark in one piece, with white space as the text has it, as far as one can tell."""
    ((first, last),) = mark.pieces
    glued = frozenset(card.glued)
    words = [
        (" " if number not in glued and number > first else "") + card.words[number]
        for number in range(first, last + 1)
    ]
    return "".join(words).replace(SPACE, " ")


@pytest.mark.parametrize("name", ["spans", "crowded_spans", "fuzzy_spans", "linked"])
@pytest.mark.parametrize("seed", seeds(1, of=4))
def test_the_marks_of_a_side_are_its_spans(name: str, seed: int, tmp_path: Path) -> None:
    (task,) = (task for task in TASKS if task.__name__ == name)
    result = task(seed, tmp_path)
    view = result.verdicts.view()
    assert view.claims is not None
    claims, texts = view.claims, view.claims.attributes["text"].make()
    assert isinstance(texts, TextColumn)
    numbers = np.flatnonzero(np.array([not reason for reason in view.left_out.values()])) if view.left_out else None
    for row, card in cards(result):
        site = row if numbers is None else int(numbers[row])
        mine = np.flatnonzero(claims.site == site).tolist()
        for counts, side in zip(
            (claims.key, *claims.runs), (card.sides[0], *(side_of(card, run) for run in range(3))), strict=True
        ):
            marks = [
                mark for mark in (card.sides[0] if side.same else side).marks if not mark.elsewhere and not mark.empty
            ]
            wanted = Counter({each: int(counts[each]) for each in mine if counts[each]})
            labels = Counter(format_value(linked_label(claims.names[int(claims.label[each])])) for each in wanted)
            assert Counter(mark.label for mark in marks) == labels
            assert sum(mark.count for mark in marks) == wanted.total()
            assert Counter(mark.wrong for mark in marks) == Counter(
                bool(claims.key[each] != counts[each]) for each in wanted
            )
            exact = [mark for mark in marks if len(mark.pieces) == 1 and not mark.loose and mark.cut is None]
            said = {re.sub(r"\s+", " ", texts[each]) for each in wanted}
            assert {covered(card, mark) for mark in exact} <= said
            assert all(mark.label == format_value(NOTHING) for mark in side.marks if mark.empty)


def test_marks_on_one_line_do_not_overlap(tmp_path: Path) -> None:
    (task,) = (task for task in TASKS if task.__name__ == "crowded_spans")
    several = 0
    for seed in range(5):
        for _, card in cards(task(seed, tmp_path)):
            for side in card.sides:
                reach: dict[int, int] = {}
                for mark in side.marks:
                    assert mark.pieces[0][0] > reach.get(mark.level, -1)
                    assert all(0 <= first <= last < len(card.words) for first, last in mark.pieces)
                    reach[mark.level] = mark.pieces[-1][1]
                several += len(reach) > 1
    assert several


def test_runs_that_say_the_same_share_a_side() -> None:
    key, systems = demo_files("pos")
    files = [*systems.values()]
    result = cp.compare(key, {f"s{number:02}": files[number % 4] for number in range(30)}, task="pos", resamples=0)
    selection = chosen(result, "true")
    made = Cards(result, selection)
    found = [made.of(row) for row in result.verdicts.view().sites.contested[:200].tolist()]
    assert max(len(card.sides) for card in found) <= 5
    for card in found:
        assert sorted(run for side in card.sides for run in side.runs) == [*range(30)]
        for side in card.sides[1:]:
            assert len({run % 4 for run in side.runs}) * 7 <= len(side.runs)
            assert all(not mark.elsewhere for mark in side.marks)
    assert len(msgspec.json.encode(found)) / len(found) < 1500


def test_cards_of_a_pair_show_the_pair_alone() -> None:
    key, systems = demo_files("span")
    result = cp.compare(key, systems, task="span", resamples=0)
    selection = chosen(result, "correction", pair=("opennlp", "spacy"))
    runs = {result.verdicts.runs.index(name) for name in ("opennlp", "spacy")}
    made = Cards(result, selection)
    for row in selection.rows.tolist():
        card = made.of(row)
        assert {run for side in card.sides for run in side.runs} == runs
        assert [side_of(card, result.verdicts.runs.index(name)).right for name in ("opennlp", "spacy")] == [False, True]


def test_attributes_are_written_as_slices_write_them() -> None:
    key, systems = demo_files("pos")
    result = cp.compare(key, systems, task="pos", resamples=0)
    names = ("genre", "length", "word", "majority_right", "no such thing")
    made = Cards(result, chosen(result, "true"), attributes=names).of(0)
    assert made.attributes == ("news", str(len(made.words)), made.words[0], "yes", "")
    assert len(chosen(result, f'length == {made.attributes[1]} and genre == "news"')) > 0


def test_attributes_that_are_missing_say_so(tmp_path: Path) -> None:
    (task,) = (task for task in TASKS if task.__name__ == "trees")
    result = task(1, tmp_path)
    made = Cards(result, chosen(result, "true"), attributes=("distance", "direction"))
    found = {made.of(row).attributes for row in range(len(result.verdicts.view().sites))}
    assert {each for each in found if each[1] == "root"} == {("(none)", "root")}
    assert ("2", "head left") in found


def texts_in(thing: object) -> Iterator[str]:
    """Yield all texts of something made of lists and dicts."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, dict | list | tuple):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from texts_in(each)


@pytest.mark.parametrize("task", mostly_slow(["pos", "span", "coref"], {"pos"}))
def test_without_text_a_card_holds_no_word_of_the_corpus(task: str) -> None:
    key, systems = demo_files(task)
    result = cp.compare(key, systems, task=task, resamples=0)
    attributes = ("word", "text", "length")
    for where in ("true", EVERY_ITEM):
        selection = chosen(result, where)
        with_text, without = (Cards(result, selection, text=text, attributes=attributes) for text in (True, False))
        rows = np.unique(selection.rows)[:200].tolist()
        words = {word for row in rows for word in with_text.of(row).words if len(word) > 2}
        said = {text for row in rows for text in texts_in(msgspec.to_builtins(without.of(row)))}
        labels = {
            text for row in rows for text in (without.of(row).label, *(side.value for side in without.of(row).sides))
        }
        places = {text for row in rows for side in without.of(row).sides for text in side.places}
        names = {text for row in rows for text in (without.of(row).document, without.of(row).place or "")}
        assert len(words) > 30
        assert said - labels - names - places <= {"rows", *map(str, range(100)), ""}
        assert not words & labels
        for row in rows[:50]:
            card = without.of(row)
            assert (card.kind, card.words, card.line, card.rulings) == ("rows", (), "", ())
            assert [side.value for side in card.sides[:1]] == [with_text.of(row).sides[0].value]


def test_the_sentence_of_a_card_is_one_text() -> None:
    text = "Ann's dog (Rex) left."
    given = {"id": "d", "text": text, "spans": [{"begin": 11, "end": 14, "label": "PER"}]}
    result = cp.compare([given], {"s": [{**given, "spans": []}]}, task="span", resamples=0)
    (card,) = (card for _, card in cards(result))
    assert join_sentence(card) == text


def test_a_row_without_words_shows_its_line(tmp_path: Path) -> None:
    for name, label in (("key", "pos"), ("s", "neg")):
        (tmp_path / f"{name}.tsv").write_text(f"id\tlabel\ttext\n7\t{label}\tA fine film\n")
    result = cp.compare(tmp_path / "key.tsv", {"s": tmp_path / "s.tsv"}, task="label", resamples=0)
    (card,) = (card for _, card in cards(result))
    assert (card.kind, card.words, card.place) == ("rows", (), "key.tsv:2")
    assert "A fine film" in card.line
    assert [side.value for side in card.sides] == ["pos", "neg"]


EVIL = (
    "</script><script>alert(1)</script>",
    "a\u202eb",
    "\x1b[31m",
    "x\u2028y",
    "z\u200bw",
    "<!--",
    "😀\u200d👩",
    "x" * 1_000_000,
)


def test_hostile_words_labels_and_names_stand_visibly_on_cards() -> None:
    def side(shift: int) -> list[dict[str, list[str]]]:
        tags = [f"{EVIL[(number + shift) % 7]}{number}" for number in range(len(EVIL))]
        return [{"tokens": [*EVIL], "tags": tags}]

    result = cp.compare(side(0), {"\u202eevil</script>": side(0), "b": side(1)}, task="tag", resamples=0)
    found = [card for _, card in cards(result)]
    assert len(found) == len(EVIL)
    for number, card in enumerate(found):
        encoded = msgspec.json.encode(card).decode()
        assert encoded.isprintable()
        assert len(encoded) < 20_000
        assert card.site == (number, number)
        assert len(card.words) == len(EVIL)
        (mark,) = (mark for mark in card.sides[0].marks if not mark.elsewhere)
        assert mark.pieces == ((number, number),)


def test_of_a_long_sentence_the_words_around_the_site_are_shown() -> None:
    words = [f"w{number}" for number in range(5000)]
    key = [{"tokens": words, "tags": ["A"] * 5000}]
    other = [{"tokens": words, "tags": ["A"] * 2500 + ["B"] + ["A"] * 2499}]
    result = cp.compare(key, {"s": other}, task="tag", resamples=0)
    (card,) = (card for _, card in cards(result, 'not right("s")'))
    assert card.site is not None
    assert card.words[card.site[0]] == "w2500"
    assert len(card.words) == 40
    assert card.words_before + len(card.words) + card.words_after == 5000


def test_many_runs_are_shown_at_the_site_alone(tmp_path: Path) -> None:
    few = chained(tmp_path, {"a": A, "b": B, "c": C})
    many = chained(tmp_path, {f"s{number}": (A, B, C)[number % 3] for number in range(FEW_RUNS + 1)})
    around = [
        any(mark.elsewhere for _, card in cards(each) for side in card.sides for mark in side.marks)
        for each in (few, many)
    ]
    assert around == [True, False]
