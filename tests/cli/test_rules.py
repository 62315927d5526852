"""`comparanda rules`: what there is, what it says, whether it is right, and why a span is what it is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from comparanda.render.json import SCHEMA_VERSION
from comparanda.render.rule_text import OUTPUTS, rules_schema
from comparanda.rules.shipped import registered_file, registered_rules
from tests.cli.files import program, write
from tests.cli.golden import FOLDER, assert_golden
from tests.command import Outcome, run

RULES = """\
# A small rule set.
title = "Exact, then alike"
groups = ["exact", "alike", "filter"]

[parameters]
alike_credit = 0.5

[parameters.alike]
default = 60
PER = 90

[lists."stop words"]
default = ["the", "a"]
PER = ["he", "left"]

[hierarchy]
CITY = "LOC"

[tables.system]
result = ["TP", "FP", "alike"]
partner = "row of key"
ignored = "text"

[tables.key]
result = ["TP", "FN", "alike"]
partner = "row of system"
source = { type = "text", given = true }

[[rules]]
name = "true positive"
group = "exact"
salience = 10
for = { s = "system", k = "key" }
when = "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin', 'end', 'label')"
pair = "one-to-one"
set = { s.result = "TP", k.result = "TP", s.partner = "k", k.partner = "s" }

[[rules]]
name = "false positive"
group = "exact"
for = { s = "system" }
when = "is_missing(s.result)"
set = { s.result = "FP" }

[[rules]]
name = "false negative"
group = "exact"
for = { k = "key" }
when = "is_missing(k.result)"
set = { k.result = "FN" }

[[rules]]
name = "alike"
group = "alike"
for = { s = "system", k = "key" }
when = \"\"\"s.result == 'FP' and k.result == 'FN' and s.label == k.label and overlaps(s, k)
          and similarity(s.text, k.text) >= alike(k.label)\"\"\"
pair = "one-to-one"
best = ["-overlap(s, k)", "-similarity(s.text, k.text)"]
set = { s.result = "alike", k.result = "alike", s.partner = "k", k.partner = "s" }

[[rules]]
name = "stop word"
group = "filter"
salience = 0.5
for = { s = "system" }
when = "is_missing(s.ignored) and s.result == 'FP' and in_list(s.norm, 'stop words', s.label)"
set = { s.ignored = "'stop word'" }

[views.credit]
outcome = "result"
partner = "partner"
credit = { TP = 1, alike = "alike_credit" }
left_out = "ignored"
summary = "exact and alike"

