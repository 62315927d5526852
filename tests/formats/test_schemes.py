from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.text_columns import Rows, TextColumn
from comparanda.errors import ReadError
from comparanda.formats.chunks import (
    KINDS,
    LETTERS,
    NO_LABEL,
    REPAIRS,
    SCHEMES,
    Decoded,
    Detected,
    Repair,
    Scheme,
    decode_tags,
    detect_scheme,
)

Tags = list[str]
STRAY, UNBEGUN, RELABELLED, NEEDLESS, UNCLOSED = KINDS

SPELLINGS = {"BILOU": "BILU", "BMES": "BMES", "BMEWO": "BMEW"}
"""What other spellings of BIOES have in the place of B, I, E and S."""


class Span(NamedTuple):
    begin: int
    end: int
    label: str


def laid_out(sentences: list[Tags]) -> tuple[TextColumn, Rows]:
    """The tags as one column, and where its sentences begin and end."""
    column = TextColumn.of(tag for sentence in sentences for tag in sentence)
    return column, np.cumsum([0, *map(len, sentences)])


def decoded(sentences: list[Tags], scheme: Scheme, repair: Repair = "conlleval") -> Decoded:
    return decode_tags(*laid_out(sentences), scheme, repair)


def spans_of(found: Decoded) -> list[Span]:
    texts = [str(text) for text in found.label.values()]
    return [Span(*each) for each in zip(found.begin.tolist(), found.end.tolist(), texts, strict=True)]


def defects_of(found: Decoded) -> list[tuple[int, str]]:
    return [(row, str(kind)) for row, kind in zip(found.defects.row, found.defects.kind.values(), strict=True)]


def spans(tags: str, scheme: Scheme, repair: Repair = "conlleval") -> list[Span]:
    return spans_of(decoded([tags.split()], scheme, repair))


def defects(tags: str, scheme: Scheme) -> list[tuple[int, str]]:
    return defects_of(decoded([tags.split()], scheme))


def detected(*sentences: str) -> Detected:
    return detect_scheme(*laid_out([sentence.split() for sentence in sentences]))


def spelled(tags: Tags, letters: str) -> Tags:
    """The tags of BIOES with other letters for B, I, E and S."""
    return [tag[0].translate(str.maketrans("BIES", letters)) + tag[1:] for tag in tags]


# Small enough to count


@pytest.mark.parametrize(
    ("tags", "conlleval", "discard", "wrong"),
    [
        ("B-PER I-PER O", [Span(0, 2, "PER")], [Span(0, 2, "PER")], []),
        ("I-PER I-PER O", [Span(0, 2, "PER")], [], [(0, UNBEGUN)]),
        ("B-PER I-LOC O", [Span(0, 1, "PER"), Span(1, 2, "LOC")], [Span(0, 1, "PER")], [(1, RELABELLED)]),
        (
            "B-PER I-LOC O I-LOC",
            [Span(0, 1, "PER"), Span(1, 2, "LOC"), Span(3, 4, "LOC")],
            [Span(0, 1, "PER")],
            [(1, RELABELLED), (3, UNBEGUN)],
        ),
        ("B-PER B-PER", [Span(0, 1, "PER"), Span(1, 2, "PER")], [Span(0, 1, "PER"), Span(1, 2, "PER")], []),
        (
            "B-PER I-LOC I-PER",
            [Span(0, 1, "PER"), Span(1, 2, "LOC"), Span(2, 3, "PER")],
            [Span(0, 1, "PER")],
            [(1, RELABELLED), (2, RELABELLED)],
        ),
        ("B-PER E-PER O", [Span(0, 1, "PER")], [Span(0, 1, "PER")], [(1, STRAY)]),
        ("O O", [], [], []),
    ],
)
def test_bio(tags: str, conlleval: list[Span], discard: list[Span], wrong: list[tuple[int, str]]) -> None:
    assert spans(tags, "bio") == conlleval
    assert spans(tags, "bio", "discard") == discard
    assert defects(tags, "bio") == wrong


