"""How ``iotrace ingest`` reads a trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iotrace.cli.inputs import COLUMNS, ModelOption, Order, OrderOption, TraceFormat, model_switches
from iotrace.cli.options.groups import declared
from iotrace.cli.options.workers import CLUSTER, METAVAR, NEEDS_WORKERS, WaitForWorkersOption
from iotrace.errors import UsageError
from iotrace.files.remote import Address, Place, paths_of
from iotrace.store.skipped import USUAL_PERCENT
from iotrace.units import size_bytes
from iotrace.workers.spec import parsed


@dataclass(frozen=True)
class IngestOptions(TraceFormat):
    """The format of a trace, and what its store may lack."""

    columns: str | None = declared(
        None, f"{COLUMNS} (see --help-all).", metavar="COLUMNS", conflicts=["--prompt-block"]
    )
    model: ModelOption = None
    order: OrderOption = Order.TIME
    known_files: Path | None = declared(
        None, "Sizes and interpreters of files, as iotrace record notes them.", rare=True
    )
    align_clocks: bool = declared(
        False,
        "Move the clocks of a parallel trace's processes so that the first barrier, or else the first pause"
        " of each (10 ms and 20 times its usual gap at least), ends at one instant; reports how much each moved.",
    )
    max_unpacked: str | None = declared(
        None,
        "The temporary space that an archive's files may take, as in 20G [half of the free disk].",
        metavar="SIZE",
        rare=True,
    )
    split_jobs: bool = declared(
        False,
        "Write a store for each job of a parallel trace, NAME.job-JOB.iotrace (several in one are refused).",
    )
    workers: str | None = declared(
        None,
        "Read the files of a block trace and parts of large ones, logs of jobs (darshan-jobs), or lines of keys, system"
        " calls and DFTracer (on threads only) at the same time: on N threads"
        f"{CLUSTER}",
        metavar=METAVAR,
        rare=True,
    )
    wait_for_workers: WaitForWorkersOption = declared(None, needs=NEEDS_WORKERS)
    max_skipped: float = declared(
        USUAL_PERCENT,
        "End with status 1 if more than this share of all records, or of one file's, could not be read. The store is"
        " written, and every command on it begins with a warning.",
        min=0,
        max=100,
        metavar="PERCENT",
        rare=True,
    )

    @property
    def max_unpacked_bytes(self) -> int | None:
        """The temporary space that unpacked files may take."""
        return None if self.max_unpacked is None else size_bytes(self.max_unpacked)

    def stores(self, files: Sequence[Place], output: Place | None) -> Mapping[Place, Sequence[Place]]:
        """Return the files of each store that is to be written; raises UsageError if it has no name."""
        from iotrace.ingest.pipeline import files_by_job
        from iotrace.store.location import job_place, usual_place

        path = usual_place(files[0]) if output is None else output
        if not self.split_jobs:
            return {path: files}
        if addresses := [path for path in files if isinstance(path, Address)]:
            raise UsageError(f"{addresses[0]}: --split-jobs takes files of this machine; copy it here first")
        jobs = files_by_job(paths_of(files), self.form, self.max_unpacked_bytes)
        return {job_place(path, job): of_job for job, of_job in jobs.items()}

    def arguments(self) -> dict[str, Any]:
        """Return what `iotrace.ingest.pipeline.ingest` takes of them."""
        return {
            "format": self.form,
            "model": model_switches(self.model),
            "order": self.order.value,
            "known_files": self.known_files,
            "align_clocks": self.align_clocks,
            "max_unpacked_bytes": self.max_unpacked_bytes,
            "max_skipped_percent": self.max_skipped,
            "worker_spec": None if self.workers is None else parsed(self.workers, self.wait_for_workers),
        }
