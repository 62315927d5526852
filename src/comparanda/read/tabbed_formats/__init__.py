"""Formats whose lines are cells with tabs between them, with ids of entities."""
