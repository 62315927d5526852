"""Comparative evaluation of NLP systems."""
