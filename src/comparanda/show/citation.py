"""A methods paragraph and BibTeX, for the paper that the numbers go into."""

from __future__ import annotations

from comparanda.version import __version__

_PARAGRAPH = """\
Methods. Systems were compared with comparanda {version}. Differences between two outputs are broken down
into corrections, new errors and changed errors, and upper bounds of combination are the share of sites that
at least one system has right, following Tuggener (2017). {tests}Signature: {signature}"""

_TESTS = """\
Differences of scores were tested by two-sided
approximate randomisation over {unit}s ({resamples} resamples; Yeh 2000), with Holm's correction for pairs of
systems and Benjamini and Hochberg's for slices; 95 % intervals are percentile intervals of a paired bootstrap
over {unit}s (Efron and Tibshirani 1993). """

_BIBTEX = r"""
@misc{comparanda,
  title = {comparanda: comparative evaluation of {NLP} systems},
  author = {{The comparanda authors}},
  note = {Version VERSION},
  year = {2026}
}
@inproceedings{tuggener-2017-method,
  title = {A method for in-depth comparative evaluation: How (dis)similar are outputs of {POS} taggers,
    dependency parsers and coreference resolvers really?},
  author = {Tuggener, Don},
  booktitle = {Proceedings of the 15th Conference of the European Chapter of the Association for
    Computational Linguistics: Volume 1, Long Papers},
  year = {2017}
}
@inproceedings{yeh-2000-more,
  title = {More accurate tests for the statistical significance of result differences},
  author = {Yeh, Alexander},
  booktitle = {{COLING} 2000 Volume 2: The 18th International Conference on Computational Linguistics},
  year = {2000}
}
@book{efron-tibshirani-1993-introduction,
  title = {An Introduction to the Bootstrap},
  author = {Efron, Bradley and Tibshirani, Robert J.},
  publisher = {Chapman and Hall},
  year = {1993}
}"""


def citation(signature: str) -> str:
    """Return a methods paragraph for a signature, and the references it needs."""
    parts = dict(part.partition(":")[::2] for part in signature.split("|"))
    resamples = int(parts.get("resamples", "0"))
    tests = _TESTS.format(unit=parts.get("unit", "document"), resamples=f"{resamples:,}") if resamples else ""
    paragraph = _PARAGRAPH.format(version=__version__, tests=tests, signature=signature)
    return paragraph + "\n" + _BIBTEX.replace("VERSION", __version__)
