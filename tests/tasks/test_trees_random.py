"""Random trees: against a plain recount, through every finding, damaged, in parts, and in folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.align import MISSING
from comparanda.core.verdicts import Verdicts
from comparanda.errors import InputError
from comparanda.findings.difference import Change
from comparanda.storage.merge import merge
from tests.findings.test_selections import COUNTED, pair_of, rows_with_conditions
from tests.seeds import seeds
from tests.tasks.comparing import share_of
from tests.tasks.random_trees import Maker, Sentence, Token, bare, write

SEEDS = seeds(2, of=40)


# A plain recount


@dataclass(frozen=True)
class Plain:
    """A response as the definition sees it: for each word of the key its head and label, or None for no such word."""

    arcs: list[tuple[Any, str] | None]
    words: int


def plain(key: Sequence[Sentence], response: Sequence[Sentence]) -> Plain:
    """Lay a response over a key whose tokens are words: same characters, same word; heads through that."""
    spans = {span: number for number, (span, _) in enumerate(_words(key))}
    found = list(_words(response))
    arcs: list[tuple[Any, str] | None] = [None] * len(spans)
    number_of = {place: spans.get(span) for place, (span, _) in enumerate(found)}
    for span, (head, label) in found:
        if span in spans:
            above = "root" if head is None else (number_of[head], found[head][0])
            arcs[spans[span]] = above, label.partition(":")[0]
    return Plain(arcs, len(found))


def _words(sentences: Sequence[Sentence]) -> Iterator[tuple[tuple[int, int], tuple[int | None, str]]]:
    """Yield span, head (as a number among all words) and label of each word."""
    begin = place = 0
    for sentence in sentences:
        first = place
        for token in sentence.tokens:
            for word in token.words:
                yield (
                    (begin, begin + len(bare(token.form))),
                    (first + word.head - 1 if word.head else None, word.deprel),
                )
                place += 1
            begin += len(bare(token.form))


def unranged(sentences: Sequence[Sentence], maker: Maker) -> list[Sentence]:
    """Return sentences without ranges: each token is one word, and the trees are hung anew."""
    return [
        maker._hung(Sentence([Token(each.form, (replace(each.words[0], form=each.form),)) for each in sentence.tokens]))
        for sentence in sentences
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_trees_give_the_numbers_of_a_plain_recount(seed: int, compared: Any) -> None:
    maker = Maker(seed)
    text = maker.text(30)
    key = unranged(maker.corpus(text), maker)
    first, second = (unranged(maker.perturbed(text, key), maker) for _ in range(2))
    result = compared(write(key), write(first), write(second))
    truth, *runs = (plain(key, each) for each in (key, first, second))
    for view, aspect in (("las", slice(None)), ("uas", 0), ("ls", 1)):
        columns: list[list[Any]] = [[arc and arc[aspect] for arc in run.arcs] for run in (truth, *runs)]
        for name, run, column in zip(("tree", "clever"), runs, columns[1:], strict=True):
            right = sum(mine == theirs for mine, theirs in zip(columns[0], column, strict=True))
            assert share_of(result, name, f"{view}.accuracy") == (right, len(truth.arcs))
            assert share_of(result, name, f"{view}.precision") == (right, run.words)
        found = result.difference("tree", "clever", view=view)
        classes = Counter(
            "correction" if new == key else "new_error" if old == key else "changed_error"
            for key, old, new in zip(*columns, strict=True)
            if old != new
        )
        assert {each.name: each.count for each in found.classes} == {
            name: classes[name] for name in ("correction", "new_error", "changed_error")
        }


# Identities


def random_result(seed: int, compared: Any, systems: int = 3, **options: Any) -> Result:
    maker = Maker(seed)
    text = maker.text(40)
    key = maker.corpus(text)
    result: Result = compared(write(key), *(write(maker.perturbed(text, key)) for _ in range(systems)), **options)
    return result


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_alike_sites_items_and_the_shared_task_give_one_number(seed: int, compared: Any) -> None:
    result = random_result(seed, compared)
    for view, metric in (("las", "LAS"), ("uas", "UAS")):
        for mine, theirs in (("accuracy", "recall"), ("recall", "recall"), ("precision", "precision"), ("f1", "f1")):
            table = result.scores(f"{view}.{mine}", f"conll18.{theirs}[{metric}]")
            for name in result.systems:
                assert table.value(name, f"{view}.{mine}") == table.value(name, f"conll18.{theirs}[{metric}]")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("view", ["las", "uas", "ls"])
def test_loading_a_third_system_never_changes_a_pairs_difference(seed: int, view: str, compared: Any) -> None:
    maker = Maker(seed)
    text = maker.text(40)
    key = maker.corpus(text)
    texts = [write(maker.perturbed(text, key)) for _ in range(3)]
    pair, all_three = compared(write(key), *texts[:2]), compared(write(key), *texts)
    for keyed_by in ("label", "value"):
        alone = pair.difference("tree", "clever", keyed_by=keyed_by, view=view)
        assert alone == all_three.difference("tree", "clever", keyed_by=keyed_by, view=view)
    for name in ("tree", "clever"):
        for measure in ("precision", "recall", "f1"):
            assert pair.scores(measure, view=view).value(name) == all_three.scores(measure, view=view).value(name)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("view", ["las", "uas", "ls"])
def test_every_count_equals_the_length_of_its_selection(seed: int, view: str, compared: Any) -> None:
    result = random_result(seed, compared, punctuation="ud-punct" if seed % 2 else "keep")
    met = set()
    found = [
        result.difference("tree", "clever", view=view),
        result.difference("tree", "clever", keyed_by="value", view=view),
        result.pairs(view=view),
        result.combination(view=view),
        *(result.slices(by, view=view) for by in ("distance", "direction", "depth", "projectivity", "label", "upos")),
    ]
    for finding in found:
        for row in rows_with_conditions(finding):
            counted = "count" if isinstance(row, Change) else COUNTED[type(row)]
            assert result.count(row.where, *pair_of(finding, row), view=view) == getattr(row, counted), row
            met.add(type(row))
    assert Change in met or not result.count("differs", "tree", "clever", view=view)


@pytest.mark.parametrize("seed", SEEDS)
def test_changes_of_aspects_sum_to_their_class(seed: int, compared: Any) -> None:
    for view in ("las", "uas", "ls"):
        for each in random_result(seed, compared).difference("tree", "clever", view=view).classes:
            assert sum(change.count for change in each.changes) == each.count
            for transition in each.transitions:
                assert sum(change.count for change in transition.changes) == transition.count
            assert sum(transition.count for transition in each.transitions) == each.count


# Rubbish


def rubbish(maker: Maker, text: str) -> bytes:
    """Damage a file: bytes changed, lines doubled, moved or lost."""
    chance, data = maker.chance, bytearray(text.encode())
    for _ in range(chance.choice([0, 0, 1, 2])):
        place = chance.randrange(len(data))
        kind = chance.random()
        if kind < 0.4:
            data[place : place + 1] = chance.choice(
                [b"\t", b"\n", b" ", b"9", b"-", b".", b"_", b"|", b":", b"#", b"\xff"]
            )
        elif kind < 0.6:
            del data[place : place + chance.randint(1, 20)]
        else:
            lines = bytes(data).split(b"\n")
            lines.insert(chance.randrange(len(lines)), lines[chance.randrange(len(lines))])
            data = bytearray(b"\n".join(lines))
    return bytes(data) or b"\n"


def survives(seed: int, folder: Path) -> None:
    """Compare damaged files: there is a result with all its findings, or one clear error."""
    maker = Maker(seed)
    text = maker.text(maker.chance.randint(1, 40))
    key = maker.corpus(text)
    for name, sentences in (("key", key), ("a", maker.perturbed(text, key)), ("b", maker.perturbed(text, key))):
        (folder / f"{name}.conllu").write_bytes(rubbish(maker, write(sentences)))
    files = {name: f"{folder / name}.conllu::conllu" for name in ("a", "b")}
    missing = maker.chance.choice(MISSING)
    try:
        result = cp.compare(f"{folder / 'key.conllu'}::conllu", files, task="dep", missing=missing, resamples=10)
    except InputError:
        return
    assert str(result.anatomy(by=("depth", "projectivity")))
    assert str(result.examples("differs", "a", "b", top=3))
    assert result.scores().to_json()


@pytest.mark.parametrize("seed", seeds(11, of=60))
def test_damaged_files_give_a_result_or_an_error_never_a_crash(seed: int, tmp_path: Path) -> None:
    survives(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(40))
def test_many_damaged_files_give_a_result_or_an_error_never_a_crash(hundred: int, tmp_path: Path) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        survives(seed, tmp_path)


# Parts, and folders


def cut_documents(seed: int) -> list[list[str]]:
    """Return a key and two responses, each as a list of documents with the same texts."""
    maker = Maker(seed)
    sides: list[list[str]] = [[], [], []]
    for number in range(8):
        text = maker.text(maker.chance.randint(3, 20))
        key = maker.corpus(text)
        for side, sentences in zip(sides, (key, *(maker.perturbed(text, key) for _ in range(2))), strict=True):
            side.append(f"# newdoc id = d{number}\n" + write(sentences))
    return sides


@pytest.mark.parametrize("seed", seeds(2, of=10))
def test_parts_laid_end_to_end_are_the_uncut_corpus(seed: int, compared: Any, tmp_path: Path) -> None:
    sides = cut_documents(seed)
    whole = compared(*("".join(side) for side in sides), resamples=50)
    cuts = [slice(0, 3), slice(3, 4), slice(4, 8)]
    parts = []
    for number, cut in enumerate(cuts):
        folder = tmp_path / f"part{number}"
        folder.mkdir()
        for name, side in zip(("key", "tree", "clever"), sides, strict=True):
            (folder / f"{name}.conllu").write_text("".join(side[cut]), encoding="utf-8")
        systems = {name: str(folder / f"{name}.conllu") for name in ("tree", "clever")}
        parts.append(cp.compare(str(folder / "key.conllu"), systems, task="dep").verdicts)
    assert everything(Result(merge(parts), 50)) == everything(whole)


def everything(result: Result) -> list[str]:
    """Return all findings as JSON, without what names files."""
    found = [result.scores().to_json()]
    for view in ("las", "uas", "ls"):
        found += [
            result.difference(
                "tree", "clever", view=view, by=("distance", "direction", "depth", "projectivity")
            ).to_json(),
            result.combination(view=view).to_json(),
            result.significance(view=view).to_json(),
            result.scores("f1", "precision", "recall", view=view).to_json(),
        ]
    return found


@pytest.mark.parametrize("seed", seeds(2, of=10))
def test_a_result_folder_gives_back_all_findings(seed: int, compared: Any, tmp_path: Path) -> None:
    result = compared(*("".join(side) for side in cut_documents(seed)), resamples=20)
    result.save(tmp_path / "folder")
    opened = cp.open(tmp_path / "folder")
    assert everything(opened) == everything(result)
    assert opened.examples("differs", "tree", "clever") == result.examples("differs", "tree", "clever")


def test_documents_are_units(compared: Any) -> None:
    verdicts: Verdicts = compared(*("".join(side) for side in cut_documents(1))).verdicts
    assert verdicts.units.count == 8
    assert verdicts.views["conll18"].statistics["credit[LAS]"].shape == (8, 2)
