"""Requests a second through curves of objects, compared with the plain curve over keys: same requests, one core.

Makes requests for keys (a Zipf distribution mixed with a scan) with a size for each object (log-normal), then runs each
way in turn over the same Arrow batches, and prints millions of requests a second of processor time with their spread
over the rounds, and the ratio to the plain curve in the same round.

    python tests/benchmarks/objects.py
    python tests/benchmarks/objects.py --references 2000000 --rounds 3
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from engine import spread, zipf_and_scan

from iotrace.analysis.curves import curve_of_keys, object_curve
from iotrace.analysis.curves.object_caches import OBJECT_POLICIES, flash_log, object_policies, object_writes
from iotrace.analysis.curves.prefixes import prefix_curve

SIZES = [1 << exponent for exponent in range(16, 40, 2)]
ONE_SIZE = 1 << 26
PROMPT_BLOCKS = 16
WRITES = "writes of caches that write back, by bytes"
Batches = list[pa.RecordBatch]


def requests(references: int, objects: int) -> Batches:
    """Return batches with the columns of key_io that the curves take."""
    keys = zipf_and_scan(references, objects, 0.9, 0.125, 1)
    chance = np.random.default_rng(2)
    sizes = np.clip(chance.lognormal(6, 1.5, int(keys.max()) + 1), 1, 1 << 20).astype(np.int64)
    table = pa.table({
        "key": keys.astype(np.int64),
        "size": sizes[keys],
        "time_ns": np.arange(references, dtype=np.int64),
        "ttl_ns": chance.choice([references // 100, references // 10, references], references),
        "tenant": (keys % 8).astype(np.int32),
        "operation": pa.array(np.where(chance.random(references) < 0.2, "set", "get")).dictionary_encode(),
        "request": np.arange(references, dtype=np.int64) // PROMPT_BLOCKS,
    })  # fmt: skip
    return table.to_batches(max_chunksize=1 << 16)


def without(batches: Batches, *names: str) -> Batches:
    """Return the batches without some columns."""
    return [batch.drop_columns(list(names)) for batch in batches]


WAYS: dict[str, Callable[[Batches], object]] = {
    "plain keys": lambda batches: curve_of_keys((batch["key"] for batch in batches), threads=1),
    "objects": lambda batches: object_curve(without(batches, "size"), unit="objects"),
    "objects, bytes counted": lambda batches: object_curve(batches, unit="objects"),
    "bytes": lambda batches: object_curve(batches, unit="bytes"),
    "bytes, 12 sizes, 3 below the largest object": lambda batches: object_curve(
        batches, unit="bytes", sizes=SIZES
    ),
    "bytes by tenant": lambda batches: object_curve(batches, unit="bytes", by_tenant=True),
    "bytes, lazy expiry": lambda batches: object_curve(batches, unit="bytes", ttl="lazy"),
    "bytes, eager expiry": lambda batches: object_curve(batches, unit="bytes", ttl="eager"),
    f"prefixes, {PROMPT_BLOCKS} blocks a request": prefix_curve,
    WRITES: lambda batches: object_writes(batches, unit="bytes"),
    "log of segments": lambda batches: flash_log(batches, ONE_SIZE, segment_bytes=ONE_SIZE // 64),
    **{
        f"{policy}, one size": lambda batches, policy=policy: object_policies(  # type: ignore[misc]
            batches, policies=[policy], sizes=[ONE_SIZE], unit="bytes"
        )
        for policy in OBJECT_POLICIES["bytes"]
    },
}


def main() -> None:
    """Make the requests, run the rounds, print a line for each way."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=10_000_000, help="requests (10 million)")
    parser.add_argument("--objects", type=int, default=1_000_000, help="objects of the Zipf part (1 million)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each way runs, in turn (3)")
    options = parser.parse_args()
    batches = requests(options.references, options.objects)
    reads = without(batches, "operation")
    speeds: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(options.rounds):
        for name, way in WAYS.items():
            start = time.process_time()
            way(batches if name == WRITES else reads)
            speeds[name].append(options.references / (time.process_time() - start) / 1e6)
    plain = speeds["plain keys"]
    print(f"{'way':<46}{'million a second':>25}   ratio to plain keys")
    for name, values in speeds.items():
        ratio = statistics.median(one / other for one, other in zip(values, plain, strict=True))
        print(f"{name:<46}{spread(values):>25}   {ratio:.2f}")


if __name__ == "__main__":
    main()
