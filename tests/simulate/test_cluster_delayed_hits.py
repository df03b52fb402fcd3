"""Caches on a cluster: who asks for a block that is on its way to a cache waits for it, and fetches nothing."""

from dataclasses import replace
from typing import Any

import pytest
from cluster_programs import BLOCK, LEVELS, SMALL, counters, machines, program, requests
from hypothesis import example, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.cluster import simulation
from iotrace.simulate.cluster.costs import components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.settings import Machine, Settings

CROWDED = st.integers(0, 8)
"""Several processes to each of three nodes."""
UNBOUNDED = replace(SMALL, local_blocks=None, global_blocks=None)


def test_a_second_process_of_a_node_waits_by_hand() -> None:
    """Both ask at once: the node's processor takes them in turn, one message is sent, both copy what came."""
    paid = components()
    made = program([(0, "read", 0, 0, BLOCK), (1, "read", 0, 0, BLOCK)])
    outcome = simulate(made, Machine(nodes=1, iods=1), Discipline.of("local"), paid, log=True)
    before = paid.local_look_up_ns + paid.message_ns
    network = (2 * paid.network_ns_per_kb * BLOCK + 1024) // 2048
    # the daemon has read a list's first block ahead; the node's processor looks up the second request meanwhile
    came = before + max(network, paid.local_look_up_ns)
    copy = 4 * paid.copy_ns_per_kb
    ended = {one["row"]: one["end_ns"] for one in outcome.requests.to_pylist()}
    assert ended == {0: came + copy, 1: came + 2 * copy + paid.read_hit_ns}
    totals = outcome.totals
    assert (totals["local_hits"], totals["local_delayed_hits"]) == (1, 1)
    assert (totals["daemon_reads"], totals["daemon_read_bytes"]) == (1, BLOCK)


def test_a_second_node_waits_at_the_global_cache() -> None:
    made = program([(node, "read", 0, 0, BLOCK) for node in range(3)])
    totals = simulate(made, Machine(nodes=3), Discipline.of("local+global")).totals
    assert (totals["global_hits"], totals["global_delayed_hits"]) == (2, 2)
    assert (totals["daemon_read_bytes"], totals["global_to_node_bytes"]) == (BLOCK, 3 * BLOCK)


@pytest.mark.parametrize("discipline", [Discipline.of("local"), Discipline.of("local+global")])
def test_records_of_a_block_miss_once_a_node(discipline: Discipline) -> None:
    """16 records a block, taken by 64 processes of 4 nodes at once: 4 of 16 miss, at any clock."""
    records, record = 4_096, BLOCK // 16
    made = program([(n % 64, "read", 0, n * record, record) for n in range(records)])
    machine = Machine(nodes=4, local_blocks=None, global_blocks=None)
    for clock in (True, False):
        outcome = simulate(made, machine, discipline, clock=clock)
        assert outcome.totals["local_hits"] / outcome.totals["local_look_ups"] == 12 / 16
        fetched = records * record * (1 if discipline.uses_global else 4)
        assert outcome.totals["daemon_read_bytes"] == fetched


