"""Calls of which a log has one half, and records that its recorder lost: counted, and said before all else."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from program import Run

ENTRY = " prog  7 [000]   1.{at:06}: raw_syscalls:sys_enter: NR 0 (3, 7f0000002000, 1000, 0, 0, 0)\n"
EXIT = " prog  7 [000]   1.{at:06}: raw_syscalls:sys_exit: NR 0 = 4096\n"
OPEN = """\
 prog  7 [000]   1.000001: raw_syscalls:sys_enter: NR 257 (ffffff9c, 7f0000001000, 0, 0, 0, 0)
 prog  7 [000]   1.000002: raw_syscalls:sys_exit: NR 257 = 3
"""
READS = 40


def lines() -> list[str]:
    """A process that opens a file and reads 4 KB of it 40 times."""
    return [
        form.format(at=10 * read + at) for read in range(1, READS + 1) for at, form in ((0, ENTRY), (5, EXIT))
    ]


def manifest(run: Run, log: Path) -> dict[str, Any]:
    """Return the messages about a log."""
    found: dict[str, Any] = json.loads(run("info", log, "--format", "json").stdout)
    return found


def page(run: Run, log: Path) -> str:
    """Return the text of a log's page."""
    place = log.with_suffix(".html")
    done = run("report", log, "-o", place, "--force")
    assert done.returncode == 0, done.stderr
    return re.sub(r"<[^>]+>", "", place.read_text())


@pytest.mark.parametrize(
    ("lost", "incomplete"), [([], 0), ([20], 1), ([21], 1), ([20, 23], 2), ([20, 21], 0), ([79], 0)]
)
def test_halves_are_counted(run: Run, tmp_path: Path, lost: list[int], incomplete: int) -> None:
    """Both halves of one call leave no trace, and a call that is under way at the end is no loss."""
    log = tmp_path / "log.txt"
    log.write_text(OPEN + "".join(line for at, line in enumerate(lines()) if at not in lost))
    found = manifest(run, log)
    assert found["seen"]["lost_calls"] == incomplete
    said = f"at least {incomplete} call{' is' if incomplete == 1 else 's are'} incomplete"
    warned = [warning for warning in found["warnings"] if "a loss" in warning]
    assert [warning.startswith(said.capitalize()) for warning in warned] == [True] * bool(incomplete)
    text = page(run, log)
    assert (f"{warned[0]}." in text) if warned else ("incomplete (" not in text)


@pytest.mark.parametrize("lost", [20, 21])
def test_offsets_after_a_loss_are_not_known(run: Run, tmp_path: Path, lost: int) -> None:
    log = tmp_path / "log.txt"
    log.write_text(OPEN + "".join(line for at, line in enumerate(lines()) if at != lost))
    text = (
        "select offset_source, count(*) as n from reference where type = 'datafile' group by all order by all"
    )
    rows = json.loads(run("sql", log, text, "--format", "json").stdout)
    assert {row["offset_source"]: row["n"] for row in rows} == {"tracked": 10, "relative": 29}


OFFSETS = """select "offset", offset_source from reference
             where type = 'datafile' and operation in ('read', 'write') order by seq"""


def offsets(run: Run, log: Path, *flags: str) -> list[tuple[int, str]]:
    """Return where the reads and writes of a log are, and how that is known."""
    done = run("sql", log, OFFSETS, "--format", "json", *flags)
    assert done.returncode == 0, done.stderr
    return [(row["offset"], row["offset_source"]) for row in json.loads(done.stdout)]


LOSS = "  prog 7 [000] 1.000105: PERF_RECORD_LOST lost 1234\n"
SEEK = """\
 prog  7 [000]   1.000300: raw_syscalls:sys_enter: NR 8 (3, 0, 0, 0, 0, 0)
 prog  7 [000]   1.000301: raw_syscalls:sys_exit: NR 8 = 0
"""


@pytest.mark.parametrize("at", [18, 19])
def test_offsets_after_a_record_of_losses_are_not_known(run: Run, tmp_path: Path, at: int) -> None:
    """Between two calls, and within one."""
    log = tmp_path / "log.txt"
    calls = lines()
    later = [ENTRY.format(at=310), EXIT.format(at=315)]
    log.write_text(OPEN + "".join([*calls[:at], LOSS, *calls[at:58], SEEK, *later]))
    before = [(4096 * read, "tracked") for read in range(9)]
    after = [(4096 * read, "relative") for read in range(20)]
    # the seek does not show where reads after the loss began
    assert offsets(run, log) == [*before, *after, (0, "tracked")]
    assert manifest(run, log)["calls"] == 1 + 29 + 2


