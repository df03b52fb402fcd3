"""Recordings of BPF programs: the same references as from strace, exact counts of losses, and what ends them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from recorders import PROCESSES, START, blocks, needs_bpf, needs_strace, rows, unpacked

from iotrace.ingest import capture, tracing

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 60

pytestmark = needs_bpf


def record(folder: Path, *words: str, status: int = 0) -> str:
    """Record in a folder; returns what was said."""
    done = subprocess.run([PROGRAM, "record", *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode == status, done.stderr.decode()
    return done.stderr.decode()


def program() -> str:
    place = capture.find()
    assert place is not None
    return str(place)


def captured(folder: Path, *words: str) -> dict[str, int]:
    """Run the capturing program; returns its counts."""
    result = folder / "result"
    subprocess.run([program(), "-o", folder / "it.iorec", "--result", result, *words], check=True)
    counts: dict[str, int] = json.loads(result.read_text())
    return counts


def references(store: Path) -> Counter[tuple[object, ...]]:
    """How often each reference was made, without numbers of processes."""
    paths = dict(rows(store, "file", "file", "path"))
    columns = ("type", "operation", "flags", "offset", "offset_source", "length", "requested", "file_size")
    found: Counter[tuple[object, ...]] = Counter()
    for file, *rest in rows(store, "reference", "file", *columns):
        path = str(paths.get(file))
        found["/proc" if path.startswith("/proc/") else path, *rest] += 1
    return found


@needs_strace
def test_references_and_files_are_those_of_strace(tmp_path: Path) -> None:
    for backend in ("strace", "bpf"):
        (tmp_path / "work").mkdir()
        words = (sys.executable, "-S", str(HERE / "deterministic.py"))
        record(tmp_path / "work", "--backend", backend, "-o", f"../{backend}.iotrace", "--", *words)
        shutil.rmtree(tmp_path / "work")
    strace, bpf = tmp_path / "strace.iotrace", tmp_path / "bpf.iotrace"
    assert references(bpf) == references(strace)
    columns = ("path", "path_last", "kind", "created", "deleted")

    def files(store: Path) -> Counter[str]:
        # those of /proc and the names of devices have numbers of processes
        found = [row for row in rows(store, "file", *columns) if row[2] != "device"]
        return Counter(str(row) for row in found if "/proc/" not in str(row))

    assert files(bpf) == files(strace)
    programs = ("program", "arguments")
    assert Counter(rows(bpf, "process", *programs)) == Counter(rows(strace, "process", *programs))
    names = {path for (path,) in rows(bpf, "file", "path")}
    assert f"{tmp_path}/work/d/f9" in names


VECTORS = """
import os
fd = os.open("it", os.O_RDWR | os.O_CREAT)
for parts in (2, 33, 511, 512):
    os.writev(fd, [b"abc"] * parts)
"""


def test_bytes_of_long_vectors(tmp_path: Path) -> None:
    record(tmp_path, "-o", "it.iotrace", "--", sys.executable, "-S", "-c", VECTORS)
    calls = rows(tmp_path / "it.iotrace", "syscall", "call", "count", "result")
    assert [row[1:] for row in calls if row[0] == "writev"] == [(6, 6), (99, 99), (1533, 1533), (None, 1536)]


LOOP = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    char byte;
    int file = open("/dev/zero", O_RDONLY);
    for (long call = atol(words[1]); call > 0; call--) pread(file, &byte, 1, call);
    return 0;
}
"""


