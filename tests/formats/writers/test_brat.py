from __future__ import annotations

import random
from pathlib import Path

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.chained import chains, document, losses_of, mention, read_chains, there_and_back
from tests.formats.writers.chained import written as written_chains
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SAID: dict[str, tuple[str | float | bool, ...]] = {
    "confidence": ("low", "very high"),
    "probability": (0.25, 1e-07),
    "note": ("why?", "a|b  c"),
    "Mood": ("sad",),
}


def one(*mentions: Mention, name: str = "d", text: str = "Anna met\r\nBo\tX", **attributes: str) -> Passage:
    return Passage(name=name, text=text, words=(), sentences=(0,), mentions=mentions, attributes=attributes)


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(
        random.Random(seed), pieces=True, ids=3, attributes=SAID, spaces=(" ", "\n", "\r\n", "\t")
    )
    assert not written("brat", documents, tmp_path)
    assert content(read_back("brat", tmp_path)) == content(documents)


def test_the_files(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 4),), "PER", ("Wikidata:Q1", "Q2", "NIL"), {"probability": 0.5, "note": "why?"}),
        Mention(((5, 12),), "X", None, {"checked": True, "other": False}),
        Mention(((0, 4), (10, 12)), "Y"),
    )
    assert not written("brat", [one(*mentions, name="2020/may/7")], tmp_path)
    folder = tmp_path / "2020" / "may"
    assert (folder / "7.txt").read_bytes() == b"Anna met\r\nBo\tX"
    assert (folder / "7.ann").read_text().splitlines() == [
        "T1\tPER 0 4\tAnna",
        "N1\tReference T1 Wikidata:Q1\tAnna",
        "A1\tid T1 Q2",
        "A2\tid T1 NIL",
        "A3\tprobability T1 0.5",
        "#1\tAnnotatorNotes T1\twhy?",
        "T2\tX 5 12\tmet  Bo",
        "A4\tchecked T2",
        "T3\tY 0 4;10 12\tAnna Bo",
    ]
    (read,) = read_back("brat", tmp_path)
    assert (read.name, read.text) == ("2020/may/7", "Anna met\r\nBo\tX")
    assert read.mentions[0].ids == ("Wikidata:Q1", "Q2", "NIL")


def test_a_base_for_ids_that_name_none(tmp_path: Path) -> None:
    written("brat", [one(Mention(((0, 4),), "PER", ("Q1", "GeoNames:7")))], tmp_path, base="Wikidata")
    (read,) = read_back("brat", tmp_path)
    assert read.mentions[0].ids == ("Wikidata:Q1", "GeoNames:7")
    assert (tmp_path / "d.ann").read_text().count("Reference") == 2


