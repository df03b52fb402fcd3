"""What storage calls wait for, and when threads have no processor, of programs whose time is known by other means."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import needs_bpf

from iotrace.analysis.advice import advise
from iotrace.analysis.answers.ask import first_screen
from iotrace.analysis.characterize import prepared
from iotrace.store.skipped import losses
from iotrace.store.store import Store, read

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).with_name("iotrace"))
SHARE = 0.9
"""Of the time of each kind, at least this is in the part where it belongs, or in other."""
MOST_SECONDS = 120
DISK_BYTES = 192 << 20

pytestmark = [needs_bpf, pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")]


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of its own on a loop device, with a file that no cache holds."""
    folder = tmp_path_factory.mktemp("disk")
    image, mounted = folder / "image", folder / "mounted"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("mkfs.ext4 is not here")
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    done = subprocess.run(
        ["mount", "-o", "loop", image, mounted], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no loop device can be mounted: {done.stderr.strip()}")
    try:
        subprocess.run([sys.executable, HERE / "storage_program.py", "prepare", mounted], check=True)
        yield mounted
    finally:
        subprocess.run(["umount", mounted], check=True)


def recorded(folder: Path, what: str, where: Path, *options: str) -> Store:
    store = folder / f"{what}.iotrace"
    words = [PROGRAM, "record", "--kernel", "-o", str(store), *options, "--"]
    words += [sys.executable, str(HERE / "storage_program.py"), what, str(where)]
    subprocess.run(words, check=True, capture_output=True, timeout=MOST_SECONDS)
    return read(store)


def parts(store: Store, call: str) -> dict[str, float]:
    """The shares of the time of calls, by a pattern of their name, on the file by part."""
    found = times(store, call)
    whole = sum(found[name] for name in ("device", "queued", "memory", "other"))
    return {name: part / whole for name, part in found.items()}


def times(store: Store, call: str) -> dict[str, int]:
    """The same in ns. The first four add up to the time of the calls, and the last three to other."""
    names = ("device", "queued", "memory", "other", "other_blocked", "other_runnable", "other_running")
    with store.queried() as connection, prepared(connection, ["storage_time", "timed_call"], {}):
        rows = connection.execute(
            f"select duration_ns, {', '.join(f'{name}_ns' for name in names)} from storage_time"
            f" join timed_call using (seq) where call like '{call}' and file like '%/file'"
        ).fetchall()
    assert rows
    assert all(whole == sum(row[:4]) and row[3] == sum(row[4:]) and min(row) >= 0 for whole, *row in rows)
    return {name: sum(row[place] for row in rows) for place, name in enumerate(names, 1)}


def test_direct_reads_are_the_devices(tmp_path: Path, disk: Path) -> None:
    found = parts(recorded(tmp_path, "direct", disk), "preadv%")
    assert found["device"] + found["queued"] + found["other"] >= SHARE
    assert found["device"] > 0
    assert found["memory"] == 0


def test_cold_reads_wait_for_the_device(tmp_path: Path, disk: Path) -> None:
    found = parts(recorded(tmp_path, "cold", disk), "pread64")
    assert found["device"] + found["queued"] + found["other"] >= SHARE
    assert found["device"] > found["memory"]


def test_warm_reads_are_from_memory(tmp_path: Path, disk: Path) -> None:
    found = parts(recorded(tmp_path, "warm", disk), "pread64")
    assert found["memory"] + found["other"] >= SHARE
    assert found["memory"] > found["other"]
    assert found["device"] == 0


def test_the_first_screen_divides_storage_calls_as_the_view_does(tmp_path: Path, disk: Path) -> None:
    store = recorded(tmp_path, "direct", disk)
    with store.queried() as connection, prepared(connection, ["storage_time"], {}):
        ((device_ns, whole_ns),) = connection.execute(
            "select sum(device_ns), sum(device_ns + queued_ns + memory_ns + other_ns) from storage_time"
        ).fetchall()
    time = first_screen(store).time
    assert time is not None
    said = re.search(r"([0-9.]+) % at the device", time.causes)
    assert said is not None
    assert (
        abs(float(said[1]) - 100 * device_ns / whole_ns) < 0.1
    )  # a tenth, rounded so that all add up to 100 %


def test_files_from_before_the_recording_are_known(tmp_path: Path, disk: Path) -> None:
    words = [sys.executable, str(HERE / "storage_program.py"), "opened_before", str(disk)]
    program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdin is not None and program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    store = tmp_path / "attached.iotrace"
    recorder = subprocess.Popen(
        [PROGRAM, "record", "--kernel", "-o", store, "-p", str(program.pid)], stderr=subprocess.PIPE
    )
    until = time.monotonic() + MOST_SECONDS
    log = tmp_path / "attached.partial"
    while not (log.exists() and log.stat().st_size) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)  # what it wrote last is the processes
    program.stdin.write("go\n")
    program.stdin.flush()
    assert program.stdout.readline() == "done\n"
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate(timeout=MOST_SECONDS)[1]
    program.communicate("end\n", timeout=MOST_SECONDS)
    assert recorder.returncode == 0, said.decode()
    assert parts(read(store), "read")["device"] > 0
    with read(store).queried() as connection, prepared(connection, ["opened_file"], {}):
        ((pages,),) = connection.execute(
            "select sum(pages) from page_cache_event join opened_file using (device_number, inode)"
            " where event = 'added' and path like '%/file'"
        ).fetchall()
    assert pages == (64 << 20) // 4096


