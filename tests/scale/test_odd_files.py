"""Comparisons in parts of corpora that are not as plain as one would wish: they say what one in one go says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.formats import cuts
from tests.scale.test_equal import Corpus, said
from tests.seeds import first_few, mostly_slow

SIZE = 9


def assert_same(corpus: Corpus, **settings: Any) -> None:
    """Compare a corpus in parts and in one go."""
    assert said(corpus.in_parts(8, **settings)) == said(corpus.compared(**settings))


def changed(corpus: Corpus, change: Callable[[str, bytes], bytes], sides: Sequence[str] | None = None) -> Corpus:
    """Change the files of some sides, given what they hold."""
    for side in corpus.given if sides is None else sides:
        path = Path(corpus.given[side].partition("::")[0])
        path.write_bytes(change(side, path.read_bytes()))
    return corpus


BYTES: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "CRCRLF": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\r\n"),
    "no newline at the end": lambda data: data.rstrip(b"\r\n"),
    "byte-order mark": lambda data: b"\xef\xbb\xbf" + data,
    "empty lines at both ends": lambda data: b"\n\n" + data + b"\n\n\n",
    "white space for empty lines": lambda data: data.replace(b"\n\n", b"\n \t\n"),
    "several empty lines": lambda data: data.replace(b"\n\n", b"\n\n\n\n"),
}


@pytest.mark.parametrize("how", mostly_slow(BYTES, ("CRLF",)))
@pytest.mark.parametrize(
    "name",
    mostly_slow(
        ["tag in CoNLL-U", "tag without documents", "tag in columns", "label in JSONL", "label in CSV"],
        {"label in CSV"},
    ),
)
def test_bytes_of_all_kinds(name: str, how: str, tmp_path: Path) -> None:
    assert_same(changed(Corpus(tmp_path, name, SIZE), lambda _, data: BYTES[how](data), ["key", "rules"]))


COMMENTS: dict[str, Callable[[bytes], bytes]] = {
    "before": lambda data: data.replace(b"# newdoc", b"# x = 1\n# newdoc"),
    "before, behind an empty line": lambda data: data.replace(b"# newdoc", b"# lonely = yes\n\n# newdoc"),
    "at the begin": lambda data: b"# generator = x\n\n" + data,
    "words before the first": lambda data: data[data.index(b"# sent_id") :],
    "other spellings": lambda data: data.replace(b"# newdoc id = ", b"#newdoc id=").replace(b"# meta", b"#meta"),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", COMMENTS)
def test_comments_around_the_marks_of_documents(how: str, tmp_path: Path) -> None:
    corpus = changed(Corpus(tmp_path, "dep", SIZE), lambda _, data: COMMENTS[how](data), ["key", "crf", "rules"])
    if how == "words before the first":  # these documents are named after their files, so names differ
        assert said(corpus.compared(part=1, missing="empty")) == said(corpus.compared(missing="empty"))
    else:
        assert_same(corpus)


@pytest.mark.slow
def test_documents_without_names_are_called_by_their_numbers(tmp_path: Path) -> None:
    def unnamed(_: str, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        return b"".join(b"# newdoc\n" if line.startswith(b"# newdoc") else line for line in lines)

    corpus = changed(Corpus(tmp_path, "dep", SIZE), unnamed)
    del corpus.given["bert"]  # whose documents are in another order
    assert_same(corpus)


# Documents that not all have


def without(data: bytes, mark: bytes, numbers: Sequence[int]) -> bytes:
    """Leave documents out, or records; given what begins one."""
    first, *rest = data.split(mark) if mark != b"\n" else [b"", *data.splitlines(keepends=True)]
    kept = [each for number, each in enumerate(rest) if number not in numbers]
    return first + b"".join((b"" if mark == b"\n" else mark) + each for each in kept)


MARKS = {
    "tag in CoNLL-U": b"# newdoc",
    "span in IOB1": b"# newdoc",
    "span in JSONL": b"\n",
    "label in JSONL": b"\n",
    "link": b"\n",
    "coref in CoNLL-2012": b"#begin",
    "coref in clusters": b"\n",
    "prob": b"\n",
}


@pytest.mark.parametrize("missing", first_few(1, ["empty", "intersection"]))
@pytest.mark.parametrize("name", mostly_slow(MARKS, ("tag in CoNLL-U",)))
def test_documents_that_a_side_lacks(name: str, missing: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, name, SIZE)
    key, first, second, *_ = corpus.given
    changed(corpus, lambda side, data: without(data, MARKS[name], {first: [0, 3], second: [4]}[side]), [first, second])
    assert_same(corpus, missing=missing)
    changed(corpus, lambda _, data: without(data, MARKS[name], [2, 8]), [key])  # now names differ on both sides
    assert said(corpus.compared(part=1, missing=missing)) == said(corpus.compared(missing=missing))


@pytest.mark.parametrize("part", [None, 1])
def test_a_response_that_lacks_documents_is_refused_alike(part: int | None, tmp_path: Path) -> None:
    corpus = changed(Corpus(tmp_path, "tag in CoNLL-U", SIZE), lambda _, data: without(data, b"# newdoc", [3]), ["crf"])
    with pytest.raises(cp.AlignError, match="does not cover the key: 1 of the key's documents missing"):
        corpus.compared(part=part)


# Runs, columns, folders


@pytest.mark.slow
def test_several_runs_and_several_columns_of_one_file(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "tag in columns", SIZE)
    lines = Path(corpus.given["key"].partition("::")[0]).read_text().splitlines()
    more = [f"{line} VERB NOUN" if line and not line.startswith("-") else line for line in lines]
    (tmp_path / "more.conll").write_text("\n".join(more) + "\n")
    columns = {name: f"{tmp_path / 'more.conll'}::columns?column={name}" for name in "34"}
    corpus.given = {
        "key": corpus.given["key"],
        "two": cp.Runs(corpus.given["crf"], corpus.given["bert"]),
        "one": columns["3"],
        "other": columns["4"],
    }
    assert_same(corpus)


@pytest.mark.parametrize(
    "name",
    mostly_slow(["tag in CoNLL-U", "tag without documents", "span without documents"], {"tag without documents"}),
)
def test_folders_of_files_some_of_which_have_one_name(name: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus", name, SIZE)
    corpus.given.pop("bert")
    for side, given in corpus.given.items():
        path, _, kind = given.partition("::")
        blocks = Path(path).read_text().replace("\n\n", "\0").replace("\r\0", "\0").split("\0")[:-1]
        for number in range(6):
            file = tmp_path / side / ("ab"[number % 2]) / f"{number // 3}-{number // 2}{Path(path).suffix}"
            file.parent.mkdir(parents=True, exist_ok=True)
            some = blocks[number * len(blocks) // 6 : (number + 1) * len(blocks) // 6]
            file.write_text("".join(f"{each}\n\n" for each in some))
        corpus.given[side] = f"{tmp_path / side}::{kind}" if kind else str(tmp_path / side)
    assert_same(corpus, missing="empty")


# Settings


def test_rows_of_documents_that_do_not_stand_together(tmp_path: Path) -> None:
    def mixed(_: str, data: bytes) -> bytes:
        records = [json.loads(line) for line in data.splitlines()]
        return b"".join(json.dumps({**each, "doc": f"d{int(each['id'][1:]) % 7}"}).encode() + b"\n" for each in records)

    corpus = changed(Corpus(tmp_path, "label in JSONL", SIZE), mixed)
    corpus.given = {side: f"{given}::jsonl?document=doc" for side, given in corpus.given.items()}
    assert_same(corpus)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("span in IOB1", {"maps": {"all": {"MISC": "ORG"}, "crf": {"LOC": "PLACE"}}, "fold_case": True}),
        ("span in JSONL", {"ignore_label": ("LOC",)}),
        ("span in brat", {"only_label": ("LOC", "PER"), "rules": "semeval2013"}),
        ("tag in CoNLL-U", {"ignore_label": ("PUNCT",), "attributes": ("genre", "xpos")}),
        ("tag in CoNLL-U", {"where": 'genre == "news"', "attributes": ("genre",)}),
        ("dep", {"punctuation": "ud-punct", "labels": "full"}),
        ("coref in CoNLL-2012", {"singletons": "drop", "repeated": "official", "matching": "partial"}),
        ("coref in CoNLL-U", {"nouns": "english"}),
        ("prob", {"decide": "hierarchical", "min_weight": 0.2}),
    ],
    ids=str,
)
def test_settings_hold_in_every_part(name: str, settings: dict[str, Any], tmp_path: Path) -> None:
    assert_same(Corpus(tmp_path, name, SIZE), **settings)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tag in CoNLL-U", "span in IOB1", "span in JSONL"])
def test_what_was_seen_in_training_is_read_whole_for_every_part(name: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus", name, SIZE)
    train = Corpus(tmp_path / "train", name, 2, seed=8).given["key"]
    assert_same(corpus, train=train)


@pytest.mark.slow
def test_ids_that_mean_the_same_are_read_for_every_part(tmp_path: Path) -> None:
    same = tmp_path / "same.txt"
    same.write_text("Q1 Q2\n")
    assert_same(Corpus(tmp_path / "corpus", "link", SIZE), same_ids=str(same))


@pytest.mark.slow
@pytest.mark.parametrize("topics", ["aabbbccdd", "abaccdcee", "abcabcabc"])
def test_chains_across_documents_of_a_topic(topics: str, tmp_path: Path) -> None:
    def named(_: str, data: bytes) -> bytes:
        for number, topic in enumerate(topics):
            data = data.replace(b"(d%d)" % number, b"(%s_d%d)" % (topic.encode(), number))
        return data

    corpus = changed(Corpus(tmp_path, "coref in CoNLL-2012", SIZE), named)
    assert said(corpus.compared(across="until:_", part=1)) == said(corpus.compared(across="until:_"))
    assert corpus.told.count("evaluating part 2 of 4") == (topics == "aabbbccdd")


# What readers find out by looking at a file as a whole


@pytest.mark.slow
def test_tags_that_are_no_chunk_tags_in_one_part_alone(tmp_path: Path) -> None:
    def spoiled(_: str, data: bytes) -> bytes:
        first, second, *rest = data.split(b"# newdoc")
        return b"# newdoc".join([first, second.replace(b"\tI-", b"\t").replace(b"\tO", b"\tX"), *rest])

    corpus = Corpus(tmp_path, "span in IOB1", SIZE)
    changed(corpus, spoiled, ["crf"])
    assert said(corpus.compared(part=1)) == said(corpus.compared())


def test_a_column_without_chunk_tags_is_refused_alike(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "tag in columns", SIZE)
    problems = []
    for part in (None, 1):
        with pytest.raises(cp.ReadError) as caught:
            corpus.compared(task="span", part=part)
        problems.append(str(caught.value))
    assert problems[0] == problems[1]


@pytest.mark.slow
def test_documents_without_spans_tell_nothing_of_how_spans_are_written(tmp_path: Path) -> None:
    def renamed(side: str, data: bytes) -> bytes:
        records = [json.loads(line) for line in data.splitlines()]
        for number, each in enumerate(records):
            each["spans"] = [
                {"start": span["begin"], "stop": span["end"], "type": span["label"]}
                for span in each["spans"]
                if number % 3 == len(side) % 2
            ]
        return b"".join(json.dumps(each).encode() + b"\n" for each in records)

    corpus = changed(Corpus(tmp_path, "span in JSONL", SIZE), renamed)
    assert said(corpus.compared(part=1)) == said(corpus.compared())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coref in CoNLL-2012", "coref in CoNLL-U"])
def test_tags_of_words_that_only_some_documents_have(name: str, tmp_path: Path) -> None:
    def untagged(_: str, data: bytes) -> bytes:
        mark = b"# newdoc" if b"# newdoc" in data else b"#begin"
        first, *rest = data.split(mark)
        for tag in (b"NNP", b"NN", b"PRP$", b"PRP", b"DT", b"JJ", b"V", b"PROPN", b"PRON"):
            rest[2:5] = [each.replace(b"\t" + tag + b"\t", b"\t-\t") for each in rest[2:5]]
        return mark.join([first, *rest])

    corpus = changed(Corpus(tmp_path, name, SIZE), untagged)
    assert said(corpus.compared(part=1)) == said(corpus.compared())


def test_what_offsets_count_is_told_by_all_documents(tmp_path: Path) -> None:
    def wide(_: str, data: bytes) -> bytes:
        records = [json.loads(line) for line in data.splitlines()]
        for number, each in enumerate(records):
            for span in each["spans"]:
                span["text"] = each["text"][span["begin"] : span["end"]]
            if number % 3 == 0:  # in UTF-16, the first character counts twice
                each["text"] = "😀 " + each["text"]
                each["spans"] = [{**span, "begin": span["begin"] + 3, "end": span["end"] + 3} for span in each["spans"]]
        return b"".join(json.dumps(each).encode() + b"\n" for each in records)

    corpus = Corpus(tmp_path, "span in JSONL", SIZE)
    del corpus.given["bert"]  # whose documents are in another order
    assert said(changed(corpus, wide).compared(part=1)) == said(corpus.compared())


@pytest.mark.parametrize("first", [True, False])
def test_ids_that_are_numbers_or_another_field_at_first_and_not_later_on(first: bool, tmp_path: Path) -> None:
    def numbered(_: str, data: bytes) -> bytes:
        records = sorted((json.loads(line) for line in data.splitlines()), key=lambda each: str(each["id"]))
        lines = []
        for number, each in enumerate(records, start=1):
            real = number if number < 60 else 200 - number
            lines.append({**({"row": number} if first else {}), **each, "id": real})
        return b"".join(json.dumps(each).encode() + b"\n" for each in lines)

    corpus = changed(Corpus(tmp_path, "label in JSONL", 20), numbered)
    changed(corpus, lambda _, data: without(data, b"\n", range(62, 70)), ["crf"])
    part = corpus.bytes // 12
    assert said(corpus.compared(part=part, missing="empty")) == said(corpus.compared(missing="empty"))


@pytest.mark.slow
@pytest.mark.parametrize("most", first_few(1, [3, 8]))
def test_long_sides_without_documents_are_cut_where_all_of_them_tell(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sides that are thinned out alike here; one that is larger would be thinned out more."""
    monkeypatch.setattr(cuts, "_MAX_STARTS", most)
    assert_same(Corpus(tmp_path, "tag without documents", SIZE))


