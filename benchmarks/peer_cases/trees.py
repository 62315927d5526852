"""Trees in CoNLL-U: all scores of udtools' udeval, and merely reading with the conllu package."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.peer_cases.sides import Answer, Case, Numbers, Sides, asked, shared

WORDS = 100_000
GUM = ("data/ud/conll2018/gold/en_gum.conllu", "data/ud/conll2018/systems/Stanford-18/en_gum.conllu")
COUNTS = {"credit": "correct", "positives": "gold_total", "claimed": "system_total", "aligned": "aligned_total"}
RATIOS = ("precision", "recall", "f1", "aligned_accuracy")
"""What udeval gives for each of its metrics."""


def generated(folder: Path) -> tuple[Path, Path]:
    """Write a treebank with enhanced graphs, and a parser's output with other words here and there."""
    from benchmarks import corpora

    key, system, *_ = corpora.write_trees(folder, WORDS, enhanced=True)
    return key, system


def gum(_: Path) -> tuple[Path, Path]:
    """Take a submission to the CoNLL 2018 shared task."""
    return shared(GUM[0]), shared(GUM[1])


def conll18(key: Path, system: Path) -> Answer:
    """Go from files to all scores of the shared task and their counts; as udeval does, 0 where a ratio is undefined."""
    from comparanda import compare

    def run() -> Numbers:
        result = compare(str(key), {"s": str(system)}, task="dep", resamples=0, zero_division=0.0)
        statistics = result.verdicts.view("conll18").statistics
        counts = {_called(name): float(values.sum()) for name, values in statistics.items()}
        ratios = {
            each.measure.removeprefix("conll18."): each.value
            for each in result.scores(view="conll18").scores
            if each.value is not None
        }
        return counts | ratios

    return run


def _called(statistic: str) -> str:
    """Call a statistic as udeval does: `credit[LAS]` is `correct[LAS]`."""
    name, bracket, rest = statistic.partition("[")
    return f"{COUNTS[name]}{bracket}{rest}"


def udeval(key: Path, system: Path) -> Answer:
    """Score with udtools; what it does not count for a metric, it says to be None."""
    from udtools.udeval import evaluate, load_conllu_file

    def run() -> Numbers:
        found = evaluate(load_conllu_file(str(key)), load_conllu_file(str(system)))
        values = {
            f"{name}[{metric}]": getattr(score, name)
            for metric, score in found.items()
            for name in (*COUNTS.values(), *RATIOS)
        }
        return {name: float(value) for name, value in values.items() if value is not None}

    return run


def read(path: Path) -> Answer:
    """Read a treebank with all its columns, and count what is in it."""
    import numpy as np

    from comparanda.formats.contract import Request
    from comparanda.formats.inputs import Input, read_input
    from comparanda.tasks.trees.evaluation import COLUMNS

    def counted(column: Any) -> dict[str, float]:
        counts = np.bincount(column.codes, minlength=len(column.names)).tolist()
        return {name: float(count) for name, count in zip(column.names, counts, strict=True) if count}

    def run() -> Numbers:
        corpus = read_input(
            Input(path=str(path)), Request(side="key", value="deprel", extra=COLUMNS, layer="arcs"), "tokens"
        )
        if corpus.arcs is None:
            raise AssertionError(f"no trees in {path}")
        return {
            "sentences": len(corpus.sentences) - 1,
            "words": len(corpus),
            "tokens of several words": len(corpus.ranges) if corpus.ranges else 0,
            "roots": int((corpus.arcs.head < 0).sum()),
            **{f"tag {name}": count for name, count in counted(corpus.columns["upos"]).items()},
            **{f"relation {name}": count for name, count in counted(corpus.columns["value"]).items()},
        }

    return run


def parsed(path: Path) -> Answer:
    """Parse with the conllu package, and count the same."""
    import conllu

    def run() -> Numbers:
        met: Counter[str] = Counter()
        with path.open(encoding="utf-8") as stream:
            for sentence in conllu.parse_incr(stream):
                met["sentences"] += 1
                words = [token for token in sentence if isinstance(token["id"], int)]
                met["words"] += len(words)
                met["tokens of several words"] += sum(
                    isinstance(token["id"], tuple) and token["id"][1] == "-" for token in sentence
                )
                met["roots"] += sum(token["head"] == 0 for token in words)
                met.update(f"tag {token['upos']}" for token in words)
                met.update(f"relation {token['deprel']}" for token in words)
        return {name: float(count) for name, count in met.items()}

    return run


def _scores(files: tuple[Path, Path]) -> Sides:
    return Sides(ours=conll18(*files), theirs=udeval(*files))


def _reading(files: tuple[Path, Path]) -> Sides:
    return Sides(ours=read(files[0]), theirs=parsed(files[0]))


GENERATED = f"{WORDS:,} words"
CASES = [
    Case(peer="udtools", what="all CoNLL 2018 scores", files=GENERATED, sides=asked(generated, _scores)),
    Case(
        peer="udtools", what="all CoNLL 2018 scores", files="en_gum, Stanford-18", sides=asked(gum, _scores), real=GUM
    ),
    Case(peer="conllu", what="reading", files=GENERATED, sides=asked(generated, _reading)),
    Case(peer="conllu", what="reading", files="en_gum", sides=asked(gum, _reading), real=GUM),
]
