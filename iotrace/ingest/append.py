"""A day, or another period, appended to a store: its rows follow those that are there, and get the store's numbers.

The day is ingested alone, next to the store. The rows of its native table become a further partition. The tables of
devices, files, processes, keys and tenants are written anew, since they are of all days. The older partitions are
linked, and neither read nor written. All this is in a new folder, which takes the store's place in one step.
Of system calls each partition is a log or recording of its own (see `iotrace.ingest.recordings`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import schemas, units
from iotrace.errors import IotraceError, UsageError
from iotrace.files import locks
from iotrace.files.inputs import MANIFEST
from iotrace.files.modes import mode_of
from iotrace.files.remote import Place, paths_of
from iotrace.formats.disk_io.order import SINCE_FIRST
from iotrace.formats.reading import tables
from iotrace.ingest import joined_tables, pipeline, recordings
from iotrace.ingest.joined_tables import Numbers
from iotrace.ingest.reconstruct import link
from iotrace.ingest.spans import taken
from iotrace.libraries import pc
from iotrace.store import appended, partitions
from iotrace.store.appended import Entry
from iotrace.store.folder import SUFFIX, is_store
from iotrace.store.store import Store, read
from iotrace.store.writer import TableWriters, write_manifest, writing

Keep = Callable[[Store, str, Path, int], Mapping[str, Any]]
"""Writes what is kept of a partition, by its store, its name, the folder and its place in the list; returns what was
found in it (see `iotrace.store.appended`)."""
DAY = f"day{SUFFIX}"
"""The store of what is appended, until its rows are in the larger one."""


@dataclass(frozen=True)
class Shift:
    """How rows of a native table are numbered and timed in another store."""

    first_seq: int
    later_ns: int
    first_request: int
    numbers: Mapping[str, Numbers]
    """The numbers there, by the columns that have them."""

    def of(self, table: str, rows: pa.RecordBatch, place: int) -> pa.RecordBatch:
        """Return rows as the other store has them; ``place`` is that of the first."""
        columns = {name: rows[name] for name in rows.schema.names}
        columns["seq"] = tables.running(self.first_seq + place, rows.num_rows)
        for name in SINCE_FIRST:
            if name in columns and columns[name].null_count < rows.num_rows:
                columns[name] = pc.add(columns[name], self.later_ns)
        if "request" in columns:
            columns["request"] = pc.add(columns["request"], self.first_request)
        for name, numbers in self.numbers.items():
            columns[name] = taken(numbers, columns[name])
        return tables.of_columns(table, columns)


def append(
    path: Path,
    files: Sequence[Place],
    partition: str | None = None,
    keep: Keep = lambda day, name, folder, place: {},
    **reading: Any,
) -> Store:
    """Append a trace to a store as a partition, which is named by its start if no name is given; return the store.

    Where nothing is, the store is made. ``reading`` is what `iotrace.ingest.pipeline.ingest` takes. Raises UsageError
    and IotraceError, and leaves the store as it was, for a trace that cannot be read, that is of another format or
    clock, that starts before the store's last request (of calls: before the last recording starts), or whose name
    another partition has.
    """
    named = {} if partition is None else {appended.NAME: partition}
    if not os.path.lexists(path):
        store = pipeline.ingest(files, path, described=named, **reading)
        try:
            _refuse_what_stays_alone(store, _sources(store))
        except IotraceError:
            shutil.rmtree(path)
            raise
        return store
    known_files = reading.get("known_files")
    inputs = [*files, *([] if known_files is None else [known_files])]
    with _held(path) as store, _replacing(path, inputs) as folder:
        if reading.get("format") is None and store.manifest["format"].startswith("csv:"):
            reading["format"] = store.manifest["format"]
        day = pipeline.ingest(files, folder / DAY, described=named, **reading)
        listed = appended.entries(store)
        _refuse_other_kinds(store, day)
        _refuse_what_stays_alone(day, _sources(day))
        new = appended.entry(day)
        _refuse_other_times(store, listed, new)
        _link_kept(store, folder)
        alone = [(len(listed), new, day)]
        if appended.KEY not in store.manifest:
            alone.insert(0, (0, listed[0], store))
        for place, one, of in alone:
            one[appended.ANSWERS] = dict(keep(of, one[appended.NAME], folder, place))
        write = recordings.write if store.family.has_model else _write
        write(folder, store, day, [*listed, new])
        shutil.rmtree(folder / DAY)
    return read(path)


def drop(path: Path, choose: Callable[[Store], Sequence[Entry]]) -> Sequence[Entry]:
    """Delete the rows of partitions of a store, which are chosen; return these. Of requests they are the first.

    The rows that stay are written anew, so that numbers and times count from the first of them, as in a store of them
    alone. The dropped partitions stay in the manifest. Raises UsageError where no rows would stay.
    """
    with _held(path) as store:
        listed, dropped = appended.entries(store), choose(store)
        kept = [one for one in appended.with_rows(listed) if one not in dropped]
        if not kept:
            raise UsageError(f"{path}: the last partition is not dropped: a store has rows")
        if dropped:
            listed = [one | {appended.HAS_ROWS: one in kept} for one in listed]
            with _replacing(path) as folder:
                _link_kept(store, folder)
                if store.family.has_model:
                    recordings.write_rest(folder, store, listed)
                else:
                    _write_rest(folder, store, listed, kept, sum(one["rows"] for one in dropped))
        return dropped


def drop_before(path: Path, text: str) -> str:
    """Delete the rows of the partitions that end before a moment; return a sentence on what is left of them.

    Raises UsageError for a text that is not a moment, and where no partition would have rows.
    """
    old = drop(path, lambda store: appended.ending_before(store, text))
    if not old:
        return f"{path}: no partition ends before {text}; nothing was dropped"
    family = read(path).family
    names = list(dict.fromkeys([old[0][appended.NAME], old[-1][appended.NAME]]))
    of = f"partition {' to '.join(names)}"
    if family.has_model and len(old) > 1:
        of = f"{units.plural(len(old), 'partition', 'partitions')} ({', '.join(one[appended.NAME] for one in old)})"
    has_curves = not (family.has_objects or family.has_model)
    curves = f", and iotrace merge-curves {path} their curve" if has_curves else ""
    return (
        f"{path}: dropped {appended.amount(old)} of {of}: iotrace catalogue {path} still has their counts and"
        f" findings{curves}; all other commands are of the {family.row[1]} that are left"
    )


def opened(path: Path) -> Store:
    """Return a store to which rows can be appended, or whose rows can be dropped; raises IotraceError for another."""
    _refuse_other_folders(path)
    store = read(path)
    _refuse_what_stays_alone(store, str(path))
    return store


def _refuse_what_stays_alone(store: Store, name: str) -> None:
    """Raise IotraceError for a trace of this name that cannot be one of several in a store."""
    why = None
    if store.family.has_model:
        why = recordings.refusal(store)
    elif not joined_tables.can_be_joined(store):
        why = (
            f"is made of {store.family.rows}: only requests to disks and to caches, and logs and recordings of system"
            " calls, are appended; give each day or host a store, which iotrace catalogue lists"
        )
    if why:
        raise IotraceError(f"{name}: {why}")


def _sources(store: Store) -> str:
    return ", ".join(store.manifest["sources"])


def _refuse_other_folders(path: Path) -> None:
    """Raise UsageError for a path that is not a store."""
    if not is_store(path):
        raise UsageError(f"{path}: is not a store, to which --append could append")


@contextlib.contextmanager
def _held(path: Path) -> Iterator[Store]:
    """Give a store that no other process appends to, or drops rows of, until the block ends."""
    _refuse_other_folders(path)
    with locks.held(path) as is_held:
        if not is_held:
            raise IotraceError(f"{path}: another process is changing this store; try again when it has ended")
        yield opened(path)


def _replacing(path: Path, files: Sequence[Place] = ()) -> contextlib.AbstractContextManager[Path]:
    """Give a folder that takes a store's place when the block ends, with the narrowest mode of what it is made of."""
    return writing(path, replace=True, mode=mode_of([*paths_of(files), path / MANIFEST]))


