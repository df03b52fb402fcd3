"""Runs a workload in a memory cgroup on a file system of its own, and compares the kernel's reads with predictions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workloads import MB, Workload

from iotrace.analysis.characterize import prepared
from iotrace.analysis.memory.prediction import Prediction, memory
from iotrace.store.store import Store

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
PAGE = 4096
DISK_BYTES = 1200 * MB
MOST_SECONDS = 300
FREE_BYTES = 3 << 30
"""With less free memory the kernel may evict pages for programs outside the cgroup."""
BITMAPS_INODE = 1
"""Of ext4's cache of bitmaps of free blocks, whose pages are no file's."""
FORMER_GROUPS = Path("/sys/fs/cgroup/memory")
GROUPS = Path("/sys/fs/cgroup")


class NotHereError(Exception):
    """Why the kernel cannot be asked here."""


@dataclass(frozen=True)
class Run:
    """What the kernel did in one run; its recording has the rest."""

    workload: str
    limit_mb: int
    readahead_kb: int
    repeat: int
    """Which of the runs at this limit, from 0 on."""
    disk: str
    """memory or real."""
    recording: str
    """The name of the recording's folder."""
    device_number: int
    device_pages: int
    """Pages that the device read by its own count, metadata and reads by others included: among them the recorder,
    which looks for files' sizes after the program's end."""
    seconds: float


@dataclass(frozen=True)
class Verdict:
    """What the kernel did in one run, and what was predicted from its recording."""

    workload: str
    kind: str
    is_held_out: bool
    """Whether the model was frozen before anybody looked at this workload."""
    disk: str
    limit_mb: int
    readahead_kb: int
    repeat: int
    kernel_reads: int
    """Pages that the device read while the program ran, without metadata: those of the kernel's events."""
    metadata_reads: int
    """Pages of inodes, directories and tables of the file system that it read."""
    device_reads: int
    """Pages that the device read by its own count, while the program and the recorder's end ran."""
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
    wait_s: float | None
    """As predicted."""
    kernel_wait_s: float
    """What read calls spent at the device."""
    evicted_by_others: int
    """Pages of the file system that threads which were not recorded evicted: the machine was short of memory."""
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
    """An ext4 file system in a file, which is put back to what it was before each run."""

    def __init__(self, folder: Path, is_real: bool = False) -> None:
        """Make it in a folder; raises NotHereError where no file system can be made or mounted.

        With `is_real` its loop device reads the file past the page cache, so that reads take the time of the disk.
        """
        if shutil.which("mkfs.ext4") is None:
            raise NotHereError("mkfs.ext4 is not here")
        self.is_real = is_real
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
        options = ["--direct-io=on"] if self.is_real else []
        loop = _output(["losetup", "--find", "--show", *options, str(self.image)])
        try:
            _output(["mount", "-o", "noatime", loop, str(self.mounted)])
            try:
                yield loop.removeprefix("/dev/")
            finally:
                for _ in range(50):
                    if not subprocess.run(
                        ["umount", self.mounted], capture_output=True, check=False
                    ).returncode:
                        break
                    time.sleep(0.1)
        finally:
            subprocess.run(["losetup", "--detach", loop], check=False)

    def prepare(self, workload: Workload, program: Path) -> None:
        """Make the files of a workload, run it once without a limit, and keep the files as they were before that."""
        free_memory()
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
        if self.is_real:
            subprocess.run(["sync", target], check=True)


def free_memory() -> None:
    """Drop the machine's clean page cache if little memory is free, lest it evicts pages below the cgroup's limit."""
    pages = os.sysconf("SC_AVPHYS_PAGES")
    if pages * PAGE < FREE_BYTES:
        Path("/proc/sys/vm/drop_caches").write_text("1")


