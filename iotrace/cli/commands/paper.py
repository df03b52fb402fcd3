"""``iotrace paper``: traces beside a paper, every table and figure of it, as one page and CSV files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.commands.write_cache import Fit, Replay
from iotrace.cli.inputs import ModelOption, TraceFormatOption
from iotrace.cli.options.given import was_given
from iotrace.cli.papers import dissertation as beside
from iotrace.cli.papers.dissertation import Regions
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.papers.biswas import Study
    from iotrace.papers.richardson.page import Seen
    from iotrace.papers.vilayannur.simulating import Simulation

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace paper richardson strace.log                   writes richardson/index.html, and a CSV file for each table
 iotrace paper richardson a.iotrace b.iotrace -o beside-1994
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
PAGE = "index.html"


class Paper(StrEnum):
    """The papers that a trace can be set beside, and those that make their own."""

    RICHARDSON = "richardson"
    BISWAS = "biswas"
    KOTZ = "kotz"
    VILAYANNUR = "vilayannur"


class PaperFormat(StrEnum):
    """The page with its CSV files, or the numbers alone."""

    HTML = "html"
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


OF_SOME_PAPERS = {
    "regions": (Paper.RICHARDSON,),
    "model": (Paper.RICHARDSON,),
    "like": (Paper.BISWAS,),
    "disk": (Paper.BISWAS,),
    "fit": (Paper.BISWAS,),
    "replay": (Paper.BISWAS,),
    "time_scale": (Paper.BISWAS,),
    "findings": (Paper.BISWAS, Paper.KOTZ, Paper.VILAYANNUR),
    "trace_format": (Paper.RICHARDSON, Paper.BISWAS, Paper.VILAYANNUR),
    "costs": (Paper.VILAYANNUR,),
    "global_per_file": (Paper.VILAYANNUR,),
    "readings": (Paper.VILAYANNUR,),
}
"""Options that not all of the papers have."""


def paper(
    context: typer.Context,
    name: Annotated[
        Paper,
        typer.Argument(
            metavar="PAPER",
            help="richardson: the dissertation of 1994, for traces of system calls; biswas: the paper of 1993 on"
            " write caches, for block traces; kotz: the paper of 1991 on parallel file systems, without a trace;"
            " vilayannur: the paper on caches of a cluster, with traces or without.",
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
            metavar="FOLDER",
            help="Write into this folder (PAPER otherwise), or, with --format, to this file.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    form: Annotated[
        PaperFormat,
        typer.Option("--format", "-f", help="The page and CSV files, or the numbers alone."),
    ] = PaperFormat.HTML,
    regions: Annotated[
        Regions,
        typer.Option("--regions", help="richardson: regions of sizes as table 5.1 has them, or by 5.1.4."),
    ] = Regions.PRINTED,
    like: Annotated[
        str | None,
        typer.Option(
            "--as", help="biswas: the disk that each trace is like.", metavar="NAME,...", show_default=False
        ),
    ] = None,
    disk: Annotated[
        str | None,
        typer.Option(
            "--disk",
            "-d",
            help="biswas: the drive, or a file NAME.toml; otherwise that of the disk that the trace is like (ra81,"
            " ra90, ra82), else ra82.",
            show_default=False,
        ),
    ] = None,
    fit: Annotated[
        Fit, typer.Option("--fit", help="biswas: what becomes of blocks beyond the drive's end.")
    ] = Fit.WRAP,
    replay: Annotated[
        Replay,
        typer.Option("--replay", help="biswas: requests at their times, or each after the last answer."),
    ] = Replay.OPEN,
    time_scale: Annotated[
        float, typer.Option("--time-scale", help="biswas: multiply the times between requests.")
    ] = 1.0,
    findings: Annotated[
        bool,
        typer.Option(
            "--findings", help="biswas, kotz and vilayannur: with --format, the findings and not the cells."
        ),
    ] = False,
    costs: Annotated[
        str, typer.Option("--costs", help="vilayannur: what parts of the machine take; or a file NAME.toml.")
    ] = "vilayannur",
    global_per_file: Annotated[
        bool,
        typer.Option("--global-per-file", help="vilayannur: each file has a global cache of the size given."),
    ] = False,
    readings: Annotated[
        bool,
        typer.Option(
            "--readings", help="vilayannur: show how the findings move with what the paper leaves open, too."
        ),
    ] = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Write every table and figure of a paper for one trace or several, ours beside the printed values.

    Richardson: chapters 3 to 5, by the paper's model of the file system, the findings judged by today's too. Biswas:
    every policy of the paper simulated on a drive of its time or yours, and its findings judged. Kotz: both tables of
    the paper on parallel file systems and the curves of its figures, simulated, and its findings judged. Vilayannur:
    what each level of a cluster's caches costs, figures 3 to 13 simulated, and its findings judged.
    """
    from iotrace.cli.output import Format, emit, emit_many, refuse_to_overwrite

    _check_options(context, name, form, findings)
    if form is not PaperFormat.HTML:
        refuse_to_overwrite(output, force)
    else:
        _check_folder(output or Path(name.value), force)
    given = _given(name, traces)
    if name is Paper.KOTZ:
        tables, html = _kotz(form, findings)
    elif name is Paper.VILAYANNUR:
        from iotrace.cli.papers.vilayannur import simulation

        taken = simulation(given, costs, global_per_file, trace_format)
        tables, html = _vilayannur(taken, form, findings, readings)
    elif name is Paper.RICHARDSON:
        opened = beside.seen(given, model, trace_format)
        for trace_name, seen in opened.items():
            if seen.paper.family != "syscall":
                raise IotraceError(f"{trace_name}: is a block trace; the dissertation is about system calls")
        tables, html = _richardson(opened, regions, form)
    else:
        from iotrace.cli.papers.biswas import studies

        studied = studies(given, like, disk, fit.value, replay.value, time_scale, trace_format)
        tables, html = _biswas(studied, form, findings)
    if form is not PaperFormat.HTML:
        emit_many(tables, Format(form.value), output)
        return
    from iotrace.reports.pages.write import write_page

    folder = output or Path(name.value)
    folder.mkdir(parents=True, exist_ok=True)
    for table_name, table in tables.items():
        emit(table, Format.CSV, folder / f"{table_name}.csv")
    write_page(html, folder / PAGE)
    print(folder / PAGE)


