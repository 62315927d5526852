"""Systematic mistakes in offsets, and spans given twice, are noted with their number and the option that mends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.errors import ComparandaError
from tests.command import run

Extent = tuple[int, int]
TEXTS = [f"{name} met Örjan in Oslo {sign} and {other} , then they all went home ." for name, sign, other in [
    ("Anna", "😀", "Bo"), ("Mia", "–", "Kim"), ("Ida", "😀 😀", "Pia"), ("Lotta", "-", "Max"),
]]  # fmt: skip
NAMES = ("Örjan", "Oslo")


def spans(text: str) -> list[Extent]:
    """The extents of three names in each text, so twelve in all."""
    words = [*NAMES, text.partition(" and ")[2].split()[0]]
    return [(text.index(word), text.index(word) + len(word)) for word in words]


def utf16(text: str, place: int) -> int:
    return len(text[:place].encode("utf-16-le")) // 2


def size(text: str, place: int) -> int:
    return len(text[:place].encode())


MISTAKES: dict[str, Callable[[str, int, int], Extent]] = {
    "right": lambda _, begin, end: (begin, end),
    "inclusive": lambda _, begin, end: (begin, end - 1),
    "from-1": lambda _, begin, end: (begin + 1, end + 1),
    "from-1-inclusive": lambda _, begin, end: (begin + 1, end),
    "space-after": lambda _, begin, end: (begin, end + 1),
    "space-before": lambda _, begin, end: (begin - 1, end),
    "utf-16": lambda text, begin, end: (utf16(text, begin), utf16(text, end)),
    "bytes": lambda text, begin, end: (size(text, begin), size(text, end)),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write an output with each mistake, as documents with texts, and change to their folder."""
    for name, change in MISTAKES.items():
        write(tmp_path / f"{name}.jsonl", change)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(file: Path, change: Callable[[str, int, int], Extent], *, times: int = 1, text: bool = True) -> None:
    lines = []
    for number, each in enumerate(TEXTS):
        changed = [change(each, *extent) for extent in spans(each) for _ in range(times)]
        found = [{"begin": begin, "end": end, "label": "X"} for begin, end in changed]
        lines.append({"id": f"d{number}", **({"text": each} if text else {}), "spans": found})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def noted(key: str, *systems: str, task: str = "span", **options: object) -> list[str]:
    found = cp.compare(key, list(systems), task=task, resamples=0, **options)  # type: ignore[arg-type]
    return [str(note) for note in found.notes]


