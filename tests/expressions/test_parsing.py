"""What is an expression, and how it is bracketed."""

from __future__ import annotations

import pytest

from comparanda.expressions import ExpressionError, find_names, parse, unparse
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    ArithmeticStep,
    Call,
    Comparison,
    ComparisonStep,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Place,
    Text,
    Truth,
    walk_tree,
)


@pytest.mark.parametrize(
    ("written", "bracketed"),
    [
        ("a or b and c", "a or (b and c)"),
        ("a and b or c", "(a and b) or c"),
        ("not a or b", "(not a) or b"),
        ("not a and b", "(not a) and b"),
        ("a and not b or c", "(a and (not b)) or c"),
        ("not a == b", "not (a == b)"),
        ("not a in [1]", "not (a in [1])"),
        ("not not a", "not (not a)"),
        ("a == b and c == d", "(a == b) and (c == d)"),
        ("a + b == c", "(a + b) == c"),
        ("a < b + c", "a < (b + c)"),
        ("a + b * c", "a + (b * c)"),
        ("a * b + c", "(a * b) + c"),
        ("a - b % c", "a - (b % c)"),
        ("-a * b", "(-a) * b"),
        ("-a + b", "(-a) + b"),
        ("a * -b", "a * (-b)"),
        ("a - -b", "a - (-b)"),
        ("--a", "-(-a)"),
        ("-a < b", "(-a) < b"),
        ("a % b", "(a) % (b)"),
        ("a or b and not c < d + e * -f", "a or (b and (not (c < (d + (e * (-f))))))"),
    ],
)
def test_brackets_that_change_nothing(written: str, bracketed: str) -> None:
    assert parse(written) == parse(bracketed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a or b) and c", "a or b and c"),
        ("not (a and b)", "not a and b"),
        ("(not a) == b", "not a == b"),
        ("(a + b) * c", "a + b * c"),
        ("a - (b - c)", "a - b - c"),
        ("a / (b * c)", "a / b * c"),
        ("-(a + b)", "-a + b"),
        ("-(a * b)", "-a * b"),
        ("(a < b) == c", "a < b == c"),
        ("a == (b == c)", "a == b == c"),
    ],
)
def test_brackets_that_change_the_meaning(one: str, other: str) -> None:
    assert parse(one) != parse(other)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a or b or c", Or((Name("a"), Name("b"), Name("c")))),
        ("a and b and c", And((Name("a"), Name("b"), Name("c")))),
        ("(a or b) or c", Or((Or((Name("a"), Name("b"))), Name("c")))),
        ("not true", Not(Truth(True))),
        (
            "1 < x <= 5",
            Comparison(Number(1), (ComparisonStep("<", Name("x")), ComparisonStep("<=", Number(5)))),
        ),
        ("x not in [1, 'a']", Comparison(Name("x"), (ComparisonStep("not in", List((Number(1), Text("a")))),))),
        ("x in []", Comparison(Name("x"), (ComparisonStep("in", List(())),))),
        (
            "a - b + c",
            Arithmetic(Name("a"), (ArithmeticStep("-", Name("b")), ArithmeticStep("+", Name("c")))),
        ),
        ("-5", Negative(Number(5))),
        ("f()", Call("f", ())),
        ("f(a, g(b))", Call("f", (Name("a"), Call("g", (Name("b"),))))),
        ("f (a)", Call("f", (Name("a"),))),
    ],
)
def test_trees(text: str, tree: Node) -> None:
    assert parse(text).root == tree


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("42", 42), ("007", 7), ("2.5", 2.5), (".5", 0.5), ("1e3", 1000.0), ("2.5E-1", 0.25), ("5%", 0.05),
        ("2.9%", 0.029), ("100%", 1.0), ("1e2%", 1.0), ("9223372036854775807", 2**63 - 1), ("1e-999", 0.0),
    ],
)  # fmt: skip
def test_numbers(text: str, value: float) -> None:
    root = parse(text).root
    assert root == Number(value)
    assert isinstance(root, Number)
    assert type(root.value) is type(value)


def test_a_percent_sign_after_a_space_or_a_name_is_the_remainder() -> None:
    remainder = Arithmetic(Name("x"), (ArithmeticStep("%", Number(5)),))
    assert parse("x % 5").root == parse("x%5").root == remainder
    assert parse("7 % 5").root == Arithmetic(Number(7), (ArithmeticStep("%", Number(5)),))
    assert parse("x % 5%").root == Arithmetic(Name("x"), (ArithmeticStep("%", Number(0.05)),))
    assert parse("5%-x").root == Arithmetic(Number(0.05), (ArithmeticStep("-", Name("x")),))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it is'", "it is"), ('"it\'s"', "it's"), (r"'it\'s'", "it's"), (r'"\"\\\n\t\u00e9"', '"\\\n\té'),
        ("''", ""), ("'日本'", "日本"), ("'and'", "and"), (r"'\u0041BC'", "ABC"), ("'a\tb'", "a\tb"),
    ],
)  # fmt: skip
def test_strings(text: str, value: str) -> None:
    assert parse(text).root == Text(value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("label", "label"), ("meta.genre", "meta.genre"), ("_x1", "_x1"), ("größe", "größe"), ("`sent id`", "sent id"),
        ("`in`", "in"), (r"`a\`b`", "a`b"), ("order", "order"), ("android", "android"), ("notin", "notin"),
        ("a.1", "a.1"),
    ],
)  # fmt: skip
def test_names(text: str, name: str) -> None:
    assert parse(text).root == Name(name)


def test_a_name_in_backticks_is_never_a_function() -> None:
    with pytest.raises(ExpressionError, match=r"expected an operator before '\('"):
        parse("`lower`(x)")


def test_a_comma_may_end_a_list() -> None:
    assert parse("x in [1, 2,]") == parse("x in [1, 2]")


def test_names_are_known_without_a_scope() -> None:
    assert find_names("a < b.c and f(`d e`, 'g') in [a, h]") == {"a", "b.c", "d e", "h"}


def test_expressions_are_equal_however_they_are_spaced() -> None:
    assert parse("a  ==b") == parse("(a == b)")
    assert hash(parse("a  ==b")) == hash(parse("(a == b)"))
    assert str(parse("a  ==b")) == "a  ==b"


def test_nodes_know_their_places() -> None:
    source = "a1 == 'x' and not f(b)"
    written = {type(node).__name__: source[slice(*node.place)] for node in walk_tree(parse(source).root)}
    assert written == {
        "And": source,
        "Comparison": "a1 == 'x'",
        "ComparisonStep": "==",
        "Text": "'x'",
        "Not": "not f(b)",
        "Call": "f(b)",
        "Name": "b",
    }
    assert parse("x  not  in [1]").root.place == Place(0, 14)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("((a))or(b)", "a or b"),
        ("a or(b or c)", "a or (b or c)"),
        ("(a and b)or c", "a and b or c"),
        ("(a+b)*c-(d)", "(a + b) * c - d"),
        ("a-(b-c)", "a - (b - c)"),
        ("-(-a)", "--a"),
        ("-(a*b)", "-(a * b)"),
        ("not(not a)", "not not a"),
        ("(not a)==b", "(not a) == b"),
        ("(a==b)==c", "(a == b) == c"),
        ("x not  in ['a',1,]", 'x not in ["a", 1]'),
        ("f( a,'b' )", 'f(a, "b")'),
        ("5% < x", "0.05 < x"),
        ("`a`", "a"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert unparse(parse(text)) == canonical
