"""Caches on a cluster: equal to the slow twin request for request, times by hand, what must hold, bad input."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from cluster_model import Cluster
from hypothesis import given, settings
from hypothesis import strategies as st

from iotrace import queries, schemas
from iotrace.engine.native import ClusterStop
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.cluster import Discipline, Machine, comparison, simulate, simulation
from iotrace.simulate.cluster.costs import Row, components
from iotrace.simulate.cluster.rows import rows_of

BLOCK = 4096
SMALL = Machine(
    nodes=3,
    iods=2,
    local_blocks=4,
    global_blocks=7,
    segment_blocks=2,
    low_water_percent=0,
    high_water_percent=0,
    flusher_period_requests=3,
)
MARKED = replace(SMALL, global_blocks=9, low_water_percent=25, high_water_percent=50)
LEVELS = (
    Discipline.none(),
    Discipline.local(),
    Discipline.global_only(),
    Discipline.local_global(),
    Discipline.tinylfu(),
    Discipline.demote(),
)


def program(rows: list[tuple[Any, ...]], **columns: list[Any]) -> pa.Table:
    """Return table program of (process, operation, file, offset, length) rows."""
    process, operation, file, offset, length = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    count = len(rows)
    given = {
        "application": [0] * count,
        "process": list(process),
        "node": [None] * count,
        "phase": [None] * count,
        "operation": list(operation),
        "file": list(file),
        "offset": list(offset),
        "length": list(length),
        "compute_ns": [0] * count,
    } | columns
    schema = schemas.schema("program")
    return pa.table(
        [
            pa.array(given[field.name], pa.string() if field.name == "operation" else field.type)
            for field in schema
        ],
        names=schema.names,
    )


whole = st.tuples(st.integers(0, 11), st.integers(1, 3)).map(lambda one: (one[0] * BLOCK, one[1] * BLOCK))
partial = st.tuples(st.integers(0, 11 * BLOCK), st.integers(1, 2 * BLOCK))
rows = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(["read", "read", "write", "sync_write"]),
        st.integers(0, 1),
        st.one_of(whole, whole, partial),
    ).map(lambda one: (*one[:3], *one[3])),
    max_size=60,
)
counters = st.builds(
    Discipline.counters,
    st.integers(0, 5),
    first_access=st.sampled_from(["block", "segment"]),
    scope=st.sampled_from(["cluster", "node"]),
    ages=st.booleans(),
)
machines = st.builds(
    replace,
    st.sampled_from([SMALL, MARKED]),
    local_blocks=st.integers(0, 9),
    global_blocks=st.integers(0, 12),
    global_per_file=st.booleans(),
)
bits = st.lists(
    st.tuples(
        st.sampled_from([None, 0, 1]),
        st.sampled_from([None, "read", "write"]),
        st.sampled_from(["local", "global"]),
        st.integers(0, 1),
        st.integers(0, 4),
        st.sampled_from([None, 1, 2]),
        st.booleans(),
    ),
    max_size=4,
    unique_by=lambda one: (one[0], one[2], one[3]),
)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    schema = schemas.schema("cluster_bits")
    names = schema.names
    text = ("operation", "level")
    return pa.table(
        [
            pa.array([row[n] for row in rows], pa.string() if name in text else schema.field(name).type)
            for n, name in enumerate(names)
        ],
        names=names,
    )


planned = st.builds(Discipline.planned, bits.map(table_of), default_through=st.booleans())


@settings(deadline=None, max_examples=300)
@given(rows, machines, st.one_of(st.sampled_from(LEVELS), counters, planned), st.data())
def test_each_request_finds_what_the_slow_twin_finds(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, data: st.DataObject
) -> None:
    phases = data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(rows), max_size=len(rows)))
    made = program(rows, phase=phases)
    outcome = simulate(made, machine, discipline, clock=False, log=True)
    laid = rows_of(made, machine.nodes)
    order = {number: at for at, number in enumerate(outcome.requests["row"].to_pylist())}
    assert sorted(order) == list(range(len(rows)))
    twin = Cluster(machine, discipline)
    taken = (
        pa.concat_tables([pa.Table.from_batches([one]) for one in laid.batches(interleaved=True)])
        if rows
        else []
    )
    asked = taken.to_pylist() if rows else []
    expected = []
    for row in asked:
        row = row | {"operation": ("read", "write", "sync_write")[row["operation"]]}
        expected.append(twin.serve(row, laid.processes[row["process"]][1]))
    assert len({row[0] for row in rows}) == len(laid.processes)
    twin.flush()
    found = outcome.requests.drop_columns(["row", "begin_ns", "end_ns"]).to_pylist()
    assert found == expected
    for name in (
        "global_bypassed",
        "global_told",
        "stale_reads",
        "stale_after_sync",
        "invalidations",
        "invalidated_copies",
        "dropped_dirty",
    ):
        assert outcome.totals.get(name, 0) == twin.counts[name], name


operations = ("read", "write", "sync_write", "compute", "open", "close")


@settings(deadline=None, max_examples=100)
@given(rows, machines, st.one_of(st.sampled_from(LEVELS), counters), st.data())
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
    found = outcome.requests.drop_columns(["row"]).to_pylist()
    assert found == without.requests.drop_columns(["row"]).to_pylist()
    assert without.totals == outcome.totals | ({"metadata_requests": 0} if rows else {})
    laid, twin = rows_of(made, machine.nodes), Cluster(machine, discipline)
    served = [
        twin.serve(row | {"operation": operations[row["operation"]]}, laid.processes[row["process"]][1])
        for batch in (laid.batches(interleaved=True) if rows else [])
        for row in batch.to_pylist()
    ]
    twin.flush()
    assert [one for one in served if one] == outcome.requests.drop_columns(
        ["row", "begin_ns", "end_ns"]
    ).to_pylist()
    assert twin.counts["metadata_requests"] == metadata


@pytest.mark.parametrize("discipline", LEVELS, ids=lambda one: one.name)
def test_what_opens_take(discipline: Discipline) -> None:
    paid = replace(components(), metadata_ns=7_000_000)
    opening = [(process, "open", 0, None, None) for process in (0, 1)]
    one = simulate(program(opening[:1]), SMALL, discipline, paid)
    alone_ns = paid.call_ns + 2 * paid.message_ns + paid.metadata_ns
    assert one.execution_ns == one.totals["metadata_ns"] == alone_ns
    assert one.totals["io_ns"] == one.totals["local_look_ups"] == one.totals["global_requests"] == 0
    # two at the same time: the second waits for the server, having come a message later
    both = simulate(program(opening), SMALL, discipline, paid)
    assert both.execution_ns == alone_ns + paid.metadata_ns
    (server,) = both.resources.filter(pc.equal(both.resources["resource"], "metadata server")).to_pylist()
    assert server["busy_ns"] == 2 * paid.metadata_ns and server["served"] == 2
    assert components().metadata_ns == components().global_look_up_ns


def test_an_open_without_file_is_refused() -> None:
    with pytest.raises(IotraceError, match="row 1 of the program: an open or a close without file"):
        simulate(program([(0, "read", 0, 0, BLOCK), (0, "open", None, None, None)]), SMALL, Discipline.none())


def long_program(pick: random.Random) -> list[tuple[Any, ...]]:
    """Return requests that hypothesis, which likes short lists, seldom makes."""
    made = []
    for _ in range(pick.randint(20, 120)):
        offset, length = pick.randrange(12) * BLOCK, pick.randint(1, 3) * BLOCK
        if pick.random() < 0.3:
            offset, length = pick.randrange(11 * BLOCK), pick.randint(1, 2 * BLOCK)
        operation = pick.choice(["read", "read", "write", "sync_write"])
        made.append((pick.randrange(3), operation, pick.randrange(2), offset, length))
    return made


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
        twin, laid = Cluster(machine, discipline), rows_of(made, machine.nodes)
        found = [
            twin.serve(
                row | {"operation": ("read", "write", "sync_write")[row["operation"]]},
                laid.processes[row["process"]][1],
            )
            for batch in laid.batches(interleaved=True)
            for row in batch.to_pylist()
        ]
        twin.flush()
        assert outcome.requests.drop_columns(["row", "begin_ns", "end_ns"]).to_pylist() == found
        assert outcome.totals["global_told"] == twin.counts["global_told"]
        assert outcome.totals["stale_reads"] == twin.counts["stale_reads"]
        count += outcome.totals["global_told"]
        timed = simulate(made, machine, discipline)
        assert timed.totals["stale_after_sync"] == 0
        alone_made = program([(0, *row[1:]) for row in long_program(pick)])
        if discipline.placing != "demoted":
            quick = replace(machine, flusher_period_ns=pick.choice([0, 10**6, 10**8]))
            assert simulate(alone_made, quick, discipline).totals["stale_reads"] == 0
    assert count > 0


def alone(row: Row, size_bytes: int, iods: int) -> int:
    """Return how long one request takes on an idle machine, in the state that a row of table 1 or 2 has."""
    machine = Machine(nodes=2, iods=iods, local_blocks=500, global_blocks=500, flusher_period_ns=1)
    reading = (0, "read", 0, 0, size_bytes)
    before: list[tuple[Any, ...]] = []
    if row is Row.LOCAL_HIT:
        before = [reading]
    if row is Row.GLOBAL_HIT:
        before = [(1, "read", 0, 0, size_bytes)]
    is_write = row in (Row.WRITE_PVFS, Row.WRITE_CACHING)
    asked = (0, "write", 0, 0, size_bytes) if is_write else reading
    discipline = {
        Row.PVFS: Discipline.none(),
        Row.WRITE_PVFS: Discipline.none(),
        Row.LOCAL_MISS: Discipline.local(),
    }.get(row, Discipline.local_global())
    wait = (0, "compute", None, None, None)
    made = program([*before, wait, asked], compute_ns=[0] * len(before) + [10**12, 0])
    outcome = simulate(made, machine, discipline, components(), log=True)
    (last,) = (one for one in outcome.requests.to_pylist() if one["row"] == len(before) + 1)
    return int(last["end_ns"] - last["begin_ns"])


@pytest.mark.parametrize("iods", [1, 2, 3, 4])
@pytest.mark.parametrize("row", list(Row))
def test_a_request_alone_takes_what_the_cost_model_says(row: Row, iods: int) -> None:
    for size_kb in (4, 8, 16, 32, 64, 128, 256):
        assert alone(row, size_kb * 1024, iods) == components().time_ns(row, size_kb * 1024, iods), size_kb


@settings(deadline=None, max_examples=60)
@given(rows, machines, st.one_of(st.sampled_from(LEVELS), counters))
def test_one_process_counts_the_same_with_a_clock(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline
) -> None:
    """Without flushes in between, which come by time with the clock and by requests without."""
    quiet = replace(machine, flusher_period_requests=1 << 40, flusher_period_ns=1 << 60)
    made = program([(0, *row[1:]) for row in rows])
    counted = simulate(made, quiet, discipline, clock=False, log=True).requests
    timed = simulate(made, quiet, discipline, log=True).requests
    if discipline.placing == "demoted":
        return  # what is given up takes time to arrive
    places = ["row", "local_hits", "global_hits", "global_misses", "round"]
    assert timed.select(places).to_pylist() == counted.select(places).to_pylist()


@settings(deadline=None, max_examples=150)
@given(rows, machines, st.one_of(st.sampled_from(LEVELS), counters), st.booleans())
def test_bytes_are_conserved_at_each_level(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, clock: bool
) -> None:
    outcome = simulate(program(rows), machine, discipline, clock=clock)
    t = outcome.totals
    if not t:
        return
    assert t["daemon_read_bytes"] == t["daemon_to_global_bytes"] + t["daemon_to_node_bytes"]
    assert t["daemon_written_bytes"] == t["global_to_daemon_bytes"] + t["node_to_daemon_bytes"]
    assert t["node_to_global_bytes"] == t["global_to_daemon_bytes"]
    assert t["daemon_to_global_bytes"] == (t["global_look_ups"] - t["global_hits"]) * BLOCK
    assert t["stale_after_sync"] == 0
    if discipline.uses_local:
        lacked = t["local_look_ups"] - t["local_hits"]
        assert t["global_to_node_bytes"] + t["daemon_to_node_bytes"] == lacked * BLOCK
        assert t["writes"] == t["buffered_writes"] + t["unbuffered_writes"]
    else:
        assert t["global_to_node_bytes"] + t["daemon_to_node_bytes"] == t["read_bytes"]
        assert t["daemon_written_bytes"] == t["written_bytes"]


@settings(deadline=None, max_examples=60)
@given(rows)
def test_levels_that_are_off_are_as_if_not_there(rows: list[tuple[Any, ...]]) -> None:
    made = program(rows)
    everything = [(None, None, "local", file, 0, None, False) for file in range(2)]
    bypassed = table_of([(*one[:2], "global", *one[3:]) for one in everything])
    round_global = simulate(made, SMALL, Discipline.planned(bypassed, default_through=True))
    local = simulate(made, SMALL, Discipline.local())
    assert round_global.execution_ns == local.execution_ns
    assert round_global.totals.get("local_hits") == local.totals.get("local_hits")
    both = pa.concat_tables([table_of(everything), bypassed])
    round_both = simulate(made, SMALL, Discipline.planned(both, default_through=True))
    assert round_both.execution_ns == simulate(made, SMALL, Discipline.none()).execution_ns


def test_caches_of_no_blocks_are_paid_for() -> None:
    made = program([(0, "read", 0, 0, 4 * BLOCK)] * 5)
    machine = replace(SMALL, local_blocks=0, global_blocks=0)
    without, empty = (simulate(made, machine, one) for one in (Discipline.none(), Discipline.local_global()))
    assert without.totals["daemon_read_bytes"] == empty.totals["daemon_read_bytes"] == 20 * BLOCK
    assert empty.totals["local_look_ups"] == empty.totals["global_look_ups"] == 20
    assert empty.execution_ns == 5 * components().time_ns(Row.GLOBAL_MISS, 4 * BLOCK, SMALL.iods)


@settings(deadline=None, max_examples=60)
@given(rows)
def test_infinite_caches_miss_only_cold(rows: list[tuple[Any, ...]]) -> None:
    reads = [(row[0], "read", row[2], row[3] // BLOCK * BLOCK, BLOCK) for row in rows]
    machine = replace(SMALL, local_blocks=None, global_blocks=None)
    outcome = simulate(program(reads), machine, Discipline.local_global(), clock=False)
    blocks, at_nodes = {row[2:4] for row in reads}, {(row[0], *row[2:4]) for row in reads}
    if reads:
        assert outcome.totals["global_look_ups"] == len(at_nodes)
        assert outcome.totals["daemon_read_bytes"] == len(blocks) * BLOCK
    assert outcome.distinct_blocks == len(blocks)


def test_one_server_is_a_bottleneck_that_several_relieve() -> None:
    reads = [(p, "read", p, n * BLOCK, BLOCK) for n in range(50) for p in range(8)]
    slow = replace(components(), global_look_up_ns=5_000_000)
    machine = Machine(nodes=8, iods=4, network="switch")
    one, each = (
        simulate(program(reads), replace(machine, global_servers=n), Discipline.local_global(), slow)
        for n in (1, 0)
    )
    assert (one.busy_percent("global server") or 0) > 95
    assert (each.execution_ns or 0) < (one.execution_ns or 0) / 2


def test_a_switch_is_no_slower_than_a_hub() -> None:
    reads = [(p, "read", 0, (n * 4 + p) * 16 * BLOCK, 16 * BLOCK) for n in range(20) for p in range(4)]
    hub, switch = (
        simulate(program(reads), Machine(network=network), Discipline.local())
        for network in ("hub", "switch")
    )
    assert (switch.execution_ns or 0) < (hub.execution_ns or 0)


def test_what_another_application_fetched_is_told_apart() -> None:
    made = program(
        [(0, "read", 0, 0, BLOCK), (1, "read", 0, 0, BLOCK)],
        application=[0, 1],
        compute_ns=[0, 0],
        node=[0, 1],
    )
    totals = simulate(made, Machine(nodes=2), Discipline.local_global(), clock=False).totals
    assert (totals["global_hits"], totals["global_hits_of_others"]) == (1, 1)


def test_self_scheduled_records_are_taken_by_whoever_is_free() -> None:
    made = program([(None, "read", 0, n * BLOCK, BLOCK) for n in range(12)])
    outcome = simulate(made, Machine(nodes=3), Discipline.none())
    assert outcome.counts["node"].to_pylist() == [0, 1, 2]
    assert outcome.totals["reads"] == 12
    assert "one process on each node" in outcome.said[-1]


def test_unknown_nodes_are_said_aloud() -> None:
    made = program([(p, "read", 0, 0, BLOCK) for p in range(6)])
    rows = rows_of(made, 4)
    assert [node for _, node in rows.processes] == [0, 1, 2, 3, 0, 1]
    assert "ranks become nodes" in rows.said[0]


def test_small_files_are_said_aloud() -> None:
    rows = rows_of(program([(0, "read", 0, 0, 100)]), 4)
    assert "larger than 1 of 1 files" in comparison.remarks(rows, Machine(), [100])[-1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"iods": 0},
        {"nodes": 0},
        {"segment_blocks": 0},
        {"local_blocks": -1},
        {"low_water_percent": 10, "high_water_percent": 5},
        {"network": "token ring"},
    ],
)
def test_a_machine_that_makes_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Machine(**wrong)


@pytest.mark.parametrize("threshold", [-1, 1 << 30])
def test_a_threshold_out_of_range(threshold: int) -> None:
    with pytest.raises(UsageError, match="threshold"):
        Discipline.counters(threshold)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ((0, "delete", 0, 0, 1), "operation"),
        ((0, "read", None, 0, 1), "without file"),
        ((0, "read", 0, None, 1), "without offset"),
        ((0, "read", 0, -5, 1), "offset"),
        ((0, "read", 0, 0, 1 << 40), "bytes"),
        ((0, "read", 0, (1 << 63) - 1, 1), "bytes"),
    ],
)
def test_a_row_that_makes_no_sense(row: tuple[Any, ...], why: str) -> None:
    with pytest.raises(IotraceError, match=rf"row 0 of the program: .*({why})"):
        simulate(program([row]), SMALL, Discipline.local_global())


def test_bits_that_overlap_are_refused() -> None:
    overlapping = table_of(
        [(None, None, "global", 0, 0, 3, True), (None, "read", "global", 0, 2, None, False)]
    )
    with pytest.raises(IotraceError, match="overlap"):
        simulate(program([(0, "read", 0, 0, 1)]), SMALL, Discipline.planned(overlapping))


def test_the_comparison_has_its_documented_columns() -> None:
    made = program([(p, "read", 0, n * BLOCK, BLOCK) for n in range(20) for p in range(4)])
    cases, _ = comparison.disciplines(comparison.NAMES, made, Machine(), components())
    runs = [(Machine(), simulate(on, Machine(), one)) for one, on in cases]
    result = comparison.table(runs)
    assert result.schema.remove_metadata() == queries.table_schema("cluster").remove_metadata()
    result.validate(full=True)
    assert {"none", "run-time 3", "run-time 20", "oracle", "fine"} <= set(result["discipline"].to_pylist())


def test_two_nodes_wait_for_each_other_on_the_hub() -> None:
    """By hand: both ask at the same time; each of its three uses of the medium is behind the other's."""
    paid = components()
    made = program([(0, "read", 0, 0, BLOCK), (1, "read", 0, 32_768, BLOCK)])
    outcome = simulate(made, Machine(nodes=2, iods=2), Discipline.none(), paid, log=True)
    ended = {one["row"]: one["end_ns"] for one in outcome.requests.to_pylist()}
    message, network = paid.message_ns, (2 * paid.network_ns_per_kb * BLOCK + 1024) // 2048
    served = paid.daemon_ns + 4 * paid.daemon_ns_per_kb
    first = paid.call_ns + message + served + network
    # the second one's daemon is another, so it only waits for the medium
    second = max(paid.call_ns + 2 * message + served, first) + network
    assert ended == {0: first, 1: second}
    assert (outcome.execution_ns, outcome.totals["io_ns"]) == (second, first + second)


