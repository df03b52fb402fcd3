"""``iotrace top``: its screen on a terminal of any size, its keys, its tables and its refusals."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import Run, refused
from recorders import needs_bpf
from rich.cells import cell_len

from iotrace.cli.live.lines import header, keys, table
from iotrace.cli.live.screen import Screen
from iotrace.cli.live.show import document
from iotrace.ingest.live import By, Interval, Sort, TotalsRow
from iotrace.ingest.subjects import Running

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 60


def row(name: str, detail: str = "", calls: int = 1, **others: int) -> TotalsRow:
    numbers = dict.fromkeys(
        ("timed", "time_ns", "read_bytes", "written_bytes", "missed_pages", "p99_ns", "waiting_ns"), 0
    )
    return TotalsRow(name, detail, calls, **(numbers | {"timed": calls} | others))


FILES = [
    row("/time", time_ns=9_000_000, p99_ns=1),
    row("/bytes", written_bytes=9 << 20),
    row("/misses", missed_pages=900),
    row("/latency", time_ns=5, p99_ns=9_000_000_000),
    row("/calls", calls=9000),
]
PROCESSES = [row("fast", "1", time_ns=5, waiting_ns=7), row("slow", "2", time_ns=6)]
CALLS = [
    row("futex", "waiting", time_ns=900, calls=2),
    row("read", "storage", time_ns=9_000_000, calls=9004, read_bytes=12),
    row("write", "storage", time_ns=8_000_000, written_bytes=9 << 20),
]


def interval(files: list[TotalsRow] = FILES, **others: int) -> Interval:
    counts = {"duration_ns": 1_000_000_000, "lost_calls": 0, "narrow_calls": 0} | others
    return Interval(
        **counts,
        file_count=len(files),
        file_rows=files,
        process_count=len(PROCESSES),
        process_rows=PROCESSES,
        call_count=len(CALLS),
        call_rows=CALLS,
    )


@pytest.mark.parametrize("sort", Sort)
def test_rows_have_what_is_most_first(sort: Sort) -> None:
    assert interval().rows(By.FILES, sort)[0].name == f"/{sort}"
    assert table(interval(), By.FILES, sort, 100, 5)[2].endswith(f"/{sort}")


def test_calls_on_storage_come_before_longer_ones() -> None:
    waits = row("futex", "waiting", time_ns=99_000_000_000)
    rows = [waits, *CALLS[1:], row("read", "unknown"), row("dup", "other")]
    found = msgspec.structs.replace(interval(), call_rows=rows).rows(By.CALLS, Sort.TIME)
    assert [(row.name, row.detail) for row in found] == [
        ("read", "storage"),
        ("write", "storage"),
        ("futex", "waiting"),
        ("dup", "other"),
        ("read", "unknown"),
    ]


def test_losses_are_said() -> None:
    plain = " ".join(header(interval(), "the system", 200))
    assert "storage 9,005 calls, 17 ms" in plain
    assert "lost" not in plain and "32-bit" not in plain
    text = " ".join(header(interval(lost_calls=12, narrow_calls=1), "the system", 200))
    assert "totals are at least these, as 12 calls were lost" in text
    assert "without 1 call of 32-bit programs" in text


@given(
    st.integers(1, 250),
    st.integers(1, 100),
    st.sampled_from(By),
    st.sampled_from(Sort),
    st.lists(st.text(min_size=1), max_size=5),
)
def test_a_screen_has_the_size_of_the_terminal(
    width: int, height: int, by: By, sort: Sort, names: list[str]
) -> None:
    screen = Screen(by, sort, Running(pids=(7,)))
    screen._interval = interval([row(name) for name in names])
    lines = [re.sub(r"\x1b\[7?m", "", line) for line in screen.lines(width, height)]
    assert len(lines) <= max(height, 1)
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).isprintable()


def test_a_narrow_table_keeps_what_it_is_sorted_by_and_the_end_of_names() -> None:
    long = row("/a/very/long/path/to/a/folder/with/the/name", missed_pages=12)
    _, heads, line = table(interval([long]), By.FILES, Sort.MISSES, 40, 5)
    assert heads.split() == ["time", "misses", "file"]
    assert line.split() == ["0", "12", "...older/with/the/name"]
    assert cell_len(line) <= 40


def test_ten_thousand_files_are_counted() -> None:
    files = [row(f"/{number}", time_ns=number) for number in range(10_000)]
    title, _, *rows = table(interval(files), By.FILES, Sort.TIME, 100, 20)
    assert title == "20 of 10,000 files, by time in storage calls"
    assert [line.split()[-1] for line in rows[:2]] == ["/9999", "/9998"]
    assert len(rows) == 20


def test_keys_choose_the_table_and_the_order() -> None:
    screen = Screen(By.FILES, Sort.TIME, Running())
    for key, by, sort in [
        ("p", By.PROCESSES, Sort.TIME),
        ("b", By.PROCESSES, Sort.BYTES),
        ("\t", By.CALLS, Sort.BYTES),
        ("\t", By.FILES, Sort.BYTES),
        ("s", By.CALLS, Sort.BYTES),
        ("l", By.CALLS, Sort.LATENCY),
        ("m", By.CALLS, Sort.MISSES),
        ("c", By.CALLS, Sort.CALLS),
        ("f", By.FILES, Sort.CALLS),
        ("t", By.FILES, Sort.TIME),
        ("x", By.FILES, Sort.TIME),
    ]:
        screen.press(key)
        assert (screen.by, screen.sort) == (by, sort), key
    for width in range(1, 200):
        assert len(keys(width)) <= width


def test_json_has_units_and_no_number_that_is_not_known() -> None:
    found = document(interval([row("/a", timed=0, calls=1)], lost_calls=3), Sort.TIME)
    assert found["files"] == [
        {
            "file": "/a",
            "calls": 1,
            "time_s": 0.0,
            "read_bytes": 0,
            "written_bytes": 0,
            "mean_latency_s": None,
            "p99_latency_s": None,
            "missed_pages": 0,
        }
    ]
    assert [row["process"] for row in found["processes"]] == [2, 1]
    assert found["processes"][1]["waiting_time_s"] == 7e-9
    assert (found["lost_calls"], found["bytes"], found["calls"]) == (3, 12 + (9 << 20), 9007)


def test_without_the_rights_it_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    user = "nobody"
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("rights can be given up by root, with setpriv")
    words = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", PROGRAM, "top", "--once"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "Permission denied" in done.stderr:
        pytest.skip(f"only root can read iotrace, and not {user}")
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("iotrace: iotrace top needs BPF programs, which cannot record here, as ")
    assert "root" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "x.iotrace"],
        ["--force"],
        ["-p", "1", "--system"],
        ["--seconds", "0"],
        ["--sort", "name"],
        ["--by", "disks"],
        ["--format", "csv"],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together_are_refused(run: Run, words: list[str]) -> None:
    refused(run("top", *words), 2)


class Terminal:
    """``iotrace top`` on a pseudo-terminal."""

    def __init__(self, width: int, height: int, *words: str) -> None:
        self.child, self.number = pty.fork()
        if self.child == 0:
            os.execv(PROGRAM, [PROGRAM, "top", *words])
        self.resize(width, height)
        self.before = termios.tcgetattr(self.number)
        self.text = ""

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.number, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self.number, keys.encode())

    def read(self, seconds: float = 0.1) -> bool:
        """Read what comes within a time; return whether the program has not ended."""
        ready, _, _ = select.select([self.number], [], [], seconds)
        if ready:
            try:
                part = os.read(self.number, 1 << 16)
            except OSError:
                return False
            self.text += part.decode("utf-8", "replace")
        return True

    def frame(self, expected: str) -> list[str]:
        """Wait for a frame with a text; return its lines."""
        until = time.monotonic() + MOST_SECONDS
        while time.monotonic() < until and self.read():
            for frame in self.text.split("\x1b[H")[1:]:
                whole, end, _ = frame.partition("\x1b[J")
                plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", whole).replace("\r", "")
                if end and expected in plain:
                    self.text = self.text[self.text.rindex(frame) :]
                    return plain.split("\n")
        raise AssertionError(f"{expected!r} is not shown: {self.text[-2000:]!r}")

    def end(self) -> int:
        """Wait for the end; return the status."""
        until = time.monotonic() + MOST_SECONDS
        while time.monotonic() < until:
            self.read()
            process, status = os.waitpid(self.child, os.WNOHANG)
            if process:
                while self.read(0) and select.select([self.number], [], [], 0)[0]:
                    pass
                return os.waitstatus_to_exitcode(status)
        os.kill(self.child, signal.SIGKILL)
        raise AssertionError("it does not end")


BUSY = """
import os, sys
folder, files = sys.argv[1], int(sys.argv[2])
for number in range(files):
    open(f"{folder}/{number}", "wb").close()
