"""The curve of all sizes against one plain LRU cache of each size, and by hand."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.schemas import schema
from oracles import Row, allocate, data_overwrite, no_allocate, syncing
from property_tests import examples

from iotrace.analysis.curves import curve, split_curves, tally
from iotrace.analysis.curves.device import SSD
from iotrace.errors import IotraceError, UsageError

NAMES = ["operation", "file", "offset", "length", "file_size", "group"]
LARGEST = 40


@st.composite
def traces(draw: st.DrawFn) -> list[Row]:
    """Few files and few bytes, so that everything meets everything; sizes as a real stream has them."""
    operations = st.sampled_from(["read"] * 4 + ["write"] * 3 + ["update", "truncate", "delete"])
    lengths = st.one_of(st.integers(1, 9), st.integers(1, 9), st.integers(1, 50))
    row = st.tuples(
        operations, st.integers(0, 2), st.integers(0, 40), lengths, st.integers(0, 3), st.sampled_from("ab")
    )
    sizes, rows = [0, 0, 0], []
    for operation, file, offset, length, slack, group in draw(st.lists(row, max_size=40)):
        sizes[file] = offset if operation == "truncate" else max(offset + length, sizes[file] + slack)
        rows.append((operation, file, offset, length, sizes[file], group))
    return rows


def table(rows: list[Row], batch_rows: int = 1000) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [[]] * len(NAMES)
    types = [pa.string(), pa.int32(), pa.int64(), pa.int64(), pa.int64(), pa.string()]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    whole = pa.table(arrays, names=NAMES)
    return pa.Table.from_batches(whole.to_batches(max_chunksize=batch_rows), whole.schema)


def at(rows: list[dict], size: int) -> dict:
    """The row that holds for a size."""
    return [row for row in rows if row["size_blocks"] <= size][-1]


@examples(200)
@given(traces(), st.sampled_from([3, 4, 16]), st.integers(1, 50))
def test_every_size_is_one_cache_of_that_size(rows: list[Row], block: int, batch_rows: int) -> None:
    curves = curve(table(rows, batch_rows), block_bytes=block).to_pylist()
    for size in range(1, LARGEST):
        counts = allocate([(*row[:5], "all") for row in rows], size, block)
        found = at(curves, size)
        for name in (name for name in found if ("all", name) in counts):
            assert found[name] == counts["all", name], (name, size)
        assert (
            found["block_misses"] == counts["all", "read_block_misses"] + counts["all", "write_block_misses"]
        )
        assert found["write_expulsions"] == counts["all", "write_expulsions"]
        assert found["dirty_at_end"] == counts["all", "dirty_at_end"]
        assert found["read_bytes_exact"] == counts["all", "read_bytes"]
        assert found["write_bytes_exact"] == counts["all", "write_bytes_exact"]
        access_ns, block_ns = SSD.overhead_ms * 1e6, block * SSD.transfer_ms_per_kb * 1e6 / 1024
        read_ns = found["read_request_misses"] * access_ns + found["read_block_misses"] * block_ns
        write_ns = found["write_expulsions"] * (access_ns + block_ns)
        assert abs(found["read_service_time_ns"] - read_ns) <= 0.5
        assert abs(found["write_service_time_ns"] - write_ns) <= 0.5


@examples(150)
@given(traces(), st.integers(0, 30))
def test_groups_share_a_cache_and_the_warm_up_is_not_counted(rows: list[Row], warm_up: int) -> None:
    curves = curve(table(rows), block_bytes=4, by="group", warm_up_requests=warm_up).to_pylist()
    for group in "ab":
        mine = [row for row in curves if row["group"] == group]
        for size in range(1, LARGEST):
            counts = {
                name: n for (of, name), n in allocate(rows, size, 4, warm_up).items() if of == group and n
            }
            found = at(mine, size) if mine else {}
            counts["read_bytes_exact"] = counts.pop("read_bytes", 0)
            counts.pop("write_bytes", 0)
            for name, count in counts.items():
                assert found.get(name, 0) == count, (name, size)


@examples(100)
@given(traces())
def test_split_caches_are_caches_of_their_own(rows: list[Row]) -> None:
    curves = split_curves(table(rows), by="group", block_bytes=4).to_pylist()
    for group in {row["group"] for row in curves}:
        of_group = [row for row in rows if row[5] == group or row[0] in ("truncate", "delete")]
        alone = curve(table(of_group), block_bytes=4).to_pylist()
        mine = [{**row} for row in curves if row["group"] == group]
        assert [{name: row[name] for name in alone[0]} for row in mine] == alone


@examples(150)
@given(traces())
def test_no_allocate_invalidates(rows: list[Row]) -> None:
    curves = curve(table(rows), block_bytes=4, write_policy="no-allocate").to_pylist()
    for size in range(1, LARGEST):
        found = at(curves, size)
        assert found["dirty_at_end"] == 0
        for name, count in no_allocate(rows, size, 4).items():
            assert found[name] == count, (name, size)


@examples(150)
@given(traces())
def test_data_overwrite_tells_hits_apart(rows: list[Row]) -> None:
    curves = curve(table(rows), block_bytes=8, write_policy="data-overwrite").to_pylist()
    for size in range(1, LARGEST):
        found = at(curves, size)
        for name, count in data_overwrite(rows, size, 8).items():
            assert found[name] == count, (name, size)


@examples(50)
@given(traces())
def test_ignored_deletes_are_as_if_they_were_not_there(rows: list[Row]) -> None:
    kept = [row for row in rows if row[0] not in ("truncate", "delete")]
    assert curve(table(rows), block_bytes=4, deletes="ignore").equals(curve(table(kept), block_bytes=4))


@examples(50)
@given(traces(), st.lists(st.integers(4, 200), min_size=1, max_size=6))
def test_chosen_sizes_are_rows_of_the_whole_curve(rows: list[Row], sizes: list[int]) -> None:
    chosen = curve(table(rows), block_bytes=4, sizes_bytes=sizes).to_pylist()
    whole = curve(table(rows), block_bytes=4).to_pylist()
    assert [row["size_blocks"] for row in chosen] == [size // 4 for size in sizes]
    for row in chosen:
        expected = at(whole, row["size_blocks"])
        assert {**row, "size_blocks": 0, "size_bytes": 0} == {**expected, "size_blocks": 0, "size_bytes": 0}


@examples(50)
@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 4))
def test_inodes_share_blocks_in_the_order_of_their_first_reference(inodes: list[int], together: int) -> None:
    order = {inode: place for place, inode in enumerate(dict.fromkeys(inodes))}
    placed = [("read", 0, order[inode] // together * 4096, 128, 1 << 20, "inode") for inode in inodes]
    apart = table([("read", inode, 0, 128, 128, "inode") for inode in inodes]).rename_columns(
        [*NAMES[:5], "type"]
    )
    found = curve(apart, inodes_per_block=together).to_pylist()
    expected = curve(table(placed)).to_pylist()
    assert [row["read_request_misses"] for row in found] == [row["read_request_misses"] for row in expected]


def test_the_worked_example_of_section_2_4() -> None:
    """A loop over three blocks misses in every cache of fewer than three; a request of four is issued in
    pieces."""
    loop = table([("read", 0, block * 4, 4, 16, "a") for block in [0, 1, 2] * 3])
    assert [row["read_block_misses"] for row in curve(loop, block_bytes=4).to_pylist()] == [9, 3]
    large = curve(table([("read", 0, 0, 16, 16, "a")]), block_bytes=4).to_pylist()
    assert [(row["size_blocks"], row["read_request_misses"]) for row in large] == [(1, 4), (2, 2), (4, 1)]


def test_a_dropped_block_leaves_a_free_frame() -> None:
    """Blocks 0 1 2 are read, 2's file goes: 3 takes its frame, and a cache of three still holds 0 and 1."""
    rows = [("read", file, 0, 4, 4, "a") for file in (0, 1, 2)]
    rows += [("delete", 2, 0, 0, 0, "a"), ("read", 3, 0, 4, 4, "a"), ("read", 0, 0, 4, 4, "a")]
    curves = curve(table(rows), block_bytes=4).to_pylist()
    assert [at(curves, size)["read_block_misses"] for size in (1, 2, 3)] == [5, 5, 4]


