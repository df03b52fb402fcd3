"""Ask the kernel: run all workloads, or those named, and write docs/groundtruth.md.

``python -P tests/groundtruth [-o PAGE] [--results FILE] [NAME...]`` as root; see README.md of this folder.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from judge import Disk, NotHereError, Verdict, run, version
from page import page
from workloads import BY_NAME, OTHER_READAHEAD, compiled

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -P tests/groundtruth")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BY_NAME)}; default: all")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs/groundtruth.md")
    parser.add_argument(
        "--results", type=Path, default=Path("groundtruth.jsonl"), help="a line per run is added"
    )
    parser.add_argument("--page-only", action="store_true", help="write the page from the results there are")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in BY_NAME]:
        parser.error(f"there is no workload {', '.join(unknown)}")
    if not asked.page_only:
        for name in asked.names or BY_NAME:
            judge(name, asked.results)
    lines = asked.results.read_text().splitlines()
    asked.output.write_text(page([Verdict(**json.loads(line)) for line in lines], version()))


def judge(name: str, results: Path) -> None:
    """Run a workload at each limit, and add a line per run to the results."""
    workload = BY_NAME[name]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        disk = Disk(Path(folder))
        program = compiled(Path(folder))
        disk.prepare(workload, program)
        middle = workload.limits_mb[len(workload.limits_mb) // 2]
        runs = [(limit_mb, 128) for limit_mb in workload.limits_mb]
        runs += [(middle, window_kb) for window_kb in OTHER_READAHEAD.get(name, ())]
        for limit_mb, window_kb in runs:
            try:
                verdict = run(disk, workload, program, limit_mb, window_kb, Path(folder) / "run.iotrace")
            except NotHereError as error:
                print(f"not judged: {error}", file=sys.stderr)
                continue
            with results.open("a") as file:
                file.write(json.dumps(asdict(verdict)) + "\n")
            print(
                name,
                limit_mb,
                "MB",
                window_kb,
                "KB:",
                verdict.kernel_reads,
                "read,",
                verdict.linux,
                "predicted",
            )


if __name__ == "__main__":
    main()