TRACE = """\
     0.100 ( 0.005 ms): prog/7 openat(dfd: CWD, filename: "/log", flags: WRONLY|CREAT|TRUNC|APPEND) = 3
     0.200 ( 0.005 ms): prog/7 write(fd: 3, buf: 0x7f0000001000, count: 10) = 10
LOST 2 events!
     0.300 ( 0.005 ms): prog/7 write(fd: 3, buf: 0x7f0000001000, count: 10) = 10
     0.400 ( 0.005 ms): prog/7 openat(dfd: CWD, filename: "/log", flags: RDONLY) = 4
     0.500 ( 0.005 ms): prog/7 read(fd: 4, buf: 0x7f0000001000, count: 10) = 10
"""


def test_nor_is_the_end_of_a_file(run: Run, tmp_path: Path) -> None:
    """Appends begin at the end, which lost writes may have moved; an open after the loss begins at 0."""
    log = tmp_path / "log.txt"
    log.write_text(TRACE)
    expected = [(0, "estimated"), (0, "relative"), (0, "tracked")]
    assert offsets(run, log) == expected
    store = tmp_path / "log.iotrace"
    assert run("ingest", log, "-o", store).returncode == 0
    assert offsets(run, store, "--model", "1994") == expected
    text = "select call, result from syscall where call = 'records_lost'"
    assert json.loads(run("sql", store, text, "--format", "json").stdout) == [
        {"call": "records_lost", "result": 2}
    ]


HALF_WRITE = """\
7 1.000001 openat(AT_FDCWD, "/log", O_WRONLY|O_CREAT|O_TRUNC|O_APPEND, 0644) = 3
7 1.000002 write(3, "x"..., 10) = 10
7 1.000003 {half}
8 1.000004 getpid() = 8
7 1.000005 write(3, "x"..., 10) = 10
"""


@pytest.mark.parametrize(
    "half",
    [
        'write(3, "x"..., 10 <unfinished ...>',
        "<... write resumed>) = 10",
        "ftruncate(3, 0 <unfinished ...>",
        "<... pwrite64 resumed>) = 10",
    ],
)
def test_nor_is_it_after_half_a_write(run: Run, tmp_path: Path, half: str) -> None:
    log = tmp_path / "log.strace"
    log.write_text(HALF_WRITE.format(half=half))
    assert offsets(run, log) == [(0, "estimated"), (0, "relative")]


