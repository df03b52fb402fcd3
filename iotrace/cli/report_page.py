"""The form in which a report is written: a page, or the numbers of its figures."""

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.progress import doing
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError
from iotrace.files.outputs import refuse_without_folder

if TYPE_CHECKING:
    from iotrace.store.store import Store

PLACE = Path("report.html")


class ReportFormat(StrEnum):
    """The page, or the numbers of its figures."""

    HTML = "html"
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that is not a report.")]


def form_of(output: Path | None) -> ReportFormat:
    """Return the form that an output's ending names; raises UsageError for another ending."""
    ending = "" if output is None else output.suffix.lower().removeprefix(".")
    if ending in ("", "htm"):
        return ReportFormat.HTML
    if ending not in list(ReportFormat):
        raise UsageError(f"{output}: no form of a report ends in .{ending}; choose one with --format")
    return ReportFormat(ending)


def write_report(opened: "Callable[[], Store]", output: Path, force: bool, with_paper: bool = False) -> None:
    """Write a store's report, and print its path; the output is checked before the store is opened.

    A figure that cannot be made does not cost the page: it says why in its place, and a warning counts such figures.
    """
    from iotrace.reports.pages import write
    from iotrace.reports.pages.compose import failures
    from iotrace.reports.report import page

    def made() -> str:
        store = opened()
        with doing() as progress:
            html = page.report(store, progress, with_paper)
        if count := failures(html):
            warn_of(f"{count} of the page's figures could not be made; the page says why in their places")
        return html

    if str(output) == "-":
        sys.stdout.buffer.write(made().encode("utf-8"))
        sys.stdout.flush()
        return
    write.refuse_to_overwrite(output, force)
    refuse_without_folder(output)
    write.write_page(made(), output)
    print(output)
