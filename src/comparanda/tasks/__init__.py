"""From aligned corpora to verdicts: one module a kind of annotation."""
