"""Where a report goes: written next to its place and renamed, never over what is no report."""

from __future__ import annotations

from pathlib import Path

from iotrace.reports.pages.compose import GENERATOR

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import write_text

_HEAD_BYTES = 400


def refuse_to_overwrite(output: Path, force: bool = False) -> None:
    """Raise UsageError where the output is a folder, or a file that is no report, unless `force` is set."""
    if output.is_dir():
        raise UsageError(f"{output}: is a directory; -o wants a file")
    if output.is_symlink() and not output.exists() and not force:
        raise UsageError(f"{output}: is a link that leads nowhere; give --force to replace it, or another -o")
    if output.is_file() and not force and not is_report(output):
        raise UsageError(f"{output}: exists and is not a report; give --force to overwrite it, or another -o")


def is_report(path: Path) -> bool:
    """Tell whether a file is a page that this program wrote."""
    with path.open("rb") as file:
        return f'<meta name="generator" content="{GENERATOR} '.encode() in file.read(_HEAD_BYTES)


def write_page(html: str, output: Path) -> None:
    """Write a page to its place; it is there as a whole or not at all. Raises IotraceError where it can't be."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_text(output, html)
    except OSError as error:
        raise IotraceError(f"{output}: cannot be written: {reason(error)}") from None