@pytest.mark.parametrize(
    ("name", "what", "remedy"),
    [
        ("inclusive", "end inside a word; with ends one further", "offsets=inclusive"),
        ("from-1", "begin inside a word; with offsets from 1", "base=1"),
        (
            "from-1-inclusive",
            "begin inside a word; with offsets from 1 and the end included",
            "offsets=inclusive&base=1",
        ),
        ("space-after", "begin or end with white space; without it", "strip=yes"),
        ("space-before", "begin or end with white space; without it", "strip=yes"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_option_that_mends_an_output_is_named(name: str, what: str, remedy: str) -> None:
    file = f"{name}.jsonl"
    places = ", ".join([f"{file}:1"] * 3)
    assert noted("right.jsonl", file) == [
        f"{name}: spans that {what}, 12 of 12 spans would match spans of the key, instead of 0 ({file}?{remedy}): "
        f"12 ({places}, …)"
    ]
    assert noted("right.jsonl", f"{file}?{remedy}") == []
    found = cp.compare("right.jsonl", f"{file}?{remedy}", task="span", resamples=0)
    assert found.scores("f1").value(name) == 1.0


@pytest.mark.usefixtures("folder")
def test_units_are_named_even_if_only_some_spans_are_wrong() -> None:
    # one name comes after an emoji in the first text, and one in the third
    assert noted("right.jsonl", "utf-16.jsonl") == [
        "utf-16: spans that begin inside a word; with offsets in UTF-16 units, 12 of 12 spans would match spans "
        "of the key, instead of 10 (utf-16.jsonl?offsets=utf-16): 2 (utf-16.jsonl:1, utf-16.jsonl:3)"
    ]
    (note,) = noted("right.jsonl", "bytes.jsonl")
    assert "with offsets in bytes of UTF-8, 12 of 12 spans would match spans of the key, instead of 0" in note
    assert "(bytes.jsonl?offsets=bytes)" in note


@pytest.mark.usefixtures("folder")
def test_so_is_that_of_the_key() -> None:
    (note,) = noted("inclusive.jsonl", "right.jsonl")
    assert note.startswith(
        "key: spans that end inside a word; with ends one further, 12 of 12 spans would match spans of the systems, "
        "instead of 0 (inclusive.jsonl?offsets=inclusive): 12 (inclusive.jsonl:1"
    )


@pytest.mark.usefixtures("folder")
def test_a_right_output_and_a_weak_one_are_not_noted(tmp_path: Path) -> None:
    assert noted("right.jsonl", "right.jsonl") == []
    write(tmp_path / "weak.jsonl", lambda text, *_: (text.index("met"), text.index("met") + 3))
    assert [note for note in noted("right.jsonl", "weak.jsonl") if "given twice" not in note] == []


@pytest.mark.usefixtures("folder")
def test_a_weak_output_with_wrong_offsets_is(tmp_path: Path) -> None:
    def weak(text: str, begin: int, end: int) -> Extent:
        return (begin, end - 1) if text[begin:end] == "Oslo" else (text.index("met"), text.index("met") + 2)

    write(tmp_path / "weak.jsonl", weak)
    (note,) = [note for note in noted("right.jsonl", "weak.jsonl") if "given twice" not in note]
    assert note.startswith(
        "weak: spans that end inside a word; with ends one further, 4 of 12 spans would match spans of the key, "
        "instead of 0 (weak.jsonl?offsets=inclusive): 12 ("
    )


@pytest.mark.usefixtures("folder")
def test_spans_of_subwords_have_no_remedy_but_a_note(tmp_path: Path) -> None:
    write(tmp_path / "sub.jsonl", lambda _, begin, end: (begin + 1, end))
    write(tmp_path / "sub.jsonl", lambda text, begin, end: (begin + 1, end - 1) if text[begin] == "O" else (0, 2))
    (note, *_) = [note for note in noted("right.jsonl", "sub.jsonl") if "given twice" not in note]
    assert note.startswith(
        "sub: spans that begin or end inside a word, of 12 spans; check that offsets refer to the same text: "
    )


def test_mentions_without_texts_are_checked_against_the_text_of_the_key(folder: Path) -> None:
    lines = [f"d{number}\t{b}\t{e}\tQ1\t1.0\tX\n" for number, text in enumerate(TEXTS) for b, e in spans(text)]
    (folder / "out.tsv").write_text("".join(lines))
    (note,) = noted("right.jsonl", "out.tsv")
    assert note == (
        "out: spans with other extents than the spans of the key; with ends one earlier, 12 of 12 spans would match "
        "spans of the key, instead of 0 (out.tsv?offsets=code-points): 12 (out.tsv:1, out.tsv:2, out.tsv:3, …)"
    )
    assert noted("right.jsonl", "out.tsv?offsets=code-points") == []


def test_data_in_python_are_mended_by_options() -> None:
    def documents(change: int) -> list[dict[str, object]]:
        return [
            {
                "id": f"d{n}",
                "text": text,
                "spans": [{"begin": b, "end": e + change, "label": "X"} for b, e in spans(text)],
            }
            for n, text in enumerate(TEXTS)
        ]

    found = cp.compare(documents(0), {"crf": documents(-1)}, task="span", resamples=0)
    (note,) = map(str, found.notes)
    assert 'instead of 0 (options={"crf": {"offsets": "inclusive"}}): 12 (<crf>:1' in note
    options = {"crf": {"offsets": "inclusive"}}
    found = cp.compare(documents(0), {"crf": documents(-1)}, task="span", resamples=0, options=options)
    assert found.scores("f1").value("crf") == 1.0
    mistakes: list[dict[str, dict[str, str]]] = [{"bert": {}}, {"crf": {"offset": "inclusive"}}]
    for wrong in mistakes:
        with pytest.raises(ComparandaError):
            cp.compare(documents(0), {"crf": documents(-1)}, task="span", options=wrong)


@pytest.mark.usefixtures("folder")
def test_options_of_files_follow_their_path() -> None:
    with pytest.raises(ComparandaError, match="options: 'inclusive' is not data in Python"):
        noted("right.jsonl", "inclusive.jsonl", options={"inclusive": {"offsets": "inclusive"}})


@pytest.mark.parametrize("task", ["coref", "prob", "link"])
def test_so_it_is_for_chains_probabilities_and_links(task: str) -> None:
    def documents(change: int) -> list[dict[str, object]]:
        more = {"label": "X", "chain": "c", "id": "Q1", "score": 0.75}
        return [
            {"id": f"d{n}", "text": text, "spans": [{"begin": b, "end": e + change, **more} for b, e in spans(text)]}
            for n, text in enumerate(TEXTS)
        ]

    found = cp.compare(documents(0), {"crf": documents(-1)}, task=task, resamples=0)
    notes = [str(note) for note in found.notes if "with ends one further, 12 of 12 spans would match" in note.what]
    assert len(notes) == 1
    assert notes[0].startswith("crf: spans that end inside a word; ")


@pytest.mark.usefixtures("folder")
def test_validate_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "validate", "right.jsonl", "inclusive.jsonl", "--task", "span")
    assert "12 of 12 spans would match spans of the key, instead of 0 (inclusive.jsonl?offsets=inclusive)" in told.out


@pytest.mark.usefixtures("folder")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("inclusive", "end inside a word; with ends one further"),
        ("from-1", "begin inside a word; with offsets from 1"),
        ("space-after", "begin or end with white space; without it"),
        ("right", None),
    ],
)
def test_validate_of_a_single_file_looks_at_its_words(
    name: str, what: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(capsys, "validate", f"{name}.jsonl", "--task", "span")
    notes = [line for line in told.out.splitlines() if line.startswith("note")]
    if what is None:
        assert notes == []
    else:
        (note,) = notes
        assert note.startswith(f"note: key: spans that {what}, 12 of 12 spans would begin and end with words ({name}.")


def test_not_so_where_texts_have_no_spaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [{"begin": b, "end": b + 2, "label": "X"} for b in (2, 5, 9)]
    (tmp_path / "s.jsonl").write_text(
        json.dumps({"id": "d", "text": "我在北京和上海見過安娜和博。", "spans": found}) + "\n"
    )
    assert "note" not in run(capsys, "validate", tmp_path / "s.jsonl", "--task", "span").out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["inclusive", "utf-16", "right", "space-after"])