def test_what_reads_have_is_what_was_read_from_the_disk(tmp_path: Path, disk: Path) -> None:
    store = recorded(tmp_path, "cold", disk)
    with store.queried() as connection, prepared(connection, ["opened_file"], {}):
        ((pages, events),) = connection.execute(
            "select sum(pages), count(*) from page_cache_event join opened_file using (device_number, inode)"
            " where event = 'added' and path like '%/file'"
        ).fetchall()
        ((blocks,),) = connection.execute(
            "select sum(blocks) from disk_io join disk_io_file using (seq)"
            " join opened_file using (device_number, inode) where operation = 'read' and path like '%/file'"
        ).fetchall()
    # each of 500 different pages is read once, and alone
    assert (pages, events) == (500, 500)
    assert blocks == 8 * pages


def test_fsync_waits_for_the_device(tmp_path: Path, disk: Path) -> None:
    found = parts(recorded(tmp_path, "fsync", disk), "fsync")
    assert found["device"] + found["queued"] + found["other"] >= SHARE
    assert found["device"] > 0.5


def test_waiting_for_a_lock_of_an_inode_is_not_the_devices(tmp_path: Path, disk: Path) -> None:
    assert parts(recorded(tmp_path, "lock", disk), "pwrite64")["other"] >= SHARE


def test_waiting_for_a_frozen_file_system_is_being_blocked(tmp_path: Path, disk: Path) -> None:
    found = parts(recorded(tmp_path, "frozen", disk), "pwrite64")
    assert found["other_blocked"] >= SHARE


def test_waiting_for_room_for_dirty_pages_is_not_the_devices(tmp_path: Path, disk: Path) -> None:
    limits = {Path("/proc/sys/vm/dirty_bytes"): 8 << 20, Path("/proc/sys/vm/dirty_background_bytes"): 4 << 20}
    ratios = [Path(f"/proc/sys/vm/dirty_{name}ratio") for name in ("", "background_")]
    former = {place: place.read_text() for place in [*ratios, *limits]}
    try:
        for place, limit in limits.items():
            place.write_text(str(limit))
        store = recorded(tmp_path, "dirty", disk)
    except PermissionError as error:
        pytest.skip(f"the limits cannot be set: {error}")
    finally:
        for place, value in former.items():
            if value.strip() != "0":  # setting a ratio removes the number of bytes
                place.write_text(value)
    found = parts(store, "pwrite64")
    assert found["other"] >= SHARE
    assert found["other_blocked"] > 0.5


