"""Spans of all sides as positions in the key's documents, against a walk over single characters.

A text is a row of characters without white space. Each side shows it in its own way: as words with tags, cut anywhere
and with white space inside, as tokens of several words, or as a text with white space anywhere. A span is some of the
characters, whoever shows them; so where it must stand in the key's text can be looked up, character by character.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda.align.quotes import place_spans
from comparanda.align.span_positions import PlacedSpans, Placement
from comparanda.errors import AlignError
from comparanda.pipeline import Setup, prepare_systems
from tests.seeds import seeds

LETTERS = "aaabbcdeÄé日😀𝒳\u0301,.-"
SPACES = (" ", " ", "  ", "\n", "\u00a0", "\u3000", "\t", " \n ")
LABELS = ("PER", "LOC")

Piece = tuple[int, int]
Span = tuple[str, tuple[Piece, ...], str]
"""A document, pieces in characters that are no white space, and a label."""


@dataclass(kw_only=True)
class Side:
    """What one side shows: the input, where it shows each character, and its spans.

    Args:
        given: what is handed over.
        places: for each document, where its characters stand in the text it would have as a key.
        spans: its spans.
        texts: the texts it would have as a key.
        ends: for words, where the words of each document end, in characters.

    """

    given: Any
    places: dict[str, list[int]] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    ends: dict[str, list[int]] = field(default_factory=dict)


class Maker:
    """Shows one text in many ways."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.draw = random.Random(seed)
        self.folder = folder
        names = [f"d{number}" for number in range(self.draw.randint(1, 3))]
        self.documents = {name: "".join(self.draw.choices(LETTERS, k=self.draw.randint(2, 14))) for name in names}

    def order(self, *, mixed: bool) -> list[str]:
        names = list(self.documents)
        return self.draw.sample(names, len(names)) if mixed else names

    def cuts(self, size: int, chance: float) -> list[int]:
        """Draw where words end."""
        return [end for end in range(1, size) if self.draw.random() < chance] + [size]

    def tagged(
        self, name: str, *, mixed: bool = False, ranges: bool = False, ends: dict[str, list[int]] | None = None
    ) -> Side:
        """Show the text as words with BIO tags: in columns, or in CoNLL-U with tokens of several words."""
        side, lines = Side(given=None), list[str]()
        for document in self.order(mixed=mixed):
            solid = self.documents[document]
            words = self.cuts(len(solid), self.draw.choice((0.3, 0.7, 1.0))) if ends is None else ends[document]
            side.ends[document] = words
            lines.append(f"# newdoc id = {document}")
            forms = [self.spaced(solid[begin:end]) for begin, end in pairwise([0, *words])]
            tags = self.tags(side, document, words)
            lines += self.conllu(forms, tags) if ranges else self.columns(forms, tags)
            self.shown(side, document, forms)
        path = self.folder / f"{name}.{'conllu' if ranges else 'tsv'}"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        side.given = f"{path}::{'conllu' if ranges else 'columns?word=1'}"
        return side

    def spaced(self, form: str) -> str:
        """Put white space inside of some words."""
        if len(form) < 2 or self.draw.random() < 0.8:
            return form
        cut = self.draw.randrange(1, len(form))
        return form[:cut] + self.draw.choice((" ", "\u00a0")) + form[cut:]

    def tags(self, side: Side, document: str, ends: Sequence[int]) -> list[str]:
        """Draw spans of whole words, and write them as tags."""
        tags, begins = ["O"] * len(ends), [0, *ends]
        word = 0
        while word < len(ends):
            width = self.draw.randint(1, 3)
            if word + width <= len(ends) and self.draw.random() < 0.5:
                label = self.draw.choice(LABELS)
                tags[word : word + width] = [f"B-{label}", *[f"I-{label}"] * (width - 1)]
                side.spans.append((document, ((begins[word], ends[word + width - 1]),), label))
                word += width
            else:
                word += 1
        return tags

    def columns(self, forms: Sequence[str], tags: Sequence[str]) -> list[str]:
        lines = []
        for form, tag in zip(forms, tags, strict=True):
            lines.append(f"{form}\t{tag}")
            if self.draw.random() < 0.2 and not tag.startswith("B"):
                lines.append("")
        return [*self.whole(lines), ""]

    def whole(self, lines: list[str]) -> list[str]:
        """Leave out sentence ends that would cut a span in two."""
        return [
            line
            for place, line in enumerate(lines)
            if line or (place + 1 < len(lines) and not lines[place + 1].rpartition("\t")[2].startswith("I"))
        ]

    def conllu(self, forms: Sequence[str], tags: Sequence[str]) -> list[str]:
        """Write words one by one, or some as two words of one token, both or one of them inside a span."""
        lines, number = [], 0
        for form, tag, behind in zip(forms, tags, [*tags[1:], "O"], strict=True):
            if self.draw.random() < 0.3:
                pair = [tag, tag.replace("B-", "I-")]
                if tag.startswith("B") and not behind.startswith("I"):  # a span of this token alone
                    pair = self.draw.choice((pair, [tag, "O"], ["O", tag]))
                lines.append(f"{number + 1}-{number + 2}\t{form}" + "\t_" * 8)
                lines += [self.word(number + 1, f"x{form}", pair[0]), self.word(number + 2, f"y{form}", pair[1])]
                number += 2
            else:
                number += 1
                lines.append(self.word(number, form, tag))
        return [*lines, ""]

    def word(self, number: int, form: str, tag: str) -> str:
        return f"{number}\t{form}\t_\tX\t{tag}\t_\t{number - 1}\tx\t_\t_"

    def shown(self, side: Side, document: str, forms: Sequence[str]) -> None:
        """Walk over the words with one space between them."""
        text = " ".join(forms)
        side.texts[document] = text
        side.places[document] = [place for place, character in enumerate(text) if character not in " \u00a0"]

    def written(self, *, mixed: bool = False) -> Side:
        """Show the text as it is, with white space anywhere, and spans of any kind."""
        side, records = Side(given=None), []
        for document in self.order(mixed=mixed):
            solid, text = self.documents[document], ""
            places = []
            for character in solid:
                text += self.draw.choice(SPACES) if self.draw.random() < 0.35 else ""
                places.append(len(text))
                text += character
            text += self.draw.choice(("", " ", "\n"))
            side.texts[document], side.places[document] = text, places
            spans = [self.any_span(len(solid)) for _ in range(self.draw.randint(0, 5))]
            side.spans += [(document, pieces, label) for pieces, label in spans]
            records.append({"id": document, "text": text, "spans": [record(places, *span) for span in spans]})
        side.given = records
        return side

    def any_span(self, size: int) -> tuple[tuple[Piece, ...], str]:
        begin, end = sorted(self.draw.sample(range(size + 1), 2))
        pieces: tuple[Piece, ...] = ((begin, end),)
        if end - begin > 3 and self.draw.random() < 0.4:
            first, second = sorted(self.draw.sample(range(begin + 1, end), 2))
            pieces = ((begin, first), (second, end))
        return pieces, self.draw.choice(LABELS)


