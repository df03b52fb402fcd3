"""Facts about files from outside a trace: table known_file, which ``iotrace record`` makes after the run."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from iotrace import schemas
from iotrace.errors import IotraceError, reason
from iotrace.libraries import pa

KnownProcesses = tuple[list[tuple[int, int]], list[tuple[int, int, int | None, bool]]]
"""Of processes from before a trace: each thread with its process; and of their descriptors the process, the number, the
position in bytes and whether it appends."""
KnownFiles = tuple[list[tuple[str, int | None, str | None]], str | None, KnownProcesses]
"""Path, size in bytes and interpreter of each file; the directory in which the command started; and the processes."""

KINDS = {
    stat.S_IFREG: "regular",
    stat.S_IFDIR: "directory",
    stat.S_IFCHR: "character_device",
    stat.S_IFBLK: "block_device",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}
SCRIPT_LINE_BYTES = 256
"""How much of a script's first line the kernel reads."""
LONGEST_INTERPRETER_BYTES = 4096
CLOCK_STEP_NS = 20_000_000
"""How far the kernel's clock for files may be behind."""
SIZED = ("regular", "directory")
START_DIRECTORY = b"start_directory"
"""The metadata of the table's schema that says where the command started."""
PROCESSES = b"processes"
"""That with the processes from before the trace, as JSON."""


@dataclass(frozen=True)
class KnownFile:
    """A file as it was found: see table known_file."""

    path: str
    size_bytes: int | None
    kind: str
    interpreter: str | None


def look_at(paths: Iterable[str], programs: Iterable[str], began_ns: int) -> pa.Table:
    """Return table known_file for the files of these names that are there now.

    ``paths`` are names as the tables show them; those that are not absolute are left out. The interpreters of
    ``programs``, and theirs in turn, are looked up and get separate rows. A regular file that changed since the run
    began (``began_ns``, since 1970) has no size: its size at first was another, which only the trace can show.
    """
    executed = set(programs)
    waiting = dict.fromkeys([*paths, *executed])
    files: dict[str, KnownFile] = {}
    while waiting:
        path, _ = waiting.popitem()
        known = _look_at(path, path in executed, began_ns)
        if known is None:
            continue
        files[path] = known
        if known.interpreter is not None and known.interpreter not in executed:
            names = _names(known.interpreter)
            executed |= names
            waiting.update(dict.fromkeys(names - files.keys()))
    rows = sorted(files.values(), key=lambda known: known.path)
    columns = {name: [getattr(row, name) for row in rows] for name in KnownFile.__dataclass_fields__}
    return pa.table(columns).cast(schemas.schema("known_file"))


def _names(path: str) -> set[str]:
    """Return the names under which the file table may know a file: as given, or with links followed."""
    whole = os.path.realpath(name_bytes(path))
    folder, last = os.path.split(name_bytes(path))
    return {path, shown_name(whole), shown_name(os.path.join(os.path.realpath(folder), last))}  # noqa: PTH118


def _look_at(path: str, is_program: bool, began_ns: int) -> KnownFile | None:
    name = name_bytes(path)
    if not name.startswith(b"/"):
        return None
    try:
        status = os.stat(name)  # noqa: PTH116 - names are bytes
    except (OSError, ValueError):
        return None
    kind = KINDS.get(stat.S_IFMT(status.st_mode))
    if kind is None:
        return None
    changed = kind == "regular" and status.st_ctime_ns >= began_ns - CLOCK_STEP_NS
    size = status.st_size if kind in SIZED and not changed else None
    return KnownFile(path, size, kind, interpreter(name) if is_program and kind == "regular" else None)


def interpreter(program: bytes) -> str | None:
    """Return the absolute path of what runs a program: what its ``#!`` names, or an ELF file's loader."""
    try:
        with Path(os.fsdecode(program)).open("rb") as file:
            head = file.read(SCRIPT_LINE_BYTES)
            named = _of_script(head) if head.startswith(b"#!") else _of_elf(head, file)
        text = named.decode("utf-8") if named else ""
    except (OSError, ValueError, OverflowError, struct.error):
        return None
    return text if text.startswith("/") else None


def _of_script(head: bytes) -> bytes:
    arguments = head[2:].split(b"\n", 1)[0].split()
    return arguments[0] if arguments else b""


