"""Block references a second through the stack-distance engine, in several cases, as a table in Markdown.

Makes a trace of block numbers (a Zipf distribution mixed with a scan), then runs each case over it in turn, each in a
separate process. Cases over the same trace must find the same hits at five sizes. Speeds are of processor time, except
for two threads: of elapsed time, which means something on an idle machine only. The last case of each round is the
number of random updates of 128 MB a second: the machine's limit. The memory is what a pass takes beyond one over
references to a single block.

`--former` names this example as built from an earlier version: it runs in the same rounds, and ratios are those of the
same round. So does Increment-and-Freeze, where `--increment-and-freeze` names a copy of its source (see peers.py); it
takes all references as reads of 32-bit numbers. `--large` adds a trace of 200 million references to about 45 million
blocks (800 MB of disk). The case of
requests of several blocks reads cloudPhysicsIO, repeated, from the folder named by IOTRACE_TRACES; it is left out where
that is not set. Building needs cargo.

    python tests/benchmarks/engine.py
    python tests/benchmarks/engine.py --references 2000000 --rounds 3
    python tests/benchmarks/engine.py --large --former OLD/target/release/examples/stack_distances
    python tests/benchmarks/engine.py --increment-and-freeze SOURCE
"""

import argparse
import io
import os
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import increment_and_freeze
import numpy as np
import polars as pl

ENGINE = Path(__file__).parents[2] / "iotrace" / "engine"
EXAMPLE = "stack_distances"
BINARY = ENGINE / "target" / "release" / "examples" / EXAMPLE
CLOUD_PHYSICS = "block/cloudPhysicsIO.csv.zst"
SCSI_WRITE = "2a"
SECTOR_BYTES = 512
LIMIT = "limit"
LARGE_REFERENCES = 200_000_000
LARGE_BLOCKS = 50_000_000
LARGE_CHUNK = 10_000_000
HEADINGS = [
    "case", "million blocks a second", "times the earlier version", "times Increment-and-Freeze", "times one thread",
    "bytes a distinct block", "part of the limit",
]  # fmt: skip
REQUEST = np.dtype([("file", "<i4"), ("write", "<i4"), ("offset", "<i8"), ("length", "<i8")])


@dataclass(frozen=True)
class Case:
    """A way of the example, which trace it reads, and the former way to compare it with."""

    name: str
    way: str
    trace: str
    former: str


