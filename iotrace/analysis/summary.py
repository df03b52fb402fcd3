"""The first look at a trace: a handful of numbers, and what the workload is in five sentences.

Both are pure functions of query results, so that the terminal, the demo and the report say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.characterize import characterize
from iotrace.formats.parallel_io import coverage
from iotrace.schemas.reference_types import DATA, METADATA, TYPES

if TYPE_CHECKING:
    import duckdb

QUERIES = (
    "totals",
    "references_by_type",
    "bytes_by_origin",
    "static_by_type",
    "reads_and_writes_by_requests",
    "reads_and_writes_by_bytes",
    "files_read_and_written",
    "datafiles_by_size",
    "requests_by_size",
    "access_patterns",
    "sequentiality",
    "runs_by_length",
    "working_set_by_window",
    "written_data_lifetimes",
    "unseen_io",
    "offsets_by_source",
)
"""The statistics from which the numbers and the verdict are made."""

MODELLED = (
    (("mapped programs",), "programs that are mapped"),
    (("whole executables",), "executables read whole"),
    (("directories",), "directories"),
    (("inodes",), "inodes"),
    (("access times",), "access times"),
)
"""What the model adds, and mappings may read: parts of statistic ``bytes_by_origin``, and how a sentence calls them."""
UNSEEN_SHARE = 0.1
"""Unseen I/O is worth a sentence before all others where it may be this share of what calls moved, or more."""
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Summary:
    """The handful of numbers, as a table (quantity, value, unit, shown), and the verdict's sentences."""

    numbers: pa.Table
    verdict: tuple[str, ...]


def summary(
    connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, str | int] | None = None
) -> Summary:
    """Return the first look at the store that `connection` sees; see `characterize` for both arguments."""
    results = characterize(connection, QUERIES, parameters)
    return Summary(numbers(results), verdict(results))


def numbers(results: Mapping[str, pa.Table]) -> pa.Table:
    """Return the numbers that say most about a trace, from the results of `QUERIES`."""
    facts = _Facts.of(results)
    rows = [
        {
            "quantity": name,
            "value": None
            if value is None
            else float(value),  # Arrow takes no whole number that a double rounds
            "unit": unit,
            "shown": "unknown" if value is None else show(value),
        }
        for name, value, unit, show in (_of_disks(facts) if facts.is_of_disks else _of_calls(facts))
    ]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("summary"))


Described = list[tuple[str, float | None, str, Callable[[float], str]]]
"""Quantity, value, unit, and how the value is written."""


def _of_calls(facts: _Facts) -> Described:
    window = facts.smallest_window
    return [
        ("duration", facts.totals["duration_ns"], "ns", units.duration),
        ("system calls", facts.totals["calls"], "calls", units.count),
        ("processes", facts.totals["processes"], "processes", units.count),
        ("requests for data", facts.totals["data_requests"], "requests", units.count),
        ("of them reads", facts.read_requests_percent, "percent", units.percent),
        ("requests for inodes and directories", facts.metadata_requests, "requests", units.count),
        ("of data that calls read", facts.data("bytes_read"), "bytes", units.size),
        ("of data that calls wrote", facts.data("bytes_written"), "bytes", units.size),
        ("that the model of the file system adds", facts.modelled_bytes, "bytes", units.size),
        ("files", facts.totals["files"], "files", units.count),
        ("total size of the files touched", facts.data_size_bytes, "bytes", units.size),
        (
            "times that a byte of data moves",
            facts.byte_reuse,
            "bytes per byte",
            lambda reuse: f"{reuse:,.2f}",
        ),
        (
            "of the data in uses that are one sequential run",
            facts.straight_percent("bytes_percent"),
            "percent",
            units.percent,
        ),
        (
            "uses that are one sequential run",
            facts.straight_percent("uses_percent"),
            "percent",
            units.percent,
        ),
        ("of the data in runs over 64 KB", facts.long_run_percent(DATA), "percent", units.percent),
        (
            f"working set in {units.duration(window['window_ns'])}" if window else "working set",
            window["average_unique_bytes"] if window else None,
            "bytes",
            units.size,
        ),
        ("memory-mapped files, their I/O not measured", facts.mapped_bytes, "bytes", units.size),
        ("asynchronous calls, their I/O not measured", facts.asynchronous_calls, "calls", units.count),
    ]