def test_the_table_has_the_schema_of_table_curve() -> None:
    rows = [("read", 0, 0, 10, 10, "a"), ("write", 0, 0, 10, 10, "b")]
    assert curve(table(rows)).schema.equals(schema("curve"))
    assert curve(table(rows), by="group").column_names == ["group", *schema("curve").names]
    assert curve(table([])).num_rows == 1
    assert curve(table([]), by="group").num_rows == 0
    assert curve(table([]), by="group").column_names == ["group", *schema("curve").names]


def test_any_arrow_stream_and_any_integers_do() -> None:
    import duckdb
    import polars

    rows = [("read", 0, 0, 10, 10, "a"), ("write", 1, 5000, 10, 6000, "b"), ("read", 0, 0, 9000, 9000, "a")]
    plain = table(rows)
    expected = curve(plain, by="group")
    narrow = pa.table(
        {
            "operation": plain["operation"].dictionary_encode(),
            "file": plain["file"].cast(pa.uint8()),
            "offset": plain["offset"].cast(pa.uint16()),
            "length": plain["length"].cast(pa.int16()),
            "file_size": plain["file_size"].cast(pa.uint64()),
            "group": plain["group"].dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        }
    )
    relation = duckdb.connect().from_arrow(plain)
    for form in (plain.to_reader(), narrow, polars.from_arrow(plain), relation, plain.to_batches()[0]):
        assert curve(form, by="group").equals(expected)


