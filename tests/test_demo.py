"""The packed corpus: its chains are whole, its outputs speak of its words, and its README says what is in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import comparanda as cp
from comparanda import Result, demo
from comparanda.demo import copy_demo, demo_files

FOLDER = Path(demo.__file__).parent
RESOLVERS = ("compromise", "xrenner", "xrenner_rules")
BRACKET = re.compile(r"(\()?(\d+)(\))?")

Row = list[str]
Mention = tuple[str, int, int]  # document, first word, the one after the last
Chains = dict[tuple[str, str], list[Mention]]  # by document and number

# What the scorer `scorch` 0.2.0 says of the same files: recall, precision, F1.
SCORCH = {
    "compromise": {
        "muc": (19.3772, 56.5657, 28.8660),
        "b3": (15.6470, 56.3186, 24.4899),
        "ceafm": (22.5728, 58.8608, 32.6316),
        "ceafe": (23.4685, 48.9259, 31.7212),
    },
    "xrenner": {
        "muc": (63.6678, 68.6567, 66.0682),
        "b3": (59.3582, 65.3424, 62.2068),
        "ceafm": (66.5049, 70.0767, 68.2441),
        "ceafe": (60.4578, 60.4578, 60.4578),
    },
    "xrenner_rules": {
        "muc": (64.0138, 60.6557, 62.2896),
        "b3": (59.8270, 58.4573, 59.1342),
        "ceafm": (70.6311, 61.2632, 65.6144),
        "ceafe": (70.5694, 51.0590, 59.2494),
    },
}


@cache
def sentences(name: str) -> list[tuple[str, list[Row]]]:
    """The sentences of a file of chains, each with the name of its document."""
    found: list[tuple[str, list[Row]]] = []
    document = ""
    text = (FOLDER / "chains" / f"{name}.conll").read_text(encoding="utf-8")
    for block in text.replace("#end document\n", "").strip().split("\n\n"):
        lines = block.split("\n")
        if begun := re.fullmatch(r"#begin document \((.*)\); part 000", lines[0]):
            document = begun[1]
            del lines[0]
        found.append((document, [line.split("\t") for line in lines]))
    return found


def tagged() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The words and tags of the demo's other key."""
    document = ""
    for block in (FOLDER / "key.conllu").read_text(encoding="utf-8").strip().split("\n\n"):
        if begun := re.search(r"# newdoc id = (.*)", block):
            document = begun[1]
        rows = [line.split("\t") for line in block.split("\n")]
        yield document, [(row[1], row[4]) for row in rows if row[0].isdecimal()]


@cache
def chains(name: str) -> Chains:
    """The chains of a file; a bracket that never closes, or never opened, is an error."""
    found: Chains = {}
    opened: dict[tuple[str, str], list[int]] = {}
    place: Counter[str] = Counter()
    for document, rows in sentences(name):
        for row in rows:
            at = place[document]
            for opens, number, closes in [] if row[-1] == "-" else map(split, row[-1].split("|")):
                chain = (document, number)
                if opens:
                    opened.setdefault(chain, []).append(at)
                if closes:
                    found.setdefault(chain, []).append((document, opened[chain].pop(), at + 1))
            place[document] += 1
        assert not any(opened.values()), f"{name}: a mention goes beyond its sentence in {document}"
    return found


def split(bracket: str) -> tuple[str, str, str]:
    parts = BRACKET.fullmatch(bracket)
    assert parts, bracket
    return parts[1], parts[2], parts[3]


def mentions(name: str) -> list[Mention]:
    return [mention for chain in chains(name).values() for mention in chain]


@pytest.fixture(scope="module")
def result() -> Result:
    key, systems = demo_files("coref")
    return cp.compare(key, systems, task="coref", resamples=0)


def test_the_chains_of_the_key_stand_on_its_words_and_tags() -> None:
    here = [(document, [(row[3], row[4]) for row in rows]) for document, rows in sentences("key")]
    assert here == list(tagged())
    assert all(len(row) == 6 and row[2] == str(at) for _, rows in sentences("key") for at, row in enumerate(rows))


