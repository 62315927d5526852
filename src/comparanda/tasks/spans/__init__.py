"""Labelled spans and entity links: evaluation, examples and voting."""
