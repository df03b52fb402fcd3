"""Events of the block layer become requests: merges, splits, requeues, duplicates, and unpaired events."""

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import block_layer_twin
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from property_tests import examples
from requests_read import read

from iotrace.engine.native import BlockPairing
from iotrace.formats.disk_io import block_layer
from iotrace.formats.disk_io.block_layer import Event
from iotrace.formats.reading.batches import SourceNotes

Events = list[tuple[Any, ...]]
Row = dict[str, Any]


def requests(
    parts: Sequence[Sequence[Event]], waiting_rows: int = 1 << 16
) -> tuple[list[Row], dict[str, int]]:
    """Return the requests of events that come in parts, and the remarks; the engine's twin must find the same."""
    engine = BlockPairing(waiting_rows)
    twin = block_layer_twin.Pairing(notes := SourceNotes())
    rows: list[Row] = []
    remarks: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_layer_twin, "WAITING_ROWS", waiting_rows)
        for number, part in enumerate(parts, 1):
            engine.take(part)
            twin.take(part)
            made = block_layer.requests(engine.requests(number == len(parts)), "record").frame
            expected = block_layer_twin.requests(twin.batch(number == len(parts)), "record").frame
            assert made.rows(named=True) == expected.select(made.columns).rows(named=True)
            rows += made.rows(named=True)
            remarks.update(dict(engine.remarks()))
    assert remarks == notes.remarks
    return rows, dict(remarks)


def paired(events: Events) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
    """Return (arrival, sector, blocks, latency, service) of the requests, and the remarks."""
    given = [
        Event(time, number, "8,0", action, "write", "", sector, blocks, 1, None, new_sector)
        for number, (time, action, sector, blocks, new_sector) in enumerate(
            (*event, 0) if len(event) == 4 else event for event in events
        )
    ]
    rows, remarks = requests([given])
    names = ("time_ns", "lbn", "blocks", "latency_ns", "service_ns")
    return [tuple(row[name] for name in names) for row in rows], remarks


def test_merged_requests_take_the_completion_of_the_whole() -> None:
    arrivals = [(0, "Q", 100, 8), (2, "Q", 108, 8), (3, "M", 108, 8), (4, "Q", 92, 8), (5, "F", 92, 8)]
    rows, remarks = paired([*arrivals, (10, "D", 92, 24), (50, "C", 92, 24)])
    assert rows == [(0, 100, 8, 50, 40), (2, 108, 8, 48, 40), (4, 92, 8, 46, 40)]
    assert remarks == {"merged requests": 2}


def test_a_split_request_ends_with_its_last_part() -> None:
    rows, _ = paired(
        [(0, "Q", 0, 16), (1, "X", 0, 16, 8), (2, "D", 0, 8), (3, "D", 8, 8), (9, "C", 8, 8), (20, "C", 0, 8)]
    )
    assert rows == [(0, 0, 16, 20, 18)]


def test_a_requeued_request_is_served_from_its_last_dispatch() -> None:
    rows, remarks = paired([(0, "Q", 5, 1), (1, "D", 5, 1), (2, "R", 5, 1), (7, "D", 5, 1), (9, "C", 5, 1)])
    assert rows == [(0, 5, 1, 9, 2)] and remarks == {}


def test_repeated_dispatches_and_lost_ends_are_counted() -> None:
    dispatched = [(0, "D", 5, 1), (1, "D", 5, 1), (3, "C", 5, 1), (4, "C", 5, 1)]
    queued = [(5, "Q", 9, 1), (6, "D", 9, 1), (7, "Q", 20, 2), (9, "C", 20, 2)]
    rows, remarks = paired([*dispatched, *queued])
    assert rows == [(0, 5, 1, None, 2), (5, 9, 1, None, None), (7, 20, 2, 2, None)]
    assert remarks == {
        "dispatches of what was not queued": 1,
        "repeated dispatches": 1,
        "completions of what was never seen": 1,
        "completions without dispatch": 1,
        "requests without completion": 1,
    }


def test_two_requests_for_the_same_blocks_complete_in_order() -> None:
    rows, _ = paired(
        [(0, "Q", 5, 1), (1, "Q", 5, 1), (2, "D", 5, 1), (4, "C", 5, 1), (6, "D", 5, 1), (9, "C", 5, 1)]
    )
    assert rows == [(0, 5, 1, 4, 2), (1, 5, 1, 8, 3)]


