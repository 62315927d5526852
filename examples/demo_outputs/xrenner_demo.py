"""Resolve every parsed document of a folder with xrenner, each by itself; called by resolve_demo.py.

    python xrenner_demo.py FOLDER classifiers|rules

Runs in the environment of xrenner, which wants Python 3.8. A new resolver is made for each document, because it keeps
things that it has learned from one document for the next.
"""

import sys
from pathlib import Path

from xrenner import Xrenner

folder, kind = sys.argv[1:]
for path in sorted(Path(folder).glob("*.conllu")):
    resolver = Xrenner("eng", rule_based=kind == "rules", no_seq=True)
    resolver.lex.filters["force_single_type_chains"] = False  # about types only, and stops with an error at times
    path.with_suffix(".conll").write_text(resolver.analyze(str(path), "conll"), encoding="utf-8")
