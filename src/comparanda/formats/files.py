"""Loading clean bytes from a path, a URL, a glob, a folder or standard input.

Clean means: decompressed, no byte-order mark, lines ended by LF only, valid UTF-8, no NUL byte.
Changes are counted in the notes.
"""

from __future__ import annotations

import glob
import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections import Counter
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path, PurePath
from time import sleep
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from comparanda.core.places import Location, Note, Part, Source, Stretch, Whole
from comparanda.core.remote import AnyPath, RemotePath, path_of
from comparanda.core.text_columns import PADDING
from comparanda.errors import ReadError, suggest_nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.formats.contract import Request

    Bytes = NDArray[np.uint8]
    Rows = NDArray[np.int64]


# Validation of UTF-8 that examines only the bytes above ASCII, as long as these are few.


_BLOCK = 1 << 20
_HIGH_BITS = np.uint64(0x8080808080808080)


def is_path(given: Any) -> TypeGuard[str | PathLike[str]]:
    """Whether an input is a path (or the notation of an input) and not data.

    >>> is_path("gold.conllu"), is_path(["DT", "NN"])
    (True, False)
    """
    return isinstance(given, str | PathLike)


def first_invalid(data: bytearray, begin: int, end: int) -> tuple[int, str] | None:
    r"""Return the offset of the first invalid UTF-8 byte, with the reason, or None.

    >>> first_invalid(bytearray("Zürich\n".encode()), 0, 8) is None
    True
    >>> first_invalid(bytearray("Zürich\n".encode("latin-1")), 0, 7)
    (1, 'invalid start byte')
    """
    array = np.frombuffer(data, dtype=np.uint8)
    while begin < end:
        stop = data.find(b"\n", min(begin + _BLOCK, end), end)
        stop = end if stop < 0 else stop + 1
        high = _find_non_ascii(array, begin, stop)
        if high is None or not _is_valid_utf8(array[begin:stop], high):
            try:
                str(memoryview(data)[begin:stop], "utf-8")
            except UnicodeDecodeError as problem:
                return begin + problem.start, problem.reason
        begin = stop
    return None


def _find_non_ascii(array: Bytes, begin: int, stop: int) -> Rows | None:
    """Return the offsets of bytes above ASCII from `begin`, testing eight bytes at once; None if they are many."""
    first, last = -(-begin // 8) * 8, stop // 8 * 8
    if last <= first:
        return np.flatnonzero(array[begin:stop] >= 0x80)
    eights = array[first:last].view(np.uint64)
    words = np.flatnonzero((eights & _HIGH_BITS) != 0)
    if words.size > len(eights) // 16:  # Python's decoder is faster then
        return None
    inside = np.flatnonzero(eights[words].view(np.uint8) >= 0x80)
    inside = (words[inside >> 3] << 3) + (inside & 7) + (first - begin)
    before = np.flatnonzero(array[begin:first] >= 0x80)
    after = np.flatnonzero(array[last:stop] >= 0x80) + (last - begin)
    return np.concatenate([before, inside, after])


def _is_valid_utf8(block: Bytes, high: Rows) -> bool:
    """Whether a block that ends with a whole character is valid (table 3-7 of the Unicode standard)."""
    if not high.size:
        return True
    values = block[high]
    is_lead = values >= 0xC0
    leads, lead = high[is_lead], values[is_lead]
    following = 1 + (lead >= 0xE0).astype(np.int64) + (lead >= 0xF0)
    if leads.size == 0 or lead.min() < 0xC2 or lead.max() > 0xF4 or following.sum() != high.size - leads.size:
        return False
    if int(leads[-1]) + int(following[-1]) >= len(block):
        return False
    for step in (1, 2, 3):
        rest = leads[following >= step] + step
        if rest.size and (block[np.minimum(rest, len(block) - 1)] & 0xC0 != 0x80).any():
            return False
    second = block[leads + 1]
    return not (
        ((lead == 0xE0) & (second < 0xA0)).any()
        or ((lead == 0xED) & (second > 0x9F)).any()
        or ((lead == 0xF0) & (second < 0x90)).any()
        or ((lead == 0xF4) & (second > 0x8F)).any()
    )


STDIN = "-"
_NOTHING: Mapping[str, Sequence[str]] = {}
_GZIP = b"\x1f\x8b"
_RETRY_DELAYS = (0.0, 0.001, 0.01, 0.1, 1.0)
_CRLF = re.compile(rb"\r\n")
_UTF16 = {b"\xff\xfe": "UTF-16 (little-endian)", b"\xfe\xff": "UTF-16 (big-endian)"}


def load(
    path: str,
    *,
    side: str,
    suffixes: Iterable[str] = (),
    companions: Mapping[str, Sequence[str]] = _NOTHING,
    binary: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),
) -> Source:
    """Read all files denoted by a path into one source.

    Args:
        path: a file, `-` for standard input, a folder, or a glob pattern; local, or a URL.
        side: the name of the input in notes.
        suffixes: the suffixes of the files of a folder that belong to the corpus (`.gz` after a suffix is allowed).
        companions: for a suffix of files, the suffixes of companion files that are read after each.
        binary: suffixes of files that are not text, which are read unchanged.
        unread: suffixes of files that their reader opens itself.

    """
    if path == STDIN:
        return load_files([None], side=side)
    return load_files(files_of(path, suffixes, companions), side=side, binary=binary, unread=unread)


