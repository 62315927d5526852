"""Remote files: everything that fsspec can open by URL, with the subset of the `pathlib` interface that inputs need.

fsspec is not imported before a URL is read. All errors of backends are converted here, because every backend has
its own exceptions.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from comparanda.errors import ComparandaError, MissingExtraError, ReadError, UsageError, suggest_nearest

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_URL_PATTERN = re.compile(r"(?P<protocol>[A-Za-z][A-Za-z0-9+.-]+)://(?P<rest>.*)", re.DOTALL)
_PASSWORD_PATTERN = re.compile(r"[^/@]*:[^/@]*@")
_WILDCARDS = re.compile(r"[*?[]")
_LOCAL_PROTOCOLS = {"file", "local"}
_WEB_PROTOCOLS = {"http", "https"}
_COLON_PROTOCOLS = {"github", "gist"}  # owner:repository@
_BUFFER_SIZE = 1 << 16
_MAX_REQUEST = 32 << 20  # the largest request: clients time out after some minutes

_VERSION_FIELDS = (
    *("ETag", "etag", "VersionId", "generation", "md5Hash", "content_md5", "Content-MD5", "Digest", "checksum"),
    *("LastModified", "last_modified", "Last-Modified", "updated", "mtime", "modified", "created"),
)
"""Metadata fields of backends that change when the content of a file does."""


def is_url(path: str) -> bool:
    """Whether a path is a URL.

    >>> is_url("s3://bucket/gold.conllu"), is_url("C:/gold.conllu"), is_url("gold.conllu")
    (True, False, False)
    """
    return _URL_PATTERN.match(path) is not None


def is_web(path: str) -> bool:
    """Whether a path is a web URL, in which a question mark begins a query that is part of the URL."""
    found = _URL_PATTERN.match(path)
    return found is not None and found["protocol"].lower() in _WEB_PROTOCOLS


def path_of(path: str) -> AnyPath:
    """Parse a path or a URL of a file or a folder.

    >>> path_of("file:///data/gold.conllu")
    PosixPath('/data/gold.conllu')
    >>> path_of("s3://bucket/gold.conllu").name
    'gold.conllu'
    """
    found = _URL_PATTERN.fullmatch(path)
    if found is None:
        return Path(path)
    protocol = found["protocol"].lower()
    if protocol in _LOCAL_PROTOCOLS:
        return Path(found["rest"])
    if protocol not in _COLON_PROTOCOLS and _PASSWORD_PATTERN.match(found["rest"]):
        raise UsageError(
            f"{protocol}://…@{found['rest'].partition('@')[2]}: "
            "the URL contains a password, and URLs are stored in results",
            hint="pass it to fsspec in the environment, or in its configuration (~/.config/fsspec)",
        )
    return RemotePath(path)


@dataclass(frozen=True, slots=True)
class RemotePath:
    """A remote file or folder."""

    url: str

    def __str__(self) -> str:
        return self.url

    def __lt__(self, other: RemotePath) -> bool:
        """Whether it sorts before another one, compared component by component like local paths."""
        return self.url.split("/") < other.url.split("/")

    def __truediv__(self, name: str) -> RemotePath:
        return RemotePath(f"{self.url.rstrip('/')}/{name}")

    @property
    def _without_query(self) -> str:
        """The URL without its query."""
        return self.url.partition("?")[0] if is_web(self.url) else self.url

    @property
    def name(self) -> str:
        """The last component of the path."""
        return self._without_query.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> RemotePath:
        """The folder that contains it."""
        return RemotePath(self._without_query.rstrip("/").rpartition("/")[0])

    def with_name(self, name: str) -> RemotePath:
        """Return the path with another name in the same folder."""
        return self.parent / name

    def relative_to(self, folder: RemotePath | str) -> PurePosixPath:
        """Return the path relative to a folder."""
        return PurePosixPath(self.url.removeprefix(f"{str(folder).rstrip('/')}/"))

    def as_posix(self) -> str:
        """Return the URL."""
        return self.url

    def resolve(self) -> RemotePath:
        """Return the path itself: URLs are absolute."""
        return self

    absolute = resolve

    def exists(self) -> bool:
        """Whether the file or folder exists."""
        return self.is_file() or self.is_dir()

    def is_file(self) -> bool:
        """Whether it is a file."""
        if is_web(self.url) and self.url.endswith("/"):
            return False
        info = self._info()
        return info is not None and info.get("type") != "directory"

    def is_dir(self) -> bool:
        """Whether it is a folder; on the web, a URL that ends in a slash, whose page lists the files."""
        if is_web(self.url):
            return self.url.endswith("/")
        info = self._info()
        return info is not None and info.get("type") == "directory"

    def iterdir(self) -> list[RemotePath]:
        """Return the files and folders in the folder."""
        return self._list_paths("ls", self.url)

    def files(self) -> list[RemotePath]:
        """Return all files in the folder and below."""
        return [each for each in self._list_paths("find", self.url) if not each.url.endswith("/")]

    def matches(self) -> list[RemotePath]:
        """Return the files that match it as a pattern."""
        return self._list_paths("glob", self.url[: _WILDCARDS.search(self.url).start()].rpartition("/")[0])  # type: ignore[union-attr]

    def _list_paths(self, ask: Literal["find", "glob", "ls"], base: str) -> list[RemotePath]:
        """List paths with URLs like the base: backends return names without some parts of the URL, such as the host."""
        with self._translate_errors():
            fs, path = _filesystem(self.url)
            root = fs._strip_protocol(base).rstrip("/")
            found = getattr(fs, ask)(path, detail=True)
            every: list[Mapping[str, Any]] = found if ask == "ls" else [*found.values()]
            names = [each["name"] for each in every if ask == "ls" or each.get("type") != "directory"]
        ways = [name.removeprefix(root) for name in names if name.startswith(f"{root}/")]
        return sorted(RemotePath(base.rstrip("/") + way) for way in ways)

    def size(self) -> int | None:
        """Return the size of the file in bytes; None if the backend does not report it."""
        info = self._info()
        return None if info is None else info.get("size")

    def stamp(self) -> tuple[int, str] | None:
        """Return a fresh fingerprint that changes with the file: its size, or -1, and metadata; None if it is gone."""
        with self._translate_errors():
            fs, path = _filesystem(self.url)
            fs.invalidate_cache(path)
        info = self._info()
        if info is None:
            return None
        size = info.get("size")
        return -1 if size is None else size, " ".join(
            str(info[name]) for name in _VERSION_FIELDS if info.get(name) is not None
        )

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        """Read the bytes of the file in a range, or to its end; fewer if the file is shorter."""
        with _Stream(self) as stream:
            return stream.between(start, stream.length if stop is None else min(stop, stream.length))

    def fetched(self, start: int | None = None, stop: int | None = None) -> bytes:
        """Request some bytes from the server, or all; a server that does not support ranges sends all."""
        with self._translate_errors():
            fs, path = _filesystem(self.url)
            plain = {"headers": {"Accept-Encoding": "identity"}} if is_web(self.url) else {}
            return bytes(fs.cat_file(path, start=start, end=stop, **plain))

    def open(self, mode: Literal["rb"]) -> io.BufferedReader:  # noqa: ARG002 - as paths are opened
        """Open the file for reading."""
        return io.BufferedReader(_Stream(self), _BUFFER_SIZE)

    def _info(self) -> Mapping[str, Any] | None:
        """Return its metadata; None if it does not exist."""
        with self._translate_errors():
            fs, path = _filesystem(self.url)
            try:
                info: Mapping[str, Any] = fs.info(path)
            except FileNotFoundError as problem:
                if problem.__cause__ is None or getattr(problem.__cause__, "status", None) in {404, 410}:
                    return None
                raise
            return info

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert errors of the backend to errors about this file."""
        try:
            yield
        except ComparandaError:
            raise
        except FileNotFoundError as problem:
            if problem.__cause__ is None:
                raise ReadError("no such file", where=self.url) from None
            raise self._read_error(problem.__cause__) from None
        except Exception as problem:
            raise self._read_error(problem) from None

    def _read_error(self, problem: BaseException) -> ReadError:
        status, message = getattr(problem, "status", None), getattr(problem, "message", None)
        reason = f"{status} {message}" if status and message else str(problem) or type(problem).__name__
        return ReadError(f"cannot be read: {reason.splitlines()[0]}", where=self.url)


