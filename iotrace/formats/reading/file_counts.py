"""How much of each of a trace's files could be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class FileCounts:
    """The counts of one file that was read."""

    records: int = 0
    """Lines or records; blank lines are none."""
    rows: int = 0
    """Rows of the native table that were made of them."""
    skipped: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The records that were skipped, as `Skips.reasons` has them."""

    @property
    def skipped_records(self) -> int:
        """How many records were skipped."""
        return sum(int(reason["lines"]) for reason in self.skipped.values())

    @property
    def is_unreadable(self) -> bool:
        """Whether records were skipped, and no other gave a row."""
        return bool(self.skipped) and not self.rows

    def add(self, further: FileCounts, lines_before: int) -> None:
        """Count a further part of the file, before which there are as many lines."""
        self.records += further.records
        self.rows += further.rows
        add_skips(self.skipped, further.skipped, lines_before)


def add_skips(
    skipped: dict[str, dict[str, Any]], further: Mapping[str, Mapping[str, Any]], lines_before: int
) -> None:
    """Count further records that were skipped, of a part of a file before which there are as many lines."""
    for reason, found in further.items():
        first = {**found, "lines": 0, "first_line": found["first_line"] + lines_before}
        skipped.setdefault(reason, first)["lines"] += found["lines"]


class CountsByFile(dict[str, FileCounts]):
    """The counts of a trace's files by their names; one that is not named is none."""

    def see(self, file: str | None, records: int, rows: int) -> None:
        """Count further records of a file, and rows."""
        if file is not None:
            counts = self.setdefault(file, FileCounts())
            counts.records += records
            counts.rows += rows

    def add(self, further: CountsByFile, lines_before: int) -> None:
        """Count a further file, or a part of one before which there are as many lines."""
        for file, counts in further.items():
            self.setdefault(file, FileCounts()).add(counts, lines_before)

    def unreadable(self) -> tuple[str, FileCounts] | None:
        """Return the first of several files of which nothing could be read."""
        unreadable = ((file, counts) for file, counts in self.items() if counts.is_unreadable)
        return next(unreadable, None) if len(self) > 1 else None

    def report(self, merged: Sequence[tuple[str, int, int]] = ()) -> dict[str, dict[str, dict[str, int]]]:
        """Return the manifest's entry on the records of several files of which some were skipped, if any were.

        Files that are `merged` are counted by their reader: name, records, and those skipped.
        """
        read = [(file, counts.records, counts.skipped_records) for file, counts in self.items()]
        several = next((files for files in (merged, read) if len(files) > 1), ())
        skipped = {file: {"records": records, "skipped": left} for file, records, left in several if left}
        return {"skipped_by_file": skipped} if skipped else {}
