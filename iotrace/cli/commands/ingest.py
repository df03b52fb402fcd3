"""``iotrace ingest``: a raw trace becomes a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.commands.info import tell
from iotrace.cli.inputs import (
    MODEL_SWITCHES,
    ModelOption,
    Order,
    OrderOption,
    TraceFormatOption,
    model_switches,
    progress_bar,
    warn,
)
from iotrace.cli.output import Format, output_path
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError
from iotrace.formats.columns import HELP, PREFIX
from iotrace.store.skipped import USUAL_PERCENT, SkippedRecords

if TYPE_CHECKING:
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": MODEL_SWITCHES
    + HELP
    + """
[b]Examples[/b]

 iotrace ingest strace.log                     writes strace.log.iotrace
 iotrace ingest build.strace.zst -o build.iotrace
 iotrace ingest logs/ -o build.iotrace         a folder that strace -ff wrote
 iotrace ingest sda.blktrace.0 sda.blktrace.1   the files of blktrace, or their folder
 iotrace ingest disk.csv --columns time=ts:us,offset=lba:512,length=size,op=rw
 iotrace ingest dftracer.tar.gz                an archive or folder with a file for each rank
 iotrace ingest week/ --split-jobs             Darshan logs of several jobs: a store for each
 iotrace ingest ranks/ --align-clocks          a parallel trace whose ranks' clocks disagree
 strace -f -ttt -T -y make 2>&1 >/dev/null | iotrace ingest - -o make.iotrace
"""
}


def ingest(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="The trace: a file; a folder or several files of strace -ff, blktrace or others; - for standard input."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", parser=output_path, help="The store to write [FILE.iotrace].", metavar="STORE"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a store that exists.")] = False,
    model: ModelOption = None,
    order: OrderOption = Order.TIME,
    trace_format: TraceFormatOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Read any text with a request on each line: NAME=COLUMN:UNIT,... (see below). Elsewhere this is"
            " [i]--trace-format csv:NAME=...[/i]",
            metavar="COLUMNS",
            show_default=False,
        ),
    ] = None,
    known_files: Annotated[
        Path | None,
        typer.Option("--known-files", help="Sizes and interpreters of files, as iotrace record notes them."),
    ] = None,
    align_clocks: Annotated[
        bool,
        typer.Option(
            "--align-clocks",
            help="Move the clocks of a parallel trace's processes so that the first barrier, or else the first pause"
            " of each (10 ms and 20 times its usual gap at least), ends at one instant; tells how much each moved.",
        ),
    ] = False,
    max_unpacked: Annotated[
        str | None,
        typer.Option(
            "--max-unpacked",
            help="The temporary space that an archive's files may take, as in 20G [half of the free disk].",
            metavar="SIZE",
            show_default=False,
        ),
    ] = None,
    split_jobs: Annotated[
        bool,
        typer.Option(
            "--split-jobs",
            help="Write a store for each job of a parallel trace, NAME.job-JOB.iotrace (several in one are refused).",
        ),
    ] = False,
    max_skipped: Annotated[
        float,
        typer.Option(
            "--max-skipped",
            min=0,
            max=100,
            metavar="PERCENT",
            help="End with status 1 where more than this share of the records could not be read; the store is written"
            " all the same, and every command on it says so first.",
        ),
    ] = USUAL_PERCENT,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format", "-f", help="Tell what iotrace info tells, in this form.", show_default=False
        ),
    ] = None,
) -> None:
    """Turn a raw trace into a store: Parquet tables, a manifest, and views for any DuckDB client."""
    from iotrace.ingest.pipeline import files_by_job
    from iotrace.ingest.pipeline import ingest as run
    from iotrace.store.location import named
    from iotrace.store.store import SUFFIX
    from iotrace.units import size_bytes

    if columns is not None and trace_format not in (None, "csv"):
        raise UsageError("give --columns or --trace-format, not both")
    if output is None:
        if str(files[0]) == "-":
            raise UsageError("standard input has no name; give -o STORE")
        output = named(files[0]).with_name(files[0].name + SUFFIX)
    chosen = PREFIX + columns if columns is not None else trace_format
    max_unpacked_bytes = None if max_unpacked is None else size_bytes(max_unpacked)
    traces = [(files, output)]
    if split_jobs:
        name = output.name.removesuffix(SUFFIX)
        traces = [
            (of_job, output.with_name(f"{name}.job-{job}{SUFFIX}"))
            for job, of_job in files_by_job(files, chosen, max_unpacked_bytes).items()
        ]
    for trace, place in traces:
        with progress_bar(f"Reading {trace[0]}") as progress:
            store = run(
                trace,
                place,
                format=chosen,
                model=model_switches(model),
                order=order.value,
                known_files=known_files,
                align_clocks=align_clocks,
                max_unpacked_bytes=max_unpacked_bytes,
                replace=force,
                progress=progress,
                max_skipped_percent=max_skipped,
            )
        _say(store, form, max_skipped)


def _say(store: Store, form: Format | None, max_skipped: float) -> None:
    """Print what was read, and the warnings, or what iotrace info prints; raise IotraceError for too much skipped."""
    warn(store.manifest)
    if form is not None:
        tell(store, form)
    else:
        _print_counts(store)
    skipped = SkippedRecords.of(store.manifest)
    if skipped.are_too_many:
        raise IotraceError(
            f"{store.path}: is written, but more records were skipped than --max-skipped {max_skipped:g} allows"
        )


def _print_counts(store: Store) -> None:
    counts = store.manifest["counts"]
    made = "calls" if "calls" in counts else "requests"

    def counted(name: str, one: str, many: str) -> str:
        return f"{counts[name]:,} {one if counts[name] == 1 else many}"

    parts = [counted("lines", "line", "lines"), counted(made, made[:-1], made)]
    parts += [counted(many, many.removesuffix("s"), many) for many in ("references", "files")]
    parts.append(counted("processes", "process", "processes"))
    print(f"{store.path}: {', '.join(parts)}; {counted('skipped_lines', 'line', 'lines')} skipped")
