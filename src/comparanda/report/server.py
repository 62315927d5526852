"""The report of a result folder from a server on this machine, which the page asks for examples.

`guard` says who may ask, `serving` how requests come and go, `routes` what they are about; `listing` and `searching`
find the entries of a list.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socketserver
import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import parse_qsl

import msgspec
import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.errors import ComparandaError, UsageError
from comparanda.expressions.selection import Ground, item_scope, scope, selected
from comparanda.render.links import Link
from comparanda.render.table import visible
from comparanda.report.builder import build
from comparanda.report.card_texts import LONGEST_WORD, MISSING, OF_WORDS, fitted, written
from comparanda.report.cards import Cards, sentence
from comparanda.report.html import as_html, policy
from comparanda.report.lists import Lists, entries
from comparanda.report.page_data import Card, Choice, ItemList, Struct
from comparanda.report.views import pair_choice

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from email.message import Message

    from comparanda.core.text_columns import Column, Rows, Truths
    from comparanda.expressions import Scope
    from comparanda.report.builder import Choices, Say
    from comparanda.result import Result


# What goes back to the browser: a status, bytes, and what they may do there.


_NOTHING = "default-src 'none'; frame-ancestors 'none'"
"""What data may do in a browser."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer.

    Args:
        status: how it went.
        kind: the type of its content.
        body: the content.
        policy: what a browser may do with it.

    """

    status: HTTPStatus
    kind: str
    body: bytes
    policy: str = _NOTHING


def data(content: Any, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Answer with JSON."""
    return Answer(status, "application/json; charset=utf-8", msgspec.json.encode(content))


def problem(status: HTTPStatus, what: str) -> Answer:
    """Answer that it cannot be done, and why, in a line."""
    return data({"error": what}, status)


def document(html: str, policy: str) -> Answer:
    """Answer with a page, which nobody may put into a frame."""
    return Answer(HTTPStatus.OK, "text/html; charset=utf-8", html.encode(), f"{policy}; frame-ancestors 'none'")


# Who may ask: the browser that was given the token, on this machine, from the page itself.


LOOPBACK = "127.0.0.1"

TOKEN_HEADER = "X-Comparanda-Token"
"""Where the script of the page puts the token, so that it stands in no address but the first."""

_FROM_HERE = frozenset({"same-origin", "none"})
"""What a browser says of requests that the page itself makes, and of addresses that a person opens."""


class Guard:
    """Looks at every request before anything else does.

    A page of another site can make a browser send requests to this machine, and can give its own name this machine's
    address. It cannot know the token, cannot choose the Host that the browser names, and cannot hide where it stands.

    Args:
        port: the port of the server.
        token: what only those who saw the first address know.

    """

    def __init__(self, port: int, token: str) -> None:
        self._hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
        self._token = token.encode()

    def refusal(self, headers: Message, asked: str | None) -> str | None:
        """Say why a request is refused, or None; `asked` is the token in its address."""
        hosts = headers.get_all("Host", [])
        host = hosts[0].strip().lower() if len(hosts) == 1 else ""
        if host not in self._hosts:
            return "this server answers to its own address alone"
        if any(origin != f"http://{host}" for origin in headers.get_all("Origin", [])):
            return "another site asks"
        if any(site not in _FROM_HERE for site in headers.get_all("Sec-Fetch-Site", [])):
            return "another site leads here; open the address by hand"
        if not self._knows(headers.get(TOKEN_HEADER, asked)):
            return "the token is missing or wrong; open the address that 'comparanda serve' printed"
        return None

    def _knows(self, token: str | None) -> bool:
        return token is not None and hmac.compare_digest(token.encode("utf-8", "replace"), self._token)


# One list as the server knows it: its entries in order, and what filters look at, read from columns.
#
# No example is made to filter by label, class, pattern or slice, so a list of half a million sites is filtered at once.
# What filters mean is the same as on a page that holds its examples, where the browser filters them
# (`assets/items.js`).


CLASSES = ("correction", "new_error", "changed_error", "same_right", "same_error")
RIGHT, WRONG, UNSEEN = "●○·"

MOST_VALUES = 200
"""How many values of a filter are proposed."""

Universe = tuple[str, tuple[int, ...] | None, Literal["sites", "items"]]
"""A view, the runs whose sites it has (None for all), and whether it is about sites or items."""

Counts = tuple[tuple[str, int], ...]


