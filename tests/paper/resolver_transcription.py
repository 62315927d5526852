"""Table 8 of the paper, digit by digit: two coreference resolvers on the test set of CoNLL 2012.

Its percentages are shares of all differences, not of their class. Tables 7 and 11 cannot be had from the same files:
by table 8 Stanford is right at 174 key mentions more than HOTCoref, and table 11 prints a lower recall.
"""

from .transcription import DifferenceClass

HOT, STANFORD = "hotcoref", "stanford"

SITES = 15382
DIFFERENCES = 5760
DIFFERENCE = "37.45"

# A transition is (HOTCoref, Stanford), by the classes of mentions under the nominal criterion.
TABLE_8 = {
    "correction": DifferenceClass("44.62", 2570, {("wl", "tp"): "20.09", ("fn", "tp"): "12.34", ("fp", "tn"): "12.19"}),
    "new error": DifferenceClass("41.65", 2399, {("tp", "wl"): "17.08", ("tp", "fn"): "12.33", ("tn", "fp"): "12.24"}),
    "changed error": DifferenceClass("13.73", 791, {("fn", "wl"): "3.87", ("wl", "fn"): "9.86"}),
}
