"""Phases of a trace: where its makeup changes, and what they are called."""

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import queries
from iotrace.analysis.phases import IDLE, MOST_PHASES, Phase, phases

Window = tuple[str, str, str] | None
"""Its program, kind of call and directory; None for an idle one."""


def made(windows: Sequence[Window], timed: bool = True) -> list[Phase]:
    rows = [
        {
            "window": window,
            "by": by,
            "name": name,
            "calls": 3,
            "timed": 3 if timed else 0,
            "total_s": 0.5 if timed else None,
        }
        for window, names in enumerate(windows)
        for by, name in zip(("program", "kind", "directory"), names or (), strict=bool(names))
    ]
    schema = queries.query("storage_by_window").schema
    return phases(pa.Table.from_pylist(rows, schema=schema), len(windows))


def filled(windows: Sequence[Window]) -> list[Window]:
    """Return windows without gaps of under a twentieth of them."""
    own = list(windows)
    for start, end in [(a, b) for a in range(len(own)) for b in range(a + 1, len(own) + 1)]:
        is_whole = (start == 0 or windows[start - 1]) and (end == len(own) or windows[end])
        if is_whole and not any(windows[start:end]) and 20 * (end - start) < len(own):
            own[start:end] = [own[start - 1] if start else windows[end]] * (end - start)
    return own


def spans(found: Sequence[Phase]) -> list[tuple[int, int]]:
    return [(phase.first_window, phase.last_window) for phase in found]


def test_a_phase_ends_where_the_program_the_kind_or_the_directory_changes() -> None:
    tar, cc = ("/bin/tar", "write", "/src"), ("/usr/bin/cc1", "read", "/usr/include")
    found = made([tar] * 5 + [cc] * 4 + [None] * 3 + [("/usr/bin/cc1", "write", "/usr/include")] * 2)
    assert spans(found) == [(0, 4), (5, 8), (9, 11), (12, 13)]
    assert [phase.title for phase in found] == [
        "tar, writes, /src",
        "cc1, reads, /usr/include",
        IDLE,
        "cc1, writes, /usr/include",
    ]


def test_only_what_changes_is_in_the_name() -> None:
    found = made([("/bin/db", "read", "/d")] * 6 + [("/bin/db", "sync", "/d")] * 6)
    assert [phase.title for phase in found] == ["reads", "syncs"]
    assert [phase.changed for phase in found] == [("kind",), ("kind",)]


def test_a_trace_of_one_makeup_is_one_phase_with_its_whole_name() -> None:
    (phase,) = made([("/bin/db", "read", "/d")] * 7)
    assert (phase.title, phase.changed) == ("db, reads, /d", ())
    assert [phase.title for phase in made([("/bin/db", "read", "/d")] * 7, timed=False)] == ["db, reads, /d"]


def test_a_trace_without_storage_calls_has_no_phases() -> None:
    assert made([None] * 7) == []


def test_a_short_gap_is_part_of_the_phase_before_it() -> None:
    busy: list[Window] = [("/bin/db", "read", "/d"), None] * 15
    found = made([None, *busy, *[("/bin/db", "sync", "/d"), None, None] * 10])
    assert spans(found) == [(0, 30), (31, 60)]
    assert [phase.title for phase in found] == ["reads", "syncs"]


names = st.tuples(
    st.sampled_from(["/a", "/b"]), st.sampled_from(["read", "write"]), st.sampled_from(["/x", "/y"])
)


@examples(100)
@given(st.lists(st.none() | names, min_size=1, max_size=40))
def test_phases_cover_the_trace_and_are_few(windows: list[Window]) -> None:
    found = made(windows)
    if not any(windows):
        assert found == []
        return
    windows = filled(windows)
    assert len(found) <= MOST_PHASES
    assert found[0].first_window == 0 and found[-1].last_window == len(windows) - 1
    for one, other in pairwise(found):
        assert one.last_window + 1 == other.first_window
        assert other.changed
    runs = 1 + sum(one != other for one, other in pairwise(windows))
    if runs <= MOST_PHASES:  # neighbours that differ at all differ wholly in something
        assert len(found) == runs
