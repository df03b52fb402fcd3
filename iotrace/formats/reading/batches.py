"""Results of a format: batches of records, and at the end a report on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from iotrace.libraries import pl

BLANK = "blank lines"
"""The remark on lines without anything, which are not records."""


@dataclass(frozen=True)
class Batch:
    """Requests or calls in the order of the trace.

    ``frame`` has a column ``record`` (the line or record, counted from 1) and any others that its family knows; times
    are nanoseconds from the format's base. A row with a ``reason`` is skipped for it, and so is one in which a
    column of ``required`` is null. ``excerpt`` shows a record, by its number, as the trace has it.
    """

    frame: pl.DataFrame
    required: Sequence[str]
    excerpt: Callable[[int], str]


def first_reason(faults: Mapping[str, pl.Expr]) -> pl.Expr:
    """Return the reason that each row has, else the first of the faults, by their names, that it has."""
    return pl.coalesce("reason", *(pl.when(has).then(pl.lit(fault)) for fault, has in faults.items()))


@dataclass(frozen=True)
class OpenEnd:
    """A file's last line, which has no line end; ``former`` is the line before it, empty where there is none.

    It is a batch by itself, or ends the ``record`` of that number, of several lines.
    """

    path: str
    text: bytes
    former: bytes
    record: int | None = None


@dataclass
class SourceNotes:
    """A source's report on its records: how many, those that are not requests by kind, and the base of times."""

    records: int = 0
    remarks: dict[str, int] = field(default_factory=dict)
    """Records that were understood and are not requests, or oddities of requests, by kind."""
    base: str = "relative"
    """epoch, relative, or none."""
    zero_ns: int = 0
    """The instant, in nanoseconds since 1970, from which a source with base epoch counts its times."""
    ordered: bool = True
    """Whether the format promises its records in the order of arrival, so that disorder is worth a warning."""
    warnings: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    """Why files could not be read to their ends; further warnings."""
    open_end: OpenEnd | None = None
    """Of the batch that was returned last: the line without an end that it was made of, until that is judged."""
    file: str | None = None
    """The file of the records that were returned last, where files are read in turn."""
    merged_files: Sequence[tuple[str, int, int]] = ()
    """At the end of files that are merged: the name of each, its records, and how many of these were skipped."""
    unknown: Sequence[str] = ()
    """Columns that are not known after all, as the end of the trace shows: they become null in all rows."""
    by_file: bool = False
    """Whether a block trace counts places within the files that it names, and not within disks."""

    def remark(self, kind: str, count: int = 1) -> None:
        """Count a remark."""
        if count:
            self.remarks[kind] = self.remarks.get(kind, 0) + count


class Source(Protocol):
    """A trace being read."""

    notes: SourceNotes

    def next(self) -> Any:
        """Return the next batch, or what else its family's run reads; None at the end."""

    def progress(self) -> tuple[int, int | None]:
        """Return how many bytes of input were read, and how many there are where that is known."""
