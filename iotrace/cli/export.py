"""``iotrace export``: a store in another form."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.trace import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace export build.iotrace --to ultrix -o build.ultrix
 iotrace export disk.iotrace --to vms-io -o disk.vms
 iotrace export strace.log --to csv -o tables/
 iotrace export build.iotrace --to parquet --table reference --table file -o tables/
"""
}


class Target(StrEnum):
    """What a store can be exported to."""

    ULTRIX = "ultrix"
    VMS_IO = "vms-io"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def export(
    trace: TraceArgument,
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            "--format",
            "-f",
            help="The ULTRIX text of calls, the VMS text of requests to disks, or the tables as files.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The file (ultrix, vms-io) or folder (tables) to write; - for stdout (a text).",
        ),
    ],
    table: Annotated[
        list[str] | None, typer.Option("--table", help="Only this table (repeatable).", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Write a trace as ULTRIX or VMS text, which can be ingested again, or its tables as CSV, JSON or Parquet files."""
    from iotrace import exporting

    if to not in (Target.ULTRIX, Target.VMS_IO) and str(output) == "-":
        raise UsageError(
            f"the tables as {to.value} need -o FOLDER; for one of them: iotrace sql TRACE 'from file'"
        )
    store = open_trace(trace, model, trace_format)
    if to is Target.ULTRIX:
        if "known_file" in store.tables:
            print(
                "iotrace: warning: the text has no place for what record noted of files; ingest it with"
                f" --known-files {store.table_path('known_file')}",
                file=sys.stderr,
            )
        exporting.to_ultrix(store, output, force)
    elif to is Target.VMS_IO:
        _, left_out = exporting.to_vms(store, output, force)
        if left_out:
            print(
                f"iotrace: warning: {left_out:,} discards, flushes and requests of unknown direction have no place in"
                " vms-io and were left out",
                file=sys.stderr,
            )
    else:
        exporting.to_tables(store, output, to.value, table, force)
