"""Random documents with chains: what a key and some systems could say, written as CoNLL-2012.

Mentions nest, cross and repeat; chains are split, merged and taken apart; there are singletons, empty sides, documents
that a system lacks and documents that only it has. What is drawn is written down, and the reference reads the very
text that the product gets: so nothing but the text says which chain comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from random import Random

from tests.tasks.coref import reference
from tests.tasks.coref.reference import Documents, Span

SYSTEMS = ("one", "two", "three")

WORDS = {
    "Prague": "NNP",
    "Alps": "NNPS",
    "dog": "NN",
    "dogs": "NNS",
    "he": "PRP",
    "his": "PRP$",
    "this": "DT",
    "barks": "VBZ",
}
"""Words with their tags."""

UNTAGGED = {word: "NN" if tag == "VBZ" else tag for word, tag in WORDS.items()}
"""The tags that words must have had if nobody gives any: whatever is no English pronoun is taken for a noun."""

FOREIGN = "this"
"""The only word of documents that the key does not have: neither the key's tags nor a list call it a noun."""

Groups = list[list[Span]]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What is drawn.

    Args:
        documents: how many documents.
        systems: how many systems.
        repeated: whether mentions may be given twice.
        outside: whether systems may lack documents and have others.
        tags: who has tags: `all`, `key`, `one` (a system alone) or `nobody`.
        singletons: whether a chain may have one mention.

    """

    documents: int = 30
    systems: int = 2
    repeated: bool = True
    outside: bool = True
    tags: str = "all"
    singletons: bool = True


@dataclass(frozen=True)
class Drawn:
    """The texts of all sides, and the same as the reference reads them."""

    texts: dict[str, str]
    sides: dict[str, Documents]
    tag_of: Mapping[str, str]

    @property
    def systems(self) -> list[str]:
        return [side for side in self.sides if side != "key"]

    @cached_property
    def order(self) -> list[str]:
        """The key's documents in their order, and then those in which only systems have mentions, by name."""
        others = {name for side in self.sides.values() for name, document in side.items() if document.chains}
        return [*self.sides["key"], *sorted(others - {*self.sides["key"]})]

    def written(self, folder: Path) -> tuple[Path, dict[str, Path]]:
        """Write the files; return the key's, and those of the systems."""
        paths = {side: folder / f"{side}.conll" for side in self.texts}
        for side, path in paths.items():
            path.write_text(self.texts[side], encoding="utf-8")
        return paths["key"], {side: path for side, path in paths.items() if side != "key"}

    def units(self, side: str, singletons: str = "keep", topic_of: Mapping[str, str] | None = None) -> reference.Units:
        """Return the chains of a side, by document or topic."""
        return reference.units_of(self.sides[side], self.order, topic_of, singletons)

    def tags(self, mention: reference.Mention) -> list[str]:
        """Return the tags of a mention, which the words tell."""
        number, begin, end = mention
        return self._tags[number][begin:end]

    @cached_property
    def _tags(self) -> list[list[str]]:
        words = [next(side[name].words for side in self.sides.values() if name in side) for name in self.order]
        return [[self.tag_of[word] for word in each] for each in words]


def drawn(seed: int, shape: Shape = Shape()) -> Drawn:
    """Draw documents; another seed gives others."""
    random = Random(seed)
    systems = SYSTEMS[: shape.systems]
    texts: dict[str, list[str]] = {side: [] for side in ("key", *systems)}
    for number in range(shape.documents):
        words = random.choices(list(WORDS), k=random.randint(1, 14))
        wanted = key_chains(random, len(words), shape)
        texts["key"].append(
            written(random, name=f"d{number:03}", words=words, groups=wanted, tagged=tagged(shape, "key"))
        )
        for system in systems:
            if shape.outside and number and random.random() < 0.08:
                continue
            given = repeated(random, response(random, wanted, len(words), shape), shape)
            texts[system].append(
                written(random, name=f"d{number:03}", words=words, groups=given, tagged=tagged(shape, system))
            )
    for system in systems:
        if random.random() < 0.5:
            random.shuffle(texts[system])
    if shape.outside:
        add_foreign(random, texts, systems, shape)
    joined = {side: "".join(parts) for side, parts in texts.items()}
    sides = {side: read(text) for side, text in joined.items()}
    return Drawn(joined, sides, UNTAGGED if shape.tags == "nobody" else WORDS)


def read(text: str) -> Documents:
    """Read a text as the reference does, with plain names for documents."""
    documents = reference.read_lines(text.splitlines())
    return {name.removeprefix("(").partition(")")[0]: document for name, document in documents.items()}


def tagged(shape: Shape, side: str) -> bool:
    return shape.tags in ("all", side)


