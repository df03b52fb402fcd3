"""``iotrace export``: a store in another form."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.inputs import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.output import output_path
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace export build.iotrace --to ultrix -o build.ultrix
 iotrace export disk.iotrace --to vms-io -o disk.vms
 iotrace export ranks.iotrace --to umd-ascii -o ranks.asc
 iotrace export ranks.iotrace --to pattern -o ranks.csv
 iotrace export strace.log --to csv -o tables/
 iotrace export build.iotrace --to parquet --table reference --table file -o tables/
"""
}


class Target(StrEnum):
    """What a store can be exported to."""

    ULTRIX = "ultrix"
    VMS_IO = "vms-io"
    UMD_ASCII = "umd-ascii"
    PATTERN = "pattern"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def export(
    trace: TraceArgument,
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            "--as",
            "--format",
            "-f",
            help="The ULTRIX text of calls, the VMS text of requests to disks, UMD text or a pattern of reads and"
            " writes by process, or the tables as files.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            parser=output_path,
            metavar="PATH",
            help="The file (of a text) or folder (tables) to write; - for stdout (a text).",
        ),
    ],
    table: Annotated[
        list[str] | None, typer.Option("--table", help="Only this table (repeatable).", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Write a trace as a text that can be ingested again, or its tables as CSV, JSON or Parquet files."""
    from iotrace.export import FORMS, tables

    if to.value in tables.FORMS and str(output) == "-":
        raise UsageError(
            f"the tables as {to.value} need -o FOLDER; for one of them: iotrace sql TRACE 'from file'"
        )
    store = open_trace(trace, model, trace_format)
    if to.value in tables.FORMS:
        tables.write(store, output, to.value, table, force)
        return
    for lost in next(form for form in FORMS if form.name == to.value).write(store, output, force):
        warn_of(lost)
