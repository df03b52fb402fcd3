"""The six key figures of a trace: its family names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis import jobs
from iotrace.analysis.advice import Whole
from iotrace.analysis.answers.screen import KeyFigure
from iotrace.analysis.facts import Facts
from iotrace.families import Family
from iotrace.libraries import pc

JOBS = jobs.STATISTIC
QUERIES = ("totals", "bytes_by_origin", "references_by_type", "reads_and_writes_by_requests", "unseen_io")
"""The statistics of which the figures of all families are made."""


@dataclass(frozen=True)
class Known:
    """The numbers from which key figures are made."""

    results: Mapping[str, pa.Table]
    whole: Whole | None

    @property
    def facts(self) -> Facts:
        """The facts of the statistics that there are."""
        return Facts({name: self.results[name].to_pylist() for name in QUERIES})

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a statistic."""
        rows: list[dict[str, Any]] = self.results[name].to_pylist()
        return rows

    @property
    def seconds(self) -> float | None:
        """The trace's length; None where it has no times or takes no time."""
        length_ns = self.facts.totals["duration_ns"]
        return length_ns / 1e9 if length_ns else None

    @property
    def moved_bytes(self) -> float | None:
        """The bytes that reads and writes of data moved; None where the trace states no lengths."""
        facts = self.facts
        return (
            None
            if facts.average_request_bytes is None
            else facts.data("bytes_read") + facts.data("bytes_written")
        )


def key_figures(names: tuple[str, ...], known: Known) -> tuple[KeyFigure, ...]:
    """Return the figures of these names, of which those that a trace does not show are unknown."""
    return tuple(FIGURES[name](known) for name in names)


def figures_of(family: Family, *, has_jobs: bool) -> tuple[str, ...]:
    """Return the names of a family's figures, by counters of jobs where a trace has them."""
    return tuple(BY_COUNTERS.get(name, name) if has_jobs else name for name in family.key_figures)


def _figure(label: str, value: float | None, unit: str, write: Callable[[float], str]) -> KeyFigure:
    return KeyFigure(label, value, unit, "unknown" if value is None else write(value))


def _duration(known: Known) -> KeyFigure:
    return _figure("duration", known.facts.totals["duration_ns"], "ns", units.duration)


def _total(column: str, one: str, many: str) -> Callable[[Known], KeyFigure]:
    def figure(known: Known) -> KeyFigure:
        number = known.facts.totals[column]
        return _figure(one if number == 1 else many, number, many, units.count)

    return figure


def _moved(column: str, label: str) -> Callable[[Known], KeyFigure]:
    return lambda known: _figure(
        label, known.facts.data(column) if known.facts.is_directed else None, "bytes", units.size
    )


def _all_bytes(label: str) -> Callable[[Known], KeyFigure]:
    return lambda known: _figure(label, known.moved_bytes, "bytes", units.size)


def _rate(known: Known, amount: float | None) -> float | None:
    return None if known.seconds is None or amount is None else amount / known.seconds


def _iops(known: Known) -> KeyFigure:
    rate = _rate(known, known.facts.totals["requests"])
    return _figure("requests a second", rate, "requests/s", lambda value: units.number(float(f"{value:.3g}")))


def _bandwidth(known: Known) -> KeyFigure:
    return _figure(
        "bandwidth", _rate(known, known.moved_bytes), "bytes/s", lambda value: f"{units.size(value)}/s"
    )


def _latency(known: Known) -> KeyFigure:
    """Return median and 99 % of the operation with most requests."""
    rows = known.rows("answer_times")
    for measure, name in (("latency", "latency"), ("service", "service time"), ("call", "call time")):
        of_measure = [row for row in rows if row["measure"] == measure]
        if of_measure:
            row = max(of_measure, key=lambda row: row["requests"])
            shown = f"{units.duration(row['median_ns'])}, {units.duration(row['p99_ns'])}"
            return KeyFigure(f"{row['operation']} {name} p50, p99", float(row["median_ns"]), "ns", shown)
    return _figure("latency p50, p99", None, "ns", units.duration)


def _read_share(known: Known) -> KeyFigure:
    return _figure("of the requests read", known.facts.read_requests_percent, "percent", units.percent)


def _footprint(known: Known) -> KeyFigure:
    return _figure("footprint", known.facts.totals["static_bytes"], "bytes", units.size)


