"""Ask the kernel: run the workloads, predict from their recordings, and write docs/groundtruth.md.

``python -P tests/groundtruth [-o PAGE] [--recordings FOLDER] [NAME...]`` as root; see README.md of this folder.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from judge import Disk, NotHereError, Run, Verdict, judged, run, version
from page import page
from workloads import BY_NAME, HELD_OUT, OTHER_READAHEAD, REAL_DISK, WORKLOADS, Workload, compiled

from iotrace.store.store import read

ROOT = Path(__file__).parents[2]
REPEATS = 3
WINDOW_KB = 128


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -P tests/groundtruth")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BY_NAME)}; default: all")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs/groundtruth.md")
    parser.add_argument(
        "--recordings",
        type=Path,
        default=Path("groundtruth"),
        help="keeps recordings, and the kernel's numbers",
    )
    parser.add_argument(
        "--only",
        choices=("run", "predict"),
        help="run: only run the workloads; predict: only from what was recorded",
    )
    parser.add_argument("--set", choices=("known", "held-out", "all"), default="all", help="default: all")
    parser.add_argument(
        "--real-disk", action="store_true", help="run six of them on the machine's disk instead"
    )
    parser.add_argument("--processor", type=int, metavar="N", help="run them on this processor alone")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in BY_NAME]:
        parser.error(f"there is no workload {', '.join(unknown)}")
    sets = {"known": WORKLOADS, "held-out": HELD_OUT, "all": (*WORKLOADS, *HELD_OUT)}
    chosen = [workload for workload in sets[asked.set] if not asked.names or workload.name in asked.names]
    asked.recordings.mkdir(exist_ok=True)
    if asked.only != "predict":
        for workload in chosen:
            if not asked.real_disk or workload.name in REAL_DISK:
                record(workload, asked.recordings, asked.real_disk, asked.processor)
    if asked.only != "run":
        lines = (asked.recordings / "runs.jsonl").read_text().splitlines()
        names = {workload.name for workload in chosen}
        runs = [done for line in lines if (done := Run(**json.loads(line))).workload in names]
        verdicts = [verdict_of(done, asked.recordings) for done in runs]
        (asked.recordings / "verdicts.jsonl").write_text(
            "".join(json.dumps(asdict(verdict)) + "\n" for verdict in verdicts)
        )
        asked.output.write_text(page(verdicts, version()))


def record(workload: Workload, recordings: Path, is_real: bool, processor: int | None) -> None:
    """Run a workload at each limit, and add a line per run to runs.jsonl."""
    with tempfile.TemporaryDirectory(dir=recordings if is_real else "/dev/shm") as folder:
        disk = Disk(Path(folder), is_real)
        program = compiled(Path(folder))
        disk.prepare(workload, program)
        middle = workload.limits_mb[len(workload.limits_mb) // 2]
        cases = [(limit_mb, WINDOW_KB) for limit_mb in workload.limits_mb]
        cases += [(middle, window_kb) for window_kb in OTHER_READAHEAD.get(workload.name, ())]
        if is_real:
            cases = [(limit_mb, WINDOW_KB) for limit_mb in REAL_DISK[workload.name]]
        for limit_mb, window_kb in cases:
            for repeat in range(1 if is_real else REPEATS):
                words = (workload.name, limit_mb, window_kb, repeat, "real" if is_real else "memory")
                place = recordings / f"{'-'.join(map(str, words)).replace(' ', '_')}.iotrace"
                try:
                    done = run(disk, workload, program, limit_mb, window_kb, place, repeat, processor)
                except NotHereError as error:
                    print(f"not judged: {error}", file=sys.stderr)
                    continue
                with (recordings / "runs.jsonl").open("a") as file:
                    file.write(json.dumps(asdict(done)) + "\n")
                print(
                    *words, "pages from the device:", done.device_pages, "seconds:", done.seconds, flush=True
                )


def verdict_of(done: Run, recordings: Path) -> Verdict:
    """Predict from the recording of a run."""
    held_out = {workload.name for workload in HELD_OUT}
    verdict = judged(
        read(recordings / done.recording), done, BY_NAME[done.workload], done.workload in held_out
    )
    print(
        done.workload, done.limit_mb, "MB", done.readahead_kb, "KB:", verdict.kernel_reads, "read,",
        verdict.linux, "predicted,", verdict.low, "to", verdict.high, flush=True,
    )  # fmt: skip
    return verdict


if __name__ == "__main__":
    main()
