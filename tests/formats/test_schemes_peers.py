"""Agreement with seqeval, seqscore and nervaluate on thousands of random sentences, right and wrong ones.

seqeval by default and seqscore's `conlleval` repair are our `conlleval`; seqeval in strict mode and seqscore's
`discard` repair are our `discard`. In two places seqeval is not followed:

- Its default mode does not know the letters L and U of BILOU: it takes `B-X L-X B-X L-X` for one span (and warns).
  So BILOU is compared in its strict mode, and in its default mode with the letters of BIOES.
- Its strict IOB1 looks at neighbours alone. Of a span that begins with a unnecessary B- (`O B-X I-X`) it
  keeps the rest without the first word; and it loses a sound span before such a B- (`I-X B-X B-Y`). We drop the first
  and keep the second. The sentences in which this happens are left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest
from nervaluate.loaders import ListLoader
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES, IOE2, Token, Tokens
from seqscore.encoding import get_encoding
from seqscore.validation import validate_labels

from comparanda.formats.chunks import LETTERS, SCHEMES, Repair, Scheme
from tests.formats.test_schemes import SPELLINGS, Span, Tags, decoded, encoded, spans_of, spelled
from tests.seeds import first_few

NUMBER = 3_000
LABELS = ("PER", "LOC", "B-date")


def noise(chance: random.Random, scheme: Scheme, size: int) -> Tags:
    """Any tags of a scheme, a third of them outside."""
    letters = [letter for letter in LETTERS[scheme] if letter in "BIES"]
    tags = [f"{letter}-{label}" for letter in letters for label in LABELS]
    return ["O" if chance.random() < 1 / 3 else chance.choice(tags) for _ in range(size)]


def annotated(chance: random.Random, scheme: Scheme, size: int) -> Tags:
    """Spans of one to four words, some directly behind another."""
    spans: list[Span] = []
    end = 0
    while True:
        begin = end + chance.choice((0, 1, 2))
        end = begin + chance.choice((1, 1, 2, 3, 4))
        if end > size:
            return encoded(spans, size, scheme)
        spans.append(Span(begin, end, chance.choice(LABELS)))


@cache
def made(scheme: Scheme) -> list[Tags]:
    """Sentences: a third of them noise, a third with a slip, a third sound."""
    chance = random.Random(17)
    sentences: list[Tags] = []
    for number in range(NUMBER):
        size = chance.randint(1, 12)
        tags = noise(chance, scheme, size) if number % 3 == 0 else annotated(chance, scheme, size)
        if number % 3 == 1:
            tags[chance.randrange(size)] = noise(chance, scheme, 1)[0]
        sentences.append(tags)
    return sentences


def agrees(sentences: list[Tags], scheme: Scheme, repair: Repair, peer: Callable[[Tags], list[Span]]) -> None:
    theirs, row = [], 0
    for tags in sentences:
        theirs += [Span(row + begin, row + end, label) for begin, end, label in peer(tags)]
        row += len(tags)
    assert spans_of(decoded(sentences, scheme, repair)) == theirs


# seqeval


def seqeval_default(tags: Tags) -> list[Span]:
    return [Span(begin, last + 1, label) for label, begin, last in get_entities(tags)]


def seqeval_strict(scheme: type[Token]) -> Callable[[Tags], list[Span]]:
    return lambda tags: [Span(each.start, each.end, each.tag) for each in Tokens(tags, scheme).entities]


@pytest.mark.parametrize("scheme", first_few(2, SCHEMES))
def test_conlleval_is_the_default_of_seqeval(scheme: Scheme) -> None:
    agrees(made(scheme), scheme, "conlleval", seqeval_default)


@pytest.mark.parametrize(("scheme", "theirs"), first_few(1, [("bio", IOB2), ("ioe2", IOE2), ("bioes", IOBES)]))
def test_discard_is_the_strict_mode_of_seqeval(scheme: Scheme, theirs: type[Token]) -> None:
    agrees(made(scheme), scheme, "discard", seqeval_strict(theirs))


def test_discard_is_the_strict_mode_of_seqeval_in_bilou() -> None:
    sentences = [spelled(tags, SPELLINGS["BILOU"]) for tags in made("bioes")]
    agrees(sentences, "bioes", "discard", seqeval_strict(BILOU))


def test_discard_is_the_strict_mode_of_seqeval_in_iob1_where_that_drops_whole_spans() -> None:
    sentences = [tags for tags in made("iob1") if not any(map(looks_aside, ["O", *tags], tags, [*tags[1:], "O"]))]
    assert len(sentences) > NUMBER / 2
    agrees(sentences, "iob1", "discard", seqeval_strict(IOB1))


def looks_aside(before: str, tag: str, behind: str) -> bool:
    """Whether seqeval judges the word behind, or the span before, by a unnecessary B-."""
    label = tag[2:]
    needless = tag.startswith("B") and before[2:] != label
    return needless and (behind == f"I-{label}" or before.startswith("B"))


def test_letters_alone_and_letters_behind_the_label() -> None:
    chance = random.Random(5)
    sentences = [[chance.choice("OBIES") for _ in range(8)] for _ in range(300)]
    agrees(sentences, "bioes", "conlleval", seqeval_default)
    swapped = [[tag if tag == "O" else f"{tag[2:]}-{tag[0]}" for tag in tags] for tags in made("bio")]
    agrees(
        swapped, "bio", "conlleval", lambda tags: [Span(b, e + 1, label) for label, b, e in get_entities(tags, True)]
    )


# seqscore


def seqscore(encoding: str, repair: str | None = None) -> Callable[[Tags], list[Span]]:
    theirs = get_encoding(encoding)

    def peer(tags: Tags) -> list[Span]:
        mentions = theirs.decode_labels(theirs.repair_labels(tags, repair) if repair else tags)
        return [Span(each.span.start, each.span.end, each.type) for each in mentions]

    return peer


@pytest.mark.parametrize(
    ("scheme", "encoding", "repair"),
    [("bio", "BIO", "conlleval"), ("bio", "BIO", "discard"), ("iob1", "IOB", "conlleval")],
)
def test_repairs_are_those_of_seqscore(scheme: Scheme, encoding: str, repair: Repair) -> None:
    agrees(made(scheme), scheme, repair, seqscore(encoding, repair))


@pytest.mark.parametrize(
    ("scheme", "encoding", "letters"),
    first_few(
        2,
        [
            ("bio", "BIO", "BIES"),
            ("iob1", "IOB", "BIES"),
            ("io", "IO", "BIES"),
            ("bioes", "BIOES", "BIES"),
            ("bioes", "BILOU", SPELLINGS["BILOU"]),
            ("bioes", "BMES", SPELLINGS["BMES"]),
            ("bioes", "BMEOW", SPELLINGS["BMEWO"]),
        ],
    ),
)
def test_the_same_tags_are_sound_and_have_the_same_spans(scheme: Scheme, encoding: str, letters: str) -> None:
    theirs = get_encoding(encoding)
    sentences = [spelled(tags, letters) for tags in made(scheme)]
    sound = [tags for tags in sentences if validate_labels(tags, theirs).is_valid()]
    assert [tags for tags in sentences if not len(decoded([tags], scheme).defects)] == sound
    assert len(sound) > NUMBER / 3
    agrees(sound, scheme, "refuse", seqscore(encoding))


def test_every_defect_of_bio_is_an_error_of_seqscore() -> None:
    errors = sum(len(validate_labels(tags, get_encoding("BIO"))) for tags in made("bio"))
    assert len(decoded(made("bio"), "bio").defects) == errors


# nervaluate


def test_conlleval_is_what_nervaluate_loads() -> None:
    def nervaluate(tags: Tags) -> list[Span]:
        return [Span(each.start, each.end + 1, each.label) for each in ListLoader().load([tags])[0]]

    agrees(made("bio"), "bio", "conlleval", nervaluate)
    agrees(made("iob1"), "iob1", "conlleval", nervaluate)
