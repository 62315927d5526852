"""Folders of submissions: what is one, what it is called, and that a bad one stops nobody but itself."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda import ComparandaError, ReadError, UsageError, leaderboard, pipeline
from comparanda.align import Missing
from comparanda.api import submissions as leaderboards
from comparanda.api.submissions import (
    Submission,
    anonymise_submissions,
    evaluate_submissions,
    find_submissions,
    rank_submissions,
)
from comparanda.demo import demo_files
from comparanda.findings.leaderboard import Leaderboard
from comparanda.formats.inputs import Input, Runs, read_input

WORDS = ("Ann", "met", "Bo", "in", "Rome")
GOLD = ("B-PER", "O", "B-PER", "O", "B-LOC")


def bio(*tags: str, documents: int = 1, words: tuple[str, ...] = WORDS) -> str:
    """Write documents of one sentence each; the tags are those of the first, the others are right."""
    blocks = []
    for number in range(documents):
        mine = tags if tags and not number else GOLD
        rows = "".join(f"{word}\t{tag}\n" for word, tag in zip(words, mine, strict=True))
        blocks.append(f"-DOCSTART- (d{number})\n\n{rows}")
    return "\n".join(blocks)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder `subs` beside a key `gold.bio`; the current folder holds both."""
    monkeypatch.chdir(tmp_path)
    Path("gold.bio").write_text(bio())
    Path("subs").mkdir()
    return Path("subs")


def board(*sources: str, **settings: Any) -> Leaderboard:
    return leaderboard("gold.bio", list(sources) or "subs", **{"task": "span", "resamples": 0, **settings})


def names(*sources: str) -> list[str]:
    """What submissions are called."""
    return [each.name for each in find_submissions(map(Input.parse, sources)).submissions]


# What is a submission


def test_each_file_and_each_subfolder_is_one(folder: Path) -> None:
    (folder / "b.bio").write_text(bio())
    (folder / "team.v2").mkdir()
    (folder / "team.v2" / "part-1.bio").write_text(bio())
    (folder / "none").mkdir()
    assert names("subs") == ["b", "none", "team.v2"]
    made = board()
    assert [each.system for each in made.standings] == ["b", "team.v2"]
    assert [(each.system, each.reason) for each in made.refused] == [
        ("none", f"{Path('subs/none')}: the folder has no matching files")
    ]


def test_what_is_obviously_none_is_passed_over_and_said(folder: Path) -> None:
    for name in (".hidden", "README", "README.txt", "LICENSE", "notes.md", "old.bio~", "a.bio"):
        (folder / name).write_text(bio())
    Path("subs/gold.bio").symlink_to(Path("gold.bio").resolve())
    made = board()
    assert [each.system for each in made.standings] == ["a"]
    assert made.passed_over == (
        "subs/.hidden",
        "subs/LICENSE",
        "subs/README",
        "subs/README.txt",
        "subs/gold.bio (the key)",
        "subs/notes.md",
        "subs/old.bio~",
    )
    assert f"ignored, not submissions: {', '.join(made.passed_over)}" in str(made)


def test_two_of_one_name_are_told_apart(folder: Path) -> None:
    for path in ("subs/a.bio", "subs/a.txt", "subs/b.bio", "more/b.bio", "more/key.bio"):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(bio())
    assert names("subs") == ["a.bio", "a.txt", "b"]
    assert names("subs", "more") == ["a.bio", "a.txt", "key.bio", "more/b.bio", "subs/b.bio"]
    assert names("more", "subs") == names("subs", "more")


