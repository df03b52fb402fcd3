"""The tables of a store that are not files but views: made of other tables whenever they are read.

The manifest names them in ``views``. There is one: ``reference``, of a block trace made of disk_io (see
`disk_references`), of a key trace of key_io (see `key_references`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import pyarrow as pa

from iotrace import schemas
from iotrace.errors import IotraceError, UnusableStoreError
from iotrace.files.remote import Place
from iotrace.libraries import pl
from iotrace.store import values
from iotrace.store.disk_references import DiskReferences
from iotrace.store.key_references import KeyReferences
from iotrace.store.view_rows import lazy

if TYPE_CHECKING:
    from iotrace.store.store import Store

REFERENCE = "reference"


def without_views(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest for a store in which all tables are files."""
    return {name: value for name, value in manifest.items() if name != "views"}


class View(Protocol):
    """Table reference of one store, made of its native table."""

    native: ClassVar[str]
    """The table of which it is made."""

    @property
    def every_request(self) -> bool:
        """Whether each row of that table is a reference."""

    @classmethod
    def of(cls, store: Store) -> Self:
        """Return the view of a store, for `rows`."""

    @classmethod
    def described(cls, manifest: Mapping[str, Any]) -> Self:
        """Return the view of a store with this manifest, for `sql`."""

    def needs(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of the native table of which these columns are made, at least one."""

    def count(self, requests: pa.RecordBatch) -> int:
        """Return how many references rows with the columns that no columns need are."""

    def rows(self, requests: pa.RecordBatch, columns: Sequence[str], first_seq: int) -> pa.RecordBatch:
        """Return these columns of the references that requests are, which are numbered from ``first_seq`` on.

        Raises ValueError for requests that no trace has.
        """

    def sql(self) -> str:
        """Return the same as a SELECT."""


VIEWS: tuple[type[View], ...] = (DiskReferences, KeyReferences)


def _view_of(manifest: Mapping[str, Any]) -> type[View]:
    """Return the view of a store with this manifest; the first, whose table is then missing, if none fits."""
    return next((view for view in VIEWS if view.native in manifest["tables"]), VIEWS[0])


def check(path: Place, manifest: Mapping[str, Any]) -> None:
    """Raise IotraceError where a view lacks the table of which it is made, or has another number of rows."""
    if not manifest.get("views"):
        return
    native = _view_of(manifest).native
    requests, references = manifest["tables"].get(native), manifest["tables"][REFERENCE]
    is_every = requests is not None and _view_of(manifest).described(manifest).every_request
    if requests is None or references > requests or (is_every and references != requests):
        has = "no" if requests is None else "more" if requests > references else "fewer"
        raise IotraceError(
            f"{path}: its manifest.json is not usable: table {REFERENCE} is a view over {native}, which has"
            f" {has} rows; ingest the trace again"
        )


def selects(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the SELECT of each view of a store with this manifest."""
    return {REFERENCE: _view_of(manifest).described(manifest).sql()} if manifest.get("views") else {}


def batches(
    store: Store, columns: list[str], rows: int, records: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield columns of table reference in batches of at most ``rows`` requests, as `Store.batches` does."""
    view = _view_of(store.manifest).of(store)
    # all else is made of values that were checked
    pointers = [name for name in columns if name in values.POINTERS[REFERENCE]]
    seq = 0
    requests = None
    if records is not None and view.every_request:
        seq, requests = records.start, records
    elif records is not None:
        seq, requests = _from_request(store, view, records)
    for batch in store.batches(view.native, view.needs(columns), rows, requests):
        try:
            references = view.rows(batch, columns, seq)
        except ValueError as error:
            place = f"{store.path}: {view.native}.parquet"
            raise UnusableStoreError(f"{place} is not usable: {error}; ingest the trace again") from None
        seq += references.num_rows
        if records is not None:
            start = max(0, records.start - (seq - references.num_rows))
            references = references.slice(start, max(0, records.stop - (seq - references.num_rows) - start))
        if references.num_rows:
            store.checked(REFERENCE, references.select(pointers))
            yield references
        if records is not None and seq >= records.stop:
            return


def row_group_ends(store: Store) -> list[int]:
    """Return where row groups of references end, as `Store.row_group_ends` does: those of the requests, if each of them
    is a reference, or else one of all."""
    view = _view_of(store.manifest).described(store.manifest)
    return (
        store.row_group_ends(view.native)
        if view.every_request
        else [int(store.manifest["tables"][REFERENCE])]
    )


def _from_request(store: Store, view: View, records: range) -> tuple[int, range]:
    """Return the number of a reference from which on `records` are read, and the places of the requests that make them.

    The places begin with a batch, so that only those before it are counted.
    """
    references = requests = 0
    for batch in store.batches(view.native, view.needs([])):
        here = view.count(batch)
        if references + here > records.start:
            break
        references += here
        requests += batch.num_rows
    return references, range(requests, int(store.manifest["tables"][view.native]))


def polars(store: Store) -> pl.LazyFrame:
    """Return table reference as a lazy polars frame, made of batches as they are needed."""
    return lazy(schemas.schema(REFERENCE), lambda columns, rows: batches(store, columns, rows))