def files_of(path: str, suffixes: Iterable[str], companions: Mapping[str, Sequence[str]] = _NOTHING) -> list[AnyPath]:
    """List the files denoted by a path, each followed by its companions."""
    files = _expand_path(path, tuple(suffixes))
    return [each for file in files for each in (file, *find_companions(file, companions))]


def find_companions(file: AnyPath, companions: Mapping[str, Sequence[str]]) -> list[AnyPath]:
    """Return the existing companion files of a file."""
    name = file.name.removesuffix(".gz")
    found: list[AnyPath] = []
    for suffix, others in companions.items():
        for other in others if name.endswith(suffix) else ():
            plain = file.with_name(name.removesuffix(suffix) + other)
            found += [each for each in (plain, plain.with_name(plain.name + ".gz")) if each.is_file()][:1]
    return found


def load_files(
    files: Sequence[AnyPath | Stretch | None],
    *,
    side: str,
    binary: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),
    whole: Whole | None = None,
) -> Source:
    """Read files, or stretches of them, into one source, separated by a blank line; None is standard input.

    Files of a binary suffix are not cleaned, but followed by one or two line ends like others. A source with such files
    counts as repaired, because loading it again without the suffixes would yield something else. Files that their
    reader opens itself are not loaded.

    Args:
        files: what to read.
        side: the name of the input in notes.
        binary: suffixes of files that are not text.
        unread: suffixes of files that their reader opens itself.
        whole: the corpus that they are a portion of; None if they are all of it.

    """
    loaded = [each for each in files if not _has_suffix(each, unread)]
    joined = bytearray(sum(map(_expected_size, loaded)) + 2 * len(files) + PADDING)
    parts: list[Part] = []
    notes: list[Note] = []
    end = plain = 0
    for each in files:
        stretch = each if isinstance(each, Stretch) else None
        file = each.file if isinstance(each, Stretch) else each
        part = Part("<stdin>" if file is None else display_name(file), file, end, stretch)
        if file is None:
            end = _append_stdin(joined, end)
        elif not _has_suffix(file, unread):
            end = _append_stretch(joined, end, stretch or Stretch(file=file))
        if not _has_suffix(file, (*binary, *unread)):
            plain += 1
            end = _clean(joined, part=part, end=end, side=side, notes=notes)
        parts.append(part)
        closing = (b"" if joined[end - 1 : end] == b"\n" else b"\n") + (b"\n" if len(files) > 1 else b"")
        _replace_slice(joined, slice(end, end + len(closing)), closing)
        end += len(closing)
    _replace_slice(joined, slice(end, None), bytes(PADDING))
    if loaded and not re.search(rb"[^\s\0]", joined):
        what = "the file is empty" if end == len(closing) else "the file has only blank lines"
        raise ReadError(what if len(files) == 1 else "all these files are empty", where=parts[0].name)
    return Source(
        parts=tuple(parts),
        given=joined,
        notes=tuple(notes),
        repaired=plain < len(files),
        again=_make_reload(files, parts, side),
        whole=whole,
    )


def _has_suffix(file: AnyPath | Stretch | None, suffixes: tuple[str, ...]) -> bool:
    """Whether a file has one of some suffixes; standard input has none."""
    if isinstance(file, Stretch):
        return _has_suffix(file.file, suffixes)
    return file is not None and file.name.removesuffix(".gz").endswith(suffixes)