class Filters(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """What entries must have; "" for anything. `slice` is NAME=VALUE."""

    label: str = ""
    class_: str = ""
    pattern: str = ""
    slice: str = ""
    text: str = ""


class Proposed(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """The values that a list can be filtered by, and how many entries have each."""

    label: Counts
    class_: Counts
    pattern: Counts
    slice: Counts


class Listing:
    """The entries of a list.

    Args:
        result: the result.
        ground: what conditions share.
        link: what leads to the list.
        attributes: the names of what slices are made by.
        text: whether words of the corpus may be shown.

    Attributes:
        selection: what the condition selects.
        rows: the sites or items of the entries, in the order of the text.
        pairs: the runs of base and new that each is about; None where no system has several.
        universe: what the numbers of rows are about.

    """

    def __init__(
        self, result: Result, ground: Ground, link: Link, *, attributes: tuple[str, ...] = (), text: bool = True
    ) -> None:
        self._verdicts, self._link, self._attributes, self._text = result.verdicts, link, attributes, text
        view = self._verdicts.view(link.view)
        self.selection = selected(
            self._verdicts, view=view, where=link.where, base=link.base, new=link.new, ground=ground
        )
        self.rows, self.pairs = entries(self._verdicts, self.selection)
        among = None if self.selection.view is view else self.selection.runs
        self.universe: Universe = view.name, among, self.selection.of
        self._seen = among or tuple(range(len(self._verdicts.runs)))

    def __len__(self) -> int:
        return len(self.rows)

    def runs_of(self, number: int) -> tuple[int, int] | None:
        """Return the runs of base and new that an entry is about, where some system has several."""
        if self.pairs is None:
            return None
        base, new = self.pairs[number].tolist()
        return base, new

    def matching(self, filters: Filters) -> Rows:
        """Return the numbers of the entries that have what is asked for, whatever their text."""
        kept = np.ones(len(self), np.bool_)
        if filters.label:
            kept &= _has(self._labels, filters.label)
        if filters.class_:
            kept &= _has(self._classes, filters.class_)
        if filters.pattern:
            kept &= _has(self._patterns, filters.pattern)
        if filters.slice:
            kept &= self._in_slice(filters.slice)
        return np.flatnonzero(kept)

    def _in_slice(self, wanted: str) -> Truths:
        found = np.zeros(len(self), np.bool_)
        for name in self._attributes:
            if wanted.startswith(f"{name}="):
                found |= _has(self._slices[name], wanted.removeprefix(f"{name}="))
        return found

    @cached_property
    def proposed(self) -> Proposed:
        """What the list can be filtered by."""
        sliced = ((f"{name}={value}", n) for name, column in self._slices.items() for value, n in _counts(column))
        return Proposed(
            label=_counts(self._labels),
            class_=_counts(self._classes),
            pattern=_counts(self._patterns),
            slice=tuple(sliced),
        )

    # The columns, one value an entry.

    @cached_property
    def _labels(self) -> TextColumn:
        return _as_shown(self._scope.column("label")).take(self.rows)

    @cached_property
    def _slices(self) -> dict[str, TextColumn]:
        return {name: self._sliced(name) for name in self._attributes}

    def _sliced(self, name: str) -> TextColumn:
        if name not in self._scope.types or (not self._text and name in OF_WORDS):
            return TextColumn.constant("", len(self))
        return _as_shown(self._scope.column(name)).take(self.rows)

    @cached_property
    def _classes(self) -> TextColumn:
        """The class of each entry, "" for those that have none."""
        codes = np.full(len(self), len(CLASSES))
        for places, base, new in self._about():
            old, fresh = self._right(base)[places], self._right(new)[places]
            differs = self._differs(base, new)[places]
            tests = (~old & fresh, old & ~fresh, ~old & ~fresh & differs, old & fresh)
            codes[places] = np.select(tests, range(len(tests)), len(tests))
        return TextColumn(codes, (*CLASSES, ""))

    @cached_property
    def _patterns(self) -> TextColumn:
        """Which runs are right, a sign each."""
        right = np.stack([self._right(run) for run in self._seen], axis=1)
        packed = np.ascontiguousarray(np.packbits(right, axis=1))
        keys = packed.view(f"S{packed.shape[1]}").ravel()
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        return TextColumn(codes, tuple(self._pattern(row) for row in right[first].tolist()))

    def _pattern(self, right: list[bool]) -> str:
        signs = dict(zip(self._seen, (RIGHT if each else WRONG for each in right), strict=True))
        return "".join(signs.get(run, UNSEEN) for run in range(len(self._verdicts.runs)))

    def _about(self) -> Iterator[tuple[Rows, int, int]]:
        """Yield the runs of base and new that entries are about, and which entries these are."""
        if self.pairs is not None:
            for base, new in np.unique(self.pairs, axis=0).tolist():
                yield np.flatnonzero((self.pairs == (base, new)).all(axis=1)), base, new
        elif self._link.base is not None and self._link.new is not None:
            runs = [run for name in (self._link.base, self._link.new) for run in self._verdicts.system(name).runs]
            if len(runs) == 2 and {*runs} <= {*self._seen}:
                yield np.arange(len(self)), runs[0], runs[1]

    def _right(self, run: int) -> Truths:
        if self.selection.of == "sites":
            return self.selection.view.sites.right[run][self.rows]
        items = self.selection.view.items
        return np.equal(items.has(run), items.positive)[self.rows]

    def _differs(self, base: int, new: int) -> Truths:
        if self.selection.of == "sites":
            values = self.selection.view.sites.values
            return np.not_equal(values[base][self.rows], values[new][self.rows])
        items = self.selection.view.items
        return np.not_equal(items.has(base), items.has(new))[self.rows]

    @cached_property
    def _scope(self) -> Scope:
        view = self.selection.view
        return item_scope(self._verdicts, view) if self.selection.of == "items" else scope(self._verdicts, view)


def _as_shown(column: Column) -> TextColumn:
    """Return a column as the texts that cards show of it."""
    if isinstance(column, TextColumn):
        names = (MISSING if code == column.missing else fitted(name, LONGEST_WORD)
                 for code, name in enumerate(column.names))  # fmt: skip
        return TextColumn(column.codes, tuple(names))
    if column.dtype == np.bool_:
        return TextColumn(column.astype(np.int64), ("no", "yes"))
    numbers, codes = np.unique(column, return_inverse=True)
    return TextColumn(codes, tuple(MISSING if np.isnan(each) else written(float(each)) for each in numbers.tolist()))


def _has(column: TextColumn, value: str) -> Truths:
    return np.isin(column.codes, [code for code, name in enumerate(column.names) if name == value])


def _counts(column: TextColumn) -> Counts:
    """Return the most frequent texts of a column and how often each occurs; what has no text is not proposed."""
    found: dict[str, int] = {}
    for name, count in zip(column.names, np.bincount(column.codes, minlength=len(column.names)).tolist(), strict=True):
        if count and name:
            found[name] = found.get(name, 0) + count
    return tuple(sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MOST_VALUES])


# What the page asks the server for, and what comes back: the shape of queries and of the JSON that answers them.


MOST_ENTRIES = 200
"""How many entries one answer holds at most."""


class AskedItems(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """Some entries of a list, in order: the list as `Link` names it, what entries must have, which of those to send."""

    where: str
    base: str | None = None
    new: str | None = None
    view: str | None = None
    label: str = ""
    class_: str = ""
    pattern: str = ""
    slice: str = ""
    text: str = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_ENTRIES)] = 50

    @property
    def link(self) -> Link:
        """What leads to the list."""
        return Link(self.where, self.base, self.new, self.view)

    @property
    def filters(self) -> Filters:
        """What entries must have."""
        return Filters(label=self.label, class_=self.class_, pattern=self.pattern, slice=self.slice, text=self.text)


