"""Answers of language models made from documents with known mentions, with known damage done to them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from comparanda.align.occurrences import Place
from comparanda.align.quotes import Claim

LABELS = ("PER", "LOC", "ORG")
DAMAGES = ("none", "case", "space", "signs", "slip")
_FILLERS = ("a", "the", "then", "went", "saw", "it", "of", "in", "and", ",", ".", "was", "old", "Is", "now")
_SEPARATORS = (" ", " ", " ", "\n", "  ")


@dataclass(frozen=True)
class Quoted:
    """An item of an answer, where it was taken from, and what was done to it; invented ones were taken from nowhere."""

    claim: Claim
    truth: Place | None
    damage: str


@dataclass(frozen=True)
class Made:
    """A document, and an answer that was made from it.

    Args:
        text: the text.
        answer: the items.
        shuffled: whether they are not in the order of the text.

    """

    text: str
    answer: tuple[Quoted, ...]
    shuffled: bool

    @property
    def claims(self) -> list[Claim]:
        return [each.claim for each in self.answer]

    def often(self, quote: str) -> int:
        """How often a text is claimed."""
        return sum(each.claim.quote == quote for each in self.answer)


def make(draw: random.Random, *, shuffled: bool = False, damages: Sequence[str] = DAMAGES) -> Made:
    """Make a text with names in it, some of them mentions, and an answer that names most of the mentions."""
    names = [_name(draw) for _ in range(draw.randint(1, 5))]
    names += [name.split(" ")[0] for name in names if " " in name and draw.random() < 0.3]  # one inside another
    text, found = _text(draw, names)
    answer = [_quoted(draw, text, place, draw.choice(damages)) for place in found if draw.random() < 0.7]
    for _ in range(draw.choice((0, 0, 1, 2))):
        answer.insert(
            draw.randint(0, len(answer)),
            Quoted(Claim(quote=_invented(draw), label=draw.choice(LABELS)), None, "invented"),
        )
    if shuffled:
        draw.shuffle(answer)
    return Made(text, tuple(answer), shuffled)


def repeated(draw: random.Random, made: Made) -> Made:
    """Say some items of an answer again, somewhere behind."""
    answer = list(made.answer)
    for each in made.answer:
        if draw.random() < 0.4:
            answer.insert(draw.randint(answer.index(each) + 1, len(answer)), each)
    return Made(made.text, tuple(answer), made.shuffled)


def copied(draw: random.Random, made: Made, *, damage: float = 0.0) -> tuple[str, list[Claim], list[Place]]:
    """Make an answer that is a copy of the text, with words lost, changed or added; and say where its items stood."""
    mentions = {each.truth: each.claim.label for each in made.answer if each.truth is not None}
    copy, stood = "", 0
    begins: dict[int, int] = {}
    ends: dict[int, int] = {}
    for piece in _cut(made.text):
        written = piece
        if not piece.isspace() and draw.random() < damage:
            written = draw.choice(("", piece[::-1] + "k", f"{piece} {draw.choice(_FILLERS)}"))
        if written == piece:
            begins[stood], ends[stood + len(piece)] = len(copy), len(copy) + len(piece)
        copy += written
        stood += len(piece)
    claims, truths = [], []
    for (begin, end), label in sorted(mentions.items()):
        if begin in begins and end in ends:
            claims.append(Claim(quote=copy[begins[begin] : ends[end]], label=label, begin=begins[begin]))
            truths.append((begin, end))
    return copy, claims, truths


def _cut(text: str) -> list[str]:
    """Cut a text at white space, and keep that."""
    pieces = [""]
    for character in text:
        if pieces[-1] and character.isspace() != pieces[-1][-1].isspace():
            pieces.append("")
        pieces[-1] += character
    return [piece for piece in pieces if piece]


def _name(draw: random.Random) -> str:
    """Make a name of one to three long words, unlike any other."""
    words = [_word(draw).capitalize() for _ in range(draw.choice((1, 1, 2, 3)))]
    return draw.choice((" ", " ", "-", "'")).join(words)


def _word(draw: random.Random, letters: str = "abdefglmnoprstu") -> str:
    return "".join(draw.choice(letters) for _ in range(draw.randint(8, 11)))


def _invented(draw: random.Random) -> str:
    return " ".join(_word(draw, "cqvwxyz") for _ in range(draw.choice((1, 2))))


def _text(draw: random.Random, names: Sequence[str]) -> tuple[str, list[Place]]:
    """Lay names among other words; return the text, and the places of those that are mentions."""
    text, found = "", []
    for _ in range(draw.randint(3, 30)):
        text += draw.choice(_SEPARATORS) if text else ""
        if draw.random() < 0.4:
            name = draw.choice(names)
            if draw.random() < 0.8:
                found.append((len(text), len(text) + len(name)))
            text += name
        else:
            text += draw.choice(_FILLERS)
    return text, found


def _quoted(draw: random.Random, text: str, place: Place, damage: str) -> Quoted:
    """Quote a piece of a text, with some damage; none if the text would hold that as well."""
    quote = text[place[0] : place[1]]
    match damage:
        case "case":
            changed = quote.upper()
        case "space":
            changed = quote.replace(" ", " \n ")
        case "signs":
            changed = quote.replace("-", "–").replace("'", "’")
        case "slip":
            changed = _slip(draw, quote)
        case _:
            changed = quote
    known = changed == quote or changed in text
    return Quoted(
        Claim(quote=quote if known else changed, label=draw.choice(LABELS)), place, "none" if known else damage
    )


def _slip(draw: random.Random, quote: str) -> str:
    """Make one slip: a letter more, less, other, or two swapped."""
    at = draw.randrange(1, len(quote) - 1)
    changed = draw.choice(
        (
            quote[:at] + "k" + quote[at:],
            quote[:at] + quote[at + 1 :],
            quote[:at] + "k" + quote[at + 1 :],
            quote[:at] + quote[at + 1] + quote[at] + quote[at + 2 :],
        )
    )
    return quote if changed.count(" ") != quote.count(" ") else changed
