"""A program's schedule on an ideal file system, against a twin that steps through it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.schedule import Schedule, scheduled
from iotrace.generate.patterns.settings import Pattern, Settings


def made(owners: list[int | None], compute: list[int]) -> pa.Table:
    count = len(owners)
    columns = {
        "application": [0] * count,
        "process": owners,
        "operation": ["read"] * count,
        "file": [0] * count,
        "offset": [8 * row for row in range(count)],
        "length": [8] * count,
        "compute_ns": compute[:count],
    }
    schema = schemas.schema("program")
    return pa.table(
        [pa.array(columns.get(one.name, [None] * count), one.type) for one in schema], schema=schema
    )


def twin(
    table: pa.Table, lasts: dict[int, int], starts: list[int], processes: int
) -> set[tuple[int, int, int]]:
    """Time, process and offset of every access: own records first, then whoever is free takes the next."""
    rows = table.select(["process", "offset", "compute_ns"]).to_pylist()
    free = list(starts)
    found = set()
    own = [row for process in range(processes) for row in rows if row["process"] == process]
    for row in [*own, *(row for row in rows if row["process"] is None)]:
        process = free.index(min(free)) if row["process"] is None else row["process"]
        found.add((free[process], process, row["offset"]))
        free[process] += lasts[row["offset"]] + row["compute_ns"]
    return found


@examples(200)
@given(
    st.integers(1, 5).flatmap(
        lambda processes: st.tuples(
            st.just(processes),
            st.lists(st.one_of(st.none(), st.integers(0, processes - 1)), max_size=30),
        )
    ),
    st.lists(st.integers(0, 50), min_size=30, max_size=30),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(0, 3),
)
def test_records_are_taken_as_worded(
    given: tuple[int, list[int | None]], compute: list[int], jitter: float, seed: int
) -> None:
    processes, owners = given
    table = made(owners, compute)
    schedule = Schedule(processes, access_ns=20, jitter=jitter, seed=seed)
    trace = scheduled(table, schedule)
    assert trace.schema.equals(schemas.schema("parallel_io"))
    lasts = dict(zip(trace["offset"].to_pylist(), trace["duration_ns"].to_pylist(), strict=True))
    idle = scheduled(made(list(range(processes)), [0] * processes), schedule)
    starts = [0] * processes
    for row in idle.to_pylist():
        starts[row["process"]] = row["time_ns"]
    columns = [trace[name].to_pylist() for name in ("time_ns", "process", "offset")]
    assert set(zip(*columns, strict=True)) == twin(table, lasts, starts, processes)
    assert columns[0] == sorted(columns[0])
    assert all(20 * (1 - jitter) <= lasted <= 20 * (1 + jitter) or lasted == 1 for lasted in lasts.values())


def test_every_record_is_taken_once() -> None:
    table = program(Settings(Pattern.GW))
    trace = scheduled(table, Schedule(20))
    assert trace["offset"].to_pylist() == table["offset"].to_pylist()
    assert trace["process"].null_count == 0
    assert np.bincount(np.asarray(trace["process"])).min() > 150


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"processes": 0}, "processes is 0"),
        ({"processes": 1, "access_ns": 0}, "access_ns is 0"),
        ({"processes": 1, "jitter": 1.5}, "jitter is 1.5"),
        ({"processes": 1, "jitter": float("nan")}, "jitter is nan"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Schedule(**given)  # type: ignore[arg-type]


def test_a_process_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="process 3"):
        scheduled(made([3], [0]), Schedule(2))
