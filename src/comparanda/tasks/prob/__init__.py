"""The judge of probabilistic entities."""
