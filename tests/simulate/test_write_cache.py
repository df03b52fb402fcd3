"""Write caches on a disk: worked examples, what each policy must do, and bad input.

That each policy does exactly what it says, operation by operation, is held against a slow twin in the engine's own
tests (write_cache/tests).
"""

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from block_traces import as_store, block_trace
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import queries
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.disk import drive
from iotrace.simulate.sweep import varied
from iotrace.simulate.write_cache.comparison import comparison
from iotrace.simulate.write_cache.requests import Requests
from iotrace.simulate.write_cache.search import search
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate
from iotrace.store import store

BLOCK = 512
NO_CACHE = Settings(read_cache_bytes=0, write_cache_bytes=0)
SMALL = Settings(read_cache_bytes=64 * BLOCK, write_cache_bytes=32 * BLOCK)
CAPACITY = drive("ra82").native.blocks


def one(table: pa.Table, settings: Settings, **options: object) -> dict:
    (row,) = simulate(table, "ra82", settings, threads=1, **options).to_pylist()
    return row


def busy_trace(count: int = 3000, seed: int = 1, gap_ms: float = 40.0, extra: tuple = ()) -> pa.Table:
    """Re-written and re-read small extents, with some requests anywhere."""
    pick, now, rows = random.Random(seed), 0.0, []
    hot = [pick.randrange(CAPACITY - 100) for _ in range(40)]
    for _ in range(count):
        now += pick.expovariate(1 / gap_ms)
        first = pick.choice(hot) if pick.random() < 0.8 else pick.randrange(CAPACITY - 100)
        rows.append((now, pick.choice(["read", "write"]), first + pick.randrange(16), pick.randint(1, 8)))
    return block_trace([*rows, *extra])


def test_the_result_has_its_documented_columns() -> None:
    result = simulate(busy_trace(50), "ra82", [SMALL, NO_CACHE])
    assert result.schema.remove_metadata() == queries.table_schema("write_cache").remove_metadata()
    assert result.num_rows == 2
    result.validate(full=True)


