"""Named entities from BIO files: from files to scores, against seqeval and nervaluate on lists of tags in memory."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from benchmarks.timing import cpu_seconds

LABELS = ("PER", "LOC", "ORG", "MISC", "DATE", "EVT")
SENTENCE = 20
MILLION = 1_000_000

Report = Callable[..., None]
Tags = list[list[str]]


def tagged(tokens: int, seed: int = 13) -> tuple[Tags, Tags]:
    """Return the tags of a key, two entities a sentence, and of a system that misses, renames, extends and invents."""
    draw = random.Random(seed)
    key, system = [], []
    for _ in range(tokens // SENTENCE):
        mine, theirs = ["O"] * SENTENCE, ["O"] * SENTENCE
        for begin in (draw.randrange(5), 10 + draw.randrange(5)):
            size, label = draw.choice((1, 1, 2, 2, 3, 4)), draw.choice(LABELS)
            _put(mine, begin, size, label)
            chance = draw.random()
            if chance >= 0.05:
                _put(theirs, begin, size + (chance > 0.92), draw.choice(LABELS) if chance < 0.13 else label)
        if draw.random() < 0.08:
            _put(theirs, SENTENCE - 2, 1, draw.choice(LABELS))
        key.append(mine)
        system.append(theirs)
    return key, system


def _put(tags: list[str], begin: int, size: int, label: str) -> None:
    tags[begin : begin + size] = [f"B-{label}", *[f"I-{label}"] * (size - 1)]


def write(path: Path, sentences: Tags, seed: int = 7) -> str:
    """Write words and tags in columns, twenty sentences a document."""
    draw = random.Random(seed)
    words = [f"w{number}" for number in range(20_000)]
    with path.open("w") as stream:
        for number, tags in enumerate(sentences):
            if number % 20 == 0:
                stream.write(f"# newdoc id = d{number // 20}\n")
            stream.write("".join(f"{draw.choice(words)}\t{tag}\n" for tag in tags) + "\n")
    return str(path)


def ours(key: str, system: str, rules: str) -> Callable[[], object]:
    """Go from files to the scores of all views."""
    from comparanda.api.comparison import compare

    return lambda: compare(key, {"s": system}, task="span", rules=rules, resamples=0).scores()


def seqeval(key: Tags, system: Tags) -> Callable[[], object]:
    """Make seqeval's report."""
    from seqeval.metrics import classification_report

    return lambda: classification_report(key, system)


def nervaluate(key: Tags, system: Tags) -> Callable[[], object]:
    """Evaluate all four schemas, with the labels."""
    from nervaluate import Evaluator

    return lambda: Evaluator(key, system, tags=list(LABELS), loader="list").evaluate()


def bench_entities(folder: Path, report: Report) -> None:
    """Time 1M tokens in sentences, and a fifth of them in documents of 20,000 tokens."""
    warnings.simplefilter("ignore")
    key, system = tagged(MILLION)
    files = [write(folder / f"{name}.bio", tags) for name, tags in (("key", key), ("system", system))]
    mine = {rules: ours(files[0], files[1], rules) for rules in ("exact", "semeval2013")}
    best = cpu_seconds(mine) | cpu_seconds(
        {"seqeval": seqeval(key, system), "nervaluate": nervaluate(key, system)}, rounds=1
    )
    for peer, rules, bar in (("seqeval", "exact", 20), ("nervaluate", "semeval2013", 10)):
        ratio = best[peer] / best[rules]
        what = f"1M tokens of BIO: {peer} {best[peer]:.1f} s / {rules} from files {best[rules]:.2f} s"
        report(what, ratio, f"≥ {bar}", met=ratio >= bar)
    _long_documents(folder, report)


def _long_documents(folder: Path, report: Report) -> None:
    joined = [
        [list(chain(*tags[begin : begin + 1_000])) for begin in range(0, len(tags), 1_000)] for tags in tagged(200_000)
    ]
    files = [write(folder / f"long-{name}.bio", tags) for name, tags in zip(("key", "system"), joined, strict=True)]
    best = cpu_seconds({"ours": ours(files[0], files[1], "semeval2013")})
    best |= cpu_seconds({"nervaluate": nervaluate(*joined)}, rounds=1)
    ratio = best["nervaluate"] / best["ours"]
    what = f"documents of 20,000 tokens: nervaluate {best['nervaluate']:.1f} s / semeval2013 {best['ours']:.2f} s"
    report(what, ratio, "≥ 100", met=ratio >= 100)
