"""Exact LRU curves by iotrace and by other programs: the same references, one core, one table and picture.

Makes a trace of keys (a Zipf distribution mixed with a scan) in each program's own format, runs the programs in turn,
each in a separate process, and prints references a second and the ratio to iotrace in the same round.
All must find the same hits at five sizes. What is not there is left out, and the line below the table says so:

- iotrace.curve_of_keys on one thread, from an array of 64-bit keys (the installed package);
- a plain Fenwick tree in Rust (needs cargo);
- Increment-and-Freeze: --increment-and-freeze FOLDER, a copy of github.com/etwest/Increment-and-Freeze (needs g++ and
  OpenMP); 32-bit keys, as its authors measured it;
- libCacheSim's tool for exact stack distances: --libcachesim FOLDER, where its program distUtil was built; its time
  includes reading 24 bytes a reference from memory;
- libCacheSim's simulator from PyPI (pip install libcachesim): an LRU cache of one size, 100,000; a curve of N sizes
  takes N times as long;
- PyMimircache's LRU profiler (pip install PyMimircache; where that is in another environment: --mimircache PYTHON).

Replacement policies are compared with libCacheSim's by policies.py.

    python tests/benchmarks/peers.py
    python tests/benchmarks/peers.py --references 2000000 --increment-and-freeze ~/Increment-and-Freeze
    python tests/benchmarks/peers.py --plot peers.svg
"""

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import increment_and_freeze
import numpy as np
from engine import EXAMPLE, build_example, spread, zipf_and_scan
from policies import write_oracle_general

SIZES = (1_000, 10_000, 100_000, 1_000_000, 1 << 30)
ONE_SIZE = 100_000
OURS = "iotrace"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "ARROW_NUM_THREADS", "RAYON_NUM_THREADS"), "1")

CURVE = """
import sys, time
import numpy as np
from iotrace.analysis.curves import curve_of_keys
keys = np.fromfile(sys.argv[1], np.uint64)
sizes = [int(size) for size in sys.argv[2:]]
start = time.process_time()
table = curve_of_keys(keys, sizes_blocks=sizes, threads=1)
seconds = time.process_time() - start
hits = np.subtract(table["block_references"], table["block_misses"]).tolist()
print(seconds, *hits)
"""
SIMULATOR = """
import sys, time, libcachesim
size, references = int(sys.argv[2]), int(sys.argv[3])
hashpower = size.bit_length() + 1
cache = libcachesim.LRU(cache_size=size, default_ttl=2**30, hashpower=hashpower, consider_obj_metadata=False)
reader = libcachesim.TraceReader(sys.argv[1], libcachesim.TraceType.ORACLE_GENERAL_TRACE)
start = time.process_time()
miss_ratio, _ = cache.process_trace(reader)
seconds = time.process_time() - start
print(seconds, references - round(miss_ratio * references))
"""
MIMIRCACHE = """
import sys, time
import numpy as np
from PyMimircache import Cachecow
cow = Cachecow()
cow.binary(sys.argv[1], {"label": 1, "fmt": "Q"}, data_type="l")
start = time.process_time()
counts = cow.profiler("LRU").get_hit_count()
seconds = time.process_time() - start
hits = np.cumsum(counts[:-2])
print(seconds, *(int(hits[min(int(size), len(hits) - 1)]) for size in sys.argv[2:]))
"""


@dataclass(frozen=True)
class Traces:
    """The same references as files of 64-bit keys, of 32-bit keys, and as libCacheSim's binary format."""

    keys: Path
    blocks: Path
    oracle_general: Path
    references: int


@dataclass(frozen=True)
class Outcome:
    """One pass: seconds of processor time, and hits at SIZES or at ONE_SIZE."""

    seconds: float
    hits: tuple[int, ...]


@dataclass(frozen=True)
class Peer:
    """A program that computes the curve: its name, how it runs, and the reason where it cannot."""

    name: str
    run: Callable[[Traces], Outcome]
    missing: str | None = None


