"""``iotrace demo``: from a trace that ships with the package to a verdict and a report."""

from typing import Annotated

import typer

from iotrace.cli.inputs import progress_bar
from iotrace.cli.output import Format, emit, page_path, written_option
from iotrace.cli.progress import doing
from iotrace.cli.report_page import PLACE, ForceOption
from iotrace.cli.tables.screen import print_screen
from iotrace.cli.terminal import print
from iotrace.files.remote import Place

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace demo                                  writes report.html
 iotrace demo -o zlib.html

[b]Next[/b]

 iotrace strace.log                            the same screen for your own trace
 iotrace report strace.log                     the same page
 iotrace record -o build.iotrace -- make -j2   trace a command
"""
}


def demo(
    output: Annotated[
        Place,
        written_option("--output", "-o", help="Write the report to this file.", parser=page_path),
    ] = PLACE,
    force: ForceOption = False,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="How to print the characterization.")
    ] = Format.TABLE,
) -> None:
    """Report on the trace that comes with iotrace. Prints its first screen, and writes the report."""
    from iotrace.ingest.demo import demo_store
    from iotrace.reports.pages.write import refuse_to_overwrite, write_page
    from iotrace.reports.report import data, figures, page

    refuse_to_overwrite(output, force)
    with progress_bar("Reading the demo's trace") as progress, demo_store(progress) as store, doing() as step:
        evidence = data.collect(store, figures.figures(), step)
        step("writing the page")
        write_page(page.render(store, evidence), output)
    if form is Format.TABLE:
        print_screen(evidence.screen, has_next=False)
        print(output)
    else:
        emit(evidence.numbers, form)