def test_a_comparison_in_parts_has_the_same_notes(name: str) -> None:
    whole = noted("right.jsonl", f"{name}.jsonl")
    assert noted("right.jsonl", f"{name}.jsonl", part=1) == whole
    assert noted("right.jsonl", f"{name}.jsonl", part=1 << 30) == whole
    assert noted("right.jsonl", f"{name}.jsonl", part=1, folder="saved") == whole
    assert [str(note) for note in cp.open("saved").notes] == whole


def test_parts_without_spans_in_the_key_count_as_well(folder: Path) -> None:
    for name, change in {"key": 0, "s": -1}.items():
        lines = []
        for number, text in enumerate(TEXTS):
            found = [{"begin": b, "end": e + change, "label": "X"} for b, e in spans(text)]
            lines.append({"id": f"d{number}", "text": text, "spans": [] if name == "key" and number > 1 else found})
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    whole = noted("key.jsonl", "s.jsonl")
    assert "with ends one further, 6 of 12 spans would match spans of the key, instead of 0" in whole[0]
    assert noted("key.jsonl", "s.jsonl", part=1) == whole


def test_texts_without_spaces_are_compared_by_the_spans_of_the_key(folder: Path) -> None:
    text = "我在北京和上海見過安娜和博"
    extents = [(2, 4), (5, 7), (9, 11), (12, 13)]
    for name, change in {"key": 0, "right": 0, "wrong": 1}.items():
        found = [{"begin": b + change, "end": e + change, "label": "X"} for b, e in extents]
        (folder / f"{name}.jsonl").write_text(
            json.dumps({"id": "d", "text": f"{text}。", "spans": found[: None if name != "right" else 2]}) + "\n"
        )
    assert noted("key.jsonl", "right.jsonl") == []
    (note,) = noted("key.jsonl", "wrong.jsonl")
    assert "with offsets from 1, 4 of 4 spans would match spans of the key, instead of 0" in note


