"""The longest time without a call, against a twin that looks at every nanosecond."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect

from iotrace.analysis.characterize import characterize

CALLS = st.lists(st.tuples(st.integers(0, 3000), st.none() | st.integers(0, 400)), min_size=1, max_size=12)


def longest(calls: list[tuple[int, int | None]]) -> tuple[int, int] | None:
    """Return when the first of the longest pauses begins and how long it is, if it is long enough."""
    first, last = min(start for start, _ in calls), max(start + (took or 0) for start, took in calls)
    busy = {moment for start, took in calls for moment in range(start, start + (took or 0))}
    starts = {start for start, _ in calls}
    pauses: list[tuple[int, int]] = []
    for is_idle, moments in groupby(range(first, last), lambda moment: moment not in busy):
        for moment in moments if is_idle else ():
            if pauses and sum(pauses[-1]) == moment and moment not in starts:
                pauses[-1] = (pauses[-1][0], pauses[-1][1] + 1)
            else:
                pauses.append((moment, 1))
    longest = max(pauses, key=lambda pause: (pause[1], -pause[0]), default=None)
    return longest if longest and 100 * longest[1] >= last - first else None


@examples(300)
@given(CALLS)
def test_the_longest_pause_is_that_of_each_moment(calls: list[tuple[int, int | None]]) -> None:
    rows = [
        {
            "seq": seq,
            "time_ns": start,
            "duration_ns": took,
            "thread": 0,
            "process": 0,
            "call": "fsync",
            "result": 0,
        }
        for seq, (start, took) in enumerate(sorted(calls, key=lambda call: call[0]))
    ]
    with connect(syscall=rows) as connection:
        (found,) = characterize(connection, ["longest_pause"]).values()
    expected = longest(calls)
    assert [(row["since_ns"], row["pause_ns"]) for row in found.to_pylist()] == (
        [expected] if expected else []
    )
