"""The parameters of statistics, as options of ``iotrace characterize``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from iotrace.analysis.population import Population
from iotrace.cli.inputs import PopulationOption
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.options.workers import CLUSTER, METAVAR, NEEDS_WORKERS, WaitForWorkersOption
from iotrace.cli.terminal import warn_of
from iotrace.workers.spec import parsed

if TYPE_CHECKING:
    from iotrace.workers import Workers


class FileSize(StrEnum):
    """Which size of a file counts."""

    FIRST = "first"
    LAST = "last"
    LARGEST = "largest"


class Runs(StrEnum):
    """The directions of the requests of a run."""

    SAME_DIRECTION = "same_direction"
    MIXED = "mixed"


@dataclass(frozen=True)
class Choice(Group):
    """Options on what is shown of statistics."""

    everything: bool = declared(False, "Show every statistic that applies to the trace.", "--all")
    listing: bool = declared(False, "List the statistics, with their columns and sources.", "--list")
    workers: str | None = declared(
        None,
        f"Compute what merges over ranges of rows at the same time: on N threads,{CLUSTER}",
        metavar=METAVAR,
        rare=True,
    )
    wait_for_workers: WaitForWorkersOption = declared(None, needs=NEEDS_WORKERS)
    sql: bool = declared(False, "Show the SQL of the statistics named, and run nothing.")

    @contextmanager
    def started(self, names: Sequence[str], family: str) -> "Iterator[Workers | None]":
        """Give the workers for a block, None if there are none; say which statistics they do not compute."""
        worker_spec = parsed(self.workers, self.wait_for_workers)
        if self.workers is None or worker_spec.is_one:
            yield None
            return
        from iotrace.analysis.merging import sentence

        if message := sentence(names, family):
            warn_of(message)
        with worker_spec.started() as workers:
            yield workers


@dataclass(frozen=True)
class Parameters(Group):
    """Parameters of statistics."""

    file_size: FileSize = declared(
        FileSize.LARGEST, "The size that a file counts with, of those in the trace."
    )
    runs: Runs = declared(Runs.SAME_DIRECTION, "Whether a run has reads or writes only, or may mix them.")
    windows: int = declared(100, "The number of windows of equal length in the trace.", min=1, max=200)
    block: int = declared(4096, "Bytes in a block, for statistics of blocks.", min=512)
    budget: int = declared(
        16_777_216, "The most blocks that a statistic follows, beyond 64 for each request.", min=1
    )
    top: int = declared(20, "The number of rows in a ranking.", min=1, max=200)
    tree_depth: int = declared(3, "The depth of directory trees.", min=1)
    population: PopulationOption = None

    def values(self) -> dict[str, str | int]:
        """Return them by the names that the statistics have for them."""
        return {
            "file_size": self.file_size.value,
            "runs": self.runs.value,
            "windows": self.windows,
            "block_bytes": self.block,
            "most_blocks": self.budget,
            "top": self.top,
            "tree_depth": self.tree_depth,
            "population": (self.population or Population.DATA).value,
        }