def test_without_caches_every_request_takes_what_the_disk_takes() -> None:
    """One read and one write by hand: overhead, seek, wait for the sector, transfer."""
    ra82 = drive("ra82").native
    row = one(block_trace([(0, "read", 0, 2), (1000, "write", 3 * 855, 1)]), NO_CACHE)
    sector = Fraction(60 * 10**9, 3600 * 58)
    overhead = 500_000
    # the arm is on the first track at time 0, block 0 at angle 0: it comes round once the overhead is over
    starts = ra82.sector_starts_ns(0, overhead)
    assert starts == -(-(60 * 10**9) // 3600)
    assert row["read_service_ms"] == pytest.approx(float(starts + 2 * sector) / 1e6, abs=2e-6)
    assert row["read_rotation_ms"] == pytest.approx((starts - overhead) / 1e6)
    write_at = 10**9 + overhead + ra82.seek_ns()[3]
    wait = ra82.sector_starts_ns(3 * 855, write_at) - 10**9
    assert row["write_service_ms"] == pytest.approx(float(wait + sector) / 1e6, abs=2e-6)
    assert (row["w_wc"], row["r_wc"], row["io_stall"], row["total_ios"]) == (100, 100, 0, 2)


def test_a_request_behind_another_waits_for_it() -> None:
    row = one(block_trace([(0, "write", 0, 1), (1, "read", 855 * 700, 1)]), NO_CACHE)
    assert row["io_stall"] == 50
    assert row["read_queue_ms"] == pytest.approx(row["write_service_ms"] - 1)
    assert row["read_queue_behind_writes_ms"] == row["read_queue_ms"]
    assert row["read_response_ms"] == pytest.approx(row["read_queue_ms"] + row["read_service_ms"])


def test_a_purge_of_a_track_is_one_write_and_its_blocks_stay_readable() -> None:
    writes = [(i, "write", 2 * i, 1) for i in range(20)]
    reads = [(10_000 + i, "read", 2 * i, 1) for i in range(20)]
    row = one(block_trace(writes + reads), Settings(write_cache_bytes=20 * BLOCK))
    assert (row["disk_writes"], row["purged_blocks"], row["disk_reads"]) == (1, 20, 0)
    assert row["kbytes_per_purge"] == 10
    assert row["write_cache_hits"] == 20


@pytest.mark.parametrize(("high", "dirty"), [(100, 20), (95, 20), (94.9, 0), (50, 0)])
def test_thresholds_act_when_exceeded(high: float, dirty: int) -> None:
    """20 slots, 19 of them dirty at most before: 95 % is not exceeded by 19, and 100 % never."""
    writes = [(i, "write", i, 1) for i in range(19)] + [(5000, "read", 700_000, 1)]
    settings_ = Settings(write_cache_bytes=20 * BLOCK, purge="one-threshold", high_percent=high)
    row = one(block_trace(writes), settings_)
    assert row["disk_writes"] == (0 if dirty else 1)


def test_a_write_that_finds_no_room_waits_for_an_immediate_purge() -> None:
    writes = [(i, "write", 855 * i, 1) for i in range(4)] + [(4, "write", 855 * 50, 1)]
    row = one(block_trace(writes), Settings(write_cache_bytes=4 * BLOCK, purge="full"))
    assert (row["immediate_purges"], row["stalled_writes"], row["idle_purges"]) == (1, 1, 0)
    assert row["write_response_max_ms"] == pytest.approx(row["write_service_ms"])
    assert row["most_dirty"] == 4


@pytest.mark.parametrize(("piggyback", "taken"), [("none", 0), ("free", 1), ("full", 2)])
def test_figure_2_1(piggyback: str, taken: int) -> None:
    """Dirty block A lies between the head and the read, B behind the read: free takes A, full takes both.

    Block 0 comes round at 16.67 ms; the read of block 30 arrives then, and its overhead passes less than 2 sectors.
    """
    writes = [(1, "write", 10, 1), (2, "write", 50, 1)]
    read = [(1e3 / 60, "read", 30, 1)]
    row = one(block_trace(writes + read), Settings(piggyback=piggyback))
    assert row["piggybacked_blocks"] == taken
    plain = one(block_trace(writes + read), Settings())
    if piggyback == "full":
        behind = float(20 * Fraction(60 * 10**9, 3600 * 58)) / 1e6
        assert row["read_service_ms"] == pytest.approx(plain["read_service_ms"] + behind, abs=2e-6)
    else:
        assert row["read_service_ms"] == plain["read_service_ms"]


def test_a_write_larger_than_the_cache_goes_through_and_discards_drop_dirty_blocks() -> None:
    rows = [
        (0, "write", 5, 4),
        (10, "write", 0, 33),
        (900, "write", 100, 8),
        (901, "discard", 100, 6),
        (902, "flush", None, None),
    ]
    row = one(block_trace(rows), SMALL)
    assert (row["write_throughs"], row["purged_blocks"], row["flushes"]) == (1, 0, 1)
    assert row["dropped_dirty"] == 4 + 6
    assert (row["dirty_at_end"], row["dirty_at_end_percent"]) == (2, pytest.approx(100 * 2 / (4 + 33 + 8)))


@pytest.mark.parametrize("chosen", [Settings(), Settings(single_cache_bytes=3 << 20)], ids=["two", "single"])
def test_a_discard_takes_time_for_what_is_cached_and_not_for_what_it_names(chosen: Settings) -> None:
    whole_disk = drive("sata-7200").native.blocks
    moves = [(0, "write", 8, 16), (1, "read", 8, 16), (2, "write", 4 << 20, 8)]
    discards = [(100 + number, "discard", 16, whole_disk - 16) for number in range(100)]
    table = block_trace([*moves, *discards, (300, "write", 0, 1)])
    (row,) = simulate(table, "sata-7200", chosen, threads=1).to_pylist()
    assert (row["discards"], row["dropped_dirty"], row["dirty_at_end"]) == (100, 8 + 8, 8 + 1)


def test_forced_writes_are_taken_by_the_cache_or_go_through() -> None:
    table = block_trace([(0, "write", 0, 8), (100, "write", 0, 8), (200, "write", 800, 8)])
    flags = pa.array([None, "forced", "forced|synchronous"]).cast(table.schema.field("flags").type)
    table = table.set_column(table.schema.get_field_index("flags"), "flags", flags)
    assert one(table, Settings())["write_throughs"] == 0
    row = one(table, Settings(forced="through"))
    assert (row["write_throughs"], row["dropped_dirty"], row["dirty_at_end"]) == (2, 8, 0)


def test_what_a_write_does_to_the_read_cache() -> None:
    """With a write cache of one block, which the second write takes, only the read cache can hold the first."""
    rows = [(0, "read", 0, 1), (100, "write", 0, 1), (200, "write", 9, 1), (300, "read", 0, 1)]
    settings_ = [
        Settings(write_cache_bytes=BLOCK, purge="asap", write_effect=effect)
        for effect in ("purge", "update", "allocate")
    ]
    reads = simulate(block_trace(rows), "ra82", settings_)["disk_reads"].to_pylist()
    assert reads == [2, 1, 1]
    without_first_read = simulate(block_trace(rows[1:]), "ra82", settings_)["disk_reads"].to_pylist()
    assert without_first_read == [1, 1, 0]


def test_partitions_of_equal_disks_are_so_many_controllers() -> None:
    """Strict partitions (4.6): each disk fares as if alone with its part, to the end of the longer trace."""
    end = ((100_000, "flush", None, None),)
    tables = [busy_trace(800, seed=seed, extra=end) for seed in (1, 2)]
    both = pa.concat_tables(
        [
            table.set_column(2, "device", pa.array([at] * table.num_rows, pa.int32()))
            for at, table in enumerate(tables)
        ]
    ).sort_by("time_ns")
    whole = one(
        both, Settings(sharing="partitioned", write_cache_bytes=64 * BLOCK, read_cache_bytes=128 * BLOCK)
    )
    parts = [
        one(table, Settings(write_cache_bytes=32 * BLOCK, read_cache_bytes=64 * BLOCK)) for table in tables
    ]
    for name in ("disk_reads", "disk_writes", "purged_blocks", "stalled_reads", "write_cache_hits"):
        assert whole[name] == sum(part[name] for part in parts), name


def test_the_papers_policies_rank_as_in_the_paper() -> None:
    """W_wc: one threshold above two, two above free, free above full piggybacking (tables 4.1, 4.2, A3)."""
    settings_ = [
        Settings(
            write_cache_bytes=256 * BLOCK,
            read_cache_bytes=512 * BLOCK,
            purge=purge,
            piggyback=piggyback,
            unit="cylinder",
        )
        for purge, piggyback in (
            ("one-threshold", "none"),
            ("two-thresholds", "none"),
            ("two-thresholds", "free"),
            ("two-thresholds", "full"),
        )
    ]
    written = simulate(busy_trace(6000), "ra82", settings_)["w_wc"].to_pylist()
    assert written == sorted(written, reverse=True)


def test_dynamic_thresholds_follow_the_share_of_blocks_written() -> None:
    rows = [(100 * i, "write" if i % 4 else "read", 2000 * i, 2) for i in range(40)]
    settings_ = Settings(single_cache_bytes=100 * BLOCK, purge="dynamic", interval=20)
    row = one(block_trace(rows), settings_)
    assert (row["high_blocks_at_end"], row["low_blocks_at_end"]) == (75, 30)


@given(
    scale=st.sampled_from([0.001, 0.5, 1, 7.25]),
    replay=st.sampled_from(["open", "closed"]),
    seed=st.integers(0, 9),
)
@examples(15)
def test_what_must_hold_of_every_run(scale: float, replay: str, seed: int) -> None:
    everything = [
        Settings(
            write_cache_bytes=64 * BLOCK,
            read_cache_bytes=96 * BLOCK,
            unit=unit,
            piggyback=piggyback,
            queue=queue,
            victim=victim,
        )
        for unit, piggyback, queue, victim in (
            ("track", "none", "fifo", "wow"),
            ("cylinder", "full", "sptf", "nearest"),
            ("cylinder", "free", "look", "most-dirty"),
        )
    ] + [Settings(single_cache_bytes=150 * BLOCK, purge="dynamic", piggyback="full")]
    for row in simulate(
        busy_trace(400, seed), "ra82", everything, replay=replay, time_scale=scale
    ).to_pylist():
        parts = sum(row[f"read_{part}_ms"] for part in ("overhead", "seek", "rotation", "transfer"))
        assert parts == pytest.approx(row["read_service_ms"])
        assert row["most_dirty"] <= 150 and row["dirty_at_end"] <= row["most_dirty"]
        assert row["disk_busy"] <= 100 + 1e-9
        assert row["read_queue_behind_writes_ms"] <= row["read_queue_ms"]
        assert row["total_ios"] == row["disk_reads"] + row["disk_writes"]
        assert row["longest_queue"] <= (1 if replay == "closed" else 400)
        assert row["purged_blocks"] + row["piggybacked_blocks"] + row["dirty_at_end"] <= row["written_blocks"]


def test_a_saturated_disk_is_told_of() -> None:
    row = one(busy_trace(500, gap_ms=1.0), NO_CACHE)
    assert row["offered_load"] > 95
    assert "offered load" in row["warning"]
    assert one(busy_trace(500, gap_ms=500.0), NO_CACHE)["warning"] is None


@pytest.mark.parametrize("replay", ["open", "closed"])
def test_a_time_scale_is_found_for_a_busy_share(replay: str) -> None:
    row = one(busy_trace(800), NO_CACHE, busy_percent=30, replay=replay)
    assert row["disk_busy"] == pytest.approx(30, rel=0.01)


def test_blocks_beyond_the_end_are_wrapped_scaled_or_refused() -> None:
    table = block_trace([(0, "read", 10, 4), (100, "read", CAPACITY + 10, 4), (200, "read", CAPACITY - 1, 4)])
    wrapped = one(table, SMALL, fit="wrap")
    assert (wrapped["refitted_requests"], wrapped["disk_reads"]) == (2, 2)
    assert one(table, SMALL, fit="scale")["refitted_requests"] == 3
    with pytest.raises(IotraceError, match=rf"request 1: block {CAPACITY + 10} .* beyond the disk's end"):
        one(table, SMALL, fit="reject")


def test_requests_out_of_order_are_sorted_and_counted() -> None:
    table = busy_trace(300)
    shuffled = table.take(pa.array(random.Random(3).sample(range(300), 300)))
    result = simulate(shuffled, "ra82", SMALL)
    assert result.equals(simulate(table, "ra82", SMALL))
    assert json.loads(result.schema.metadata[b"tally"])["unsorted"] > 100


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, None, 5, 1)], "does not distinguish reads from writes"),
        ([], "no requests"),
        ([(0, "read", None, 1)], "no requests"),
        ([(0, "read", -5, 1)], "request 0: block -5"),
        ([(0, "read", 5, -1)], "request 0"),
        ([(0, "write", 1 << 62, 1)], "on no disk"),
        ([(None, "write", 5, 1)], "without times"),
    ],
)
def test_traces_that_cannot_be_simulated(rows: list, message: str) -> None:
    with pytest.raises(IotraceError, match=message):
        one(block_trace(rows), SMALL)


