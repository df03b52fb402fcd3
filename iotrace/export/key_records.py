"""Requests for keys, or for blocks, as libCacheSim's binary records: oracleGeneral and ``.lcs``.

Both say when each object is requested next: its place among the records, from 1, as libCacheSim's own converter counts;
-1 where it is not requested again. Keys that are text become numbers from 1, in the order of first sight.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from iotrace import families
from iotrace.errors import IotraceError
from iotrace.export.form import Form, binary_file, left_out
from iotrace.export.requests import ROWS
from iotrace.files.remote import Place
from iotrace.formats.key_records import HEADERS, MAGIC, VERSION_3
from iotrace.formats.key_records import OPERATIONS as NAMES
from iotrace.formats.oracle_general import PLAIN
from iotrace.key_operations import DELETE, READ, WRITE, kind_of
from iotrace.libraries import duckdb, np
from iotrace.store.store import Store

MOST_U32 = (1 << 32) - 1
MOST_I32 = (1 << 31) - 1
MOST_TENANTS = 1 << 24
STATISTICS_VERSION = 1
NUMBERS = {name: number for number, name in NAMES.items()}
OF_BLOCKS = {"read": "read", "write": "write", "discard": "delete"}
"""The names of the operations of disks there."""
KEYS = """
    select seq, time_ns, coalesce(number, key + 1) as object, size as bytes, operation, tenant,
           (ttl_ns + 999999999) // 1000000000 as ttl_s
    from key_io join key_name using (key)
"""
BLOCKS = """
    select seq, time_ns, lbn as object, blocks * 512 as bytes, operation, device as tenant, null::bigint as ttl_s
    from disk_io
    where lbn is not null and blocks is not null and operation is distinct from 'flush'
