"""Caches on a cluster that earlier requests warm: what is counted is the whole's less what comes before."""

from typing import Any

import pyarrow as pa
from cluster_programs import BLOCK, LEVELS, SMALL, counters, machines, partial, program, whole
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.rows import rows_of
from iotrace.simulate.cluster.settings import Machine

AT_ARRIVAL = (
    "reads", "writes", "sync_writes", "read_bytes", "written_bytes", "local_look_ups", "local_hits", "global_look_ups",
    "global_hits", "buffered_writes", "unbuffered_writes", "daemon_reads", "daemon_read_bytes", "stale_reads",
)  # fmt: skip
"""What a request adds when it comes, which none that comes later changes."""
PROCESSES = 3

request = st.tuples(
    st.sampled_from(["read", "read", "write", "sync_write"]),
    st.integers(0, 1),
    st.one_of(whole, whole, partial),
).map(lambda one: (*one[:2], *one[2]))
rounds = st.lists(st.lists(request, min_size=PROCESSES, max_size=PROCESSES), min_size=2, max_size=20)
"""Each process makes one request a round, so that all of one round come before those of the next."""


def of_rounds(made: list[list[tuple[Any, ...]]]) -> pa.Table:
    return program([(process, *one) for each in made for process, one in enumerate(each)])


@examples(150)
@given(rounds, machines, st.one_of(st.sampled_from(LEVELS), counters), st.data())
def test_what_is_counted_is_the_whole_less_what_comes_before(
    made: list[list[tuple[Any, ...]]], machine: Machine, discipline: Discipline, part: st.DataObject
) -> None:
    at = part.draw(st.integers(1, len(made) - 1))
    rows = rows_of(of_rounds(made[at:]), machine.nodes, of_rounds(made[:at]))
    all_of, before = (
        simulate(of_rounds(some), machine, discipline, clock=False).totals for some in (made, made[:at])
    )
    warm = simulate(rows, machine, discipline, clock=False).totals
    assert {name: warm[name] for name in AT_ARRIVAL} == {
        name: all_of[name] - before[name] for name in AT_ARRIVAL
    }
    assert warm["daemon_written_bytes"] <= all_of["daemon_written_bytes"]
    timed = simulate(rows, machine, discipline).totals
    assert [timed[name] for name in ("reads", "writes", "sync_writes")] == [
        warm[name] for name in ("reads", "writes", "sync_writes")
    ]


def test_a_clock_begins_when_the_caches_are_warm() -> None:
    """Blocks read before are hits that ask nobody; those written before are flushed, and count for nothing."""
    reads = program([(0, "read", 0, block * BLOCK, BLOCK) for block in range(3)])
    cold, warm = (
        simulate(rows_of(reads, SMALL.nodes, before), SMALL, Discipline.of("local"))
        for before in (None, reads)
    )
    assert (cold.totals["local_hits"], warm.totals["local_hits"]) == (0, 3)
    assert warm.totals["daemon_reads"] == 0 < cold.totals["daemon_reads"]
    assert warm.execution_ns is not None and cold.execution_ns is not None
    assert warm.execution_ns < cold.execution_ns
    written = program([(0, "write", 1, 0, BLOCK)])
    dirty = simulate(rows_of(reads, SMALL.nodes, written), SMALL, Discipline.of("local"))
    assert dirty.totals["daemon_writes"] == 0
    assert dirty.drained_ns is not None and dirty.drained_ns > SMALL.flusher_period_ns


def test_what_warms_keeps_processes_where_they_are() -> None:
    """A process that is idle in the part has a number of its own, and so the others keep their nodes."""
    before = program([(process, "read", 0, 0, BLOCK) for process in range(3)])
    rows = rows_of(program([(2, "read", 0, 0, BLOCK)]), 3, before)
    assert [node for _, node in rows.processes] == [0, 1, 2]
    assert simulate(rows, SMALL, Discipline.of("local"), clock=False).totals["local_hits"] == 1


def test_what_warms_is_of_the_first_phase() -> None:
    phased = program([(0, "read", 0, 0, BLOCK), (0, "read", 0, 0, BLOCK)], phase=[4, 5])
    rows = rows_of(phased, 1, program([(0, "read", 0, 0, BLOCK)]))
    assert rows.warm["phase"].to_pylist() == [4]
