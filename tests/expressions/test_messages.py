"""Each mistake has its own message, with the caret under the place."""

from __future__ import annotations

from unicodedata import east_asian_width

import pytest

from comparanda.errors import ExpressionError, UsageError
from comparanda.expressions import BUILTINS, Parameter, Signature, Type, check, parse, require_truth

TYPES: dict[str, Type] = {
    "label": "text",
    "form": "text",
    "sent-id": "text",
    "size": "number",
    "seen": "truth",
    "new_error": "truth",
}
FUNCTIONS = dict(BUILTINS) | {
    "right": Signature((Parameter(name="system", literal=True, choices=("crf", "bert")),), "truth"),
}


def error(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as raised:
        require_truth(check(parse(text), TYPES, FUNCTIONS))
    return raised.value


def test_an_expression_error_is_a_usage_error_in_three_lines() -> None:
    found = error('size > 3 and labl == "PER"')
    assert isinstance(found, UsageError)
    assert str(found) == (
        "unknown name 'labl' (did you mean 'label'?)\n"
        '  size > 3 and labl == "PER"\n'
        "               ^^^^"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "what", "marked"),
    [
        # what is not there
        ("", "the expression is empty", ""),
        ("seen and", "expected an expression after 'and'", ""),
        ("seen and\n\n", "expected an expression after 'and'", ""),
        ("seen and or seen", "expected an expression after 'and'", "or"),
        ("== 3", "expected an expression before '=='", "=="),
        ("size > -", "expected an expression after '-'", ""),
        ("lower() == 'a'", "lower() takes 1 argument, not 0", "lower()"),
        ("(seen", "the '(' is not closed", "("),
        ("lower(form", "the '(' is not closed", "("),
        ("size in [1, 2", "the '[' is not closed", "["),
        ("size in [1, 2)", "expected ']', got ')'", ")"),
        ("lower(form]", "expected ')', got ']'", "]"),
        ("lower(form form)", "expected an operator before 'form'", "form"),
        ("label == 'PER", "the string that begins here is not closed", "'"),
        ("label == 'PER\n'", "the string that begins here is not closed", "'"),
        ("`label == 3", "the name in backticks that begins here is not closed", "`"),
        ("size not 3", "expected 'in' after 'not'", "3"),
        ("label in 'PER'", "expected a list [a, b, …] after 'in'", "'PER'"),
        # what is too much
        ("seen)", "unmatched ')'", ")"),
        ("seen seen", "expected an operator before 'seen'", "seen"),
        ("size > 1,5", "',' is only allowed between the arguments of a function or the items of a list", ","),
        ("size in [1] == true", "a comparison cannot continue after a list; put the part before it in brackets", "=="),
        ("[1] == size", "expected an expression before '['", "["),
        ("size == not seen", "'not' needs brackets here: write '(not …)'", "not"),
        ("``", "a name cannot be empty", "``"),
        # other languages
        ("label = 'PER'", "'=' is not an operator here; write '=='", "="),
        ("label === 'PER'", "'===' is not an operator here; write '=='", "==="),
        ("label <> 'PER'", "'<>' is not an operator here; write '!='", "<>"),
        ("seen && seen", "'&&' is not an operator here; write 'and'", "&&"),
        ("seen || seen", "'||' is not an operator here; write 'or'", "||"),
        ("seen | seen", "'|' is not an operator here; write 'or'", "|"),
        ("!seen", "'!' is not an operator here; write 'not'", "!"),
        ("size ≥ 3", "'≥' is not an operator here; write '>='", "≥"),
        ("size => 3", "'=>' is not an operator here; write '>='", "=>"),
        ("size ** 2 > 3", "'**' is not an operator here", "**"),
        ("seen AND seen", "'AND' is not a keyword; write 'and'", "AND"),
        ("seen == True", "'True' is not a keyword; write 'true'", "True"),
        ("label is None", "'is' is not an operator here; write '=='", "is"),
        ("label == “PER”", "'“' is a typographic quote; write \"", "“"),
        ("label == ‘PER’", "'‘' is a typographic quote; write '", "‘"),
        ("any(seen for x in y)", "any(… for …) is only available in rules", "any(seen for x in y)"),
        ("seen for x in y", "'for' is a reserved word", "for"),
        ("any(for x in y)", "'for' is a reserved word", "for"),
        ("any(seen, seen for x in y)", "expected one expression before 'for', got 2", "for"),
        ("any(seen for x.y in y)", "expected a name for the row after 'for'", "x.y"),
        ("any(seen for x of y)", "expected 'in' and a table after the name of the row", "of"),
        ("any(seen for x in 'y')", "expected the name of a table after 'in'", "'y'"),
        ("any(seen for x in y if)", "expected an expression after 'if'", ")"),
        ("any(seen for x in y", "the '(' is not closed", "("),
        ("if == 3", "'if' is a reserved word", "if"),
        # characters, strings, numbers
        ("seen; seen", "unexpected character ';'", ";"),
        ("seen\x07", r"unexpected character '\x07'", r"\x07"),
        ("seen\u00a0and seen", r"unexpected character '\xa0' (no-break space)", r"\xa0"),
        ("seen\u200b", r"unexpected character '\u200b' (zero width space)", r"\u200b"),
        (r"label == '\d'", r"'\d' is not an escape; write '\\' for a backslash", r"\d"),
        (r"label == '\u12'", r"'\u' needs four hexadecimal digits, as in '\u00e9'", r"\u"),
        ("label == '\\\x00'", r"'\\x00' is not an escape; write '\\' for a backslash", r"\\x00"),
        ("size > 5x", "'5x' is neither a number nor a name", "5x"),
        ("size > 5.", "'5.' is neither a number nor a name", "5."),
        ("size > 1.2.3", "'1.2.3' is neither a number nor a name", "1.2.3"),
        ("size > 1_000", "'1_000' is neither a number nor a name", "1_000"),
        ("size > 0x10", "'0x10' is neither a number nor a name", "0x10"),
        ("5%3 > size", "'5%' is a percentage, so an operator must follow", "5%"),
        ("size > 1e999", "the number '1e999' is too large", "1e999"),
        ("size > 9223372036854775808", "the number '9223372036854775808' is too large", "9223372036854775808"),
        # names and functions
        ("labl == 'a'", "unknown name 'labl' (did you mean 'label'?)", "labl"),
        ("new_eror", "unknown name 'new_eror' (did you mean 'new_error'?)", "new_eror"),
        ("lable == zzz", "unknown name 'lable' (did you mean 'label'?)", "lable"),
        ("lowr(form) == 'a'", "unknown function 'lowr' (did you mean 'lower'?)", "lowr"),
        ("eval('1')", "unknown function 'eval'", "eval"),
        ("right('bret')", "unknown system 'bret' (did you mean 'bert'?)", "'bret'"),
        ("right(label)", "the system of right() must be a string in quotes", "label"),
        ("right(lower('crf'))", "the system of right() must be a string in quotes", "lower('crf')"),
        ("matches(form, label)", "the pattern of matches() must be a string in quotes", "label"),
        ("matches(form, '(a+)+')", "pattern: '+' repeats a group that contains a quantifier", "'(a+)+'"),
        ("lower(form, 3) == 'a'", "lower() takes 1 argument, not 2", "lower(form, 3)"),
        ("contains(form)", "contains() takes 2 arguments, not 1", "contains(form)"),
        # types
        ("label == 5", "'==' cannot compare a string with a number", "=="),
        ("5 < label", "'<' cannot compare a number with a string", "<"),
        ("1 < size < label", "'<' cannot compare a number with a string", "<"),
        ("seen != 'yes'", "'!=' cannot compare a boolean with a string", "!="),
        ("label in ['a', 3]", "'in' cannot compare a string with a number", "3"),
        ("size not in ['a']", "'not in' cannot compare a number with a string", "'a'"),
        ("seen < true", "'<' cannot compare booleans, which have no order", "<"),
        ("seen and label", "'and' needs conditions, got a string", "label"),
        ("size or seen", "'or' needs conditions, got a number", "size"),
        ("label == 'A' or 'B'", "'or' needs conditions, got a string", "'B'"),
        ("not size", "'not' needs conditions, got a number", "size"),
        ("not (seen and size + 1)", "'and' needs conditions, got a number", "size + 1"),
        ("label + 'x' == 'y'", "'+' needs numbers, got a string", "label"),
        ("1 - size * seen > 0", "'*' needs numbers, got a boolean", "seen"),
        ("-label == 3", "'-' needs numbers, got a string", "label"),
        ("length(size) > 3", "length() takes a string here, not a number", "size"),
        ("is_missing(seen)", "is_missing() takes a string or a number here, not a boolean", "seen"),
        ("label", "expected a condition, got a string", "label"),
        ("size + 1", "expected a condition, got a number", "size + 1"),
    ],
)
def test_what_is_said_and_what_is_marked(text: str, what: str, marked: str) -> None:
    found = error(text)
    line, carets = found.details
    begin = len(carets) - len(carets.lstrip())
    assert found.what == what
    assert line[begin : begin + carets.count("^")] == marked


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("label == PER", '(a string is written in quotes: "PER")'),
        ("sent == 'x'", "(a name with a hyphen is written in backticks: `sent-id`)"),
        ("label == None", "to find missing values write is_missing(x)"),
        ("label is None", "(to find missing values write is_missing(x))"),
        ("lower == 'x'", "to call the function write lower(text)"),
        ("form.lower() == 'x'", "write lower(form)"),
        ("lower() == 'x'", "write lower(text)"),
        ("matches(form)", 'write matches(text, "pattern")'),
        ("right('svm')", 'known: "bert", "crf"'),
        ("label == 'A' or 'B'", 'to test for several values write name in ["B", "…"]'),
        ("label == 'A' or '\U0010ffff'", r'to test for several values write name in ["\U0010ffff", "…"]'),
        ("label and seen", 'compare it with a value, as in label == "…"'),
        ("label in 'PER'", "(to look for a piece of text write contains(text, piece))"),
        ("seen == IN", "(a column of that name is written `IN`, in backticks)"),
        ("size > 5 %", "(a percentage is written without a space, as in 5%)"),
        ("5%3 > size", "for the remainder of a division write '5 % …', with a space"),
        ("size > 5x", "(a name that begins with a digit is written in backticks)"),
    ],
)
def test_what_to_do_about_it(text: str, hint: str) -> None:
    assert error(text).hint == hint