def record(places: Sequence[int], pieces: tuple[Piece, ...], label: str) -> dict[str, Any]:
    shown = [[places[begin], places[end - 1] + 1] for begin, end in pieces]
    written: dict[str, Any] = {"begin": shown[0][0], "end": shown[-1][1], "label": label}
    return written if len(shown) == 1 else {**written, "fragments": shown}


# What must come out


def walked(key: Side, side: Side) -> list[tuple[Any, ...]]:
    """Look up where the characters of each span stand in the key's text."""
    found = []
    for document, pieces, label in side.spans:
        places = key.places[document]
        at = tuple((places[begin], places[end - 1] + 1) for begin, end in pieces)
        found.append((document, at, label))
    return sorted(found)


def placed(placement: Placement, side: PlacedSpans) -> list[tuple[Any, ...]]:
    """Return placed spans as plain data; pieces of spans that touch in the key's text are still pieces."""
    names = placement.positions.key.documents.names
    pieces: dict[int, list[Piece]] = {}
    if side.fragments is not None:
        fragments = side.fragments
        for span, begin, end in zip(
            fragments.span.tolist(), fragments.begin.tolist(), fragments.end.tolist(), strict=True
        ):
            pieces.setdefault(span, []).append((begin, end))
    rows = zip(side.document.tolist(), side.begin.tolist(), side.end.tolist(), strict=True)
    found = []
    for number, (document, begin, end) in enumerate(rows):
        at = tuple(pieces.get(number, [(begin, end)]))
        assert (at[0][0], at[-1][1]) == (begin, end)
        found.append((names[document], at, side.label[number]))
    return sorted(found)


