"""`iotrace curve` of a store from its start to its end, compared with a plain Fenwick tree in C++: a table in Markdown.

Makes the references of engine.py (a Zipf distribution mixed with a scan) as stores of a block trace of reads, of one in
which every fourth request writes, and of a trace of keys, and as a file of block numbers for the Fenwick tree
(fenwick.cc; needs g++). Then runs all in turn, and checks that they find the same misses at four sizes. Times are those
of the processor, start included; ratios are those of the same round.

Where libCacheSim is installed (pip install libcachesim), its LRU cache of one size and `iotrace curve --sizes` also
read the raw file of keys, which iotrace ingests anew each time.

`--former` names the command of an earlier version of iotrace, in quotes, whose stores can be read.

    python tests/benchmarks/curve_of_store.py
    python tests/benchmarks/curve_of_store.py --references 2000000 --rounds 3
    python tests/benchmarks/curve_of_store.py --former "OLD/.venv/bin/iotrace"
"""

import argparse
import csv
import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from engine import spread, zipf_and_scan
from peers import SIMULATOR
from policies import write_oracle_general
from report_traces import BLOCK_BYTES, SECTORS, VSCSI

SIZES = (1_024, 10_240, 102_400, 1_024_000)
ONE_SIZE = SIZES[2]
SOURCE = Path(__file__).with_name("fenwick.cc")
OURS = (sys.executable, "-P", "-m", "iotrace")
READ, WRITE = 0x28, 0x2A


@dataclass(frozen=True)
class Case:
    """A store, the arguments of `iotrace curve`, and the column that has the misses."""

    name: str
    store: Path
    arguments: tuple[str, ...]
    misses: str


@dataclass(frozen=True)
class Outcome:
    """Processor time in seconds, and the misses at `SIZES`."""

    seconds: float
    misses: tuple[int, ...]


