"""Imitations of the programs that read through their data: Mining and Pgrep."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace.generate.imitations.accesses import Accesses, by_turns
from iotrace.generate.imitations.imitation import Imitation, assumed_count, assumed_number


@dataclass(frozen=True)
class Mining(Imitation):
    """An imitation of Mining: association rules are extracted from retail data (paper).

    Assumed: each pass (a phase) reads all transactions, each process its own part of the file from start to end, and
    then the candidates that the pass before has left; process 0 writes them at the end of a pass.
    """

    data_bytes: int = assumed_count(96 << 20, "bytes of transactions", 1 << 44)
    candidate_bytes: int = assumed_count(1 << 20, "bytes of candidates of a pass", 1 << 40)
    passes: int = assumed_count(4, "passes over the data", 1000)
    request_bytes: int = assumed_count(65_536, "the longest request", 1 << 30)
    compute_ns: int = assumed_count(
        2_000_000, "nanoseconds of computation after each request", 10**12, least=0
    )

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program; nothing is drawn by lot, so that the seed changes nothing."""
        processes = [Accesses(self.request_bytes) for _ in range(self.processes)]
        for phase in range(self.passes):
            for number, mine in enumerate(processes):
                first, after = (self.data_bytes * end // self.processes for end in (number, number + 1))
                if phase:
                    mine.add(1, 0, self.candidate_bytes, phase=phase)
                mine.add(0, first, after - first, phase=phase)
            processes[0].add(1, 0, self.candidate_bytes, write=True, phase=phase)
        return by_turns(processes, self.compute_ns)


@dataclass(frozen=True)
class Pgrep(Imitation):
    """An imitation of Pgrep: a parallel agrep (paper).

    Assumed: each process searches its own part of each text, once, from start to end, and a little of the next part, so
    that no match is lost between them. Next to nothing is read twice.
    """

    texts: int = assumed_count(12, "texts", 1 << 16)
    text_bytes: int = assumed_count(8 << 20, "median size of a text", 1 << 40)
    text_spread: float = assumed_number(0.7, "spread of the sizes: deviation of the logarithm", 4.0)
    overlap_bytes: int = assumed_count(1024, "bytes of the next part", 1 << 20, least=0)
    request_bytes: int = assumed_count(65_536, "the longest request", 1 << 30)
    compute_ns: int = assumed_count(
        1_000_000, "nanoseconds of computation after each request", 10**12, least=0
    )

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program."""
        rng = np.random.default_rng(seed)
        processes = [Accesses(self.request_bytes) for _ in range(self.processes)]
        sizes = rng.lognormal(np.log(self.text_bytes), self.text_spread, self.texts)
        for text, size in enumerate(np.clip(np.rint(sizes), 1, 1 << 44).astype(np.int64).tolist()):
            for number, mine in enumerate(processes):
                first, after = (size * end // self.processes for end in (number, number + 1))
                mine.add(text, first, min(size, after + self.overlap_bytes) - first)
        return by_turns(processes, self.compute_ns)