@pytest.mark.parametrize(
    ("tags", "conlleval", "discard", "wrong"),
    [
        ("I-X I-X B-X I-X", [Span(0, 2, "X"), Span(2, 4, "X")], [Span(0, 2, "X"), Span(2, 4, "X")], []),
        ("I-X I-Y", [Span(0, 1, "X"), Span(1, 2, "Y")], [Span(0, 1, "X"), Span(1, 2, "Y")], []),
        ("O B-X I-X", [Span(1, 3, "X")], [], [(1, NEEDLESS)]),
        ("I-X B-Y", [Span(0, 1, "X"), Span(1, 2, "Y")], [Span(0, 1, "X")], [(1, NEEDLESS)]),
        ("B-X B-X", [Span(0, 1, "X"), Span(1, 2, "X")], [Span(1, 2, "X")], [(0, NEEDLESS)]),
    ],
)
def test_iob1(tags: str, conlleval: list[Span], discard: list[Span], wrong: list[tuple[int, str]]) -> None:
    assert spans(tags, "iob1") == conlleval
    assert spans(tags, "iob1", "discard") == discard
    assert defects(tags, "iob1") == wrong


@pytest.mark.parametrize(
    ("tags", "conlleval", "discard", "wrong"),
    [
        ("B-M E-M B-M E-M", [Span(0, 2, "M"), Span(2, 4, "M")], [Span(0, 2, "M"), Span(2, 4, "M")], []),
        ("B-M I-M I-M E-M", [Span(0, 4, "M")], [Span(0, 4, "M")], []),
        ("B-P I-P O S-L", [Span(0, 2, "P"), Span(3, 4, "L")], [Span(3, 4, "L")], [(1, UNCLOSED)]),
        ("B-P I-L E-L", [Span(0, 1, "P"), Span(1, 3, "L")], [], [(0, UNCLOSED), (1, RELABELLED)]),
        ("O I-P O", [Span(1, 2, "P")], [], [(1, UNBEGUN), (1, UNCLOSED)]),
        ("S-P E-P", [Span(0, 1, "P"), Span(1, 2, "P")], [Span(0, 1, "P")], [(1, UNBEGUN)]),
        ("B-P B-P E-P", [Span(0, 1, "P"), Span(1, 3, "P")], [Span(1, 3, "P")], [(0, UNCLOSED)]),
    ],
)
@pytest.mark.parametrize("letters", ["BIES", *SPELLINGS.values()])
def test_bioes_in_every_spelling(
    tags: str, conlleval: list[Span], discard: list[Span], wrong: list[tuple[int, str]], *, letters: str
) -> None:
    text = " ".join(spelled(tags.split(), letters))
    assert spans(text, "bioes") == conlleval
    assert spans(text, "bioes", "discard") == discard
    assert defects(text, "bioes") == wrong


def test_io_takes_runs_of_one_label_with_or_without_a_letter() -> None:
    expected = [Span(0, 2, "PER"), Span(2, 3, "LOC"), Span(4, 5, "LOC")]
    assert spans("I-PER I-PER I-LOC O I-LOC", "io") == expected
    assert spans("PER PER LOC O LOC", "io") == expected


def test_io_has_no_other_letter_and_no_labels_without_one_beside_it() -> None:
    assert spans("I-PER B-PER PER [PAD]", "io") == [Span(0, 1, "PER")]
    assert defects("I-PER B-PER PER [PAD]", "io") == [(1, STRAY), (2, STRAY), (3, STRAY)]
    assert spans("I I O", "io") == [Span(0, 2, NO_LABEL)]


def test_a_label_may_look_like_a_letter() -> None:
    assert spans("S S PER O LOC", "io") == [Span(0, 2, "S"), Span(2, 3, "PER"), Span(4, 5, "LOC")]


