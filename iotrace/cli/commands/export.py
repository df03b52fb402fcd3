"""``iotrace export``: a store in another format."""

from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.export import TableOption, TargetOption
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.record import RedactOption
from iotrace.cli.output import written_option
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError
from iotrace.files.outputs import refuse_folder, refuse_no_folder

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace export strace.log --to csv -o tables/
 iotrace export build.iotrace --to parquet --table reference --table file -o tables/
 iotrace export build.iotrace --to strace -o build.strace      also of a recording of BPF programs
 iotrace export disk.iotrace --to fio-iolog -o disk.iolog      to replay with fio
 iotrace export keys.iotrace --to lcs -o keys.lcs              for libCacheSim
 iotrace export ranks.iotrace --to umd-ascii -o ranks.asc
 iotrace export ranks.iotrace --to pattern -o ranks.csv
"""
}


@grouped
def export(
    trace: TraceArgument,
    to: TargetOption,
    output: Annotated[
        Path,
        written_option(
            "--output",
            "-o",
            help="The file (for text) or folder (for tables) to write; - for standard output (text only).",
            metavar="PATH",
        ),
    ],
    table: TableOption = None,
    redact: RedactOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    *,
    raw: RawTrace,
) -> None:
    """Write a trace as text or as tables. Text can be ingested again; tables are CSV, JSON or Parquet files."""
    from iotrace.export import named, tables
    from iotrace.export.redacted import redacted
    from iotrace.ingest.contents import Contents

    if to.value in tables.FORMS and str(output) == "-":
        raise UsageError(
            f"the tables as {to.value} need -o FOLDER; for one of them: iotrace sql TRACE 'from file'"
        )
    (refuse_no_folder if to.value in tables.FORMS else refuse_folder)(output)
    kept = Contents(redact=tuple(redact or ()))
    with redacted(raw.open(trace), kept) as store:
        if to.value in tables.FORMS:
            tables.write(store, output, to.value, table, force)
        else:
            for lost in named(to.value).write(store, output, force):
                warn_of(lost)
