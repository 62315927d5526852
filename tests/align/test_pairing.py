"""Documents are paired by their text and their names: marks alone never change a score, nor refuse one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import strategies as st

import comparanda as cp
from comparanda.align import align_responses
from tests.align.shown import refusal, to_response
from tests.findings.populations import identity
from tests.shared_data import shared
from tests.tasks.corpora import corpus
from tests.tasks.random_trees import Document, Maker, text_of, write, write_documents
from tests.tasks.udeval import counts, laid, trees

seeds = st.integers(0, 100_000)

WORDS = {"The": "DET", "cat": "NOUN", "sat": "VERB", "down": "ADV", "Dogs": "NOUN", "bark": "VERB", "now": "ADV"}
A, B, C = ["The", "cat", "sat"], ["Dogs", "bark", "now"], ["The", "dogs", "sat", "down"]


def conllu(*parts: tuple[str | None, list[str]], wrong: str = "") -> str:
    """Write documents of one sentence each; None leaves out the mark, "" the name."""
    found = ""
    for name, words in parts:
        found += "" if name is None else f"# newdoc id = {name}\n" if name else "# newdoc\n"
        for number, word in enumerate(words, start=1):
            tag = "X" if word == wrong else WORDS.get(word, "NOUN")
            found += "\t".join([str(number), word, "_", tag, "_", "_", "0", "root", "_", "_"]) + "\n"
        found += "\n"
    return found


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, text: str) -> str:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return name


def compared(key: str, output: str, **settings: object) -> cp.Result:
    given = {"resamples": 0, **settings}
    return cp.compare(put("key.conllu", key), {"x": put("x.conllu", output)}, task="pos", **given)  # type: ignore[arg-type]


def right(key: str, output: str, **settings: object) -> float | None:
    return compared(key, output, **settings).scores("accuracy").value("x")


def test_names_of_other_documents_are_noted_if_the_whole_text_is_the_keys() -> None:
    result = compared(conllu(("a", A), ("b", B), ("c", C)), conllu(("b", A), ("c", B), ("a", C)))
    assert result.scores("accuracy").value("x") == 1.0
    expected = "x: document names that the key gives to other documents, documents matched by their text: 3"
    assert [str(note).partition(" (")[0] for note in result.notes] == [expected]


def notes(result: cp.Result) -> list[str]:
    return [str(note) for note in result.verdicts.notes if "document" in note.what]


def refused(key: str, output: str, **settings: object) -> str:
    with pytest.raises(cp.AlignError) as caught:
        compared(key, output, **settings)
    return str(caught.value)


# A name that recurs


def test_a_name_that_recurs_continues_its_document() -> None:
    key = conllu(("a", A), ("b", B), ("a", C))
    result = compared(key, conllu((None, A + B), (None, C), wrong="sat"))
    assert result.scores("accuracy").value("x") == 8 / 10
    assert (result.verdicts.units.kind, result.verdicts.units.count) == ("document", 2)
    assert notes(result) == [
        "key: document names that recur, continuing the document of that name: 1 (key.conllu:11)",
    ]


def test_adjacent_parts_are_one_document() -> None:
    result = compared(conllu(("a", A), ("a", B), ("c", C)), conllu((None, A), (None, B), (None, C)))
    assert result.verdicts.documents == ("a", "c")


def test_conditions_and_slices_take_all_parts_of_a_document() -> None:
    result = compared(conllu(("a", A), ("b", B), ("a", C)), conllu(("a", A), ("b", B), ("a", C), wrong="sat"))
    assert {each.value: each.sites for each in result.slices("document").slices} == {"a": 7, "b": 3}
    assert result.where('document == "a"').scores("accuracy").value("x") == 5 / 7


def test_parts_of_documents_are_matched_by_name_in_another_order() -> None:
    key = conllu(("a", A), ("b", B), ("a", C))
    assert right(key, conllu(("b", B), ("a", A), ("a", C), wrong="sat")) == 8 / 10


def test_results_with_continued_documents_are_saved_and_opened(tmp_path: Path) -> None:
    result = compared(conllu(("a", A), ("b", B), ("a", C)), conllu((None, A + B + C), wrong="sat"), resamples=50)
    result.save(tmp_path / "saved")
    opened = cp.open(tmp_path / "saved")
    assert opened.verdicts.units.count == 2
    assert opened.scores().tables() == result.scores().tables()


def test_parts_give_the_same_as_a_single_pass() -> None:
    key, output = conllu(("a", A), ("b", B), ("a", C)), conllu(("a", A), ("b", B), ("a", C), wrong="sat")
    assert right(key, output, part=1) == right(key, output) == 8 / 10


# Anonymous marks, other names, other boundaries


def test_anonymous_documents_are_never_matched_by_number() -> None:
    """The case of ArmParser: one mark at the beginning, where the key has two later."""
    key = conllu((None, A), ("", B), ("", C))
    result = compared(key, conllu(("", A), (None, B), (None, C), wrong="bark"))
    assert result.scores("accuracy").value("x") == 9 / 10
    assert result.verdicts.units.count == 3
    assert notes(result) == ["x: document boundaries that differ from the key's, which are used: 2"]


def test_an_anonymous_document_that_is_missing_is_not_counted_as_the_next() -> None:
    key = conllu(("", A), ("", B), ("", C))
    for missing in ("error", "empty", "intersection"):
        message = refused(key, conllu(("", B), ("", C)), missing=missing)
        assert message.startswith("x.conllu:2: the text differs from the key's (key.conllu:2)")


@pytest.mark.parametrize("missing", ["error", "empty", "intersection"])
@pytest.mark.parametrize(
    "names",
    [
        ("a", "z", None),
        ("z", "y", "x"),
        ("b", "c", "a"),
        (None, None, None),
        ("", "", ""),
        ("a", None, "b"),
        ("c", "a", ""),
    ],
)
def test_the_whole_text_is_aligned_whatever_the_marks(names: tuple[str | None, ...], missing: str) -> None:
    key = conllu(("a", A), ("b", B), ("c", C))
    output = conllu(*zip(names, (A, B, C), strict=True), wrong="bark")
    for part in (None, 1):
        assert right(key, output, missing=missing, part=part) == 9 / 10


def test_documents_of_equal_text_are_not_moved_against_their_names() -> None:
    key = corpus("key", [[("b", "X")]], [[("b", "Y")]], names=["d1", "d2"])
    turned = corpus("x", [[("b", "Y")]], [[("b", "X")]], names=["d2", "other"])
    assert to_response(align_responses(key, [turned])) == [1, 0]


# Messages


def test_missing_is_not_advised_if_only_names_differ() -> None:
    key = conllu(("a", A), ("b", B), ("c", C))
    assert refused(key, conllu(("c", C), ("z", B), ("y", A))) == (
        "x.conllu: the system output does not cover the key: 2 of the key's documents missing\n"
        "  missing here: 'a', 'b' of the key (key.conllu)\n"
        "  not in the key: 'y', 'z'\n"
        "  no text is missing, names differ: here 'a' is named 'y', 'b' is named 'z'\n"
        "  give the documents the names that they have in the key"
    )


def test_missing_is_not_advised_if_names_and_a_few_characters_differ() -> None:
    long = [f"word{number}" for number in range(20)]
    key, output = conllu(("a", A), ("b", long)), conllu(("z", [*long[:-1], "other"]), ("a", A))
    assert "no text is missing, names differ: here 'b' has other names" in refused(key, output)
    assert "--missing" not in refused(key, output)


def test_missing_is_advised_if_text_is_missing() -> None:
    message = refused(conllu(("a", A), ("b", B)), conllu(("b", B)))
    assert "--missing empty" in message
    assert right(conllu(("a", A), ("b", B)), conllu(("b", B)), missing="empty") == 3 / 6


# Folders


def test_files_are_paired_by_name_before_the_documents_in_them() -> None:
    """One file of the key marks documents; outputs mark none, or have names of their own, or other file orders."""
    for name, text in {"t1": conllu(("", A), ("", B)), "t2": conllu((None, C)), "t3": conllu((None, B))}.items():
        put(f"gold/{name}.conllu", text)
    for team, (first, names) in {"plain": (None, (None, None, None)), "own": ("ori/1", ("", "ori/2", "ori/3"))}.items():
        put(f"teams/{team}/t1.conllu", conllu((first, A), (names[0], B), wrong="bark"))
        put(f"teams/{team}/t2.conllu", conllu((names[1], C)))
        put(f"teams/{team}/t3.conllu", conllu((names[2], B), wrong="bark"))
    put("teams/short/t3.conllu", conllu((None, B)))
    put("teams/short/t1.conllu", conllu((None, A), (None, B)))
    board = cp.leaderboard("gold", "teams", task="pos", resamples=0)
    assert [(each.system, each.scores[0].value) for each in board.standings] == [("own", 11 / 13), ("plain", 11 / 13)]
    (short,) = board.refused
    assert "1 of the key's documents missing" in short.reason
    board = cp.leaderboard("gold", "teams", task="pos", resamples=0, missing="empty")
    assert {each.system: each.scores[0].value for each in board.standings}["short"] == 9 / 13


def test_the_same_document_in_two_files_is_refused() -> None:
    put("gold/a.conllu", conllu(("d", A)))
    put("gold/b.conllu", conllu(("d", A)))
    with pytest.raises(cp.ReadError, match=r"gold/b\.conllu:1: duplicate document 'd'"):
        cp.compare("gold", {"x": "gold"}, task="pos")


# Properties


@identity(seeds, examples=40)
def test_random_marks_change_no_count(seed: int) -> None:
    """Any cut of the response into documents, with any names, counts as without marks, if the text is the key's."""
    maker = Maker(seed, ranges=0)
    key, response = maker.documents()
    whole = [sentence for document in response for sentence in document.sentences]
    expected = counts(laid(write([s for d in key for s in d.sentences]), write(whole)))
    cuts = sorted({0, *(maker.chance.randint(0, len(whole) - 1) for _ in range(3))})
    pool = [*(each.name for each in key), "x", "y", "z", "", "", ""]
    maker.chance.shuffle(pool)
    marked = [Document(pool.pop(), whole[begin:end]) for begin, end in zip(cuts, [*cuts[1:], len(whole)], strict=True)]
    if _contradict(key, marked):
        return
    text = write_documents(marked).replace("# newdoc id = \n", "# newdoc\n")
    assert refusal(trees(write_documents(key)), trees(text)) is None
    found = laid(write_documents(key), text)
    assert counts(found) == expected
    assert to_response(found) == to_response(laid(write([s for d in key for s in d.sentences]), write(whole)))


