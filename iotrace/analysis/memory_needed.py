"""How much memory work on a store needs, known before it is tried: from counts of rows, and bytes for each.

What DuckDB holds it writes to temporary files where memory ends. What the engine holds it cannot: a state for each
block, key or file. Its bytes are measured at the largest traces of `tests/benchmarks/memory.py`; a test compares
what follows with the peaks of other traces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from iotrace.files import memory
from iotrace.libraries import duckdb
from iotrace.store import streamed
from iotrace.store.store import Store

EXACT_BYTES_PER_BLOCK = 64
"""Memory for a block where the curve of all sizes is computed exactly; 36 measured at 10 million blocks."""
LEAST_BYTES_PER_BLOCK = 18
"""Half of what was measured: up to twice as many blocks are counted as there are."""
EXACT_BYTES_PER_OBJECT = 76
"""The same for an object of a cache; 74 measured between 7 and 25 million objects."""
READING_BYTES = 160 << 20
"""Memory of batches while a store is read, with all caches of few blocks, measured at 25 million requests."""
READING_BYTES_PER_ROW = 100
"""The same of short traces: all columns of a reference, and as much while they are decoded."""
PASSES = (
    # each of states that it holds together: the views, what there is a state for, and the bytes of one
    ((streamed.DISK_BLOCKS, "blocks", 22), (streamed.DISK_BLOCKS, "keys", 26)),
    (
        (streamed.BLOCKS, "blocks", 95),
        (streamed.WINDOWS, "blocks", 18),
        (streamed.WINDOWS, "keys", 190),
        (streamed.DISKS, "blocks", 26),
        (streamed.RUNS, "places", 194),
    ),
)
RANGES = 8
"""Parts of the trace whose blocks are counted, at equal distances: the first rows to the last."""
RANGE_ROWS = 100_000

Counts = Mapping[str, int]
"""How many states of each kind a trace has at most: keys, blocks, and places of open runs."""


def needed_bytes(names: Collection[str], counts: Counts) -> int:
    """Return what the states of streamed views take, in the largest of their passes."""
    return max(
        sum(each * counts[kind] for views, kind, each in states if views & set(names)) for states in PASSES
    )


def limit_for(bytes_: int) -> int:
    """Return the limit of memory that leaves the engine as many bytes beside the program and what it reads."""
    return int((memory.PROGRAM_BYTES + READING_BYTES + bytes_) / (1 - memory.KEPT_FREE))


def reading_bytes(rows: int) -> int:
    """Return the memory of batches while as many rows are read."""
    return min(READING_BYTES, rows * READING_BYTES_PER_ROW)


def refuse_objects(objects: int) -> None:
    """Raise MemoryLimitError where --memory has no room for a curve of as many objects."""
    needed = objects * EXACT_BYTES_PER_OBJECT
    _refuse(needed, needed)


def refuse_blocks(store: Store, sizes_bytes: Sequence[int]) -> None:
    """Raise the same where it surely has no room for curves of a store's blocks of these sizes together.

    What may need more than there is, and may not, is tried.
    """
    if memory.limit_bytes() is not None:
        with store.queried() as connection:
            counted = sum(times * blocks(connection, size) for size, times in Counter(sizes_bytes).items())
        _refuse(counted * LEAST_BYTES_PER_BLOCK, counted * EXACT_BYTES_PER_BLOCK)


def _refuse(needed: int, suffices: int) -> None:
    """Raise MemoryLimitError where less is left than is needed.

    It names a limit for what suffices, unless the process holds more than the program: how much follows from the limit.
    """
    limit, left = memory.limit_bytes(), memory.left_bytes()
    if limit is not None and left is not None and needed > left:
        is_new = limit * (1 - memory.KEPT_FREE) - left <= memory.LEAST_BYTES
        raise memory.shortage(limit_for(suffices) if is_new else None)


def counted(connection: duckdb.DuckDBPyConnection, block_bytes: int) -> Counts:
    """Return the counts of a connection that sees a store's tables."""
    ((keys,),) = connection.execute("select count(*) from key_name").fetchall()
    ((uses,),) = connection.execute(
        'select count(*) from "use" where bytes_read + bytes_written > 0'
    ).fetchall()
    of_blocks = 0 if keys else blocks(connection, block_bytes)
    return {"keys": int(keys), "blocks": of_blocks, "places": places(int(keys) + int(uses))}


def places(entries: int) -> int:
    """Return the places of a hash table of as many entries, which doubles where an eighth of them are left."""
    return 1 << (entries * 8 // 7).bit_length()


def blocks(connection: duckdb.DuckDBPyConnection, block_bytes: int) -> int:
    """Return about how many distinct blocks requests touch, from the counts of files and ranges of the requests.

    Blocks that are new in the last of some ranges are at least as many as in a range elsewhere behind all others: that
    share of the other requests is taken for new, too.
    """
    ((moved_bytes, size_bytes, unknown_sizes),) = connection.execute(_OF_FILES).fetchall()
    ((rows, last),) = connection.execute("select count(*), max(seq) from reference").fetchall()
    if not rows:
        return 0
    width = max(1, min(RANGE_ROWS, rows // RANGES))
    starts = [round((last + 1 - width) * place / (RANGES - 1)) for place in range(RANGES)]
    ranges = " union all ".join(
        f'select {place} as place, file, "offset" // $1 as block, greatest(length, 1) / $1 as blocks from reference'
        f" where seq between {start} and {start + width - 1} and type in ('datafile', 'executable', 'disk')"
        for place, start in enumerate(starts)
    )
    ((distinct, new),) = connection.execute(_OF_RANGES.format(ranges=ranges), [block_bytes]).fetchall()
    estimated = int(distinct + new / width * max(0, rows - RANGES * width))
    known = estimated if unknown_sizes else min(estimated, size_bytes // block_bytes + 1)
    return int(min(known, rows + moved_bytes // block_bytes))


_OF_FILES = """
select coalesce((select sum(bytes_read + bytes_written) from "use"), 0),
       coalesce((select sum(size_largest_bytes) from file), 0),
       (select count(*) from file where kind = 'device' and size_largest_bytes is null)
"""
_OF_RANGES = """
with touched as (
    select place, file, block, max(blocks) as blocks from ({ranges}) group by place, file, block
),
first as (
    select file, block, min(place) as place, greatest(max(blocks), 1) as blocks from touched group by file, block
)
select coalesce(sum(blocks), 0), coalesce(sum(blocks) filter (place = (select max(place) from touched)), 0) from first
"""


def beyond(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, int | None]:
    """Return the streamed views whose states take more than is left of --memory, each with the limit that it needs.

    That is None for views which fit, but not beside those before them.
    """
    left = memory.left_bytes()
    if left is None or not any(views & set(names) for states in PASSES for views, _, _ in states):
        return {}
    ((rows, block_bytes),) = connection.execute(
        "select (select count(*) from reference), parameter_block_bytes()"
    ).fetchall()
    left -= reading_bytes(rows)
    counts = counted(connection, int(block_bytes))
    too_large: dict[str, int | None] = {}
    fitting: set[str] = set()
    for name in names:
        alone = needed_bytes([name], counts)
        if alone > left:
            too_large[name] = limit_for(alone)
        elif needed_bytes({*fitting, name}, counts) > left:
            too_large[name] = None
        else:
            fitting.add(name)
    return too_large
