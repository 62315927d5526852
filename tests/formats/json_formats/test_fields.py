from __future__ import annotations

import pytest

from comparanda.core.places import Source
from comparanda.errors import ReadError
from comparanda.formats.json_objects import Fields, key_paths

SOURCE = Source.of_text("d.json", b"\n\n")


def whole() -> Fields:
    return Fields(SOURCE, 1, {"a": {"b": [{"n": 1}, {"n": "x", "t": "t\0"}]}, "s": "", "k": 7, "f": 0.5, "z": None})


def test_the_way_to_a_field() -> None:
    second = list(whole().inner("a").objects("b"))[1]
    assert (second.path(), second.path("n"), whole().path(), whole().path("s")) == ("a.b[1]", "a.b[1].n", "", "s")
    with pytest.raises(ReadError, match=r"^d.json:2: 'a.b\[1\].n' is a string, not an integer\n  hint$"):
        second.integer("n", "hint")
    with pytest.raises(ReadError, match=r"^d.json:2: a NUL character in 'a.b\[1\].t'"):
        second.text("t")


@pytest.mark.parametrize(
    ("asked", "name", "message"),
    [
        ("text", "q", "missing 'q', expected a string"),
        ("text", "a", "'a' is an object, not a string"),
        ("integer", "f", "'f' is 0.5, not an integer"),
        ("inner", "s", "'s' is a string, not an object"),
        ("items", "k", "'k' is 7, not an array"),
        ("name", "f", "'f' is 0.5, not a string"),
    ],
)
def test_what_is_not_as_it_should_be(asked: str, name: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        getattr(whole(), asked)(name)
    assert caught.value.what == message


def test_what_may_be_missing() -> None:
    fields = whole()
    assert (fields.items("z"), list(fields.objects("q")), fields.name("s"), fields.name("k")) == ([], [], None, "7")
    assert list(fields.plain(frozenset({"f"}))) == [("k", 7)]
    assert fields.attributes(frozenset()) == {"k": "7", "f": "0.5"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": {"b": 1}, "c": [[{"d": 2}]]}', {"a", "a.b", "c", "c[][].d"}),
        ('[{"a": 1},\n{"b": 2}]', {"[].a", "[].b"}),
        ('{"a": 1}\n{"b": {"c": 2}}', {"a", "b", "b.c"}),
        ('{"a": "x: {\\"y\\": 1}", "b": "cut {"', {"a", "b"}),
        ('{"a": "cut {\\"b\\": 1', {"a"}),
        ("]]}} {", set()),
    ],
)
def test_fields_of_the_first_lines(text: str, expected: set[str]) -> None:
    assert key_paths(text.split("\n")) == expected


def test_all_are_looked_at_but_the_deepest() -> None:
    assert len(key_paths(["[" * 60 + '{"a": 1}' + "]" * 60])) == 0
    assert len(key_paths(["[" * 60 + '{"a": 1}'])) == 0
    assert len(key_paths([", ".join(f'{{"a{number}": 1}}' for number in range(9000))])) == 9000


def test_decoded_and_truncated_lines_have_the_same_paths() -> None:
    line = '{"text": "a", "spans": [{"start": 0, "ids": [["x", {"y": 1}]]}, {"end": 1}], "meta": {"n": null}}'
    assert key_paths([line]) == key_paths([line + " ,"]) == key_paths(line.replace(" ", "\n").split("\n"))