def _refuse_other_kinds(store: Store, day: Store) -> None:
    """Raise IotraceError where a trace is of another family, format or clock than a store."""
    names = _sources(day)
    for what, mine, theirs in (
        ("made of", store.family.rows, day.family.rows),
        ("of format", store.manifest["format"], day.manifest["format"]),
        ("by a clock that is", store.manifest["times"]["base"], day.manifest["times"]["base"]),
        ("of file system model", store.manifest["model"], day.manifest["model"]),
    ):
        if mine != theirs:
            raise IotraceError(f"{names}: is {what} {theirs}, and {store.path} {mine}: give it another store")
    if not store.family.has_model and store.tables != day.tables:
        others = ", ".join(sorted({*store.tables} ^ {*day.tables}))
        raise IotraceError(f"{names}: has other tables than {store.path} ({others}): give it another store")


def _refuse_other_times(store: Store, listed: Sequence[Entry], new: Entry) -> None:
    """Raise IotraceError for a partition that is there already, or that does not follow the others."""
    name = new[appended.NAME]
    if any(one[appended.NAME] == name for one in listed):
        raise IotraceError(f"{store.path}: has a partition {name} already; nothing was appended")
    if same := [one for one in listed if _extent(one) == _extent(new)]:
        raise IotraceError(
            f"{', '.join(new['sources'])}: has as many requests, of the same time, as partition"
            f" {same[0][appended.NAME]} of {store.path}: it is taken for the same trace, and nothing was appended"
        )
    earliest_ns = appended.earliest_ns(listed[-1])
    if appended.start_ns(new) >= earliest_ns:
        return
    start, end = (
        appended.moment(store.manifest, moment_ns) for moment_ns in (appended.start_ns(new), earliest_ns)
    )
    sources = ", ".join(new["sources"])
    if store.family.has_model:
        raise IotraceError(
            f"{sources}: starts at {start}, before the last recording of {store.path} ({end}): recordings are appended"
            " in the order in which they start; make the store again in this order"
        )
    raise IotraceError(
        f"{sources}: starts at {start}, before the last request of {store.path} ({end}):"
        " partitions are appended in the order of time; ingest what overlaps together, or give it another store"
    )


