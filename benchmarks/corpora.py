"""Generated corpora: CoNLL-U files of a key and five systems, the same on every machine.

`write` gives tags alone, `write_trees` whole treebanks.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Truths = NDArray[np.bool_]

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


# Treebanks. The kinds of words: tag, XPOS, features (with alternatives), how frequent the kind is in a thousand
# words, how many words it has, and the relations it enters.
_KINDS = """
NOUN  NN   Number=Sing                                              128 12000 nmod obl obj nsubj compound conj obl
NOUN  NNS  Number=Plur                                               38  6000 nmod obl obj nsubj nsubj:pass conj
PROPN NNP  Number=Sing                                               78  9000 flat nmod nsubj compound appos list
PROPN NNPS Number=Plur                                                5   400 flat nmod nsubj compound
VERB  VB   VerbForm=Inf                                              38  2500 xcomp advcl conj ccomp acl
VERB  VBD  Mood=Ind|Number=Sing,Plur|Person=1,2,3|Tense=Past|VerbForm=Fin 34 2500 advcl conj ccomp parataxis acl:relcl
VERB  VBZ  Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin     16  1500 advcl conj ccomp parataxis acl:relcl
VERB  VBN  Aspect=Imp,Perf|Tense=Past|VerbForm=Part|Voice=Act,Pass   16  1500 acl advcl conj xcomp
AUX   VBZ  Mood=Ind,Sub|Number=Sing,Plur|Person=1,2,3|Tense=Pres,Past|VerbForm=Fin 50 25 aux cop aux:pass
AUX   MD   VerbForm=Fin                                              14    12 aux
PRON  PRP  Case=Acc,Gen,Nom|Gender=Fem,Masc,Neut|Number=Plur,Sing|Person=1,2,3|PronType=Prs 60 24 nsubj obj obl
PRON  PRP$ Number=Plur,Sing|Person=1,2,3|Poss=Yes|PronType=Prs       16     8 nmod:poss
PRON  WP   PronType=Int,Rel                                          10     6 nsubj obj mark
DET   DT   Definite=Def,Ind|PronType=Art                             62     4 det
DET   DT   Number=Plur,Sing|PronType=Dem                             14     6 det det:predet
ADP   IN   _                                                         82    40 case case case mark compound:prt
SCONJ IN   _                                                         15    20 mark
ADJ   JJ   Degree=Pos                                                64  4000 amod amod amod conj xcomp
ADJ   JJR  Degree=Cmp,Sup                                             7   200 amod advmod
ADV   RB   _                                                         35   800 advmod
ADV   RB   PronType=Dem,Ind,Int,Tot                                  12    40 advmod
CCONJ CC   _                                                         30     8 cc cc cc cc:preconj
PART  TO   _                                                         16     2 mark
PART  RB   Polarity=Neg                                              10     2 advmod
NUM   CD   NumForm=Digit,Word|NumType=Card                           22   600 nummod list nmod
INTJ  UH   _                                                          4    30 discourse
SYM   SYM  _                                                          4    10 dep
X     FW   Foreign=Yes                                                2   100 goeswith flat
PUNCT .    _                                                         60     4 punct
PUNCT ,    _                                                         60     6 punct
"""
_WORDS_A_SENTENCE = 17.0, 8.0
_SENTENCES_A_TREEBANK_DOCUMENT = 50
_TREES_A_LENGTH = 50
_CROSSED = 0.02
_RANGES = 0.0165
_NOISE = {"head": 0.09, "label": 0.06, "tag": 0.045, "lemma": 0.02, "features": 0.02, "split": 0.0024, "whole": 0.06}


@dataclass(frozen=True, eq=False, kw_only=True)
class Treebank:
    """A key: everything that its systems share, by word.

    Args:
        columns: the distinct texts of the columns that are copied or confused, by name.
        codes: for each of them, the text of each word.
        head: the row of each word's head, -1 for the root.
        sentences: the first word of each sentence, and behind them the number of words.
        covered: the first words of the tokens that stand for two words, as the text has them by row.
        glued: whether no space follows a word.
        texts: the text of each sentence.

    """

    columns: dict[str, NDArray[np.object_]]
    codes: dict[str, Rows]
    head: Rows
    sentences: Rows
    covered: dict[int, str]
    glued: Truths
    texts: list[str]


def write_trees(folder: Path, words: int, *, enhanced: bool = False, seed: int = 1) -> list[Path]:
    """Write a key and five parsers of this many words, unless they are there; return key first."""
    stem = f"{words}-{'enhanced' if enhanced else 'trees'}"
    paths = [folder / f"{stem}-{name}.conllu" for name in ["key", *(f"s{n}" for n in range(1, SYSTEMS + 1))]]
    if all(path.exists() for path in paths):
        return paths
    key = _treebank(words, seed)
    for number, path in enumerate(paths):
        draw = np.random.default_rng([seed, number])
        text = _written(key, draw, _NOISE if number else dict.fromkeys(_NOISE, 0.0), enhanced=enhanced)
        path.with_suffix(".part").write_text(text, encoding="utf-8", newline="\n")
        path.with_suffix(".part").rename(path)
    return paths


def _treebank(words: int, seed: int) -> Treebank:
    """Draw words by their kinds (Zipf within a kind), trees, and the tokens that stand for two words."""
    plain, draw = random.Random(seed), np.random.default_rng(seed)
    lexicon, columns, codes = _lexicon(plain), {}, {}
    kinds = [kind for kind, _, _ in lexicon]
    first = np.cumsum([0, *(len(forms) for _, _, forms in lexicon)])
    weight = np.cumsum([float(kind[3]) for kind in kinds])
    kind = np.searchsorted(weight, draw.random(words) * weight[-1], side="right")
    word = first[kind] + (np.diff(first)[kind] ** draw.random(words)).astype(np.int64) - 1
    forms = [form for _, _, forms in lexicon for form in forms]
    columns["form"], codes["form"] = np.array(forms, object), word
    lemmas = [form[:-1] or form if number % 2 and len(form) > 4 else form for number, form in enumerate(forms)]
    columns["lemma"], codes["lemma"] = np.array(lemmas + [f"{form}e" for form in forms], object), word
    for name, place in (("upos", 0), ("xpos", 1), ("feats", 2)):
        columns[name], table = np.unique(np.array([each[place] for each in kinds], object), return_inverse=True)
        codes[name] = table[kind]
    sizes = np.clip(np.round(draw.normal(*_WORDS_A_SENTENCE, words)), 1, 80).astype(np.int64)
    cuts = np.cumsum(sizes)
    sentences = np.array([0, *cuts[: np.searchsorted(cuts, words)], words])
    head = _trees(plain, draw, sentences)
    relations = [relation for _, relations, _ in lexicon for relation in relations]
    before = np.cumsum([0, *(len(relations) for _, relations, _ in lexicon)])
    columns["deprel"], table = np.unique(np.array([*relations, "root"], object), return_inverse=True)
    relation = table[before[kind] + (np.diff(before)[kind] * draw.random(words)).astype(np.int64)]
    codes["deprel"] = np.where(head < 0, table[-1], relation)
    mark = columns["upos"][codes["upos"]] == "PUNCT"
    text = columns["form"][word]
    covered = _covered(draw, sentences, mark, text)
    glued = np.append(mark[1:], False)
    return Treebank(
        columns=columns,
        codes=codes,
        head=head,
        sentences=sentences,
        covered=covered,
        glued=glued,
        texts=_texts(text, covered, glued, sentences),
    )


def _lexicon(draw: random.Random) -> list[tuple[list[str], list[str], list[str]]]:
    """Return each kind of word with its features spelled out, its relations, and its words."""
    words = vocabulary(draw)
    short = [word for word in words if len(word) <= 4]
    found = []
    for line in _KINDS.strip().splitlines():
        tag, fine, features, weight, size, *relations = line.split()
        choices = [each.partition("=") for each in features.split("|")]
        spelled = itertools.product(*([f"{a}{b}{c}" for c in values.split(",")] for a, b, values in choices))
        every = ["|".join(each) for each in spelled]
        for each in every:
            forms = draw.sample(words if int(size) >= 100 else short, max(2, int(size) // len(every)))
            forms = list(".,!?:;"[: int(size)]) if tag == "PUNCT" else forms
            found.append(([tag, fine, each, str(float(weight) / len(every))], relations, forms))
    return found


def _trees(plain: random.Random, draw: np.random.Generator, sentences: Rows) -> Rows:
    """Return the heads of all words: each sentence has one of some random trees of its length."""
    head = np.empty(int(sentences[-1]), np.int64)
    sizes = np.diff(sentences)
    for size in np.unique(sizes).tolist():
        begin = sentences[:-1][sizes == size]
        trees = np.array([_tree(plain, size) for _ in range(_TREES_A_LENGTH)])
        chosen = trees[draw.integers(len(trees), size=len(begin))]
        head[begin[:, None] + np.arange(size)] = np.where(chosen < 0, -1, chosen + begin[:, None])
    return head


def _tree(draw: random.Random, size: int) -> list[int]:
    """Return the heads of a random tree: projective, but one leaf in some trees hangs anywhere."""
    heads = [-1] * size
    spans = [(0, size, -1)]
    while spans:
        begin, end, above = spans.pop()
        top = draw.randrange(begin, end)
        heads[top] = above
        for side_begin, side_end in ((begin, top), (top + 1, end)):
            left = side_begin
            while left < side_end:
                stop = draw.randint(left + 1, side_end)
                spans.append((left, stop, top))
                left = stop
    if size > 4 and draw.random() < _CROSSED:
        leaf = draw.choice([row for row in range(size) if row not in heads])
        heads[leaf] = draw.choice([row for row in range(size) if row != leaf])
    return heads


def _covered(draw: np.random.Generator, sentences: Rows, mark: Truths, text: NDArray[np.object_]) -> dict[int, str]:
    """Choose pairs of words that are one token in the text, some of them contracted."""
    chosen = draw.random(len(mark)) < _RANGES
    chosen[sentences[1:] - 1] = False
    chosen[:-1] &= ~(mark[:-1] | mark[1:])
    chosen[1:] &= ~chosen[:-1]
    joined = {row: text[row] + text[row + 1] for row in np.flatnonzero(chosen).tolist()}
    return {row: token[:-1] if row % 4 == 0 else token for row, token in joined.items()}


def _texts(text: NDArray[np.object_], covered: dict[int, str], glued: Truths, sentences: Rows) -> list[str]:
    tokens = (text + np.where(glued, "", " ").astype(object)).tolist()
    for row, token in covered.items():
        tokens[row], tokens[row + 1] = token, "" if glued[row + 1] else " "
    return ["".join(tokens[begin:end]).strip() for begin, end in itertools.pairwise(sentences.tolist())]


def _written(key: Treebank, draw: np.random.Generator, noise: dict[str, float], *, enhanced: bool) -> str:
    """Write a treebank as a parser gives it that errs as often as `noise` says; the key errs nowhere."""
    codes = _confused(key, draw, noise)
    head = _reattached(key.head, draw, noise["head"])
    split, whole = _other_cuts(key, head, draw, noise)
    copies = np.ones(len(head), np.int64)
    copies[split], copies[whole + 1] = 2, 0
    row = np.repeat(np.arange(len(head)), copies)
    place = np.cumsum(copies) - copies
    place[whole + 1] -= 1
    tail = np.append(False, row[1:] == row[:-1])
    above = head[row]
    inner = np.isin(row, whole) & (above == row + 1)  # a token left whole hangs where the upper of its words did
    above[inner] = head[row[inner] + 1]
    above = np.where(tail, place[row], np.where(above < 0, -1, place[above]))
    begins = np.append(place[key.sentences[:-1]], len(row))
    begin = np.repeat(begins[:-1], np.diff(begins))
    numbers = np.array([str(number) for number in range(int(np.diff(begins).max()) + 1)], object)
    columns = {name: key.columns[name][codes[name][row]] for name in codes}
    columns["id"] = numbers[np.arange(len(row)) - begin + 1]
    columns["head"] = numbers[np.where(above < 0, 0, above - begin + 1)]
    columns["misc"] = np.where(key.glued[row], "SpaceAfter=No", "_").astype(object)
    columns["deps"] = _edges(columns, above, draw) if enhanced else np.full(len(row), "_", object)
    for first in place[split].tolist():
        _cut_in_two(columns, first)
    _write_tokens(key, columns, place, set(whole.tolist()))
    _write_comments(key, columns["id"], begins)
    columns["misc"][begins[1:] - 1] += "\n"
    names = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    return "\n".join(map("\t".join, zip(*(columns[name].tolist() for name in names), strict=True))) + "\n"


def _confused(key: Treebank, draw: np.random.Generator, noise: dict[str, float]) -> dict[str, Rows]:
    """Return the key's columns with some values exchanged for those of other words; roots stay roots."""
    codes = {name: values.copy() for name, values in key.codes.items()}
    for name, names in (("label", ["deprel"]), ("tag", ["upos", "xpos"]), ("features", ["feats"])):
        rows = np.flatnonzero((draw.random(len(key.head)) < noise[name]) & (key.head >= 0))
        others = draw.permutation(rows)
        for each in names:
            codes[each][rows] = codes[each][others]
    wrong = draw.random(len(key.head)) < noise["lemma"]
    codes["lemma"][wrong] += len(key.columns["form"])
    return codes


