"""Two volumes of the same hour: their states are refused, and their rows are merged."""

import random
from pathlib import Path

from program import Run, refused

BEGIN = 128166336000000000


def volume(folder: Path, disk: int) -> Path:
    """Requests to a disk in a minute, as text."""
    draw, time, path = random.Random(disk), BEGIN, folder / f"raw{disk}.csv"
    lines = []
    for _ in range(400):
        time += draw.randrange(1, 1_500_000)
        operation = draw.choice(("Read", "Write"))
        lines.append(
            f"{time},hm,{disk},{operation},{4096 * draw.randrange(100)},{4096 * draw.randrange(1, 4)},900\n"
        )
    path.write_text("".join(lines))
    return path


def test_rows_of_two_stores_have_the_curve_of_both(run: Run, tmp_path: Path) -> None:
    raw = [volume(tmp_path, disk) for disk in (0, 1)]
    states, exported = [], []
    for disk, path in enumerate(raw):
        store, state = tmp_path / f"v{disk}.iotrace", tmp_path / f"v{disk}.state"
        text = tmp_path / f"exported{disk}.csv"
        for words in (
            ["ingest", path, "-o", store],
            ["curve", store, "--deletes", "ignore", "--syncs", "ignore", "--state", "-o", state],
            ["export", store, "--to", "msr-cambridge", "-o", text],
        ):
            assert run(*words).returncode == 0
        states.append(state)
        exported.append(text)
    assert "iotrace export" in refused(run("merge-curves", *states))
    curves = []
    for name, files in (("of_raw", raw), ("of_stores", exported)):
        store = tmp_path / f"{name}.iotrace"
        assert run("ingest", *files, "-o", store).returncode == 0
        curves.append(run("curve", store, "-f", "csv").stdout)
    assert curves[0] == curves[1]
    assert curves[0].count(b"\n") > 50
