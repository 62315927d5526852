"""The tokens behind tables 3, 4, 9 and 12: each with the key's tag and what the three taggers say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import NamedTuple

from .counts import (
    BOTH_WRONG,
    CHANGED_ERRORS,
    CORRECTIONS,
    NEW_ERRORS,
    Row,
    all_rows,
    deal,
    nearest_count,
    printed_errors,
)
from .transcription import CLEVERTAGGER, STANFORD, TABLE_3_PAIRS, TOKENS, TREETAGGER

WrongTags = list[tuple[str, ...]]


class Token(NamedTuple):
    """The key's tag and what each tagger says."""

    key: str
    stanford: str
    treetagger: str
    clevertagger: str


# STTS, similar tags side by side: the neighbours of a tag are what it is mistaken for.
NEIGHBOURHOOD = """
    $( $, $. XY FM NE NN TRUNC CARD ADJA ADJD ADV PROAV PWAV PTKA PTKNEG PTKANT ITJ
    KON KOUS KOKOM KOUI APPR APPRART APPO APZR PTKZU PTKVZ
    VVFIN VVIMP VVINF VVIZU VVPP VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP
    ART PPOSAT PPOSS PIAT PIDAT PIS PDAT PDS PRELAT PRELS PWAT PWS PPER PRF
"""
TAGS = NEIGHBOURHOOD.split()


def spread(chosen: int, size: int) -> Iterator[bool]:
    """Yield `size` flags, `chosen` of them true, at even distances."""
    return ((i + 1) * chosen // size > i * chosen // size for i in range(size))


# --- which wrong tags ---------------------------------------------------------------------------------------


@cache
def neighbours(label: str) -> list[str]:
    """Return eight tags a tag is mistaken for, nearest first."""
    place = TAGS.index(label)
    return sorted(TAGS, key=lambda tag: abs(TAGS.index(tag) - place))[1:9]


def errors(kind: str, key: str, count: int) -> WrongTags:
    """Return the wrong tags of `count` differences: the printed ones, then others in turn.

    Going round many tags keeps each of the others rarer than the fifth that is printed.
    """
    found = list(printed_errors(kind, key))
    if len(found) > count:
        raise ValueError(f"{key}: {count} tokens cannot hold the {len(found)} of kind {kind} in table 4")
    width = 2 if kind == "changed error" else 1
    printed = set(found)
    unprinted = [wrong for wrong in permutations(neighbours(key), width) if wrong not in printed]
    return found + [unprinted[i % len(unprinted)] for i in range(count - len(found))]


def changed_errors(rows: Sequence[Row]) -> list[int]:
    """Split the 218 changed errors over the key tags: the printed ones first, the rest among both wrong."""
    fixed = [len(list(printed_errors("changed error", row.label))) for row in rows]
    room = [row.both_wrong - count for row, count in zip(rows, fixed, strict=True)]
    return [a + b for a, b in zip(fixed, deal(CHANGED_ERRORS - sum(fixed), room), strict=True)]


# --- the tokens ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """For each field in which Stanford errs with another tagger: does it make the same error? In turn."""

    on_corrections: Iterator[bool]  # with TreeTagger
    on_new_errors: Iterator[bool]  # with Clevertagger
    on_same_errors: Iterator[bool]  # with both


def agreement(rows: Sequence[Row], same_errors: int) -> Agreement:
    """Let Stanford share just so many errors that its two diffs of table 3 come out.

    Every token that Stanford has wrong or right alone differs from both others; a shared error on a
    correction brings it nearer to TreeTagger, on a new error nearer to Clevertagger, on a same error to both.
    """
    alone = sum(row.stanford_wrong_alone for row in rows)
    on_corrections = sum(row.stanford_wrong_on_corrections for row in rows)
    on_new_errors = sum(row.stanford_wrong_on_new_errors for row in rows)
    apart = alone + BOTH_WRONG  # if no error were shared
    shared_by_all = same_errors * 4 // 5  # chosen: any number near it would do
    to_treetagger = nearest_count(TABLE_3_PAIRS[STANFORD, TREETAGGER].diff, TOKENS)
    to_clevertagger = nearest_count(TABLE_3_PAIRS[STANFORD, CLEVERTAGGER].diff, TOKENS)
    return Agreement(
        spread(apart + CORRECTIONS + on_new_errors - shared_by_all - to_treetagger, on_corrections),
        spread(apart + NEW_ERRORS + on_corrections - shared_by_all - to_clevertagger, on_new_errors),
        spread(shared_by_all, same_errors),
    )


def other_error(key: str, *taken: str) -> str:
    return next(tag for tag in neighbours(key) if tag not in taken)


def stanford_on_difference(key: str, wrong: str, *, errs: bool, shares: Iterator[bool]) -> str:
    if not errs:
        return key
    return wrong if next(shares) else other_error(key, wrong)


def tokens_of(row: Row, changed: WrongTags, right: Sequence[bool], shares: Agreement) -> list[Token]:
    """Spell out a row; `right` says on which of the tokens both others have wrong Stanford is right."""
    key = row.label
    alone = deal(row.stanford_wrong_alone, [1] * 8)
    tokens = [Token(key, key, key, key)] * (row.both_right - row.stanford_wrong_alone)
    for wrong, count in zip(neighbours(key), alone, strict=True):
        tokens += [Token(key, wrong, key, key)] * count

    errs = spread(row.stanford_wrong_on_corrections, row.corrections)
    for (wrong,) in errors("correction", key, row.corrections):
        stanford = stanford_on_difference(key, wrong, errs=next(errs), shares=shares.on_corrections)
        tokens.append(Token(key, stanford, wrong, key))

    errs = spread(row.stanford_wrong_on_new_errors, row.new_errors)
    for (wrong,) in errors("new error", key, row.new_errors):
        stanford = stanford_on_difference(key, wrong, errs=next(errs), shares=shares.on_new_errors)
        tokens.append(Token(key, stanford, key, wrong))

    same = [neighbours(key)[i % 8] for i in range(row.both_wrong - len(changed))]
    for wrong, is_right in zip(same, right, strict=False):
        stanford = stanford_on_difference(key, wrong, errs=not is_right, shares=shares.on_same_errors)
        tokens.append(Token(key, stanford, wrong, wrong))
    for (before, after), is_right in zip(changed, right[len(same) :], strict=True):
        tokens.append(Token(key, key if is_right else other_error(key, before, after), before, after))
    return tokens


def population(treetagger_on_proav: int = 0) -> list[Token]:
    """Return all tokens, in no meaningful order; with TreeTagger right on so many of the 301 PROAV."""
    rows = all_rows(treetagger_on_proav)
    counts = changed_errors(rows)
    changed = [errors("changed error", row.label, count) for row, count in zip(rows, counts, strict=True)]
    right = [list(spread(row.only_stanford, row.both_wrong)) for row in rows]
    same_errors = sum(
        flags[: row.both_wrong - len(wrong)].count(False)
        for row, wrong, flags in zip(rows, changed, right, strict=True)
    )
    shares = agreement(rows, same_errors)
    return [
        token
        for row, wrong, flags in zip(rows, changed, right, strict=True)
        for token in tokens_of(row, wrong, flags, shares)
    ]