def _reattached(head: Rows, draw: np.random.Generator, share: float) -> Rows:
    """Return the heads with a share of words hung one step higher, or on the next word that hangs on the same side.

    Both keep the trees trees, and one such change alone keeps them projective: the word is the outermost one on its
    side, or it is the next but one.
    """
    words = np.flatnonzero(head >= 0)
    side = 2 * head[words] + (words > head[words])
    words = words[np.lexsort((np.abs(words - head[words]), side))]
    side = 2 * head[words] + (words > head[words])
    inner = np.full(len(head), -1)
    inner[words[1:]] = np.where(side[1:] == side[:-1], words[:-1], -1)
    higher = np.full(len(head), -1)
    outermost = words[np.append(side[1:] != side[:-1], True)]
    higher[outermost] = head[head[outermost]]
    possible = np.flatnonzero((inner >= 0) | (higher >= 0))
    rows = possible[draw.random(len(possible)) < share * len(head) / max(1, len(possible))]
    up = (inner[rows] < 0) | ((higher[rows] >= 0) & (draw.random(len(rows)) < 0.5))
    changed = head.copy()
    changed[rows] = np.where(up, higher[rows], inner[rows])
    return changed


def _other_cuts(key: Treebank, head: Rows, draw: np.random.Generator, noise: dict[str, float]) -> tuple[Rows, Rows]:
    """Choose words that are cut in two, and pairs of words, one the other's head, that are left as one."""
    lengths = np.array([len(form) for form in key.columns["form"].tolist()])[key.codes["form"]]
    covered = np.array(list(key.covered), np.int64)
    free = lengths > 1
    free[covered] = free[covered + 1] = False
    split = np.flatnonzero(free & (draw.random(len(head)) < noise["split"]))
    hanging = (head[covered] == covered + 1) | (head[covered + 1] == covered)
    return split, covered[hanging & (draw.random(len(covered)) < noise["whole"])]


