"""Small programs and machines, drawn or by hand, for the tests of caches on a cluster."""

import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from iotrace import schemas
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.settings import Machine

BLOCK = 4096

SMALL = Machine(
    nodes=3,
    iods=2,
    local_blocks=4,
    global_blocks=7,
    global_per_file=False,
    segment_blocks=2,
    low_water_percent=0,
    high_water_percent=0,
    flusher_period_requests=3,
)

MARKED = replace(SMALL, global_blocks=9, low_water_percent=25, high_water_percent=50)

LEVELS = (
    Discipline.of("none"),
    Discipline.of("local"),
    Discipline.of("global"),
    Discipline.of("local+global"),
    Discipline.of("tinylfu"),
    Discipline.of("demote"),
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

requests = st.lists(
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
    global_writes=st.sampled_from(["back", "through"]),
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
