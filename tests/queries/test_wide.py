"""The wide views: worked examples of their rows, and that they keep every row of their tables."""

import datetime
from pathlib import Path

import duckdb
import pytest
from iotrace.queries.script import StoreViews
from tiny_store import connect

import iotrace
from iotrace import queries
from iotrace.analysis.characterize import characterize
from iotrace.store.store import Store

CALLS = """\
7 1000000000.000000 openat(AT_FDCWD, "/etc", O_RDONLY|O_DIRECTORY) = 3 <0.000001>
7 1000000000.000001 chdir("/srv/app") = 0 <0.000001>
7 1000000000.000002 openat(AT_FDCWD, "conf/missing.toml", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000002>
7 1000000000.000003 openat(3, "missing.d", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000001>
7 1000000000.000004 openat(AT_FDCWD, "data", O_RDONLY) = 4 <0.000001>
7 1000000000.500000 read(4, "abc", 10) = 3 <1.500000>
7 1000000002.500000 +++ exited with 0 +++
"""
CONTRACT = [
    "call",
    "path",
    "directory",
    "program",
    "pid",
    "at",
    "duration",
    "duration_ns",
    "bytes",
    "result",
    "error",
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    log = tmp_path / "missing.strace"
    log.write_text(CALLS)
    return iotrace.open(log)


def test_calls_have_absolute_names_also_of_what_does_not_exist(store: Store) -> None:
    rows = store.connect(["call_wide"]).sql(
        "select call, path, directory, error, bytes from call_wide order by seq"
    )
    assert rows.fetchall() == [
        ("openat", "/etc", "/", None, None),
        ("chdir", "/srv/app", "/srv", None, None),
        ("openat", "/srv/app/conf/missing.toml", "/srv/app/conf", "ENOENT", None),
        ("openat", "/etc/missing.d", "/etc", "ENOENT", None),
        ("openat", "/srv/app/data", "/srv/app", None, None),
        ("read", "/srv/app/data", "/srv/app", None, 3),
    ]


def test_calls_have_wall_clock_time(store: Store) -> None:
    connection = store.connect(["call_wide", "trace_start"])
    start = datetime.datetime(2001, 9, 9, 1, 46, 40)
    assert connection.sql("from trace_start").fetchall() == [(start, 10**18)]
    row = connection.sql(
        """select "at", started_at, duration, duration_ns, pid from call_wide where call = 'read'"""
    ).fetchall()
    at = start + datetime.timedelta(seconds=0.5)
    assert row == [(at, at, datetime.timedelta(seconds=1.5), 1_500_000_000, 7)]


def test_the_columns_of_the_contract_come_first() -> None:
    assert [c.name for c in queries.query("call_wide").columns][: len(CONTRACT)] == CONTRACT


def test_without_a_clock_times_of_day_are_unknown() -> None:
    calls = [{"seq": 0, "call": "read", "time_ns": 5, "duration_ns": 2_000, "result": 4, "process": 0}]
    connection = connect(syscall=calls, process=[{"process": 0, "pid": 3}])
    (row,) = characterize(connection, ["call_wide"])["call_wide"].to_pylist()
    assert row["at"] is None and row["time_ns"] == 5 and row["bytes"] == 4 and row["pid"] == 3


@pytest.mark.parametrize("started_ns", [0, 2**63 - 1])
def test_every_start_that_a_manifest_can_have_is_a_time(started_ns: int) -> None:
    connection = duckdb.connect()
    connection.execute(
        StoreViews(present=(), known=queries.facts(started_ns=started_ns)).script(["trace_start"])
    )
    assert connection.sql("select started_ns, epoch_us(started_at) from trace_start").fetchall() == [
        (started_ns, started_ns // 1000)
    ]
    connection.sql(f"select wall_clock({2**63 - 1}::bigint), wall_clock({-(2**63 - 1)}::bigint)").fetchall()


def test_keys_have_their_names() -> None:
    rows = [
        {"seq": place, "key": place, "operation": name} for place, name in enumerate(["get", "set", None])
    ]
    names = [{"key": 0, "name": "a"}, {"key": 1, "number": -1}]
    connection = connect(key_io=rows, key_name=names)
    result = characterize(connection, ["key_wide"])["key_wide"].select(["key", "kind"]).to_pylist()
    assert result == [
        {"key": "a", "kind": "read"},
        {"key": "18446744073709551615", "kind": "write"},
        {"key": "2", "kind": None},
    ]


def test_each_byte_of_a_parallel_program_is_there_once() -> None:
    calls = [
        {"seq": 0, "layer": "mpiio", "operation": "write", "file": 0, "length": 20},
        {"seq": 1, "layer": "posix", "operation": "write", "file": 0, "length": 10, "offset": 10},
        {"seq": 2, "layer": "posix", "operation": "write", "file": 0, "length": 10, "offset": 0},
        {"seq": 3, "layer": "posix", "operation": "seek", "file": 0, "offset": 5},
    ]
    connection = connect(
        parallel_io=calls, file=[{"file": 0, "path": "/out/a"}], process=[{"process": 0, "pid": 9}]
    )
    rows = characterize(connection, ["access_wide"])["access_wide"].to_pylist()
    assert sorted((row["seq"], row["offset_bytes"], row["bytes"], row["directory"]) for row in rows) == [
        (1, 10, 10, "/out"),
        (2, 0, 10, "/out"),
        (3, 5, None, "/out"),
    ]


def test_blocks_are_bytes() -> None:
    connection = connect(
        disk_io=[{"seq": 0, "device": 0, "lbn": 3, "blocks": 2, "latency_ns": 2_500}],
        file=[{"file": 0, "device": 0, "kind": "device", "path": "sda"}],
    )
    (row,) = characterize(connection, ["block_wide"])["block_wide"].to_pylist()
    assert (row["device"], row["offset_bytes"], row["bytes"], row["duration_ns"]) == (
        "sda",
        1536,
        1024,
        2_500,
    )
