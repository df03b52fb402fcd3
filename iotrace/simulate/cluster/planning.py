"""Plans of a compiler for the global cache: whole files, or segments for each loop nest (section 4).

Plans are tables cluster_bits: what no row names bypasses the global cache. For traces, which have no source code, the
first pass over the trace plays the compiler, and phases are found by a rule (``find_phases``).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.libraries import pl
from iotrace.simulate.cluster.access_sets import (
    NO_PHASE,
    CacheCapacity,
    by_segment,
    file_blocks,
    requests,
    segment_blocks,
)

MOST_PARTS = 10_000


class PhaseRule(Enum):
    """How a program without phases gets some."""

    GAPS = "gaps"
    """A phase ends where no process makes a request for a time."""
    PARTS = "parts"
    """Each process's requests are parted into equally many, in their order."""


def coarse(
    program: pa.Table,
    capacity: CacheCapacity,
    counts: Sequence[int] | None = None,
    file_bytes: Sequence[int] | None = None,
    skip: bool = True,
) -> pa.Table:
    """Return the plan that lets the files with the most references through, as many as fit: table cluster_bits.

    ``counts`` are the compiler's counts of references for each file (``nests.reference_counts``); without them, the
    program's touches of blocks are counted. The paper does not say what happens when a file does not fit with those
    chosen: here it is skipped and the next one tried; with ``skip`` false, choosing ends there. With
    ``capacity.per_file`` every file that fits its own cache is chosen. Files that nothing refers to are not.
    """
    accesses = requests(program)
    blocks = file_blocks(accesses, capacity, file_bytes)
    if counts is None:
        touches = by_segment(accesses, capacity).group_by("file").agg(pl.col("touches").sum())
        references = np.zeros(len(blocks), np.int64)
        references[touches["file"].to_numpy()] = touches["touches"].to_numpy()
    else:
        references = np.zeros(max(len(blocks), len(counts)), np.int64)
        references[: len(counts)] = counts
        blocks = np.pad(blocks, (0, len(references) - len(blocks)))
    chosen, left = [], capacity.blocks
    for file in np.lexsort((np.arange(len(references)), -references)):
        if references[file] == 0:
            continue
        if blocks[file] <= (capacity.blocks if capacity.per_file else left):
            chosen.append(int(file))
            left -= int(blocks[file])
        elif not skip and not capacity.per_file:
            break
    return of_files(chosen)


def fine(program: pa.Table, capacity: CacheCapacity, file_bytes: Sequence[int] | None = None) -> pa.Table:
    """Return the plan that lets the most used segments of each phase through, as many as fit: table cluster_bits.

    A segment's use is its touches of blocks for each block that it has, reads and writes alike. The paper does not say
    which of equally used ones are taken: here those that the whole program uses most (so that a segment may stay from
    one nest to the next), then those of the lowest file and segment. With ``capacity.per_file`` each file has a cache.
    """
    accesses = requests(program)
    blocks = file_blocks(accesses, capacity, file_bytes)
    segments = by_segment(accesses, capacity)
    size = segment_blocks(segments, blocks, capacity)
    ranked = (
        segments.with_columns(blocks=size)
        .with_columns(whole=pl.col("touches").sum().over("file", "segment"))
        .sort(
            "phase",
            pl.col("touches") / pl.col("blocks"),
            pl.col("whole") / pl.col("blocks"),
            "file",
            "segment",
            descending=[False, True, True, False, False],
        )
    )
    within = ["phase", "file"] if capacity.per_file else ["phase"]
    fitting = ranked.filter(pl.col("blocks").cum_sum().over(within) <= capacity.blocks)
    return bits(runs(fitting))


def everything(program: pa.Table) -> pa.Table:
    """Return the plan that lets all files through: table cluster_bits."""
    return of_files(requests(program)["file"].unique().sort().to_list())


def of_files(files: Sequence[int]) -> pa.Table:
    """Return the plan that lets these files through, whole, in all phases: table cluster_bits."""
    return bits(pl.DataFrame({"phase": [NO_PHASE] * len(files), "file": files, "first": 0, "count": None}))


def runs(segments: pl.DataFrame) -> pl.DataFrame:
    """Return segments (phase, file, segment) as runs of neighbours: phase, file, first, count."""
    ordered = segments.select("phase", "file", "segment").sort("phase", "file", "segment")
    return (
        ordered.with_columns(run=pl.col("segment") - pl.int_range(pl.len()).over("phase", "file"))
        .group_by("phase", "file", "run", maintain_order=True)
        .agg(first=pl.col("segment").min(), count=pl.len().cast(pl.Int64))
        .select("phase", "file", "first", "count")
    )


def find_phases(
    program: pa.Table, rule: PhaseRule = PhaseRule.GAPS, gap_ns: int = 1_000_000_000, parts: int = 8
) -> pa.Table:
    """Return a program with phases, dense from 0, found by a rule; what it had is replaced.

    GAPS: a record's time is what its process has computed before it (the accesses take none). A phase ends where, over
    all processes, no record lies within ``gap_ns``; where no such gap is, the rule is PARTS. PARTS: of the m records of
    a process, number r (from 0) is in phase r · parts // m. Raises UsageError for invalid parts or gaps.
    """
    if gap_ns <= 0:
        raise UsageError("the gap between phases is longer than 0")
    if not 1 <= parts <= MOST_PARTS:
        raise UsageError(f"phases are 1 to {MOST_PARTS:,}, not {parts}")
    table = pl.DataFrame(pl.from_arrow(program.select(["process", "compute_ns"]))).with_row_index("row")
    phases = _by_gaps(table, gap_ns) if rule is PhaseRule.GAPS else None
    if phases is None or len(np.unique(phases)) < 2:
        position = pl.int_range(pl.len()).over("process")
        phases = table.select(position * parts // pl.len().over("process")).to_series().to_numpy()
    dense = np.unique(phases, return_inverse=True)[1]
    field = program.schema.field("phase")
    index = program.schema.get_field_index("phase")
    return program.set_column(index, field, pa.array(dense, field.type))


def _by_gaps(table: pl.DataFrame, gap_ns: int) -> np.ndarray:
    before = pl.col("compute_ns").cum_sum().over("process") - pl.col("compute_ns")
    times = table.select("row", time=before).sort("time", "row")
    phases = times.with_columns(phase=(pl.col("time").diff().fill_null(0) >= gap_ns).cum_sum())
    by_row: np.ndarray = phases.sort("row")["phase"].to_numpy()
    return by_row


def bits(chosen: pl.DataFrame) -> pa.Table:
    """Return runs of segments (phase, file, first, count) as table cluster_bits, all through the global cache."""
    count = len(chosen)
    phase = pa.array(chosen["phase"].to_numpy().astype(np.int32)) if count else pa.array([], pa.int32())
    known = {
        "phase": pc.if_else(pc.equal(phase, NO_PHASE), pa.scalar(None, pa.int32()), phase),
        "operation": pa.nulls(count, pa.string()).dictionary_encode(),
        "level": pa.array(["global"] * count, pa.string()).dictionary_encode(),
        "file": pa.array(chosen["file"].to_list(), pa.int32()),
        "first_segment": pa.array(chosen["first"].to_list(), pa.int64()),
        "segments": pa.array(chosen["count"].to_list(), pa.int64()),
        "through": pa.array([True] * count, pa.bool_()),
    }
    schema = schemas.schema("cluster_bits")
    return pa.Table.from_arrays([known[field.name].cast(field.type) for field in schema], schema=schema)
