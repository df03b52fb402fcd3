"""A Dask cluster of this machine for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from iotrace.workers import Workers


@dataclass(frozen=True)
class Started:
    """Workers that run already, for what starts those that it was asked for."""

    client: Any
    threads: int | None = None
    is_one: bool = False

    @contextmanager
    def started(self) -> Iterator[Workers]:
        yield Workers(self.client, 2)


@contextmanager
def cluster(folder: Path, workers: int = 2, **options: Any) -> Iterator[Any]:
    """Give a client of workers with one thread each, which are started again when they end."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        # a worker forks from a process that has loaded distributed, which takes a second and more
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs="CRITICAL",
            local_directory=str(folder),
            **options,
        ) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        yield client
