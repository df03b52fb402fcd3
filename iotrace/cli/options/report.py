"""The options of ``iotrace report``."""

from dataclasses import dataclass
from pathlib import Path

from iotrace.cli.options.groups import Group, declared


@dataclass(frozen=True)
class Content(Group):
    """The content of a report."""

    paper: bool = declared(
        False, "Also compare a trace of calls with papers: their values, caches and machines.", "--paper"
    )
    figures: Path | None = declared(
        None,
        "Instead of the page, write each figure into this folder, as SVG and PDF for papers, and its numbers as CSV"
        " (needs the extra figures: matplotlib).",
        metavar="DIR",
        conflicts=["--output", "--format"],
        show_default=False,
    )
