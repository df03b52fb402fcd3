"""The tables of a store that are no files but views: made of other tables whenever they are read.

The manifest names them in ``views``. There is one: ``reference``, of a block trace made of disk_io (see
`disk_references`), of a key trace of key_io (see `key_references`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.errors import IotraceError
from iotrace.libraries import pl
from iotrace.store import key_references
from iotrace.store.disk_references import CHOSEN_BY, NATIVE, DiskReferences, referring
from iotrace.store.key_references import KeyReferences

if TYPE_CHECKING:
    from iotrace.store.store import Store

VIEW = "reference"


def without_views(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest for a store in which all tables are files."""
    return {name: value for name, value in manifest.items() if name != "views"}


def check(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise IotraceError where a view lacks the table of which it is made, or has more rows than that."""
    if not manifest.get("views"):
        return
    native = _native(manifest)
    requests, references = manifest["tables"].get(native), manifest["tables"][VIEW]
    is_other = native == key_references.NATIVE and references != requests
    if requests is None or references > requests or is_other:
        has = "no" if requests is None else "more" if requests > references else "fewer"
        raise IotraceError(
            f"{path}: its manifest.json is not usable: table {VIEW} is a view over {native}, which has"
            f" {has} rows; ingest the trace again"
        )


def _native(manifest: Mapping[str, Any]) -> str:
    """Return the table of which the view is made."""
    return key_references.NATIVE if key_references.NATIVE in manifest["tables"] else NATIVE


def selects(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the SELECT of each view of a store with this manifest."""
    if not manifest.get("views"):
        return {}
    if _native(manifest) == key_references.NATIVE:
        return {VIEW: KeyReferences().sql()}
    described = manifest["views"][VIEW]
    no_numbers = None if described.get("files_are_devices") else np.empty(0, np.int32)
    return {VIEW: DiskReferences(no_numbers, _is_every_request(manifest)).sql()}


def _is_every_request(manifest: Mapping[str, Any]) -> bool:
    return bool(manifest["tables"][VIEW] == manifest["tables"][_native(manifest)])


def _view(store: Store) -> DiskReferences | KeyReferences:
    if _native(store.manifest) == key_references.NATIVE:
        return KeyReferences()
    return DiskReferences(_files(store), _is_every_request(store.manifest))


def batches(
    store: Store, columns: list[str], rows: int, records: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield columns of table reference in batches of at most ``rows`` requests, as `Store.batches` does."""
    view = _view(store)
    seq = 0
    requests = None
    if records is not None and view.every_request:
        seq, requests = records.start, records
    elif records is not None:
        seq, requests = _from_request(store, records)
    for batch in store.batches(_native(store.manifest), view.needs(columns), rows, requests):
        if isinstance(view, DiskReferences):
            _check_devices(store, batch, view)
        made = view.rows(batch, columns, seq)
        seq += made.num_rows
        if records is not None:
            start = max(0, records.start - (seq - made.num_rows))
            made = made.slice(start, max(0, records.stop - (seq - made.num_rows) - start))
        if made.num_rows:
            yield store.checked(VIEW, made)
        if records is not None and seq >= records.stop:
            return


def row_group_ends(store: Store) -> list[int]:
    """Return where row groups of references end, as `Store.row_group_ends` does: those of the requests, if each of them
    is a reference, or else one of all."""
    is_every = _is_every_request(store.manifest)
    return (
        store.row_group_ends(_native(store.manifest)) if is_every else [int(store.manifest["tables"][VIEW])]
    )


def _from_request(store: Store, records: range) -> tuple[int, range]:
    """Return the number of a reference from which on `records` are read, and the places of the requests that make them.

    The places begin with a batch, so that only those before it are counted.
    """
    references = requests = 0
    for batch in store.batches(NATIVE, CHOSEN_BY):
        here = int(referring(batch).sum())
        if references + here > records.start:
            break
        references += here
        requests += batch.num_rows
    return references, range(requests, int(store.manifest["tables"][NATIVE]))


def _files(store: Store) -> np.ndarray[Any, np.dtype[np.int32]] | None:
    """Return the number of each device's file; None where they are the same."""
    if store.manifest["views"][VIEW].get("files_are_devices"):
        return None
    files = store.arrow("file", ["file", "device"])
    of_device = files.filter(files["device"].is_valid()).sort_by("device")
    numbers: np.ndarray[Any, np.dtype[np.int32]] = of_device["file"].to_numpy().astype(np.int32)
    return numbers


def _check_devices(store: Store, requests: pa.RecordBatch, view: DiskReferences) -> None:
    """Raise IotraceError for a device that has no file."""
    if view.file_of_device is None or "device" not in requests.schema.names or not requests.num_rows:
        return
    largest = int(requests["device"].to_numpy().max())
    if largest >= len(view.file_of_device):
        raise IotraceError(
            f"{store.path}: {NATIVE}.parquet is not usable: device {largest} has no row in table file; ingest the"
            " trace again"
        )


def polars(store: Store) -> pl.LazyFrame:
    """Return table reference as a lazy polars frame, made of batches as they are needed."""
    from polars.io.plugins import register_io_source

    names = schemas.schema(VIEW).names
    empty = pl.DataFrame(pl.from_arrow(schemas.schema(VIEW).empty_table()))

    def frames(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        left = rows
        for batch in batches(store, columns or names, batch_rows or 1 << 17):
            frame = pl.DataFrame(pl.from_arrow(batch))
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            yield frame if predicate is None else frame.filter(predicate)
            if left == 0:
                return

    return register_io_source(frames, schema=empty.schema)
