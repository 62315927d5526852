"""Small files beside a comparison (label maps, same ids, answers, baselines, settings), and Python objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache

import click

import comparanda as cp
from comparanda.api.baseline import baseline_of, read_baseline, refuse_changed
from comparanda.cli import cli
from comparanda.cli.parameters import translate_error
from comparanda.formats.mappings import read_label_map, read_same_ids
from comparanda.formats.replies import read_replies
from fuzz.seeds import seeds_of
from fuzz.target import REFUSED, Contradiction, Target, case, put, taken_apart

_READ: tuple[Callable[[str], object], ...] = (read_label_map, read_same_ids, read_replies, read_baseline)
_TEXTS = (
    "# a map\nPER\tperson\nLOC\tplace\nGPE place\n",
    "Q1 Q2\nQ3\tQ4\tQ5\n# x\nQ5\tQ1\n",
    '{"id": "d1:0-5:PER:label", "answer": "yes"}\n{"id": "q", "accept": ["PER"], "answer": "accept", "options": '
    '[{"id": "PER"}]}\n',
    '[{"id": 1, "data": {"question_id": "q"}, "annotations": [{"result": [{"type": "choices", "value": {"choices": '
    '["yes"]}}]}]}]',
    'id,text,answer\nq1,"two\nlines",yes\nq2,one,\n',
)
_TASKS = ("label", "tag", "span", "coref", "prob", "link")
_OBJECTS = (
    ["A", "B", None], [["A", "B"], ["C"]], [["a", "A"], ["b", "B"]], {"a": "A", "b": ["B", "C"]},
    [{"id": 1, "label": "A"}], {"id": [1, 2], "label": ["A", "B"]}, [["N", "V"], ["N"]], [[["a", "N"], ["b", "V"]]],
    [{"tokens": ["a", "b"], "tags": ["B-X", "O"]}], {"tokens": [["a"]], "tags": [["N"]]},
    [{"id": "d", "text": "a b", "spans": [{"begin": 0, "end": 1, "label": "X", "chain": 1, "score": 0.5, "id": "Q"}]}],
    {"d": [[0, 1, "X"], [2, 3, "Y"]]}, {"d": [[[0, 1], [2, 3]]]},
    [{"doc_key": "d", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}],
)  # fmt: skip


def side_targets() -> Iterator[Target]:
    """Give the three targets."""
    words = [b'"answer"', b'"id"', b'"kind"', b'"accept"', b'"result"', b"NIL"]
    yield Target(name="side-files", minutes=2, seeds=_seeds, run=run, words=words)
    yield Target(
        name="settings",
        minutes=2,
        seeds=_setting_seeds,
        run=run_settings,
        words=[f"\n{each} = ".encode() for each in _settings()],
    )
    fields = ("tokens", "tags", "spans", "begin", "end", "label", "chain", "clusters", "text", "id", "score")
    yield Target(
        name="objects", minutes=2, seeds=_object_seeds, run=run_object, words=[f'"{each}"'.encode() for each in fields]
    )


def _seeds() -> Iterator[bytes]:
    for number in range(len(_READ)):
        for text in (*_TEXTS, _baseline()):
            yield case(number, text.encode())


def _baseline() -> str:
    data = seeds_of("columns")[-1][0]
    path = str(put("baseline", ["key.conll"], [data]) / "key.conll")
    return str(baseline_of(cp.compare(path, {"base": path}, task="span", resamples=0), "base").to_json())


def run(data: bytes) -> None:
    """Read a side file; a baseline is also compared with another one."""
    choice, pieces = taken_apart(data)
    path = put("side", ["in.txt"], pieces) / "in.txt"
    try:
        found = _READ[choice % len(_READ)](str(path))
        if choice % len(_READ) == 3:
            refuse_changed(found, read_baseline(_blessed()))  # type: ignore[arg-type] # what the fourth of them returns
    except REFUSED:
        return


def _blessed() -> str:
    path = put("side", [], []) / "blessed.json"
    if not path.exists():
        path.write_text(_baseline())
    return str(path)


_SETTINGS = (
    """task = "pos"\nkey = "key.conllu"\nresamples = 0\nby = ["label", "length"]\nlimit = ["labels=50"]\nstrict = true
[systems]\n"a/b=c" = "a.conllu::conllu?column=upos"\nruns = ["r1.csv", "r2.csv"]\n[maps]\na = "a.map"\n""",
    """task = "span"\nrules = "own/rules.toml"\nmap = ["a=a.map"]\nmemory = "2G"\nworkers = 2\nformat = "json"
min-weight = 0.5\nsave = "out"\nseed = 7\nview = "strict"\nmeasure = ["f1", "recall"]\nwhere = "label == 'PER'"\n""",
    """json = true\ntop = 3\nbelief = ["overlap=exclusive"]\nmax-line = 100_000\nquiet = true\n""",
)


@cache
def _commands() -> list[click.Command]:
    """Return the commands that have settings."""
    return [each for each in cli.commands.values() if "config" in {option.name for option in each.params}]


def _settings() -> list[str]:
    return sorted({max(each.opts, key=len).lstrip("-") for command in _commands() for each in command.params})


def _setting_seeds() -> Iterator[bytes]:
    for number in range(len(_commands())):
        for text in _SETTINGS:
            yield case(number, text.encode())


def run_settings(data: bytes) -> None:
    """Let a file be the settings of a command, which is not run: it would write where the file says."""
    choice, pieces = taken_apart(data)
    path = put("settings", ["in.toml"], pieces) / "in.toml"
    command = _commands()[choice % len(_commands())]
    try:
        with cli.make_context("comparanda", [str(command.name)]) as group:
            command.make_context(command.name, ["--config", str(path), "key.csv", "one.csv"], parent=group)
    except click.ClickException as problem:
        translate_error(problem)
    except (*REFUSED, click.exceptions.Exit):
        return


def _object_seeds() -> Iterator[bytes]:
    for number in range(len(_TASKS)):
        for each in _OBJECTS:
            yield case(number, json.dumps(each).encode())


def run_object(data: bytes) -> None:
    """Compare a Python object with itself."""
    choice, pieces = taken_apart(data)
    try:
        given = json.loads(pieces[0])
    except (ValueError, RecursionError):
        return
    if isinstance(given, str):  # the notation of an input
        return
    task = _TASKS[choice % len(_TASKS)]
    try:
        value = cp.compare(given, {"same": given}, task=task, resamples=10).scores().value("same")
    except REFUSED:
        return
    if task != "prob" and value is not None and abs(value - 1) > 1e-9:
        raise Contradiction(f"{task} of an object against itself is not 1")
