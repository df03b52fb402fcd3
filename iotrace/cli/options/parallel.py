"""Options of ``iotrace parallel`` beyond the settings of file systems."""

from enum import StrEnum
from typing import Annotated

import typer

from iotrace.option.rules import Rules

HELP = """
[b]Patterns[/b]: lw, lfp, lrp, seg, gw, gfp, grp, rnd, lw1 (a file with such a name: ./gw).
--operation says which of them write.

[b]Sweeps[/b] take 20:200 (ten values), 20:200:60 (steps of 60), lists, and policy=all, for every option
of the file system and of patterns.
"""


class Show(StrEnum):
    """Which table is printed."""

    TOTALS = "totals"
    PROCESSES = "processes"
    WINDOWS = "windows"


WhatArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TRACE_OR_PATTERN...",
        help="A pattern (gw, seg, ...); or a store, a raw trace or pattern text, - for standard input; several of"
        " these run together.",
        readable=False,
        show_default=False,
    ),
]
NoCacheOption = Annotated[
    bool,
    typer.Option("--no-cache", help="No cache: as --buffers 0."),
    Rules(conflicts={"--buffers": ""}),
]
ShowOption = Annotated[
    Show,
    typer.Option(
        "--show", help="One row for each case; or for the first trial each process, or 50 windows of time."
    ),
]
