"""Where a page goes: alone into a file, or with a CSV file for each table into a folder; refused before the work."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from iotrace.cli.output import PAGES, Format, emit
from iotrace.errors import UsageError
from iotrace.files.outputs import refuse_without_folder
from iotrace.libraries import pa

PAGE = "index.html"


def is_page(place: Path) -> bool:
    """Return whether a place is that of a page alone: a name that ends so, or standard output."""
    return place.suffix.lower() in PAGES or str(place) == "-"


def refuse_place(place: Path, force: bool) -> None:
    """Raise UsageError where the page, or the page and its files, should not be written."""
    from iotrace.reports.pages.write import is_report, refuse_to_overwrite

    if str(place) == "-":
        return
    if is_page(place):
        refuse_to_overwrite(place, force)
        refuse_without_folder(place)
        return
    if place.suffix.lower() in {f".{form}" for form in Format}:
        raise UsageError(f"{place}: is not a name for a page, which is NAME.html, nor for its folder")
    if place.exists() and not place.is_dir():
        raise UsageError(f"{place}: is a file; -o takes a folder, or NAME.html")
    page = place / PAGE
    if place.is_dir() and any(place.iterdir()) and not (page.is_file() and is_report(page)):
        raise UsageError(f"{place}: holds other files; -o takes a new folder, or one with an earlier page")
    refuse_to_overwrite(page)


def write_place(html: str, tables: Mapping[str, pa.Table], place: Path) -> Path | None:
    """Write a page, and into a folder a CSV file for each table, too; returns where the page is, if in a file."""
    from iotrace.reports.pages.write import write_page

    if str(place) == "-":
        sys.stdout.buffer.write(html.encode("utf-8"))
        sys.stdout.flush()
        return None
    if is_page(place):
        write_page(html, place)
        return place
    place.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        emit(table, Format.CSV, place / f"{name}.csv")
    write_page(html, place / PAGE)
    return place / PAGE