def timed(command: list[str], read: Callable[[str], tuple[int, ...]], cache: str | None = None) -> Outcome:
    """Run a command; return its processor time and what is read of its output. Stores are kept in `cache`."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | ({"XDG_CACHE_HOME": cache} if cache else {}),
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with status {process.returncode}")
    return Outcome(used.ru_utime + used.ru_stime, read(output))


def write_vscsi(blocks: np.ndarray, path: Path, *, writes: bool) -> None:
    """Write reads of these blocks, or with writes every fourth request as a write, in version 2 of the vscsi format."""
    records = np.zeros(len(blocks), VSCSI)
    records["bytes"], records["entries"], records["version"] = BLOCK_BYTES, 1, 0x100
    records["command"] = READ
    if writes:
        records["command"][3::4] = WRITE
    records["lbn"], records["us"] = blocks.astype(np.uint64) * SECTORS, np.arange(len(blocks)) * 100
    records.tofile(path)


def write_cases(blocks: np.ndarray, folder: Path) -> list[Case]:
    """Make the stores."""
    bytes_ = ",".join(str(size * BLOCK_BYTES) for size in SIZES)
    in_blocks = ("--block", str(BLOCK_BYTES), "--sizes", bytes_)
    in_objects = ("--sizes", ",".join(map(str, SIZES)))
    raw = {name: folder / f"{name}.trace" for name in ("reads", "writes", "keys")}
    write_vscsi(blocks, raw["reads"], writes=False)
    write_vscsi(blocks, raw["writes"], writes=True)
    write_oracle_general(blocks, raw["keys"])
    for path in raw.values():
        command = [*OURS, "ingest", str(path), "-o", str(path.with_suffix(".iotrace"))]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if path != raw["keys"]:
            path.unlink()
    stores = {name: path.with_suffix(".iotrace") for name, path in raw.items()}
    return [
        Case("blocks, reads", stores["reads"], in_blocks, "block_misses"),
        Case(
            "blocks, reads and writes, each write alone",
            stores["writes"],
            (*in_blocks, "--coalesce", "none"),
            "block_misses",
        ),
        Case("blocks, reads and writes", stores["writes"], in_blocks, "block_misses"),
        Case("keys", stores["keys"], in_objects, "request_misses"),
    ]


def curve(command: tuple[str, ...], case: Case, cache: str | None = None) -> Outcome:
    """Run `iotrace curve` on a store, or on a raw file whose store is made in `cache`."""

    def read(output: str) -> tuple[int, ...]:
        return tuple(int(row[case.misses]) for row in csv.DictReader(output.splitlines()))[-len(SIZES) :]

    return timed([*command, "curve", str(case.store), *case.arguments, "-f", "csv"], read, cache)


def one_size(keys: Path, references: int) -> tuple[Outcome, Outcome]:
    """Return what `iotrace curve` and libCacheSim take for an LRU cache of one size, from a raw file of keys."""
    case = Case("keys, raw file", keys, ("--sizes", str(ONE_SIZE)), "request_misses")
    with tempfile.TemporaryDirectory() as cache:
        ours = curve(OURS, case, cache)
    arguments = [str(keys), str(ONE_SIZE), str(references)]
    theirs = timed(
        [sys.executable, "-P", "-c", SIMULATOR, *arguments],
        lambda output: (references - int(output.split()[1]),),
    )
    if ours.misses != theirs.misses:
        raise SystemExit(f"{ONE_SIZE} keys: {ours.misses} misses, libCacheSim {theirs.misses}")
    return ours, theirs


def fenwick(program: Path, blocks: Path) -> Outcome:
    """Run the Fenwick tree."""
    return timed(
        [str(program), str(blocks), *map(str, SIZES)], lambda output: tuple(map(int, output.split()))
    )


def main() -> None:
    """Make the traces, run the rounds, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000, help="length of the trace (20 million)")
    parser.add_argument("--blocks", type=int, default=1_000_000, help="blocks of the Zipf part (1 million)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs, in turn (5)")
    parser.add_argument("--former", type=shlex.split, help="the command of an earlier version")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        program, numbers = folder / "fenwick", folder / "blocks.u32"
        build = ["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", str(SOURCE), "-o", str(program)]
        subprocess.run(build, check=True)
        blocks = zipf_and_scan(options.references, options.blocks, 0.9, 0.125, 1)
        blocks.tofile(numbers)
        cases = write_cases(blocks, folder)
        print(f"{len(blocks):,} references to {len(np.unique(blocks)):,} blocks, {options.rounds} rounds.\n")
        trees: list[Outcome] = []
        ours: dict[str, list[Outcome]] = {case.name: [] for case in cases}
        former: dict[str, list[Outcome]] = {case.name: [] for case in cases}
        simulated: list[tuple[Outcome, Outcome]] = []
        for _ in range(options.rounds):
            if importlib.util.find_spec("libcachesim"):
                simulated.append(one_size(folder / "keys.trace", len(blocks)))
            trees.append(fenwick(program, numbers))
            for case in cases:
                ours[case.name].append(curve(OURS, case))
                if options.former:
                    former[case.name].append(curve(tuple(options.former), case))
    for name, outcomes in (*ours.items(), *former.items()):
        if any(outcome.misses != trees[0].misses for outcome in outcomes):
            raise SystemExit(f"{name}: {outcomes[0].misses} misses, the Fenwick tree {trees[0].misses}")
    headings = ["case", "seconds", "the Fenwick tree's time to ours", "the earlier version's time to ours"]
    for cells in (headings, ["---"] * len(headings)):
        print(f"| {' | '.join(cells)} |")
    print(f"| Fenwick tree | {spread([outcome.seconds for outcome in trees])} | 1 | |")
    for name, outcomes in ours.items():
        seconds = [outcome.seconds for outcome in outcomes]
        ratios = [
            spread([other.seconds / ours for other, ours in zip(others, seconds, strict=True)])
            if others
            else ""
            for others in (trees, former[name])
        ]
        print(f"| {' | '.join([name, spread(seconds), *ratios])} |")
    if simulated:
        ours_s, theirs_s = (spread([pair[place].seconds for pair in simulated]) for place in (0, 1))
        ratio = spread([theirs.seconds / ours.seconds for ours, theirs in simulated])
        print(
            f"\nAn LRU cache of {ONE_SIZE:,} keys, from a raw file: iotrace {ours_s} s, libCacheSim {theirs_s} s:"
            f" {ratio} times iotrace's time."
        )


if __name__ == "__main__":
    main()
