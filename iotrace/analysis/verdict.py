"""A workload in a handful of sentences with numbers; the terminal, the demo and the report say the same."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import units
from iotrace.analysis.characterize import characterize
from iotrace.analysis.facts import MAPPED, MODELLED, Facts, total
from iotrace.analysis.verdict_on_keys import sentences_on_keys
from iotrace.schemas.reference_types import DATA, TYPES


def verdict(
    results: Mapping[str, pa.Table], trace_coverage: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """Say in five sentences with numbers what the workload is, from the results of `QUERIES`.

    What the trace cannot show, where that may change the rest, comes first; before it the share of the operations that
    the trace holds, by its manifest's entry coverage. A trace without requests gets one sentence.
    """
    facts = Facts.of(results)
    uncovered, doubts = (*unseen(facts), *_uncovered(trace_coverage)), _relative(facts)
    if not facts.totals["requests"]:
        return (*uncovered, *doubts, "The trace holds no I/O requests.")
    if facts.is_of_keys:
        return (*uncovered, *doubts, *sentences_on_keys(facts))
    about = (_nature(facts), _direction(facts), _manner(facts), _locality(facts))
    return (*uncovered, _extent(facts), *_mapped(facts), *doubts, *about)


def _uncovered(trace_coverage: Mapping[str, Any] | None) -> tuple[str, ...]:
    if trace_coverage is None:
        return ()
    from iotrace.formats.parallel_io import coverage

    covered = coverage.sentence(trace_coverage)
    return () if covered is None else (f"{covered[0].upper()}{covered[1:]}; what follows is of these.",)


def unseen_sentences(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Say what I/O the trace that `connection` sees cannot show, where that may change its verdict."""
    results = characterize(connection, ("unseen_io", "bytes_by_origin"))
    return unseen(Facts({name: table.to_pylist() for name, table in results.items()}))


