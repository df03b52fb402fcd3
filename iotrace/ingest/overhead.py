"""The time that tracing adds to a call: a loop of calls, with strace and without, right after a recording.

It is measured each time, as it depends on what else the machine does.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace.errors import IotraceError
from iotrace.files.temporary import temporary_folder
from iotrace.ingest import caller
from iotrace.ingest.contents import Contents
from iotrace.ingest.log_pipe import Compressor

ROUNDS = 6
MOST_CALLS = 2_000
"""Of a round,"""
MOST_ROUND_SECONDS = 0.25
"""which lasts no longer."""
LOOP = f"""
import os, sys, time
file, all_of_them = os.open("/dev/null", os.O_RDONLY), os.sched_getaffinity(0)
first, last = min(all_of_them), max(all_of_them)
def loop(call, argument):
    began = time.perf_counter_ns()
    for calls in range(1, {MOST_CALLS} + 1):
        call(*argument)
        if calls % 50 == 0 and time.perf_counter_ns() - began > {int(MOST_ROUND_SECONDS * 1e9)}:
            break
    return (time.perf_counter_ns() - began) / calls
with open(sys.argv[1], "w") as said:
    for number in range({ROUNDS}):
        if sys.argv[2:]:
            tracer, tracee = ({{first}}, {{last}}) if number % 2 else (all_of_them, all_of_them)
            os.sched_setaffinity(os.getppid(), tracer)
            os.sched_setaffinity(0, tracee)
        print(loop(os.pread, (file, 1, number)), loop(os.getppid, ()), file=said)
"""
"""Rounds of a call that is traced, and of one that is not; prints the nanoseconds each of them takes.

In every other round strace and the loop are on two processors, where a call takes longest: which of its processors the
system chooses for them is chance, and stays for long.
"""
TRACED = re.compile(rb"(\d+\.\d+) pread64\(.*, 1, (\d+)\) += 0 <(\d+\.\d+)>$", re.MULTILINE)
LEAST_CALLS = 50
"""Of a round; a median of fewer says little."""
MOST_SECONDS = 20
Rounds = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Overhead:
    """The time that tracing adds to a call, in nanoseconds."""

    traced_ns: int
    """To a call that is in the log, by the clock: the median."""
    others_ns: int
    """To a call that is not: nothing to speak of with a filter (--seccomp-bpf)."""
    outside_ns: int
    """How much of that is between calls: the median."""
    inside_ns: int
    """How much is in the recorded duration: the median, of the round in which it is largest."""
    inside_p99_ns: int
    """Its 99th percentile, of all rounds."""
    tail_ns: int
    """The time beyond that, the mean over all calls."""
    tail_deviation_ns: int
    """The standard deviation of what exceeds it."""
    measured_calls: int
    """This number of calls were measured."""


def overhead(strace: Sequence[str]) -> Overhead | None:
    """Return what strace with these flags adds to a call at present; None where it cannot be measured."""
    try:
        with temporary_folder() as folder:
            plain = _times([], folder / "plain")
            with Compressor(folder / "log", folder / "pipe", Contents().filter()) as sink:
                traced = _times([*strace, "-o", str(sink.pipe), "--"], folder / "traced")
            with pa.input_stream(folder / "log", compression="zstd") as stream:
                text = stream.read()
    except (OSError, ValueError, IotraceError, subprocess.SubprocessError):
        return None
    plain_ns, plain_other_ns = plain.min(axis=0)
    return _overhead(text, plain_ns, plain_other_ns, traced[:, 1].min())


def added_ns(recorder: Sequence[str]) -> int | None:
    """Return what a recorder adds to a call that it records, in ns; None where it cannot be measured."""
    try:
        with temporary_folder() as folder:
            plain = _times([], folder / "plain")
            with caller.rights():
                recorded = _times([*recorder, "-o", str(folder / "recording"), "--"], folder / "recorded")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return max(0, round(float(recorded[:, 0].min() - plain[:, 0].min())))


def _overhead(log: bytes, plain_ns: float, plain_other_ns: float, other_ns: float) -> Overhead | None:
    """Return what a log of the loop shows, with the nanoseconds that its two calls take without strace."""
    calls = np.array(TRACED.findall(log), float).reshape(-1, 3)
    rounds = [calls[calls[:, 1] == number] for number in range(ROUNDS)]
    if min(map(len, rounds)) < LEAST_CALLS:
        return None
    inside_ns = [np.maximum(1e9 * round_[:, 2] - plain_ns, 0) for round_ in rounds]
    between_ns = [1e9 * (np.diff(round_[:, 0]) - round_[:-1, 2]) for round_ in rounds]
    all_ns = np.concatenate(inside_ns)
    outside_ns = max(0.0, float(np.median(np.concatenate(between_ns))))
    p99_ns = np.quantile(all_ns, 0.99)
    tail_ns = np.maximum(all_ns - p99_ns, 0)
    return Overhead(
        traced_ns=round(outside_ns + float(np.median(all_ns))),
        others_ns=max(0, round(other_ns - plain_other_ns)),
        outside_ns=round(outside_ns),
        inside_ns=round(max(np.median(inside) for inside in inside_ns)),
        inside_p99_ns=round(p99_ns),
        tail_ns=round(tail_ns.mean()),
        tail_deviation_ns=round(tail_ns.std()),
        measured_calls=len(all_ns),
    )


def _times(tracer: list[str], results: Path) -> Rounds:
    """Return the nanoseconds per call of each round of the loop: of its traced call and of the other."""
    command = [*tracer, sys.executable, "-I", "-S", "-c", LOOP, str(results), *(["traced"] if tracer else [])]
    subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=MOST_SECONDS,
        check=True,
    )
    return np.array([line.split() for line in results.read_text("ascii").splitlines()], float)