def test_requests_without_length_are_left_out_and_counted() -> None:
    result = simulate(block_trace([(0, "read", 5, 0), (1, "read", 5, 1), (2, None, 9, 1)]), "ra82", SMALL)
    tally = json.loads(result.schema.metadata[b"tally"])
    assert (tally["requests"], tally["without_blocks"], tally["unknown"]) == (1, 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"low_percent": 96.0},
        {"high_percent": 101.0},
        {"purge": "dynamic"},
        {"unit": "platter"},
        {"write_cache_bytes": -1},
        {"single_cache_bytes": 1 << 20, "purge": "dynamic", "interval": 0},
    ],
)
def test_settings_that_make_no_sense(change: dict) -> None:
    with pytest.raises(UsageError):
        Settings(**change)


def test_sweeps_and_searches() -> None:
    swept = varied(SMALL, ["write-cache=8K,16K", "unit=track,cylinder"])
    assert [(one.write_cache_bytes, one.unit) for one in swept] == [
        (8192, "track"),
        (8192, "cylinder"),
        (16384, "track"),
        (16384, "cylinder"),
    ]
    for bad in ("write-cache", "colour=red", "hilim=x"):
        with pytest.raises(UsageError, match="--sweep"):
            varied(SMALL, [bad])
    requests = Requests(busy_trace(600))
    medium = Settings(read_cache_bytes=128 * BLOCK, write_cache_bytes=32 * BLOCK)
    for goal in ("thresholds", "split"):
        found = search(goal, medium, lambda tried: simulate(requests, "ra82", tried))
        totals = found["total_ios"].to_pylist()
        assert totals == sorted(totals)
        sizes = {(row["read_cache_bytes"] or 0) + row["write_cache_bytes"] for row in found.to_pylist()}
        assert sizes == {160 * BLOCK}


