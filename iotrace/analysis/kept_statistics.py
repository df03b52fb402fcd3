"""The statistics of each partition of a store that grows, and those of several: without reading their requests.

Beside each partition is a file with the rows of the views through which statistics merge (`iotrace.analysis.merging`),
and of tables file and process, by whose names partitions meet. Of some partitions that follow each other they give a
store whose table of requests is empty, and whose statistics are known.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from iotrace import queries, schemas, units
from iotrace.analysis import merging
from iotrace.analysis.characterize import characterize, characterize_store
from iotrace.analysis.merging import Rows
from iotrace.errors import IotraceError, reason, sql_reason
from iotrace.families import DISKS
from iotrace.files import atomic_write
from iotrace.files.outputs import failures_named
from iotrace.files.parquet import read_table
from iotrace.store import appended, partitions
from iotrace.store.appended import Entry, KeptRows
from iotrace.store.part.build import KEY as PART
from iotrace.store.part.build import TracePart, new_folder, part_of
from iotrace.store.part.selection import Selection
from iotrace.store.store import Store, read
from iotrace.store.views import without_views
from iotrace.store.writer import TableWriters, write_manifest

TABLES = ("file", "process")
"""The tables that are kept, by whose rows those of views are numbered."""
FAMILIES = (DISKS.name,)
"""The families of traces whose statistics are kept; those of keys would have a row for each key."""
NUMBERS = {"file": "file", "device": "device", "process": "process"}
"""The columns of views that are numbers of something, and of what."""
FEWEST = 2
"""The fewest partitions whose statistics are merged; those of one are computed from its requests."""
PLACE = "place"
"""The place of a kept row's partition and of the row in it, by which names are numbered anew."""


def views(family: str) -> list[str]:
    """Return the views that are kept of the partitions of a family."""
    below = (view for name in queries.names(family) for view in merging.views_of(name, family)[0])
    return sorted(dict.fromkeys(below)) if family in FAMILIES else []


def keep(day: Store, place: Path) -> None:
    """Write the rows of a partition's views and tables, each as a list in one row; of some families there are none."""
    names = views(day.family.name)
    if not names:
        return
    with day.queried() as connection:
        rows = characterize(connection, names)
    rows |= {name: day.arrow(name) for name in TABLES}
    columns = {name: _as_list(table.cast(_schema(name))) for name, table in rows.items()}
    with failures_named(place), atomic_write(place) as partial:
        pq.write_table(pa.table(columns), partial, compression="zstd")


def covering(store: Store, last_ns: int) -> list[Entry]:
    """Return the partitions that end in the last time of a store, if they are several; else none."""
    listed = appended.entries(store) if appended.KEY in store.manifest else []
    chosen = [one for one in listed if one["last_ns"] >= listed[-1]["last_ns"] - last_ns]
    return chosen if len(chosen) >= FEWEST and store.family.name in FAMILIES else []


def with_requests(store: Store, chosen: Sequence[Entry]) -> TracePart:
    """Return the last partitions of a store, with their requests; raises IotraceError where these are gone."""
    if gone := [one[appended.NAME] for one in chosen if not one[appended.HAS_ROWS]]:
        raise IotraceError(
            f"{store.name}: the requests of {units.plural(len(gone), 'partition', 'partitions')} up to {gone[-1]} were"
            " dropped; only statistics that merge are known of them"
        )
    since_ns = appended.start_ns(chosen[0]) - int(store.manifest["times"]["first_ns"])
    return part_of(store, Selection(since_ns=since_ns))


def of_partitions(store: Store, chosen: Sequence[Entry]) -> TracePart:
    """Return a store of partitions that has their statistics instead of their requests.

    Raises IotraceError where those of a partition are missing or damaged.
    """
    listed = appended.entries(store)
    places = [listed.index(one) for one in chosen]
    parts = [_read(store, place, listed[place][appended.NAME]) for place in places]
    later_ns = [appended.start_ns(one) - appended.start_ns(chosen[0]) for one in chosen]
    try:
        with closing(duckdb.connect()) as connection:
            tables = _joined_tables(connection, parts)
            numbered = [_numbered(part, tables, number) for number, part in enumerate(parts)]
            rows = merging.joined(numbered, later_ns)
            folder = new_folder(store)
            with failures_named(folder):
                counts = _write(folder, store, connection)
    except (duckdb.Error, pa.ArrowException, IndexError) as error:
        raise IotraceError(
            f"{store.path}: what is kept of partitions does not fit: {sql_reason(error)}"
        ) from None
    write_manifest(folder, _manifest(store, chosen, counts))
    files = [store.folder / appended.state_name(place) for place in places]
    states = tuple(files) if all(file.is_file() for file in files) else ()
    has_requests = all(one[appended.HAS_ROWS] for one in chosen)
    part = read(folder)
    return TracePart(replace(part, kept=KeptRows(rows, states, has_requests)), part.manifest[PART]["covers"])