def _of_disks(facts: _Facts) -> Described:
    window = facts.smallest_window
    return [
        ("duration", facts.totals["duration_ns"], "ns", units.duration),
        ("disks", facts.totals["requested_files"], "disks", units.count),
        ("requests", facts.totals["requests"], "requests", units.count),
        ("of them reads", facts.read_requests_percent, "percent", units.percent),
        ("read", facts.data("bytes_read") if facts.is_directed else None, "bytes", units.size),
        ("written", facts.data("bytes_written") if facts.is_directed else None, "bytes", units.size),
        ("average request", facts.average_request_bytes, "bytes", units.size),
        ("distinct bytes touched", facts.totals["static_bytes"], "bytes", units.size),
        (
            "times that a byte of it moves",
            facts.byte_reuse,
            "bytes per byte",
            lambda reuse: f"{reuse:,.2f}",
        ),
        ("requests that go on where the last ended", facts.sequential_percent, "percent", units.percent),
        ("of the data in runs over 64 KB", facts.long_run_percent(DATA), "percent", units.percent),
        (
            f"working set in {units.duration(window['window_ns'])}" if window else "working set",
            window["average_unique_bytes"] if window else None,
            "bytes",
            units.size,
        ),
    ]


def verdict(
    results: Mapping[str, pa.Table], trace_coverage: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """Say in five sentences with numbers what the workload is, from the results of `QUERIES`.

    What the trace cannot show, where that may change the rest, comes first; before it the share of the operations that
    the trace holds, by its manifest's entry coverage. A trace without requests gets one sentence.
    """
    facts = _Facts.of(results)
    unseen = (*_uncovered(trace_coverage), *_unseen(facts), *_relative(facts))
    if not facts.totals["requests"]:
        return (*unseen, "The trace holds no I/O requests.")
    return (*unseen, _extent(facts), _nature(facts), _direction(facts), _manner(facts), _locality(facts))


def _uncovered(trace_coverage: Mapping[str, Any] | None) -> tuple[str, ...]:
    said = coverage.sentence(trace_coverage)
    return () if said is None else (f"{said[0].upper()}{said[1:]}; what follows is of these.",)


def unseen_sentences(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Say what I/O the trace that `connection` sees cannot show, where that may change its verdict."""
    results = characterize(connection, ("unseen_io", "bytes_by_origin"))
    return _unseen(_Facts({name: table.to_pylist() for name, table in results.items()}))


@dataclass(frozen=True)
class _Facts:
    """What both the numbers and the sentences need of the results."""

    results: Mapping[str, Rows]

    @classmethod
    def of(cls, results: Mapping[str, pa.Table]) -> _Facts:
        return cls({name: results[name].to_pylist() for name in QUERIES})

    @property
    def is_of_disks(self) -> bool:
        """Whether all requests are for disks, as in a block trace."""
        rows = self.results["references_by_type"]
        return bool(rows) and all(row["type"] == "disk" for row in rows)

    @property
    def average_request_bytes(self) -> float | None:
        """The average length of the requests whose length is known."""
        rows = self.results["references_by_type"]
        known = _sum(row["requests"] - row["unknown_lengths"] for row in rows)
        return _sum(row["bytes"] for row in rows) / known if known else None

    @property
    def totals(self) -> dict[str, Any]:
        return self.results["totals"][0]

    def metadata(self, column: str, query: str = "references_by_type") -> float | None:
        rows = self.results[query]
        if not any(row["type"] in METADATA for row in rows):
            return None
        return _sum(row[column] for row in rows if row["type"] in METADATA)

    @property
    def metadata_requests(self) -> float:
        return _sum(row["requests"] for row in self.results["references_by_type"] if row["type"] in METADATA)

    @property
    def data_size_bytes(self) -> float:
        rows = self.results["static_by_type"]
        return _sum(row["size_bytes"] for row in rows if row["type"] not in METADATA)

    @property
    def is_directed(self) -> bool:
        """Whether the trace states of every request whether it reads or writes."""
        return not self.totals["undirected_requests"]

    @property
    def read_requests_percent(self) -> float | None:
        rows = self.results["reads_and_writes_by_requests"]
        rows = [row for row in rows if row["type"] not in (*METADATA, "total")]
        requests = _sum(row["requests"] for row in rows)
        return 100 * _sum(row["reads"] for row in rows) / requests if requests and self.is_directed else None

    def data(self, column: str) -> float:
        return _sum(row[column] for row in self.results["bytes_by_origin"] if row["part"] == "data")

    def modelled(self, *parts: str) -> float:
        rows = [row for row in self.results["bytes_by_origin"] if row["part"] in parts]
        return _sum(row["bytes_read"] + row["bytes_written"] for row in rows)

    @property
    def modelled_bytes(self) -> float:
        return self.modelled(*(part for parts, _ in MODELLED for part in parts))

    @property
    def byte_reuse(self) -> float | None:
        room = _sum(row["size_bytes"] for row in self.results["static_by_type"] if row["type"] in DATA)
        return (self.data("bytes_read") + self.data("bytes_written")) / room if room else None

    def straight_percent(self, column: str) -> float | None:
        """The share of the uses, or of their bytes, that are one sequential run."""
        rows = self.results["access_patterns"]
        return _sum(row[column] for row in rows if row["pattern"] != "random") if rows else None

    @property
    def sequential_percent(self) -> float | None:
        rows = [row for row in self.results["sequentiality"] if row["type"] != "executable"]
        followers = _sum(row["requests"] - row["first"] for row in rows)
        return 100 * _sum(row["sequential"] for row in rows) / followers if followers else None

    def long_run_percent(self, types: Collection[str]) -> float | None:
        rows = [row for row in self.results["runs_by_length"] if row["type"] in types]
        moved = _sum(row["bytes"] for row in rows)
        long = _sum(row["bytes"] for row in rows if row["maximum_length_bytes"] > 65536)
        return 100 * long / moved if moved else None

    @property
    def smallest_window(self) -> dict[str, Any] | None:
        rows = self.results["working_set_by_window"]
        return rows[0] if rows else None

    def unseen(self, *kinds: str) -> Rows:
        return [row for row in self.results["unseen_io"] if row["kind"] in kinds]

    @property
    def mapped_bytes(self) -> float:
        return _sum(row["bytes"] for row in self.unseen(*MAPPED))

    @property
    def asynchronous_calls(self) -> float:
        return _sum(row["calls"] for row in self.unseen("asynchronous"))

    @property
    def unseen_may_matter(self) -> bool:
        """Whether what cannot be seen may be a share of what calls moved that changes the verdict."""
        read, written = self.data("bytes_read"), self.data("bytes_written")
        stored = _sum(row["bytes"] for row in self.unseen("mapped for writing"))
        return bool(
            self.asynchronous_calls
            or self.mapped_bytes > UNSEEN_SHARE * (read + written)
            or stored > UNSEEN_SHARE * written
        )

    def datafile_class_percent(self, wanted: str) -> float:
        rows = self.results["files_read_and_written"]
        return _sum(
            row["objects_percent_of_type"]
            for row in rows
            if (row["type"], row["class"]) == ("datafile", wanted)
        )

    @property
    def dead_percent(self) -> float | None:
        rows = self.results["written_data_lifetimes"]
        return _sum(row["bytes_percent"] for row in rows if row["fate"] != "survived") if rows else None


MAPPED = ("mapped for writing", "mapped for reading")


def _unseen(facts: _Facts) -> tuple[str, ...]:
    if not facts.unseen_may_matter:
        return ()
    parts = []
    for row in facts.unseen(*MAPPED):
        files = "shared for writing" if row["kind"] == "mapped for writing" else "for reading"
        parts.append(f"{units.size(row['bytes'])} of files are mapped into memory {files}")
    if facts.asynchronous_calls:
        calls = _plural(int(facts.asynchronous_calls), "asynchronous call moves", "asynchronous calls move")
        parts.append(f"{calls} data (io_uring and its like)")
    return (
        f"Not measured: {_listed(parts)}; no system call shows how much of it is read or written, and no other number "
        "includes it.",
    )


LEAST_RELATIVE_PERCENT = 1
"""A smaller share of the data at offsets from an unknown place does not change the verdict."""


def _relative(facts: _Facts) -> tuple[str, ...]:
    rows = facts.results["offsets_by_source"]
    moved = _sum(row["bytes"] for row in rows)
    relative = _sum(row["bytes"] for row in rows if row["offset_source"] == "relative")
    if not moved or 100 * relative < LEAST_RELATIVE_PERCENT * moved:
        return ()
    return (
        f"{units.percent(100 * relative / moved)} of its data is at offsets counted from an unknown place, on"
        " descriptors from before the trace or at the end of files of unknown size: runs and distinct data are right"
        " within each descriptor, and data that several of them share counts once for each.",
    )


def _extent(facts: _Facts) -> str:
    totals = facts.totals
    who = (
        _plural(totals["processes"], "process", "processes") + " made "
        if totals["processes"]
        else "It holds "
    )
    when = f" in {units.duration(totals['duration_ns'])}" if totals["duration_ns"] is not None else ""
    requests = _plural(totals["data_requests"], "request", "requests")
    read, written = (units.size(facts.data(f"bytes_{done}")) for done in ("read", "written"))
    parts = [(facts.modelled(*parts), words) for parts, words in MODELLED]
    added = [f"{units.size(moved)} of {words}" for moved, words in parts if moved]
    model = (
        f" Apart from these, mappings and look-ups may read or write up to {units.size(facts.modelled_bytes)}: "
        f"{_listed(added)}."
        if added
        else ""
    )
    calls = "calls" if totals["processes"] and not facts.is_of_disks else "they"
    moved = f"read {read} and wrote {written}"
    if not facts.is_directed:
        total = units.size(facts.data("bytes_read") + facts.data("bytes_written"))
        moved = f"moved {total}; the trace does not state which requests read and which write"
        return f"{who}{requests}{when}; {calls} {moved}."
    kind = "" if facts.is_of_disks else " for data"
    return f"{who}{requests}{kind}{when}; {calls} {moved} of data.{model}"


def _nature(facts: _Facts) -> str:
    if facts.is_of_disks:
        return _nature_of_disks(facts)
    looked, asked = facts.metadata_requests, facts.totals["data_requests"]
    if not looked:
        return "It is all data: the trace shows no requests for inodes and directories."
    if not asked:
        return f"It only looks things up: {_plural(int(looked), 'request', 'requests')} for inodes and directories."
    share = 100 * looked / (looked + asked)
    kind = "mostly looks things up" if share >= 60 else "mostly moves data" if share <= 30 else "does both"
    subject = "It looks things up and moves data" if kind == "does both" else f"It {kind}"
    return (
        f"{subject}: look-ups make {units.count(looked / asked) if looked >= 10 * asked else f'{looked / asked:,.2g}'} "
        "requests for inodes and directories, which caches mostly hold, for each request for data."
    )


def _nature_of_disks(facts: _Facts) -> str:
    disks = _plural(facts.totals["requested_files"], "disk", "disks")
    size = facts.average_request_bytes
    average = "" if size is None else f"; the average request is for {units.size(size)}"
    reads = facts.read_requests_percent
    share = "" if reads is None else f", and {units.percent(reads)} of the requests read"
    if reads is None and not facts.is_directed:
        share = ", and which of the requests read is unknown"
    return f"They are requests to {disks}{average}{share}."


def _direction(facts: _Facts) -> str:
    read, written = facts.data("bytes_read"), facts.data("bytes_written")
    if not facts.is_directed:
        return "Whether it reads or writes is unknown."
    subject = "Its calls, which are not all of its I/O," if facts.unseen_may_matter else "It"
    if not read and not written:
        start = "Its calls move no data"
    elif not written:
        start = f"{subject} only read data" if facts.unseen_may_matter else "It only reads data"
    elif not read:
        start = f"{subject} only write data" if facts.unseen_may_matter else "It only writes data"
    elif read == written:
        start = f"It reads as much as it writes, {units.size(read)} each"
    elif read >= written:
        word = "It mostly reads" if read >= 2 * written else "It reads somewhat more than it writes"
        start = f"{word}, {read / written:,.1f} bytes of data for each byte written"
    else:
        word = "It mostly writes" if written >= 2 * read else "It writes somewhat more than it reads"
        start = f"{word}, {written / read:,.1f} bytes of data for each byte read"
    only_read, only_written, both = map(facts.datafile_class_percent, ("read", "write", "read_write"))
    if not only_read + only_written + both:
        return f"{start}."
    return (
        f"{start}; of its datafiles, {units.percent(only_read)} are only read, "
        f"{units.percent(only_written)} only written, and {units.percent(both)} both."
    )


def _manner(facts: _Facts) -> str:
    parts = []
    classes = [row for row in facts.results["datafiles_by_size"] if row["files"]]
    if classes:
        small = _sum(row["files_percent"] for row in classes if row["size_class"] in ("1k", "4k"))
        parts.append(f"{units.percent(small)} of its datafiles are at most 4 KB")
    where = "files"
    if facts.is_of_disks:
        where = "the disk" if facts.totals["requested_files"] == 1 else "the disks"
    straight = facts.straight_percent("bytes_percent")
    if straight is not None:
        manner = "mostly straight through" if straight >= 50 else "mostly back and forth"
        parts.append(
            f"it goes through files {manner} ({units.percent(straight)} of the data moves between an open and a "
            f"close that are one sequential run, as are {units.percent(facts.straight_percent('uses_percent') or 0)} "
            "of them)"
        )
    elif facts.sequential_percent is not None:
        manner = "mostly in sequence" if facts.sequential_percent >= 50 else "mostly out of sequence"
        parts.append(
            f"it goes through {where} {manner} "
            f"({units.percent(facts.sequential_percent)} of the requests go on where the last one ended)"
        )
    if (share := facts.long_run_percent(DATA)) is not None:
        parts.append(f"{units.percent(share)} of the data moves in runs longer than 64 KB{_long_runs(facts)}")
    sizes = [row for row in facts.results["requests_by_size"] if row["type"] in DATA]
    if moved := _sum(row["moved"] for row in sizes):
        small = 100 * _sum(row["moved"] for row in sizes if row["maximum_size_bytes"] <= 8192) / moved
        parts.append(f"{units.percent(small)} of the data requests are for at most 8 KB")
    sentence = "; ".join(parts) or "nothing shows how it goes through its files"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _long_runs(facts: _Facts) -> str:
    """Say how far executables, which the model reads whole, make the runs longer than those of the data."""
    every, programs = facts.long_run_percent(TYPES), facts.modelled("whole executables")
    if not programs or every is None:
        return ""
    return f" (of all bytes {units.percent(every)}, as executables are read whole)"


def _locality(facts: _Facts) -> str:
    parts = [f"the files it touches take {units.size(facts.data_size_bytes)}"]
    if window := facts.smallest_window:
        parts.append(
            f"an average window of {units.duration(window['window_ns'])} touches "
            f"{units.size(window['average_unique_bytes'])} of it"
        )
    if facts.byte_reuse is not None:
        parts.append(f"the average byte of its data moves {facts.byte_reuse:,.1f} times")
    if facts.dead_percent is not None:
        share = units.percent(facts.dead_percent)
        gone = "written again, even in part," + ("" if facts.is_of_disks else " or deleted")
        parts.append(f"{share} of what it writes is in blocks that are {gone} before the end")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _plural(number: int, one: str, many: str) -> str:
    return f"{units.count(number)} {one if number == 1 else many}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _sum(values: Iterable[float | None]) -> float:
    return sum(value or 0 for value in values)