def _of_elf(head: bytes, file: BinaryIO) -> bytes:
    program_header_interpreter = 3
    if not re.match(rb"\x7fELF[\1\2][\1\2]", head):
        return b""
    order = "<" if head[5] == 1 else ">"
    wide = head[4] == 2
    (table,) = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)
    entry_bytes, entries = struct.unpack_from(order + "HH", head, 54 if wide else 42)
    for position in range(entries):
        file.seek(table + position * entry_bytes)
        entry = file.read(entry_bytes)
        (kind,) = struct.unpack_from(order + "I", entry)
        if kind != program_header_interpreter:
            continue
        (offset,) = struct.unpack_from(order + ("Q" if wide else "I"), entry, 8 if wide else 4)
        (length,) = struct.unpack_from(order + ("Q" if wide else "I"), entry, 32 if wide else 16)
        file.seek(offset)
        return file.read(min(length, LONGEST_INTERPRETER_BYTES)).rstrip(b"\0")
    return b""


def shown_name(name: bytes) -> str:
    r"""Return a name as tables show it: escaped if it has ``\x`` or bytes that are not UTF-8."""
    with contextlib.suppress(UnicodeDecodeError):
        text = name.decode("utf-8")
        if "\\x" not in text:
            return text
    escaped = name.replace(b"\\", b"\\\\").decode("utf-8", "surrogateescape")
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if "\udc80" <= c <= "\udcff" else c for c in escaped)


def name_bytes(shown: str) -> bytes:
    r"""Return a shown name's bytes: where it has ``\x`` at all, ``\xHH`` is a byte and ``\\`` a backslash."""
    plain = shown.encode("utf-8")
    if b"\\x" not in plain:
        return plain
    return re.sub(rb"\\(?:\\|x([0-9a-f]{2}))", _byte, plain)


def _byte(escape: re.Match[bytes]) -> bytes:
    digits = escape.group(1)
    return bytes.fromhex(digits.decode("ascii")) if digits else b"\\"


def write_known_files(
    table: pa.Table, start_directory: Path | None, output: Path, processes: KnownProcesses = ([], [])
) -> None:
    """Write table known_file, where the command started if that is known, and processes from before the trace.

    ``iotrace ingest --known-files`` reads it.
    """
    import pyarrow.parquet as pq

    started = {}
    if start_directory is not None:
        started[START_DIRECTORY] = shown_name(os.fsencode(start_directory)).encode("utf-8")
    if any(processes):
        started[PROCESSES] = json.dumps(processes).encode("ascii")
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), **started})
    with output.open("wb") as file:
        pq.write_table(table.cast(schema), file, compression="zstd")


def with_start_directory(schema: pa.Schema, changed: Callable[[str], str]) -> pa.Schema:
    """Return a table's schema with the directory changed in which the command started, where it says that."""
    metadata = dict(schema.metadata or {})
    if START_DIRECTORY in metadata:
        metadata[START_DIRECTORY] = changed(metadata[START_DIRECTORY].decode("utf-8")).encode("utf-8")
    return schema.with_metadata(metadata)


def read_known_files(path: Path | None) -> KnownFiles:
    """Return what such a file says, nothing without one; raises IotraceError if it cannot be read."""
    if path is None:
        return [], None, ([], [])
    from iotrace.files.parquet import read_table

    try:
        table = read_table(path, ["path", "size_bytes", "interpreter"])
    except (pa.ArrowException, OSError) as error:
        raise IotraceError(f"{path}: is not a table of known files ({reason(error)})") from None
    metadata = table.schema.metadata or {}
    start = metadata.get(START_DIRECTORY)
    try:
        processes = _processes(json.loads(metadata.get(PROCESSES, b"[[], []]")))
    except (ValueError, TypeError):
        raise IotraceError(f"{path}: is not a table of known files (its processes are damaged)") from None
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return list(rows), start.decode("utf-8") if start else None, processes


def _processes(read: Any) -> KnownProcesses:
    """Return what was written; raises ValueError or TypeError for anything else."""
    threads, descriptors = read
    numbers = [number for row in (*threads, *(row[:2] for row in descriptors)) for number in row]
    positions = [position for _, _, position, _ in descriptors if position is not None]
    for most, values in ((1 << 31, numbers), (1 << 63, positions)):
        if not all(isinstance(number, int) and 0 <= number < most for number in values):
            raise ValueError
    return (
        [(thread, process) for thread, process in threads],
        [(process, fd, position, bool(appends)) for process, fd, position, appends in descriptors],
    )