def test_what_is_named_by_itself_is_not_taken_from_its_folder(folder: Path) -> None:
    (folder / "a.bio").write_text(bio())
    (folder / "b.bio").write_text(bio())
    assert names("subs", "late=subs/b.bio?repair=discard") == ["a", "late"]
    assert names("subs", "subs") == ["a", "b"]
    assert names("all=subs") == ["all"]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["subs/a.bio", "gold.bio"], "the key is also given as a submission"),
        (["x=subs/a.bio", "x=subs/b.bio"], "2 submissions are named 'x'"),
        (["key=subs/a.bio"], "a submission cannot be named 'key'"),
    ],
)
def test_what_cannot_be_meant(folder: Path, sources: list[str], message: str) -> None:
    for name in ("a.bio", "b.bio"):
        (folder / name).write_text(bio())
    with pytest.raises(UsageError, match=message):
        board(*sources)


def test_an_empty_folder_has_no_submissions(folder: Path) -> None:
    with pytest.raises(ReadError, match="the folder is empty"):
        board()
    (folder / "README").write_text("")
    with pytest.raises(UsageError, match="no submissions"):
        board()


def test_submissions_may_be_python_data_and_runs() -> None:
    key = [["B-PER", "O"], ["O", "B-LOC"]]
    given = {"b": key, "a": Runs(key, [["O", "O"], ["O", "B-LOC"]]), "bad": [["O"]]}
    made = leaderboard(key, given, task="span", resamples=0)
    assert [(each.rank, each.system, each.scores[0].by_run) for each in made.standings] == [
        (1, "b", (1.0,)),
        (2, "a", (1.0, 2 / 3)),
    ]
    assert [each.system for each in made.refused] == ["bad"]


# Nobody is changed by the company


def random_bio(source: random.Random, documents: int, wrong: float) -> str:
    tags = ("O", "B-PER", "B-LOC", "I-LOC")
    text = []
    for number in range(documents):
        rows = [
            f"{word}\t{source.choice(tags) if source.random() < wrong else tag}\n"
            for word, tag in zip(WORDS, GOLD, strict=True)
        ]
        text.append(f"-DOCSTART- (d{number})\n\n" + "".join(rows))
    return "\n".join(text)


@pytest.mark.parametrize("missing", ["empty", "intersection"])
def test_the_others_are_judged_as_if_the_bad_ones_had_never_been(folder: Path, missing: Missing) -> None:
    """One reads them all at once, the other one at a time and puts them together: the verdicts are the same."""
    source = random.Random(7)
    Path("gold.bio").write_text(bio(documents=20))
    for number in range(5):
        lacking = number if number < 3 else 0  # documents that it does not have
        (folder / f"s{number}.bio").write_text(random_bio(source, 20 - lacking, number / 8))
    (folder / "cut.bio").write_text(bio(documents=20).replace("Rome\tB-LOC", "Ro\tB-LOC\nme\tI-LOC"))
    good = {path.stem: str(path) for path in sorted(folder.iterdir())}
    (folder / "bad.bio").write_text(bio(documents=20).replace("Rome", "Rom"))
    made = evaluate_submissions(
        "gold.bio", rank_submissions("gold.bio", "subs"), task="span", resamples=30, missing=missing
    )
    wanted = comparanda.compare("gold.bio", good, task="span", resamples=30, missing=missing)
    assert [each.system for each in made.leaderboard.refused] == ["bad"]
    assert made.leaderboard.standings == wanted.leaderboard().standings
    assert made.leaderboard.tests == wanted.leaderboard().tests
    assert made.result.notes == wanted.notes
    assert made.result.signature == wanted.signature
    assert made.result.pairs() == wanted.pairs()


@pytest.mark.parametrize("task", ["pos", "span", "coref"])
def test_the_demo_is_ranked_as_compare_scores_it(task: str) -> None:
    key, systems = demo_files(task)
    wanted = comparanda.compare(key, systems, task=task, resamples=100)
    made = leaderboard(key, systems, task=task, resamples=100)
    assert made.standings == wanted.leaderboard().standings


