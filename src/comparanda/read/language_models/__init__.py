"""Answers of language models: what they say, and what of it are items."""
