"""Pages that the page cache of Linux reads from the device, at limits of the memory that a container or machine has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries, units
from iotrace.analysis.characterize import prepared
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.analysis.curves.stream import NAMES
from iotrace.analysis.memory.runs import MAPPED, PAGE_BYTES, Measured, ModelRun, Requests, runs_at
from iotrace.engine import available_cores, native
from iotrace.errors import IotraceError, UsageError
from iotrace.store.store import BATCH_ROWS, Store

READAHEAD_BYTES = 128 << 10
"""The kernel's default of the longest read-ahead window."""
MOST_READAHEAD_BYTES = 1 << 30
DEVICE_REQUEST_BYTES = 1280 << 10
"""The kernel's default of the largest request to a device."""
LEAST_BYTES = 1 << 20
"""The smallest limit."""
DOUBLINGS = 6
"""How many limits there are below the one in which all fits, where none is given."""
MUCH_MAPPED_PERCENT = 1
"""Of the pages that requests touch: from this share of faults on, a prediction for less memory has no upper bound."""
WHY_MAPPED = "faults of mapped files are known with record --kernel only"

NEEDED = ["page_cache_request", "opened_file"]
NEEDED_FOR_WAITS = "storage_time"
"""The view that tells waits for a device, whose requests must be recorded."""

LimitRun = tuple[int, ModelRun]
"""A limit, and one of its runs."""


@dataclass(frozen=True)
class Prediction:
    """A row per limit, what it follows from, and further counts of the same rows."""

    rows: pa.Table
    """The result page_cache_memory."""
    around: pa.Table
    """The same columns for half the memory, the memory itself, and twice as much."""
    details: pa.Table
    """The engine's rows of the limits as they are expected."""
    causes: list[str]
    """For each row, what moves its range most; empty where it has no width."""
    measured: Measured
    other_bytes: int | None
    """The memory that programs and the kernel's objects are taken to have; None where it is assumed."""
    readahead_bytes: int
    tally: dict[str, int]
    relative_bytes: int
    """Of what is read and written, the data at unknown offsets, which are taken to begin at byte 0."""
    moved_bytes: int
    """All that requests read and write, added up."""

    @property
    def is_much_relative(self) -> bool:
        """Whether data at unknown offsets may change the prediction: 1 % of all, or more."""
        return 100 * self.relative_bytes >= max(1, self.moved_bytes)

    @property
    def is_measured(self) -> bool:
        """Whether the memory that half and twice are of is that of the recording."""
        base: int = self.around["limit_bytes"][1].as_py()
        return self.measured.limit_bytes == base


@dataclass(frozen=True)
class _Touched:
    """Bytes and pages that the requests of a trace touch, and of which kinds they are."""

    footprint_bytes: int
    pages: int
    mapped_pages: int
    faulted_pages: int
    """Those that recorded faults touch or map."""
    moved_bytes: int
    """Added up over requests."""
    requests: Requests

    def is_unbounded(self, limit_bytes: int, measured: Measured, expected: Mapping[str, Any]) -> bool:
        """Whether a limit may read any number of pages more: those of mapped files that it evicts, and the recorded
        kernel had, may be touched again. No event shows that.
        """
        return (
            100 * self.faulted_pages >= MUCH_MAPPED_PERCENT * max(self.pages, 1)
            and measured.limit_bytes is not None
            and limit_bytes < measured.limit_bytes
            and expected["page_evictions"] > 0
        )