@pytest.mark.parametrize("name", RESOLVERS)
def test_outputs_have_the_words_of_the_key(name: str) -> None:
    here = [(document, [row[0] for row in rows]) for document, rows in sentences(name)]
    assert here == [(document, [word for word, _ in words]) for document, words in tagged()]
    assert all(len(row) == 2 for _, rows in sentences(name) for row in rows)


@pytest.mark.parametrize("name", ["key", *RESOLVERS])
def test_no_mention_is_given_twice(name: str) -> None:
    assert max(Counter(mentions(name)).values()) == 1


def test_the_key_has_chains_in_every_document_and_no_singletons() -> None:
    assert {document for document, _ in chains("key")} == {document for document, _ in tagged()}
    assert min(map(len, chains("key").values())) == 2


def test_mentions_of_the_key_do_not_cross_and_do_not_end_in_a_comma() -> None:
    words: dict[str, list[str]] = {}
    for document, sentence in tagged():
        words.setdefault(document, []).extend(word for word, _ in sentence)
    for document, begin, end in mentions("key"):
        assert words[document][end - 1] != ","
        for other, first, last in mentions("key"):
            assert other != document or not begin < first < end < last


def test_the_readme_counts_right() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    kinds: Counter[str] = Counter()
    tags: dict[str, list[str]] = {}
    for document, sentence in tagged():
        tags.setdefault(document, []).extend(tag for _, tag in sentence)
    for document, begin, end in mentions("key"):
        kinds[" ".join(tags[document][begin:end])] += 1
    longest = max(map(len, chains("key").values()))
    said = f"{len(mentions('key'))} mentions in {len(chains('key'))} chains, of 2 to {longest} mentions each"
    assert said in re.sub(r"\s+", " ", text)
    assert f"{kinds['PRP']} of them are personal pronouns, {kinds['PRP$']} possessive" in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("name", RESOLVERS)
def test_the_readme_says_what_each_resolver_found(name: str, result: Result) -> None:
    row = re.search(rf"\| `{name}.conll` \|.*", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert row
    found, right, score = [cell.strip() for cell in row[0].strip("|").split("|")[-3:]]
    assert int(found) == len(mentions(name))
    assert int(right) == len({*mentions(name)} & {*mentions("key")})
    value = result.scores("conll").value(name)
    assert value is not None
    assert score == f"{100 * value:.1f}"


def test_the_readme_says_what_heads_alone_would_give() -> None:
    key, systems = demo_files("coref")
    scores = cp.compare(key, systems, task="coref", matching="head", resamples=0).scores("conll")
    first, second, last = [100 * (scores.value(name) or 0) for name in ("xrenner", "xrenner_rules", "compromise")]
    text = re.sub(r"\s+", " ", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert f"With `--mentions head` they have {first:.1f}, {second:.1f} and {last:.1f}." in text


@pytest.mark.parametrize("name", RESOLVERS)
def test_scores_are_those_of_another_scorer(name: str, result: Result) -> None:
    for metric, printed in SCORCH[name].items():
        ours = [result.scores(metric + part).value(name) for part in ("_recall", "_precision", "")]
        assert [value and 100 * value for value in ours] == pytest.approx(printed, abs=5e-5)


def test_nothing_is_amiss_with_the_chains(result: Result) -> None:
    assert [str(note) for note in result.notes] == [
        "key: anaphors without a named antecedent, which do not count in the view 'named': 156",
        "key: anaphors without a nominal antecedent, which do not count in the view 'nominal': 42",
    ]


def test_the_files_of_a_task_are_copied_as_they_are(tmp_path: Path) -> None:
    copied = copy_demo(str(tmp_path))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == copied == 14
    assert all(file.read_bytes() == (FOLDER / file.relative_to(tmp_path)).read_bytes() for file in files)
    assert sorted(path.stem for path in (tmp_path / "chains").iterdir()) == ["compromise", "key", *RESOLVERS[1:]]


def test_the_chains_are_small() -> None:
    assert sum(path.stat().st_size for path in (FOLDER / "chains").iterdir()) < 150_000