def statistics(
    store: Store, names: Iterable[str], parameters: Mapping[str, str | int], left_out: dict[str, str]
) -> dict[str, pa.Table]:
    """Return statistics of a store of partitions; ``left_out`` gets those that need requests, which are empty."""
    assert store.kept is not None
    names = list(names)
    reasons = {name: why for name in names if (why := why_not(name, store.family.name, parameters))}
    known = [name for name in names if name not in reasons]
    results = characterize_store(store, known, parameters, left_out, store.kept.views)
    left_out |= reasons
    results |= {name: queries.query(name).schema.empty_table() for name in reasons}
    return {name: results[name] for name in names}


def sentence(store: Store, left_out: Collection[str], names: Iterable[str], last: str) -> str | None:
    """Say which of some statistics of the last time of a store are left out, and which command has them."""
    listed = [name for name in names if name in left_out]
    if store.kept is None or not listed:
        return None
    command = f"iotrace characterize {shlex.quote(store.name)} {listed[0]} --last {shlex.quote(last)}"
    way_out = f"{command} reads the requests" if store.kept.has_requests else "their requests were dropped"
    return f"left out, since they need the requests: {', '.join(listed)}; {way_out}"


def why_not(name: str, family: str, parameters: Mapping[str, str | int]) -> str | None:
    """Return why a statistic does not follow from what is kept of partitions; None if it does."""
    if name not in queries.names() or merging.views_of(name, family)[1]:
        return "it does not merge, and needs the requests"
    of_views = {
        one.name: one.default
        for view in merging.views_of(name, family)[0]
        for one in queries.query(view).parameters
    }
    changed = [one for one, value in of_views.items() if parameters.get(one, value) != value]
    return (
        f"it was kept with {changed[0]} {of_views[changed[0]]}, and needs the requests" if changed else None
    )


def _schema(name: str) -> pa.Schema:
    """Return the plain columns of a view or table."""
    described = schemas.schema(name) if name in TABLES else queries.query(name).schema
    plain = [
        pa.field(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type)
        for one in described
    ]
    return pa.schema(plain)


def _as_list(rows: pa.Table) -> pa.Array:
    """Return rows as one list."""
    structs = rows.combine_chunks().to_struct_array()
    values = structs.combine_chunks() if isinstance(structs, pa.ChunkedArray) else structs
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def _read(store: Store, place: int, name: str) -> Rows:
    """Return what is kept of a partition; raises IotraceError."""
    path = store.path / appended.statistics_name(place)
    if not path.is_file():
        raise IotraceError(
            f"{store.path}: partition {name} has no statistics ({path.name}): --since reads its requests instead"
        )
    wanted = [*views(store.family.name), *TABLES]
    try:
        table = read_table(path)
        if table.column_names != wanted or table.num_rows != 1:
            raise ValueError("its columns are those of another version")
        return {
            one: pa.Table.from_struct_array(table[one].combine_chunks().flatten()).cast(_schema(one))
            for one in wanted
        }
    except (pa.ArrowException, OSError, ValueError) as error:
        raise IotraceError(
            f"{path}: cannot be used: {reason(error)}; --since reads the requests instead"
        ) from None


NAMED: Mapping[str, tuple[str, ...]] = {"file": ("kind", "path"), "process": ("thread", "pid", "program")}
"""The columns by which rows of partitions are one."""
LAST = ("size_last_bytes",)
LARGEST = ("size_largest_bytes",)


