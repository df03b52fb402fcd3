"""What the machine's memory allows the exact engine, next to what the engine takes, as tables in Markdown.

First the nanoseconds of a random access to arrays of several sizes: dependent, where each place is known only once the
one before it was read, and independent, where places are known ahead. Then, for three cases of engine.py, the time of
the accesses to arrays that the engine makes, in its order and to arrays of its sizes, by a program that does nothing
else (the bound), and the time that the engine takes. Times are those of one thread on a processor, in turn. Needs
cargo, and Linux.

    python tests/benchmarks/roofline.py
    python tests/benchmarks/roofline.py --references 2000000 --rounds 3
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

from engine import BINARY, CASES, EXAMPLE, build_example, run, spread, zipf_and_scan

BOUND = "memory_bound"
WAYS = {
    case.way: case.name
    for case in CASES
    if case.trace == "blocks" and case.way in ("engine", "reads", "keys")
}


def printed(*words: str | Path) -> list[list[str]]:
    """Return the lines of the program that makes accesses, split at tabs."""
    done = subprocess.run([BINARY.with_name(BOUND), *words], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def main() -> None:
    """Run the rounds, print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=20_000_000, help="length of the trace (20 million)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each case runs, in turn (5)")
    options = parser.parse_args()
    for example in (EXAMPLE, BOUND):
        build_example(example)
    print("| bytes | dependent, ns | independent, ns |\n| --: | --: | --: |")
    for line in printed("machine"):
        print(f"| {' | '.join(line)} |")
    bounds: dict[str, list[float]] = {way: [] for way in WAYS}
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    arrays: dict[str, list[list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "blocks.u32"
        zipf_and_scan(options.references, 1_000_000, 0.9, 0.125, 1).tofile(trace)
        for _ in range(options.rounds):
            for way in WAYS:
                [bound], *arrays[way] = printed(way, trace)
                bounds[way].append(float(bound))
                taken[way].append(1e3 / run(BINARY, way, trace).speed)
    print(
        "\n| case | accesses a reference | bound, ns | engine, ns | engine / bound |\n| --- | --: | --: | --: | --: |"
    )
    for way, name in WAYS.items():
        made = sum(float(accesses) for _, _, accesses in arrays[way])
        ratios = [ns / bound for ns, bound in zip(taken[way], bounds[way], strict=True)]
        print(f"| {name} | {made:.2f} | {spread(bounds[way])} | {spread(taken[way])} | {spread(ratios)} |")
    print("\n| case | array | bytes | accesses a reference |\n| --- | --- | --: | --: |")
    for way, name in WAYS.items():
        for line in arrays[way]:
            print(f"| {name} | {' | '.join(line)} |")
    print(f"\nMedians of {options.rounds} rounds, least and most.")


if __name__ == "__main__":
    main()
