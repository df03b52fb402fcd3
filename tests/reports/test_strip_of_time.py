"""The pictures over time on the first screen end with the trace."""

import re

import pyarrow as pa
import pytest
from iotrace.reports.report.opening import pictures

S = 10**9


def end_of_axis(length_ns: int | None) -> str:
    """Return the last time on the axis of three windows of 4 s."""
    windows = [
        {
            "start_ns": S * start,
            "end_ns": S * (start + 4),
            "bytes_read": 1,
            "bytes_written": 1,
            "storage_calls": 1,
        }
        for start in (0, 4, 8)
    ]
    (picture,) = pictures({"calls_over_time": pa.Table.from_pylist(windows)}, length_ns)
    return re.findall(r">([^<>]+)</text>", str(picture.drawing))[-1]


@pytest.mark.parametrize(
    ("length_ns", "end"),
    [
        (10 * S, "10 s"),
        (12 * S, "12 s"),
        (8 * S + 1, "8 s"),
        (None, "12 s"),
        (8 * S, "12 s"),
        (99 * S, "12 s"),
    ],
)
def test_the_axis_ends_with_a_trace_that_ends_in_its_last_window(length_ns: int | None, end: str) -> None:
    assert end_of_axis(length_ns) == end
