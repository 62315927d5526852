"""How one example looks on the page: its words, and what the key and every system say of them.

`making` makes the card of a row; `drawing` what is drawn of it: `tags`, `spans`, `chains`, `trees`; `beliefs` what
probabilistic systems hold for possible; `sides` puts runs together that say the same; `texts` makes texts safe.
"""

from comparanda.page.cards.making import Cards, sentence
from comparanda.page.cards.texts import cut_begin, cut_end, cut_middle

__all__ = ["Cards", "cut_begin", "cut_end", "cut_middle", "sentence"]