def test_ioe2_closes_every_span() -> None:
    tags = "I-X E-X E-X O I-X I-Y E-Y"
    assert spans(tags, "ioe2") == [Span(0, 2, "X"), Span(2, 3, "X"), Span(4, 5, "X"), Span(5, 7, "Y")]
    assert defects(tags, "ioe2") == [(4, UNCLOSED)]


def test_no_span_goes_over_the_end_of_a_sentence() -> None:
    found = decoded([["B-X"], ["I-X"], [], ["I-X", "I-X"]], "bio")
    assert spans_of(found) == [Span(0, 1, "X"), Span(1, 2, "X"), Span(2, 4, "X")]
    assert defects_of(found) == [(1, UNBEGUN), (2, UNBEGUN)]
    assert defects_of(decoded([["B-X"], ["E-X"]], "bioes")) == [(0, UNCLOSED), (1, UNBEGUN)]
    assert defects_of(decoded([["I-X"], ["B-X"]], "iob1")) == [(1, NEEDLESS)]


def test_labels_keep_their_hyphens_and_their_case() -> None:
    assert spans("B-B-date I-B-date B-b-date", "bio") == [Span(0, 2, "B-date"), Span(2, 3, "b-date")]
    assert spans("B_creative-work I-creative-work", "bio") == [Span(0, 2, "creative-work")]


def test_the_letter_may_stand_behind_the_label() -> None:
    assert spans("PER-B PER-I O S-B S-I B-date_B", "bio") == [Span(0, 2, "PER"), Span(3, 5, "S"), Span(5, 6, "B-date")]
    assert detected("PER-B PER-I O S-B").scheme == "bio"


def test_letters_alone_have_no_label() -> None:
    assert spans("B I O B", "bio") == [Span(0, 2, NO_LABEL), Span(3, 4, NO_LABEL)]
    assert spans("B M E S S", "bioes") == [Span(0, 3, NO_LABEL), Span(3, 4, NO_LABEL), Span(4, 5, NO_LABEL)]
    assert spans("B- I-", "bio") == [Span(0, 2, NO_LABEL)]


def test_what_is_outside() -> None:
    tags = TextColumn.of(["B-X", "_", "I-X", "-", "I-X", "", "I-X", None, "I-X", "O", "I-X"])
    found = decode_tags(tags, np.array([0, 11]), "iob1", "refuse")
    assert found.begin.tolist() == [0, 2, 4, 6, 8, 10]
    assert defects_of(found) == [(0, NEEDLESS)]


@pytest.mark.parametrize("tag", ["0", "o", "O-X", "X", "[PAD]", "BX", "b-X", "B:X", "BB-X"])
def test_what_is_no_tag_is_outside_and_said_so(tag: str) -> None:
    found = decoded([["B-X", tag, "I-X"]], "bio")
    assert spans_of(found) == [Span(0, 1, "X"), Span(2, 3, "X")]
    assert defects_of(found) == [(1, STRAY), (2, UNBEGUN)]


def test_names_of_labels_are_sorted_and_come_from_tags_of_the_scheme_alone() -> None:
    assert decoded([["O", "B-b", "I-a", "S-c", "x"]], "bio").label.names == ("a", "b")


def test_defects_by_kind() -> None:
    found = decoded([["I-X", "O", "B-X", "I-Y", "?", "I-Y"]], "bio")
    assert [(kind, rows.tolist()) for kind, rows in found.defects.by_kind()] == [
        (STRAY, [4]),
        (UNBEGUN, [0, 5]),
        (RELABELLED, [3]),
    ]
    assert (len(found), len(found.defects)) == (4, 4)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("sentences", [[], [[]], [[], []], [["O"], [], ["_", "-"]]])
def test_without_spans(sentences: list[Tags], scheme: Scheme, repair: Repair) -> None:
    found = decoded(sentences, scheme, repair)
    assert (spans_of(found), defects_of(found), found.label.names) == ([], [], ())


def test_a_constant_column() -> None:
    found = decode_tags(TextColumn.constant("I-X", 5), np.array([0, 3, 5]), "io", "discard")
    assert spans_of(found) == [Span(0, 3, "X"), Span(3, 5, "X")]