def test_two_requests_for_the_same_blocks_in_flight_keep_their_dispatches() -> None:
    rows, remarks = paired(
        [(1, "Q", 5, 1), (2, "Q", 5, 1), (10, "D", 5, 1), (20, "D", 5, 1), (110, "C", 5, 1), (130, "C", 5, 1)]
    )
    assert rows == [(1, 5, 1, 109, 100), (2, 5, 1, 128, 110)]
    assert remarks == {}


def test_a_requeue_takes_back_the_last_of_two_dispatches() -> None:
    queued = [(1, "Q", 5, 1), (2, "Q", 5, 1), (10, "D", 5, 1), (20, "D", 5, 1), (25, "R", 5, 1)]
    rows, remarks = paired([*queued, (30, "D", 5, 1), (110, "C", 5, 1), (130, "C", 5, 1)])
    assert rows == [(1, 5, 1, 109, 100), (2, 5, 1, 128, 100)]
    assert remarks == {}


def test_a_queued_request_keeps_its_dispatch_after_one_that_was_not_queued() -> None:
    rows, _ = paired([(1, "D", 5, 1), (2, "Q", 5, 1), (3, "D", 5, 1), (10, "C", 5, 1), (14, "C", 5, 1)])
    assert rows == [(1, 5, 1, None, 9), (2, 5, 1, 12, 11)]


STAGES = ("queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns")


def stages(events: Events) -> list[tuple[int | None, ...]]:
    """Return the times of Q, G, I, D and C of the requests."""
    given = [
        Event(time, number, "8,0", action, "write", "", sector, blocks, 1, None, 0)
        for number, (time, action, sector, blocks) in enumerate(events)
    ]
    rows, _ = requests([given])
    return [tuple(row[stage] for stage in STAGES) for row in rows]


def test_a_request_passes_its_stages() -> None:
    assert stages([(0, "Q", 5, 8), (1, "G", 5, 8), (3, "I", 5, 8), (7, "D", 5, 8), (9, "C", 5, 8)]) == [
        (0, 1, 3, 7, 9)
    ]


def test_merged_requests_share_insertion_and_dispatch_but_no_allocation() -> None:
    """G is of the request that others are merged into; what the trace does not show is null."""
    queued = [(0, "Q", 100, 8), (1, "G", 100, 8), (2, "Q", 108, 8), (3, "M", 108, 8)]
    done = [(4, "I", 100, 16), (6, "D", 100, 16), (9, "C", 100, 16)]
    assert stages([*queued, *done]) == [(0, 1, 4, 6, 9), (2, None, 4, 6, 9)]
    late = [(4, "I", 100, 8), (5, "Q", 108, 8), (6, "D", 100, 16), (9, "C", 100, 16)]
    assert stages([(0, "Q", 100, 8), *late]) == [(0, None, 4, 6, 9), (5, None, None, 6, 9)]


def test_requests_for_the_same_blocks_take_their_events_in_turn() -> None:
    queued = [(0, "Q", 5, 1), (1, "Q", 5, 1), (2, "G", 5, 1), (3, "G", 5, 1), (4, "I", 5, 1), (5, "I", 5, 1)]
    done = [(6, "D", 5, 1), (7, "C", 5, 1), (8, "D", 5, 1), (9, "C", 5, 1)]
    assert stages([*queued, *done]) == [(0, 2, 4, 6, 7), (1, 3, 5, 8, 9)]


def test_stages_of_two_requests_for_the_same_blocks_in_flight() -> None:
    queued = [(1, "Q", 5, 1), (2, "Q", 5, 1), (10, "D", 5, 1), (20, "D", 5, 1)]
    assert stages([*queued, (110, "C", 5, 1), (130, "C", 5, 1)]) == [
        (1, None, None, 10, 110),
        (2, None, None, 20, 130),
    ]


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.permutations("QGIDC" * n))))
def test_requests_for_the_same_blocks_are_served_first_come_first_served(
    drawn: tuple[int, list[str]],
) -> None:
    """The n-th event of each action is of the n-th request, where each comes after those that it follows."""
    count, letters = drawn
    events: list[tuple[Any, ...]] = []
    passed = dict.fromkeys("QGIDC", 0)
    wanted = list(letters)
    while wanted:  # the first letter drawn that may come now
        place = next(
            at
            for at, letter in enumerate(wanted)
            if letter == "Q" or passed[letter] < passed["QGIDC"["QGIDC".index(letter) - 1]]
        )
        letter = wanted.pop(place)
        passed[letter] += 1
        events.append((len(events), letter, 5, 1))
    times = [[time for time, action, *_ in events if action == letter] for letter in "QGIDC"]
    assert stages(events) == [tuple(column[number] for column in times) for number in range(count)]