def test_rows_with_ids_are_ranked_too(folder: Path) -> None:
    Path("gold.csv").write_text("id,label\n1,yes\n2,no\n3,no\n")
    (folder / "a.csv").write_text("id,label\n3,no\n2,no\n1,no\n")
    (folder / "b.csv").write_text("id,label\n1,yes\n2,no\n")
    made = leaderboard("gold.csv", "subs", task="label", resamples=0)
    assert [(each.system, each.scores[0].part) for each in made.standings] == [("a", 2)]
    assert made.refused[0].system == "b"
    assert "missing" in made.refused[0].reason


def test_each_submission_is_read_once_and_so_is_the_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (folder / f"{name}.bio").write_text(bio())
    (folder / "d.bio").write_text("")
    Path("train.bio").write_text(bio())
    read: Counter[str] = Counter()
    original = read_input

    def counting(given: Input, *rest: Any) -> Any:
        read[given.path] += 1
        return original(given, *rest)

    monkeypatch.setattr(pipeline, "read_input", counting)
    board(train="train.bio", where="true")
    assert read == {"gold.bio": 1, "train.bio": 1, **{f"subs/{name}.bio": 1 for name in "abcd"}}


def test_progress_says_how_far_it_is(folder: Path) -> None:
    (folder / "a.bio").write_text(bio())
    (folder / "b.bio").write_text("")
    said: list[str] = []
    board(progress=said.append)
    assert said == ["reading the key", "reading a (1 of 2)", "reading b (2 of 2)", "evaluating"]


# Bad submissions


