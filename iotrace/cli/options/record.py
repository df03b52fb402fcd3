"""Which running processes ``iotrace record`` traces, and for how long."""

from typing import Annotated

import typer

PidOption = Annotated[
    list[int] | None,
    typer.Option(
        "--pid",
        "-p",
        help="Trace this running process instead, with what it starts; repeatable.",
        metavar="PID",
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", help="With --pid: for so long, not until Ctrl-C.", min=0.001, metavar="N"),
]