def _extent(one: Entry) -> tuple[int, int, int]:
    return appended.start_ns(one), one["last_ns"], one["rows"]


def _link_kept(store: Store, folder: Path) -> None:
    """Keep the states and statistics of a store's partitions, also of those whose rows are dropped."""
    for place in range(len(appended.entries(store))):
        for name in (appended.state_name(place), appended.statistics_name(place)):
            if (store.folder / name).is_file():
                link(store.folder / name, folder / name)


def _write(folder: Path, store: Store, day: Store, listed: Sequence[Entry]) -> None:
    """Write the store with the day's rows into a folder."""
    native = store.family.name
    *before, new = listed
    rows = partitions.rows_of_files(store.manifest, native)
    for place, file in enumerate(store.table_paths(native)):
        link(file, folder / partitions.file_name(native, place))
    with contextlib.closing(TableWriters(folder)) as writers:
        with joined_tables.joining(folder, store, day) as joined:
            joined.write(writers)
            shift = Shift(
                store.manifest["tables"][native],
                appended.start_ns(new) - store.manifest["times"]["first_ns"],
                sum(one["several_keys"] for one in before if one[appended.HAS_ROWS]),
                joined.numbers,
            )
        write_native(writers, day, shift, range(new["rows"]))
    (folder / f"{native}.parquet").rename(folder / partitions.file_name(native, len(rows)))
    references = sum(one["counts"]["references"] for one in listed if one[appended.HAS_ROWS])
    rows = [*rows, new["rows"]]
    _write_manifest(folder, store, listed, writers.rows | {"reference": references}, rows)


def _write_rest(
    folder: Path, store: Store, listed: Sequence[Entry], kept: Sequence[Entry], first: int
) -> None:
    """Write the store with the rows from one on, those of some partitions, into a folder."""
    native = store.family.name
    deriving = pipeline.DERIVING[native]()
    seen = deriving.seen().get(native, lambda rows: None)
    several = sum(
        one["several_keys"] for one in appended.with_rows(appended.entries(store)) if one not in kept
    )
    rows: dict[str, int] = {}
    with (
        contextlib.closing(TableWriters(folder)) as writers,
        joined_tables.cutting(folder, store, first) as cut,
    ):
        cut.write(writers)
        rows |= writers.rows
    place = 0
    for number, one in enumerate(kept):
        later_ns = store.manifest["times"]["first_ns"] - appended.start_ns(kept[0])
        shift = Shift(place, later_ns, -several, cut.numbers)
        with contextlib.closing(TableWriters(folder)) as writers:
            write_native(writers, store, shift, range(first + place, first + place + one["rows"]), seen)
        (folder / f"{native}.parquet").rename(folder / partitions.file_name(native, number))
        place += one["rows"]
    rows |= {native: place}
    report: dict[str, Any] = {"unknown": []}
    rows |= deriving.derive(folder, rows, report)
    _write_manifest(folder, store, listed, rows, [one["rows"] for one in kept])


def write_native(
    writers: TableWriters,
    source: Store,
    shift: Shift,
    records: range,
    seen: Callable[[pa.RecordBatch], None] = lambda rows: None,
) -> None:
    """Write some rows of a store's native table as another store has them, and show them to ``seen``."""
    native, place = source.family.name, 0
    for batch in source.batches(native, schemas.schema(native).names, records=records):
        rows = shift.of(native, batch, place)
        writers.write(native, rows)
        seen(rows)
        place += batch.num_rows


def _write_manifest(
    folder: Path, store: Store, listed: Sequence[Entry], rows: Mapping[str, int], native_rows: Sequence[int]
) -> None:
    native = store.family.name
    rows = {**rows, native: sum(native_rows)}
    manifest = appended.merged(store.manifest, listed)
    manifest["counts"] |= joined_tables.counts(folder, rows)
    manifest["tables"] = {name: rows[name] for name in store.manifest["tables"]}
    manifest["views"] = {"reference": joined_tables.view(folder, native)}
    manifest[partitions.KEY] = {native: list(native_rows)}
    write_manifest(folder, manifest, store.path)
