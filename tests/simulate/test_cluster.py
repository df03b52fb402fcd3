"""Caches on a cluster: equal to the slow twin, request for request."""

import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from cluster_model import Cluster
from cluster_programs import (
    BLOCK,
    LEVELS,
    MARKED,
    SMALL,
    counters,
    long_program,
    machines,
    planned,
    program,
    requests,
)
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import Outcome, simulate
from iotrace.simulate.cluster.rows import rows_of
from iotrace.simulate.cluster.settings import Machine

OPERATIONS = ("read", "write", "sync_write", "compute", "open", "close")
TIMES = ["row", "begin_ns", "end_ns"]


def found(outcome: Outcome) -> list[dict[str, Any]]:
    """Return what each request found, but not when."""
    assert outcome.requests is not None
    return outcome.requests.drop_columns(TIMES).to_pylist()


def found_by_twin(made: pa.Table, machine: Machine, discipline: Discipline) -> tuple[Cluster, list[Any]]:
    """Return the twin at the program's end, and what each request found there, in the order of the engine."""
    laid, twin = rows_of(made, machine.nodes), Cluster(machine, discipline)
    served = [
        twin.serve(row | {"operation": OPERATIONS[row["operation"]]}, laid.processes[row["process"]][1])
        for batch in (laid.batches(interleaved=True) if made.num_rows else [])
        for row in batch.to_pylist()
    ]
    twin.flush()
    return twin, [one for one in served if one]


@examples(300)
@given(requests, machines, st.one_of(st.sampled_from(LEVELS), counters, planned), st.data())
def test_each_request_finds_what_the_slow_twin_finds(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, data: st.DataObject
) -> None:
    phases = data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(rows), max_size=len(rows)))
    made = program(rows, phase=phases)
    outcome = simulate(made, machine, discipline, clock=False, log=True)
    assert outcome.requests is not None
    assert sorted(outcome.requests["row"].to_pylist()) == list(range(len(rows)))
    twin, expected = found_by_twin(made, machine, discipline)
    assert found(outcome) == expected
    for name in (
        "global_bypassed",
        "global_told",
        "stale_reads",
        "stale_after_sync",
        "invalidations",
        "invalidated_copies",
        "dropped_dirty",
        "demoted_blocks",
    ):
        assert outcome.totals.get(name, 0) == twin.counts[name], name


@examples(100)
@given(requests, machines, st.one_of(st.sampled_from(LEVELS), counters), st.data())
def test_opens_and_closes_touch_no_cache(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, data: st.DataObject
) -> None:
    words = st.lists(st.sampled_from(["open", "close"]), max_size=2)
    mixed: list[tuple[Any, ...]] = []
    for row in rows:
        mixed += [(row[0], word, row[2], None, None) for word in data.draw(words)] + [row]
    without = simulate(program(rows), machine, discipline, clock=False, log=True)
    made = program(mixed)
    outcome = simulate(made, machine, discipline, clock=False, log=True)
    metadata = len(mixed) - len(rows)
    assert outcome.totals.get("metadata_requests", 0) == metadata
    assert outcome.requests.drop_columns(["row"]) == without.requests.drop_columns(["row"])
    assert without.totals == outcome.totals | ({"metadata_requests": 0} if rows else {})
    twin, expected = found_by_twin(made, machine, discipline)
    assert found(outcome) == expected
    assert twin.counts["metadata_requests"] == metadata


@pytest.mark.parametrize("seed", range(12))
def test_long_programs_reach_every_rule(seed: int) -> None:
    pick = random.Random(seed)
    made, count = program(long_program(pick)), 0
    for discipline in (
        *LEVELS[3:],
        Discipline.counters(pick.randint(1, 4), scope=("cluster", "node")[seed % 2]),
    ):
        machine = replace((SMALL, MARKED)[seed % 2], local_blocks=pick.randint(2, 9))
        outcome = simulate(made, machine, discipline, clock=False, log=True)
        twin, expected = found_by_twin(made, machine, discipline)
        assert found(outcome) == expected
        assert outcome.totals["global_told"] == twin.counts["global_told"]
        assert outcome.totals["stale_reads"] == twin.counts["stale_reads"]
        count += outcome.totals["global_told"]
        timed = simulate(made, machine, discipline)
        assert timed.totals["stale_after_sync"] == 0
        alone_made = program([(0, *row[1:]) for row in long_program(pick)])
        if discipline.admission != "demoted":
            quick = replace(machine, flusher_period_ns=pick.choice([0, 10**6, 10**8]))
            assert simulate(alone_made, quick, discipline).totals["stale_reads"] == 0
    assert count > 0


def test_the_run_time_scheme_by_hand() -> None:
    """One segment of two blocks, a global cache of one block, threshold 3, one node without a local cache.

    0 1 0 1 0 1: 0 and 1 are placed unchecked at first; 0 again finds its segment's counter at 3, not above: bypassed,
    and reported. 1 was not evicted since, so that it hits.
    """
    made = program([(0, "read", 0, block * BLOCK, BLOCK) for block in (0, 1, 0, 1, 0, 1)])
    machine = Machine(nodes=1, global_blocks=1, segment_blocks=2, low_water_percent=0, high_water_percent=0)
    scheme = replace(Discipline.counters(3, ages=False), uses_local=False)
    totals = simulate(made, machine, scheme, clock=False).totals
    assert (totals["global_placed"], totals["global_not_placed"]) == (2, 1)
    assert (totals["global_told"], totals["global_hits"]) == (1, 2)