def _output(command: list[str | Path]) -> tuple[str, float]:
    """Run a program on one thread; return what it printed and its processor time in seconds."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | ONE_THREAD
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{Path(command[0]).name} ended with status {process.returncode}")
    return said, used.ru_utime + used.ru_stime


def _script(python: str, script: str, *arguments: str | Path) -> Outcome:
    """Run a script that prints seconds and hits last."""
    said, _ = _output([python, "-P", "-c", script, *arguments])
    seconds, *hits = said.splitlines()[-1].split()
    return Outcome(float(seconds), tuple(map(int, hits)))


def _example(program: Path, way: str, trace: Path) -> Outcome:
    """Run a program that prints seconds, kilobytes, references and a list of hits."""
    seconds, _, _, hits = _output([program, way, trace])[0].split(maxsplit=3)
    return Outcome(float(seconds), tuple(map(int, hits.strip().strip("[]").split(","))))


def _stack_distances(program: Path, traces: Traces) -> Outcome:
    """Run libCacheSim's tool, which writes how often each distance occurs: distance:count, 2^63 - 1 for first uses."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "distances")
        command = [program, traces.oracle_general, "oracleGeneral", "stack_dist", "cntTxt", written]
        _, seconds = _output([*command])
        text = next(Path(folder).iterdir()).read_text()
    counts = [tuple(map(int, pair.split(":"))) for pair in text.split(",") if pair.strip()]
    hits = tuple(sum(count for distance, count in counts if distance < size) for size in SIZES)
    return Outcome(seconds, hits)


def _imports(python: str, module: str) -> bool:
    if python == sys.executable:
        return importlib.util.find_spec(module) is not None
    return subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0


def peers(options: argparse.Namespace, folder: Path) -> list[Peer]:
    """Return all programs, built where they must be, with the reason for each that cannot run."""
    sizes = [str(size) for size in SIZES]
    found = [Peer(OURS, lambda traces: _script(sys.executable, CURVE, traces.keys, *sizes))]

    def fenwick(traces: Traces) -> Outcome:
        return _example(build_example(EXAMPLE), "fenwick", traces.blocks)

    found.append(
        Peer(
            "Fenwick tree",
            fenwick,
            None if shutil.which("cargo") else "cargo is not installed",
        )
    )

    frozen = folder
    reason = None
    if not options.increment_and_freeze:
        reason = "no --increment-and-freeze"
    elif not shutil.which("g++"):
        reason = "g++ is not installed"
    else:
        frozen = increment_and_freeze.build(options.increment_and_freeze, folder)
    found.append(
        Peer("Increment-and-Freeze", lambda traces: _example(frozen, "blocks", traces.blocks), reason)
    )

    tool = shutil.which("distUtil", path=options.libcachesim or os.environ.get("PATH"))
    found.append(
        Peer(
            "libCacheSim distUtil",
            lambda traces: _stack_distances(Path(tool or ""), traces),
            None if tool else "distUtil is not there: --libcachesim FOLDER",
        )
    )
    found.append(
        Peer(
            f"libCacheSim, one size ({ONE_SIZE:,})",
            lambda traces: _script(
                sys.executable, SIMULATOR, traces.oracle_general, str(ONE_SIZE), str(traces.references)
            ),
            None if _imports(sys.executable, "libcachesim") else "pip install libcachesim",
        )
    )
    found.append(
        Peer(
            "PyMimircache",
            lambda traces: _script(options.mimircache, MIMIRCACHE, traces.keys, *sizes),
            None if _imports(options.mimircache, "PyMimircache") else "pip install PyMimircache",
        )
    )
    return found


