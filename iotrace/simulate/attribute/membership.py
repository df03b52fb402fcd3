"""Who is in which class, request by request, and what else a pass needs to know of a batch of references."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from iotrace import queries
from iotrace.errors import IotraceError, sql_reason
from iotrace.files.names import local_name
from iotrace.simulate.attribute.classes import SIZED, Classes, ClassKey
from iotrace.simulate.attribute.settings import FileSize
from iotrace.store import sandbox
from iotrace.store.store import Store

Mask = npt.NDArray[np.bool_]

_COLUMNS = ("operation", "file", "offset", "length", "file_size", "type", "time_ns")
REQUESTS = pa.array(["read", "write", "update"])
_SIZES = {
    "first": "reference.file_size",
    "each": "reference.file_size",
    "largest": "file.size_largest_bytes",
}


@dataclass(frozen=True)
class Rule:
    """How references find their class."""

    classes: Classes = field(default_factory=Classes)
    file_size: FileSize = "first"
    reclassify: bool = False
    """Whether the blocks of a file that changes its class leave the old subcache; then each request decides."""
    cut_off_bytes: int = 512 * 1024
    """The meaning of Temporal and Sequential in the user's own classes."""

    @property
    def by_request(self) -> bool:
        """Whether files are classified again at each request."""
        return self.reclassify or self.file_size == "each"


@dataclass(frozen=True)
class Batch:
    """References in order, and for each class which of them are its requests.

    `left` marks requests of another class to a file whose request before was of this one, where files change class.
    """

    references: pa.RecordBatch
    requests: Mask
    members: dict[ClassKey, Mask]
    unknown_size: Mask
    """Requests whose class the cut-off decides without knowing the file's size."""
    left: dict[ClassKey, Mask] = field(default_factory=dict)


def batches(store: Store, rule: Rule, keys: Sequence[ClassKey]) -> Iterator[Batch]:
    """Yield the store's references in order, each with its classes.

    Raises IotraceError for SQL of a class that DuckDB refuses.
    """
    files = number_of_files(store)
    if rule.by_request:
        yield from _by_request(store, rule, keys, files)
        return
    decided, unknown = by_file(store, rule, keys)
    for batch, requests, places in requests_and_files(store):
        members = {key: mask[places] & requests for key, mask in decided.items()}
        yield Batch(batch, requests, members, unknown[places] & requests)


def requests_and_files(store: Store) -> Iterator[tuple[pa.RecordBatch, Mask, npt.NDArray[np.int64]]]:
    """Yield the store's references in order, which of them are requests, and their files; the last is that of none."""
    files = number_of_files(store)
    for batch in _references(store, _COLUMNS):
        yield batch, _requests(batch), _files(batch, files)


def first_requests(store: Store, columns: Sequence[str]) -> pa.Table | None:
    """Return some columns of each file's first request, and its operation and file; None without requests."""
    files = number_of_files(store)
    seen = np.zeros(files + 1, bool)
    firsts = []
    for batch in _references(store, tuple(dict.fromkeys(("operation", "file", *columns)))):
        places = _files(batch, files)
        new = np.flatnonzero(_requests(batch) & ~seen[places])
        if len(new):
            _, first = np.unique(places[new], return_index=True)
            seen[places[new]] = True
            firsts.append(batch.take(pa.array(new[first])))
    return pa.Table.from_batches(firsts) if firsts else None


def by_file(store: Store, rule: Rule, keys: Sequence[ClassKey]) -> tuple[dict[ClassKey, Mask], Mask]:
    """Decide once for each file, by its first request; the last place is that of no file.

    Returns for each class which files it has, and of which files the cut-off would have to do without a size.
    """
    files = number_of_files(store)
    further = _columns_of_references() if rule.classes.own else ("type", "file_size")
    table = first_requests(store, further)
    masks = {key: np.zeros(files + 1, bool) for key in keys}
    unknown = np.zeros(files + 1, bool)
    if table is not None:
        with _connection(store) as connection:
            decided = _decide(connection, table, rule, keys)
        places = _files(table, files)
        for key in keys:
            masks[key][places] = decided[key.column]
        unknown[places] = decided["unknown_size"]
    return masks, unknown


