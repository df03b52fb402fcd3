"""The curve of a key trace: what LRU caches of objects would miss, in objects or in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from iotrace.analysis.curves.objects import Unit, object_curve
from iotrace.errors import UsageError
from iotrace.formats.key_io.operations import OPERATIONS
from iotrace.store.key_references import NATIVE, operations_of
from iotrace.store.store import Store


def curve_of_store(store: Store, unit: Unit = "objects", sizes: Sequence[int] | None = None) -> pa.Table:
    """Return requests and bytes missed by LRU caches of objects, table object_curve; ``unit`` is that of the sizes.

    See `object_curve` for the caches. Raises UsageError for a store that holds no key trace, and for bytes where the
    trace does not state the sizes of objects.
    """
    if NATIVE not in store.tables:
        raise UsageError(f"{store.name}: holds no trace of keys, whose objects caches could hold")
    return object_curve(_requests(store), unit=unit, sizes=sizes)


def _requests(store: Store) -> Iterator[pa.RecordBatch]:
    """Yield keys, operations as the reference stream has them, and sizes, if the trace states any."""
    sized = [] if "size" in store.manifest.get("lacks", []) else ["size"]
    for batch in store.batches(NATIVE, ["key", "operation", *sized]):
        kinds = pa.array(operations_of(batch["operation"]), pa.int32())
        operations = pa.DictionaryArray.from_arrays(kinds, pa.array(OPERATIONS, pa.string()))
        columns = {"key": batch["key"], "operation": operations, **{name: batch[name] for name in sized}}
        yield pa.RecordBatch.from_pydict(columns)
