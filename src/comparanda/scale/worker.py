"""A process that judges parts for another one: `python -m comparanda.scale.worker TASKS ANSWERS`, two open files."""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from comparanda.scale.crew import run_worker

if __name__ == "__main__":
    run_worker(Connection(int(sys.argv[1]), writable=False), Connection(int(sys.argv[2]), readable=False))
