"""The streamed views: the engine's pass gives the rows that their SQL gives."""

import os
import random
import re
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect

from iotrace import queries
from iotrace.analysis.characterize import characterize, prepared
from iotrace.analysis.curves.object_requests import curve_of_store
from iotrace.errors import IotraceError
from iotrace.ingest.pipeline import ingest
from iotrace.store import streamed

TRACES = os.environ.get("IOTRACE_TRACES")
NAMES = sorted(streamed.NAMES)
FILES = [("inode", 0), ("directory", 1), ("executable", 2), ("datafile", 3), ("datafile", 4), ("disk", 5)]
places = st.none() | st.integers(0, 40)
references = st.fixed_dictionaries(
    {
        "operation": st.sampled_from(
            ["read", "write", "read", "write", "update", "truncate", "delete", "sync"]
        ),
        "of": st.sampled_from(FILES),
        "use": st.sampled_from([None, 0, 1, 2]),
        "process": st.sampled_from([None, 0, 1]),
        "flags": st.sampled_from([None, None, "mapped", "direct"]),
        "offset": places,
        "length": st.none() | st.integers(0, 20),
        "file_size": places,
        "duration_ns": st.none() | st.sampled_from([0, 1, 3, 30]),
        "step": st.sampled_from([0, 0, 1, 2, 7, 40]),
    }
)
disk_requests = st.fixed_dictionaries(
    {
        "device": st.sampled_from([0, 0, 1]),
        "operation": st.sampled_from(["read", "write", "write", "flush", None]),
        "lbn": st.none() | st.integers(0, 12),
        "blocks": st.none() | st.integers(0, 3),
        "latency_ns": st.none() | st.integers(0, 9) | st.sampled_from([30, 40, 1000]),
        "service_ns": st.none() | st.integers(0, 40),
        "step": st.none() | st.sampled_from([0, 1, 2, 7, 40, -3]),
    }
)
parameters = st.fixed_dictionaries(
    {
        "runs": st.sampled_from(["same_direction", "mixed"]),
        "population": st.sampled_from(["data", "metadata", "all"]),
        "windows": st.integers(1, 30),
        "block_bytes": st.sampled_from([1, 4, 8, 512]),
    }
)


def as_trace(rows: list[dict[str, Any]], is_timed: bool) -> list[dict[str, Any]]:
    """Number the rows, and let time pass by their steps; what is followed as data is not updated."""
    trace, time = [], 0
    for seq, row in enumerate(rows):
        time += row["step"]
        kind, file = row["of"]
        operation = "write" if row["operation"] == "update" and kind != "inode" else row["operation"]
        made = {**row, "seq": seq, "time_ns": time if is_timed else None, "type": kind, "file": file}
        trace.append({**made, "operation": operation, "offset": row["offset"] if row["length"] != 0 else 3})
    return trace


traces = st.builds(as_trace, st.lists(references, max_size=40), st.sampled_from([True, True, False]))


def rows_of(
    connection: duckdb.DuckDBPyConnection, streams: bool, names: Iterable[str] = NAMES, **chosen: str | int
) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of streamed views, sorted."""
    with prepared(connection, names, chosen, streams=streams):
        return {name: sorted(connection.execute(f"from {name}").fetchall(), key=repr) for name in names}


def test_all_are_computed_by_the_pass() -> None:
    """Each view that says so is one that the pass gives."""
    assert [name for name in NAMES if queries.query(name).is_streamed] == NAMES
    assert {name for name in queries.views() if queries.query(name).is_streamed} == set(NAMES)


@examples(150)
@given(traces, parameters)
def test_the_pass_gives_the_rows_of_the_sql(trace: list[dict[str, Any]], chosen: dict[str, Any]) -> None:
    connection = connect(reference=trace)
    assert rows_of(connection, True, **chosen) == rows_of(connection, False, **chosen)


@examples(30)
@given(traces, st.randoms())
def test_times_out_of_order_are_left_to_the_sql(trace: list[dict[str, Any]], chance: Any) -> None:
    times = [row["time_ns"] for row in trace]
    chance.shuffle(times)
    shuffled = [{**row, "time_ns": time} for row, time in zip(trace, times, strict=True)]
    connection = connect(reference=shuffled)
    assert rows_of(connection, True, windows=7) == rows_of(connection, False, windows=7)


@examples(20)
@given(traces)
def test_rows_in_another_order_are_sorted(trace: list[dict[str, Any]]) -> None:
    assert rows_of(connect(reference=trace[::-1]), True) == rows_of(connect(reference=trace), False)


def as_disk_trace(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number the rows, and let time pass by their steps; some have no time."""
    trace, time = [], 0
    for place, row in enumerate(rows):
        time = max(0, time + (row["step"] or 0))
        trace.append({**row, "seq": 2 * place, "time_ns": None if row["step"] is None else time})
    return trace


