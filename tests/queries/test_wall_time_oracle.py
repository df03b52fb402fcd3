"""The wall time's division against a slow twin that looks at every nanosecond."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect

from iotrace.analysis.characterize import characterize

CALLS = {"fsync": "storage", "wait4": "waiting", "brk": "other"}
ORDER = ("storage", "in_no_call", "unknown", "other", "waiting")
"""The state of a moment is the first of these in which a thread is."""

steps = st.fixed_dictionaries(
    {
        "thread": st.integers(0, 2),
        "call": st.sampled_from(sorted(CALLS)),
        "pause": st.integers(0, 5),
        "duration_ns": st.none() | st.integers(0, 12),
    }
)


def as_trace(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let time pass by the steps' pauses; threads 1 and 2 are of one process."""
    trace, time = [], 0
    for seq, row in enumerate(rows):
        time += row["pause"]
        trace.append({**row, "seq": seq, "time_ns": time, "process": row["thread"], "result": 0})
    return trace


def states(trace: list[dict[str, Any]], threads: set[int]) -> Counter[str]:
    """Return how many nanoseconds some threads together are in each state."""
    found: dict[int, list[str]] = {}
    edges = []
    for thread in threads:
        calls = [row for row in trace if row["thread"] == thread]
        moments: dict[int, str] = {}
        for place, row in enumerate(calls, 1):
            start, duration = row["time_ns"], row["duration_ns"]
            most = calls[place]["time_ns"] if place < len(calls) else None
            end = start + duration if duration is not None else start if most is None else most
            kind = CALLS[row["call"]] if duration is not None else "unknown"
            edges += [start, end if most is None else min(end, most)]
            for moment in range(start, end if most is None else most):
                in_call = moment < end and (most is None or moment < most)
                moments[moment] = kind if in_call else "in_no_call"
        for moment, kind in moments.items():
            found.setdefault(moment, []).append(kind)
    first_of = (min(kinds, key=ORDER.index) for kinds in found.values())
    counted = Counter(first_of)
    if edges:  # while none of the threads has an event, nothing is known
        counted["unknown"] += max(edges) - min(edges) - len(found)
    return +counted


@examples(150)
@given(st.lists(steps, max_size=14).map(as_trace), st.booleans())
def test_wall_time(trace: list[dict[str, Any]], has_all_waits: bool) -> None:
    process = [{"process": number, "pid": min(number, 1), "thread": number} for number in range(3)]
    connection = connect(syscall=trace, process=process)
    connection.execute(f"create macro all_waits_recorded() as {has_all_waits}")
    rows = characterize(connection, ["wall_time"])["wall_time"].to_pylist()
    named = {"in_no_call": "computing" if has_all_waits else "not_recorded"}
    for number, threads in ((None, {0, 1, 2}), (0, {0}), (1, {1, 2})):
        ours = {row["state"]: row["wall_ns"] for row in rows if row["process"] == number}
        expected = {named.get(state, state): ns for state, ns in states(trace, threads).items()}
        assert ours == expected
