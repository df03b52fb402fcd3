"""Miss-ratio curves as tables of counts (Richardson 1994, 2.4 to 2.6)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.engine.native import StackCurve, StackEngine
from iotrace.errors import IotraceError, UsageError
from iotrace.locality.stream import REMOVALS, Components, batches, prepare
from iotrace.schemas import schema

WritePolicy = Literal["allocate", "no-allocate", "data-overwrite"]
Deletes = Literal["honour", "ignore"]

_OVERWRITES = {
    "write_block_overwrites": (
        "blocks",
        "Write block hits that cover a byte already dirty (4.1.3).",
    ),
    "write_block_fills": ("blocks", "Write block hits that fill new bytes only."),
    "write_bytes_overwritten": ("bytes", "Dirty bytes that write hits covered."),
}
_MOST_BLOCKS = 2**32 - 1


def curve(
    references: Any,
    *,
    block_bytes: int = 4096,
    sizes_bytes: Sequence[int] | None = None,
    by: str | None = None,
    deletes: Deletes = "honour",
    write_policy: WritePolicy = "allocate",
    overhead_ms: float = 20.0,
    transfer_ms_per_kb: float = 0.5,
    warm_up_requests: int = 0,
    warm_up_ns: int | None = None,
    inodes_per_block: int | None = None,
) -> pa.Table:
    """Return the exact miss-ratio curve of one LRU cache, all sizes from one pass over the references.

    ``references`` is any Arrow stream with the columns file, operation, offset and length of table reference,
    and file_size and time_ns where known. The result has the columns of table curve, one row for each size at
    which a count changes (the first is one block), or one for each of ``sizes_bytes`` in the order given,
    rounded down to blocks. With ``by``, a column's name, the same shared cache is reported for each of that
    column's values, which precede the other columns; an expulsion belongs to the value that wrote the block
    last.

    ``deletes="ignore"`` keeps the blocks of truncated and deleted files, as the paper does. ``write_policy``
    "no-allocate" sends writes to the disk and drops the blocks that they touch (4.1.3): every write misses,
    and every block written counts as an expulsion. "data-overwrite" (4.1.3, figure 4.8) adds three columns:
    write block hits that cover a byte already dirty, those that only fill new bytes, and the bytes covered. A
    disk access takes ``overhead_ms`` and ``transfer_ms_per_kb`` per 1,024 bytes (2.5). The first
    ``warm_up_requests`` requests, and those before ``warm_up_ns``, are simulated and not counted.
    ``inodes_per_block`` places so many inodes in each block in the order of their first reference (figure
    4.9).

    A request of unknown length reaches to the file's end, or covers one block where its size is unknown; one
    of unknown offset starts at the file's end as far as known; ``tally`` says how many there were.

    Raises UsageError for settings that make no sense and IotraceError for references that do not (the message
    names the row).
    """
    components = Components()
    engine = _engine(block_bytes, write_policy, deletes, warm_up_requests, warm_up_ns, inodes_per_block)
    sizes = _sizes_blocks(sizes_bytes, block_bytes)
    with _one_line_errors():
        for batch in batches(references):
            engine.push(prepare(batch, by, components, inodes=inodes_per_block is not None))
        counts = engine.tally()
        finished = engine.finish(**_pricing(overhead_ms, transfer_ms_per_kb))
        if by is None:
            return _described(_rows(finished, 0, sizes), counts)
        with_requests = range(min(finished.components, len(components.numbers)))
        parts = [(number, _rows(finished, number, sizes)) for number in with_requests]
    return _described(_grouped(parts, by, components), counts)


def split_curves(
    references: Any,
    *,
    by: str,
    block_bytes: int = 4096,
    sizes_bytes: Sequence[int] | None = None,
    deletes: Deletes = "honour",
    write_policy: WritePolicy = "allocate",
    overhead_ms: float = 20.0,
    transfer_ms_per_kb: float = 0.5,
    warm_up_requests: int = 0,
    warm_up_ns: int | None = None,
) -> pa.Table:
    """Return the curves of one cache of its own for each value of the column ``by``, from one pass.

    The arguments and the result are those of ``curve``; ``warm_up_requests`` are each cache's first requests.
    A truncation or deletion reaches every cache.
    """
    components = Components()
    engines: list[StackEngine] = []
    sizes = _sizes_blocks(sizes_bytes, block_bytes)
    with _one_line_errors():
        for batch in batches(references):
            ready = prepare(batch, by, components, inodes=False)
            removal = pc.is_in(ready.column("operation").dictionary_decode(), REMOVALS)
            while len(engines) < len(components.numbers):
                engines.append(
                    _engine(block_bytes, write_policy, deletes, warm_up_requests, warm_up_ns, None)
                )
            for number, engine in enumerate(engines):
                mine = pc.equal(ready.column("component"), number)
                engine.push(ready.filter(pc.or_(mine, removal)).drop_columns(["component"]))
        tallies = [engine.tally() for engine in engines]
        pricing = _pricing(overhead_ms, transfer_ms_per_kb)
        parts = [(number, _rows(engine.finish(**pricing), 0, sizes)) for number, engine in enumerate(engines)]
    counts = {name: sum(each[name] for each in tallies) for name in (tallies[0] if tallies else ())}
    return _described(_grouped(parts, by, components), counts)


def tally(curves: pa.Table) -> dict[str, int]:
    """Return what the stream behind a table of curves contained: rows, requests, and what was guessed or left
    out."""
    counts: dict[str, int] = json.loads(curves.schema.metadata[b"tally"])
    return counts


def _engine(
    block_bytes: int,
    write_policy: WritePolicy,
    deletes: Deletes,
    warm_up_requests: int,
    warm_up_ns: int | None,
    inodes_per_block: int | None,
) -> StackEngine:
    try:
        return StackEngine(
            block_bytes=block_bytes,
            write_policy=write_policy,
            deletes=deletes,
            warm_up_requests=warm_up_requests,
            warm_up_ns=warm_up_ns,
            inodes_per_block=inodes_per_block,
        )
    except (ValueError, OverflowError) as error:
        raise UsageError(str(error)) from error


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what the engine and Arrow refuse into the errors that a user sees."""
    try:
        yield
    except ValueError as error:
        raise IotraceError(str(error)) from error


