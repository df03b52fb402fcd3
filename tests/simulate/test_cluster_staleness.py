"""Caches on a cluster: which reads get what another node wrote over."""

import random
from dataclasses import replace
from typing import Any

import pytest
from cluster_programs import (
    BLOCK,
    LEVELS,
    SMALL,
    counters,
    machines,
    program,
    requests,
)
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.settings import Machine


def test_a_sync_write_ends_stale_reads() -> None:
    """Node 1 has a copy; node 0's plain write leaves it stale, its sync_write does not."""
    for operation, stale, copies in (("write", 1, 0), ("sync_write", 0, 1)):
        made = program(
            [
                (1, "read", 0, 0, BLOCK),
                (0, "compute", None, None, None),
                (0, operation, 0, 0, BLOCK),
                (1, "compute", None, None, None),
                (1, "read", 0, 0, BLOCK),
            ],
            compute_ns=[0, 10**11, 0, 10**12, 0],
        )
        totals = simulate(made, Machine(nodes=2), Discipline.of("local+global")).totals
        assert (totals["stale_reads"], totals["invalidated_copies"]) == (stale, copies)


@pytest.mark.parametrize("seed", range(4))
def test_writes_in_flight_make_no_read_stale(seed: int) -> None:
    """Where nothing is cached every read gets what had been written before it was issued, whatever is in flight."""
    draw = random.Random(seed)
    rows = [
        (draw.randrange(2), draw.choice(("read", "write")), 0, draw.randrange(12) * BLOCK, 2 * BLOCK)
        for _ in range(400)
    ]
    machine = replace(SMALL, nodes=2, local_blocks=0, global_blocks=0)
    for discipline in (
        Discipline.of("none"),
        Discipline.of("local"),
        Discipline.of("global"),
        Discipline.of("local+global"),
    ):
        assert simulate(program(rows), machine, discipline).totals["stale_reads"] == 0, discipline


@examples(100)
@given(
    requests, machines, st.one_of(st.sampled_from(LEVELS), counters), st.sampled_from([0, 1, 10**6, 10**8])
)
def test_a_process_alone_reads_what_it_wrote(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, period_ns: int
) -> None:
    """Blocks that the flusher sends are kept until they have arrived, at any time of flushing."""
    made = program([(0, *row[1:]) for row in rows])
    outcome = simulate(made, replace(machine, flusher_period_ns=period_ns), discipline)
    if discipline.admission != "demoted":  # a block on its way down may be asked for meanwhile
        assert outcome.totals.get("stale_reads", 0) == 0
