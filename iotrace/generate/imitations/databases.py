"""Imitations of the two databases: Titan and DB2."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace.generate.imitations.accesses import Accesses, by_turns
from iotrace.generate.imitations.imitation import Imitation, assumed_count, assumed_number


@dataclass(frozen=True)
class Titan(Imitation):
    """An imitation of Titan: a parallel scientific database for remote-sensing data (paper).

    Assumed: the earth is a square grid of chunks, row by row in one file. A query asks for a square window; a part of
    the queries ask around one popular place, the others anywhere. The chunks of a window are dealt to processes in
    turn, each chunk is one read; nothing is written.
    """

    grid_chunks: int = assumed_count(64, "chunks along a side of the grid", 1 << 15)
    chunk_bytes: int = assumed_count(32_768, "bytes of a chunk", 1 << 30)
    queries: int = assumed_count(150, "queries", 1 << 20)
    window_chunks: int = assumed_count(10, "chunks along a side of a window", 1 << 15)
    popular_share: float = assumed_number(0.5, "queries around the popular place", 1.0)
    popular_spread_chunks: float = assumed_number(3.0, "how far from it: a deviation", 1e6)
    compute_ns: int = assumed_count(
        1_000_000, "nanoseconds of computation after each request", 10**12, least=0
    )

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program."""
        rng = np.random.default_rng(seed)
        processes = [Accesses(self.chunk_bytes) for _ in range(self.processes)]
        side = min(self.window_chunks, self.grid_chunks)
        last = self.grid_chunks - side
        centers = rng.integers(0, last, 2, endpoint=True)
        for _ in range(self.queries):
            popular = rng.random() < self.popular_share
            near = np.rint(rng.normal(centers, self.popular_spread_chunks))
            corner = near if popular else rng.integers(0, last, 2, endpoint=True)
            row, column = np.clip(corner, 0, last).astype(np.int64)
            rows, columns = np.divmod(np.arange(side * side), side)
            chunks = ((row + rows) * self.grid_chunks + column + columns) * self.chunk_bytes
            for number, mine in enumerate(processes):
                mine.add_each(0, chunks[number :: self.processes], self.chunk_bytes)
        return by_turns(processes, self.compute_ns)


@dataclass(frozen=True)
class DB2(Imitation):
    """An imitation of DB2: a parallel relational database (paper), of poor locality (paper: "such as DB2 and LU").

    Assumed: a table and its index in pages. A process makes operations one after the other: look-ups (the index's root,
    an inner page, a leaf and the row's page, all but the root drawn evenly), scans of neighbouring pages, and updates,
    which are look-ups that write the row's page and append a page to the process's log.
    """

    table_pages: int = assumed_count(65_536, "pages of the table", 1 << 34)
    page_bytes: int = assumed_count(4096, "bytes of a page", 1 << 20)
    index_fanout: int = assumed_count(128, "entries of an index page", 1 << 16, least=2)
    operations: int = assumed_count(400, "operations of each process", 1 << 22)
    scan_share: float = assumed_number(0.2, "operations that scan", 1.0)
    update_share: float = assumed_number(0.2, "operations that update", 1.0)
    scan_pages: int = assumed_count(128, "pages of a scan", 1 << 20)
    request_bytes: int = assumed_count(32_768, "the longest request of a scan", 1 << 30)
    compute_ns: int = assumed_count(500_000, "nanoseconds of computation after each request", 10**12, least=0)

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program: file 0 is the table, file 1 the index, further ones are the processes' logs."""
        streams = np.random.default_rng(seed).spawn(self.processes)
        return by_turns([self._process(number, rng) for number, rng in enumerate(streams)], self.compute_ns)

    def _process(self, number: int, rng: np.random.Generator) -> Accesses:
        accesses = Accesses(self.request_bytes)
        page = self.page_bytes
        leaves = -(-self.table_pages // self.index_fanout)
        inner = -(-leaves // self.index_fanout)
        kinds, rows = rng.random(self.operations), rng.integers(0, self.table_pages, self.operations)
        logged = 0
        for kind, row in zip(kinds.tolist(), rows.tolist(), strict=True):
            if kind < self.scan_share:
                accesses.add(0, row * page, min(self.scan_pages, self.table_pages - row) * page)
                continue
            leaf = row // self.index_fanout
            accesses.add_each(1, np.array([0, 1 + leaf // self.index_fanout, 1 + inner + leaf]) * page, page)
            accesses.add(0, row * page, page)
            if kind >= 1 - self.update_share:
                accesses.add(0, row * page, page, write=True)
                accesses.add(2 + number, logged * page, page, write=True)
                logged += 1
        return accesses
