"""A tree of merges on a Dask Client: every value stays on the workers until the last one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from iotrace.errors import IotraceError
from iotrace.workers.build import SameBuild, package_hash

BREATH_S = 0.1
"""How long to wait at a time; see `waiting_tree`."""
LOOK_S = 2.0
"""How often the scheduler is asked which workers there are."""
WORKERLESS_S = 60.0
"""How long a cluster may be without workers, which may be started again, before the run is given up."""
KILLED = (
    "{parts} of the work ended {times} workers, one after the other: killed, or out of memory; start workers with more"
    " memory, or more of them"
)
GONE = "the connection to the scheduler {address} was lost; nothing was written: start it again, and then the command"
LOST_CONNECTION = "scheduler-connection-lost"
"""The reason that distributed gives for futures of a scheduler that has gone."""
LOST = "what all parts need was lost with the workers that had it: killed, or out of memory; start the command again"
WORKERLESS = "the scheduler {address} has had no workers for {seconds:.0f} s; start workers, and then the command again"


def is_client(executor: Any) -> bool:
    """Return whether an executor is a Dask Client; `distributed` is not loaded for that."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(executor, distributed.Client)


def run(
    client: Any,
    leaf: Callable[..., Any],
    merge: Callable[[Any, Any], Any],
    parts: Sequence[Any],
    shared: Sequence[Any],
    finish: Callable[[Any], Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Return the merge of all parts, or what a worker makes of it; see `map_merge`."""
    build = package_hash()
    leaf, merge = SameBuild(leaf, build), SameBuild(merge, build)
    with failures(client):
        sent = client.scatter(list(shared), broadcast=True, direct=True, hash=False) if shared else []
        done = _Done()
        root = _tree(client, leaf, merge, parts, sent, done)
        if finish is not None:
            root = client.submit(SameBuild(finish, build), root, pure=False)
        try:
            _wait(client, root, lambda: progress(done.parts, len(parts)) if progress else None)
            return client.gather(root, direct=True)
        finally:
            with suppress(Exception):  # a scheduler that has gone
                root.cancel(force=True)


class _Done:
    """Counts parts that are done; a future would keep its result on a worker."""

    parts = 0

    def add(self, future: Any) -> None:
        self.parts += future.status == "finished"


def _tree(client: Any, leaf: Any, merge: Any, parts: Sequence[Any], sent: Sequence[Any], done: _Done) -> Any:
    """Return the future of the root. A merge is submitted as soon as it can be, so that it runs before later leaves."""
    waiting: list[tuple[int, Any]] = []
    for part in parts:
        waiting.append((1, client.submit(leaf, part, *sent, pure=False)))
        waiting[-1][1].add_done_callback(done.add)
        while len(waiting) > 1 and waiting[-2][0] == waiting[-1][0]:
            _merge_last(client, merge, waiting)
    while len(waiting) > 1:
        _merge_last(client, merge, waiting)
    return waiting[0][1]


def _merge_last(client: Any, merge: Any, waiting: list[tuple[int, Any]]) -> None:
    """Merge the last two nodes; a node's number is how many parts it has."""
    number, right = waiting.pop()
    others, left = waiting.pop()
    waiting.append((others + number, client.submit(merge, left, right, pure=False)))


def _wait(client: Any, future: Any, show: Callable[[], None]) -> None:
    """Wait for a future, as long as there are workers that can make it; show now and then what is done."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    looked = had_workers = time.monotonic()
    while not done.wait(BREATH_S):
        now = time.monotonic()
        if now - looked < LOOK_S:
            continue
        looked = now
        show()
        if client.nthreads():
            had_workers = now
        elif now - had_workers > WORKERLESS_S:
            raise IotraceError(WORKERLESS.format(address=address(client), seconds=now - had_workers))


def address(client: Any) -> str:
    """Return the address of a client's scheduler."""
    return str(client.scheduler.address) if client.scheduler else "that was connected"


@contextmanager
def failures(client: Any) -> Iterator[None]:
    """Turn what a cluster's failures raise into an IotraceError; what the work itself raises stays as it is."""
    from distributed import KilledWorker
    from distributed.client import CancelledError
    from distributed.comm import CommClosedError

    where = address(client)
    try:
        yield
    except KilledWorker as error:
        raise IotraceError(KILLED.format(parts="a part", times=error.allowed_failures + 1)) from error
    except CancelledError as error:
        is_gone = getattr(error, "reason", LOST_CONNECTION) == LOST_CONNECTION
        raise IotraceError(GONE.format(address=where) if is_gone else LOST) from error
    except (CommClosedError, TimeoutError) as error:
        raise IotraceError(GONE.format(address=where)) from error
    except OSError as error:
        if error.errno is None:  # of distributed, such as a time that ran out
            raise IotraceError(GONE.format(address=where)) from error
        raise
