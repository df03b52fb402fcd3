"""Requests from the events of Linux's block layer, as blktrace and blkparse record them (blktrace(8)).

The engine pairs the events (``block_trace::pairing`` there): each queued request is a row that arrived when it was
queued and is completed by the completion of all of its blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iotrace import units
from iotrace.formats.disk_io.checks import TEXT
from iotrace.formats.disk_io.requests import BLOCK_BYTES, STAGES
from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pa, pl

COLUMNS = (
    "record", "time_ns", "device", "operation", "lbn", "blocks", "pid", "program", "latency_ns", "service_ns", *STAGES,
    "flags",
)  # fmt: skip


class Event(NamedTuple):
    """An event of a request. Times are in nanoseconds, sector and blocks in 512 bytes; ``record`` is its place."""

    time_ns: int
    record: int
    device: str
    action: str
    operation: str
    flags: str
    sector: int
    blocks: int
    pid: int
    program: str | None
    new_sector: int = 0
    """Of a split, where its second part begins; of a remap, where the request was at ``source``."""
    source: str | None = None
    """Of a remap, the device that passed the request on."""


def stacked(stacks: Sequence[tuple[str, str, int, int]]) -> list[str]:
    """Say of pairs of devices, above and below, how many requests were queued at both, and their blocks."""
    return [
        f"{above} lies on {below}: {units.plural(requests, 'request', 'requests')}"
        f" ({units.size(blocks * BLOCK_BYTES)})"
        f" passed from {above} to {below} {'is' if requests == 1 else 'are'} counted at each of the two, and so twice"
        f" in numbers of all disks; --path {above} analyses that disk alone"
        for above, below, requests, blocks in stacks
    ]


def requests(rows: pa.RecordBatch | None, excerpt: str) -> Batch:
    """Return the engine's requests, None for none, as a batch; `excerpt` names what shows a record."""
    types = {name: pl.String if name in TEXT else pl.Int64 for name in COLUMNS}
    if rows is None:
        frame = pl.DataFrame(schema=types)
    else:
        frame = pl.DataFrame(pl.from_arrow(rows)).select(pl.col(name).cast(types[name]) for name in COLUMNS)
    return Batch(frame, ("time_ns", "operation", "blocks"), lambda record: f"{excerpt} {record}")
