"""Options of ``iotrace patterns``: the files analyzed, and where the page and the table go."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.output import PAGES, Format, FormatOrPageOption, OutputOption, page_path
from iotrace.errors import UsageError
from iotrace.files.remote import Place

if TYPE_CHECKING:
    from iotrace.analysis.patterns.study import Options

NAMES = """
[b]Names[/b]

 lw   every process the whole file       gw   all together the whole file, self-scheduled
 lfp  portions of one length for each    gfp  portions of one length, self-scheduled
 lrp  portions of random length          grp  portions of random length, self-scheduled
 seg  a segment for each process         rnd  random
 lw1  one process the whole file         strided, nested-strided, forward (by varying distances)
 unknown  the certainty is below 0.25: meaning has the candidates and why

Names joined by "or" give the same accesses, so no trace can distinguish them; the more probable
name is first.

A name tolerates: up to a tenth of the records missing, at most three in a row; portions displaced
by up to a twentieth of their length; short accesses to metadata; accesses exchanged with a
neighbour; and backward order (column direction).

Kotz and Ellis 1991, section 3.2. A file's phase ends when every open of it has been closed, and at
quiet gaps (over a second, over 100 times the median time between its accesses, and over 10 times
that between a process's). Reads and writes are analyzed separately. Threads count as processes.
Columns: iotrace schema patterns.
"""


@dataclass(frozen=True)
class Places(Group):
    """Where the page and the table go."""

    output: OutputOption = None
    form: FormatOrPageOption = Format.TABLE
    page: Place | None = declared(
        None, "Write a page there, too; -o NAME.html is the same alone.", metavar="FILE", parser=page_path
    )

    @property
    def is_page(self) -> bool:
        """Whether a page is all that is written."""
        return self.output is not None and self.output.suffix.lower() in PAGES

    def page_place(self, is_locality: bool, force: bool) -> Place | None:
        """Return where the page goes, if one is written; raises UsageError if it cannot."""
        from iotrace.reports.pages.write import refuse_to_overwrite

        if self.is_page and (self.page is not None or is_locality):
            raise UsageError(
                f"-o {self.output} is a page, which includes everything: leave out --page and --locality"
            )
        path = self.output if self.is_page else self.page
        if path is not None:
            refuse_to_overwrite(path, force)
        return path


@dataclass(frozen=True)
class Question(Group):
    """Which accesses are analyzed, and what is shown of them."""

    locality: bool = declared(False, "The curves of interprocess locality, and not the patterns.")
    block: str = declared("4K", "The block of interprocess locality.", "-b")
    window: int | None = declared(
        None,
        "The most accesses by which one may be out of order; default: two for each process.",
        metavar="ACCESSES",
        min=1,
    )
    least: int = declared(20, "Leave out phases of fewer reads or writes.", min=1)
    shared: bool = declared(False, "Leave out files that only one process accesses.")
    one_phase: bool = declared(False, "Judge all reads and all writes of a file as one phase each.")

    def __post_init__(self) -> None:
        if self.block_bytes < 1:
            raise UsageError("--block is at least 1 byte")

    @property
    def block_bytes(self) -> int:
        """The block of interprocess locality."""
        return units.size_bytes(self.block)

    def options(self, budget_blocks: int) -> "Options":
        """Return what `study` is asked with."""
        from iotrace.analysis.patterns.study import Options

        return Options(
            self.least,
            self.window,
            self.block_bytes,
            apart=not self.one_phase,
            shared_only=self.shared,
            budget_blocks=budget_blocks,
        )
