"""The recipes for continuous integration do what they promise: their commands are run, with a good and a bad candidate.

Programs that would leave the machine (pip, gh) are replaced by ones that only note how they were called.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from comparanda.demo import copy_demo

pytestmark = pytest.mark.slow

srsly: Any = pytest.importorskip("srsly")  # comes with spaCy, which tests need anyway; it reads YAML

RECIPES = Path(__file__).parents[2] / "examples" / "ci"
STUB = '#!/bin/sh\necho "$(basename "$0") $*" >> called.txt\n'


def recipe(name: str) -> Any:
    return srsly.yaml_loads((RECIPES / name).read_text(encoding="utf-8"))


def blessing() -> str:
    """Return the command by which the README writes the baseline."""
    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    return text.split("```sh\n")[1].split("```")[0]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay out a project whose release is blessed; its candidates are one that only corrects, and one that breaks."""
    folder = tmp_path_factory.mktemp("project")
    copy_demo(str(folder / "demo"))
    for name in ("data", "outputs", "bin"):
        (folder / name).mkdir()
    gold, released = ((folder / f"demo/{name}.conllu").read_text(encoding="utf-8") for name in ("key", "hanta"))
    (folder / "data/gold.conllu").write_text(gold, encoding="utf-8")
    (folder / "outputs/released.conllu").write_text(released, encoding="utf-8")
    assert corrected(gold, released) != released
    (folder / "good.conllu").write_text(corrected(gold, released), encoding="utf-8")
    shutil.copy(folder / "demo/brill.conllu", folder / "bad.conllu")
    shutil.copy(RECIPES / "comparanda.toml", folder)
    own = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m comparanda "$@"\n'
    for name, script in (("pip", STUB), ("gh", STUB), ("comparanda", own)):
        (folder / "bin" / name).write_text(script, encoding="utf-8")
        (folder / "bin" / name).chmod(0o755)
    assert run(folder, blessing()).returncode == 0
    return folder


@pytest.fixture(params=[True, False], ids=["holds", "fails"])
def holds(request: pytest.FixtureRequest, tmp_path: Path, project: Path) -> bool:
    """Copy the project, with the candidate that lets the gate hold, or with the other; say which."""
    shutil.copytree(project, tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / ("good.conllu" if request.param else "bad.conllu"), tmp_path / "outputs/candidate.conllu")
    return bool(request.param)


def corrected(gold: str, released: str) -> str:
    """Give the words of the first half of the release the tags of the key."""
    tags = [line.split("\t")[3] for line in gold.split("\n") if line[:1].isdigit()]
    lines, word = released.split("\n"), 0
    for place, line in enumerate(lines):
        if line[:1].isdigit():
            fields = line.split("\t")
            fields[3] = tags[word] if word < len(tags) // 2 else fields[3]
            lines[place] = "\t".join(fields)
            word += 1
    assert word == len(tags)
    return "\n".join(lines)


def run(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub and GitLab do: by bash, which stops at the first command that fails."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "PYTHONWARNINGS": "error", **environment}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=120)


def test_github_actions(holds: bool, tmp_path: Path) -> None:
    steps = recipe("github-actions.yml")["jobs"]["gate"]["steps"]
    ok = True
    for step in steps:
        condition = step.get("if", "success()")
        file = condition.split("hashFiles('")[1].split("'")[0] if "hashFiles" in condition else None
        wanted = ok if condition == "success()" else "!cancelled()" in condition and (tmp_path / str(file)).exists()
        if "run" in step and wanted:
            done = run(tmp_path, step["run"], GITHUB_STEP_SUMMARY="summary.md", PULL_REQUEST="7")
            ok = ok and done.returncode == 0
            assert done.returncode == (0 if step["name"] != "Gate" or holds else 1), done.stderr
    assert ok is holds
    check_reports(tmp_path, holds)
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert (tmp_path / "called.txt").read_text(encoding="utf-8").splitlines() == [
        "pip install comparanda",
        "gh pr comment 7 --edit-last --create-if-none --body-file gate.md",
    ]
    kept = [step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", "")]
    assert all((tmp_path / file).exists() for file in kept)
    assert kept


def test_gitlab(holds: bool, tmp_path: Path) -> None:
    job = recipe("gitlab-ci.yml")["gate"]
    done = run(tmp_path, "\n".join([*job["before_script"], *job["script"]]))
    assert done.returncode == (0 if holds else 1), done.stderr
    check_reports(tmp_path, holds)
    for file in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (tmp_path / file).exists()


@pytest.mark.parametrize("name", ["pre-commit-config.yaml", "pre-commit-hooks.yaml"])
def test_pre_commit(name: str, holds: bool, tmp_path: Path) -> None:
    found = recipe(name)
    (hook,) = found if isinstance(found, list) else found["repos"][0]["hooks"]
    assert hook["pass_filenames"] is False
    done = run(tmp_path, shlex.join([*shlex.split(hook["entry"]), *hook.get("args", [])]))
    assert done.returncode == (0 if holds else 1), done.stderr
    assert ("Gate passed: 3 checks hold" if holds else "Gate failed: 3 of 3 checks do not hold") in done.stdout
    assert ("10 of 316 examples shown where new_error" in done.stdout) is not holds
    assert not done.stderr


def check_reports(folder: Path, holds: bool) -> None:
    """Check the files that a gate leaves behind."""
    suites = ElementTree.parse(folder / "gate.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("3", "0" if holds else "3")
    comment = (folder / "gate.md").read_text(encoding="utf-8")
    assert comment.startswith("### Gate passed" if holds else "### Gate failed")
    assert ("<details>" in comment) is not holds


@pytest.mark.parametrize("holds", [True], indirect=True)
def test_a_gate_on_other_files_than_the_blessed_ones_is_no_verdict(holds: bool, tmp_path: Path) -> None:
    with (tmp_path / "data/gold.conllu").open("a", encoding="utf-8") as stream:
        stream.write("\n")
    done = run(tmp_path, recipe("gitlab-ci.yml")["gate"]["script"][0])
    assert done.returncode == 3
    assert "key: gold.conllu has changed" in done.stderr
    assert not (tmp_path / "gate.xml").exists()


def test_every_recipe_is_tested() -> None:
    assert {path.name for path in RECIPES.iterdir()} == {
        "README.md",
        "comparanda.toml",
        "github-actions.yml",
        "gitlab-ci.yml",
        "pre-commit-config.yaml",
        "pre-commit-hooks.yaml",
    }
