"""The parallel file system's engine against its SimPy twin, event for event, and what must hold by arithmetic."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parallel_model import Configuration, Event, Model, Record
from property_tests import examples

from iotrace import schemas
from iotrace.engine.native import ParallelProgram
from iotrace.generate.patterns.bursts import in_bursts, in_shared_bursts

POLICIES = {"thru": "WriteThru", "back": "WriteBack", "free": "WriteFree", "full": "WriteFull"}
OVERHEADS = (
    "jitter_ns",
    "read_management_ns",
    "write_management_ns",
    "disk_request_ns",
    "write_start_ns",
    "copy_ns_per_kbyte",
    "copy_piece_bytes",
)
SPENT = ("computing", "overhead", "waiting_for_reads", "waiting_for_buffers", "waiting_for_writes")
COUNTS = ("disk_reads", "disk_writes", "hits", "prefetches", "rereads", "rewrites")
BLOCK = 64
"""Bytes, so that small records are parts of it."""


def table(records: list[Record]) -> pa.Table:
    schema = schemas.schema("program")
    columns = {name: [getattr(one, name) for one in records] for name in Record._fields}
    empty = [None] * len(records)
    return pa.table(
        [
            pa.array(
                columns.get(one.name, empty),
                one.type.value_type if pa.types.is_dictionary(one.type) else one.type,
            ).cast(one.type)
            for one in schema
        ],
        schema=schema,
    )


def for_engine(model: Configuration) -> dict[str, Any]:
    given = {key: value for key, value in vars(model).items() if key not in ("processes", "applications")}
    given["write_policy"] = POLICIES[given.pop("policy")]
    given["first_disk"] = "file" if given.pop("rotate_files") else "zero"
    given["overheads"] = {name: given.pop(name) for name in OVERHEADS}
    return given


def engine_of(model: Configuration, records: list[Record] | pa.Table, **more: Any) -> tuple[list[dict], ...]:
    made = records if isinstance(records, pa.Table) else table(records)
    program = ParallelProgram(made, list(model.applications) or [0] * model.processes)
    tables = program.run(json.dumps([for_engine(model) | more]))
    return tuple(pa.record_batch(one).to_pylist() for one in tables)


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    processes = draw(st.integers(1, 4))
    buffers = draw(st.just(0) | st.integers(processes, 12))
    applications = sorted(draw(st.lists(st.integers(0, 1), min_size=processes, max_size=processes)))
    return Configuration(
        processes=processes,
        applications=[number - applications[0] for number in applications],
        disks=draw(st.integers(1, 4)),
        buffers=buffers,
        shared_cache=draw(st.booleans()),
        policy=draw(st.sampled_from(list(POLICIES))),
        block_bytes=BLOCK,
        stripe_blocks=draw(st.integers(1, 3)),
        rotate_files=draw(st.booleans()),
        service_ns=draw(st.sampled_from([1000, 30_000_000])),
        # 0 makes everything coincide
        jitter_ns=draw(st.sampled_from([0, 0, 7, 10_000])),
        read_management_ns=draw(st.sampled_from([0, 0, 300, 1_000_000])),
        write_management_ns=draw(st.sampled_from([0, 0, 500, 3_400_000])),
        disk_request_ns=draw(st.sampled_from([0, 0, 400, 1_250_000])),
        write_start_ns=draw(st.sampled_from([0, 0, 600, 550_000])),
        copy_ns_per_kbyte=draw(st.sampled_from([0, 0, 1, 5_000, 250_000])),
        copy_piece_bytes=draw(st.sampled_from([0, 1, 24, 256])),
        claim_order=draw(st.sampled_from(["random", "fifo", "lifo", "lowest"])),
        replacement=draw(st.sampled_from(["toss", "toss", "lru", "fifo"])),
        prefetch=draw(st.sampled_from(["none", "one-block", "portion"])) if buffers else "none",
        writes_while_writing=draw(st.sampled_from([True, True, False])),
        files_exist=draw(st.booleans()),
        seed=draw(st.integers(0, 9)),
    )


@st.composite
def programs(draw: st.DrawFn, model: Configuration) -> list[Record]:
    """Runs of records of a process, or shared ones, which may overlap with the others'."""
    found: list[Record] = []
    for _ in range(draw(st.integers(0, 5))):
        process = draw(st.none() | st.integers(0, model.processes - 1))
        taken = list(model.applications)
        application = draw(st.sampled_from(taken)) if process is None else taken[process]
        if draw(st.integers(0, 9)) == 0:
            found.append(Record(process, "compute", None, None, None, 1234, application))
            continue
        operation = draw(st.sampled_from(["read", "read", "write", "write", "sync_write"]))
        length = draw(st.sampled_from([0, 5, BLOCK // 4, BLOCK // 2, BLOCK, BLOCK + 16, 3 * BLOCK]))
        start = draw(st.integers(0, 6)) * BLOCK // draw(st.sampled_from([1, 2]))
        compute_ns = draw(st.sampled_from([0, 0, 777, 20_000_000]))
        file = draw(st.integers(0, 1))
        found += [
            Record(process, operation, file, start + place * length, length, compute_ns, application)
            for place in range(draw(st.integers(1, 8)))
        ]
    return found


def ideal_io_bounds(model: Configuration, records: list[Record], twin: Model) -> tuple[int, int]:
    """What the disk with the most to do must be busy for: equal bounds but where a block is read and written.

    Without a cache it is what it did; with one, each block that is read and each that is written counts once, and a
    read counts only where it came before the block's writes.
    """
    if not model.buffers:
        most_ns = max(disk.busy_ns for disk in twin.disks)
        return most_ns, most_ns
    both: dict[int, set[Any]] = {disk.number: set() for disk in twin.disks}
    for record in (one for one in records if one.operation != "compute" and one.length):
        for place, _ in twin.blocks(record):
            both[twin.disk_of(place).number].add((place, record.operation))
    least = max(len({place for place, _ in required}) for required in both.values())
    return least * model.service_ns, max(map(len, both.values())) * model.service_ns


def agree(model: Configuration, records: list[Record]) -> None:
    """Every event at its time, in its order; every count; how every process spent its life; the whole time."""
    twin = Model(model, records)
    execution_ns = twin.run()
    (totals,), lives, _, log = engine_of(model, records, log=True)
    assert [Event(*(line[name] for name in Event._fields)) for line in log] == twin.log
    assert totals["execution_ns"] == execution_ns
    assert totals["busy_ns"] == sum(disk.busy_ns for disk in twin.disks)
    least_ns, most_ns = ideal_io_bounds(model, records, twin)
    assert least_ns <= totals["ideal_io_ns"] <= min(most_ns, execution_ns)
    assert {name: totals[name] for name in COUNTS} == {name: twin.counts[name] for name in COUNTS}
    for process, life in zip(twin.processes, lives, strict=True):
        assert {name: life[f"{name}_ns"] for name in SPENT} == {
            name: process.times_ns[name] for name in SPENT
        }
        assert sum(life[f"{name}_ns"] for name in SPENT) == life["finished_ns"]


@examples(400)
@given(st.data())
def test_the_engine_does_what_its_twin_does_event_for_event(data: st.DataObject) -> None:
    model = data.draw(configurations())
    agree(model, data.draw(programs(model)))


@pytest.mark.parametrize("last", [0, 1])
def test_a_process_that_ends_leaves_its_buffers_in_the_order_of_the_caches(last: int) -> None:
    """Whichever file it wrote last: two writes of one instant are queued in that order."""
    model = Configuration(
        processes=2,
        disks=1,
        buffers=2,
        policy="free",
        block_bytes=BLOCK,
        service_ns=1000,
        jitter_ns=0,
        copy_piece_bytes=0,
        claim_order="fifo",
        applications=[0, 0],
    )
    agree(model, [Record(None, "write", file, 0, 5) for file in (1 - last, last)])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=12), st.integers(1, 5))
def test_bursts_move_computation_to_their_last_records(rows: list[tuple[int, int]], burst: int) -> None:
    """List by list; process 2 stands for the shared list."""
    rows = sorted(rows, key=lambda row: row[0])
    records = [Record(p if p < 2 else None, "read", 0, 0, 1, ns) for p, ns in rows]
    expected = []
    for process in (0, 1, 2):
        own = [ns for p, ns in rows if p == process]
        for place in range(len(own)):
            is_last = place % burst == burst - 1 or place == len(own) - 1
            expected.append(sum(own[place - place % burst : place + 1]) if is_last else 0)
    if records:
        assert in_bursts(table(records), burst)["compute_ns"].to_pylist() == expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(2, 4), st.integers(1, 4))
