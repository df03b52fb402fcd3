"""Jobs of which there are counters: a row for each, with what decides its time in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.characterize import characterize, prepared
from iotrace.analysis.summary import Described, Summary, table_of
from iotrace.errors import IotraceError, UsageError, sql_reason
from iotrace.families import JOBS, counts_jobs
from iotrace.libraries import pc
from iotrace.store.expressions import check_expression
from iotrace.store.sandbox import SETTINGS
from iotrace.store.store import Store

STATISTIC = "io_by_job"
HARDLY = 0.01
"""Below this share of the run nothing more is said of I/O."""
MOST = 0.6
"""From this share of the time in I/O on it is said to be of reads, writes or other calls."""
SIEVED = 0.01
"""From this share of the bytes written on data sieving is named."""
WAITING = 0.2
"""Up to this share of the time at MPI-IO that is spent in POSIX below, the rest is named."""
COLLECTIVE = 0.5
"""From this share of collective calls on."""


def rows(store: Store, merge: bool = True) -> pa.Table:
    """Return statistic io_by_job; without `merge` each log is a job. Raises IotraceError for a store without jobs."""
    if not counts_jobs(store.tables):
        raise IotraceError(
            f"{store.name}: has no counters of jobs, which Darshan's logs have; iotrace report is for this trace"
        )
    with store.queried() as connection:
        parameters = {"merge_jobs": "yes" if merge else "no"}
        return characterize(connection, [STATISTIC], parameters)[STATISTIC]


def jobs_of(store: Store) -> int:
    """Return how many jobs a store counts; logs of one job may be several."""
    logs = int(store.manifest["tables"][JOBS.name])
    if logs < 2:
        return logs
    with store.queried() as connection, prepared(connection, ["job_run"], {}):
        return int(connection.execute("select count(distinct run) from job_run").fetchall()[0][0])


def jobs(store: Store, merge: bool = True) -> pa.Table:
    """Return result jobs: a row for each, those with most time in I/O first; raises as `rows` does."""
    listed = []
    for job in rows(store, merge).to_pylist():
        listed.append(
            job | {"job": job["job_id"], "start": _instant(job["start_ns"]), "finding": finding(job)}
        )
    return queries.result_table("jobs", listed)


def _instant(start_ns: int | None) -> str | None:
    try:
        return (
            None
            if start_ns is None
            else f"{datetime.fromtimestamp(start_ns // 10**9, UTC):%Y-%m-%d %H:%M:%S}"
        )
    except (ValueError, OverflowError, OSError):
        return None


def chosen(listed: pa.Table, where: str | None, sort: str | None, top: int | None) -> pa.Table:
    """Return rows of result jobs: those for which a condition holds, sorted by a column, at most `top`.

    The largest come first, after a minus the smallest. Raises UsageError for an unknown column and for what is more
    than an expression, and IotraceError for one that DuckDB cannot evaluate.
    """
    column = (sort or "").removeprefix("-")
    if sort is not None and column not in listed.schema.names:
        raise UsageError(f"--sort: {column or 'nothing'} is none of {', '.join(listed.schema.names)}")
    if where is None and not column:
        return listed.slice(0, top)
    sql = "select * exclude (place) from (select *, row_number() over () as place from jobs)"
    if where is not None:
        check_expression(where, "--where")
        sql += f" where (\n{where}\n)"
    direction = "asc" if sort is not None and sort.startswith("-") else "desc"
    sql += f' order by "{column}" {direction} nulls last, place' if column else " order by place"
    sql += "" if top is None else f" limit {top}"
    with closing(duckdb.connect()) as connection:
        connection.register("jobs", listed)
        for setting, value in SETTINGS.items():
            connection.execute(f"set {setting} = {value}")
        try:
            return connection.sql(sql).to_arrow_table().cast(listed.schema)
        except duckdb.Error as error:
            raise IotraceError(f"SQL of --where: {sql_reason(error)}") from None


def finding(job: Mapping[str, Any]) -> str:
    """Return what a job's counters say of its time in I/O, from a row of statistic io_by_job."""
    if job["status"] == "refused":
        return str(job["damage"])
    if not job["io_s"]:
        return "No time in I/O is counted"
    share, run = job["io_share"], _of_run(job)
    if share is None:
        return f"I/O takes {_seconds(job['io_s'])}, added up over ranks; how long the job ran is not known"
    if share > 1:
        return (
            f"I/O adds up to {units.percent(100 * share)} of the run ({run}): calls of several threads overlap, or"
            " a clock was wrong"
        )
    first = f"I/O is {units.percent(100 * share)} of the run ({run})"
    if share < HARDLY:
        return first
    return "; ".join([first + _kind(job), *_causes(job)])