def test_sides_with_other_sentences_and_no_documents_are_judged_in_one_go(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "tag without documents", SIZE)
    changed(corpus, lambda _, data: data.replace(b"\n\n", b"\n", 1), ["crf"])
    assert said(corpus.compared(part=1)) == said(corpus.compared())
    assert (
        "not divided into parts: there are no document boundaries, and not all sides have the same number of sentences"
        in corpus.told
    )


def test_sides_that_cut_as_many_sentences_elsewhere_are_judged_in_one_go(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "tag without documents", SIZE)

    def moved(_: str, data: bytes) -> bytes:
        first, second, *rest = data.strip().split(b"\n\n")
        line, *others = second.splitlines(keepends=True)
        return b"\n\n".join([first + b"\n" + line.rstrip(b"\n"), b"".join(others) or line, *rest]) + b"\n"

    changed(corpus, moved, ["crf"])
    assert said(corpus.compared(part=1)) == said(corpus.compared())
    assert any(text.startswith("not divided into parts") for text in corpus.told)


@pytest.mark.parametrize("side", ["key", "crf"])
def test_sides_of_which_some_mark_documents_are_judged_in_one_go(side: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "tag in columns", SIZE)
    changed(corpus, lambda _, data: data.replace(b"-DOCSTART- -X- O\n\n", b""), [side])
    assert said(corpus.compared(part=1)) == said(corpus.compared())
    assert any(text.endswith("has document boundaries, and others do not") for text in corpus.told)


