"""Patterns of damaged traces by their names, and unknown if several fit."""

from collections import Counter

import damage
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pattern_oracles import accesses
from property_tests import examples

from iotrace.analysis.patterns.accesses import Accesses
from iotrace.analysis.patterns.cleaning import Direction
from iotrace.analysis.patterns.missing import Holes, bridges
from iotrace.analysis.patterns.naming import UNKNOWN, find
from iotrace.analysis.patterns.sentences import sentence
from iotrace.analysis.patterns.tolerance import LEAST_CERTAINTY

KB = 1024
MB = 1024 * KB


def harmed(rows: list[tuple[int, int, int]], percent: int, seed: int = 1) -> Accesses:
    """Accesses with `percent` of the rows removed at random."""
    rng = np.random.default_rng(seed)
    return accesses([row for row in rows if rng.random() >= percent / 100])


def whole_by_each(processes: int = 4) -> list[tuple[int, int, int]]:
    return [(process, 4096 * row, 4096) for row in range(200) for process in range(processes)]


def segments(processes: int = 4, overlap: int = 0) -> list[tuple[int, int, int]]:
    return [
        (process, 4096 * (100 * process + row), 4096)
        for row in range(100 + overlap)
        for process in range(processes)
    ]


def self_scheduled() -> list[tuple[int, int, int]]:
    order = np.random.default_rng(5).integers(0, 4, 400)
    return [(int(process), 4096 * row, 4096) for row, process in enumerate(order)]


def test_damaged_patterns_keep_their_names() -> None:
    """Seeds that no bound was chosen by; at most one in 50 may be unknown, one in 200 wrong."""
    outcomes: Counter[str] = Counter()
    for case in damage.cases(range(1000, 1001), processes=(8,)):
        name = find(case.accesses).name
        if name.names[0] == UNKNOWN:
            outcomes["unknown"] += 1
            assert name.certainty < LEAST_CERTAINTY and case.made in name.candidates
        else:
            outcomes["right" if case.made in name.names else f"{case.made}, {case.damage}: {name}"] += 1
    total = sum(outcomes.values())
    wrong = total - outcomes["right"] - outcomes["unknown"]
    assert outcomes["unknown"] <= total / 50 and wrong <= total / 200, outcomes


@pytest.mark.parametrize("percent", [1, 5])
def test_missing_records_leave_the_name(percent: int) -> None:
    for rows, name in ((whole_by_each(), "lw"), (segments(), "seg"), (self_scheduled(), "gw")):
        found = find(harmed(rows, percent))
        assert found.name.names[0] == name
        if name != "gw":
            assert found.local.missing_share == pytest.approx(percent / 100, abs=0.02)
            assert "of the records are missing" in sentence(found, 4)


def test_gaps_of_a_pattern_are_not_missing_records() -> None:
    """Portions of 12 records, one record apart: the gaps return at one distance, also where records are missing."""
    rows = [(0, 512 * (13 * portion + row), 512) for portion in range(40) for row in range(12)]
    for percent in (0, 3):
        found = find(harmed(rows, percent))
        assert (found.name.names[0], found.local.portion_bytes) == ("lfp", 12 * 512)


@pytest.mark.parametrize("overlap", [4, 33])
def test_equal_portions_that_overlap_are_lfp(overlap: int) -> None:
    found = find(accesses(segments(16, overlap)))
    assert found.name.names == ("lfp",)
    assert found.name.certainty > 0.9


def test_a_halo_is_cut_at_the_ends_of_the_file() -> None:
    rows = [
        (process, 4096 * (100 * process + row), 4096)
        for row in range(-4, 104)
        for process in range(8)
        if 0 <= 100 * process + row < 800
    ]
    assert find(accesses(rows)).name.names == ("lfp",)


def test_unequal_segments_are_not_lfp() -> None:
    edges = [0, 30, 100, 120, 220]
    rows = [(one, 4096 * row, 4096) for one in range(4) for row in range(edges[one], edges[one + 1])]
    assert find(accesses(rows)).name.names == ("seg",)


