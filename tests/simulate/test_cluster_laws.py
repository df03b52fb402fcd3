"""Caches on a cluster: what holds for every program and machine."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from cluster_programs import (
    BLOCK,
    LEVELS,
    SMALL,
    counters,
    machines,
    program,
    requests,
    table_of,
)
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import queries
from iotrace.simulate.cluster import simulation
from iotrace.simulate.cluster.cases import cases, compared
from iotrace.simulate.cluster.costs import components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.settings import Machine, Settings


@examples(150)
@given(requests, machines, st.one_of(st.sampled_from(LEVELS), counters), st.booleans())
def test_bytes_are_conserved_at_each_level(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, clock: bool
) -> None:
    outcome = simulate(program(rows), machine, discipline, clock=clock)
    t = outcome.totals
    if not t:
        return
    assert t["daemon_read_bytes"] == t["daemon_to_global_bytes"] + t["daemon_to_node_bytes"]
    assert t["daemon_written_bytes"] == t["global_to_daemon_bytes"] + t["node_to_daemon_bytes"]
    if machine.global_writes == "through":
        assert t["node_to_global_bytes"] == t["global_to_daemon_bytes"]
        assert t["global_buffered_blocks"] == t["global_flushed_blocks"] == 0
    elif all(row[3] % BLOCK == row[4] % BLOCK == 0 for row in rows):
        # what is written again before it is flushed moves once
        assert t["node_to_global_bytes"] >= t["global_to_daemon_bytes"]
        assert t["global_buffered_blocks"] >= t["global_flushed_blocks"]
    assert t["daemon_to_global_bytes"] == (t["global_look_ups"] - t["global_hits"]) * BLOCK
    assert t["stale_after_sync"] == 0
    assert t["demoted_bytes"] == t["demoted_blocks"] * BLOCK
    if discipline.uses_local:
        lacked = t["local_look_ups"] - t["local_hits"]
        assert t["global_to_node_bytes"] + t["daemon_to_node_bytes"] == lacked * BLOCK
        assert t["writes"] == t["buffered_writes"] + t["unbuffered_writes"]
    else:
        assert t["global_to_node_bytes"] + t["daemon_to_node_bytes"] == t["read_bytes"]
        if machine.global_writes == "through":
            assert t["daemon_written_bytes"] == t["written_bytes"]


@pytest.mark.parametrize(("length", "demoted"), [(BLOCK, 24), (BLOCK // 8, 0)])
def test_what_nodes_give_up_is_sent_where_it_is_whole(length: int, demoted: int) -> None:
    """30 blocks are written, a cache of 6 blocks has the last ones: the others went to the server, or did not."""
    made = program([(0, "write", 0, block * BLOCK, length) for block in range(30)], compute_ns=[10**9] * 30)
    machine = Machine(
        nodes=1, local_blocks=6, low_water_percent=0, high_water_percent=0, flusher_period_ns=10**8
    )
    paid = replace(components(), global_look_up_ns=1)
    outcome = simulate(made, machine, Discipline.of("demote"), paid)
    assert outcome.totals["demoted_blocks"] == demoted
    (server,) = outcome.resources.filter(pc.equal(outcome.resources["resource"], "global server")).to_pylist()
    # it does not keep writes, and sends each on
    assert outcome.totals["daemon_writes"] == 30
    assert server["served"] == outcome.totals["global_requests"] + demoted + 30


@examples(60)
@given(requests)
def test_levels_that_are_off_are_as_if_not_there(rows: list[tuple[Any, ...]]) -> None:
    made = program(rows)
    everything = [(None, None, "local", file, 0, None, False) for file in range(2)]
    bypassed = table_of([(*one[:2], "global", *one[3:]) for one in everything])
    round_global = simulate(made, SMALL, Discipline.planned(bypassed, default_through=True))
    local = simulate(made, SMALL, Discipline.of("local"))
    assert round_global.execution_ns == local.execution_ns
    assert round_global.totals.get("local_hits") == local.totals.get("local_hits")
    both = pa.concat_tables([table_of(everything), bypassed])
    round_both = simulate(made, SMALL, Discipline.planned(both, default_through=True))
    assert round_both.execution_ns == simulate(made, SMALL, Discipline.of("none")).execution_ns


@examples(60)
@given(requests)
def test_infinite_caches_miss_only_cold(rows: list[tuple[Any, ...]]) -> None:
    reads = [(row[0], "read", row[2], row[3] // BLOCK * BLOCK, BLOCK) for row in rows]
    machine = replace(SMALL, local_blocks=None, global_blocks=None)
    outcome = simulate(program(reads), machine, Discipline.of("local+global"), clock=False)
    blocks, at_nodes = {row[2:4] for row in reads}, {(row[0], *row[2:4]) for row in reads}
    if reads:
        assert outcome.totals["global_look_ups"] == len(at_nodes)
        assert outcome.totals["daemon_read_bytes"] == len(blocks) * BLOCK
    assert outcome.distinct_blocks == len(blocks)


def test_what_another_application_fetched_is_told_apart() -> None:
    made = program(
        [(0, "read", 0, 0, BLOCK), (1, "read", 0, 0, BLOCK)],
        application=[0, 1],
        compute_ns=[0, 0],
        node=[0, 1],
    )
    totals = simulate(made, Machine(nodes=2), Discipline.of("local+global"), clock=False).totals
    assert (totals["global_hits"], totals["global_hits_of_others"]) == (1, 1)


def test_self_scheduled_records_are_taken_by_whoever_is_free() -> None:
    made = program([(None, "read", 0, n * BLOCK, BLOCK) for n in range(12)])
    outcome = simulate(made, Machine(nodes=3), Discipline.of("none"))
    assert outcome.counts["node"].to_pylist() == [0, 1, 2]
    assert outcome.totals["reads"] == 12
    assert "one process on each node" in outcome.remarks[-1]


def test_the_comparison_has_its_documented_columns() -> None:
    made = program([(p, "read", 0, n * BLOCK, BLOCK) for n in range(20) for p in range(4)])
    found = cases(compared(Settings()), made)
    runs = [(settings, simulate(on, settings, one)) for settings, one, on in found]
    result = simulation.table(runs)
    assert result.schema.remove_metadata() == queries.table_schema("cluster").remove_metadata()
    result.validate(full=True)
    assert {"none", "run-time 3", "run-time 20", "coarse", "fine"} <= set(result["discipline"].to_pylist())