def test_a_requeue_takes_the_dispatch_back() -> None:
    life = [(0, "Q", 5, 1), (1, "D", 5, 1), (2, "R", 5, 1)]
    assert stages(life) == [(0, None, None, None, None)]
    assert stages([*life, (7, "D", 5, 1), (9, "C", 5, 1)]) == [(0, None, None, 7, 9)]


def test_what_was_not_queued_has_a_dispatch_and_a_completion_only() -> None:
    assert stages([(1, "D", 5, 1), (9, "C", 5, 1), (10, "D", 6, 1)]) == [
        (None, None, None, 1, 9),
        (None, None, None, 10, None),
    ]


def test_a_request_that_is_not_completed_keeps_its_dispatch() -> None:
    assert stages([(0, "Q", 5, 1), (3, "D", 5, 1)]) == [(0, None, None, 3, None)]


SAME_BLOCKS = {
    "never completed": lambda n: "QGID" * n,
    "dispatched again": lambda n: "Q" * n + "D" * n + "DRDD" * n,
    "requeued": lambda n: "Q" * n + "D" * n + "R" * n + "D" * n + "C" * n,
}


@pytest.mark.parametrize("life", SAME_BLOCKS)
def test_requests_for_the_same_blocks_pair_up_as_the_twin_has_them(life: str) -> None:
    assert len(stages([(time, letter, 5, 1) for time, letter in enumerate(SAME_BLOCKS[life](500))])) == 500


@pytest.mark.parametrize("life", SAME_BLOCKS)
def test_an_event_looks_at_few_of_many_requests_for_the_same_blocks(life: str) -> None:
    """It would take hours to look at all of them."""
    pairing = BlockPairing(1 << 30)
    letters = enumerate(SAME_BLOCKS[life](400_000))
    pairing.take(Event(time, time, "8,0", action, "write", "", 5, 1, 1, None) for time, action in letters)
    made = pairing.requests(True)
    assert made is not None and made.num_rows == 400_000


def test_a_requeue_of_requests_of_other_lengths_from_one_sector() -> None:
    queued = [(0, "Q", 5, 8), (1, "Q", 5, 16), (2, "D", 5, 8), (3, "D", 5, 16), (4, "R", 5, 8)]
    assert stages([*queued, (6, "D", 5, 8), (7, "C", 5, 8), (9, "C", 5, 16)]) == [
        (0, None, None, 6, 7),
        (1, None, None, 3, 9),
    ]


def test_a_request_that_was_given_up_takes_no_later_completion() -> None:
    """Nor does a piece that was split from it, though others wait before it for the same blocks."""
    events = [("Q", 0, 16, 0), ("X", 0, 16, 8), ("Q", 8, 8, 0), ("Q", 40, 8, 0)]
    later = [("Q", 0, 8, 0), ("D", 0, 8, 0), ("D", 8, 8, 0), ("C", 8, 8, 0), ("C", 0, 8, 0)]

    def of(part: list[tuple[str, int, int, int]], start: int) -> list[Event]:
        return [
            Event(time, time, "8,0", action, "write", "", sector, blocks, 1, None, new_sector)
            for time, (action, sector, blocks, new_sector) in enumerate(part, start)
        ]

    rows, _ = requests([of(events, 0), of(later, 4)], waiting_rows=2)
    assert [(row["time_ns"], row["completed_ns"]) for row in rows] == [(0, None), (2, 7), (3, None), (4, 8)]


