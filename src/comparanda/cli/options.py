"""The options that commands share, by the sections in which the help lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from comparanda.cli import completion
from comparanda.cli.completion import files
from comparanda.cli.config import use_config
from comparanda.cli.parsing import Option, filled, names, numbers, one_of, whole

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

# Kept here, not imported: the help must not load NumPy. A test compares them with the library's.
MISSING = ("error", "empty", "intersection")
ORDERS = ("frequency", "gain", "gain-here")
KEYINGS = ("label", "value")
PUNCTUATION = ("keep", "ud-punct", "unicode-p", "ptb")
LABELS = ("universal", "full")
SCHEMES = ("auto", "bio", "iob1", "ioe2", "bioes", "io", "iob2", "iobes", "bilou", "bmes", "bmewo")
REPAIRS = ("conlleval", "discard", "refuse")
DEMO = ("pos", "span")
RESAMPLES = 10_000
SEED = 13
MAX_LINE = 16 << 20

KEY = click.argument("key", required=False, metavar="KEY", shell_complete=files)
SYSTEMS = click.argument("systems", nargs=-1, metavar="[NAME=]FILE...", shell_complete=files)


def _in(section: str) -> Callable[..., Callable[[Decorated], Decorated]]:
    def option(*names: str, **settings: Any) -> Callable[[Decorated], Decorated]:
        return click.option(*names, cls=Option, section=section, **settings)

    return option


def _chain(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


_read, _choose, _draw, _show = _in("Reading"), _in("Choosing"), _in("Resampling"), _in("Output")

_task = _read("--task", metavar="TASK", shell_complete=completion.registered("comparanda.tasks"),
              help="pos, tag, tag:COLUMN, dep, span, link or label; must be given.")  # fmt: skip
_values = _chain(
    _read("--column", metavar="NAME", callback=filled,
          help="The column to judge: upos, xpos, feats, lemma, another name, or a number."),
    _read("--missing", metavar="|".join(MISSING), default="error", show_default=True,
          callback=one_of(*MISSING), shell_complete=completion.one_of(*MISSING),
          help="What to do about documents or ids that a response lacks."),
    _read("--map", "maps", multiple=True, metavar="[WHO=]FILE", shell_complete=files,
          help="A label map, two columns old and new; WHO is key or a system, else it is for all."),
    _read("--fold-case", is_flag=True, help="Compare labels without regard to case."),
    _read("--only-label", multiple=True, metavar="LABEL", help="Count sites with this key label alone."),
    _read("--ignore-label", multiple=True, metavar="LABEL", help="Leave out sites with this key label."),
)  # fmt: skip
_words = _chain(
    _read("--train", metavar="FILE", callback=filled, shell_complete=files,
          help="Words in this file are 'seen' (see --by seen)."),
    _read("--punctuation", metavar="|".join(PUNCTUATION), callback=one_of(*PUNCTUATION),
          shell_complete=completion.one_of(*PUNCTUATION),
          help="Trees: which words do not count; keep (all do) by default."),
    _read("--labels", metavar="|".join(LABELS), callback=one_of(*LABELS), shell_complete=completion.one_of(*LABELS),
          help="Trees: relations without subtypes (universal, the default) or in full."),
)  # fmt: skip
_scheme = _read("--scheme", metavar="SCHEME", callback=one_of(*SCHEMES, fold=True),
                shell_complete=completion.one_of(*SCHEMES),
                help="Spans: how chunk tags are written: bio, iob1, ioe2, bioes, io …; "
                "detected by default.")  # fmt: skip
_repair = _read("--repair", metavar="|".join(REPAIRS), callback=one_of(*REPAIRS, fold=True),
                shell_complete=completion.one_of(*REPAIRS),
                help="Spans: what to do about tags that break the scheme; conlleval by default.")  # fmt: skip
_spans = _chain(
    _read("--rules", metavar="NAME|FILE", callback=filled, shell_complete=completion.rule_sets,
          help="Spans: the rules that judge them (see 'comparanda rules list'); exact by default."),
    _read("--parameter", "parameters", multiple=True, metavar="NAME=NUMBER", callback=numbers,
          help="Spans: another number for a parameter of the rules; NAME[LABEL]=NUMBER for one label."),
    _read("--paranoid", is_flag=True, help="Spans: run the rules without any shortcut as well, and compare."),
    _scheme,
    _repair,
    _read("--same-ids", metavar="FILE", callback=filled, shell_complete=files,
          help="Links: lines of ids that mean the same entity."),
)  # fmt: skip
_strict = _read("--strict", is_flag=True, help="Refuse input that gives anything to note.")
_max_line = _read("--max-line", metavar="BYTES", type=str, default=MAX_LINE, callback=whole(1),
                  help="The longest line accepted.  [default: 16 MiB]")  # fmt: skip
_files = _chain(
    _strict,
    _max_line,
    _read("--config", metavar="FILE", is_eager=True, callback=use_config, shell_complete=files,
          help="Settings in TOML; a comparanda.toml in this folder is read by itself."),
)  # fmt: skip
reading = _chain(_task, _values, _words, _spans, _files)
reading_spans = _chain(_values, _spans, _files)

converting = _chain(
    _read("--to", metavar="FORMAT", callback=filled, shell_complete=completion.registered("comparanda.writers"),
          help="The format to write; told by the name of the output, if that says it."),
    _read("--column", metavar="NAME", callback=filled, help="The column of tags, or of labels."),
    _scheme,
    _repair,
    _strict,
    _max_line,
)  # fmt: skip

also_key = _read("--also-key", multiple=True, metavar="NAME=FILE", shell_complete=files,
                 help="Spans: another annotator's key; scores against each, and against what most have.")  # fmt: skip
where = _choose("--where", metavar="CONDITION", callback=filled, help="Count only sites that fulfil a condition.")
view = _choose("--view", metavar="NAME", help="One way of judging the task, where it has several.")
measures = _choose("--measure", "measures", multiple=True, metavar="NAME",
                   help="accuracy, f1, f1[LABEL], macro_f1, …")  # fmt: skip
by = _choose("--by", multiple=True, metavar="ATTRIBUTE", callback=names, shell_complete=completion.one_of(*ATTRIBUTES),
             help="Cut by label, length, frequency, seen, document, another column; a,b for several.")  # fmt: skip
order = _choose("--order", metavar="|".join(ORDERS), default=ORDERS[0], show_default=True,
                callback=one_of(*ORDERS), shell_complete=completion.one_of(*ORDERS),
                help="How to sort the labels under the upper bound.")  # fmt: skip
keying = _choose("--keyed-by", metavar="|".join(KEYINGS), default=KEYINGS[0], show_default=True,
                 callback=one_of(*KEYINGS), shell_complete=completion.one_of(*KEYINGS),
                 help="Tell changes apart by labels, or by whole values: heads and labels of arcs.")  # fmt: skip
pairing = _chain(
    _choose("--base", metavar="NAME", help="The base of the pair shown in detail; the first by default."),
    _choose("--new", metavar="NAME", help="The new system of that pair; the best other one by default."),
)

choosing_spans = _chain(
    _choose("--at", metavar="DOC:BEGIN[-END]", callback=filled,
            help="Spans with these ends, or else those that overlap them, counted as the output counts them."),
    _choose("--text", metavar="TEXT", callback=filled, help="Spans of this text, whatever their case."),
    _choose("--span", metavar="CONDITION", callback=filled,
            help="Spans that fulfil a condition on their columns: label, text, document, result …"),
    _choose("--side", metavar="key|NAME", callback=filled,
            help="Spans of the key, or of one system; of all systems by default."),
    _choose("--rule", multiple=True, metavar="NAME", help="Say also why this rule did not fire for them."),
    _choose("--with", "partner", metavar="DOC:BEGIN[-END]", callback=filled,
            help="The span that the rule might have paired them with; the nearest by default."),
)  # fmt: skip

demo_task = click.option("--task", metavar="|".join(DEMO), default=DEMO[0], show_default=True, callback=one_of(*DEMO),
                         shell_complete=completion.one_of(*DEMO),
                         help="Taggers, or recognisers of entities.")  # fmt: skip

sampling = _chain(
    _draw("--seed", metavar="N", type=str, default=SEED, show_default=True, callback=whole(),
          help="The seed of all draws."),
    _draw("--resamples", metavar="N", type=str, default=RESAMPLES, show_default=True, callback=whole(),
          help="Resamples for intervals and tests; 0 for none."),
    _draw("--zero-division", metavar="0|1", callback=one_of("0", "1"), help="A value for undefined ratios."),
)  # fmt: skip

telling = _chain(
    _show("-q", "--quiet", is_flag=True, help="No notes and no progress."),
    _show("-v", "--verbose", is_flag=True, help="All notes, not only the first few."),
    _show("--debug", is_flag=True, help="Show the traceback of an error."),
)
showing = _chain(
    _show("--json", "as_json", is_flag=True, help="One JSON document with everything."),
    _show("--format", "layout", metavar="|".join(LAYOUTS), default="table", show_default=True,
          callback=one_of(*LAYOUTS), shell_complete=completion.one_of(*LAYOUTS), help="How to print."),
    _show("--top", metavar="N", callback=whole(), help="Rows of long tables; 0 for all."),
    _show("-o", "--output", metavar="FILE", callback=filled, shell_complete=files,
          help="Write to a file instead; its suffix (.json, .md, .csv …) tells the format."),
    telling,
)  # fmt: skip
as_json = _show("--json", "as_json", is_flag=True, help="One JSON document with everything.")
saving = _show("--save", metavar="FOLDER", callback=filled, shell_complete=files,
               help="Write a result folder, which commands read in place of KEY and systems.")  # fmt: skip
citing = _show("--cite", is_flag=True, help="Print a methods paragraph and BibTeX as well.")
