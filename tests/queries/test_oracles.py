"""The trickier statistics against slow twins in plain Python, on traces that hypothesis makes."""

from collections import Counter, defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect

from iotrace.analysis.characterize import characterize

BLOCK = 8

requests = st.fixed_dictionaries(
    {
        "operation": st.sampled_from(["read", "write"]),
        "use": st.sampled_from([None, 0, 1, 2]),
        "process": st.integers(0, 1),
        "offset": st.none() | st.integers(0, 30),
        "length": st.none() | st.integers(0, 20),
        "step": st.integers(0, 3),
    }
)
removals = st.fixed_dictionaries(
    {
        "operation": st.sampled_from(["truncate", "delete"]),
        "use": st.sampled_from([0, 1]),
        "process": st.just(0),
        "offset": st.integers(0, 30),
        "length": st.none(),
        "step": st.integers(0, 3),
    }
)


def as_trace(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number the rows, let time pass by their steps, and give each use a file (two share one)."""
    trace, time = [], 0
    for seq, row in enumerate(rows):
        time += row["step"]
        file = 5 if row["use"] is None else row["use"] % 2
        trace.append({**row, "seq": seq, "time_ns": time, "file": file, "type": "datafile"})
    return trace


traces = st.lists(requests, max_size=25).map(as_trace)
traces_with_removals = st.lists(requests | removals, max_size=25).map(as_trace)


def result(name: str, trace: list[dict[str, Any]], **parameters: int | str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = characterize(connect(reference=trace), [name], parameters)[name].to_pylist()
    return rows


def power_of_two(n: int) -> int:
    return 0 if n == 0 else 1 << (n - 1).bit_length()


@examples(60)
@given(traces, st.sampled_from(["same_direction", "mixed"]))
def test_runs(trace: list[dict[str, Any]], runs: str) -> None:
    open_runs: dict[Any, list[dict[str, Any]]] = {}
    complete = []
    for row in trace:
        key = (row["use"], row["file"], row["process"] if row["use"] is None else None)
        last = open_runs.get(key, [None])[-1]
        continues = (
            last is not None
            and None not in (last["offset"], last["length"], row["offset"])
            and last["offset"] + last["length"] == row["offset"]
            and (runs == "mixed" or last["operation"] == row["operation"])
        )
        if continues:
            open_runs[key].append(row)
        else:
            open_runs[key] = [row]
            complete.append(open_runs[key])
    expected = {
        run[0]["seq"]: (len(run), sum(row["length"] or 0 for row in run), {row["operation"] for row in run})
        for run in complete
    }
    got = {
        row["first_seq"]: (row["requests"], row["length_bytes"] or 0, set(row["direction"].split("_")))
        for row in result("sequential_run", trace, runs=runs)
    }
    assert got == expected


@examples(60)
@given(traces_with_removals)
def test_files_read_and_written(trace: list[dict[str, Any]]) -> None:
    done = defaultdict(set)
    for row in trace:
        if row["operation"] in ("read", "write"):
            done[row["file"]].add(row["operation"])
    expected = Counter("_".join(sorted(operations)) for operations in done.values())
    assert {row["class"]: row["objects"] for row in result("files_read_and_written", trace)} == expected


@examples(60)
@given(traces, st.integers(1, 20))
def test_working_sets(trace: list[dict[str, Any]], windows: int) -> None:
    times = [row["time_ns"] for row in trace]
    clock = next(step for step in (10**9, 10**6, 10**3, 1) if not any(time % step for time in times))
    length = (max(times, default=0) // clock + 1) * clock
    width = -(-length // clock // windows) * clock
    over_time = result("working_set_over_time", trace, windows=windows)
    by_window = {row["window_ns"]: row for row in result("working_set_by_window", trace, windows=windows)}
    for joined in (1, 4, 16):
        touched = defaultdict(set)
        for row in trace:
            start = row["offset"] or 0
            touched[row["time_ns"] // width // joined] |= {
                (row["file"], byte) for byte in range(start, start + (row["length"] or 0))
            }
        sizes = {window: len(touched[window]) for window in touched if touched[window]}
        if joined == 1:
            assert {row["window"]: row["unique_bytes"] for row in over_time} == sizes
        count = -(-length // width)
        if sizes and joined < 4 * count:
            row = by_window[min(joined, count) * width]
            assert row["largest_unique_bytes"] == max(sizes.values())
            assert abs(row["average_unique_bytes"] * -(-count // joined) - sum(sizes.values())) < 1e-6


def blocks(row: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the blocks that a request touches, with how many bytes of each."""
    if row["offset"] is None or not row["length"]:
        return []
    return sorted(
        Counter(byte // BLOCK for byte in range(row["offset"], row["offset"] + row["length"])).items()
    )


@examples(60)
@given(traces)
def test_read_after_write(trace: list[dict[str, Any]]) -> None:
    written: dict[tuple[int, int], int] = {}
    expected: Counter[int] = Counter()
    for row in trace:
        for block, moved in blocks(row):
            if row["operation"] == "write":
                written[row["file"], block] = row["time_ns"]
            elif (row["file"], block) in written:
                expected[power_of_two(row["time_ns"] - written[row["file"], block])] += moved
    got = result("read_after_write", trace, block_bytes=BLOCK)
    assert {row["maximum_interval_ns"]: row["bytes"] for row in got} == expected


@examples(60)
@given(traces_with_removals)
def test_written_data_lifetimes(trace: list[dict[str, Any]]) -> None:
    alive: dict[tuple[int, int], tuple[int, int]] = {}
    expected: Counter[tuple[str, int | None]] = Counter()

    def ends(place: tuple[int, int], fate: str, now: int | None) -> None:
        born, moved = alive.pop(place)
        expected[fate, None if now is None else power_of_two(now - born)] += moved

    for row in trace:
        if row["operation"] in ("truncate", "delete"):
            kept = row["offset"] if row["operation"] == "truncate" else 0
            for place in [p for p in alive if p[0] == row["file"] and kept <= p[1] * BLOCK]:
                ends(place, row["operation"] + "d", row["time_ns"])
        for block, moved in blocks(row) if row["operation"] == "write" else []:
            if (row["file"], block) in alive:
                ends((row["file"], block), "overwritten", row["time_ns"])
            alive[row["file"], block] = (row["time_ns"], moved)
    for place in list(alive):
        ends(place, "survived", None)
    got = result("written_data_lifetimes", trace, block_bytes=BLOCK)
    assert {(row["fate"], row["maximum_lifetime_ns"]): row["bytes"] for row in got} == expected


timed_requests = st.lists(
    st.fixed_dictionaries(
        {
            "operation": st.sampled_from(["read", "write"]),
            "length": st.none() | st.integers(0, 50) | st.just(2**44),
            "duration_ns": st.none() | st.integers(0, 60) | st.just(2**50),
            "step": st.integers(0, 9),
        }
    ),
    min_size=1,
    max_size=12,
)


@examples(60)
@given(timed_requests, st.integers(1, 30))
def test_bytes_over_time_follow_the_requests_as_long_as_they_last(
    rows: list[dict[str, Any]], windows: int
) -> None:
    trace = as_trace([{"use": None, "process": 0, "offset": 0, **row} for row in rows])
    table = result("requests_over_time", trace, windows=windows)
    expected: Counter[tuple[int, str]] = Counter()
    for row in trace:
        taken_ns, length = max(row["duration_ns"] or 0, 1), row["length"] or 0

        def moved(
            until_ns: int, row: dict[str, Any] = row, taken_ns: int = taken_ns, length: int = length
        ) -> int:
            return length * min(max(until_ns - row["time_ns"], 0), taken_ns) // taken_ns

        for window in table:
            expected[window["window"], row["operation"]] += moved(window["end_ns"]) - moved(
                window["start_ns"]
            )
    for window in table:
        assert window["bytes_read"] == expected[window["window"], "read"]
        assert window["bytes_written"] == expected[window["window"], "write"]
    assert sum(window["requests"] for window in table) == len(trace)
    for operation, column in (("read", "bytes_read"), ("write", "bytes_written")):
        whole = sum(row["length"] or 0 for row in trace if row["operation"] == operation)
        assert sum(window[column] for window in table) == whole
