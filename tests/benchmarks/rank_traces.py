"""DFTracer's traces of a parallel program of many ranks, made from a seed: a file for each rank.

python tests/benchmarks/rank_traces.py FOLDER --ranks 1024 --accesses 10000000
"""

import argparse
import random
from pathlib import Path


def rank_lines(rank: int, accesses: int, seed: int = 1) -> str:
    """Return a rank's trace: reads of a shared file, writes of its own file, and a stat for each hundred events."""
    chance = random.Random(seed * 1_000_003 + rank)
    common = f'"pid":{1000 + rank},"tid":{1000 + rank}'
    machine = rank // 64
    lines = ["["]
    for kind, name, value in (
        ("HH", f"nid{machine:05d}", 77_000 + machine),
        ("FH", "/scratch/shared.h5", 88_000),
        ("FH", f"/scratch/rank.{rank}", 99_000 + rank),
    ):
        lines.append(
            f'{{"id":0,"name":"{kind}","cat":"dftracer",{common},"ph":"M","args":{{"hhash":{77_000 + machine},'
            f'"name":"{name}","value":{value}}}}}'
        )
    time = 1_744_611_912_000_000 + rank
    lines += [
        f'{{"id":0,"name":"open64","cat":"POSIX",{common},"ts":{time},"dur":9,"ph":"X",'
        f'"args":{{"hhash":{77_000 + machine},"fhash":{file},"flags":66,"ret":{descriptor}}}}}'
        for file, descriptor in ((99_000 + rank, 7), (88_000, 8))
    ]
    for number in range(accesses):
        taken = chance.randrange(5, 500)
        of_names = number % 100 == 0
        name = "__xstat" if of_names else "pread" if number % 2 else "write"
        file = 88_000 if name == "pread" else 99_000 + rank
        length = 1 << chance.randrange(9, 20)
        moved = (
            ""
            if of_names
            else f',"ret":{length},"count":{length},"fd":{7 + number % 2}'
            + (f',"offset":{(number * 1024 + rank) << 12}' if name == "pread" else "")
        )
        lines.append(
            f'{{"id":{number},"name":"{name}","cat":"POSIX",{common},"ts":{time},"dur":{taken},"ph":"X",'
            f'"args":{{"hhash":{77_000 + machine},"fhash":{file}{moved}}}}}'
        )
        time += taken + chance.randrange(0, 50)
    return "\n".join([*lines, "]"]) + "\n"


def write(folder: Path, ranks: int, accesses: int) -> None:
    """Write the traces of all ranks, which share the accesses."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        count = accesses // ranks + (rank < accesses % ranks)
        (folder / f"trace-{rank}.pfw").write_text(rank_lines(rank, count))


def main() -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--accesses", type=int, default=10_000_000)
    given = parser.parse_args()
    write(given.folder, given.ranks, given.accesses)


if __name__ == "__main__":
    main()
