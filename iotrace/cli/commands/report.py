"""``iotrace report``: one HTML file that shows a workload's I/O."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.given import was_given
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import ReportPart
from iotrace.cli.output import PAGES, Format, Output, written_option
from iotrace.cli.progress import doing
from iotrace.cli.report_page import PLACE, ForceOption, ReportFormat, form_of, write_report
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace report strace.log                       writes report.html
 iotrace report build.iotrace -o build.html
 iotrace report build.iotrace --format json      the numbers of every figure
 iotrace report strace.log --paper               also compared with the dissertation of 1994
"""
}


@grouped
def report(
    context: typer.Context,
    trace: TraceArgument,
    output: Annotated[
        Path | None,
        written_option("--output", "-o", help="Write here; - for standard output. A page: report.html."),
    ] = None,
    force: ForceOption = False,
    form: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="The page, or the numbers of its figures.")
    ] = ReportFormat.HTML,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Also compare a trace of calls with papers: their values, caches and machines.",
        ),
    ] = False,
    *,
    part: ReportPart,
    raw: RawTrace,
) -> None:
    """Write one HTML page about a trace. A verdict, then figures by question, each with its numbers and its SQL."""
    from iotrace.reports.pages.schemas import shown
    from iotrace.reports.report import data, figures

    def opened() -> "Store":
        store = part.of_report(raw.open(trace))
        families = figures.families_of(store)
        if paper and figures.figures(families, True) == figures.figures(families):
            raise UsageError(
                f"{trace}: --paper is for traces of calls; for traces of disks there is iotrace paper"
            )
        return store

    if not was_given(context, "form"):
        form = form_of(output)
    if form is ReportFormat.HTML:
        write_report(opened, output or PLACE, force, paper)
        return
    if output is not None and output.suffix.lower() in PAGES:
        raise UsageError(f"-o {output.name} and --format {form.value} contradict each other")
    numbers, store = Output(Format(form.value), output, force), opened()
    with doing() as progress:
        evidence = data.collect(store, figures.figures(figures.families_of(store), paper), progress)
    tables = data.numbers(evidence, is_text=numbers.form is Format.CSV)
    tables = {name: shown(table) for name, table in tables.items()} if numbers.is_table else tables
    numbers.emit_answered(tables, evidence.screen.as_json())
