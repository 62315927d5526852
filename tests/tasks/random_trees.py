"""Random CoNLL-U with everything that makes trees hard to compare, and perturbed copies of it."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

RELATIONS = [
    "nsubj",
    "nsubj:pass",
    "obj",
    "root",
    "aux",
    "cop",
    "mark",
    "det",
    "clf",
    "case",
    "cc",
    "punct",
    "conj",
    "x",
]
FEATURES = ["_", "Number=Sing", "Number=Plur|Case=Nom", "Foo=Bar", "Case=Nom|Foo=Bar", "Person=3|Number=Sing"]
LETTERS = "aaaabbBccÄé…İ\u0301😀"
SPACES = " \u00a0\u2003\u3000"


@dataclass(frozen=True, kw_only=True)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    deps: str = "_"


@dataclass(frozen=True)
class Token:
    """A token of the text: one word, or several under a range."""

    form: str
    words: tuple[Word, ...]
    ranged: bool = False


@dataclass
class Sentence:
    tokens: list[Token]
    empty: set[int] = field(default_factory=set)  # empty nodes behind these words; 0 is before the first

    @property
    def size(self) -> int:
        return sum(len(token.words) for token in self.tokens)

    @property
    def words(self) -> list[Word]:
        return [word for token in self.tokens for word in token.words]


@dataclass(frozen=True)
class Document:
    name: str
    sentences: list[Sentence]


def bare(form: str) -> str:
    """Return a form without white space."""
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def text_of(sentences: list[Sentence]) -> str:
    return "".join(bare(token.form) for sentence in sentences for token in sentence.tokens)


def write(sentences: list[Sentence], name: str | None = None) -> str:
    """Write a document, with its name if it has one."""
    lines = [] if name is None else [f"# newdoc id = {name}"]
    for sentence in sentences:
        number = 0
        if 0 in sentence.empty:
            lines.append("0.1\te" + "\t_" * 8)
        for token in sentence.tokens:
            if token.ranged:
                lines.append(f"{number + 1}-{number + len(token.words)}\t{token.form}" + "\t_" * 8)
            for word in token.words:
                number += 1
                columns = [str(number), word.form, word.lemma, word.upos, word.xpos, word.feats]
                lines.append("\t".join([*columns, str(word.head), word.deprel, word.deps, "_"]))
                if number in sentence.empty:
                    lines.append(f"{number}.1\te" + "\t_" * 8)
        lines.append("")
    return "\n".join(lines) + "\n"


def write_documents(documents: Sequence[Document]) -> str:
    return "".join(write(document.sentences, document.name) for document in documents)


class Maker:
    """Makes corpora from one source of chance; `ranges` is the share of tokens that stand for several words."""

    def __init__(self, seed: int, ranges: float = 0.3) -> None:
        self.chance = random.Random(seed)
        self.ranges = ranges

    def pair(self, longest: int = 40) -> tuple[list[Sentence], list[Sentence]]:
        """Make a key and a response to it."""
        text = self.text(self.chance.randint(1, longest))
        key = self.corpus(text)
        return key, self.perturbed(text, key)

    def documents(self, count: int = 4) -> tuple[list[Document], list[Document]]:
        """Make a key and a response to it of some documents each."""
        key, response = [], []
        for number in range(self.chance.randint(1, count)):
            mine, theirs = self.pair(15)
            key.append(Document(f"d{number}", mine))
            response.append(Document(f"d{number}", theirs))
        return key, response

    def text(self, length: int) -> str:
        return "".join(self.chance.choice(LETTERS) for _ in range(length))

    def corpus(self, text: str) -> list[Sentence]:
        """Cut a text into sentences, tokens and words, and hang trees on them."""
        sentences, place = [], 0
        while place < len(text):
            tokens = []
            for _ in range(self.chance.randint(1, 6)):
                size = self.chance.choice([1, 1, 2, 3])
                form = text[place : place + size]
                if not form:
                    break
                place += len(form)
                tokens.append(self._token(form))
            sentences.append(self._hung(Sentence(tokens)))
        return sentences

    def spaced(self, form: str, often: float = 0.1) -> str:
        """Return a form with white space inside, now and then."""
        parts = (letter + self.chance.choice(SPACES) * (self.chance.random() < often) for letter in form[:-1])
        return "".join(parts) + form[-1:]

    def _token(self, form: str) -> Token:
        if self.chance.random() >= self.ranges:
            written = self.spaced(form)
            return Token(written, (self._word(written),))
        cut = self.chance.randint(1, max(1, len(form)))
        forms = self.chance.choice(
            [
                list(form),
                [form[:cut], form[cut:] or "x"],
                [form[:cut].upper(), form[cut:].lower() or "X"],
                ["a", "b"],
                [form],
                [form, "b", form],
            ]
        )
        return Token(self.spaced(form), tuple(self._word(each) for each in forms), ranged=True)

    def _word(self, form: str) -> Word:
        pick = self.chance.choice
        return Word(
            form=form,
            lemma=pick(["_", "a", "b"]),
            upos=pick("NV"),
            xpos=pick("nv"),
            feats=pick(FEATURES),
            head=0,
            deprel=pick(RELATIONS),
        )

    def _hung(self, sentence: Sentence) -> Sentence:
        """Give every word a head so that the sentence is a tree with one root."""
        size = sentence.size
        order = list(range(1, size + 1))
        self.chance.shuffle(order)
        heads = {order[0]: 0} | {
            number: self.chance.choice(order[:place]) for place, number in enumerate(order) if place
        }
        empty = {number for number in range(size + 1) if self.chance.random() < 0.1}
        numbers = iter(range(1, size + 1))
        tokens = [
            replace(
                token,
                words=tuple(self._placed(word, heads[next(numbers)], size, empty) for word in token.words),
            )
            for token in sentence.tokens
        ]
        return Sentence(tokens, empty)

    def _placed(self, word: Word, head: int, size: int, empty: set[int]) -> Word:
        edges = [f"{head}:{word.deprel}"] * self.chance.choice([0, 1, 1, 1, 1, 1, 1, 1, 1, 2])
        edges += [
            f"{self.chance.randint(0, size)}:{self.chance.choice(['conj:and>obj', 'obj', 'obj:x', 'nsubj:pass'])}"
            for _ in range(self.chance.choice([0, 0, 1, 2]))
        ]
        edges += [f"{number}.1:obj" for number in sorted(empty)[:1] if self.chance.random() < 0.3]
        return replace(word, head=head, deps="|".join(edges) or "_")

    def perturbed(self, text: str, sentences: list[Sentence]) -> list[Sentence]:
        """Return a response to a key: cut anew here and there, and with other annotation here and there."""
        kind = self.chance.random()
        if kind < 0.3:
            return self.corpus(text)
        if kind < 0.4 and self.ranges:
            return [replace(sentence, tokens=self._shifted(sentence.tokens)) for sentence in sentences]
        found: list[Sentence] = []
        for sentence in sentences:
            tokens: list[Token] = []
            for token in sentence.tokens:
                tokens += self._changed(token)
            if found and self.chance.random() < 0.2:
                tokens = [*found.pop().tokens, *tokens]
            found.append(Sentence(tokens))
        return [self._kept(sentence) for sentence in found]

    def _shifted(self, tokens: list[Token]) -> list[Token]:
        """Return the same words under other ranges: of two tokens side by side one gives to the other."""
        found = list(tokens)
        for place, (first, second) in enumerate(pairwise(tokens)):
            if found[place] is not first or self.chance.random() < 0.5:
                continue
            words = [replace(word, form=bare(word.form)) for word in (*first.words, *second.words)]
            form, size = bare(first.form) + bare(second.form), len(first.words)
            cut = self.chance.choice([len(bare(first.form)), self.chance.randint(1, len(form) - 1)])
            size = self.chance.choice([size, self.chance.randint(1, len(words) - 1)])
            found[place] = Token(form[:cut], tuple(words[:size]), ranged=True)
            found[place + 1] = Token(form[cut:], tuple(words[size:]), ranged=True)
        return found

    def _changed(self, token: Token) -> list[Token]:
        kind = self.chance.random()
        form = bare(token.form)
        if kind < 0.1 and len(form) > 1:
            cut = self.chance.randint(1, len(form) - 1)
            return [self._token(form[:cut]), self._token(form[cut:])]
        if kind < 0.15:
            return [self._token(form)]
        if kind < 0.2 and self.ranges:
            words = tuple(self._word(bare(word.form).swapcase()) for word in token.words)
            return [replace(token, words=words, ranged=True)]
        return [replace(token, words=tuple(self._altered(word) for word in token.words))]

    def _altered(self, word: Word) -> Word:
        other = self._word(word.form)
        names = [name for name in ("lemma", "upos", "xpos", "feats", "deprel") if self.chance.random() < 0.1]
        return replace(word, **{name: getattr(other, name) for name in names})

    def _kept(self, sentence: Sentence) -> Sentence:
        """Keep the heads where they still make a tree, else hang the words anew."""
        words = sentence.words
        fits = all(0 <= word.head <= len(words) for word in words) and sum(not word.head for word in words) == 1
        if not fits or self.chance.random() < 0.2 or any(_loops(words, number) for number in range(1, len(words) + 1)):
            return self._hung(sentence)
        edges = [part for word in words for part in word.deps.split("|") if part != "_"]
        inside = all("." not in part and int(part.partition(":")[0]) <= len(words) for part in edges)
        return sentence if inside else self._hung(sentence)


def each_word(sentences: list[Sentence], change: Callable[[Word], Word]) -> list[Sentence]:
    """Return the same sentences with every word changed; a token of one word keeps the word's form."""
    found = []
    for sentence in sentences:
        tokens = []
        for token in sentence.tokens:
            words = tuple(change(word) for word in token.words)
            tokens.append(Token(token.form if token.ranged else words[0].form, words, token.ranged))
        found.append(replace(sentence, tokens=tokens))
    return found


