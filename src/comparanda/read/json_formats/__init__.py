"""Formats made of JSON: annotation tools, pipelines, linkers, linked data."""
