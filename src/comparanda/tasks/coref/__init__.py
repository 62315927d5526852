"""Coreference chains: evaluation, examples and findings (DEFINITIONS 8)."""