def test_losses(tmp_path: Path) -> None:
    said = {"two words": "x", "Confidence": "low", "remark": "a\nb", "note": "a\rb"}
    losses = written("brat", [one(Mention(((0, 4),), "X", ("Q1\n",), said), year="2020")], tmp_path)
    assert sorted(map(str, losses.notes("x"))) == [
        "x: not written: 'Confidence' of spans, which is not a valid brat attribute name: 1 (d)",
        "x: not written: 'note' of spans with line ends: 1 (d)",
        "x: not written: 'remark' of spans with line ends: 1 (d)",
        "x: not written: 'two words' of spans, which is not a valid brat attribute name: 1 (d)",
        "x: not written: ids with line ends: 1 (d)",
        "x: not written: the attribute 'year' of documents: 1 (d)",
    ]
    assert content(read_back("brat", tmp_path)) == content([one(Mention(((0, 4),), "X"))])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a:b", "':' is not allowed in file names"),
        ("a\nb", "'\\n' is not allowed in file names"),
        ("a\\b", "'\\\\' is not allowed in file names"),
        ("", "it is not a valid path"),
        ("/etc/x", "it is not a valid path"),
        ("../x", "it is not a valid path"),
        ("a/", "it is not a valid path"),
        ("a/.hidden", "files whose name begins with a dot are hidden"),
        ("a.ann/b", "a folder would end in .ann or .txt"),
        ("x" * 300, "it is too long for a file name"),
    ],
)
def test_names_that_no_file_can_have(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("brat", [one(name=name)], tmp_path)
    assert str(caught.value) == (
        f"the document {name[:80]!r} cannot be written as a brat file\n"
        f"  {reason}\n  rename the document, or choose a format with a single file"
    )


def test_labels_with_white_space(tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("brat", [one(Mention(((0, 4),), "a person"))], tmp_path)
    assert str(caught.value) == (
        "the label 'a person' contains white space, which brat does not allow in labels\n"
        "  document 'd'\n  rename the label, or choose another format"
    )


@pytest.mark.slow
def test_a_real_corpus(tmp_path: Path) -> None:
    source = shared("data/timex/wikiwars/gold.jsonl")
    documents = list(list_passages(read_files(source.parent, source.name), Losses()))
    losses = written("brat", documents, tmp_path)
    assert {str(note).partition(": ")[2].rpartition(":")[0] for note in losses.notes("x")} == {
        f"not written: the attribute {name!r} of documents" for name in documents[0].attributes
    }
    assert content(read_back("brat", tmp_path)) == content(documents)


class TestChains:
    """Mentions that are one entity are in one line that begins with an asterisk."""

    def test_the_lines(self, tmp_path: Path) -> None:
        passage = document(
            "Anna saw her cat and its tail",
            mention(0, 4, chain="7"),
            mention(9, 16, chain="x"),
            mention(9, 12, chain="7"),
            mention(21, 24, chain="x", checked=True),
            mention(21, 29),
            mention(25, 29, chain="alone"),
        )
        assert losses_of("brat", [passage], tmp_path) == []
        assert (tmp_path / "d.ann").read_text().splitlines()[-4:] == [
            "T5\tENTITY 21 29\tits tail",
            "T6\tENTITY 25 29\ttail",
            "*\tCoreference T1 T3",
            "*\tCoreference T2 T4",
        ]
        assert [line for line in (tmp_path / "d.ann").read_text().splitlines() if line[0] == "A"] == ["A1\tchecked T4"]
        assert [chains(each) for each in there_and_back("brat", [passage], tmp_path)[0]] == [chains(passage)]

    def test_spans_that_are_no_mentions_have_attributes(self, tmp_path: Path) -> None:
        assert not written("brat", [one(Mention(((0, 4),), "PER", None, {"chain": "1"}))], tmp_path)
        assert (tmp_path / "d.ann").read_text() == "T1\tPER 0 4\tAnna\nA1\tchain T1 1\n"

    def test_a_mention_of_no_words(self, tmp_path: Path) -> None:
        passage = document("a b", mention(2, 2, chain="1", zero=1), mention(0, 1, chain="1", head=1))
        assert losses_of("brat", [passage], tmp_path) == []
        assert (tmp_path / "d.ann").read_text() == (
            "T1\tENTITY 2 2\t\nA1\tzero T1 1\nT2\tENTITY 0 1\ta\nA2\thead T2 1\n*\tCoreference T1 T2\n"
        )

    def test_heads_and_zeros_are_read_back_as_numbers(self, tmp_path: Path) -> None:
        """They decide which mentions are the same; as strings they would be ignored."""
        passage = document("a b c", mention(2, 2, chain="1", zero=7), mention(0, 3, chain="1", head=2))
        found = list_passages(read_chains(written_chains("brat", [passage], tmp_path), "brat"), Losses(), chained=True)
        assert [{**each.attributes, "chain": "1"} for each in next(found).mentions] == [
            {"chain": "1", "zero": 7},
            {"chain": "1", "head": 2},
        ]

    def test_names_that_several_documents_share(self, tmp_path: Path) -> None:
        documents = [document("a b", mention(0, 1, chain="1"), mention(2, 3, chain="1"), name=name) for name in "xy"]
        assert losses_of("brat", documents, tmp_path) == ["names of chains, which several documents share"]
