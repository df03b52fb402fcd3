"""The options of ``iotrace report``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.options.groups import Group, declared

if TYPE_CHECKING:
    from iotrace.reports.report.figures import Extra


@dataclass(frozen=True)
class Content(Group):
    """The content of a report."""

    paper: bool = declared(
        False, "Also compare a trace of calls with papers: their values, caches and machines.", "--paper"
    )
    caches: bool = declared(
        False,
        "Also simulate caches, non-volatile memory and clusters on the accesses of a job of Darshan's logs.",
        "--caches",
    )
    figures: Path | None = declared(
        None,
        "Instead of the page, write each figure into this folder, as SVG and PDF for papers, and its numbers as CSV"
        " (needs the extra figures: matplotlib).",
        metavar="DIR",
        conflicts=["--output", "--format"],
        show_default=False,
    )

    @property
    def extras(self) -> tuple[Extra, ...]:
        """The figures that are asked for."""
        from iotrace.reports.report.figures import Extra

        return tuple(extra for extra in Extra if getattr(self, extra))
