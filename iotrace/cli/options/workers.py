"""The option ``--workers``: what parts of the work run on."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.options.groups import RARE, Group, declared
from iotrace.workers.spec import parsed

if TYPE_CHECKING:
    from iotrace.workers import Workers

METAVAR = "N|local|ADDRESS"
CLUSTER = " or on a Dask cluster (local, tcp://HOST:PORT or a scheduler file)."

WorkersOption = Annotated[
    str,
    typer.Option(
        "--workers",
        rich_help_panel=RARE,
        help=f"Run slices of the trace at the same time: on N threads,{CLUSTER}",
        metavar=METAVAR,
    ),
]


@dataclass(frozen=True)
class Runners(Group):
    """The workers that make the runs of a sweep."""

    workers: str | None = declared(
        None,
        f"Spread the runs of a sweep: over N threads [default: all cores],{CLUSTER}",
        metavar=METAVAR,
        rare=True,
    )

    def started(self) -> "AbstractContextManager[Workers | None]":
        """Give the workers for a block, None for all cores; raises as `parsed` and `WorkerSpec.started` do."""
        return parsed(self.workers).started()