class AskedPair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pair of systems."""

    base: str
    new: str


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of a list: an example, and the runs of base and new it is about, where some system has several."""

    card: Card
    runs: tuple[int, int] | None = None


class Items(Struct, frozen=True, kw_only=True):
    """Some entries of a list.

    Args:
        of: whether they are sites or items.
        count: how many entries the list has.
        folded: how many of them are only counted in this result, so that nobody can show them.
        total: how many of them match, of those that were looked at.
        held: how many were looked at.
        complete: whether that is all of them; if not, asking again goes on.
        entries: those that were asked for.
        choices: what the list can be filtered by; with its first entries alone.

    """

    of: Literal["sites", "items"]
    count: int
    folded: int
    total: int
    held: int
    entries: tuple[Entry, ...]
    complete: bool = True
    choices: Proposed | None = None


class Pair(Struct, frozen=True, kw_only=True):
    """What is shown of a pair of systems, and the lists that its numbers lead to, numbered from 0."""

    choice: Choice
    lists: tuple[ItemList, ...]


# The entries that filters leave over, page by page; a search for words goes on where it stopped.


PATIENCE = 0.5
"""For how many seconds a request may look for words; what is not looked at then waits for the next request."""

_STEP = 64
"""So many examples are looked at before the clock is."""


class Search:
    """The entries of a list that match filters.

    Args:
        listing: the list.
        filters: what entries must have.
        cards: makes the examples.

    """

    def __init__(self, listing: Listing, filters: Filters, cards: Cards) -> None:
        self._listing, self._cards = listing, cards
        self._text = filters.text.lower()
        self._candidates = listing.matching(filters)
        self._next = 0 if self._text else len(self._candidates)
        self._with_text: list[int] = []

    @property
    def total(self) -> int:
        """How many entries match, of those that were looked at."""
        return len(self._with_text if self._text else self._candidates)

    @property
    def complete(self) -> bool:
        """Whether all entries were looked at."""
        return self._next == len(self._candidates)

    @property
    def looked_at(self) -> int:
        """How many entries of the list were looked at, from its begin on."""
        return len(self._listing) if self.complete else int(self._candidates[self._next])

    def go_on(self) -> None:
        """Look at further examples, a few at least, until all are looked at or patience is at its end."""
        end = monotonic() + PATIENCE
        while not self.complete:
            step = self._candidates[self._next : self._next + _STEP].tolist()
            self._with_text += [number for number in step if self._has_text(number)]
            self._next += len(step)
            if monotonic() >= end:
                return

    def page(self, offset: int, limit: int) -> Iterator[tuple[Card, tuple[int, int] | None]]:
        """Yield some entries: the example, and the runs of base and new it is about, where that must be told."""
        chosen = (self._with_text if self._text else self._candidates)[offset : offset + limit]
        for number in map(int, chosen):
            yield self._card(number), self._listing.runs_of(number)

    def _has_text(self, number: int) -> bool:
        return any(self._text in text.lower() for text in card_texts(self._card(number)))

    def _card(self, number: int) -> Card:
        return self._cards.of(int(self._listing.rows[number]))


