"""Where a report goes: written next to its place and renamed, never over what is not a report."""

from pathlib import Path

from iotrace.reports.pages.compose import GENERATOR

from iotrace.files import write_text
from iotrace.files.inputs import refuse_protected
from iotrace.files.outputs import failures_named, refuse_folder, refuse_unwritable, taken
from iotrace.files.remote import Address, Place

_HEAD = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="{GENERATOR} """.encode()
"""How a page of this program begins; see page.html."""


def refuse_to_overwrite(output: Place, force: bool = False) -> None:
    """Raise UsageError where the output is a folder, or a file that is not a report, unless `force` is set.

    Raises IotraceError if nothing can be written there.
    """
    refuse_protected(output)
    refuse_folder(output)
    if isinstance(output, Path) and output.is_symlink() and not output.exists() and not force:
        raise taken(output, "is a dangling symbolic link")
    if output.is_file() and not force and not is_report(output):
        raise taken(output, "exists and is not a report")
    refuse_unwritable(output)


def is_report(path: Place) -> bool:
    """Return whether a file is a page that this program wrote."""
    if isinstance(path, Address):
        return path.first_bytes(len(_HEAD)) == _HEAD
    with path.open("rb") as file:
        return file.read(len(_HEAD)) == _HEAD


def write_page(html: str, output: Place) -> None:
    """Write a page to its place; it is there as a whole or not at all. Raises IotraceError if it can't be."""
    with failures_named(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        write_text(output, html)
