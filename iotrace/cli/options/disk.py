"""What ``iotrace disk`` takes."""

from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.output import refuse_to_overwrite, written_option
from iotrace.errors import UsageError

DiskArgument = Annotated[
    str,
    typer.Argument(
        metavar="DISK",
        help="A drive of the library, or a file: .toml, or DiskSim's .parv or .diskspecs.",
        show_default=False,
    ),
]
PlotOption = Annotated[
    Path | None, written_option("--plot", help="Also draw the seek curve.", metavar="FILE.svg")
]
MeasuredArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TRACE",
        help="Service times measured on a real drive, in DiskSim's VALIDATE format.",
        show_default=False,
    ),
]
DiskOption = Annotated[
    str,
    typer.Option(
        "--disk",
        metavar="DISK",
        help="The drive: one of the library, or a file (.toml, .parv, .diskspecs).",
        show_default=False,
    ),
]
EachOption = Annotated[
    bool, typer.Option("--each", help="A row for each request, with the parts of its simulated time.")
]


def refuse_plot(plot: Path | None, force: bool) -> None:
    """Raise UsageError for a plot that exists and is not to be replaced, or that is no SVG."""
    refuse_to_overwrite(plot, force)
    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"--plot: {plot} does not end in .svg")
