"""A billion references to 100 million distinct blocks through the exact engine: processor time, elapsed time, memory.

The references are made as they are needed, from a seed, a chunk at a time: half of them to a block by rank, where each
power of two of ranks is as likely, and half to any block; so about 100 million blocks are used. Nothing is written to
disk. One thread makes a chunk while the engine takes the one before.

Three passes: making the references alone; reads by 64-bit key ("bare", what `curve_of_keys` counts); and reads and
writes (a quarter) through Arrow, which is what `iotrace curve` counts. Each runs in a separate process, whose peak
memory is printed with the targets for two idle cores. On a busy machine compare processor time.

    python tests/benchmarks/billion.py
    python tests/benchmarks/billion.py --references 20000000 --blocks 2000000
    python tests/benchmarks/billion.py --only writes
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from iotrace.engine import available_cores
from iotrace.engine.native import StackEngine, StackKeys

CHUNK = 1 << 20
BLOCK_BYTES = 4096
SIZES_BLOCKS = (1_000, 100_000, 10_000_000, 100_000_000)
TARGETS_S = {"bare": 60, "writes": 90}
TARGET_BYTES = 6e9
WAYS = ("make", "bare", "writes")
SCATTER = 0x9E3779B1
"""An odd number: multiplied by it, ranks go to blocks all over the range."""


def numbers(references: int, blocks: int, seed: int) -> Iterator[np.ndarray]:
    """Yield block numbers, chunk by chunk."""
    chance = np.random.default_rng(seed)
    for start in range(0, references, CHUNK):
        rows = min(CHUNK, references - start)
        drawn = chance.integers(0, blocks, rows, np.uint32)
        ranked = slice(0, rows // 2)
        ranks = np.exp2(chance.random(rows // 2, np.float32) * np.float32(np.log2(blocks / 5)))
        drawn[ranked] = ranks.astype(np.uint64) * SCATTER % blocks
        places = (np.arange(rows, dtype=np.uint32) * np.uint32(SCATTER)) & np.uint32(CHUNK - 1)
        yield drawn[places] if rows == CHUNK else drawn


def ahead(chunks: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield chunks while another thread makes the next one."""
    with ThreadPoolExecutor(max_workers=1) as maker:
        coming = maker.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = maker.submit(next, chunks, None)
            yield chunk


def make(chunks: Iterator[np.ndarray]) -> list[int]:
    """Make the references and leave them."""
    return [sum(int(chunk[-1]) for chunk in chunks)]


def bare(chunks: Iterator[np.ndarray]) -> list[int]:
    """Return the misses of reads by key at `SIZES_BLOCKS`, and the distinct blocks."""
    engine = StackKeys(threads=min(available_cores(), 2))
    for chunk in ahead(chunks):
        engine.push([pa.array(chunk.astype(np.uint64))])
    hits = pa.array(engine.hits(pa.array(SIZES_BLOCKS, pa.uint32()))).to_pylist()
    return [*(engine.reads - each for each in hits), engine.distinct_blocks]


def writes(chunks: Iterator[np.ndarray]) -> list[int]:
    """Return the block misses of reads and writes at `SIZES_BLOCKS`, and the distinct blocks."""
    engine = StackEngine(f'{{"block_bytes": {BLOCK_BYTES}}}')
    names = pa.array(["read", "write"])
    zeros = pa.array(np.zeros(CHUNK, np.int32))
    lengths = pa.array(np.full(CHUNK, BLOCK_BYTES, np.int64))
    writing = pa.DictionaryArray.from_arrays(pa.array(np.arange(CHUNK, dtype=np.int32) % 4 // 3), names)
    for chunk in ahead(chunks):
        rows = len(chunk)
        columns = {
            "file": zeros.slice(0, rows),
            "operation": writing.slice(0, rows),
            "offset": pa.array(chunk.astype(np.int64) * BLOCK_BYTES),
            "length": lengths.slice(0, rows),
        }
        engine.push(pa.record_batch(columns))
    distinct = engine.tally()["distinct_blocks"]
    curve = engine.finish(overhead_ns=0, transfer_ns_per_kb=0)
    return [*pa.record_batch(curve.table(0, list(SIZES_BLOCKS)))["block_misses"].to_pylist(), distinct]


def run(way: str, options: argparse.Namespace) -> None:
    """Run one pass in this process and print what it took and found."""
    start = time.perf_counter()
    found = {"make": make, "bare": bare, "writes": writes}[way](
        numbers(options.references, options.blocks, options.seed)
    )
    elapsed_s = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    target = f"{TARGETS_S[way]} s" if way in TARGETS_S else "none"
    print(
        f"{way:7} elapsed {elapsed_s:.1f} s (target {target}), processor {used.ru_utime:.1f} + {used.ru_stime:.1f} s,"
        f" peak {used.ru_maxrss * 1024 / 1e9:.2f} GB (target {TARGET_BYTES / 1e9:.0f} GB)"
    )
    if way != "make":
        misses = ", ".join(f"{size:,}: {each:,}" for size, each in zip(SIZES_BLOCKS, found, strict=False))
        print(f"        {found[-1]:,} distinct blocks; misses by size in blocks {misses}", flush=True)


def main() -> None:
    """Run each pass in a process of its own, or one of them in this one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=1_000_000_000)
    parser.add_argument("--blocks", type=int, default=100_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=WAYS)
    options = parser.parse_args()
    if options.only:
        run(options.only, options)
        return
    print(f"{options.references:,} references, {available_cores()} cores", flush=True)
    for way in WAYS:
        subprocess.run([sys.executable, *sys.argv, "--only", way], check=True)


if __name__ == "__main__":
    main()
