"""Where the time of a trace of system calls goes: the wall clock's split, and the time in calls by what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.characterize import characterize, prepared, result
from iotrace.analysis.grouping import Grouping
from iotrace.errors import IotraceError
from iotrace.files import memory
from iotrace.store import appended, sampled_files
from iotrace.store.manifest import WAITS, calibration, has_stops, is_of_bpf, shows_disks, shows_waits
from iotrace.store.store import Store


def no_calls(store: Store) -> IotraceError:
    """Return the refusal of a trace, or of a part of one, without a call that returned."""
    if "part" in store.manifest:
        return IotraceError(
            f"{store.name} has no calls in this part: a directory's files are named by --path '/dir/*'"
        )
    return IotraceError(
        f"{store.name} has no call that returned while it was recorded: whether its threads compute or wait is unknown"
    )


STATES = {
    "storage": "some thread is in a call on a file, a directory or a disk",
    "waiting": "all threads are in calls that wait for processes, pipes, sockets, locks or the clock",
    "other": "all threads are in calls, of which some are on memory, processes or signals",
    "not_recorded": "no thread is in a storage call, and some thread is in no recorded call",
    "computing": "no thread is in a storage call, and some thread is in no call: it computes, or waits for a processor,"
    " for pages of mapped files, or for strace",
    "runnable": "no thread is in a storage call or computes, and some thread waits for a processor",
    "blocked": "the same, and some thread waits outside calls, for a page of a mapped file or to go on after a stop",
    "tracer": "no thread is in a storage call, and strace holds some: in a call, or before the next. Calls that take no"
    " longer than strace holds them are counted here whole",
    "unknown": "calls whose length, or whose descriptor, the trace does not record, or that wait for I/O of unknown"
    " kind (io_uring_enter)",
}
"""The states of a moment, each with what it means."""
NAMED = {
    "tracer": "strace's, or of calls too short to be told from it",
    "runnable": "waiting for a processor",
    "blocked": "waiting outside calls",
}
"""Words for states in sentences, where these are not their names."""
RUNNING = "no thread is in a storage call, and some thread has a processor and is in no recorded call"
"""The meaning of computing where the recording shows when threads have no processor."""
PARTS = {
    "device": "waiting for a disk that works on a request",
    "queued": "waiting for a request that is queued",
    "memory": "in reads that found their pages in memory",
    "blocked": "blocked by something else: a lock, memory, or room for dirty pages",
    "runnable": "waiting for a processor",
    "running": "running in the kernel, as to copy data or until a lock is free",
    "other": "in the rest: copying, locks, waiting for memory or for a processor",
}
"""The causes of the time in storage calls, as statistic storage_time_by_cause has them, each in words for a sentence.

The last is of recordings that do not show when threads have no processor, instead of the three before it.
"""
CAUSES = "storage_time_by_cause"
NAMED_WAITS = 4
"""At most this number of calls that a recording leaves out are named."""
TRACER = "strace"
"""The format whose times hold what its tracer adds to each call."""
MUCH_PAUSE = 25
"""From this percentage of the clock's time on, a time without calls is said,"""
LEAST_PAUSE_NS = 1_000_000_000
"""if it is as long."""
LONGEST_FIRST = "class_order(class), coalesce(net_s, total_s) desc nulls last, calls desc, name"
"""The order of view call_times within one value of column by."""
COUNTED = "select count(*), count(duration_ns) from timed_call where returned or duration_ns is not null"


class TracersPart(Enum):
    """The treatment of the time that a tracer adds to calls."""

    NONE = "none"
    """It is not known to add any."""
    TAKEN_OFF = "taken off"
    """It is measured, and times that are compared are without it."""
    CONTAINED = "contained"
    """It is in all times, which are upper bounds."""


