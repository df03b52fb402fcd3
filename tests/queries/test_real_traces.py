"""The statistics on real traces: they agree with each other, and stay small."""

import os
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from iotrace import queries
from iotrace.analysis.characterize import characterize

TRACES = os.environ.get("IOTRACE_TRACES")
SMALL = ("cad-chip-build", pytest.param("parallel-io", marks=pytest.mark.nightly))
MOST_ROWS = 400
WINDOWS = 200
"""Fewer than twice the parameter windows, which is 100."""
MOST_ROWS_OF_A_WINDOW = {"latency_over_time": 64, "storage_by_window": 2 * (12 + 12 + 1) + 16}
"""Powers of two that a time can have; programs and directories by time, by calls and the others, and kinds of calls."""


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of the larger traces")
@pytest.mark.parametrize("name", SMALL)
def test_statistics_agree_with_each_other(name: str, tmp_path: Path) -> None:
    from iotrace.ingest.pipeline import ingest

    log = Path(str(TRACES)) / "strace" / f"{name}.strace.zst"
    if not log.exists():
        pytest.skip(f"{log} is not there")
    store = ingest([log], tmp_path / f"{name}.iotrace")
    results = characterize(store.connect(views=[]), parameters={"population": "all"})
    assert list(results) == queries.names()
    for statistic, table in results.items():
        assert table.schema.equals(queries.query(statistic).schema, check_metadata=True)
        table.validate(full=True)
        assert_small(statistic, table)
    whole = results["totals"].to_pylist()[0]
    moved = whole["bytes_read"] + whole["bytes_written"]
    assert total(results["references_by_type"], "requests") == whole["requests"]
    assert total(results["references_by_type"], "bytes") == moved
    assert total(results["runs_by_length"], "bytes") == moved
    assert total(results["by_process"], "requests") == whole["requests"]
    assert total(results["by_program"], "bytes_written") == whole["bytes_written"]
    assert total(results["requests_over_time"], "requests") == whole["requests"]
    assert total(results["requests_over_time"], "bytes_read") == whole["bytes_read"]
    assert total(results["interarrival_times"], "intervals") == whole["requests"] - 1
    assert total(results["static_by_type"], "size_bytes") == whole["static_bytes"]
    assert total(results["files_read_and_written"], "size_bytes") == whole["static_bytes"]
    assert total(results["operations"], "references") == whole["references"]
    assert total(results["calls_by_name"], "calls") == whole["calls"]


def assert_small(statistic: str, table: pa.Table) -> None:
    of_a_window = MOST_ROWS_OF_A_WINDOW.get(statistic)
    if of_a_window is None:
        assert table.num_rows <= MOST_ROWS, statistic
        return
    rows = Counter(table.column("window").to_pylist())
    assert len(rows) <= WINDOWS and max(rows.values()) <= of_a_window, statistic


def total(table: pa.Table, column: str) -> int:
    return sum(table.column(column).to_pylist())