def card_texts(card: Card) -> Iterator[str]:
    """Yield what a search for words looks at: the sentence, what sides say, the name of the document."""
    yield sentence(card)
    yield card.line
    yield from (side.value for side in card.sides)
    yield card.document


# From a path and its query to an answer: the page, the entries of a list, a pair of systems.


_KEPT = 8
"""Of how many lists, filters and pairs the server remembers what it found: people go to and fro between few."""


class Routes:
    """Answers requests about one result.

    They come in many threads, and share what was found for others: so one is answered after the other.

    Args:
        result: the result.
        choices: what its page is to hold.
        say: told what is being done while the page is made.

    Attributes:
        attributes: the names of what slices are made by.

    """

    def __init__(self, result: Result, choices: Choices, say: Say | None = None) -> None:
        page = build(result, choices, say)
        self._page = document(as_html(page), policy(served=True))
        self._result, self._choices = result, choices
        self.attributes, self._text = page.attributes, choices.text
        self._working = Lock()
        self._routes: Mapping[str, Callable[[Mapping[str, str]], Answer]] = {
            "/": lambda _: self._page,
            "/api/items": lambda given: data(self._items(msgspec.convert(given, AskedItems, strict=False))),
            "/api/pair": lambda given: data(self._pair(msgspec.convert(given, AskedPair, strict=False))),
        }
        self._ground = lru_cache(_KEPT)(self._make_ground)
        self._listing = lru_cache(_KEPT)(self._make_listing)
        self._search = lru_cache(_KEPT)(self._make_search)
        self._pair = lru_cache(_KEPT)(self._make_pair)
        self._cards: dict[Universe, Cards] = {}

    def answer(self, path: str, given: Mapping[str, str]) -> Answer:
        """Answer a request; whatever goes wrong is said in a line."""
        route = self._routes.get(path)
        if route is None:
            return problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        try:
            with self._working:
                return route(given)
        except msgspec.ValidationError as wrong:
            return problem(HTTPStatus.BAD_REQUEST, visible(str(wrong)))
        except UsageError as wrong:
            return problem(HTTPStatus.BAD_REQUEST, _line(wrong))
        except ComparandaError as wrong:  # the result is good, but files behind it have changed or are gone
            return problem(HTTPStatus.CONFLICT, _line(wrong))
        except Exception as defect:
            print(f"comparanda: internal error at {path}: {visible(repr(defect))}", file=sys.stderr)
            return problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: {type(defect).__name__}")

    def _items(self, asked: AskedItems) -> Items:
        listing, search = self._listing(asked.link), self._search(asked.link, asked.filters)
        search.go_on()
        return Items(
            of=listing.selection.of,
            count=len(listing.selection),
            folded=listing.selection.folded,
            total=search.total,
            held=search.looked_at,
            complete=search.complete,
            entries=tuple(Entry(card=card, runs=runs) for card, runs in search.page(asked.offset, asked.limit)),
            choices=None if asked.offset else listing.proposed,
        )

    # What is kept for the requests that follow.

    def _make_ground(self, view: str | None, base: str | None, new: str | None) -> Ground:
        """Return what conditions about one view and one pair share, which is let go with the pair."""
        del view, base, new
        return Ground(self._result.verdicts)

    def _make_listing(self, link: Link) -> Listing:
        ground = self._ground(link.view, link.base, link.new)
        return Listing(self._result, ground, link, attributes=self.attributes, text=self._text)

    def _make_search(self, link: Link, filters: Filters) -> Search:
        listing = self._listing(link)
        return Search(listing, filters, self._cards_of(listing))

    def _make_pair(self, asked: AskedPair) -> Pair:
        lists = Lists(self._result)
        choice = pair_choice(self._result, choices=self._choices, lists=lists, base=asked.base, new=asked.new)
        return Pair(choice=choice, lists=lists.unfilled())

    def _cards_of(self, listing: Listing) -> Cards:
        """Return what makes the cards of a list: the same for all lists whose rows are numbered alike."""
        if listing.universe not in self._cards:
            while len(self._cards) >= _KEPT:
                del self._cards[next(iter(self._cards))]
            made = Cards(self._result, listing.selection, text=self._text, attributes=self.attributes)
            self._cards[listing.universe] = made
        return self._cards[listing.universe]


