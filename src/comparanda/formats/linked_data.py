"""The part of JSON-LD that annotation files need: terms, values and names.

Contexts contained in the file are applied: prefixes and terms. Nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Mapping


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def make_expander(context: Any, known: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that expands keys and compact IRIs to IRIs; unknown keys are returned unchanged.

    Args:
        context: the context of the file, which may be missing; a remote context is not fetched.
        known: default prefixes and terms, which the context may redefine.

    >>> iri = make_expander({"begin": "nif:beginIndex", "nif": "http://x#"}, {"its": "http://y#"})
    >>> iri("begin"), iri("nif:isString"), iri("its:taIdentRef"), iri("other"), iri("@id")
    ('http://x#beginIndex', 'http://x#isString', 'http://y#taIdentRef', 'other', '@id')

    """
    found = dict(known)
    for each in context if isinstance(context, list) else [context]:
        if isinstance(each, dict):
            for term, given in each.items():
                iri = given.get("@id") if isinstance(given, dict) else given
                if isinstance(iri, str):
                    found[term] = iri

    @cache
    def expand(key: str) -> str:
        key = found.get(key, key)
        prefix, colon, rest = key.partition(":")
        return found[prefix] + rest if colon and prefix in found and not rest.startswith("//") else key

    return expand


def base_of(context: Any) -> str:
    """Return the base IRI that a context declares; empty if none.

    >>> base_of(["http://x/context.jsonld", {"@base": "http://x/"}]), base_of("http://x/context.jsonld")
    ('http://x/', '')
    """
    for each in context if isinstance(context, list) else [context]:
        if isinstance(each, dict) and isinstance(each.get("@base"), str):
            return str(each["@base"])
    return ""


def list_plain_values(value: Any) -> list[Any]:
    """Return the plain values of a field, including IRIs, in any of the JSON-LD notations.

    >>> list_plain_values([{"@value": "4", "@type": "xsd:int"}, {"@id": "http://x"}, 5])
    ['4', 'http://x', 5]
    >>> list_plain_values(None), list_plain_values({"id": "y"})
    ([], ['y'])
    """
    found = []
    for each in value if type(value) is list else (value,):
        if type(each) is dict:
            found += [each[name] for name in ("@value", "@id", "id") if name in each][:1]
        elif each is not None:
            found.append(each)
    return found


@lru_cache(1 << 12)
def local_name(iri: str) -> str:
    """Return the last segment of an IRI.

    >>> [local_name(iri) for iri in ("http://dbpedia.org/ontology/Person", "http://x/types#Zeit%2FOrt", "nif:Phrase")]
    ['Person', 'Zeit/Ort', 'Phrase']
    """
    return unquote(re.split(r"[/#:]", iri.rstrip("/#"))[-1])


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI.

    >>> is_iri("http://x/y"), is_iri("urn:isbn:0"), is_iri("Person")
    (True, True, False)
    """
    return _SCHEME.match(text) is not None


def document_name(iri: str, base: str = "") -> str:
    """Return the name of a document: its IRI or, if that is relative, the unquoted name.

    >>> document_name("http://x/a%20b"), document_name("a%20b"), document_name("http://x/a%20b", "http://x/")
    ('http://x/a%20b', 'a b', 'a b')
    """
    relative = iri.removeprefix(base) if base else iri
    return relative if _SCHEME.match(relative) else unquote(relative) or iri


# IRIs for names: unchanged if they are absolute IRIs, else relative.


_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_UNQUOTED_CHARACTERS = "/!$&'()*+,;=@~"


def iri_of(name: str) -> str:
    """Convert a name to an IRI that `document_name` converts back.

    >>> iri_of("http://x/a%20b"), iri_of("news/a b"), iri_of("a:b c")
    ('http://x/a%20b', 'news/a%20b', 'a%3Ab%20c')
    """
    return name if _IRI.fullmatch(name) else quote(name, safe=_UNQUOTED_CHARACTERS)