def test_a_folder_of_parts_that_did_not_fit_together_holds_the_result_of_one_go(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus", "tag in columns", SIZE)
    changed(corpus, lambda _, data: data[: len(data) // 2] + data[len(data) // 2 :].replace(b" x ", b"\tx\t"), ["key"])
    whole = said(corpus.compared())
    for _ in range(2):
        assert said(corpus.compared(part=corpus.bytes // 3, folder=tmp_path / "result")) == whole
        assert said(cp.open(tmp_path / "result")) == whole
    assert any("the layout of the file changes" in text for text in corpus.told)


def misquoted(data: bytes, every: int) -> bytes:
    """Let spans name texts, all of them, or the last of every so-manieth document, another one than it covers."""
    records = [json.loads(line) for line in data.splitlines()]
    for number, each in enumerate(records):
        for place, span in enumerate(each["spans"]):
            wrong = not every or (number % every == 0 and place == len(each["spans"]) - 1)
            span["text"] = "huh" if wrong else each["text"][span["begin"] : span["end"]]
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def test_places_of_spans_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "span in JSONL", 20)
    changed(corpus, lambda _, data: misquoted(data, 2), ["bert"])  # whose documents are in another order
    notes = corpus.in_parts(3).notes
    assert [note.side for note in notes if "stated text differs" in note.what] == ["bert"]
    assert notes == corpus.compared().notes


@pytest.mark.parametrize("every", mostly_slow([0, 4], {0}))
def test_spans_that_name_other_texts_in_one_part_are_looked_at_as_a_whole(every: int, tmp_path: Path) -> None:
    corpus = changed(Corpus(tmp_path, "span in JSONL", 6), lambda _, data: misquoted(data, every), ["key"])
    found = []
    for part in (None, 1):
        try:
            found.append(str(said(corpus.compared(part=part))))
        except cp.ReadError as problem:
            found.append(str(problem))
    assert found[0] == found[1]
    assert found[0].endswith("offsets count its code points") == (every == 0)


@pytest.mark.parametrize("task", ["span", "coref"])
def test_documents_without_brackets_do_not_tell_that_there_are_none(task: str, tmp_path: Path) -> None:
    def sparse(_: str, data: bytes) -> bytes:
        first, *rest = data.split(b"# newdoc")
        rest[2:4] = [re.sub(rb"Entity=\S+", b"_", each) for each in rest[2:4]]
        return b"# newdoc".join([first.replace(b"# global.Entity = eid-etype-head-other\n", b""), *rest])

    corpus = changed(Corpus(tmp_path, "coref in CoNLL-U", 6), sparse)
    assert said(corpus.compared(part=1, task=task)) == said(corpus.compared(task=task))


@pytest.mark.slow
def test_the_scheme_of_probable_tags_is_told_by_all_sentences(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "prob without documents", 50)  # in some sentences no tag has another letter than I
    assert said(corpus.compared(part=1)) == said(corpus.compared())
    assert any("the layout of the file changes" in text for text in corpus.told)
