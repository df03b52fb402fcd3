"""What reports of Darshan's logs cost, beside PyDarshan and Drishti.

    python tests/benchmarks/jobs.py [--logs FOLDER] [--peers FOLDER] [--rounds 3] [--jobs 1000] [--folder FOLDER]

`--logs` is a folder of public logs (default: parallel/darshan in IOTRACE_TRACES), of which those of LOGS are taken;
`--peers` a Python environment with darshan and drishti-io. Peers get the same logs, one program after the other, in
every round; PyDarshan draws its heat map of DXT, as iotrace reads all accesses. Then a made log of 600,064 accesses, a
folder of made logs, one log from the command line (read, and refused), and the page over all jobs of the folder; with
`--folder` the made logs are kept. Prints processor seconds (of several rounds the median, least and most) and the peak
of memory.
"""

import argparse
import multiprocessing
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import darshan_jobs
from report import MODULE, Cost, spread

LOGS = (
    "dxt-explorer-vpic-192",
    "8a_benchmark_write_parallel_12",
    "partial_data_dxt",
    "mpi_io_test_with_dxt",
    "imbalanced-io",
)


def apart(make: Callable[..., None], *arguments: object) -> None:
    """Make something in another process: the peak of this one's memory would count as that of those it starts."""
    process = multiprocessing.get_context("spawn").Process(target=make, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit("the logs could not be made")


def cost(command: Sequence[str], folder: Path) -> Cost | None:
    """Run a command in a folder with a cache of its own; return None if it fails."""
    with tempfile.TemporaryDirectory(dir=folder) as cache, (folder / "errors.txt").open("w") as errors:
        running = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=cache,
            env={**os.environ, "XDG_CACHE_HOME": cache},
        )
        _, status, usage = os.wait4(running.pid, 0)
    return None if status else Cost(0, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def programs(log: Path, peers: Path | None) -> Mapping[str, Sequence[str]]:
    """Return the command of each program on a log."""
    commands = {"iotrace": [*MODULE, "report", str(log), "-o", "page.html"]}
    if peers is not None:
        python, drishti = str(peers / "bin/python"), str(peers / "bin/drishti")
        summary = [
            python,
            "-m",
            "darshan",
            "summary",
            str(log),
            "--enable_dxt_heatmap",
            "--output",
            "page.html",
        ]
        commands |= {"PyDarshan": summary, "Drishti": [drishti, str(log)]}
    return commands


def row(name: str, commands: Mapping[str, Sequence[str]], rounds: int, folder: Path) -> None:
    """Print the cost of each command, of which the rounds are interleaved."""
    costs: dict[str, list[Cost | None]] = {program: [] for program in commands}
    for _ in range(rounds):
        for program, command in commands.items():
            costs[program].append(cost(command, folder))
    cells = []
    for program, of_rounds in costs.items():
        done = [one for one in of_rounds if one is not None]
        if len(done) < rounds:
            cells.append(f"{program}: fails")
            continue
        seconds, peak = [one.processor_s for one in done], max(one.peak_mb for one in done)
        cells.append(f"{program}: {spread(seconds, '.2f')} s, {peak:,.0f} MB")
    print(f"{name}: {'; '.join(cells)}", flush=True)


def main() -> None:
    """Print a line for each log, and for the made ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    logs = given.logs or Path(os.environ["IOTRACE_TRACES"]) / "parallel/darshan"
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).absolute()
        folder.mkdir(exist_ok=True, parents=True)
        large, made, store = (
            folder / "large.darshan",
            folder / f"jobs-{given.jobs}",
            folder / f"jobs-{given.jobs}.iotrace",
        )
        if not large.exists():
            apart(darshan_jobs.with_accesses, large)
        if not made.exists():
            apart(darshan_jobs.many, made, given.jobs)
        refused = folder / "refused.darshan"
        refused.write_bytes(large.read_bytes()[:500])
        for log in (*(logs / f"{name}.darshan" for name in LOGS), large):
            row(log.stem, programs(log.absolute(), given.peers), given.rounds, folder)
        one = next(made.rglob("*.darshan"))
        row(
            "one log read",
            {"iotrace": [*MODULE, "ingest", str(one), "-o", "one.iotrace"]},
            given.rounds,
            folder,
        )
        row(
            "one log refused",
            {"iotrace": ["sh", "-c", '! "$@"', "sh", *MODULE, "ingest", str(refused)]},
            given.rounds,
            folder,
        )
        listed = [*MODULE, "jobs", str(made), "--format", "csv"]
        row(f"rows of {given.jobs:,} jobs", {"iotrace": listed}, given.rounds, folder)
        if not store.exists():
            folders = sorted(str(place) for place in made.iterdir())
            read = [*MODULE, "ingest", *folders, "--trace-format", "darshan-jobs", "-o", str(store)]
            row(f"{given.jobs:,} logs read", {"iotrace": read}, 1, folder)
        page = {"iotrace": [*MODULE, "report", str(store), "-o", "page.html"]}
        row(f"page over {given.jobs:,} jobs", page, given.rounds, folder)


if __name__ == "__main__":
    main()
