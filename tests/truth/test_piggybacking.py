"""Full piggybacking takes the dirty blocks of each track that a read visits (Biswas 2.3)."""

import json
from pathlib import Path
from typing import Any

import pytest
from program import Run
from toy_drives import toy_drive

DISK = toy_drive("toy", surfaces=2, rpm=6000, sectors_per_track=10)
"""Tracks of 10 blocks, of 1 ms each; cylinders of 20."""


@pytest.mark.parametrize(
    ("writes", "read", "taken", "tracks_read_ms"),
    [
        pytest.param([(350, 2)], (358, 2), 2, 22.0, id="one track"),
        pytest.param([(350, 2)], (359, 2), 2, 42.0, id="the first of two tracks"),
        pytest.param([(366, 2)], (359, 2), 2, 38.0, id="the last of two tracks"),
        pytest.param([(350, 2), (366, 2)], (359, 2), 4, 42.0, id="both"),
        pytest.param([(341, 1), (355, 1), (365, 1)], (349, 12), 3, None, id="a track in the middle"),
        pytest.param([(300, 2)], (359, 2), 0, 31.0, id="another track"),
    ],
)
def test_each_track_that_a_read_visits(
    run: Run,
    tmp_path: Path,
    writes: list[tuple[int, int]],
    read: tuple[int, int],
    taken: int,
    tracks_read_ms: float | None,
) -> None:
    """The read over two tracks takes 31 ms: it ends at block 360, at the begin of cylinder 18.

    Blocks 366 and 367 pass from 36 to 38 ms. The arm needs 1 ms to cylinder 17, where blocks 350 and 351 pass from 40
    to 42 ms.
    """
    (tmp_path / "toy.toml").write_text(DISK)
    lines = [f"0.000000 0 {lbn} {blocks} 0\n" for lbn, blocks in writes]
    lines.append(f"10000.000000 0 {read[0]} {read[1]} 1\n")
    (tmp_path / "t.ascii").write_text("".join(lines))
    words = ("--trace-format", "disksim", "--disk", tmp_path / "toy.toml", "--piggyback", "full")
    sizes = ("--write-cache", 15360, "--read-cache", 10240)
    made: dict[str, Any]
    (made,) = json.loads(run("write-cache", tmp_path / "t.ascii", *words, *sizes, "--format", "json").stdout)
    assert (made["piggybacked_blocks"], made["dirty_at_end"]) == (taken, sum(n for _, n in writes) - taken)
    if tracks_read_ms is not None:
        assert made["read_service_ms"] == tracks_read_ms