def _output(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHereError(f"no loop device can be mounted: {done.stderr.strip()}")
    return done.stdout.strip()


@contextmanager
def dirty_limit(device: str, most_mb: int | None) -> Iterator[None]:
    """Have the kernel pause who writes to a device while it has as many dirty pages."""
    limits = Path(f"/sys/block/{device}/bdi")
    if most_mb is None:
        yield
        return
    try:
        (limits / "max_bytes").write_text(str(most_mb * MB))
        (limits / "strict_limit").write_text("1")
    except OSError as error:
        raise NotHereError(f"a device has no limit of dirty pages: {error}") from None
    try:
        yield
    finally:
        (limits / "strict_limit").write_text("0")
        (limits / "max_ratio").write_text("100")


def sectors_read(counts: Path) -> int:
    return int(counts.read_text().split()[2])


def run(
    disk: Disk,
    workload: Workload,
    program: Path,
    limit_mb: int,
    readahead_kb: int,
    place: Path,
    repeat: int = 0,
    processor: int | None = None,
) -> Run:
    """Run a workload that the disk was prepared for at a limit, on one processor alone if one is given.

    Raises NotHereError where nothing can be judged.
    """
    disk.put_back()
    with (
        disk.attached() as device,
        dirty_limit(device, workload.most_dirty_mb),
        group(limit_mb * MB) as folder,
    ):
        Path(f"/sys/block/{device}/queue/read_ahead_kb").write_text(str(readahead_kb))
        counts = Path(f"/sys/block/{device}/stat")
        first = place.with_suffix(".stat")  # as the program starts: others look at a new device, too
        script = 'cat "$1" > "$2"; echo $$ > "$0/cgroup.procs"; shift 2; exec "$@"'
        enter = ["sh", "-c", script, str(folder), str(counts), str(first)]
        words = [PROGRAM, "record", "--kernel", "--backend", "bpf", "--force", "-o", str(place), "--", *enter]
        pinned = [] if processor is None else ["taskset", "--cpu-list", str(processor)]
        began = time.monotonic()
        done = subprocess.run(
            [*words, *pinned, *workload.command(disk.mounted, program)],
            capture_output=True,
            text=True,
            check=False,
            timeout=MOST_SECONDS,
        )
        seconds = time.monotonic() - began
        pages = (sectors_read(counts) - sectors_read(first)) // 8
        number = disk.mounted.stat().st_dev
    if done.returncode:
        raise NotHereError(
            f"{workload.name} at {limit_mb} MB ends with status {done.returncode}: {done.stderr[-500:]}"
        )
    return Run(
        workload.name,
        limit_mb,
        readahead_kb,
        repeat,
        "real" if disk.is_real else "memory",
        place.name,
        os.major(number) << 20 | os.minor(number),
        pages,
        round(seconds, 2),
    )


def judged(store: Store, done: Run, workload: Workload, is_held_out: bool = False) -> Verdict:
    """Compare the kernel's numbers with those predicted from the recording."""
    number = done.device_number
    with (
        store.queried() as connection,
        prepared(connection, ["disk_request", "storage_time", "call_class"], {}),
    ):
        ((reads, metadata),) = connection.execute(
            "select coalesce(sum(blocks), 0) // 8, coalesce(sum(blocks) filter ("
            f"contains(coalesce(flags, ''), 'metadata') or disk_io_file.device_number <> {number}), 0) // 8"
            " from disk_io join disk using (device) left join disk_io_file using (seq)"
            f" where operation = 'read' and disk.device_number = {number}"
        ).fetchall()
        ((inserted, peak),) = connection.execute(
            f"select coalesce(sum(pages) filter (event = 'added' and inode <> {BITMAPS_INODE}), 0)::bigint,"
            " coalesce(max(cached), 0)::bigint from ("
            " select event, inode, pages, sum(if(event = 'added', pages, -pages))"
            " over (order by time_ns rows unbounded preceding) as cached"
            " from page_cache_event"
            f" where event in ('added', 'removed') and device_number = {number})"
        ).fetchall()
        ((others,),) = connection.execute(
            "select coalesce(sum(pages), 0)::bigint from page_cache_event"
            f" where event = 'removed' and process is null and device_number = {number}"
        ).fetchall()
        ((waited_s,),) = connection.execute(
            "select coalesce(sum(device_ns + queued_ns), 0) / 1e9 from storage_time join syscall using (seq)"
            " where call in ('read', 'pread64', 'readv', 'preadv', 'preadv2')"
        ).fetchall()
    limit_bytes = done.limit_mb * MB
    samples = store.arrow("memory_sample").to_pylist()
    samples = [row for row in samples if row["limit_bytes"] == limit_bytes] or samples
    other = max(row["anonymous_bytes"] + (row["slab_bytes"] or 0) for row in samples) // PAGE
    window = done.readahead_kb << 10
    predicted = memory(store, [limit_bytes], readahead_bytes=window, device_number=number)
    at_peak = memory(
        store, [max(peak * PAGE, MB)], readahead_bytes=window, other_bytes=0, device_number=number
    )
    (row,) = predicted.rows.to_pylist()
    return Verdict(
        workload.name,
        workload.kind,
        is_held_out,
        done.disk,
        done.limit_mb,
        done.readahead_kb,
        done.repeat,
        int(reads) - int(metadata),
        int(metadata),
        done.device_pages,
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
        row["wait_s"],
        waited_s,
        others,
        int(store.manifest.get("seen", {}).get("lost_events", 0)),
        done.seconds,
    )


def insertions(prediction: Prediction) -> int:
    """Return the pages that come into the page cache at the only limit."""
    count: int = prediction.details["page_insertions"][0].as_py()
    return count
