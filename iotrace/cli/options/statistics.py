"""The parameters of statistics, as options of ``iotrace characterize``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from iotrace.analysis.population import Population
from iotrace.cli.inputs import PopulationOption
from iotrace.cli.options.groups import Group


class FileSize(StrEnum):
    """Which size of a file counts."""

    FIRST = "first"
    LAST = "last"
    LARGEST = "largest"


class Runs(StrEnum):
    """What ends a run."""

    SAME_DIRECTION = "same_direction"
    MIXED = "mixed"


@dataclass(frozen=True)
class Parameters(Group):
    """What statistics can be asked with."""

    file_size: Annotated[
        FileSize, typer.Option("--file-size", help="Which of the sizes that a file had is its static size.")
    ] = FileSize.LARGEST
    runs: Annotated[
        Runs, typer.Option("--runs", help="Whether a run's requests all go in one direction, or may mix.")
    ] = Runs.SAME_DIRECTION
    windows: Annotated[
        int, typer.Option("--windows", min=1, max=200, help="How many windows divide the trace.")
    ] = 100
    block: Annotated[
        int, typer.Option("--block", min=512, help="Bytes in a block, where data is followed by blocks.")
    ] = 4096
    top: Annotated[int, typer.Option("--top", min=1, max=200, help="How many rows a ranking has.")] = 20
    tree_depth: Annotated[
        int, typer.Option("--tree-depth", min=1, help="How deep the directory trees go.")
    ] = 3
    population: PopulationOption = None

    def values(self) -> dict[str, str | int]:
        """Return them by the names that the statistics have for them."""
        return {
            "file_size": self.file_size.value,
            "runs": self.runs.value,
            "windows": self.windows,
            "block_bytes": self.block,
            "top": self.top,
            "tree_depth": self.tree_depth,
            "population": (self.population or Population.DATA).value,
        }