def test_thousands_of_labels() -> None:
    labels = [f"label-{number}" for number in range(5_000)]
    found = decoded([[f"{letter}-{label}" for label in labels for letter in "BII"]], "bio")
    assert spans_of(found) == [Span(3 * n, 3 * n + 3, label) for n, label in enumerate(labels)]
    assert not len(found.defects)


# The same once more, tag by tag, from the definitions


@dataclass(kw_only=True)
class Reader:
    """Reads the tags of one sentence from left to right, with at most one span open."""

    scheme: Scheme
    found: list[tuple[Span, bool]] = field(default_factory=list)
    defects: list[tuple[int, str]] = field(default_factory=list)
    opened: int | None = None
    label: str = ""
    sound: bool = True
    ended: str | None = None  # the label of a span that ends right before the tag

    def read(self, tags: Tags) -> Reader:
        for row, tag in enumerate(tags):
            letter, _, label = tag.partition("-")
            if letter not in LETTERS[self.scheme]:
                self.close(row, properly=False)
                self.ended = None
                if tag != "O":
                    self.defects.append((row, STRAY))
                continue
            if letter in "BS" or self.opened is None or self.label != label:
                self.begin(row, letter, label)
            if letter in "ES":
                self.close(row + 1, properly=True)
        self.close(len(tags), properly=False)
        return self

    def begin(self, row: int, letter: str, label: str) -> None:
        inside = self.opened is not None
        self.close(row, properly=False)
        wrong = None
        if self.scheme in ("bio", "bioes") and letter in "IE":
            wrong = RELABELLED if inside else UNBEGUN
        if self.scheme == "iob1" and letter == "B" and self.ended != label:
            wrong = NEEDLESS
        if wrong:
            self.defects.append((row, wrong))
        self.opened, self.label, self.sound = row, label, wrong is None

    def close(self, end: int, *, properly: bool) -> None:
        if self.opened is None:
            return
        if not properly and self.scheme in ("bioes", "ioe2"):
            self.defects.append((end - 1, UNCLOSED))
            self.sound = False
        self.found.append((Span(self.opened, end, self.label), self.sound))
        self.ended, self.opened = self.label, None


def plain(sentences: list[Tags], scheme: Scheme, repair: Repair) -> tuple[list[Span], list[tuple[int, str]]]:
    found, wrong, row = [], [], 0
    for tags in sentences:
        reader = Reader(scheme=scheme).read(tags)
        found += [
            Span(row + begin, row + end, label)
            for (begin, end, label), sound in reader.found
            if sound or repair != "discard"
        ]
        wrong += [(row + place, kind) for place, kind in reader.defects]
        row += len(tags)
    return found, sorted(wrong, key=lambda each: (each[0], KINDS.index(each[1])))


def agrees(sentences: list[Tags], scheme: Scheme, repair: Repair) -> None:
    found = decoded(sentences, scheme, repair)
    assert (spans_of(found), defects_of(found)) == plain(sentences, scheme, repair)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("repair", REPAIRS)
def test_all_sentences_of_up_to_four_tags(scheme: Scheme, repair: Repair) -> None:
    letters = [letter for letter in LETTERS[scheme] if letter in "BIES"]
    tags = ["O", *(f"{letter}-{label}" for letter in letters for label in "XY")]
    agrees([list(each) for size in range(5) for each in product(tags, repeat=size)], scheme, repair)


TAG = st.builds("{}-{}".format, st.sampled_from("BIES"), st.sampled_from(["X", "Y", "Z-A"])) | st.sampled_from(
    ["O", "?-"]
)
SENTENCES = st.lists(st.lists(TAG, max_size=12), max_size=8)
ANY_SCHEME, ANY_REPAIR = st.sampled_from(SCHEMES), st.sampled_from(REPAIRS)


