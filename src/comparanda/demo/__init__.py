"""The demo corpus: texts by this project, gold tags, entities and coreference chains, and outputs of real programs."""

from __future__ import annotations

import shutil
from pathlib import Path

_FOLDER = Path(__file__).parent
_FILES = {"pos": "*.conllu", "span": "entities/*.bio", "coref": "chains/*.conll"}

TASKS = tuple(_FILES)
"""The tasks with demo outputs: four taggers, four named entity recognisers, three coreference resolvers."""


def demo_files(task: str = "pos") -> tuple[str, dict[str, str]]:
    """Return the path of the key, and the paths of the outputs by system name.

    >>> sorted(demo_files("span")[1])
    ['compromise', 'opennlp', 'spacy', 'spacy2']
    >>> sorted(demo_files("coref")[1])
    ['compromise', 'xrenner', 'xrenner_rules']
    """
    files = {file.stem: str(file) for file in sorted(_FOLDER.glob(_FILES[task]))}
    return files.pop("key"), files


def copy_demo(folder: str) -> int:
    """Copy the demo files to a folder, entities and chains to subfolders, and return the number of files."""
    files = [file for pattern in _FILES.values() for file in sorted(_FOLDER.glob(pattern))]
    for file in files:
        target = Path(folder) / file.relative_to(_FOLDER)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return len(files)