def load_head(head: Stretch, *, side: str, binary: tuple[str, ...] = (), unread: tuple[str, ...] = ()) -> Source:
    """Read the whole lines among the first bytes of a file, or all these bytes if there is none or nothing follows."""
    if _has_suffix(head, (*binary, *unread)):
        return load_files([head.file], side=side, binary=binary, unread=unread)
    with head.file.open("rb") as stream:
        first = stream.read(head.stop)
        ended = not stream.read(1)
    if first[:2] == _GZIP:
        return load_files([head.file], side=side)
    if ended:
        return load_files([replace(head, stop=len(first))], side=side)
    return load_files([replace(head, stop=first.rfind(b"\n") + 1 or head.stop)], side=side)


def _make_reload(
    files: Sequence[AnyPath | Stretch | None], parts: Sequence[Part], side: str
) -> Callable[[], bytearray] | None:
    """Make a function that reads the same files again; None if not all are regular files."""
    paths = [part.path for part in parts if part.path is not None and part.path.is_file()]
    if len(paths) < len(parts):
        return None
    stamps = [read_stamp(path) for path in paths]

    def read() -> bytearray:
        for path, before in zip(paths, stamps, strict=True):
            if read_stamp(path) != before:
                what = "the file has changed since it was read" if path.exists() else "the file no longer exists"
                raise ReadError(what, where=display_name(path), hint="run again")
        return load_files(files, side=side).data

    return read


Stamp = tuple[int, int | str]
"""Detects changes of a file: its size and time of modification, or what its server returns instead."""


def read_stamp(file: AnyPath) -> Stamp | None:
    """Return a stamp that detects changes of a file; None if it does not exist."""
    if isinstance(file, RemotePath):
        return file.stamp()
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def size_of(file: AnyPath) -> int:
    """Return the size of a file in bytes; 0 if it is remote and its server does not report it."""
    return (file.size() or 0) if isinstance(file, RemotePath) else file.stat().st_size


def is_packed(file: AnyPath) -> bool:
    """Whether a file is compressed by gzip, so that it can be read only from its start."""
    with file.open("rb") as stream:
        return stream.read(2) == _GZIP


def _expected_size(file: AnyPath | Stretch | None) -> int:
    """Return the expected number of bytes; a file without access is refused when it is opened."""
    if isinstance(file, Stretch):
        whole = file.stop is None
        return len(file.head) + ((_expected_size(file.file) if whole else file.stop or 0) - file.start)
    try:
        return 0 if file is None else size_of(file)
    except OSError:
        return 0


def _append_stdin(joined: bytearray, end: int) -> int:
    return _append_bytes(joined, end, sys.stdin.buffer.read(), "<stdin>")


def _append_bytes(joined: bytearray, end: int, data: bytes, name: str) -> int:
    """Put bytes at `end`, decompressed, replacing what follows; return their end."""
    if data[:2] == _GZIP:
        data = _unpack(data, name)
    _replace_slice(joined, slice(end, None), data)
    return end + len(data)


def _replace_slice(joined: bytearray, place: slice, data: bytes) -> None:
    """Replace a slice by bytes of any length.

    A buffer with exported views cannot change its size. Views are released when the functions that made them return,
    but code that inspects the frames of all threads, like the profiler of Dask's workers, keeps them a moment longer.
    """
    for seconds in _RETRY_DELAYS:
        try:
            joined[place] = data
        except BufferError:
            sleep(seconds)
        else:
            return
    joined[place] = data


def _expand_path(path: str, suffixes: tuple[str, ...]) -> list[AnyPath]:
    try:
        return _find_files(path, suffixes)
    except OSError as problem:  # a name that is too long, a folder that may not be searched
        raise ReadError(f"cannot be read: {problem.strerror or problem}", where=path) from None


def _find_files(path: str, suffixes: tuple[str, ...]) -> list[AnyPath]:
    target = path_of(path)
    if target.is_dir():
        files = list_matching(target, suffixes)
        if not files:
            raise ReadError(
                "the folder has no matching files",
                where=path,
                hint=f"files ending in {', '.join(suffixes)} are read; name others by a glob: '{path.rstrip('/')}/*'",
            )
        return files
    if target.exists():
        return [target]
    if glob.has_magic(path):
        if files := _glob_files(target):
            return files
        raise ReadError("no file matches this pattern", where=path)
    raise ReadError(f"no such file{_suggest_name(target)}", where=path)


