"""Copies between object storage and this machine, in parts, with progress.

An object is there as a whole or not at all. Of a folder with a manifest, that is written last, and removed first where
the folder is replaced: what is not complete has none.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.files.outputs import failures_named
from iotrace.files.remote import Address
from iotrace.files.temporary import folder_of_process
from iotrace.libraries import pa

PART_BYTES = 8 << 20
AT_ONCE = 8
"""Parts of an object that are read at the same time."""
WRITTEN_BYTES = 64 << 20

Told = Callable[[str, int, int], None]
"""Called with what is copied, and the bytes that are copied and in all."""
_TOLD: ContextVar[Told | None] = ContextVar("told", default=None)


@contextlib.contextmanager
def told(of: Told) -> Iterator[None]:
    """Have copies within a block say how far they are."""
    token = _TOLD.set(of)
    try:
        yield
    finally:
        _TOLD.reset(token)


def _tell(what: str, done: int, total: int) -> None:
    if (tell := _TOLD.get()) is not None:
        tell(what, done, total)


def upload(file: Path, target: Address) -> None:
    """Write a file to an address, where it is as a whole or not at all; raises IotraceError where that fails."""
    size = file.stat().st_size
    _tell(f"Writing {target}", 0, size)
    # a stream of pyarrow that is given up part of the way is closed, and so completed: all is given to it at once
    _write(target, _mapped(file))
    _tell(f"Writing {target}", size, size)


def upload_folder(folder: Path, target: Address, last: str) -> None:
    """Write the files of a folder beneath an address, in place of what is there, and ``last`` after all others.

    Raises IotraceError where that fails, and removes what was written.
    """
    files = sorted(file for file in folder.iterdir() if file.name != last)
    total = sum(file.stat().st_size for file in files)
    (target / last).unlink(missing_ok=True)
    done = 0
    try:
        for file in files:
            buffer = _mapped(file)
            with (
                (target / file.name).failures(),
                target.filesystem.open_output_stream((target / file.name).key, compression=None) as out,
            ):
                for start in range(0, buffer.size, WRITTEN_BYTES):
                    part = buffer.slice(start, min(WRITTEN_BYTES, buffer.size - start))
                    out.write(part)
                    done += part.size
                    _tell(f"Writing {target}", done, total)
        names = {file.name for file in files}
        for old in target.below() if target.is_dir() else []:
            if old.name not in names:
                old.unlink(missing_ok=True)
        _write(target / last, _mapped(folder / last))
    except BaseException:
        for file in (folder / last, *files):
            with contextlib.suppress(IotraceError):
                (target / file.name).unlink(missing_ok=True)
        raise


def _mapped(file: Path) -> pa.Buffer:
    if not file.stat().st_size:
        return pa.py_buffer(b"")  # which cannot be mapped
    with pa.memory_map(str(file)) as source:
        return source.read_buffer()


def _write(target: Address, content: pa.Buffer) -> None:
    with target.failures(), target.filesystem.open_output_stream(target.key, compression=None) as out:
        out.write(content)


def download(source: Address, target: Path, reserve: Callable[[int], None] = lambda size_bytes: None) -> None:
    """Write a copy of an object, of which several parts are read at the same time.

    ``reserve`` is called with its size first. Raises IotraceError where it cannot be read, or changes meanwhile.
    """
    before = source.info()
    if not before.is_file:
        raise source.missing()
    size = int(before.size)
    reserve(size)
    starts = range(0, size, PART_BYTES)
    with (
        source.failures(),
        source.filesystem.open_input_file(source.key) as remote,
        _opened(target) as descriptor,
        ThreadPoolExecutor(AT_ONCE) as threads,
    ):

        def copy(start: int) -> int:
            part = remote.read_at(min(PART_BYTES, size - start), start)
            with failures_named(target):
                os.pwrite(descriptor, part, start)
            return len(part)

        done = 0
        try:
            for count in threads.map(copy, starts):
                done += count
                _tell(f"Fetching {source}", done, size)
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise
    after = source.info()
    if done != size or (after.size, after.mtime_ns) != (before.size, before.mtime_ns):
        raise IotraceError(f"{source}: changed while it was read; try again")


@contextlib.contextmanager
def _opened(target: Path) -> Iterator[int]:
    with failures_named(target):
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@cache
def local_copy(path: Address) -> Path:
    """Return a copy of an object that is here until this process ends; raises IotraceError where it cannot be made."""
    copy = _place_of_copy(path, "remote")
    download(path, copy)
    return copy


def beginning(path: Address) -> Path:
    """Return a copy of the first bytes of an object, by which its format is known; raises as `local_copy`."""
    content = path.first_bytes(PART_BYTES)
    copy = _place_of_copy(path, "beginnings")
    with failures_named(copy):
        copy.write_bytes(content)
    return copy


def _place_of_copy(path: Address, kind: str) -> Path:
    copy: Path = folder_of_process() / kind / path.parent.key / path.name
    with failures_named(copy):
        copy.parent.mkdir(parents=True, exist_ok=True)
    return copy


def size_bytes(path: Address) -> int:
    """Return the bytes of an object; raises IotraceError where it is not there."""
    if not (info := path.info()).is_file:
        raise path.missing()
    return int(info.size)


def state(paths: Sequence[Address]) -> list[list[object]]:
    """Return the addresses, sizes and times of objects, by which a change is seen; of prefixes, of what is below."""
    listed = [one for path in paths for one in (path.below() if path.is_dir() else [path])]
    infos = [(path, path.info()) for path in listed]
    return [[str(path), info.size, info.mtime_ns] for path, info in infos]