@examples(80)
@given(
    st.lists(disk_requests, max_size=120).map(as_disk_trace),
    st.booleans(),
    st.sampled_from([512, 1024, 4096]),
)
def test_the_pass_over_disks_gives_the_rows_of_the_sql(
    trace: list[dict[str, Any]], backwards: bool, block_bytes: int
) -> None:
    stored = trace[::-1] if backwards else trace
    rows = rows_of(connect(disk_io=trace), False, streamed.OF_DISKS, block_bytes=block_bytes)
    assert rows_of(connect(disk_io=stored), True, streamed.OF_DISKS, block_bytes=block_bytes) == rows


@examples(60)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "key": st.integers(0, 6),
                "operation": st.sampled_from(["get", "set", "delete", "nonsense", None]),
                "step": st.none() | st.sampled_from([0, 1, 2, 7, 40]),
            }
        ),
        max_size=80,
    ).map(as_disk_trace),
    st.booleans(),
)
def test_the_pass_over_keys_gives_the_rows_of_the_sql(trace: list[dict[str, Any]], backwards: bool) -> None:
    stored = trace[::-1] if backwards else trace
    rows = rows_of(connect(key_io=trace), False, streamed.DISK_BLOCKS)
    assert rows_of(connect(key_io=stored), True, streamed.DISK_BLOCKS) == rows


def test_reuse_distances_are_those_of_the_curve(tmp_path: Path) -> None:
    chance = random.Random(7)
    keys = [str(int(chance.paretovariate(0.6)) % 3000) for _ in range(30_000)]
    (tmp_path / "t").write_text("\n".join(keys) + "\n")
    store = ingest([tmp_path / "t"], tmp_path / "t.iotrace", format="key-lines")
    with store.queried() as connection:
        rows = characterize(connection, ["reuse_distances"])["reuse_distances"].to_pylist()
    sizes = [row["maximum_distance"] for row in rows if row["maximum_distance"] is not None]
    misses = curve_of_store(store, sizes=sizes)["request_misses"].to_pylist()
    shares = [row["cumulative_percent"] for row in rows[: len(sizes)]]
    assert len(sizes) > 10 and shares == pytest.approx([100 * (1 - missed / len(keys)) for missed in misses])


LONG = re.compile("strace/(?!parallel-io-mpi)|parallel/darshan/(8a_benchmark|dxt-explorer-vpic)")
"""Traces whose SQL takes over 2 s."""


def real_traces() -> list[Any]:
    """Return the traces of all families that are small enough for their SQL."""
    listed = (
        "strace/*.zst",
        "block/*.csv*",
        "block/*.vscsi.zst",
        "block/mqsim*",
        "disksim/*.trace.zst",
        "fio/*iolog*",
    )
    parallel = ("parallel/darshan/*.darshan", "parallel/dftracer/*.pfw*", "umd/*")
    folder = Path(TRACES or ".")
    found = [path for form in (*listed, *parallel) for path in sorted(folder.glob(form))] if TRACES else []
    names = [str(path.relative_to(folder)) for path in found]
    return [pytest.param(name, marks=[pytest.mark.nightly] if LONG.match(name) else []) for name in names]


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of the larger traces")
@pytest.mark.parametrize("name", real_traces())
def test_real_traces_have_the_same_rows(name: str, tmp_path: Path) -> None:
    try:
        store = ingest([Path(str(TRACES)) / name], tmp_path / "trace.iotrace")
    except IotraceError as error:
        pytest.skip(f"no trace: {error}")
    connection = store.connect(views=[])
    names = [name for name in NAMES if name != "block_distance"]  # its SQL is for few accesses
    for population in ("data", "all"):
        by_pass = rows_of(connection, True, names, population=population, most_blocks=1 << 30)
        assert by_pass == rows_of(connection, False, names, population=population, most_blocks=1 << 30)


def test_references_of_keys_are_read_in_their_order(tmp_path: Path) -> None:
    """Row groups that are 19 rows longer than pieces of DuckDB: a join gives these rows at the end of the table."""
    trace, requests = tmp_path / "keys.csv", 5 * 2_067
    trace.write_text("".join(f"{row},k{row % 100},2,10,1,get,0\n" for row in range(requests)))
    store = ingest([trace], tmp_path / "keys.iotrace", format="twitter")
    table = store.table_path("key_io")
    pq.write_table(pq.read_table(table), table, row_group_size=2_067)
    columns = ", ".join(f'"{name}"' for name in queries.query(streamed.READ).schema.names)
    with closing(store.connect()) as connection:
        rows = connection.sql(f"select {columns} from {streamed.READ}").to_arrow_reader(1_000)
        assert [seq for batch in rows for seq in batch["seq"].to_pylist()] == list(range(requests))
