"""Ten million page references to the page cache of Linux at 16 limits: processor seconds and peak memory, in Markdown.

Of the reads, a half are of single pages by popularity (Zipf, 0.9, of two million pages) and a half go on through a file
of as many, 16 pages each; a fifth of all are writes with `--writes`. The limits double from 2 MB to 64 GB: at the
larger ones all fits. Each limit has one run of the model, or with `--ranges` those that `iotrace memory` makes of a log
without measured memory.

    python tests/benchmarks/page_cache.py [--ranges] [--writes] [--references 1000000]
"""

import argparse
import resource
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from iotrace.analysis.memory.prediction import READAHEAD_BYTES, page_caches
from iotrace.analysis.memory.runs import PAGE_BYTES, Measured, Requests, runs_at

PAGES = 2_000_000
RUN_PAGES = 16
REFERENCES = 10_000_000
WRITES = 0.2
STEP_NS = 10_000
BATCH_ROWS = 122_880
LIMITS = [1 << power for power in range(21, 37)]
UNKNOWN = Measured(None, None, None, False, 1, False, False, False, None, None)


def batches(references: int, has_writes: bool) -> Iterator[pa.RecordBatch]:
    """Yield the events: two files, each through one open file."""
    source = np.random.default_rng(7)
    shares = np.cumsum(np.arange(1, PAGES + 1) ** -0.9)
    places = source.permutation(PAGES)
    time_ns, scanned = 0, 0
    names = pa.array(["read", "write"])
    while references > 0:
        rows = BATCH_ROWS
        # One run for each RUN_PAGES single pages.
        is_run = source.random(rows) < 1 / (RUN_PAGES + 1)
        popular = places[np.searchsorted(shares, source.random(rows) * shares[-1]).clip(max=PAGES - 1)]
        runs = (scanned + RUN_PAGES * np.cumsum(is_run)) % PAGES // RUN_PAGES * RUN_PAGES
        scanned += int(RUN_PAGES * is_run.sum())
        pages = np.where(is_run, RUN_PAGES, 1)
        last = int(np.searchsorted(np.cumsum(pages), references)) + 1
        references -= int(pages[:last].sum())
        is_write = (source.random(rows) < WRITES) & has_writes & ~is_run
        columns = {
            "event": pa.DictionaryArray.from_arrays(is_write.astype(np.int32), names),
            "file": is_run.astype(np.int32),
            "open": is_run.astype(np.int32),
            "offset": np.where(is_run, runs, popular) * PAGE_BYTES,
            "length": pages * PAGE_BYTES,
            "requested": pages * PAGE_BYTES,
            "file_size": np.full(rows, PAGES * PAGE_BYTES),
            "time_ns": time_ns + STEP_NS * np.arange(rows),
        }
        time_ns += STEP_NS * rows
        yield pa.record_batch({name: pa.array(column) for name, column in columns.items()}).slice(0, last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranges", action="store_true", help="all runs of each limit")
    parser.add_argument("--writes", action="store_true", help="a fifth of the single pages are written")
    parser.add_argument("--references", type=int, default=REFERENCES, help=f"default: {REFERENCES}")
    asked = parser.parse_args()
    requests = Requests(has_mapped=False, has_writes=asked.writes, overlap=False)
    of_each = [runs_at(limit, UNKNOWN, requests, None) for limit in LIMITS]
    runs = [run for some in of_each for run in (some if asked.ranges else some[:1])]
    caches = page_caches(runs, READAHEAD_BYTES, threads=1)
    spent_s = 0.0
    for batch in batches(asked.references, asked.writes):
        before_s = processor_s()
        caches.push(batch)
        spent_s += processor_s() - before_s
    before_s = processor_s()
    tally = caches.tally()
    rows = pa.table(pa.record_batch(caches.finish())).to_pylist()
    spent_s += processor_s() - before_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    evicting = sum(row["page_evictions"] > 0 for row in rows)
    print(
        "| page references | limits | runs | that reclaim | processor s | peak MB |\n|--:|--:|--:|--:|--:|--:|"
    )
    print(f"| {tally['pages']:,} | {len(LIMITS)} | {len(runs)} | {evicting} | {spent_s:.1f} | {peak_mb:,} |")


def processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
