"""Cost model (a): the printed tables, exact on their grid, interpolated in the logarithm of size."""

import csv
import warnings
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from math import log2

from iotrace.simulate.cluster.costs.rows import IODS, KB, SIZES_KB, CostRow

NS_PER_HUNDREDTH = 10_000
"""The tables print hundredths of a millisecond."""

Cell = tuple[CostRow, int, int]
"""A row, a number of daemons, and a size in kilobytes."""


class Extrapolated(UserWarning):
    """A time was asked for that is outside of the printed tables."""


@cache
def printed() -> Mapping[Cell, int]:
    """Return the 196 printed times, in hundredths of a millisecond."""
    times: dict[Cell, int] = {}
    for table, renamed in (("1", {}), ("2", {CostRow.WRITE_PVFS: "pvfs", CostRow.WRITE_CACHING: "caching"})):
        for line in _lines(table):
            cell = int(line["iods"]), int(line["request_kb"])
            for row in CostRow:
                if row.table == table:
                    times[row, *cell] = _hundredths(line[f"{renamed.get(row, row)}_ms"])
    return times


def required_hit_ratio(pvfs: int, global_hit: int, global_miss: int) -> int:
    """Return the hit ratio from which the global cache is worth going through, in hundredths, truncated.

    The times are integers of one unit. It is where hits and misses together take as long as PVFS without caches; above
    100 no hit ratio is enough. Section 3.3. Raises ZeroDivisionError where a miss takes as long as a hit.
    """
    return 100 * (global_miss - pvfs) // (global_miss - global_hit)


def required_by_table(iods: int, size_kb: int) -> int:
    """Return the required hit ratio from the printed times of a column, in hundredths."""
    times = [printed()[row, iods, size_kb] for row in (CostRow.PVFS, CostRow.GLOBAL_HIT, CostRow.GLOBAL_MISS)]
    return required_hit_ratio(*times)


def time_ns(row: CostRow, size_bytes: int, iods: int) -> int:
    """Return the time of a request by the printed tables.

    Between two printed sizes it is linear in the logarithm of size; below 4 KB, the block of the caches, that of 4 KB.
    Beyond 256 KB each further byte takes what it takes from 128 to 256 KB, and beyond four daemons the time goes on
    from that of four along the line a + b / daemons that fits all four best: both with the warning Extrapolated.
    Raises ValueError for a negative size or no daemon.
    """
    if size_bytes < 0 or iods < 1:
        raise ValueError(f"a request of {size_bytes} bytes over {iods} daemons")
    if size_bytes > SIZES_KB[-1] * KB or iods > IODS[-1]:
        warning = f"{size_bytes} bytes over {iods} daemons are beyond tables 1 and 2 (256 KB, 4 daemons): extrapolated"
        warnings.warn(warning, Extrapolated, stacklevel=2)
    if iods <= IODS[-1]:
        return round(NS_PER_HUNDREDTH * _hundredths_at(row, size_bytes, iods))
    times = [_hundredths_at(row, size_bytes, daemons) for daemons in IODS]
    inverse = [1 / daemons for daemons in IODS]
    middle, mean = sum(inverse) / len(IODS), sum(times) / len(IODS)
    slope = sum((x - middle) * (y - mean) for x, y in zip(inverse, times, strict=True)) / sum(
        (x - middle) ** 2 for x in inverse
    )
    return round(NS_PER_HUNDREDTH * max(0.0, times[-1] + slope * (1 / iods - inverse[-1])))


def _hundredths_at(row: CostRow, size_bytes: int, iods: int) -> float:
    size = max(size_bytes / KB, SIZES_KB[0])
    low = next((size_kb for size_kb in reversed(SIZES_KB[:-1]) if size_kb <= size), SIZES_KB[0])
    first, second = printed()[row, iods, low], printed()[row, iods, 2 * low]
    along = size / low - 1 if size > SIZES_KB[-1] else log2(size / low)
    return first + (second - first) * along


def _lines(table: str) -> list[dict[str, str]]:
    path = files("iotrace.simulate.cluster.costs").joinpath(f"measured_{table}.csv")
    return list(
        csv.DictReader(line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    )


def _hundredths(text: str) -> int:
    return int(Decimal(text) * 100)
