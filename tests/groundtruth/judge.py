"""Runs a workload in a memory cgroup on a file system of its own, and compares the kernel's reads with predictions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from workloads import MB, Workload

from iotrace.analysis.characterize import prepared
from iotrace.analysis.memory.prediction import Prediction, memory
from iotrace.store.store import Store, read

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
PAGE = 4096
DISK_BYTES = 1200 * MB
MOST_SECONDS = 300
FORMER_GROUPS = Path("/sys/fs/cgroup/memory")
GROUPS = Path("/sys/fs/cgroup")


class NotHereError(Exception):
    """Why the kernel cannot be asked here."""


@dataclass(frozen=True)
class Verdict:
    """What the kernel did in one run, and what was predicted."""

    workload: str
    kind: str
    limit_mb: int
    readahead_kb: int
    kernel_reads: int
    """Pages that the device read, without metadata."""
    metadata_reads: int
    """Pages of inodes, directories and tables of the file system that it read."""
    kernel_insertions: int
    """Pages of files that came into the page cache."""
    peak_pages: int
    """The most pages of the file system that were cached: those that came less those that left."""
    other_pages: int
    """The most memory of programs and of the kernel's objects."""
    lru: int
    optimum: int
    linux: int
    low: int
    high: int
    linux_insertions: int
    linux_at_peak: int
    linux_insertions_at_peak: int
    lost: int
    """Events that the recorder lost."""
    seconds: float

    def error(self, predicted: int, kernel: int) -> float:
        """Return by how many percent of the kernel's number a prediction is off."""
        return 100 * (predicted - kernel) / max(kernel, 1)


def version() -> int:
    """Return the version of the cgroups that limit memory; raises NotHereError where none does."""
    if (FORMER_GROUPS / "memory.limit_in_bytes").exists():
        return 1
    if "memory" in (GROUPS / "cgroup.controllers").read_text().split():
        return 2
    raise NotHereError("no memory cgroup is here")


@contextmanager
def group(limit_bytes: int) -> Iterator[Path]:
    """Make a cgroup with a limit of memory; raises NotHereError where that is not allowed."""
    number = version()
    folder = (FORMER_GROUPS if number == 1 else GROUPS) / f"iotrace-judge-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / ("memory.limit_in_bytes" if number == 1 else "memory.max")).write_text(str(limit_bytes))
    except OSError as error:
        if folder.exists():
            folder.rmdir()
        raise NotHereError(f"no memory cgroup can be made: {error}") from None
    try:
        yield folder
    finally:
        for _ in range(100):
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)


