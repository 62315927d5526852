"""Tiny CoNLL-U files, written by hand, and the whole program in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DEMO = ("demo/key.conllu", "demo/brill.conllu", "demo/spacy.conllu", "--task", "pos", "--resamples", "0")
SENTENCES = ((("Dogs", "NOUN"), ("bark", "VERB")), (("Cats", "NOUN"), ("sleep", "VERB"), ("well", "ADV")))


def conllu(*tags: str, words: Iterable[str] | None = None, marked: bool = False) -> str:
    """Write the sentences with these tags, by default with their own."""
    given, forms = iter(tags), iter(words or ())
    lines = ["# newdoc id = d1"] if marked else []
    for sentence in SENTENCES:
        for number, (word, tag) in enumerate(sentence, start=1):
            form = next(forms, word)
            lines.append(f"{number}\t{form}\t_\t{next(given, tag)}\t_\t_\t0\troot\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def write(name: str, text: str | bytes) -> str:
    """Write a file in the current folder and return its name."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def key_and_system() -> tuple[str, str]:
    """Write a key, and a system that has one of five tags wrong."""
    return write("gold.conllu", conllu()), write("sys.conllu", conllu("NOUN", "NOUN"))


def program(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run `comparanda` as a user's shell does, in a process of its own."""
    environment = {**os.environ, "PYTHONWARNINGS": "error", **settings.pop("env", {})}
    command = [sys.executable, "-m", "comparanda", *arguments]
    defaults: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 60}
    return subprocess.run(command, check=False, env=environment, **{**defaults, **settings})