def test_the_global_cache_answers_a_write_before_the_daemons_have_it() -> None:
    paid = components()
    made = program([(0, "write", 0, 0, BLOCK)])
    outcome = simulate(made, Machine(nodes=1), Discipline.global_only(), paid)
    network = (2 * paid.network_ns_per_kb * BLOCK + 1024) // 2048
    hop = paid.message_ns + network
    assert outcome.execution_ns == paid.call_ns + hop + paid.global_look_up_ns
    assert outcome.drained_ns == outcome.execution_ns + hop
    synchronous = program([(0, "sync_write", 0, 0, BLOCK)])
    waited = simulate(synchronous, Machine(nodes=1), Discipline.global_only(), paid)
    assert waited.execution_ns == outcome.drained_ns


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
        totals = simulate(made, Machine(nodes=2), Discipline.local_global()).totals
        assert (totals["stale_reads"], totals["invalidated_copies"]) == (stale, copies)


@pytest.mark.parametrize("seed", range(4))
def test_writes_in_flight_make_no_read_stale(seed: int) -> None:
    """Where nothing is cached every read gets what had been written before it was issued, whatever is on its way."""
    draw = random.Random(seed)
    rows = [
        (draw.randrange(2), draw.choice(("read", "write")), 0, draw.randrange(12) * BLOCK, 2 * BLOCK)
        for _ in range(400)
    ]
    machine = replace(SMALL, nodes=2, local_blocks=0, global_blocks=0)
    for discipline in (
        Discipline.none(),
        Discipline.local(),
        Discipline.global_only(),
        Discipline.local_global(),
    ):
        assert simulate(program(rows), machine, discipline).totals["stale_reads"] == 0, discipline