def _of_run(job: Mapping[str, Any]) -> str:
    """Return the time in I/O, and that of which it is a part: 4,320 s of 384 ranks x 12 s."""
    at = " at MPI-IO" if job["mpi_s"] >= 0.99 * job["io_s"] else ""
    if job["logs"] > 1:
        return f"{_seconds(job['io_s'])}{at} of {_seconds(job['available_s'])} of {job['logs']:,} processes"
    ranks = units.plural(job["ranks"], "rank", "ranks")
    return f"{_seconds(job['io_s'])}{at} of {ranks} x {_seconds(job['run_s'])}"


def _seconds(seconds: float) -> str:
    """Return a time in seconds, in which ranks and runs are compared."""
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.3g} s"


def _kind(job: Mapping[str, Any]) -> str:
    """Return what most of the time in I/O is spent in."""
    kinds = {"reads": job["read_s"], "writes": job["write_s"], "opens, closes and the like": job["meta_s"]}
    name, spent = max(kinds.items(), key=lambda kind: kind[1])
    share = spent / job["io_s"]
    return f", {units.percent(100 * share)} of it {name}" if share >= MOST else ""


def _causes(job: Mapping[str, Any]) -> list[str]:
    causes = []
    kind = "writes" if job["write_s"] >= job["read_s"] else "reads"
    calls, collective = job[f"mpi_{kind}"], job[f"collective_{kind}"]
    if calls and job["mpi_s"] >= MOST * job["io_s"]:
        if collective == calls:
            causes.append(f"all {kind} at MPI-IO are collective")
        elif collective:
            causes.append(f"{units.percent(100 * collective / calls)} of the {kind} at MPI-IO are collective")
        elif job["ranks"] and job["ranks"] > 1:
            causes.append(f"no {kind[:-1]} at MPI-IO is collective")
    written = job["bytes_written"] or 0
    if job["sieved_bytes"] and job["sieved_bytes"] >= SIEVED * written:
        size = units.size(job["sieved_bytes"])
        causes.append(f"{size} are read below MPI-IO only to be written again (data sieving)")
    above = job["above_s"] or 0
    is_waiting = above >= MOST * job["io_s"] and job["below_s"] <= WAITING * above
    if is_waiting and collective >= COLLECTIVE * calls > 0:
        share = units.percent(100 * job["below_s"] / above)
        hints = f" (hints: {job['hints']})" if job["hints"] else ""
        causes.append(
            f"POSIX calls take {share} of the time at MPI-IO: the rest is exchange and waiting within it{hints}"
        )
    if job["partial_modules"]:
        causes.append(f"what {job['partial_modules']} counts is not of all files")
    return causes


def sentences(rows: pa.Table) -> tuple[str, ...]:
    """Return the first sentences on jobs, from statistic io_by_job."""
    if len(rows) == 1:
        return (f"{finding(rows.to_pylist()[0])}.",)
    known = of_known_time(rows)
    first = units.plural(len(rows), "job", "jobs")
    if not len(known):
        return (f"{first}; how long they ran is not known.",)
    spent, available = (total(known, name) or 0.0 for name in ("io_s", "available_s"))
    (most,) = known.slice(0, 1).to_pylist()
    return (
        f"{first}: I/O is {units.percent(100 * spent / available)} of ranks times run time"
        f" ({_seconds(spent)} of {_seconds(available)}).",
        f"Most of it in {most['log']}: {finding(most)}.",
    )


def of_known_time(rows: pa.Table) -> pa.Table:
    """Return the jobs, of statistic io_by_job, of which the time in I/O and that available are known."""
    available = pc.fill_null(pc.not_equal(rows["available_s"], 0), False)
    return rows.filter(pc.and_(available, pc.is_valid(rows["io_s"])))


def total(rows: pa.Table, column: str) -> float | None:
    """Return the sum of what is known of a column; None of nothing."""
    summed = pc.sum(rows[column].cast(pa.float64(), safe=False)).as_py()
    return None if summed is None else float(summed)


def first_look(rows: pa.Table) -> Summary:
    """Return the first look at a store of jobs, from statistic io_by_job."""
    numbers: list[Described] = [
        ("jobs", float(len(rows)), "jobs", units.count),
        ("logs", total(rows, "logs"), "logs", units.count),
        ("ranks", total(rows, "ranks"), "processes", units.count),
        ("ranks times run time", total(rows, "available_s"), "s", _seconds),
        ("time in I/O, added up over ranks", total(rows, "io_s"), "s", _seconds),
        ("of it reads", total(rows, "read_s"), "s", _seconds),
        ("of it writes", total(rows, "write_s"), "s", _seconds),
        ("of it opens, closes and the like", total(rows, "meta_s"), "s", _seconds),
        ("read", total(rows, "bytes_read"), "bytes", units.size),
        ("written", total(rows, "bytes_written"), "bytes", units.size),
    ]
    return Summary(table_of(numbers), sentences(rows))
