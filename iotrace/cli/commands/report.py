"""``iotrace report``: one HTML file that says what a workload's I/O looks like, to read or to mail."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.inputs import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.options.given import was_given
from iotrace.cli.output import PAGES, Format, output_path, refuse_to_overwrite
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError

if TYPE_CHECKING:
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace report strace.log                       writes report.html
 iotrace report build.iotrace -o build.html
 iotrace report build.iotrace --format json      the numbers of every figure
 iotrace report strace.log --paper               beside the dissertation of 1994, too
"""
}

PLACE = Path("report.html")


class ReportFormat(StrEnum):
    """The page, or the numbers of its figures."""

    HTML = "html"
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def report(
    context: typer.Context,
    trace: TraceArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=output_path,
            metavar="FILE",
            help="Write to this file; - for standard output. The page goes to report.html unless told otherwise.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is no report.")] = False,
    form: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="The page, or the numbers of its figures.")
    ] = ReportFormat.HTML,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper", help="Set a trace of system calls beside what the dissertation of 1994 prints, too."
        ),
    ] = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Write one HTML page: a verdict, then figures by question, each with its numbers and its SQL."""
    if not was_given(context, "form"):
        form = _of_ending(output)
    if form is ReportFormat.HTML:
        write_page(lambda: _opened(trace, model, trace_format, paper), output or PLACE, force, paper)
        return
    if output is not None and output.suffix.lower() in PAGES:
        raise UsageError(f"-o {output.name} and --format {form.value} say different things")
    refuse_to_overwrite(output, force)
    from iotrace.cli.output import emit_many
    from iotrace.reports.report import data, figures

    store = _opened(trace, model, trace_format, paper)
    with doing() as progress:
        evidence = data.collect(store, figures.figures(store.family, paper), progress)
    emit_many(dict(evidence.tables), Format(form.value), output)


def _of_ending(output: Path | None) -> ReportFormat:
    """Return the form that an output's ending names; raises UsageError for another ending."""
    ending = "" if output is None else output.suffix.lower().removeprefix(".")
    if ending in ("", "htm"):
        return ReportFormat.HTML
    if ending not in list(ReportFormat):
        raise UsageError(f"{output}: no form of a report ends in .{ending}; choose one with --format")
    return ReportFormat(ending)


def _opened(trace: Path, model: list[str] | None, trace_format: str | None, paper: bool) -> Store:
    store = open_trace(trace, model, trace_format)
    if paper and store.family != "syscall":
        raise UsageError(f"{trace}: --paper is for traces of system calls; for others there is iotrace paper")
    return store


def write_page(opened: Callable[[], Store], output: Path, force: bool, with_paper: bool = False) -> None:
    """Write a store's report, and say where; the output is looked at before the store is opened."""
    from iotrace.reports.pages import write
    from iotrace.reports.report import page

    if str(output) == "-":
        with doing() as progress:
            html = page.report(opened(), progress, with_paper)
        sys.stdout.buffer.write(html.encode("utf-8"))
        sys.stdout.flush()
        return
    write.refuse_to_overwrite(output, force)
    if not output.parent.is_dir():
        raise IotraceError(f"{output}: cannot be written: there is no folder {output.parent}")
    store = opened()
    with doing() as progress:
        write.write_page(page.report(store, progress, with_paper), output)
    print(output)
