"""Plans for a cluster's global cache, coarse and fine, against what plain loops choose."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_accesses import BLOCK, Access, Plan, sizes
from property_tests import examples

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.generate import loops
from iotrace.simulate.cluster import planning
from iotrace.simulate.cluster.access_sets import CacheCapacity, by_segment, requests


def program(accesses: list[Access], compute_ns: list[int] | None = None) -> pa.Table:
    rows = [
        {
            "application": 0,
            "process": one.process,
            "node": one.process,
            "phase": one.phase,
            "operation": "write" if one.write else "read",
            "file": one.file,
            "offset": one.offset,
            "length": one.length,
            "compute_ns": compute_ns[number] if compute_ns else 0,
        }
        for number, one in enumerate(accesses)
    ]
    return pa.Table.from_pylist(rows, schema=schemas.schema("program"))


def accesses(
    phases: int, files: int, bytes_: int, most: int, processes: int = 1
) -> st.SearchStrategy[list[Access]]:
    one = st.builds(
        Access,
        process=st.integers(0, processes - 1),
        phase=st.integers(0, phases - 1),
        write=st.booleans(),
        file=st.integers(0, files - 1),
        offset=st.integers(0, bytes_ - 1),
        length=st.integers(1, 2 * BLOCK),
    )
    return st.lists(one, min_size=1, max_size=most)


def through(plan: pa.Table, size: dict[tuple[int, int], int]) -> Plan:
    """The segments of each phase that a plan lets through; a null phase is -1."""
    found: dict[int, set[tuple[int, int]]] = {}
    for row in plan.to_pylist():
        assert (row["operation"], row["level"], row["through"]) == (None, "global", True)
        last = float("inf") if row["segments"] is None else row["first_segment"] + row["segments"]
        chosen = {
            (file, at) for file, at in size if file == row["file"] and row["first_segment"] <= at < last
        }
        assert chosen
        before = found.setdefault(-1 if row["phase"] is None else row["phase"], set())
        assert not before & chosen
        before |= chosen
    return {phase: frozenset(chosen) for phase, chosen in found.items()}


@given(accesses(3, 3, 6 * BLOCK, 25), st.integers(0, 9), st.integers(1, 3), st.booleans())
def test_fine_takes_the_most_used_segments_of_each_phase(
    toy: list[Access], capacity: int, segment_blocks: int, per_file: bool
) -> None:
    size = sizes(toy, segment_blocks)
    touches = Counter((one.phase, one.file, block // segment_blocks) for one in toy for block in one.blocks())
    whole = Counter((one.file, block // segment_blocks) for one in toy for block in one.blocks())
    expected: dict[int, set[tuple[int, int]]] = {}
    for phase, files in {(one.phase, one.file if per_file else None) for one in toy}:
        used = [(file, at) for when, file, at in touches if when == phase and files in (None, file)]
        used.sort(key=lambda one: (-touches[phase, *one] / size[one], -whole[one] / size[one], one))
        left = capacity
        for one in used:
            left -= size[one]
            if left < 0:
                break
            expected.setdefault(phase, set()).add(one)
    found = planning.fine(program(toy), CacheCapacity(capacity, per_file, segment_blocks, BLOCK))
    assert through(found, size) == expected


@given(accesses(2, 4, 6 * BLOCK, 25), st.integers(0, 20), st.booleans(), st.booleans())
def test_coarse_takes_the_most_referenced_files_that_fit(
    toy: list[Access], capacity: int, skip: bool, per_file: bool
) -> None:
    touches = Counter(one.file for one in toy for _ in one.blocks())
    ends = {file: max(one.blocks()[-1] + 1 for one in toy if one.file == file) for file in touches}
    expected, left = [], capacity
    for file in sorted(touches, key=lambda one: (-touches[one], one)):
        if ends[file] <= (capacity if per_file else left):
            expected.append(file)
            left -= ends[file]
        elif not skip and not per_file:
            break
    found = planning.coarse(program(toy), CacheCapacity(capacity, per_file, 4, BLOCK), skip=skip)
    assert found["file"].to_pylist() == expected
    assert set(found["phase"].to_pylist()) <= {None}
    assert set(found["first_segment"].to_pylist()) <= {0}
    assert set(found["segments"].to_pylist()) <= {None}
    assert found.schema.equals(schemas.schema("cluster_bits"))


@examples(60)
@given(accesses(2, 2, 6 * BLOCK, 25, processes=2), st.integers(1, 6), st.integers(1, 3))
def test_what_a_local_cache_serves_is_not_counted(toy: list[Access], local: int, segment_blocks: int) -> None:
    last: dict[int, list[tuple[int, int]]] = {}
    expected: Counter[tuple[int | None, int, int]] = Counter()
    for one in toy:
        for block in one.blocks():
            touched = last.setdefault(one.process, [])
            if (one.file, block) not in touched[-local:]:
                expected[one.phase, one.file, block // segment_blocks] += 1
            touched.append((one.file, block))
    capacity = CacheCapacity(1, False, segment_blocks, BLOCK, local)
    found = by_segment(requests(program(toy)), capacity)
    assert {tuple(row[:3]): row[3] for row in found.rows()} == expected


def test_coarse_takes_the_compilers_counts_and_the_files_sizes() -> None:
    toy = [Access(0, 0, False, 0, 0, 1)] * 9 + [Access(0, 0, False, 1, 0, 1)]
    capacity = CacheCapacity(3, False, 1, BLOCK)
    assert planning.coarse(program(toy), capacity, counts=[1, 5])["file"].to_pylist() == [1, 0]
    assert planning.coarse(program(toy), capacity, counts=[1, 5], file_bytes=[1, 3 * BLOCK])[
        "file"
    ].to_pylist() == [1]
    assert planning.coarse(program(toy), capacity, counts=[0, 5])["file"].to_pylist() == [1]


def test_plans_of_nests_fit_and_coarse_has_nothing_where_no_file_fits() -> None:
    found = loops.read("vpenta", {"n": 500, "iterations": 1})
    table = loops.generate(found)
    capacity = CacheCapacity(400)
    assert (
        len(planning.coarse(table, capacity, loops.reference_counts(found).tolist(), found.file_bytes)) == 0
    )
    fine = planning.fine(table, capacity)
    for phase in (0, 1):
        segments = sum(row["segments"] for row in fine.to_pylist() if row["phase"] == phase)
        assert segments == 100


@given(accesses(1, 1, BLOCK, 20, processes=3), st.integers(1, 6))
def test_equal_parts(toy: list[Access], parts: int) -> None:
    found = planning.find_phases(program(toy), planning.PhaseRule.PARTS, parts=parts)["phase"].to_pylist()
    for process in {one.process for one in toy}:
        own = [phase for phase, one in zip(found, toy, strict=True) if one.process == process]
        assert own == sorted(own)
        if len(own) % parts == 0:
            assert max(Counter(own).values()) == len(own) // parts
    assert set(found) == set(range(len(set(found))))


def test_quiet_gaps_end_phases() -> None:
    toy = [Access(0, None, False, 0, 0, 1), Access(1, None, False, 0, 0, 1)] * 3
    # process 0 is at 0, 5, 25; process 1 at 0, 12, 30
    found = planning.find_phases(program(toy, [5, 12, 20, 18, 0, 0]), gap_ns=8)
    assert found["phase"].to_pylist() == [0, 0, 0, 0, 1, 1]
    none = planning.find_phases(program(toy, [5, 12, 20, 18, 0, 0]), gap_ns=100, parts=3)
    assert none["phase"].to_pylist() == [0, 0, 1, 1, 2, 2]


def test_refusals() -> None:
    toy = program([Access(0, 0, False, 0, 0, 1)])
    with pytest.raises(UsageError, match="at least one block"):
        CacheCapacity(1, segment_blocks=0)
    with pytest.raises(UsageError, match="0 blocks or more, not -1"):
        CacheCapacity(-1)
    with pytest.raises(UsageError, match="phases are 1 to 10,000, not 0"):
        planning.find_phases(toy, parts=0)
    with pytest.raises(UsageError, match="longer than 0"):
        planning.find_phases(toy, gap_ns=0)


def test_nothing_to_plan() -> None:
    empty = schemas.schema("program").empty_table()
    assert len(planning.coarse(empty, CacheCapacity(1))) == len(planning.fine(empty, CacheCapacity(1))) == 0
    assert np.asarray(planning.find_phases(empty)["phase"]).tolist() == []


def test_what_the_harvester_keeps_free_is_not_filled() -> None:
    toy = program([Access(0, 0, False, 0, 0, 20 * BLOCK)])
    capacity = CacheCapacity(20, False, 1, BLOCK, free_percent=11)
    assert capacity.blocks == 17
    assert planning.fine(toy, capacity)["segments"].to_pylist() == [17]
    assert len(planning.coarse(toy, capacity)) == 0
    with pytest.raises(UsageError, match="keeps 0 to 100 percent free, not 101"):
        CacheCapacity(1, free_percent=101)
    with pytest.raises(UsageError, match="local cache has 0 blocks or more"):
        CacheCapacity(1, local_blocks=-1)