def _of_all_keys(
    column: str, label: str, unit: str, write: Callable[[float], str]
) -> Callable[[Known], KeyFigure]:
    def figure(known: Known) -> KeyFigure:
        row = next((row for row in known.rows("key_skew") if row["operation"] == "all"), {})
        return _figure(label, row.get(column), unit, write)

    return figure


def _ranks(known: Known) -> KeyFigure:
    ranks = len({row["process"] for row in known.rows("rank_time")})
    return _figure("rank with I/O" if ranks == 1 else "ranks with I/O", ranks, "ranks", units.count)


def _io_share(known: Known) -> KeyFigure:
    whole = known.whole
    share = 100 * whole.io_s / whole.run_s if whole and whole.run_s and whole.io_s is not None else None
    return _figure("of the ranks' time in I/O", share, "percent", units.percent)


def _metadata_share(known: Known) -> KeyFigure:
    rows = [row for row in known.rows("rank_time") if row["taken_s"] is not None]
    whole = sum(row["taken_s"] for row in rows)
    metadata = sum(row["taken_s"] for row in rows if row["kind"] == "metadata")
    share = 100 * metadata / whole if whole else None
    return _figure("of I/O time in metadata calls", share, "percent", units.percent)


def _sum_of_jobs(
    column: str, one: str, many: str, unit: str, write: Callable[[float], str]
) -> Callable[[Known], KeyFigure]:
    def figure(known: Known) -> KeyFigure:
        number = jobs.total(known.results[JOBS], column)
        return _figure(one if number == 1 else many, number, unit, write)

    return figure


def _jobs(known: Known) -> KeyFigure:
    number = len(known.results[JOBS])
    return _figure("job" if number == 1 else "jobs", number, "jobs", units.count)


def _share_of_jobs(part: str, whole: str, label: str) -> Callable[[Known], KeyFigure]:
    def figure(known: Known) -> KeyFigure:
        rows = known.results[JOBS]
        rows = rows.filter(pc.and_(pc.is_valid(rows[part]), pc.is_valid(rows[whole])))
        all_s = jobs.total(rows, whole)
        share = 100 * (jobs.total(rows, part) or 0.0) / all_s if all_s else None
        return _figure(label, share, "percent", units.percent)

    return figure


OF_JOBS: Mapping[str, Callable[[Known], KeyFigure]] = {
    "jobs": _jobs,
    "job_ranks": _sum_of_jobs("ranks", "rank", "ranks", "ranks", units.count),
    "job_io_share": _share_of_jobs("io_s", "available_s", "of ranks × run time in I/O"),
    "job_bytes_read": _sum_of_jobs("bytes_read", "read", "read", "bytes", units.size),
    "job_bytes_written": _sum_of_jobs("bytes_written", "written", "written", "bytes", units.size),
    "job_metadata_share": _share_of_jobs("meta_s", "io_s", "of I/O time in metadata calls"),
}
"""Those of jobs' counters."""
FIGURES: Mapping[str, Callable[[Known], KeyFigure]] = {
    "duration": _duration,
    "processes": _total("processes", "process", "processes"),
    "calls": _total("calls", "system call", "system calls"),
    "requests": _total("requests", "request", "requests"),
    "keys": _total("requested_files", "object", "objects"),
    "files": _total("files", "file", "files"),
    "bytes_read": _moved("bytes_read", "read"),
    "bytes_written": _moved("bytes_written", "written"),
    "bytes": _all_bytes("moved"),
    "bytes_requested": _all_bytes("requested"),
    "iops": _iops,
    "bandwidth": _bandwidth,
    "latency": _latency,
    "read_share": _read_share,
    "footprint": _footprint,
    "once_share": _of_all_keys("once_percent", "of the objects asked for once", "percent", units.percent),
    "skew": _of_all_keys("zipf_exponent", "Zipf exponent of popularity", "ratio", "{:.2f}".format),
    "ranks": _ranks,
    "io_share": _io_share,
    "metadata_share": _metadata_share,
    **OF_JOBS,
}
"""All key figures, by their names."""
BY_COUNTERS = {"io_share": "job_io_share", "metadata_share": "job_metadata_share"}
"""Figures that accesses show in part, since they leave out other calls: those of the counters of jobs instead."""
NEEDED: Mapping[str, str] = {
    "latency": "answer_times",
    "once_share": "key_skew",
    "skew": "key_skew",
    "ranks": "rank_time",
    "metadata_share": "rank_time",
    **dict.fromkeys(OF_JOBS, JOBS),
}
"""The statistics that some figures need besides `QUERIES`."""
