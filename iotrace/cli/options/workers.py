"""The option ``--workers``: what parts of the work run on."""

from typing import Annotated

import typer

from iotrace.cli.options.groups import RARE

WorkersOption = Annotated[
    str,
    typer.Option(
        "--workers",
        rich_help_panel=RARE,
        help="What takes parts of the work, merged exactly: a number of threads; or a Dask cluster: [b]local[/b] for"
        " this machine's cores, tcp://HOST:PORT, or a scheduler file (docs/scale.md).",
        metavar="N|local|ADDRESS|FILE",
    ),
]
