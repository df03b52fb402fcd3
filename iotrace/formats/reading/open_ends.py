"""A file's last line that has no line end: it is kept and named, unless it differs from the lines before."""

from __future__ import annotations

from iotrace.formats.reading.batches import OpenEnd
from iotrace.libraries import np, pl

UNITS = ((100, 4096), (2, 512))
"""How many other lengths show that all are multiples of a page, and of a block of a disk."""
LEFT_OUT = "it is left out"
"""How the sentence on a line ends that is not a record for lack of its end."""


def may_be_cut(end: OpenEnd) -> str:
    """Return the message about a line that is kept."""
    return f"{end.path}: the last line has no end: it may be cut"


def left_out(end: OpenEnd, why: str) -> str:
    """Return the message about a line that is left out, and why it is not a record."""
    return f"{end.path}: the last line has no end and is not a complete record ({why}): {LEFT_OUT}"


def has_fewer_fields(end: OpenEnd, separator: str) -> bool:
    """Return whether the line has fewer fields than the one before it."""
    if not end.former or end.record is not None or b'"' in end.former + end.text:
        return False
    if separator == " ":
        return len(end.text.split()) < len(end.former.split())
    return end.text.count(separator.encode()) < end.former.count(separator.encode())


class Lengths:
    """The power of two of which the lengths of a trace's records are multiples."""

    def __init__(self, unit_bytes: int = 1) -> None:
        self._unit_bytes = unit_bytes
        self._bits = self._count = 0

    def see(self, lengths: np.ndarray) -> None:
        """Take the lengths of further records, in units; those of 0 say nothing."""
        self._bits |= int(np.bitwise_or.reduce(lengths)) if len(lengths) else 0
        self._count += len(lengths)

    def misfit(self, lengths: pl.Series) -> str | None:
        """Return why a last length is none, if it is not a multiple of what all others are."""
        last = [length * self._unit_bytes for length in lengths.drop_nulls().to_list()]
        for others, unit in UNITS:
            if self._count >= others and self._bits * self._unit_bytes % unit == 0 < self._bits:
                misfits = any(length % unit for length in last)
                return (
                    f"its length is not a multiple of {unit:,} bytes, as all others are" if misfits else None
                )
        return None
