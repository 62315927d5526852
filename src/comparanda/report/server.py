"""The local server of a report, from which the page requests examples.

`Guard` checks requests, `Server` and its handler process them, `Routes` computes answers; `Listing` and `Search` find
the entries of a list.
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
from comparanda.expressions.selection import SelectionCaches, item_scope, make_scope, select_rows
from comparanda.render.count_links import Link
from comparanda.render.table import make_visible
from comparanda.report.builder import build_page
from comparanda.report.card_texts import LONGEST_WORD, MISSING, OF_WORDS, fit_text, format_exact
from comparanda.report.cards import Cards, join_sentence
from comparanda.report.html import as_html, build_policy
from comparanda.report.lists import Lists, list_entries
from comparanda.report.page_data import Card, Choice, ItemList, Struct
from comparanda.report.views import pair_choice

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from email.message import Message

    from comparanda.core.text_columns import Column, Rows, Truths
    from comparanda.expressions import Scope
    from comparanda.report.builder import Choices, Progress
    from comparanda.result import Result


# Answers: status, content, and Content-Security-Policy.


_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of data."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer.

    Args:
        status: the HTTP status.
        kind: the content type.
        body: the content.
        policy: the Content-Security-Policy.

    """

    status: HTTPStatus
    kind: str
    body: bytes
    policy: str = _DATA_POLICY


