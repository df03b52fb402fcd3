"""Keys a second that the engine numbers, as 64-bit integers and as text, compared with Arrow's dictionary_encode.

Makes a trace of keys (a Zipf distribution mixed with a scan), numbers it in batches on one core, each way in turn, and
prints millions of keys a second of processor time with their spread over the rounds, and the ratio to Arrow, which has
the whole trace at once and forgets it, in the same round. The numbers are checked against Arrow's.

    python tests/benchmarks/key_numbers.py
    python tests/benchmarks/key_numbers.py --references 2000000 --rounds 3
"""

import argparse
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from engine import spread, zipf_and_scan

from iotrace.engine.native import KeyNumbers

BATCH_ROWS = 1 << 17
WORD = "user:{:016x}"
"""A key of 21 bytes."""


def numbered(keys: pa.Array) -> tuple[float, list[np.ndarray]]:
    """Return the seconds that the engine takes, and the numbers."""
    engine, made = KeyNumbers(), []
    start = time.process_time()
    for first in range(0, len(keys), BATCH_ROWS):
        made.append(engine.numbers(keys.slice(first, BATCH_ROWS)))
    return time.process_time() - start, [pa.array(part).to_numpy() for part in made]


def encoded(keys: pa.Array) -> tuple[float, np.ndarray]:
    """Return the seconds that Arrow takes, and its numbers."""
    start = time.process_time()
    made = pc.dictionary_encode(keys)
    return time.process_time() - start, made.indices.to_numpy()


def main() -> None:
    """Make the keys, run the rounds, print a line for each kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pa.set_cpu_count(1)
    plain = zipf_and_scan(options.references, options.objects, 0.9, 0.125, 1)
    mixed = plain.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    # text is made once for each distinct key
    distinct, places = np.unique(mixed, return_inverse=True)
    words = pa.array([WORD.format(int(key)) for key in distinct], pa.large_string())
    kinds = {"64-bit keys": pa.array(mixed), "text of 21 bytes": words.take(pa.array(places))}
    print(f"{options.references:,} keys, {len(distinct):,} distinct; millions a second of processor time")
    for name, keys in kinds.items():
        rates, ratios = [], []
        for _ in range(options.rounds):
            ours, numbers = numbered(keys)
            theirs, expected = encoded(keys)
            assert np.array_equal(np.concatenate(numbers), expected), name
            rates.append(len(keys) / ours / 1e6)
            ratios.append(theirs / ours)
        print(f"{name:18} {spread(rates)}; {spread(ratios)} times Arrow's dictionary_encode")


if __name__ == "__main__":
    main()
