"""How much memory iotrace may take: the limit of ``--memory``, what DuckDB gets of it, and who watches over it."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iotrace.errors import MemoryLimitError, UsageError

LEAST_BYTES = 256 << 20
"""Memory of Python and its libraries, and a little for the work."""
PROGRAM_BYTES = 160 << 20
"""Memory of Python and its libraries alone."""
USUAL_BYTES = 2 << 30
"""Without a limit, what DuckDB gets is half of this: what does not fit is written to temporary files."""
WATCH_SECONDS = 0.02
BESIDE_TABLES_BYTES = 640 << 20
"""DuckDB's memory for advice and time where large tables lie on disk: with more it keeps what is there, too."""
KEPT_FREE = 0.12
"""The part of the limit that stays free while a trace is read: what is left out for it leaves the rest of a page."""
KEPT_FREE_BY_QUERIES = 0.06
"""The same for queries: DuckDB frees and takes memory all the time."""
FLUSHED = ("allocator_flush_threshold", "allocator_bulk_deallocation_flush_threshold")
"""The settings of DuckDB that say how much freed memory its allocator keeps from the system."""
FREE_KEPT = "16MiB"
"""With the usual 128 and 512 MB, resident memory is up to 2.5 times what DuckDB's own limit counts."""
RETURNS_FREED = "allocator_background_threads"
"""The setting of DuckDB with which its allocator returns freed memory to the system though nothing more is freed."""
PART_FOR_TABLES = 0.4
"""The part of what DuckDB gets that tables may take which stay in memory."""
THREAD_BYTES = 64 << 20
"""Of what DuckDB gets with a limit, for each of its threads: a sort on several in less ends with an error."""
_STATE: dict[str, int] = {}
_STOPS: "list[Stop]" = []
"""Of the blocks that run, the innermost last."""
_STOPPING = threading.Lock()
"""Held while a block is stopped, so that it does not end meanwhile and what follows it is stopped."""


def limit(bytes_: int) -> None:
    """Set the limit for this process; raises UsageError for less than `LEAST_BYTES`."""
    if bytes_ < LEAST_BYTES:
        raise UsageError(
            f"--memory must be at least {LEAST_BYTES >> 20}M, which iotrace and its libraries take"
        )
    _STATE["limit"] = bytes_


def limit_bytes() -> int | None:
    """Return the limit; None if there is none."""
    return _STATE.get("limit")


def of_duckdb(most_bytes: int = USUAL_BYTES) -> dict[str, Any]:
    """Return the settings of a DuckDB connection that keep it within its share: the engine needs memory, too.

    `most_bytes` is what it gets at most.
    """
    limit_bytes_ = limit_bytes()
    settings: dict[str, Any] = dict.fromkeys(FLUSHED, FREE_KEPT) | {RETURNS_FREED: True}
    share = min(_duckdb_bytes(), most_bytes)
    if limit_bytes_ is not None:
        settings["threads"] = max(1, min(os.cpu_count() or 1, share // THREAD_BYTES))
    return settings | {"memory_limit": f"{share >> 20}MiB"}


def is_much_for_tables(bytes_: int) -> bool:
    """Return whether tables of this size leave DuckDB too little memory for the queries that read them."""
    return bytes_ > _duckdb_bytes() * PART_FOR_TABLES


def _duckdb_bytes() -> int:
    limit_bytes_ = limit_bytes()
    return USUAL_BYTES // 2 if limit_bytes_ is None else (limit_bytes_ - PROGRAM_BYTES) // 2


def watch(exceeded: Callable[[], None]) -> None:
    """From here on, call `exceeded` once, on another thread, when the process takes more than the limit."""
    limit_bytes_ = limit_bytes()
    if limit_bytes_ is not None and _resident_bytes() is not None:
        threading.Thread(target=_watch, args=(limit_bytes_, exceeded), daemon=True).start()


def refuse_shortage() -> None:
    """Raise MemoryLimitError where the process takes nearly as much as the limit: what needs more ends, and what does
    not goes on."""
    if (left := left_bytes()) is not None and left <= 0:
        raise shortage()


def left_bytes() -> int | None:
    """Return how much more the process may take before `refuse_shortage` refuses; None without a limit."""
    limit_bytes_ = limit_bytes()
    taken = None if limit_bytes_ is None else _resident_bytes()
    if limit_bytes_ is None or taken is None:
        return None
    return int(limit_bytes_ * (1 - KEPT_FREE)) - taken


@dataclass
class Stop:
    """A function that stops the work of a block which takes nearly all memory, and whether it was called."""

    stop: Callable[[], None]
    is_called: bool = False


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[Stop]:
    """From another thread, call `stop` in a block when the process takes nearly as much as the limit."""
    entry = Stop(stop)
    _STOPS.append(entry)
    try:
        yield entry
    finally:
        with _STOPPING:
            _STOPS.remove(entry)


def shortage(suffices_bytes: int | None = None) -> MemoryLimitError:
    """Return the error of what needs more than the limit; `suffices_bytes` is a limit that is known to suffice."""
    advice = "give more" if suffices_bytes is None else f"give {megabytes(suffices_bytes)}"
    return MemoryLimitError(_needed(advice), suffices_bytes)


def megabytes(bytes_: int) -> str:
    """Return a limit as the option takes it, in whole megabytes."""
    return f"{-(-bytes_ >> 20)}M"


def exceeded() -> str | None:
    """Return what to say where the process took more than the limit; None while it did not."""
    if "taken" not in _STATE:
        return None
    return _needed("give more")


def _needed(advice: str) -> str:
    return f"more than the {_STATE['limit'] >> 20:,} MB of --memory are needed: {advice}"


def _watch(limit_bytes_: int, exceeded: Callable[[], None]) -> None:
    while (taken := _resident_bytes()) is not None:
        if taken > limit_bytes_:
            _STATE["taken"] = taken
            exceeded()
            return
        if taken > limit_bytes_ * (1 - KEPT_FREE_BY_QUERIES):
            with _STOPPING:
                if _STOPS:  # no name here: this thread must not be the last to hold a connection
                    _STOPS[-1].is_called = True
                    _STOPS[-1].stop()
        time.sleep(WATCH_SECONDS)


def _resident_bytes() -> int | None:
    """Return the memory that this process takes; None where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
