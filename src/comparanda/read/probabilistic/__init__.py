"""Probabilistic entities from JSON: blocks of alternatives, entities with scores, n-best lists, token marginals."""
