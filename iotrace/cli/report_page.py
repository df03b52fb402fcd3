"""The form in which a report is written: a page, or the numbers of its figures."""

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.progress import doing
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError, UsageError
from iotrace.files.outputs import failures_named, refuse_in_folder, refuse_no_folder, refuse_without_folder
from iotrace.files.remote import Place

if TYPE_CHECKING:
    from iotrace.cli.inputs import RawTrace
    from iotrace.cli.options.part import ReportPart
    from iotrace.reports.report.data import Evidence
    from iotrace.reports.report.figures import Extra
    from iotrace.reports.report.progress import Progress
    from iotrace.store.store import Store

PLACE = Path("report.html")
WHY_NOT = {
    "paper": "--paper is for traces of calls; for traces of disks there is iotrace paper",
    "caches": "--caches is for logs of jobs with accesses (DXT); pages of other accesses have these sections anyway",
}
"""Why a page has no more figures than without an option."""


class ReportFormat(StrEnum):
    """The page, or the numbers of its figures."""

    HTML = "html"
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that is not a report.")]


def form_of(output: Place | None) -> ReportFormat:
    """Return the form that an output's ending names; raises UsageError for another ending."""
    ending = "" if output is None else output.suffix.lower().removeprefix(".")
    if ending in ("", "htm"):
        return ReportFormat.HTML
    if ending not in list(ReportFormat):
        raise UsageError(f"{output}: no form of a report ends in .{ending}; choose one with --format")
    return ReportFormat(ending)


def opener(part: "ReportPart", raw: "RawTrace", extras: "Collection[Extra]") -> "Callable[[Place], Store]":
    """Return the function that opens a trace, or a part of it, of which a report can be made."""
    from iotrace.cli.options.jobs import open_jobs
    from iotrace.reports.report import figures

    def opened(trace: Place) -> "Store":
        store = part.of_report(raw.open(trace) if part.job is None else open_jobs([trace]))
        families = figures.families_of(store) if extras else ()
        for extra in extras:
            if figures.figures(families, [extra]) == figures.figures(families):
                raise UsageError(f"{trace}: {WHY_NOT[extra]}")
        return store

    return opened


def write_report(
    opened: "Callable[[], Store]", output: Place, force: bool, extras: "Collection[Extra]" = ()
) -> None:
    """Write a store's report, and print its path; the output is checked before the store is opened.

    A figure that cannot be made does not cost the page: it says why in its place, and a warning counts such figures.
    """
    from iotrace.reports.pages import write
    from iotrace.reports.pages.compose import failures
    from iotrace.reports.report.page import render

    def made() -> str:
        store = opened()
        with doing() as progress:
            evidence = _evidence(store, extras, progress)
            progress("writing the page")
            html = render(store, evidence, extras)
        if count := failures(html):
            warn_of(f"{count} of the page's figures could not be made; the page says why in their places")
        if count := sum(note.needs_memory for note in evidence.notes.values()):
            warn_of(
                f"{count} of the page's figures need more than --memory allows; it says which, and what they need"
            )
        return html

    if str(output) == "-":
        sys.stdout.buffer.write(made().encode("utf-8"))
        sys.stdout.flush()
        return
    write.refuse_to_overwrite(output, force)
    refuse_without_folder(output)
    write.write_page(made(), output)
    print(output)


def _evidence(store: "Store", extras: "Collection[Extra]", progress: "Progress") -> "Evidence":
    """Return what a report shows; its answers are kept, so that ``iotrace TRACE`` has them at once."""
    from iotrace.analysis.answers.kept import keep
    from iotrace.reports.report import figures
    from iotrace.reports.report.data import collect

    evidence = collect(store, figures.figures(figures.families_of(store), extras), progress)
    keep(store, evidence.screen)
    return evidence


def write_figures(
    traces: Sequence[Place],
    opened: "Callable[[Place], Store]",
    folder: Path,
    force: bool,
    extras: "Collection[Extra]" = (),
) -> None:
    """Write the figures of a trace's report, and print their folder; it is checked before the trace is opened.

    Raises IotraceError where matplotlib is not installed. A warning names each figure that cannot be drawn.
    """
    from iotrace.reports.pages.vector.draw import refuse_without_library
    from iotrace.reports.report import figure_files, figures
    from iotrace.reports.report.data import collect

    if len(traces) > 1:
        raise UsageError("--figures takes one trace")
    refuse_without_library()
    every = {figure.id for section in figures.sections() for figure in section.figures}
    names = [f"{name}.{ending}" for name in sorted(every) for ending in figure_files.ENDINGS]
    refuse_no_folder(folder)
    refuse_in_folder(folder, names, force, "--figures")
    store = opened(traces[0])
    with doing() as progress:
        shown = figures.figures(figures.families_of(store), extras)
        evidence = collect(store, shown, progress)
        progress("drawing")
        with failures_named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            files, failures = figure_files.write(shown, evidence, folder)
    for failure in failures:
        warn_of(failure)
    print(f"{folder}: {len(files):,} files")


def write_reports(
    traces: Mapping[str, Place],
    opened: "Callable[[Place], Store]",
    folder: Place | None,
    force: bool,
    extras: "Collection[Extra]" = (),
) -> None:
    """Write the reports of several traces, by what they are called, and a page that lists them, into a folder.

    All output paths are checked before the first trace is opened. A trace whose report fails is named in the list,
    and in the IotraceError after all others.
    """
    from iotrace.reports.pages import write
    from iotrace.reports.report import index
    from iotrace.reports.report.page import render

    if folder is None or str(folder) == "-":
        raise UsageError("several traces have a page each: -o names their folder")
    refuse_no_folder(folder)
    pages = _pages(traces)
    for page in (*pages.values(), index.PAGE):
        write.refuse_to_overwrite(folder / page, force)
    entries = []
    for name, trace in traces.items():
        page = pages[name]
        try:
            store = opened(trace)
            with doing() as progress:
                evidence = _evidence(store, extras, progress)
                write.write_page(render(store, evidence, extras), folder / page)
            entries.append(index.entry(name, page, store, evidence))
        except (IotraceError, OSError) as error:
            why = str(error).removeprefix(f"{trace}: ")
            warn_of(f"no report of {name}: {why}")
            entries.append(index.failed(name, why))
    write.write_page(index.index(entries), folder / index.PAGE)
    print(folder / index.PAGE)
    if missing := [entry.name for entry in entries if entry.page is None]:
        raise IotraceError(f"{len(missing)} of {len(entries)} traces have no report: {', '.join(missing)}")


def _pages(traces: Mapping[str, Place]) -> dict[str, str]:
    """Return the name of each trace's page, different from the others and from the list's."""
    taken = {"index"}
    pages = {}
    for name in traces:
        plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "trace"
        others = (f"{plain}-{number}" for number in range(2, len(traces) + 3))
        stem = (
            plain if plain.lower() not in taken else next(one for one in others if one.lower() not in taken)
        )
        taken.add(stem.lower())
        pages[name] = f"{stem}.html"
    return pages
