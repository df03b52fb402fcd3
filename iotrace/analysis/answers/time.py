"""The answer to where the time goes, for each family that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis import jobs
from iotrace.analysis.answers.screen import Amount, Leader, Time, fitting
from iotrace.analysis.times import (
    TracersPart,
    by_cause,
    is_partly_unknown,
    not_recorded,
    tracers_part,
    unrecorded,
)
from iotrace.store.store import Store

Results = Mapping[str, pa.Table]

STATES = {
    "storage": "storage calls",
    "waiting": "waiting",
    "other": "other calls",
    "not_recorded": "no recorded call",
    "computing": "computing",
    "runnable": "waiting for a processor",
    "blocked": "waiting outside calls",
    "tracer": "strace",
    "unknown": "unknown",
}
"""The states of the clock's time, each with its name in a legend."""
WAITED_FOR = {
    "locks": ("futex", "futex_waitv"),
    "locks of files": ("flock", "fcntl", "fcntl64"),
    "the clock": ("nanosleep", "clock_nanosleep"),
    "processes": ("wait4", "waitid", "waitpid"),
    "events": (
        *(
            "poll",
            "ppoll",
            "select",
            "pselect6",
            "epoll_wait",
            "epoll_pwait",
            "epoll_pwait2",
            "io_uring_enter",
        ),
        *("io_getevents", "io_pgetevents", "accept", "accept4"),
    ),
    "pipes or sockets": (
        *(
            "read",
            "readv",
            "write",
            "writev",
            "recvfrom",
            "recvmsg",
            "recvmmsg",
            "sendto",
            "sendmsg",
            "sendmmsg",
        ),
        "connect",
    ),
}
"""The things that calls of class waiting wait for, and these calls."""
LEADERS = {"call": "time_by_call", "file": "time_by_file", "program": "time_by_program"}
"""The ranks of storage time, and the statistic of each."""
CAUSES = {
    "device": "at the device",
    "queued": "queued for it",
    "memory": "from memory",
    "blocked": "blocked otherwise",
    "runnable": "waiting for a processor",
    "running": "running in the kernel",
    "other": "other in the kernel",
}
"""The causes of the time in storage calls, each with its name in a sentence."""
NAMED_CAUSES = 4
NO_PROCESSOR = 0.5
"""The part of the time in storage calls from which on a headline says that they wait for a processor."""
BEFORE = "(before the trace)"
"""The name of all programs that started before the trace, which it does not know."""
OF_CALLS = ("wall_time_by_state", "storage_time_by_cause", *LEADERS.values())
OF_DISKS = ("answer_times", "busy_and_idle_periods", "requests_by_disk")
OF_RANKS = ("rank_time",)
OF_JOBS = (jobs.STATISTIC,)
NOT_TIMED = "The log does not record how long calls took (strace -T does)."
NO_STAMPS = "The log has no time stamps (strace -ttt -T records them)."


def of_calls(store: Store, results: Results, command: str) -> Time:
    """Return how the clock's time divides over storage, waiting and the rest, with what leads storage time."""
    rows = results["wall_time_by_state"].to_pylist()
    split = {row["state"]: row["wall_ns"] for row in rows if row["scope"] == "clock"}
    wall_ns = sum(split.values())
    if not wall_ns or not len(results["time_by_call"]):  # which has the calls whose length is known
        return Time(NOT_TIMED if store.has_times else NO_STAMPS, command=command)
    leaders = tuple(
        leader
        for kind, name in LEADERS.items()
        if (leader := _of_storage(kind, results[name].to_pylist())) is not None
    )
    split = dict(sorted(split.items(), key=lambda part: -part[1]))
    shares = dict(zip(split, units.shares(list(split.values())), strict=True))
    outside, longest_wait = not_recorded(store.manifest), _longest_wait(results)
    return Time(
        _sentence_on_calls(split, shares, outside, leaders, longest_wait),
        tuple(_part(STATES[state], ns / 1e9, shares[state], state) for state, ns in split.items() if ns),
        "s",
        command,
        leaders,
        "Times by call, file and program add up those of all processes.",
        bounds=_bounds(store, split),
        longest_wait=longest_wait,
        causes=_causes(results["storage_time_by_cause"]),
        no_processor=_no_processor(results["storage_time_by_cause"]),
        unrecorded=unrecorded(store.manifest),
        note=f"No recorded call: {outside.partition(':')[0]}." if split.get("not_recorded") else "",
    )


def _bounds(store: Store, split: Mapping[str, int]) -> str:
    if is_partly_unknown(split):
        return "as recorded"
    return "upper bounds" if tracers_part(store.manifest) is TracersPart.CONTAINED else ""


