"""The packed demo: texts written by this project, gold tags, and what four real taggers made of them."""

from __future__ import annotations

import shutil
from pathlib import Path

_FOLDER = Path(__file__).parent


def demo_files() -> tuple[str, dict[str, str]]:
    """Return the path of the key, and of each system's output by its name."""
    systems = sorted(_FOLDER.glob("*.conllu"))
    return str(_FOLDER / "key.conllu"), {file.stem: str(file) for file in systems if file.stem != "key"}


def copy_demo(folder: str) -> int:
    """Copy the demo's files to a folder and return how many there are."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    files = sorted(_FOLDER.glob("*.conllu"))
    for file in files:
        shutil.copy(file, target / file.name)
    return len(files)
