"""How fast traces become stores, compared with copies of the same text to Parquet by DuckDB and polars.

    python tests/benchmarks/ingest.py [--records 4000000] [--rounds 3] [--only NAME...] [--before COMMAND] [--log LOG]

Generates traces (seeded; no input files) and ingests each in a separate process on one core, in interleaved rounds.
Next to the CSV formats DuckDB runs ``copy (select ... from read_csv(...)) to ... (format parquet)``, and polars
``scan_csv(...).sink_parquet(...)`` with the same SELECT, with the columns' types given and nothing checked. Prints, for
each trace, millions of records a second of processor time, with and without the start of Python and its libraries (that
of a trace of ten records), the ratios of processor time to DuckDB's and polars's in the same round, and peak memory;
median, least and most. ``--before`` is another iotrace to measure in the
same rounds, as a shell would start it; the ratio of its processor time to this one's is printed too. ``--log`` is a
log of strace, not compressed, to measure in place of the one generated.
"""

import argparse
import itertools
import multiprocessing
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from ingest_texts import dftracer_lines, dxt_lines, recorder_lines, strace_lines, umd_lines

INGEST = [sys.executable, "-P", "-c", "from iotrace.cli import main; main()"]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"), "1")
COPY = """
import sys, duckdb
connection = duckdb.connect(config={"threads": 1})
connection.execute(f"copy ({sys.argv[1]}) to '{sys.argv[2]}' (format parquet)")
"""
SINK = """
import sys, polars as pl
types = {"bigint": pl.Int64, "varchar": pl.String}
schema = {name: types[kind] for name, kind in (column.split(":") for column in sys.argv[1].split())}
frame = pl.scan_csv(sys.argv[3], has_header=False, schema=schema)
frame.sql(f"select {sys.argv[2]} from self").sink_parquet(sys.argv[4], compression="snappy")
"""
SEED = 1993
FEW = 10
PER_SLOW = 8
"""Text of parallel traces has as many times fewer records."""
PER_LONG = 4
"""The same of strace's lines, which are long."""


@dataclass(frozen=True)
class Requests:
    """Requests as arrays: microseconds, whether they read, block, blocks, device, microseconds taken."""

    us: np.ndarray
    reads: np.ndarray
    lbn: np.ndarray
    blocks: np.ndarray
    device: np.ndarray
    took_us: np.ndarray


def requests(records: int) -> Requests:
    """Return requests to a disk of 256 GB."""
    chance = np.random.default_rng(SEED)
    return Requests(
        us=np.cumsum(chance.integers(0, 200, records)),
        reads=chance.random(records) < 0.6,
        lbn=chance.integers(0, 2**29, records),
        blocks=chance.integers(1, 129, records),
        device=chance.integers(0, 8, records),
        took_us=chance.integers(50, 20_000, records),
    )


def cambridge(path: Path, records: int) -> None:
    """Write a Cambridge trace of which a hundredth of the lines is up to some ten lines out of order."""
    made = requests(records)
    chance = np.random.default_rng(SEED + 1)
    late_us = np.where(chance.random(records) < 0.01, chance.integers(0, 1000, records), 0)
    frame = {
        "time": 128_166_372_003_061_629 + (made.us - late_us) * 10,
        "host": np.full(records, "web"),
        "disk": made.device % 2,
        "type": np.where(made.reads, "Read", "Write"),
        "offset": made.lbn * 512,
        "size": made.blocks * 512,
        "response": made.took_us * 10,
    }
    pl.DataFrame(frame).write_csv(path, include_header=False)


def alibaba(path: Path, records: int) -> None:
    """Write a trace of Alibaba's cloud."""
    made = requests(records)
    frame = {
        "device": made.device * 97,
        "type": np.where(made.reads, "R", "W"),
        "offset": made.lbn * 512,
        "size": made.blocks * 512,
        "time": 1_577_808_000_000_000 + made.us,
    }
    pl.DataFrame(frame).write_csv(path, include_header=False)


def tencent(path: Path, records: int) -> None:
    """Write a trace of Tencent's cloud."""
    made = requests(records)
    frame = {
        "time": 1_538_323_200 + made.us // 1_000_000,
        "offset": made.lbn,
        "size": made.blocks,
        "type": np.where(made.reads, 0, 1),
        "volume": made.device * 97,
    }
    pl.DataFrame(frame).write_csv(path, include_header=False)


def vscsi(path: Path, records: int) -> None:
    """Write a virtual SCSI trace, version 2."""
    from iotrace.formats.vscsi import VERSION_2

    made = requests(records)
    rows = np.zeros(records, np.dtype(VERSION_2))
    rows["command"] = np.where(made.reads, 0x28, 0x2A)
    rows["version"] = 0x200
    rows["serial"] = np.arange(records)
    rows["bytes"] = made.blocks * 512
    rows["lbn"], rows["time_us"], rows["response_us"] = made.lbn, made.us, made.took_us
    rows.tofile(path)


