"""The comparison with other programs runs from start to end, small, and refuses a program that counts otherwise."""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from block_oracles import hits

FOLDER = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(FOLDER))
import peers  # noqa: E402

SMALL = argparse.Namespace(
    references=20_000, blocks=5_000, exponent=0.9, scanned=0.125, seed=1, rounds=1,
    increment_and_freeze=None, libcachesim=None, mimircache=sys.executable,
)  # fmt: skip


def lru_hits(keys: list[int], size: int) -> int:
    """Hits in an LRU cache of `size` blocks."""
    return sum(hits("lru", size, keys))


def test_programs_that_are_there_find_what_a_plain_cache_does(tmp_path: Path) -> None:
    found = [peer for peer in peers.peers(SMALL, tmp_path) if peer.name != "Fenwick tree"]
    traces = peers.write_traces(SMALL, tmp_path)
    keys = np.fromfile(traces.keys, np.uint64).tolist()
    expected = tuple(lru_hits(keys, size) for size in peers.SIZES)
    assert found[0].run(traces).hits == expected
    rows = peers.measure(found, traces, 1)
    assert [row.name for row in rows] == [peer.name for peer in found if peer.missing is None]
    assert "iotrace" in peers.picture(rows)


def test_a_program_that_counts_otherwise_stops_the_comparison() -> None:
    with pytest.raises(SystemExit, match="other found"):
        peers.check("other", (1, 2, 3, 4, 6), (1, 2, 3, 4, 5))
    with pytest.raises(SystemExit, match="other found"):
        peers.check("other", (4,), (1, 2, 3, 4, 5))


def test_libcachesims_distances_are_read(tmp_path: Path) -> None:
    tool = tmp_path / "distUtil"
    tool.write_text('#!/bin/sh\nprintf "0:3, 999:2, 1000:5, 9223372036854775807:7, " > "$5.STACK_DIST.cnt"\n')
    tool.chmod(0o755)
    options = argparse.Namespace(**vars(SMALL) | {"libcachesim": str(tmp_path)})
    (peer,) = (peer for peer in peers.peers(options, tmp_path) if "distUtil" in peer.name)
    trace = tmp_path / "trace"
    assert peer.run(peers.Traces(trace, trace, trace, 17)).hits == (5, 10, 10, 10, 10)


def test_it_says_what_it_left_out() -> None:
    command = [sys.executable, str(FOLDER / "peers.py"), "--references", "5000", "--blocks", "500"]
    said = subprocess.run(
        [*command, "--rounds", "1", "--only", "Freeze"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr
    assert "| iotrace |" in said.stdout
    assert "Left out: Increment-and-Freeze (no --increment-and-freeze)." in said.stdout