BROKEN: Mapping[str, tuple[str, bytes]] = {
    "empty.bio": ("the file is empty", b""),
    "blank.bio": ("only blank lines", b"\n\n \n"),
    "rubbish.bio": ("not UTF-8|NUL byte", bytes(range(256)) * 20),
    "words.bio": ("the text differs", bio(words=("Ann", "met", "Ben", "in", "Rome")).encode()),
    "short.bio": ("the text differs|missing", b"-DOCSTART- (d0)\n\nAnn\tB-PER\n"),
    "wide.bio": ("UTF-16", bio().encode("utf-16")),
    "object.json": ("", b'{"a": [1, 2'),
    "table.csv": ("does not match any format", b"a,b\n1,2\n"),
    "packed.bio.gz": ("gzip", b"\x1f\x8b\x08\x00rubbish"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_bad_submission_is_listed_with_the_reason(folder: Path, name: str) -> None:
    reason, content = BROKEN[name]
    (folder / "good.bio").write_text(bio())
    (folder / name).write_bytes(content)
    made = board()
    assert [each.system for each in made.standings] == ["good"]
    (refused,) = made.refused
    assert refused.system == name.partition(".")[0]
    assert name in refused.reason
    assert any(part in refused.reason for part in reason.split("|"))
    assert f"not ranked: {refused.system}: {refused.reason}" in str(made)


def test_a_file_that_is_not_there_and_one_that_may_not_be_read(folder: Path) -> None:
    (folder / "good.bio").write_text(bio())
    (folder / "gone.bio").symlink_to("nowhere.bio")
    (folder / "locked.bio").write_text(bio())
    os.chmod(folder / "locked.bio", 0)
    made = board()
    refused = {each.system: each.reason for each in made.refused}
    assert "no such file" in refused["gone"]
    if os.getuid():
        assert "ermission" in refused["locked"]


def test_if_all_are_bad_that_is_an_error_with_all_reasons(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.bio").write_text("")
    with pytest.raises(ReadError, match="no submission can be ranked") as caught:
        board()
    assert caught.value.details == ("a: subs/a.bio: the file is empty", "b: subs/b.bio: the file is empty")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"task": "spam"}, UsageError, "unknown task 'spam'"),
        ({"rules": "nonsense"}, ComparandaError, "nonsense"),
        ({"scheme": "nonsense"}, UsageError, "scheme='nonsense'"),
        ({"train": "nowhere.bio"}, ReadError, "no such file"),
        ({"maps": {"zzz": {"A": "B"}}}, UsageError, "label map for an unknown side: 'zzz'"),
        ({"missing": "nonsense"}, UsageError, "missing="),
        ({"view": "nonsense"}, UsageError, "unknown view"),
        ({"where": 'label == "zzz"'}, UsageError, "no sites match"),
        ({"colour": "red"}, TypeError, "colour"),
    ],
)
def test_what_is_wrong_with_the_settings_is_no_submissions_fault(
    folder: Path, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    (folder / "a.bio").write_text(bio())
    with pytest.raises(error, match=message):
        board(**settings)


def test_a_bad_key_is_an_error_at_once(folder: Path) -> None:
    (folder / "a.bio").write_text(bio())
    Path("gold.bio").write_text("")
    with pytest.raises(ReadError, match="the file is empty") as caught:
        board()
    assert caught.value.where == "gold.bio"


def failing_on(*bad: str, error: type[ComparandaError] = UsageError) -> Callable[..., Any]:
    """A judge that fails as soon as one of some systems is among those it is given."""

    def judge(prepared: pipeline.Prepared, setup: pipeline.Setup) -> Any:
        mine = [system.name for system in prepared.systems if system.name in bad]
        if mine:
            raise error(f"{mine[0]} cannot be judged")
        return pipeline.evaluate_prepared(prepared, setup)

    return judge


def test_who_cannot_be_judged_is_found_and_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcd":
        (folder / f"{name}.bio").write_text(bio())
    monkeypatch.setattr(leaderboards, "evaluate_prepared", failing_on("b", "d"))
    made = board(maps={"b": {"PER": "LOC"}})
    assert [each.system for each in made.standings] == ["a", "c"]
    assert [(each.system, each.reason) for each in made.refused] == [
        ("b", "b cannot be judged"),
        ("d", "d cannot be judged"),
    ]


def test_what_nobody_can_be_judged_by_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        (folder / f"{name}.bio").write_text(bio())
    monkeypatch.setattr(leaderboards, "evaluate_prepared", failing_on("a", "b"))
    with pytest.raises(UsageError, match="a cannot be judged"):
        board()


def test_a_label_map_is_for_its_submission_alone(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.bio").write_text(bio(*(tag.replace("PER", "Person") for tag in GOLD)))
    (folder / "c.bio").write_text("")
    made = board(maps={"a": {"Person": "PER"}, "c": {"Person": "PER"}})
    assert [(each.system, each.scores[0].value) for each in made.standings] == [("a", 1.0), ("b", 1 / 3)]


def test_strict_refuses_submissions_that_give_anything_to_note(folder: Path) -> None:
    (folder / "clean.bio").write_text(bio())
    (folder / "crlf.bio").write_text(bio().replace("\n", "\r\n"))
    (folder / "labels.bio").write_text(bio(*(tag.replace("LOC", "GPE") for tag in GOLD)))
    assert [each.system for each in board().standings] == ["clean", "crlf", "labels"]
    made = board(strict=True)
    assert [each.system for each in made.standings] == ["clean"]
    assert {each.system: each.details[0].partition(" (")[0] for each in made.refused} == {
        "crlf": "crlf: CRLF line ends read as LF: 7",
        "labels": "labels: labels only the key uses: 1",
    }
    Path("gold.bio").write_text(bio().replace("\n", "\r\n"))
    with pytest.raises(ReadError, match="the input produced warnings"):
        board(strict=True)


# Nameless


def test_numbers_depend_on_seed_name_and_content_and_on_nothing_else(folder: Path) -> None:
    for number in range(6):
        (folder / f"team{number}.bio").write_text(bio() + "\n" * number)
    submissions = find_submissions([Input.parse("subs")]).submissions
    first = who(anonymise_submissions(submissions, 13))
    assert sorted(first.values()) == [f"system-{number:02}" for number in range(1, 7)]
    assert who(anonymise_submissions(submissions[::-1], 13)) == first
    assert len({tuple(who(anonymise_submissions(submissions, seed)).values()) for seed in range(8)}) > 4
    assert [first[f"team{number}"] for number in range(6)] != sorted(first.values())
    (folder / "team3.bio").write_text(bio(*("O",) * 5))
    changed = who(anonymise_submissions(submissions, 13))
    rest = [name for name in first if name != "team3"]
    assert sorted(rest, key=first.__getitem__) == sorted(rest, key=changed.__getitem__)
    orders = set()
    for content in range(8):  # who knows the names and the seed, but not the files, cannot find the order
        (folder / "team3.bio").write_text(bio() + f"\n# {content}\n")
        orders.add(who(anonymise_submissions(submissions, 13))["team3"])
    assert len(orders) > 2


def who(submissions: list[Submission]) -> dict[str, str]:
    return {each.own_name: each.name for each in sorted(submissions, key=lambda each: each.own_name)}


def test_more_than_99_get_three_digits() -> None:
    given = [Submission(f"s{number}", f"s{number}", []) for number in range(100)]
    assert {len(each.name) for each in anonymise_submissions(given, 1)} == {len("system-001")}


def test_nothing_about_a_nameless_submission_quotes_it(folder: Path) -> None:
    (folder / "alpha.bio").write_text(bio().replace("\n", "\r\n"))
    (folder / "bravo.bio").write_text(bio(words=("Ann", "met", "Charlie", "in", "Rome")))
    (folder / "delta.bio").write_text("")
    (folder / ".echo").write_text("")
    made = evaluate_submissions(
        "gold.bio", rank_submissions("gold.bio", "subs"), task="span", resamples=0, anonymise=True
    )
    text = (
        made.leaderboard.to_json()
        + str(made.leaderboard)
        + made.result.signature
        + "".join(map(str, made.result.notes))
    )
    for secret in ("alpha", "bravo", "delta", "echo", "subs", "Charlie", "CRLF"):
        assert secret not in text
    assert {each.reason for each in made.leaderboard.refused} == {
        "it cannot be aligned with the key",
        "it cannot be read",
    }
    assert made.leaderboard.passed_over == ("file 1",)
    (name,) = [each.name for each in made.submissions if each.own_name == "alpha"]
    assert [str(note) for note in made.result.notes] == [f"{name}: notes, withheld: 1"]


@pytest.mark.parametrize("bad", [("alpha",), ("alpha", "bravo")])
def test_errors_of_the_judge_are_told_without_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch, bad: tuple[str, ...]
) -> None:
    for name in ("alpha", "bravo"):
        (folder / f"{name}.bio").write_text(bio() + "\n" * len(name))
    numbers = who(anonymise_submissions(find_submissions([Input.parse("subs")]).submissions, 13))
    monkeypatch.setattr(leaderboards, "evaluate_prepared", failing_on(*(numbers[name] for name in bad)))
    if len(bad) == 1:
        made = board(anonymise=True)
        assert [(each.system, each.reason) for each in made.refused] == [(numbers["alpha"], "it cannot be evaluated")]
        return
    with pytest.raises(ReadError, match=r"the submissions: it cannot be evaluated$"):
        board(anonymise=True)


def test_a_label_map_finds_its_nameless_submission(folder: Path) -> None:
    for name in ("alpha", "bravo"):
        (folder / f"{name}.bio").write_text(bio(*(tag.replace("PER", "Person") for tag in GOLD)))
    made = evaluate_submissions(
        "gold.bio",
        rank_submissions("gold.bio", "subs"),
        task="span",
        resamples=0,
        anonymise=True,
        maps={"alpha": {"Person": "PER"}},
    )
    best = made.leaderboard.standings[0]
    assert best.scores[0].value == 1.0
    assert {each.name: each.own_name for each in made.submissions}[best.system] == "alpha"
    assert "alpha" not in made.result.signature
