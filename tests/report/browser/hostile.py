"""A corpus, labels and names that want to be more than text."""

from __future__ import annotations

from pathlib import Path

import comparanda as cp
from comparanda import Result

PAYLOADS = (
    "</script><script>window.pwned=1</script>",
    "<img/src=x/onerror=window.pwned=2>",
    "<!--<script>",
    "\"'><svg/onload=window.pwned=3>",
    "a\u2028b\u2029c",
    "evil\u202egnp.exe",
    "zero\u200bwidth\u200d",
    "\x1b[31mred",
    "𝒜stral🎉👩\u200d👩\u200d👧",
    "javascript:window.pwned=4",
    "{{7*7}}${7*7}`x`",
    "שלום",
)
LONG = "x" * (1 << 20)
SYSTEMS = ("</title><script>window.pwned=5</script>", "sys\u202etem'\"&<b>", "=1+1")


def hostile_tags(folder: Path) -> Result:
    """Words, tags, documents, systems and files with nasty names; one word of a megabyte."""
    sides = ["key", *SYSTEMS]
    paths = {}
    for number, side in enumerate(sides):
        lines = []
        for document in range(2):
            lines += [f"# newdoc id = {document}{''.join(PAYLOADS)}"]
            words = [*PAYLOADS, LONG] if document == 0 else PAYLOADS
            for place, word in enumerate(words, start=1):
                wrong = (number + place + document) % (number + 2) == 0 and number > 0
                tag = f"<b>T{place % 3}</b>\u202e" if not wrong else "</script><script>window.pwned=6</script>"
                lines.append(f"{place}\t{word}\t_\t_\t{tag}\t_\t0\troot\t_\t_")
            lines.append("")
        target = folder / f"{number}<img src=x onerror=window.pwned=7>.conllu"
        target.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        paths[side] = str(target)
    return cp.compare(paths.pop("key"), paths, task="tag", column="xpos", resamples=50)


def hostile_spans(folder: Path) -> Result:
    """Spans over nasty words, with nasty labels; marks must stand at the right words."""
    paths = {}
    for number, side in enumerate(["key", *SYSTEMS[:2]]):
        lines = []
        for place, word in enumerate(PAYLOADS * 2):
            inside = place % 4 != 3 and not (number == 1 and place % 5 == 0)
            label = "<i>PER</i>" if place % 8 < 4 or number == 2 else "O</script>RG"
            lines.append(f"{word.replace(' ', '_')}\t{'O' if not inside else f'B-{label}'}")
            if place % 6 == 5:
                lines.append("")
        target = folder / f"spans{number}.bio"
        target.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        paths[side] = str(target)
    return cp.compare(paths.pop("key"), paths, task="span", resamples=50)