def test_the_first_mistake_from_the_left_is_the_one_told() -> None:
    assert error("size > and label = “x”").what == "expected an expression after '>'"
    assert error("labl == 3 and siz == 'a'").what.startswith("unknown name 'labl'")


def test_a_long_expression_is_shown_around_the_place() -> None:
    found = error("seen or " * 50 + "labl == 'x'" + " or seen" * 50)
    line, carets = found.details
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) == 72
    begin = carets.index("^")
    assert line[begin : begin + 4] == "labl"
    assert carets == " " * begin + "^^^^"


def test_a_long_expression_is_shown_to_its_end_and_from_its_begin() -> None:
    line, carets = error("seen or " * 50 + "labl == 'x'").details
    assert line.endswith("or labl == 'x'")
    assert line[carets.index("^") :] == "labl == 'x'"
    line, carets = error("labl == 'x'" + " or seen" * 50).details
    assert line.startswith("labl == 'x' or")
    assert carets == "^^^^"


def test_a_place_longer_than_the_window_is_marked_as_far_as_it_is_shown() -> None:
    line, carets = error("size > " + "9" * 300).details
    assert line.endswith("9…")
    assert len(carets) == len(line) - 1


def test_only_the_line_with_the_mistake_is_shown() -> None:
    found = error("seen and\n  labl == 'x'\nor seen")
    assert found.details == ("  labl == 'x'", "  ^^^^")
    assert error("seen and\r\n  labl == 'x'\r\nor seen").details == ("  labl == 'x'", "  ^^^^")


def test_carets_count_the_columns_of_wide_and_combining_characters() -> None:
    assert east_asian_width("日") == "W"
    assert error("form == '日本' and labl").details[1] == " " * len("form == 'xxxx' and ") + "^^^^"
    assert error("form == 'e\u0301' and labl").details[1] == " " * len("form == 'e' and ") + "^^^^"
    assert error("form == 'ก\u0e31' and labl").details[1] == " " * len("form == 'x' and ") + "^^^^"
    assert error("日本 == 'a'").details[1] == "^^^^"


def test_control_characters_are_shown_escaped_and_counted_so() -> None:
    line, carets = error("form == '\x1b[31m\t\u202e' and labl").details
    assert line == r"form == '\x1b[31m\t\u202e' and labl"
    assert carets == " " * line.index("labl") + "^^^^"


def test_a_hostile_name_is_shown_escaped_and_cut() -> None:
    found = error("`" + "\x1b[2J" * 200 + "` == 3")
    assert found.what.isprintable()
    assert len(found.what) < 100
    assert found.hint is None
