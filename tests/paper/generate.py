"""Write the files from which the tables of Tuggener (2017) can be counted.

Tables 3, 4, 9 and 12 are about the same three taggers on the same 3,000 sentences, and one set of files
satisfies them together (`write_table4`), with one exception: TreeTagger's overall accuracy is 94.89 in table
3 and 94.38 in table 9, which no one file can have. `write_table9` shows how the paper may have come to both.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from .counts import TREETAGGER_RIGHT, deal, nearest_count
from .patterns import Systems, fill, sentence_patterns
from .population import Token, population
from .transcription import (
    CLEVERTAGGER,
    SENTENCES,
    STANFORD,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_9_OVERALL,
    TOKENS,
    TOY_KEY,
    TREETAGGER,
)

SEED = 2017
DOCUMENTS = 300
TAGGERS = (STANFORD, TREETAGGER, CLEVERTAGGER)
TREETAGGER_PAV = "treetagger-pav"

Sentence = list[Token]

# Chosen: how many sentences two or three taggers have wrong.
SHARED_WRONG_SENTENCES: dict[Systems, int] = {
    frozenset({STANFORD, TREETAGGER, CLEVERTAGGER}): 950,
    frozenset({STANFORD, TREETAGGER}): 350,
    frozenset({STANFORD, CLEVERTAGGER}): 150,
    frozenset({TREETAGGER, CLEVERTAGGER}): 100,
}


# --- tables 1 and 2 -----------------------------------------------------------------------------------------


def write_table1(folder: Path) -> dict[str, Path]:
    """Write table 1; its empty cells become wrong answers of which no two coincide."""
    wrong = iter("UVWXYZ")
    columns: dict[str, Sequence[str]] = {"key": TOY_KEY}
    for name, row in TABLE_1.answers.items():
        columns[name] = [next(wrong) if cell is None else cell for cell in row]
    return write_two_columns(folder, columns)


def write_table2(folder: Path) -> dict[str, Path]:
    """Write table 2, in which every answer is printed."""
    answers = {name: [str(cell) for cell in row] for name, row in TABLE_2.answers.items()}
    return write_two_columns(folder, {"key": TOY_KEY, **answers})


def write_two_columns(folder: Path, columns: dict[str, Sequence[str]]) -> dict[str, Path]:
    paths = {name: folder / f"{name}.conll" for name in columns}
    for name, tags in columns.items():
        lines = [f"w{i}\t{tag}" for i, tag in enumerate(tags, start=1)]
        paths[name].write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return paths


# --- tables 3, 4, 9 and 12 ----------------------------------------------------------------------------------


def write_table4(folder: Path) -> dict[str, Path]:
    """Write the key and three taggers that give tables 3, 4 and 12, and table 9 but for the slip 94.38.

    Table 12 has TreeTagger right on no PROAV and Clevertagger on 293: these 293 corrections are 18.66 % of
    table 4's, where no transition to PROAV is printed and the fifth is 3.25 % (51 tokens). So TreeTagger must
    here be wrong on PROAV in six different ways or more.
    """
    documents = laid_out(population(treetagger_on_proav=0))
    return write_taggers(folder, documents, TAGGERS)


def write_table9(folder: Path) -> dict[str, Path]:
    """Write the same tables from a TreeTagger in two versions, which explain the slip 94.38.

    TreeTagger's tag set calls PROAV PAV. If tables 3 and 4 were made after renaming it and tables 9 and 12
    before, its accuracies 94.89 and 94.38, its 0.00 on PROAV and the lack of PROAV in table 4 all hold: it is
    then right on 276 of 301 PROAV. "treetagger" gives tables 3, 4; "treetagger-pav" gives 9 (with 94.38), 12.
    """
    as_it_comes = nearest_count(TABLE_9_OVERALL.treetagger, TOKENS)
    documents = laid_out(population(treetagger_on_proav=TREETAGGER_RIGHT - as_it_comes))
    return write_taggers(folder, documents, (*TAGGERS, TREETAGGER_PAV))


def write_taggers(folder: Path, documents: list[list[Sentence]], taggers: Sequence[str]) -> dict[str, Path]:
    paths = {name: folder / f"{name}.conllu" for name in ("key", *taggers)}
    for name, path in paths.items():
        path.write_text("\n".join(conllu_lines(documents, tag_of(name))) + "\n", encoding="utf-8")
    return paths


def tag_of(name: str) -> Callable[[Token], str]:
    if name == TREETAGGER_PAV:
        return lambda token: "PAV" if token.treetagger == "PROAV" else token.treetagger
    return lambda token: str(getattr(token, name))


def conllu_lines(documents: list[list[Sentence]], tag: Callable[[Token], str]) -> Iterator[str]:
    """Yield CoNLL-U with the tag as XPOS (STTS is a language's own tag set) and a flat tree."""
    words = 0
    for d, document in enumerate(documents, start=1):
        yield f"# newdoc id = d{d:03}"
        for s, sentence in enumerate(document, start=1):
            yield f"# sent_id = d{d:03}-s{s:02}"
            for i, token in enumerate(sentence, start=1):
                words += 1
                relation = "0\troot" if i == 1 else "1\tdep"
                yield f"{i}\tw{words % 7919}\t_\t_\t{tag(token)}\t_\t{relation}\t_\t_"
            yield ""


# --- from tokens to sentences and documents -----------------------------------------------------------------


def laid_out(tokens: Sequence[Token]) -> list[list[Sentence]]:
    """Put tokens into sentences and these into documents, always in the same way."""
    random = Random(SEED)
    sentences = sentences_of(tokens, random)
    random.shuffle(sentences)
    sizes = deal(len(sentences), [random.randint(5, 15) for _ in range(DOCUMENTS)])
    remaining = iter(sentences)
    return [[next(remaining) for _ in range(size)] for size in sizes]


def sentences_of(tokens: Sequence[Token], random: Random) -> list[Sentence]:
    """Build sentences which just the taggers of its pattern have wrong; what all have right fills them up."""
    right = {name: nearest_count(TABLE_3[name].correct_sentences, SENTENCES) for name in TAGGERS}
    patterns = sentence_patterns(SHARED_WRONG_SENTENCES, right, SENTENCES)
    sentences: list[Sentence] = [[] for _ in patterns]
    easy = fill(sentences, patterns=patterns, items=tokens, wrong=wrong_taggers, random=random)
    lengths = deal(len(easy), [random.randint(4, 30) for _ in sentences])
    for sentence, length in zip(sentences, lengths, strict=True):
        sentence += [easy.pop() for _ in range(length)]
        random.shuffle(sentence)
    return sentences


def wrong_taggers(token: Token) -> Systems:
    return frozenset(name for name in TAGGERS if getattr(token, name) != token.key)
