"""How often compare calls the same code changed, and how often it finds what was planted.

Three programs (stats of files, SQLite transactions, reads of files, with some computing each) are recorded many times,
alone and beside busy loops, in turn with two variants: one sleeps half of the time that the program takes, in
pieces between its operations, and one makes a fifth more system calls. Each recording is measured once and its metrics
are kept. Then, by a fixed seed, pairs of single recordings and triples against triples are drawn without replacement.

The bounds, of 100 draws each for each program and load: at most one first sentence of the same code says better, worse
or different; more calls are found in 95; more time in 95 where the machine is otherwise idle.

On one CPU, strace and the program take turns, and the time of a traced call varies least. On several, it depends on
where the two happen to run: times of one program vary by a quarter, and no test finds half as much time in three runs.

    taskset -c 0 python tests/benchmarks/compare_aa.py record runs.jsonl --seconds 480
    taskset -c 0 python tests/benchmarks/compare_aa.py record runs.jsonl --seconds 960 --load 10
    python tests/benchmarks/compare_aa.py judge runs.jsonl
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

DRAWS = 100
VARIANTS = ("same", "same", "slower", "more_calls")
COMMON = """
import os, sys, time, sqlite3
sleep_s, calls = float(sys.argv[1]), int(sys.argv[2])
os.makedirs("files", exist_ok=True)
def step(number, of):
    if sleep_s:
        time.sleep(sleep_s / of)
    for _ in range(calls * (number + 1) // of - calls * number // of):
        os.access("files", os.R_OK)
"""
PROGRAMS = {
    "stats": COMMON
    + """
for number in range(60):
    step(number, 60)
    for file in range(10):
        try:
            os.stat(f"files/{file}")
        except OSError:
            pass
    sum(range(300_000))
""",
    "sqlite": COMMON
    + """
if os.path.exists("data.db"):
    os.unlink("data.db")
base = sqlite3.connect("data.db")
base.execute("create table t (x)")
for number in range(30):
    step(number, 30)
    with base:
        base.executemany("insert into t values (?)", [(str(row) * 20,) for row in range(8_000)])
""",
    "reads": COMMON
    + """
for number in range(60):
    name = f"files/{number}"
    if not os.path.exists(name):
        open(name, "wb").write(b"x" * 20000)
    step(number, 60)
    with open(name, "rb", 0) as file:
        while file.read(4096):
            sum(range(50_000))
""",
}


def main() -> None:
    """Record, or judge what was recorded."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["record", "judge"])
    parser.add_argument("runs", type=Path)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--load", type=int, default=0)
    asked = parser.parse_args()
    if asked.what == "record":
        record_for(asked.seconds, asked.load, asked.runs.absolute())
    else:
        judge(asked.runs)


def record_for(seconds: float, load: int, runs: Path) -> None:
    """Add recordings to a file until the time is over, each program and variant in turn."""
    loops = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import os\nos.sched_setaffinity(0, range(os.cpu_count()))\nwhile os.getppid() != 1: pass",
            ]
        )
        for _ in range(load)
    ]
    try:
        with tempfile.TemporaryDirectory() as folder, runs.open("a") as file:
            os.chdir(folder)
            alone = {program: base(program) for program in PROGRAMS}
            end, number = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                for program, (wall_s, calls) in alone.items():
                    variant = VARIANTS[number % len(VARIANTS)]
                    sleep_s = wall_s / 2 if variant == "slower" else 0.0
                    more = round(calls / 5) if variant == "more_calls" else 0
                    values, numbers = recorded(program, sleep_s, more)
                    row = {
                        "load": load,
                        "program": program,
                        "variant": variant,
                        "values": values,
                        "numbers": numbers,
                    }
                    file.write(json.dumps(row) + "\n")
                    file.flush()
                number += 1
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def base(program: str) -> tuple[float, float]:
    """Return the median time in seconds and calls of a program, of five runs."""
    found = [recorded(program, 0.0, 0) for _ in range(5)]
    wall_s, calls = (
        statistics.median(values[name] or 0.0 for values, _ in found) for name in ("wall_time", "calls")
    )
    return wall_s, calls


def recorded(program: str, sleep_s: float, calls: int) -> tuple[dict[str, float | None], dict[str, float]]:
    """Record and measure one run; return its metrics, and of how many values its percentiles are."""
    from iotrace.analysis.compare.measure import measure
    from iotrace.ingest.record import record

    command = [sys.executable, "-S", "-E", "-c", PROGRAMS[program], str(sleep_s), str(calls)]
    store, status = record(command, Path("run.iotrace"), replace=True)
    if status:
        raise SystemExit(f"{program} ended with {status}")
    found = measure(store)
    return found.values, {group: float(spread.counts.sum()) for group, spread in found.spreads.items()}


def judge(runs: Path) -> None:
    """Print how many of the draws are called changed, and the share of them that should be."""
    from iotrace.analysis.compare.measure import Measures, Spread
    from iotrace.families import CALLS

    by_place = defaultdict(list)
    for number, line in enumerate(runs.read_text().splitlines()):
        row = json.loads(line)
        spreads = {
            group: Spread(np.zeros(1), np.array([[values]])) for group, values in row["numbers"].items()
        }
        made = Measures(CALLS, row["values"], spreads=spreads, trace=str(number))
        by_place[row["load"], row["program"], row["variant"]].append(made)
    print("load program runs variation | pairs triples | slower more_calls (first sentence; metric)")
    for load, program in sorted({place[:2] for place in by_place}):
        same = by_place[load, program, "same"]
        walls = [measures.values["wall_time"] for measures in same]
        varied = float(np.std(walls, ddof=1) / np.mean(walls))
        pairs, triples = (said(same, same, size) for size in (1, 3))
        print(load, program, len(same), f"{varied:.2f} |", wrong(pairs[0]), wrong(triples[0]), end=" | ")
        for variant, metric in (("slower", "wall_time"), ("more_calls", "calls")):
            other = by_place[load, program, variant]
            first, verdicts = said(same, other, 3, metric)
            found = verdicts["worse"] + verdicts["more"]
            print(f"{wrong(first)} {found} of {len(other)} runs", end="; ")
        print(dict(triples[0]))


def said(a: list, b: list, size: int, metric: str = "wall_time") -> tuple[Counter, Counter]:
    """Return the first words of the comparisons drawn, and the verdicts on a metric."""
    from iotrace.analysis.compare.compare import compared
    from iotrace.analysis.compare.words import sentences

    draws, words, verdicts = random.Random(28), Counter(), Counter()
    for _ in range(DRAWS):
        if a is b:
            drawn = draws.sample(a, 2 * size)
            left, right = drawn[:size], drawn[size:]
        else:
            left, right = draws.sample(a, size), draws.sample(b, size)
        found = compared(left, right)
        words[sentences(found)[0].split()[0].strip(":")] += 1
        verdicts[found.row(metric).verdict] += 1
    return words, verdicts


def wrong(words: Counter) -> int:
    """Return how many sentences say a change."""
    return sum(words[word] for word in ("Better", "Worse", "Different", "More", "Less"))


if __name__ == "__main__":
    main()
