"""Named entities from columns of words and tags: seqeval, seqscore, nervaluate.

seqeval has no reader: its lists come from the shortest loop over lines that does. The others read by themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import entities
from benchmarks.peer_cases.sides import Answer, Case, Numbers, Sides, asked, shared

TOKENS = 200_000
MEASURES = ("precision", "recall", "f1")
COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
SCHEMAS = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
"""Our views, and what nervaluate calls them."""

ORDER = (
    "nervaluate's ent_type gives a span to the first that overlaps it in the order of the text, whatever its label; "
    "in the order in which our rules take pairs (right labels first) it counts what we count"
)
WNUT = ("data/ner/wnut17/gold/emerging.test.annotated", "data/ner/wnut17/systems/spinningbytes.txt")
WNUT_LABELS = ("corporation", "creative-work", "group", "location", "person", "product")


@dataclass(frozen=True)
class Tagged:
    """A key, a system, and the labels in them."""

    key: Path
    system: Path
    labels: Sequence[str]


def generated(folder: Path) -> Tagged:
    """Write tags without marks of documents, for which not all have a notation."""
    paths = [folder / "spans-key.bio", folder / "spans-system.bio"]
    for path, sentences in zip(paths, entities.tagged(TOKENS), strict=True):
        lines = ("".join(f"w{place}\t{tag}\n" for place, tag in enumerate(tags)) for tags in sentences)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Tagged(paths[0], paths[1], entities.LABELS)


def wnut(_: Path) -> Tagged:
    """Take a submission to WNUT-17."""
    return Tagged(shared(WNUT[0]), shared(WNUT[1]), WNUT_LABELS)


# comparanda


def _compared(files: Tagged, rules: str, only: Sequence[str] = ()) -> Any:
    """Compare from files, with the settings of the peers: repaired as conlleval does, 0 where a ratio is undefined."""
    from comparanda import compare

    return compare(
        f"{files.key}::columns",
        {"s": f"{files.system}::columns"},
        task="span",
        rules=rules,
        resamples=0,
        scheme="bio",
        repair="conlleval",
        zero_division=0.0,
        only_label=only,
    )


def exact(files: Tagged, *more: str) -> Answer:
    """Score exact matches, together and by label."""
    names = [*MEASURES, *(f"{name}[{label}]" for label in files.labels for name in MEASURES), *more]
    return lambda: {score.measure: score.value or 0.0 for score in _compared(files, "exact").scores(*names).scores}


def four_views(files: Tagged, *, labels: bool) -> Answer:
    """Count and score the views of SemEval-2013, and where asked for, those of each label by itself."""

    def run() -> Numbers:
        found = _semeval(_compared(files, "semeval2013"), "all")
        for label in files.labels if labels else ():
            found |= _semeval(_compared(files, "semeval2013", [label]), label)
        return found

    return run


def _semeval(result: Any, name: str) -> dict[str, float]:
    """Write what a result counts as nervaluate does; of an incorrect pair and of a partial one the key's span tells."""
    scores = result.scores(*(f"{view}.{measure}" for view in SCHEMAS for measure in MEASURES))
    counted = {(each.view, each.side, each.outcome): each.count for each in scores.outcomes}
    sides = (("key", "COR"), ("key", "INC"), ("key", "PAR"), ("key", "MIS"), ("system", "SPU"))
    found = {
        f"{name} {view} {count}": float(counted.get((view, *side), 0))
        for view in SCHEMAS
        for count, side in zip(COUNTS, sides, strict=True)
    }
    return found | {f"{name} {each.measure.replace('.', ' ')}": each.value or 0.0 for each in scores.scores}


# Peers


def _tags(path: Path) -> list[list[str]]:
    """Read the tags of sentences in lists."""
    sentences: list[list[str]] = [[]]
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            fields = line.split()
            if fields:
                sentences[-1].append(fields[-1])
            elif sentences[-1]:
                sentences.append([])
    return sentences if sentences[-1] else sentences[:-1]


def seqeval(files: Tagged) -> Answer:
    """Make seqeval's report as numbers."""
    from seqeval.metrics import classification_report

    def run() -> Numbers:
        report = classification_report(_tags(files.key), _tags(files.system), output_dict=True, zero_division=0)
        rows = {"": report["micro avg"], **{f"[{label}]": report[label] for label in files.labels}}
        found = {f"{name}{row}": float(rows[row][name.replace("f1", "f1-score")]) for row in rows for name in MEASURES}
        return found | {"macro_f1": float(report["macro avg"]["f1-score"])}

    return run


