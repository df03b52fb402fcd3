"""Caches on a cluster: how long requests take, by hand and by the cost model."""

from dataclasses import replace
from typing import Any

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
)
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.cluster.costs import CostRow, components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.settings import Machine


def alone(row: CostRow, size_bytes: int, iods: int) -> int:
    """Return how long one request takes on an idle machine, in the state that a row of table 1 or 2 has."""
    machine = Machine(nodes=2, iods=iods, local_blocks=500, global_blocks=500, flusher_period_ns=1)
    reading = (0, "read", 0, 0, size_bytes)
    before: list[tuple[Any, ...]] = []
    if row is CostRow.LOCAL_HIT:
        before = [reading]
    if row is CostRow.GLOBAL_HIT:
        before = [(1, "read", 0, 0, size_bytes)]
    is_write = row in (CostRow.WRITE_PVFS, CostRow.WRITE_CACHING)
    asked = (0, "write", 0, 0, size_bytes) if is_write else reading
    discipline = {
        CostRow.PVFS: Discipline.of("none"),
        CostRow.WRITE_PVFS: Discipline.of("none"),
        CostRow.LOCAL_MISS: Discipline.of("local"),
    }.get(row, Discipline.of("local+global"))
    wait = (0, "compute", None, None, None)
    made = program([*before, wait, asked], compute_ns=[0] * len(before) + [10**12, 0])
    outcome = simulate(made, machine, discipline, components(), log=True)
    (last,) = (one for one in outcome.requests.to_pylist() if one["row"] == len(before) + 1)
    return int(last["end_ns"] - last["begin_ns"])


@pytest.mark.parametrize("iods", [1, 2, 3, 4])
@pytest.mark.parametrize("row", list(CostRow))
def test_a_request_alone_takes_what_the_cost_model_says(row: CostRow, iods: int) -> None:
    for size_kb in (4, 8, 16, 32, 64, 128, 256):
        assert alone(row, size_kb * 1024, iods) == components().time_ns(row, size_kb * 1024, iods), size_kb


@pytest.mark.parametrize("discipline", LEVELS, ids=lambda one: one.name)
def test_what_opens_take(discipline: Discipline) -> None:
    paid = replace(components(), metadata_ns=7_000_000)
    opening = [(process, "open", 0, None, None) for process in (0, 1)]
    one = simulate(program(opening[:1]), SMALL, discipline, paid)
    alone_ns = paid.message_ns + paid.metadata_ns
    assert one.execution_ns == one.totals["metadata_ns"] == alone_ns
    assert one.totals["io_ns"] == one.totals["local_look_ups"] == one.totals["global_requests"] == 0
    # two at the same time: the second waits for the server
    both = simulate(program(opening), SMALL, discipline, paid)
    assert both.execution_ns == alone_ns + paid.metadata_ns
    (server,) = both.resources.filter(pc.equal(both.resources["resource"], "metadata server")).to_pylist()
    assert server["busy_ns"] == 2 * paid.metadata_ns and server["served"] == 2
    assert components().metadata_ns == 0


def test_two_nodes_wait_for_each_other_on_the_hub() -> None:
    """By hand: both ask at the same time, of different daemons, whose answers share the medium."""
    paid = components()
    made = program([(0, "read", 0, 0, BLOCK), (1, "read", 0, 32_768, BLOCK)])
    outcome = simulate(made, Machine(nodes=2, iods=2), Discipline.of("none"), paid, log=True)
    ended = {one["row"]: one["end_ns"] for one in outcome.requests.to_pylist()}
    message, network = paid.message_ns, (2 * paid.network_ns_per_kb * BLOCK + 1024) // 2048
    disk = 4 * paid.stream_disk_ns_per_kb // 2
    asked = message + 4 * paid.stream_daemon_ns_per_kb
    first = asked + disk + network
    # each disk reads ahead for the other's request meanwhile
    second = first + network
    assert ended == {0: first, 1: second}
    assert (outcome.execution_ns, outcome.totals["io_ns"]) == (second, first + second)


def test_the_global_cache_answers_a_write_before_the_daemons_have_it() -> None:
    paid = components()
    made = program([(0, "write", 0, 0, BLOCK)])
    outcome = simulate(made, Machine(nodes=1, global_writes="through"), Discipline.of("global"), paid)
    network = (2 * paid.network_ns_per_kb * BLOCK + 1024) // 2048
    hop = paid.message_ns + network
    assert outcome.execution_ns == hop + paid.global_look_up_ns
    assert outcome.drained_ns == outcome.execution_ns + hop
    synchronous = program([(0, "sync_write", 0, 0, BLOCK)])
    waited = simulate(synchronous, Machine(nodes=1), Discipline.of("global"), paid)
    assert waited.execution_ns == outcome.drained_ns
    # its own flusher wakes at the end of the period
    later = simulate(made, Machine(nodes=1), Discipline.of("global"), paid)
    assert later.execution_ns == outcome.execution_ns
    assert later.drained_ns == Machine().flusher_period_ns + hop