def _sentence_on_calls(
    split: Mapping[str, int],
    shares: Mapping[str, str],
    outside: str,
    leaders: Sequence[Leader],
    longest_wait: str,
) -> str:
    largest = max(split, key=lambda state: split[state])
    wall, storage = units.duration(sum(split.values())), shares.get("storage", units.percent(0))
    if largest == "storage":
        most = f", most in {leaders[0].name}" if leaders else ""
        return f"Storage calls take {_spent(split['storage'])} of {wall} ({storage}){most}."
    taken = f"{units.duration(split[largest])} of {wall} ({shares[largest]})"
    rest = f"storage calls take {_spent(split.get('storage', 0))} ({storage})"
    if largest == "unknown":
        return f"For {taken} the trace does not show what calls did or took; {rest}."
    if largest == "not_recorded":
        does = outside.partition(":")[0]
        return fitting(
            [f"{taken} is in no recorded call ({does}); {rest}.", f"{taken} is in no recorded call; {rest}."]
        )
    where = longest_wait if largest == "waiting" else ""
    return fitting(
        [f"{taken} is {STATES[largest]}{where}; {rest}.", f"{taken} is {STATES[largest]}; {rest}."]
    )


def _longest_wait(results: Results) -> str:
    """Return which call of all threads together waits longest, and for what; empty where none is known."""
    rows = results["time_by_call"].to_pylist()
    call = next((row["call"] for row in rows if row["class"] == "waiting" and row["total_s"]), None)
    if call is None:
        return ""
    what = next((what for what, calls in WAITED_FOR.items() if call in calls), None)
    return f", mostly in {call} ({what})" if what else f", mostly in {call}"


def _causes(table: pa.Table) -> str:
    """Return a sentence on what storage calls wait for; empty where the trace does not have the requests to disks."""
    taken = {cause: ns for cause, ns in by_cause(table).items() if ns}
    shares = dict(zip(taken, units.shares(list(taken.values())), strict=True))
    most = sorted(taken, key=lambda cause: -taken[cause])[:NAMED_CAUSES]
    listed = ", ".join(f"{shares[cause]} {CAUSES[cause]}" for cause in most)
    return f"Storage calls: {listed}." if most else ""


def _no_processor(table: pa.Table) -> str:
    taken = by_cause(table)
    whole_ns = sum(taken.values())
    if not whole_ns or taken.get("runnable", 0) < NO_PROCESSOR * whole_ns:
        return ""
    share = units.percent(100 * taken["runnable"] / whole_ns)
    return f"{share} of the time in storage calls is waiting for a processor"


def _of_storage(kind: str, rows: Sequence[Mapping[str, Any]]) -> Leader | None:
    row = next((row for row in rows if row["class"] == "storage" and row["total_s"] is not None), None)
    if row is None or row[kind] == BEFORE:
        return None
    seconds = row["total_s"] if row["net_s"] is None else row["net_s"]
    return Leader(kind, row[kind], units.duration(1e9 * seconds), seconds)


def of_disks(store: Store, results: Results, command: str) -> Time:
    """Return how the time of requests divides over operations, and which disk and operation lead."""
    if not store.has_times:
        return Time("The trace has no time stamps.", command=command)
    if store.kept is not None:
        return Time("The sum of the times of requests needs the requests, and none is read.", command=command)
    answers = results["answer_times"].to_pylist()
    measure = next(
        (name for name in ("latency", "service") if any(row["measure"] == name for row in answers)), None
    )
    if measure is None:
        return Time("The trace does not record how long requests took.", command=command)
    rows = [row for row in answers if row["measure"] == measure]
    spent = {row["operation"]: row["requests"] * row["average_ns"] / 1e9 for row in rows}
    whole_s = sum(spent.values())
    parts = sorted(spent.items(), key=lambda part: -part[1])
    amounts = _parts([(name, DONE.get(name, name), seconds) for name, seconds in parts])
    periods = results["busy_and_idle_periods"].to_pylist()
    busy_s, idle_s = (
        sum(row["taken_s"] for row in periods if row["state"] == state) for state in ("busy", "idle")
    )
    shares = ", ".join(
        f"{amount.name} {share}"
        for amount, share in zip(
            amounts[:2], units.shares([amount.value or 0 for amount in amounts]), strict=False
        )
    )
    busy = f"Disks are busy {units.percent(100 * busy_s / (busy_s + idle_s))} of the time; " if busy_s else ""
    slowest = max(rows, key=lambda row: row["longest_ns"])
    leaders = (
        Leader(
            "slowest",
            DONE.get(slowest["operation"], slowest["operation"]),
            units.duration(slowest["longest_ns"]),
            slowest["longest_ns"] / 1e9,
        ),
    )
    return Time(
        f"{busy}requests take {units.duration(1e9 * whole_s)} added up: {shares}."
        if busy
        else f"Requests take {units.duration(1e9 * whole_s)} added up: {shares}.",
        amounts,
        "s",
        command,
        leaders,
        "Times of requests that are at the disks at once are added up.",
    )


DONE = {"read": "reads", "write": "writes", "flush": "flushes", "discard": "discards", "sync": "syncs"}