def test_shared_bursts_are_taken_together_before_all_compute(
    each_ns: list[int], burst: int, processes: int
) -> None:
    records = [Record(None, "write", 0, 64 * place, 64, ns) for place, ns in enumerate(each_ns)]
    expected: list[Record] = []
    for first in range(0, len(records), burst * processes):
        taken = records[first : first + burst * processes]
        expected += [one._replace(compute_ns=0) for one in taken]
        for share in range(min(processes, len(taken))):
            own_ns = sum(one.compute_ns for one in taken[share::processes])
            expected.append(Record(None, "compute", None, None, None, own_ns))
    made = in_shared_bursts(table(records), burst, processes)
    assert made.schema == schemas.schema("program")
    assert made.to_pylist() == table(expected).to_pylist()


@given(st.integers(1, 4), st.integers(2, 5))
def test_every_process_computes_after_a_shared_burst(processes: int, burst: int) -> None:
    """Reading takes longer than nothing, computing longer than all reading: each process takes one share."""
    model = Configuration(
        processes=processes, disks=processes, buffers=processes, block_bytes=BLOCK, service_ns=1000
    )
    records = [Record(None, "read", 0, BLOCK * place, BLOCK, 10**6) for place in range(processes * burst)]
    _, lives, _, _ = engine_of(model, in_shared_bursts(table(records), burst, processes))
    assert [one["computing_ns"] for one in lives] == [burst * 10**6] * processes


