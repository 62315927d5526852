"""Fuzzing of all that reads what others wrote: formats, expressions, rules, result folders (see docs/fuzzing.md)."""