def add_foreign(random: Random, texts: dict[str, list[str]], systems: Sequence[str], shape: Shape) -> None:
    """Give systems documents that the key does not have; two may have the same one."""
    for number in range(max(1, shape.documents // 10)):
        words = [FOREIGN] * random.randint(1, 8)
        for system in systems:
            if random.random() < 0.5:
                chains = repeated(random, key_chains(random, len(words), shape), shape)
                part = written(
                    random, name=f"z{99 - number:02}", words=words, groups=chains, tagged=tagged(shape, system)
                )
                texts[system].insert(random.randint(0, len(texts[system])), part)


# --- chains -----------------------------------------------------------------------------------------------------


def span(random: Random, size: int) -> Span:
    begin = random.randrange(size)
    return begin, min(size, begin + random.choice((1, 1, 1, 2, 2, 3, 6)))


def grouped(random: Random, spans: Iterable[Span], chains: int) -> Groups:
    groups: Groups = [[] for _ in range(chains)]
    for each in spans:
        random.choice(groups).append(each)
    return groups


def key_chains(random: Random, size: int, shape: Shape) -> Groups:
    if random.random() < 0.08:
        return []
    spans = {span(random, size) for _ in range(random.randint(0, 12))}
    groups = grouped(random, sorted(spans), random.randint(1, 5))
    return repeated(random, allowed(groups, shape), shape)


def response(random: Random, wanted: Groups, size: int, shape: Shape) -> Groups:
    """Return what a system makes of the key: much the same, or something else altogether, or nothing."""
    mood = random.random()
    if mood < 0.06:
        return []
    if mood < 0.16:
        return key_chains(random, size, shape)
    groups = [list(dict.fromkeys(group)) for group in wanted]
    if mood > 0.9:
        return groups
    if mood > 0.6:  # the key's mentions in other chains
        groups = grouped(random, [each for group in groups for each in group], random.randint(2, 3))
    groups = [[each for each in group if random.random() < 0.85] for group in groups] + [[]]
    for group in groups:
        for each in list(group):
            if random.random() < 0.2:
                group.remove(each)
                random.choice(groups).append(each)
    for _ in range(random.randint(0, 3)):
        random.choice(groups).append(span(random, size))
    if len(groups) > 1 and random.random() < 0.2:
        groups[0] += groups.pop()
    random.shuffle(groups)
    once = {each: number for number, group in enumerate(groups) for each in group}
    return allowed([[each for each in once if once[each] == number] for number in range(len(groups))], shape)


def allowed(groups: Groups, shape: Shape) -> Groups:
    """Leave out what cannot be written: mentions of one chain that cross, and chains without a mention."""
    found = []
    for group in groups:
        kept: list[Span] = []
        for each in group:
            if not any(crosses(each, other) for other in kept):
                kept.append(each)
        if len(kept) > (0 if shape.singletons else 1):
            found.append(kept)
    return found


def crosses(one: Span, other: Span) -> bool:
    (a, b), (c, d) = sorted((one, other))
    return a < c < b < d


def repeated(random: Random, groups: Groups, shape: Shape) -> Groups:
    """Give a mention once more, in its chain or in another."""
    if shape.repeated and groups and random.random() < 0.3:
        each = random.choice([each for group in groups for each in group])
        target = random.choice(groups)
        if not any(crosses(each, other) for other in target):
            target.append(each)
    return groups


# --- writing ------------------------------------------------------------------------------------------------------


def written(random: Random, name: str, words: Sequence[str], groups: Groups, *, tagged: bool) -> str:
    """Write a document: brackets in any order that means the same, columns between tabs."""
    ids = random.sample(range(30), len(groups))
    lines = [f"#begin document ({name}); part 000"]
    for place, word in enumerate(words):
        cell = brackets(random, place, dict(zip(ids, groups, strict=True)))
        lines.append("\t".join([name, "0", str(place), word, *([WORDS[word], "*"] if tagged else []), cell]))
        if random.random() < 0.2:
            lines.append("")
    return "\n".join([*lines, "", "#end document"]) + "\n"


def brackets(random: Random, place: int, chains: dict[int, list[Span]]) -> str:
    """Write what opens and closes at a word; chains in any order."""
    parts = []
    for number in random.sample(sorted(chains), len(chains)):
        spans = chains[number]
        mine = [f"({number}" for begin, end in spans if begin == place and end > place + 1]
        mine += [f"({number})" for begin, end in spans if (begin, end) == (place, place + 1)]
        mine += [f"{number})" for begin, end in spans if end == place + 1 and begin < place]
        parts += mine
    told = all(one[-1] == ")" or other[0] == "(" for one, other in pairwise(parts))  # `(1` and `2)` would be `(12)`
    return random.choice(("|", "|", "" if told else "|")).join(parts) or "-"