def test_groups_by_number_keep_their_type() -> None:
    rows = table([("read", 0, 0, 10, 10, "a"), ("read", 0, 0, 10, 10, "b")])
    rows = rows.append_column("process", pa.array([7, None], pa.int32()))
    grouped = curve(rows, by="process")
    assert grouped.schema.field("process").type == pa.int32()
    assert sorted(set(grouped["process"].to_pylist()), key=str) == [7, None]


def test_what_is_unknown_is_guessed_and_counted() -> None:
    rows = [
        ("read", 0, 0, None, 9000, "a"),  # to the end: three blocks
        ("read", 1, 0, None, None, "a"),  # of unknown size: one block
        ("write", 0, None, 10, None, "a"),  # at the end: the third block
        ("write", 1, None, 10, None, "a"),
        ("read", 2, 0, 0, 0, "a"),  # nothing
        ("sync", None, None, None, None, "a"),
        ("read", None, 0, 10, None, "a"),
        ("truncate", 0, None, None, None, "a"),
    ]
    result = curve(table(rows))
    assert result["block_references"][0].as_py() == 3 + 1 + 1 + 1
    assert result["read_bytes_exact"][0].as_py() == 9000 + 4096
    assert tally(result) == {
        "rows": 8,
        "requests": 4,
        "truncates": 1,
        "deletes": 0,
        "syncs": 1,
        "empty_requests": 1,
        "unknown_lengths": 2,
        "unknown_offsets": 2,
        "unplaced": 2,
        "distinct_blocks": 4,
    }


def test_warm_up_by_time() -> None:
    rows = table([("read", 0, 0, 1, 1, "a")] * 4).append_column("time_ns", pa.array([0, 10, 20, 30]))
    assert curve(rows, warm_up_ns=20)["read_requests"][0].as_py() == 2
    with pytest.raises(IotraceError, match="reference 0: warm-up by time needs a time stamp"):
        curve(rows.drop_columns("time_ns"), warm_up_ns=20)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("read", 0, -1, 10, None, "a"), "reference 1: a negative number .* offset -1"),
        (("read", 0, 0, -10, None, "a"), "reference 1: a negative number .* length -10"),
        (("write", -5, 0, 10, None, "a"), "reference 1: a negative number among file -5"),
        (("read", 0, 0, 10, -3, "a"), "reference 1: a negative number .* file_size -3"),
        (("read", 0, 0, 1 << 62, None, "a"), "reference 1: the request touches 1125899906842624 blocks"),
        (("read", 0, 1 << 62, (1 << 63) - 1, None, "a"), r"reference 1: offset plus length is beyond 2\^63"),
        (("read", 0, 0, None, 1 << 62, "a"), "reference 1: the request touches"),
        (("mmap", 0, 0, 10, None, "a"), "reference 1: the operation is null or not one of read"),
        ((None, 0, 0, 10, None, "a"), "reference 1: the operation is null or not one of read"),
    ],
)
def test_a_row_that_makes_no_sense_is_named(row: Row, message: str) -> None:
    with pytest.raises(IotraceError, match=message):
        curve(table([("read", 0, 0, 10, None, "a"), row]))


