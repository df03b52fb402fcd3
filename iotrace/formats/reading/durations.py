"""How long things took by a trace: what is not a duration is unknown, and is counted and said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotrace.formats.reading.clock import trace_limits
from iotrace.libraries import pl

UNREADABLE_NS = -(2**63)
"""Marks a duration that a trace states and that is not a number."""
WHY = {
    "unreadable_{}": "cannot be read, and so are unknown",
    "negative_{}": "are negative, and so unknown",
    "{}_out_of_range": "are longer than thirty years, and so unknown",
}
"""Messages about durations, by the name of their count in a manifest's ``seen``."""


def stated_ns(name: str, duration_ns: pl.Expr, unstated: Sequence[str] = ("",)) -> pl.Expr:
    """Return a duration in nanoseconds that is made of a field: null where the field states none, `UNREADABLE_NS` where
    it is not a number."""
    is_stated = pl.all_horizontal(pl.col(name) != word for word in unstated)
    return pl.when(is_stated).then(duration_ns.fill_null(UNREADABLE_NS))


def between_ns(start_ns: int | None, end_ns: int | None) -> int:
    """Return the nanoseconds from a start to an end, `UNREADABLE_NS` where one of them cannot be read."""
    return UNREADABLE_NS if start_ns is None or end_ns is None else end_ns - start_ns


class Durations:
    """Counts the durations of rows that are none, among what is seen of a trace; `noun` is what they are called."""

    def __init__(self, columns: Sequence[str], noun: str, seen: dict[str, int]) -> None:
        self._columns = columns
        self._noun = noun
        self._seen = seen
        seen |= dict.fromkeys((key.format(noun) for key in WHY), 0)

    def see(self, frame: pl.DataFrame, makes_sense: pl.Series) -> None:
        """Count those of further rows, of which those count that make sense."""
        for name in self._columns:
            if name not in frame.columns or frame[name].null_count() == len(frame):
                continue
            took = frame[name]
            wrong = took.filter(makes_sense & ((took < 0) | (took > trace_limits()["duration_ns"])))
            unreadable, negative = int((wrong == UNREADABLE_NS).sum()), int((wrong < 0).sum())
            counts = (unreadable, negative - unreadable, len(wrong) - negative)
            for key, count in zip(WHY, counts, strict=True):
                self._seen[key.format(self._noun)] += count

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts that were made elsewhere, each by its name in what is seen of a trace."""
        for key in WHY:
            self._seen[key.format(self._noun)] += counts.get(key.format(self._noun), 0)

    def warnings(self, rows: int, row: str) -> list[str]:
        """Say how many of `rows` rows have durations that are none; nothing if none has."""
        return [
            f"{count:,} {self._noun} of {rows:,} {row}s {why}"
            for key, why in WHY.items()
            if (count := self._seen[key.format(self._noun)])
        ]
