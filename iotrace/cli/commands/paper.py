"""``iotrace paper``: traces beside a paper, every table and figure of it, as one page and CSV files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.commands.report import ReportFormat
from iotrace.cli.inputs import ModelOption, TraceFormatOption, names_of, open_trace
from iotrace.cli.options.given import was_given
from iotrace.cli.options.settings import named_fields, takes
from iotrace.cli.output import Format, emit_many, output_path, refuse_to_overwrite
from iotrace.cli.page_folder import refuse_folder, write_folder
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError
from iotrace.papers.options import Options
from iotrace.papers.registry import PAPERS, refuse_options_of_others
from iotrace.papers.reproduction import Asked, Part

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace paper richardson strace.log                   writes richardson/index.html, and a CSV file for each table
 iotrace paper richardson a.iotrace b.iotrace -o beside-1994
 iotrace paper richardson strace.log --chapter 4 --format table
 iotrace paper richardson strace.log --figure 4.2,5.10 --format csv
 iotrace paper biswas disk.iotrace                     writes biswas/index.html, and a CSV file for each table
 iotrace paper biswas a.csv b.csv c.csv --as off-day,air-rsv,sci-off
                                                       each beside the disk that it is like, on that disk's drive
 iotrace paper biswas disk.iotrace --format json       the cells: printed, and simulated
 iotrace paper biswas disk.iotrace --findings --format table --disk sata-7200
 iotrace paper kotz                                    writes kotz/index.html, and a CSV file for each table and figure
 iotrace paper kotz --format json                      the cells of its two tables: printed, and simulated
 iotrace paper vilayannur                              writes vilayannur/index.html, and CSV files
 iotrace paper vilayannur --format json                the cells of its two tables: printed, modelled, and the error
 iotrace paper vilayannur --readings                   shows how findings move with what the paper leaves open
 iotrace paper vilayannur lu.umd cholesky.umd          figures 12 and 13 from these traces

[b]Names for --as[/b]: off-day, air-rsv, sci-off (table 3.1), off-day-system, off-day-application, air-rsv-system,
air-rsv-database, sci-off-system, sci-off-database (tables A1 and A2), none. Traces of iotrace generate say it
themselves; any other trace stands beside each disk. Tables of one disk take the trace's busiest.
"""
}

Name = StrEnum("Name", {name.upper(): name for name in PAPERS})  # type: ignore[misc]


@takes(Options, "options")
def paper(
    context: typer.Context,
    name: Annotated[
        Name,
        typer.Argument(
            metavar="PAPER", help="; ".join(f"{one.name}: {one.about}" for one in PAPERS.values()) + "."
        ),
    ],
    traces: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TRACE...",
            help="Stores (NAME.iotrace) or raw traces; none for kotz, whose programs are made; vilayannur needs none.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=output_path,
            metavar="FOLDER",
            help="Write into this folder (PAPER otherwise), or, with --format, to this file.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    form: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="The page and CSV files, or the numbers alone.")
    ] = ReportFormat.HTML,
    findings: Annotated[
        bool,
        typer.Option(
            "--findings", help="biswas, kotz and vilayannur: with --format, the findings and not the cells."
        ),
    ] = False,
    *,
    options: Options,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Write every table and figure of a paper for one trace or several, ours beside the printed values.

    Richardson: chapters 3 to 5, by the paper's model of the file system, the findings judged by today's too. Biswas:
    every policy of the paper simulated on a drive of its time or yours, and its findings judged. Kotz: both tables of
    the paper on parallel file systems and the curves of its figures, simulated, and its findings judged. Vilayannur:
    what each level of a cluster's caches costs, figures 3 to 13 simulated, and its findings judged.
    """
    typed = {one for one in ("findings", "model", "trace_format") if was_given(context, one)}
    refuse_options_of_others(name.value, typed | named_fields(context, Options))
    is_page = form is ReportFormat.HTML
    folder = output or Path(name.value)
    if findings and is_page:
        raise UsageError(
            "--findings goes with --format table, csv, json or parquet; the page has them anyway"
        )
    if is_page:
        refuse_folder(folder, force)
    else:
        refuse_to_overwrite(output, force)
    asked = Asked(
        Part.PAGE if is_page else Part.FINDINGS if findings else Part.CELLS,
        names_of(traces or []),
        lambda trace, model: open_trace(trace, model, trace_format),
        warn_of,
        model,
        form is ReportFormat.TABLE,
        options,
    )
    work = PAPERS[name.value].reproduce(asked)
    with doing() as progress:
        made = work(progress)
    if is_page:
        print(write_folder(made.html, made.tables, folder))
    else:
        if made.said and output is None:
            print(made.said)
        emit_many(made.tables, Format(form.value), output)
