"""Chunk tags to spans: what `B-PER I-PER O` says, in each of the schemes that people write it in.

| scheme | a span begins with | goes on with | ends with | of one word |
|---|---|---|---|---|
| `bio` (IOB2) | B | I | I | B |
| `iob1` | I; B right behind a span of its label | I | I | I or B |
| `ioe2` | I | I | E | E |
| `bioes` | B | I, M | E, L | S, U, W |
| `io` | I, or a label without letter | the same | the same | the same |

BILOU, BMES and BMEWO are `bioes` in other letters. `io` cannot tell two adjacent spans of one label apart: they are
one. `detect` says which scheme a column of tags is in, `decode` finds its spans.
"""

from comparanda.read.schemes.decoding import KINDS, REPAIRS, Decoded, Defects, Repair, decode
from comparanda.read.schemes.detection import Detected, detect, evidence_of, fitting
from comparanda.read.schemes.tags import NO_LABEL, OUTSIDE, SCHEMES, Scheme

__all__ = [
    "KINDS",
    "NO_LABEL",
    "OUTSIDE",
    "REPAIRS",
    "SCHEMES",
    "Decoded",
    "Defects",
    "Detected",
    "Repair",
    "Scheme",
    "decode",
    "detect",
    "evidence_of",
    "fitting",
]