@given(st.lists(st.tuples(st.sampled_from("QGIDCR"), st.integers(0, 3), st.integers(1, 2)), max_size=30))
def test_latency_and_service_agree_with_the_stages(events: list[tuple[str, int, int]]) -> None:
    given = [
        Event(time, time, "8,0", action, "read", "", sector, blocks, 1, None, 0)
        for time, (action, sector, blocks) in enumerate(events)
    ]
    for row in requests([given])[0]:
        if row["completed_ns"] is None:
            assert row["latency_ns"] is None and row["service_ns"] is None
            continue
        queued_ns, issued_ns = row["queued_ns"], row["issued_ns"]
        assert row["latency_ns"] == (None if queued_ns is None else row["completed_ns"] - queued_ns)
        assert row["service_ns"] == (None if issued_ns is None else row["completed_ns"] - issued_ns)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from("QQQGIDDCCRXMF"),
        st.sampled_from(["8,0", "8,1"]),
        st.sampled_from(["read", "write", ""]),
        st.integers(0, 6),
        st.integers(0, 4),
        st.integers(0, 8),
        st.sampled_from([0, 0, 0, 2**63 - 1, 2**63 + 5]),
    ),
    max_size=60,
)


@examples(400)
@given(st.lists(EVENTS, min_size=1, max_size=4), st.sampled_from([1, 3, 1 << 16]))
@example([[("Q", "8,0", "read", 0, 0, 0, 2**63 + 1), ("C", "8,0", "read", 0, 0, 0, 0)]], 1)  # -2**63 ns later
def test_any_events_pair_up_as_the_twin_has_them(parts: list[Events], waiting_rows: int) -> None:
    time = itertools.count()
    requests(
        [
            [
                Event(
                    (now := next(time)) + far,
                    now,
                    device,
                    action,
                    operation,
                    "",
                    sector,
                    blocks,
                    now,
                    None,
                    new,
                )
                for action, device, operation, sector, blocks, new, far in part
            ]
            for part in parts
        ],
        waiting_rows,
    )


def test_stage_times_count_from_the_first_event(tmp_path: Path) -> None:
    lines = [
        f"  8,0 0 {number} 5.00000000{time} 9 {action} W 64 + 8 [cc1]"
        for number, (time, action) in enumerate(zip((1, 2, 4, 5, 9), "QGIDC", strict=True), 1)
    ]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n")
    ((row,), _) = read(tmp_path / "t.txt", "blkparse")
    assert [row[stage] for stage in STAGES] == [0, 1, 3, 4, 8]
    assert (row["latency_ns"], row["service_ns"]) == (8, 4)


@st.composite
def merged_lives(draw: st.DrawFn) -> list[tuple[int, list[tuple[int, int]], int, int]]:
    """Groups of adjacent requests, each dispatched and completed as one: start, arrivals with lengths, D and C."""
    groups = []
    for number in range(draw(st.integers(1, 8))):
        arrivals = draw(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), min_size=1, max_size=5))
        issue = draw(st.integers(60, 90))
        groups.append((number * 1000, sorted(arrivals), issue, issue + draw(st.integers(1, 30))))
    return groups


@examples(60)
@given(merged_lives())
def test_lives_are_found_again_from_their_events(
    groups: list[tuple[int, list[tuple[int, int]], int, int]],
) -> None:
    events, expected = [], []
    for start, arrivals, issue, completion in groups:
        at = start
        for time, blocks in arrivals:
            events.append((time, "Q", at, blocks))
            expected.append((time, at, blocks, completion - time, completion - issue))
            at += blocks
        events += [(issue, "D", start, at - start), (completion, "C", start, at - start)]
    rows, remarks = paired(sorted(events, key=lambda event: event[0]))
    assert sorted(rows) == sorted(expected) and [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert remarks == {}


def test_letters_tell_operation_and_flags(tmp_path: Path) -> None:
    letters = {
        "WFS": ("write", "forced|synchronous"),
        "RA": ("read", "read_ahead"),
        "RM": ("read", "metadata"),
    }
    letters |= {
        "DS": ("discard", "synchronous"),
        "FN": ("flush", None),
        "FWFSM": ("write", "forced|synchronous|metadata"),
    }
    lines = [
        f"  8,0  1 {number} 0.00000000{number} 7 Q {word} {number}00 + {0 if word == 'FN' else 8} [x y]"
        for number, word in enumerate(letters, 1)
    ]
    (tmp_path / "t").write_text("\n".join(lines) + "\n")
    rows, report = read(tmp_path / "t")
    assert [(row["operation"], row["flags"]) for row in rows] == list(letters.values())
    assert report["remarks"]["requests without completion"] == len(letters)
