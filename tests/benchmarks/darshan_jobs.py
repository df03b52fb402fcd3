"""Darshan's logs for `jobs.py`, made from seeds."""

import random
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "formats"), str(TESTS / "queries")]

from counted_jobs import MB, USUAL, Made, mpiio, posix  # noqa: E402
from darshan_logs import dxt  # noqa: E402

RANKS, ACCESSES = 512, 1172
"""Of the log with 600,064 accesses."""
ACCESS_BYTES = 64 << 10
PER_FOLDER = 1000
PROGRAMS = ("ior", "vpicio", "h5bench_write", "python train.py", "gromacs", "nek5000", "wrf.exe", "cm1.exe")
USERS = 200
YEAR_S = 365 * 86400


def with_accesses(place: Path) -> None:
    """Write a log of 512 ranks that each write and then read a part of a shared file."""
    parts = []
    for rank in range(RANKS):
        first = rank * ACCESSES // 2 * ACCESS_BYTES
        times = [(1 + 0.01 * number, 1.005 + 0.01 * number) for number in range(ACCESSES)]
        accesses = [
            (first + number % (ACCESSES // 2) * ACCESS_BYTES, ACCESS_BYTES, *times[number])
            for number in range(ACCESSES)
        ]
        parts.append((1, rank, f"nid{rank // 32:05}", accesses[: ACCESSES // 2], accesses[ACCESSES // 2 :]))
    made = Made(ranks=RANKS)
    file = made.file("/scratch/shared")
    requests = RANKS * ACCESSES // 2
    counters = posix("write", requests, ACCESS_BYTES, 0.005 * requests)
    counters |= {
        "reads": requests,
        "bytes_read": requests * ACCESS_BYTES,
        "f_read_time": 0.005 * requests,
    }
    made.add("POSIX", file, -1, **counters)
    place.write_bytes(made.log(20, {"DXT_POSIX": dxt(1, "<", False, parts)}))


def one(number: int, chance: random.Random) -> bytes:
    """Return the log of a job: some files, half of them opened through MPI-IO."""
    ranks = 1 << chance.randrange(11)
    made = Made(ranks=ranks, hints=chance.choice(["", "cb_nodes=4", "romio_cb_write=enable"]))
    for place in range(chance.randint(1, 4)):
        name = f"/{chance.choice(['scratch', 'home', 'projects'])}/u{number % USERS}/f{place}"
        file = made.file(name)
        kind = chance.choice(["read", "write"])
        requests, size = ranks * chance.randint(1, 2000), chance.choice([512, 64 << 10, MB, 16 * MB])
        seconds = USUAL.takes(requests, size)
        made.io_s += seconds
        slowest_s = chance.uniform(1, 3) * seconds / ranks
        if chance.random() < 0.5:
            made.add("MPI-IO", file, -1, **mpiio(kind, requests, size, 1.2 * seconds, slowest_s=slowest_s))
        made.add("POSIX", file, -1, **posix(kind, requests, size, seconds, slowest_s=slowest_s))
    run_s = max(1.0, made.io_s / ranks * chance.uniform(1.5, 20))
    return made.log(
        run_s,
        job_id=1_000_000 + number,
        start=1_700_000_000 + chance.randrange(YEAR_S),
        uid=1000 + min(USERS - 1, int(chance.expovariate(0.05))),
        program=f"./{chance.choice(PROGRAMS)} -n {ranks}",
    )


def many(folder: Path, count: int) -> None:
    """Write logs of as many jobs into folders of a thousand."""
    chance = random.Random(7)
    for number in range(count):
        part = folder / f"{number // PER_FOLDER:04}"
        if number % PER_FOLDER == 0:
            part.mkdir(parents=True, exist_ok=True)
        (part / f"{number}.darshan").write_bytes(one(number, chance))
