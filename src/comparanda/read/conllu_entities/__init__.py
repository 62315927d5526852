"""Spans in the MISC column of CoNLL-U: brackets, and the text that tells where spaces are."""
