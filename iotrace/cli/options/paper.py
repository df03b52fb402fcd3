"""Options of ``iotrace paper``, beyond the options of the papers."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import typer

from iotrace.cli.options.groups import Group, declared
from iotrace.cli.output import PAGES, TABLES, Format, form_of_ending, output_path
from iotrace.cli.report_page import ReportFormat
from iotrace.errors import UsageError
from iotrace.files.remote import Place
from iotrace.papers.registry import PAPERS
from iotrace.papers.reproduction import PaperPart

EXAMPLES = """
[b]Examples[/b]

 iotrace paper richardson strace.log                   writes richardson/index.html, and a CSV file for each table
 iotrace paper richardson a.iotrace b.iotrace -o richardson-1994
 iotrace paper richardson strace.log --chapter 4 --format table
 iotrace paper richardson strace.log --figure 4.2,5.10 --format csv
 iotrace paper biswas disk.iotrace                     writes biswas/index.html, and a CSV file for each table
 iotrace paper biswas a.csv b.csv c.csv --as off-day,air-rsv,sci-off
                                                       each compared with the disk that it is like, on its drive
 iotrace paper biswas disk.iotrace -o cells.json       the cells: printed, and simulated
 iotrace paper biswas disk.iotrace --findings --disk sata-7200
 iotrace paper kotz -o kotz.html                       the page alone
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
    list[Place] | None,
    typer.Argument(
        metavar="TRACE...",
        help="Stores (NAME.iotrace) or raw traces; none for kotz, whose programs are made; vilayannur needs none.",
        readable=False,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Answer(Group):
    """The part of the answer, its form, and where it is written."""

    output: Place | None = declared(
        None,
        "A folder for the page and CSV files (PAPER otherwise); NAME.html is the page alone, NAME.csv the numbers.",
        "--output",
        "-o",
        metavar="PLACE",
        parser=output_path,
    )
    force: bool = declared(False, "Overwrite what is there.")
    form: ReportFormat = declared(
        ReportFormat.HTML,
        "The page and CSV files, or the numbers alone; the default follows the ending of -o (NAME.csv).",
        "--format",
        "-f",
    )
    findings: bool = declared(
        False,
        "The findings alone: their claims judged, and counted by kind; as a table unless --format or -o says else.",
        conflicts=["--figure"],
    )

    def with_form(self, is_given: bool) -> "Answer":
        """Return the answer in the form of its output's ending; findings are a table where neither says else.

        Raises UsageError for a page with a form that is none.
        """
        ending = "" if self.output is None else self.output.suffix.lower()
        if ending in PAGES:
            if not self.is_page or self.findings:
                other = f"--format {self.form.value}" if not self.is_page else "--findings"
                raise UsageError(f"-o {self.output} is a page, and {other} is none: give one of them")
            return self
        form = Format.TABLE if self.is_page else Format(self.form.value)
        if self.is_page and (is_given or not (self.findings or ending in TABLES)):
            return self
        return replace(self, form=ReportFormat(form_of_ending(self.output, form, is_given).value))

    @property
    def is_page(self) -> bool:
        """Whether the page and all files are written."""
        return self.form is ReportFormat.HTML

    @property
    def part(self) -> PaperPart:
        """The part of the reproduction that is requested; raises UsageError for findings as a page."""
        if self.findings and self.is_page:
            raise UsageError(
                "--findings is not for --format html: the page always has the findings; leave --format out for a table"
            )
        return PaperPart.PAGE if self.is_page else PaperPart.FINDINGS if self.findings else PaperPart.CELLS
