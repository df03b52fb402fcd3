"""Pages that the page cache of Linux reads from the device, at limits of the memory that a container or machine has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries, units
from iotrace.analysis.characterize import prepared
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.analysis.curves.stream import NAMES
from iotrace.engine import available_cores, native
from iotrace.errors import IotraceError, UsageError
from iotrace.store.store import BATCH_ROWS, Store

PAGE_BYTES = 4096
READAHEAD_BYTES = 128 << 10
"""The kernel's default of the longest read-ahead window."""
MOST_READAHEAD_BYTES = 1 << 30
DEVICE_REQUEST_BYTES = 1280 << 10
"""The kernel's default of the largest request to a device."""
LEAST_BYTES = 1 << 20
"""The smallest limit."""
ASSUMED_SHARE = 0.25
"""Of a limit: what programs and the kernel have at most where that is not measured. An assumption."""
LEAST_PAGES = 32
"""The page cache is taken to have at least as many pages as reclaim frees at a time."""
DOUBLINGS = 6
"""How many limits there are below the one in which all fits, where none is given."""
WHY_MAPPED = "faults of mapped files are known with record --kernel only"


@dataclass(frozen=True)
class Measured:
    """Memory and the device's waits, as a recording has them."""

    limit_bytes: int | None
    """The cgroup's limit, or the machine's memory."""
    is_cgroup: bool
    other_bytes: int | None
    """The most memory of programs and of the kernel's objects at any time; None where it was not measured.

    Without a limit, what was measured is that of all programs.
    """
    has_slab: bool
    """Whether that has the kernel's objects."""
    wait_ns: float | None
    """The mean time that a read from the device took."""


@dataclass(frozen=True)
class Prediction:
    """A row per limit, what it follows from, and further counts of the same rows."""

    rows: pa.Table
    """The result page_cache_memory."""
    around: pa.Table
    """The same columns for half the memory, the memory itself, and twice as much."""
    details: pa.Table
    """The engine's rows of the limits as they are expected."""
    measured: Measured
    other_bytes: int | None
    """The memory that programs and the kernel's objects are taken to have; None where it is assumed."""
    readahead_bytes: int
    tally: dict[str, int]

    @property
    def is_measured(self) -> bool:
        """Whether the memory that half and twice are of is that of the recording."""
        base: int = self.around["limit_bytes"][1].as_py()
        return self.measured.limit_bytes == base


@dataclass(frozen=True)
class _Touched:
    """Bytes and pages that the requests of a trace touch."""

    footprint_bytes: int
    pages: int
    mapped_pages: int


def memory(
    store: Store,
    limits_bytes: Sequence[int] | None = None,
    *,
    readahead_bytes: int = READAHEAD_BYTES,
    other_bytes: int | None = None,
    device_number: int | None = None,
    most_pages: int | None = None,
    most_mapped: float = 1.0,
) -> Prediction:
    """Return the pages that the page cache of Linux reads from the device, at each limit.

    The caches start cold. The limits are of all memory: that of programs and of the kernel's objects is what the
    recording measured at each time, or `other_bytes`; else it is assumed to be between none and a quarter of the limit.
    Without limits, they double from a 64th of what holds all pages on. With `device_number`, as in table
    opened_inode, only files on that device are read.

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
        prepared(connection, ["page_cache_request", "opened_file"], {}, once=True),
    ):
        measured = _measured(connection)
        chosen = "true"
        if device_number is not None:
            chosen = f"file is null or file in (select file from opened_file where device_number = {device_number:d})"
        touched = _touched(connection, chosen)
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
        choices = _choices(limits, measured, other_bytes)
        kernel = {
            "readahead_pages": readahead_bytes // PAGE_BYTES,
            "device_request_pages": DEVICE_REQUEST_BYTES // PAGE_BYTES,
            "large_folios": True,
            "dirty_background_percent": 10,
            "dirtyable_pages": None,
            "dirty_expire_ns": 30_000_000_000,
            "dirty_wake_ns": 5_000_000_000,
        }
        with settings_read():
            caches = native.PageCaches(json.dumps(kernel), json.dumps(choices), threads=available_cores())
        with references_read():
            for batch in _events(connection, chosen):
                caches.push(batch)
            tally = caches.tally()
            counted = pa.table(pa.record_batch(caches.finish()))
    rows = _rows(limits, counted, measured)
    kinds = counted.num_rows // len(limits)
    expected = counted.take(list(range(0, counted.num_rows, kinds)))
    places, near = ([limits.index(limit) for limit in some] for some in (requested, around))
    return Prediction(
        rows.take(places),
        rows.take(near),
        expected.take(places),
        measured,
        other_bytes,
        readahead_bytes,
        tally,
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


def _measured(connection: Any) -> Measured:
    ((limit, is_cgroup, other, has_slab),) = connection.execute(
        "select max(limit_bytes), bool_or(scope = 'cgroup'),"
        " max(anonymous_bytes + coalesce(slab_bytes, 0)) filter (limit_bytes is not null), count(slab_bytes) > 0"
        " from memory_sample"
    ).fetchall()
    ((wait_ns,),) = connection.execute(
        "select avg(latency_ns) from disk_io where operation = 'read'"
    ).fetchall()
    return Measured(limit, bool(is_cgroup), other, bool(has_slab), wait_ns)


def _touched(connection: Any, chosen: str) -> _Touched:
    """Return what requests at known offsets touch; the footprint is each file's up to its furthest request, about."""
    (found,) = connection.execute(
        f"""
        with request as (
            select file, "offset", length, event = 'touch' as is_mapped, event in ('mapped', 'direct_read') as is_apart,
                   if(length > 0, ("offset" % {PAGE_BYTES} + length + {PAGE_BYTES - 1}) // {PAGE_BYTES}, 0) as pages
            from page_cache_request
            where event in ('read', 'write', 'write_synchronous', 'touch', 'fault', 'mapped', 'direct_read')
                  and "offset" is not null and length is not null and ({chosen})
        ),
        of_file as (
            select least(max("offset" + length) filter (not is_apart),
                         sum(length + 8192) filter (not is_apart)) as furthest,
                   sum(pages) as pages, sum(pages) filter (is_mapped) as mapped_pages
            from request
            where file is not null
            group by file
        )
        select sum(furthest), sum(pages), sum(mapped_pages) from of_file
        """
    ).fetchall()
    return _Touched(*(int(number or 0) for number in found))


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


