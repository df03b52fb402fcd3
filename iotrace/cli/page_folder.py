"""A folder for a page and its CSV files: refused if it holds other things, before the work is done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from iotrace.cli.output import Format, emit
from iotrace.errors import UsageError
from iotrace.files.outputs import taken
from iotrace.libraries import pa

PAGE = "index.html"


def refuse_folder(folder: Path, force: bool) -> None:
    """Raise UsageError where the page and its files should not be written."""
    from iotrace.reports.pages.write import refuse_to_overwrite

    if folder.suffix.lower() in (".html", ".htm", *(f".{form}" for form in Format)):
        raise UsageError(f"{folder}: -o takes a folder, for {PAGE} and the CSV files: -o {folder.stem}")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; -o takes a folder")
    if not force and folder.is_dir() and any(folder.iterdir()) and not (folder / PAGE).is_file():
        raise taken(folder, "holds other files")
    refuse_to_overwrite(folder / PAGE, force)


def write_folder(html: str, tables: Mapping[str, pa.Table], folder: Path) -> Path:
    """Write a page, and a CSV file for each table; returns the page's place."""
    from iotrace.reports.pages.write import write_page

    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        emit(table, Format.CSV, folder / f"{name}.csv")
    write_page(html, folder / PAGE)
    return folder / PAGE
