"""The costs of a curve in one process, and in slices on a cluster, estimated before either begins.

Rates are those of BENCHMARKS.md (`merge.py`, `scale.py`), on one core of a busy machine; only their ratio matters here.
"""

from __future__ import annotations

from dataclasses import dataclass

from iotrace import units
from iotrace.analysis.memory_needed import EXACT_BYTES_PER_BLOCK, READING_BYTES

REFERENCE_NS = 240
"""A reference in one pass, reading included."""
SENT_BLOCK_NS = 1200
"""A distinct block in the state of a slice, which is made, compressed and sent."""
MERGED_BLOCK_NS = 700
"""A distinct block in a state that a merge reads or writes."""
SLICE_BYTES_PER_BLOCK = 150
"""Memory of a worker for a block of the last merge; 125 measured at 2.6 million blocks."""
SECOND_NS = 1e9


@dataclass(frozen=True)
class SliceCosts:
    """The processor time and elapsed time of both ways, and the most memory of a process."""

    slots: int
    parts: int
    pass_s: float
    """One process: processor time and elapsed time."""
    pass_bytes: int
    slices_s: float
    """Processor time of all slices and merges."""
    elapsed_s: float
    """From the first slice to the last merge, where all workers are free."""
    slice_bytes: int

    @property
    def pays(self) -> bool:
        """Whether the cluster ends first."""
        return self.elapsed_s < self.pass_s

    @property
    def sentence(self) -> str:
        """Both costs, in one line."""
        return (
            f"estimated: one process {_seconds(self.pass_s)} and {units.size(self.pass_bytes)} of memory;"
            f" {self.parts} slices on {units.plural(self.slots, 'worker', 'workers')} {_seconds(self.elapsed_s)}"
            f" ({_seconds(self.slices_s)} of processor time) and {units.size(self.slice_bytes)} in one of them"
        )


def _seconds(seconds: float) -> str:
    return units.duration(max(1, round(seconds)) * SECOND_NS)


def estimated(references: int, blocks: int, first_blocks: int, parts: int, slots: int) -> SliceCosts:
    """Return the costs of a curve of `references` to `blocks` distinct ones, of which its first slice has a number."""
    pass_s = references * REFERENCE_NS / SECOND_NS
    each = min(first_blocks, blocks)
    slices_s = (references * REFERENCE_NS + parts * each * SENT_BLOCK_NS) / SECOND_NS
    elapsed_s = slices_s * -(-parts // slots) / parts
    held, number = each, parts
    while number > 1:
        merges, merged = number // 2, min(2 * held, blocks)
        merge_s = (2 * held + merged) * MERGED_BLOCK_NS / SECOND_NS
        slices_s += merges * merge_s
        elapsed_s += -(-merges // slots) * merge_s
        held, number = merged, number - merges
    return SliceCosts(
        slots,
        parts,
        pass_s,
        blocks * EXACT_BYTES_PER_BLOCK + READING_BYTES,
        slices_s,
        elapsed_s,
        held * SLICE_BYTES_PER_BLOCK + READING_BYTES,
    )
