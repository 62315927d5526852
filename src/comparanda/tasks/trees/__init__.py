"""Dependency trees: evaluation, examples and voting."""