def laid(key: Side, *responses: Side, **options: Any) -> Placement:
    systems = {f"r{number}": response.given for number, response in enumerate(responses)}
    return place_spans(prepare_systems(key.given, systems, Setup(task="span", scheme="bio", **options)).aligned)


def agree(key: Side, *responses: Side, **options: Any) -> Placement:
    placement = laid(key, *responses, **options)
    assert placement.unit == "characters"
    for side, shown in zip((key, *responses), placement.sides, strict=True):
        assert placed(placement, shown) == walked(key, side)
        for (document, at, _), text in zip(sorted_spans(placement, shown), texts(placement, shown), strict=True):
            assert text == key.texts[document][at[0] : at[1]]
    return placement


def sorted_spans(placement: Placement, side: PlacedSpans) -> list[tuple[str, Piece, str]]:
    names = placement.positions.key.documents.names
    rows = zip(side.document.tolist(), side.begin.tolist(), side.end.tolist(), strict=True)
    return [(names[document], (begin, end), side.label[number]) for number, (document, begin, end) in enumerate(rows)]


def texts(placement: Placement, side: PlacedSpans) -> list[str | None]:
    column = placement.texts(side)
    return [column[row] for row in range(len(side))]


SEEDS = seeds(5, of=120)


@pytest.mark.parametrize("seed", SEEDS)
def test_words_over_other_words(seed: int, tmp_path: Path) -> None:
    maker = Maker(seed, tmp_path)
    key, one, two = (maker.tagged(name, mixed=name != "key") for name in ("key", "one", "two"))
    if key.ends == one.ends == two.ends:
        return
    agree(key, one, two)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_over_words_and_words_over_a_text(seed: int, tmp_path: Path) -> None:
    maker = Maker(seed, tmp_path)
    tagged, written, other = maker.tagged("key"), maker.written(mixed=True), maker.tagged("other", mixed=True)
    agree(tagged, written, other)
    agree(maker.written(), tagged, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_over_a_text_with_other_white_space(seed: int, tmp_path: Path) -> None:
    maker = Maker(seed, tmp_path)
    agree(maker.written(), maker.written(mixed=True), maker.written())


@pytest.mark.parametrize("seed", SEEDS)
def test_tokens_of_several_words(seed: int, tmp_path: Path) -> None:
    """Words of one token share its characters: a span of one of them is a span of the token."""
    maker = Maker(seed, tmp_path)
    words, other, written = maker.tagged("words", ranges=True), maker.tagged("other", ranges=True), maker.written()
    agree(words, other, written, column="xpos")
    agree(written, words, other, column="xpos")


def test_with_the_same_words_positions_count_words(tmp_path: Path) -> None:
    for seed in range(30):
        maker = Maker(seed, tmp_path)
        key = maker.tagged("key")
        response = maker.tagged("response", ends=key.ends)
        placement = laid(key, response)
        assert placement.unit == "tokens"
        for side, shown in zip((key, response), placement.sides, strict=True):
            by_words = []
            for document, ((begin, end),), label in side.spans:
                ends = [0, *key.ends[document]]
                by_words.append((document, ((ends.index(begin), ends.index(end)),), label))
            assert placed(placement, shown) == sorted(by_words)


def test_with_the_same_words_in_other_documents_positions_count_characters(tmp_path: Path) -> None:
    for seed in range(60):
        maker = Maker(seed, tmp_path)
        key = maker.tagged("key")
        response = maker.tagged("response", ends=key.ends, mixed=True)
        if list(response.ends) != list(key.ends):
            agree(key, response)


# Responses without a text


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_a_response_without_a_text_has_its_positions_in_the_keys(seed: int, tmp_path: Path) -> None:
    maker = Maker(seed, tmp_path)
    key = maker.written()
    spans = [(document, *maker.any_span(len(solid))) for document, solid in maker.documents.items() for _ in range(3)]
    side = Side(given={name: [] for name in maker.order(mixed=True)}, spans=spans)
    for document, pieces, label in spans:
        side.given[document].append(record(key.places[document], pieces, label))
    agree(key, side)


def test_a_response_without_a_text_cannot_reach_beyond_it(tmp_path: Path) -> None:
    key = [{"id": "d", "text": "Anna saw", "spans": [{"begin": 0, "end": 4, "label": "PER"}]}]
    with pytest.raises(AlignError, match="5:9 ends after the end of document 'd', which has 8 characters"):
        laid(Side(given=key), Side(given={"d": [{"begin": 5, "end": 9, "label": "PER"}]}))


def test_characters_of_no_text_are_refused_where_the_key_has_words_alone(tmp_path: Path) -> None:
    key = Maker(1, tmp_path).tagged("key")
    with pytest.raises(AlignError, match="neither this system output nor the key has a text"):
        laid(key, Side(given={name: [{"begin": 0, "end": 1, "label": "PER"}] for name in key.texts}))


# Documents that are missing


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("seed", seeds(6, of=40))
def test_missing_documents_are_empty_or_left_out(seed: int, written: bool, tmp_path: Path) -> None:
    maker = Maker(seed, tmp_path)
    if len(maker.documents) < 2:
        return
    key, whole = maker.written(), maker.tagged("whole")
    gone = maker.draw.choice(list(maker.documents))
    rest = Maker(seed, tmp_path)
    rest.draw = maker.draw
    rest.documents = {name: solid for name, solid in maker.documents.items() if name != gone}
    part = rest.written(mixed=True) if written else rest.tagged("part", mixed=True)
    with pytest.raises(AlignError, match="1 of the key's documents missing"):
        laid(key, whole, part)
    agree(key, whole, part, missing="empty")
    placement = laid(key, whole, part, missing="intersection")
    for side, shown in zip((key, whole, part), placement.sides, strict=True):
        assert placed(placement, shown) == [span for span in walked(key, side) if span[0] != gone]


def test_documents_that_the_key_does_not_have_are_ignored_and_said() -> None:
    key = [{"id": "d", "text": "Anna", "spans": []}]
    more = [{"id": "e", "text": "Anna", "spans": [{"begin": 0, "end": 4, "label": "PER"}]}, {**key[0], "spans": []}]
    placement = laid(Side(given=key), Side(given=more), missing="empty")
    assert [len(side) for side in placement.sides] == [0, 0]
    (note,) = placement.notes
    assert (note.what, note.count) == ("spans in documents that the key does not have, ignored", 1)


def test_so_they_are_if_they_are_longer_and_the_others_have_other_white_space() -> None:
    key = [{"id": "d", "text": "Anna left", "spans": []}]
    here, there = ({"begin": begin, "end": begin + 4, "label": "PER"} for begin in (5, 15))
    more = [
        {"id": "d", "text": "Anna\nleft", "spans": [here]},
        {"id": "e", "text": "Cleo met Bo in Rome", "spans": [there]},
    ]
    for other in (more, more[::-1]):
        placement = laid(Side(given=key), Side(given=other), missing="empty")
        assert placed(placement, placement.sides[1]) == [("d", ((5, 9),), "PER")]


# Where white space is part of a span, or all of it


def text(shown: str, *spans: tuple[int, int]) -> Side:
    """Make documents of texts divided by `|`, with spans of the first."""
    first, *more = shown.split("|")
    written = [{"begin": begin, "end": end, "label": "X"} for begin, end in spans]
    records: list[Any] = [{"id": "d0", "text": first, "spans": written}]
    return Side(given=[*records, *({"id": f"d{n}", "text": each, "spans": []} for n, each in enumerate(more, start=1))])


def carried(key: str, response: str, span: tuple[int, int]) -> tuple[str, int, int]:
    """Return where a span of a response with other white space stands in the key."""
    placement = laid(text(key), text(response, span))
    (found,) = placed(placement, placement.sides[1])
    ((begin, end),) = found[1]
    return found[0], begin, end


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((0, 2), (0, 2)),
        ((0, 3), (0, 2)),  # white space at the end
        ((2, 5), (3, 5)),  # at the begin
        ((2, 6), (3, 5)),
        ((0, 5), (0, 5)),  # inside
    ],
)
def test_white_space_around_a_span_is_left_behind(span: Piece, expected: Piece) -> None:
    assert carried("ab cd.", "ab cd .", span) == ("d0", *expected)


