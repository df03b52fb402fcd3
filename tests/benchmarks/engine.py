"""Block references a second through the stack-distance engine, compared with a plain Fenwick tree.

Makes a trace of block numbers (a Zipf distribution mixed with a scan), then runs both ways over it in turn, each in a
separate process on one core, and prints their speeds, the ratio with its spread over the rounds, and the engine's
memory for each distinct block. Both give the hits at five sizes; they must agree. Building needs cargo.

    python tests/benchmarks/engine.py
    python tests/benchmarks/engine.py --references 2000000 --rounds 3
"""

import argparse
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ENGINE = Path(__file__).parents[2] / "iotrace" / "engine"
EXAMPLE = "stack_distances"


@dataclass(frozen=True)
class Outcome:
    """One pass: its seconds, the process's largest memory in bytes, and the hits at five sizes."""

    seconds: float
    peak_bytes: int
    hits: str


def zipf_and_scan(references: int, blocks: int, exponent: float, scanned: float, seed: int) -> np.ndarray:
    """Return block numbers: Zipf over `blocks`, in random order, and for a part of them a scan beyond."""
    chance = np.random.default_rng(seed)
    cumulated = np.cumsum(np.arange(1, blocks + 1, dtype=float) ** -exponent)
    names = chance.permutation(blocks).astype(np.uint32)
    scan = chance.random(references) < scanned
    numbers = np.empty(references, np.uint32)
    numbers[scan] = blocks + np.arange(scan.sum(), dtype=np.uint32)
    draws = chance.random(references - int(scan.sum())) * cumulated[-1]
    numbers[~scan] = names[np.searchsorted(cumulated, draws)]
    return numbers


def run(way: str, trace: Path) -> Outcome:
    """Run one way over a trace in a separate process."""
    command = [str(ENGINE / "target" / "release" / "examples" / EXAMPLE), way, str(trace)]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    seconds, peak_kb, hits = said.split(maxsplit=2)
    return Outcome(float(seconds), int(peak_kb) * 1024, hits.strip())


def spread(values: list[float]) -> str:
    """Write a median with the smallest and the largest value."""
    return f"{statistics.median(values):6.2f}  ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Make the trace, run the rounds, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000, help="length of the trace (20 million)")
    parser.add_argument("--blocks", type=int, default=1_000_000, help="blocks of the Zipf part (1 million)")
    parser.add_argument("--exponent", type=float, default=0.9, help="of the Zipf distribution (0.9)")
    parser.add_argument("--scanned", type=float, default=0.125, help="part of the references that scan (1/8)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way runs, in turn (5)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    build = ["cargo", "build", "--release", "--locked", "--example", EXAMPLE]
    subprocess.run(build, cwd=ENGINE, check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        trace, empty = Path(folder, "trace.u32"), Path(folder, "empty.u32")
        numbers = zipf_and_scan(
            options.references, options.blocks, options.exponent, options.scanned, options.seed
        )
        numbers.tofile(trace)
        empty.write_bytes(b"")
        distinct = len(np.unique(numbers))
        print(
            f"{options.references:,} references to {distinct:,} distinct blocks, {options.rounds} rounds, one core each"
        )
        rounds = [(run("engine", trace), run("fenwick", trace)) for _ in range(options.rounds)]
        idle = run("engine", empty).peak_bytes
    if len({outcome.hits for pair in rounds for outcome in pair}) != 1:
        raise SystemExit("the two ways do not agree")
    for place, name in enumerate(("engine", "Fenwick tree")):
        speeds = [options.references / pair[place].seconds / 1e6 for pair in rounds]
        print(f"{name:<14} {spread(speeds)} million block references a second")
    print(f"{'ratio':<14} {spread([fenwick.seconds / engine.seconds for engine, fenwick in rounds])}")
    peak = max(engine.peak_bytes for engine, _ in rounds)
    print(
        f"{'memory':<14} {(peak - idle) / distinct:6.1f} bytes for each distinct block ({peak / 2**20:.0f} MB in all)"
    )
    print(f"hits at 1,000 / 10,000 / 100,000 / 1,000,000 blocks / any size: {rounds[0][0].hits}")


if __name__ == "__main__":
    main()