[views.strict]
outcome = "result"
credit = { TP = 1 }
"""

TEXTS = {
    "d1": "Anna Smith joined Acme Incorporated Ltd in Rome .",
    "d2": "He left Acme Incorporated Ltd .",
}
TAGS = {
    "key.bio": ("B-PER I-PER O B-ORG I-ORG I-ORG O B-LOC O", "B-PER O B-ORG I-ORG I-ORG O"),
    "crf.bio": ("B-PER I-PER O B-ORG I-ORG O O B-PER O", "O O B-ORG B-ORG I-ORG O"),
    "hmm.bio": ("B-PER O O O O O O B-LOC O", "O B-PER B-ORG I-ORG I-ORG O"),
}
HMM = ["key PER d1:0-2", "key ORG d1:3-6", "key PER d2:0-1"]
CRF = ("key.bio", "crf.bio", "--rules", "mine.toml")


@pytest.fixture
def files(work: Path) -> Path:
    """The current folder, with a key, two systems and a rule file."""
    for name, documents in TAGS.items():
        parts = []
        for document, tags in zip(TEXTS, documents, strict=True):
            rows = zip(TEXTS[document].split(), tags.split(), strict=True)
            parts.append(f"# newdoc id = {document}\n" + "".join(f"{word}\t{tag}\n" for word, tag in rows))
        write(name, "\n".join(parts))
    write("mine.toml", RULES)
    return work


def explain(capsys: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    return run(capsys, "rules", "explain", *arguments)


# list


def test_the_list_has_every_rule_set_with_its_rules_views_and_title(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", "list")
    lines = outcome.out.splitlines()
    assert (outcome.code, [line.split()[0] for line in lines]) == (0, list(registered_rules()))
    exact, align = (next(line for line in lines if line.startswith(name)) for name in ("exact ", "align "))
    assert exact.split(maxsplit=4) == ["exact", "4", "rules", "exact", "Exact match: label and both ends"]
    assert " rules   to be included " in align


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    data = valid(run(capsys, "rules", "list", "--json").out)
    found = {each["name"]: each for each in data["rule_sets"]["rule_sets"]}
    assert list(found) == list(registered_rules())
    assert found["exact"] == {
        "name": "exact",
        "title": "Exact match: label and both ends",
        "rules": 4,
        "views": ["exact"],
    }


def test_a_broken_rule_set_of_another_package_does_not_hide_the_others(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("bad.toml", "rules = 3")
    monkeypatch.setattr("comparanda.cli.rule_sets.registered_rules", lambda: ["exact", "bad.toml"])
    lines = run(capsys, "rules", "list").out.splitlines()
    assert (lines[0].split()[0], lines[1].split()[:3]) == ("exact", ["bad.toml", "0", "rules"])
    assert "(cannot be used: " in lines[1]


# show


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("rules-show.txt", ()), ("rules-show.json", ("--json",))],
)
def test_a_rule_set_is_shown_as_a_whole(
    name: str, arguments: tuple[str, ...], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "rules", "show", "mine.toml", *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert_golden(name, outcome.out.replace(f"/{SCHEMA_VERSION}", "/SCHEMA"))


@pytest.mark.parametrize("name", sorted(registered_rules()))
def test_every_shipped_rule_set_can_be_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", "show", name)
    assert (outcome.code, outcome.out.partition(":")[0]) == (0, name)
    data = valid(run(capsys, "rules", "show", name, "--json").out)["rule_set"]
    for rule in data["rules"]:
        assert f"  {rule['name']}  ({rule['group']}/" in outcome.out
    assert [rule["group"] for rule in data["rules"]] == sorted(
        (rule["group"] for rule in data["rules"]), key=data["groups"].index
    )


def test_the_source_is_printed_as_it_is(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "rules", "show", "mine.toml", "--source").out == RULES
    assert run(capsys, "rules", "show", "exact", "--source").out == registered_file("exact").read_text()
    assert run(capsys, "rules", "show", str(files / "mine.toml"), "--source").out == RULES


def test_a_source_cannot_do_anything_to_the_terminal(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("mine.toml", "# a\u202eb\n" + RULES)
    assert run(capsys, "rules", "show", "mine.toml", "--source").out.startswith("# a\\u202eb\n# A small")


def test_an_unknown_rule_set_gets_its_nearest_match(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("exct",), ("exct", "--source")):
        outcome = run(capsys, "rules", "show", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith("comparanda: unknown rule set 'exct' (did you mean 'exact'?)\n  known: ")


# check


def test_right_files_are_counted_and_wrong_ones_shown_with_their_place(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("typo.toml", RULES.replace("s.label == k.label", "s.lable == k.label"))
    write("one.toml", 'include = ["mine.toml"]\n')
    outcome = run(capsys, "rules", "check", "mine.toml", "typo.toml", "gone.toml", "one.toml", "exact")
    assert outcome.code == 2
    assert outcome.out == (
        "mine.toml: ok: 5 rules, 2 views\none.toml: ok: 5 rules, 2 views\nexact: ok: 4 rules, 1 view\n"
    )
    first, second = outcome.err.split("gone.toml")
    line = RULES[: RULES.index("s.label == k.label")].count("\n") + 1
    assert first.startswith(f"typo.toml:{line}: rule 'alike', when: the table 'system' has no column 'lable'")
    shown, caret = first.splitlines()[1:3]
    assert shown[caret.index("^") : caret.rindex("^") + 1] == "s.lable"
    assert second == ": no such file (did you mean 'one.toml'?)\n"


def test_a_rule_that_links_nothing_is_found_by_the_check(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loose = RULES.replace("same(s, k, 'doc', 'begin', 'end', 'label')", "s.begin < k.begin")
    write("loose.toml", loose)
    outcome = run(capsys, "rules", "check", "loose.toml")
    assert (outcome.code, outcome.out) == (2, "")
    assert "rule 'true positive': nothing links s and k" in outcome.err


def test_a_check_as_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", "check", "mine.toml", "gone.toml", "--json")
    assert (outcome.code, outcome.err) == (2, "")
    error = "gone.toml: no such file (did you mean 'mine.toml'?)"
    assert valid(outcome.out)["rule_check"]["files"] == [
        {"file": "mine.toml", "ok": True, "rules": 5, "views": 2, "error": None},
        {"file": "gone.toml", "ok": False, "rules": 0, "views": 0, "error": error},
    ]


def test_right_files_alone_give_no_error(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", "check", "mine.toml")
    assert (outcome.code, outcome.out, outcome.err) == (0, "mine.toml: ok: 5 rules, 2 views\n", "")


def test_a_check_of_nothing_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", "check")
    assert (outcome.code, outcome.err.splitlines()[0]) == (2, "comparanda: missing argument 'FILE...'")


# explain


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rules-explain.txt", (*CRF, "--at", "d1:3-5")),
        ("rules-explain-why-not.txt", (*CRF, "--at", "d2:2-5", "--rule", "alike", "--rule", "true positive")),
        ("rules-explain-several.txt", ("key.bio", "crf.bio", "h=hmm.bio", "--span", 'label == "PER"')),
        ("rules-explain-key.txt", (*CRF, "--side", "key", "--text", "he", "--rule", "true positive")),
        ("rules-explain.json", (*CRF, "--at", "d2:3", "--rule", "alike", "--json")),
    ],
)
def test_an_explanation_is_the_one_on_record(
    name: str, arguments: tuple[str, ...], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = explain(capsys, *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert_golden(name, outcome.out.replace(f"/{SCHEMA_VERSION}", "/SCHEMA"))


def chosen(outcome: Outcome) -> list[str]:
    """Return the spans that an explanation is about, in short."""
    assert outcome.code == 0, outcome.err
    rows = [span["why"]["row"] for span in valid(outcome.out)["explanation"]["spans"]]
    return [f"{row['side']} {row['label']} {row['document']}:{row['begin']}-{row['end']}" for row in rows]


@pytest.mark.parametrize(
    ("arguments", "spans"),
    [
        (("--at", "d1:0-2"), ["crf PER d1:0-2", "hmm PER d1:0-1"]),
        (("--at", "d1:1"), ["crf PER d1:0-2"]),
        (("--at", "d2:0-5", "--side", "crf"), ["crf ORG d2:2-3", "crf ORG d2:3-5"]),
        (("--at", "d2:2-3,4-5", "--side", "hmm"), ["hmm ORG d2:2-5"]),
        (("--text", "ANNA  smith"), ["crf PER d1:0-2"]),
        (("--text", "Rome", "--span", 'label == "LOC"'), ["hmm LOC d1:7-8"]),
        (("--span", 'document == "d2" and length > 1'), ["crf ORG d2:3-5", "hmm ORG d2:2-5"]),
        (("--span", 'norm == "acme" or text == "left"'), ["crf ORG d2:2-3", "hmm PER d2:1-2"]),
        (("--span", 'result == "FN"', "--side", "key"), ["key LOC d1:7-8", "key PER d2:0-1", *HMM]),
        (("--span", 'ignored == "stop word"'), ["hmm PER d2:1-2"]),
    ],
)
def test_spans_are_chosen_by_place_text_and_condition(
    arguments: tuple[str, ...], spans: list[str], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = explain(capsys, "key.bio", "crf.bio", "hmm.bio", "--rules", "mine.toml", *arguments, "--json")
    assert chosen(outcome) == spans


def test_of_many_spans_ten_are_shown(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("key.bio", "a\tB-X\n" * 13)
    write("crf.bio", "a\tB-X\n" * 12 + "a\tB-Y\n")
    outcome = explain(capsys, "key.bio", "crf.bio", "--text", "a")
    assert outcome.out.count("\nsystem 'crf' ") == 10
    assert outcome.out.endswith("\n… 3 more spans selected; narrow the selection\n")
    data = valid(explain(capsys, "key.bio", "crf.bio", "--text", "a", "--json").out)
    assert (len(data["explanation"]["spans"]), data["explanation"]["more"]) == (10, 3)


def test_a_document_need_not_be_named_if_there_is_only_one(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("key.bio", "a\tB-X\nb\tO\n")
    write("crf.bio", "a\tB-X\nb\tB-X\n")
    assert chosen(explain(capsys, "key.bio", "crf.bio", "--at", "1-2", "--json")) == ["crf X key:1-2"]


def test_the_other_row_can_be_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*CRF, "--at", "d1:7-8", "--rule", "alike", "--with", "d1:0-2")
    assert '    with key [PER] "Anna Smith" d1:0-2 (key.bio:2)\n' in explain(capsys, *arguments).out
    outcome = explain(capsys, *CRF, "--at", "d1:7-8", "--rule", "alike", "--with", "d1:8")
    assert (outcome.code, outcome.err) == (2, "comparanda: --with: no span of 'key' at this place\n")
    outcome = explain(capsys, *CRF, "--at", "d1:7-8", "--rule", "stop word", "--with", "d1:7")
    assert outcome.err.startswith("comparanda: the rule 'stop word' matches single rows")
    back = (*CRF, "--side", "key", "--at", "d1:7-8", "--rule", "alike", "--with", "d1:7")
    assert "    with system 'crf' [PER] \"Rome\" d1:7-8 (crf.bio:9)\n" in explain(capsys, *back).out


def test_positions_count_characters_where_tokens_differ(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("cut.bio", Path("crf.bio").read_text().replace("Incorporated\tI-ORG", "Incorpo\tI-ORG\nrated\tI-ORG"))
    outcome = explain(capsys, "key.bio", "cut.bio", "--text", "acme incorporated", "-q")
    assert outcome.out.startswith(
        "rules 'exact', positions count characters\n\nsystem 'cut' [ORG] \"Acme Incorporated\""
    )
    assert " d1:18-35 (cut.bio:5)\n" in outcome.out


def test_spans_in_several_pieces_are_shown_with_all_of_them(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spans = {"begin": 0, "end": 11, "label": "DIS", "fragments": [[0, 4], [9, 11]]}
    text = {"id": "d", "text": "left and right arm"}
    write("key.jsonl", json.dumps({**text, "spans": [spans]}) + "\n")
    write("crf.jsonl", json.dumps({**text, "spans": [{**spans, "fragments": [[0, 4], [8, 11]]}]}) + "\n")
    outcome = explain(capsys, "key.jsonl", "crf.jsonl", "--at", "d:0-4,8-11", "-q")
    assert "[DIS]" in outcome.out, outcome.err
    assert " d:0-4,8-11 (crf.jsonl:1)\n" in outcome.out


def test_verdicts_that_an_input_claims_for_itself_do_not_count(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    span = {"begin": 0, "end": 4, "label": "PER"}
    write("key.jsonl", json.dumps({"id": "d", "text": "Anna Bo", "spans": [span]}) + "\n")
    liar = {"begin": 5, "end": 7, "label": "PER", "result": "TP"}
    write("crf.jsonl", json.dumps({"id": "d", "text": "Anna Bo", "spans": [liar]}) + "\n")
    outcome = explain(capsys, "key.jsonl", "crf.jsonl", "--text", "Bo", "-q")
    assert "exact:  FP by rule 'false positive' in step 1, credit 0\n" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            (),
            "no span selected\n  add --at DOC:BEGIN-END, --text TEXT, or --span CONDITION, such as 'label == \"PER\"'",
        ),
        (("--at", "3"), "position 3 needs a document: there are several\n  write DOC:3; documents: d1, d2"),
        (("--at", "d3:1"), "the key has no document 'd3' (did you mean 'd2'?)\n  give a place as DOC:BEGIN-END"),
        (("--at", "d1:x"), "expected a place as DOC:BEGIN-END or DOC:BEGIN, got 'd1:x'"),
        (("--at", "d1:4-2"), "the place 'd1:4-2' ends before it begins"),
        (
            ("--at", "d2:0-1"),
            "no span of 'crf' at d2:0-1\n  add --side key, where there is key [PER] \"He\" d2:0-1 (key.bio:13)",
        ),
        (("--at", "d2:1", "--side", "key"), "no span of the key at d2:1"),
        (("--span", 'ignored == "x"'), "no span of 'crf' matching ignored == \"x\""),
        (("--text", "Bo", "--span", "begin > 3"), "no span of 'crf' with the text 'Bo' and matching begin > 3"),
        (
            ("--span", "lable == 'x'"),
            "--span: unknown name 'lable' (did you mean 'label'?)\n  lable == 'x'\n  ^^^^^",
        ),
        (
            ("--span", "begin"),
            "--span: expected a condition, got a number\n  begin\n  ^^^^^\n  compare it with a value, as in begin > 0",
        ),
        (("--at", "d1:3", "--side", "cfr"), "unknown side 'cfr' (did you mean 'crf'?)\n  sides: key, crf"),
        (
            ("--at", "d1:3", "--rule", "alik"),
            "the rule set 'mine' has no rule 'alik' (did you mean 'alike'?)\n"
            "  its rules: true positive, false positive, false negative, alike, stop word",
        ),
        (
            ("--at", "d1:3", "--rule", "false negative"),
            "the rule 'false negative' is about rows of key, but this is a row of system",
        ),
        (("--at", ""), "--at: the value is empty"),
    ],
)
def test_an_explanation_that_cannot_be_given(
    arguments: tuple[str, ...], text: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = explain(capsys, *CRF, *arguments)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"comparanda: {text}\n")


def test_a_result_folder_has_nothing_to_explain(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "compare", "key.bio", "crf.bio", "--task", "span", "--save", "result", "--resamples", "0", "-q")
    outcome = explain(capsys, "result", "--at", "d1:3")
    assert (outcome.code, outcome.err) == (
        2,
        "comparanda: a result folder does not contain what each rule did\n  give the files instead\n",
    )


def test_notes_go_to_standard_error_and_into_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*CRF, "--at", "d1:3", "--ignore-label", "LOC")
    note = "all: spans left out by their label, on all sides: 1"
    assert explain(capsys, *arguments).err == f"note: {note}\n"
    assert explain(capsys, *arguments, "-q").err == ""
    assert valid(explain(capsys, *arguments, "--json", "-q").out)["notes"] == [note]
    outcome = explain(capsys, *arguments, "--strict")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("comparanda: the input produced warnings (--strict)")


def test_explain_takes_its_inputs_from_a_config_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = 'task = "pos"\nwhere = "length > 3"\nkey = "../key.bio"\nrules = "../mine.toml"\njson = true\n'
    write("setup/c.toml", settings + '[systems]\ncrf = "../crf.bio"\n')
    outcome = explain(capsys, "--config", "setup/c.toml", "--at", "d1:3", "-q")
    assert valid(outcome.out)["explanation"]["rules"] == "mine"


def test_a_task_copied_from_score_chooses_the_default_rules(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for task, rules in (("span", "exact"), ("link", "links")):
        outcome = explain(capsys, "key.bio", "crf.bio", "--task", task, "--at", "d1:3", "--json", "-q")
        assert valid(outcome.out)["explanation"]["rules"] == rules
    outcome = explain(capsys, "key.bio", "crf.bio", "--task", "dep", "--at", "d1:3")
    assert (outcome.code, outcome.err) == (2, "comparanda: --task: expected span or link, got 'dep'\n")


def test_texts_cannot_do_anything_to_the_terminal(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("key.bio", "\x1b[31ma\u202e\tB-X\n")
    write("crf.bio", "\x1b[31ma\u202e\tB-\x1bY\n")
    out = explain(capsys, "key.bio", "crf.bio", "--at", "0", "-q").out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[\\x1bY]" in out


# Help, completion, schemas


@pytest.mark.parametrize("words", [(), ("list",), ("show",), ("check",), ("explain",)])
def test_help(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", *words, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert max(map(len, outcome.out.splitlines())) <= 100
    if words in {(), ("explain",)}:
        assert_golden(f"help-{'-'.join(('rules', *words))}.txt", outcome.out)


@pytest.mark.parametrize("words", ["['rules', '--help']", "['rules', 'explain', '--help']"])
def test_the_help_loads_nothing_heavy(words: str) -> None:
    import subprocess
    import sys

    script = (
        f"import sys\nfrom comparanda.cli import main\ntry:\n    main({words})\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'rich', 'msgspec') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_unknown_command_gets_its_nearest_match(capsys: pytest.CaptureFixture[str]) -> None:
    for name, near in (("chek", " (did you mean 'check'?)"), ("mine.toml", "")):
        outcome = run(capsys, "rules", name)
        text = f"comparanda: unknown command {name!r}{near}\n  commands: list, show, check, explain\n"
        assert (outcome.code, outcome.err) == (2, text)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("comparanda ru", {"rules"}),
        ("comparanda rules ch", {"check"}),
        ("comparanda rules show paper", {"paper", "paper-literal"}),
        ("comparanda rules show mi", {"mi"}),
        ("comparanda rules check se", {"semeval2013"}),
        ("comparanda rules explain --sid", {"--side"}),
        ("comparanda score --rules exa", {"exact"}),
        ("comparanda score --rules ./x", {"./x"}),
        ("comparanda score --repair d", {"discard"}),
        ("comparanda score --scheme bi", {"bio", "bioes", "bilou"}),
        ("comparanda score --para", {"--parameter", "--paranoid"}),
        ("comparanda schema rule_", {"rule_sets", "rule_set", "rule_check"}),
    ],
)
def test_completion(words: str, expected: set[str]) -> None:
    place = str(len(words.split()) - 1)
    env = {"_COMPARANDA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    done = program(env={**os.environ, **env})
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected


def valid(text: str) -> Any:
    """Return a document, which must fit its schema."""
    data = json.loads(text)
    kind = data["schema"].split("/")[1]
    Draft202012Validator(rules_schema(kind)).validate(data)
    return data


@pytest.mark.parametrize("kind", OUTPUTS)
def test_schemas_are_schemas_and_can_be_printed(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    Draft202012Validator.check_schema(rules_schema(kind))
    assert run(capsys, "schema", kind).json == json.loads(json.dumps(rules_schema(kind)))
    assert kind in run(capsys, "schema").out.split()


def test_the_shape_of_outputs_is_on_record() -> None:
    """If it changes so that users' programs could notice, SCHEMA_VERSION must rise, as for all other outputs."""
    shapes = {kind: shape(json.loads(json.dumps(rules_schema(kind)))) for kind in OUTPUTS}
    path = FOLDER / f"schemas-rules-v{SCHEMA_VERSION}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(json.dumps(shapes, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    assert json.loads(path.read_text()) == shapes


def shape(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: shape(value) for key, value in data.items() if key != "description" or not isinstance(value, str)}
    return [shape(value) for value in data] if isinstance(data, list) else data
