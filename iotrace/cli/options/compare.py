"""Options of ``iotrace compare``: two sides, conditions, and where the result goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.analysis.grouping import Grouping
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.output import PAGES, Format, FormatOrPageOption, Output, OutputOption
from iotrace.errors import UsageError
from iotrace.files.remote import Place

if TYPE_CHECKING:
    from iotrace.analysis.compare.conditions import Condition

BETWEEN = "vs"
"""The word between the sides."""
TracesArgument = Annotated[
    list[Place],
    typer.Argument(
        help=f"Before and after: A B, or repeated traces of each, A1 A2 A3 {BETWEEN} B1 B2 B3; stores or raw traces.",
        metavar="A B",
        show_default=False,
        readable=False,
    ),
]
VERDICTS = """
[b]Verdicts[/b]

One run of a program against one: counts and bytes are stated, times cannot be told; three runs of each are enough for a
verdict. With those, times are better or worse, counts and loads (calls, requests, bytes) more or less, and the rest
different. One period of a disk against another, or two parts of one trace, are different or not different beyond the
variation within each: the cause cannot be told.

[b]Noise[/b]

A change is significant outside low to high, the band that noise alone explains. All metrics of one comparison
together are wrongly called changed once in 100 comparisons: each has a level of its own, and the levels add up to 1
%. With repeated traces, the band is a t test of their means, whose standard deviation is taken to be at least 5 % of
times, 1 µs of latencies, half an event of counts, and 1 % of all else. With periods, it is a block bootstrap: of 50
windows of each trace's time, blocks of 10 in a row are resampled 2,000 times with a fixed seed. What windows cannot
show (wall time, working set, cache misses; fewer than 25 windows with events) is not judged, nor are percentiles with
fewer than 10 values above them in a trace.

Exit status: 3 where a condition of --fail-if holds.
"""
DRAWN = (Grouping.CALL, Grouping.FILE, Grouping.PROGRAM)
"""The default groupings of times for a person."""


def one(traces: Sequence[Place]) -> Place:
    """Return the trace that is compared with a fleet; raises UsageError for several."""
    if len(traces) != 1:
        raise UsageError("--against: give one trace, which is compared with the stores in the folder")
    return traces[0]


def sides(traces: Sequence[Place]) -> tuple[list[Place], list[Place]]:
    """Return the traces before and after; raises UsageError where it is not clear which are which."""
    names = [str(trace) for trace in traces]
    if names.count("-") > 1:
        raise UsageError("standard input (-) can be one of the traces only")
    if BETWEEN not in names:
        if len(traces) != 2:
            raise UsageError(
                f"give two traces, A B, or several of each with the word {BETWEEN} between: A1 A2 A3 {BETWEEN} B1 B2 B3"
            )
        return [traces[0]], [traces[1]]
    index = names.index(BETWEEN)
    before, after = list(traces[:index]), list(traces[index + 1 :])
    if not before or not after or BETWEEN in names[index + 1 :]:
        raise UsageError(f"the word {BETWEEN} stands once, between traces before and traces after")
    return before, after


@dataclass(frozen=True)
class Question(Group):
    """The comparison, and the conditions on which it fails."""

    fail_if: list[str] | None = declared(
        None,
        "End with status 3 where this holds: a metric, one of < <= > >=, and a ratio (1.2x), a change (+20%) or a value"
        " after in the metric's unit; then perhaps: and significant. Repeatable.",
        metavar="CONDITION",
        show_default=False,
    )
    by: str | None = declared(
        None,
        f"Compare times instead, by a list of {', '.join(Grouping)}.",
        show_default=False,
    )

    against: Place | None = declared(
        None,
        "Instead, where one trace stands among the stores of its family beneath a folder: median, quartiles and rank"
        " of each metric.",
        metavar="FOLDER",
        show_default=False,
        conflicts=["--by", "--fail-if"],
    )

    def conditions(self) -> list["Condition"]:
        """Return the conditions; raises UsageError for what is none."""
        from iotrace.analysis.compare.conditions import conditions

        return conditions(self.fail_if or [])

    def groupings(self) -> list[Grouping]:
        """Return what times are added up by; raises UsageError for unknown names."""
        from iotrace.cli.options.time import Question as TimeQuestion

        return TimeQuestion(by=self.by).groupings(False) if self.by is not None else list(DRAWN)


@dataclass(frozen=True)
class Places(Group):
    """Where the result goes: a table, or a page where ``-o`` ends so."""

    form: FormatOrPageOption = Format.TABLE
    output: OutputOption = None

    def page(self, force: bool) -> Place | None:
        """Return where the page goes, if anywhere; raises UsageError for a file that is not to be replaced."""
        from iotrace.cli.output import refuse_to_overwrite
        from iotrace.files.outputs import refuse_without_folder

        if self.output is None or self.output.suffix.lower() not in PAGES:
            return None
        refuse_to_overwrite(self.output, force)
        refuse_without_folder(self.output)
        return self.output

    def table(self, force: bool) -> Output:
        """Return where the table goes; raises UsageError for a file that is not to be replaced."""
        is_page = self.output is not None and self.output.suffix.lower() in PAGES
        return Output(self.form, None if is_page else self.output, force)