def _glob_files(pattern: AnyPath) -> list[AnyPath]:
    if isinstance(pattern, RemotePath):
        hidden = "/." in pattern.url  # else hidden files do not match, as for local patterns
        return [each for each in pattern.matches() if hidden or "/." not in each.url]
    return sorted(Path(match) for match in glob.glob(str(pattern), recursive=True) if Path(match).is_file())


def list_matching(folder: AnyPath, suffixes: tuple[str, ...]) -> list[AnyPath]:
    """List the files of a folder and its subfolders that end in one of the suffixes, in order."""
    if isinstance(folder, RemotePath):
        return [file for file in folder.files() if _is_corpus_file(file.relative_to(folder), suffixes)]
    files = (file for file in folder.rglob("*") if _is_corpus_file(file.relative_to(folder), suffixes))
    return sorted(file for file in files if file.is_file())


def _is_corpus_file(path: PurePath, suffixes: tuple[str, ...]) -> bool:
    """Whether a file of a folder belongs to the corpus: by its suffix, and if no part of its path is hidden."""
    if any(step.startswith(".") for step in path.parts):
        return False
    return not suffixes or path.name.removesuffix(".gz").endswith(suffixes)


def _suggest_name(target: AnyPath) -> str:
    if isinstance(target, RemotePath):
        return ""  # its folder may hold a million files
    try:
        return suggest_nearest(target.name, (entry.name for entry in target.parent.iterdir()))
    except OSError:
        return ""


def display_name(file: AnyPath | PurePath) -> str:
    """Return a printable file name, even if it is not UTF-8."""
    return file.as_posix().encode("utf-8", "backslashreplace").decode()


def _append_stretch(joined: bytearray, end: int, stretch: Stretch) -> int:
    """Read a stretch of a file into the buffer at `end`, decompressed; refuse a file that changes meanwhile."""
    file, name = stretch.file, display_name(stretch.file)
    if isinstance(file, RemotePath):
        return _append_remote(joined, end, file, stretch)
    try:
        with file.open("rb", buffering=0) as stream:
            before = os.fstat(stream.fileno())
            if not stat.S_ISREG(before.st_mode):  # a pipe or a device: no size, and it cannot change
                return _append_bytes(joined, end, _drain(stream), name)
            size = (before.st_size if stretch.stop is None else stretch.stop) - stretch.start
            grow = end + len(stretch.head) + size + PADDING - len(joined)
            if grow > 0:
                _replace_slice(joined, slice(len(joined), None), bytes(grow))
            joined[end : end + len(stretch.head)] = stretch.head
            end += len(stretch.head)
            stream.seek(stretch.start)
            with memoryview(joined) as view, view[end : end + size] as room:
                got = _fill(stream, room)
            after = file.stat()
    except IsADirectoryError:
        raise ReadError("this is a folder, not a file", where=name) from None
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror or problem}", where=name) from None
    if got != size or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise ReadError("the file changed while it was being read", where=name, hint="run again")
    if joined[end : end + 2] == _GZIP:
        return _append_bytes(joined, end, bytes(joined[end : end + size]), name)
    return end + size


def _append_remote(joined: bytearray, end: int, file: RemotePath, stretch: Stretch) -> int:
    """Read a stretch of a remote file into the buffer at `end`, fetching no more of it."""
    before = file.stamp()
    data = file.read(stretch.start, stretch.stop)
    stop = stretch.stop if stretch.stop is not None else before[0] if before else -1
    if before != file.stamp() or (stop >= 0 and len(data) != stop - stretch.start):
        raise ReadError("the file changed while it was being read", where=file.url, hint="run again")
    return _append_bytes(joined, end, stretch.head + data, file.url)


def _drain(stream: io.RawIOBase) -> bytes:
    """Read a pipe or a device to its end, or to the first NUL byte, which no text has (/dev/zero never ends)."""
    chunks: list[bytes] = []
    while chunk := stream.read(1 << 20):
        chunks.append(chunk)
        if b"\0" in chunk and chunks[0][:2] != _GZIP:
            break
    return b"".join(chunks)


def _fill(stream: io.RawIOBase, view: memoryview) -> int:
    got = 0
    while got < len(view):
        count = stream.readinto(view[got:])
        if not count:
            break
        got += count
    return got


def text_of(part: Part) -> str:
    """Return the original text of a loaded file, with its byte-order mark and its line ends."""
    if part.path is None:
        raise AssertionError("only files can be read again")
    joined = bytearray()
    return joined[: _append_stretch(joined, 0, Stretch(file=part.path))].decode()