def _loops(words: list[Word], number: int) -> bool:
    seen = set()
    while number and number not in seen:
        seen.add(number)
        number = words[number - 1].head
    return number != 0


@dataclass(frozen=True)
class Placed:
    """A token and the characters of the text that it covers."""

    begin: int
    end: int
    token: Token

    @property
    def ranged(self) -> bool:
        return self.token.ranged


def placed(sentences: list[Sentence]) -> list[Placed]:
    found, end = [], 0
    for sentence in sentences:
        for token in sentence.tokens:
            begin, end = end, end + len(bare(token.form))
            found.append(Placed(begin, end, token))
    return found


def situations(key: list[Sentence], response: list[Sentence]) -> set[str]:
    """Name what is hard about a key and a response, told from the definitions and not from any alignment."""
    return {*_single(key), *_single(response), *_between(key, response), *_between(response, key)}


def _single(sentences: list[Sentence]) -> Iterator[str]:
    """Name what is hard about one side."""
    for sentence in sentences:
        number = 0
        if sentence.empty:
            yield "empty nodes"
        if 0 in sentence.empty:
            yield "an empty node before the first word"
        for token in sentence.tokens:
            inner = range(number + 1, number + len(token.words))
            number += len(token.words)
            if bare(token.form) != token.form:
                yield "white space inside a form"
            if token.ranged and "".join(word.form for word in token.words) != bare(token.form):
                yield "words inside a range unlike the text"
            if sentence.empty.intersection(inner):
                yield "an empty node inside a range"
        for word in sentence.words:
            edges = word.deps.split("|")
            if len(edges) > len(set(edges)):
                yield "a doubled edge"
            if ".1:" in word.deps:
                yield "an edge from an empty node"


