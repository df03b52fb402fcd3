"""Faults at random moments: writers are killed, or run out of disk space, memory or descriptors.

    python tests/faults/driver.py --kills 300 --others 20 --seed 1

Afterwards the old output or the new one exists, and the next run removes leftovers. The table says so:
operation, fault, outcome, count; what should not be is shown with the seed that repeats it, and ends with status 1.
An interrupt (Ctrl-C) ends it with the table so far.
"""

import argparse
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from operations import LOG, OPERATIONS, SMALL_LOG, Operation, State

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 300
BAD = "BAD: "
INGEST = OPERATIONS[0]


@dataclass
class Place:
    """A folder to write in, one for temporary files, and the inputs."""

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def temporary(self) -> Path:
        return self.root / "temporary"

    def start(
        self, operation: Operation, before: Callable[[], None] | None = None, words: tuple[str, ...] = ()
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [PROGRAM, *(words or operation.words)],
            cwd=self.work,
            env={**os.environ, "TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(self.root / "cache")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=before,
        )

    def renew(self, operation: Operation) -> None:
        """Have the old thing, and nothing else."""
        for folder in (self.work, self.temporary):
            if folder.exists():
                empty(folder)
            folder.mkdir(exist_ok=True)
        operation.prepare(self.root / "inputs", self.work)

    def left(self, operation: Operation) -> list[str]:
        """Return the names of files that should not remain."""
        here = [path.name for path in self.work.iterdir() if path.name not in operation.outputs]
        kept = [name for name in here if operation.keeps and name.endswith(operation.keeps)]
        return sorted({*here, *(path.name for path in self.temporary.iterdir())} - set(kept))


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


@dataclass
class Results:
    """The outcomes of each operation and fault."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)

    def add(self, operation: str, fault: str, outcome: str, detail: str) -> None:
        self.counts[operation, fault, outcome] += 1
        if outcome.startswith(BAD):
            self.bad.append(f"{operation}, {fault}, {detail}: {outcome}")

    def table(self) -> str:
        rows = [("operation", "fault", "outcome", "count")]
        rows += [(*key, str(count)) for key, count in sorted(self.counts.items())]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )


def prepared(root: Path) -> Place:
    """Make the inputs: a trace's store, a small one's, and words to read."""
    place = Place(root)
    inputs = root / "inputs"
    inputs.mkdir()
    (inputs / "words").write_text("words\n")
    for log, name in ((LOG, "in"), (SMALL_LOG, "small")):
        subprocess.run(
            [PROGRAM, "ingest", log, "-o", inputs / f"{name}.iotrace"], check=True, capture_output=True
        )
    return place


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Wait for a process, then end its children; return its status and its messages."""
    try:
        _, complaint = process.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        _, complaint = process.communicate()
        complaint += b"\nTIMEOUT"
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, complaint.decode("utf-8", "replace")


def outcome_of(
    place: Place, operation: Operation, before: State, status: int, complaint: str, fault: str = ""
) -> str:
    """Describe how a run ended and what output exists; a bad outcome begins with `BAD`.

    Where memory or descriptors are short, the libraries that iotrace loads may end the process on their own, and Python
    may not start, before a line of iotrace has run.
    """
    state = operation.state(place.work)
    not_started = "Fatal Python error: init" in complaint
    if not_started:
        ending = "Python does not start"
    elif status == 0:
        ending = "done"
    elif status < 0 or status in (127, 128 + signal.SIGABRT):
        ending = "killed" if status == -signal.SIGKILL else "aborted"
    elif complaint and not complaint.splitlines()[-1].startswith("iotrace: "):
        ending = "ended by a library"
    else:
        ending = "refused"
    wrong = [
        state not in (before, State.NEW),
        status == 0 and state is not State.NEW,
        "TIMEOUT" in complaint,
        ("Traceback" in complaint and not not_started)
        or "a defect" in complaint
        or "internal error" in complaint,
        ending in ("aborted", "ended by a library") and fault not in ("RLIMIT_AS", "RLIMIT_NOFILE"),
    ]
    left = place.left(operation)
    outcome = f"{ending}, {state.value}"
    if left:
        again_status, again = ended(place.start(operation, words=again_words(operation)))
        still = place.left(operation)
        outcome += ", the next run removes the rest"
        wrong += [again_status != 0, bool(still), ending == "refused"]
        if any(wrong[-3:]):
            outcome += f" (left {left} then {still}: {again.splitlines()[-1:]})"
    if any(wrong):
        outcome = f"{BAD}{outcome}: {complaint.splitlines()[-1:]}"
    return outcome


def again_words(operation: Operation) -> tuple[str, ...]:
    """Return the arguments of a run that may replace existing output."""
    return operation.words if "--force" in operation.words else (*operation.words, "--force")


def run_kills(
    place: Place, results: Results, number: int, seed: int, operations: tuple[Operation, ...]
) -> None:
    for operation in operations:
        place.renew(operation)
        began_s = time.monotonic()
        status, complaint = ended(place.start(operation))
        whole_s = time.monotonic() - began_s
        if (outcome := outcome_of(place, operation, State.NEW, status, complaint)) != "done, new":
            results.add(operation.name, "none", BAD + outcome, complaint)
            continue
        for trial in range(number // len(operations)):
            draw = random.Random(f"{seed} {operation.name} {trial}")
            place.renew(operation)
            before = operation.state(place.work)
            process = place.start(operation)
            time.sleep(draw.uniform(0.1, 1.0) * whole_s)
            process.kill()
            status, complaint = ended(process)
            outcome = outcome_of(place, operation, before, status, complaint)
            results.add(operation.name, "kill -9", outcome, f"seed {seed} trial {trial}")


def limit(kind: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (most, most))


LIMITS: dict[str, tuple[int, Callable[[random.Random], int]]] = {
    "RLIMIT_FSIZE": (resource.RLIMIT_FSIZE, lambda draw: int(2 ** draw.uniform(8, 22))),
    "RLIMIT_AS": (resource.RLIMIT_AS, lambda draw: int(draw.uniform(0.1, 3) * 2**30)),
    "RLIMIT_NOFILE": (resource.RLIMIT_NOFILE, lambda draw: draw.randrange(4, 24)),
}


def run_limits(
    place: Place, results: Results, number: int, seed: int, operations: tuple[Operation, ...]
) -> None:
    for operation in operations:
        for fault, (kind, most) in LIMITS.items():
            for trial in range(number):
                draw = random.Random(f"{seed} {operation.name} {fault} {trial}")
                value = most(draw)
                place.renew(operation)
                before = operation.state(place.work)
                status, complaint = ended(place.start(operation, limit(kind, value)))
                outcome = outcome_of(place, operation, before, status, complaint, fault)
                results.add(operation.name, fault, outcome, f"seed {seed} trial {trial} limit {value}")


@contextlib.contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[bool]:
    """Have a small disk in a folder; gives whether that is permitted."""
    words = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "iotrace-faults", str(folder)]
    try:
        is_mounted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        is_mounted = False
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", str(folder)], check=True)


def run_full_disks(
    place: Place, results: Results, number: int, seed: int, operations: tuple[Operation, ...]
) -> None:
    for operation in operations:
        for trial in range(number):
            draw = random.Random(f"{seed} {operation.name} disk {trial}")
            place.renew(operation)
            old_bytes = sum(512 * path.stat().st_blocks for path in place.work.rglob("*"))
            size_bytes = old_bytes + int(2 ** draw.uniform(16, 23))
            with small_disk(place.work, size_bytes) as is_mounted:
                if not is_mounted:
                    results.add(operation.name, "full disk", "skipped: no right to mount a tmpfs", "")
                    break
                place.renew(operation)
                before = operation.state(place.work)
                status, complaint = ended(place.start(operation))
                left = place.left(operation)
                outcome = f"{'done' if status == 0 else 'refused'}, {operation.state(place.work).value}"
                is_right = operation.state(place.work) is (State.NEW if status == 0 else before)
                if left or not is_right or status not in (0, 1):
                    outcome = f"{BAD}status {status}, {outcome} {left} {complaint.splitlines()[-3:]}"
                results.add(
                    operation.name, "full disk", outcome, f"seed {seed} trial {trial} size {size_bytes}"
                )


def run_two_writers(place: Place, results: Results, number: int) -> None:
    """Of two ingests to one place without --force, one is refused."""
    for trial in range(number):
        place.renew(INGEST)
        both = [place.start(INGEST), place.start(INGEST)]
        ends = [ended(process) for process in both]
        statuses, state, left = (
            sorted(status for status, _ in ends),
            INGEST.state(place.work),
            place.left(INGEST),
        )
        is_right = statuses == [0, 2] and state is State.NEW and not left
        outcome = f"{'' if is_right else BAD}statuses {statuses}, {state.value}"
        results.add("ingest", "two writers", outcome, f"trial {trial} {left} {ends}")


def run(
    results: Results, root: Path, kills: int, others: int, seed: int, operations: tuple[Operation, ...]
) -> None:
    place = prepared(root)
    run_kills(place, results, kills, seed, operations)
    run_limits(place, results, others, seed, operations)
    run_full_disks(place, results, others, seed, operations)
    if INGEST in operations:
        run_two_writers(place, results, others)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=300, help="how many, over all operations")
    parser.add_argument(
        "--others", type=int, default=20, help="how many of each other fault for each operation"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="operations whose names begin so")
    given = parser.parse_args()
    chosen = tuple(one for one in OPERATIONS if one.name.startswith(given.only or ""))
    results = Results()
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        run(results, Path(folder), given.kills, given.others, given.seed, chosen)
    print(f"seed {given.seed}\n{results.table()}")
    print("\n".join(results.bad))
    raise SystemExit(1 if results.bad else 0)


if __name__ == "__main__":
    main()