def test_the_first_exit_of_a_thread_is_no_loss(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(EXIT.format(at=0) + OPEN + "".join(lines()))
    assert manifest(run, log)["seen"]["lost_calls"] == 0


@pytest.mark.parametrize(
    "line",
    [
        "LOST 1234 events!\n",
        "  prog 7 [000] 1.000100: PERF_RECORD_LOST lost 1234\n",
        "[ perf record: lost 1234 chunks! ]\n",
    ],
)
def test_records_of_losses_are_added_up(run: Run, tmp_path: Path, line: str) -> None:
    log = tmp_path / "log.txt"
    log.write_text(OPEN + "".join([*lines(), line, line]))
    found = manifest(run, log)
    assert found["seen"]["lost_records"] == 2468 and found["lines"] == found["parsed"] + 2
    (warned,) = (warning for warning in found["warnings"] if "2,468 records" in warning)
    assert f"{warned}." in page(run, log)
    assert "it lost 2,468 records" in page(run, log)


STRACE = """\
7 1700000001.000001 openat(AT_FDCWD, "/a", O_RDONLY) = 3
7 1700000001.000002 read(3,  <unfinished ...>
8 1700000001.000003 getpid() = 8
7 1700000001.000004 {after}
7 1700000001.000005 read(3, "x"..., 10) = 10
"""


@pytest.mark.parametrize(
    ("after", "incomplete"),
    [
        ('<... read resumed>"x"..., 10) = 10', 0),
        ('read(3, "x"..., 10) = 10', 1),
        ("<... write resumed>) = 10", 2),
        ("+++ killed by SIGKILL +++", 0),
    ],
)
def test_so_they_are_in_logs_of_strace(run: Run, tmp_path: Path, after: str, incomplete: int) -> None:
    log = tmp_path / "log.strace"
    log.write_text(STRACE.format(after=after))
    assert manifest(run, log)["seen"]["lost_calls"] == incomplete


POINTERS = """\
     0.311 ( 0.005 ms): prog/4321 openat(dfd: CWD, filename: 0x7f0000001000, flags: RDONLY|CLOEXEC) = 4
     0.439 ( 0.012 ms): prog/4321 read(fd: 4, buf: 0x7f0000001000, count: 832) = 832
"""


def test_a_log_of_perf_trace_is_not_told_to_use_perf_trace(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(POINTERS)
    (warning,) = (line for line in manifest(run, log)["warnings"] if "pointers" in line)
    assert "iotrace record shows paths" in warning and "perf trace" not in warning


TABLES = {
    "strace -c": "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- -----------\n"
    " 60.00    0.060000           3     20000     18000 open\n",
    "strace -c -U": "% time syscall           longest\n------ ------------\n  0.00 read             0.000000\n",
    "perf trace -s": " Summary of events:\n\n prog (4321), 20 events, 100.0%\n\n"
    "   syscall            calls  errors  total       min       avg       max       stddev\n",
}


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_tables_of_counts_are_refused_by_name(run: Run, tmp_path: Path, table: str) -> None:
    log = tmp_path / "counts.txt"
    log.write_text(table)
    done = run("info", log)
    assert (
        done.returncode == 1
        and b"is a table of counts, as strace -c and perf trace -s print it" in done.stderr
    )


def test_a_log_that_such_a_table_follows_is_read(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.strace"
    log.write_text('openat(AT_FDCWD, "/a", O_RDONLY) = 3\n' + TABLES["strace -c"])
    assert manifest(run, log)["calls"] == 1


CALLING = """
import os, signal, threading, time
def opens():
    for _ in range(300):
        for name in ("/nonexistent", "/etc/passwd"):
            try:
                os.close(os.open(name, os.O_RDONLY))
            except OSError:
                pass
threads = [threading.Thread(target=opens) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.read(reading, 1)
time.sleep(0.1)
os.kill(child, signal.SIGKILL)
os.wait()
threading.Thread(target=os.read, args=(reading, 1), daemon=True).start()
time.sleep(0.1)
{end}
"""
ENDS = {
    "exit": "os._exit(0)",
    "exec": 'threading.Thread(target=os.execv, args=("/bin/true", ["true"])).start()',
}


@pytest.mark.parametrize("end", ENDS.values(), ids=list(ENDS))
@pytest.mark.parametrize("flags", [[], ["-z"], ["-Z"], ["-qqq"], ["-ff"]], ids=lambda flags: "".join(flags))
def test_what_strace_leaves_out_is_no_loss(run: Run, tmp_path: Path, flags: list[str], end: str) -> None:
    """Only calls that succeed, or that fail; a killed process, and threads that exit or exec ends within a call."""
    if not shutil.which("strace"):
        pytest.skip("needs strace")
    program = CALLING.replace("{end}", end)
    traced = ["strace", "-f", *flags, "-ttt", "-T", "-o", "log", sys.executable, "-I", "-c", program]
    done = subprocess.run(traced, cwd=tmp_path, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"the program cannot be traced here: {done.stderr.decode()[-200:]}")
    found = manifest(run, tmp_path if flags == ["-ff"] else tmp_path / "log")
    # strace -z drops the beginning of an exec that ends other threads
    dropped = int(end == ENDS["exec"] and flags == ["-z"])
    assert (found["seen"]["lost_calls"], found["skipped"]) == (dropped, {}), found["warnings"]


@pytest.mark.parametrize(
    "first",
    [
        "7 1.000002 read(3,  <unfinished ...>\n{exec}7 1.000004 <... read resumed>) = ?\n",
        "{exec}7 1.000004 read(3, 0x7ffd, 9) = ?\n",
        "{exec}",
    ],
    ids=["in a call", "in a call that ends on its own line", "between two calls"],
)
def test_an_exec_of_another_thread_goes_on_under_the_first_ones_number(
    run: Run, tmp_path: Path, first: str
) -> None:
    """``strace -qqq`` does not say that it did; the first thread may be anywhere when the exec ends it."""
    begun = '8 1.000003 execve("/bin/true", ["true"], 0x7ffe /* 35 vars */ <unfinished ...>\n'
    log = tmp_path / "log.strace"
    log.write_text(
        "7 1.000001 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 8\n"
        + first.format(exec=begun)
        + '7 1.000005 <... execve resumed>) = 0\n7 1.000006 openat(AT_FDCWD, "/a", O_RDONLY) = 3\n'
    )
    found = manifest(run, log)
    assert (found["seen"]["lost_calls"], found["skipped"]) == (0, {}), found["warnings"]
    execs = run("sql", log, "SELECT path, result FROM syscall WHERE call = 'execve'", "--format", "json")
    assert json.loads(execs.stdout) == [{"path": "/bin/true", "result": 0}]


REUSED = """\
7 1.000001 clone(child_stack=NULL, flags=SIGCHLD) = 8
8 1.000002 read(3,  <unfinished ...>
7 1.000003 kill(8, SIGKILL) = 0
{fork}
7 1.000006 openat(AT_FDCWD, "/a", O_RDONLY) = 4
"""
FORKS = [
    ["clone(child_stack=NULL, flags=SIGCHLD) = 8", "8 1.000005 getpid() = 8"],
    [
        "clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>",
        "8 1.000005 getpid() = 8",
        "<... clone resumed>) = 8",
    ],
]


@pytest.mark.parametrize("fork", FORKS, ids=["before", "within"])
def test_nor_is_a_number_that_a_new_process_gets(run: Run, tmp_path: Path, fork: list[str]) -> None:
    """strace -qq does not say that a process ended."""
    log = tmp_path / "log.strace"
    lines = [line if line[0] == "8" else f"7 1.00000{4 + at} {line}" for at, line in enumerate(fork)]
    log.write_text(REUSED.format(fork="\n".join(lines)))
    assert manifest(run, log)["seen"]["lost_calls"] == 0