"""
REQUESTS = """
    create temporary view request as
    select row_number() over (order by seq) as place,
           coalesce((time_ns + {first_ns}) // 1000000000, 0) as time_s, object, coalesce(bytes, 1) as bytes, operation,
           coalesce(tenant, 0) as tenant, coalesce(ttl_s, 0) as ttl_s
    from ({of_family})
    where operation is null or operation not in ({without})
"""
RECORDS = """
    select time_s, object, bytes, operation, tenant, ttl_s,
           coalesce(lead(place) over (partition by object order by place), -1) as next
    from request
    order by place
"""
LARGEST = """
    select count(*), count(*) filter (bytes > {most}), coalesce(max(time_s), 0), coalesce(min(time_s), 0) from request
"""
STATISTICS = """
    with request_object as (select object, arg_min(bytes, place) as bytes from request group by object)
    select count(*), (select count(*) from request_object), sum(bytes),
           (select sum(bytes) from request_object), min(time_s), max(time_s),
           count(*) filter (operation in ({reads})), count(*) filter (operation in ({writes})),
           count(*) filter (operation in ({deletes})), min(bytes), max(bytes)
    from request
"""


@dataclass(frozen=True)
class Layout:
    """A form's records, and what precedes them."""

    fields: list[tuple[str, str]]
    has_operations: bool
    header: Callable[[duckdb.DuckDBPyConnection, list[str]], bytes]


def _oracle_header(connection: duckdb.DuckDBPyConnection, operations: list[str]) -> bytes:
    return b""


def _lcs_header(connection: duckdb.DuckDBPyConnection, operations: list[str]) -> bytes:
    """Return the header of version 3: its mark, the version, and statistics of the requests."""
    named = {
        kind: _listed([name for name in operations if kind_of(name) == kind])
        for kind in (READ, WRITE, DELETE)
    }
    statistics = STATISTICS.format(reads=named[READ], writes=named[WRITE], deletes=named[DELETE])
    (row,) = connection.execute(statistics).fetchall()
    head = (
        MAGIC
        + struct.pack("<Qq", 3, STATISTICS_VERSION)
        + struct.pack("<11q", *(value or 0 for value in row))
    )
    return head.ljust(HEADERS[0] - len(MAGIC), b"\0") + MAGIC


LAYOUTS = {
    "oracle-general": Layout(PLAIN, False, _oracle_header),
    "lcs": Layout(VERSION_3, True, _lcs_header),
}


def _listed(names: list[str]) -> str:
    """Return names as a list in SQL, which is never empty."""
    return ", ".join("'" + name.replace("'", "''") + "'" for name in names) or "''"


def _writer(name: str) -> Callable[[Store, Place, bool], tuple[str, ...]]:
    def write(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
        """Write a key or block trace (see `Form`)."""
        return _write(store, output, force, name)

    return write


def _write(store: Store, output: Place, force: bool, name: str) -> tuple[str, ...]:
    layout = LAYOUTS[name]
    with closing(store.sandboxed([])) as connection:
        operations, every = _prepared(store, connection, layout)
        ((count, large, latest_s, earliest_s),) = connection.execute(LARGEST.format(most=MOST_U32)).fetchall()
        if earliest_s < 0 or latest_s > MOST_U32:
            raise IotraceError(
                f"{store.name}: has times that are not seconds from 1970 to 2106, which {name} needs"
            )
        tenants = _tenants(store)
        with binary_file(output, force) as file:
            file.write(layout.header(connection, operations))
            for batch in connection.sql(RECORDS).to_arrow_reader(ROWS):
                file.write(_records(batch, layout, tenants).tobytes())
    return tuple(_remarks(store, layout, every - count, large, operations))


def _prepared(store: Store, connection: duckdb.DuckDBPyConnection, layout: Layout) -> tuple[list[str], int]:
    """Make view request; return the names of operations, and how many requests the trace has."""
    table = store.family.name
    rows = connection.execute(f"select operation, count(*) from {table} group by operation").fetchall()
    operations = [name for name, _ in rows if name is not None]
    removing = [name for name in operations if kind_of(OF_BLOCKS.get(name, name)) == DELETE]
    connection.execute(
        REQUESTS.format(
            first_ns=store.manifest["times"]["first_ns"] or 0
            if store.manifest["times"]["base"] == "epoch"
            else 0,
            of_family=KEYS if store.family.has_objects else BLOCKS,
            without=_listed([] if layout.has_operations else removing),
        )
    )
    return operations, sum(count for _, count in rows)


def _tenants(store: Store) -> list[int] | None:
    """Return the numbers that tenants are named by, None where they are not all named by numbers."""
    if "tenant_name" not in store.tables:
        return None
    names = store.arrow("tenant_name")["name"].to_pylist()
    numbers = [int(name) for name in names if name.isdecimal() and int(name) < MOST_TENANTS]
    return numbers if names and len(numbers) == len(names) else None


def _records(batch: Any, layout: Layout, tenants: list[int] | None) -> np.ndarray:
    columns = {
        name: batch[name].to_numpy(zero_copy_only=False)
        for name in ("time_s", "object", "bytes", "ttl_s", "next")
    }
    records = np.zeros(batch.num_rows, dtype=layout.fields)
    for name in records.dtype.names or ():
        if name == "object":
            records[name] = columns[name].view(np.uint64)
        elif name == "bytes":
            records[name] = np.minimum(columns[name], np.iinfo(records.dtype[name]).max)
        elif name == "ttl_s":
            records[name] = np.minimum(columns[name], MOST_I32)
        elif name == "operation_tenant":
            names = [NUMBERS.get(OF_BLOCKS.get(one, one), 0) for one in batch["operation"].to_pylist()]
            numbers = batch["tenant"].to_numpy()
            named = numbers if tenants is None else np.array(tenants)[numbers]
            records[name] = np.array(names, np.uint32) | (named % MOST_TENANTS).astype(np.uint32) << 8
        else:
            records[name] = columns[name]
    return records


def _remarks(store: Store, layout: Layout, lost: int, large: int, operations: list[str]) -> list[str]:
    """Return what the records have no place for."""
    kinds = "deletes" if store.family.has_objects else "flushes, discards and requests for no known place"
    remarks = [*left_out({kinds: lost} if lost else {})]
    if "size" in store.manifest.get("lacks", ()):
        remarks.append("the trace does not state the sizes of objects: each is written as 1 byte")
    if large and not layout.has_operations:
        remarks.append(f"{large:,} sizes beyond 4 GB are written as {MOST_U32:,} bytes")
    unnamed = [name for name in operations if OF_BLOCKS.get(name, name) not in NUMBERS]
    if layout.has_operations and unnamed:
        remarks.append(
            f"libCacheSim has no number for operations {', '.join(unnamed[:5])}: they are written as none"
        )
    return remarks


FORMS = (
    Form(
        "oracle-general",
        "libCacheSim's oracleGeneral records of keys or blocks",
        _writer("oracle-general"),
        (families.KEYS, families.DISKS),
    ),
    Form(
        "lcs",
        "libCacheSim's .lcs records of keys or blocks, with operations and times to live",
        _writer("lcs"),
        (families.KEYS, families.DISKS),
    ),
)
