"""A store's references, as a stream for the engine: all, or those that SQL or a few conditions choose.

Truncations and deletions are always included, since they drop blocks of every type.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.population import condition, members
from iotrace.analysis.curves.stream import CONTROLS
from iotrace.analysis.curves.texts import Mask, Texts
from iotrace.analysis.population import Population
from iotrace.errors import IotraceError, sql_reason
from iotrace.libraries import duckdb
from iotrace.schemas.reference_types import TYPES
from iotrace.store.expressions import REFERENCES, check_over_references
from iotrace.store.store import Store

COLUMNS = ("operation", "file", "offset", "length", "file_size")
"""The columns of table reference that the engine reads."""

BATCH_ROWS = 1 << 17
DIRECTIONS = pa.array(["read", "write"])
COMPONENT = "component"
"""The column of an expression's values, where that is not a plain column's name."""


def everything(store: Store, *further: str, records: range | None = None) -> Iterator[pa.RecordBatch]:
    """Return all references in order, or some records, with the engine's columns and the further ones named."""
    return store.batches("reference", list(dict.fromkeys([*COLUMNS, *further])), records=records)


@dataclass(frozen=True)
class Selection:
    """Requests of some types and a population, to files of some sizes.

    A file's size is the largest seen; an unknown one counts as 0.
    """

    types: tuple[str, ...] = TYPES
    file_bytes_from: int = 0
    file_bytes_below: int | None = None
    population: Population = Population.ALL

    def files(self, store: Store) -> Mask | None:
        """Return for each file whether its size fits, the last place for no file; None if every size does."""
        if self.file_bytes_from == 0 and self.file_bytes_below is None:
            return None
        files = store.arrow("file", ["file", "size_largest_bytes"]).combine_chunks().sort_by("file")
        if not np.array_equal(files["file"].to_numpy(), np.arange(files.num_rows)):
            raise IotraceError(f"{store.name}: the files are not numbered from 0")
        sizes = pc.fill_null(files["size_largest_bytes"].combine_chunks(), 0).to_numpy()
        fits = sizes >= self.file_bytes_from
        if self.file_bytes_below is not None:
            fits &= sizes < self.file_bytes_below
        return np.append(fits, False)


def selected(
    store: Store, selections: Sequence[Selection], read: Callable[[int], None] = lambda references: None
) -> Iterator[list[pa.RecordBatch]]:
    """Yield the references in order, batch by batch: of each batch those of every selection.

    They have the engine's columns, their type, flags and direction, read or write. `read` is called with the number of
    references of each batch once it has been taken.
    """
    files = [selection.files(store) for selection in selections]
    populations = {selection.population for selection in selections}
    for batch in everything(store, "time_ns", "type", "flags"):
        kinds, operations = (Texts.of(batch.column(name)) for name in ("type", "operation"))
        controls = operations.are(CONTROLS.to_pylist())
        numbers = _numbers(batch) if any(fits is not None for fits in files) else None
        column = pa.DictionaryArray.from_arrays(pa.array(~operations.are(["read"]), pa.int32()), DIRECTIONS)
        ready = batch.append_column("direction", column)
        belonging = {population: members(population, batch) for population in populations}
        yield [
            _filtered(ready, controls | _wanted(selection, belonging, kinds, fits, numbers))
            for selection, fits in zip(selections, files, strict=True)
        ]
        read(batch.num_rows)


def _wanted(
    selection: Selection, belonging: Mapping[Population, Mask], kinds: Texts, fits: Mask | None, numbers: Any
) -> Mask:
    chosen = kinds.are(selection.types) & belonging[selection.population]
    if fits is not None:
        chosen &= fits[numbers]
    return chosen


def _filtered(batch: pa.RecordBatch, chosen: Mask) -> pa.RecordBatch:
    return batch if chosen.all() else batch.filter(pa.array(chosen))


def _numbers(batch: pa.RecordBatch) -> npt.NDArray[np.int64]:
    """Return each row's file, -1 for none."""
    return np.asarray(batch.column("file").fill_null(-1).to_numpy(), np.int64)


def of_population(
    store: Store, population: Population, *further: str, records: range | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the references of a population in order, with all truncations, deletions and syncs."""
    if population is Population.ALL:
        yield from everything(store, "type", *further, records=records)
        return
    for batch in everything(store, "type", "flags", *further, records=records):
        is_control = Texts.of(batch.column("operation")).are(CONTROLS.to_pylist())
        yield _filtered(batch, is_control | members(population, batch))


def check_chosen(store: Store, where: str | None, by: str | None) -> None:
    """Raise UsageError or IotraceError for conditions and values in SQL that `chosen` cannot take."""
    if where is not None:
        check_over_references(store, where, "--where")
    if by is not None and not _is_plain(by):
        check_over_references(store, by, "--by")


def _is_plain(by: str | None) -> bool:
    from iotrace.schemas import table

    return by is None or by in {column.name for column in table("reference").columns}


def chosen(
    store: Store,
    where: str | None,
    by: str | None,
    further: Sequence[str] = (),
    population: Population | None = None,
    records: range | None = None,
) -> tuple[Any, str | None]:
    """Return the references that fulfil a condition in SQL, and the name of the column with ``by``'s values.

    Without a condition those of the ``population``, data if none is given; with one, all or those of the population
    given.

    Syncs are always included, as removals are, and so are the ``further`` columns of the references. ``records`` are
    the positions of the references among which is chosen.

    Both are expressions over table reference joined with file and process (so ``size_largest_bytes < 65536``
    and ``program`` do), as `check_chosen` lets pass. A plain column of table reference needs no SQL. Raises
    IotraceError for SQL that DuckDB refuses.
    """
    population = population or (Population.DATA if where is None else Population.ALL)
    if where is None and _is_plain(by):
        return of_population(store, population, *([by] if by else []), *further, records=records), by
    name = None if by is None else by if by.isidentifier() else COMPONENT
    columns = ", ".join(f'reference."{column}"' for column in (*COLUMNS, "time_ns", "type", *further))
    value = f', (\n{by}\n) as "{name}"' if by else ""
    among = (
        "true" if records is None else f"reference.seq >= {records.start} and reference.seq < {records.stop}"
    )
    query = (
        f"select * from (select reference.seq, {columns}{value} from {REFERENCES}"
        f" where {among} and"
        f" (((\n{where or 'true'}\n) and {condition(population)}) or operation in ('truncate', 'delete', 'sync')))"
        " order by seq"
    )
    try:
        rows = store.sandboxed(views=[]).sql(query).to_arrow_reader(BATCH_ROWS)
    except duckdb.Error as error:
        raise IotraceError(f"SQL: {sql_reason(error)}") from None
    return (store.checked("reference", batch) for batch in rows), name