@identity(seeds, examples=20)
def test_texts_with_offsets_may_be_merged_and_renamed(seed: int) -> None:
    """Consecutive documents of the key are one in the output, under other names; white space differs."""
    chance = random.Random(seed)
    key: list[tuple[str, str, list[tuple[int, int, str]]]] = []
    for number in range(chance.randint(2, 5)):
        words = ["".join(chance.choice("abä") for _ in range(chance.randint(1, 5))) for _ in range(6)]
        text, spans = "", []
        for word in words:
            spans += [(len(text), len(text) + len(word), chance.choice("XY"))] * (chance.random() < 0.5)
            text += word + chance.choice([" ", "\n", "  "])
        key.append((f"d{number}", text, spans or [(0, 1, "X")]))
    output = [("z0", *key[0][1:])]
    for _, text, spans in key[1:]:
        name, before, some = output[-1]
        if chance.random() < 0.5:
            shifted = [(len(before) + begin, len(before) + end, label) for begin, end, label in spans]
            output[-1] = (name, before + text, [*some, *shifted])
        else:
            output.append((f"z{len(output)}", text, spans))
    result = cp.compare(standoff("k.jsonl", key), {"x": standoff("o.jsonl", output)}, task="span", resamples=0)
    assert result.scores("f1").value("x") == 1.0