@pytest.mark.parametrize("place", range(8))
@pytest.mark.parametrize("more", ["", "|ef"])
def test_a_span_without_length_stands_between_the_same_characters(place: int, more: str) -> None:
    response = "ab  cd "
    before = len(response[:place].replace(" ", ""))
    document, begin, end = carried(f"ab cd{more}", response + more, (place, place))
    assert document == "d0"
    assert begin == end <= 5
    assert len("ab cd"[:begin].replace(" ", "")) == before


@pytest.mark.parametrize("span", [(2, 3), (2, 4), (3, 4), (6, 7)])
@pytest.mark.parametrize("more", ["", "|ef"])
def test_a_span_of_white_space_alone_has_no_negative_length(span: Piece, more: str) -> None:
    response = "ab  cd "
    document, begin, end = carried(f"ab cd{more}", response + more, span)
    assert document == "d0"
    assert 0 <= begin <= end <= 5
    assert not "ab cd"[begin:end].strip()


@pytest.mark.parametrize(("key", "response"), [("  ", " "), ("", " "), ("ab|", "ab |  ")])
def test_a_span_of_a_text_without_characters_stands_at_its_begin(key: str, response: str) -> None:
    end, place = len(response.partition("|")[0]), len(key.partition("|")[0].strip())
    assert carried(key, response, (end, end)) == ("d0", place, place)


