"""The demo: the package's own trace, a screen in the terminal, a report in the folder."""

from importlib.resources import files
from pathlib import Path

import pytest
from iotrace.reports.pages.write import is_report
from typer.testing import CliRunner

from iotrace.cli import application

TRACES = [entry.name for entry in (files("iotrace") / "demo").iterdir() if ".strace" in entry.name]


def test_one_small_trace_ships_with_the_package() -> None:
    (name,) = TRACES
    assert len((files("iotrace") / "demo" / name).read_bytes()) < 3 * 2**20


def test_it_prints_a_screen_and_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(application(), ["demo"])
    assert run.exit_code == 0
    assert run.stdout.rstrip().endswith("report.html")
    assert "470 processes" in run.stdout and "storage calls 5.12 s" in run.stdout
    assert is_report(tmp_path / "report.html")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_it_does_not_overwrite_what_is_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.html").write_text("mine")
    run = CliRunner().invoke(application(), ["demo"])
    assert run.exit_code != 0
    assert (tmp_path / "report.html").read_text() == "mine"
