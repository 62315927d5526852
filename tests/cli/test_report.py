"""`comparanda report`: what is written, what is said of it, and what is refused."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import comparanda as cp
from comparanda.cli import report_commands
from comparanda.demo import demo_files
from comparanda.report.builder import EXAMPLES, WHICH_PAIRS
from comparanda.report.page_data import Page
from tests.cli.files import DEMO, key_and_system, write
from tests.command import run


def page_in(text: str) -> Page:
    """Unpack what a report holds."""
    packed = re.search(r'<script[^>]*type="text/plain"[^>]*>\s*([A-Za-z0-9+/=]+)\s*</script>', text)
    assert packed is not None
    return msgspec.json.decode(gzip.decompress(base64.b64decode(packed[1])), type=Page)


def page(path: str = "report.html") -> Page:
    return page_in(Path(path).read_text(encoding="utf-8"))


SMALL = ("--task", "pos", "--resamples", "0")


def test_the_report_is_written_and_its_size_said(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    outcome = run(capsys, "report", key, system, "--task", "pos", "--resamples", "20")
    assert (outcome.code, outcome.out) == (0, "")
    found = page()
    said = outcome.err.splitlines()[-1]
    assert re.fullmatch(rf"wrote report\.html \(\d+ kB, {len(found.cards)} examples, no network needed\)", said)
    assert found.title == "tag:upos: sys"
    assert "resamples:20|" in found.signature


@pytest.mark.slow
def test_a_pair_of_the_demo(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(
        capsys, "report", *DEMO, "--base", "spacy", "--by", "length", "-o", "out.html", "--title", "Mine", "-q"
    )
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    found = page("out.html")
    assert found.title == "Mine"
    assert [(each.base, each.new) for view in found.views if view.name == "pair" for each in view.choices] == [
        ("spacy", "brill")
    ]
    assert "by-length" in [part.name for view in found.views for each in view.choices for part in each.parts]


def test_it_goes_to_standard_output_too(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    outcome = run(capsys, "report", key, system, *SMALL, "-o", "-")
    assert outcome.code == 0
    assert page_in(outcome.out).title == "tag:upos: sys"
    assert "wrote" not in outcome.err
    assert not Path("report.html").exists()


def test_a_result_folder(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    assert run(capsys, "compare", key, system, *SMALL, "--save", "result").code == 0
    assert run(capsys, "report", key, system, *SMALL).code == 0
    assert run(capsys, "report", "result", "-o", "again.html").code == 0
    assert Path("again.html").read_bytes() == Path("report.html").read_bytes()


def test_some_of_the_sites(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    assert run(capsys, "report", key, system, *SMALL, "--where", 'label == "NOUN"').code == 0
    assert "where:" in page().signature
    (how,) = [part for view in page().views for part in view.parts if part.name == "how"]
    assert ("sites", "2") in how.facts  # type: ignore[union-attr]


def test_no_words_of_the_corpus(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    assert run(capsys, "report", key, system, *SMALL).code == 0
    assert b"bark" in msgspec.json.encode(page())
    assert run(capsys, "report", key, system, *SMALL, "--no-text").code == 0
    assert not re.search(rb"(?i)dogs|bark|cats|sleep|well", msgspec.json.encode(page()))


@pytest.mark.slow
def test_fewer_examples_than_there_are(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "report", *DEMO, "--examples", "1000")
    assert outcome.code == 0
    found = page()
    assert 0 < len(found.cards) <= 1000
    assert f"{len(found.cards)} examples" in outcome.err
    assert max(each.count or 0 for each in found.lists) > 3000


@pytest.mark.slow
def test_all_pairs_of_many_systems(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("gold.txt", "a\nb\nc\n")
    names = [write(f"s{number:02}.txt", f"a\n{'bc'[number % 2]}\nc\n") for number in range(13)]
    options = ("--task", "tag", "--column", "1", "--resamples", "0")
    for which, count in (("all", 78), ("some", None)):
        outcome = run(capsys, "report", "gold.txt::columns", *(f"{name}::columns" for name in names), *options,
                      "--pairs", which)  # fmt: skip
        assert outcome.code == 0, outcome.err
        (choices,) = [view.choices for view in page().views if view.name == "pair"]
        assert len(choices) == count if count else len(choices) < 78


def test_outputs_without_a_key(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    outcome = run(capsys, "report", "--no-key", f"ann={key}", f"bea={system}", *SMALL)
    assert outcome.code == 0
    found = page()
    assert (found.reference, found.title) == ("ann", "tag:upos: ann, bea, without a key")
    assert [view.name for view in found.views] == ["overview", "pair"]


def test_outputs_without_a_key_from_a_file_of_settings(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    write("set.toml", f'task = "pos"\nresamples = 0\n[systems]\nann = "{key}"\nbea = "{system}"\n')
    assert run(capsys, "report", "--no-key", "--config", "set.toml").code == 0
    assert page().reference == "ann"


def test_charts_are_written_to_a_folder(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    outcome = run(capsys, "report", key, system, *SMALL, "--charts", "figures/new")
    assert outcome.code == 0
    written = sorted(path.name for path in Path("figures/new").iterdir())
    assert outcome.err.splitlines()[-1] == f"wrote {len(written)} files to figures/new"
    assert sum(name.endswith(".svg") for name in written) == 2
    assert Path("report.html").exists()
    outcome = run(capsys, "report", key, system, *SMALL, "--charts", "figures/again", "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    assert sorted(path.name for path in Path("figures/again").iterdir()) == written


def refused(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 2) -> str:
    """Run what must be refused; return its one paragraph. Nothing is written."""
    outcome = run(capsys, "report", *arguments)
    assert (outcome.code, outcome.out) == (code, ""), outcome.err
    assert not Path("report.html").exists()
    return outcome.err.removeprefix("comparanda: ").rstrip("\n")


def test_inputs_are_not_written_over(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    before = Path(system).read_bytes()
    for given in ((key, system), ("--no-key", key, system)):
        said = refused(capsys, *given, *SMALL, "-o", system)
        assert said == f"--output would overwrite an input: '{system}'\n  choose another file"
    assert Path(system).read_bytes() == before
    run(capsys, "compare", key, system, *SMALL, "--save", "result")
    assert "would overwrite an input" in refused(capsys, "result", "-o", "result/page.html")
    assert "--charts would overwrite an input" in refused(capsys, "result", "--charts", "result")
    assert "--charts would overwrite an input" in refused(capsys, key, system, *SMALL, "--charts", key)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--pairs", "al"), "--pairs: expected some or all, got 'al' (did you mean 'all'?)"),
        (("--examples", "0"), "--examples: expected an integer of at least 1, got '0'"),
        (("--title", " "), "--title: the value is empty"),
        (("-o", ""), "--output: the value is empty"),
        (("--no-text", "--by", "word"),
         "slices by 'word' show words of the corpus, which the page excludes\n"
         "  choose another attribute, or omit --no-text"),
        (("--base", "nobody"), "unknown system 'nobody'\n  systems: sys, other"),
        (("--view", "upso"), "unknown view 'upso' (did you mean 'upos'?)\n  upos"),
        (("--no-key", "--where", "true"),
         "--no-key and --where cannot be combined: without a key no output is right or wrong"),
        (("--no-key", "--by", "length"),
         "--no-key and --by cannot be combined: without a key no output is right or wrong"),
        (("--no-key", "--charts", "figures"),
         "--no-key and --charts cannot be combined: without a key no output is right or wrong"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(
    options: tuple[str, ...], said: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, system = key_and_system()
    other = write("other.conllu", Path(system).read_text())
    assert refused(capsys, key, system, other, *SMALL, *options) == said


def test_a_single_output_without_a_key(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, _ = key_and_system()
    assert refused(capsys, "--no-key", key, *SMALL).startswith("agreement requires at least two outputs")
    assert refused(capsys, "--no-key", *SMALL).startswith("no output given")


def test_a_place_that_cannot_be_written_to(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    write("file", "")
    assert refused(capsys, key, system, *SMALL, "-o", "gone/x.html", code=3).startswith(
        "gone/x.html: cannot be written"
    )
    outcome = run(capsys, "report", key, system, *SMALL, "--charts", "file")
    assert outcome.code == 3
    assert "comparanda: file: cannot be written" in outcome.err


def test_the_demo_writes_its_report_and_says_where(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = run(capsys, "demo", "--task", "span", "--resamples", "20")
    outcome = run(capsys, "demo", "--task", "span", "--resamples", "20", "--report", "demo.html")
    assert outcome.code == 0
    assert outcome.out == plain.out
    wrote, where = outcome.err.splitlines()[-2:]
    assert wrote.startswith("wrote demo.html (")
    assert where == f"open it in a browser: {(work / 'demo.html').as_uri()}"
    assert [*page("demo.html").systems] == [*demo_files("span")[1]]


def test_a_result_writes_its_report(work: Path) -> None:
    result = cp.compare(list("ab"), {"x": list("aa"), "y": list("bb")}, task="tag", resamples=0)
    result.report("r.html", title="Own", base="y", new="x")
    found = page("r.html")
    assert found.title == "Own"
    assert found.views[1].choices[0].base == "y"


def test_the_words_of_options_are_those_of_the_library() -> None:
    assert report_commands.PAIRS == WHICH_PAIRS
    assert report_commands.EXAMPLES == EXAMPLES


def test_sizes_are_written_for_people() -> None:
    sizes: dict[Any, str] = {999: "1 kB", 999_000: "999 kB", 1_000_000: "1.0 MB", 12_340_000: "12.3 MB"}
    for size, said in sizes.items():
        assert report_commands.format_size(size) == said
