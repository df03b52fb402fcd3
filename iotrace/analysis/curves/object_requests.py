"""The curve of a key trace: how much the caches of objects of every size would miss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.curves.keys import curve_of_keys
from iotrace.errors import UsageError
from iotrace.formats.key_io.operations import DELETE
from iotrace.store.key_references import NATIVE, operations_of
from iotrace.store.store import Store

Unit = Literal["objects", "bytes"]
COLUMNS = ("key", "operation")


def curve_of_store(store: Store, unit: Unit = "objects", sizes: Sequence[int] | None = None) -> pa.Table:
    """Return requests and bytes missed by LRU caches of objects, table object_curve; ``unit`` is that of the sizes.

    Raises UsageError for a store that holds no key trace, and for a unit that is not counted.
    """
    if NATIVE not in store.tables:
        raise UsageError(f"{store.name}: --unit is for traces of keys; caches of blocks are those of --block")
    if unit == "bytes":
        raise UsageError("--unit bytes is not there yet")
    made = curve_of_keys(_requested(store), sizes_blocks=sizes)
    columns = {
        "size": made["size_blocks"],
        "requests": made["block_references"],
        "request_misses": made["block_misses"],
        "bytes": pa.nulls(made.num_rows, pa.int64()),
        "byte_misses": pa.nulls(made.num_rows, pa.int64()),
    }
    return pa.table(columns, schema=queries.table_schema("object_curve"))


def _requested(store: Store) -> Iterator[pa.Array]:
    for batch in store.batches(NATIVE, COLUMNS):
        is_request = operations_of(batch["operation"]) != DELETE
        keys = batch["key"]
        yield keys if is_request.all() else keys.filter(pa.array(is_request))
