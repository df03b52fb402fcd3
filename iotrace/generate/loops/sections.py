"""Sections of arrays as runs of bytes in their files, and these as requests."""

from dataclasses import dataclass

import numpy as np

from iotrace.errors import IotraceError
from iotrace.generate.loops.description import Array, Reference
from iotrace.generate.loops.tiles import Tiles


@dataclass(frozen=True)
class Sections:
    """The section of one reference for each tile: its runs, all of a length, laid out like the digits of a number."""

    first_byte: np.ndarray
    run_bytes: np.ndarray
    digits: tuple[np.ndarray, ...]
    """How many runs follow one another, for each subscript in the order of the file: 1 where a run covers it."""
    strides_bytes: tuple[int, ...]
    """From one run to the next, for each."""

    @property
    def runs(self) -> np.ndarray:
        """The number of runs of each tile's section."""
        count: np.ndarray = np.prod(np.stack(self.digits), axis=0)
        return count

    def run_first_byte(self, rows: np.ndarray, runs: np.ndarray) -> np.ndarray:
        """Return where in the file run number ``runs`` of the section of tile ``rows`` starts."""
        start: np.ndarray = self.first_byte[rows]
        rest = runs
        for digit, stride in zip(self.digits, self.strides_bytes, strict=True):
            start = start + rest % digit[rows] * stride
            rest = rest // digit[rows]
        return start


def sections(reference: Reference, array: Array, tiles: Tiles, nest: str) -> Sections:
    """Return the smallest box of subscripts that holds what each tile refers to, as runs of the file.

    Whole columns (rows) that follow one another are one run; an array that is moved whole has no others. Raises
    IotraceError where a subscript leaves the array.
    """
    strides = array.strides_bytes
    first = np.zeros(tiles.count, np.int64)
    run = np.full(tiles.count, array.element_bytes, np.int64)
    inside = np.ones(tiles.count, bool)
    digits = []
    for dimension in array.fastest_first:
        extent = array.extents[dimension]
        ranges = [at[dimension].range_over(tiles.low, tiles.high, tiles.count) for at in reference.at]
        low = np.minimum.reduce([least for least, _ in ranges])
        high = np.maximum.reduce([most for _, most in ranges])
        if tiles.count and (low.min() < 1 or high.max() > extent):
            worst = int(low.min() if low.min() < 1 else high.max())
            raise IotraceError(
                f"nest {nest}: subscript {dimension + 1} of {array.name} reaches {worst}, not within 1 to {extent}"
            )
        if array.whole and dimension == array.fastest_first[0]:
            low, high = np.ones_like(low), np.full_like(high, extent)
        width = high - low + 1
        first += (low - 1) * strides[dimension]
        run *= np.where(inside, width, 1)
        digits.append(np.where(inside, 1, width))
        inside &= width == extent
    return Sections(first, run, tuple(digits), tuple(strides[dimension] for dimension in array.fastest_first))
