"""Sweeps of simulators in parts: the rows of one process, with any number of workers."""

import random
from typing import Any

import pyarrow as pa
import pytest
from test_map_merge import all_of, leaf

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.requests import Requests as Blocks
from iotrace.generate.patterns.settings import Pattern
from iotrace.generate.patterns.settings import Settings as PatternSettings
from iotrace.ingest import pipeline
from iotrace.simulate.cluster import simulation as cluster
from iotrace.simulate.cluster.cases import compared
from iotrace.simulate.cluster.settings import Settings as ClusterSettings
from iotrace.simulate.in_parts import outcomes_of_parts
from iotrace.simulate.nonvolatile.settings import Settings as NonvolatileSettings
from iotrace.simulate.nonvolatile.sweeping import sweep
from iotrace.simulate.parallel_fs import simulation as parallel
from iotrace.simulate.parallel_fs.settings import Settings as ParallelSettings
from iotrace.simulate.parallel_fs.settings import Trials
from iotrace.simulate.programs.program import Program, Tally
from iotrace.simulate.write_cache.requests import Requests
from iotrace.simulate.write_cache.settings import Settings as WriteCacheSettings
from iotrace.simulate.write_cache.simulation import simulate
from iotrace.store.store import Store
from iotrace.workers import Workers

SLOTS = [1, 2, 5]


def same(found: pa.Table, expected: pa.Table) -> bool:
    return bool(found.equals(expected, check_metadata=True))


def some(parts: list[int], shared: int) -> list[tuple[int, ...]]:
    return [(*leaf(part), shared) for part in parts]


@pytest.mark.parametrize("slots", SLOTS)
def test_what_is_shared_reaches_every_part(client: Any, slots: int) -> None:
    for count in (1, 2, 7):
        found = outcomes_of_parts(Workers(client, slots), some, range(count), shared=(7,))
        assert found == [(*leaf(part), 7) for part in range(count)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store of 400 requests to a disk."""
    draw, trace = random.Random(4), tmp_path_factory.mktemp("trace") / "disk.csv"
    lines = (
        f"{128166372003061629 + 400_000 * place},host,0,{draw.choice(('Read', 'Write'))},"
        f"{draw.randrange(4000) * 4096},{draw.randrange(1, 9) * 4096},1000\n"
        for place in range(400)
    )
    trace.write_text("".join(lines))
    return pipeline.ingest([trace], trace.with_suffix(".iotrace"))


@pytest.mark.parametrize("slots", SLOTS)
def test_write_caches(client: Any, store: Store, slots: int) -> None:
    settings = [WriteCacheSettings(write_cache_bytes=size << 10) for size in (0, 125, 250, 500, 1000)]
    expected = simulate(Requests(store), "ra82", settings, busy_percent=30)
    found = simulate(Requests(store), "ra82", settings, busy_percent=30, workers=Workers(client, slots))
    assert same(found, expected)


@pytest.mark.parametrize("slots", SLOTS)
def test_nonvolatile_memory(client: Any, store: Store, slots: int) -> None:
    requests = Blocks(store, BlockBudget(1 << 20, 4096, ""))
    sizes = [(volatile << 12, safe << 12) for volatile in (0, 5, 50) for safe in (0, 3, 30)]
    settings = [NonvolatileSettings(volatile_bytes=one, nonvolatile_bytes=other) for one, other in sizes[1:]]
    expected, span = sweep(requests, settings, Cache())
    found, found_span = sweep(requests, settings, Cache(), Workers(client, slots))
    assert same(found, expected)
    assert found_span == span


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize("show", ["totals", "processes", "windows"])
def test_parallel_file_systems(client: Any, slots: int, show: Any) -> None:
    """A pattern of chance has another program for each seed."""
    patterns = [
        PatternSettings(pattern=name, processes=3, blocks_per_process=10)
        for name in (Pattern.GW, Pattern.RND)
    ]
    settings = [ParallelSettings(pattern=each, buffers=size) for each in patterns for size in (9, 30)]
    expected = parallel.run(None, settings, Trials(trials=3), show=show)
    found = parallel.run(None, settings, Trials(trials=3), show=show, workers=Workers(client, slots))
    assert same(found, expected)


@pytest.mark.parametrize("slots", SLOTS)
def test_clusters_of_caches(client: Any, slots: int) -> None:
    """With plans, which change the program, and several machines."""
    draw = random.Random(5)
    rows = [
        {"application": 0, "process": place % 3, "node": None, "phase": None, "operation": "read",
         "file": draw.randrange(3), "offset": draw.randrange(50) * 4096, "length": 4096, "compute_ns": 1000}
        for place in range(300)
    ]  # fmt: skip
    from iotrace.schemas import schema

    program = Program(
        pa.Table.from_pylist(rows, schema=schema("program")), (3,), ("a",), ("x", "y", "z"), Tally()
    )
    settings = compared(ClusterSettings(local_blocks=5, global_blocks=20), ["nodes=2,3"])
    expected = cluster.run(program, settings)
    assert len(set(expected["discipline"].to_pylist())) > 4
    assert same(cluster.run(program, settings, workers=Workers(client, slots)), expected)


def test_the_rows_are_all_there() -> None:
    """The oracle of the other tests here is no empty table."""
    assert all_of([1, 2]) == (1, -1, 2, -2)
