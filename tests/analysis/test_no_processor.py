"""The clause on waits for a processor stands from half of the time in storage calls on."""

import pyarrow as pa
import pytest

from iotrace.analysis.answers.time import _no_processor


@pytest.mark.parametrize(
    ("runnable_ns", "other_ns", "said"),
    [
        (0, 0, ""),
        (0, 10, ""),
        (499, 501, ""),
        (500, 500, "50 % of the time in storage calls is waiting for a processor"),
        (900, 100, "90 % of the time in storage calls is waiting for a processor"),
    ],
)
def test_half_of_the_time_is_enough(runnable_ns: int, other_ns: int, said: str) -> None:
    causes = pa.table({"cause": ["runnable", "other", "other"], "taken_ns": [runnable_ns, other_ns, 0]})
    assert _no_processor(causes) == said
