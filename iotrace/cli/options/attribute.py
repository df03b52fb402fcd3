"""Options of ``iotrace attribute``, beyond the settings of attribute caches."""

from typing import Annotated

import typer

from iotrace.cli.output import drawing_path, written_option
from iotrace.files.remote import Place
from iotrace.option.rules import Rules

SCHEMES = """
[b]Schemes[/b] are written size/block class, ... with x for the rest of the total. Classes: inode,
directory, ID (both), Unix (all but inode), General (executables and datafiles), and Temporal and
Sequential (General below the cut-off, and from it on). Names: variable (table 5.1), unix, unix-8K,
unix-16K, unix-32K, id-only.
"""

TracesArgument = Annotated[
    list[Place],
    typer.Argument(
        metavar="TRACE...", help="Stores (NAME.iotrace) or raw traces.", show_default=False, readable=False
    ),
]


PlotOption = Annotated[
    Place | None,
    written_option(
        "--plot", help="Also draw a trace's read misses.", metavar="FILE.svg", parser=drawing_path
    ),
    Rules(
        conflicts=dict.fromkeys(["--split", "--adaptive", "--advise", "--learn"], "it draws the comparison")
    ),
]
