"""The miss-ratio curve of objects with sizes, operations and times to live, in tables, data frames and relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace.analysis.curves import objects
from iotrace.errors import UsageError
from iotrace.frames.keys import KEY, numbered, table_of

NAMES = ("key", "size", "operation", "time_ns", "ttl_ns", "tenant")


def object_curve(
    rows: Any,
    *,
    unit: objects.Unit = "objects",
    sizes: Sequence[int] | None = None,
    ttl: objects.Expiry = "ignore",
    by_tenant: bool = False,
    **columns: str,
) -> pa.Table:
    """Return requests and bytes that LRU caches of many sizes miss, as `iotrace.analysis.curves.object_curve` does.

    ``rows`` is a table, a data frame or a relation in the order of time, whose columns are called as those of table
    key_io, or as ``columns`` says: ``object_curve(rows, key="url", size="bytes")``. Keys are integers or text. Raises
    UsageError for columns that are not there, and as that function does.
    """
    table = table_of(rows)
    if unknown := sorted(columns.keys() - set(NAMES)):
        raise UsageError(f"{unknown[0]} is not one of the columns {', '.join(NAMES)}")
    called = {name: columns.get(name, name) for name in NAMES}
    needed = {called[KEY], *columns.values()}
    if missing := sorted(needed - set(table.column_names)):
        raise UsageError(f"column {missing[0]} is missing; the columns are {', '.join(table.column_names)}")
    chosen = {name: table[column] for name, column in called.items() if column in table.column_names}
    chosen[KEY] = numbered(chosen[KEY])
    return objects.object_curve(
        pa.table(chosen).to_batches(), unit=unit, sizes=sizes, ttl=ttl, by_tenant=by_tenant
    )
