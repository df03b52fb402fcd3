"""Which running processes ``iotrace record`` traces, for how long, and what it keeps."""

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
NoArgumentsOption = Annotated[
    bool,
    typer.Option("--no-arguments", help="Leave out the arguments of programs, which may hold secrets."),
]
RedactOption = Annotated[
    list[str] | None,
    typer.Option(
        "--redact",
        help="Replace names of files and folders that match, in all paths and arguments; repeatable."
        " The same name becomes the same redacted-N. * is any text, ? one character.",
        metavar="GLOB",
        show_default=False,
    ),
]
AllWaitsOption = Annotated[
    bool,
    typer.Option(
        "--all-waits",
        help="Also record futex, and calls that send and receive: a program that makes many becomes slower.",
    ),
]
