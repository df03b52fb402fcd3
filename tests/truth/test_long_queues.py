"""A queue whose waiting times add up to more than 64 bits of nanoseconds: means stay means."""

import json
import random
from pathlib import Path

import pytest
from program import Run
from toy_drives import toy_drive

DRIVE = toy_drive("slow", surfaces=1, rpm=1, sectors_per_track=20000)
REQUESTS = 30_000


def test_means_of_times_that_exceed_64_bits_together(run: Run, tmp_path: Path) -> None:
    drawn = random.Random(7)
    lines = (
        f"0,R,{drawn.randrange(40_000) * 4096},4096,{1_577_808_000_000_000 + at}\n" for at in range(REQUESTS)
    )
    (tmp_path / "all-at-once.csv").write_text("".join(lines))
    (tmp_path / "slow.toml").write_text(DRIVE)
    words = ("--disk", "./slow.toml", "--write-cache", "0", "--read-cache", "0", "--format", "json")
    row = json.loads(run("write-cache", "all-at-once.csv", *words, folder=tmp_path).stdout)[0]
    # they arrive together and are served in turn: the mean waits half as long as the last
    assert row["read_queue_ms"] == pytest.approx(row["read_response_max_ms"] / 2, rel=0.02)
    assert row["read_response_ms"] == pytest.approx(row["read_queue_ms"] + row["read_service_ms"], rel=1e-9)
    assert row["read_queue_ms"] * REQUESTS * 1e6 > 2**63
