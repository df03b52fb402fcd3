"""``iotrace export``: a store in another form."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.inputs import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.terminal import print
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
    from iotrace.export import parallel, tables

    if to in (Target.CSV, Target.JSON, Target.PARQUET) and str(output) == "-":
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
        tables.to_ultrix(store, output, force)
    elif to is Target.VMS_IO:
        _, left_out = tables.to_vms(store, output, force)
        if left_out:
            print(
                f"iotrace: warning: {left_out:,} discards, flushes and requests of unknown direction have no place in"
                " vms-io and were left out",
                file=sys.stderr,
            )
    elif to in (Target.UMD_ASCII, Target.PATTERN):
        write = parallel.to_umd if to is Target.UMD_ASCII else parallel.to_pattern
        _, lost = write(store, output, force)
        if lost:
            told = ", ".join(f"{count:,} {what}" for what, count in lost.items())
            print(f"iotrace: warning: {told} were left out", file=sys.stderr)
    else:
        tables.to_tables(store, output, to.value, table, force)
