"""Write a key and two resolvers whose mentions change as table 8 says, as CoNLL-2012 with tags.

Each site is a sentence of its own: a pronoun, three nouns, and the mention in question, which stands last. What a chain
holds beside the mention gives it its class; nothing in a sentence is a site but that mention: a noun behind the pronoun
has no nominal antecedent.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from .counts import nearest_count
from .resolver_transcription import DIFFERENCES, HOT, SITES, STANFORD, TABLE_8

SEED = 2017
DOCUMENTS = 348  # as many as the test set has

PRONOUN, RIGHT, OTHER, WRONG, MENTION = range(5)
WORDS = (("she", "PRP"), ("castle", "NN"), ("tower", "NN"), ("Prague", "NNP"))
MENTIONS = (("dog", "NN"), ("it", "PRP"), ("its", "PRP$"), ("dogs", "NNS"))  # in turns

Classes = tuple[str, str]
"""The class of a mention for HOTCoref and for Stanford."""

Chain = tuple[int, ...]
Sentence = tuple[Chain, Chain, Chain]
"""The words in a chain: the key's, HOTCoref's, Stanford's."""

# Chosen: what is the same in both, which the paper does not say. The rest is right in both.
SAME_ERRORS: dict[Classes, int] = {("wl", "wl"): 1500, ("fn", "fn"): 1700, ("fp", "fp"): 1022}

# Chosen: so many of these have another wrong antecedent in Stanford, which is no difference of classes.
OTHER_ANTECEDENTS: dict[Classes, int] = {("wl", "wl"): 400, ("fp", "fp"): 122}


def counts() -> dict[Classes, int]:
    """Return how many sites have each pair of classes."""
    found: dict[Classes, int] = {}
    for printed in TABLE_8.values():
        for (hot, stanford), share in printed.transitions.items():
            found[hot, stanford] = nearest_count(share, DIFFERENCES)
    found |= SAME_ERRORS
    found["tp", "tp"] = SITES - sum(found.values())
    return found


def chain(name: str, number: int) -> Chain:
    """Return the chain that gives the mention a class.

    What is not resolved is missing, or alone, or has a pronoun before it and no noun, in turns; a pronoun may also
    stand before a noun.
    """
    if name in ("fn", "tn"):
        return ((), (MENTION,), (PRONOUN, MENTION))[number % 3]
    antecedent = RIGHT if name == "tp" else WRONG
    return (PRONOUN, antecedent, MENTION) if number % 4 == 0 else (antecedent, MENTION)


def sentences() -> Iterator[Sentence]:
    """Yield a sentence for each site."""
    for (hot, stanford), count in counts().items():
        key = () if {hot, stanford} & {"fp", "tn"} else (RIGHT, MENTION)
        others = OTHER_ANTECEDENTS.get((hot, stanford), 0)
        for number in range(count):
            new = (OTHER, MENTION) if number < others else chain(stanford, number)
            yield key, chain(hot, number), new


def write_resolvers(folder: Path) -> dict[str, Path]:
    """Write the three files."""
    random = Random(SEED)
    rows = list(sentences())
    random.shuffle(rows)
    documents: list[list[Sentence]] = [[row] for row in rows[:DOCUMENTS]]
    for row in rows[DOCUMENTS:]:
        random.choice(documents).append(row)
    paths = {name: folder / f"{name}.conll" for name in ("key", HOT, STANFORD)}
    for side, path in enumerate(paths.values()):
        lines = [line for number, inside in enumerate(documents) for line in document_lines(number, inside, side)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def document_lines(number: int, rows: Sequence[Sentence], side: int) -> Iterator[str]:
    name = f"nw/made/{number:03}"
    yield f"#begin document ({name}); part 000"
    for chain_number, row in enumerate(rows):
        for place, (word, tag) in enumerate((*WORDS, MENTIONS[chain_number % len(MENTIONS)])):
            cell = f"({chain_number})" if place in row[side] else "-"
            yield "\t".join([name, "0", str(place), word, tag, "*", "-", "-", "-", "-", "*", cell])
        yield ""
    yield "#end document"