@pytest.fixture(scope="session")
def loop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A program of one thread that makes a number of preads."""
    folder = tmp_path_factory.mktemp("loop")
    (folder / "loop.c").write_text(LOOP)
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    subprocess.run(["cc", "-O1", "-o", folder / "loop", folder / "loop.c"], check=True)
    return str(folder / "loop")


def preads(folder: Path) -> tuple[int, int]:
    """How many preads a recording has, and how many calls it says are lost."""
    done = subprocess.run(
        [PROGRAM, "ingest", "it.iorec", "-o", "it.iotrace"], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    calls = rows(folder / "it.iotrace", "syscall", "call", "result")
    lost = sum(int(str(result)) for call, result in calls if call == "records_lost")
    return bytes_read(folder / "it.iotrace"), lost


def bytes_read(store: Path) -> int:
    """How many preads of one byte there are: the loader reads more."""
    return rows(store, "syscall", "call", "count").count(("pread64", 1))


def state(process: str) -> str:
    """The state of a process: S if it waits, Z if it has ended."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_kept_and_lost_calls_add_up_to_those_that_were_made(tmp_path: Path, loop: str) -> None:
    made = 300_000
    captured(tmp_path, "--", loop, str(made))
    assert preads(tmp_path) == (made, 0)
    shutil.rmtree(tmp_path / "it.iotrace")

    (tmp_path / "it.iorec").unlink()
    result = tmp_path / "result"
    waits = ["sh", "-c", 'read line; exec "$@"', "sh", loop, str(made)]
    words = ["-o", tmp_path / "it.iorec", "--result", result, "--ring-mb", "1", "--", *waits]
    with subprocess.Popen([program(), *words], stdin=subprocess.PIPE) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until = time.monotonic() + MOST_SECONDS
        while not (found := children.read_text().split()) or state(found[0]) != "S":
            assert time.monotonic() < until
        process.send_signal(signal.SIGSTOP)
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        while state(found[0]) != "Z":
            assert time.monotonic() < until
        process.send_signal(signal.SIGCONT)
    counts = json.loads(result.read_text())
    assert counts["lost_calls"] > 0
    kept, lost = preads(tmp_path)
    assert lost == counts["lost_calls"]
    assert kept + lost == made + 1  # the last of those lost is exit_group
    done = subprocess.run([PROGRAM, "time", tmp_path / "it.iotrace"], capture_output=True, check=False)
    assert b"at least" in done.stdout + done.stderr