def answer_data(content: Any, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Answer with JSON."""
    return Answer(status, "application/json; charset=utf-8", msgspec.json.encode(content))


def answer_problem(status: HTTPStatus, what: str) -> Answer:
    """Answer with an error and its reason in one line."""
    return answer_data({"error": what}, status)


def answer_document(html: str, policy: str) -> Answer:
    """Answer with a page, which must not be framed."""
    return Answer(HTTPStatus.OK, "text/html; charset=utf-8", html.encode(), f"{policy}; frame-ancestors 'none'")


# Access control: only a browser on this machine that has the token, and only requests of the page itself.


LOOPBACK = "127.0.0.1"

TOKEN_HEADER = "X-Comparanda-Token"
"""The header in which the page's script sends the token, so that only the first address contains it."""

_ALLOWED_SITES = frozenset({"same-origin", "none"})
"""The values of Sec-Fetch-Site for requests of the page itself and for addresses opened by the user."""


class Guard:
    """Checks every request before it is processed.

    A page of another site can make a browser send requests to this machine, and can resolve its own name to this
    machine's address. It cannot know the token, cannot choose the Host header, and cannot hide its origin.

    Args:
        port: the port of the server.
        token: the secret in the first address.

    """

    def __init__(self, port: int, token: str) -> None:
        self._hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
        self._token = token.encode()

    def refusal(self, headers: Message, asked: str | None) -> str | None:
        """Return the reason to refuse a request, or None; `asked` is the token in its address."""
        hosts = headers.get_all("Host", [])
        host = hosts[0].strip().lower() if len(hosts) == 1 else ""
        if host not in self._hosts:
            return "this server only accepts requests to its own address"
        if any(origin != f"http://{host}" for origin in headers.get_all("Origin", [])):
            return "requests from another site are refused"
        if any(site not in _ALLOWED_SITES for site in headers.get_all("Sec-Fetch-Site", [])):
            return "opened from another site: enter the address by hand"
        if not self._has_token(headers.get(TOKEN_HEADER, asked)):
            return "the token is missing or wrong; open the address that 'comparanda serve' printed"
        return None

    def _has_token(self, token: str | None) -> bool:
        return token is not None and hmac.compare_digest(token.encode("utf-8", "replace"), self._token)


# One list on the server: its entries in order, and the columns that are filtered.
#
# Filtering by label, class, pattern or slice builds no examples, so a list of half a million sites is filtered at once.
# Filters mean the same as on a page that contains its examples, where the browser filters them (`assets/filters.js`).


CLASSES = ("correction", "new_error", "changed_error", "same_right", "same_error")
RIGHT, WRONG, UNSEEN = "●○·"

MOST_VALUES = 200
"""The maximal number of values proposed for a filter."""

Universe = tuple[str, tuple[int, ...] | None, Literal["sites", "items"]]
"""A view, the runs whose sites it contains (None for all), and whether the rows are sites or items."""

Counts = tuple[tuple[str, int], ...]


class Filters(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """The filters of entries; "" for no filter. `slice` is NAME=VALUE."""

    label: str = ""
    class_: str = ""
    pattern: str = ""
    slice: str = ""
    text: str = ""


class Proposed(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """The values for filtering a list, with the number of entries of each."""

    label: Counts
    class_: Counts
    pattern: Counts
    slice: Counts


class Listing:
    """The entries of a list.

    Args:
        result: the result.
        caches: data shared by conditions.
        link: the link to the list.
        attributes: the names of the attributes for slices.
        text: whether words of the corpus may be displayed.

    Attributes:
        selection: the sites or items that match the condition.
        rows: the sites or items of the entries, in the order of the text.
        pairs: the runs of base and new for each entry; None if no system has several.
        universe: the view, runs and table to which row numbers refer.

    """

    def __init__(
        self,
        result: Result,
        caches: SelectionCaches,
        link: Link,
        *,
        attributes: tuple[str, ...] = (),
        text: bool = True,
    ) -> None:
        self._verdicts, self._link, self._attributes, self._text = result.verdicts, link, attributes, text
        view = self._verdicts.view(link.view)
        self.selection = select_rows(
            self._verdicts, view=view, where=link.where, base=link.base, new=link.new, caches=caches
        )
        self.rows, self.pairs = list_entries(self._verdicts, self.selection)
        among = None if self.selection.view is view else self.selection.runs
        self.universe: Universe = view.name, among, self.selection.of
        self._seen = among or tuple(range(len(self._verdicts.runs)))

    def __len__(self) -> int:
        return len(self.rows)

    def runs_of(self, number: int) -> tuple[int, int] | None:
        """Return the runs of base and new for an entry, if some system has several."""
        if self.pairs is None:
            return None
        base, new = self.pairs[number].tolist()
        return base, new

    def matching(self, filters: Filters) -> Rows:
        """Return the numbers of the entries that match all filters except the text."""
        kept = np.ones(len(self), np.bool_)
        if filters.label:
            kept &= _equals(self._labels, filters.label)
        if filters.class_:
            kept &= _equals(self._classes, filters.class_)
        if filters.pattern:
            kept &= _equals(self._patterns, filters.pattern)
        if filters.slice:
            kept &= self._in_slice(filters.slice)
        return np.flatnonzero(kept)

    def _in_slice(self, wanted: str) -> Truths:
        found = np.zeros(len(self), np.bool_)
        for name in self._attributes:
            if wanted.startswith(f"{name}="):
                found |= _equals(self._slices[name], wanted.removeprefix(f"{name}="))
        return found

    @cached_property
    def proposed(self) -> Proposed:
        """The values for filtering the list."""
        sliced = ((f"{name}={value}", n) for name, column in self._slices.items() for value, n in _count_values(column))
        return Proposed(
            label=_count_values(self._labels),
            class_=_count_values(self._classes),
            pattern=_count_values(self._patterns),
            slice=tuple(sliced),
        )

    # The columns, one value per entry.

    @cached_property
    def _labels(self) -> TextColumn:
        return _to_text_column(self._scope.column("label")).take(self.rows)

    @cached_property
    def _slices(self) -> dict[str, TextColumn]:
        return {name: self._slice_column(name) for name in self._attributes}

    def _slice_column(self, name: str) -> TextColumn:
        if name not in self._scope.types or (not self._text and name in OF_WORDS):
            return TextColumn.constant("", len(self))
        return _to_text_column(self._scope.column(name)).take(self.rows)

    @cached_property
    def _classes(self) -> TextColumn:
        """The class of each entry, "" for none."""
        codes = np.full(len(self), len(CLASSES))
        for places, base, new in self._group_by_run_pair():
            old, fresh = self._is_right(base)[places], self._is_right(new)[places]
            differs = self._differs(base, new)[places]
            tests = (~old & fresh, old & ~fresh, ~old & ~fresh & differs, old & fresh)
            codes[places] = np.select(tests, range(len(tests)), len(tests))
        return TextColumn(codes, (*CLASSES, ""))

    @cached_property
    def _patterns(self) -> TextColumn:
        """The correctness of the runs, one sign per run."""
        right = np.stack([self._is_right(run) for run in self._seen], axis=1)
        packed = np.ascontiguousarray(np.packbits(right, axis=1))
        keys = packed.view(f"S{packed.shape[1]}").ravel()
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        return TextColumn(codes, tuple(self._pattern(row) for row in right[first].tolist()))

    def _pattern(self, right: list[bool]) -> str:
        signs = dict(zip(self._seen, (RIGHT if each else WRONG for each in right), strict=True))
        return "".join(signs.get(run, UNSEEN) for run in range(len(self._verdicts.runs)))

    def _group_by_run_pair(self) -> Iterator[tuple[Rows, int, int]]:
        """Yield the numbers of entries together with their runs of base and new."""
        if self.pairs is not None:
            for base, new in np.unique(self.pairs, axis=0).tolist():
                yield np.flatnonzero((self.pairs == (base, new)).all(axis=1)), base, new
        elif self._link.base is not None and self._link.new is not None:
            runs = [run for name in (self._link.base, self._link.new) for run in self._verdicts.system(name).runs]
            if len(runs) == 2 and {*runs} <= {*self._seen}:
                yield np.arange(len(self)), runs[0], runs[1]

    def _is_right(self, run: int) -> Truths:
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
        return item_scope(self._verdicts, view) if self.selection.of == "items" else make_scope(self._verdicts, view)


def _to_text_column(column: Column) -> TextColumn:
    """Convert a column to the texts displayed on cards."""
    if isinstance(column, TextColumn):
        names = (MISSING if code == column.missing else fit_text(name, LONGEST_WORD)
                 for code, name in enumerate(column.names))  # fmt: skip
        return TextColumn(column.codes, tuple(names))
    if column.dtype == np.bool_:
        return TextColumn(column.astype(np.int64), ("no", "yes"))
    numbers, codes = np.unique(column, return_inverse=True)
    return TextColumn(
        codes, tuple(MISSING if np.isnan(each) else format_exact(float(each)) for each in numbers.tolist())
    )


def _equals(column: TextColumn, value: str) -> Truths:
    return np.isin(column.codes, [code for code, name in enumerate(column.names) if name == value])


def _count_values(column: TextColumn) -> Counts:
    """Return the most frequent texts of a column with their counts, without empty texts."""
    found: dict[str, int] = {}
    for name, count in zip(column.names, np.bincount(column.codes, minlength=len(column.names)).tolist(), strict=True):
        if count and name:
            found[name] = found.get(name, 0) + count
    return tuple(sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MOST_VALUES])


# Requests of the page, and the JSON of responses.


MOST_ENTRIES = 200
"""The maximal number of entries in one response."""


class AskedItems(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """A request for entries of a list: the fields of its `Link`, the filters, and the range of entries."""

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
        """The link to the list."""
        return Link(self.where, self.base, self.new, self.view)

    @property
    def filters(self) -> Filters:
        """The filters of entries."""
        return Filters(label=self.label, class_=self.class_, pattern=self.pattern, slice=self.slice, text=self.text)


class AskedPair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a pair of systems."""

    base: str
    new: str


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of a list: an example, and its runs of base and new, if some system has several."""

    card: Card
    runs: tuple[int, int] | None = None


class Items(Struct, frozen=True, kw_only=True):
    """Some entries of a list.

    Args:
        of: whether they are sites or items.
        count: the number of entries in the list.
        folded: the number of entries that this result only counts, so that they cannot be displayed.
        total: the number of matches among the entries searched so far.
        held: the number of entries searched so far.
        complete: whether all entries have been searched; if not, the same request continues the search.
        entries: the requested entries.
        choices: the values for filtering the list; only with its first entries.

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
    """The display of a pair of systems, and the lists that its numbers link to, numbered from 0."""

    choice: Choice
    lists: tuple[ItemList, ...]


# Entries that match filters, page by page; a text search resumes where it stopped.


PATIENCE = 0.5
"""The number of seconds that a request may search for text; the next request continues the search."""

_BATCH = 64
"""The number of examples searched between two checks of the time."""


class Search:
    """The entries of a list that match filters.

    Args:
        listing: the list.
        filters: the filters.
        cards: builds the examples.

    """

    def __init__(self, listing: Listing, filters: Filters, cards: Cards) -> None:
        self._listing, self._cards = listing, cards
        self._text = filters.text.lower()
        self._candidates = listing.matching(filters)
        self._next = 0 if self._text else len(self._candidates)
        self._with_text: list[int] = []

    @property
    def total(self) -> int:
        """The number of matches among the entries searched so far."""
        return len(self._with_text if self._text else self._candidates)

    @property
    def complete(self) -> bool:
        """Whether all entries have been searched."""
        return self._next == len(self._candidates)

    @property
    def looked_at(self) -> int:
        """The number of entries searched so far, from the beginning of the list."""
        return len(self._listing) if self.complete else int(self._candidates[self._next])

    def advance(self) -> None:
        """Search further examples, at least one batch, until all have been searched or the time is up."""
        end = monotonic() + PATIENCE
        while not self.complete:
            step = self._candidates[self._next : self._next + _BATCH].tolist()
            self._with_text += [number for number in step if self._contains_text(number)]
            self._next += len(step)
            if monotonic() >= end:
                return

    def page(self, offset: int, limit: int) -> Iterator[tuple[Card, tuple[int, int] | None]]:
        """Yield some entries: the example, and its runs of base and new, if some system has several."""
        chosen = (self._with_text if self._text else self._candidates)[offset : offset + limit]
        for number in map(int, chosen):
            yield self._card(number), self._listing.runs_of(number)

    def _contains_text(self, number: int) -> bool:
        return any(self._text in text.lower() for text in card_texts(self._card(number)))

    def _card(self, number: int) -> Card:
        return self._cards.of(int(self._listing.rows[number]))


def card_texts(card: Card) -> Iterator[str]:
    """Yield the texts that are searched: the sentence, the values of the sides, the name of the document."""
    yield join_sentence(card)
    yield card.line
    yield from (side.value for side in card.sides)
    yield card.document


# Routes: the page, the entries of a list, a pair of systems.


_CACHE_SIZE = 8
"""The number of lists, filters and pairs cached: users switch between few."""


class Routes:
    """Answers requests about one result.

    Requests arrive in many threads and share cached data, so they are answered one at a time.

    Args:
        result: the result.
        choices: the options of its page.
        progress: receives progress messages while the page is built.

    Attributes:
        attributes: the names of the attributes for slices.

    """

    def __init__(self, result: Result, choices: Choices, progress: Progress | None = None) -> None:
        page = build_page(result, choices, progress)
        self._page = answer_document(as_html(page), build_policy(served=True))
        self._result, self._choices = result, choices
        self.attributes, self._text = page.attributes, choices.text
        self._lock = Lock()
        self._routes: Mapping[str, Callable[[Mapping[str, str]], Answer]] = {
            "/": lambda _: self._page,
            "/api/items": lambda given: answer_data(
                self._answer_items(msgspec.convert(given, AskedItems, strict=False))
            ),
            "/api/pair": lambda given: answer_data(self._pair(msgspec.convert(given, AskedPair, strict=False))),
        }
        self._caches = lru_cache(_CACHE_SIZE)(self._make_caches)
        self._listing = lru_cache(_CACHE_SIZE)(self._make_listing)
        self._search = lru_cache(_CACHE_SIZE)(self._make_search)
        self._pair = lru_cache(_CACHE_SIZE)(self._make_pair)
        self._cards: dict[Universe, Cards] = {}

    def answer(self, path: str, given: Mapping[str, str]) -> Answer:
        """Answer a request; every error becomes a message of one line."""
        route = self._routes.get(path)
        if route is None:
            return answer_problem(HTTPStatus.NOT_FOUND, "nothing at this address")
        try:
            with self._lock:
                return route(given)
        except msgspec.ValidationError as wrong:
            return answer_problem(HTTPStatus.BAD_REQUEST, make_visible(str(wrong)))
        except UsageError as wrong:
            return answer_problem(HTTPStatus.BAD_REQUEST, _format_error(wrong))
        except ComparandaError as wrong:  # the result is valid, but its files have changed or are missing
            return answer_problem(HTTPStatus.CONFLICT, _format_error(wrong))
        except Exception as defect:
            print(f"comparanda: internal error at {path}: {make_visible(repr(defect))}", file=sys.stderr)
            return answer_problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: {type(defect).__name__}")

    def _answer_items(self, asked: AskedItems) -> Items:
        listing, search = self._listing(asked.link), self._search(asked.link, asked.filters)
        search.advance()
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

    # Data cached for later requests.

    def _make_caches(self, view: str | None, base: str | None, new: str | None) -> SelectionCaches:
        """Return the data shared by conditions about one view and one pair, released together with the pair."""
        del view, base, new
        return SelectionCaches(self._result.verdicts)

    def _make_listing(self, link: Link) -> Listing:
        caches = self._caches(link.view, link.base, link.new)
        return Listing(self._result, caches, link, attributes=self.attributes, text=self._text)

    def _make_search(self, link: Link, filters: Filters) -> Search:
        listing = self._listing(link)
        return Search(listing, filters, self._cards_of(listing))

    def _make_pair(self, asked: AskedPair) -> Pair:
        lists = Lists(self._result)
        choice = pair_choice(self._result, choices=self._choices, lists=lists, base=asked.base, new=asked.new)
        return Pair(choice=choice, lists=lists.unfilled())

    def _cards_of(self, listing: Listing) -> Cards:
        """Return the card builder of a list, the same for all lists of one universe."""
        if listing.universe not in self._cards:
            while len(self._cards) >= _CACHE_SIZE:
                del self._cards[next(iter(self._cards))]
            made = Cards(self._result, listing.selection, text=self._text, attributes=self.attributes)
            self._cards[listing.universe] = made
        return self._cards[listing.universe]


def _format_error(problem: ComparandaError) -> str:
    """Format an error in one line, with its hint."""
    text = problem.what if problem.where is None else f"{problem.where}: {problem.what}"
    return make_visible(text if problem.hint is None else f"{text} ({problem.hint})")


# The server: local and read-only, with privacy headers in every answer.


if TYPE_CHECKING:
    Answering = Callable[[str, Mapping[str, str]], Answer]

_MAX_FIELDS = 20
_MAX_REQUESTS = 64
_TIMEOUT_SECONDS = 10

_PRIVATE_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""The headers of every answer: no caching, sniffing, referrers, framing or use by other sites."""


class Server(ThreadingHTTPServer):
    """The HTTP server on the loopback interface.

    Args:
        port: the port; 0 for any that is free.

    """

    answer: Answering
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # on Windows it would let other programs bind the same port
    allow_reuse_port = False
    request_queue_size = _MAX_REQUESTS

    def __init__(self, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(32)
        self._slots = BoundedSemaphore(_MAX_REQUESTS)
        super().__init__((LOOPBACK, port), _Handler)

    @cached_property
    def guard(self) -> Guard:
        """The guard that checks every request."""
        return Guard(self.server_port, self.token)

    @property
    def address(self) -> str:
        """The address to open in a browser; it gives access to everything that is served."""
        return f"http://{LOOPBACK}:{self.server_port}/?token={self.token}"

    def answer_by(self, answer: Answering) -> None:
        """Answer requests until an exception such as KeyboardInterrupt; earlier requests have been queued."""
        self.answer = answer
        self.serve_forever()

    def server_bind(self) -> None:
        """Bind without the DNS lookup of this machine's name that the library does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, unless too many are running."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and release the slot of the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:
        """Ignore browsers that close the connection during an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request: checked by the guard, then answered. Nothing is logged, since addresses contain the token."""

    server: Server
    timeout = _TIMEOUT_SECONDS
    server_version = "comparanda"
    sys_version = ""

    def do_GET(self) -> None:
        self._send(self._answer())

    def do_HEAD(self) -> None:
        self._send(self._answer())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer requests that the library refuses: malformed or too long ones, and methods other than GET and HEAD."""
        del message, explain  # they quote the request
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._send(
                answer_problem(HTTPStatus.METHOD_NOT_ALLOWED, "this server is read-only: it accepts only GET and HEAD")
            )
        else:
            status = HTTPStatus(code)
            self._send(answer_problem(status, status.phrase.lower()))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self) -> Answer:
        path, _, query = self.path.partition("?")
        fields = _parse_query(query)
        refusal = self.server.guard.refusal(self.headers, None if fields is None else fields.pop("token", None))
        if refusal is not None:
            return answer_problem(HTTPStatus.FORBIDDEN, refusal)
        if fields is None:
            return answer_problem(HTTPStatus.BAD_REQUEST, "the query is malformed, or has a duplicate name")
        return self.server.answer(path, fields)

    def _send(self, answer: Answer) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        if answer.status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        for name, value in (*_PRIVATE_HEADERS.items(), ("Content-Security-Policy", answer.policy)):
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _parse_query(query: str) -> dict[str, str] | None:
    """Parse a query; None if it is malformed or repeats a name."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        return None
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else None
