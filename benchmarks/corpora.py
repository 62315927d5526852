"""Generated corpora: CoNLL-U files of a key and five systems, the same on every machine."""

from __future__ import annotations

import random
from pathlib import Path

TAGS = [
    "NOUN",
    "PROPN",
    "VERB",
    "ADP",
    "DET",
    "ADJ",
    "PUNCT",
    "NUM",
    "AUX",
    "CCONJ",
    "PRON",
    "ADV",
    "PART",
    "SCONJ",
    "X",
    "SYM",
    "INTJ",
]
XPOS = [
    "NNP",
    "NN",
    "IN",
    "DT",
    "JJ",
    "NNS",
    "CD",
    "VBD",
    ".",
    ",",
    "VB",
    "CC",
    "TO",
    "RB",
    "VBZ",
    "VBN",
    "PRP",
    "(",
    ")",
    ":",
]
FEATURES = [
    "_",
    "Number=Sing",
    "Number=Plur",
    "Mood=Ind|Tense=Past|VerbForm=Fin",
    "Definite=Def|PronType=Art",
    "Degree=Pos",
    "Case=Nom|Gender=Masc|Number=Sing|Person=3|PronType=Prs",
]
RELATIONS = [
    "nsubj",
    "obj",
    "obl",
    "nmod",
    "det",
    "amod",
    "case",
    "punct",
    "root",
    "advmod",
    "aux",
    "cc",
    "conj",
    "mark",
    "compound",
    "flat",
]
SYSTEMS = 5
SENTENCES_A_DOCUMENT = 15
_BLOCK = 1_000_000


def vocabulary(draw: random.Random, size: int = 50_000) -> list[str]:
    """Make words of plausible lengths, some of them beyond ASCII."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(draw.choices(letters, k=min(22, max(1, round(draw.gauss(5.2, 2.4)))))) for _ in range(size)]
    for place, word in enumerate(["#", '"', "''", ",", ".", "-", "école", "Zürich", "東京", "1,000", "'s"]):
        words[place * 7 + 3] = word
    return words


def write(folder: Path, tokens: int, *, seed: int = 1) -> list[Path]:
    """Write a key and five systems of this many tokens, unless they are there; return key first."""
    paths = [folder / f"{tokens}-{name}.conllu" for name in ["key", *(f"s{n}" for n in range(1, SYSTEMS + 1))]]
    if all(path.exists() for path in paths):
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    blocks = [_block(min(tokens, _BLOCK), number, seed) for number in range(len(paths))]
    for path, block in zip(paths, blocks, strict=True):
        with path.with_suffix(".part").open("wb") as stream:
            for repeat in range(max(1, tokens // _BLOCK)):
                stream.write(block.replace(b"# newdoc id = d", b"# newdoc id = %d.d" % repeat))
        path.with_suffix(".part").rename(path)
    return paths


def _block(tokens: int, number: int, seed: int) -> bytes:
    """Write the text of the key (number 0) or of a system, which errs on 6 to 16 % of the tokens."""
    layout, noise = random.Random(seed), random.Random(1000 * seed + number)
    words = vocabulary(layout)
    error = 0.0 if number == 0 else 0.06 + 0.02 * number
    lines: list[str] = []
    written = sentence = 0
    while written < tokens:
        length = min(tokens - written, max(1, round(layout.gauss(14.5, 6))))
        if sentence % SENTENCES_A_DOCUMENT == 0:
            lines.append(f"# newdoc id = d{sentence // SENTENCES_A_DOCUMENT}")
        lines.append(f"# sent_id = s{sentence}")
        for place in range(1, length + 1):
            word = words[min(int(layout.paretovariate(1.0) * 20) - 20, len(words) - 1)]
            tag = layout.choice(TAGS)
            if noise.random() < error:
                tag = noise.choice(TAGS)
            lines.append(
                f"{place}\t{word}\t{word}\t{tag}\t{layout.choice(XPOS)}\t{layout.choice(FEATURES)}\t"
                f"{layout.randrange(length + 1)}\t{layout.choice(RELATIONS)}\t_\t_"
            )
        lines.append("")
        written += length
        sentence += 1
    return ("\n".join(lines) + "\n").encode()
