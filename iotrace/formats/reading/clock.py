"""The clock of a trace as its times show it, and the units in which formats give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from iotrace.formats.reading.batches import SourceNotes
from iotrace.libraries import pl

NS_PER_S, NS_PER_MS, NS_PER_US = 1_000_000_000, 1_000_000, 1_000


@cache
def trace_limits() -> dict[str, int]:
    """Return the largest values in traces of any format, as the engine has them."""
    from iotrace.engine import native

    return native.trace_limits()


@dataclass
class Clock:
    """The times of a trace, as they were seen; all in nanoseconds from the format's base."""

    zero_ns: int | None = None
    """The time of the trace's first record that has one, from which its table counts; None before that."""
    first_ns: int = 0
    """The earliest time."""
    last_ns: int = 0
    """The latest time."""
    end_ns: int = 0
    """The latest end of what takes time."""
    resolution_ns: int | None = None
    """The coarsest clock of which every time is a whole multiple, as in view clock."""
    unsorted: int = 0
    """How many records came before an earlier one in time."""

    def see(self, time_ns: pl.Series, taken_ns: pl.Series) -> None:
        """Count the times of records that follow, and how long each took, where that is known."""
        if time_ns.null_count() == len(time_ns):
            return
        if self.zero_ns is None:
            first = int(time_ns.drop_nulls()[0])
            self.zero_ns = self.first_ns = self.last_ns = self.end_ns = first
        reached = pl.concat([pl.Series([self.last_ns]), time_ns]).cum_max()
        self.unsorted += int((time_ns < reached[:-1]).sum())
        self.first_ns = min(self.first_ns, int(time_ns.min()))  # type: ignore[arg-type]
        self.last_ns = max(self.last_ns, int(time_ns.max()))  # type: ignore[arg-type]
        ends_ns = time_ns + taken_ns.fill_null(0)
        self.end_ns = max(self.end_ns, int(ends_ns.max()))  # type: ignore[arg-type]
        while self.resolution_ns is None or int((time_ns % self.resolution_ns).max()):  # type: ignore[arg-type]
            self.resolution_ns = NS_PER_S if self.resolution_ns is None else self.resolution_ns // 1000

    def see_summary(self, summary: Mapping[str, int], unsorted: Callable[[int], int]) -> None:
        """Count the times of records that follow, at least one, all with times.

        ``summary`` has their first_ns, least_ns, most_ns and end_ns, and the coarsest clock's step_ns; ``unsorted``
        counts those that came before an earlier one, if the records before them reached to a time.
        """
        if self.zero_ns is None:
            self.zero_ns = self.first_ns = self.last_ns = self.end_ns = summary["first_ns"]
        self.unsorted += unsorted(self.last_ns)
        self.first_ns = min(self.first_ns, summary["least_ns"])
        self.last_ns = max(self.last_ns, summary["most_ns"])
        self.end_ns = max(self.end_ns, summary["end_ns"])
        self.resolution_ns = min(self.resolution_ns or NS_PER_S, summary["step_ns"])

    def since_zero(self, time_ns: pl.Series) -> pl.Series:
        """Return times from the first record's on."""
        return time_ns - (self.zero_ns or 0)

    @property
    def duration_ns(self) -> int | None:
        """From the earliest time to the latest end; None without times."""
        return None if self.zero_ns is None else self.end_ns - self.first_ns

    def report(self, notes: SourceNotes) -> dict[str, Any]:
        """Return the manifest's entry on times: their base, the first, and the clock's resolution."""
        base = "none" if self.zero_ns is None else notes.base
        first_ns = self.first_ns + (notes.zero_ns if base == "epoch" else 0)
        return {
            "base": base,
            "first_ns": None if self.zero_ns is None else first_ns,
            "resolution_ns": self.resolution_ns,
        }