def test_blocks_rewritten_within_a_period_reach_the_daemons_once() -> None:
    made = program([(0, "write", 0, 0, BLOCK)] * 50)
    back, through = (
        simulate(made, Machine(nodes=1, global_writes=writes), Discipline.of("global"))
        for writes in ("back", "through")
    )
    assert (back.totals["daemon_writes"], through.totals["daemon_writes"]) == (1, 50)
    assert back.totals["global_buffered_blocks"] == 50
    assert (back.execution_ns or 0) < (through.execution_ns or 0)


@pytest.mark.parametrize(
    "discipline", [Discipline.of("local"), Discipline.of("global")], ids=["local", "global"]
)
def test_a_harvester_writes_dirty_frames_without_waiting_for_the_flusher(discipline: Discipline) -> None:
    """A cache of 100 blocks is overwritten twice before the flusher wakes: every write still finds a free frame."""
    made = program([(0, "write", 0, block * BLOCK, BLOCK) for block in range(300)], compute_ns=[10**7] * 300)
    never = Machine(nodes=1, local_blocks=100, global_blocks=100, flusher_period_ns=1 << 60)
    totals = simulate(made, never, discipline).totals
    assert totals["unbuffered_writes"] == 0
    name = "flushed_blocks" if discipline.uses_local else "global_flushed_blocks"
    assert totals[name] == totals["daemon_written_bytes"] // BLOCK == 300
    assert totals["global_buffered_blocks"] == (0 if discipline.uses_local else 300)


def test_threads_of_the_global_cache_are_busy_until_the_reply() -> None:
    """Two nodes miss different blocks: with one thread the second is looked up once the first one has its reply."""
    made = program([(p, "read", 0, p * 32_768, 2 * BLOCK) for p in range(2)])
    machine = Machine(nodes=2, iods=2, network="switch")
    paid = replace(components(), list_ns_per_kb=10_000_000)
    one, many = (
        simulate(
            made, replace(machine, global_threads=threads), Discipline.of("local+global"), paid, log=True
        )
        for threads in (1, 2)
    )
    alone = simulate(made.slice(0, 1), machine, Discipline.of("local+global"), paid).execution_ns or 0
    assert (many.execution_ns or 0) < alone + 5_000_000
    assert (one.execution_ns or 0) > 2 * alone - 5_000_000
    unlimited = simulate(made, machine, Discipline.of("local+global"), paid)
    assert unlimited.execution_ns == many.execution_ns


def test_caches_of_no_blocks_are_paid_for() -> None:
    made = program([(0, "read", 0, 0, 4 * BLOCK)] * 5)
    machine = replace(SMALL, local_blocks=0, global_blocks=0)
    without, empty = (
        simulate(made, machine, one) for one in (Discipline.of("none"), Discipline.of("local+global"))
    )
    assert without.totals["daemon_read_bytes"] == empty.totals["daemon_read_bytes"] == 20 * BLOCK
    assert empty.totals["local_look_ups"] == empty.totals["global_look_ups"] == 20
    assert empty.execution_ns == 5 * components().time_ns(CostRow.GLOBAL_MISS, 4 * BLOCK, SMALL.iods)


def test_one_server_is_a_bottleneck_that_several_relieve() -> None:
    reads = [(p, "read", p, n * BLOCK, BLOCK) for n in range(50) for p in range(8)]
    slow = replace(components(), global_look_up_ns=5_000_000)
    machine = Machine(nodes=8, iods=4, network="switch")
    one, each = (
        simulate(program(reads), replace(machine, global_servers=n), Discipline.of("local+global"), slow)
        for n in (1, 0)
    )
    assert (one.busy_percent("global server") or 0) > 95
    assert (each.execution_ns or 0) < (one.execution_ns or 0) / 2


def test_a_switch_is_no_slower_than_a_hub() -> None:
    reads = [(p, "read", 0, (n * 4 + p) * 16 * BLOCK, 16 * BLOCK) for n in range(20) for p in range(4)]
    hub, switch = (
        simulate(program(reads), Machine(network=network), Discipline.of("local"))
        for network in ("hub", "switch")
    )
    assert (switch.execution_ns or 0) < (hub.execution_ns or 0)


@examples(60)
@given(requests, machines, st.one_of(st.sampled_from(LEVELS), counters))
def test_one_process_counts_the_same_with_a_clock(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline
) -> None:
    """Without flushes in between, which come by time with the clock and by requests without.

    It computes long enough between requests that harvesters have written what they found.
    """
    quiet = replace(machine, flusher_period_requests=1 << 40, flusher_period_ns=1 << 60)
    made = program([(0, *row[1:]) for row in rows], compute_ns=[10**10] * len(rows))
    counted = simulate(made, quiet, discipline, clock=False, log=True).requests
    timed = simulate(made, quiet, discipline, log=True).requests
    if discipline.admission == "demoted":
        return  # what is given up takes time to arrive
    places = ["row", "local_hits", "global_hits", "global_misses", "round"]
    assert timed.select(places).to_pylist() == counted.select(places).to_pylist()
