"""Recordings of cgroups, of the system, and of a part of a command's run."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import PROCESSES, blocks, needs_bpf, needs_strace, rows, unpacked

from iotrace import __version__
from iotrace.ingest import capture, cgroups

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 60
READS = """
import os, sys
folder, count = sys.argv[1], int(sys.argv[2])
os.chdir(folder)
file = os.open("data", os.O_RDONLY)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(count): os.pread(file, 7, 3)
os.close(os.open("in-here", os.O_CREAT | os.O_WRONLY))
"""
Process = subprocess.Popen[bytes]


@pytest.fixture
def cgroup() -> Iterator[Path]:
    """A new cgroup of version 2."""
    yield from made_in(next((root.folder for root in cgroups.mounts() if root.is_v2), None))


@pytest.fixture
def old_cgroup() -> Iterator[Path]:
    """A new cgroup of version 1."""
    roots = [root.folder for root in cgroups.mounts() if not root.is_v2]
    yield from made_in(next((root for root in roots if root.name in ("freezer", "pids")), None))


def made_in(root: Path | None) -> Iterator[Path]:
    """Give a new cgroup, and remove it when its processes have ended."""
    if root is None:
        pytest.skip("there are no cgroups of this version")
    folder = root / f"iotrace-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("no cgroup can be made here")
    yield folder
    until = time.monotonic() + MOST_SECONDS
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)


def reader(folder: Path, count: int, group: Path | None = None) -> Process:
    """Start a process that works in a folder, has a file of it open, and waits for a line before it reads."""
    folder.mkdir()
    (folder / "data").write_bytes(b"x" * 100)
    words = [sys.executable, "-S", "-c", READS, str(folder), str(count)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    if group is not None:
        (group / "cgroup.procs").write_text(str(process.pid))
    return process


def go(*processes: Process) -> None:
    """Let processes read, and wait for their ends."""
    for process in processes:
        process.communicate(b"\n", timeout=MOST_SECONDS)
        assert process.returncode == 0


def recording(folder: Path, *words: str, backend: str = "bpf") -> Process:
    """Start to record; returns once it is recorded."""
    line = [PROGRAM, "record", "--backend", backend, "-o", "it.iotrace", *words]
    recorder = subprocess.Popen(line, cwd=folder, stderr=subprocess.PIPE)
    until = time.monotonic() + MOST_SECONDS
    partial = folder / "it.partial"
    while not partial.exists() or PROCESSES not in dict(blocks(partial.read_bytes())):
        assert time.monotonic() < until and recorder.poll() is None
        time.sleep(0.02)
    return recorder


def end(recorder: Process) -> str:
    """Wait for a recording; returns what was said."""
    _, said = recorder.communicate(timeout=MOST_SECONDS)
    assert recorder.returncode == 0, said.decode()
    return said.decode()


def refused(folder: Path, *words: str, status: int = 2) -> str:
    """The last line on a recording that is not possible."""
    line = [PROGRAM, "record", "-o", "it.iotrace", *words]
    done = subprocess.run(line, cwd=folder, capture_output=True, check=False, timeout=MOST_SECONDS)
    said = done.stderr.decode()
    assert done.returncode == status and "Traceback" not in said, said
    return said.strip().splitlines()[-1]


def reads(store: Path) -> dict[str, int]:
    """How many bytes were read in blocks of 7 of each file."""
    paths = dict(rows(store, "file", "file", "path"))
    found: dict[str, int] = {}
    for file, operation, length, offset in rows(store, "reference", "file", "operation", "length", "offset"):
        if (operation, length, offset) == ("read", 7, 3):
            path = str(paths[file])
            found[path] = found.get(path, 0) + 7
    return found


def information(store: Path) -> dict[str, object]:
    done = subprocess.run([PROGRAM, "info", store, "-f", "json"], capture_output=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@needs_bpf
def test_a_cgroup_is_recorded_with_those_that_come(tmp_path: Path, cgroup: Path) -> None:
    inner = cgroup / "inner"
    inner.mkdir()
    there, below = reader(tmp_path / "a", 11, cgroup), reader(tmp_path / "b", 12, inner)
    other, later = reader(tmp_path / "c", 13), reader(tmp_path / "d", 14)
    recorder = recording(tmp_path, "--cgroup", cgroup.name, "--seconds", "2")
    (cgroup / "cgroup.procs").write_text(str(later.pid))
    go(there, below, other, later)
    said = end(recorder)
    inner.rmdir()
    # of the process that came later the file is not known, nor where it works
    named = {path: size for path, size in reads(tmp_path / "it.iotrace").items() if path.startswith("/")}
    assert named == {f"{tmp_path}/a/data": 77, f"{tmp_path}/b/data": 84}
    assert sum(reads(tmp_path / "it.iotrace").values()) == 77 + 84 + 98
    paths = {str(path) for (path,) in rows(tmp_path / "it.iotrace", "file", "path")}
    assert {f"{tmp_path}/a/in-here", f"{tmp_path}/b/in-here"} <= paths
    assert f"{tmp_path}/in-here" not in paths and f"{tmp_path}/d/in-here" not in paths
    assert "1 process came during the recording" in said
    kept = (tmp_path / "it.iorec").read_bytes()
    text = b"".join(unpacked(frame) for kind, frame in blocks(kept) if kind == PROCESSES)
    assert b"met %d\n" % later.pid in text


@needs_bpf
def test_a_cgroup_that_is_removed_ends_the_recording(tmp_path: Path, cgroup: Path) -> None:
    process = reader(tmp_path / "a", 11, cgroup)
    recorder = recording(tmp_path, "--cgroup", str(cgroup))
    go(process)
    time.sleep(0.2)
    cgroup.rmdir()
    end(recorder)
    assert reads(tmp_path / "it.iotrace") == {f"{tmp_path}/a/data": 77}


@needs_bpf
def test_an_empty_cgroup_is_said_to_make_no_call(tmp_path: Path, cgroup: Path) -> None:
    said = refused(tmp_path, "--backend", "bpf", "--cgroup", str(cgroup), "--seconds", "0.2", status=1)
    assert f"cgroup {cgroup} made no traced call in 2" in said
    assert not list(tmp_path.iterdir())


@needs_bpf
def test_in_version_1_the_processes_at_the_start_are_recorded(tmp_path: Path, old_cgroup: Path) -> None:
    there, later = reader(tmp_path / "a", 11, old_cgroup), reader(tmp_path / "b", 12)
    recorder = recording(tmp_path, "--cgroup", str(old_cgroup))
    (old_cgroup / "cgroup.procs").write_text(str(later.pid))
    go(there, later)
    assert "recording the 1 process that is in cgroup" in end(recorder)
    assert reads(tmp_path / "it.iotrace") == {f"{tmp_path}/a/data": 77}


@needs_strace
def test_strace_records_the_processes_of_a_cgroup(tmp_path: Path, cgroup: Path) -> None:
    assert f"cgroup {cgroup} holds no process" in refused(
        tmp_path, "--backend", "strace", "--cgroup", str(cgroup)
    )
    process = reader(tmp_path / "a", 11, cgroup)
    line = [PROGRAM, "record", "--backend", "strace", "-o", "it.iotrace", "--cgroup", str(cgroup)]
    with subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE) as recorder:
        until = time.monotonic() + MOST_SECONDS
        while "TracerPid:\t0\n" in Path(f"/proc/{process.pid}/status").read_text():
            assert time.monotonic() < until
        time.sleep(0.3)
        go(process)
        said = end(recorder)
    assert "recording the 1 process that is in cgroup" in said
    assert reads(tmp_path / "it.iotrace") == {f"{tmp_path}/a/data": 77}


@needs_bpf
def test_the_system_is_recorded_without_the_recorder(tmp_path: Path) -> None:
    first, second = reader(tmp_path / "a", 11), reader(tmp_path / "b", 12)
    recorder = recording(tmp_path, "--system", "--seconds", "1.5")
    go(first, second)
    end(recorder)
    found = {path: size for path, size in reads(tmp_path / "it.iotrace").items() if str(tmp_path) in path}
    assert found == {f"{tmp_path}/a/data": 77, f"{tmp_path}/b/data": 84}
    processes = {process for (process,) in rows(tmp_path / "it.iotrace", "process", "process")}
    assert recorder.pid not in processes
    assert (tmp_path / "it.iorec").stat().st_mode & 0o777 == 0o600


@needs_bpf
def test_a_command_runs_on_when_its_recording_ends(tmp_path: Path) -> None:
    words = ["sh", "-c", "cat /etc/hostname; sleep 2; echo done >done; exit 3"]
    line = [PROGRAM, "record", "--backend", "bpf", "-o", "it.iotrace", "--seconds", "1", "--", *words]
    done = subprocess.run(line, cwd=tmp_path, check=False, capture_output=True, timeout=MOST_SECONDS)
    assert done.returncode == 0, done.stderr
    until = time.monotonic() + MOST_SECONDS
    while not (tmp_path / "done").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    paths = {path for (path,) in rows(tmp_path / "it.iotrace", "file", "path")}
    assert "/etc/hostname" in paths and f"{tmp_path}/done" not in paths


@needs_bpf
def test_the_end_of_a_recording_is_kept_and_the_rest_counted(tmp_path: Path) -> None:
    code = (
        "import os, random; data = os.open('data', os.O_RDONLY | os.O_CREAT)\n"
        "for number in range(400000): os.pread(data, 1 + random.getrandbits(20), random.getrandbits(60))\n"
        "os.close(os.open('last', os.O_CREAT | os.O_WRONLY))"
    )
    line = [PROGRAM, "record", "--backend", "bpf", "-o", "it.iotrace", "--max-size", "1M", "--"]
    done = subprocess.run([*line, sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert "were dropped, as the recording was larger than --max-size" in said and "at least" in said
    store = tmp_path / "it.iotrace"
    assert (tmp_path / "it.iorec").stat().st_size < 1_100_000
    words = [PROGRAM, "ingest", "it.iorec", "-o", "again.iotrace"]
    subprocess.run(words, cwd=tmp_path, capture_output=True, check=True)
    assert information(tmp_path / "again.iotrace")["lost_calls"] == information(store)["lost_calls"]
    kept = sum(1 for (call,) in rows(store, "syscall", "call") if call == "pread64")
    lost = information(store)["lost_calls"]
    assert isinstance(lost, int) and 1000 < kept < 400_000 < kept + lost < 401_000
    assert any(str(path).endswith("/last") for (path,) in rows(store, "file", "path"))


@needs_bpf
def test_a_recorder_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "iotrace-capture"
    program.write_text("#!/bin/sh\necho 0.0.9\n")
    program.chmod(0o755)
    monkeypatch.setattr(capture, "find", lambda: program)
    said = capture.refusal()
    assert (
        said
        == f"iotrace-capture is of version 0.0.9 and iotrace of {__version__}; install both from one release"
    )


ID, OTHER = "0123456789ab" + 52 * "c", "0123456789ad" + 52 * "c"
LAYOUTS = [
    f"system.slice/docker-{ID}.scope",
    f"docker/{ID}",
    f"machine.slice/libpod-{ID}.scope/container",
    f"libpod_parent/libpod-{ID}",
    f"kubepods.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope",
    f"kubepods/burstable/pod1/{ID}",
    f"kubepods.slice/kubepods-pod1.slice/crio-{ID}.scope",
    f"kubepods.slice:cri-containerd:{ID}",
]


def tree(folder: Path, *layouts: str) -> list[cgroups.Cgroup]:
    for layout in layouts:
        (folder / layout).mkdir(parents=True)
        for made in (folder / layout, *(folder / layout).parents):
            if made.is_relative_to(folder):
                (made / "cgroup.procs").touch()
    return [cgroups.Cgroup(folder, True)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("given", [ID, ID[:12]])
def test_containers_are_found_by_their_ids(tmp_path: Path, layout: str, given: str) -> None:
    conmon = f"machine.slice/libpod-conmon-{ID}.scope"
    found = cgroups.container_of(given, tree(tmp_path, layout, f"{layout}/inner", conmon))
    assert found.folder == tmp_path / layout.removesuffix("/container")


def test_containers_that_are_not_clear_or_not_there_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    roots = tree(tmp_path / "tree", f"docker/{ID}", f"docker/{OTHER}")
    with pytest.raises(cgroups.UsageError, match=f"{ID}, {OTHER}"):
        cgroups.container_of(ID[:8], roots)
    for name in ("fedc", "web", "012"):
        with pytest.raises(cgroups.UsageError, match=f"no running container {name}"):
            cgroups.container_of(name, roots)


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_an_engine_is_asked_for_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / engine
    program.write_text(f'#!/bin/sh\nfor word; do :; done; [ "$word" = web ] && echo {ID}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert cgroups.container_of("web", tree(tmp_path / "tree", f"docker/{ID}")).folder.name == ID


def test_cgroups_are_found_in_all_hierarchies(tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text(
        f"cgroup {tmp_path}/one cgroup rw,cpu 0 0\ncgroup2 {tmp_path}/two\\040two cgroup2 rw 0 0\n"
    )
    for place in ("one/a", "two two/a", "one/b"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "cgroup.procs").write_text("12\n")
    roots = cgroups.mounts(tmp_path / "mounts")
    assert cgroups.cgroup_of("/a", roots) == cgroups.Cgroup(tmp_path / "two two/a", True)
    assert cgroups.cgroup_of("b", roots) == cgroups.Cgroup(tmp_path / "one/b", False)
    assert cgroups.cgroup_of(f"{tmp_path}/one/a/", roots) == cgroups.Cgroup(tmp_path / "one/a", False)
    assert cgroups.cgroup_of("b", roots).processes() == (12,)
    for name in ("c", "../../one", str(tmp_path)):
        with pytest.raises(cgroups.UsageError, match="there is no cgroup"):
            cgroups.cgroup_of(name, roots)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--system"], "--system needs --seconds or --max-size"),
        (["--cgroup", "no-such-cgroup"], "there is no cgroup no-such-cgroup in"),
        (["--cgroup", "a", "-p", "1"], "--cgroup cannot be combined with --pid"),
        (["--container", "a", "--cgroup", "b"], "--container cannot be combined with --cgroup"),
        (["--system", "--seconds", "1", "--", "true"], "give either a command"),
        (["--max-size", "5K", "--", "true"], "is less than 1 MB"),
        (["--seconds", "0", "--", "true"], "0"),
        (["--backend", "strace", "--system", "--seconds", "1"], "--system needs BPF programs"),
        (
            ["--backend", "strace", "--seconds", "1", "--", "true"],
            "--seconds with a command needs BPF programs",
        ),
        (["--backend", "strace", "--max-size", "1M", "--", "true"], "--max-size needs BPF programs"),
    ],
)
def test_what_cannot_be_recorded_is_refused_in_one_sentence(
    tmp_path: Path, words: list[str], message: str
) -> None:
    assert message in refused(tmp_path, *words)
    assert not list(tmp_path.iterdir())


@needs_bpf
def test_a_full_disk_does_not_stop_the_command(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be made here")
    try:
        code = (
            "import os, random\n"
            "for number in range(200000): os.pread(0, random.getrandbits(20), random.getrandbits(60))\n"
            f"open('{tmp_path}/done', 'w')"
        )
        line = [
            PROGRAM,
            "record",
            "--backend",
            "bpf",
            "-o",
            disk / "it.iotrace",
            "--",
            sys.executable,
            "-c",
            code,
        ]
        with Path("/dev/zero").open("rb") as zero:
            done = subprocess.run(line, stdin=zero, capture_output=True, check=False, timeout=MOST_SECONDS)
        assert done.returncode == 1 and b"No space left on device" in done.stderr
        assert b"Traceback" not in done.stderr
        assert (tmp_path / "done").exists()
    finally:
        subprocess.run(["umount", disk], check=True)


@needs_bpf
@pytest.mark.parametrize("what", ["--cgroup", "--system"])
def test_without_rights_a_sentence_says_so(tmp_path: Path, cgroup: Path, what: str) -> None:
    words = ["setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin", "--inh-caps=-all"]
    program = capture.find()
    if os.geteuid() != 0 or shutil.which("setpriv") is None or program is None:
        pytest.skip("rights cannot be given up")
    if subprocess.run([*words, program, "--check"], capture_output=True, check=False).returncode == 0:
        pytest.skip("the rights stay")
    options = [what, *([str(cgroup)] if what == "--cgroup" else []), "--seconds", "1"]
    line = [*words, PROGRAM, "record", "-o", "it.iotrace", *options]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, check=False, timeout=MOST_SECONDS)
    assert done.returncode == 2 and b"CAP_BPF" in done.stderr and b"Traceback" not in done.stderr


@needs_bpf
def test_many_processes_are_recorded(tmp_path: Path, cgroup: Path) -> None:
    count = 1000
    code = (
        "import os, sys\n"
        "read, write = os.pipe()\n"
        f"for _ in range({count}):\n"
        "    if not os.fork():\n"
        "        os.close(write); os.read(read, 1); os.stat('/etc/hostname'); os._exit(0)\n"
        "print('ready', flush=True); sys.stdin.readline(); os.close(write)\n"
        f"for _ in range({count}): os.wait()"
    )
    words = [sys.executable, "-S", "-c", code]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        (cgroup / "cgroup.procs").write_text(str(process.pid))
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split():
            (cgroup / "cgroup.procs").write_text(child)
        recorder = recording(tmp_path, "--cgroup", str(cgroup), "--seconds", "4")
        go(process)
        end(recorder)
    store = tmp_path / "it.iotrace"
    calls = [call for (call,) in rows(store, "syscall", "call")]
    assert calls.count("process_exited") == count + 1
    assert information(store)["lost_calls"] == 0
