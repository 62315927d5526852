"""`comparanda leaderboard`: a shared task's folder from the command line, with and without names."""

from __future__ import annotations

import csv
import random
import re
from io import StringIO
from pathlib import Path

import pytest

from comparanda.findings.leaderboard import leaderboard_tables
from comparanda.render.console import show
from tests.cli.files import write
from tests.command import run
from tests.seeds import mostly_slow
from tests.shared_data import shared

PUBLISHED = {
    "arcada": 39.98,
    "drexel_cci": 26.30,
    "flytxt": 38.35,
    "mic-cis": 37.06,
    "sjtu_adapt": 40.42,
    "spinningbytes": 40.78,
    "uh_ritual": 41.86,
}
LAYOUTS = ("table", "md", "csv", "tsv", "latex", "jsonl", "json")


# WNUT-17


@pytest.mark.slow
def test_the_published_scores_of_wnut17(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One system writes some words otherwise: it is listed, and with `?word=none` it is ranked."""
    key, systems = shared("data/ner/wnut17/gold/emerging.test.annotated"), shared("data/ner/wnut17/systems")
    outcome = run(capsys, "leaderboard", key, systems, "--task", "span", "--resamples", 200, "--json")
    assert outcome.code == 0
    board = outcome.json["leaderboard"]
    assert [each["system"] for each in board["refused"]] == ["mic-cis"]
    assert "?word=none" in " ".join(board["refused"][0]["details"])
    assert scores(board) == {name: value for name, value in PUBLISHED.items() if name != "mic-cis"}
    odd = f"mic-cis={systems}/mic-cis.txt?word=none"
    outcome = run(capsys, "leaderboard", key, systems, odd, "--task", "span", "--resamples", 2000, "--json")
    board = outcome.json["leaderboard"]
    assert board["refused"] == []
    assert scores(board) == PUBLISHED
    ranks = [(each["rank"], each["system"]) for each in board["standings"]]
    assert ranks == [(number, name) for number, name in enumerate(sorted(PUBLISHED, key=lambda n: -PUBLISHED[n]), 1)]
    assert [each["group"] for each in board["standings"]] == [1, 1, 1, 1, 1, 1, 2]


def scores(board: dict[str, list[dict[str, list[dict[str, float]]]]]) -> dict[str, float]:
    return {str(each["system"]): round(100 * each["scores"][0]["value"], 2) for each in board["standings"]}


# Thirty systems and some broken ones

TAGS = ("DET", "NOUN", "VERB", "ADJ", "ADV")


def corpus(seed: int, wrong: float, documents: int = 20) -> str:
    """A corpus of random tags; `wrong` of them are not those of the key."""
    truth, source = random.Random(1), random.Random(seed)
    lines = []
    for number in range(documents):
        lines.append(f"# newdoc id = d{number}")
        for word in range(1, 13):
            tag, draw, other = truth.choice(TAGS), source.random(), source.choice(TAGS)
            lines.append(f"{word}\tw{word}\t_\t{other if draw < wrong else tag}\t_\t_\t0\troot\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def contest(work: Path) -> Path:
    """A key, thirty submissions with telling names, and some that cannot be used."""
    write("gold.conllu", corpus(0, 0.0))
    for number in range(29):
        write(f"inbox/Team{number:02}-Zürich.conllu", corpus(number, 0.01 + 0.02 * number))
    write("inbox/Institute X/outputs.conllu", corpus(99, 0.3))
    write("inbox/VoidLab.conllu", "")
    write("inbox/NoiseLab.conllu", bytes(range(256)) * 9)
    write("inbox/ShortLab.conllu", "\n\n".join(corpus(4, 0.1).split("\n\n")[:5]) + "\n\n")
    write("inbox/OtherLab.conllu", corpus(5, 0.1).replace("\tw3\t", "\tW-three\t"))
    write("inbox/TableLab.csv", "id,label\n1,x\n")
    write("inbox/CrlfLab.conllu", corpus(2, 0.2).replace("\n", "\r\n"))
    write("inbox/README.txt", "see Institute X")
    write("inbox/.SecretLab", "")
    return work


SECRETS = ("Team", "Zürich", "Z\\u00fcrich", "Institute", "outputs", "Lab", "inbox", "README", "W-three", "CRLF")
OPTIONS = ("--task", "pos", "--resamples", 100)


def test_thirty_systems_and_the_broken_ones(contest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "leaderboard", "gold.conllu", "inbox", "--task", "pos", "--resamples", 400, "--json")
    assert outcome.code == 0
    board = outcome.json["leaderboard"]
    assert len(board["standings"]) == 31
    assert len(board["tests"]) == 31 * 30 / 2
    assert [each["system"] for each in board["refused"]] == ["NoiseLab", "OtherLab", "ShortLab", "TableLab", "VoidLab"]
    assert board["passed_over"] == ["inbox/.SecretLab", "inbox/README.txt"]
    assert board["identical"] == []
    assert board["standings"][0]["system"] == "Team00-Zürich"
    assert any("raise --resamples to 9300" in each for each in board["warnings"])
    values = [each["scores"][0]["value"] for each in board["standings"]]
    assert values == sorted(values, reverse=True)


def test_the_order_of_folders_and_files_changes_not_a_byte(contest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(str(path) for path in Path("inbox").glob("Team0*"))
    once = run(capsys, "leaderboard", "gold.conllu", *files, *OPTIONS, "--json")
    again = run(capsys, "leaderboard", "gold.conllu", *files[::-1], *OPTIONS, "--json")
    assert (once.out, once.err) == (again.out, again.err)
    assert once.code == 0


def test_the_table_fits_a_narrow_terminal(contest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from comparanda import leaderboard

    board = leaderboard("gold.conllu", "inbox", task="pos", resamples=50)
    (table,) = leaderboard_tables(board, None)
    assert len(table.rows) == 31
    for width in (80, 100):
        lines = printed(board, width)
        assert max(map(len, lines)) <= width
        first = next(line for line in lines if line.startswith("rank"))
        assert all(word in first for word in ("system", "accuracy", "group", "ranks"))


def printed(board: object, width: int) -> list[str]:
    """Print as on a terminal of some width."""

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("NO_COLOR", "1")
        patch.setenv("TERM", "xterm")
        show(board, stream)  # type: ignore[arg-type]
    return [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line).rstrip() for line in stream.getvalue().split("\n")]


@pytest.mark.parametrize("layout", mostly_slow(LAYOUTS, {"table", "csv", "json"}))
def test_without_names_nothing_tells_who_is_who(contest: Path, capsys: pytest.CaptureFixture[str], layout: str) -> None:
    arguments = ("leaderboard", "gold.conllu", "inbox", *OPTIONS, "--anonymise", "--names", "who.csv", "-v")
    outcome = run(capsys, *arguments, "--format", layout)
    assert outcome.code == 0
    assert outcome.out
    for secret in SECRETS:
        assert secret not in outcome.out
        assert secret not in outcome.err
    assert "system-01" in outcome.out
    rows = list(csv.DictReader(StringIO(Path("who.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 36
    assert sum(row["ranked"] == "yes" for row in rows) == 31
    void = next(row for row in rows if row["system"] == "VoidLab")
    assert (void["path"], void["ranked"], void["reason"]) == (
        "inbox/VoidLab.conllu",
        "no",
        "inbox/VoidLab.conllu: the file is empty",
    )


def test_names_and_numbers_belong_together(contest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The board with names and the one without say the same of each system."""
    named = run(capsys, "leaderboard", "gold.conllu", "inbox", *OPTIONS, "--json").json["leaderboard"]
    arguments = ("leaderboard", "gold.conllu", "inbox", *OPTIONS, "--json", "--anonymise", "--names", "who.csv")
    nameless = run(capsys, *arguments).json["leaderboard"]
    who = {row["name"]: row["system"] for row in csv.DictReader(StringIO(Path("who.csv").read_text(encoding="utf-8")))}
    assert {who[each["system"]]: each["scores"][0]["value"] for each in nameless["standings"]} == {
        each["system"]: each["scores"][0]["value"] for each in named["standings"]
    }
    order = [who[name] for name in sorted(who)]
    assert order != sorted(order)
    assert [each["system"] for each in nameless["standings"]] != sorted(
        each["system"] for each in nameless["standings"]
    )


def test_if_all_are_bad_nothing_tells_who_they_were(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("gold.conllu", corpus(0, 0.0))
    write("inbox/VoidLab.conllu", "")
    outcome = run(capsys, "leaderboard", "gold.conllu", "inbox", "--task", "pos", "--anonymise")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "comparanda: no submission can be ranked\n  system-01: it cannot be read\n"
    outcome = run(capsys, "leaderboard", "gold.conllu", "inbox", "--task", "pos")
    assert outcome.code == 3
    assert "VoidLab: inbox/VoidLab.conllu: the file is empty" in outcome.err


def test_where_a_layout_has_one_table_the_refused_are_told_beside_it(
    contest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "leaderboard", "gold.conllu", "inbox", *OPTIONS, "--format", "csv")
    assert "note: not ranked: VoidLab: inbox/VoidLab.conllu: the file is empty" in outcome.err
    rows = list(csv.DictReader(StringIO(outcome.out)))
    assert len(rows) == 31
    assert rows[0].keys() >= {
        "rank",
        "system",
        "accuracy",
        "accuracy_interval_low",
        "sentences",
        "group",
        "ranks",
        "only_wrong",
    }
    quiet = run(capsys, "leaderboard", "gold.conllu", "inbox", *OPTIONS, "--format", "csv", "-q")
    assert quiet.err == ""
    table = run(capsys, "leaderboard", "gold.conllu", "inbox", *OPTIONS)
    assert "not ranked" not in table.err
    assert "not ranked: VoidLab" in table.out


# The command itself


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--names", "who.csv"), "--names requires --anonymise"),
        (("--anonymise", "--names", "-"), "--names requires a file of its own"),
        (("--anonymise", "--names", "x.md", "-o", "x.md"), "--names requires a file of its own"),
        (("--anonymise", "--names", "demo/who.csv"), "--names would overwrite an input"),
        (("-o", "demo/board.md"), "--output would overwrite an input"),
        (("--only-label", "NOUM"), "the label 'NOUM' does not occur"),
        (("--measure", "accuraci"), "accuraci"),
    ],
)
def test_what_cannot_be_meant(
    demo: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    outcome = run(capsys, "leaderboard", "demo/key.conllu", "demo", "--task", "pos", "--resamples", 0, *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""


def test_no_folder_no_key_no_task(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        ((), "no key given"),
        (("demo/key.conllu",), "no system given"),
        (("demo/key.conllu", "demo"), "missing option --task"),
    ):
        outcome = run(capsys, "leaderboard", *arguments)
        assert outcome.code == 2
        assert message in outcome.err
    outcome = run(capsys, "leaderboard", "demo/key.conllu", "nowhere", "--task", "pos")
    assert outcome.code == 3
    assert "no such file" in outcome.err


def test_the_demo_and_its_options(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("leaderboard", "demo/key.conllu", "demo", "--task", "pos", "--resamples", 100, "-q")
    outcome = run(capsys, *arguments, "--top", 2, "--where", 'label == "NOUN"', "--measure", "accuracy")
    assert outcome.code == 0
    assert "… 2 more systems (--top 0 for all)" in outcome.out
    assert "not ranked: entities" in outcome.out
    assert "ignored, not submissions: demo/key.conllu (the key)" in outcome.out
    assert "sentences" not in outcome.out.split("\n")[2]
    assert run(capsys, *arguments, "-o", "board.md").code == 0
    assert Path("board.md").read_text(encoding="utf-8").startswith("### Leaderboard: accuracy")


def test_a_result_folder_is_ranked_too(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ("demo/key.conllu", "demo/brill.conllu", "demo/spacy.conllu")
    run(capsys, "compare", *files, "--task", "pos", "--resamples", 100, "--save", "saved", "-q")
    saved = run(capsys, "leaderboard", "saved", "-q", "--resamples", 100, "--json")
    fresh = run(capsys, "leaderboard", *files, "--task", "pos", "--resamples", 100, "-q", "--json")
    assert saved.json["leaderboard"] == fresh.json["leaderboard"]
    outcome = run(capsys, "leaderboard", "saved", "--anonymise")
    assert outcome.code == 2
    assert "a result folder contains the names of its systems" in outcome.err


def test_systems_may_stand_in_a_toml_file(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("board.toml", 'key = "demo/key.conllu"\ntask = "pos"\nresamples = 0\n[systems]\nx = "demo/brill.conllu"\n')
    outcome = run(capsys, "leaderboard", "--config", "board.toml", "--json")
    assert [each["system"] for each in outcome.json["leaderboard"]["standings"]] == ["x"]
