"""The number of threads of numerical libraries, as environment variables that they read when they are loaded."""

from __future__ import annotations

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""One thread, for commands and workers.

Starting a pool takes as long as a third of a small comparison; large products are split into tiles for which it is not
used; and sums over several threads depend on their number in the last digits.
"""