def _joined_tables(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[Rows]
) -> dict[str, list[np.ndarray[Any, Any]]]:
    """Make the tables of all partitions on a connection; return the numbers of each partition's files, devices and
    processes among all, which count in the order of their first occurrence."""
    for name, key in NAMED.items():
        rows = pa.concat_tables(
            [
                part[name].append_column(PLACE, pa.array(_places(number, len(part[name]))))
                for number, part in enumerate(parts)
            ]
        )
        connection.register(f"{name}_rows", rows)
        columns = [
            f'arg_max("{one}", {PLACE}) as "{one}"'
            if one in LAST
            else f'max("{one}") as "{one}"'
            if one in LARGEST
            else f'arg_min("{one}", {PLACE}) as "{one}"'
            for one in _schema(name).names
            if one not in (name, *key)
        ]
        connection.execute(
            f"create table {name}_all as select row_number() over (order by min({PLACE})) - 1 as {name}_number,"
            f" {', '.join([*key, *columns])}, min({PLACE}) as {PLACE} from {name}_rows group by {', '.join(key)}"
        )
    connection.execute(
        "create table device_all as select file_number, row_number() over (order by min(d.seen)) - 1 as device_number"
        f" from (select kind, path, {PLACE} >> 32 << 32 | device as seen from file_rows where device is not null) as d"
        " join file_all on file_all.kind = d.kind and file_all.path is not distinct from d.path group by file_number"
    )
    same = {
        name: " and ".join(f"a.{one} is not distinct from r.{one}" for one in key)
        for name, key in NAMED.items()
    }
    found = {
        name: f"select r.{PLACE} >> 32 as part, r.{name} as was, {name}_number as number from {name}_rows as r"
        f" join {name}_all as a on {same[name]}"
        for name in NAMED
    }
    found["device"] = (
        f"select r.{PLACE} >> 32 as part, r.device as was, device_number as number from file_rows as r"
        f" join file_all as a on {same['file']} join device_all using (file_number) where r.device is not null"
    )
    numbers = {}
    for name, sql in found.items():
        rows = connection.sql(f"{sql} order by part, was").fetchnumpy()
        numbers[name] = [
            _by_number(rows["was"][rows["part"] == part], rows["number"][rows["part"] == part])
            for part in range(len(parts))
        ]
    return numbers


def _places(part: int, rows: int) -> np.ndarray[Any, Any]:
    return np.arange(rows, dtype=np.int64) + (part << 32)


def _by_number(was: np.ndarray[Any, Any], number: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return numbers by the number that something has in its partition."""
    if not np.array_equal(was, np.arange(len(was))):
        raise IndexError("rows are not numbered from 0")
    return number.astype(np.int32)


def _numbered(part: Rows, numbers: Mapping[str, list[np.ndarray[Any, Any]]], place: int) -> Rows:
    """Return the views of a partition with the numbers that all have; raises IndexError for one that nothing has."""
    renumbered = {}
    for view, rows in part.items():
        if view in TABLES:
            continue
        for column, of in NUMBERS.items():
            if column in rows.column_names:
                there = pa.array(numbers[of][place], pa.int32())
                rows = rows.set_column(
                    rows.schema.get_field_index(column), rows.schema.field(column), there.take(rows[column])
                )
        renumbered[view] = rows.cast(queries.query(view).schema)
    return renumbered


def _write(folder: Path, store: Store, connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Write the tables of partitions, without requests; return how many rows each has."""
    with closing(TableWriters(folder)) as writers:
        for name in store.tables:
            writers.empty(name)
        for name in TABLES:
            selected = ", ".join(
                f'device_number as "{one}"'
                if one == "device"
                else f'{name}_number as "{one}"'
                if one == name
                else f'"{one}"'
                for one in schemas.schema(name).names
            )
            devices = "left join device_all using (file_number)" if name == "file" else ""
            rows = connection.sql(
                f"select {selected} from {name}_all {devices} order by {name}_number"
            ).to_arrow_table()
            for batch in rows.cast(_schema(name)).cast(schemas.schema(name)).combine_chunks().to_batches():
                writers.write(name, batch)
        return dict(writers.rows)


def _manifest(store: Store, chosen: Sequence[Entry], rows: Mapping[str, int]) -> dict[str, Any]:
    whole = appended.merged(store.manifest, [one | {appended.HAS_ROWS: True} for one in chosen])
    first, last = chosen[0], chosen[-1]
    start, end = (
        appended.moment(store.manifest, ns) for ns in (appended.start_ns(first), appended.end_ns(last))
    )
    dropped = sum(not one[appended.HAS_ROWS] for one in chosen)
    covers = (
        f"covers {units.plural(len(chosen), 'partition', 'partitions')}, {first[appended.NAME]} to"
        f" {last[appended.NAME]} ({start} to {end}), of {len(appended.entries(store)):,}, by the statistics that were"
        " kept when they were appended"
        + (f"; the requests of {dropped:,} of them were dropped" if dropped else "")
    )
    tables = {name: rows.get(name, 0) for name in store.manifest["tables"]}
    counts = whole["counts"] | {"files": rows["file"], "uses": 0}
    return {
        **partitions.without(without_views(whole)),
        "times": whole["times"] | {"first_ns": appended.start_ns(first)},
        "counts": counts,
        "tables": tables,
        PART: {"covers": covers, "of": store.name},
    }