def standoff(name: str, documents: list[tuple[str, str, list[tuple[int, int, str]]]]) -> str:
    found = ""
    for title, text, spans in documents:
        some = [{"start": begin, "end": end, "label": label} for begin, end, label in spans]
        found += json.dumps({"id": title, "text": text, "spans": some}) + "\n"
    return put(name, found)


def _contradict(key: list[Document], response: list[Document]) -> bool:
    """Whether a document has one name and one text on both sides, at different places of the text."""
    places: list[dict[str, tuple[int, str]]] = []
    for side in (key, response):
        before, found = 0, {}
        for each in side:
            text = text_of(each.sentences)
            found[each.name] = (before, text)
            before += len(text)
        places.append(found)
    return any(
        name in places[1] and places[1][name][1] == text and places[1][name][0] != begin
        for name, (begin, text) in places[0].items()
    )


@identity(seeds, examples=40)
def test_another_text_is_refused_whatever_the_marks(seed: int) -> None:
    maker = Maker(seed, ranges=0)
    key, response = maker.documents()
    whole = [sentence for document in response for sentence in document.sentences]
    text = text_of(whole)
    place = maker.chance.randrange(len(text))
    changed = text[:place] + ("ö" if text[place] != "ö" else "o") + text[place + 1 :]
    cut = maker.corpus(changed)
    marked = [Document(name, [each]) for name, each in zip(_names(maker, key, len(cut)), cut, strict=True)]
    for output in (write(cut), write_documents(marked)):
        assert refusal(trees(write_documents(key)), trees(output)) is not None