def _check_options(context: typer.Context, name: Paper, form: PaperFormat, findings: bool) -> None:
    """Raise UsageError for options of other papers, and for findings where the page has them."""
    for option, papers in OF_SOME_PAPERS.items():
        if name not in papers and was_given(context, option):
            word = "as" if option == "like" else option.replace("_", "-")
            *others, last = (paper.value for paper in papers)
            known = f"{', '.join(others)} and {last}" if others else last
            raise UsageError(f"--{word} is for iotrace paper {known}")
    if findings and form is PaperFormat.HTML:
        raise UsageError(
            "--findings goes with --format table, csv, json or parquet; the page has them anyway"
        )


def _given(name: Paper, traces: list[Path] | None) -> list[Path]:
    """Return the traces; raises UsageError where there are none, or where there must be none."""
    if name is Paper.KOTZ and traces:
        raise UsageError("iotrace paper kotz takes no trace: its programs are made")
    if name not in (Paper.KOTZ, Paper.VILAYANNUR) and not traces:
        raise UsageError(f"iotrace paper {name.value} wants a trace, or several")
    return traces or []


def _check_folder(folder: Path, force: bool) -> None:
    """Raise UsageError where the page and its files should not be written."""
    from iotrace.reports.pages.write import refuse_to_overwrite

    if folder.suffix.lower() in (".html", ".htm", *(f".{form}" for form in PaperFormat)):
        raise UsageError(
            f"{folder}: -o wants a folder, for {PAGE} and the CSV files beside it: -o {folder.stem}"
        )
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; -o wants a folder")
    if not force and folder.is_dir() and any(folder.iterdir()) and not (folder / PAGE).is_file():
        raise UsageError(f"{folder}: holds other files; give --force, or another -o")
    refuse_to_overwrite(folder / PAGE, force)


def _richardson(
    opened: dict[str, Seen], regions: Regions, form: PaperFormat
) -> tuple[dict[str, pa.Table], str]:
    """Return the tables and, where it is wanted, the page."""
    from iotrace.papers.richardson.page import all_tables, page

    with doing() as progress:
        tables = all_tables(opened, regions.value, progress)
        progress("writing the page")
        return tables, page(tables, list(opened)) if form is PaperFormat.HTML else ""


def _biswas(studied: list[Study], form: PaperFormat, findings: bool) -> tuple[dict[str, pa.Table], str]:
    """Return the tables and, where it is wanted, the page."""
    from iotrace.papers.biswas.page import all_tables, files, page

    with doing() as progress:
        made = all_tables(studied, progress)
        if form is not PaperFormat.HTML:
            title = "Findings" if findings else "Cells"
            return {title: made["findings" if findings else "cells"]}, ""
        progress("writing the page")
        return files(made), page(made, studied)


def _kotz(form: PaperFormat, findings: bool) -> tuple[dict[str, pa.Table], str]:
    """Return the tables and, where it is wanted, the page."""
    from iotrace.papers.kotz import Study
    from iotrace.papers.kotz.page import all_tables, files, page

    with doing() as progress:
        made = all_tables(Study(), progress, with_figures=form is PaperFormat.HTML or findings)
        if form is not PaperFormat.HTML:
            title = "Findings" if findings else "Cells"
            return {title: made["findings" if findings else "cells"]}, ""
        progress("writing the page")
        return files(made), page(made)


def _vilayannur(
    simulation: Simulation, form: PaperFormat, findings: bool, readings: bool
) -> tuple[dict[str, pa.Table], str]:
    """Return the tables and, where it is wanted, the page; the cells need no simulation."""
    from iotrace.papers.vilayannur import cells, judge
    from iotrace.papers.vilayannur.page import all_tables, files, page
    from iotrace.papers.vilayannur.simulating import by_readings

    if form is not PaperFormat.HTML and not findings:
        return {"Cells": cells(simulation.components)}, ""
    with doing() as progress:
        study = simulation.study()
        study.prepare(progress)
        if form is not PaperFormat.HTML:
            return {"Findings": judge(study)}, ""
        made = all_tables(study, by_readings(simulation, progress) if readings else None)
        progress("writing the page")
        return files(made), page(made, study)
