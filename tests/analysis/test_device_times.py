"""For how long calls wait for a page, of recorded requests: worked examples."""

import duckdb
import pytest

from iotrace.analysis.memory.prediction import _device_times

TABLES = """
create table disk (device int, device_number bigint);
create table opened_file (file int, device_number bigint, inode bigint);
create table disk_io (seq int, device int, operation text, time_ns bigint, blocks bigint, latency_ns bigint,
                      completed_ns bigint);
create table disk_io_file (seq int, device_number bigint, inode bigint);
create table reference (file int, call_seq int, operation text, type text);
create table page_cache_request (file int, event text);
create table storage_time (seq int, device_ns bigint, queued_ns bigint);
insert into disk values (0, 70), (1, 80);
insert into opened_file values (5, 70, 12), (6, 80, 40);
insert into reference values (5, 1, 'read', 'datafile'), (6, 2, 'open', 'datafile');
insert into storage_time values (1, 4000, 0), (2, 900, 0);
"""
"""A file on device 70, which is read by one call, and one on device 80, below it."""


def connection(requests: list[tuple[int, int]]) -> duckdb.DuckDBPyConnection:
    """Requests of 8 blocks for the first file: their places, and the devices that got them."""
    base = duckdb.connect()
    base.execute(TABLES)
    for seq, device in requests:
        base.execute("insert into disk_io values (?, ?, 'read', ?, 8, 100, ?)", [seq, device, seq, seq + 100])
        base.execute("insert into disk_io_file values (?, 70, 12)", [seq])
    return base


@pytest.mark.parametrize(
    ("requests", "wait_ns"),
    [
        ([(0, 0), (1, 0)], 2000),  # two pages in 4000 ns
        ([(0, 0), (1, 1), (2, 0), (3, 1)], 2000),  # the disk below the device moves the same pages again
        ([(0, 1), (1, 1)], 2000),  # only the disk below was recorded
    ],
)
def test_pages_count_at_the_files_own_device(requests: list[tuple[int, int]], wait_ns: float) -> None:
    assert _device_times(connection(requests))[0] == wait_ns