@dataclass(frozen=True)
class Times:
    """The time in calls, and how the clock's time divides."""

    rows: pa.Table
    """Rows of view call_times."""
    split: dict[str, int]
    """By state, how long the whole trace was in it, in ns."""
    calls: int
    """How many calls returned."""
    timed: int
    """How many of them have a recorded time."""
    resolution_ns: int
    """The resolution of the log's time stamps."""
    not_recorded: str = ""
    """The activity of threads in time that is in no recorded call."""
    lengthened: str | None = None
    """A sentence on what tracing adds to the times."""
    tracers_part: TracersPart = TracersPart.NONE
    pause: str | None = None
    """A sentence on a long time without calls."""
    unrecorded: str = ""
    """A sentence on the time between recordings; empty without such time."""
    shows_waits: bool = False
    """Whether the recording shows when threads have no processor."""
    parts: Mapping[str, int] | None = None
    """How the time in storage calls divides, in ns, by `PARTS`; None where the recording has no requests to disks."""

    @property
    def wall_ns(self) -> int:
        """The time from the first event to the last."""
        return sum(self.split.values())

    def wall_clock(self) -> pa.Table:
        """Return the clock's split as rows of statistic wall_time_by_state."""
        whole = self.wall_ns or 1
        rows = [
            {"scope": "clock", "state": state, "wall_ns": spent, "percent": 100 * spent / whole}
            for state, spent in self.split.items()
        ]
        return pa.Table.from_pylist(rows, schema=queries.query("wall_time_by_state").schema)

    def meanings(self) -> list[str]:
        """Return what the states of the split mean."""
        return [
            f"{STATES[state]}: {self.not_recorded}"
            if state == "not_recorded"
            else meaning(state, self.shows_waits)
            for state in self.split
        ]


def check(store: Store) -> None:
    """Raise IotraceError for a store of which nothing can be said about time in calls."""
    store.family.check_answers("time", store.name)
    if not store.has_times:
        raise IotraceError(
            f"{store.name}: has no times: the log has no time stamps; strace -f -ttt -T, or iotrace record, records"
            " them"
        )


def times(store: Store, groupings: Sequence[Grouping], has_waiting: bool, top: int | None) -> Times:
    """Return the time in calls by these groupings, `top` rows of each, and the clock's split.

    Without `has_waiting` only storage calls are in the rows. Raises IotraceError as `check`, and where the trace
    records the length of no call.
    """
    check(store)
    views = ["call_times", "wall_time", CAUSES]
    with store.queried(memory.BESIDE_TABLES_BYTES) as connection, prepared(connection, views, {}):
        ((calls, timed),) = connection.execute(COUNTED).fetchall()
        if not calls:
            raise no_calls(store)
        if not timed:
            raise IotraceError(
                f"{store.name}: does not record how long calls took; strace -f -ttt -T, or iotrace record, does"
            )
        rows, split = _rows(connection, groupings, has_waiting, top), clock_split(connection)
        resolution_ns = store.manifest["times"]["resolution_ns"] or 1
        pause = paused(connection, split)
        return Times(
            rows,
            split,
            calls,
            timed,
            resolution_ns,
            not_recorded(store.manifest),
            lengthened(store.manifest),
            tracers_part(store.manifest),
            pause,
            unrecorded(store.manifest),
            shows_waits(store.manifest),
            storage_parts(connection) if shows_disks(store.manifest) else None,
        )


def _rows(
    connection: duckdb.DuckDBPyConnection, groupings: Sequence[Grouping], has_waiting: bool, top: int | None
) -> pa.Table:
    classes = "" if has_waiting else " and class = 'storage'"
    limit = f" limit {top}" if top else ""
    # one after the other: all at once take the memory of all
    rows = [
        connection.sql(
            f'from call_times where "by" = {queries.literal(grouping.value)}{classes}'
            f" order by {LONGEST_FIRST}{limit}"
        ).to_arrow_table()
        for grouping in groupings
    ]
    return pa.concat_tables(rows).cast(queries.query("call_times").schema)