def test_far_places_cost_little() -> None:
    rows = [("read", 0, (1 << 62) - 5, 100, None, "a"), ("write", 2**31 - 1, 1 << 61, 1, None, "a")]
    assert curve(table(rows), block_bytes=128)["block_misses"][0].as_py() == 3
    truncated = [*rows, ("truncate", 0, 0, 0, 0, "a"), ("delete", 2**31 - 1, 0, 0, 0, "a")]
    assert set(curve(table(truncated), block_bytes=128)["dirty_at_end"].to_pylist()) == {0}


def test_settings_that_make_no_sense() -> None:
    rows = table([("read", 0, 0, 10, 10, "a")])
    for wrong in (
        {"block_bytes": 0},
        {"block_bytes": -4},
        {"block_bytes": 1 << 40},
        {"sizes_bytes": [4095]},
        {"sizes_bytes": [1 << 60]},
        {"write_policy": "write-around"},
        {"deletes": "perhaps"},
        {"inodes_per_block": 0},
        {"overhead_ms": -1.0},
        {"by": "color"},
        {"warm_up_requests": -1},
    ):
        with pytest.raises(UsageError):
            curve(rows, **wrong)
    with pytest.raises(UsageError, match="no column 'offset'"):
        curve(rows.drop_columns("offset"))
    with pytest.raises(UsageError, match="an Arrow stream or table, not list"):
        curve([1, 2])
    with pytest.raises(IotraceError, match="column 'file' of the references does not fit int32"):
        curve(rows.set_column(1, "file", pa.array([1 << 40])))


@st.composite
def traces_with_syncs(draw: st.DrawFn) -> list[Row]:
    """Traces in which files, ranges of files and everything (file -1) are synced, and some writes are synchronous."""
    rows = []
    for operation, file, offset, length, size, group in draw(traces()):
        operation = draw(st.sampled_from([operation] * 4 + ["sync"] * 2 + ["synchronous write"]))
        if operation == "sync":
            whole = draw(st.booleans())
            rows.append(
                (
                    "sync",
                    draw(st.sampled_from([file, -1])) if whole else file,
                    offset,
                    0 if whole else length,
                    size,
                    group,
                )
            )
        else:
            rows.append((operation, file, offset, length, size, group))
    return rows


def with_flags(rows: list[Row]) -> pa.Table:
    """The rows as references: a sync of everything has no file, a synchronous write its flag."""
    plain = table([("write" if row[0] == "synchronous write" else row[0], *row[1:]) for row in rows])
    files = pa.array([None if row[1] < 0 else row[1] for row in rows], pa.int32())
    lengths = pa.array([None if row[0] == "sync" and not row[3] else row[3] for row in rows], pa.int64())
    flags = pa.array(["synchronous" if row[0] == "synchronous write" else None for row in rows], pa.string())
    named = plain.set_column(1, "file", files).set_column(3, "length", lengths)
    return named.append_column("flags", flags)


@examples(300)
@given(traces_with_syncs(), st.sampled_from([1, 4]))
def test_syncs_write_what_is_dirty_at_every_size(rows: list[Row], block: int) -> None:
    curves = curve(with_flags(rows), block_bytes=block).to_pylist()
    for size in range(1, LARGEST):
        found, counts = at(curves, size), syncing(rows, size, block)
        for name in ("write_syncs", "write_expulsions", "dirty_at_end"):
            assert found[name] == counts[name], (name, size)
        assert found["write_bytes_estimated"] == block * (counts["write_syncs"] + counts["write_expulsions"])


def test_syncs_may_be_ignored_as_in_the_paper() -> None:
    rows = [("write", 0, 0, 4, 4, "a"), ("sync", 0, 0, 0, 4, "a")]
    (row,) = curve(with_flags(rows), block_bytes=4, syncs="ignore").to_pylist()
    assert (row["write_syncs"], row["dirty_at_end"]) == (0, 1)
    (row,) = curve(with_flags(rows), block_bytes=4).to_pylist()
    assert (row["write_syncs"], row["write_expulsions"], row["dirty_at_end"]) == (1, 0, 0)
