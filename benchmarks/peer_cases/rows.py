"""Labels of rows in CSV: scikit-learn's accuracy and classification report.

scikit-learn has no reader: its lists come from the csv module.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

from benchmarks.peer_cases.sides import Answer, Case, Numbers, Sides

ROWS = 200_000
LABELS = tuple(f"class {letter}" for letter in "ABCDEFGH")
MEASURES = ("precision", "recall", "f1")


def generated(folder: Path, seed: int = 3) -> tuple[Path, Path]:
    """Write rows with labels of unequal frequency; the system is wrong about one in six."""
    draw = random.Random(seed)
    weights = [1 / rank for rank in range(1, len(LABELS) + 1)]
    key = draw.choices(LABELS, weights, k=ROWS)
    system = [draw.choice(LABELS) if draw.random() < 1 / 6 else label for label in key]
    paths = folder / "rows-key.csv", folder / "rows-system.csv"
    for path, labels in zip(paths, (key, system), strict=True):
        rows = "".join(f'r{row},"text {row}, quoted",{label}\n' for row, label in enumerate(labels))
        path.write_text(f"id,text,label\n{rows}", encoding="utf-8")
    return paths


def ours(key: Path, system: Path) -> Answer:
    """Go from files to scores, together and by label."""
    from comparanda import compare

    names = ["accuracy", "macro_f1", *(f"{measure}[{label}]" for label in LABELS for measure in MEASURES)]

    def run() -> Numbers:
        result = compare(str(key), {"s": str(system)}, task="label", resamples=0, zero_division=0.0)
        return {score.measure: score.value or 0.0 for score in result.scores(*names).scores}

    return run


def scikit_learn(key: Path, system: Path) -> Answer:
    """Read with the csv module, join by id, report."""
    from sklearn.metrics import accuracy_score, classification_report

    def labels(path: Path) -> dict[str, str]:
        with path.open(newline="", encoding="utf-8") as stream:
            return {row["id"]: row["label"] for row in csv.DictReader(stream)}

    def run() -> Numbers:
        gold, said = labels(key), labels(system)
        two = list(gold.values()), [said[name] for name in gold]
        report = classification_report(*two, output_dict=True, zero_division=0)
        found = {"accuracy": float(accuracy_score(*two)), "macro_f1": float(report["macro avg"]["f1-score"])}
        return found | {
            f"{measure}[{label}]": float(report[label][measure.replace("f1", "f1-score")])
            for label in LABELS
            for measure in MEASURES
        }

    return run


def _sides(folder: Path) -> Sides:
    files = generated(folder)
    return Sides(ours=ours(*files), theirs=scikit_learn(*files))


CASES = [Case(peer="scikit-learn", what="accuracy, each label", files=f"{ROWS:,} rows of CSV", sides=_sides)]
