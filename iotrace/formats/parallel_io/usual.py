"""Calls that the engine reads, some millions a second, and those of lines that are left to a slower reader.

What the engine reads and makes sense gives the same row either way. In most formats it judges no other line: these are
read, checked and counted as the rest of this package does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iotrace.formats.parallel_io.accesses import LARGEST, NUMBERS, TEXTS
from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pl

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows


@dataclass(frozen=True)
class Section:
    """The state that calls share between two lines that the slower reader reads."""

    zero_ns: int = 0
    """The time from which their times count."""
    unit_ns: int = 1
    """The unit in which their times are."""


@dataclass(frozen=True)
class UsualCalls:
    """The calls of a block of a trace that the engine read, and the others.

    ``first`` is the number of the block's first line, ``others`` None where there are none, and ``excerpt`` shows any
    line. ``keys`` are what distinguishes the processes of `rows`, and ``files`` the names of files.
    """

    rows: CallRows
    first: int
    required: Sequence[str]
    sections: Sequence[Section]
    keys: Sequence[str]
    files: Sequence[str | None]
    others: Batch | None
    excerpt: Callable[[int], str]

    def place(self) -> UsualCalls | None:
        """Return the same calls with their times counted as the format's; None where one is out of range."""
        starts = [(section.zero_ns, section.unit_ns) for section in self.sections]
        if any(max(start) > LARGEST for start in starts) or not self.rows.place(starts):
            return None
        return replace(self, sections=[replace(part, zero_ns=0, unit_ns=1) for part in self.sections])

    def batch(self) -> Batch:
        """Return all calls, the others too, in the order of their lines."""
        frames = [self._frame(), self.skipped(), *([] if self.others is None else [self.others.frame])]
        return Batch(pl.concat(frames, how="diagonal").sort("record"), self.required, self.excerpt)

    def skipped(self) -> pl.DataFrame:
        """Return the lines that the engine skips, each with the reason."""
        return pl.DataFrame(pl.from_arrow(self.rows.skips(self.first))).with_columns(
            pl.col("reason").cast(pl.String)
        )

    def _frame(self) -> pl.DataFrame:
        """Return those that the engine read as `accesses.frame_of` returns calls."""
        calls = pl.DataFrame(pl.from_arrow(self.rows.calls(self.first)))
        calls = calls.with_columns(
            *_times(calls, self.sections),
            file=_taken(self.files, calls["file"]),
            host=_taken(self.rows.hosts, calls["host"]),
            process_key=_taken(self.keys, calls["key"]),
        )
        return calls.select(
            (pl.col(name) if name in calls.columns else pl.lit(None))
            .cast(pl.String if name in TEXTS else pl.Int64)
            .alias(name)
            for name in (*NUMBERS, *TEXTS)
        )


def _taken(names: Sequence[str | None], places: pl.Series) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(places.set(places < 0, None))


def _times(calls: pl.DataFrame, sections: Sequence[Section]) -> list[pl.Series]:
    """Return times and durations in nanoseconds, and the reason to skip those beyond 64 bits."""
    place, time, duration = calls["section"], calls["time"], calls["duration"]
    units = pl.Series([section.unit_ns for section in sections], dtype=pl.Int64)
    zeros = pl.Series([min(section.zero_ns, LARGEST) for section in sections], dtype=pl.Int64)
    most = [max(-1, (LARGEST - section.zero_ns) // section.unit_ns) for section in sections]
    is_late = time > pl.Series(most, dtype=pl.Int64).gather(place)
    is_long = duration > (LARGEST // units).gather(place)
    unit = units.gather(place)
    reasons = pl.Series([None] * 0, dtype=pl.String).extend_constant(None, len(calls))
    return [
        (time.set(is_late, 0) * unit + zeros.gather(place).set(is_late, 0))
        .set(is_late, None)
        .alias("time_ns"),
        (duration.set(is_long, None) * unit).alias("duration_ns"),
        reasons.set(is_long, "duration out of range").set(is_late, "time out of range").alias("reason"),
    ]