class Disk:
    """An ext4 file system in memory, which is put back to what it was before each run."""

    def __init__(self, folder: Path) -> None:
        """Make it in a folder; raises NotHereError where no file system can be made or mounted."""
        if shutil.which("mkfs.ext4") is None:
            raise NotHereError("mkfs.ext4 is not here")
        self.image, self.kept, self.mounted = (folder / name for name in ("image", "kept", "mounted"))
        self.mounted.mkdir()
        with self.image.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.image], check=True)
        with self.attached():
            pass

    @contextmanager
    def attached(self) -> Iterator[str]:
        """Mount it for a block, cold, and give the name of its device."""
        words = ["mount", "-o", "loop,noatime", str(self.image), str(self.mounted)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotHereError(f"no loop device can be mounted: {done.stderr.strip()}")
        try:
            number = self.mounted.stat().st_dev
            yield Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name
        finally:
            for _ in range(50):
                if not subprocess.run(["umount", self.mounted], capture_output=True, check=False).returncode:
                    break
                time.sleep(0.1)

    def prepare(self, workload: Workload, program: Path) -> None:
        """Make the files of a workload, run it once without a limit, and keep the files as they were before that."""
        with self.attached():
            workload.prepare(self.mounted)
        self._copy(self.image, self.kept)
        with self.attached():  # programs and libraries are cached after that
            subprocess.run(workload.command(self.mounted, program), stdout=subprocess.DEVNULL, check=True)

    def put_back(self) -> None:
        """Put the files back."""
        self._copy(self.kept, self.image)

    def _copy(self, source: Path, target: Path) -> None:
        subprocess.run(["cp", "--sparse=always", source, target], check=True)


def sectors_read(device: str) -> int:
    return int(Path(f"/sys/block/{device}/stat").read_text().split()[2])


def run(
    disk: Disk, workload: Workload, program: Path, limit_mb: int, readahead_kb: int, place: Path
) -> Verdict:
    """Run a workload that the disk was prepared for at a limit; raises NotHereError where nothing can be judged."""
    disk.put_back()
    with disk.attached() as device, group(limit_mb * MB) as folder:
        Path(f"/sys/block/{device}/queue/read_ahead_kb").write_text(str(readahead_kb))
        enter = ["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', str(folder)]
        words = [PROGRAM, "record", "--kernel", "--backend", "bpf", "--force", "-o", str(place), "--", *enter]
        before, began = sectors_read(device), time.monotonic()
        done = subprocess.run(
            [*words, *workload.command(disk.mounted, program)],
            capture_output=True,
            text=True,
            check=False,
            timeout=MOST_SECONDS,
        )
        seconds, pages = time.monotonic() - began, (sectors_read(device) - before) // 8
        number = disk.mounted.stat().st_dev
    if done.returncode:
        raise NotHereError(
            f"{workload.name} at {limit_mb} MB ends with status {done.returncode}: {done.stderr[-500:]}"
        )
    return judged(read(place), workload, limit_mb, readahead_kb, pages, number, seconds)


def judged(
    store: Store,
    workload: Workload,
    limit_mb: int,
    readahead_kb: int,
    pages: int,
    device: int,
    seconds: float,
) -> Verdict:
    """Compare the kernel's numbers with those predicted from the recording."""
    number = os.major(device) << 20 | os.minor(device)
    with store.queried() as connection, prepared(connection, ["disk_request"], {}):
        ((data,),) = connection.execute(
            "select coalesce(sum(blocks), 0) // 8 from disk_io join disk_io_file using (seq)"
            f" where operation = 'read' and device_number = {number}"
        ).fetchall()
    samples = store.arrow("memory_sample").to_pylist()
    events = store.arrow("page_cache_event", ["event", "device_number", "pages"]).to_pylist()
    inserted = cached = peak = 0
    for row in events:
        if row["device_number"] == number and row["event"] in ("added", "removed"):
            is_added = row["event"] == "added"
            inserted += row["pages"] if is_added else 0
            cached += row["pages"] if is_added else -row["pages"]
            peak = max(peak, cached)
    samples = [row for row in samples if row["limit_bytes"] == limit_mb * MB] or samples
    other = max(row["anonymous_bytes"] + (row["slab_bytes"] or 0) for row in samples) // PAGE
    predicted = memory(store, [limit_mb * MB], readahead_bytes=readahead_kb << 10, device_number=number)
    at_peak = memory(
        store, [max(peak * PAGE, MB)], readahead_bytes=readahead_kb << 10, other_bytes=0, device_number=number
    )
    (row,) = predicted.rows.to_pylist()
    return Verdict(
        workload.name,
        workload.kind,
        limit_mb,
        readahead_kb,
        int(data),
        pages - int(data),
        inserted,
        peak,
        other,
        row["page_reads_lru"],
        row["page_reads_optimum"],
        row["page_reads_linux"],
        row["page_reads_low"],
        row["page_reads_high"],
        insertions(predicted),
        at_peak.rows["page_reads_linux"][0].as_py(),
        insertions(at_peak),
        int(store.manifest.get("seen", {}).get("lost_events", 0)),
        round(seconds, 2),
    )


def insertions(prediction: Prediction) -> int:
    """Return the pages that come into the page cache at the only limit."""
    count: int = prediction.details["page_insertions"][0].as_py()
    return count


def line(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as it is kept."""
    return asdict(verdict)