def _unpack(data: bytes, name: str) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError:
        raise ReadError("the gzip file is truncated", where=name, hint="copy or download it again") from None
    except (OSError, zlib.error) as problem:
        raise ReadError(f"the gzip file is damaged: {problem}", where=name) from None


def _clean(joined: bytearray, part: Part, end: int, side: str, *, notes: list[Note]) -> int:
    """Check and clean the bytes of one file in place; return their new end."""
    begin, name = part.begin, part.name
    if bytes(joined[begin : begin + 2]) in _UTF16:
        kind = _UTF16[bytes(joined[begin : begin + 2])]
        raise ReadError(f"the file is {kind}, not UTF-8", where=name, hint="convert it: iconv -f UTF-16 -t UTF-8 FILE")
    if joined[begin : begin + 3] == b"\xef\xbb\xbf":
        joined[begin : end - 3] = joined[begin + 3 : end]
        end -= 3
        notes.append(Note(side, "byte-order mark ignored", 1, (str(Location(name, 1)),)))
    _check_text(joined, part, end)
    carriage = joined.find(b"\r", begin, end)  # searching for one byte is ten times faster than for two
    if carriage >= 0 and joined.find(b"\r\n", carriage, end) >= 0:
        found = islice(_CRLF.finditer(joined, carriage, end), 3)
        places = [str(_location(joined, part, each.start())) for each in found]
        data = joined[begin:end].replace(b"\r\n", b"\n")
        notes.append(Note(side, "CRLF line ends read as LF", end - begin - len(data), tuple(places)))
        while b"\r\n" in data:  # a file that was converted twice ends its lines by CR CR LF
            data = data.replace(b"\r\n", b"\n")
        end = begin + len(data)
        joined[begin:end] = data
    elif carriage >= 0 and joined.find(b"\n", begin, end) < 0:
        raise ReadError("the lines end with CR only", where=name, hint="convert it: tr '\\r' '\\n' < FILE")
    return end


def _location(joined: bytearray, part: Part, offset: int) -> Location:
    """Return the location of an offset in a file whose bytes are not yet a source."""
    return Location(part.name, part.line(joined.count(b"\n", part.begin, offset), offset))


def _check_text(joined: bytearray, part: Part, end: int) -> None:
    begin = part.begin
    nul = joined.find(b"\0", begin, end)
    if nul >= 0:
        head = joined[begin : min(begin + 64, end)]
        wide = 3 * head.count(b"\0") >= len(head)
        hint = "it looks like UTF-16: iconv -f UTF-16 -t UTF-8 FILE" if wide else "is it a text file?"
        raise ReadError("there is a NUL byte in this line", where=str(_location(joined, part, nul)), hint=hint)
    problem = first_invalid(joined, begin, end)
    if problem:
        offset, reason = problem
        raise ReadError(
            f"not UTF-8: byte 0x{joined[offset]:02x} in this line ({reason})",
            where=str(_location(joined, part, offset)),
            hint="convert it, for example: iconv -f LATIN1 -t UTF-8 FILE",
        )


# Names of documents from their files, for formats with one document per file.


def file_names(source: Source, request: Request, suffixes: tuple[str, ...]) -> list[str]:
    """Name each file by its path relative to the given folder, else by its file name if that is unique.

    Args:
        source: the files.
        request: the request, with the folder.
        suffixes: the suffixes to strip from names.

    """
    if request.folder is not None:
        paths = [display_name(_path_of_part(part).relative_to(request.folder)) for part in source.parts]
        return [_strip_suffix(path, suffixes) for path in paths]
    stems = [_strip_suffix(PurePath(part.name).name, suffixes) for part in source.parts]
    often = Counter(_strip_suffix(PurePath(name).name, suffixes) for name in source.files)
    return [
        stem if often[stem] == 1 else _strip_suffix(part.name, suffixes)
        for stem, part in zip(stems, source.parts, strict=True)
    ]


def _path_of_part(part: Part) -> AnyPath:
    return path_of(part.name) if part.path is None else part.path


def _strip_suffix(name: str, suffixes: tuple[str, ...]) -> str:
    name = name.removesuffix(".gz")
    longest = max((suffix for suffix in suffixes if name.endswith(suffix)), key=len, default="")
    return name.removesuffix(longest) or name
