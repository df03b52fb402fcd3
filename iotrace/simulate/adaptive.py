"""A cache whose parts grow and shrink by what that would have gained (Richardson 1994, 6.2.2)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import Any, Literal

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.curves.cache import Cache, Deletes
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.engine import native
from iotrace.errors import UsageError

Objective = Literal["reads", "requests", "read_time", "time"]
OBJECTIVES: tuple[Objective, ...] = ("reads", "requests", "read_time", "time")
HALF_LIFE_BYTES = 4096
"""Of a cache's bytes for each request in which its counts fade by half."""
QUANTA = 64
"""The default number of steps of space into which a cache is split; fewer if it has fewer blocks."""


def adaptive_partition(
    references: Any,
    *,
    by: str,
    block_bytes: Mapping[str, int],
    total_bytes: int,
    quantum_bytes: int | None = None,
    period_requests: int = 2000,
    half_life_requests: int | None = None,
    objective: Objective = "reads",
    first_shares: Mapping[str, float] | None = None,
    deletes: Deletes = "honour",
    overhead_ms: float = SSD.overhead_ms,
    transfer_ms_per_kb: float = SSD.transfer_ms_per_kb,
    warm_up_ns: int | None = None,
) -> pa.Table:
    """Return what a cache of ``total_bytes`` does whose parts move space to where it is worth most.

    ``references`` are those of `iotrace.analysis.curves.curve`, with a column ``by`` whose value chooses the part of a
    request. ``block_bytes`` has each part's block size by that value; the requests of any other value are not cached:
    each misses, and each block of 4 KB that they write goes to the disk. Each part is an LRU cache that knows how
    many request misses one quantum of space less would have added, and, from the list of the blocks that left last
    (the ghosts), how many one quantum more would have saved; a request larger than the part misses for each piece.
    After every ``period_requests`` requests the part with the most to gain takes a quantum from the part with the
    least to lose, if its gain is larger; and all these counts fade, by half in ``half_life_requests``: unless given,
    as many requests as the cache has blocks of 4 KB, but at least a period, since what a large cache holds is
    asked for again only after that long. No part gives its last quantum. With
    ``period_requests`` 0 the partition stays as it is. A part that would only gain from several quanta at once is
    not seen to gain.

    ``quantum_bytes`` is a multiple of all block sizes; unless given, the largest one that splits the cache into at
    least QUANTA steps, or the least common multiple. ``objective`` says what a miss weighs: of reads or of all
    requests, each the same, or the disk's overhead and the transfer of one block. ``first_shares`` are the parts'
    shares at first, equal unless given; rounded to quanta, the largest remainders first.

    The method is ours: the dissertation says that subcaches might vary with the workload, and leaves open how.
    The columns are those of the result adaptive_partition, and the metadata has the ``tally`` with the moves.

    Raises UsageError for invalid settings and IotraceError for invalid references.
    """
    if not block_bytes or min(block_bytes.values()) < 1:
        raise UsageError("an adaptive partition has at least one part, with blocks of at least a byte")
    shares = first_shares or dict.fromkeys(block_bytes, 1.0)
    blocks = list(block_bytes.values())
    split = split_quanta(total_bytes, blocks, [shares.get(name, 0.0) for name in block_bytes], quantum_bytes)
    adaptation = Adaptation(
        blocks,
        [replace(split, half_life_requests=half_life_requests or split.half_life_requests)],
        objective=objective,
        period_requests=period_requests,
        cache=Cache(deletes=deletes, overhead_ms=overhead_ms, transfer_ms_per_kb=transfer_ms_per_kb),
        warm_up_ns=warm_up_ns,
    )
    parts = Components()
    parts.numbers = {name: number for number, name in enumerate(block_bytes)}
    with references_read():
        for batch in batches(references):
            adaptation.push(prepare(batch, by, parts, inodes=False))
        counts = adaptation.tally()
        ((rows, _),) = adaptation.finish()
    rows = rows.add_column(0, "part", pa.array([*block_bytes, None], pa.string()))
    return tallied(rows, queries.table_schema("adaptive_partition"), counts)


