"""What packages register, read from their files: the same as `importlib.metadata` finds."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from comparanda.core import registry
from comparanda.core.registry import Entry, find_registered

GROUPS = tuple(f"comparanda.{name}" for name in ("formats", "writers", "tasks", "rules", "findings", "measures"))


@pytest.fixture
def _fresh() -> Iterator[None]:
    """Forget what was found before the test, and after it what the test has added."""
    caches = (registry.find_registered, registry._installed_entries)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def install(folder: Path, name: str, entries: str) -> None:
    """Write the metadata of a package."""
    place = folder / f"{name}-1.0.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (place / "entry_points.txt").write_text(entries)


def by_the_library(group: str) -> list[Entry]:
    return sorted(Entry(each.group, each.name, each.value) for each in entry_points(group=group))


@pytest.mark.parametrize("group", [*GROUPS, "console_scripts", "pytest11"])
def test_the_entries_are_those_that_the_library_finds(group: str) -> None:
    assert sorted(registry._list_entries(group)) == by_the_library(group)


@pytest.mark.parametrize("name", sorted(find_registered("comparanda.writers")))
def test_what_is_loaded_is_what_the_library_loads(name: str) -> None:
    (theirs,) = [each for each in entry_points(group="comparanda.writers") if each.name == name]
    assert find_registered("comparanda.writers")[name].load() is theirs.load()


@pytest.mark.usefixtures("_fresh")
def test_packages_of_others_are_found_the_first_version_of_each_and_ours_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "a", "pairs_demo", "[comparanda.tasks]\npairs = textwrap:dedent\npos = textwrap:indent\n")
    install(tmp_path / "b", "Pairs.Demo", "[comparanda.tasks]\npairs = textwrap:shorten\nold = textwrap:wrap\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "a"), str(tmp_path / "nothing"), str(tmp_path / "b")])
    tasks = find_registered("comparanda.tasks")
    assert tasks["pairs"].value == "textwrap:dedent"
    assert tasks["pos"].value == "comparanda.tasks.labels.evaluation:POS"
    assert "old" not in tasks
    assert sorted(registry._list_entries("comparanda.tasks")) == by_the_library("comparanda.tasks")


@pytest.mark.usefixtures("_fresh")
def test_damaged_metadata_of_another_package_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "damaged", "")
    (tmp_path / "damaged-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff[\n[comparanda.tasks\nx\n= \n")
    (tmp_path / "old.egg-info").write_text("a file, as old versions of distutils wrote it")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert sorted(find_registered("comparanda.tasks")) == [
        "coref",
        "dep",
        "label",
        "link",
        "pos",
        "prob",
        "span",
        "tag",
    ]


@pytest.mark.usefixtures("_fresh")
def test_packages_in_an_archive_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "zipped", "[comparanda.tasks]\nzipped = textwrap:dedent\n")
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for each in sorted((tmp_path / "zipped-1.0.dist-info").iterdir()):
            file.write(each, f"zipped-1.0.dist-info/{each.name}")
    monkeypatch.setattr(sys, "path", [*sys.path, str(archive)])
    tasks = find_registered("comparanda.tasks")
    assert tasks["zipped"].value == "textwrap:dedent"
    assert tasks["pos"].value == "comparanda.tasks.labels.evaluation:POS"
