"""Work on several traces at the same time, on as many threads as there are cores.

Threads suffice: the engine, DuckDB and Arrow compute without Python's lock, and what they return need not be copied.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

from iotrace.engine import available_cores

Trace = TypeVar("Trace")
Made = TypeVar("Made")
Check = Callable[[], None]
"""Called often by the work on a trace: it raises `Abandoned` once the result is not needed any more."""


class Abandoned(Exception):
    """The work on another trace failed, or all of it was interrupted."""


def of_each(
    traces: Mapping[str, Trace],
    work: Callable[[str, Trace, Check], Made],
    size: Callable[[Trace], int],
    workers: int | None = None,
) -> dict[str, Made]:
    """Return what `work` makes of each trace, in the order of the traces.

    There are at most `workers` threads, one for each core unless given, so that memory is bounded; the traces of the
    largest `size` come first. What `work` raises ends the work on the other traces, and is raised here: of several such
    errors that of the first trace. An interruption ends all work, too.
    """
    workers = min(workers or available_cores(), len(traces))
    if workers < 2:
        return {name: work(name, trace, _go_on) for name, trace in traces.items()}
    ended = Event()

    def check() -> None:
        if ended.is_set():
            raise Abandoned

    def one(name: str) -> Made:
        check()
        try:
            return work(name, traces[name], check)
        except BaseException:
            ended.set()  # before this thread takes the next trace
            raise

    with ThreadPoolExecutor(workers) as pool:
        by_size = sorted(traces, key=lambda name: size(traces[name]), reverse=True)
        futures = {name: pool.submit(one, name) for name in by_size}
        try:
            wait(futures.values(), return_when=FIRST_EXCEPTION)
        finally:
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
    in_order = {name: futures[name] for name in traces}
    for future in in_order.values():
        if (error := _error(future)) is not None:
            raise error
    return {name: future.result() for name, future in in_order.items()}


def _go_on() -> None:
    pass


def _error(future: Future[Made]) -> BaseException | None:
    """Return why work failed by itself; None where it did not, or was abandoned."""
    error = None if future.cancelled() else future.exception()
    return None if isinstance(error, Abandoned) else error