def _by_request(store: Store, rule: Rule, keys: Sequence[ClassKey], files: int) -> Iterator[Batch]:
    last = {key: np.zeros(files + 1, bool) for key in keys}
    with _connection(store) as connection:
        for batch in _references(store, _columns_of_references()):
            decided = _decide(connection, pa.Table.from_batches([batch]), rule, keys)
            requests, places = _requests(batch), _files(batch, files)
            members = {key: decided[key.column] & requests for key in keys}
            unknown = decided["unknown_size"] & requests
            left = {key: _left(places, requests, members[key], last[key]) for key in keys}
            yield Batch(
                batch.select(list(_COLUMNS)), requests, members, unknown, left if rule.reclassify else {}
            )


def _left(places: npt.NDArray[np.int64], requests: Mask, member: Mask, last: Mask) -> Mask:
    """Mark requests outside a class whose file's request before was inside; `last` is carried on."""
    rows = np.flatnonzero(requests)
    order = rows[np.argsort(places[rows], kind="stable")]
    ordered, inside = places[order], member[order]
    if not len(order):
        return np.zeros(len(places), bool)
    begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    before = np.concatenate([[False], inside[:-1]])
    before[begins] = last[ordered[begins]]
    ends = np.concatenate([begins[1:], [True]])
    last[ordered[ends]] = inside[ends]
    marked = np.zeros(len(places), bool)
    marked[order] = before & ~inside
    return marked


def _decide(
    connection: duckdb.DuckDBPyConnection, rows: pa.Table, rule: Rule, keys: Sequence[ClassKey]
) -> dict[str, Mask]:
    """Return each class's column for each row, and whether the cut-off would have to do without a size."""
    joined = f"select reference.*, {_SIZES[rule.file_size]} as cut_off_size_bytes" + (
        ", file.* exclude (file), process.* exclude (process) from reference left join file using (file)"
        " left join process using (process)"
        if rule.classes.own
        else " from reference left join file using (file)"
    )
    chosen = rule.classes.columns_sql(keys, rule.cut_off_bytes)
    unknown = "general and cut_off_size_bytes is null" if any(key.name in SIZED for key in keys) else "false"
    numbered = rows.append_column("row_number", pa.array(range(rows.num_rows), pa.int64()))
    connection.register("reference", numbered)
    try:
        decided = connection.sql(
            f'select {chosen}, {unknown} as "unknown_size" from ({joined}) order by row_number'
        ).fetchnumpy()
    except duckdb.Error as error:
        raise IotraceError(f"SQL of --class: {sql_reason(error)}") from None
    finally:
        connection.unregister("reference")
    return {name: np.asarray(values, bool) for name, values in decided.items()}


def _connection(store: Store) -> Any:
    """Return a connection that sees files and processes; the references come later."""
    tables = {name: store.table_path(name) for name in ("file", "process") if name in store.tables}
    views = [
        f"create view {name} as from read_parquet({queries.literal(local_name(path))});"
        for name, path in tables.items()
    ]
    return sandbox.connect("\n".join(views), tables.values())


def _references(store: Store, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    return store.batches("reference", columns)


def _columns_of_references() -> tuple[str, ...]:
    from iotrace.schemas import table

    return tuple(column.name for column in table("reference").columns)


def number_of_files(store: Store) -> int:
    """Return how many files a store has."""
    return int(pq.read_metadata(local_name(store.table_path("file"))).num_rows)


def _files(batch: pa.RecordBatch | pa.Table, files: int) -> npt.NDArray[np.int64]:
    """Return each row's file as an index; the last is that of no file."""
    numbers = batch.column("file").fill_null(files).to_numpy()
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() <= files:
        raise IotraceError("a reference names a file that is not in table file")
    return np.asarray(numbers, np.int64)


def _requests(batch: pa.RecordBatch) -> Mask:
    operation = batch.column("operation")
    is_request = pc.is_in(operation.dictionary, REQUESTS).to_numpy(zero_copy_only=False)
    return np.asarray(is_request[operation.indices.to_numpy()], bool)


def example_files(store: Store, numbers: Sequence[int]) -> list[str]:
    """Return how files are called: their paths, inodes by those of their files."""
    table = store.arrow("file", ["file", "path", "of_file"])
    paths = dict(zip(table["file"].to_pylist(), table["path"].to_pylist(), strict=True))
    owners = dict(zip(table["file"].to_pylist(), table["of_file"].to_pylist(), strict=True))
    return [
        str(paths[number]) if paths[number] is not None else f"the inode of {paths.get(owners[number])}"
        for number in numbers
    ]
