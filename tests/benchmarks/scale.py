"""What `iotrace curve --workers` costs on a cluster: processor time of slices and merges, and bytes between workers.

The trace is a block trace of a Zipf distribution mixed with a scan (see engine.py); every fourth request is a write. It
is ingested from CSV, then run in one pass, and in slices in this process, as workers run them: each is read from the
store's row groups, and sent as Arrow where two merge. At last a Dask cluster of this machine does the same. Every curve
is compared with that of the pass.

    python tests/benchmarks/scale.py
    python tests/benchmarks/scale.py --references 1000000 --parts 4,64
"""

import argparse
import pickle
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from engine import zipf_and_scan

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.requests import Requests
from iotrace.analysis.curves.slices import StoredSlice, cut
from iotrace.analysis.curves.states import curves_of
from iotrace.ingest import pipeline
from iotrace.store.store import Store
from iotrace.workers import parsed

BLOCK_BYTES = 4096
FIRST_TICK = 128166372003061629
"""Of Cambridge traces: units of 100 ns since 1601."""


def main() -> None:
    """Make the trace, run it each way, and print what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=10_000_000)
    parser.add_argument("--blocks", type=int, default=1_000_000)
    parser.add_argument("--parts", default="2,8,32")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--workers", default="local", help="as of iotrace curve; none for none")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = made(Path(folder), options.references, options.blocks, options.seed)
        whole = timed("one pass", store, partial(Requests(store, budget()).curves, Cache()))
        table = whole.table()
        for parts in map(int, options.parts.split(",")):
            in_slices(store, parts, table)
        if options.workers != "none":
            on_workers(store, options.workers, table)


def made(folder: Path, references: int, blocks: int, seed: int) -> Store:
    """Ingest a trace of random requests."""
    numbers = zipf_and_scan(references, blocks, 0.9, 0.125, seed).astype(np.int64)
    kinds = pa.DictionaryArray.from_arrays(
        pa.array((np.arange(references) % 4 // 3).astype(np.int32)), pa.array(["Read", "Write"])
    )
    columns = {
        "time": FIRST_TICK + np.arange(references) * 1000,
        "host": pa.array(["host"]).take(pa.array(np.zeros(references, np.int32))),
        "disk": np.zeros(references, np.int8),
        "kind": kinds.dictionary_decode(),
        "offset": numbers * BLOCK_BYTES,
        "length": np.full(references, BLOCK_BYTES),
        "latency": np.full(references, 1000),
    }
    trace = folder / "trace.csv"
    written = csv.WriteOptions(include_header=False, quoting_style="none")
    csv.write_csv(pa.table(columns), trace, written)
    before = time.process_time()
    store = pipeline.ingest([trace], folder / "trace.iotrace")
    took = time.process_time() - before
    print(
        f"ingest of {references:,} requests, {trace.stat().st_size / 1e6:,.0f} MB of CSV: {took:.1f} s of processor"
        f" time, {sum(file.stat().st_size for file in store.path.iterdir()) / references:.1f} bytes each in the store"
    )
    return store


def budget() -> BlockBudget:
    """Return one that no trace here spends."""
    return BlockBudget(1 << 40, BLOCK_BYTES, "")


def timed(name: str, store: Store, run: Callable[[], Any]) -> Any:
    """Run something and print its processor time."""
    references = store.manifest["tables"]["reference"]
    before = time.process_time()
    result = run()
    took = time.process_time() - before
    print(
        f"{name}: {took:.2f} s of processor time, {references / took / 1e6:.1f} million references a second"
    )
    return result


def in_slices(store: Store, parts: int, expected: pa.Table) -> None:
    """Run slices one after the other, merge them by a tree, and print what that takes and moves."""
    requests, cache = Requests(store, budget()), Cache(syncs="honour")
    references = store.manifest["tables"]["reference"]
    leaf = requests._slice
    states = timed(
        f"{parts} slices",
        store,
        lambda: [StoredSlice.of(leaf(cache, None, each)) for each in cut(references, parts)],
    )
    largest = max(len(pickle.dumps(state)) for state in states)
    moved, before = 0, time.process_time()
    while len(states) > 1:
        moved += sum(len(pickle.dumps(right)) for right in states[1::2])
        merged = [left.merge(right) for left, right in zip(states[::2], states[1::2], strict=False)]
        states = merged + states[len(states) & ~1 :]
    took = time.process_time() - before
    root = states[0]
    print(
        f"  merges: {took:.2f} s of processor time; {moved / references:.1f} bytes moved for each reference;"
        f" the largest state of a slice {largest / 1e6:.1f} MB, that of all {len(pickle.dumps(root)) / 1e6:.1f} MB"
    )
    assert curves_of(root.read().state, root.counts, cache).table().equals(expected, check_metadata=True)


def on_workers(store: Store, name: str, expected: pa.Table) -> None:
    """Run slices on workers, and print what that takes."""
    started = time.perf_counter()
    with parsed(name).started() as workers:
        begun = time.perf_counter()
        curves = Requests(store, budget()).curves(Cache(), workers=workers)
        ended = time.perf_counter()
        assert curves.table().equals(expected, check_metadata=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"--workers {name}: {begun - started:.1f} s to start, {ended - begun:.1f} s to run,"
        f" {used.ru_utime + used.ru_stime:.1f} s of processor time of the workers in all"
    )


if __name__ == "__main__":
    main()