# Tokens of several words that are called alike


@pytest.mark.xfail(
    strict=True, reason="words of tokens that are split differently are found by their forms, not their place"
)
def test_a_token_of_several_words_stands_where_its_characters_do(tmp_path: Path) -> None:
    """The key's first token and the response's second have the same words; they share one character."""
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    blank = "\t_" * 8
    word = Maker(0, tmp_path).word
    key.write_text("\n".join([f"1-2\tab{blank}", word(1, "x", "O"), word(2, "y", "O"), word(3, "cd", "O"), "", ""]))
    response.write_text(
        "\n".join([word(1, "a", "O"), f"2-3\tbcd{blank}", word(2, "x", "B-PER"), word(3, "y", "I-PER"), "", ""])
    )
    placement = laid(Side(given=f"{key}::conllu"), Side(given=f"{response}::conllu"), column="xpos")
    (found,) = placed(placement, placement.sides[1])
    assert placement.positions.raw.documents == ("ab cd",)
    assert found[1] == ((1, 5),)


def test_rows_of_other_spelling_can_be_compared_by_number(tmp_path: Path) -> None:
    key, response = tmp_path / "key.bio", tmp_path / "response.bio"
    key.write_text("Ann\tB-PER\nleft\tO\n")
    response.write_text("Anne\tB-PER\nleft\tO\n")
    with pytest.raises(AlignError, match=r"the text differs") as refused:
        comparanda.compare(str(key), {"s": str(response)}, task="span", resamples=0)
    assert any("?word=none" in detail for detail in refused.value.details)
    result = comparanda.compare(str(key), {"s": f"{response}?word=none"}, task="span", resamples=0)
    assert result.scores().value("s") == 1


class TestDiscontinuousSpansOfTokens:
    """Brackets in CoNLL-U can have gaps; a span from end to end is another one."""

    KEY = "# newdoc id = d\n# global.Entity = eid-etype\n"
    ROWS = (
        "1\tNew\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1[1/2]-LOC)\n2\tbig\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tYork\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1[2/2]-LOC)\n4\tran\t_\t_\t_\t_\t_\t_\t_\t_\n"
    )
    WHOLE = ROWS.replace("(e1[1/2]-LOC)", "(e1-LOC").replace("(e1[2/2]-LOC)", "e1)")
    OTHER_WORDS = ROWS.replace("4\tran", "4\tr\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n5\tan")

    @pytest.mark.parametrize(("rows", "right"), [(ROWS, 1), (WHOLE, 0), (OTHER_WORDS, 1)])
    def test_the_gap_counts(self, rows: str, right: int, tmp_path: Path) -> None:
        key, system = tmp_path / "key.conllu", tmp_path / "system.conllu"
        key.write_text(f"{self.KEY}{self.ROWS}\n")
        system.write_text(f"{self.KEY}{rows}\n")
        result = comparanda.compare(str(key), {"x": str(system)}, task="span", resamples=0)
        assert result.scores("recall").scores[0].part == right
