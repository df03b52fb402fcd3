"""Where a page goes: alone into a file, or with a CSV file for each table into a folder; refused before the work."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from iotrace.cli.output import PAGES, Format, emit
from iotrace.errors import UsageError
from iotrace.files.outputs import refuse_without_folder
from iotrace.files.remote import Place
from iotrace.libraries import pa

PAGE = "index.html"


def is_page(path: Place) -> bool:
    """Return whether a place is that of a page alone: a name that ends so, or standard output."""
    return path.suffix.lower() in PAGES or str(path) == "-"


def refuse_place(path: Place, force: bool) -> None:
    """Raise UsageError where the page, or the page and its files, should not be written."""
    from iotrace.reports.pages.write import is_report, refuse_to_overwrite

    if str(path) == "-":
        return
    if is_page(path):
        refuse_to_overwrite(path, force)
        refuse_without_folder(path)
        return
    if path.suffix.lower() in {f".{form}" for form in Format}:
        raise UsageError(f"{path}: is not a name for a page, which is NAME.html, nor for its folder")
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is a file; -o takes a folder, or NAME.html")
    page = path / PAGE
    if path.is_dir() and any(path.iterdir()) and not (page.is_file() and is_report(page)):
        raise UsageError(f"{path}: holds other files; -o takes a new folder, or one with an earlier page")
    refuse_to_overwrite(page)


def write_place(html: str, tables: Mapping[str, pa.Table], path: Place) -> Place | None:
    """Write a page, and into a folder a CSV file for each table, too; returns where the page is, if in a file."""
    from iotrace.reports.pages.write import write_page

    if str(path) == "-":
        sys.stdout.buffer.write(html.encode("utf-8"))
        sys.stdout.flush()
        return None
    if is_page(path):
        write_page(html, path)
        return path
    path.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        emit(table, Format.CSV, path / f"{name}.csv")
    write_page(html, path / PAGE)
    return path / PAGE
