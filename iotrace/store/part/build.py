"""A part of a store as a store of its own, so that all that reads stores works on it.

It is written into the process's temporary folder: rows that are chosen, in their order. Files, processes and uses are
numbered anew. Times count from the part's beginning, so that rates and windows are those of the part. What the whole
trace revealed stays known: names and sizes of files, and what descriptors from before stand for.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import schemas
from iotrace.errors import IotraceError, sql_reason
from iotrace.files.outputs import failures_named
from iotrace.files.temporary import folder_of_process
from iotrace.libraries import duckdb
from iotrace.store import appended, partitions
from iotrace.store.expressions import check_over_references
from iotrace.store.part.messages import nothing, sentence, warmed_sentence, warms
from iotrace.store.part.row_filter import RowFilter
from iotrace.store.part.selection import Selection
from iotrace.store.part.statements import statements, warmed_sql
from iotrace.store.store import BATCH_ROWS, Store, read
from iotrace.store.views import without_views
from iotrace.store.writer import TableWriters, write_manifest

KEY = "part"
"""The member of the manifest of a part that says what it is."""


@dataclass(frozen=True)
class TracePart:
    """A part of a store."""

    store: Store
    sentence: str
    """A sentence on what it covers and leaves out."""


def part_of(store: Store, selection: Selection) -> TracePart:
    """Return the rows of a store that are selected, as a store.

    Raises IotraceError where nothing is left, and for a condition that the store cannot answer.
    """
    with _chosen(store, selection) as choice:
        counts = choice.counts()
        if not counts["kept"] and not counts["references"]:
            raise IotraceError(nothing(store, selection, counts))
        folder = new_folder(store)
        with failures_named(folder):
            rows = _write(folder, choice)
        covers = sentence(store, selection, counts, choice.origin_ns)
        write_manifest(folder, _manifest(choice, rows, counts, covers))
    return TracePart(read(folder), covers)


def warmed_part_of(store: Store, selection: Selection) -> TracePart:
    """Return the same for caches: with the references before it, which warm them and are not counted.

    Only references are chosen; truncations, deletions and syncs are kept whoever makes them, since they reach every
    cache. Times, files and processes are those of the whole trace. Raises as `part_of`.
    """
    with _chosen(store, selection, is_for_caches=True) as choice:
        counts = choice.counts()
        if not counts["references"]:
            raise IotraceError(nothing(store, selection, counts))
        folder = new_folder(store)
        with failures_named(folder):
            with closing(TableWriters(folder)) as writers:
                write_rows(writers, "reference", warmed_sql(choice), choice.connection)
            for name in set(store.stored_tables) - {"reference"}:
                for path in store.table_paths(name):
                    (folder / path.name).symlink_to(path.resolve())
        covers = warmed_sentence(store, selection, counts)
        warm = {} if selection.since_ns is None else {"counted_from_ns": selection.since_ns}
        tables = store.manifest["tables"] | writers.rows
        write_manifest(
            folder,
            without_views(store.manifest)
            | {"tables": tables, KEY: {"covers": covers, "of": choice.store.name} | warm},
        )
    return TracePart(read(folder), covers)


def warmed_requests_of(store: Store, selection: Selection) -> TracePart:
    """Return the same for simulated machines: with the requests before it, which warm their caches."""
    if not selection.since_ns:
        return part_of(store, selection)
    with _chosen(store, selection) as choice:
        counts = choice.counts()
    if not counts["kept"]:
        raise IotraceError(nothing(store, selection, counts))
    covers = "; ".join([sentence(store, selection, counts, origin_ns=0), warms(selection)])
    warmed = part_of(store, replace(selection, since_ns=None)).store
    counted = {"covers": covers, "counted_from_ns": selection.since_ns}
    write_manifest(warmed.folder, warmed.manifest | {KEY: warmed.manifest[KEY] | counted})
    return TracePart(read(warmed.path), covers)


def new_folder(store: Store) -> Path:
    """Return an empty folder for a part of a store, which ends with the process."""
    folder = folder_of_process() / secrets.token_hex(4) / store.path.name
    with failures_named(folder):
        folder.mkdir(parents=True)
    return folder


@contextmanager
def _chosen(store: Store, selection: Selection, is_for_caches: bool = False) -> Iterator[RowFilter]:
    store.family.check_answers("accesses", store.name)
    if selection.where is not None:
        check_over_references(store, selection.where, "--where")
    with closing(store.sandboxed(views=["clock", "thread_event"])) as connection:
        choice = RowFilter(store, selection, connection)
        try:
            choice.choose(is_for_caches)
            yield choice
        except duckdb.Error as error:
            raise IotraceError(f"{store.name}: {sql_reason(error)}") from None


def _write(folder: Path, choice: RowFilter) -> dict[str, int]:
    with closing(TableWriters(folder)) as writers:
        for name, statement in statements(choice).items():
            write_rows(writers, name, statement, choice.connection)
        return writers.rows


def write_rows(
    writers: TableWriters, name: str, statement: str, connection: duckdb.DuckDBPyConnection
) -> None:
    """Write the rows of a statement as a table."""
    writers.empty(name)
    schema = schemas.schema(name)
    for batch in connection.sql(statement).to_arrow_reader(BATCH_ROWS):
        writers.write(name, pa.RecordBatch.from_arrays(batch.columns, names=schema.names).cast(schema))


def _manifest(
    choice: RowFilter, rows: Mapping[str, int], counts: Mapping[str, int], covers: str
) -> dict[str, Any]:
    """Return the manifest of a part: that of the whole, with what is counted in the part."""
    whole = choice.store.manifest
    first_ns = whole["times"]["first_ns"]
    first_ns = None if first_ns is None else first_ns + choice.origin_ns
    counted = whole["counts"] | _counts(choice, rows, counts)
    between_ns = 0
    if first_ns is not None and counted["duration_ns"] is not None:
        between_ns = appended.between_within(whole, first_ns, first_ns + counted["duration_ns"])
    unrecorded = {"between_ns": between_ns} if between_ns else {}
    return {
        **partitions.without(without_views(whole)),
        "store_version": schemas.VERSION,
        "counts": counted,
        "times": whole["times"] | {"first_ns": first_ns},
        "tables": dict(rows),
        KEY: {"covers": covers, "of": choice.store.name} | unrecorded,
    }


def _counts(choice: RowFilter, rows: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, Any]:
    ((files, processes),) = choice.connection.execute(
        "select (select count(*) from file join kept_file using (file) where kind <> 'inode'),"
        " (select count(*) from (select distinct job, pid from process join kept_process using (process)))"
    ).fetchall()
    ends = [choice.connection.execute(choice.end_sql()).fetchone(), (choice.end_ns(),)]
    end_ns = min((end for row in ends if row for end in row if end is not None), default=None)
    unit = "calls" if "calls" in choice.store.manifest["counts"] else "requests"
    return {
        unit: counts["kept"],
        "references": rows["reference"],
        "files": files,
        "processes": processes,
        "uses": rows["use"],
        "duration_ns": None if end_ns is None else max(0, end_ns - choice.origin_ns),
    }