def test_a_new_pid_namespace_is_recorded(tmp_path: Path, loop: str) -> None:
    words = [
        "unshare",
        "--pid",
        "--fork",
        "--mount-proc",
        PROGRAM,
        "record",
        "-o",
        "it.iotrace",
        "--",
        loop,
        "50",
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    if b"unshare" in done.stderr:
        pytest.skip("no PID namespace can be made here")
    assert done.returncode == 0, done.stderr
    assert bytes_read(tmp_path / "it.iotrace") == 50


def test_processes_of_a_pid_namespace_are_not_mistaken_for_others(tmp_path: Path) -> None:
    line = f'sleep 9 & {PROGRAM} record --backend bpf -p $! -o it.iotrace; echo "status $?"; kill $!'
    words = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", line]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    if b"status" not in done.stdout:
        pytest.skip("no PID namespace can be made here")
    assert b"status 2" in done.stdout and b"know processes by other numbers" in done.stderr


def test_children_in_a_new_pid_namespace_are_of_the_tree(tmp_path: Path, loop: str) -> None:
    words = ("unshare", "--pid", "--fork", "sh", "-c", f"{loop} 20; {loop} 30; exit 5")
    record(tmp_path, "--backend", "bpf", "-o", "it.iotrace", "--", *words, status=5)
    assert bytes_read(tmp_path / "it.iotrace") == 50
    parents = dict(rows(tmp_path / "it.iotrace", "process", "process", "parent"))
    assert sum(1 for parent in parents.values() if parent is None) == 1


def test_static_programs_are_recorded(tmp_path: Path, loop: str) -> None:
    made = subprocess.run(["cc", "-static", "-o", tmp_path / "static", f"{loop}.c"], check=False)
    if made.returncode:
        pytest.skip("no static program can be made here")
    captured(tmp_path, "--", str(tmp_path / "static"), "70")
    assert preads(tmp_path) == (70, 0)


NARROW = """
.globl _start
_start:
    movl $20, %eax
    int $0x80
    movl $1, %eax
    xorl %ebx, %ebx
    int $0x80
"""


def test_calls_of_32_bit_programs_are_counted_not_misread(tmp_path: Path) -> None:
    (tmp_path / "narrow.s").write_text(NARROW)
    words = ["cc", "-m32", "-nostdlib", "-static", "-o", tmp_path / "narrow", tmp_path / "narrow.s"]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("no 32-bit program can be made here")
    try:
        subprocess.run([tmp_path / "narrow"], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("32-bit programs do not run here")
    said = record(tmp_path, "--backend", "bpf", "-o", "it.iotrace", "--", str(tmp_path / "narrow"))
    assert "1 call of 32-bit programs is not in the recording" in said
    # 20 is getpid for them, writev for others
    assert {call for (call,) in rows(tmp_path / "it.iotrace", "syscall", "call")} == {
        "execve",
        "process_exited",
    }


def test_the_number_of_an_ended_process_is_not_recorded(tmp_path: Path, loop: str) -> None:
    last = Path("/proc/sys/kernel/ns_last_pid")
    words = f"{loop} 10 & first=$!; wait $first; echo $first >number; sleep 2"
    with subprocess.Popen([PROGRAM, "record", "-o", "it.iotrace", "--", "sh", "-c", words], cwd=tmp_path):
        until = time.monotonic() + MOST_SECONDS
        while not (tmp_path / "number").exists() or not (tmp_path / "number").read_text():
            assert time.monotonic() < until
        number = int((tmp_path / "number").read_text())
        for _ in range(200):
            try:
                last.write_text(str(number - 1))
            except OSError:
                pytest.skip("the next number of a process cannot be set")
            with subprocess.Popen([loop, "7777"]) as other:
                pass
            if other.pid == number:
                break
        else:
            pytest.skip("the number was not given again")
    assert bytes_read(tmp_path / "it.iotrace") == 10


STANDING = """
import os, sys
file = os.open("data", os.O_RDONLY)
os.read(file, 1234)
print("ready", flush=True)
sys.stdin.readline()
os.read(file, 100)
sys.stdin.readline()
"""


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has read 1,234 bytes of a file and waits."""
    (tmp_path / "data").write_bytes(b"x" * 5000)
    words = [sys.executable, "-c", STANDING]
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def test_all_calls_in_which_threads_wait_are_recorded(tmp_path: Path) -> None:
    captured(tmp_path, "--", "true")
    recording = (tmp_path / "it.iorec").read_bytes()
    start = b"".join(unpacked(frame) for kind, frame in blocks(recording) if kind == START)
    names = {line.split()[2].decode() for line in start.splitlines() if line.startswith(b"call ")}
    # of other machines than x86-64
    assert {*tracing.WAITS} - {"send", "recv", "sigsuspend"} <= names


def attached(folder: Path, process: subprocess.Popen[bytes], *options: str) -> subprocess.Popen[bytes]:
    """Start to record a process; returns once it is recorded."""
    words = [PROGRAM, "record", "--backend", "bpf", "-p", str(process.pid), "-o", "it.iotrace", *options]
    recording = subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE)
    until = time.monotonic() + MOST_SECONDS
    while not (folder / "it.partial").exists() or PROCESSES not in dict(
        blocks((folder / "it.partial").read_bytes())
    ):
        assert time.monotonic() < until and recording.poll() is None
        time.sleep(0.02)
    return recording


def test_a_running_process_is_followed_from_where_it_stands(
    tmp_path: Path, standing: subprocess.Popen[bytes]
) -> None:
    with attached(tmp_path, standing) as recording:
        assert standing.stdin is not None
        for _ in range(2):
            standing.stdin.write(b"\n")
            standing.stdin.flush()
            time.sleep(0.3)
        recording.wait(MOST_SECONDS)
    assert recording.returncode == 0
    paths = dict(rows(tmp_path / "it.iotrace", "file", "file", "path"))
    found = [
        (source, offset, length)
        for file, operation, source, offset, length in rows(
            tmp_path / "it.iotrace", "reference", "file", "operation", "offset_source", "offset", "length"
        )
        if paths[file] == f"{tmp_path}/data" and operation == "read"
    ]
    assert found == [("tracked", 1234, 100)]


def test_a_process_that_waits_all_the_time_is_in_its_call(
    tmp_path: Path, standing: subprocess.Popen[bytes]
) -> None:
    with attached(tmp_path, standing, "--seconds", "1") as recording:
        recording.wait(MOST_SECONDS)
    assert recording.returncode == 0
    ((call, result),) = rows(tmp_path / "it.iotrace", "syscall", "call", "result")
    assert (call, result) == ("read", None)
    assert standing.poll() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_interrupts_a_recording_of_a_process_ends_it_well(
    tmp_path: Path, standing: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    with attached(tmp_path, standing) as recording:
        recording.send_signal(number)
        recording.wait(MOST_SECONDS)
    assert recording.returncode == 0
    assert (tmp_path / "it.iorec").is_file() and (tmp_path / "it.iotrace").is_dir()
    assert standing.poll() is None


@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["iotrace", "group"])
def test_a_command_is_interrupted_once(tmp_path: Path, send: Callable[[int, int], None]) -> None:
    command = (
        "trap 'echo x >>interrupts' INT; touch ready; for i in 1 2 3 4 5 6 7 8; do sleep 0.2; done; exit 7"
    )
    words = [PROGRAM, "record", "--backend", "bpf", "-o", "it.iotrace", "--", "bash", "-c", command]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True) as recording:
        until = time.monotonic() + MOST_SECONDS
        while not (tmp_path / "ready").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        send(recording.pid, signal.SIGINT)
        recording.communicate(timeout=MOST_SECONDS)
    assert recording.returncode == 7
    assert (tmp_path / "interrupts").read_text() == "x\n"


def test_a_killed_recorder_leaves_the_command_and_a_readable_recording(tmp_path: Path) -> None:
    script = "cat /etc/hostname >/dev/null; sleep 2; echo done >done"
    words = [program(), "-o", "it.iorec", "--", "sh", "-c", script]
    with subprocess.Popen(words, cwd=tmp_path) as process:
        time.sleep(1.5)
        process.kill()
    until = time.monotonic() + MOST_SECONDS
    while not (tmp_path / "done").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    done = subprocess.run(
        [PROGRAM, "ingest", "it.iorec", "-o", "it.iotrace"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"the recorder did not come to its end" in done.stderr
    assert "/etc/hostname" in {path for (path,) in rows(tmp_path / "it.iotrace", "file", "path")}


def test_statuses_are_those_of_a_shell(tmp_path: Path) -> None:
    words = ("--backend", "bpf", "--force", "-o", "it.iotrace", "--")
    assert "of a processor" in record(tmp_path, *words, "sh", "-c", "exit 7", status=7)
    record(tmp_path, *words, "sh", "-c", "kill -TERM $$", status=128 + signal.SIGTERM)
    assert "command not found" in record(tmp_path, *words, "no-such-command", status=127)
    assert "/etc: cannot be executed: Permission denied" in record(tmp_path, *words, "/etc", status=126)
    assert {path.name for path in tmp_path.iterdir()} == {"it.iotrace", "it.iorec"}


def test_background_processes_are_recorded_to_their_ends(tmp_path: Path, loop: str) -> None:
    record(tmp_path, "--backend", "bpf", "-o", "it.iotrace", "--", "sh", "-c", f"(sleep 1; {loop} 40) &")
    assert bytes_read(tmp_path / "it.iotrace") == 40


def test_recorders_at_the_same_time_each_have_their_command(tmp_path: Path, loop: str) -> None:
    """Each loop has another number of calls; a recorder that took another's command would have more."""
    (alone := tmp_path / "alone").mkdir()
    own = captured(alone, "--", loop, "1")["calls"] - 1
    for turn in range(6):
        folders = [tmp_path / f"{turn}-{place}" for place in range(4)]
        recorders = []
        for place, folder in enumerate(folders, 1):
            folder.mkdir()
            words = [
                program(),
                "-o",
                folder / "it.iorec",
                "--result",
                folder / "result",
                "--",
                loop,
                str(1000 * place),
            ]
            recorders.append(subprocess.Popen(words))
        assert [recorder.wait(MOST_SECONDS) for recorder in recorders] == [0, 0, 0, 0]
        calls = [json.loads((folder / "result").read_text())["calls"] - own for folder in folders]
        assert calls == [1000, 2000, 3000, 4000]


def test_a_recording_may_be_compressed_and_come_through_a_pipe(tmp_path: Path, loop: str) -> None:
    captured(tmp_path, "--", loop, "100")
    line = f"gzip <it.iorec | {PROGRAM} ingest - -o it.iotrace"
    subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True, capture_output=True)
    assert bytes_read(tmp_path / "it.iotrace") == 100


def test_a_recording_that_is_cut_or_damaged_is_read_up_to_there(tmp_path: Path, loop: str) -> None:
    captured(tmp_path, "--", loop, "600000")
    content = (tmp_path / "it.iorec").read_bytes()
    for number, damaged in enumerate((content[: len(content) // 2], flipped(content, 2 * len(content) // 3))):
        (tmp_path / "damaged.iorec").write_bytes(damaged)
        done = subprocess.run(
            [PROGRAM, "info", "damaged.iorec"], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == 1, number
        assert b"what follows" in done.stderr and b"Traceback" not in done.stderr
    (tmp_path / "damaged.iorec").write_bytes(content[:8] + b"\x02" + content[9:])
    done = subprocess.run([PROGRAM, "info", "damaged.iorec"], cwd=tmp_path, capture_output=True, check=False)
    assert b"of a later iotrace" in done.stderr and done.returncode != 0


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :]


def test_without_rights_strace_records_and_says_why(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("rights cannot be given up")
    words = ["setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin", "--inh-caps=-all", program(), "--check"]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode == 0:
        pytest.skip("the rights stay")
    assert b"CAP_BPF" in done.stdout
