"""Block traces whose numbers are in other units than their format has: a warning says what they look like."""

from pathlib import Path

import pytest
from program import Run


def said(run: Run, folder: Path, name: str, text: str) -> str:
    """Ingest a trace; return what is said."""
    (folder / name).write_text(text)
    done = run("ingest", name, "-o", "made.store", folder=folder)
    assert done.returncode == 0
    return done.stderr.decode()


@pytest.mark.parametrize(("unit_per_ms", "is_odd"), [(1_000, False), (1_000_000, True)])
def test_an_iolog_in_nanoseconds(run: Run, tmp_path: Path, unit_per_ms: int, is_odd: bool) -> None:
    lines = "".join(f"{at * unit_per_ms} /dev/sdb read {at * 4096} 4096\n" for at in range(200))
    words = said(run, tmp_path, "t.iolog", "fio version 3 iolog\n0 /dev/sdb add\n" + lines)
    assert ("its requests are 1 s apart on average, if its times are microseconds" in words) == is_odd
    assert ("awk '$1 ~ /^[0-9]+$/ { $1 = int($1 / 1000) } 1' LOG" in words) == is_odd


@pytest.mark.parametrize(("unit", "is_odd"), [(512, False), (1, True)])
def test_sectors_in_place_of_bytes(run: Run, tmp_path: Path, unit: int, is_odd: bool) -> None:
    start = 1_577_808_000_000_000
    lines = "".join(f"0,R,{at * 8 * unit},{8 * unit},{start + at * 1000}\n" for at in range(50))
    words = said(run, tmp_path, "t.csv", lines)
    assert (
        "name the columns with --columns, those two as offset=COLUMN:512,length=COLUMN:512" in words
    ) == is_odd


def test_some_odd_lengths_are_no_sectors(run: Run, tmp_path: Path) -> None:
    start = 1_577_808_000_000_000
    lines = "".join(f"0,R,{at * 8192},{4096 + at},{start + at * 1000}\n" for at in range(50))
    words = said(run, tmp_path, "t.csv", lines)
    assert "pieces of 512-byte blocks" in words and "in sectors" not in words
