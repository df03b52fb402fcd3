"""Block references a second through the stack-distance engine, compared with a plain Fenwick tree.

Makes a trace of block numbers (a Zipf distribution mixed with a scan), then runs each case over it in turn, each in a
separate process, and prints their speeds, their ratios with the spread over the rounds, and the memory for each
distinct block. Cases over the same trace must find the same hits at five sizes. Seconds are processor time, except for
two threads. Building needs cargo. `--former` names this example as built from an earlier version: it runs in the same
rounds.

The case `requests` reads requests of several blocks from the folder named by IOTRACE_TRACES (cloudPhysicsIO, repeated);
it is left out where that is not set. The random updates a second that the machine allows are measured in the same
rounds.

    python tests/benchmarks/engine.py
    python tests/benchmarks/engine.py --references 2000000 --rounds 3
    python tests/benchmarks/engine.py --former OLD/target/release/examples/stack_distances
"""

import argparse
import io
import os
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

ENGINE = Path(__file__).parents[2] / "iotrace" / "engine"
EXAMPLE = "stack_distances"
BINARY = ENGINE / "target" / "release" / "examples" / EXAMPLE
CLOUD_PHYSICS = "block/cloudPhysicsIO.csv.zst"
SCSI_WRITE = "2a"
SECTOR_BYTES = 512
LIMIT = "limit"
REQUEST = np.dtype([("file", "<i4"), ("write", "<i4"), ("offset", "<i8"), ("length", "<i8")])


@dataclass(frozen=True)
class Case:
    """A way of the example, which trace it reads, and the former way to compare it with."""

    name: str
    way: str
    trace: str
    former: str


CASES = (
    Case("reads and writes, through Arrow", "engine", "blocks", "engine"),
    Case("reads only, dense numbers", "reads", "blocks", "engine"),
    Case("reads only, 64-bit keys", "keys", "blocks", "engine"),
    Case("reads only, 64-bit keys, two threads", "threads", "blocks", "engine"),
    Case("four components", "components", "blocks", "components"),
    Case("requests of several blocks", "requests", "requests", "requests"),
    Case("Fenwick tree", "fenwick", "blocks", "engine"),
)


@dataclass(frozen=True)
class Outcome:
    """One pass: its seconds, the process's largest memory in bytes, the blocks touched, and the hits at five sizes."""

    seconds: float
    peak_bytes: int
    blocks: int
    hits: str

    @property
    def speed(self) -> float:
        """Million blocks a second."""
        return self.blocks / self.seconds / 1e6


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


def requests(folder: Path, repeats: int) -> np.ndarray:
    """Return the requests of cloudPhysicsIO, several times over."""
    unpacked = subprocess.run(["zstd", "-dc", folder / CLOUD_PHYSICS], stdout=subprocess.PIPE, check=True)
    rows = pl.read_csv(io.BytesIO(unpacked.stdout), schema_overrides={"op": pl.String})
    records = np.zeros(rows.height, REQUEST)
    records["write"] = rows["op"] == SCSI_WRITE
    records["offset"] = rows["lbn"] * SECTOR_BYTES
    records["length"] = rows["size"]
    return np.tile(records, repeats)


def run(binary: Path, way: str, trace: Path) -> Outcome:
    """Run one way over a trace in a separate process."""
    said = subprocess.run([binary, way, trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    seconds, peak_kb, blocks, hits = said.split(maxsplit=3)
    return Outcome(float(seconds), int(peak_kb) * 1024, int(blocks), hits.strip())


def spread(values: list[float]) -> str:
    """Write a median with the smallest and the largest value."""
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


def write_traces(folder: Path, numbers: np.ndarray, repeats: int) -> dict[str, Path]:
    """Write the traces that can be had; return them by name."""
    traces = {"blocks": folder / "blocks.u32", "none": folder / "none"}
    numbers.tofile(traces["blocks"])
    traces["none"].write_bytes(b"")
    if "IOTRACE_TRACES" in os.environ:
        traces["requests"] = folder / "requests.bin"
        requests(Path(os.environ["IOTRACE_TRACES"]), repeats).tofile(traces["requests"])
    else:
        print("IOTRACE_TRACES is not set: the case of requests of several blocks is left out")
    return traces


def report(case: Case, now: list[Outcome], former: list[Outcome], idle_bytes: int, distinct: int) -> None:
    """Print a case's speed, its memory where the distinct blocks are known, and its ratio to the former version."""
    line = f"{case.name:<36} {spread([outcome.speed for outcome in now])} million blocks a second"
    if case.trace == "blocks":
        peak = max(outcome.peak_bytes for outcome in now)
        line += f", {(peak - idle_bytes) / distinct:5.1f} bytes a distinct block"
    if former:
        ratios = [new.speed / old.speed for new, old in zip(now, former, strict=True)]
        line += f", {spread(ratios)} times the former"
    print(line)


def main() -> None:
    """Make the traces, run the rounds, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000, help="length of the trace (20 million)")
    parser.add_argument("--blocks", type=int, default=1_000_000, help="blocks of the Zipf part (1 million)")
    parser.add_argument("--exponent", type=float, default=0.9, help="of the Zipf distribution (0.9)")
    parser.add_argument("--scanned", type=float, default=0.125, help="part of the references that scan (1/8)")
    parser.add_argument("--repeats", type=int, default=20, help="how often the real requests follow (20)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each case runs, in turn (5)")
    parser.add_argument("--former", type=Path, help="the example of an earlier version")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    build = ["cargo", "build", "--release", "--locked", "--example", EXAMPLE]
    subprocess.run(build, cwd=ENGINE, check=True, stdout=subprocess.DEVNULL)
    numbers = zipf_and_scan(
        options.references, options.blocks, options.exponent, options.scanned, options.seed
    )
    distinct = len(np.unique(numbers))
    print(f"{options.references:,} references to {distinct:,} distinct blocks, {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        traces = write_traces(Path(folder), numbers, options.repeats)
        cases = [case for case in CASES if case.trace in traces]
        now: dict[Case, list[Outcome]] = {case: [] for case in cases}
        former: dict[Case, list[Outcome]] = {case: [] for case in cases}
        limits: list[float] = []
        for _ in range(options.rounds):
            before: dict[tuple[str, str], Outcome] = {}
            for case in cases:
                now[case].append(run(BINARY, case.way, traces[case.trace]))
                key = (case.former, case.trace)
                if options.former:
                    if key not in before:
                        before[key] = run(options.former, case.former, traces[case.trace])
                    former[case].append(before[key])
            limits.append(run(BINARY, LIMIT, traces["none"]).speed)
        idle_bytes = run(BINARY, "engine", traces["none"]).peak_bytes
    for trace in {case.trace for case in cases}:
        outcomes = [*now.items(), *former.items()]
        hits = {run.hits for case, runs in outcomes if case.trace == trace for run in runs}
        if len(hits) != 1:
            raise SystemExit(f"the cases over {trace} do not agree: {hits}")
    for case in cases:
        report(case, now[case], former[case], idle_bytes, distinct)
    print(f"{'random updates of 128 MB':<36} {spread(limits)} million a second")
    blocks = next(case for case in cases if case.trace == "blocks")
    print(f"hits at 1,000 / 10,000 / 100,000 / 1,000,000 blocks / any size: {now[blocks][0].hits}")


if __name__ == "__main__":
    main()