KEYS = Case("reads only, 64-bit keys", "keys", "blocks", "engine")
THREADS = Case("reads only, 64-bit keys, two threads", "threads", "blocks", "engine")
CASES = (
    Case("reads and writes, through Arrow", "engine", "blocks", "engine"),
    Case("reads only, dense numbers", "reads", "blocks", "engine"),
    KEYS,
    THREADS,
    Case("four components", "components", "blocks", "components"),
    Case("requests of several blocks", "requests", "requests", "requests"),
    Case("large, through Arrow", "engine", "large", "engine"),
    Case("large, reads only, dense numbers", "reads", "large", "engine"),
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


def build_example(name: str) -> Path:
    """Build an example of the engine; return the program. Needs cargo."""
    build = ["cargo", "build", "--release", "--locked", "-p", "iotrace-core", "--example", name]
    subprocess.run(build, cwd=ENGINE, check=True, stdout=subprocess.DEVNULL)
    return ENGINE / "target" / "release" / "examples" / name


def run(binary: Path, way: str, trace: Path | str) -> Outcome:
    """Run one way over a trace in a separate process."""
    said = subprocess.run([binary, way, trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    seconds, peak_kb, blocks, hits = said.split(maxsplit=3)
    return Outcome(float(seconds), int(peak_kb) * 1024, int(blocks), hits.strip())


def spread(values: list[float]) -> str:
    """Write a median with the smallest and the largest value."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def write_large(path: Path, seed: int) -> int:
    """Write 200 million block numbers: half by rank, where each power of two of ranks is as likely, and half uniform.

    Return how many of them are distinct.
    """
    chance = np.random.default_rng(seed)
    seen = np.zeros(LARGE_BLOCKS, np.bool_)
    with path.open("wb") as file:
        for _ in range(LARGE_REFERENCES // LARGE_CHUNK):
            numbers = chance.integers(0, LARGE_BLOCKS, LARGE_CHUNK, np.uint32)
            ranked = chance.random(LARGE_CHUNK) < 1 / 2
            ranks = (LARGE_BLOCKS / 5) ** chance.random(int(ranked.sum()))
            numbers[ranked] = ranks.astype(np.uint64) * 0x9E3779B1 % LARGE_BLOCKS
            seen[numbers] = True
            numbers.tofile(file)
    return int(seen.sum())


@dataclass(frozen=True)
class Trace:
    """A trace's file, its distinct blocks where they are known, and a file of references to one block."""

    path: Path
    distinct: int | None = None
    single: Path | None = None


def write_traces(folder: Path, numbers: np.ndarray, options: argparse.Namespace) -> dict[str, Trace]:
    """Write the traces that can be had; return them by name."""

    def single(name: str, references: int) -> Path:
        path = folder / name
        np.zeros(references, np.uint32).tofile(path)
        return path

    traces = {
        "blocks": Trace(folder / "blocks.u32", len(np.unique(numbers)), single("single.u32", len(numbers)))
    }
    numbers.tofile(traces["blocks"].path)
    if options.large:
        path = folder / "large.u32"
        distinct = write_large(path, options.seed)
        traces["large"] = Trace(path, distinct, single("single_large.u32", len(numbers)))
        print(f"Large: {LARGE_REFERENCES:,} references to {distinct:,} distinct blocks.")
    if os.environ.get("IOTRACE_TRACES"):
        traces["requests"] = Trace(folder / "requests.bin")
        requests(Path(os.environ["IOTRACE_TRACES"]), options.repeats).tofile(traces["requests"].path)
    else:
        print("IOTRACE_TRACES is not set: the case of requests of several blocks is left out.")
    return traces


@dataclass
class Round:
    """The outcomes of one round: each case, the earlier version by way and trace, the peer over "blocks", the limit."""

    now: dict[Case, Outcome]
    former: dict[tuple[str, str], Outcome]
    peer: Outcome | None
    limit: Outcome


def run_round(cases: list[Case], traces: dict[str, Trace], former: Path | None, peer: Path | None) -> Round:
    """Run each case, the earlier version's way to compare it with, and Increment-and-Freeze, in turn."""
    now: dict[Case, Outcome] = {}
    before: dict[tuple[str, str], Outcome] = {}
    for case in cases:
        trace = traces[case.trace].path
        now[case] = run(BINARY, case.way, trace)
        if former and (case.former, case.trace) not in before:
            before[case.former, case.trace] = run(former, case.former, trace)
    frozen = run(peer, "blocks", traces["blocks"].path) if peer else None
    return Round(now, before, frozen, run(BINARY, LIMIT, os.devnull))


def row(case: Case, rounds: list[Round], trace: Trace) -> list[str]:
    """Return a case's name, speed, ratio to the earlier version and to one thread, memory, and share of the limit."""
    now = [one.now[case] for one in rounds]
    former = [one.former.get((case.former, case.trace)) for one in rounds]
    ratios = [new.speed / old.speed for new, old in zip(now, former, strict=True) if old]
    peers = [one.peer for one in rounds] if case.trace == "blocks" else []
    frozen = [new.speed / peer.speed for new, peer in zip(now, peers, strict=False) if peer]
    shares = [outcome.speed / one.limit.speed for outcome, one in zip(now, rounds, strict=True)]
    memory = ""
    if trace.distinct and trace.single:
        alone = run(BINARY, case.way, trace.single).peak_bytes
        memory = f"{(max(outcome.peak_bytes for outcome in now) - alone) / trace.distinct:.1f}"
    one_thread = ""
    if case == THREADS:
        one_thread = spread([one.now[THREADS].speed / one.now[KEYS].speed for one in rounds])
    speed = spread([outcome.speed for outcome in now])
    return [
        case.name,
        speed,
        spread(ratios) if ratios else "",
        spread(frozen) if frozen else "",
        one_thread,
        memory,
        spread(shares),
    ]


def check(rounds: list[Round]) -> None:
    """Stop unless all passes over a trace found the same."""
    found: dict[str, set[str]] = {}
    for one in rounds:
        for case, outcome in one.now.items():
            found.setdefault(case.trace, set()).add(outcome.hits)
        for (_, trace), outcome in one.former.items():
            found.setdefault(trace, set()).add(outcome.hits)
        if one.peer:
            found["blocks"].add(one.peer.hits)
    for trace, hits in found.items():
        if len(hits) != 1:
            raise SystemExit(f"the cases over {trace} do not agree: {hits}")


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
    parser.add_argument("--large", action="store_true", help="add the large trace")
    parser.add_argument(
        "--folder", type=Path, help="where the traces are written (the system's temporary folder)"
    )
    parser.add_argument("--former", type=Path, help="the example of an earlier version")
    parser.add_argument("--increment-and-freeze", type=Path, help="folder of its source")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    build_example(EXAMPLE)
    numbers = zipf_and_scan(
        options.references, options.blocks, options.exponent, options.scanned, options.seed
    )
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        traces = write_traces(Path(folder), numbers, options)
        source = options.increment_and_freeze
        peer = increment_and_freeze.build(source, Path(folder)) if source else None
        distinct = traces["blocks"].distinct
        print(
            f"{options.references:,} references to {distinct:,} distinct blocks, {options.rounds} rounds.\n"
        )
        cases = [case for case in CASES if case.trace in traces]
        rounds = [run_round(cases, traces, options.former, peer) for _ in range(options.rounds)]
        check(rounds)
        rows = [row(case, rounds, traces[case.trace]) for case in cases]
    for cells in [HEADINGS, ["---"] * len(HEADINGS), *rows]:
        print(f"| {' | '.join(cells)} |")
    print(f"\nRandom updates of 128 MB, million a second: {spread([one.limit.speed for one in rounds])}")
    print(f"Hits at 1,000 / 10,000 / 100,000 / 1,000,000 blocks / any size: {rounds[0].now[CASES[0]].hits}")


if __name__ == "__main__":
    main()