def memory(
    store: Store,
    limits_bytes: Sequence[int] | None = None,
    *,
    readahead_bytes: int = READAHEAD_BYTES,
    other_bytes: int | None = None,
    device_number: int | None = None,
    most_pages: int | None = None,
    most_mapped: float = 1.0,
    has_ranges: bool = True,
) -> Prediction:
    """Return the pages that the page cache of Linux reads from the device, at each limit.

    The caches start cold. The limits are of all memory: that of programs and of the kernel's objects is what the
    recording measured at each time, or `other_bytes`; else it is assumed to be between none and a quarter of the limit.
    Without limits, they double from a 64th of what holds all pages on. With `device_number`, as in table
    opened_inode, only files on that device are read.

    Without `has_ranges` there are expected reads alone, which saves most of the time: ranges, and reads with other
    policies, are null.

    Raises UsageError for a limit below 1 MB and for a read-ahead window that is not whole pages, and
    IotraceError for a trace that is not of calls, has no reads and writes of files, whose requests touch more than
    `most_pages`, or of whose pages a larger share than `most_mapped` is of mapped files, whose touches are not known.
    """
    if not store.family.has_model:
        raise IotraceError(
            f"{store.name}: is not of system calls; the page cache of a {store.family.name} trace is not known"
        )
    check(limits_bytes, readahead_bytes)
    with (
        store.queried() as connection,
        prepared(connection, needed := _needed(connection), {}, once=True),
    ):
        measured = _measured(connection, has_waits=NEEDED_FOR_WAITS in needed)
        chosen = "true"
        if device_number is not None:
            chosen = f"file is null or file in (select file from opened_file where device_number = {device_number:d})"
        touched = _touched(connection, chosen, has_ranges)
        if touched.footprint_bytes == 0:
            raise IotraceError(f"{store.name}: no file is read or written at a known offset")
        if most_pages is not None and touched.pages > most_pages:
            raise IotraceError(
                f"{store.name}: requests touch more than {units.count(most_pages)} pages, which takes long"
            )
        if touched.mapped_pages > most_mapped * touched.pages:
            raise IotraceError(f"{store.name}: {WHY_MAPPED}")
        requested = sorted(set(limits_bytes or _default_limits(touched.footprint_bytes, measured)))
        around = _around(requested, measured)
        limits = sorted({*requested, *around})
        runs = {limit: runs_at(limit, measured, touched.requests, other_bytes) for limit in limits}
        runs = {limit: of_limit if has_ranges else of_limit[:1] for limit, of_limit in runs.items()}
        counted: dict[LimitRun, dict[str, Any]] = {}
        tally: dict[str, int] = {}
        for by_end in (False, True):
            some = [(limit, run) for limit in limits for run in runs[limit] if run.by_end == by_end]
            if some:
                rows, tally = _run(
                    _events(connection, chosen, by_end), [run for _, run in some], readahead_bytes
                )
                counted.update(zip(some, rows, strict=True))
    found = [
        _found(
            limit,
            [(run, counted[limit, run]) for run in runs[limit]],
            touched.is_unbounded(limit, measured, counted[limit, runs[limit][0]]),
        )
        for limit in limits
    ]
    table = _table(found, measured)
    places, near = ([limits.index(limit) for limit in some] for some in (requested, around))
    return Prediction(
        table.take(places),
        table.take(near),
        pa.Table.from_pylist([found[place].expected for place in places]),
        [found[place].cause for place in places],
        measured,
        other_bytes,
        readahead_bytes,
        tally,
        int((store.manifest.get("seen") or {}).get("relative_bytes") or 0),
        touched.moved_bytes,
    )