def oracle_general(path: Path, records: int) -> None:
    """Write a trace of oracleGeneral whose objects are blocks."""
    from iotrace.formats.oracle_general import PLAIN

    made = requests(records)
    rows = np.zeros(records, np.dtype(PLAIN))
    rows["time_s"] = made.us // 1_000_000
    rows["object"], rows["bytes"] = made.lbn // 128 * 128, made.blocks * 512
    rows["next"] = -1
    rows["next"][::7] = np.arange(0, records, 7) + 5
    rows.tofile(path)


EVENT = [
    ("magic", "<u4"), ("sequence", "<u4"), ("time_ns", "<u8"), ("sector", "<u8"), ("bytes", "<u4"), ("action", "<u4"),
    ("pid", "<u4"), ("device", "<u4"), ("cpu", "<u4"), ("error", "<u2"), ("more", "<u2"),
]  # fmt: skip


def blktrace(path: Path, records: int) -> None:
    """Write events of blktrace, five a request (Q, G, I, D and C), up to some hundred requests at a time."""
    made = requests(records // 5)
    stages = ((1, 0), (4, 1_000), (12, 2_000), (7, 3_000), (8, 90_000))
    rows = np.zeros((len(stages), len(made.us)), np.dtype(EVENT))
    rows["magic"], rows["pid"], rows["device"] = 0x65617407, 7, 8 << 20
    rows["sector"], rows["bytes"] = made.lbn, made.blocks * 512
    for row, (code, after_ns) in zip(rows, stages, strict=True):
        row["time_ns"] = made.us * 1000 + after_ns + (made.took_us if code == 8 else 0)
        row["action"] = np.where(made.reads, (1 << 8 | 1) << 16, (1 << 8 | 2) << 16) | code
    flat = rows.reshape(-1)
    flat = flat[np.argsort(flat["time_ns"], kind="stable")]
    flat["sequence"] = np.arange(len(flat)) + 1
    flat.tofile(path)


def strace(path: Path, records: int) -> None:
    """Write a log of strace."""
    with path.open("w") as file:
        file.writelines(strace_lines(records, SEED))


def first_lines(log: Path, path: Path, records: int) -> None:
    """Write the first lines of a log."""
    with log.open("rb") as source, path.open("wb") as file:
        file.writelines(itertools.islice(source, records))


def umd(path: Path, records: int) -> None:
    """Write a UMD trace as text."""
    with path.open("w") as file:
        file.writelines(umd_lines(records, SEED))


def dxt(path: Path, records: int) -> None:
    """Write a DXT trace as text."""
    with path.open("w") as file:
        file.writelines(dxt_lines(records, SEED))


def dftracer(path: Path, records: int) -> None:
    """Write a trace of DFTracer."""
    with path.open("w") as file:
        file.writelines(dftracer_lines(records, SEED))


def recorder(path: Path, records: int) -> None:
    """Write a trace of Recorder as text."""
    with path.open("w") as file:
        file.writelines(recorder_lines(records, SEED))


@dataclass(frozen=True)
class Csv:
    """The columns of a CSV, as NAME:TYPE, and what is selected of them."""

    columns: str
    wanted: str

    def copied(self, source: Path, target: str) -> dict[str, list[str]]:
        """Return the commands that copy it to Parquet, by who does."""
        named = ", ".join("'{}': '{}'".format(*column.split(":")) for column in self.columns.split())
        read = f"read_csv('{source}', header = false, auto_detect = false, columns = {{{named}}})"
        return {
            "DuckDB": [sys.executable, "-c", COPY, f"select {self.wanted} from {read}", target],
            "polars": [sys.executable, "-c", SINK, self.columns, self.wanted, str(source), target],
        }


@dataclass(frozen=True)
class Trace:
    """A trace to ingest: how it is written, and what others copy of a CSV."""

    write: Callable[[Path, int], None]
    csv: Csv | None = None
    fraction: int = 1
    """How many times fewer records than others it has."""
    records: int | None = None
    """Its number of records, if that is given."""


TRACES = {
    "msr-cambridge": Trace(
        cambridge,
        Csv(
            "t:bigint h:varchar d:bigint o:varchar a:bigint s:bigint r:bigint",
            "(t - 116444736000000000) * 100 as time_ns, d as device, lower(o) as operation, a // 512 as lbn,"
            " (a % 512 + s + 511) // 512 as blocks, r * 100 as latency_ns, h as host",
        ),
    ),
    "alibaba": Trace(
        alibaba,
        Csv(
            "d:bigint o:varchar a:bigint s:bigint t:bigint",
            "t * 1000 as time_ns, d as device, case o when 'R' then 'read' when 'W' then 'write' end as operation,"
            " a // 512 as lbn, (a % 512 + s + 511) // 512 as blocks",
        ),
    ),
    "tencent": Trace(
        tencent,
        Csv(
            "t:bigint a:bigint s:bigint o:bigint d:bigint",
            "t * 1000000000 as time_ns, d as device, case o when 0 then 'read' when 1 then 'write' end as operation,"
            " a as lbn, s as blocks",
        ),
    ),
    "vscsi": Trace(vscsi),
    "oracle-general-blocks": Trace(oracle_general),
    "blktrace": Trace(blktrace),
    "strace": Trace(strace, fraction=PER_LONG),
    "umd-ascii": Trace(umd, fraction=PER_SLOW),
    "darshan-dxt": Trace(dxt, fraction=PER_SLOW),
    "dftracer": Trace(dftracer, fraction=PER_SLOW),
    "recorder-text": Trace(recorder, fraction=PER_SLOW),
}


def measured(command: list[str]) -> tuple[float, int]:
    """Run a command on one core; return its seconds of processor time and the kilobytes of its peak memory."""
    pinned = (
        ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command] if shutil.which("taskset") else command
    )
    running = subprocess.Popen(
        pinned, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | ONE_THREAD
    )
    assert running.stderr is not None
    said = running.stderr.read().decode()
    _, status, usage = os.wait4(running.pid, 0)
    if status:
        raise SystemExit(f"{shlex.join(command)} failed: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


@dataclass
class Found:
    """What was measured of one trace and program, a value a round."""

    seconds: list[float] = field(default_factory=list)
    start_seconds: list[float] = field(default_factory=list)
    kilobytes: list[int] = field(default_factory=list)


def spread(values: list[float], form: str = "{:.2f}") -> str:
    """Return median, least and most."""
    return "{} ({} to {})".format(
        *(form.format(value) for value in (statistics.median(values), min(values), max(values)))
    )


def main() -> None:
    """Print a line for each trace and program."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--records", type=int, default=4_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--only", nargs="*", choices=TRACES, default=list(TRACES))
    arguments.add_argument("--before", help="another iotrace")
    arguments.add_argument(
        "--log", type=Path, help="a log of strace to measure in place of the one generated"
    )
    options = arguments.parse_args()
    if options.log:
        lines = partial(first_lines, options.log)
        TRACES["strace"] = Trace(lines, records=sum(1 for _ in options.log.open("rb")))
    programs = {"iotrace": INGEST} | ({"before": shlex.split(options.before)} if options.before else {})
    print(
        f"{'trace':14} {'program':8} {'M records/s of CPU':24} {'without start':24} {'CPU / that of copies':54} peak MB"
    )
    for name in options.only:
        trace = TRACES[name]
        show(name, trace, programs, trace.records or options.records // trace.fraction, options.rounds)


def show(name: str, trace: Trace, programs: dict[str, list[str]], records: int, rounds: int) -> None:
    """Measure one trace, and print a line for each program."""
    found = {program: Found() for program in programs}
    copies: dict[str, list[float]] = {}
    megabytes = 0.0
    with tempfile.TemporaryDirectory() as folder:
        full, few, store = Path(folder) / "full", Path(folder) / "few", Path(folder) / "a.iotrace"
        for place, count in ((full, records), (few, FEW)):
            # in a process of its own: the memory of this one would count as that of those that it starts
            writing = multiprocessing.Process(target=trace.write, args=(place, count))
            writing.start()
            writing.join()
        megabytes = full.stat().st_size / 1e6
        for _ in range(rounds):
            for who, command in (trace.csv.copied(full, f"{folder}/copy") if trace.csv else {}).items():
                copies.setdefault(who, []).append(measured(command)[0])
            for program, command in programs.items():
                for source, whole in ((few, False), (full, True)):
                    shutil.rmtree(store, ignore_errors=True)
                    given = ["ingest", str(source), "--trace-format", name, "-o", str(store)]
                    seconds, kilobytes = measured([*command, *given])
                    (found[program].seconds if whole else found[program].start_seconds).append(seconds)
                    found[program].kilobytes.append(kilobytes)
    for program, values in found.items():
        rates = [records / seconds / 1e6 for seconds in values.seconds]
        pairs = zip(values.seconds, values.start_seconds, strict=True)
        without = [records / (seconds - start) / 1e6 for seconds, start in pairs]
        compared = "; ".join(
            f"{who} {spread([one / other for one, other in zip(values.seconds, theirs, strict=True)])}"
            for who, theirs in copies.items()
        )
        form = "{:.2f}" if min(rates) > 0.1 else "{:.4f}"
        print(
            f"{name:14} {program:8} {spread(rates, form):24} {spread(without, form):24} {compared:54}"
            f" {max(values.kilobytes) / 1024:.0f}; {spread([megabytes / s for s in values.seconds], '{:.0f}')} MB/s",
            flush=True,
        )
    if "before" in found:
        pairs = zip(found["before"].seconds, found["iotrace"].seconds, strict=True)
        print(
            f"{name:14} processor time before / now: {spread([before / now for before, now in pairs])}",
            flush=True,
        )


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