RUNNABLE = """
with written as (
    select thread, min(time_ns) as first_ns, max(time_ns + duration_ns) as end_ns
    from syscall where call = 'pwrite64' group by thread
)
select coalesce(sum(off_cpu.duration_ns - blocked_ns) filter (call = 'pwrite64'), 0)::bigint,
       sum(off_cpu.duration_ns - blocked_ns)::bigint
from off_cpu join written on off_cpu.thread = written.thread and time_ns between first_ns and end_ns + 1000000
"""
"""How long the writing threads waited for a processor, in writes and in all; some calls end just before it is lost."""


def test_calls_without_a_processor_wait_for_one(tmp_path: Path) -> None:
    """Four processes share a processor, nearly always in writes of several ticks; the kernel counts their waits.

    Their files are in memory: on a disk, what other programs write keeps them waiting, too.
    """
    mounted = tmp_path / "memory"
    mounted.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", mounted], check=True)
    try:
        store = recorded(tmp_path, "share", mounted)
        waited_ns = sum(
            int((mounted / who / "delay").read_text()) for who in map("process_{}".format, range(4))
        )
    finally:
        subprocess.run(["umount", mounted], check=True)
    found = times(store, "pwrite64")
    with store.queried() as connection:
        ((in_calls_ns, whole_ns),) = connection.execute(RUNNABLE).fetchall()
    assert whole_ns == pytest.approx(waited_ns, rel=0.1)
    assert found["other_runnable"] == pytest.approx(in_calls_ns, rel=0.05)
    assert found["other_running"] > found["other_blocked"]
    with store.queried() as connection, prepared(connection, ["timed_call"], {}):
        ((cost_ns, at_stake_ns),) = connection.execute(
            "select sum(cost_ns), sum(at_stake_ns) from timed_call where call = 'pwrite64'"
        ).fetchall()
    assert cost_ns - at_stake_ns == pytest.approx(in_calls_ns, rel=0.05)
    said = re.match(
        r"([0-9.]+) % of the time in storage calls is waiting for a processor",
        first_screen(store).headline.sentence,
    )
    # a process that is preempted waits within a call, or as it returns from one: about half of the waits are in calls
    percent = 100 * in_calls_ns / cost_ns
    assert said is not None or percent < 55
    assert said is None or percent > 45
    if said is not None:
        assert float(said[1]) == pytest.approx(percent, abs=5)


def split(store: Store) -> dict[str, int]:
    """The clock's time by state, in ns."""
    with store.queried() as connection, prepared(connection, ["wall_time"], {}):
        rows = connection.execute("select state, wall_ns from wall_time where process is null").fetchall()
    return dict(rows)


def test_a_thread_without_a_processor_waits_for_one(tmp_path: Path) -> None:
    """Two threads of different processes compute for a second each on the same processor."""
    found = split(recorded(tmp_path, "compete", tmp_path))
    # one of them computes while the other is waiting
    assert "not_recorded" not in found
    assert found["computing"] > SHARE * 1_000_000_000
    with recorded(tmp_path / "again", "compete", tmp_path).queried() as connection:
        ((runnable_ns, blocked_ns),) = connection.execute(
            "select sum(duration_ns - blocked_ns), sum(blocked_ns) from off_cpu where call is null"
        ).fetchall()
    # each needs 0.5 s of the processor, and both together take 1 s
    assert runnable_ns > 0.7e9
    assert blocked_ns < 0.1e9