def _around(limits: Sequence[int], measured: Measured) -> list[int]:
    """Return half the memory, the memory and twice as much: of the recording's limit, else of the middle one."""
    base = limits[len(limits) // 2]
    if measured.limit_bytes is not None:
        base = measured.limit_bytes
    return [max(base // 2, LEAST_BYTES), base, 2 * base]


def check(limits_bytes: Sequence[int] | None, readahead_bytes: int) -> None:
    """Raise UsageError for what `memory` refuses of these."""
    for limit in limits_bytes or ():
        if limit < LEAST_BYTES:
            raise UsageError(f"a limit of {units.size(limit)} is below 1 MB, less than any program has")
    if readahead_bytes < 0 or readahead_bytes % PAGE_BYTES or readahead_bytes > MOST_READAHEAD_BYTES:
        raise UsageError(f"a read-ahead window is a multiple of 4 KB up to 1 GB, not {readahead_bytes} bytes")


def _needed(connection: Any) -> list[str]:
    ((has_requests,),) = connection.execute(
        "select exists (from information_schema.tables where table_name = 'disk_io')"
    ).fetchall()
    return [*NEEDED, NEEDED_FOR_WAITS] if has_requests else NEEDED


def _measured(connection: Any, has_waits: bool) -> Measured:
    ((limit, scope, other, has_slab, processors),) = connection.execute(
        "select max(limit_bytes), arg_max(scope, time_ns),"
        " max(anonymous_bytes + coalesce(slab_bytes, 0)) filter (limit_bytes is not null), count(slab_bytes) > 0,"
        " max(processors)"
        " from memory_sample"
    ).fetchall()
    ((has_large,),) = connection.execute(
        "select count(*) > 0 from page_cache_event where event = 'added' and pages > 1"
    ).fetchall()
    ((shows_writes, shows_processors),) = connection.execute(
        "select count(*) filter (event = 'writes_shown') > 0, count(*) filter (event = 'processor') > 0"
        " from page_cache_request where event in ('writes_shown', 'processor')"
    ).fetchall()
    wait_ns, write_page_ns = _device_times(connection) if has_waits else (None, None)
    return Measured(
        limit,
        scope,
        other,
        bool(has_slab),
        processors or 1,
        bool(has_large),
        bool(shows_writes),
        bool(shows_processors),
        wait_ns,
        write_page_ns,
    )


def _device_times(connection: Any) -> tuple[float | None, float | None]:
    """Return for how long calls wait for a page that is read, and the time of writing a page.

    The first is of the files that are read by calls alone: how long these waited for the device, over the pages that
    it read of these files. Requests of a file are those to its own device where there are any: a disk below a loop
    device moves the same pages again. Without such calls, it is the time of requests that read over their pages.
    Requests are those on the opened files' devices, or else all.
    """
    ((wait_ns, write_page_ns),) = connection.execute(
        "with named as (select device from disk where device_number in (select device_number from opened_file)),"
        " request as (select seq, device, operation, time_ns, greatest(blocks // 8, 1) as pages, latency_ns,"
        "  completed_ns"
        "  from disk_io where device in (select device from named) or not exists (select 1 from named)),"
        " read_call as (select file, call_seq from reference where operation = 'read' and type = 'datafile'"
        "  and file not in (select file from page_cache_request where event in ('touch', 'fault')"
        "   and file is not null)),"
        " waited as (select sum(device_ns + queued_ns) as ns from storage_time"
        "  where seq in (select call_seq from read_call)),"
        " of_file as (select pages, device_number, inode, disk.device_number = opened_file.device_number as is_own"
        "  from request join disk_io_file using (seq) join opened_file using (device_number, inode)"
        "  join disk using (device)"
        "  where operation = 'read' and opened_file.file in (select file from read_call)),"
        " came as (select sum(pages) as pages from (select pages, is_own,"
        "   bool_or(is_own) over (partition by device_number, inode) as has_own from of_file)"
        "  where is_own or not has_own),"
        " written as (select pages, completed_ns - greatest(time_ns, coalesce("
        "   max(completed_ns) over (order by time_ns rows between unbounded preceding and 1 preceding), time_ns)"
        "  ) as busy_ns"
        "  from request where operation = 'write' and completed_ns is not null)"
        " select coalesce((select nullif(waited.ns, 0) / came.pages from waited, came),"
        " (select sum(latency_ns) / sum(pages) from request where operation = 'read' and latency_ns is not null)),"
        " (select sum(greatest(busy_ns, 0)) / sum(pages) from written)"
    ).fetchall()
    return wait_ns, write_page_ns


def _touched(connection: Any, chosen: str, has_ranges: bool) -> _Touched:
    """Return what requests at known offsets touch; the footprint is each file's up to its furthest request, about.

    Whether calls overlap is asked only where the prediction has ranges.
    """
    ((footprint, pages, mapped_pages, faulted, moved, has_mapped, has_writes),) = connection.execute(
        f"""
        with request as (
            select file, "offset", length, event = 'touch' as is_mapped, event in ('fault', 'mapped') as is_fault,
                   event in ('mapped', 'direct_read') as is_apart,
                   if(length > 0, ("offset" % {PAGE_BYTES} + length + {PAGE_BYTES - 1}) // {PAGE_BYTES}, 0) as pages,
                   event in ('touch', 'fault', 'mapped') as has_mapped, event like 'write%' as has_writes
            from page_cache_request
            where event in ('read', 'read_spliced', 'write', 'write_synchronous', 'touch', 'fault', 'mapped',
                            'direct_read') and "offset" is not null and length is not null and ({chosen})
        ),
        of_file as (
            select least(max("offset" + length) filter (not is_apart),
                         sum(length + 8192) filter (not is_apart)) as furthest,
                   sum(pages) as pages, sum(pages) filter (is_mapped) as mapped_pages,
                   sum(pages) filter (is_fault) as faulted_pages, sum(length) as moved,
                   bool_or(has_mapped) as has_mapped, bool_or(has_writes) as has_writes
            from request
            where file is not null
            group by file
        )
        select sum(furthest), sum(pages), sum(mapped_pages), sum(faulted_pages), sum(moved), bool_or(has_mapped),
               bool_or(has_writes)
        from of_file
        """
    ).fetchall()
    overlap = (
        has_ranges
        and connection.execute(
            "select bool_or(time_ns < before_ns) from (select time_ns, max(end_ns) over"
            " (order by time_ns rows between unbounded preceding and 1 preceding) as before_ns"
            f" from page_cache_request where end_ns > time_ns and ({chosen}))"
        ).fetchall()[0][0]
    )
    requests = Requests(bool(has_mapped), bool(has_writes), bool(overlap))
    return _Touched(
        int(footprint or 0),
        int(pages or 0),
        int(mapped_pages or 0),
        int(faulted or 0),
        int(moved or 0),
        requests,
    )


def _default_limits(footprint: int, measured: Measured) -> list[int]:
    """Return limits that double, up to the first that holds all; and the measured one, its half and its double."""
    most = LEAST_BYTES
    while most < footprint + (measured.other_bytes or 0) and most < units.LARGEST_SIZE:
        most *= 2
    limits = {max(most >> step, LEAST_BYTES) for step in range(DOUBLINGS + 1)}
    if measured.limit_bytes is not None:
        here = measured.limit_bytes
        limits |= {max(here // 2, LEAST_BYTES), here, 2 * here}
    return list(limits)


def _run(
    events: Iterator[pa.RecordBatch], runs: Sequence[ModelRun], readahead_bytes: int
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return a row for each run, and the counts of events."""
    with settings_read():
        caches = page_caches(runs, readahead_bytes, available_cores())
    with references_read():
        for batch in events:
            caches.push(batch)
        tally = caches.tally()
        return pa.table(pa.record_batch(caches.finish())).to_pylist(), tally


def page_caches(runs: Sequence[ModelRun], readahead_bytes: int, threads: int) -> native.PageCaches:
    """Return the engine's page caches of some runs, with the kernel's usual settings."""
    kernel = {
        "readahead_pages": readahead_bytes // PAGE_BYTES,
        "device_request_pages": DEVICE_REQUEST_BYTES // PAGE_BYTES,
        "dirty_background_percent": 10,
        "dirty_expire_ns": 30_000_000_000,
        "dirty_wake_ns": 5_000_000_000,
    }
    return native.PageCaches(json.dumps(kernel), json.dumps([run.choice for run in runs]), threads=threads)


def _events(connection: Any, chosen: str, by_end: bool) -> Iterator[pa.RecordBatch]:
    kinds = {
        "event": NAMES,
        **dict.fromkeys(("file", "open"), pa.int32()),
        **dict.fromkeys(("offset", "length", "requested", "file_size", "time_ns"), pa.int64()),
    }
    time, order = ("end_ns", "end_ns nulls first, seq") if by_end else ("time_ns", "seq")
    rows = f"select * replace ({time} as time_ns) from page_cache_request where {chosen} order by {order}"
    for batch in connection.sql(rows).to_arrow_reader(BATCH_ROWS):
        columns = {
            name: batch.column(name).dictionary_encode().cast(kind)
            if name == "event"
            else batch.column(name).cast(kind)
            for name, kind in kinds.items()
        }
        yield pa.record_batch(columns)


@dataclass(frozen=True)
class _Found:
    """Reads of the runs at a limit."""

    limit_bytes: int
    expected: Mapping[str, Any]
    compared: Mapping[str, Any]
    low: int | None
    high: int | None
    """None where reads have no upper bound, and where no range was asked for."""
    cause: str


NOT_COMPARED = {"page_reads_lru": None, "page_reads_optimum": None}


def _found(limit_bytes: int, runs: Sequence[tuple[ModelRun, dict[str, Any]]], is_unbounded: bool) -> _Found:
    if len(runs) == 1:
        return _Found(limit_bytes, runs[0][1], NOT_COMPARED, None, None, "")
    reads = [row["page_reads"] for _, row in runs]
    farthest = max(range(len(runs)), key=lambda place: abs(reads[place] - reads[0]))
    compared = next(row for run, row in runs if run.is_compared)
    if is_unbounded:
        return _Found(limit_bytes, runs[0][1], compared, min(reads), None, MAPPED)
    return _Found(limit_bytes, runs[0][1], compared, min(reads), max(reads), runs[farthest][0].cause)


def _table(found: Sequence[_Found], measured: Measured) -> pa.Table:
    wait_ns = measured.page_wait_ns
    return pa.Table.from_pylist(
        [
            {
                "limit_bytes": at.limit_bytes,
                "page_reads_linux": at.expected["page_reads"],
                "page_reads_low": at.low,
                "page_reads_high": at.high,
                "page_reads_lru": at.compared["page_reads_lru"],
                "page_reads_optimum": at.compared["page_reads_optimum"],
                "wait_s": None if wait_ns is None else at.expected["page_reads"] * wait_ns / 1e9,
            }
            for at in found
        ],
        schema=queries.table_schema("page_cache_memory"),
    )


def cliffs(rows: pa.Table) -> list[tuple[int, int]]:
    """Return the pairs of neighbouring limits between which reads at least halve."""
    limits, reads = rows["limit_bytes"].to_pylist(), rows["page_reads_linux"].to_pylist()
    pairs = zip(limits, limits[1:], reads, reads[1:], strict=False)
    return [(low, high) for low, high, before, after in pairs if before >= 2 * max(after, 1)]


def widths(rows: pa.Table) -> list[float | None]:
    """Return how wide the range of each limit is, in percent of its middle; None where it has no upper bound."""
    low, high = rows["page_reads_low"], rows["page_reads_high"]
    middle = pc.divide(pc.add(pc.cast(low, pa.float64()), high), 2)
    return [
        None if width is None else 0.0 if centre == 0 else 100 * width / centre
        for width, centre in zip(pc.subtract(high, low).to_pylist(), middle.to_pylist(), strict=True)
    ]
