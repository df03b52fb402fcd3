"""Exact LRU curves of caches of prompts' prefixes, whose blocks are of use only with all blocks before them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.curves.keys import unsigned
from iotrace.analysis.curves.objects import unstated
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.engine.native import PrefixCaches
from iotrace.errors import UsageError


def prefix_curve(batches: Iterable[pa.RecordBatch], *, sizes: Sequence[int] | None = None) -> pa.Table:
    """Return what LRU caches of prefixes hit, at every size in blocks, exactly, from one pass.

    ``batches`` are record batches in the order of time with a row for each block: key (any integers), request (rows
    with the same number that follow each other are one request, its blocks from the start of the prompt), and tokens,
    if they are known; they are not counted where a block states none. A request is served by its longest head of
    blocks in the cache; then it touches its blocks from the last to the first, so that LRU evicts the ends of prompts
    before their starts, and leaves no gap.

    There is a row for each of ``sizes`` (blocks, ascending), or for eight to each doubling up to the first that hits as
    much as an unlimited cache. The result has the columns of prefix_curve.

    Raises UsageError for sizes below 1 and missing columns, and IotraceError for what the engine refuses.
    """
    with settings_read():
        caches = PrefixCaches(None if sizes is None else [int(size) for size in sizes])
    has_tokens = True
    with references_read():
        for batch in batches:
            has_tokens = has_tokens and _states_tokens(batch)
            caches.push(_prepared(batch))
        rows = pa.table(pa.record_batch(caches.finish()))
    described = queries.table_schema("prefix_curve")
    rows = rows.rename_columns(described.names)
    if not has_tokens:
        rows = unstated(rows, "tokens", "token_misses")
    return rows.cast(described)


def _states_tokens(batch: pa.RecordBatch) -> bool:
    return "tokens" in batch.schema.names and not batch["tokens"].null_count


def _prepared(batch: pa.RecordBatch) -> pa.RecordBatch:
    for name in ("key", "request"):
        if name not in batch.schema.names:
            raise UsageError(f"blocks of prompts have no column {name}")
    columns = {
        "key": next(unsigned(batch["key"]), pa.array([], pa.uint64())),
        "request": batch["request"].cast(pa.int64()),
    }
    if "tokens" in batch.schema.names:
        columns["size"] = pc.fill_null(batch["tokens"].cast(pa.int64()), 0)
    return pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class Tier:
    """A level of memory: its name, its size in blocks, and the time to bring a block from it, in seconds."""

    name: str
    blocks: int
    block_s: float


def tiers(batches: Iterable[pa.RecordBatch], levels: Sequence[Tier], *, computed_block_s: float) -> pa.Table:
    """Return what each of several levels of memory serves, the fastest first, and the time that this takes.

    The levels hold different blocks: one that a level evicts moves to the top of the next, one that is hit to the top
    of the first. So they are one LRU list, and a level serves what a cache of all sizes up to its own hits and one of
    the sizes before it does not. ``computed_block_s`` is the time to compute a block that no level has. The result
    has the columns of prefix_tiers; the last row, called computed, is what no level has. A request counts where the
    slowest of its blocks is.
    """
    ends = [sum(level.blocks for level in levels[: index + 1]) for index in range(len(levels))]
    if not levels or min(level.blocks for level in levels) < 1:
        raise UsageError("a level of memory has at least 1 block")
    rows = prefix_curve(batches, sizes=ends).to_pylist()

    def served(of: str) -> list[int | None]:
        if rows[0][f"{of}s"] is None:
            return [None] * (len(levels) + 1)
        left = [rows[0][f"{of}s"], *(row[f"{of}_misses"] for row in rows), 0]
        return [before - after for before, after in pairwise(left)]

    names = [
        *((level.name, level.blocks, level.block_s) for level in levels),
        ("computed", None, computed_block_s),
    ]
    lines = [
        (name, size, blocks, requests, tokens, (blocks or 0) * block_s)
        for (name, size, block_s), blocks, requests, tokens in zip(
            names, served("block"), served("request"), served("token"), strict=True
        )
    ]
    return queries.result_table("prefix_tiers", lines)
