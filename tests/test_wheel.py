"""The built wheel works by itself: metadata, packed data, entry points, the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from comparanda.demo import TASKS
from tests.seeds import first_few

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and unpack it into a folder of its own, without its dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    wheel = next(folder.glob("*.whl"))
    site = folder / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return site


def run(site: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True, env=environment, cwd=site
    )
    return done.stdout


@pytest.mark.slow
def test_the_wheel_is_what_gets_imported(installed: Path) -> None:
    place = run(installed, "-c", "import comparanda; print(comparanda.__file__)")
    assert Path(place.strip()).is_relative_to(installed)


@pytest.mark.parametrize("task", first_few(1, TASKS))
def test_the_demo_runs_from_the_wheel(task: str, installed: Path) -> None:
    assert "30 documents" in run(installed, "-m", "comparanda", "demo", "--task", task, "--resamples", "0")


@pytest.mark.slow
def test_the_wheel_brings_its_formats_and_its_types(installed: Path) -> None:
    assert "conllu" in run(installed, "-m", "comparanda", "formats")
    assert (installed / "comparanda" / "py.typed").exists()
