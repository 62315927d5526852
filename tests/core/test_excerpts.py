"""Excerpts: a site in its sentence, with its place in every file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comparanda import compare
from comparanda.align import align_responses
from comparanda.core import places
from comparanda.core.corpus import Corpus, Documents
from comparanda.core.excerpts import Excerpt, Texts
from comparanda.core.places import Source
from comparanda.core.text_columns import Slices, TextColumn
from comparanda.demo import copy_demo
from comparanda.errors import ReadError
from comparanda.storage.reader import open_result
from tests.toy_task import Policy, verdicts_of

TEXT = b"Zeit\tN\nfliegt\tV\n\nDas\tP\nna\xc3\xafve\tA\nLied\tN\n\n"
SENTENCES = np.array([0, 2, 5], np.int64)
OFFSET = np.array([0, 7, 17, 23, 32], np.int64)
LENGTH = np.array([4, 6, 3, 6, 4], np.int64)


def corpus(name: str = "key", words: bool = True) -> Corpus:
    source = Source.of_text(f"{name}.txt", TEXT)
    return Corpus(
        name=name,
        format="toy",
        source=source,
        offset=OFFSET,
        words=Slices(source.buffer, OFFSET, LENGTH) if words else None,
        columns={"value": TextColumn.of("NVPAN")},
        sentences=SENTENCES,
        documents=Documents(("one", "two"), np.array([0, 1, 2], np.int64), marked=True),
    )


def texts(key: Corpus) -> Texts:
    return Texts.of(align_responses(key, [corpus("crf", key.words is not None)]), ("crf",))


@pytest.mark.parametrize(
    ("document", "place", "expected"),
    [
        (
            0,
            0,
            Excerpt(
                document="one", before="", word="Zeit", after="fliegt", places={"key": "key.txt:1", "crf": "crf.txt:1"}
            ),
        ),
        (
            0,
            1,
            Excerpt(
                document="one", before="Zeit", word="fliegt", after="", places={"key": "key.txt:2", "crf": "crf.txt:2"}
            ),
        ),
        (
            1,
            1,
            Excerpt(
                document="two",
                before="Das",
                word="naïve",
                after="Lied",
                places={"key": "key.txt:5", "crf": "crf.txt:5"},
            ),
        ),
    ],
)
def test_an_excerpt_is_the_sentence_around_the_word(document: int, place: int, expected: Excerpt) -> None:
    assert texts(corpus()).excerpt(document, place) == expected


def test_without_words_the_places_are_still_known() -> None:
    expected = Excerpt(document="two", before="", word="", after="", places={"key": "key.txt:6", "crf": "crf.txt:6"})
    assert texts(corpus(words=False)).excerpt(1, 2) == expected


def test_words_may_lie_in_a_buffer_of_their_own() -> None:
    key = replace(corpus(), words=Slices.of(["Zeit", "fliegt", "Das", "naïve", "Lied"]))
    found = texts(key).excerpt(1, 2)
    assert found is not None
    assert (found.before, found.word, found.places["key"]) == ("Das naïve", "Lied", "key.txt:6")


def test_a_row_that_a_run_does_not_have_has_no_place_there() -> None:
    found = verdicts_of().texts.excerpt(1, 1)
    assert found is not None
    assert (found.before, found.word, found.after) == ("I", "cannot", "see it")
    assert sorted(found.places) == ["fine#2", "key", "rough#1", "rough#2"]


def test_the_words_at_some_rows_are_those_of_an_excerpt() -> None:
    found = texts(corpus())
    assert [found.covered(1, 0, width) for width in (0, 1, 2, 9)] == ["", "Das", "Das naïve", "Das naïve Lied"]
    excerpt = found.excerpt(1, 1, 2)
    assert excerpt is not None
    assert found.covered(1, 1, 2) == excerpt.word == "naïve Lied"
    assert Texts().covered(0, 0, 1) is None
    assert texts(corpus(words=False)).covered(1, 0, 1) == ""


def test_there_is_no_excerpt_without_texts_or_behind_them() -> None:
    assert Texts().excerpt(0, 0) is None
    assert texts(corpus()).excerpt(2, 0) is None


def test_parts_are_whole_documents_or_pieces_of_one() -> None:
    part = texts(corpus()).parts[0]
    whole = Texts((part, part))
    assert [whole.excerpt(document, 0) for document in (2, 3)] == [Texts((part,)).excerpt(n, 0) for n in (0, 1)]
    rows = verdicts_of(documents=[1], policy=Policy("row")).texts.parts[0]
    pieces = Texts((rows, rows), continued=True)
    found = [pieces.excerpt(0, place) for place in (0, 3, 4, 7)]
    assert [each.word if each else None for each in found] == ["I", "it", "I", "it"]
    assert pieces.excerpt(0, 8) is None


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[str, dict[str, str]]:
    """Files of the demo, all of them so large that their bytes are let go once they are aligned."""
    monkeypatch.setattr(places, "LARGE", 0)
    copy_demo(str(tmp_path))
    return str(tmp_path / "key.conllu"), {name: str(tmp_path / f"{name}.conllu") for name in ("brill", "spacy")}


def test_the_bytes_of_large_responses_are_let_go_and_read_again(far: tuple[str, dict[str, str]]) -> None:
    key, systems = far
    result = compare(key, systems, task="pos", resamples=0)
    sides = result.verdicts.texts.parts[0].words().sides
    assert [side.source().given is None for side in sides] == [False, True, True]
    example = result.examples("correction", "brill", "spacy", top=1).examples[0]
    assert [answer.place for answer in example.answers if answer.place is None] == []
    number = int(str(example.answers[1].place).split(":")[-1])
    lines = Path(systems["spacy"]).read_text(encoding="utf-8").split("\n")
    assert lines[number - 1].split("\t")[1] == example.word


def test_a_response_that_changed_meanwhile_is_an_error_where_it_is_read_again(far: tuple[str, dict[str, str]]) -> None:
    key, systems = far
    result = compare(key, systems, task="pos", resamples=0)
    Path(systems["brill"]).write_text("other\n")
    with pytest.raises(ReadError, match="the file has changed since it was read") as refused:
        result.examples("correction", "brill", "spacy", top=1)
    assert refused.value.exit_code == 3
    Path(systems["brill"]).unlink()
    with pytest.raises(ReadError, match="the file no longer exists"):
        result.examples("correction", "brill", "spacy", top=1)
    assert result.difference("brill", "spacy").different == 418


def test_letting_go_changes_no_number_and_no_saved_byte(far: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    key, systems = far
    far_result = compare(key, systems, task="pos", resamples=50)
    far_result.save(tmp_path / "far")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "LARGE", 1 << 40)
        near_result = compare(key, systems, task="pos", resamples=50)
        near_result.save(tmp_path / "near")
    assert far_result.anatomy().to_json() == near_result.anatomy().to_json()
    files = sorted(path.name for path in (tmp_path / "near").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "far").iterdir())
    assert all((tmp_path / "near" / name).read_bytes() == (tmp_path / "far" / name).read_bytes() for name in files)


def test_a_row_of_a_classification_file_is_shown_as_its_line(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.csv", tmp_path / "a.csv"
    gold.write_text('id,text,label\nr1,"Guten Tag, Welt",de\nr2,Hello,en\n')
    system.write_text("id,label\nr1,en\nr2,en\n")
    result = compare(str(gold), {"a": str(system)}, task="label", resamples=0)
    result.save(tmp_path / "saved")
    for each in (result, open_result(tmp_path / "saved")):
        example = each.examples('not right("a")').examples[0]
        assert (example.word, example.after) == ("r1", 'r1,"Guten Tag, Welt",de')
    long = tmp_path / "long.csv"
    long.write_text(f"id,text,label\nr1,{'x' * 400},de\nr2,Hello,en\n")
    shown = compare(str(long), {"a": str(system)}, task="label", resamples=0).examples('not right("a")').examples[0]
    assert (len(shown.after), shown.after[-1]) == (300, "…")
