"""iotrace disk, as a user runs it."""

import json
from pathlib import Path

import pytest
from program import Run, refused

TRACE = "R Hit 1000 8 15000.0 20000.0\nW Hit 90000 8 16000.0 3000.0\nR Hit 1008 8 9000.0 1000.0\n"
KEYS = {"mean_error_ms", "demerit_ms", "mean_absolute_error_ms", "within_half_ms", "requests"}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "drive.trace"
    path.write_text(TRACE)
    return path


def test_the_library_is_listed(run: Run) -> None:
    rows = json.loads(run("disk", "list", "-f", "json").stdout)
    assert {"ra81", "ra82", "ra90", "rz26", "hp-c2490a", "hp-97560"} <= {row["disk"] for row in rows}


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_drive_is_shown_and_drawn(run: Run, tmp_path: Path, form: str) -> None:
    done = run("disk", "show", "ra82", "-f", form, "--plot", "seek.svg", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"DEC RA82" in done.stdout and b"distance_cylinders" in done.stdout
    drawn = (tmp_path / "seek.svg").read_text()
    assert drawn.startswith("<svg") and "Seek times of DEC RA82" in drawn
    assert "--force" in refused(run("disk", "show", "ra82", "--plot", "seek.svg", folder=tmp_path), 2)
    assert "reconstructed" in run("disk", "show", "ra82").stdout.decode()


def test_a_drive_as_parquet_needs_a_folder(run: Run, tmp_path: Path) -> None:
    assert "folder" in refused(run("disk", "show", "ra82", "-f", "parquet"), 2).lower()
    assert run("disk", "show", "ra82", "-f", "parquet", "-o", tmp_path / "ra82").returncode == 0
    assert {path.stem for path in (tmp_path / "ra82").iterdir()} == {"drive", "zones", "seek"}


def test_a_model_is_validated(run: Run, trace: Path) -> None:
    result = json.loads(run("disk", "validate", trace, "--disk", "rz26", "--format", "json").stdout)
    assert result.keys() >= KEYS
    assert result["requests"] == 3 and [half["requests"] for half in result["halves"]] == [1, 2]
    rows = json.loads(run("disk", "validate", trace, "--disk", "rz26", "--each", "-f", "json").stdout)
    assert [row["measured_ns"] for row in rows] == [15_000_000, 16_000_000, 9_000_000]
    assert b"second half" in run("disk", "validate", trace, "--disk", "rz26").stdout


def test_a_drive_of_one_s_own(run: Run, trace: Path, tmp_path: Path) -> None:
    zone = "[[zones]]\nfirst_cylinder = 0\nlast_cylinder = 999\nsectors_per_track = 60\n"
    (tmp_path / "mine.toml").write_text(f'name = "<b>mine"\nsurfaces = 4\nrpm = 5400\nseek.a_ms = 2\n{zone}')
    done = run("disk", "validate", trace, "--disk", tmp_path / "mine.toml", "-f", "json")
    assert json.loads(done.stdout)["requests"] == 3
    shown = run("disk", "show", tmp_path / "mine.toml", "--plot", tmp_path / "mine.svg")
    assert shown.returncode == 0 and "&lt;b&gt;mine" in (tmp_path / "mine.svg").read_text()


def test_what_cannot_be(run: Run, trace: Path, tmp_path: Path) -> None:
    assert "is not one of" in refused(run("disk", "show", "ra99"), 2)
    assert "gone.toml: No such file" in refused(run("disk", "show", "gone.toml"))
    assert "x.png: is not a name for a drawing" in refused(run("disk", "show", "ra82", "--plot", "x.png"), 2)
    (tmp_path / "bad.toml").write_text("name = ")
    assert "bad.toml" in refused(run("disk", "show", tmp_path / "bad.toml"))
    (tmp_path / "short.toml").write_text('name = "x"\n')
    assert "surfaces: is missing" in refused(run("disk", "show", tmp_path / "short.toml"))
    trace.write_text(TRACE + "R Hit 9999999 8 1 1\n")
    assert "request 4 ends at block" in refused(run("disk", "validate", trace, "--disk", "rz26"))
    trace.write_text(TRACE + "nonsense\n")
    assert "drive.trace, line 4" in refused(run("disk", "validate", trace, "--disk", "rz26"))
    assert "No such file" in refused(run("disk", "validate", "gone", "--disk", "rz26"))