def _pricing(overhead_ms: float, transfer_ms_per_kb: float) -> dict[str, int]:
    if not (0 <= overhead_ms < 1e9 and 0 <= transfer_ms_per_kb < 1e9):
        raise UsageError("overhead and transfer time are milliseconds, 0 or more")
    return {"overhead_ns": round(overhead_ms * 1e6), "transfer_ns_per_kb": round(transfer_ms_per_kb * 1e6)}


def _sizes_blocks(sizes_bytes: Sequence[int] | None, block_bytes: int) -> list[int] | None:
    if sizes_bytes is None:
        return None
    if block_bytes < 1:
        raise UsageError("the block size must be from 1 byte to 1 GB")
    sizes = [size // block_bytes for size in sizes_bytes]
    for size, blocks in zip(sizes_bytes, sizes, strict=True):
        if not 1 <= blocks <= _MOST_BLOCKS:
            raise UsageError(
                f"a cache of {size} bytes is less than a block of {block_bytes} bytes, or beyond 2^32 blocks"
            )
    return sizes


def _rows(finished: StackCurve, component: int, sizes: list[int] | None) -> pa.Table:
    if sizes is None:
        return pa.Table.from_batches([pa.record_batch(finished.table(component))])
    distinct = sorted(set(sizes))
    rows = pa.Table.from_batches([pa.record_batch(finished.table(component, distinct))])
    places = {size: place for place, size in enumerate(distinct)}
    return rows.take(pa.array([places[size] for size in sizes], pa.int64()))


def _grouped(parts: list[tuple[int, pa.Table]], by: str, components: Components) -> pa.Table:
    """Stack the tables of all components that occurred, their values in front."""
    values = components.values()
    tables = [
        rows.set_column(0, by, [_repeated(values, number, rows)]) for number, rows in parts if _occurred(rows)
    ]
    if tables:
        return pa.concat_tables(tables)
    return schema("curve").empty_table().add_column(0, by, _repeated(values, 0, pa.table({})))


def _repeated(values: pa.Array, number: int, rows: pa.Table) -> pa.Array:
    """Return a component's value for each row, names as a dictionary."""
    numbers = pa.array([number] * rows.num_rows, pa.int32())
    names = pa.types.is_string(values.type)
    return pa.DictionaryArray.from_arrays(numbers, values) if names else values.take(numbers)


def _occurred(rows: pa.Table) -> bool:
    """Whether a component has any count: one that only truncates and deletes has not."""
    return rows.num_rows > 1 or any(column[0].as_py() for column in rows.columns[3:])


def _described(rows: pa.Table, counts: dict[str, int]) -> pa.Table:
    """Give the table the schema of table curve, with the tally in its metadata."""
    described = schema("curve")
    rows = rows.drop_columns(["component"]) if "component" in rows.column_names else rows
    fields = [_field(described, field) for field in rows.schema]
    metadata = {**(described.metadata or {}), b"tally": json.dumps(counts).encode()}
    return rows.cast(pa.schema(fields, metadata))


def _field(described: pa.Schema, field: pa.Field) -> pa.Field:
    if field.name in _OVERWRITES:
        unit, sentence = _OVERWRITES[field.name]
        return pa.field(field.name, field.type, False, {"unit": unit, "sentence": sentence})
    if field.name in described.names:
        return described.field(field.name)
    return field.with_metadata({"unit": "name", "sentence": "The component that the row's counts are of."})