def test_the_run_time_scheme_by_hand() -> None:
    """One segment of two blocks, a global cache of one block, threshold 3, one node without a local cache.

    0 1 0 1 0 1: 0 and 1 are placed unchecked at first; 0 again finds its segment's counter at 3, not above: bypassed,
    and told. 1 was not evicted since, so that it hits.
    """
    made = program([(0, "read", 0, block * BLOCK, BLOCK) for block in (0, 1, 0, 1, 0, 1)])
    machine = Machine(nodes=1, global_blocks=1, segment_blocks=2, low_water_percent=0, high_water_percent=0)
    scheme = replace(Discipline.counters(3, ages=False), uses_local=False)
    totals = simulate(made, machine, scheme, clock=False).totals
    assert (totals["global_placed"], totals["global_not_placed"]) == (2, 1)
    assert (totals["global_told"], totals["global_hits"]) == (1, 2)


@settings(deadline=None, max_examples=100)
@given(rows, machines, st.one_of(st.sampled_from(LEVELS), counters), st.sampled_from([0, 1, 10**6, 10**8]))
def test_a_process_alone_reads_what_it_wrote(
    rows: list[tuple[Any, ...]], machine: Machine, discipline: Discipline, period_ns: int
) -> None:
    """Whenever the flusher comes: what it sends is not given up before it has arrived."""
    made = program([(0, *row[1:]) for row in rows])
    outcome = simulate(made, replace(machine, flusher_period_ns=period_ns), discipline)
    if discipline.placing != "demoted":  # a block on its way down may be asked for meanwhile
        assert outcome.totals.get("stale_reads", 0) == 0


@pytest.mark.parametrize("clock", [True, False])
def test_a_run_that_is_stopped_has_no_outcome(clock: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> ClusterStop:
        stop = ClusterStop()
        stop.stop()
        return stop

    monkeypatch.setattr(simulation, "ClusterStop", stopped)
    with pytest.raises(IotraceError, match="the simulation was stopped"):
        simulate(program([(0, "read", 0, 0, 1)]), SMALL, Discipline.none(), clock=clock)