def unseen_calls(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Say how many asynchronous calls do I/O that the trace that `connection` sees cannot show, if there are any."""
    rows = characterize(connection, ("unseen_io",))["unseen_io"].to_pylist()
    calls = sum(row["calls"] for row in rows if row["kind"] == "asynchronous")
    if not calls:
        return ()
    subject = units.plural(calls, "asynchronous call does", "asynchronous calls do")
    return (
        f"{subject} I/O that no system call shows (such as io_uring_enter): on which files, and whether it is storage,"
        " is unknown.",
    )


def unseen(facts: Facts) -> tuple[str, ...]:
    """Return a sentence on I/O that the trace cannot show, where it may change the verdict."""
    if not facts.unseen_may_matter:
        return ()
    parts = []
    for row in facts.unseen(*MAPPED):
        files = "shared for writing" if row["kind"] == "mapped for writing" else "for reading"
        parts.append(f"{units.size(row['bytes'])} of files are mapped into memory {files}")
    if facts.asynchronous_calls:
        calls = units.plural(
            int(facts.asynchronous_calls), "asynchronous call moves", "asynchronous calls move"
        )
        parts.append(f"{calls} data (such as io_uring)")
    return (
        f"Not measured: {_listed(parts)}; no system call shows how much of it is read or written, and no other number "
        "includes it.",
    )


def _mapped(facts: Facts) -> tuple[str, ...]:
    """Return a sentence on what disks read and wrote for mapped files, where that was recorded and is not nothing."""
    files = len(facts.results["mapped_io"])
    read, written = (facts.mapped_io(f"{done}_bytes") for done in ("read", "written"))
    if not read + written:
        return ()
    return (
        f"Disks read {units.size(read)} and wrote {units.size(written)} for"
        f" {units.plural(files, 'file', 'files')} mapped into memory, by mappings or by calls.",
    )


LEAST_RELATIVE_PERCENT = 1
"""A smaller share of the data at offsets from an unknown place does not change the verdict."""


def _relative(facts: Facts) -> tuple[str, ...]:
    rows = facts.results["offsets_by_source"]
    moved = total(row["bytes"] for row in rows)
    relative = total(row["bytes"] for row in rows if row["offset_source"] == "relative")
    if not moved or 100 * relative < LEAST_RELATIVE_PERCENT * moved:
        return ()
    return (
        f"{units.percent(100 * relative / moved)} of its data is at unknown offsets: the trace does not show where"
        " descriptors were opened, or lacks halves of calls, or appends went to files of unknown size. Runs and"
        " distinct data are right within each descriptor; a file that is also used at known offsets, or through another"
        " such descriptor, counts once for each in all numbers of files, sizes and distinct data.",
    )


def _extent(facts: Facts) -> str:
    totals = facts.totals
    who = (
        units.plural(totals["processes"], "process", "processes") + " made "
        if totals["processes"]
        else "It holds "
    )
    when = f" in {units.duration(totals['duration_ns'])}" if totals["duration_ns"] is not None else ""
    requests = units.plural(totals["data_requests"], "request", "requests")
    read, written = (units.size(facts.data(f"bytes_{done}")) for done in ("read", "written"))
    parts = [(facts.modelled(*parts), description) for parts, description in MODELLED]
    added = [f"{units.size(moved)} of {description}" for moved, description in parts if moved]
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
        some = "which requests read and which write"
        if (unknown := totals["undirected_requests"]) < totals["data_requests"]:
            some = f"of {unknown:,} requests whether they read or write"
        moved = f"moved {total}; the trace does not state {some}"
        return f"{who}{requests}{when}; {calls} {moved}."
    kind = "" if facts.is_of_disks else " for data"
    return f"{who}{requests}{kind}{when}; {calls} {moved} of data.{model}"


def _nature(facts: Facts) -> str:
    if facts.is_of_disks:
        return _nature_of_disks(facts)
    looked, data = facts.metadata_requests, facts.totals["data_requests"]
    if not looked:
        return "It is all data: the trace shows no requests for inodes and directories."
    if not data:
        requests = units.plural(int(looked), "request", "requests")
        subject = "Its calls only look" if facts.unseen_may_matter else "It only looks"
        return f"{subject} things up: {requests} for inodes and directories."
    share = 100 * looked / (looked + data)
    subject = "Some requests are look-ups, some are for data"
    if not 30 < share < 60:
        subject = f"Most requests are {'look-ups' if share >= 60 else 'for data'}"
    ratio = looked / data
    return (
        f"{subject}: there are {units.count(ratio) if ratio >= 10 else f'{ratio:,.2g}'} "
        "requests for inodes and directories for each request for data."
    )


def _nature_of_disks(facts: Facts) -> str:
    disks = units.plural(facts.totals["requested_files"], "disk", "disks")
    size = facts.average_request_bytes
    average = "" if size is None else f"; the average request is for {units.size(size)}"
    reads = facts.read_requests_percent
    share = "" if reads is None else f", and {units.percent(reads)} of the requests read"
    if reads is None and not facts.is_directed:
        share = ", and which of the requests read is unknown"
    return f"They are requests to {disks}{average}{share}."


def _direction(facts: Facts) -> str:
    read, written = facts.data("bytes_read"), facts.data("bytes_written")
    if not facts.is_directed:
        unknown, requests = facts.totals["undirected_requests"], facts.totals["data_requests"]
        of_some = f": the trace does not state it of {unknown:,} of {requests:,} requests"
        return f"Whether it reads or writes is unknown{of_some if unknown < requests else ''}."
    subject = "Its calls, which are not all of its I/O," if facts.unseen_may_matter else "Its calls"
    if not read and not written:
        start = f"{subject} move no data"
    elif not written:
        start = f"{subject} only read data" if facts.unseen_may_matter else "It only reads data"
    elif not read:
        start = f"{subject} only write data" if facts.unseen_may_matter else "It only writes data"
    elif facts.unseen_may_decide:
        start = (
            f"Whether it mostly reads or writes is unknown: its calls read {units.size(read)} and write"
            f" {units.size(written)}, and what they do not show may be more"
        )
    elif read == written:
        start = f"It reads as much as it writes, {units.size(read)} each"
    elif _times(max(read, written) / min(read, written)) == "1.0":
        start = f"It reads about as much as it writes: {units.size(read)} and {units.size(written)}"
    elif read >= written:
        word = "It mostly reads" if read >= 2 * written else "It reads somewhat more than it writes"
        start = f"{word}, {_times(read / written)} bytes of data for each byte written"
    else:
        word = "It mostly writes" if written >= 2 * read else "It writes somewhat more than it reads"
        start = f"{word}, {_times(written / read)} bytes of data for each byte read"
    only_read, only_written, both = map(facts.datafile_class_percent, ("read", "write", "read_write"))
    if not only_read + only_written + both:
        return f"{start}."
    return (
        f"{start}; of its datafiles, {units.percent(only_read)} are only read, "
        f"{units.percent(only_written)} only written, and {units.percent(both)} both."
    )


def _manner(facts: Facts) -> str:
    parts = []
    classes = [row for row in facts.results["datafiles_by_size"] if row["files"]]
    if classes:
        small = total(row["files_percent"] for row in classes if row["size_class"] in ("1k", "4k"))
        parts.append(f"{units.percent(small)} of its datafiles are at most 4 KB")
    where = "files"
    if facts.is_of_disks:
        where = "the disk" if facts.totals["requested_files"] == 1 else "the disks"
    straight = facts.straight_percent("bytes_percent")
    if straight is not None:
        manner = _manner_of_uses(straight, facts.sequential_percent, facts.long_run_percent(DATA))
        opens = facts.straight_percent("uses_percent") or 0
        link = "and" if (opens >= 50) == (straight >= 50) else "though they"
        shares = (
            f"opens that are one sequential run move {units.percent(straight)} of the data, {link} are"
            f" {units.percent(opens)} of the opens"
        )
        parts.append(f"it accesses files {manner} ({shares})" if manner else shares)
    elif facts.sequential_percent is not None:
        manner = "mostly sequentially" if facts.sequential_percent >= 50 else "mostly non-sequentially"
        parts.append(
            f"it accesses {where} {manner} "
            f"({units.percent(facts.sequential_percent)} of the requests start where the last one ended)"
        )
    if (share := facts.long_run_percent(DATA)) is not None:
        parts.append(f"{units.percent(share)} of the data moves in runs longer than 64 KB{_long_runs(facts)}")
    sizes = [row for row in facts.results["requests_by_size"] if row["type"] in DATA]
    if moved := total(row["moved"] for row in sizes):
        small = 100 * total(row["moved"] for row in sizes if row["maximum_size_bytes"] <= 8192) / moved
        parts.append(f"{units.percent(small)} of the data requests are for at most 8 KB")
    sentence = "; ".join(parts) or "the order of its accesses is unknown"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _manner_of_uses(
    straight_percent: float, sequential_percent: float | None, long_run_percent: float | None
) -> str | None:
    """Say how files are accessed, by bytes, and by requests if no use is one sequential run; None if it is unknown."""
    if straight_percent >= 50:
        return "mostly sequentially"
    if sequential_percent is not None and sequential_percent >= 50:
        return "mostly sequentially, with jumps"
    if long_run_percent is not None and long_run_percent >= 50:
        return "mostly in long pieces, with jumps"
    return None if sequential_percent is None else "mostly non-sequentially"


def _times(ratio: float) -> str:
    """Return a ratio with its significant digits."""
    return f"{ratio:,.1f}" if ratio < 100 else f"{float(f'{ratio:.2g}'):,.0f}"


def _long_runs(facts: Facts) -> str:
    """Say how far executables, which the model reads whole, make the runs longer than those of the data."""
    every, programs = facts.long_run_percent(TYPES), facts.modelled("whole executables")
    if not programs or every is None:
        return ""
    return f" (of all bytes {units.percent(every)}, as executables are read whole)"


def _locality(facts: Facts) -> str:
    parts = [f"the files it touches take {units.size(facts.data_size_bytes)}"]
    if window := facts.smallest_window:
        parts.append(
            f"an average window of {units.duration(window['window_ns'])} touches "
            f"{units.size(window['average_unique_bytes'])} of it"
        )
    if facts.byte_reuse is not None:
        parts.append(
            f"the average byte of its data moves {_times(facts.byte_reuse)} times"
            if facts.byte_reuse >= 1
            else f"what moves is {units.percent(100 * facts.byte_reuse)} of the size of its data"
        )
    if facts.dead_percent is not None:
        share = units.percent(facts.dead_percent)
        gone = (
            "written again later, even in part"
            if facts.is_of_disks
            else "written again, even in part, or deleted later"
        )
        parts.append(f"{share} of what it writes is in blocks that are {gone}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _listed(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
