"""The number of threads of numerical libraries, as environment variables that they read when they are loaded."""

from __future__ import annotations

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""One thread: matrices are multiplied in small tiles, so a pool of threads would cost time and never be used."""
