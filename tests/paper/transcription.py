"""Tables 1, 2, 3, 4, 9 and 12 of the paper, digit by digit.

Source: Don Tuggener, "A method for in-depth comparative evaluation: How (dis)similar are outputs of POS
taggers, dependency parsers and coreference resolvers really?", EACL 2017. Percentages are kept as the strings
that are printed, so that a comparison is one of digits and not of floats; counts are integers.
"""

from dataclasses import dataclass
from typing import NamedTuple

STANFORD, TREETAGGER, CLEVERTAGGER = "stanford", "treetagger", "clevertagger"

# --- tables 1 and 2 -----------------------------------------------------------------------------------------

TOY_KEY = ("A", "B", "C", "D", "E")


class Toy(NamedTuple):
    """One of the two introductory examples: answers, accuracies and overlaps in whole percent."""

    answers: dict[str, tuple[str | None, ...]]  # None: the cell is left empty
    accuracy: dict[str, str]
    overlap: dict[tuple[str, str], str]


TABLE_1 = Toy(  # "Accuracy vs. Overlap on correct answers"
    answers={
        "S1": ("A", "B", "C", None, None),
        "S2": (None, "B", "C", "D", None),
        "S3": (None, None, "C", "D", "E"),
    },
    accuracy={"S1": "60", "S2": "60", "S3": "60"},
    overlap={("S1", "S2"): "67", ("S2", "S3"): "67", ("S1", "S3"): "33"},
)

TABLE_2 = Toy(  # "Accuracy vs. Overlap on all answers"
    answers={
        "S1": ("A", "B", "C", "X", "Y"),
        "S2": ("Z", "B", "C", "D", "U"),
        "S3": ("Z", "W", "C", "D", "E"),
    },
    accuracy={"S1": "60", "S2": "60", "S3": "60"},
    overlap={("S1", "S2"): "40", ("S2", "S3"): "60", ("S1", "S3"): "20"},
)

# --- table 3 ------------------------------------------------------------------------------------------------

SENTENCES = 3000  # section 2.1


class Score(NamedTuple):
    """Upper half of table 3."""

    accuracy: str
    correct_sentences: str


class Distance(NamedTuple):
    """Lower half of table 3."""

    diff: str
    accuracy_difference: str


TABLE_3 = {
    STANFORD: Score("90.41", "30.07"),
    TREETAGGER: Score("94.89", "46.87"),  # agrees with table 4; table 9 prints 94.38
    CLEVERTAGGER: Score("96.16", "56.77"),
}
TABLE_3_PAIRS = {
    (STANFORD, TREETAGGER): Distance("11.06", "4.48"),
    (STANFORD, CLEVERTAGGER): Distance("9.41", "5.75"),
    (TREETAGGER, CLEVERTAGGER): Distance("4.96", "1.27"),
}

# --- table 4 ------------------------------------------------------------------------------------------------

TOKENS = 53928
DIFFERENCES = 2674
DIFFERENCE = "4.96"


@dataclass(frozen=True)
class DifferenceClass:
    """A class of differences, its share of all differences, its most frequent transitions with their shares.

    A transition is (TreeTagger, Clevertagger); for changed errors (key, TreeTagger, Clevertagger).
    """

    share: str
    count: int
    transitions: dict[tuple[str, ...], str]


TABLE_4 = {
    "correction": DifferenceClass(
        "58.71",
        1570,
        {
            ("NN", "NE"): "27.96",
            ("PIAT", "PIDAT"): "10.83",
            ("NN", "ADJA"): "5.03",
            ("VVFIN", "VVINF"): "4.52",
            ("NE", "NN"): "3.25",
        },
    ),
    "new error": DifferenceClass(
        "33.13",
        886,
        {
            ("NE", "NN"): "19.53",
            ("VVFIN", "VVINF"): "9.48",
            ("NN", "NE"): "9.26",
            ("ADV", "ADJD"): "6.09",
            ("KOUS", "PWAV"): "4.06",
        },
    ),
    "changed error": DifferenceClass(
        "8.15",
        218,
        {
            ("NE", "NN", "FM"): "13.30",
            ("FM", "NN", "NE"): "7.34",
            ("NE", "NN", "ADJD"): "6.88",
            ("KOUS", "KOKOM", "PWAV"): "4.13",
            ("XY", "NN", "NE"): "2.29",
        },
    ),
}