@dataclass(frozen=True)
class Split:
    """How a cache's space is split at first: the space that moves at a time, and how many times that each part has."""

    quantum_bytes: int
    quanta: tuple[int, ...]
    half_life_requests: int
    """In how many requests the counts fade by half."""


class Adaptation:
    """Adaptive partitions at work, one for each split, all of parts with the same block sizes.

    The parts are numbered from 0 in the column ``component`` of the references.
    """

    def __init__(
        self,
        blocks_bytes: Sequence[int],
        splits: Sequence[Split],
        *,
        objective: Objective,
        period_requests: int,
        cache: Cache,
        warm_up_ns: int | None = None,
    ) -> None:
        """Start empty; raises UsageError for invalid settings. Of ``cache`` the block size is not used."""
        if objective not in OBJECTIVES:
            raise UsageError(f"an objective is {', '.join(OBJECTIVES)}, not {objective!r}")
        timed = objective.endswith("time")
        weights = [
            cache.overhead_ms + cache.transfer_ms_per_kb * size / 1024 if timed else 1.0
            for size in blocks_bytes
        ]
        partitions = [
            {
                "parts": [
                    {"block_bytes": size, "quanta": quanta, "weight": weight}
                    for size, quanta, weight in zip(blocks_bytes, split.quanta, weights, strict=True)
                ],
                "quantum_bytes": split.quantum_bytes,
                "period_requests": period_requests,
                "fade": 0.5 ** (period_requests / max(split.half_life_requests, period_requests, 1)),
                "counts_writes": objective in ("requests", "time"),
            }
            for split in splits
        ]
        self._rows = len(blocks_bytes) + 1
        self._pricing = cache.pricing()
        with settings_read():
            self._partitions = native.adaptive_partitions(
                Cache(deletes=cache.deletes, warm_up_ns=warm_up_ns).for_engine(),
                json.dumps(partitions, default=int),
            )

    def push(self, references: pa.RecordBatch) -> None:
        """Take the next references, with the engine's columns; raises ValueError for invalid ones."""
        self._partitions.push(references)

    def tally(self) -> dict[str, int]:
        """Return what the stream contained so far, and how often a quantum moved."""
        return self._partitions.tally()

    def finish(self) -> list[tuple[pa.Table, int]]:
        """End; return for each split the columns of the result adaptive_partition but its first, and its moves."""
        partitions = pa.table(pa.record_batch(self._partitions.finish(**self._pricing)))
        rows, moves = partitions.drop_columns("moves"), partitions["moves"].to_pylist()
        starts = range(0, partitions.num_rows, self._rows)
        return [(rows.slice(start, self._rows), moves[start]) for start in starts]


def split_quanta(
    total_bytes: int, blocks_bytes: Sequence[int], shares: Sequence[float], quantum_bytes: int | None = None
) -> Split:
    """Split a cache by shares, at least one quantum each; raises UsageError if there are too few.

    The quantum, unless given, and the half-life are as `adaptive_partition` says. The largest remainders get what the
    quantum leaves over.
    """
    quantum = quantum_bytes or _quantum(total_bytes, lcm(*blocks_bytes))
    if (quanta := total_bytes // quantum) < len(shares):
        raise UsageError(
            f"a cache of {quanta} quanta cannot be split into {len(shares)} parts; give a larger one"
        )
    if min(shares) < 0 or sum(shares) <= 0:
        raise UsageError("shares are 0 or more, and not all 0")
    ideal = [quanta * share / sum(shares) for share in shares]
    split = [max(int(share), 1) for share in ideal]
    places = range(len(shares))
    while sum(split) < quanta:
        split[max(places, key=lambda index: ideal[index] - split[index])] += 1
    while sum(split) > quanta:
        split[max(places, key=lambda index: split[index] - ideal[index] if split[index] > 1 else -1)] -= 1
    return Split(quantum, tuple(split), total_bytes // HALF_LIFE_BYTES)


def _quantum(total_bytes: int, step: int) -> int:
    return max(total_bytes // QUANTA // step, 1) * step
