"""Recordings of block requests: of a program whose requests are known, against the kernel's counts and ftrace."""

import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from recorders import needs_bpf

from iotrace.store import appended
from iotrace.store.store import Store, read

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 120
DISK_BYTES = 64 << 20
TRACING = Path("/sys/kernel/tracing")
STAGE_NS = 5_000
"""So far apart are the durations that BPF programs and ftrace, which prints microseconds, give of a stage."""
SHARE = 0.95
"""The least share of the requests that this holds for; interrupts come between the two at others."""

pytestmark = [needs_bpf, pytest.mark.skipif(os.geteuid() != 0, reason="makes loop devices")]

DIRECT = """
import mmap, os, sys
disk = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
buffer = mmap.mmap(-1, 1 << 20)
for line in open(sys.argv[2]):
    what, offset, length = line.split()
    part = memoryview(buffer)[: int(length)]
    done = (os.preadv if what == "read" else os.pwritev)(disk, [part], int(offset))
    assert done == int(length)
"""
BUFFERED = """
import os, random, sys
disk = os.open(sys.argv[1], os.O_RDWR)
pages = list(range(4096))
random.Random(1).shuffle(pages)
for page in pages:
    os.pwrite(disk, bytes(4096), page * 4096)
os.fsync(disk)
"""
COLUMNS = "operation, lbn, blocks, queued_ns, inserted_ns, issued_ns, completed_ns, latency_ns, service_ns"


@dataclass(frozen=True)
class Loop:
    """A loop device without a file system."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def counts(self) -> dict[str, tuple[int, int]]:
        """The requests of each kind that it completed, and their blocks (Documentation/block/stat.rst)."""
        fields = [int(word) for word in Path(f"/sys/block/{self.name}/stat").read_text().split()]
        return {"read": (fields[0], fields[2]), "write": (fields[4], fields[6])}


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    if shutil.which("losetup") is None:
        pytest.skip("losetup is not here")
    with (tmp_path / "image").open("wb") as file:
        file.truncate(DISK_BYTES)
    made = subprocess.run(
        ["losetup", "--find", "--show", "--partscan", tmp_path / "image"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no loop device can be made: {made.stderr.strip()}")
    try:
        yield Loop(Path(made.stdout.strip()))
    finally:
        subprocess.run(["losetup", "-d", made.stdout.strip()], check=True)


def record(folder: Path, *words: str | Path, status: int = 0) -> str:
    """Record requests in a folder; returns what was said."""
    done = subprocess.run(
        [PROGRAM, "record", "--block", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_SECONDS,
    )
    assert done.returncode == status, done.stderr
    return done.stderr


def asked(folder: Path) -> list[tuple[str, int, int]]:
    """Write a list of reads and writes, which no two adjoin; returns it with places and lengths in 512 bytes."""
    requests = []
    for number in range(200):
        operation = "read" if number % 3 else "write"
        requests.append((operation, (number * 7919 % 900) * 65536, 4096 * (1 + number % 15)))
    (folder / "requests").write_text("".join(f"{what} {at} {size}\n" for what, at, size in requests))
    return [(what, at // 512, size // 512) for what, at, size in requests]


def requests(store: Store, program: str | None = None) -> list[dict[str, Any]]:
    """The requests of a store in the order in which they were queued, of one process if it is named."""
    of_program = "" if program is None else f" where program = '{program}'"
    with store.queried() as connection:
        return (
            connection.execute(
                f"select {COLUMNS} from disk_io left join process using (process){of_program} order by seq"
            )
            .to_arrow_table()
            .to_pylist()
        )


def direct(folder: Path, loop: Loop) -> list[str]:
    """The command that makes the requests of the list; its processes have a name of their own."""
    (folder / "direct").symlink_to(sys.executable)
    return [str(folder / "direct"), "-S", "-c", DIRECT, str(loop.path), str(folder / "requests")]


def test_the_requests_of_a_program_are_those_that_it_made(tmp_path: Path, loop: Loop) -> None:
    made = asked(tmp_path)
    said = record(tmp_path, "--device", loop.path, "-o", "it.iotrace", "--", *direct(tmp_path, loop))
    store = read(tmp_path / "it.iotrace")
    found = requests(store, "direct")
    assert [(row["operation"], row["lbn"], row["blocks"]) for row in found] == made
    for row in found:
        stages = [row[f"{name}_ns"] for name in ("queued", "inserted", "issued", "completed")]
        known = [time_ns for time_ns in stages if time_ns is not None]
        assert None not in (stages[0], stages[2], stages[3])
        assert known == sorted(known)
        assert row["latency_ns"] == stages[3] - stages[0]
        assert row["service_ns"] == stages[3] - stages[2]
    assert store.arrow("file")["device"].to_pylist() == [0]
    assert store.arrow("file")["path"].to_pylist() == [loop.name]
    assert "none lost" in said and "iotrace: next: iotrace report" in said

    # the recording alone gives the same store
    again = [PROGRAM, "ingest", "it.iorec", "-o", "again.iotrace"]
    subprocess.run(again, cwd=tmp_path, check=True, capture_output=True)
    for table in ("disk_io", "file", "process", "use"):
        assert store.arrow(table).equals(read(tmp_path / "again.iotrace").arrow(table))


def test_requests_that_a_scheduler_merges_are_those_that_the_kernel_counts(
    tmp_path: Path, loop: Loop
) -> None:
    scheduler = Path(f"/sys/block/{loop.name}/queue/scheduler")
    if "mq-deadline" not in scheduler.read_text():
        pytest.skip("this kernel has no scheduler that merges")
    scheduler.write_text("mq-deadline")
    before = loop.counts()
    words = ["--device", loop.name, "-o", "it.iotrace", "--", sys.executable, "-c", BUFFERED, str(loop.path)]
    record(tmp_path, *words)
    after = loop.counts()
    found = requests(read(tmp_path / "it.iotrace"))
    for operation in ("read", "write"):
        of_it = [row["blocks"] for row in found if row["operation"] == operation]
        counted, blocks = (now - then for now, then in zip(after[operation], before[operation], strict=True))
        # the kernel counts what asks for a flush, and has no blocks, as a write
        flushes = sum(row["operation"] == "flush" for row in found) if operation == "write" else 0
        assert (len(of_it) + flushes, sum(of_it)) == (counted, blocks)
    assert sum(row["blocks"] for row in found if row["operation"] == "write") == 4096 * 8


@pytest.fixture
def ftrace() -> Iterator[Path]:
    """An instance of ftrace with the block layer's events."""
    place = TRACING / "instances" / f"iotrace-{os.getpid()}"
    try:
        place.mkdir()
    except OSError as error:
        pytest.skip(f"ftrace cannot be used here: {error}")
    try:
        (place / "trace_clock").write_text("mono")
        (place / "buffer_size_kb").write_text("8192")
        names = ("bio_queue", "rq_insert", "rq_issue", "rq_complete")
        for name in names:
            (place / "events" / "block" / f"block_{name}" / "enable").write_text("1")
        yield place
        for name in names:
            (place / "events" / "block" / f"block_{name}" / "enable").write_text("0")
    finally:
        place.rmdir()