@examples(60)
@given(requests, st.lists(CROWDED, min_size=60, max_size=60), st.integers(0, 3), st.booleans())
def test_unbounded_caches_miss_only_cold_with_a_clock(
    rows: list[tuple[Any, ...]], processes: list[int], think: int, is_global: bool
) -> None:
    """Each node fetches each block once, and the global cache does: the counts are those without a clock."""
    reads = [(process, "read", *row[2:]) for process, row in zip(processes, rows, strict=False)]
    think_ns = [think * 300_000 * row[0] for row in reads]
    made = program(reads, node=[row[0] % 3 for row in reads], compute_ns=think_ns)
    discipline = Discipline.of("local+global") if is_global else Discipline.of("local")
    timed, counted = (simulate(made, UNBOUNDED, discipline, clock=clock) for clock in (True, False))
    touched = {
        (process % 3, file, block)
        for process, _, file, offset, length in reads
        for block in range(offset // BLOCK, (offset + length - 1) // BLOCK + 1)
    }
    blocks = {one[1:] for one in touched}
    for totals in (timed.totals, counted.totals):
        if not reads:
            continue
        assert totals["local_look_ups"] - totals["local_hits"] == len(touched)
        assert totals["daemon_read_bytes"] == BLOCK * len(blocks if is_global else touched)
    assert counted.totals.get("local_delayed_hits", 0) == 0


STALE = [(0, "read", 0, BLOCK, BLOCK), *5 * [(0, "read", 0, 0, BLOCK)], (0, "sync_write", 0, 0, BLOCK)]
"""A node fetches a block while its sync_write of it is on its way: what came stayed after the write."""


@examples(150)
@example(
    [*STALE, (0, "read", 0, 0, BLOCK)],
    [0, 1, 1, 1, 2, 3, *54 * [0]],
    replace(SMALL, local_blocks=1, global_blocks=0, global_writes="back"),
    Discipline.of("local"),
    0,
)
@given(
    requests,
    st.lists(CROWDED, min_size=60, max_size=60),
    machines,
    st.one_of(st.sampled_from(LEVELS), counters),
    st.sampled_from([0, 10**6, 10**8]),
)
def test_requests_that_wait_end_and_see_every_sync_write(
    rows: list[tuple[Any, ...]],
    processes: list[int],
    machine: Machine,
    discipline: Discipline,
    period_ns: int,
) -> None:
    made = program([(process, *row[1:]) for process, row in zip(processes, rows, strict=False)])
    outcome = simulate(made, replace(machine, flusher_period_ns=period_ns), discipline, log=True)
    assert sorted(outcome.requests["row"].to_pylist()) == list(range(len(rows)))
    totals = outcome.totals
    if not totals:
        return
    assert totals["stale_after_sync"] == 0
    assert totals["daemon_to_global_bytes"] == (totals["global_look_ups"] - totals["global_hits"]) * BLOCK
    if discipline.uses_local:
        lacked = totals["local_look_ups"] - totals["local_hits"]
        assert totals["global_to_node_bytes"] + totals["daemon_to_node_bytes"] == lacked * BLOCK


def test_a_read_after_a_sync_write_does_not_wait_for_an_older_fetch() -> None:
    """Node 1's fetch has left the daemon when node 0 writes the block: who reads it there later fetches anew."""
    paid = replace(components(), network_ns_per_kb=50_000_000, message_ns=1_000)
    made = program(
        [
            (1, "read", 0, 0, BLOCK),
            (0, "compute", None, None, None),
            (0, "sync_write", 0, 0, 1),
            (2, "compute", None, None, None),
            (2, "read", 0, 0, BLOCK),
        ],
        node=[1, 0, 0, 1, 1],
        compute_ns=[0, 2_000_000, 0, 100_000_000, 0],
    )
    machine = Machine(nodes=2, iods=1, network="switch")
    outcome = simulate(made, machine, Discipline.of("local"), paid, log=True)
    ended = {one["row"]: one for one in outcome.requests.to_pylist()}
    # the write ends while the first read is still on its way, and the second read begins after it
    assert ended[2]["end_ns"] < ended[4]["begin_ns"] < ended[0]["end_ns"] < ended[4]["end_ns"]
    totals = outcome.totals
    assert (totals["stale_after_sync"], totals["stale_reads"]) == (0, 0)
    assert (totals["daemon_reads"], totals["local_delayed_hits"]) == (2, 0)


def test_reads_of_one_block_cost_no_disk_time_and_the_answer_says_so() -> None:
    one = program([(0, "read", 0, n * BLOCK, BLOCK) for n in range(8)])
    two = program([(0, "read", 0, n * 2 * BLOCK, 2 * BLOCK) for n in range(8)])
    machine = Settings(nodes=1, iods=1, local_blocks=0)
    said = []
    for made, share in ((one, 8), (two, 0)):
        outcome = simulate(made, machine, Discipline.of("local"))
        assert outcome.totals["daemon_reads_without_disk"] == share
        assert (outcome.busy_percent("disk") == 0) is (share == 8)
        said.append(simulation.readings(simulation.table([(machine, outcome)])))
    assert any(words.startswith("disk: 100 % of the reads at daemons") for words in said[0])
    assert not any("cost no disk time" in words for words in said[1])
    counted = simulate(one, machine, Discipline.of("local"), clock=False)
    assert not any(
        "cost no disk time" in words for words in simulation.readings(simulation.table([(machine, counted)]))
    )
