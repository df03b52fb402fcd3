"""``iotrace report``: one HTML file that shows a workload's I/O."""

from typing import Annotated

import typer

from iotrace.cli import report_page
from iotrace.cli.inputs import RawTrace, TracesArgument, names_of
from iotrace.cli.options.given import was_given
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import ReportPart
from iotrace.cli.options.report import Content
from iotrace.cli.output import PAGES, Format, Output, written_option
from iotrace.cli.progress import doing
from iotrace.cli.report_page import PLACE, ForceOption, ReportFormat, form_of, opener
from iotrace.errors import UsageError
from iotrace.files.remote import Place

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace report strace.log                       writes report.html
 iotrace report build.iotrace -o build.html
 iotrace report build.iotrace --format json      the numbers of every figure
 iotrace report strace.log --paper               also compared with the dissertation of 1994
 iotrace report a.log b.log c.iotrace -o pages/  a page of each, and a list: pages/index.html
 iotrace report build.iotrace --figures figures/ each figure as SVG and PDF, and its numbers as CSV
"""
}


@grouped
def report(
    context: typer.Context,
    traces: TracesArgument,
    output: Annotated[
        Place | None,
        written_option(
            "--output",
            "-o",
            help="Write here; - for standard output. A page: report.html. Several traces: a folder.",
        ),
    ] = None,
    force: ForceOption = False,
    form: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="The page, or the numbers of its figures.")
    ] = ReportFormat.HTML,
    *,
    content: Content,
    part: ReportPart,
    raw: RawTrace,
) -> None:
    """Write an HTML page about a trace; of several traces, one page each and an index."""
    from iotrace.reports.pages.schemas import shown
    from iotrace.reports.report import data, figures

    opened = opener(part, raw, content.extras)
    if content.figures is not None:
        report_page.write_figures(traces, opened, content.figures, force, content.extras)
        return
    if len(traces) > 1:
        if was_given(context, "form") and form is not ReportFormat.HTML:
            raise UsageError(f"--format {form.value} is for one trace: several have a page each")
        report_page.write_reports(names_of(traces), opened, output, force, content.extras)
        return
    (trace,) = traces
    if not was_given(context, "form"):
        form = form_of(output)
    if form is ReportFormat.HTML:
        report_page.write_report(lambda: opened(trace), output or PLACE, force, content.extras)
        return
    if output is not None and output.suffix.lower() in PAGES:
        raise UsageError(f"-o {output.name} and --format {form.value} contradict each other")
    numbers, store = Output(Format(form.value), output, force), opened(trace)
    with doing() as progress:
        evidence = data.collect(store, figures.figures(figures.families_of(store), content.extras), progress)
    tables = data.numbers(evidence, is_text=numbers.form is Format.CSV)
    tables = {name: shown(table) for name, table in tables.items()} if numbers.is_table else tables
    numbers.emit_answered(tables, evidence.screen.as_json())
