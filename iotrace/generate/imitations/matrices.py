"""Imitations of the two factorisations: LU and Cholesky."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace.generate.imitations.accesses import Accesses, by_turns
from iotrace.generate.imitations.imitation import Imitation, assumed_count, assumed_number
from iotrace.option import RATIO, option


@dataclass(frozen=True)
class LU(Imitation):
    """An imitation of LU: dense LU decomposition of an out-of-core matrix, synchronous reads and writes (paper).

    Assumed: columns are grouped to slabs, which processes own in turn; a process reads one of its slabs, then from
    each slab to its left, column by column, the part on and below that slab's diagonal, and writes its slab. The slabs
    to the left are read by all processes, the later the less of each.
    """

    rows: int = assumed_count(1536, "rows and columns of the matrix, doubles", 1 << 20)
    slab_columns: int = assumed_count(64, "columns of a slab", 1 << 20)
    request_bytes: int = assumed_count(65_536, "the longest request", 1 << 30)
    compute_ns: int = assumed_count(
        1_000_000, "nanoseconds of computation after each request", 10**12, least=0
    )

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program; nothing is drawn by lot, so that the seed changes nothing."""
        processes = [Accesses(self.request_bytes) for _ in range(self.processes)]
        column_bytes = self.rows * 8
        starts = range(0, self.rows, self.slab_columns)
        for number, first in enumerate(starts):
            mine = processes[number % self.processes]
            columns = min(self.slab_columns, self.rows - first)
            mine.add(0, first * column_bytes, columns * column_bytes)
            for left in starts[:number]:
                columns_left = np.arange(left, left + self.slab_columns)
                mine.add_each(0, columns_left * column_bytes + left * 8, column_bytes - left * 8)
            mine.add(0, first * column_bytes, columns * column_bytes, write=True)
        return by_turns(processes, self.compute_ns)


@dataclass(frozen=True)
class Cholesky(Imitation):
    """An imitation of Cholesky: sparse matrices stored as panels, synchronous reads and writes (paper).

    Assumed: panels differ in size (log-normal) and lie in one file one after the other; processes own them in turn. A
    process reads its panel, then the panels that it depends on, which are mostly near on its left, and writes it.
    """

    panels: int = assumed_count(800, "panels", 1 << 20)
    panel_bytes: int = assumed_count(32_768, "median size of a panel", 1 << 30, least=8)
    panel_spread: float = assumed_number(0.8, "spread of the sizes: deviation of the logarithm", 4.0)
    dependences: float = option(
        8.0, "panels that one depends on, in the mean (Poisson; assumed)", RATIO, least=0.0, most=1e4
    )
    distance_panels: float = option(
        20.0, "how far to the left, in the mean (geometric; assumed)", RATIO, least=1.0, most=1e6
    )
    request_bytes: int = assumed_count(65_536, "the longest request", 1 << 30)
    compute_ns: int = assumed_count(
        1_000_000, "nanoseconds of computation after each request", 10**12, least=0
    )

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program."""
        rng = np.random.default_rng(seed)
        sizes = np.maximum(
            8, np.rint(rng.lognormal(np.log(self.panel_bytes), self.panel_spread, self.panels))
        )
        size = np.minimum(sizes, 1 << 40).astype(np.int64)
        start = np.cumsum(size) - size
        processes = [Accesses(self.request_bytes) for _ in range(self.processes)]
        for panel in range(self.panels):
            mine = processes[panel % self.processes]
            mine.add(0, int(start[panel]), int(size[panel]))
            back = rng.geometric(1 / self.distance_panels, rng.poisson(self.dependences))
            for left in np.unique(panel - back[back <= panel]):
                mine.add(0, int(start[left]), int(size[left]))
            mine.add(0, int(start[panel]), int(size[panel]), write=True)
        return by_turns(processes, self.compute_ns)
