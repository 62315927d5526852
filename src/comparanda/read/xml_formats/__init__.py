"""Formats made of XML, or of text with tags in it."""