def _choices(limits: Sequence[int], measured: Measured, other_bytes: int | None) -> list[dict[str, Any]]:
    """Return for each limit the page caches that are run: the expected one, the largest and the smallest."""
    choices = []
    for limit in limits:
        pages = limit // PAGE_BYTES
        if other_bytes is not None:
            least = expected = pages - other_bytes // PAGE_BYTES
        elif measured.other_bytes is not None:
            expected, least = pages, pages - measured.other_bytes // PAGE_BYTES
        else:
            expected, least = pages, pages - round(ASSUMED_SHARE * pages)
        is_timed = other_bytes is None and measured.other_bytes is not None
        choices += [
            _choice(max(expected, LEAST_PAGES), has_other=is_timed),
            _choice(pages, is_compared=True),
            _choice(max(least, LEAST_PAGES)),
        ]
    return choices


def _choice(pages: int, *, has_other: bool = False, is_compared: bool = False) -> dict[str, Any]:
    return {"pages": pages, "has_other": has_other, "is_compared": is_compared}


def _events(connection: Any, chosen: str) -> Iterator[pa.RecordBatch]:
    kinds = {
        "event": NAMES,
        **dict.fromkeys(("file", "open"), pa.int32()),
        **dict.fromkeys(("offset", "length", "requested", "file_size", "time_ns"), pa.int64()),
    }
    for batch in connection.sql(f"from page_cache_request where {chosen}").to_arrow_reader(BATCH_ROWS):
        columns = {
            name: batch.column(name).dictionary_encode().cast(kind)
            if name == "event"
            else batch.column(name).cast(kind)
            for name, kind in kinds.items()
        }
        yield pa.record_batch(columns)


def _rows(limits: Sequence[int], counted: pa.Table, measured: Measured) -> pa.Table:
    reads = counted["page_reads"].to_pylist()
    waits = counted["read_waits"].to_pylist()
    kinds = len(reads) // len(limits)
    of_limit = [reads[start : start + kinds] for start in range(0, len(reads), kinds)]
    compared = {
        name: [value for value in counted[name].to_pylist() if value is not None]
        for name in ("page_reads_lru", "page_reads_optimum")
    }
    seconds = [
        None if measured.wait_ns is None else waits[start] * measured.wait_ns / 1e9
        for start in range(0, len(reads), kinds)
    ]
    return pa.table(
        {
            "limit_bytes": limits,
            "page_reads_linux": [some[0] for some in of_limit],
            "page_reads_low": [min(some) for some in of_limit],
            "page_reads_high": [max(some) for some in of_limit],
            **compared,
            "wait_s": pa.array(seconds, pa.float64()),
        },
        schema=queries.table_schema("page_cache_memory"),
    )


def cliffs(rows: pa.Table) -> list[tuple[int, int]]:
    """Return the pairs of neighbouring limits between which reads at least halve."""
    limits, reads = rows["limit_bytes"].to_pylist(), rows["page_reads_linux"].to_pylist()
    pairs = zip(limits, limits[1:], reads, reads[1:], strict=False)
    return [(low, high) for low, high, before, after in pairs if before >= 2 * max(after, 1)]


def widths(rows: pa.Table) -> list[float]:
    """Return how wide the range of each limit is, in percent of its middle."""
    low, high = rows["page_reads_low"], rows["page_reads_high"]
    middle = pc.divide(pc.add(pc.cast(low, pa.float64()), high), 2)
    return [
        0.0 if centre == 0 else 100 * width / centre
        for width, centre in zip(pc.subtract(high, low).to_pylist(), middle.to_pylist(), strict=True)
    ]
