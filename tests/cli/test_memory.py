"""Limits of memory: every command has the option, and ends in a sentence where it is not enough."""

from pathlib import Path

import duckdb
import pytest
from program import LOG, Run

from iotrace.cli import COMMANDS
from iotrace.files import memory

GROUPS = ("paper", "generate", "disk")
"""Commands of commands."""


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in GROUPS])
def test_every_command_has_the_option(run: Run, command: str) -> None:
    said = [run(command, help_).stdout.decode() for help_ in ("--help", "--help-all")]
    assert any("--memory" in help_ for help_ in said)


@pytest.mark.parametrize("size", ["1M", "255M", "0"])
def test_too_little_is_refused(run: Run, tmp_path: Path, size: str) -> None:
    done = run("report", LOG, "-o", tmp_path / "page.html", "--memory", size)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "iotrace: --memory must be at least 256M, which iotrace and its libraries take\n"
    )
    assert not (tmp_path / "page.html").exists()


def test_a_size_that_is_none_is_refused(run: Run) -> None:
    done = run("info", LOG, "--memory", "much")
    assert done.returncode == 2
    assert "much" in done.stderr.decode()


def test_duckdb_gets_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_STATE", {})
    memory.limit(1 << 30)
    with duckdb.connect(config=memory.of_duckdb()) as connection:
        ((shown,),) = connection.execute("select current_setting('memory_limit')").fetchall()
    assert shown == "512.0 MiB"


def test_what_takes_more_ends_in_a_sentence(run: Run, tmp_path: Path) -> None:
    code = "select count(*) from (select unnest(range(1000000)) as a) join (select unnest(range(30)) as b) on true"
    done = run("sql", LOG, code, "--memory", "2G")
    assert done.returncode == 0, done.stderr
    done = run.anew("nonvolatile", _random_blocks(tmp_path), "--budget", "100000000", "--memory", "256M")
    assert done.returncode == 1
    assert "--memory" in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()[-1]) < 300


def _random_blocks(folder: Path) -> Path:
    """Write a trace of requests that touch 16 million blocks."""
    place = folder / "random.csv"
    lines = (
        f"{128166372003061629 + 10 * number},web,0,Write,{(number * 2654435761 % (1 << 30)) * 65536},65536,700\n"
        for number in range(120_000)
    )
    place.write_text("".join(lines))
    return place
