"""Options of ``iotrace disk``."""

from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.output import drawing_path, written_option
from iotrace.files.remote import Place

DiskArgument = Annotated[
    str,
    typer.Argument(
        metavar="DISK",
        help="A drive of the library, or a file: .toml, or DiskSim's .parv or .diskspecs.",
        show_default=False,
    ),
]
PlotOption = Annotated[
    Place | None,
    written_option("--plot", help="Also draw the seek curve.", metavar="FILE.svg", parser=drawing_path),
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
