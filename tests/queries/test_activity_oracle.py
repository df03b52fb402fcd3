"""Statistics of storage calls over time and by place, against slow twins in plain Python."""

from collections import defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect

from iotrace.analysis.characterize import characterize

KINDS = {"read": "read", "pread64": "read", "write": "write", "fsync": "sync", "fstat": "metadata"}
PROCESSES = [
    {"process": 0, "thread": 1, "pid": 1, "program": "/bin/sh"},
    {"process": 1, "thread": 2, "pid": 2, "program": "/bin/db"},
]
FILES = [{"file": number, "path": f"/d{number % 3}/f{number}", "kind": "regular"} for number in range(7)]
calls = st.lists(
    st.fixed_dictionaries(
        {
            "step": st.integers(0, 40),
            "call": st.sampled_from(list(KINDS)),
            "duration_ns": st.none() | st.integers(0, 300),
            "process": st.integers(0, 1),
            "file": st.integers(0, len(FILES) - 1),
            "result": st.none() | st.integers(0, 5000),
            "copies": st.sampled_from([1, 1, 1, 40]),
        }
    ),
    min_size=1,
    max_size=25,
)


def as_trace(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    trace, time = [], 0
    for row in drawn:
        time += row["step"]
        for _ in range(row["copies"]):
            trace.append({**row, "seq": len(trace), "time_ns": time, "fd": 3, "thread": 1 + row["process"]})
    return trace


def asked(trace: list[dict[str, Any]], name: str, **parameters: int) -> list[dict[str, Any]]:
    store = connect(
        syscall=trace,
        process=PROCESSES,
        file=FILES,
        call_file=[{"call_seq": row["seq"], "file": row["file"], "object": "regular"} for row in trace],
    )
    rows: list[dict[str, Any]] = characterize(store, [name], parameters)[name].to_pylist()
    return rows


def width_of(trace: list[dict[str, Any]], windows: int) -> int:
    """Return how long a window is: the clock is to the nanosecond unless all times are 0."""
    last = max(row["time_ns"] + max(row["duration_ns"] or 0, 1) - 1 for row in trace)
    step = 1_000_000_000 if all(row["time_ns"] == 0 for row in trace) else 1
    return -(-(last // step + 1) // windows) * step


def moved(row: dict[str, Any], kind: str) -> int:
    return (row["result"] or 0) if KINDS[row["call"]] == kind else 0


@examples(60)
@given(calls.map(as_trace), st.integers(1, 9))
def test_calls_and_bytes_are_those_of_the_window_in_which_they_begin(
    trace: list[dict[str, Any]], windows: int
) -> None:
    width = width_of(trace, windows)
    found = asked(trace, "calls_over_time", windows=windows)
    assert [row["window"] for row in found] == list(range(len(found)))
    assert len(found) <= windows and found[-1]["end_ns"] > max(row["time_ns"] for row in trace)
    for row in found:
        own = [one for one in trace if one["time_ns"] // width == row["window"]]
        times = [one["duration_ns"] for one in own if one["duration_ns"] is not None]
        assert (row["start_ns"], row["end_ns"]) == (row["window"] * width, (row["window"] + 1) * width)
        assert row["calls"] == row["storage_calls"] == len(own)
        assert row["storage_s"] == (sum(times) / 1e9 if times else None)
        assert row["bytes_read"] == sum(moved(one, "read") for one in own)
        assert row["bytes_written"] == sum(moved(one, "write") for one in own)


@examples(60)
@given(calls.map(as_trace), st.integers(1, 9))
def test_windows_are_divided_in_three_ways(trace: list[dict[str, Any]], windows: int) -> None:
    width = width_of(trace, windows)
    expected: dict[Any, int] = defaultdict(int)
    for row in trace:
        for by, name in (
            ("program", PROCESSES[row["process"]]["program"]),
            ("kind", KINDS[row["call"]]),
            ("directory", FILES[row["file"]]["path"].rpartition("/")[0]),
        ):
            expected[row["time_ns"] // width, by, name] += 1
    rows = asked(trace, "storage_by_window", windows=windows)
    assert {(row["window"], row["by"], row["name"]): row["calls"] for row in rows} == expected


@examples(60)
@given(calls.map(as_trace), st.integers(1, 9))
def test_latencies_are_counted_by_window_and_power_of_two(trace: list[dict[str, Any]], windows: int) -> None:
    width = width_of(trace, windows)
    expected: dict[Any, list[int]] = defaultdict(list)
    for row in trace:
        if (taken := row["duration_ns"]) is not None:
            bound = 1 << (taken - 1).bit_length() if taken else 0
            expected[row["time_ns"] // width, bound].append(taken)
    rows = asked(trace, "latency_over_time", windows=windows)
    assert [(row["window"], row["maximum_ns"]) for row in rows] == sorted(expected)
    for row in rows:
        own = expected[row["window"], row["maximum_ns"]]
        assert (row["calls"], row["total_s"]) == (len(own), sum(own) / 1e9)


@examples(60)
@given(calls.map(as_trace))
def test_small_places_are_added_up_and_nothing_is_lost(trace: list[dict[str, Any]]) -> None:
    trace = [{**row, "seq": place} for place, row in enumerate(20 * trace)]
    measured = [measures(row) for row in trace]
    sums: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row, own in zip(trace, measured, strict=True):
        for depth in range(4):
            for place, value in enumerate(own):
                sums[names_of(row)[:depth]][place] += value
    expected: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    timed = set()
    for row, own in zip(trace, measured, strict=True):
        names = names_of(row)
        small = [
            all(500 * one < whole for one, whole in zip(sums[names[:depth]], sums[()], strict=True) if whole)
            for depth in (1, 2, 3)
        ]
        others = ("(other programs)", "(other directories)", "(other files)")
        kept = tuple(
            other if is_small else name for name, other, is_small in zip(names, others, small, strict=True)
        )
        timed |= {kept} if row["duration_ns"] is not None else set()
        for place, value in enumerate(own):
            expected[kept][place] += value
    found = {
        (row["program"], row["directory"], row["file"]): (row["calls"], row["total_s"], row["bytes"])
        for row in asked(trace, "storage_by_place")
    }
    assert found == {
        names: (count, taken / 1e9 if names in timed else None, size)
        for names, (count, taken, size) in expected.items()
    }


def measures(row: dict[str, Any]) -> tuple[int, int, int]:
    """Return what a call counts for: itself, its time and its bytes."""
    return 1, row["duration_ns"] or 0, moved(row, "read") + moved(row, "write")


def names_of(row: dict[str, Any]) -> tuple[str, str, str]:
    path = str(FILES[row["file"]]["path"])
    return (str(PROCESSES[row["process"]]["program"]), path.rpartition("/")[0], path)