@given(SENTENCES, st.sampled_from([scheme for scheme in SCHEMES if scheme != "io"]), ANY_REPAIR)
def test_random_sentences_with_tags_of_any_scheme(sentences: list[Tags], scheme: Scheme, repair: Repair) -> None:
    agrees(sentences, scheme, repair)


@given(SENTENCES, ANY_SCHEME, ANY_REPAIR)
def test_sentences_do_not_depend_on_their_neighbours(sentences: list[Tags], scheme: Scheme, repair: Repair) -> None:
    column, bounds = laid_out(sentences)
    together = decode_tags(column, bounds, scheme, repair)
    found: list[Span] = []
    wrong: list[tuple[int, str]] = []
    for row, end in pairwise(bounds.tolist()):
        alone = decode_tags(column.take(np.arange(row, end)), np.array([0, end - row]), scheme, repair)
        found += [Span(row + begin, row + end, label) for begin, end, label in spans_of(alone)]
        wrong += [(row + place, kind) for place, kind in defects_of(alone)]
    assert (spans_of(together), defects_of(together)) == (found, wrong)


@given(SENTENCES, ANY_SCHEME)
def test_repairs_differ_by_the_spans_with_a_defect_alone(sentences: list[Tags], scheme: Scheme) -> None:
    taken, kept, refused = (decoded(sentences, scheme, repair) for repair in REPAIRS)
    assert spans_of(refused) == spans_of(taken)
    assert defects_of(refused) == defects_of(kept) == defects_of(taken)
    wrong = {row for row, kind in defects_of(taken) if kind != STRAY}
    assert spans_of(kept) == [each for each in spans_of(taken) if not wrong & set(range(each.begin, each.end))]


# There and back


def encoded(spans: list[Span], size: int, scheme: Scheme) -> Tags:
    """Write the tags of a sentence."""
    tags = ["O"] * size
    ended: tuple[int, str] | None = None
    for span in spans:
        letters = ["I"] * (span.end - span.begin)
        if scheme in ("bio", "bioes") or (scheme == "iob1" and ended == (span.begin, span.label)):
            letters[0] = "B"
        if scheme in ("ioe2", "bioes"):
            letters[-1] = "E"
        if scheme == "bioes" and len(letters) == 1:
            letters = ["S"]
        tags[span.begin : span.end] = [f"{letter}-{span.label}" for letter in letters]
        ended = span.end, span.label
    return tags


@st.composite
def sentences_with_spans(draw: st.DrawFn, *, apart: bool = False) -> tuple[list[Span], int]:
    found: list[Span] = []
    end = 0
    labels = st.sampled_from(["PER", "B-date", "work"])
    gaps = st.integers(1 if apart else 0, 2)
    for gap, length, label in draw(st.lists(st.tuples(gaps, st.integers(1, 4), labels), max_size=5)):
        found.append(Span(end + gap, end + gap + length, label))
        end += gap + length
    return found, end + draw(st.integers(0, 2))


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_encoded_spans_are_decoded_again_and_the_scheme_is_found(
    scheme: Scheme, repair: Repair, data: st.DataObject
) -> None:
    spans, size = data.draw(sentences_with_spans(apart=scheme == "io"))
    tags = encoded(spans, size, scheme)
    found = decoded([tags], scheme, repair)
    assert (spans_of(found), defects_of(found)) == (spans, [])
    told = detect_scheme(*laid_out([tags]))
    assert scheme in (told.scheme, *told.alternatives)
    assert told.defects == 0


@pytest.mark.parametrize("letters", SPELLINGS.values())
@given(drawn=sentences_with_spans())
def test_other_letters_for_bioes(drawn: tuple[list[Span], int], letters: str) -> None:
    spans, size = drawn
    tags = spelled(encoded(spans, size, "bioes"), letters)
    found = decoded([tags], "bioes", "discard")
    assert (spans_of(found), defects_of(found)) == (spans, [])
    assert not spans or detect_scheme(*laid_out([tags])).scheme == "bioes"