def _edges(columns: dict[str, NDArray[np.object_]], above: Rows, draw: np.random.Generator) -> NDArray[np.object_]:
    """Return enhanced edges: the basic ones, and for some words one more, from the head of their head."""
    edges = columns["head"] + ":" + columns["deprel"]
    rows = np.flatnonzero((above >= 0) & (draw.random(len(above)) < 0.06))
    rows = rows[above[above[rows]] >= 0]
    more = columns["head"][above[rows]] + ":" + columns["deprel"][rows]
    edges[rows] = [
        "|".join(sorted(both, key=lambda edge: int(edge.partition(":")[0])))
        for both in zip(edges[rows].tolist(), more.tolist(), strict=True)
    ]
    return np.asarray(edges, object)


def _cut_in_two(columns: dict[str, NDArray[np.object_]], first: int) -> None:
    """Give the halves of a form to two words; the second hangs on the first."""
    form = columns["form"][first]
    columns["form"][first], columns["form"][first + 1] = form[:1], form[1:]
    columns["misc"][first] = "SpaceAfter=No"
    columns["deprel"][first + 1] = "goeswith"
    if columns["deps"][first] != "_":
        columns["deps"][first + 1] = f"{columns['id'][first]}:goeswith"


def _write_tokens(key: Treebank, columns: dict[str, NDArray[np.object_]], place: Rows, whole: set[int]) -> None:
    """Put a line with its range before the words of a token, or its form into the one word that was made of it."""
    for row, token in key.covered.items():
        first = int(place[row])
        space = "SpaceAfter=No" if key.glued[row + 1] else "_"
        if row in whole:
            columns["form"][first], columns["misc"][first] = token, space
            continue
        number = int(columns["id"][first])
        line = f"{number}-{number + 1}\t{token}" + "\t_" * 7 + f"\t{space}\n"
        columns["id"][first] = f"{line}{number}"
        columns["misc"][first] = columns["misc"][first + 1] = "_"


def _write_comments(key: Treebank, ids: NDArray[np.object_], begins: Rows) -> None:
    for number, (first, text) in enumerate(zip(begins[:-1].tolist(), key.texts, strict=True)):
        document, sentence = divmod(number, _SENTENCES_A_TREEBANK_DOCUMENT)
        mark = "" if sentence else f"# newdoc id = d{document:05}\n"
        ids[first] = f"{mark}# sent_id = d{document:05}-{sentence + 1:04}\n# text = {text}\n{ids[first]}"