def seqscore(files: Tagged) -> Answer:
    """Read and score with seqscore, as its command `score` does."""
    from seqscore.conll import LineSpec, ingest_conll_file
    from seqscore.scoring import compute_scores

    def read(path: Path) -> Any:
        return ingest_conll_file(
            str(path),
            "BIO",
            "utf-8",
            LineSpec(0, -1),
            repair="conlleval",
            ignore_document_boundaries=True,
            allow_comment_lines=False,
            quiet=True,
        )

    def run() -> Numbers:
        scored, _ = compute_scores(read(files.system), read(files.key))
        rows = {"": scored, **{f"[{label}]": scored.type_scores[label] for label in files.labels}}
        return {f"{name}{row}": getattr(score, name) for row, score in rows.items() for name in MEASURES}

    return run


def nervaluate(files: Tagged) -> Answer:
    """Evaluate as users of nervaluate do: all schemas, together and each label by itself."""

    def run() -> Numbers:
        found = _loaded(files).evaluate()
        numbers = _five(found["overall"], "all")
        for label in files.labels:
            numbers |= _five(found["entities"][label], label)
        return numbers

    return run


def nervaluate_overall(files: Tagged, *, as_paired: bool = False) -> Answer:
    """Run nervaluate's four strategies on all labels together, which is a part of what its evaluator does."""
    from nervaluate.entities import EvaluationResult

    def run() -> Numbers:
        loaded = _loaded(files)
        pairs = list(zip(loaded.true, loaded.pred, strict=True))
        if as_paired:
            pairs = [_in_order_of_pairs(gold, said) for gold, said in pairs]
        totals = {schema: EvaluationResult() for schema in loaded.strategies}
        for place, (gold, said) in enumerate(pairs):
            for schema, strategy in loaded.strategies.items():
                found, _ = strategy.evaluate(gold, said, loaded.tags, place)
                for count in COUNTS:
                    setattr(totals[schema], count, getattr(totals[schema], count) + getattr(found, count))
        for schema, total in totals.items():
            total.compute_metrics(partial_or_type=schema in {"partial", "ent_type"})
        return _five(totals, "all")

    return run


def _loaded(files: Tagged) -> Any:
    from nervaluate import Evaluator

    texts = [path.read_text(encoding="utf-8") for path in (files.key, files.system)]
    return Evaluator(*texts, tags=list(files.labels), loader="conll")


def _five(found: Mapping[str, Any], name: str) -> dict[str, float]:
    return {
        f"{name} {view} {number}": float(getattr(found[schema], number))
        for view, schema in SCHEMAS.items()
        for number in (*COUNTS, *MEASURES)
    }


def _in_order_of_pairs(gold: list[Any], said: list[Any]) -> tuple[list[Any], list[Any]]:
    """Bring both sides of a sentence into the order in which `type` pairs: right labels first, then the closest."""
    meeting = [(one, other) for one in said for other in gold if one.start <= other.end and other.start <= one.end]
    meeting.sort(key=lambda pair: (pair[0].label != pair[1].label, _distance(*pair), pair[0].start, pair[1].start))
    first: list[Any] = []
    second: list[Any] = []
    for one, other in meeting:
        if not (_is_in(one, second) or _is_in(other, first)):
            first.append(other)
            second.append(one)
    return (
        [*first, *(each for each in gold if not _is_in(each, first))],
        [*second, *(each for each in said if not _is_in(each, second))],
    )


def _is_in(span: Any, spans: Iterable[Any]) -> bool:
    return any(span is each for each in spans)


def _distance(one: Any, other: Any) -> int:
    return int(abs(one.start - other.start) + abs(one.end - other.end))


# Cases


def _with_seqeval(files: Tagged) -> Sides:
    warnings.simplefilter("ignore")  # it warns of ratios that are undefined
    return Sides(ours=exact(files, "macro_f1"), theirs=seqeval(files))


def _with_nervaluate(files: Tagged, *, labels: bool) -> Sides:
    """Put the question; of the numbers that do not agree, only those of `type` may be due to the order."""
    theirs, as_paired = (nervaluate if labels else nervaluate_overall)(files), nervaluate_overall(files, as_paired=True)

    def restated() -> Numbers:
        types = {name: number for name, number in as_paired().items() if name.startswith("all type ")}
        return {**theirs(), **types}

    return Sides(ours=four_views(files, labels=labels), theirs=theirs, restated=restated, reason=ORDER)


GENERATED = f"{TOKENS:,} tokens"
REAL = "WNUT-17, spinningbytes"
QUESTIONS: tuple[tuple[str, str, Callable[[Tagged], Sides]], ...] = (
    ("seqeval", "exact spans, each label", _with_seqeval),
    ("seqscore", "exact spans, each label", lambda files: Sides(ours=exact(files), theirs=seqscore(files))),
    ("nervaluate", "four schemas", partial(_with_nervaluate, labels=False)),
    ("nervaluate", "four schemas, each label alone", partial(_with_nervaluate, labels=True)),
)
CASES = [
    *(Case(peer=peer, what=what, files=GENERATED, sides=asked(generated, ask)) for peer, what, ask in QUESTIONS),
    *(Case(peer=peer, what=what, files=REAL, sides=asked(wnut, ask), real=WNUT) for peer, what, ask in QUESTIONS),
]
