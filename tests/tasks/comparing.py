"""Small trees as text, and their comparison."""

from __future__ import annotations

from typing import Any

from comparanda import Result


def conllu(*rows: str) -> str:
    """Write CoNLL-U from rows of `form head deprel [xpos]`, each with its id; an empty row ends a sentence."""
    lines, number = [], 0
    for row in rows:
        if row.startswith("#"):
            lines.append(row)
            continue
        if not row:
            lines.append("")
            number = 0
            continue
        form, head, deprel, *tag = row.split()
        number += 1
        lines.append(f"{number}\t{form}\t{form.lower()}\tX\t{(*tag, 'x')[0]}\t_\t{head}\t{deprel}\t_\t_")
    return "\n".join(lines) + "\n\n"


def share_of(result: Result, system: str, measure: str) -> tuple[Any, Any]:
    (score,) = (each for each in result.scores(measure).scores if each.system == system)
    return score.part, score.whole
