"""The options of ``iotrace jobs``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.options.groups import Group, declared
from iotrace.cli.options.workers import CLUSTER, METAVAR, NEEDS_WORKERS, WaitForWorkersOption
from iotrace.errors import UsageError
from iotrace.files.remote import Place
from iotrace.libraries import pa
from iotrace.workers import WorkerSpec
from iotrace.workers.spec import parsed

if TYPE_CHECKING:
    from iotrace.store.store import Store

DRAWN_ROWS = 50
"""Rows that a person reads, if not said otherwise."""


@dataclass(frozen=True)
class JobOptions(Group):
    """Which jobs are listed, and in which order."""

    where: str | None = declared(
        None, "Only jobs for which this SQL expression over the columns holds.", metavar="SQL"
    )
    sort: str | None = declared(
        None,
        "Sort by this column, the largest first; -COLUMN: the smallest. Default: time in I/O.",
        metavar="COLUMN",
    )
    top: int | None = declared(
        None, f"Rows at most. Default: {DRAWN_ROWS}; all in CSV, JSON, Parquet.", min=1, show_default=False
    )
    merge_jobs: bool = declared(
        True,
        "Take logs of single processes with one job number, whose times overlap or adjoin, for one job.",
        "--merge-jobs/--no-merge-jobs",
    )

    workers: str | None = declared(
        None,
        f"Read the logs in parts at the same time: on N threads{CLUSTER}",
        metavar=METAVAR,
        rare=True,
    )
    wait_for_workers: WaitForWorkersOption = declared(None, needs=NEEDS_WORKERS)

    @property
    def worker_spec(self) -> WorkerSpec | None:
        """The workers that read the logs."""
        return None if self.workers is None else parsed(self.workers, self.wait_for_workers)

    def chosen(self, jobs: pa.Table, is_drawn: bool) -> pa.Table:
        """Return the rows that were asked for; raises UsageError and IotraceError for what cannot be asked."""
        from iotrace.analysis.jobs import chosen

        top = DRAWN_ROWS if self.top is None and is_drawn else self.top
        return chosen(jobs, self.where, self.sort, top)


def open_jobs(logs: Sequence[Place], worker_spec: WorkerSpec | None = None) -> Store:
    """Open a store, or logs, of which the counters are read: those of folders, and of the folders in them."""
    from iotrace.cli.inputs import open_trace
    from iotrace.families.jobs import COUNTERS_FORMAT
    from iotrace.store.folder import is_store

    if len(logs) == 1 and is_store(logs[0]):
        return open_trace(logs[0])
    if stores := [path for path in logs if is_store(path)]:
        raise UsageError(f"{stores[0]}: is a store: it is listed alone")
    first, *others = _folders(logs)
    return open_trace([first, *others], form=COUNTERS_FORMAT, worker_spec=worker_spec)


def _folders(paths: Sequence[Place]) -> Iterator[Place]:
    """Yield files, and of each folder itself and the folders in it, in order."""
    for path in paths:
        if isinstance(path, Path) and path.is_dir():
            folders = [Path(folder) for folder, _, files in os.walk(path) if files]
            yield from sorted(folders) or [path]
        else:
            yield path
