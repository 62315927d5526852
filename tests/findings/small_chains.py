"""One document with a few chains, small enough to count by hand, and random ones; written as CoNLL-2012."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from comparanda import Result, Runs, compare

Chains = Sequence[Sequence[int]]

WORDS = (("Ann", "NNP"), ("she", "PRP"), ("Bob", "NNP"), ("he", "PRP"), ("her", "PRP"), ("dog", "NN"), ("it", "PRP"))
KEY: Chains = ((0, 1, 4), (2, 3), (5, 6))
"""Chains as the places of their words; the key's anaphors are she, he, her, it."""

A: Chains = ((0, 1, 4), (2, 3))  # does not resolve *it*
B: Chains = ((0, 1), (2, 3, 4), (5, 6))  # resolves *her* to *he* and *Bob*
C: Chains = ((0, 2, 4), (5, 6))  # resolves *Bob*, which is no anaphor, and *her* to both


def lines(name: str, chains: Chains) -> list[str]:
    """Write one document."""
    chain_of = {place: number for number, chain in enumerate(chains) for place in chain}
    found = [f"#begin document ({name}); part 000"]
    for place, (word, tag) in enumerate(WORDS):
        cell = f"({chain_of[place]})" if place in chain_of else "-"
        found.append("\t".join((name, "0", str(place), word, tag, "-", cell)))
    return [*found, "", "#end document"]


def written(path: Path, documents: Mapping[str, Chains]) -> str:
    """Write documents to a file, and return how it is given."""
    path.write_text("\n".join(line for name, chains in documents.items() for line in lines(name, chains)) + "\n")
    return f"{path}::conll2012"


def random_chains(draw: Random) -> Chains:
    """Draw chains of some of the words, some of them of one mention."""
    found: dict[int, list[int]] = {}
    for place in range(len(WORDS)):
        if draw.random() < 0.8:
            found.setdefault(draw.randrange(3), []).append(place)
    return tuple(map(tuple, found.values()))


def random_files(folder: Path, seed: int, systems: Sequence[str]) -> dict[str, str]:
    """Write six documents as a key and systems have them, and for each system but the first one of its own."""
    draw, files = Random(seed), {}
    for number, side in enumerate(("key", *systems)):
        documents = {f"d{place}": random_chains(draw) for place in range(6)}
        if number > 1:
            documents[f"x{number}"] = random_chains(draw)
        files[side] = written(folder / f"{side}.conll", documents)
    return files


def compared(folder: Path, systems: Mapping[str, Chains | Runs], key: Chains = KEY, **how: Any) -> Result:
    """Compare chains of the one document; a system may be several runs."""
    given: dict[str, Any] = {}
    for name, chains in systems.items():
        runs = chains.outputs if isinstance(chains, Runs) else (chains,)
        paths = [written(folder / f"{len(given)}-{number}.conll", {"d": run}) for number, run in enumerate(runs)]
        given[name] = Runs(*paths)
    return compare(written(folder / "key.conll", {"d": key}), given, task="coref", **{"resamples": 0, **how})
