"""Predictions without an upper bound: with less memory, mapped pages leave whose touches no event shows."""

import pyarrow as pa
import pytest

from iotrace import queries
from iotrace.analysis.memory.prediction import Measured, _Touched, widths
from iotrace.analysis.memory.runs import Requests
from iotrace.analysis.memory.sentences import _sure, _unbounded

MB = 1 << 20
MEASURED = Measured(64 * MB, "cgroup", MB, True, 2, True, False, False, None, None)


@pytest.mark.parametrize(
    ("faulted", "limit_mb", "evictions", "is_unbounded"),
    [(10, 32, 1, True), (9, 32, 1, False), (10, 64, 1, False), (10, 32, 0, False)],
    ids=["less memory", "few mapped pages", "the recording's memory", "nothing leaves"],
)
def test_less_memory_has_no_upper_bound(
    faulted: int, limit_mb: int, evictions: int, is_unbounded: bool
) -> None:
    touched = _Touched(0, 1000, 0, faulted, 0, Requests(has_mapped=True, has_writes=False, overlap=False))
    assert touched.is_unbounded(limit_mb * MB, MEASURED, {"page_evictions": evictions}) == is_unbounded


def test_a_range_without_an_upper_end_is_said() -> None:
    row = {"limit_bytes": 32 * MB, "page_reads_linux": 110, "page_reads_low": 100, "page_reads_high": None}
    rest = {"page_reads_lru": 90, "page_reads_optimum": 80, "wait_s": None}
    rows = pa.Table.from_pylist([row | rest], schema=queries.table_schema("page_cache_memory"))
    assert widths(rows) == [None]
    assert _sure(row) == ", 100 or more by what is not known"
    assert _unbounded(rows) == [
        "At 32 MB there may be more reads: mapped pages that leave with less memory than in the recording may be"
        " touched again, and no event shows that."
    ]