print("ready", flush=True)
while True:
    for number in range(files):
        file = os.open(f"{folder}/{number}", os.O_WRONLY)
        os.pwrite(file, b"12345", 0)
        os.close(file)
"""


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[int]:
    """A program that writes 10,000 files over and over."""
    program = subprocess.Popen([sys.executable, "-c", BUSY, str(tmp_path), "10000"], stdout=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.readline()
    yield program.pid
    program.kill()
    program.communicate()


@needs_bpf
@pytest.mark.parametrize("end", ["q", "\x03"], ids=["q", "Ctrl-C"])
def test_the_terminal_is_as_before(busy: int, end: str) -> None:
    terminal = Terminal(100, 30, "-p", str(busy))
    lines = terminal.frame("10,000 files, by time in storage calls")
    assert len(lines) == 30
    assert any("written" in line for line in lines)
    terminal.type("p")
    assert any("python" in line for line in terminal.frame("1 processes, by time"))
    terminal.type("sb")
    terminal.frame("calls, by bytes, storage first")
    terminal.resize(40, 20)
    terminal.type("fm")
    lines = terminal.frame("sort t,b,m,l,c  show f,p,s  quit q")
    assert len(lines) == 20
    assert max(map(cell_len, lines)) <= 40
    terminal.type(end)
    assert terminal.end() == 0
    assert terminal.text.endswith("\x1b[?25h\x1b[?1049l")
    assert termios.tcgetattr(terminal.number) == terminal.before


@needs_bpf
def test_the_end_of_the_process_is_said() -> None:
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3)"])
    terminal = Terminal(80, 25, "-p", str(program.pid))
    terminal.frame("by time in storage calls")
    program.wait()
    assert terminal.end() == 0
    assert terminal.text.endswith(f"\x1b[?1049liotrace: process {program.pid} has ended\r\n")
    assert termios.tcgetattr(terminal.number) == terminal.before


@needs_bpf
def test_a_signal_ends_it_with_the_terminal_as_before(busy: int) -> None:
    terminal = Terminal(80, 25, "-p", str(busy))
    terminal.frame("by time in storage calls")
    os.kill(terminal.child, signal.SIGTERM)
    assert terminal.end() == 0
    assert terminal.text.endswith("\x1b[?25h\x1b[?1049l")
    assert termios.tcgetattr(terminal.number) == terminal.before


@needs_bpf
def test_what_is_no_terminal_gets_tables_until_the_process_ends() -> None:
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3)"])
    top = subprocess.Popen(
        [PROGRAM, "top", "-p", str(program.pid), "--seconds", "0.2", "--by", "calls"],
        stdout=subprocess.PIPE,
        text=True,
    )
    printed, _ = top.communicate(timeout=MOST_SECONDS)
    program.wait()
    assert top.returncode == 0
    assert "\x1b" not in printed
    assert printed.count(f"process {program.pid}, ") > 2
    first = printed.split("\n\n")[1]
    assert re.match(r"\d+ calls, by time, storage first\n", first)


@needs_bpf
def test_json_is_a_line_for_each_interval(busy: int) -> None:
    top = subprocess.Popen(
        [PROGRAM, "top", "-p", str(busy), "--format", "json", "--seconds", "0.3"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert top.stdout is not None
    shown = [json.loads(top.stdout.readline()) for _ in range(3)]
    top.send_signal(signal.SIGINT)
    top.communicate(timeout=MOST_SECONDS)
    assert top.returncode == 0
    for one in shown:
        assert 0.25 < one["seconds"] < 3
        assert 0 < len(one["files"]) <= min(one["file_count"], 1000)
        assert one["processes"][0]["process"] == busy
    assert shown[-1]["written_bytes"] == 5 * next(
        row["calls"] for row in shown[-1]["by_call"] if row["call"] == "pwrite64"
    )


@needs_bpf
def test_a_recording_is_kept(busy: int, tmp_path: Path) -> None:
    store = tmp_path / "kept.iotrace"
    words = [PROGRAM, "top", "-p", str(busy), "--once", "--seconds", "0.3", "--record", "-o", store]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    assert done.returncode == 0, done.stderr
    assert (store / "manifest.json").is_file()
    assert store.with_suffix(".iorec").is_file()
    assert "next: iotrace report" in done.stderr
    again = subprocess.run(words, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    assert again.returncode == 2
    assert "exists" in again.stderr
    assert again.stdout == ""
