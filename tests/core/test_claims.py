"""Claims: which spans overlap, what each side has at a site, and how that is written."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from comparanda.core.claims import Claims
from comparanda.core.corpus import Fragments
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.sites import NOTHING, Sites
from comparanda.core.text_columns import TextColumn
from tests.seeds import seeds
from tests.tasks.random_spans import LABELS, Span, any_span, overlap

Claimed = tuple[int, Span, Sequence[int]]
"""A document, a span, and how often the key and each run have it."""


def made(*claimed: Claimed) -> Claims:
    """Make claims, in their order; every position is a row."""
    ordered = sorted({claim[:2] for claim in claimed}, key=lambda claim: (claim[0], *extent(claim[1])))
    numbers = {(document, span): counts for document, span, counts in claimed}
    spans = [span for _, span in ordered]
    pieces = [(row, *piece) for row, span in enumerate(spans) for piece in span.pieces if len(span.pieces) > 1]
    fragments = Fragments(*np.array(pieces).T) if pieces else None
    document = np.array([number for number, _ in ordered], np.int32)
    begin, end = (np.array([extent(span)[place] for span in spans], np.int64) for place in range(2))
    counts = np.array([numbers[claim] for claim in ordered], np.int32).T
    names = tuple(sorted({span.label for span in spans}))
    return Claims(
        document=document,
        sentence=document,
        place=begin.astype(np.int32),
        width=np.maximum(end - begin, 1).astype(np.int32),
        begin=begin,
        end=end,
        pieces=fragmentation_codes(len(spans), fragments, number_fragmentations([fragments])),
        fragments=fragments,
        label=np.array([names.index(span.label) for span in spans], np.uint8),
        names=names,
        key=counts[0],
        runs=tuple(counts[1:]),
    )


def extent(span: Span) -> tuple[int, int, tuple[tuple[int, int], ...], str]:
    return span.pieces[0][0], span.pieces[-1][1], span.pieces if len(span.pieces) > 1 else (), span.label


def whole(begin: int, end: int, label: str = "A") -> Span:
    return Span(label, ((begin, end),))


def values(sites: Sites, side: int) -> list[str]:
    """Return what the key (0) or a run has at each site."""
    return [sites.names[code] for code in (sites.key, *sites.values)[side]]


def aspect(sites: Sites, name: str, side: int) -> list[str]:
    table = sites.aspects[name]
    return [table.names[code] for code in (table.key, *table.values)[side]]


# Which spans are at one site


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (((0, 3),), ((2, 5),), True),
        (((0, 3),), ((3, 5),), False),  # touching
        (((0, 3),), ((1, 1),), True),  # without length, strictly inside
        (((0, 3),), ((0, 0),), False),
        (((0, 3),), ((3, 3),), False),
        (((2, 2),), ((2, 2),), True),  # equal
        (((2, 2),), ((3, 3),), False),
        (((0, 2), (6, 8)), ((2, 6),), False),  # in the gap
        (((0, 2), (6, 8)), ((3, 7),), True),
        (((0, 2), (6, 8)), ((4, 4),), False),
        (((0, 2), (6, 8)), ((2, 4), (5, 6)), False),  # entwined
    ],
)
def test_two_spans_are_at_one_site_if_they_overlap(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...], expected: bool
) -> None:
    first, second = Span("A", one), Span("B", other)
    claims = made((0, first, (1, 0)), (0, second, (0, 1)))
    assert (len(claims.sites) == 1) is expected
    assert overlap(first, second) is overlap(second, first) is expected


def test_documents_stand_apart() -> None:
    claims = made((0, whole(0, 9), (1, 1)), (1, whole(0, 9), (1, 0)), (2, whole(0, 9), (0, 1)))
    assert claims.site.tolist() == [0, 1, 2]
    assert claims.sites.document.tolist() == [0, 1, 2]


@pytest.mark.parametrize("block", seeds(3, of=10))
def test_sites_are_connected_components(block: int) -> None:
    """Brute force: two spans are at one site if a chain of overlaps leads from one to the other."""
    for seed in range(100):
        draw = random.Random(1000 * block + seed)
        size, documents = draw.choice((6, 12, 40)), draw.randint(1, 3)
        spans = {(draw.randrange(documents), any_span(draw, size, LABELS)) for _ in range(draw.randint(1, 12))}
        claims = made(*((document, span, (1, 1)) for document, span in spans))
        ordered = sorted(spans, key=lambda claim: (claim[0], *extent(claim[1])))
        linked = np.array([[a == b and overlap(one, other) for b, other in ordered] for a, one in ordered])
        for _ in ordered:
            linked = linked @ linked
        site = claims.site
        assert np.array_equal(site[:, None] == site[None, :], linked)
        firsts = [site.tolist().index(number) for number in range(site.max() + 1)]
        assert firsts == sorted(firsts)  # numbered by their first spans


# What a side has there


def test_a_value_is_written_relative_to_the_begin_of_its_site() -> None:
    claims = made(
        (0, whole(5, 9, "PER"), (1, 1)),
        (0, whole(7, 8, "LOC"), (1, 0)),
        (1, whole(2, 6, "PER"), (1, 1)),
        (1, whole(4, 5, "LOC"), (1, 2)),
        (1, Span("ORG", ((10, 12), (14, 15))), (0, 1)),
    )
    assert values(claims.sites, 0) == ["PER[0:4] + LOC[2:3]", "PER[0:4] + LOC[2:3]", NOTHING]
    assert values(claims.sites, 1) == ["PER[0:4]", "PER[0:4] + LOC[2:3]×2", "ORG[0:2,4:5]"]
    assert aspect(claims.sites, "label", 1) == ["PER", "LOC×2 + PER", "ORG"]
    assert aspect(claims.sites, "extent", 1) == ["0:4", "0:4 + 2:3×2", "0:2,4:5"]


def test_one_more_of_the_same_span_is_another_value() -> None:
    sites = made((0, whole(0, 3), (1, 2))).sites
    assert values(sites, 0) != values(sites, 1)
    assert not sites.right[0][0]


def test_the_same_extents_are_the_same_whatever_the_labels() -> None:
    sites = made((0, whole(0, 3, "A"), (1, 2, 1)), (0, whole(0, 3, "B"), (0, 0, 1))).sites
    assert aspect(sites, "extent", 1) == aspect(sites, "extent", 2)


def test_a_label_that_is_written_like_two_spans_is_still_one() -> None:
    sites = made(
        (0, whole(0, 3, "A[0:3] + B"), (1, 0)), (0, whole(0, 3, "A"), (0, 1)), (0, whole(0, 3, "B"), (0, 1))
    ).sites
    assert not sites.right[0][0]


def test_a_site_covers_all_its_spans() -> None:
    sites = made((0, whole(3, 5), (1, 0)), (0, whole(4, 9), (0, 1)), (0, whole(12, 13), (0, 1))).sites
    assert sites.place.tolist() == [3, 12]
    assert sites.width is not None
    assert sites.width.tolist() == [6, 1]


def test_a_site_knows_the_keys_spans_there() -> None:
    claims = made(
        (0, whole(0, 9), (1, 0)), (0, whole(2, 5), (1, 1)), (0, whole(20, 23), (0, 1)), (0, whole(30, 31), (2, 1))
    )
    known = {name: attribute.make() for name, attribute in claims.sites.attributes.items()}
    nesting = known["nesting"]
    assert isinstance(nesting, TextColumn)
    assert [nesting[row] for row in range(3)] == ["nested or overlapping", "not in the key", "nested or overlapping"]
    assert np.asarray(known["length"]).tolist() == [9, 3, 1]
    assert np.asarray(known["spans"]).tolist() == [2, 0, 2]


# Some of the runs


def test_sites_fall_apart_without_the_system_that_held_them_together() -> None:
    claims = made((0, whole(0, 2), (1, 1, 1)), (0, whole(4, 6), (1, 0, 1)), (0, whole(1, 5), (0, 0, 1)))
    assert len(claims.sites) == 1
    pair = claims.take(claims.present([0])).among([0])
    assert len(pair.sites) == 2
    assert values(pair.sites, 1) == ["A[0:2]", NOTHING]
    assert values(pair.sites, 2) == values(pair.sites, 0)  # all others are taken to agree with the key


def test_spans_in_pieces_keep_them_when_some_are_taken() -> None:
    cut, other = Span("A", ((0, 2), (4, 6))), Span("B", ((1, 3), (5, 9)))
    claims = made((0, other, (1, 0)), (0, cut, (0, 1)), (0, whole(20, 21), (1, 1)))
    taken = claims.take(np.array([1, 2]))
    assert values(taken.sites, 0) == ["B[0:2,4:8]", "A[0:1]"]
    assert claims.take(np.array([2])).fragments is None


def test_without_spans_there_are_no_sites() -> None:
    claims = made((0, whole(0, 2), (1, 1))).take(np.zeros(0, np.int64))
    assert len(claims) == len(claims.sites) == 0
