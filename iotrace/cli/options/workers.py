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
        help="Slices at the same time: on N threads or a Dask cluster.",
        metavar=METAVAR,
    ),
]

WaitForWorkersOption = Annotated[
    int | None,
    typer.Option(
        "--wait-for-workers",
        min=1,
        rich_help_panel=RARE,
        help="Wait for N workers of a cluster; else until none has come for 5 s.",
        metavar="N",
        show_default=False,
    ),
]
NEEDS_WORKERS = ("--workers",)


@dataclass(frozen=True)
class Runners(Group):
    """The workers that make the runs of a sweep."""

    workers: str | None = declared(
        None,
        f"Spread the runs of a sweep: over N threads [default: all cores],{CLUSTER}",
        metavar=METAVAR,
        rare=True,
    )
    wait_for_workers: WaitForWorkersOption = declared(None, needs=NEEDS_WORKERS)

    def started(self) -> "AbstractContextManager[Workers | None]":
        """Give the workers for a block, None for all cores; raises as `parsed` and `WorkerSpec.started` do."""
        return parsed(self.workers, self.wait_for_workers).started()