AnyPath = Path | RemotePath
"""A local or remote file or folder."""


class _Stream(io.RawIOBase):
    """The bytes of a remote file, fetched on demand."""

    def __init__(self, path: RemotePath) -> None:
        self.path = path
        self.at = 0
        self.whole: bytes | None = None
        size = path.size()
        if size is None:
            self.whole = path.fetched()
        self.length = len(self.whole or b"") if size is None else size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self.at = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.length}[whence])
        return self.at

    def tell(self) -> int:
        return self.at

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self.between(self.at, min(self.at + len(view), self.length))
        view[: len(data)] = data
        self.at += len(data)
        return len(data)

    def between(self, start: int, stop: int) -> bytes:
        """Return a range of bytes, fetched in pieces."""
        return b"".join(
            self._read_piece(begin, min(begin + _MAX_REQUEST, stop)) for begin in range(start, stop, _MAX_REQUEST)
        )

    def _read_piece(self, start: int, stop: int) -> bytes:
        if self.whole is None:
            data = self.path.fetched(start, stop)
            if len(data) <= stop - start:
                return data
            self.whole = data
        return self.whole[start:stop]


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL, and the path in it."""
    try:
        from fsspec import available_protocols
        from fsspec.core import url_to_fs
    except ImportError:
        what = f"{url}: remote files are read with fsspec, which is not installed"
        raise MissingExtraError(what, hint="pip install 'comparanda[remote]'") from None
    protocol = url.partition("://")[0]
    if protocol not in available_protocols():
        what = f"{url}: unknown protocol {protocol!r}{suggest_nearest(protocol, available_protocols())}"
        raise UsageError(what, hint="write local paths without '://'")
    try:
        found: tuple[Any, str] = url_to_fs(url)
    except ImportError as problem:
        what = f"{url}: {protocol}:// needs a package that is not installed"
        raise MissingExtraError(what, hint=str(problem)) from None
    return found
