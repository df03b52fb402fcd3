"""A write cache that writes more often than it is written to: how often by construction, and the reason with it."""

import json
from pathlib import Path
from typing import Any

import pytest
from program import Run

TRACK = 3264
"""Blocks of a track in the first zone of sata-7200."""
FULL = ("--write-cache", "64K", "--purge", "full")
"""A cache of 128 blocks that purges only when a write waits."""


def trace(folder: Path, writes: list[tuple[int, int]], each_s: int = 1) -> Path:
    """Return a trace of writes (first block, blocks), `each_s` seconds apart."""
    lines = (f"0,{lbn},{512 * blocks},w,{each_s * at}.0\n" for at, (lbn, blocks) in enumerate(writes))
    (folder / "d.spc").write_text("".join(lines))
    return folder / "d.spc"


def row(run: Run, *words: Any) -> dict[str, Any]:
    (only,) = json.loads(run("write-cache", *words, "--format", "json").stdout)
    return only


def test_a_cache_of_today_does_not_multiply_writes(run: Run, tmp_path: Path) -> None:
    """Writes of 32 KB, each on a track of its own, after 16 small ones that fill the cache.

    The first large write has 8 tracks of small ones purged to make room for its 64 blocks; each later one has the large
    one before it purged, whose track has the most dirty blocks.
    """
    small = [(TRACK * at, 8) for at in range(16)]
    large = [(TRACK * (100 + at), 64) for at in range(100)]
    made = row(run, trace(tmp_path, small + large), *FULL)
    assert (made["admission"], made["disk_writes"], made["w_wc_reason"]) == ("whole", 8 + 99, None)
    assert made["w_wc"] == pytest.approx(100 * 107 / 116)


def test_admission_by_blocks_says_why_it_does(run: Run, tmp_path: Path) -> None:
    small = [(TRACK * at, 8) for at in range(16)]
    place = trace(tmp_path, small + [(TRACK * (100 + at), 100) for at in range(50)])
    made = row(run, place, *FULL, "--admission", "blocks")
    assert (
        made["w_wc"] > 100 and made["partial_entries"] > 0 and made["written_units"] == made["writes"] == 66
    )
    assert made["disk_writes"] <= made["written_units"] + made["partial_entries"]
    assert made["w_wc_reason"] == (
        "w_wc is above 100 % because a write can take several disk writes: one for each part of it that enters a full"
        f" cache alone ({made['partial_entries']:,} such parts; with --admission whole there are none)"
    )
    screen = run("write-cache", place, *FULL, "--admission", "blocks").stdout.decode()
    assert screen.count("w_wc is above 100 % because") == 1 and "track that it touches" not in screen
    assert "above 100 %" not in run("write-cache", place, *FULL).stdout.decode()


def test_writes_over_two_tracks_are_two_disk_writes(run: Run, tmp_path: Path) -> None:
    """The end of one track and the begin of the next, and of the next cylinder every fifth time.

    When the trace ends, one of the last write's two tracks is still dirty.
    """
    place = trace(tmp_path, [(2 * TRACK * at - 4, 8) for at in range(1, 21)])
    made = row(run, place, "--purge", "asap")
    assert (made["disk_writes"], made["w_wc"], made["dirty_at_end"]) == (39, 195, 4)
    assert (made["written_units"], made["partial_entries"]) == (40, 0)
    assert made["w_wc_reason"] == (
        "w_wc is above 100 % because a write can take several disk writes: one for each track that it touches (2.00 on"
        " average)"
    )
    made = row(run, place, "--purge", "asap", "--unit", "cylinder")
    assert (made["disk_writes"], made["written_units"]) == (23, 24)
    assert "one for each cylinder that it touches (1.20 on average)" in made["w_wc_reason"]


def test_what_was_dirty_before_a_part_is_named(run: Run, tmp_path: Path) -> None:
    """The last of 16 writes exceeds 95 % of the cache, and all tracks but one are purged: below 10 % are 8 blocks."""
    place = trace(tmp_path, [(TRACK * at, 8) for at in range(16)] + [(TRACK * 15, 8)], each_s=100)
    words = ("--write-cache", "64K", "--lolim", "10", "--purge", "two-thresholds")
    made = row(run, place, *words, "--since", "1500s")
    assert (made["writes"], made["disk_writes"], made["dirty_at_start"]) == (2, 15, 120)
    assert made["w_wc_reason"] == (
        "w_wc is above 100 % because 120 blocks were dirty before, and their disk writes count"
    )
    assert row(run, place, *words)["w_wc_reason"] is None