def _line(problem: ComparandaError) -> str:
    """Say what is wrong in one line, with what to do about it."""
    said = problem.what if problem.where is None else f"{problem.where}: {problem.what}"
    return visible(said if problem.hint is None else f"{said} ({problem.hint})")


# The server: on this machine alone, reading alone, every answer with the headers that keep it private.


if TYPE_CHECKING:
    Answering = Callable[[str, Mapping[str, str]], Answer]

_MOST_FIELDS = 20
_MOST_AT_ONCE = 64
_SECONDS = 10

_PRIVATE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What goes with every answer: nothing is kept, guessed, told to others, framed or lent to other sites."""


class Server(ThreadingHTTPServer):
    """Listens on loopback.

    Args:
        port: the port; 0 for any that is free.

    """

    answer: Answering
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # elsewhere it would let others take the port as well
    allow_reuse_port = False
    request_queue_size = _MOST_AT_ONCE

    def __init__(self, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(32)
        self._slots = BoundedSemaphore(_MOST_AT_ONCE)
        super().__init__((LOOPBACK, port), _Handler)

    @cached_property
    def guard(self) -> Guard:
        """What looks at every request."""
        return Guard(self.server_port, self.token)

    @property
    def address(self) -> str:
        """What to open in a browser; who has it can read all that is served."""
        return f"http://{LOOPBACK}:{self.server_port}/?token={self.token}"

    def answer_by(self, answer: Answering) -> None:
        """Answer requests until an exception, such as that of Ctrl-C, ends it; who came before has been waiting."""
        self.answer = answer
        self.serve_forever()

    def server_bind(self) -> None:
        """Bind without asking a name server what this machine is called, as the library would."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if not too many are at work."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:
        """Say nothing of browsers that go away in the middle of an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request: looked at by the guard, then answered. Nothing is logged, since addresses hold the token."""

    server: Server
    timeout = _SECONDS
    server_version = "comparanda"
    sys_version = ""

    def do_GET(self) -> None:
        self._send(self._answer())

    def do_HEAD(self) -> None:
        self._send(self._answer())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the library refuses: broken or endless requests, and all methods but two."""
        del message, explain  # they quote the request
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._send(problem(HTTPStatus.METHOD_NOT_ALLOWED, "this server is for reading: GET and HEAD alone"))
        else:
            status = HTTPStatus(code)
            self._send(problem(status, status.phrase.lower()))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self) -> Answer:
        path, _, query = self.path.partition("?")
        fields = _fields(query)
        refusal = self.server.guard.refusal(self.headers, None if fields is None else fields.pop("token", None))
        if refusal is not None:
            return problem(HTTPStatus.FORBIDDEN, refusal)
        if fields is None:
            return problem(HTTPStatus.BAD_REQUEST, "the query cannot be read, or names something twice")
        return self.server.answer(path, fields)

    def _send(self, answer: Answer) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        if answer.status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        for name, value in (*_PRIVATE.items(), ("Content-Security-Policy", answer.policy)):
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _fields(query: str) -> dict[str, str] | None:
    """Read a query; None if it can be read in several ways, or not at all."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else None