# --- table 9 ------------------------------------------------------------------------------------------------


class UpperBound(NamedTuple):
    """Accuracy of each tagger and of the oracle; the gain is over Clevertagger, the best tagger overall."""

    stanford: str
    treetagger: str
    clevertagger: str
    oracle: str
    gain: str


# 94.38 is a known slip: tables 3 and 4 both give 94.89. Its likely cause: see write_table9 in generate.py.
TABLE_9_OVERALL = UpperBound(stanford="90.41", treetagger="94.38", clevertagger="96.16", oracle="98.52", gain="+2.36")

TABLE_9 = {  # "the top ten most frequent POS tags"; the frequencies are not printed
    "NN": UpperBound(stanford="96.01", treetagger="98.47", clevertagger="98.06", oracle="99.55", gain="+1.49"),
    "ART": UpperBound(stanford="99.62", treetagger="99.32", clevertagger="99.43", oracle="99.85", gain="+0.42"),
    "APPR": UpperBound(stanford="86.10", treetagger="98.03", clevertagger="99.20", oracle="99.56", gain="+0.36"),
    "NE": UpperBound(stanford="87.35", treetagger="77.46", clevertagger="85.31", oracle="95.17", gain="+9.86"),
    "ADJA": UpperBound(stanford="92.73", treetagger="94.50", clevertagger="98.40", oracle="99.44", gain="+1.04"),
    "ADV": UpperBound(stanford="89.25", treetagger="91.71", clevertagger="90.93", oracle="95.48", gain="+4.55"),
    "VVFIN": UpperBound(stanford="79.73", treetagger="95.15", clevertagger="91.52", oracle="97.48", gain="+5.96"),
    "VAFIN": UpperBound(
        stanford="91.97", treetagger="98.93", clevertagger="97.74", oracle="99.56", gain="+1.82"
    ),  # printed "VVAFIN": a slip, no such tag
    "KON": UpperBound(stanford="97.13", treetagger="95.37", clevertagger="96.55", oracle="98.37", gain="+1.82"),
    "ADJD": UpperBound(stanford="72.37", treetagger="89.29", clevertagger="88.80", oracle="93.53", gain="+4.73"),
}

# --- table 12 -----------------------------------------------------------------------------------------------


class LabelRow(NamedTuple):
    """Accuracy of TreeTagger (TT) and Clevertagger (CT) on the tokens with one key tag."""

    difference: str
    treetagger: str
    clevertagger: str
    tokens: int


TABLE_12 = {  # "Largest accuracy differences", in the order printed
    "VAIMP": LabelRow("-100.00", "100.00", "0.00", 1),
    "PROAV": LabelRow("+97.34", "0.00", "97.34", 301),
    "PIDAT": LabelRow("+96.65", "0.00", "96.65", 179),
    "FM": LabelRow("+50.00", "14.74", "64.74", 156),
    "PWAT": LabelRow("+46.67", "46.67", "93.33", 15),
    "PTKA": LabelRow("+39.39", "54.55", "93.94", 33),
    "VVIMP": LabelRow("+33.33", "33.33", "66.67", 6),
    "APZR": LabelRow("+28.57", "71.43", "100.00", 7),
    "PWAV": LabelRow("+26.87", "71.64", "98.51", 67),
    "VMINF": LabelRow("-24.00", "96.00", "72.00", 25),
    "KOUI": LabelRow("+13.33", "78.33", "91.67", 60),
}
