"""What is known of files beside a trace: sizes and interpreters, noted after the traced command has ended."""

from __future__ import annotations

import os
import re
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from iotrace import schemas

if TYPE_CHECKING:
    import pyarrow as pa

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
SIZED = ("regular", "directory")


@dataclass(frozen=True)
class KnownFile:
    """A file as it was found: see table known_file."""

    path: str
    size_bytes: int | None
    kind: str
    interpreter: str | None


def look_at(paths: Iterable[str], programs: Iterable[str]) -> pa.Table:
    """Return table known_file for the files of these names that are there now.

    ``paths`` are names as the tables show them; those that are not absolute are left out. The interpreters of
    ``programs``, and theirs in turn, are looked up and get rows of their own.
    """
    import pyarrow as pa

    executed = set(programs)
    waiting = dict.fromkeys([*paths, *executed])
    found: dict[str, KnownFile] = {}
    while waiting:
        path, _ = waiting.popitem()
        known = _look_at(path, path in executed)
        if known is None:
            continue
        found[path] = known
        if known.interpreter is not None and known.interpreter not in executed:
            executed.add(known.interpreter)
            waiting[known.interpreter] = None
    rows = sorted(found.values(), key=lambda known: known.path)
    columns = {name: [getattr(row, name) for row in rows] for name in KnownFile.__dataclass_fields__}
    return pa.table(columns).cast(schemas.schema("known_file"))


def _look_at(path: str, is_program: bool) -> KnownFile | None:
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
    size = status.st_size if kind in SIZED else None
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
    words = head[2:].split(b"\n", 1)[0].split()
    return words[0] if words else b""


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


def name_bytes(shown: str) -> bytes:
    r"""Return a shown name's bytes: where it has ``\x`` at all, ``\xHH`` is a byte and ``\\`` a backslash."""
    plain = shown.encode("utf-8")
    if b"\\x" not in plain:
        return plain
    return re.sub(rb"\\(?:\\|x([0-9a-f]{2}))", _byte, plain)


def _byte(escape: re.Match[bytes]) -> bytes:
    digits = escape.group(1)
    return bytes.fromhex(digits.decode("ascii")) if digits else b"\\"


def write(table: pa.Table, output: Path) -> None:
    """Write table known_file as Parquet, for ``iotrace ingest --known-files``."""
    import pyarrow.parquet as pq

    pq.write_table(table, output, compression="zstd")
