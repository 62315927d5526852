"""Data types shared by all tasks: corpora, sites, items, spans, chains, probabilities, measures and verdicts."""
