"""``iotrace demo``: from a trace that ships with the package to a verdict and a report."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.commands.report import PLACE
from iotrace.cli.inputs import progress_bar
from iotrace.cli.output import Format, output_path
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print, visible
from iotrace.files.temporary import temporary_folder

if TYPE_CHECKING:
    from iotrace.reports.report.data import Evidence
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace demo                                  writes report.html
 iotrace demo -o zlib.html

[b]Next[/b]

 iotrace report strace.log                     the same for your own trace
 iotrace record -o build.iotrace -- make -j2   trace a command
"""
}


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", parser=output_path, metavar="FILE", help="Write the report to this file."
        ),
    ] = PLACE,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is no report.")] = False,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="How to print the characterization.")
    ] = Format.TABLE,
) -> None:
    """Show what iotrace does with the trace that it brings along: a verdict here, and a report."""
    from iotrace.cli.output import emit
    from iotrace.reports.pages.write import refuse_to_overwrite, write_page
    from iotrace.reports.report import data, figures, page

    refuse_to_overwrite(output, force)
    with _store() as store, doing() as progress:
        evidence = data.collect(store, figures.figures(), progress)
        progress("writing the page")
        write_page(page.render(store, evidence), output)
    if form is Format.TABLE:
        _show(evidence)
        print(output)
    else:
        emit(evidence.numbers, form)


@contextlib.contextmanager
def _store() -> Iterator[Store]:
    """Ingest the trace that the package brings, and what is known of its files, into a store of a moment."""
    from importlib.resources import as_file, files

    from iotrace.ingest.pipeline import ingest

    with (
        as_file(files("iotrace") / "demo") as folder,
        temporary_folder() as place,
    ):
        (trace,) = folder.glob("*.strace*")
        known = next(iter(folder.glob("*.known-files.parquet")), None)
        with progress_bar(f"Reading {trace.name}") as progress:
            yield ingest([trace], place / "demo.iotrace", known_files=known, progress=progress)


def _show(evidence: Evidence) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    numbers = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    numbers.add_column(justify="right", style="bold")
    numbers.add_column()
    for row in evidence.numbers.to_pylist():
        numbers.add_row(Text(visible(row["shown"])), Text(visible(row["quantity"])))
    console.print()
    for sentence in evidence.verdict:
        console.print(Text(visible(sentence)))
    console.print()
    console.print(numbers)
    console.print()
