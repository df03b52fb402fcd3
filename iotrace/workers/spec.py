"""The value of ``--workers``, and how the workers are started."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.workers.dask_cluster import LOCAL, PROTOCOLS, connected
from iotrace.workers.executor import Workers

MOST_THREADS = 1 << 12


@dataclass(frozen=True)
class WorkerSpec:
    """Workers as they were asked for: threads of this process, or else a Dask cluster."""

    threads: int | None = None
    cluster: str | None = None
    """`LOCAL`, the address of a scheduler, or the path of a scheduler file."""
    wait_for: int | None = None
    """How many workers of a cluster are waited for; None until no new one comes."""

    @property
    def is_one(self) -> bool:
        """Whether there is one worker, so that nothing is cut into parts."""
        return self.threads == 1

    @contextmanager
    def started(self) -> Iterator[Workers | None]:
        """Give the workers for a block, if any are wanted; raises IotraceError for a cluster that cannot be used."""
        if self.cluster is not None:
            with connected(self.cluster, self.wait_for) as workers:
                yield workers
        elif self.threads is None:
            yield None
        else:
            with ThreadPoolExecutor(max_workers=self.threads) as pool:
                yield Workers(pool, self.threads, is_remote=False)


def parsed(text: str | None, wait_for: int | None = None) -> WorkerSpec:
    """Return the workers that a text names: a number of threads, ``local``, an address, or a scheduler file.

    Without one, none are wanted in particular. ``wait_for`` is how many workers of a cluster are waited for. Raises
    UsageError for what is none of them, and for threads that are waited for.
    """
    if text is None:
        return WorkerSpec()
    word = text.strip()
    if word.isascii() and word.isdigit():
        if not 1 <= len(word) <= 6 or not 1 <= int(word) <= MOST_THREADS:
            raise UsageError(f"--workers: {word} is not a number of threads from 1 to {MOST_THREADS:,}")
        if wait_for is not None:
            raise UsageError(f"--wait-for-workers is for workers of a cluster; --workers {word} are threads")
        return WorkerSpec(threads=int(word))
    protocol, slashes, _ = word.partition("://")
    if word == LOCAL or (slashes and protocol in PROTOCOLS):
        return WorkerSpec(cluster=word, wait_for=wait_for)
    if not slashes and Path(word).is_file():
        return WorkerSpec(cluster=word, wait_for=wait_for)
    raise UsageError(
        f"--workers: {text!r} is not a number of threads, {LOCAL}, address of a Dask scheduler (tcp://HOST:PORT) or"
        " scheduler file that exists"
    )