def test_requests_and_stages_are_those_of_ftrace(tmp_path: Path, loop: Loop, ftrace: Path) -> None:
    asked(tmp_path)
    record(tmp_path, "--device", loop.name, "-o", "bpf.iotrace", "--", *direct(tmp_path, loop))
    number = Path(f"/sys/block/{loop.name}/dev").read_text().strip().replace(":", ",")
    lines = [line for line in (ftrace / "trace").read_text().splitlines(True) if f" {number} " in line]
    (tmp_path / "ftrace.txt").write_text("".join(lines))
    words = ["ingest", "--trace-format", "block-events", "ftrace.txt", "-o", "ftrace.iotrace"]
    subprocess.run([PROGRAM, *words], cwd=tmp_path, check=True, capture_output=True)
    bpf, text = (requests(read(tmp_path / f"{name}.iotrace"), "direct") for name in ("bpf", "ftrace"))
    assert len(bpf) == 200

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["operation"], row["lbn"], row["blocks"]

    assert [place(row) for row in bpf] == [place(row) for row in text]
    for stage in ("inserted_ns", "issued_ns", "completed_ns"):
        near = 0
        for ours, theirs in zip(bpf, text, strict=True):
            assert (ours[stage] is None) == (theirs[stage] is None)
            if ours[stage] is None:
                near += 1
                continue
            apart = (ours[stage] - ours["queued_ns"]) - (theirs[stage] - theirs["queued_ns"])
            near += abs(apart) <= STAGE_NS
        assert near >= SHARE * len(bpf), stage


def test_requests_of_a_partition_are_those_within_it(tmp_path: Path, loop: Loop) -> None:
    if shutil.which("sfdisk") is None:
        pytest.skip("sfdisk is not here")
    table = "label: dos\nstart=2048, size=65536\nstart=67584\n"
    subprocess.run(["sfdisk", "-q", loop.path], input=table.encode(), check=True, capture_output=True)
    partition = Path(f"{loop.path}p1")
    until = time.monotonic() + 10
    while not Path(f"/sys/class/block/{partition.name}").exists():
        if time.monotonic() > until:
            pytest.skip("partitions of loop devices are not found here")
        time.sleep(0.05)
    made = asked(tmp_path)
    record(tmp_path, "--device", partition.name, "-o", "it.iotrace", "--", *direct(tmp_path, loop))
    found = [
        (row["operation"], row["lbn"], row["blocks"])
        for row in requests(read(tmp_path / "it.iotrace"), "direct")
    ]
    within = [request for request in made if 2048 <= request[1] < 2048 + 65536]
    assert found == within and 0 < len(within) < len(made)