def test_a_store_gives_what_its_table_gives(tmp_path: Path) -> None:
    table = busy_trace(500)
    opened = store.read(as_store(table, tmp_path / "busy.iotrace"))
    assert simulate(opened, "ra82", comparison(SMALL)).equals(simulate(table, "ra82", comparison(SMALL)))


def test_a_write_that_enters_whole_is_not_purged_in_pieces() -> None:
    """A cache full of single blocks, each on a separate track; then writes of 40 blocks, far apart in time.

    The first has 40 tracks purged for it; each later one has the one before it purged, whole.
    """
    single = [(second, 57 * second, 1) for second in range(64)]
    large = [(1000 + 5 * second, 15 * 57 * (600 + second), 40) for second in range(10)]
    rows = [*single, *large]
    trace = pa.table(
        {
            "seq": pa.array(range(len(rows)), pa.int64()),
            "time_ns": pa.array([second * 10**9 for second, _, _ in rows], pa.int64()),
            "device": pa.array([0] * len(rows), pa.int32()),
            "operation": pa.array(["write"] * len(rows)),
            "lbn": pa.array([lbn for _, lbn, _ in rows], pa.int64()),
            "blocks": pa.array([blocks for _, _, blocks in rows], pa.int64()),
        }
    )
    by_blocks, whole = (
        Settings(write_cache_bytes=64 * 512, purge="full", admission=admission)
        for admission in ("blocks", "whole")
    )
    rows = simulate(trace, "ra82", [by_blocks, whole]).to_pylist()
    assert rows[1]["immediate_purges"] == 40 + 9
    # of the write that waits two blocks are what is most dirty, again and again
    assert rows[0]["immediate_purges"] > 100


def one_write_each(disks: int) -> pa.Table:
    return block_trace([(number, "write", 8 * number, 1) for number in range(disks)], range(disks))


def test_too_many_disks_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"20,000 disks; a controller has 16,384 at most: choose some of them"
    ):
        simulate(one_write_each(20_000), "sata-7200", Settings())


@pytest.mark.parametrize("sharing", ["common", "partitioned"])
def test_memory_follows_what_is_cached_and_not_the_size_of_disks_or_caches(
    sharing: str, tmp_path: Path
) -> None:
    # an index by track of 400 of these disks would take 30 GB, slots for all blocks of these caches 8 GB
    pq.write_table(one_write_each(400), tmp_path / "trace.parquet")
    code = f"""
import resource, pyarrow.parquet as pq
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate
resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2)
trace = pq.read_table("trace.parquet", use_threads=False)
settings = Settings(sharing={sharing!r}, read_cache_bytes=4 << 30, write_cache_bytes=4 << 30)
rows = simulate(trace, "sata-7200", [settings] * 6, threads=1).to_pylist()
assert [row["writes"] for row in rows] == [400] * 6, rows
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