def _names(maker: Maker, key: list[Document], count: int) -> list[str]:
    names = [*(each.name for each in key), *(f"x{number}" for number in range(count))]
    maker.chance.shuffle(names)
    return names[:count]


# Documents without names and text


def raw_output(*answers: list[tuple[int, int, str, str]]) -> str:
    """The list that a tool like GLiNER returns for a list of texts, one line for each."""
    fields = ("start", "end", "text", "label")
    lines = ([{**dict(zip(fields, span, strict=True)), "score": 0.9} for span in some] for some in answers)
    return put("raw.jsonl", "".join(f"{json.dumps(each)}\n" for each in lines))


TEXTS = [("d1", "Anna left Rome.", (0, 4, "PER")), ("d2", "At IBM.", (3, 6, "ORG")), ("d3", "Bob.", (0, 3, "PER"))]


def key_with_names() -> str:
    spans = (
        {"id": name, "text": text, "spans": [{"start": a, "end": b, "label": c}]} for name, text, (a, b, c) in TEXTS
    )
    return put("named.jsonl", "".join(f"{json.dumps(each)}\n" for each in spans))


def test_documents_without_names_are_matched_in_order_if_their_texts_are_there() -> None:
    output = raw_output([(0, 4, "Anna", "PER")], [(3, 6, "IBM", "ORG")], [])
    result = cp.compare(key_with_names(), {"x": output}, task="prob", resamples=0)
    assert result.scores("recall").value("x") == 2 / 3
    what = "x: documents without names, matched in order, as the texts of their spans are there: 3"
    assert what in map(str, result.verdicts.notes)


@pytest.mark.parametrize(
    "answers",
    [
        ([(3, 6, "IBM", "ORG")], [(0, 4, "Anna", "PER")], []),
        ([(0, 4, "Anna", "PER")], [(3, 6, "IBM", "ORG")]),
        ([(0, 4, "Otto", "PER")], [(3, 6, "IBM", "ORG")], []),
    ],
)
def test_else_they_are_refused_and_missing_is_not_advised(answers: tuple[list[tuple[int, int, str, str]], ...]) -> None:
    with pytest.raises(cp.AlignError) as caught:
        cp.compare(key_with_names(), {"x": raw_output(*answers)}, task="prob")
    assert str(caught.value).endswith(
        "  no document has the same name in both\n  give the documents the names that they have in the key"
    )


@pytest.mark.slow
def test_a_folder_of_treebanks_whose_teams_mark_documents_in_other_ways() -> None:
    """As the leaderboard of one file each: marks with other ids, no marks, and a gold file whose documents recur."""
    source = shared("data/edges/ud/conll2018")
    for treebank in ("bg_btb", "tr_imst"):
        gold = (source / f"gold/{treebank}.conllu").read_text()
        put(
            f"gold/{treebank}.conllu",
            gold if treebank == "bg_btb" else gold.replace("# sent_id", "# newdoc\n# sent_id", 1),
        )
        for team in ("HIT-SCIR-18", "UDPipe-Future"):
            text = (source / f"systems/{team}/{treebank}.conllu").read_text()
            put(f"teams/{team}/{treebank}.conllu", text)
            plain = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# newdoc"))
            put(f"teams/{team}-ids/{treebank}.conllu", f"# newdoc id = ori/./test-datasets/{treebank}.txt\n{plain}")
            put(f"teams/{team}-plain/{treebank}.conllu", plain)
    board = cp.leaderboard("gold", "teams", task="dep", resamples=0, view="conll18", measures=["f1[LAS]"])
    assert board.refused == ()
    scores = {each.system: each.scores[0].value or 0.0 for each in board.standings}
    for team in ("HIT-SCIR-18", "UDPipe-Future"):
        assert scores[team] == scores[f"{team}-ids"] == scores[f"{team}-plain"]
    assert scores["HIT-SCIR-18"] > scores["UDPipe-Future"]
