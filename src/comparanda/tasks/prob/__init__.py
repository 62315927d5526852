"""Probabilistic entities: evaluation, calibration and findings."""