def test_faults_of_a_mapped_file_are_waits_outside_calls(tmp_path: Path, disk: Path) -> None:
    store = recorded(tmp_path, "mapped", disk)
    with store.queried() as connection, prepared(connection, ["opened_file"], {}):
        ((faults,),) = connection.execute(
            "select count(distinct page) from page_cache_event join opened_file using (device_number, inode)"
            " where event = 'fault' and path like '%/file'"
        ).fetchall()
        ((blocked_ns,),) = connection.execute(
            "select sum(blocked_ns) from off_cpu where call is null and state = 'uninterruptible'"
        ).fetchall()
    assert faults >= 500
    assert blocked_ns > 0


def test_io_uring_has_files_and_offsets(tmp_path: Path, disk: Path) -> None:
    program = tmp_path / "ring"
    done = (
        subprocess.run(["cc", "-O1", "-o", program, HERE / "ring_reads.c"], capture_output=True, check=False)
        if shutil.which("cc")
        else None
    )
    if done is None or done.returncode:
        pytest.skip("no C compiler with the kernel's headers is here")
    store_place = tmp_path / "ring.iotrace"
    run = subprocess.run(
        [PROGRAM, "record", "--kernel", "-o", store_place, "--", program, disk / "file"],
        capture_output=True,
        check=False,
    )
    if run.returncode == 77:
        pytest.skip("io_uring is not allowed here")
    assert run.returncode == 0, run.stderr.decode()
    with read(store_place).queried() as connection, prepared(connection, ["opened_file"], {}):
        rows = connection.execute(
            'select operation, "offset", length, result, path from ring_request'
            " join opened_file using (device_number, inode) order by all"
        ).fetchall()
    assert rows == [("read", 8192 * number, 4096, 4096, str(disk / "file")) for number in range(256)]


def test_calls_without_kernel_events_have_no_parts(tmp_path: Path) -> None:
    store = tmp_path / "plain.iotrace"
    subprocess.run(
        [PROGRAM, "record", "-o", store, "--", "cat", "/etc/hostname"], check=True, capture_output=True
    )
    with read(store).queried() as connection, prepared(connection, ["storage_time"], {}):
        assert connection.execute("from storage_time").fetchall() == []


def test_other_backends_refuse_it(tmp_path: Path) -> None:
    words = [PROGRAM, "record", "--kernel", "--backend", "strace", "-o", tmp_path / "s.iotrace", "--", "true"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--kernel needs BPF programs" in done.stderr


def advised(store: Store, rule: str = "one_at_a_time") -> list[str]:
    return [card.title for card in advise(store, [rule]).cards]


def test_reads_are_to_be_overlapped_only_if_they_waited(tmp_path: Path, disk: Path) -> None:
    assert advised(recorded(tmp_path, "direct_alone", disk)) != []
    assert advised(recorded(tmp_path, "warm_alone", disk)) == []


def test_random_reads_are_at_stake_only_if_they_needed_the_disk(tmp_path: Path, disk: Path) -> None:
    (title,) = advised(recorded(tmp_path, "cold", disk), "random_reads")
    assert title.startswith("500 random reads of a large file")
    assert advised(recorded(tmp_path, "warm", disk), "random_reads") == []


@pytest.mark.parametrize(("what", "call"), [("cold", "pread64"), ("in_order", "read")])
def test_reads_are_predicted_to_wait_as_they_did(tmp_path: Path, disk: Path, what: str, call: str) -> None:
    store = recorded(tmp_path, what, disk)
    with store.queried() as connection, prepared(connection, ["opened_file"], {}):
        ((number,),) = connection.execute(
            f"select device_number from opened_file where path = '{disk}/file'"
        ).fetchall()
    found = times(store, call)
    (predicted_s,) = store.memory([1 << 30], device_number=number)["wait_s"].to_pylist()
    assert predicted_s * 1e9 == pytest.approx(found["device"] + found["queued"], rel=0.25)


def test_lost_events_are_said() -> None:
    (sentence,) = losses({"seen": {"lost_events": 3}})
    assert sentence.startswith("The recorder lost 3 events of threads' waits")
    assert losses({"seen": {"lost_events": 0}}) == ()
