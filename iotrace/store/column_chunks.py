"""Parquet files of which a few columns of some row groups are replaced, and all else is copied as it is stored.

Encoding a table takes most of the time of storing it; where little of it changes, its other pages need no encoding.
Each column of a row group is one run of pages (a column chunk), and only the footer says where it is.
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from iotrace.store import thrift
from iotrace.store.thrift import Structure

MAGIC = b"PAR1"
FILE_GROUPS = 4
GROUP_CHUNKS, GROUP_BYTES, GROUP_OFFSET, GROUP_STORED_BYTES = 1, 2, 5, 6
CHUNK_OFFSET, CHUNK_PAGES = 2, 3
INDEXES = (4, 6)
"""Where a column chunk's page indexes are, which stores do not have."""
PATH, BYTES, STORED_BYTES, DATA_OFFSET, DICTIONARY_OFFSET = 3, 6, 7, 9, 11
COPIED_BYTES = 1 << 22


def with_replaced(table: Path, changes: Path, group_of: Mapping[int, int], output: Path) -> None:
    """Write a Parquet file with some column chunks of another one instead of its own.

    Row group `group_of[g]` of `changes` has columns of row group g of `table`, in the same types, and as many rows.
    Raises ValueError where a file is none that this package wrote, OSError where one cannot be read or written.
    """
    with table.open("rb") as own, changes.open("rb") as other, output.open("wb") as written:
        footer, changed = _footer(own), _footer(other)
        written.write(MAGIC)
        for number, group in enumerate(footer.get(FILE_GROUPS).values):
            newer: dict[bytes, Structure] = {}
            if number in group_of:
                chunks = changed.get(FILE_GROUPS).values[group_of[number]].get(GROUP_CHUNKS).values
                newer = {_path(chunk): chunk for chunk in chunks}
            _copy_group(group, newer, own, other, written)
        end = thrift.serialized(footer)
        written.write(end + len(end).to_bytes(4, "little") + MAGIC)


def _footer(file: IO[bytes]) -> Structure:
    file.seek(-8, 2)
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != MAGIC or length + 8 > file.tell():
        raise ValueError(f"{file.name}: is not a Parquet file")
    file.seek(-8 - length, 2)
    return thrift.parse(file.read(length))


def _path(chunk: Structure) -> bytes:
    return b".".join(chunk.get(CHUNK_PAGES).get(PATH).values)


def _copy_group(
    group: Structure, newer: Mapping[bytes, Structure], own: IO[bytes], other: IO[bytes], written: IO[bytes]
) -> None:
    if GROUP_OFFSET in group.fields:
        group.set(GROUP_OFFSET, written.tell())
    chunks: list[Structure] = group.get(GROUP_CHUNKS).values
    for place, chunk in enumerate(chunks):
        chosen = newer.get(_path(chunk))
        chunks[place] = chosen or chunk
        _copy_chunk(chunks[place], other if chosen else own, written)
    _set_total(group, GROUP_BYTES, chunks, BYTES)
    _set_total(group, GROUP_STORED_BYTES, chunks, STORED_BYTES)


def _set_total(group: Structure, number: int, chunks: list[Structure], of_chunk: int) -> None:
    if number in group.fields:
        group.set(number, sum(chunk.get(CHUNK_PAGES).get(of_chunk) for chunk in chunks))


def _copy_chunk(chunk: Structure, source: IO[bytes], written: IO[bytes]) -> None:
    if any(chunk.get(number) for number in INDEXES):
        raise ValueError(f"{source.name}: has page indexes")
    pages: Structure = chunk.get(CHUNK_PAGES)
    start = pages.get(DICTIONARY_OFFSET) or pages.get(DATA_OFFSET)
    moved = written.tell() - start
    for of, number in ((pages, DATA_OFFSET), (pages, DICTIONARY_OFFSET), (chunk, CHUNK_OFFSET)):
        if of.get(number):
            of.set(number, of.get(number) + moved)
    source.seek(start)
    left: int = pages.get(STORED_BYTES)
    while left:
        part: Any = source.read(min(left, COPIED_BYTES))
        if not part:
            raise ValueError(f"{source.name}: ends within a column")
        written.write(part)
        left -= len(part)
