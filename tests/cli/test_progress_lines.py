"""Progress where standard error is not a terminal."""

import time

import pytest

from iotrace.cli import progress_lines
from iotrace.cli.progress import bar, doing


def test_a_line_says_how_far_how_fast_and_how_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_lines, "SECONDS", 0.05)
    with bar("Reading a\x1b.log", "DownloadColumn", "TransferSpeedColumn") as show:
        assert show is not None
        show(1 << 20, 4 << 20)
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert all(line.startswith("iotrace: Reading a") and "\x1b" not in line for line in lines)
    assert "25 %" in lines[0] and "/s" in lines[0] and lines[0].endswith("left")


def test_steps_are_said_while_they_last(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_lines, "SECONDS", 0.05)
    with doing() as show:
        show("characterizing")
        time.sleep(0.12)
        show("simulating", 0.5)
        time.sleep(0.12)
        show("reading", 0.25, "1,000 references/s")
        time.sleep(0.12)
    said = capsys.readouterr().err
    assert "iotrace: characterizing …\n" in said
    assert "iotrace: simulating … 50 %" in said
    assert "iotrace: reading … 25 %, 1,000 references/s, " in said


def test_what_is_short_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with doing() as show:
        show("characterizing")
    assert capsys.readouterr().err == ""
