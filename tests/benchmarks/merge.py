"""The cost of slices and of merging their states, in processor time, compared with one pass over the same references.

The references are those of engine.py: a Zipf distribution mixed with a scan; every fourth is a write. Each round runs
one pass, the slices one after the other, and the merges, all in one process on one thread, and checks that the tables
agree. Merges replay the first uses of blocks in each right slice. Building needs cargo.

    python tests/benchmarks/merge.py
    python tests/benchmarks/merge.py --references 2000000 --slices 8
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

from engine import build_example, spread, zipf_and_scan

EXAMPLE = "merge_states"


def main() -> None:
    """Build the example, run the rounds, and print the medians."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000)
    parser.add_argument("--blocks", type=int, default=1_000_000)
    parser.add_argument("--slices", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    program = build_example(EXAMPLE)
    slower, first_use_ns = [], []
    with tempfile.NamedTemporaryFile(suffix=".u32") as file:
        zipf_and_scan(options.references, options.blocks, 0.9, 0.125, options.seed).tofile(file.name)
        for _ in range(options.rounds):
            command = [program, Path(file.name), str(options.slices)]
            printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
            one_pass_s, slices_s, merges_s, first_uses = map(float, printed)
            slower.append(slices_s / one_pass_s)
            first_use_ns.append(merges_s / first_uses * 1e9)
    print(
        f"{options.references:,} references, {options.slices} slices, {first_uses:,.0f} first uses replayed"
    )
    print(f"all slices, times one pass: {spread(slower)}")
    print(f"nanoseconds to merge a first use: {spread(first_use_ns)}")


if __name__ == "__main__":
    main()