def _between(mine: list[Sentence], theirs: list[Sentence]) -> Iterator[str]:
    """Name what is hard about one side in view of the other."""
    ours, others = placed(mine), placed(theirs)
    for before, each in zip([None, *ours], ours, strict=False):
        if not each.ranged:
            continue
        if before is not None and not before.ranged:
            begun = [other for other in others if before.begin <= other.begin < each.begin and not other.ranged]
            if len(begun) > 1 and begun[0].end != before.end:
                yield "a lag of several words before a range"
        for other in others:
            if other.begin < each.end and each.begin < other.end:
                yield from _overlapping(each, other)
    words, other_words = ([word.form for each in side for word in each.token.words] for side in (ours, others))
    cut, other_cut = ([(each.begin, len(each.token.words)) for each in side] for side in (ours, others))
    if words == other_words and cut != other_cut:
        yield "the same words under other ranges"
    cuts = [{end for _, end in _sentence_spans(side)} for side in (mine, theirs)]
    if cuts[0] - cuts[1]:
        yield "sentences merged or split"


def _overlapping(each: Placed, other: Placed) -> Iterator[str]:
    """Name what is hard about a range and a token of the other side that overlaps it."""
    same = (each.begin, each.end) == (other.begin, other.end)
    if not other.ranged:
        if same:
            yield "a range against a word of the same text"
        if other.begin < each.begin:
            yield "a lag before a range"
        if other.end > each.end:
            yield "a word that sticks out behind a range"
        return
    if not same:
        yield "overlapping ranges"
    forms, other_forms = ([word.form for word in side.token.words] for side in (each, other))
    if any(a != b and a.lower() == b.lower() for a in forms for b in other_forms):
        yield "forms equal up to case"
    if forms != other_forms and {form.lower() for form in forms} & {form.lower() for form in other_forms}:
        yield "some words of a range in common"


def _sentence_spans(sentences: list[Sentence]) -> Iterator[tuple[int, int]]:
    end = 0
    for sentence in sentences:
        begin, end = end, end + sum(len(bare(token.form)) for token in sentence.tokens)
        yield begin, end
