"""What tracing adds to a call: a loop of calls with and without strace, measured once per machine and kept."""

import contextlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from iotrace.files.temporary import temporary_folder
from iotrace.store.location import cache_home

CALLS = 4_000
ROUNDS = 3
LOOP = f"""
import os, time
file = os.open("/dev/null", os.O_RDONLY)
for calls in ((lambda: os.pread(file, 1, 0)), os.getppid):
    began = time.perf_counter_ns()
    for _ in range({CALLS}):
        calls()
    print((time.perf_counter_ns() - began) / {CALLS})
"""
"""A call that is traced, and one that is not, in nanoseconds each."""
MOST_SECONDS = 20
KEPT = "tracing-overhead.json"


@dataclass(frozen=True)
class Overhead:
    """What tracing adds to a call, in nanoseconds."""

    traced_ns: int
    """To a call that is in the log."""
    others_ns: int
    """To a call that is not: nothing to speak of with a filter (--seccomp-bpf)."""


def overhead(strace: Sequence[str]) -> Overhead | None:
    """Return what strace with these flags adds to a call on this machine; None where it cannot be measured.

    The first use measures it, which takes about a second, and keeps it in the user's cache for this kernel and strace.
    """
    key = json.dumps([platform.node(), platform.release(), os.cpu_count(), _version(strace[0]), *strace])
    place = cache_home() / KEPT
    kept = _kept(place)
    with contextlib.suppress(KeyError, TypeError, ValueError):
        return Overhead(**{name: int(value) for name, value in kept[key].items()})
    measured = _measure(strace)
    if measured is not None:
        _keep(place, {**kept, key: asdict(measured)})
    return measured


def _measure(strace: Sequence[str]) -> Overhead | None:
    """Time the loop with and without strace, in turn; the least of each, as other programs only add to it."""
    with temporary_folder() as folder:
        traced = [*strace, "-o", str(folder / "log"), "--"]
        rounds = [(_times([]), _times(traced)) for _ in range(ROUNDS)]
    if any(not plain or not slow for plain, slow in rounds):
        return None
    plain, slow = (map(min, zip(*times, strict=True)) for times in zip(*rounds, strict=True))
    differences = (max(0, round(later - first)) for first, later in zip(plain, slow, strict=True))
    return Overhead(*differences)


def _times(tracer: list[str]) -> tuple[float, ...]:
    """Return the loop's nanoseconds per call, none if it cannot be run."""
    words = [*tracer, sys.executable, "-I", "-S", "-c", LOOP]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_SECONDS,
            check=True,
        )
        return tuple(map(float, done.stdout.split()))
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()


def _version(strace: str) -> str:
    done = subprocess.run([strace, "--version"], capture_output=True, check=False)
    return done.stdout.partition(b"\n")[0].decode("utf-8", "replace")


def _kept(place: Path) -> dict[str, Any]:
    """Return what was measured before, nothing if it cannot be read."""
    try:
        kept = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _keep(place: Path, measured: dict[str, Any]) -> None:
    """Write what was measured whole; where that fails, it is measured again."""
    new = place.with_name(f"{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.write_text(json.dumps(measured), "utf-8")
        new.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
