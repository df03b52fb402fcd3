"""A few faults at random moments; the driver runs as many as it is asked for (see `driver`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from driver import Results, prepared, run_full_disks, run_kills, run_limits, run_two_writers
from operations import OPERATIONS

SEED = 1991
QUICK = tuple(one for one in OPERATIONS if one.name in ("ingest --force", "sql -o"))


def test_after_a_fault_the_old_or_the_new_stands(tmp_path: Path) -> None:
    place, results = prepared(tmp_path), Results()
    run_kills(place, results, 4, SEED, QUICK)
    run_limits(place, results, 1, SEED, QUICK)
    run_full_disks(place, results, 1, SEED, QUICK)
    run_two_writers(place, results, 1)
    assert results.bad == [], results.table()
    assert results.counts.total() >= 13
