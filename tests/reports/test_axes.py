"""Axes have marks wherever their values lie."""

import math

from hypothesis import given
from hypothesis import strategies as st
from iotrace.reports.pages.charts import axes

POSITIVE = st.floats(1e-6, 1e9)


@given(st.lists(POSITIVE, min_size=1), st.sampled_from(["percent", "seconds", "per request"]))
def test_a_logarithmic_axis_has_two_marks_or_more(values: list[float], unit: str) -> None:
    axis = axes.logarithmic(values, unit)
    low, high = axis["range"]
    seen = [mark for mark in axis["tickvals"] if low <= math.log10(mark) <= high]
    assert len(seen) >= 2
    assert seen == sorted(set(seen))
    assert len(set(axis["ticktext"])) == len(axis["ticktext"])
    assert len(seen) <= 12


@given(st.floats(0, 1e14), st.floats(1, 1e4))
def test_an_axis_of_times_has_a_mark_or_more(smallest_ns: float, factor: float) -> None:
    axis = axes.log_durations(smallest_ns, smallest_ns * factor)
    assert len(axis["tickvals"]) >= 1
    assert axis["tickvals"] == sorted(axis["tickvals"])
