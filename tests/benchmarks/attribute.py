"""Processor time of the variable attribute cache scheme and of the best partition, compared with one plain curve.

Each way runs in turn in a separate process, on all cores: a plain 4-KByte curve over all references; all sizes of the
variable scheme (seven passes: one for each class and block size of table 5.1). Then, with curves there, the best
partition of 64 totals evenly spaced in the logarithm from 4 KB to 1 GB, for each objective. Prints processor seconds
and their ratio with its spread over the rounds.

    python tests/benchmarks/attribute.py build.iotrace
    python tests/benchmarks/attribute.py build.iotrace --rounds 9
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import iotrace

TOTALS = 64


def plain(path: str) -> dict[str, float]:
    """One curve of one cache of 4-KB blocks over all references."""
    from iotrace.analysis.curves import Cache, simulate
    from iotrace.analysis.curves.references import everything

    store = iotrace.open(path)
    before = processor_seconds()
    simulate(everything(store, "type"), Cache()).table()
    return {"processor": processor_seconds() - before}


def variable(path: str) -> dict[str, float]:
    """All sizes of the variable scheme."""
    from iotrace.simulate.attribute.outcome import prepare
    from iotrace.simulate.attribute.passes import PassMemo
    from iotrace.simulate.attribute.schemes import variable as scheme

    store = iotrace.open(path)
    before = processor_seconds()
    prepare(PassMemo(store), [scheme()])
    return {"processor": processor_seconds() - before}


def best(path: str) -> dict[str, float]:
    """The best partitions, once the curves are there."""
    from iotrace.simulate.attribute.best import Searches
    from iotrace.simulate.attribute.passes import PassMemo
    from iotrace.simulate.attribute.schemes import spaces

    memo = PassMemo(iotrace.open(path))
    Searches(memo, spaces())
    seconds = {}
    for objective in ("reads", "time", "requests"):
        began = time.perf_counter()
        searches = Searches(memo, spaces(), objective)
        for total in np.geomspace(2**12, 2**30, TOTALS).astype(int).tolist():
            searches.best(total)
        seconds[objective] = time.perf_counter() - began
    return seconds


WAYS = {one.__name__: one for one in (plain, variable, best)}


def processor_seconds() -> float:
    """Return what this process has used of all processors."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run(way: str, path: str) -> dict[str, float]:
    """Run one way in a separate process."""
    command = [sys.executable, __file__, path, "--way", way]
    seconds: dict[str, float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return seconds


def spread(values: list[float]) -> str:
    """Write a median with the smallest and the largest value."""
    return f"{statistics.median(values):6.2f}  ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Run the rounds, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", help="a store, or a raw trace")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way runs, in turn (5)")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(WAYS[options.way](options.trace)))
        return
    print(f"{Path(options.trace).name}, {options.rounds} rounds")
    rounds = [{way: run(way, options.trace) for way in WAYS} for _ in range(options.rounds)]
    seconds = {way: [one[way]["processor"] for one in rounds] for way in ("plain", "variable")}
    print(f"one 4-KB curve, processor seconds            {spread(seconds['plain'])}")
    print(f"the variable scheme, processor seconds       {spread(seconds['variable'])}")
    ratios = [second / first for first, second in zip(*seconds.values(), strict=True)]
    print(f"ratio (at most 3)                            {spread(ratios)}")
    for objective in rounds[0]["best"]:
        values = [one["best"][objective] for one in rounds]
        print(f"best of {TOTALS} totals, {objective:8s} seconds (below 2)  {spread(values)}")


if __name__ == "__main__":
    main()
