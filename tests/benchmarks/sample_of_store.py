"""`iotrace curve --sample` of a store from its start to its end, compared with the exact curve: a table in Markdown.

Makes the references of engine.py (a Zipf distribution mixed with a scan) as stores of a block trace of reads and of one
in which every fourth request writes. Then runs all in turn. Times are those of the processor, start included, and the
memory is the largest resident one, as the kernel counts both. Ratios are those of the same round; those of memory
leave out what `iotrace curve` takes of a trace of 1,000 requests.

`--former` names the command of an earlier version of iotrace, in quotes, whose stores can be read; its estimates must
be the same.

    python tests/benchmarks/sample_of_store.py
    python tests/benchmarks/sample_of_store.py --references 2000000 --rounds 3
    python tests/benchmarks/sample_of_store.py --former "OLD/.venv/bin/iotrace"
"""

import argparse
import multiprocessing
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from curve_of_store import OURS, write_vscsi
from engine import spread, zipf_and_scan
from report_traces import BLOCK_BYTES

SIZES = "4M,64M,1G,16G"
TRACES = {"reads": False, "reads and writes": True}
"""Whether every fourth request writes."""
WAYS = {
    "exact": (),
    "1 %": ("--sample", "1%"),
    "0.1 %": ("--sample", "0.1%"),
    "auto": ("--sample", "auto", "--sample-memory", "200M"),
}


@dataclass(frozen=True)
class Outcome:
    """Processor time in seconds, the largest resident memory in MB, and what was printed."""

    seconds: float
    peak_mb: float
    printed: bytes


def run(command: tuple[str, ...], store: Path, further: tuple[str, ...]) -> Outcome:
    """Run `iotrace curve` on a store."""
    whole = [
        *command,
        "curve",
        str(store),
        "--block",
        str(BLOCK_BYTES),
        "--sizes",
        SIZES,
        "-f",
        "csv",
        *further,
    ]
    process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{shlex.join(whole)} ended with status {process.returncode}")
    return Outcome(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, printed)


def store_of(folder: Path, name: str) -> Path:
    """Return the store of a trace."""
    return folder / f"{name}.iotrace"


def write_stores(folder: Path, references: int, blocks: int, scanned: float) -> int:
    """Make the stores; return the number of distinct blocks."""
    requests = zipf_and_scan(references, blocks, 0.9, scanned, 1)
    for name, writes in TRACES.items():
        write_store(requests, folder, name, writes=writes)
    write_store(requests[:1000], folder, "few", writes=False)
    return len(np.unique(requests))


def write_store(blocks: np.ndarray, folder: Path, name: str, *, writes: bool) -> None:
    """Make the store of a trace."""
    raw, store = folder / f"{name}.trace", store_of(folder, name)
    write_vscsi(blocks, raw, writes=writes)
    subprocess.run(
        [*OURS, "ingest", str(raw), "-o", str(store)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    raw.unlink()


def main() -> None:
    """Make the traces, run the rounds, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000, help="length of the trace (20 million)")
    parser.add_argument("--blocks", type=int, default=10_000_000, help="blocks of the Zipf part (10 million)")
    parser.add_argument("--scanned", type=float, default=0.4, help="part of the references that scan (0.4)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs, in turn (5)")
    parser.add_argument("--folder", type=Path, help="where the stores are written for the time of the run")
    parser.add_argument("--former", type=shlex.split, help="the command of an earlier version")
    options = parser.parse_args()

    versions = {"": OURS} | ({"before: ": tuple(options.former)} if options.former else {})
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = Path(temporary)
        # in another process: the kernel counts the memory of the one that starts a command as the command's
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            shape = options.references, options.blocks, options.scanned
            distinct = process.submit(write_stores, folder, *shape).result()
        print(
            f"{options.references:,} requests to {distinct:,} blocks, {options.rounds} rounds.\n", flush=True
        )
        start = run(OURS, store_of(folder, "few"), ()).peak_mb
        headings = [
            "trace",
            "way",
            "processor s",
            "times the exact curve's",
            "peak MB",
            "peak beyond the start, times the exact curve's",
        ]
        for cells in (headings, ["---"] * len(headings)):
            print(f"| {' | '.join(cells)} |", flush=True)
        for name in TRACES:
            store = store_of(folder, name)
            outcomes: dict[str, list[Outcome]] = {}
            for _ in range(options.rounds):
                for version, command in versions.items():
                    for way, further in WAYS.items():
                        outcomes.setdefault(version + way, []).append(run(command, store, further))
            for way, of_way in outcomes.items():
                exact = outcomes[way[: -len(way.split(": ")[-1])] + "exact"]
                same = outcomes[way.split(": ")[-1]]
                if any(one.printed != other.printed for one, other in zip(of_way, same, strict=True)):
                    print(f"{name}, {way}: another result than now", file=sys.stderr)
                seconds = [one.seconds / other.seconds for one, other in zip(of_way, exact, strict=True)]
                peaks = [
                    (one.peak_mb - start) / (other.peak_mb - start)
                    for one, other in zip(of_way, exact, strict=True)
                ]
                row = [name, way, spread([one.seconds for one in of_way]), spread(seconds)]
                row += [f"{max(one.peak_mb for one in of_way):.0f}", spread(peaks)]
                print(f"| {' | '.join(row)} |", flush=True)
        print(f"\nThe command takes {start:.0f} MB for a trace of 1,000 requests.")


if __name__ == "__main__":
    main()
