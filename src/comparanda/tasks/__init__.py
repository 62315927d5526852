"""Evaluation tasks, which turn aligned corpora into verdicts: one package per kind of annotation."""