@given(st.data())
def test_buffers_that_are_being_written_are_not_written_to_where_processes_wait(data: st.DataObject) -> None:
    """Also by those who came to copy before the write was queued."""
    model = replace(
        data.draw(configurations().filter(lambda one: one.buffers > 0)),
        writes_while_writing=False,
        copy_ns_per_kbyte=250_000,
    )
    records = [Record(None, "write", 0, 16 * place, 16) for place in range(24)]
    *_, log = engine_of(model, records, log=True)
    writing: Counter[int] = Counter()
    for line in log:
        writing[line["block"]] += {"write_queued": 1, "write_end": -1}.get(line["event"], 0)
        assert line["event"] != "dirty" or not writing[line["block"]]


def test_processes_that_need_buffers_of_which_none_is_full_have_one_written_each() -> None:
    """Two write half a block each of two and go on to further blocks: the disks write both halves at once."""
    model = Configuration(
        processes=2, disks=2, buffers=2, policy="full", block_bytes=BLOCK, service_ns=1000, jitter_ns=0
    )
    records = [
        Record(one, "write", 0, (one + step) * BLOCK, BLOCK // 2, 1) for one in (0, 1) for step in (0, 2)
    ]
    (totals,), *_ = engine_of(model, records)
    assert totals["execution_ns"] == 2002


def test_what_was_read_has_contents_that_a_partial_write_must_read() -> None:
    """Block 0 leaves the cache, or there is none, before half of it is written."""
    records = [Record(0, "read", 0, place * BLOCK, BLOCK) for place in (0, 1)]
    records += [Record(0, "write", 0, 0, BLOCK // 2), Record(0, "write", 0, 5 * BLOCK, BLOCK // 2)]
    for buffers in (0, 1):
        (totals,), *_ = engine_of(
            Configuration(processes=1, disks=1, buffers=buffers, block_bytes=BLOCK), records
        )
        assert (totals["disk_reads"], totals["disk_writes"], totals["rereads"]) == (3, 2, 0)


@pytest.mark.parametrize(
    ("given_settings", "message"),
    [
        ({"bufers": 1}, "unknown field `bufers`"),
        ({"overheads": {"jiter_ns": 1}}, "unknown field `jiter_ns`"),
        (
            {"prefetch": "two-block"},
            "unknown variant `two-block`, expected one of `none`, `one-block`, `portion`",
        ),
        ({"disks": -1}, "invalid value: integer `-1`"),
    ],
)
def test_a_setting_that_there_is_not_is_refused(given_settings: dict[str, object], message: str) -> None:
    program = ParallelProgram(table([Record(0, "read", 0, 0, BLOCK)]), [0])
    with pytest.raises(ValueError, match=message):
        program.run(json.dumps([given_settings]))
