"""The worker process: `python -m comparanda.scale.worker TASKS ANSWERS`, with two open file descriptors."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread

from comparanda.scale.executors import run_worker


def _listen(tasks: Connection, queue: SimpleQueue[bytes]) -> None:
    """Receive tasks; exit at once when the connection is closed for whatever reason, even during a part."""
    while True:
        try:
            queue.put(tasks.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops this process
    given: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(Connection(int(sys.argv[1]), writable=False), given), daemon=True).start()
    run_worker(iter(given.get, b""), Connection(int(sys.argv[2]), readable=False).send_bytes)
