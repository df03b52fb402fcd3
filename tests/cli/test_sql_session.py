"""The session of ``iotrace sql TRACE`` on a terminal, as a person types into it."""

import gzip
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest
from program import LOG, MOST_SECONDS, PROGRAM, Run

from iotrace.cli.session import _Completer
from iotrace.store.store import read


class Typist:
    """Types into a program on a terminal, and reads what it prints."""

    def __init__(self, run: Run, *words: object) -> None:
        self._terminal, inner = pty.openpty()
        environment = run.environment | {"TERM": "dumb"}
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, words)],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
        )
        os.close(inner)
        self.greeting = self.read("sql> ")

    def read(self, until: str) -> str:
        """Return what is printed up to a text."""
        printed, end = b"", time.monotonic() + MOST_SECONDS
        while not printed.endswith(until.encode()):
            assert select.select([self._terminal], [], [], max(end - time.monotonic(), 0))[0], printed
            try:
                printed += os.read(self._terminal, 1 << 16)
            except OSError:
                raise AssertionError(printed) from None
        return re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", printed.decode()).replace("\r\n", "\n")

    def type(self, text: str, until: str = "sql> ") -> str:
        os.write(self._terminal, text.encode())
        return self.read(until)

    def close(self) -> int:
        os.write(self._terminal, b"\x04")
        status = self.process.wait(MOST_SECONDS)
        os.close(self._terminal)
        return status


@pytest.fixture
def typist(run: Run, shared_store: Path) -> Typist:
    return Typist(run, "sql", shared_store)


def test_queries_one_after_the_other(typist: Typist) -> None:
    assert "42" in typist.type("select 40\n", " ..> ") + typist.type("  + 2 as answer;\n")
    assert "Projection" in typist.type("explain select 1;\n").title()
    typist.type("create table kept as select 7 as seven;\n")
    assert "7" in typist.type("from kept; select 8;\n")
    assert "most like it: totals" in typist.type("from toals;\n")
    assert "call_wide" in typist.type(".tables\n")
    assert "latency_over_time" in typist.type(".search latency peak\n")
    assert "directory" in typist.type(".schema call_wide\n")
    assert ".help lists" in typist.type(".nonsense\n")
    assert "Ctrl-C" in typist.type(".help\n")
    assert typist.close() == 0


def test_a_loss_is_said_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cut.strace.gz").write_bytes(gzip.compress(LOG.read_bytes())[:300])
    run("ingest", tmp_path / "cut.strace.gz", "-o", tmp_path / "cut.iotrace")
    typist = Typist(run, "sql", tmp_path / "cut.iotrace")
    assert "damaged or truncated" in typist.greeting
    assert "truncated" not in typist.type("select 1;\n") + typist.type("select calls from totals;\n")
    typist.close()


def test_an_interrupt_stops_the_query_and_not_the_session(typist: Typist) -> None:
    os.write(
        typist._terminal,
        b"select count(*) from range(1000000000000) t(a), range(1000) u(b) where a % 7 = b;\n",
    )
    time.sleep(2)
    os.write(typist._terminal, b"\x03")
    assert "stopped" in typist.read("sql> ")
    assert "5" in typist.type("select 2 + 3 as five;\n")
    assert typist.type("select half\n", " ..> ")
    assert typist.type("\x03")
    assert "9" in typist.type("select 9;\n")
    assert typist.close() == 0


def test_the_history_is_kept(run: Run, shared_store: Path) -> None:
    first = Typist(run, "sql", shared_store)
    first.type("select 123456 as once;\n")
    first.close()
    kept = run.cache / "iotrace" / "sql_history"
    assert "select 123456 as once;" in kept.read_text() and kept.stat().st_mode & 0o077 == 0


def test_words_are_completed(shared_store: Path) -> None:
    completer = _Completer(read(shared_store))
    assert "call_wide" in completer.words("call_w", "select * from call_w")
    assert completer.words("durat", "select durat from call_wide")[:2] == ["duration", "duration_ns"]
    assert completer.words("SEL", "SEL") == ["select"]


def test_without_a_terminal_a_query_is_needed(run: Run, shared_store: Path) -> None:
    done = run("sql", shared_store)
    assert done.returncode == 2 and b"give a query" in done.stderr