# Which scheme it is


@pytest.mark.parametrize(
    ("tags", "scheme", "alternatives", "why"),
    [
        ("O B-PER O", "bio", (), "BIO (IOB2): spans begin with B-"),
        ("B-PER I-PER B-PER", "bio", (), "BIO (IOB2): spans begin with B-"),
        ("I-PER B-PER O", "iob1", (), "IOB1: spans begin with I-, or with B- right after a span of the same label"),
        ("O I-PER I-PER", "io", ("iob1",), "IO: no letter except I-; IOB1 fits as well"),
        ("I-PER E-PER O E-LOC", "ioe2", (), "IOE2: spans end with E-"),
        ("B-PER E-PER O S-LOC", "bioes", (), "BIOES: spans have an end (letters B E S)"),
        ("B-PER L-PER O U-LOC", "bioes", (), "BIOES: spans have an end (letters B L U)"),
        ("B M E S", "bioes", (), "BIOES: spans have an end (letters B M E S)"),
        ("O PER PER O O LOC", "io", (), "IO: labels without letters"),
        ("O O", "bio", ("io", "iob1", "ioe2", "bioes"), "there are no spans, so any scheme fits"),
    ],
)
def test_schemes_are_told_by_letters_and_neighbours(
    tags: str, scheme: Scheme, alternatives: tuple[Scheme, ...], why: str
) -> None:
    assert detected(tags) == Detected(scheme, alternatives, 0, why)


def test_sentences_part_neighbours() -> None:
    assert detected("I-PER B-PER I-PER").scheme == "iob1"
    assert detected("I-PER", "B-PER I-PER", "B-PER").scheme == "bio"


def test_a_slip_does_not_change_the_scheme() -> None:
    found = detected(*["B-PER I-PER O B-LOC"] * 5, "I-PER O", "B-PER I-LOC E-LOC", "S-LOC X")
    assert (found.scheme, found.defects, found.sure) == ("bio", 5, False)
    assert found.why == "BIO (IOB2): spans begin with B-; 5 defects"
    assert detected("I-PER O I-LOC O B-PER").why.endswith("of the same label; 1 defect")


def test_it_is_sure_if_nothing_else_fits() -> None:
    assert detected("B-PER I-PER").sure
    assert not detected("I-PER I-PER").sure
    assert not detected("B-PER", "I-PER").sure


@pytest.mark.parametrize(
    ("tags", "shown"),
    [
        ("DET NOUN VERB DET NOUN", "'DET', 'NOUN', 'VERB'"),
        ("N V O S N ! V L E A", "'N', 'V', '!', …"),  # a tag set of single letters, with an O
        ("0 0 PER", "'0', 'PER'"),
        ("O O O B-PER PER LOC", "'B-PER', 'LOC', 'PER'"),  # labels with and without letters
    ],
)
def test_other_tags_are_refused(tags: str, shown: str) -> None:
    with pytest.raises(ReadError) as problem:
        detected(tags)
    assert problem.value.what == f"these are not chunk tags: {shown}"
    assert problem.value.hint == "name another column, or the scheme; chunk tags look like B-PER, I-PER and O"


def test_names_that_no_row_has_say_nothing() -> None:
    tags = TextColumn(np.array([0, 1, 1], np.uint8), ("O", "I-PER", "B-PER", "E-PER"))
    assert detect_scheme(tags, np.array([0, 3])).scheme == "io"


def test_missing_values_say_nothing() -> None:
    tags = TextColumn.of([None, None, None, "B-PER"])
    assert detect_scheme(tags, np.array([0, 4])).sure
    assert detect_scheme(TextColumn.of([None]), np.array([0, 1])).alternatives


@given(SENTENCES)
def test_a_detected_scheme_has_the_defects_that_decoding_finds(sentences: list[Tags]) -> None:
    try:
        told = detect_scheme(*laid_out(sentences))
    except ReadError:
        return
    assert told.defects == len(decoded(sentences, told.scheme).defects)
