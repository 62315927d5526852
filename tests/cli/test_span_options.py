"""The options that have to do with spans: rules, their parameters, and how chunk tags are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda.cli import options
from comparanda.errors import UsageError
from comparanda.formats.chunks import ALSO, AUTO, REPAIRS, SCHEMES
from comparanda.rules import rule_set
from comparanda.rules.rule_files import load, parse
from tests.cli.files import write
from tests.command import run

KEY = "Anna\tB-PER\nBell\tI-PER\nof\tO\nUlm\tB-LOC\n"
CRF = "Anna\tB-PER\nBell\tO\nof\tO\nUlm\tB-LOC\n"
HMM = "Anna\tB-PER\nBell\tI-PER\nof\tO\nUlm\tI-LOC\n"
RULES = """
groups = ["all"]
[parameters]
half = 0.5
[parameters.least]
default = 2
[tables.system]
result = ["TP", "part", "FP"]
partner = "row of key"
[tables.key]
result = ["TP", "part", "FN"]
partner = "row of system"
[[rules]]
name = "exact"
group = "all"
salience = 4
for = { s = "system", k = "key" }
when = "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin', 'end', 'label')"
pair = "one-to-one"
set = { s.result = "TP", k.result = "TP", s.partner = "k", k.partner = "s" }
[[rules]]
name = "part"
group = "all"
salience = 3
for = { s = "system", k = "key" }
when = "is_missing(s.result) and is_missing(k.result) and overlaps(s, k) and overlap(s, k) >= least(k.label)"
pair = "one-to-one"
set = { s.result = "part", k.result = "part", s.partner = "k", k.partner = "s" }
[[rules]]
name = "spurious"
group = "all"
for = { s = "system" }
when = "is_missing(s.result)"
set = { s.result = "FP" }
[[rules]]
name = "missed"
group = "all"
for = { k = "key" }
when = "is_missing(k.result)"
set = { k.result = "FN" }
[views.credit]
outcome = "result"
partner = "partner"
credit = { TP = 1, part = "half" }
"""
SPAN = ("key.bio", "crf.bio", "hmm.bio", "--task", "span", "--resamples", "0", "-q")


@pytest.fixture
def files(work: Path) -> Path:
    """The current folder, with a key, two systems and a rule file."""
    for name, text in {"key.bio": KEY, "crf.bio": CRF, "hmm.bio": HMM, "mine.toml": RULES}.items():
        write(name, text)
    return work


def f1(capsys: pytest.CaptureFixture[str], *arguments: str) -> float:
    """Return the F1 of the first system."""
    outcome = run(capsys, "score", *SPAN, "--measure", "f1", "--json", *arguments)
    assert outcome.code == 0, outcome.err
    value: float = outcome.json["scores"]["scores"][0]["value"]
    return value


def test_rules_are_named_or_given_as_a_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f1(capsys) == f1(capsys, "--rules", "exact") == 0.5
    assert f1(capsys, "--rules", "mine.toml") == f1(capsys, "--rules", str(files / "mine.toml")) == 0.5


def test_parameters_change_conditions_and_credits(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = ("--rules", "mine.toml")
    assert f1(capsys, *mine, "--parameter", "least[PER]=1") == 0.75
    assert f1(capsys, *mine, "--parameter", "least[default]=1") == 0.75
    assert f1(capsys, *mine, "--parameter", "least[PER]=1", "--parameter", "half=.25") == 0.625
    assert f1(capsys, *mine, "--parameter", "least[LOC]=1", "--parameter", "half=1") == 0.5
    assert f1(capsys, *mine, "--parameter", "half=1e0", "--parameter", "least[PER]=+1") == 1.0


def test_parameters_of_an_included_file_and_of_a_shipped_one(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("rules/base.toml", RULES)
    write("rules/top.toml", 'title = "top"\ninclude = ["base.toml"]\n')
    given = ("--rules", "rules/top.toml", "--parameter", "least[PER]=1", "--parameter", "half=0.25")
    assert f1(capsys, *given) == 0.625
    assert (
        f1(capsys, "--rules", "paper", "--parameter", "similar_enough[PER]=1", "--parameter", "fuzzy_credit=0") == 0.5
    )
    assert f1(capsys, "--rules", "paper", "--parameter", "similar_enough[PER]=1") == 1.0


@pytest.mark.parametrize("command", ["compare", "score", "diff", "examples"])
def test_every_command_that_judges_has_them(command: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--rules", "mine.toml", "--parameter", "least[PER]=1", "--parameter", "half=1", "--scheme", "BIO")
    outcome = run(capsys, command, *SPAN, *given, "--repair", "discard", "--paranoid", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert (
        "|rules:mine|positions:tokens|parameters:half=1,least[PER]=1|scheme:bio|repair:discard|missing:error|"
        in (outcome.json["signature"])
    )


def test_validate_has_them_too(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("validate", "key.bio", "crf.bio", "hmm.bio", "--task", "span")
    assert run(capsys, *given, "-q").code == 0
    outcome = run(capsys, *given, "--repair", "refuse", "--scheme", "bio", "-q")
    assert outcome.code == 1
    assert outcome.out.startswith(
        "crf: can be aligned with the key, 2 sites\nhmm.bio:4: the tag 'I-LOC' violates the scheme BIO"
    )
    assert run(capsys, *given, "--rules", "gone.toml").code == 2


def test_repair_and_scheme_hold_for_all_inputs_that_say_nothing_else(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def second(*arguments: str) -> float:
        outcome = run(capsys, "score", *SPAN[3:], *arguments, "--measure", "f1", "--json")
        assert outcome.code == 0, outcome.err
        value: float = outcome.json["scores"]["scores"][-1]["value"]
        return value

    assert second(*SPAN[:3], "--scheme", "bio") == 1.0
    assert second(*SPAN[:3], "--scheme", "bio", "--repair", "discard") == pytest.approx(2 / 3)
    own = ("key.bio", "crf.bio", "hmm.bio::columns?repair=conlleval")
    assert second(*own, "--scheme", "bio", "--repair", "discard") == 1.0


def test_what_the_rules_are_is_settled_in_a_result_folder(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", *SPAN, "--rules", "mine.toml", "--save", "result").code == 0
    outcome = run(capsys, "score", "result", "--rules", "exact")
    assert (outcome.code, outcome.err.splitlines()[0]) == (
        2,
        "comparanda: --rules is fixed in the result folder 'result'",
    )


def test_a_config_file_has_them_and_its_rules_lie_beside_it(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("setup/mine.toml", RULES)
    settings = 'rules = "mine.toml"\nparameter = ["least[PER]=1", "half=0.25"]\nscheme = "bio"\nparanoid = true\n'
    write("setup/c.toml", settings)
    assert f1(capsys, "--config", "setup/c.toml") == 0.625
    assert f1(capsys, "--config", "setup/c.toml", "--parameter", "least[PER]=1") == 0.75  # the command line wins
    write("setup/c.toml", 'rules = "exact"\nparameter = "least[PER]=1"\n')
    outcome = run(capsys, "score", *SPAN, "--config", "setup/c.toml")
    assert outcome.err.startswith("comparanda: the rule set 'exact' has no parameter 'least'\n")
    write("setup/c.toml", 'parameter = "least"\n')
    outcome = run(capsys, "score", *SPAN, "--config", "setup/c.toml")
    assert outcome.err.startswith("comparanda: setup/c.toml: parameter: expected NAME=NUMBER or NAME[LABEL]=NUMBER")


MINE = ("--rules", "mine.toml", "--parameter")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--rules", ""), "--rules: the value is empty"),
        (("--rules", "gone.toml"), "gone.toml: no such file (did you mean 'mine.toml'?)"),
        (
            ("--rules", "align"),
            "the rule set 'align' has no views, so it gives no scores\n"
            "  it is meant to be included by other rule files",
        ),
        (
            (*MINE, "leest[PER]=1"),
            "the rule set 'mine' has no parameter 'leest' (did you mean 'least'?)\n  its parameters: half, least",
        ),
        (
            ("--parameter", "half=1"),
            "the rule set 'exact' has no parameter 'half'\n  its parameters: none",
        ),
        (
            (*MINE, "least=1"),
            "the parameter 'least' of 'mine' has one value per label\n"
            "  write least[LABEL]=1, or least[default]=1 for all other labels",
        ),
        (
            (*MINE, "half[PER]=1"),
            "the parameter 'half' of 'mine' has one value for all labels\n  write half=1",
        ),
        ((*MINE, "half"), "--parameter: expected NAME=NUMBER or NAME[LABEL]=NUMBER, got 'half'"),
        ((*MINE, "half=x"), "--parameter: expected NAME=NUMBER or NAME[LABEL]=NUMBER, got 'half=x'"),
        ((*MINE, "half=1e999"), "--parameter: expected NAME=NUMBER or NAME[LABEL]=NUMBER, got 'half=1e999'"),
        ((*MINE, "half=1", "--parameter", "half=2"), "--parameter: 'half' is given twice"),
        ((*MINE, "least[a=b]=1", "--parameter", "least[a=b]=2"), "--parameter: 'least[a=b]' is given twice"),
        (
            ("--scheme", "bilo"),
            "--scheme: expected auto, bio, iob1, ioe2, bioes, io, iob2, iobes, bilou, bmes or bmewo, "
            "got 'bilo' (did you mean 'bilou'?)",
        ),
        (("--repair", "drop"), "--repair: expected conlleval, discard or refuse, got 'drop'"),
    ],
)
def test_a_value_that_cannot_be(
    arguments: tuple[str, ...], text: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "score", *SPAN, *arguments)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"comparanda: {text}\n")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--rules", "exact"), "the task 'tag' is not evaluated by rules"),
        (("--paranoid",), "the task 'tag' is not evaluated by rules"),
        (("--parameter", "a=1"), "the task 'tag' is not evaluated by rules"),
        (("--scheme", "bio"), "scheme: the task 'tag' has no spans that are read from tags"),
        (
            ("--scheme", "bio", "--repair", "refuse"),
            "scheme and repair: the task 'tag' has no spans that are read from tags",
        ),
    ],
)
def test_other_tasks_do_not_have_them(
    arguments: tuple[str, ...], text: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "score", "key.bio", "crf.bio", "--task", "tag", *arguments)
    assert (outcome.code, outcome.err.splitlines()[0]) == (2, f"comparanda: {text}")


def test_a_wrong_rule_file_is_found_before_anything_is_read(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("bad.toml", "rules = 3")
    outcome = run(capsys, "score", "gone.bio", "gone.bio.2", "--task", "span", "--rules", "bad.toml")
    assert (outcome.code, outcome.err.partition(":")[2].strip().partition(":")[0]) == (2, "bad.toml")


def test_a_label_that_stands_only_in_crowds_occurs(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spans = [{"begin": 0, "end": end, "label": "A"} for end in (4, 9)]
    write("key.jsonl", json.dumps({"id": "d", "text": "Anna Bell", "spans": spans}) + "\n")
    write("crf.jsonl", json.dumps({"id": "d", "text": "Anna Bell", "spans": spans[1:]}) + "\n")
    given = ("key.jsonl", "crf.jsonl", "--task", "span", "--resamples", "0", "-q")
    assert run(capsys, "score", *given, "--only-label", "A").code == 0
    assert run(capsys, "score", *given, "--only-label", "B").code == 2


def test_the_names_are_the_librarys() -> None:
    assert {AUTO, *SCHEMES, *ALSO} == {*options.SCHEMES}
    assert options.REPAIRS == REPAIRS


# The same as keywords


def compared(**more: Any) -> float | None:
    key, crf = [["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]]
    return comparanda.compare(key, {"crf": crf}, task="span", resamples=0, **more).scores("f1").value("crf")


def test_keywords_of_compare_do_the_same(work: Path) -> None:
    given = {"least": {"PER": 1}, "half": 0.25}
    write("mine.toml", RULES)
    assert compared(rules="mine.toml", parameters=given, paranoid=True, scheme="BIO", repair="discard") == 0.625
    assert compared(rules=Path("mine.toml"), parameters=given) == 0.625


def test_rules_as_python_objects_take_parameters_too() -> None:
    declared = parse(RULES, "mine.toml")
    for given in (declared, rule_set(declared), rule_set(declared, {"half": 1})):
        assert compared(rules=given, parameters={"least": {"PER": 1}, "half": 0.25}) == 0.625
    assert compared(rules=declared, parameters={"least": {"PER": 1}}) == 0.75
    assert compared(rules=rule_set(declared), parameters={"least": {"PER": 1}}) == 0.75
    with pytest.raises(UsageError, match="has no parameter 'x'"):
        compared(rules=declared, parameters={"x": 1})


def test_a_file_with_another_ending_takes_parameters_too(work: Path) -> None:
    write("rules/mine", RULES)
    assert compared(rules="rules/mine") == 0.5
    assert compared(rules="rules/mine", parameters={"least": {"PER": 1}, "half": 0.25}) == 0.625


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"scheme": "bilo"}, "scheme='bilo' is not a possible value (did you mean 'bilou'?)"),
        ({"repair": "drop"}, "repair='drop' is not a possible value"),
        ({"rules": "papr"}, "unknown rule set 'papr' (did you mean 'paper'?)"),
    ],
)
def test_keywords_that_cannot_be(given: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError) as problem:
        compared(**given)
    assert problem.value.what == text


def test_odd_names_of_labels_are_passed_on(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("mine.toml", RULES)
    write("key.bio", KEY.replace("PER", 'P"\u00e9\U0001f600\\'))
    write("crf.bio", CRF.replace("PER", 'P"\u00e9\U0001f600\\'))
    given = ("score", "key.bio", "crf.bio", "--task", "span", "--resamples", "0", "--json", "--rules", "mine.toml")
    outcome = run(capsys, *given, "--parameter", 'least[P"\u00e9\U0001f600\\]=1', "--parameter", "half=1")
    assert outcome.code == 0, outcome.err
    assert outcome.json["scores"]["scores"][0]["value"] == 1.0


def test_loading_a_shipped_set_is_not_changed_by_parameters() -> None:
    compared(rules="paper", parameters={"fuzzy_credit": 0})
    assert load("paper").parameters["fuzzy_credit"] == 1