@pytest.mark.parametrize(("rows", "name"), [(whole_by_each(), "lw"), (segments(), "seg")])
def test_backward_reads_have_the_name_of_forward_ones(rows: list[tuple[int, int, int]], name: str) -> None:
    found = find(accesses(rows[::-1]))
    assert (found.name.names[0], found.cleaned.direction) == (name, Direction.BACKWARD)
    message = sentence(found, 4)
    assert ("from end to beginning" in message) if name == "lw" else message.endswith(", backwards")


def test_what_processes_share_of_strided_reads_is_said() -> None:
    found = find(accesses([(process, 8192 * row, 4096) for row in range(100) for process in range(4)]))
    assert found.name.names == ("strided", "lfp")
    assert "several processes access the same bytes (100% of them)" in sentence(found, 4)


@pytest.mark.parametrize("metadata", [0, 60])
def test_aligned_variables_of_many_ranks_are_strided(metadata: int) -> None:
    """192 ranks, 8 variables: one portion of each for each rank, up to 2 KB out of place; rank 0 writes headers."""
    rng = np.random.default_rng(11)
    rows = [
        (rank, 2048 + 1_061_683_200 * variable + 5_529_600 * rank + int(rng.integers(-2048, 2049)), 5_529_768)
        for variable in range(8)
        for rank in range(192)
    ]
    for _ in range(metadata):
        size = int(rng.choice([8, 40, 96, 544]))
        rows.insert(int(rng.integers(0, len(rows))), (0, int(rng.integers(0, 2048)), size))
    found = find(accesses(rows))
    assert found.name.names[0] == "strided"
    assert found.name.certainty > 0.5
    assert found.cleaned.set_aside == metadata
    (level,) = found.local.strides
    assert level.stride_bytes == pytest.approx(1_061_683_200, abs=4096) and level.count == 8


def test_exchanged_neighbours_are_put_in_order() -> None:
    rows = whole_by_each()
    for place in range(40, 760, 80):
        rows[place], rows[place + 4] = rows[place + 4], rows[place]
    found = find(accesses(rows))
    assert (found.name.names, found.cleaned.exchanged, found.local.regular_share) == (("lw",), 9, 1.0)


def test_one_access_each_in_order_may_be_segments_or_self_scheduled() -> None:
    found = find(accesses([(process, 5 * MB * process, 5 * MB) for process in range(64)]))
    assert {"seg", "gw"} <= set(found.name.names)


@pytest.mark.parametrize("second", ["self-scheduled", "random"])
def test_two_patterns_in_one_phase_are_unknown(second: str) -> None:
    rng = np.random.default_rng(7)
    random = [(int(rng.integers(0, 4)), 4096 * int(rng.integers(0, 400)), 4096) for _ in range(400)]
    first, then = (segments(), self_scheduled()) if second == "self-scheduled" else (self_scheduled(), random)
    found = find(accesses(first + then))
    name = found.name
    assert (name.names, name.scope) == ((UNKNOWN,), UNKNOWN)
    assert name.certainty < LEAST_CERTAINTY and len(name.candidates) > 1
    message = sentence(found, 4)
    assert (
        message.startswith(" or ".join(name.candidates) + "? Not certain: ")
        and "near the bound of" in message
    )


def test_too_few_accesses_are_unknown() -> None:
    name = find(accesses([(0, 0, 8), (1, 8, 8), (0, 16, 8)])).name
    assert name.names == (UNKNOWN,) and name.reason == "too few accesses: 3 by 2 processes"


lengths = st.lists(st.tuples(st.booleans(), st.integers(1, 6)), min_size=2, max_size=60)


@examples(200)
@given(lengths)
def test_no_more_is_missing_than_a_tenth_and_only_in_holes(given: list[tuple[bool, int]]) -> None:
    hole = np.array([0, *(width if is_hole else 0 for is_hole, width in given[1:])])
    pieces = np.where(hole > 3, 0, hole)
    start = np.cumsum(hole + 1) - hole - 1
    holes = Holes(np.zeros(len(hole), np.int64), start, hole, pieces)
    missing = bridges(holes, np.zeros(1, np.int64), start[-1:] + hole[-1:] + 1, len(hole))
    assert ((missing == 0) | (missing == pieces)).all()
    assert missing.sum() <= 0.1 * (len(hole) + missing.sum())