def test_a_recording_ends_with_a_signal_and_a_cut_one_is_read_to_its_last_block(
    tmp_path: Path, loop: Loop
) -> None:
    made = asked(tmp_path)
    words = [PROGRAM, "record", "--block", "--device", loop.name, "-o", "it.iotrace"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE) as recorder:
        until = time.monotonic() + MOST_SECONDS
        while not ((log := tmp_path / "it.partial").exists() and log.stat().st_size):
            assert time.monotonic() < until
            time.sleep(0.05)
        subprocess.run(direct(tmp_path, loop), check=True)
        time.sleep(1.5)  # what was recorded is written each second
        written = log.read_bytes()
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=MOST_SECONDS)[1].decode()
    assert recorder.returncode == 0, said
    assert len(requests(read(tmp_path / "it.iotrace"), "direct")) == len(made)
    whole = (tmp_path / "it.iorec").read_bytes()
    assert whole.startswith(written)
    for content in (written, whole[:-1]):
        (tmp_path / "cut.iorec").write_bytes(content)
        words = [PROGRAM, "ingest", "--force", "cut.iorec", "-o", "cut.iotrace"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert len(requests(read(tmp_path / "cut.iotrace"), "direct")) == len(made)
    assert "ends within a block" in done.stderr


def test_a_recording_keeps_its_end_within_a_size(tmp_path: Path, loop: Loop) -> None:
    lines = "".join(f"write {4096 * (number * 7919 % 16000)} 4096\n" for number in range(250_000))
    (tmp_path / "requests").write_text(lines)
    words = ["--max-size", "1M", "--device", loop.name, "-o", "it.iotrace", "-f", "json"]
    said = record(tmp_path, *words, "--", *direct(tmp_path, loop))
    assert (tmp_path / "it.iorec").stat().st_size <= 2 << 20
    store = read(tmp_path / "it.iotrace")
    recording = json.loads((tmp_path / "it.iotrace" / "manifest.json").read_text())["recording"]
    assert recording["dropped_events"] > 0
    kept = len(requests(store, "direct"))
    # requests of others may be among those lost
    assert kept + recording["lost_events"] >= 250_000
    assert recording["records"] + recording["lost_events"] - recording["dropped_events"] >= kept
    assert "were lost or dropped by the recorder" in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--pid", "1"], "--block cannot be combined with --pid"),
        (["--system", "--seconds", "1"], "--block cannot be combined with --system"),
        (["--kernel", "--", "true"], "--block cannot be combined with --kernel"),
        (["--redact", "a", "--", "true"], "--block cannot be combined with --redact"),
        (["--backend", "strace", "--", "true"], "--block cannot be combined with --backend strace"),
        (["--device", "nosuch"], "--device nosuch: there is no such block device"),
        (["--device", "/dev/nosuch"], "--device /dev/nosuch: No such file or directory"),
        (["--device", "/dev/null"], "--device /dev/null: is not a block device"),
        (["--device", ""], "--device '': is not the name of a block device"),
    ],
)
def test_what_cannot_be_recorded_is_refused_before(tmp_path: Path, words: list[str], why: str) -> None:
    said = record(tmp_path, *words, status=2)
    assert said.startswith(f"iotrace: {why}") and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_device_needs_block(tmp_path: Path) -> None:
    words = [PROGRAM, "record", "--device", "sda", "--", "true"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "iotrace: --device needs --block\n")


def test_the_status_is_that_of_the_command(tmp_path: Path, loop: Loop) -> None:
    script = f"dd if={loop.path} of=/dev/null bs=4k count=1 iflag=direct; exit 7"
    record(tmp_path, "--device", loop.name, "-o", "it.iotrace", "--", "sh", "-c", script, status=7)
    assert len(requests(read(tmp_path / "it.iotrace"), "dd")) == 1


@pytest.mark.nightly
def test_no_request_is_lost_between_recordings(loop: Loop, tmp_path: Path) -> None:
    """A store of recordings that follow each other has each request once, and each recording those that began in it."""
    store = tmp_path / "disks.iotrace"
    words = [PROGRAM, "record", "--block", "--device", loop.path, "--rotate", "1s", "-o", store]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as recorder:
        while not ((log := tmp_path / "disks.partial").exists() and log.stat().st_size):
            time.sleep(0.01)
        before = loop.counts()
        disk = os.open(loop.path, os.O_RDWR | os.O_DIRECT)
        buffer = mmap.mmap(-1, 4096)
        began, written = time.monotonic(), 0
        while time.monotonic() - began < 6:
            written += os.pwrite(disk, buffer, written % DISK_BYTES) // 4096 * 4096
        os.close(disk)
        recorder.send_signal(signal.SIGINT)
        assert recorder.stderr is not None
        told = recorder.stderr.read().decode()
        assert recorder.wait(MOST_SECONDS) == 0, told
    (kind,) = [kind for kind, count in loop.counts().items() if count != before[kind]]
    made = loop.counts()[kind][0] - before[kind][0]
    assert (kind, made) == ("write", written // 4096)
    listed = appended.entries(read(store))
    assert len(listed) > 2
    assert sum(one["rows"] for one in listed) == made
    assert read(store).sql("select sum(blocks) from disk_io where operation = 'write'").fetchall() == [
        (8 * made,)
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disks.iotrace", "image"]