def of_ranks(store: Store, results: Results, command: str) -> Time:
    """Return how the ranks' time divides over reading, writing, metadata and the rest, and which rank leads."""
    rows = results["rank_time"].to_pylist()
    ranks = len({row["process"] for row in rows})
    if store.length_ns is None or not any(row["taken_s"] for row in rows):
        return Time("The trace does not record how long calls took.", command=command)
    by_kind: dict[str, float] = {}
    by_rank: dict[str, float] = {}
    for row in rows:
        by_kind[row["kind"]] = by_kind.get(row["kind"], 0) + (row["taken_s"] or 0)
        by_rank[row["process"]] = by_rank.get(row["process"], 0) + (row["taken_s"] or 0)
    io_s, run_s = sum(by_kind.values()), ranks * store.length_ns / 1e9
    parts = [(name, KINDS[name], seconds) for name, seconds in by_kind.items() if seconds]
    parts.append(("elsewhere", "not in I/O", max(run_s - io_s, 0.0)))
    parts.sort(key=lambda part: -part[2])
    whole_s = max(run_s, io_s)
    amounts = _parts(parts)
    slowest = max(by_rank, key=lambda rank: by_rank[rank])
    kinds = [amount for amount in amounts if amount.key != "elsewhere"]
    of = units.plural(ranks, "rank", "ranks")
    return Time(
        f"I/O takes {units.percent(100 * io_s / whole_s)} of the time of {of},"
        f" mostly {kinds[0].name} ({kinds[0].shown}).",
        amounts,
        "s",
        command,
        (
            Leader(
                "rank",
                slowest.removeprefix("process "),
                units.duration(1e9 * by_rank[slowest]),
                by_rank[slowest],
            ),
        ),
        "Times of all ranks are added up.",
        owner=f"{ranks:,} ranks' " if ranks > 1 else "",
    )


KINDS = {"read": "reads", "write": "writes", "metadata": "metadata", "sync": "syncs"}


def of_jobs(store: Store, results: Results, command: str) -> Time:
    """Return how ranks times run time divides over reading, writing, other calls and the rest, by jobs' counters."""
    rows = results[jobs.STATISTIC]
    known = jobs.of_known_time(rows)
    first_rows = rows.slice(0, 1).to_pylist()
    if not len(known):
        first = jobs.finding(first_rows[0]) if len(rows) == 1 else "How long the jobs ran is not known"
        return Time(fitting([f"{first}.", "How long the jobs ran is not known."]), command=command)
    io_s, run_s, ranks = (jobs.total(known, name) or 0.0 for name in ("io_s", "available_s", "ranks"))
    kinds = {key: jobs.total(known, f"{column}_s") or 0.0 for key, column in JOB_KINDS.items()}
    parts = [(key, KINDS[key], seconds) for key, seconds in kinds.items()]
    parts.append(("elsewhere", "not in I/O", max(run_s - io_s, 0.0)))
    parts.sort(key=lambda part: -part[2])
    if len(rows) == 1:
        said, *causes = jobs.finding(first_rows[0]).split("; ")
        leaders: tuple[Leader, ...] = ()
    else:
        said, causes = jobs.sentences(results[jobs.STATISTIC])[0].rstrip("."), []
        (most,) = known.slice(0, 1).to_pylist()
        leaders = (Leader("job", most["log"], units.duration(1e9 * most["io_s"]), most["io_s"]),)
    share = units.percent(100 * io_s / run_s)
    short = (
        f"I/O is {share} of ranks times run time."
        if io_s <= run_s
        else f"I/O adds up to {share} of the run: calls of several threads overlap, or a clock is wrong."
    )
    return Time(
        fitting([f"{said}.", short]),
        _parts(parts),
        "s",
        command,
        leaders,
        "Times of all ranks are added up.",
        owner=f"{ranks:,.0f} ranks' " if ranks > 1 else "",
        is_of_jobs=True,
        note=". ".join(cause[0].upper() + cause[1:] for cause in causes) + "." if causes else "",
    )


JOB_KINDS = {"read": "read", "write": "write", "metadata": "meta"}
"""Kinds of calls, and the columns of statistic io_by_job that have their time."""


def _parts(parts: Sequence[tuple[str, str, float]]) -> tuple[Amount, ...]:
    """Return the parts of a bar that are not empty, of their keys, names and seconds; their shares add up to 100 %."""
    taken = [part for part in parts if part[2]]
    shares = units.shares([seconds for _, _, seconds in taken])
    return tuple(
        _part(name, seconds, share, key) for (key, name, seconds), share in zip(taken, shares, strict=True)
    )


def _part(name: str, seconds: float, share: str, key: str) -> Amount:
    return Amount(name, seconds, f"{units.duration(1e9 * seconds)} ({share})", key)


def _spent(ns: int) -> str:
    return units.duration(ns) if ns else "none"
