"""The step of ingest after reading: the tables that it derives from the native one."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace.files.remote import Place
from iotrace.formats.format import Run
from iotrace.workers import WorkerSpec


class Deriving:
    """The derivation for one trace, whose ranks' clocks may be aligned; by default it does nothing while reading."""

    def __init__(self, align_clocks: bool = False) -> None:
        self.align_clocks = align_clocks

    @contextmanager
    def in_parts(
        self, output: Place, worker_spec: WorkerSpec | None, say: Callable[[str], None]
    ) -> Iterator[bool]:
        """Prepare to read a trace in parts while a block writes its tables; give whether that is so."""
        yield False

    def reading(self, run: Run) -> Run:
        """Return the run whose batches are written."""
        return run

    def seen(self) -> Mapping[str, Callable[[pa.RecordBatch], None]]:
        """Return what is called with each batch of a table that was written, by the table's name."""
        return {}

    def derive(self, folder: Path, rows: dict[str, int], report: dict[str, Any]) -> dict[str, int]:
        """Write the derived tables into a folder that holds those that were read; return their numbers of rows.

        A table that the store is not to have is removed, and taken from ``rows``, the numbers of rows of those.
        What of a report is for this alone is taken from it, and the rest is for the manifest. Raises OSError if the
        folder cannot be written.
        """
        raise NotImplementedError
