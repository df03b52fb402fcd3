"""A store among those of a folder, as a person is shown it."""

import random
from pathlib import Path

from program import Run


def test_a_fleet_is_shown_in_units(run: Run, tmp_path: Path) -> None:
    """Metrics have different units, and their quartiles too."""
    for number in range(4):
        draw, lines = random.Random(number), []
        for place in range(200):
            time, length = 128166336000000000 + 90_000 * place, 4096 * draw.randrange(1, 5 + number)
            lines.append(
                f"{time},hm,0,{draw.choice(('Read', 'Write'))},{4096 * draw.randrange(99)},{length},900\n"
            )
        (tmp_path / f"{number}.csv").write_text("".join(lines))
        assert (
            run(
                "ingest", tmp_path / f"{number}.csv", "-o", tmp_path / "fleet" / f"{number}.iotrace"
            ).returncode
            == 0
        )
    done = run("compare", tmp_path / "fleet" / "0.iotrace", "--against", tmp_path / "fleet")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode()
    assert "lower quartile" in shown
    assert "KB" in shown
