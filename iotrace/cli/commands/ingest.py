"""``iotrace ingest``: write a store from a raw trace."""

from typing import Annotated

import typer

from iotrace.cli.inputs import MODEL_SWITCHES
from iotrace.cli.options.append import AppendOptions
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.ingest import IngestOptions
from iotrace.cli.output import Format, written_option
from iotrace.errors import UsageError
from iotrace.files.remote import Place
from iotrace.formats.columns import HELP as COLUMNS

SETTINGS = {
    "epilog": MODEL_SWITCHES
    + COLUMNS
    + """
[b]Examples[/b]

 iotrace ingest strace.log                     writes strace.log.iotrace
 iotrace ingest build.strace.zst -o build.iotrace
 iotrace ingest logs/ -o build.iotrace         a folder that strace -ff wrote
 iotrace ingest sda.blktrace.0 sda.blktrace.1   the files of blktrace, or their folder
 iotrace ingest disk.csv --columns time=ts:us,offset=lba:512,length=size,op=rw
 iotrace ingest dftracer.tar.gz                an archive or folder with a file for each rank
 iotrace ingest week/ --split-jobs             Darshan logs of several jobs: a store for each
 iotrace ingest --append web1.iotrace today.csv    a further day of the same disks
 iotrace ingest ranks/ --align-clocks          a parallel trace whose ranks' clocks disagree
 strace -f -ttt -T -y make 2>&1 >/dev/null | iotrace ingest - -o make.iotrace
"""
}


@grouped
def ingest(
    files: Annotated[
        list[Place] | None,
        typer.Argument(
            help="The trace: a file; a folder or several files of strace -ff, blktrace or others; "
            "- for standard input.",
            readable=False,  # the reader says more
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Place | None,
        written_option("--output", "-o", help="The store to write [FILE.iotrace].", metavar="STORE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a store that exists.")] = False,
    *,
    appending: AppendOptions,
    options: IngestOptions,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format", "-f", help="Print the output of iotrace info in this format.", show_default=False
        ),
    ] = None,
) -> None:
    """Turn a raw trace into a store of Parquet tables. It has a manifest, and views for any DuckDB client."""
    from iotrace.cli import ingesting

    if not files and appending.drop_before is None:
        raise UsageError("give the files of a trace")
    if appending.append is None:
        ingesting.write_stores(files or [], output, force, options, form)
    else:
        ingesting.append(appending.append, files or [], appending, options, form)