def clock_split(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the clock's time by state, of a connection that is prepared with view wall_time."""
    rows = connection.execute("select state, wall_ns from wall_time where process is null").fetchall()
    wall = dict(rows)
    return {state: wall[state] for state in STATES if state in wall}


def by_cause(rows: pa.Table) -> dict[str, int]:
    """Return the time in storage calls by cause, in ns, of statistic storage_time_by_cause."""
    taken = dict.fromkeys(PARTS, 0)
    for row in rows.to_pylist():
        taken[row["cause"]] += row["taken_ns"]
    return taken


def storage_parts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the same of a connection that is prepared with this statistic."""
    return by_cause(result(connection, CAUSES))


def paused(connection: duckdb.DuckDBPyConnection, split: Mapping[str, int]) -> str | None:
    """Return a sentence on a time without calls that is much of the clock's; None without one."""
    rows = characterize(connection, ["longest_pause"])["longest_pause"].to_pylist()
    if not rows or rows[0]["percent"] < MUCH_PAUSE:
        return None
    # in a pause that is not all outside calls a call of unknown length may be under way
    outside_ns = split.get("computing", 0) + split.get("not_recorded", 0)
    if not LEAST_PAUSE_NS <= rows[0]["pause_ns"] <= outside_ns:
        return None
    lasted, since_ns = units.duration(rows[0]["pause_ns"]), rows[0]["since_ns"]
    since, changed = f"from {units.duration(since_ns)}", "forward"
    if since_ns < 0:
        since, changed = f"from {units.duration(-since_ns)} before its first event", "back"
    return (
        f"For {lasted}, {since} on, no process makes a call: the trace does not show whether one computes,"
        f" or the machine sleeps, or its clock was set {changed}."
    )


def unrecorded(manifest: Mapping[str, Any]) -> str:
    """Return a sentence on the time between the recordings of a store of several; empty without such time.

    It is in no state of the clock's time.
    """
    between_ns = appended.between_ns(manifest)
    return f"Nothing was recorded for {units.duration(between_ns)}, between recordings." if between_ns else ""


def lengthened(manifest: Mapping[str, Any]) -> str | None:
    """Return a sentence on what tracing adds to the times of a trace; None where nothing is known to."""
    if manifest["format"] != TRACER:
        return None
    if overhead := calibration(manifest):
        return (
            f"strace adds about {units.duration(overhead['inside_ns'])} to a call's recorded time, and"
            f" {units.duration(overhead['outside_ns'])} between calls, as measured right after the recording: net"
            " times, and those at stake, are without that; totals and percentiles are as recorded."
        )
    return (
        "strace makes each call longer by a time that this trace does not record: what calls take is at most what is"
        " recorded, and of many short ones much less."
    )


def tracers_part(manifest: Mapping[str, Any]) -> TracersPart:
    """Return whether times have what their tracer adds to calls."""
    if manifest["format"] != TRACER:
        return TracersPart.NONE
    return TracersPart.TAKEN_OFF if calibration(manifest) else TracersPart.CONTAINED


def not_recorded(manifest: Mapping[str, Any]) -> str:
    """Return the possible activities of threads outside recorded calls, by the manifest."""
    if is_of_bpf(manifest):
        others = "" if sampled_files.share(manifest) is None else "in calls on files outside the sample, "
        return f"{others}computing, waiting for a processor, or stopped by a signal"
    waits = manifest.get(WAITS)
    if waits is None:
        return "computing, sleeping or waiting: the log does not show which calls were left out"
    stopped = ", stopped by a signal" if has_stops(manifest) else ""
    if not waits:
        return f"computing{stopped}, or held by strace"
    listed = ", ".join(waits if len(waits) <= NAMED_WAITS else [*waits[: NAMED_WAITS - 1], "others"])
    return f"computing{stopped}, held by strace, or waiting in calls that are recorded only with --all-waits: {listed}"


def meaning(state: str, shows_waits: bool) -> str:
    """Return what a state of the clock's time means."""
    return RUNNING if shows_waits and state == "computing" else STATES[state]


def state_named(state: str, not_recorded: str) -> str:
    """Return how a sentence calls a state of the clock's time."""
    if state in NAMED:
        return NAMED[state]
    return f"not in a recorded call ({not_recorded})" if state == "not_recorded" else state


def largest_state(split: Mapping[str, int], not_recorded: str, shows_waits: bool = False) -> str:
    """Return a sentence on the largest state of the clock's time, whose states add up to more than nothing."""
    largest = max(split, key=lambda state: split[state])
    spent, wall = units.duration(split[largest]), units.duration(sum(split.values()))
    share = units.percent(100 * split[largest] / sum(split.values()))
    if largest == "not_recorded":
        return f"{spent} of {wall} ({share}) are {state_named(largest, not_recorded)}."
    return f"{spent} of {wall} ({share}) are {state_named(largest, not_recorded)}: {meaning(largest, shows_waits)}."


def parts_sentence(parts: Mapping[str, int]) -> list[str]:
    """Return a sentence on the parts of the time in storage calls, as a list that is empty without such time."""
    whole = sum(parts.values())
    if not whole:
        return []
    listed = sorted(parts.items(), key=lambda part: -part[1])
    shares = [f"{units.percent(100 * spent / whole)} {PARTS[part]}" for part, spent in listed if spent]
    return [f"Of {units.duration(whole)} in storage calls, added up over all threads: {'; '.join(shares)}."]


def headline(times: Times) -> list[str]:
    """Return sentences that name the largest state of the clock's time, and what most of the storage time goes to."""
    if not times.wall_ns:
        return ["The trace spans no time."]
    call, file = (_first_storage(times.rows, by) for by in (Grouping.CALL, Grouping.FILE))
    pauses = [sentence for sentence in (times.pause, times.unrecorded) if sentence]
    return [
        largest_state(times.split, times.not_recorded, times.shows_waits),
        *parts_sentence(times.parts or {}),
        *pauses,
        *leaders(call, file, is_partly_unknown(times.split), times.tracers_part),
    ]


ADDED_UP = (
    "Times by call, file and the like add up those of all processes, which can be more than the clock's."
)

FINE_NS = 1000
"""Stamps to the microsecond, as strace's own by default, need no note."""


def notes(times: Times, has_waiting: bool) -> list[str]:
    """Return what there is to know of the times, without or with those of calls that wait."""
    sentences = [ADDED_UP, *([times.lengthened] if times.lengthened else [])]
    if times.timed < times.calls:
        sentences.append(
            f"{times.calls - times.timed:,} of {times.calls:,} calls have no recorded time (under way as the recording"
            " began or ended, or strace without -T), and no part in any total."
        )
    if times.resolution_ns > FINE_NS:
        sentences.append(
            f"The log's time stamps are to {units.duration(times.resolution_ns)}: the wall clock's division, and times"
            " of calls that strace -T does not give, are no finer."
        )
    if not has_waiting:
        sentences.append("Calls that wait, and others that are not on storage: --waiting include.")
    return sentences


Leader = tuple[str, int, float]
"""A call or a file, how many storage calls of it have a time, and their time in seconds."""
SHORT_S = 100e-6
"""Calls that are shorter on average are partly their tracer's."""


def is_short(leader: Leader | None) -> bool:
    """Return whether calls are so short that what the tracer adds matters."""
    return leader is not None and leader[2] < SHORT_S * leader[1]


LEAST_UNKNOWN = 0.01
"""From this share of the time on in calls whose length is unknown, times are lower bounds."""


def is_partly_unknown(split: Mapping[str, int]) -> bool:
    """Return whether much of the clock's time is in calls whose length is unknown."""
    return split.get("unknown", 0) >= LEAST_UNKNOWN * sum(split.values()) > 0


def leaders(
    call: Leader | None,
    file: Leader | None,
    is_partial: bool = False,
    tracers: TracersPart = TracersPart.NONE,
) -> list[str]:
    """Return a sentence on the call and the file with most storage time, where these are known.

    It speaks of what the trace records where that is only part of the time.
    """
    is_bound = tracers is TracersPart.CONTAINED and not is_partial
    parts = [
        f"{'at most ' if is_bound else ''}{units.duration(1e9 * seconds)} in"
        f" {units.plural(timed, 'call', 'calls')} {word} {name}"
        for word, leader in (("of", call), ("on", file))
        if leader is not None
        for name, timed, seconds in [leader]
    ]
    time = "storage time that the trace records" if is_partial else "storage time"
    time += " without what strace adds" if tracers is TracersPart.TAKEN_OFF else ""
    return [f"Most {time}, added up over all processes: {', '.join(parts)}."] if parts else []


def _first_storage(rows: pa.Table, grouping: Grouping) -> Leader | None:
    matches = (row for row in rows.to_pylist() if row["by"] == grouping and row["class"] == "storage")
    row = next(matches, None)
    if row is None or row["total_s"] is None:
        return None
    return row["name"], row["timed"], row["total_s"] if row["net_s"] is None else row["net_s"]
