"""The pipeline from files to a score, on random files: the right number or a clear refusal, nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import pytest

from comparanda import ComparandaError, Runs, UsageError, compare
from tests.seeds import seeds

Sentence = list[tuple[str, str]]
Documents = dict[str, list[Sentence]]
WORDS, TAGS = "abc", "XYZ"  # few, so that different places often hold the same words


@dataclass(frozen=True)
class Layout:
    """How documents are written to a file."""

    conllu: bool
    words: bool
    marked: bool

    def write(self, path: Path, documents: Documents) -> str:
        lines: list[str] = []
        for name, sentences in documents.items():
            if self.marked:
                lines.append(f"# newdoc id = {name}" if self.conllu else f"-DOCSTART- ({name})\n")
            for sentence in sentences:
                lines += [self._line(place, *token) for place, token in enumerate(sentence, start=1)]
                lines.append("")
        path.write_text("\n".join(lines) + "\n")
        return str(path) + ("::conllu" if self.conllu else "::columns" if self.words else "::columns?word=none")

    def _line(self, place: int, word: str, tag: str) -> str:
        if self.conllu:
            return "\t".join([str(place), word, "_", tag, *"______"])
        return f"{word}\t{tag}" if self.words else tag


def drawn_key(draw: random.Random) -> Documents:
    def sentence() -> Sentence:
        return [(draw.choice(WORDS), draw.choice(TAGS)) for _ in range(draw.randint(1, 3))]

    return {f"d{number}": [sentence() for _ in range(draw.randint(1, 3))] for number in range(draw.randint(1, 4))}


def drawn_response(draw: random.Random, key: Documents) -> Documents:
    """The key's words with other tags; documents may be missing, moved, added, cut otherwise or longer."""

    def tagged(sentence: Sentence) -> Sentence:
        return [(word, tag if draw.random() < 0.7 else draw.choice(TAGS)) for word, tag in sentence]

    names = list(key)
    if draw.random() < 0.5:
        names = draw.sample(names, draw.randint(1, len(names)))
    documents = {name: [tagged(sentence) for sentence in key[name]] for name in names}
    if draw.random() < 0.2:
        documents[names[0]] = [list(chain(*documents[names[0]]))]
    if draw.random() < 0.15:
        documents[names[-1]] = [*documents[names[-1]], [("q", "X")]]
    if draw.random() < 0.2:
        documents["extra"] = [[("a", "X")]]
    return documents


def recount(key: Documents, response: Documents, missing: str) -> tuple[int, int]:
    """Count what is right, document by document, and of how many."""
    right = sites = 0
    for name, sentences in key.items():
        gold = list(chain(*sentences))
        if name in response:
            found = list(chain(*response[name]))
            right += sum(mine[1] == theirs[1] for mine, theirs in zip(gold, found, strict=True))
        if name in response or missing == "empty":
            sites += len(gold)
    return right, sites


@pytest.mark.parametrize("block", seeds(2, of=10))
def test_random_files_give_the_right_number_or_are_refused(block: int, tmp_path: Path) -> None:
    counted = refused = 0
    for seed in range(60 * block, 60 * (block + 1)):
        draw = random.Random(seed)
        key = drawn_key(draw)
        response = drawn_response(draw, key)
        conllu = draw.random() < 0.5
        layout = Layout(conllu, conllu or draw.random() < 0.6, draw.random() < 0.8)
        missing = draw.choice(["error", "empty", "intersection"])
        paths = layout.write(tmp_path / "key", key), replace(layout, marked=True).write(tmp_path / "a", response)
        try:
            result = compare(paths[0], {"a": paths[1]}, task="tag", missing=missing, resamples=0)  # type: ignore[arg-type]
        except ComparandaError:
            refused += 1
            continue
        score = result.scores("accuracy").scores[0]
        if layout.marked:
            assert (score.part, score.whole) == recount(key, response, missing), seed
            counted += 1
    assert min(counted, refused) > 0


@pytest.mark.parametrize("seed", seeds(15, of=60))
def test_random_tables_give_the_right_number_or_are_refused(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    key = {f"r{number}": draw.choice(TAGS) for number in range(draw.randint(1, 6))}
    kept = draw.sample(list(key), draw.randint(1, len(key)))
    rows = [(name, draw.choice(TAGS)) for name in kept]
    repeated = draw.random() < 0.2
    missing = draw.choice(["error", "empty", "intersection"])
    gold, system = tmp_path / "gold.csv", tmp_path / "a.csv"
    gold.write_text("id,label\n" + "".join(f"{name},{label}\n" for name, label in key.items()))
    system.write_text("id,label\n" + "".join(f"{name},{label}\n" for name, label in rows + rows[:repeated]))
    try:
        result = compare(str(gold), {"a": str(system)}, task="label", missing=missing, resamples=0)  # type: ignore[arg-type]
    except ComparandaError:
        assert repeated or (missing == "error" and len(kept) < len(key))
        return
    score = result.scores("accuracy").scores[0]
    sites = len(key) if missing == "empty" else len(kept)
    assert not repeated
    assert (score.part, score.whole) == (sum(key[name] == label for name, label in rows), sites)


def test_a_view_that_is_named_gives_its_own_scores_and_outcomes_alone() -> None:
    tags = [["B-PER", "O"]]
    result = compare(tags, {"a": tags}, task="span", rules="semeval2013", resamples=0)
    first = next(iter(result.verdicts.views))
    found = result.scores(view=first)
    assert {score.measure.partition(".")[0] for score in found.scores} == {first}
    assert {each.view for each in found.outcomes} == {first}
    assert len({each.view for each in result.scores().outcomes}) > 1


def test_more_outputs_than_are_accepted_are_refused() -> None:
    given = {"a": ["X"], "b": Runs(["X"], ["Y"])}
    assert compare(["X"], given, task="tag", limits={"systems": 3}).systems == ("a", "b")
    with pytest.raises(UsageError, match="3 outputs exceed the limit of 2"):
        compare(["X"], given, task="tag", limits={"systems": 2})
