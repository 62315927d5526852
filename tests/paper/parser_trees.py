"""Write the files from which tables 5, 6 and 10 can be counted: a key and three parsers, all of them trees.

In every sentence the words have ranks, the root first, and each head, right or wrong, has a lower rank than its
word, so there is no cycle. Where a parser swaps the root with its partner, the partner takes the first rank.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path
from random import Random

from .counts import deal, nearest_count
from .parser_counts import SENTENCES
from .parser_population import KEYS_HEAD, SWAPPED, Word
from .parser_third import population
from .parser_transcription import NN, PARSERS, PARSEY, PCFG, TABLE_5, WORDS
from .parser_words import BEFORE, FULL_STOP, HEADS, MARKS, SKELETON, VERBS, VOCABULARY
from .patterns import Systems, fill, sentence_patterns
from .population import spread

SEED = 2017
DOCUMENTS = 100  # wsj_2300 to wsj_2399
TOKENS = 56684  # of section 23, with punctuation
PUNCTUATION = TOKENS - WORDS

# Chosen: how many sentences several parsers have wrong.
SHARED_WRONG_SENTENCES: dict[Systems, int] = {
    frozenset(PARSERS): 1350,
    frozenset({PCFG, NN}): 200,
    frozenset({PCFG, PARSEY}): 150,
    frozenset({NN, PARSEY}): 80,
}
# Chosen: each parser attaches every so many-th mark inside a sentence wrongly, which no table counts.
WRONG_MARKS = {NN: 4, PCFG: 5, PARSEY: 6}


def write_parsers(folder: Path) -> dict[str, Path]:
    """Write the key and the three parsers."""
    sentences = laid_out()
    paths = {name: folder / f"{name}.conllu" for name in ("key", *PARSERS)}
    for name, path in paths.items():
        path.write_text("\n".join(conllu_lines(sentences, name)) + "\n", encoding="utf-8")
    return paths


# --- one sentence -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sentence:
    """Words by rank, and punctuation: how many marks stand inside."""

    words: list[Word]
    marks: int

    @cached_property
    def heads(self) -> list[int]:
        """Return the rank of each word's head in the key: the nearest that suits, else the root."""
        found = [-1]
        for rank, word in enumerate(self.words[1:], start=1):
            wanted = HEADS.get(word.label, VERBS)
            found.append(next((r for r in range(rank - 1, 0, -1) if self.words[r].label in wanted), 0))
        return found

    @cached_property
    def order(self) -> list[int]:
        """Return the ranks in the order in which the words stand: the key's tree is projective."""
        before: list[list[int]] = [[] for _ in self.words]
        after: list[list[int]] = [[] for _ in self.words]
        for rank in range(1, len(self.words)):
            side = before if self.words[rank].label in BEFORE else after
            side[self.heads[rank]].append(rank)

        def below(rank: int) -> Iterator[int]:
            for child in before[rank]:
                yield from below(child)
            yield rank
            for child in after[rank]:
                yield from below(child)

        return list(below(0))

    def arc(self, rank: int, name: str) -> tuple[int, str]:
        """Return the rank of a word's head, -1 for none, and its label; in the key or in a parser's output."""
        word = self.words[rank]
        error = None if name == "key" else getattr(word, name)
        if error is None:
            return self.heads[rank], word.label
        if error.head == SWAPPED:
            return (self.partner if rank == 0 else -1), error.label
        if error.head == KEYS_HEAD:
            return self.heads[rank], error.label
        others = [r for r in range(rank - 1, -1, -1) if r != self.heads[rank]]
        return others[error.head - 1], error.label

    @cached_property
    def partner(self) -> int:
        """Return the rank of the word that some parser takes for the root."""
        return next(rank for rank, word in enumerate(self.words) if rank and is_swapped(word))


def is_swapped(word: Word) -> bool:
    return any(error is not None and error.head == SWAPPED for error in word[1:])


# --- sentences ----------------------------------------------------------------------------------------------


def wrong_parsers(word: Word) -> Systems:
    return frozenset(name for name in PARSERS if getattr(word, name) is not None)


def laid_out() -> list[Sentence]:
    """Put the words into sentences, always in the same way."""
    random = Random(SEED)
    words, swapped = population()
    right = {name: nearest_count(TABLE_5[name].sentences, SENTENCES) for name in PARSERS}
    patterns = sentence_patterns(SHARED_WRONG_SENTENCES, right, SENTENCES)  # those that all have wrong come first
    sentences = [list(pair) for pair in swapped] + [[Word("root")] for _ in range(SENTENCES - len(swapped))]
    easy = fill(
        sentences,
        patterns=patterns,
        items=[word for word in words if word.label != "root"],
        wrong=wrong_parsers,
        random=random,
    )
    lengths = deal(len(easy) - 3 * SENTENCES, [random.randint(2, 24) for _ in sentences])
    for sentence, length in zip(sentences, lengths, strict=True):
        ranks = [easy.pop() for _ in range(length + 3)]
        sentence[:] = ranked(sentence[0], ranks[:3], sentence[1:] + ranks[3:], random)
    random.shuffle(sentences)
    marks = deal(PUNCTUATION - SENTENCES, [len(sentence) - 1 for sentence in sentences])
    return [Sentence(*fields) for fields in zip(sentences, marks, strict=True)]


def ranked(root: Word, right: list[Word], others: list[Word], random: Random) -> list[Word]:
    """Rank three right words after the root, so that a wrong word has three other heads, and modifiers last."""
    random.shuffle(others)
    right = sorted(right, key=lambda word: word.label not in SKELETON)
    return [root, *right, *sorted(others, key=lambda word: word.label not in SKELETON)]


# --- lines --------------------------------------------------------------------------------------------------


def conllu_lines(sentences: Sequence[Sentence], name: str) -> Iterator[str]:
    forms = {label: (tag, cycle(words.split())) for label, (tag, words) in VOCABULARY.items()}
    marks = cycle(MARKS)
    remaining = iter(sentences)
    seen = 0
    for d, size in enumerate(deal(len(sentences), [1] * DOCUMENTS)):
        yield f"# newdoc id = wsj_{2300 + d}"
        for s in range(1, size + 1):
            sentence = next(remaining)
            yield f"# sent_id = wsj_{2300 + d}.{s}"
            inside = list(spread(sentence.marks, len(sentence.order) - 1))
            place = places(sentence.order, inside)
            for number, rank in enumerate(sentence.order):
                head, relation = sentence.arc(rank, name)
                tag, words = forms[sentence.words[rank].label]
                yield line(place[rank], form=next(words), tag=tag, head=place.get(head, 0), relation=relation)
                if number < len(inside) and inside[number]:
                    seen += 1
                    wrong = name in WRONG_MARKS and seen % WRONG_MARKS[name] == 0
                    head = sentence.order[number + 1] if wrong else rank
                    tag, form = next(marks)
                    yield line(place[rank] + 1, form=form, tag=tag, head=place[head], relation="punct")
            yield line(
                len(sentence.order) + sentence.marks + 1,
                form=FULL_STOP[1],
                tag=FULL_STOP[0],
                head=place[0],
                relation="punct",
            )
            yield ""


def places(order: Sequence[int], inside: Sequence[bool]) -> dict[int, int]:
    """Return where the word of each rank stands, if marks stand after some words."""
    found = {}
    place = 1
    for rank, mark in zip(order, [*inside, False], strict=True):
        found[rank] = place
        place += 1 + mark
    return found


def line(number: int, form: str, tag: str, head: int, *, relation: str) -> str:
    return f"{number}\t{form}\t_\t_\t{tag}\t_\t{head}\t{relation}\t_\t_"
