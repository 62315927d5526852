"""Exit code 3: one paragraph says which file, which line, what is wrong, and what to do."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.places import Stretch
from comparanda.formats import files
from tests.cli.files import conllu, key_and_system, write
from tests.command import run


def refused(capsys: pytest.CaptureFixture[str], *arguments: object, task: str = "pos") -> str:
    """Run `score` on input that must be refused; return the error paragraph."""
    outcome = run(capsys, "score", *arguments, "--task", task, "--resamples", "0", "--quiet")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("comparanda: ")
    return outcome.err.removeprefix("comparanda: ").rstrip("\n")


@pytest.fixture
def key(work: Path) -> str:
    return key_and_system()[0]


def test_not_utf8(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu("NOUN", "\xe9").encode("latin-1"))
    assert refused(capsys, key, bad) == (
        "bad.conllu:2: not UTF-8: byte 0xe9 in this line (invalid continuation byte)\n"
        "  convert it, for example: iconv -f LATIN1 -t UTF-8 FILE"
    )


def test_utf16_with_a_mark(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", b"\xff\xfe" + conllu().encode("utf-16-le"))
    assert refused(capsys, key, bad) == (
        "bad.conllu: the file is UTF-16 (little-endian), not UTF-8\n  convert it: iconv -f UTF-16 -t UTF-8 FILE"
    )


def test_utf16_without_a_mark(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu().encode("utf-16-be"))
    assert refused(capsys, key, bad) == (
        "bad.conllu:1: there is a NUL byte in this line\n  it looks like UTF-16: iconv -f UTF-16 -t UTF-8 FILE"
    )


def test_a_nul_byte(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu("NOUN", "VE\0RB"))
    text = "bad.conllu:2: there is a NUL byte in this line\n  is it a text file?"
    assert refused(capsys, key, bad) == text


def test_ragged_columns(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = conllu().split("\n")
    lines[4] = "\t".join(lines[4].split("\t")[:4])
    text = refused(capsys, key, write("bad.conllu", "\n".join(lines)))
    assert text.startswith("bad.conllu:5: expected 10 columns for CoNLL-U, got 4")


def test_a_bad_id(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu().replace("2\tbark", "7\tbark"))
    assert refused(capsys, key, bad).startswith("bad.conllu:2: ")
    assert "7" in refused(capsys, key, bad)


def test_another_text(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu(words=["Dogs", "bark", "Mice"]))
    assert refused(capsys, key, bad) == (
        "bad.conllu:4: the text differs from the key's (gold.conllu:4)\n"
        "  after 'Dogs bark': 'Cats sleep well' in the key, 'Mice sleep well' in the system output\n"
        "  give files with the same text; only white space, tokenisation and sentence boundaries may differ"
    )


def test_a_shorter_text(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu()[: conllu().index("2\tsleep")] + "\n")
    assert refused(capsys, key, bad) == (
        "bad.conllu:4: the text differs from the key's (gold.conllu:5)\n"
        "  after 'Dogs bark Cats': 'sleep well' in the key, the end in the system output\n"
        "  give files with the same text; only white space, tokenisation and sentence boundaries may differ"
    )


def test_a_document_too_few(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = write("gold.conllu", conllu(marked=True) + conllu(marked=True).replace("d1", "d2"))
    bad = write("bad.conllu", conllu(marked=True))
    text = refused(capsys, key, bad)
    assert text.startswith("bad.conllu: the system output does not cover the key: 1 of the key's documents missing")
    assert "'d2'" in text
    assert "--missing empty" in text


def test_an_empty_file(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, key, write("bad.conllu", "")) == "bad.conllu: the file is empty"
    assert refused(capsys, key, os.devnull) == "/dev/null: the file is empty"


def test_blank_lines_alone(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, key, write("bad.conllu", "\n\n")) == "bad.conllu: the file has only blank lines"


def test_a_folder_without_matching_files(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("folder/readme.rst", "no corpus")
    text = refused(capsys, key, "folder")
    assert text.startswith("folder: the folder has no matching files\n  files ending in ")


def test_a_pattern_without_matching_files(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, key, "x*.conllu") == "x*.conllu: no file matches this pattern"


def test_a_file_that_is_not_there(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, key, "sis.conllu") == "sis.conllu: no such file (did you mean 'sys.conllu'?)"


def test_a_file_that_may_not_be_read(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = Path.open

    def refuse(path: Path, *arguments: Any, **settings: Any) -> Any:
        if path.name == key:  # the tests may be run by root, who may read everything
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **settings)

    monkeypatch.setattr(Path, "open", refuse)
    assert refused(capsys, key, "sys.conllu") == "gold.conllu: cannot be read: Permission denied"


def test_a_file_that_vanishes_before_it_is_read(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = files._append_stretch

    def vanish(joined: bytearray, end: int, stretch: Stretch) -> int:
        Path("sys.conllu").unlink(missing_ok=True)
        return found(joined, end, stretch)

    monkeypatch.setattr(files, "_append_stretch", vanish)
    monkeypatch.setattr(files, "_suggest_name", lambda _: "")
    text = refused(capsys, key, "sys.conllu")
    assert text.startswith("sys.conllu: ")


def test_a_file_that_changes_while_it_is_read(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = files._fill

    def change(stream: object, view: memoryview) -> int:
        with open("gold.conllu", "a", encoding="utf-8") as other:
            other.write("\n")
        return filled(stream, view)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "_fill", change)
    text = "gold.conllu: the file changed while it was being read\n  run again"
    assert refused(capsys, key, "sys.conllu") == text


def test_a_truncated_gzip(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    packed = gzip.compress(conllu().encode())
    bad = write("bad.conllu.gz", packed[: len(packed) // 2])
    text = "bad.conllu.gz: the gzip file is truncated\n  copy or download it again"
    assert refused(capsys, key, bad) == text


def test_a_damaged_gzip(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    packed = bytearray(gzip.compress(conllu().encode()))
    packed[-6] ^= 0xFF
    assert refused(capsys, key, write("bad.gz", bytes(packed))).startswith("bad.gz: the gzip file is damaged")


def test_a_column_that_holds_nothing(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", key, "sys.conllu", "--task", "tag", "--column", "xpos", "-q")
    assert outcome.code == 3
    assert outcome.err.startswith("comparanda: gold.conllu: the column 'xpos' contains only '_'")


def test_a_column_that_is_not_there(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = write("gold.csv", "id,label\na,x\nb,y\n"), write("sys.csv", "id,label\na,x\nb,x\n")
    outcome = run(capsys, "score", key, system, "--task", "label", "--column", "lable", "-q")
    assert outcome.code == 3
    assert outcome.err.startswith("comparanda: gold.csv:1: there is no column 'lable' (did you mean 'label'?)")


def test_a_line_above_the_limit(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, key, "sys.conllu", "--max-line", "20")
    assert text.startswith("gold.conllu:1: this line has more than 20 bytes\n")
    assert "--max-line" in text


def test_more_labels_than_are_accepted(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, key, "sys.conllu", "--limit", "labels=1", "--limit", "document=9")
    assert text.startswith("gold.conllu: there are 3 different labels, more than 1\n")
    assert "--limit labels=NUMBER" in text


def test_a_file_of_no_format(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, key, write("bad", "once upon a time there was\nno corpus at all, alas\n"))
    assert text.startswith("bad:1: ")


def test_bad_label_maps(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = "m.map:1: expected two columns, the old and the new label"
    assert refused(capsys, key, "sys.conllu", "--map", write("m.map", "NOUN\n")) == text
    assert refused(capsys, key, "sys.conllu", "--map", "n.map") == "n.map: no such file (did you mean 'm.map'?)"


def test_strict_refuses_what_is_worth_a_note(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, key, write("sys.conllu", conllu("X")), "--strict")
    assert text.startswith("the input produced warnings (--strict)\n  sys: labels the key never uses: 1")


def test_random_bytes_are_refused_in_every_place(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(30):
        noise = bytes((seed * 7919 + number * number * 31 + number) % 256 for number in range(400))
        bad = write("noise", noise)
        refused(capsys, key, bad)
        refused(capsys, bad, "sys.conllu")
        refused(capsys, key, bad, task="label")


# Trees


def trees(*sentences: str) -> str:
    """Write sentences whose words have these heads."""
    lines = []
    for heads in sentences:
        lines += [f"{n}\tw{n}\t_\tN\t_\t_\t{head}\tdep\t_\t_" for n, head in enumerate(heads.split(), start=1)]
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def trees_key(work: Path) -> str:
    return write("gold.conllu", trees("0 1", "0 1 2 3"))


def noted(capsys: pytest.CaptureFixture[str], key: str, heads: str) -> list[str]:
    """Score a second sentence with these heads, which must go well; return the notes on the trees."""
    system = write("sys.conllu", trees("0 1", heads))
    outcome = run(capsys, "score", key, system, "--task", "dep", "--resamples", "0")
    assert (outcome.code, outcome.out.startswith("\nScores\n")) == (0, True)
    return [line for line in outcome.err.splitlines() if line.startswith("note: sys: ")]


def test_several_roots_are_scored_and_noted(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert noted(capsys, trees_key, "0 0 0 3") == ["note: sys: sentences with several roots: 1 (sys.conllu:5)"]


def test_no_root_is_scored_and_noted(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(noted(capsys, trees_key, "2 1 2 3")) == [
        "note: sys: sentences with a cycle: 1 (sys.conllu:4)",
        "note: sys: sentences without a root: 1 (sys.conllu:4)",
    ]


def test_a_cycle_is_scored_and_noted(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert noted(capsys, trees_key, "0 1 4 3") == ["note: sys: sentences with a cycle: 1 (sys.conllu:6)"]


def test_arcs_that_cross_are_scored_and_noted(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = ["note: sys: non-projective arcs: 2 (sys.conllu:4, sys.conllu:7)"]
    assert noted(capsys, trees_key, "3 0 2 1") == expected


def test_a_head_that_is_no_number(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", trees("0 1", "0 1 x 3"))
    assert refused(capsys, trees_key, bad, task="dep") == (
        "bad.conllu:6: expected a head as a number from 0, got 'x'\n  the sentence begins at bad.conllu:4"
    )


def test_a_head_out_of_range(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", trees("0 1", "0 1 5 3"))
    assert refused(capsys, trees_key, bad, task="dep") == (
        "bad.conllu:6: the head is 5, but the sentence has 4 words\n"
        "  the sentence begins at bad.conllu:4 and ends at bad.conllu:7"
    )


def test_ids_with_a_gap(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", trees("0 1", "0 1 2 3").replace("3\tw3", "5\tw3"))
    assert refused(capsys, trees_key, bad, task="dep") == (
        "bad.conllu:6: expected id 3, got 5\n"
        "  the id 2 is at bad.conllu:5\n"
        "  ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
    )


def test_a_range_past_the_end(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", trees("0 1").replace("2\tw2", "2-3\tx" + "\t_" * 8 + "\n2\tw2"))
    assert refused(capsys, trees_key, bad, task="dep") == (
        "bad.conllu:2: the range ends at word 3, but the sentence has 2 words\n  the last word is at bad.conllu:3"
    )


def test_a_file_without_heads_is_one_of_tags(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", trees("_ _", "_ _ _ _"))
    assert refused(capsys, trees_key, bad, task="dep") == (
        "bad.conllu: the column of heads contains only '_': the file has tags, but no trees\n"
        "  compare its tags with --task tag"
    )


def test_conllx_read_as_conllu(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("bad.conllx", trees("0 1", "0 1 2 3").replace("dep\t_\t_", "dep\t0\tdep"))
    assert refused(capsys, trees_key, "bad.conllx::conllu", task="dep") == (
        "bad.conllx:1: expected enhanced edges as head:relation|head:relation, got '0'\n"
        "  the sentence begins at bad.conllx:1\n"
        "  if this is a PHEAD, read the file as CoNLL-X: FILE::conllx"
    )
    assert run(capsys, "score", trees_key, "bad.conllx", "--task", "dep", "--resamples", "0", "-q").code == 0


def test_a_format_without_trees(trees_key: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", trees_key, f"x={write('x.txt', 'w1 N')}::columns", "--task", "dep", "-q")
    text = "comparanda: format 'columns' has no trees\n  formats that have: conllu, conllx\n"
    assert (outcome.code, outcome.err) == (2, text)


def test_a_few_other_characters_are_tolerated_on_request(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write("bad.conllu", conllu().replace("sleep", "sleeq"))
    assert "the text differs from the key's" in refused(capsys, key, bad)
    done = run(capsys, "score", key, bad, "--task", "pos", "--texts", "tolerate", "--resamples", 0, "--json")
    assert done.code == 0
    assert "texts:tolerate" in done.json["signature"]
    assert (
        "characters that differ from the key's text (--texts tolerate): 1 (bad.conllu:5 'sleeq' for 'sleep')"
        in done.err
    )
    assert "expected exact or tolerate" in run(capsys, "score", key, bad, "--task", "pos", "--texts", "no").err