def test_offsets_outside_the_text_are_refused_with_the_option(folder: Path) -> None:
    text = "Anna met Bo"
    found = [{"begin": 1, "end": 5, "label": "X"}, {"begin": 10, "end": 12, "label": "X"}]
    (folder / "s.jsonl").write_text(json.dumps({"id": "d", "text": text, "spans": found}) + "\n")
    with pytest.raises(ComparandaError) as error:
        noted("s.jsonl", "s.jsonl")
    assert str(error.value).splitlines() == [
        "s.jsonl:1: spans[1] of document 'd' ends at 12, but the text has 11 characters",
        "  the span: 10 12 X",
        "  offsets that count code points, from 1 would all be inside the text, and most at the ends of words",
        "  set ?base=1",
    ]


TWICE = "spans given twice, with the same extent and label; by exact match, each second one is a false positive"


def test_spans_given_twice_are_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "twice.jsonl", MISTAKES["right"], times=2)
    assert noted("right.jsonl", "twice.jsonl") == [
        f"twice: {TWICE}: 12 (twice.jsonl:1, twice.jsonl:1, twice.jsonl:1, …)"
    ]
    found = cp.compare("right.jsonl", "twice.jsonl", task="span", resamples=0)
    assert found.scores("precision").value("twice") == 0.5
    assert found.scores("recall").value("twice") == 1.0
    assert noted("right.jsonl", "twice.jsonl", part=1) == noted("right.jsonl", "twice.jsonl")
    assert noted("twice.jsonl", "twice.jsonl")[0] == (
        f"key: {TWICE.replace('positive', 'negative')}: 12 (twice.jsonl:1, twice.jsonl:1, twice.jsonl:1, …)"
    )
    told = run(capsys, "validate", "right.jsonl", "twice.jsonl", "--task", "span")
    assert f"note: twice: {TWICE}: 12" in told.out


def test_so_is_a_file_of_mentions_given_twice(folder: Path) -> None:
    lines = [f"d{number}\t{b}\t{e - 1}\tQ1\t1.0\tX\n" for number, text in enumerate(TEXTS) for b, e in spans(text)]
    (folder / "out.tsv").write_text("".join(lines) * 2)
    assert noted("right.jsonl", "out.tsv") == [f"out: {TWICE}: 12 (out.tsv:13, out.tsv:14, out.tsv:15, …)"]


def test_spans_of_one_extent_with_several_labels_or_pieces_are_not(folder: Path) -> None:
    text = "Anna met Bo"
    several = [
        {"begin": 0, "end": 4, "label": "X"},
        {"begin": 0, "end": 4, "label": "Y"},
        {"begin": 0, "end": 11, "label": "X"},
        {"begin": 0, "end": 11, "label": "X", "fragments": [[0, 4], [9, 11]]},
    ]
    (folder / "s.jsonl").write_text(json.dumps({"id": "d", "text": text, "spans": several}) + "\n")
    assert noted("s.jsonl", "s.jsonl") == []


def test_links_are_given_twice_if_they_have_the_same_id(folder: Path) -> None:
    def write_links(ids: Sequence[str]) -> list[str]:
        found = [{"begin": 0, "end": 4, "label": "X", "id": each} for each in ids]
        (folder / "s.jsonl").write_text(json.dumps({"id": "d", "text": "Anna met Bo", "spans": found}) + "\n")
        return [note for note in noted("s.jsonl", "s.jsonl", task="link") if note.startswith("s:")]

    assert write_links(["Q1", "Q2"]) == []
    assert write_links(["Q1", "Q1"])[0].startswith("s: spans given twice, with the same extent and label and id; ")
