"""What it adds to a program when record also traces the calls in which its threads wait.

Each program makes one kind of call as often as it can (recording_waits.c; needs cc). It runs under record's flags
without any of ingest.tracing.WAITS, and with the calls named, in turn. The bound, chosen before the results: what adds
more than 10 % to the elapsed time (the median of the ratios) is in tracing.COSTLY_WAITS, and is not traced by default.
With --attached strace is attached to a program that runs, where there is no filter and all calls stop anyway.
Redis is measured where redis-server and redis-benchmark are there.

    python tests/benchmarks/recording_waits.py
    python tests/benchmarks/recording_waits.py --attached
"""

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from iotrace.ingest import tracing

BOUND = 1.10
CASES = {
    "server": ("a server's event loop, by send and recv", 8_000, ("recvfrom", "sendto")),
    "messages": ("the same by recvmsg and sendmsg", 8_000, ("recvmsg", "sendmsg")),
    "connections": ("a connection for each request", 4_000, ("connect",)),
    "mutex": ("4 threads contend for a mutex", 100_000, ("futex",)),
    "condition": ("2 threads alternate by a condition variable", 10_000, ("futex",)),
    "several": ("2 threads alternate by futex_waitv", 10_000, ("futex_waitv",)),
    "semaphores": ("2 processes alternate by semaphores", 10_000, ("semop", "semtimedop")),
    "queues": ("2 processes exchange messages of System V", 8_000, ("msgrcv", "msgsnd")),
    "sleeps": ("sleeps of 1 ms", 400, ("clock_nanosleep",)),
    "asynchronous": ("reads of 512 bytes by io_submit", 8_000, ("io_getevents",)),
    "suspends": ("2 processes alternate by signals", 4_000, ("rt_sigsuspend",)),
    "pauses": ("a process pauses until the next signal", 8_000, ("pause",)),
    "signals": ("signals sent and waited for", 8_000, ("rt_sigtimedwait",)),
}
"""Of each program: what it does, how often, and the calls that are added."""


def seconds_of(command: Sequence[str], calls: Sequence[str], attached: bool, folder: Path) -> float:
    """Return the elapsed time of a command while its calls and these are traced into a file in memory or on disk."""
    traced = ",".join((tracing.BASE, *(f"?{call}" for call in calls)))
    flags = [*tracing.FLAGS, "-e", f"trace={traced}", "-o", str(folder / "log")]
    if not attached:
        began = time.perf_counter()
        subprocess.run(
            ["strace", *flags, "--seccomp-bpf", "--", *command], check=True, stdout=subprocess.DEVNULL
        )
        return time.perf_counter() - began
    # stopped until strace has it
    stopped = ["sh", "-c", 'kill -STOP $$; exec "$@"', "sh", *command]
    program = subprocess.Popen(stopped, stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOWAIT)
    tracer = subprocess.Popen(["strace", *flags, "-p", str(program.pid)], stderr=subprocess.DEVNULL)
    while f"TracerPid:\t{tracer.pid}" not in Path(f"/proc/{program.pid}/status").read_text():
        time.sleep(0.01)
    began = time.perf_counter()
    program.send_signal(18)
    program.wait()
    elapsed = time.perf_counter() - began
    tracer.wait()
    return elapsed


def redis(calls: Sequence[str], folder: Path) -> float:
    """Return how long redis-benchmark takes against a server that is traced."""
    place = folder / "redis.socket"
    served = ["redis-server", "--port", "0", "--unixsocket", str(place), "--save", "", "--daemonize", "no"]
    traced = ",".join((tracing.BASE, *(f"?{call}" for call in calls)))
    flags = [*tracing.FLAGS, "-e", f"trace={traced}", "-o", str(folder / "log"), "--seccomp-bpf"]
    server = subprocess.Popen(["strace", *flags, "--", *served], cwd=folder, stdout=subprocess.DEVNULL)
    try:
        while not place.exists():
            time.sleep(0.02)
        load = ["redis-benchmark", "-s", str(place), "-n", "20000", "-c", "20", "-t", "set,get", "-q"]
        began = time.perf_counter()
        subprocess.run(load, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began
    finally:
        subprocess.run(["redis-cli", "-s", str(place), "shutdown", "nosave"], check=False)
        server.wait()
        with contextlib.suppress(FileNotFoundError):
            place.unlink()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--attached", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "waits"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O2", "-pthread", "-o", str(program), str(source)], check=True)
        with_redis = (
            len(given.only) == len(CASES)
            and not given.attached
            and shutil.which("redis-server")
            and shutil.which("redis-benchmark")
        )
        print(
            "| program | calls added | without, s | with, s | ratio (least to most) | |\n|---|---|---|---|---|---|"
        )
        rows = [
            (title, calls, [str(program), kind, str(count)])
            for kind, (title, count, calls) in CASES.items()
            if kind in given.only
        ]
        if with_redis:
            rows += [
                (
                    "Redis, 20 clients",
                    tuple(call for call in tracing.WAITS if call not in tracing.COSTLY_WAITS),
                    [],
                ),
                ("Redis, 20 clients", tracing.WAITS, []),
            ]
        for title, calls, command in rows:
            times = [
                tuple(
                    seconds_of(command, added, given.attached, folder) if command else redis(added, folder)
                    for added in ((), calls)
                )
                for _ in range(given.rounds)
            ]
            ratios = sorted(after / before for before, after in times)
            ratio = statistics.median(ratios)
            before, after = (statistics.median(each) for each in zip(*times, strict=True))
            verdict = "left out" if ratio > BOUND else "traced"
            shown = (
                ", ".join(calls) if len(calls) < 4 else "all" if calls == tracing.WAITS else "those traced"
            )
            print(
                f"| {title} | {shown} | {before:.2f} | {after:.2f} |"
                f" {ratio:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) | {verdict} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