def write_traces(options: argparse.Namespace, folder: Path) -> Traces:
    """Make the references and write them in each format. Keys are scattered over 64 bits."""
    blocks = zipf_and_scan(
        options.references, options.blocks, options.exponent, options.scanned, options.seed
    )
    traces = Traces(folder / "keys.u64", folder / "blocks.u32", folder / "trace.oracleGeneral", len(blocks))
    blocks.tofile(traces.blocks)
    keys = (blocks.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    (keys >> np.uint64(1)).tofile(traces.keys)
    write_oracle_general(blocks, traces.oracle_general)
    print(f"{len(blocks):,} references to {len(np.unique(blocks)):,} keys, {options.rounds} rounds.\n")
    return traces


def check(name: str, hits: tuple[int, ...], ours: tuple[int, ...]) -> None:
    """Stop unless a program found what iotrace did."""
    expected = ours if len(hits) == len(ours) else (ours[SIZES.index(ONE_SIZE)],)
    if hits != expected:
        raise SystemExit(f"{name} found {hits} hits, iotrace {expected}")


@dataclass(frozen=True)
class Row:
    """A program's line: million references a second and the ratio to iotrace, of each round."""

    name: str
    speeds: list[float]
    ratios: list[float]


def measure(found: list[Peer], traces: Traces, rounds: int) -> list[Row]:
    """Run the programs in turn, `rounds` times."""
    there = [peer for peer in found if peer.missing is None]
    outcomes = [{peer.name: peer.run(traces) for peer in there} for _ in range(rounds)]
    for one in outcomes:
        for name, outcome in one.items():
            check(name, outcome.hits, one[OURS].hits)
    return [
        Row(
            peer.name,
            [traces.references / one[peer.name].seconds / 1e6 for one in outcomes],
            [one[peer.name].seconds / one[OURS].seconds for one in outcomes],
        )
        for peer in there
    ]


def picture(rows: list[Row]) -> str:
    """Return bars of the median speeds as SVG."""
    left, width, step, top = 260, 520, 34, 50
    longest = max(statistics.median(row.speeds) for row in rows)
    bars = []
    for number, row in enumerate(rows):
        speed = statistics.median(row.speeds)
        color = "#2a6fb0" if number == 0 else "#9aa5b1"
        length, y = width * speed / longest, top + number * step
        bars.append(
            f'<text x="{left - 10}" y="{y + 16}" text-anchor="end">{row.name}</text>'
            f'<rect x="{left}" y="{y}" width="{length:.1f}" height="22" fill="{color}"/>'
            f'<text x="{left + length + 8:.1f}" y="{y + 16}">{speed:.1f}</text>'
        )
    height = top + step * len(rows) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" width="860" height="{height}"'
        ' font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">\n'
        f'<rect width="860" height="{height}" fill="#ffffff"/>\n'
        '<text x="20" y="28" font-size="16" font-weight="600">Exact LRU curve: million references a second on one core'
        "</text>\n" + "\n".join(bars) + "\n</svg>\n"
    )


def main() -> None:
    """Make the traces, run the programs, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000, help="length of the trace (20 million)")
    parser.add_argument("--blocks", type=int, default=1_000_000, help="keys of the Zipf part (1 million)")
    parser.add_argument("--exponent", type=float, default=0.9, help="of the Zipf distribution (0.9)")
    parser.add_argument("--scanned", type=float, default=0.125, help="part of the references that scan (1/8)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each program runs, in turn (5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--increment-and-freeze", type=Path, help="folder of its source")
    parser.add_argument("--libcachesim", help="folder of its programs")
    parser.add_argument("--mimircache", default=sys.executable, help="the Python where PyMimircache is")
    parser.add_argument("--only", help="only iotrace and the programs whose names hold this")
    parser.add_argument("--plot", type=Path, help="write a picture (SVG) here")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        found = [
            peer for peer in peers(options, folder) if peer.name == OURS or (options.only or "") in peer.name
        ]
        traces = write_traces(options, folder)
        rows = measure(found, traces, options.rounds)
    headings = ["program", "million references a second", "times iotrace's time"]
    cells = [[row.name, spread(row.speeds), spread(row.ratios)] for row in rows]
    for line in [headings, ["---"] * len(headings), *cells]:
        print(f"| {' | '.join(line)} |")
    left_out = [f"{peer.name} ({peer.missing})" for peer in found if peer.missing]
    if left_out:
        print(f"\nLeft out: {', '.join(left_out)}.")
    if options.plot:
        options.plot.write_text(picture(rows))


if __name__ == "__main__":
    main()
