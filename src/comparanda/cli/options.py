"""The options that commands share, grouped by their section in the help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from comparanda.cli.config import use_config
from comparanda.cli.parameters import (
    INPUT,
    Option,
    above_zero,
    integer_from,
    is_given,
    parse_fraction,
    parse_names,
    parse_numbers,
    parse_settings,
    parse_size,
    refuse_empty,
    whole_settings,
)
from comparanda.cli.parameters import one_of as parsing_one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    Complete = Callable[[click.Context, click.Parameter, str], list[str]]


# Shell completion, without reading any input.


def complete_file(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a file name."""
    del context, parameter
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def one_of(*names: str) -> Complete:
    """Complete one of the given names."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        del context, parameter
        return [name for name in names if name.startswith(incomplete)]

    return complete


def complete_registered(group: str) -> Complete:
    """Complete a name registered in an entry point group."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        from comparanda.core import registry

        return one_of(*registry.find_registered(group))(context, parameter, incomplete)

    return complete


def complete_output(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a JSON output."""
    from comparanda.render.json import finding_names
    from comparanda.render.rule_text import OUTPUTS

    return one_of(*finding_names(), *OUTPUTS)(context, parameter, incomplete)


def rule_sets(context: click.Context, parameter: click.Parameter, incomplete: str) -> Sequence[str | CompletionItem]:
    """Complete the name of a rule set or a file."""
    return complete_registered("comparanda.rules")(context, parameter, incomplete) or complete_file(
        context, parameter, incomplete
    )


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

ATTRIBUTES = (
    "agreement",
    "depth",
    "direction",
    "distance",
    "document",
    "frequency",
    "label",
    "length",
    "majority",
    "position",
    "projectivity",
    "seen",
    "solved_by",
    "word",
)
LAYOUTS = ("table", "md", "csv", "tsv", "latex", "jsonl", "json")

# Repeated here, not imported: the help must not load NumPy. A test compares them with the library.
MISSING = ("error", "empty", "intersection")
TEXTS = ("exact", "tolerate")
ORDERS = ("frequency", "gain", "gain-here")
KEYINGS = ("label", "value")
PUNCTUATION = ("keep", "ud-punct", "unicode-p", "ptb")
LABELS = ("universal", "full")
CONLL18 = ("official", "normalised")
SINGLETONS = ("keep", "drop")
REPEATED = ("first", "official")
MATCHING = ("exact", "head", "partial")
NOUNS = ("auto", "ptb", "stts", "upos", "english")
DECIDE = ("tuple", "hierarchical")
STRATEGIES = (
    "random",
    "document",
    "high",
    "low",
    "entropy",
    "margin",
    "group_size",
    "group_entropy",
    "fgain",
    "infogain",
    "oracle",
)
KINDS = ("label", "span", "choice", "group")
HANDLERS = ("basic", "statistical")
AREAS = ("trapezoid", "thesis")
CURVES = ("f1", "precision", "recall", "expected_precision", "expected_recall")
SEEDS = 20
QUESTIONS = 50
TOOLS = ("prodigy", "label-studio")
CHARTS = ("reliability", "thresholds")
SCHEMES = ("auto", "bio", "iob1", "ioe2", "bioes", "io", "iob2", "iobes", "bilou", "bmes", "bmewo")
REPAIRS = ("conlleval", "discard", "refuse")
OVERLAPS = ("keep", "best")
CONVERTED = ("span", "link", "coref")
FOLDS = 5
DEMO = ("pos", "span", "coref")
RESAMPLES = 10_000
SEED = 13
MAX_LINE = 16 << 20

KEY = click.argument("key", required=False, metavar="KEY", shell_complete=complete_file)
SYSTEMS = click.argument("systems", nargs=-1, metavar="[NAME=]FILE...", shell_complete=complete_file)


def _options_in(section: str) -> Callable[..., Callable[[Decorated], Decorated]]:
    def option(*names: str, **settings: Any) -> Callable[[Decorated], Decorated]:
        return click.option(*names, cls=Option, section=section, **settings)

    return option


def _compose(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


_read, _choose, _draw, _show = (
    _options_in(INPUT),
    _options_in("Selection"),
    _options_in("Resampling"),
    _options_in("Output"),
)
_ask = _options_in("Requirements")
_combine = _options_in("Combining")

_task = _read("--task", metavar="TASK", shell_complete=complete_registered("comparanda.tasks"),
              help="The task, required: pos, tag, tag:COLUMN, dep, span, link, coref, prob or label.")  # fmt: skip
_sides = _compose(
    _read("--column", metavar="NAME", callback=refuse_empty,
          help="The column to evaluate: upos, xpos, feats, lemma, another name, or a number."),
    _read("--missing", metavar="|".join(MISSING), callback=parsing_one_of(*MISSING),
          shell_complete=one_of(*MISSING),
          help="What to do about documents or ids that an output lacks; default: error, for coref empty."),
    _read("--texts", metavar="|".join(TEXTS), callback=parsing_one_of(*TEXTS), shell_complete=one_of(*TEXTS),
          help="How texts are compared: exact (default), or tolerate up to 5 % different characters, counted."),
    _read("--map", "maps", multiple=True, metavar="[WHO=]FILE", shell_complete=complete_file,
          help="A label map with two columns, old and new; WHO is key or a system; without WHO, for all."),
    _read("--fold-case", is_flag=True, help="Ignore case when comparing labels."),
)  # fmt: skip
_values = _compose(
    _sides,
    _read("--only-label", multiple=True, metavar="LABEL", help="Count only sites with this label in the key."),
    _read("--ignore-label", multiple=True, metavar="LABEL", help="Leave out sites with this label in the key."),
)  # fmt: skip
_words = _compose(
    _read("--train", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Training data: its words count as 'seen' (see --by seen)."),
    _read("--punctuation", metavar="|".join(PUNCTUATION), callback=parsing_one_of(*PUNCTUATION),
          shell_complete=one_of(*PUNCTUATION),
          help="Trees: which words are left out as punctuation; default: keep (none)."),
    _read("--labels", metavar="|".join(LABELS), callback=parsing_one_of(*LABELS), shell_complete=one_of(*LABELS),
          help="Trees: compare relations without subtypes (universal, the default) or in full."),
    _read("--conll18", metavar="|".join(CONLL18), callback=parsing_one_of(*CONLL18), shell_complete=one_of(*CONLL18),
          help="Trees: the view conll18 compares values as they are written (official, the default), or in "
          "Unicode normal form and without spaces around them."),
)  # fmt: skip
_scheme = _read("--scheme", metavar="SCHEME", callback=parsing_one_of(*SCHEMES, fold=True),
                shell_complete=one_of(*SCHEMES),
                help="Spans: the scheme of the chunk tags: bio, iob1, ioe2, bioes, io …; "
                "detected by default.")  # fmt: skip
_repair = _read("--repair", metavar="|".join(REPAIRS), callback=parsing_one_of(*REPAIRS, fold=True),
                shell_complete=one_of(*REPAIRS),
                help="Spans: what to do with tags that violate the scheme; default: conlleval.")  # fmt: skip
_spans = _compose(
    _read("--rules", metavar="NAME|FILE", callback=refuse_empty, shell_complete=rule_sets,
          help="Spans: the rules that evaluate them (see 'comparanda rules list'); default: exact."),
    _read("--parameter", "parameters", multiple=True, metavar="NAME=NUMBER", callback=parse_numbers,
          help="Spans: set a parameter of the rules; NAME[LABEL]=NUMBER for one label."),
    _read("--paranoid", is_flag=True, help="Spans: also run the rules without optimisations, and compare the results."),
    _scheme,
    _repair,
    _read("--same-ids", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Links: a file whose lines list the ids of one entity."),
)  # fmt: skip
_chains = _compose(
    _read("--singletons", metavar="|".join(SINGLETONS), callback=parsing_one_of(*SINGLETONS),
          shell_complete=one_of(*SINGLETONS),
          help="Coreference: whether mentions that are alone in their chain count; default: keep."),
    _read("--repeated", metavar="|".join(REPEATED), callback=parsing_one_of(*REPEATED),
          shell_complete=one_of(*REPEATED),
          help="Coreference: a mention given twice stays in its first chain (first, the default), or counts "
          "as in the reference scorer 8.01 (official)."),
    _read("--mentions", "matching", metavar="|".join(MATCHING), callback=parsing_one_of(*MATCHING),
          shell_complete=one_of(*MATCHING),
          help="Coreference: when mentions match: same words, same head, or inside the key's mention."),
    _read("--nouns", metavar="|".join(NOUNS), callback=parsing_one_of(*NOUNS), shell_complete=one_of(*NOUNS),
          help="Coreference: tag set that identifies nouns and pronouns."),
    _read("--across", metavar="ATTRIBUTE|until:SIGN|all", callback=refuse_empty,
          help="Coreference: allow chains across the documents of a topic: by an attribute of documents, by "
          "their names up to a sign, or all."),
)  # fmt: skip
_beliefs = _compose(
    _read("--decide", metavar="|".join(DECIDE), callback=parsing_one_of(*DECIDE), shell_complete=one_of(*DECIDE),
          help="Probabilities: the hard output is the tuple with the largest weight of each block, or of its "
          "most probable span (hierarchical)."),
    _read("--min-weight", metavar="NUMBER", type=str, callback=parse_fraction,
          help="Probabilities: leave tuples below this weight out of the hard output."),
    _read("--belief", "beliefs", multiple=True, metavar="NAME=VALUE", callback=parse_settings,
          help="Probabilities: how to read them: scale, overlap, semantics, residual, aggregate, floor, score."),
)  # fmt: skip
regular = _read("--regular", metavar="[NAME=]FILE", callback=refuse_empty, shell_complete=complete_file,
                help="Probabilities: the output of the same system without them, scored as well.")  # fmt: skip
_strict = _read("--strict", is_flag=True, help="Treat warnings about the input as errors.")
_max_line = _read("--max-line", metavar="BYTES", type=str, default=MAX_LINE, callback=integer_from(1),
                  help="The maximum length of a line.  [default: 16 MiB]")  # fmt: skip
_limit = _read("--limit", "limits", multiple=True, metavar="NAME=NUMBER", callback=whole_settings,
               help="Change a limit: document, nesting, open, labels, systems.")  # fmt: skip
_files = _compose(
    _strict,
    _max_line,
    _limit,
    _read("--config", metavar="FILE", is_eager=True, callback=use_config, shell_complete=complete_file,
          help="Settings in TOML; a comparanda.toml in the current folder is read by default."),
)  # fmt: skip
spreading = _compose(
    _read("--workers", metavar="N", type=str, callback=integer_from(1),
          help="Evaluate the corpus in parts, divided at documents, in N processes."),
    _read("--memory", metavar="SIZE", type=str, callback=parse_size,
          help="Evaluate the corpus in parts that fit into this much memory: 2G, 500M …"),
    _read("--scheduler", metavar="ADDRESS", callback=refuse_empty,
          help="Evaluate the parts on a Dask cluster: tcp://HOST:PORT of its scheduler."),
)  # fmt: skip
reading = _compose(_task, _values, _words, _spans, _chains, _beliefs, _files)
RULED = ("span", "link")


def _parse_ruled_task(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Accept a task that has rules; for another task in the settings file, the command explains spans."""
    if value not in RULED and not is_given(context, "task"):
        return None
    parsing_one_of(*RULED)(context, parameter, value)
    return value


reading_spans = _compose(
    _read("--task", metavar="|".join(RULED), callback=_parse_ruled_task, shell_complete=one_of(*RULED),
          help="The task, for its rules if --rules is not given: span (default) or link."),
    _values,
    _spans,
    _files,
)  # fmt: skip
reading_beliefs = _compose(_sides, _scheme, _repair, _beliefs, regular, _files)
reading_output = _compose(
    _read("--text", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="A file with the text, if the output has none; its spans are ignored."),
    _sides,
    _scheme,
    _repair,
    _beliefs,
    _files,
)  # fmt: skip

converting = _compose(
    _read("--to", metavar="FORMAT", callback=refuse_empty, shell_complete=complete_registered("comparanda.writers"),
          help="The output format; by default that of the name of the output."),
    _read("--task", metavar="|".join(CONVERTED), callback=parsing_one_of(*CONVERTED),
          shell_complete=one_of(*CONVERTED),
          help="Convert spans and links, or coreference chains; chains if the file contains nothing else."),
    _read("--column", metavar="NAME", callback=refuse_empty, help="The column of tags or labels."),
    _scheme,
    _repair,
    _strict,
    _max_line,
    _limit,
)  # fmt: skip

also_key = _read("--also-key", multiple=True, metavar="NAME=FILE", shell_complete=complete_file,
                 help="Spans: the key of another annotator; score against each key, and their majority.")  # fmt: skip
where = _choose("--where", metavar="CONDITION", callback=refuse_empty, help="Count only sites that match a condition.")
view = _choose("--view", metavar="NAME", help="A view, for tasks that are evaluated in several ways.")
measures = _choose("--measure", "measures", multiple=True, metavar="NAME",
                   help="A measure: accuracy, f1, f1[LABEL], macro_f1, …")  # fmt: skip
one_measure = _choose("--measure", metavar="NAME", callback=refuse_empty,
                      help="The measure for pairs; the main one by default.")  # fmt: skip
by = _choose("--by", multiple=True, metavar="ATTRIBUTE", callback=parse_names, shell_complete=one_of(*ATTRIBUTES),
             help="Break down by label, length, frequency, seen, document, a column …; a,b for several.")  # fmt: skip
order = _choose("--order", metavar="|".join(ORDERS), default=ORDERS[0], show_default=True,
                callback=parsing_one_of(*ORDERS), shell_complete=one_of(*ORDERS),
                help="How to sort the labels in the table of upper bounds.")  # fmt: skip
keying = _choose("--keyed-by", metavar="|".join(KEYINGS), default=KEYINGS[0], show_default=True,
                 callback=parsing_one_of(*KEYINGS), shell_complete=one_of(*KEYINGS),
                 help="Distinguish changes by labels, or by complete values: heads and labels of arcs.")  # fmt: skip
pairing = _compose(
    _choose("--base", metavar="NAME", help="The base of the pair shown in detail; the first system by default."),
    _choose("--new", metavar="NAME", help="The new system of that pair; the best other system by default."),
)

reference = _choose("--reference", metavar="NAME", callback=refuse_empty,
                 help="The output whose documents and words all are aligned with; the first by default.")  # fmt: skip
at_least = _choose("--at-least", metavar="K", callback=integer_from(1),
                   help="How many runs must agree against the key; all by default.")  # fmt: skip
baseline = _choose("--baseline", metavar="NAME", callback=refuse_empty,
                   help="Compare every other system with this one, a row for each.")  # fmt: skip
beta = _choose("--beta", metavar="NUMBER", type=str, default=1.0, callback=above_zero,
               show_default=True, help="The weight of recall relative to precision in FβComp.")  # fmt: skip

gating = _compose(
    _ask("--max-new-errors", metavar="N|N%", callback=refuse_empty,
         help="The maximum number of sites that the base has right and the new system wrong: 20, or 0.5% of "
         "all sites."),
    _ask("--max-negative-flip-rate", metavar="N%", callback=refuse_empty,
         help="The same as a share of all sites: 0.5%."),
    _ask("--label", multiple=True, metavar="LABEL",
         help="Restrict these two to sites with this label in the key; can be repeated."),
    _ask("--require", multiple=True, metavar="CONDITION",
         help="A requirement on scores and counts: 'f1 >= base - 0.3', 'new_errors <= corrections'."),
    _ask("--fail-if-significantly-worse", is_flag=True,
         help="Fail if the score is significantly worse; the default if nothing else is required."),
    _ask("--measure", metavar="NAME", callback=refuse_empty,
         help="The measure to test; the main one by default."),
    _ask("--baseline", "baseline_file", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
         help="The approved baseline: refuse to compare if its inputs have changed; without BASE, use its "
         "scores."),
    _ask("--write-baseline", is_flag=True, help="Approve KEY and BASE: write the baseline file."),
    _choose("--base", metavar="NAME", help="The base; the first system by default."),
    _choose("--new", metavar="NAME", help="The new system; the second by default."),
)  # fmt: skip
reporting = _compose(
    _show("--junit", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Also write JUnit XML, with a test case for each check."),
    _show("--markdown", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Also write Markdown, as a comment for a pull request."),
)  # fmt: skip

choosing_spans = _compose(
    _choose("--at", metavar="DOC:BEGIN[-END]", callback=refuse_empty,
            help="Spans with this extent, or if there are none, those that overlap it; positions as printed."),
    _choose("--text", metavar="TEXT", callback=refuse_empty, help="Spans with this text, ignoring case."),
    _choose("--span", metavar="CONDITION", callback=refuse_empty,
            help="Spans that match a condition on their columns: label, text, document, result …"),
    _choose("--side", metavar="key|NAME", callback=refuse_empty,
            help="Spans of the key, or of one system; default: of all systems."),
    _choose("--rule", multiple=True, metavar="NAME", help="Also explain why this rule did not fire for them."),
    _choose("--with", "partner", metavar="DOC:BEGIN[-END]", callback=refuse_empty,
            help="The span that the rule might have paired them with; the nearest by default."),
)  # fmt: skip

combining = _compose(
    _combine("--method", "methods", multiple=True, metavar="NAMES", callback=parse_names,
             help="union, intersection, at-least-K, majority, weighted, per-label; spans: tag-vote; "
             "trees: tree-vote, weighted-tree-vote; by default all that apply."),
    _combine("--dev-key", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
             help="The key of development data, on which weights and choices are tuned."),
    _combine("--dev", multiple=True, metavar="NAME=FILE", shell_complete=complete_file,
             help="The output of a system for the development data; give one for every system."),
    _combine("--folds", metavar="N", type=str, default=FOLDS, show_default=True, callback=integer_from(2),
             help="Without --dev: tune weights and choices for each fold of documents on the other folds."),
    _combine("--same-data", is_flag=True, help="Tune them on the data that is scored: optimistic."),
    _combine("--overlap", metavar="|".join(OVERLAPS), default=OVERLAPS[0], show_default=True,
             callback=parsing_one_of(*OVERLAPS), shell_complete=one_of(*OVERLAPS),
             help="Spans: keep combined spans that overlap, or only the best of them."),
)  # fmt: skip
writing = _show("--write", multiple=True, metavar="METHOD=FILE", shell_complete=complete_file,
                help="Write a combination in the format of the key, or in another: METHOD=FILE::FORMAT.")  # fmt: skip
anonymous = _compose(
    _show("--anonymise", is_flag=True, help="Name submissions system-01 …, and print nothing that identifies them."),
    _show("--names", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="With --anonymise: write the names of the submissions to a CSV file."),
)  # fmt: skip

_question, _answer = _options_in("Questions"), _options_in("Answers")
_kind = _question("--ask", metavar="|".join(KINDS), default=KINDS[0], show_default=True,
                  callback=parsing_one_of(*KINDS),
                  shell_complete=one_of(*KINDS),
                  help="Kind of question: is this span an L, is it an entity, which of these is it, "
                  "is this text always an L.")  # fmt: skip
_certain = _question("--ask-certain", is_flag=True, help="Also ask about certain spans.")
_handling = _compose(
    _answer("--handler", metavar="|".join(HANDLERS), default=HANDLERS[0], show_default=True,
            callback=parsing_one_of(*HANDLERS), shell_complete=one_of(*HANDLERS),
            help="Whether an answer changes only its block, or also other occurrences of the text."),
    _answer("--believed-error", metavar="NUMBER", type=str, default=0.0, show_default=True, callback=parse_fraction,
            help="The assumed share of wrong answers."),
    _answer("--strength", metavar="NUMBER", type=str, default=1.0, show_default=True, callback=above_zero,
            help="For the statistical handler: the weight of an answer as evidence on the same text."),
)  # fmt: skip
simulating = _compose(
    _question("--strategy", "strategies", multiple=True, metavar="NAMES", callback=parse_names,
              default=("entropy", "fgain", "random"), shell_complete=one_of(*STRATEGIES),
              help="The order of questions: random, document, high, low, entropy, margin, group_size, group_entropy, "
              "fgain, infogain, oracle; a,b for several; default: entropy, fgain and random."),
    _question("--budget", metavar="N", callback=integer_from(),
              help="The number of questions; by default until nothing is uncertain."),
    _kind,
    _question("--scope", metavar="CONDITION", callback=refuse_empty,
              help="Ask about and count only what matches a condition on label, text, document and length."),
    _question("--only-label", multiple=True, metavar="LABEL", help="Ask about and count only this label."),
    _question("--ignore-label", multiple=True, metavar="LABEL", help="Neither ask about nor count this label."),
    _certain,
    _question("--seeds", metavar="N", type=str, default=SEEDS, show_default=True, callback=integer_from(1),
              help="How often to repeat strategies that depend on chance: random, and all if the user errs."),
    _question("--seed", metavar="N", type=str, default=SEED, show_default=True, callback=integer_from(),
              help="The first seed."),
    _question("--area", metavar="|".join(AREAS), default=AREAS[0], show_default=True, callback=parsing_one_of(*AREAS),
              shell_complete=one_of(*AREAS),
              help="How to compute areas under curves; those of the thesis may exceed 1."),
    _question("--horizon", metavar="N", callback=integer_from(),
              help="The number of questions up to which strategies are compared; by default the longest run."),
    _answer("--user", metavar="WHO", default="truthful", show_default=True, callback=refuse_empty,
            help="The user: truthful, noisy:0.05 (share of yes that becomes no), unsure:0.1 (share without an "
            "answer), or both: a,b."),
    _handling,
    _answer("--purity", metavar="NUMBER", type=str, default=1.0, show_default=True, callback=parse_fraction,
            help="Questions about texts: the share of their occurrences from which the user answers always."),
)  # fmt: skip
drawing = _compose(
    _show("--plot", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Probabilities: also draw a chart: .svg, or .png (pip install 'comparanda[png]')."),
    _show("--chart", metavar="|".join(CHARTS), default=CHARTS[0], show_default=True, callback=parsing_one_of(*CHARTS),
          shell_complete=one_of(*CHARTS), help="Which chart: calibration, or precision over recall."),
)  # fmt: skip
plotting = _compose(
    _show("--curves", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Also write the values after every question: .csv, .json or .jsonl."),
    _show("--plot", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Also draw them: .svg, or .png (pip install 'comparanda[png]')."),
    _show("--measure", metavar="NAME", default=CURVES[0], show_default=True, callback=parsing_one_of(*CURVES),
          shell_complete=one_of(*CURVES), help="The measure to draw: f1, precision, recall, expected_precision …"),
    _show("--resume", metavar="FOLDER", callback=refuse_empty, shell_complete=complete_file,
          help="Save progress in this folder, and resume from it if the same command is run again."),
)  # fmt: skip
asking = _compose(
    _question("-n", "count", metavar="N", type=str, default=QUESTIONS, show_default=True, callback=integer_from(),
              help="The number of questions."),
    _question("--strategy", metavar="NAME", default="entropy", show_default=True, callback=refuse_empty,
              shell_complete=one_of(*STRATEGIES[:-1]),
              help="Which to ask first: random, document, high, low, entropy, margin, group_size, group_entropy, fgain "
              "or infogain."),
    _kind,
    _question("--scope", metavar="CONDITION", callback=refuse_empty,
              help="Ask only about what matches a condition on label, text, document and length."),
    _question("--only-label", multiple=True, metavar="LABEL", help="Ask only about this label."),
    _question("--ignore-label", multiple=True, metavar="LABEL", help="Do not ask about this label."),
    _certain,
    _question("--seed", metavar="N", type=str, default=SEED, show_default=True, callback=integer_from(),
              help="The seed of the strategy random."),
    _answer("--answers", multiple=True, metavar="FILE", shell_complete=complete_file,
            help="Answers: JSONL or CSV with id and answer, or an export of Prodigy or Label Studio."),
    _answer("--again", is_flag=True, help="Ask again about what was answered unsure."),
    _handling,
    _show("--layout", "tool", metavar="|".join(TOOLS), callback=parsing_one_of(*TOOLS),
          shell_complete=one_of(*TOOLS), help="Write the questions as tasks of an annotation tool."),
    _show("--updated", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Write the output as updated by the answers: JSONL with blocks."),
)  # fmt: skip

demo_task = click.option("--task", metavar="|".join(DEMO), default=DEMO[0], show_default=True,
                         callback=parsing_one_of(*DEMO),
                         shell_complete=one_of(*DEMO),
                         help="Taggers (pos), entity recognisers (span) or coreference resolvers.")  # fmt: skip

sampling = _compose(
    _draw("--seed", metavar="N", type=str, default=SEED, show_default=True, callback=integer_from(),
          help="The random seed."),
    _draw("--resamples", metavar="N", type=str, default=RESAMPLES, show_default=True, callback=integer_from(),
          help="The number of resamples for intervals and tests; 0 for none."),
    _draw("--zero-division", metavar="0|1", callback=parsing_one_of("0", "1"), help="The value of undefined ratios."),
)  # fmt: skip

telling = _compose(
    _show("-q", "--quiet", is_flag=True, help="Print no notes and no progress."),
    _show("-v", "--verbose", is_flag=True, help="Print all notes, not only the first few."),
    _show("--debug", is_flag=True, help="Print the traceback of an error."),
)
showing = _compose(
    _show("--json", "as_json", is_flag=True, help="Print one JSON document with everything."),
    _show("--format", "layout", metavar="|".join(LAYOUTS), default="table", show_default=True,
          callback=parsing_one_of(*LAYOUTS), shell_complete=one_of(*LAYOUTS), help="The output format."),
    _show("--top", metavar="N", callback=integer_from(), help="The maximum number of rows of long tables; 0 for all."),
    _show("-o", "--output", metavar="FILE", callback=refuse_empty, shell_complete=complete_file,
          help="Write to a file instead; its suffix (.json, .md, .csv …) determines the format."),
    telling,
)  # fmt: skip
as_json = _show("--json", "as_json", is_flag=True, help="Print one JSON document with everything.")
saving = _show("--save", metavar="FOLDER", callback=refuse_empty, shell_complete=complete_file,
               help="Save a result folder, which can be given in place of KEY and systems.")  # fmt: skip
citing = _show("--cite", is_flag=True, help="Also print a methods paragraph and BibTeX.")
