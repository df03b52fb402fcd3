"""``iotrace paper``: traces beside a paper, every table and figure of it, as one page and CSV files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli import dissertation as beside
from iotrace.cli.attribute import Regions
from iotrace.cli.report import doing
from iotrace.cli.trace import ModelOption, TraceFormatOption
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace paper richardson strace.log                   writes richardson/index.html, and a CSV file for each table
 iotrace paper richardson a.iotrace b.iotrace -o beside-1994
"""
}
PAGE = "index.html"


class Paper(StrEnum):
    """The papers that a trace can be set beside."""

    RICHARDSON = "richardson"


def paper(
    name: Annotated[Paper, typer.Argument(metavar="PAPER", help="richardson: the dissertation of 1994.")],
    traces: Annotated[
        list[Path],
        typer.Argument(metavar="TRACE...", help="Stores (NAME.iotrace) or raw traces.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Write into this folder; PAPER otherwise.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    regions: Annotated[
        Regions,
        typer.Option("--regions", help="Regions of sizes as table 5.1 has them, or by the bounds of 5.1.4."),
    ] = Regions.PRINTED,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Write every table and figure of a paper for one trace or several, ours beside the printed values.

    Chapters 3 to 5, by the paper's model of the file system, the findings judged by today's too.
    """
    from iotrace import reports
    from iotrace.cli.output import Format, emit
    from iotrace.reports.dissertation import all_tables, page

    folder = output or Path(name.value)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; -o wants a folder")
    if not force and folder.is_dir() and any(folder.iterdir()) and not (folder / PAGE).is_file():
        raise UsageError(f"{folder}: holds other files; give --force, or another -o")
    reports.refuse_to_overwrite(folder / PAGE, force)
    opened = beside.seen(traces, model, trace_format)
    with doing() as progress:
        tables = all_tables(opened, regions.value, progress)
        progress("writing the page")
        html = page(tables, list(opened))
    folder.mkdir(parents=True, exist_ok=True)
    for table_name, table in tables.items():
        emit(table, Format.CSV, folder / f"{table_name}.csv")
    reports.write(html, folder / PAGE)
    print(folder / PAGE)
