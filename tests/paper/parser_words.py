"""Words, tags and places in the sentence for each relation, so that the generated files look like trees."""

# What a word with this relation looks like: its Penn tag and some forms.
VOCABULARY = {
    "root": ("VBD", "said rose fell reported announced expected"),
    "prep": ("IN", "of in for on with at from by"),
    "pobj": ("NN", "year market company stock trading quarter share price"),
    "det": ("DT", "the a an this that some"),
    "nn": ("NNP", "Dow York Street Stock Exchange Corp. Bank Wall"),
    "nsubj": ("NNS", "analysts traders investors shares officials prices"),
    "amod": ("JJ", "new big last third strong federal"),
    "dobj": ("NN", "profit loss plan offer deal stake"),
    "aux": ("MD", "will would could may should can"),
    "advmod": ("RB", "also still now sharply recently even"),
    "conj": ("VB", "buy sell rise fall make take"),
    "cc": ("CC", "and or but"),
    "poss": ("PRP$", "its their his our"),
    "num": ("CD", "two three 10 15 1987 500"),
    "xcomp": ("VB", "raise cut pay keep sell"),
    "ccomp": ("VBZ", "expects plans remains says seems"),
    "vmod": ("VBG", "including selling based made using"),
    "possessive": ("POS", "'s"),
    "rcmod": ("VBD", "sold bought owned included made"),
    "nsubjpass": ("NNS", "bonds assets contracts funds"),
    "auxpass": ("VBD", "was were"),
    "mark": ("IN", "that if because although while"),
    "dep": ("NN", "page chairman yesterday"),
    "number": ("CD", "million billion"),
    "advcl": ("VBG", "rising noting adding citing"),
    "appos": ("NNP", "Inc. Co. Ltd."),
    "neg": ("RB", "not n't never"),
    "npadvmod": ("NN", "share percent year"),
    "cop": ("VBZ", "is are"),
    "acomp": ("JJ", "higher lower able likely"),
    "pcomp": ("VBG", "making buying according"),
    "quantmod": ("RB", "about almost nearly only"),
    "tmod": ("NNP", "Friday Monday Tuesday"),
    "prt": ("RP", "up down out off"),
    "parataxis": ("VBD", "said added"),
    "iobj": ("PRP", "them him us"),
    "expl": ("EX", "there"),
    "predet": ("PDT", "all such"),
    "mwe": ("IN", "than as"),
    "preconj": ("CC", "both either"),
    "csubj": ("VBG", "holding waiting"),
    "discourse": ("UH", "well yes"),
}

VERBS = frozenset({"root", "ccomp", "xcomp", "advcl", "rcmod", "conj", "parataxis", "pcomp", "vmod", "csubj"})
NOUNS = frozenset({"pobj", "nsubj", "dobj", "nsubjpass", "appos", "iobj", "dep"})
SKELETON = VERBS | NOUNS | {"prep"}

# To which relations a word attaches; to verbs if nothing is said.
HEADS = {
    **dict.fromkeys(("det", "nn", "amod", "num", "poss", "predet", "rcmod", "vmod", "appos"), NOUNS),
    "prep": NOUNS | VERBS,
    "pobj": frozenset({"prep"}),
    "pcomp": frozenset({"prep"}),
    "possessive": frozenset({"poss"}),
    "number": frozenset({"num"}),
    "quantmod": frozenset({"num"}),
    "mwe": frozenset({"advmod", "prep"}),
}

# Words that stand before their heads; the others stand after them.
STANDS_BEFORE = """
    nsubj nsubjpass csubj expl aux auxpass cop neg det nn amod num number quantmod predet poss mark advmod
    preconj npadvmod discourse
"""
BEFORE = frozenset(STANDS_BEFORE.split())

MARKS = ((",", ","), (",", ","), (",", ","), (":", "--"), ("''", "''"), (":", ";"))  # tags and forms, in turn
FULL_STOP = (".", ".")
