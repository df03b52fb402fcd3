"""What ``iotrace paper`` takes, beyond the options of the papers."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.options.groups import Group, declared
from iotrace.cli.output import output_path
from iotrace.cli.report_page import ReportFormat
from iotrace.errors import UsageError
from iotrace.papers.registry import PAPERS
from iotrace.papers.reproduction import Part

EXAMPLES = """
[b]Examples[/b]

 iotrace paper richardson strace.log                   writes richardson/index.html, and a CSV file for each table
 iotrace paper richardson a.iotrace b.iotrace -o richardson-1994
 iotrace paper richardson strace.log --chapter 4 --format table
 iotrace paper richardson strace.log --figure 4.2,5.10 --format csv
 iotrace paper biswas disk.iotrace                     writes biswas/index.html, and a CSV file for each table
 iotrace paper biswas a.csv b.csv c.csv --as off-day,air-rsv,sci-off
                                                       each compared with the disk that it is like, on its drive
 iotrace paper biswas disk.iotrace --format json       the cells: printed, and simulated
 iotrace paper biswas disk.iotrace --findings --disk sata-7200
 iotrace paper kotz                                    writes kotz/index.html, and a CSV file for each table and figure
 iotrace paper kotz --findings --readings              what rests on who gets a free buffer
 iotrace paper vilayannur                              writes vilayannur/index.html, and CSV files
 iotrace paper vilayannur --readings                   claims by other readings of the paper, too
 iotrace paper vilayannur lu.umd cholesky.umd          figures 12 and 13 from these traces

[b]Names for --as[/b]: off-day, air-rsv, sci-off (table 3.1), off-day-system, off-day-application,
air-rsv-system, air-rsv-database, sci-off-system, sci-off-database (tables A1 and A2), none. Traces
of iotrace generate name it themselves; any other trace is compared with each disk. Tables of one
disk use the busiest disk of the trace.
For richardson: kernel-build, ingres, application, software-1, software-2, document,
mecca-development, mecca-server, cad, network-update, cpu-server (2.2), none.
"""

Name = StrEnum("Name", {name.upper(): name for name in PAPERS})  # type: ignore[misc]

Paper = Annotated[
    Name,
    typer.Argument(
        metavar="PAPER", help="; ".join(f"{paper.name}: {paper.about}" for paper in PAPERS.values()) + "."
    ),
]
Traces = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="TRACE...",
        help="Stores (NAME.iotrace) or raw traces; none for kotz, whose programs are made; vilayannur needs none.",
        readable=False,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Answer(Group):
    """What is answered, in which form, and where it goes."""

    output: Path | None = declared(
        None,
        "Write into this folder (PAPER otherwise), or, with --format or --findings, to this file.",
        "--output",
        "-o",
        metavar="FOLDER",
        parser=output_path,
    )
    force: bool = declared(False, "Overwrite what is there.")
    form: ReportFormat = declared(
        ReportFormat.HTML,
        "The page and CSV files, or the numbers alone; with --findings it follows the ending of -o (NAME.csv).",
        "--format",
        "-f",
    )
    findings: bool = declared(
        False,
        "The findings alone: their claims judged, and counted by kind; as a table unless --format or -o says else.",
    )

    @property
    def is_page(self) -> bool:
        """Whether the page and all files are written."""
        return self.form is ReportFormat.HTML

    @property
    def part(self) -> Part:
        """What of the reproduction is asked for; raises UsageError for findings as a page."""
        if self.findings and self.is_page:
            raise UsageError(
                "--findings is not for --format html: the page always has the findings; leave --format out for a table"
            )
        return Part.PAGE if self.is_page else Part.FINDINGS if self.findings else Part.CELLS
